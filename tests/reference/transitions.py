"""Fast inference in Dependency-LDA as a transition matrix, and the distribution that it leaves unchanged.

Its two halves are conditional distributions of two different models (``reference.geweke``), so no joint distribution
says where their alternation ends: the matrix of a whole sweep does. Every state of one small document is listed, and
the sweep is the product of its steps in the order of the kernels: topics token by token given the labels (Rubin et
al. 2012, Eq. 10), theta' and alpha' from the new topics (Eq. 7, 12), labels token by token given alpha' (Eq. 8).
"""

import itertools
from collections import Counter

import numpy as np


def fast_inference(words, phi, phi_topics, eta, alpha, gamma, by_label=False):
    """Return (states, matrix) of one sweep over a document: states list (labels, topics) of its tokens.

    phi (C, W), phi' (T, C); eta, alpha per label and gamma per topic are numbers. matrix (S, S), rows to 1. by_label:
    topics are drawn for the tokens of one label after those of another, as the sparse sampler does.
    """
    n_topics, n_labels = phi_topics.shape
    labels, topics = assignments(n_labels, len(words)), assignments(n_topics, len(words))
    matrix = np.zeros((len(labels), len(topics), len(labels), len(topics)))
    resample_labels = {}
    for row, z_topic in enumerate(topics):
        n_t = np.bincount(z_topic, minlength=n_topics)
        if tuple(n_t) not in resample_labels:
            theta = (n_t + gamma) / (len(words) + n_topics * gamma)
            prior = eta * theta @ phi_topics + alpha
            resample_labels[tuple(n_t)] = sweep(words, phi, prior)
        matrix[:, :, :, row] = resample_labels[tuple(n_t)][:, None, :]
    for row, z in enumerate(labels):
        order = sorted(range(len(z)), key=lambda i: z.index(z[i])) if by_label else range(len(z))
        matrix[row] *= sweep(z, phi_topics, np.full(n_topics, gamma), order)[:, None, :]
    states = list(itertools.product(labels, topics))
    return states, matrix.reshape(len(states), len(states))


def sweep(items, phi, alpha, order=None):
    """Return the matrix of resampling all tokens once, in order: p(k) is phi_ki (n_k + alpha_k)."""
    n = len(alpha)
    states = assignments(n, len(items))
    place = {state: row for row, state in enumerate(states)}
    matrix = np.eye(len(states))
    for i in range(len(items)) if order is None else order:
        step = np.zeros_like(matrix)
        for row, state in enumerate(states):
            others = np.bincount(state[:i] + state[i + 1 :], minlength=n)
            weights = phi[:, items[i]] * (others + alpha)
            for k in range(n):
                step[row, place[(*state[:i], k, *state[i + 1 :])]] = weights[k] / weights.sum()
        matrix = matrix @ step
    return matrix


def assignments(n, n_tokens):
    """Return every assignment of the tokens to one of n."""
    return list(itertools.product(range(n), repeat=n_tokens))


def stationary(matrix):
    """Return the distribution (S,) that a transition matrix leaves unchanged: any row, after enough steps."""
    while np.ptp(matrix, axis=0).max() > 1e-14:
        matrix = matrix @ matrix
        matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix[0]


def memory(matrix, n_steps):
    """Return the total variation from the stationary distribution after n_steps from the worst start."""
    reached = np.linalg.matrix_power(matrix, n_steps)
    return np.abs(reached - stationary(matrix)).sum(axis=1).max() / 2


def both_counts(states, probabilities, n_labels, n_topics):
    """Return {(tokens on each label..., tokens on each topic...): probability}."""
    total = Counter()
    for (z, z_topic), p in zip(states, probabilities, strict=True):
        counts = *np.bincount(z, minlength=n_labels), *np.bincount(z_topic, minlength=n_topics)
        total[tuple(map(int, counts))] += p
    return dict(total)
