"""LDA by plain collapsed Gibbs sampling, for few topics: all of them are weighed, sixteen at a time.

Topic t lies on lane t mod 16. Each lane adds up its own topics, a draw picks a lane and then a topic of that lane,
and no sum is ever taken across all topics one by one. Documents follow one another, and only the present one's row
of counts is alive; the table of items by topics is dense.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, topics, weighing
from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, as_floats, load, padded, running, spread, store

ORDER = topics.ByDocument


class State(NamedTuple):
    """Assignments and the counts they imply. Kernels change it in place; P is T, padded to LANES."""

    z: np.ndarray  # (N,) uint16  topic of each token
    n_wt: np.ndarray  # (W, P) int32  tokens of each item on each topic
    n_t: np.ndarray  # (T,) int64  tokens of each topic


class Workspace(NamedTuple):
    """Scratch of a sweep, all zeros between documents but for ``weight``."""

    n_dt: np.ndarray  # (T,) int32  the present document's tokens on each topic
    weight: np.ndarray  # (P,) float32  (n_dt + alpha_t) / (n_t + W beta)
    cumulative: np.ndarray  # (P / LANES, LANES) float32


def init(tokens, z, n_topics):
    """Return the State implied by assignments z (N,)."""
    n_wt = np.zeros((tokens.n_items, padded(n_topics)), np.int32)
    np.add.at(n_wt, (tokens.items, z), 1)
    return State(z.astype(np.uint16), n_wt, n_wt.sum(axis=0, dtype=np.int64)[:n_topics])


def workspace(tokens, alpha):
    """Return the scratch that sweeps need."""
    size = padded(alpha.size)
    return Workspace(
        np.zeros(alpha.size, np.int32),
        np.zeros(size, np.float32),
        np.zeros((size // LANES, LANES), np.float32),
    )


@compiled
def sweep(tokens, state, alpha, beta, random, work):
    """Resample every token once, document by document; alpha (T,) is per topic, beta per item."""
    smooth = beta * tokens.n_items
    for t in range(state.n_t.size):
        _weigh_topic(t, state, alpha, smooth, work)
    for d in range(tokens.ptr.size - 1):
        first, last = tokens.ptr[d], tokens.ptr[d + 1]
        for i in range(first, last):
            t = np.int64(state.z[i])
            work.n_dt[t] += 1
            _weigh_topic(t, state, alpha, smooth, work)
        for i in range(first, last):
            w = tokens.items[i]
            _move(w, np.int64(state.z[i]), -1, state, alpha, smooth, work)
            t = _draw(w, beta, state, random, work)
            _move(w, t, 1, state, alpha, smooth, work)
            state.z[i] = t
        for i in range(first, last):
            t = np.int64(state.z[i])
            work.n_dt[t] -= 1
            _weigh_topic(t, state, alpha, smooth, work)


@inlined
def _draw(w, beta, state, random, work):
    counts, total = state.n_wt[w], spread(np.float32(0))
    n_blocks = work.cumulative.shape[0]
    for block in range(n_blocks):
        first = block * LANES
        total = total + (as_floats(load(counts, first)) + np.float32(beta)) * load(work.weight, first)
        store(work.cumulative, block, total)
    before = running(total)
    x = generator.fine_uniform(random) * weighing.whole(before)
    t = weighing.choose_by_sums(x, work.cumulative, n_blocks - 1, before)
    if t >= state.n_t.size:  # rounding has led behind the lane's last topic
        t = max(t - LANES, 0)
    return t


@inlined
def _move(w, t, step, state, alpha, smooth, work):
    state.n_wt[w, t] += step
    state.n_t[t] += step
    work.n_dt[t] += step
    _weigh_topic(t, state, alpha, smooth, work)


@inlined
def _weigh_topic(t, state, alpha, smooth, work):
    work.weight[t] = (work.n_dt[t] + alpha[t]) / (state.n_t[t] + smooth)
