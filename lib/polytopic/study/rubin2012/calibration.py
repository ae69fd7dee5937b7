"""How far scores mean what they say: probabilities beside what holds, and what the chains' spread tells of errors."""

import numpy as np
import pandas as pd
from scipy import special
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from polytopic import metrics
from polytopic.study import bins
from polytopic.study.rubin2012 import systems
from polytopic.study.store import Result, experiment

SHARE, BY_HAND, CALIBRATED = "share of the document", "rule of thumb", "calibrated"
FEW = 30  # pairs, fewer than which say little of a bin

SCALES = systems.scales(split=range(1), model=[*systems.PAPER_FIVE, "Hybrid"])


@experiment("rubin2012", SCALES, corpora=())
def calibration(corpus, *, split, model, chains, seed):
    """Train one system on a split, and set the probabilities that it gives beside what holds on the rest.

    Rows are ``curve`` of each kind of ``probabilities``, in the column kind; the tables "errors" and "by_frequency"
    are of the functions so named. Only labels with a training document count.
    """
    train, test = corpus.split(split)
    seen = np.flatnonzero(train.label_frequencies)
    frequency, truth = train.label_frequencies[seen], test.labels[:, seen].toarray()
    said = probabilities(model, corpus.name, train, test, chains, seed)

    def of_each(judge, *known):
        found = [judge(truth, own[:, seen], *known).assign(kind=kind) for kind, own in said.items()]
        return pd.concat(found, ignore_index=True)

    share, by_bin = frequency / train.n_documents, of_each(by_frequency, frequency)
    return Result(of_each(curve), {"errors": of_each(errors, share), "by_frequency": by_bin})


def probabilities(name, corpus_name, train, test, scale="quick", seed=0):
    """Return what a model, by display name, says of the test documents: {kind: (D, C) float64 in [0, 1]}.

    Kinds: SHARE, a topic model's score as it is, the label's share of the document's tokens; BY_HAND, that times the
    mean number of labels of a training document, at most 1, or a margin's logistic function; CALIBRATED, by
    ``HybridClassifier`` from folds of the training documents. A hybrid has the last only, and a margin no SHARE.
    """
    is_hybrid = len(systems.SYSTEMS[name].parents) > 1
    asked = name if is_hybrid else f"Calibrated {name}"
    model = systems.build(asked, corpus_name, train, scale, seed)
    parents = model.fit(train.counts, train.labels).parents_
    scores = [parent.decision_function(test.counts) for parent in parents]
    said = {CALIBRATED: model.probabilities(model.combine(scores))}
    if is_hybrid:
        return said
    if not model.shares_[0]:
        return {BY_HAND: special.expit(scores[0])} | said
    cardinality = train.labels.nnz / train.n_documents
    return {SHARE: scores[0], BY_HAND: np.minimum(scores[0] * cardinality, 1)} | said


def curve(truth, said, n_bins=10):
    """Return how often a label is there that a model says is there with some probability.

    truth (D, C) bool, said (D, C) in [0, 1]. Columns: said (mean probability of a bin's pairs of document and label),
    found (share of them that hold), pairs, out of n_bins even bins, empty ones left out.
    """
    found, mean = calibration_curve(truth.ravel(), said.ravel(), n_bins=n_bins)
    ends = np.linspace(0, 1, n_bins + 1)[1:-1]
    pairs = np.bincount(np.searchsorted(ends, said.ravel()), minlength=n_bins)
    return pd.DataFrame({"said": mean, "found": found, "pairs": pairs[pairs > 0]})


def errors(truth, said, share, n_bins=10):
    """Return how far what is said is from what holds: a row with the columns ece, worst, brier, skill.

    ece: "expected calibration error", the mean distance between said and found of ``curve`` over the pairs, and
    worst the largest of a bin of FEW pairs or more. brier: mean squared error of the probabilities. skill: the share
    by which that is less than of ``share`` (C,), the labels' shares of the training documents: 1 is perfect.
    """
    table = curve(truth, said, n_bins)
    distance = (table["said"] - table["found"]).abs()
    ours, plain = (
        brier_score_loss(truth.ravel(), np.broadcast_to(one, truth.shape).ravel()) for one in (said, share)
    )
    ece, worst = np.average(distance, weights=table["pairs"]), distance[table["pairs"] >= FEW].max()
    return pd.DataFrame({"ece": [ece], "worst": worst, "brier": ours, "skill": 1 - ours / plain})


