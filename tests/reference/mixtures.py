"""Ueda & Saito's equations as they are printed, over documents x words x labels x labels: slow and obvious."""

import itertools

import numpy as np


def mixing(Y):
    """Return h (D, C): equal parts of a document's labels."""
    Y = np.asarray(Y, float)
    return Y / Y.sum(axis=1, keepdims=True)


def pair_words(theta, alpha):
    """Return theta_lm (C, C, W), Eq. 4."""
    return alpha[:, :, None] * theta[:, None, :] + alpha.T[:, :, None] * theta[None, :, :]


def log_likelihood(X, Y, theta, alpha=None):
    """Return log P(x | y) of each document without its coefficient: Eq. 7 without alpha, Eq. 8 with it."""
    h = mixing(Y)
    phi = h @ theta if alpha is None else np.einsum("dl,dm,lmw->dw", h, h, pair_words(theta, alpha))
    return (X * np.log(phi)).sum(axis=1)


def objective(X, Y, theta, xi, alpha=None, zeta=None):
    """Return J, Eq. 6."""
    value = log_likelihood(X, Y, theta, alpha).sum() + (xi - 1) * np.log(theta).sum()
    return value if alpha is None else value + (zeta - 1) * np.log(alpha).sum()


def step_first_order(X, Y, theta, xi):
    """Return theta after one step, Eq. 18 and 21."""
    h = mixing(Y)
    mixed = h[:, :, None] * theta
    g = mixed / mixed.sum(axis=1, keepdims=True)
    counts = np.einsum("dw,dlw->lw", X, g) + xi - 1
    return counts / counts.sum(axis=1, keepdims=True)


def step_second_order(X, Y, theta, alpha, xi, zeta):
    """Return theta and alpha after one step, Eq. 9, 10, 16 and 17."""
    h = mixing(Y)
    theta_lm = pair_words(theta, alpha)
    weighted = h[:, :, None, None] * h[:, None, :, None] * theta_lm
    g = weighted / weighted.sum(axis=(1, 2), keepdims=True)
    part = alpha[:, :, None] * theta[:, None, :] / theta_lm
    both = np.einsum("dw,dlmw->lmw", X, g)
    counts = 2 * (both * part).sum(axis=1) + xi - 1
    alpha = ((both * part).sum(axis=2) + (zeta - 1) / 2) / (both.sum(axis=2) + zeta - 1)
    return counts / counts.sum(axis=1, keepdims=True), alpha


def every_set(n_labels):
    """Return all non-empty label sets, (2^C - 1, C) bool."""
    sets = np.array(list(itertools.product([False, True], repeat=n_labels)))
    return sets[sets.any(axis=1)]


def best_sets(X, theta, alpha=None):
    """Return the likeliest label set of each document (D, C) and its log-likelihood, by trying all."""
    sets = every_set(len(theta))
    scores = np.stack([log_likelihood(X, np.tile(one, (len(X), 1)), theta, alpha) for one in sets], axis=1)
    return sets[scores.argmax(axis=1)], scores.max(axis=1)


def greedy_sets(X, theta, alpha=None):
    """Return the greedy label set of each document (D, C), section 3.3, each candidate computed anew."""
    found = np.zeros((len(X), len(theta)), bool)
    for d, x in enumerate(X):
        best = -np.inf
        while not found[d].all():
            larger = [found[d] | (np.arange(len(theta)) == c) for c in np.flatnonzero(~found[d])]
            scores = [log_likelihood(x[None], one[None], theta, alpha)[0] for one in larger]
            if max(scores) <= best:
                break
            best = max(scores)
            found[d] = larger[int(np.argmax(scores))]
    return found


def label_scores(X, theta, alpha=None):
    """Return log-likelihood ratios of labels per word (D, C), from all sets one change away from the greedy one."""
    n_labels = len(theta)
    scores = np.zeros((len(X), n_labels))
    for d, start in enumerate(greedy_sets(X, theta, alpha)):
        seen = {tuple(start)}
        for a in range(n_labels):
            one = start.copy()
            one[a] = ~one[a]
            seen.add(tuple(one))
            for b in range(n_labels):
                if start[a] and not start[b]:
                    swapped = start.copy()
                    swapped[[a, b]] = swapped[[b, a]]
                    seen.add(tuple(swapped))
        here = log_likelihood(X[[d]], start[None], theta, alpha)[0]
        for c in range(n_labels):
            others = [one for one in seen if one[c] != start[c] and any(one)]
            best = max(log_likelihood(X[[d]], np.array([one]), theta, alpha)[0] for one in others)
            scores[d, c] = (here - best if start[c] else best - here) / X[d].sum()
    return scores
