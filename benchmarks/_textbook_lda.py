"""LDA as a textbook has it: every topic's weight for every token, dense float64 tables, running totals.

The twin that the samplers of ``kernels.lda_dense`` and ``lda_tree`` are timed against (Griffiths
& Steyvers 2004).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import generator


class State(NamedTuple):
    """Assignments and the counts they imply."""

    z: np.ndarray  # (N,) in document order
    n_dt: np.ndarray  # (D, T)
    n_wt: np.ndarray  # (W, T)
    n_t: np.ndarray  # (T,)


def init(tokens, z, n_topics):
    """Return the State implied by assignments z (N,) to tokens in document order."""
    docs = np.repeat(np.arange(tokens.ptr.size - 1), np.diff(tokens.ptr))
    n_dt, n_wt = np.zeros((tokens.ptr.size - 1, n_topics)), np.zeros((tokens.n_items, n_topics))
    np.add.at(n_dt, (docs, z), 1)
    np.add.at(n_wt, (tokens.items, z), 1)
    return State(z.astype(np.int64), n_dt, n_wt, n_wt.sum(axis=0))


@njit(cache=True, nogil=True)
def sweep(ptr, items, z, n_dt, n_wt, n_t, alpha, beta, random, cumulative):
    """Resample every token once, in order; alpha per topic and beta per item, cumulative (T,) scratch."""
    n_topics, smooth = n_t.size, beta * n_wt.shape[0]
    for d in range(ptr.size - 1):
        for i in range(ptr[d], ptr[d + 1]):
            w, t = items[i], z[i]
            n_dt[d, t] -= 1.0
            n_wt[w, t] -= 1.0
            n_t[t] -= 1.0
            total = 0.0
            for k in range(n_topics):
                total += (n_wt[w, k] + beta) / (n_t[k] + smooth) * (n_dt[d, k] + alpha)
                cumulative[k] = total
            x = generator.uniform(random) * total
            t = 0
            while t < n_topics - 1 and cumulative[t] <= x:
                t += 1
            z[i] = t
            n_dt[d, t] += 1.0
            n_wt[w, t] += 1.0
            n_t[t] += 1.0
