"""What the models predict for single documents, and where they rank the rare label (Rubin et al. 2012, 3.6)."""

import numpy as np
import pandas as pd

from polytopic.study.rubin2012 import systems
from polytopic.study.store import Result, experiment

SCALES = systems.scales(split=range(1), model=list(systems.PAPER_FIVE), rare=5, frequent=100, at_least=3)
SCALES["quick"]["model"] = [name for name in systems.PAPER_FIVE if name != "Tuned SVM"]  # which takes minutes


@experiment("rubin2012", SCALES, corpora=("debtags", "eurlex57k"))
def documents(corpus, *, split, model, chains, rare, frequent, at_least, seed):
    """Train one system on a split, and rank the labels of the documents of ``rows_alike``.

    Rows are ``ranks``; the tables "top_ten" and "true" are ``top_ten`` and ``true_labels`` of each document, whose
    row of the test documents is in their column document. Raises ValueError as ``rows_alike``.
    """
    train, test = corpus.split(split)
    rows = rows_alike(train, test, rare, frequent, at_least)
    estimator = systems.build(model, corpus.name, train, chains, seed, verbose=1)
    scores = estimator.fit(train.counts, train.labels).decision_function(test.counts[rows])

    def of_each(describe):
        found = [
            describe(train, test, row, own).assign(document=row)
            for row, own in zip(rows, scores, strict=True)
        ]
        return pd.concat(found, ignore_index=True)

    return Result(
        ranks(train, test, rows, scores, rare), {"top_ten": of_each(top_ten), "true": of_each(true_labels)}
    )


def rows_alike(train, test, rare=5, frequent=100, at_least=3):
    """Return the test documents (rows) that are like the paper's example, those with most words first.

    Of a document's labels, ``at_least`` or more, one is rare, with 1 to ``rare`` training documents, and all others
    are frequent, with ``frequent`` or more. Ties keep the documents' order. Raises ValueError when there is none.
    """
    frequency, labels = train.label_frequencies, test.labels.astype(np.int64)
    n_rare, n_frequent = labels @ ((frequency > 0) & (frequency <= rare)), labels @ (frequency >= frequent)
    sizes = np.diff(labels.indptr)
    found = np.flatnonzero((n_rare == 1) & (n_frequent == sizes - 1) & (sizes >= at_least))
    if not found.size:
        raise ValueError(
            f"no test document of {test.name} has one rare label and only frequent ones beside it: choose other "
            "bounds, rare and frequent, or another split"
        )
    lengths = np.ravel(test.counts[found].sum(axis=1))
    return found[np.argsort(-lengths, kind="stable")]


def true_labels(train, test, row, scores):
    """Return where scores (C,) rank a test document's labels: columns label, training (documents), rank (from 1).

    Ties keep the labels' order.
    """
    labels = test.labels[row].indices
    rank = np.argsort(np.argsort(-scores, kind="stable")) + 1
    names = np.array(test.label_names, object)[labels]
    training = train.label_frequencies[labels]
    return pd.DataFrame({"label": names, "training": training, "rank": rank[labels]})


def top_ten(train, test, row, scores, n=10):
    """Return the n labels with the highest scores (C,) for a test document; ties keep the labels' order.

    Columns: place (from 1), label (name), score, true, training (documents).
    """
    order = np.argsort(-scores, kind="stable")[:n]
    known = {"true": test.labels[row].toarray().ravel()[order], "training": train.label_frequencies[order]}
    names = np.array(test.label_names, object)[order]
    return pd.DataFrame({"place": range(1, order.size + 1), "label": names, "score": scores[order]} | known)


def ranks(train, test, rows, scores, rare=5, n=10):
    """Return where scores (len(rows), C) rank the true labels of each of these documents.

    Columns: document (row of the test documents), rare_rank (of the rare label, from 1; ties keep the labels' order),
    rare_found (whether it is among the first n), frequent_found (share of the other true labels there, missing
    without any), rare_listed (how many of the first n labels have at most ``rare`` training documents).
    """
    frequency, true = train.label_frequencies, test.labels[rows].toarray()
    is_rare = (frequency > 0) & (frequency <= rare)
    order = np.argsort(-scores, axis=1, kind="stable")
    rank = np.argsort(order, axis=1) + 1
    others, rarest = true & ~is_rare, rank[true & is_rare]
    table = pd.DataFrame({"document": rows, "rare_rank": rarest, "rare_found": rarest <= n})
    table["frequent_found"] = pd.Series((others & (rank <= n)).sum(axis=1)) / others.sum(axis=1)
    return table.assign(rare_listed=is_rare[order[:, :n]].sum(axis=1))
