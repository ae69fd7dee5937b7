"""Why a topic model ranks rare labels worse than a linear model, and what it has instead: causes, one at a time.

Everything is judged on training documents of the corpus, in folds: no test document is looked at.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import KFold

from polytopic import metrics
from polytopic.metrics.rank_measures import kept_measures
from polytopic.models import BinaryRelevanceRidge, BinaryRelevanceSVM, DependencyLDA
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.study.store import Result, experiment
from polytopic.study.today.comparison import FEW, MEAN_FIELD, SAMPLED, TOPICS

N_FOLDS = 3
MOST_PLACES = 3  # of a document's labels, the first of which are looked at one by one
SMOOTHING = 1.0  # of naive Bayes
BASE, LINEAR, BAYES = "mean field, power .7", "TF-IDF SVM, cost 1", "naive Bayes, each label against the rest"
STACKED = "TF-IDF SVM, then ridge on its scores"


class Change(NamedTuple):
    """What differs from BASE: settings of the model, or what is done with its scores (n, C) afterwards.

    asks is the question that the change puts. scored takes the scores and the documents' lengths (n, 1).
    """

    asks: str
    settings: dict = {}
    scored: Callable | None = None


CHANGES = {
    BASE: Change("the base of all others"),
    "sampling": Change("are sixteen short chains the cause?", SAMPLED | {"inference": "fast", "n_test_chains": 16}),
    "four times the chains": Change("too few of them?", SAMPLED | {"inference": "fast", "n_test_chains": 64}),
    "power 1": Change("do words count as independent witnesses, which they are not?", {"word_power": 1.0}),
    "power .5": Change("and with less weight still?", {"word_power": 0.5}),
    "ten passes": Change("does mean field stop too early?", {"n_passes": 10}),
    "a tenth of the words' prior": Change(
        "does smoothing drown a rare label's words?", {"beta_w": DependencyLDA().beta_w / 10}
    ),
    "a fifth of the words shared": Change(
        "do other labels take a label's words in its own documents?", {"word_sharing": 0.2}
    ),
    "all words shared": Change("and with no competition for words in training at all?", {"word_sharing": 1.0}),
    "expected tokens, not shares": Change(
        "is a share of a document the wrong thing to compare documents by?",
        scored=lambda scores, lengths: scores * lengths,
    ),
}  # fmt: skip
QUESTIONS = {name: change.asks for name, change in CHANGES.items()} | {
    BAYES: "what do log odds of a label bring, word by word?",
    LINEAR: "the linear model to explain",
    STACKED: "does a linear model that sees the other labels' scores have what topic models have?",
}
VARIANTS = [*QUESTIONS]
SHARED = "a fifth of the words shared"
QUICK = [BASE, "sampling", "power 1", SHARED, "all words shared", BAYES, LINEAR, STACKED]
SCALES = {
    "quick": {"fold": range(1), "variant": QUICK, "documents": 300},
    "paper": {"fold": range(N_FOLDS), "variant": VARIANTS, "documents": None},
}
CORPORA = "debtags", "bibtex", "delicious", "stackex-cooking", "yahoo_health_rubin"


@experiment("today", SCALES, corpora=CORPORA, name="rare-labels")
def rare_labels(corpus, *, fold, variant, documents, seed):
    """Train one variant on two thirds of the training documents of split 0, and rank the rest.

    Rows: pivot, measure, value. The table "labels" has label, train_frequency and average_precision; "kept" what the
    labels kept of their documents' words in training, in expectation: label, train_frequency, tokens (a document),
    even (as many as an even share would be); "places" the median rank of a document's first labels, over documents
    with three or more: place, rank.
    """
    train, _ = corpus.split(0)
    train = train.select(np.arange(min(documents or train.n_documents, train.n_documents)))
    folds = list(KFold(N_FOLDS, shuffle=True, random_state=seed).split(train.counts))
    fitted, others = (train.select(rows) for rows in folds[fold])
    X, Y = fitted.counts, fitted.labels
    tables = {}
    if variant == LINEAR:
        model = BinaryRelevanceSVM(normalize="tfidf", random_state=seed).fit(X, Y)
        scores = model.decision_function(others.counts)
    elif variant == STACKED:
        scores = _stacked(X, Y, others.counts, seed)
    elif variant == BAYES:
        scores = _log_odds(X, Y, others.counts)
    else:
        change = CHANGES[variant]
        prior = priors_by_rule(X, Y)[DependencyLDA]
        model = DependencyLDA(**prior, **FEW, **TOPICS, random_state=seed)
        model.set_params(**MEAN_FIELD | {"word_power": 0.7} | change.settings).fit(X, Y)
        tables["kept"] = _kept(model, X, Y)
        scores = model.decision_function(others.counts)
        if change.scored:
            scores = change.scored(scores, others.counts.sum(axis=1).A1[:, None])
    seen = np.flatnonzero(fitted.label_frequencies)
    truth, scores = others.labels[:, seen], scores[:, seen]
    rows = []
    for pivot in metrics.PIVOTS:
        found = metrics.ranking(truth, scores, pivot)
        rows += [(pivot, name, found[name]) for name in ("average_precision", "auc_roc", "one_error")]
    tables["labels"] = _by_label(truth, scores, seen, fitted.label_frequencies[seen])
    tables["places"] = _places(truth, scores)
    return Result(pd.DataFrame(rows, columns=["pivot", "measure", "value"]), tables)


def _log_odds(X, Y, others):
    """Return the log odds (n, C) of labels by naive Bayes over words: a label's documents against all others."""
    of_label = (Y.T.astype(float) @ X).toarray() + SMOOTHING
    rest = X.sum(axis=0).A1 - of_label + 2 * SMOOTHING
    ratio = np.log(of_label / of_label.sum(axis=1, keepdims=True))
    ratio -= np.log(rest / rest.sum(axis=1, keepdims=True))
    share = (Y.getnnz(axis=0) + 0.5) / (Y.shape[0] + 1)
    return others @ ratio.T + np.log(share / (1 - share))


