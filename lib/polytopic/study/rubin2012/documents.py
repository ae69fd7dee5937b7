"""What the models predict for single documents, and where they rank the rare label (Rubin et al. 2012, 3.6)."""

import numpy as np
import pandas as pd

from polytopic.study import store
from polytopic.study.rubin2012 import systems
from polytopic.study.rubin2012.descriptions import labels_and_words, sign_test
from polytopic.study.store import experiment
from polytopic.study.stored import Kept
from polytopic.validation import check_name

QUICK = ("Dependency-LDA", "Prior-LDA", "Flat-LDA", "Vanilla SVM")  # a tuned SVM takes minutes
PAIRS = (
    ("Dependency-LDA", "Prior-LDA"),
    ("Dependency-LDA", "Flat-LDA"),
    ("Prior-LDA", "Flat-LDA"),
    ("Dependency-LDA", "Tuned SVM"),
    ("Dependency-LDA", "Vanilla SVM"),
    ("Tuned SVM", "Vanilla SVM"),
)
TEN = ["model", "place", "label", "score", "true", "training"]  # what a list of ten consists of
TOP = 10  # labels of a list
NEAR = 4  # labels of the document to show, as in the paper's figure


SCALES = systems.scales(split=range(1), model=list(systems.PAPER_FIVE), rare=5, frequent=100, at_least=3)
SCALES["quick"]["model"] = list(QUICK)


@experiment("rubin2012", SCALES)
def documents(corpus, *, split, model, chains, rare, frequent, at_least, seed):
    """Train one system on a split, and rank the labels of the documents of ``chosen``.

    Rows are ``ranks``; the table "top_ten" is that of the document of ``shown``, whose row and true labels are notes.
    Raises ValueError as ``chosen``.
    """
    check_name("model", model, systems.SYSTEMS)
    train, test = corpus.split(split)
    rows = chosen(train, test, rare, frequent, at_least)
    how = {"memory": store.memory(), "verbose": 1}
    estimator = systems.build(model, corpus.name, train, chains, seed, **how)
    scores = estimator.fit(train.counts, train.labels).decision_function(test.counts[rows])
    document = shown(test, rows)
    labels, _ = labels_and_words(train, test, rows[document])
    notes = {"document": int(rows[document]), "labels": labels.to_dict("list")}
    ten = top_ten(train, test, rows[document], scores[document])
    return Kept(ranks(train, test, rows, scores, rare), {"top_ten": ten}, notes=notes)


def chosen(train, test, rare=5, frequent=100, at_least=3):
    """Return the test documents (rows) that are like the paper's example, those with most words first.

    Of a document's labels, ``at_least`` or more, one is rare, with 1 to ``rare`` training documents, and all
    others are frequent, with ``frequent`` or more. Nothing is predicted to choose them. Ties keep the
    documents' order. Raises ValueError when there is none, naming what to change.
    """
    frequency, labels = train.label_frequencies, test.labels.astype(np.int64)
    n_rare = labels @ ((frequency > 0) & (frequency <= rare)).astype(int)
    n_frequent = labels @ (frequency >= frequent).astype(int)
    sizes = np.diff(labels.indptr)
    found = np.flatnonzero((n_rare == 1) & (n_frequent == sizes - 1) & (sizes >= at_least))
    if not found.size:
        raise ValueError(
            f"no test document of {test.name} has one rare label and only frequent ones beside it: choose other "
            "bounds, rare and frequent, or another split"
        )
    lengths = np.asarray(test.counts[found].sum(axis=1)).ravel()
    return found[np.argsort(-lengths, kind="stable")]


def shown(test, rows, n_labels=NEAR):
    """Return the place in ``rows`` of the document to show: the longest with so many labels.

    If none has as many, it is the longest of those whose number is nearest, the smaller number first.
    """
    sizes = np.diff(test.labels[rows].indptr)
    return int(np.lexsort((sizes, np.abs(sizes - n_labels)))[0])


def shown_document(corpus, split=0, rare=5, frequent=100):
    """Return ``descriptions.labels_and_words`` of the document of ``shown``. Raises ValueError as ``chosen``."""
    train, test = corpus.split(split)
    rows = chosen(train, test, rare, frequent)
    return labels_and_words(train, test, rows[shown(test, rows)])


def top_ten(train, test, row, scores, n=TOP):
    """Return the n labels with the highest scores (C,) for a test document; ties keep the labels' order.

    Columns: place (from 1), label (name), score, true, training (documents).
    """
    order = np.argsort(-scores, kind="stable")[:n]
    return pd.DataFrame(
        {
            "place": np.arange(1, order.size + 1),
            "label": [test.label_names[c] for c in order],
            "score": scores[order].astype(float),
            "true": test.labels[row].toarray().ravel()[order],
            "training": train.label_frequencies[order].astype(int),
        }
    )


def ranks(train, test, rows, scores, rare=5, n=TOP):
    """Return where scores (len(rows), C) rank the true labels of each chosen document.

    Columns: document (row of the test documents), rare_rank (of the rare label, from 1; ties keep the
    labels' order), rare_found (whether it is among the first n), frequent_found (share of the other true
    labels there, missing without any), rare_listed (how many of the first n labels have at most ``rare``
    training documents).
    """
    frequency, found = train.label_frequencies, []
    is_rare = (frequency > 0) & (frequency <= rare)
    for document, row in zip(rows, scores, strict=True):
        labels = test.labels[document].indices
        order = np.argsort(-row, kind="stable")
        rank = np.argsort(order) + 1
        rarest, others = rank[labels[is_rare[labels]][0]], rank[labels[~is_rare[labels]]]
        share = float((others <= n).mean()) if others.size else np.nan
        found.append((int(document), int(rarest), bool(rarest <= n), share, int(is_rare[order[:n]].sum())))
    columns = ["document", "rare_rank", "rare_found", "frequent_found", "rare_listed"]
    return pd.DataFrame(found, columns=columns)


def summary(ranked):
    """Return the means of ``documents`` over the documents, a row per model, and the rare label's median rank."""
    means = {name: (name, "mean") for name in ("rare_found", "frequent_found", "rare_listed")}
    by_model = ranked.groupby("model", sort=False)
    return by_model.agg(
        median_rare_rank=("rare_rank", "median"), **means, documents=("rare_rank", "size")
    ).reset_index()


def compared(ranked, pairs=PAIRS):
    """Return in how many documents one model ranks the rare label above, level with and below another.

    Columns: first, second, documents, above, level, below, p (two-sided sign test over the documents that
    differ; 1 if none does). Pairs that lack a model are left out.
    """
    wide = ranked.pivot(index="document", columns="model", values="rare_rank")
    rows = []
    for first, second in pairs:
        if {first, second} <= set(wide.columns):
            gains = (wide[second] - wide[first]).dropna()
            rows.append((first, second, len(gains), *sign_test(gains)))
    return pd.DataFrame(rows, columns=["first", "second", "documents", "above", "level", "below", "p"])
