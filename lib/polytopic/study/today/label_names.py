"""What the names of labels bring, to topic models, linear models, their hybrid and a program of others."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from polytopic import metrics
from polytopic.models import BinaryRelevanceSVM, DependencyLDA, HybridClassifier, with_names
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.models.selection import hold_out
from polytopic.streams import stream
from polytopic.study.corpora import halves
from polytopic.study.store import Result, experiment
from polytopic.study.today.comparison import FEW, LINEAR_MODELS, MEAN_FIELD, TOPICS
from polytopic.study.today.peers import Omikuji

WITHOUT, NAMES, SHUFFLED = "without", "names", "shuffled"  # names given to labels, each its own or another's
WEIGHTS = (1.0, 4.0, 16.0)  # of a name's words in phi's prior, from which training documents choose
MOST_HELD_OUT = 1000
K = 10
BINS = ((0, 0), (1, 2), (3, 5), (6, 15), (16, 50), (51, None))  # training documents of a label
OF_DOCUMENTS = ["AP", "P@5", "recall@10"]
OF_LABELS = ["AP", "recall@10"]


def _topic_model(train, names, seed):
    prior = priors_by_rule(train.counts, train.labels)[DependencyLDA]
    model = DependencyLDA(**prior, **FEW, **TOPICS, **MEAN_FIELD, random_state=seed)
    if not names.nnz:
        return model.fit(train.counts, train.labels)
    rows = np.arange(train.n_documents)
    rest, own = hold_out(rows, min(MOST_HELD_OUT, rows.size // 5), stream(seed, "names", "held out"))
    tried = [clone(model).set_params(label_words=weight * names) for weight in WEIGHTS]
    found = [_reached(one.fit(train.counts[rest], train.labels[rest]), train.select(own)) for one in tried]
    return tried[int(np.argmax(found))].fit(train.counts, train.labels)


def _reached(model, corpus):
    scores = model.decision_function(corpus.counts)
    return sum(metrics.ranking(corpus.labels, scores, pivot)["average_precision"] for pivot in metrics.PIVOTS)


def _linear(train, names, seed):
    model = BinaryRelevanceSVM(**LINEAR_MODELS, random_state=seed)
    return model.fit(*with_names(train.counts, train.labels, names))


def _hybrid(train, names, seed):
    return HybridClassifier(label_names=names, random_state=seed).fit(train.counts, train.labels)


def _omikuji(train, names, seed):
    return Omikuji().fit(*with_names(train.counts, train.labels, names))


SYSTEMS = {
    "Dependency-LDA": _topic_model,
    "TF-IDF SVM, cost 1": _linear,
    "Default hybrid": _hybrid,
    "Omikuji, Parabel": _omikuji,
}
SCALES = {
    "quick": {
        "split": range(1), "system": ["Dependency-LDA", "TF-IDF SVM, cost 1"], "names": [WITHOUT, NAMES],
        "documents": 500,
    },
    "paper": {
        "split": range(1), "system": list(SYSTEMS), "names": [WITHOUT, NAMES, SHUFFLED], "documents": None,
    },
}  # fmt: skip
CORPORA = (
    *("debtags", "stackex-cooking", "stackex-cs", "stackex-chemistry"),
    *("bills-109", "eurlex57k", "tibkat-en"),
)


@experiment("today", SCALES, corpora=CORPORA)
def label_names(corpus, *, split, system, names, documents, seed):
    """Train one system on one side of a split, with names of labels or without, and rank the labels of the other.

    Rows: pivot, measure, value. A label that the system has not met, in a document or by a name, comes last. The
    arrays have what each item reaches, NaN where it has no positive: "documents" (D, 3) OF_DOCUMENTS, "labels" (C, 2)
    OF_LABELS: average precision, and the share of its documents that have the label among their first ten;
    "frequency" (C,), the label's training documents.
    """
    train, test = halves(corpus, split, documents, seed)
    table = train.name_counts()
    if names == SHUFFLED:
        table = table[stream(seed, "names", "shuffled").permutation(train.n_labels)]
    elif names == WITHOUT:
        table = sparse.csr_matrix(table.shape, dtype=table.dtype)
    model = SYSTEMS[system](train, table, seed)
    scores = np.asarray(model.decision_function(test.counts), dtype=float)
    met = (train.label_frequencies > 0) | (table.getnnz(axis=1) > 0)
    scores[:, ~met] = scores.min() - 1
    arrays = measured(test.labels, scores) | {"frequency": train.label_frequencies.astype(np.int32)}
    rows = [
        (pivot, name, np.nanmean(arrays[f"{pivot}s"][:, k]))
        for pivot, of in (("document", OF_DOCUMENTS), ("label", OF_LABELS))
        for k, name in enumerate(of)
    ]
    weight = 0.0 if getattr(model, "label_words", None) is None else model.label_words.max() / table.max()
    notes = {"weight": float(weight), "documents": {"train": train.n_documents, "test": test.n_documents}}
    return Result(pd.DataFrame(rows, columns=["pivot", "measure", "value"]), arrays=arrays, notes=notes)


def measured(truth, scores):
    """Return {"documents": (D, 3), "labels": (C, 2)} float32, as ``label_names`` says, for truth (D, C) CSR."""
    ranked = metrics.rank_positives(truth, scores)
    sizes, first = truth.getnnz(axis=1), np.flatnonzero(ranked.ranks <= K)
    rows = np.repeat(np.arange(sizes.size), sizes)
    among = np.bincount(rows[ranked.ranks <= 5], minlength=sizes.size) / 5
    recalled = np.bincount(rows[first], minlength=sizes.size) / np.where(sizes, sizes, np.nan)
    precision = metrics.ranking_per_item(truth, scores)["average_precision"]
    of_documents = precision, np.where(sizes, among, np.nan), recalled
    n, by_label = truth.getnnz(axis=0), metrics.ranking_per_item(truth, scores, "label")["average_precision"]
    found = np.bincount(ranked.entries[first], minlength=n.size) / np.where(n, n, np.nan)
    return {
        "documents": np.stack(of_documents, axis=1).astype(np.float32),
        "labels": np.stack([by_label, found], axis=1).astype(np.float32),
    }


def interval(gains, seed=0, n=1000):
    """Return the mean of paired gains (N,), NaN left out, and its 95 % interval by n resamples of the items."""
    gains = gains[~np.isnan(gains)]
    if not gains.size:
        return np.nan, np.nan, np.nan
    rng = stream(seed, "names", "interval")
    means = [gains[rng.integers(0, gains.size, gains.size)].mean() for _ in range(n)]
    return gains.mean(), *np.percentile(means, [2.5, 97.5])