def by_frequency(truth, said, frequency, n_bins=5):
    """Return what is said and found of labels in bins of their frequency (C,), by ``bins.by_bin``.

    Columns: bin, low, high, labels, said and found (means over the bin's pairs of document and label), times (said
    over found, infinite where none holds).
    """
    means = {"said": said.mean(axis=0), "found": truth.mean(axis=0)}
    labels = pd.DataFrame({"frequency": frequency} | means)
    table = bins.by_bin(labels, "frequency", n_bins, said="mean", found="mean")
    return table.assign(times=table["said"] / table["found"])


@experiment("rubin2012", systems.scales(split=range(1), n_documents=200, n_samples=12), corpora=())
def spread_of_chains(corpus, *, split, chains, n_documents, n_samples, seed):
    """Score the first test documents with single samples of Dependency-LDA's chains.

    Rows are ``spread``, the table "documents" is of the function so named. Only documents with a label in training.
    """
    train, test = corpus.split(split)
    model = systems.build("Dependency-LDA", corpus.name, train, chains, seed)
    model.set_params(n_samples=n_samples).fit(train.counts, train.labels)
    seen = model.seen_labels_
    rows = np.flatnonzero(test.labels[:, seen].getnnz(axis=1))[:n_documents]
    draws, truth = model.sample_scores(test.counts[rows])[..., seen], test.labels[rows][:, seen].toarray()
    n_sets = min(model.n_topic_chains, model.n_test_chains)
    table = spread(draws, truth, train.label_frequencies[seen], n_sets)
    return Result(table, {"documents": documents(draws, truth, test.counts[rows].sum(axis=1), table)})


def spread(draws, truth, frequency, n_sets=1, most=10):
    """Return what the chains say of the ``most`` highest labels of each document.

    draws (chains, samples, n, C) are the scores of single samples, truth is (n, C) bool, frequency (C,) the labels'
    training documents, and n_sets the number of sets of topics, which the chains are dealt over in turn. Columns:
    document, rank, label, frequency, score, true, sd (of a sample's score), rhat, ess (of all chains and samples),
    topics (sd of the mean scores of the sets of topics), error (sd over the root of ess), relative (to the score).
    """
    score = draws.mean(axis=(0, 1))
    sets = [draws[k::n_sets].mean(axis=(0, 1)) for k in range(n_sets)]
    label = np.argsort(-score, axis=1, kind="stable")[:, :most]
    document, place = np.indices(label.shape).reshape(2, -1)
    at = document, label.ravel()
    samples, sd = draws[:, :, *at], draws.std(axis=(0, 1))[at]
    rhat, ess = metrics.split_rhat(samples), metrics.effective_sample_size(samples)
    table = {"document": document, "rank": place + 1, "label": at[1], "frequency": frequency[at[1]]}
    table |= {"score": score[at], "true": truth[at], "sd": sd, "rhat": rhat, "ess": ess}
    table = pd.DataFrame(table | {"topics": np.std(sets, axis=0)[at]})
    error = table["sd"] / np.sqrt(table["ess"])
    return table.assign(error=error, relative=error / table["score"])


def documents(draws, truth, words, pairs):
    """Return how sure the chains are of each document, and how well it is predicted.

    draws and truth are those of ``spread``, pairs is what it returns; words (n,) are the documents' tokens. Columns:
    document, words, labels, score (the highest), rhat (median over the pairs), disagreement (mean over the chains of
    the total variation between a chain's mean score and that of all), average_precision (of the mean score).
    """
    by_chain = draws.mean(axis=1)
    score = by_chain.mean(axis=0)
    rhat = pairs.groupby("document")["rhat"].median().to_numpy()
    distance = (np.abs(by_chain - score).sum(axis=2) / 2).mean(axis=0)
    precision = metrics.ranking_per_item(truth, score, "document")["average_precision"]
    table = {"document": range(len(score)), "words": np.ravel(words), "labels": truth.sum(axis=1)}
    table |= {"score": score.max(axis=1), "rhat": rhat, "disagreement": distance}
    return pd.DataFrame(table | {"average_precision": precision})
