"""How far scores mean what they say: probabilities beside what holds, and what the chains' spread tells of errors."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special, stats
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from polytopic import metrics
from polytopic.study import bins, store
from polytopic.study.rubin2012 import systems

SHARE, BY_HAND, CALIBRATED = "share of the document", "by hand", "calibrated"
KINDS = (SHARE, BY_HAND, CALIBRATED)
FEW = 30  # pairs, fewer than which say little of a bin
SIGNALS = {"disagreement": "the chains' disagreement", "rhat": "R-hat", "score": "the highest score"}


class Said(NamedTuple):
    """What models say of n test documents and the C labels with a training document."""

    truth: np.ndarray  # (n, C) bool
    frequency: np.ndarray  # (C,) training documents of each label
    n_training: int  # training documents
    probabilities: dict  # (model, kind): (n, C) float64 in [0, 1]


class Drawn(NamedTuple):
    """Scores of single samples for n test documents and the C labels with a training document."""

    draws: np.ndarray  # (chains, samples, n, C) float64
    n_sets: int  # sets of topics, which the chains are dealt over in turn
    truth: np.ndarray  # (n, C) bool
    frequency: np.ndarray  # (C,) training documents of each label
    words: np.ndarray  # (n,) tokens of each document


def probabilities(corpus, models, split=0, scale="quick", seed=0):
    """Return what models, by display name, say of the test documents: Said.

    Kinds: SHARE, a topic model's score as it is, the label's share of the document's label tokens; BY_HAND, that
    times the mean number of labels of a training document, at most 1, or a margin's logistic function; CALIBRATED, by
    ``HybridClassifier``, which learns from folds of the training documents. A hybrid is calibrated only, and a margin
    is no share.
    """
    train, test = corpus.split(split)
    frequency = train.labels.getnnz(axis=0)
    seen = np.flatnonzero(frequency)
    cardinality = train.labels.nnz / train.n_documents
    said = {}
    for name in models:
        is_hybrid = len(systems.SYSTEMS[name].parents) > 1
        how = {"memory": store.memory(), "verbose": 0}
        asked = name if is_hybrid else f"Calibrated {name}"
        model = systems.build(asked, corpus.name, train, scale, seed, **how)
        model.fit(train.counts, train.labels)
        scores = [parent.decision_function(test.counts) for parent in model.parents_]
        raw = scores[0][:, seen]
        if not is_hybrid and model.shares_[0]:
            said[name, SHARE] = raw
            said[name, BY_HAND] = np.minimum(raw * cardinality, 1)
        elif not is_hybrid:
            said[name, BY_HAND] = special.expit(raw)
        said[name, CALIBRATED] = special.expit(model.combine(scores)[:, seen])
    return Said(test.labels[:, seen].toarray(), frequency[seen], train.n_documents, said)


def curves(said, n_bins=10):
    """Return how often a label is there that a model says is there with some probability.

    Columns: model, kind, said (mean probability of a bin's pairs of document and label), found (share of them that
    hold), pairs, out of n_bins even bins, empty ones left out. In the order of KINDS.
    """
    rows = []
    for kind in KINDS:
        for (name, own), probability in said.probabilities.items():
            if own == kind:
                rows += [(name, kind, *one) for one in _bins(said.truth.ravel(), probability.ravel(), n_bins)]
    return pd.DataFrame(rows, columns=["model", "kind", "said", "found", "pairs"])


def _bins(truth, said, n_bins):
    """Return (mean probability, share that holds, pairs) of each even bin that is not empty."""
    found, mean = calibration_curve(truth, said, n_bins=n_bins)
    number = np.bincount(np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], said), minlength=n_bins)
    return zip(mean, found, number[number > 0].tolist(), strict=True)


def errors(said, n_bins=10):
    """Return how far what is said is from what holds: columns model, kind, ece, worst, brier, skill.

    ece: "expected calibration error", the mean distance between said and found of ``curves`` over the pairs, and
    worst the largest of a bin of 30 pairs or more. brier: mean squared error of the probabilities. skill: how much
    less that is, as a share, than by the labels' shares of the training documents, which know nothing of a document:
    1 is perfect, 0 no better, and below is worse.
    """
    plain = np.broadcast_to(said.frequency / said.n_training, said.truth.shape)
    baseline = brier_score_loss(said.truth.ravel(), plain.ravel())
    table = curves(said, n_bins).assign(distance=lambda rows: (rows["said"] - rows["found"]).abs())
    rows = []
    for (name, kind), block in table.groupby(["model", "kind"], sort=False):
        brier = brier_score_loss(said.truth.ravel(), said.probabilities[name, kind].ravel())
        ece = (block["distance"] * block["pairs"]).sum() / block["pairs"].sum()
        worst = block.loc[block["pairs"] >= FEW, "distance"].max()
        rows.append((name, kind, ece, worst, brier, 1 - brier / baseline))
    return pd.DataFrame(rows, columns=["model", "kind", "ece", "worst", "brier", "skill"])


def by_frequency(said, n_bins=5):
    """Return what is said and found of labels in bins of their training frequency, as ``bins.quintiles`` has them.

    Columns: model, kind, bin (from 1), low and high (the bin's range of frequencies), labels, said and found (means
    over the bin's pairs), times (said over found, infinite where none holds).
    """
    ends = bins.bin_ends(said.frequency, n_bins)
    place = np.searchsorted(ends, said.frequency)
    rows = []
    for (name, kind), probability in said.probabilities.items():
        for k in range(ends.size):
            own = place == k
            mean, found = probability[:, own].mean(), said.truth[:, own].mean()
            reach = said.frequency[own].min(), said.frequency[own].max()
            times = mean / found if found else np.inf
            rows.append((name, kind, k + 1, *reach, int(own.sum()), mean, found, times))
    columns = ["model", "kind", "bin", "low", "high", "labels", "said", "found", "times"]
    return pd.DataFrame(rows, columns=columns)


def frequency_table(table, kind=CALIBRATED):
    """Return ``times`` of ``by_frequency`` of one kind: rows bins by their range, columns models."""
    kept = table[table["kind"] == kind]
    low, high = kept["low"].map("{:g}".format), kept["high"].map("{:g}".format)
    named = kept.assign(training=low.where(low == high, low + "–" + high))
    by = ["bin", "training", "labels"]
    wide = named.pivot(index=by, columns="model", values="times")
    return wide[list(dict.fromkeys(kept["model"]))].rename_axis(columns=None)


def sampled(corpus, n_documents=200, n_samples=12, split=0, scale="quick", seed=0):
    """Return what single samples of Dependency-LDA's chains score: Drawn, of the first test documents.

    Documents without a label that training has are left out.
    """
    train, test = corpus.split(split)
    how = {"memory": store.memory(), "verbose": 0}
    model = systems.build("Dependency-LDA", corpus.name, train, scale, seed, **how)
    model.set_params(n_samples=n_samples).fit(train.counts, train.labels)
    seen = model.seen_labels_
    rows = np.flatnonzero(test.labels[:, seen].getnnz(axis=1))[:n_documents]
    draws = model.sample_scores(test.counts[rows])[..., seen]
    n_sets = min(model.n_topic_chains, model.n_test_chains)
    words = np.asarray(test.counts[rows].sum(axis=1)).ravel()
    frequency = train.labels.getnnz(axis=0)[seen]
    return Drawn(draws, n_sets, test.labels[rows][:, seen].toarray(), frequency, words)


def spread(drawn, most=10):
    """Return what the chains say of the ``most`` highest labels of each document.

    Columns: document, rank, label, frequency, score, true, sd (of a sample's score), rhat, ess, error (sd over the
    root of ess: the score's standard error), relative (that over the score), and topics, the standard deviation of
    the mean scores of the sets of topics. rhat and ess are of all chains and samples.
    """
    draws = drawn.draws
    score, sd = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    sets = [draws[k :: drawn.n_sets].mean(axis=(0, 1)) for k in range(drawn.n_sets)]
    order = np.argsort(-score, axis=1, kind="stable")[:, :most]
    at = np.repeat(np.arange(order.shape[0]), order.shape[1]), order.ravel()
    table = pd.DataFrame(
        {
            "document": at[0],
            "rank": np.tile(np.arange(1, order.shape[1] + 1), order.shape[0]),
            "label": at[1],
            "frequency": drawn.frequency[at[1]],
            "score": score[at],
            "true": drawn.truth[at],
            "sd": sd[at],
            "rhat": metrics.split_rhat(draws[:, :, at[0], at[1]]),
            "ess": metrics.effective_sample_size(draws[:, :, at[0], at[1]]),
            "topics": np.std(sets, axis=0)[at],
        }
    )
    error = table["sd"] / np.sqrt(table["ess"])
    return table.assign(error=error, relative=error / table["score"])


def spread_by(spread, column, n_bins=5):
    """Return how ``spread`` goes with a column, "score" or "frequency": a row for each bin of about as many pairs.

    Columns: low and high (of the column), pairs, rhat, ess and relative (medians), above (share of the pairs with an
    R-hat above 1.1). Equal values are never parted.
    """
    place = np.searchsorted(bins.bin_ends(spread[column], n_bins), spread[column])
    by = spread.assign(above=spread["rhat"] > 1.1).groupby(place)
    table = by[["rhat", "ess", "relative"]].median().assign(above=by["above"].mean())
    ends = by[column].agg(low="min", high="max", pairs="size")
    return ends.join(table).reset_index(drop=True)


def documents(drawn, most=10):
    """Return how sure the chains are of each document, and how well it is predicted.

    Columns: document, words, labels, score (the highest), rhat (median over the ``most`` highest labels),
    disagreement (mean over the chains of the total variation between a chain's mean score and that of all),
    average_precision (of the mean score).
    """
    by_chain = drawn.draws.mean(axis=1)
    score = by_chain.mean(axis=0)
    pairs = spread(drawn, most)
    precision = metrics.ranking_per_item(drawn.truth, score, "document")["average_precision"]
    return pd.DataFrame(
        {
            "document": np.arange(score.shape[0]),
            "words": drawn.words,
            "labels": drawn.truth.sum(axis=1),
            "score": score.max(axis=1),
            "rhat": pairs.groupby("document")["rhat"].median().to_numpy(),
            "disagreement": (np.abs(by_chain - score).sum(axis=2) / 2).mean(axis=0),
            "average_precision": precision,
        }
    )


def associations(documents):
    """Return how what is known of a document beforehand goes with how well it is predicted: a row per SIGNALS.

    Columns: signal, documents, rho and p (Spearman's, with average precision), the same with the document's words and
    labels held fixed (rho_size, p_size), and with the highest score held fixed as well (rho_score, p_score; missing
    for the score itself). Held fixed is by linear regression between ranks.
    """
    quality, size = documents["average_precision"], ["words", "labels"]
    rows = []
    for signal in SIGNALS:
        whole = _partial(documents[signal], quality, documents[[]])
        by_size = _partial(documents[signal], quality, documents[size])
        rest = documents[[*size, "score"]]
        by_score = _partial(documents[signal], quality, rest) if signal != "score" else (np.nan, np.nan)
        rows.append((signal, len(documents), *whole, *by_size, *by_score))
    columns = ["signal", "documents", "rho", "p", "rho_size", "p_size", "rho_score", "p_score"]
    return pd.DataFrame(rows, columns=columns)


def _partial(x, y, held):
    """Return the rank correlation of x and y with the columns of held fixed, and its two-sided p."""
    ranks = [stats.rankdata(one) for one in (x, y)]
    design = np.column_stack([np.ones(len(x)), *(stats.rankdata(held[name]) for name in held)])
    left = [one - design @ np.linalg.lstsq(design, one, rcond=None)[0] for one in ranks]
    rho = left[0] @ left[1] / np.sqrt((left[0] @ left[0]) * (left[1] @ left[1]))
    freedom = len(x) - 1 - design.shape[1]
    return rho, 2 * stats.t.sf(abs(rho) * np.sqrt(freedom / max(1 - rho**2, 1e-15)), freedom)


def by_thirds(documents, signal="disagreement"):
    """Return how documents fare in thirds of a signal: three rows.

    Columns: documents, words, labels, score, disagreement and rhat (medians), average_precision (mean).
    """
    third = pd.qcut(documents[signal].rank(method="first"), 3, labels=["least", "middle", "most"])
    by = documents.groupby(third, observed=True)
    table = by[["words", "labels", "score", "disagreement", "rhat"]].median()
    table.insert(0, "documents", by.size())
    return table.assign(average_precision=by["average_precision"].mean()).rename_axis(index=signal)
