"""What the names of labels bring, to topic models, linear models, their hybrid and a program of others."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from polytopic import metrics
from polytopic.corpus import name_counts
from polytopic.models import BinaryRelevanceSVM, DependencyLDA, HybridClassifier, PriorLDA, with_names
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.models.selection import hold_out
from polytopic.streams import stream
from polytopic.study.corpora import halves
from polytopic.study.store import Result, experiment
from polytopic.study.today.comparison import FEW, LINEAR_MODELS, MEAN_FIELD, TOPICS
from polytopic.study.today.peers import Omikuji

WITHOUT, NAMES, SHUFFLED = "without", "names", "shuffled"  # names given to labels, each its own or another's
WEIGHTS = (4.0, 16.0, 64.0)  # of a name's words in phi's prior, from which training documents choose
MOST_HELD_OUT = 1000
K = 10
BINS = ((0, 0), (1, 2), (3, 5), (6, 15), (16, 50), (51, np.inf))  # training documents of a label


def _topic_model(kind, train, names, seed):
    prior = priors_by_rule(train.counts, train.labels)[kind]
    topics = TOPICS if kind is DependencyLDA else {}
    model = kind(**prior, **FEW, **topics, **MEAN_FIELD, random_state=seed)
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
    "Prior-LDA": partial(_topic_model, PriorLDA),
    "Dependency-LDA": partial(_topic_model, DependencyLDA),
    "TF-IDF SVM, cost 1": _linear,
    "Default hybrid": _hybrid,
    "Omikuji, Parabel": _omikuji,
}
ALL = (WITHOUT, NAMES, SHUFFLED)
SCALES = {
    "quick": {
        "split": range(1), "system": ["Prior-LDA", "Dependency-LDA", "TF-IDF SVM, cost 1"], "names": ALL,
        "documents": 500,
    },
    "paper": {"split": range(1), "system": list(SYSTEMS), "names": ALL, "documents": None},
}  # fmt: skip
CORPORA = (
    *("debtags", "stackex-cooking", "stackex-cs", "stackex-chemistry"),
    *("bills-109", "eurlex57k", "tibkat-en"),
)


@experiment("today", SCALES, corpora=CORPORA)
def label_names(corpus, *, split, system, names, documents, seed):
    """Train one system on one side of a split, without names of labels and with them, and rank those of the other.

    Rows: names, pivot, group (of labels by their training documents, and all), measure, n (documents or labels with a
    positive), value, gain over WITHOUT, and its 95 % interval, low and high. A label that the system has not met, in
    a document or by a name, comes last.
    """
    train, test = halves(corpus, split, documents, seed)
    own = name_counts(train.label_names, train.vocabulary)
    order = stream(seed, "names", "shuffled").permutation(train.n_labels)
    tables = {WITHOUT: sparse.csr_matrix(own.shape, dtype=own.dtype), NAMES: own, SHUFFLED: own[order]}
    groups, reached, notes = _groups(train.label_frequencies), {}, {}
    for name in names:
        model = SYSTEMS[system](train, tables[name], seed)
        scores = np.asarray(model.decision_function(test.counts), dtype=float)
        met = (train.label_frequencies > 0) | (tables[name].getnnz(axis=1) > 0)
        scores[:, ~met] = scores.min() - 1
        reached[name] = measured(test.labels, scores)
        given = getattr(model, "label_words", None)
        notes[name] = 0.0 if given is None else float(given.max() / own.max())
    rows = []
    for name, found in reached.items():
        for (pivot, measure), values in found.items():
            gains = values - reached[WITHOUT][pivot, measure]
            for group, places in groups.items() if pivot == "label" else [("all", slice(None))]:
                kept = values[places][~np.isnan(values[places])]
                mean = kept.mean() if kept.size else np.nan
                rows.append((name, pivot, group, measure, kept.size, mean, *interval(gains[places], seed)))
    columns = ["names", "pivot", "group", "measure", "n", "value", "gain", "low", "high"]
    notes = {"weights": notes, "documents": {"train": train.n_documents, "test": test.n_documents}}
    return Result(pd.DataFrame(rows, columns=columns), notes=notes)


def _groups(frequencies):
    """Return {name: places of the labels}, all of them and by BINS of their training documents."""
    found = {"all": np.arange(frequencies.size)}
    for low, high in BINS:
        name = f"{low}+" if high == np.inf else f"{low}–{high}" if low < high else f"{low}"
        found[name] = np.flatnonzero((frequencies >= low) & (frequencies <= high))
    return found


def measured(truth, scores):
    """Return what each document (D,) and each label (C,) of truth (D, C) CSR reaches, by pivot and measure.

    Recall of a label is the share of its documents that have it among their first ten. NaN without a positive.
    """
    ranked, (n_documents, n_labels) = metrics.rank_positives(truth, scores), truth.shape
    rows = np.repeat(np.arange(n_documents), ranked.n_positive)
    first, five = ranked.ranks <= K, ranked.ranks <= 5
    sizes, often = (np.where(n, n, np.nan) for n in (ranked.n_positive, truth.getnnz(axis=0)))
    precision = np.bincount(rows[five], minlength=n_documents) / 5
    return {
        ("document", "AP"): metrics.ranking_per_item(truth, scores)["average_precision"],
        ("document", "P@5"): np.where(np.isnan(sizes), np.nan, precision),
        ("document", "recall@10"): np.bincount(rows[first], minlength=n_documents) / sizes,
        ("label", "AP"): metrics.ranking_per_item(truth, scores, "label")["average_precision"],
        ("label", "recall@10"): np.bincount(ranked.entries[first], minlength=n_labels) / often,
    }


def interval(gains, seed, n=1000):
    """Return the mean of paired gains (N,), NaN left out, and its 95 % interval by n resamples of the items."""
    gains = gains[~np.isnan(gains)]
    if not gains.size:
        return np.nan, np.nan, np.nan
    rng = stream(seed, "names", "interval")
    means = [gains[rng.integers(0, gains.size, gains.size)].mean() for _ in range(n)]
    return gains.mean(), *np.percentile(means, [2.5, 97.5])
