"""PD-Sparse trained for more and more passes, and what its own objective says of them."""

import numpy as np
import pandas as pd

from polytopic.metrics import top
from polytopic.models import PDSparse
from polytopic.study.corpora import halves
from polytopic.study.store import experiment

SCALES = {
    "quick": {"passes": [1, 5, 50], "documents": 500},
    "paper": {"passes": [1, 2, 5, 10, 20, 50, 100], "documents": None},
}


@experiment("today", SCALES, name="pd-sparse", corpora=("bibtex", "delicious"))
def passes(corpus, *, passes, documents, seed):
    """Train PD-Sparse for a number of passes on one side of a split.

    Rows: measure, value: precision at 1 on the test and on the training documents, the objective, the dual objective
    below it, and the objective of a model of zeros, to which every document that has labels and lacks some adds 1.
    """
    train, test = halves(corpus, 0, documents, seed)
    model = PDSparse(n_passes=passes, random_state=seed).fit(train.counts, train.labels)
    sizes = train.labels.getnnz(axis=1)
    values = {
        "P@1 of test documents": _first_right(test, model),
        "P@1 of training documents": _first_right(train, model),
        "objective": model.objective_,
        "dual objective": model.dual_objective_,
        "objective of zeros": model.C * float(np.sum((sizes > 0) & (sizes < train.n_labels))),
    }
    return pd.DataFrame({"measure": values.keys(), "value": values.values()})


def _first_right(documents, model):
    """Return for how many of 100 documents the label that ranks first is theirs."""
    scores = model.decision_function(documents.counts)
    return 100 * top(documents.labels, scores, ks=(1,))["precision"][0]
