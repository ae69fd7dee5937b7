"""Topics over tokens: collapsed Gibbs sampling of LDA (Griffiths & Steyvers 2004; Rubin et al. 2012, Eq. 5)."""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import generator


class Tokens(NamedTuple):
    """Tokens in document order; those of document d are items[ptr[d]:ptr[d + 1]]."""

    ptr: np.ndarray  # (D + 1,)
    items: np.ndarray  # (N,)  label (or word) of each token
    n_items: int  # C (or W)


class State(NamedTuple):
    """Assignments and the counts they imply. Kernels change it in place."""

    z: np.ndarray  # (N,)    topic of each token
    n_dt: np.ndarray  # (D, T)  tokens of each document on each topic
    n_ct: np.ndarray  # (C, T)  tokens of each label on each topic
    n_t: np.ndarray  # (T,)    tokens of each topic


def init(tokens, z, n_topics):
    """Return the State implied by assignments z (N,)."""
    docs = np.repeat(np.arange(tokens.ptr.size - 1), np.diff(tokens.ptr))
    n_dt = np.zeros((tokens.ptr.size - 1, n_topics))
    n_ct = np.zeros((tokens.n_items, n_topics))
    np.add.at(n_dt, (docs, z), 1)
    np.add.at(n_ct, (tokens.items, z), 1)
    return State(z.astype(np.int32), n_dt, n_ct, n_ct.sum(axis=0))


@njit(cache=True, nogil=True)
def start(z, n_topics, random):
    """Put every token on a topic drawn uniformly."""
    for i in range(z.size):
        z[i] = int(generator.uniform(random) * n_topics)


@njit(cache=True, nogil=True)
def sweep(tokens, state, gamma, beta, random, cumulative):
    """Resample every token once, in order; gamma is per topic and beta per label. cumulative (T,) is scratch."""
    n_topics = state.n_t.size
    for d in range(tokens.ptr.size - 1):
        for i in range(tokens.ptr[d], tokens.ptr[d + 1]):
            c = tokens.items[i]
            _move(state, d, c, state.z[i], -1.0)
            total = 0.0
            for t in range(n_topics):
                label = (state.n_ct[c, t] + beta) / (state.n_t[t] + beta * tokens.n_items)
                total += label * (state.n_dt[d, t] + gamma)
                cumulative[t] = total
            k = np.searchsorted(cumulative, generator.uniform(random) * total, side="right")
            state.z[i] = min(k, n_topics - 1)
            _move(state, d, c, state.z[i], 1.0)


@njit(cache=True, nogil=True)
def _move(state, d, c, t, step):
    state.n_dt[d, t] += step
    state.n_ct[c, t] += step
    state.n_t[t] += step
