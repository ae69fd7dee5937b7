"""LDA by plain collapsed Gibbs sampling in sixteen chains side by side, for few topics: all of them are weighed.

Chain l lies on lane l (see ``simd``). Tokens are visited item by item, so that all chains share what they read of
the corpus, and only the present item's row of counts is alive, rebuilt from the assignments. Per token q_t, which is
(n_wt + beta) / (n_t + W beta), is renewed for the topics that it leaves and joins, and (n_dt + alpha_t) q_t is added
up within blocks of sixteen topics. A first random number picks the block and a second one the topic within it, so a
topic's probability is wrong by some 2**-24 at most. A lane's draws depend on no other lane.

Memory: for sixteen chains 16 bytes a token, twice that above 256 topics, and 16 bytes for each document and topic,
twice that where some document has more than 255 tokens.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, topics
from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.rows import everywhere, pick_at, put_at
from polytopic.kernels.simd import (
    LANES,
    aligned_zeros,
    as_floats,
    lane_of,
    load,
    prefetch,
    spread,
    store,
    where,
)

ORDER = topics.ByItem
BLOCK = 16


class State(NamedTuple):
    """Assignments and the counts they imply, for every lane. Kernels change it in place."""

    z: np.ndarray  # (N, LANES)  topic of each token, in as few bytes as do
    n_dt: np.ndarray  # (D T, LANES)  tokens of each document on each topic, likewise
    n_t: np.ndarray  # (T, LANES) int32  tokens of each topic


class Workspace(NamedTuple):
    """Scratch of a sweep."""

    n_wt: np.ndarray  # (T, LANES) int32  the present item's tokens on each topic
    q: np.ndarray  # (T, LANES) float32
    alpha: np.ndarray  # (T,) float32
    within: np.ndarray  # (blocks BLOCK, LANES) float32  weights, added up within each block
    blocks: np.ndarray  # (blocks, LANES) float32  the same by blocks, added up over all


@compiled
def start(z, n_topics, random):
    """Put every token on a topic drawn uniformly, in every lane; z (N, LANES), random a generator's state."""
    for i in range(z.shape[0]):
        u = generator.uniforms(random)
        for lane in range(LANES):
            z[i, lane] = int(lane_of(u, lane) * n_topics)


def init(tokens, z, n_topics):
    """Return the State implied by topics z (N, LANES), tokens in order of items."""
    lengths = np.diff(tokens.doc_ptr)
    z = z.astype(np.min_scalar_type(n_topics - 1), order="C")
    n_dt = aligned_zeros((lengths.size * n_topics, LANES), np.min_scalar_type(int(lengths.max(initial=0))))
    n_t = aligned_zeros((n_topics, LANES), np.int32)
    _count(tokens, z, n_dt, n_t)
    return State(z, n_dt, n_t)


@allocating
def _count(tokens, z, n_dt, n_t):
    for i in range(z.shape[0]):
        for lane in range(LANES):
            n_dt[tokens.docs[i] * n_t.shape[0] + z[i, lane], lane] += 1
            n_t[z[i, lane], lane] += 1


def topics_of(state):
    """Return the topics of all tokens, (N, LANES), as ``init`` takes them."""
    return state.z


