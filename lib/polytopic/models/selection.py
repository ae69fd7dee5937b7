"""Choices on documents outside of training: hold-outs, the best of several settings, weights of several models."""

import numpy as np
from sklearn.model_selection import KFold

from polytopic import metrics

N_FOLDS = 3

SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)  # of the weights so far, that a step may add to one model's
MOST_STEPS = 8
LEAST_GAIN = 0.0005  # of a step, in the figure that counts
SHORT = 4.0  # how often what a sum lacks counts again


def hold_out(documents, n, rng):
    """Return (training documents, held-out documents) in ascending order: n of them are held out at random."""
    order = rng.permutation(documents)
    return np.sort(order[n:]), np.sort(order[:n])


def choose(candidates, score, features, labels, seed):
    """Return the candidate whose scores have the best average precision outside of training; of several the first.

    That is the mean of those by document and by label, over three folds of documents. score(features, labels,
    others) yields the scores of others (n, C) by each candidate trained on features and labels. A label without a
    document on both sides of a fold does not count there. Raises ValueError where that leaves none.
    """
    candidates = list(candidates)
    if len(candidates) == 1:
        return candidates[0]
    total, is_used = np.zeros(len(candidates)), False
    folds = KFold(N_FOLDS, shuffle=True, random_state=seed % 2**32)
    for rest, own in folds.split(features) if features.shape[0] >= N_FOLDS else ():
        seen = np.flatnonzero(labels[rest].getnnz(axis=0))
        truth = labels[own][:, seen]
        if truth.nnz:
            scores = score(features[rest], labels[rest][:, seen], features[own])
            total += [sum(_precisions(truth, of_one)) for of_one in scores]
            is_used = True
    if not is_used:
        raise ValueError(
            "no label has documents in two folds: give one value instead of several to choose from"
        )
    return candidates[int(np.argmax(total))]


def chosen_weights(folds):
    """Return the weights (M,) of M models' scores whose weighted sum ranks best, and the figure that it reaches.

    folds holds pairs of truth (n, C) bool and scores, a list of M arrays (n, C). What counts is average precision by
    document plus average precision by label, both averaged over the folds; what one of the two lacks to the best
    single model's is taken off four times more, so that none is bought with the other. The search begins with the
    best model alone. Each step adds to one model's weight that share of all weights, of five, which helps most; the
    search ends when no step gains .0005, or after eight. Scores are taken in units of their deviation in the folds.
    Folds without a positive are left out; where all are, the last model has all the weight and the figure is NaN.

    Caruana, Niculescu-Mizil, Crew & Ksikes (2004), section 2, without bags, and with steps of several sizes.
    """
    n_models = len(folds[0][1])
    folds = [(truth, scores) for truth, scores in folds if np.any(truth)]
    if not folds:
        return np.eye(n_models)[-1], np.nan
    units = np.array([np.mean([scores[k].std() for _, scores in folds]) for k in range(n_models)])
    units[units == 0] = np.inf

    def precisions(weights):
        sums = ((truth, weighted(scores, weights / units)) for truth, scores in folds)
        return np.mean([_precisions(truth, summed) for truth, summed in sums], axis=0)

    alone = np.array([precisions(one) for one in np.eye(n_models)])

    def counted(precision):
        return precision.sum() + SHORT * np.minimum(precision - alone.max(axis=0), 0).sum()

    of_models = [counted(one) for one in alone]
    best, weights = max(of_models), np.eye(n_models)[int(np.argmax(of_models))]
    for _ in range(MOST_STEPS):
        steps = [weights + share * weights.sum() * own for own in np.eye(n_models) for share in SHARES]
        figures = [counted(precisions(step)) for step in steps]
        if max(figures) < best + LEAST_GAIN:
            break
        best = max(figures)
        weights = steps[figures.index(best)]
    return weights / weights.sum() / units, best


def weighted(scores, weights):
    """Return the sum of the scores, each times its weight; those of weight 0 are not read."""
    pairs = zip(weights, scores, strict=True)
    return sum((weight * one for weight, one in pairs if weight), np.zeros_like(scores[-1], dtype=float))


def _precisions(truth, scores):
    return [metrics.ranking(truth, scores, pivot)["average_precision"] for pivot in metrics.PIVOTS]
