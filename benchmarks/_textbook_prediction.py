"""Prediction with phi fixed as a textbook has it: one loop over all labels for every token, float64, dense tables.

The twin that the samplers of ``kernels.prediction`` and ``kernels.sparse_prediction`` are timed against. It draws
from the same distribution (Rubin et al. 2012, Eq. 8, 10, 12), one chain at a time.
"""

import numpy as np
from numba import njit

from polytopic.kernels import generator

WARM_UP = 2  # sweeps before the alternation with the topics starts


@njit(cache=True, nogil=True)
def predict(ptr, words, phi, phi_topics, alpha, eta, gamma, n_sweeps, random, label_tokens):
    """Sample every document by n_sweeps sweeps and WARM_UP before; add the last state to label_tokens (D, C).

    phi (W, C) and phi_topics (C, T), float64; T = 1 stands for a prior that stays as it is. alpha (C,) is the fixed
    part of the prior, eta the weight of theta' phi', gamma per topic. random is a one-lane generator.
    """
    n_labels, n_topics = phi_topics.shape
    prior, cumulative, by_topic = np.empty(n_labels), np.empty(n_labels), np.empty(n_topics)
    for d in range(ptr.size - 1):
        own = words[ptr[d] : ptr[d + 1]]
        z, z_topic = np.empty(own.size, np.int64), np.zeros(own.size, np.int64)
        n_c, n_t = np.zeros(n_labels), np.zeros(n_topics)
        for i in range(own.size):
            z[i] = int(generator.uniform(random) * n_labels)
            z_topic[i] = int(generator.uniform(random) * n_topics)
            n_c[z[i]] += 1.0
            n_t[z_topic[i]] += 1.0
        _set_prior(own.size, phi_topics, n_t, alpha, eta, gamma, prior)
        for sweep in range(WARM_UP + n_sweeps):
            if n_topics > 1 and sweep >= WARM_UP:
                _sweep_topics(z, z_topic, n_t, phi_topics, gamma, random, by_topic)
                _set_prior(own.size, phi_topics, n_t, alpha, eta, gamma, prior)
            _sweep_labels(own, z, n_c, phi, prior, random, cumulative)
        for i in range(own.size):
            label_tokens[d, z[i]] += 1


@njit(cache=True, nogil=True)
def _sweep_labels(words, z, n_c, phi, prior, random, cumulative):
    for i in range(words.size):
        n_c[z[i]] -= 1.0
        total = 0.0
        for c in range(prior.size):
            total += phi[words[i], c] * (n_c[c] + prior[c])
            cumulative[c] = total
        z[i] = _drawn(cumulative, total, random)
        n_c[z[i]] += 1.0


@njit(cache=True, nogil=True)
def _sweep_topics(z, z_topic, n_t, phi_topics, gamma, random, cumulative):
    for i in range(z.size):
        n_t[z_topic[i]] -= 1.0
        total = 0.0
        for t in range(n_t.size):
            total += phi_topics[z[i], t] * (n_t[t] + gamma)
            cumulative[t] = total
        z_topic[i] = _drawn(cumulative, total, random)
        n_t[z_topic[i]] += 1.0


@njit(cache=True, nogil=True)
def _set_prior(n_tokens, phi_topics, n_t, alpha, eta, gamma, prior):
    for c in range(prior.size):
        share = 0.0
        for t in range(n_t.size):
            share += phi_topics[c, t] * (n_t[t] + gamma)
        prior[c] = alpha[c] + eta * share / (n_tokens + n_t.size * gamma)


@njit(cache=True, nogil=True)
def _drawn(cumulative, total, random):
    k = np.searchsorted(cumulative, generator.uniform(random) * total, side="right")
    return min(k, cumulative.size - 1)