def workspace(tokens, alpha):
    """Return the scratch that sweeps need; alpha (T,)."""
    n_blocks = -(-alpha.size // BLOCK)
    return Workspace(
        aligned_zeros((alpha.size, LANES), np.int32),
        aligned_zeros((alpha.size, LANES)),
        alpha.astype(np.float32),
        aligned_zeros((n_blocks * BLOCK, LANES)),
        aligned_zeros((n_blocks, LANES)),
    )


@compiled
def sweep(tokens, state, alpha, beta, random, work):
    """Resample every token once, item by item, in every lane.

    alpha (T,) is that of the workspace, beta per item; random is a generator's state, (4, LANES).
    """
    smooth, beta = np.float32(beta * (tokens.item_ptr.size - 1)), np.float32(beta)
    for w in range(tokens.item_ptr.size - 1):
        first, last = tokens.item_ptr[w], tokens.item_ptr[w + 1]
        if first < last:
            _raise_item(first, last, state, beta, smooth, work)
        for i in range(first, last):
            soon = tokens.docs[min(i + 1, tokens.docs.size - 1)] * alpha.size
            _resample(i, tokens.docs[i] * alpha.size, soon, state, beta, smooth, random, work)


@compiled
def _raise_item(first, last, state, beta, smooth, work):
    """Count the item's tokens, first to last, and weigh every topic for it."""
    work.n_wt[:] = 0
    for i in range(first, last):
        for lane in range(LANES):
            work.n_wt[state.z[i, lane], lane] += 1
    for t in range(work.n_wt.shape[0]):
        store(work.q, t, (as_floats(load(work.n_wt, t)) + beta) / (as_floats(load(state.n_t, t)) + smooth))


@compiled
def _resample(i, row, soon, state, beta, smooth, random, work):
    """Draw the topics of token i, whose document's counts start at the row, those of the next one's at ``soon``."""
    _move(load(state.z, i), -1, row, state, beta, smooth, work)
    mass = _weigh(row, soon, state, work)
    target = generator.uniforms(random) * mass
    t = spread(np.int32(0))
    for block in range(work.blocks.shape[0] - 1):
        t = t + (load(work.blocks, block) <= target)
    t = _find(t << 4, generator.uniforms(random), work)
    last = spread(np.int32(work.q.shape[0] - 1))
    t = where(t <= last, t, last)  # rounding can lead behind the last topic
    store(state.z, i, t)
    _move(t, 1, row, state, beta, smooth, work)


@inlined
def _weigh(row, soon, state, work):
    """Weigh all topics; return the sum of all.

    The counts of the next token's document are fetched meanwhile, row by row: all at once they would wait in a queue.
    """
    n_topics = work.q.shape[0]
    n_whole, mass = n_topics // BLOCK, spread(np.float32(0))
    for block in range(n_whole):
        mass = mass + _weigh_block(block * BLOCK, BLOCK, row, soon, state, work)
        store(work.blocks, block, mass)
    if n_whole < work.blocks.shape[0]:
        total = _weigh_block(n_whole * BLOCK, n_topics - n_whole * BLOCK, row, soon, state, work)
        for t in range(n_topics, work.within.shape[0]):
            store(work.within, t, total)
        mass = mass + total
        store(work.blocks, n_whole, mass)
    return mass


@inlined
def _weigh_block(first, n, row, soon, state, work):
    total = spread(np.float32(0))
    for t in range(first, first + n):
        prefetch(state.n_dt, soon + t)
        document = as_floats(load(state.n_dt, row + t)) + everywhere(work.alpha, t)
        total = total + document * load(work.q, t)
        store(work.within, t, total)
    return total


@inlined
def _find(first, u, work):
    """Return the topic that the share u of a block falls on, by halves; the block's first topic is given."""
    target, t = u * pick_at(work.within, BLOCK - 1, first), first
    t = t + ((pick_at(work.within, 7, t) <= target) << 3)
    t = t + ((pick_at(work.within, 3, t) <= target) << 2)
    t = t + ((pick_at(work.within, 1, t) <= target) << 1)
    return t + (pick_at(work.within, 0, t) <= target)


@inlined
def _move(t, step, row, state, beta, smooth, work):
    """Add step tokens to topic t of each lane, and renew its q."""
    put_at(state.n_dt, row, t, pick_at(state.n_dt, row, t) + step)
    n_wt, n_t = pick_at(work.n_wt, 0, t) + step, pick_at(state.n_t, 0, t) + step
    put_at(work.n_wt, 0, t, n_wt)
    put_at(state.n_t, 0, t, n_t)
    put_at(work.q, 0, t, (as_floats(n_wt) + beta) / (as_floats(n_t) + smooth))
