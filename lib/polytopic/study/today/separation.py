"""PD-Sparse beside its printed rows, and what its own objective says of the corpus on which the two are far apart."""

import numpy as np
import pandas as pd

from polytopic.metrics import top
from polytopic.models import PDSparse
from polytopic.study.corpora import halves
from polytopic.study.looks import displayed
from polytopic.study.printed import reported
from polytopic.study.store import experiment
from polytopic.study.today import comparison

SAME = {
    "FastXML": "FastXML",
    "PD-Sparse": "PD-Sparse",
    "Omikuji, Parabel": "Parabel",
}  # here, in the repository
AT = "P@1"
SCALES = {
    "quick": {"passes": [1, 5, 50], "documents": 500},
    "paper": {"passes": [1, 2, 5, 10, 20, 50, 100], "documents": None},
}


@experiment("today", SCALES, name="pd-sparse", corpora=("bibtex", "delicious"))
def passes(corpus, *, passes, documents, seed):
    """Train PD-Sparse for so many passes on one side of a split.

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


def passes_table(rows):
    """Return ``passes`` as a table: a row a corpus and number of passes, a column a measure."""
    return rows.pivot_table("value", ["corpus", "passes"], "measure", sort=False).rename_axis(columns=None)


def gaps(rows):
    """Return how far models of ``comparison.comparison`` are from the repository's rows of the same name, by AT.

    Columns: corpus, model, here, printed, difference, in percent; the farthest below first.
    """
    found, printed = [], set(reported(comparison.REPOSITORY)["corpus"])
    for corpus in (name for name in rows["corpus"].unique() if name in printed):
        both = comparison.beside_repository(rows, corpus)[AT]
        found += [
            (corpus, name, both["here", name], both["printed", other])
            for name, other in SAME.items()
            if {("here", name), ("printed", other)} <= set(both.index)
        ]
    table = pd.DataFrame(found, columns=["corpus", "model", "here", "printed"])
    return table.assign(difference=table["here"] - table["printed"]).sort_values(
        "difference", ignore_index=True
    )


def told(found, trained):
    """Return in sentences where a model is farthest below print, and what its training says of it.

    found is ``gaps`` and trained ``passes_table``, of the model and corpus of which found has the first row.
    """
    far, of_corpus = found.iloc[0], trained.loc[found.iloc[0]["corpus"]]
    last, best = of_corpus.iloc[-1], of_corpus["P@1 of test documents"].idxmax()
    share = last["objective"] / last["objective of zeros"]
    highest = of_corpus["P@1 of test documents"].max()
    low = last["dual objective"] / last["objective of zeros"]
    return (
        f"{far['model']} on {displayed(far['corpus'])} has a {AT} of {far['here']:.1f} here and of "
        f"{far['printed']:.1f} in print, {-far['difference']:.1f} points less. That is not explained. After "
        f"{of_corpus.index[-1]} passes the objective is {share:.1%} of what a model of zeros has, and by the dual "
        f"objective it cannot fall below {low:.1%}. Of the numbers of passes tried, {best} gives the highest {AT}, "
        f"{highest:.1f}, which is {highest - far['printed']:+.1f} points from print."
    )