def _stacked(X, Y, others, seed):
    """Return the scores (n, C) of a ridge regression on a linear model's scores of all labels.

    It learns from scores outside of training, in three folds: Godbole & Sarawagi (PAKDD 2004), section 2.
    """
    linear = BinaryRelevanceSVM(normalize="tfidf", random_state=seed)
    outside = np.empty(Y.shape)
    for rest, own in KFold(N_FOLDS, shuffle=True, random_state=seed).split(X):
        outside[own] = clone(linear).fit(X[rest], Y[rest]).decision_function(X[own])
    second = BinaryRelevanceRidge(normalize=None).fit(outside, Y)
    return second.decision_function(linear.fit(X, Y).decision_function(others))


def _kept(model, X, Y):
    seen = np.flatnonzero(Y.getnnz(axis=0))
    frequency = Y.getnnz(axis=0)[seen]
    lengths, sizes = X.sum(axis=1).A1, np.maximum(Y.getnnz(axis=1), 1)
    even = (Y[:, seen].T.astype(float) @ (lengths / sizes)) / frequency
    chains = model.n_chains
    tokens = model.label_word_counts_.sum(axis=1).A1 / chains / frequency
    return pd.DataFrame({"label": seen, "train_frequency": frequency, "tokens": tokens, "even": even})


def _by_label(truth, scores, seen, frequency):
    ranked = metrics.rank_positives(truth, scores, "label")
    rows = pd.DataFrame({"label": seen, "train_frequency": frequency})[ranked.kept].reset_index(drop=True)
    return rows.assign(average_precision=kept_measures(ranked)["average_precision"])


def _places(truth, scores):
    ranked = metrics.rank_positives(truth, scores)
    many = np.flatnonzero(ranked.n_positive >= MOST_PLACES)
    rows = [
        (place + 1, float(np.median(ranked.ranks[ranked.ptr[many] + place]))) for place in range(MOST_PLACES)
    ]
    return pd.DataFrame(rows if len(many) else [], columns=["place", "rank"])
