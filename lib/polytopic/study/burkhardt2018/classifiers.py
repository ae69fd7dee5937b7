"""What is computed of the classifiers without chains in table 5 of Burkhardt & Kramer (2018)."""

import numpy as np

from polytopic.models import BinaryRelevanceSVM, FastXML, PDSparse
from polytopic.study.burkhardt2018.protocol import (
    BR,
    FASTXML,
    FREQUENCIES,
    LASSO,
    PD_SPARSE,
    WHOLE,
    experiment,
    measures,
    numbers_of_labels,
    parts,
    seed_of,
    told,
)

CLASSIFIERS = {
    "quick": {"run": range(1), "model": WHOLE, "n_trees": 10, "costs": (0.1, 1, 10), "documents": 400},
    "paper": {"run": range(3), "model": WHOLE, "n_trees": 50},
}


@experiment(
    CLASSIFIERS,
    cost=lambda model, **rest: 10 if model == BR else 1,
    fits=lambda corpus, run, model, **rest: run == 0 or model == FASTXML,
)
def classifiers(corpus, *, run, model, n_trees, costs=None, documents=None, seed):
    """Return the measures of one classifier: chain (0), measure, value, and the table of ``protocol.told``."""
    train, test = parts(corpus, documents, seed)
    n_labels = numbers_of_labels(corpus, documents, seed)
    scored = scores(model, train, test, n_trees, costs, seed_of(seed, "classifiers", model, run))
    found = measures(test.labels, scored, n_labels[LASSO].to_numpy())
    return told([(0, *one) for one in found.items()], test.labels, scored, n_labels)


def scores(model, train, test, n_trees, costs, seed):
    """Return the scores (D, C) of a classifier; costs are those that BR(SVM) tries, None for all of the paper's.

    FREQUENCIES scores all documents alike.
    """
    if model == FREQUENCIES:
        return np.broadcast_to(train.label_frequencies.astype(float), test.labels.shape)
    made = {
        BR: lambda: BinaryRelevanceSVM("C", candidates=costs, normalize="tfidf", random_state=seed),
        FASTXML: lambda: FastXML(n_trees, random_state=seed),
        PD_SPARSE: lambda: PDSparse(random_state=seed),
    }
    return made[model]().fit(train.counts, train.labels).decision_function(test.counts)
