"""LDA by exact collapsed Gibbs sampling in sixteen chains side by side, for many topics.

Chain l lies on lane l, and tokens are visited item by item, as in ``lda_lanes``. The conditional distribution is
split as in ``lda_tree``: n_dt q_t over the document's own topics, of which every lane has a list, and alpha_t q_t
over all, of which only sums over blocks of sixteen topics are kept. Those are made from q whenever one of their
topics changes, never by adding differences, so nothing drifts. A first random number picks a listed topic or the
prior, a second one a block of the prior, a third one a topic in it: a topic's probability is wrong by some 2**-24 at
most. A lane's draws depend on no other lane.

What a lane needs of sixteen topics is a line of its own: topic t of lane l stands at place(t) + LANES l, with
place(t) = t // 16 * 256 + t mod 16. Lists and assignments hold places. A topic that a document has left keeps its
cell of the list, with a count of 0, until another one takes the first such cell; lists close up at every sweep's
start. A cell that has never been taken has the place behind the last topic's, whose q is 0.

Memory: for sixteen chains 80 bytes a token, 144 above 4,080 topics and 16 more where some document has more than 255
tokens, whatever the number of topics.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, topics
from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.rows import pick_at, put, put_at, summed, take, take_by
from polytopic.kernels.simd import (
    LANES,
    aligned_zeros,
    as_floats,
    count_at_most,
    first_set,
    lane_of,
    load,
    prefetch,
    running,
    spread,
    store,
    where,
)

ORDER = topics.ByItem
BLOCK = 16
LINES = BLOCK * LANES  # places from a block to the next
FEW = 16  # an item of fewer tokens than topics / FEW changes so little that the rest is left as it is


class State(NamedTuple):
    """Assignments and the counts they imply, for every lane. Kernels change it in place."""

    z: np.ndarray  # (N, LANES)  place of each token's topic, in as few bytes as do
    listed: np.ndarray  # (N + 1, LANES)  places of a document's topics, from its first token's row on
    counts: np.ndarray  # (N + 1, LANES)  its tokens on each, in as few bytes as do
    n_rows: np.ndarray  # (D,) int32  rows of the document's longest list
    n_t: np.ndarray  # (places,) int32  tokens of each topic


class Workspace(NamedTuple):
    """Scratch of a sweep."""

    n_wt: np.ndarray  # (places,) int32  the present item's tokens on each topic
    q: np.ndarray  # (places,) float32
    alpha: np.ndarray  # (blocks BLOCK,) float32  0 behind the last topic
    twigs: np.ndarray  # (blocks, LANES) float32  sums of alpha_t q_t
    climbed: np.ndarray  # (2 steps, LANES) float32  twigs added up, infinite behind the last
    within: np.ndarray  # (rows of the longest list, LANES) float32  weights of listed topics, added up
    shares: np.ndarray  # (2, LANES) float32  where in the twigs, and where in the twig
    chosen: np.ndarray  # (2, LANES) int32  row of the list, and place
    n_topics: int
    steps: int  # the largest power of two that is not above the number of blocks


def init(tokens, z, n_topics):
    """Return the State implied by topics z (N, LANES), tokens in order of items."""
    lengths, none = np.diff(tokens.doc_ptr), -(-n_topics // BLOCK) * LINES
    z = z.astype(np.int64, order="C")
    places = (z // BLOCK * LINES + z % BLOCK).astype(np.min_scalar_type(none))
    listed = np.full((len(z) + 1, LANES), none, places.dtype)
    counts = aligned_zeros(listed.shape, np.min_scalar_type(int(lengths.max(initial=0))))
    state = State(
        places, listed, counts, np.zeros(lengths.size, np.int32), aligned_zeros(none + LINES, np.int32)
    )
    _count(tokens, state)
    return state


@allocating
def _count(tokens, state):
    for i in range(state.z.shape[0]):
        d = tokens.docs[i]
        for lane in range(LANES):
            state.n_t[state.z[i, lane] + lane * LANES] += 1
            row = tokens.doc_ptr[d]
            while state.counts[row, lane] > 0 and state.listed[row, lane] != state.z[i, lane]:
                row += 1
            state.listed[row, lane] = state.z[i, lane]
            state.counts[row, lane] += 1
            state.n_rows[d] = max(state.n_rows[d], row + 1 - tokens.doc_ptr[d])


def topics_of(state):
    """Return the topics of all tokens, (N, LANES), as ``init`` takes them."""
    places = state.z.astype(np.int64)
    return places // LINES * BLOCK + places % BLOCK


def workspace(tokens, alpha):
    """Return the scratch that sweeps need; alpha (T,)."""
    n_blocks = -(-alpha.size // BLOCK)
    steps = 1 << (n_blocks.bit_length() - 1)
    longest = int(np.diff(tokens.doc_ptr).max(initial=1))
    above = aligned_zeros((2 * steps, LANES))
    above[:] = np.inf
    return Workspace(
        aligned_zeros((n_blocks + 1) * LINES, np.int32),
        aligned_zeros((n_blocks + 1) * LINES),
        np.pad(alpha.astype(np.float32), (0, n_blocks * BLOCK - alpha.size)),
        aligned_zeros((n_blocks, LANES)),
        above,
        aligned_zeros((longest, LANES)),
        aligned_zeros((2, LANES)),
        aligned_zeros((2, LANES), np.int32),
        alpha.size,
        steps,
    )


@compiled
def sweep(tokens, state, alpha, beta, random, work):
    """Resample every token once, item by item, in every lane.

    alpha (T,) is that of the workspace, beta per item; random is a generator's state, (4, LANES).
    """
    smooth, beta = np.float32(beta * (tokens.item_ptr.size - 1)), np.float32(beta)
    _close_up(tokens, state, work)
    work.n_wt[:] = 0
    _plant(state, beta, smooth, work)
    before, end = 0, tokens.docs.size - 1
    for w in range(tokens.item_ptr.size - 1):
        first, last = tokens.item_ptr[w], tokens.item_ptr[w + 1]
        _change_item(before, first, last, state, beta, smooth, work)
        for i in range(first, last):
            d, following = tokens.docs[i], tokens.docs[min(i + 1, end)]
            prefetch(tokens.doc_ptr, tokens.docs[min(i + 2, end)])
            prefetch(state.n_rows, tokens.docs[min(i + 2, end)])
            soon = tokens.doc_ptr[following], state.n_rows[following]
            _resample(i, d, tokens.doc_ptr[d], soon, state, beta, smooth, random, work)
        before = first


@compiled
def _close_up(tokens, state, work):
    """Take the cells without tokens out of all lists."""
    none = work.alpha.size * LANES
    for d in range(state.n_rows.size):
        base, longest = tokens.doc_ptr[d], 0
        for lane in range(LANES):
            n = 0
            for row in range(base, base + state.n_rows[d]):
                count = state.counts[row, lane]
                if count > 0:
                    state.counts[base + n, lane] = count
                    state.listed[base + n, lane] = state.listed[row, lane]
                    n += 1
            for row in range(base + n, base + state.n_rows[d]):
                state.counts[row, lane] = 0
                state.listed[row, lane] = none
            longest = max(longest, n)
        state.n_rows[d] = longest


@compiled
def _change_item(before, first, last, state, beta, smooth, work):
    """Count the item with tokens first to last, in place of the one with tokens before to first."""
    for i in range(before, first):
        for lane in range(LANES):
            work.n_wt[state.z[i, lane] + lane * LANES] = 0
    for i in range(first, last):
        for lane in range(LANES):
            work.n_wt[state.z[i, lane] + lane * LANES] += 1
    if (last - before) * FEW < work.n_topics:
        for i in range(before, last):
            _weigh_topics(load(state.z, i), beta, smooth, state, work)
            _sum_twigs(i, state, work)
    else:
        _plant(state, beta, smooth, work)


@compiled
def _plant(state, beta, smooth, work):
    """Weigh every topic, and add up all blocks."""
    for k in range(0, work.alpha.size * LANES, LANES):
        store(work.q, k, (as_floats(load(work.n_wt, k)) + beta) / (as_floats(load(state.n_t, k)) + smooth))
    for block in range(work.twigs.shape[0]):
        for lane in range(LANES):
            work.twigs[block, lane] = summed(_twig(block, lane, work))


@inlined
def _twig(block, lane, work):
    """Return alpha_t q_t over the block's topics, for one lane."""
    return load(work.q, (block * LANES + lane) * BLOCK) * load(work.alpha, block * BLOCK)


@inlined
def _sum_twigs(i, state, work):
    """Add up the blocks that token i's topics are in."""
    for lane in range(LANES):
        block = np.int64(state.z[i, lane]) // LINES
        work.twigs[block, lane] = summed(_twig(block, lane, work))


@inlined
def _weigh_topics(places, beta, smooth, state, work):
    n_wt, n_t = as_floats(take(work.n_wt, places)), as_floats(take(state.n_t, places))
    put(work.q, places, (n_wt + beta) / (n_t + smooth))


@inlined
def _move(i, step, beta, smooth, state, work):
    """Add step tokens to the topics of token i, the document's counts apart."""
    places = load(state.z, i)
    put(work.n_wt, places, take(work.n_wt, places) + step)
    put(state.n_t, places, take(state.n_t, places) + step)
    _weigh_topics(places, beta, smooth, state, work)
    _sum_twigs(i, state, work)


@compiled
def _resample(i, d, base, soon, state, beta, smooth, random, work):
    """Draw the topics of token i of document d, whose lists start at row base.

    The first row and the number of rows of the next token's document are ``soon``.
    """
    _move(i, -1, beta, smooth, state, work)
    rest = _add_twigs(work)
    mass = _weigh_listed(base, state.n_rows[d], soon, load(state.z, i), state, work)
    target = generator.uniforms(random) * (mass + rest)
    row = spread(np.int32(0))
    for j in range(state.n_rows[d]):
        row = row + (load(work.within, j) <= target)
    store(work.shares, 0, generator.uniforms(random) * rest)
    store(work.shares, 1, generator.uniforms(random))
    row = _seat(d, base, row, state, work)
    put_at(state.counts, base, row, pick_at(state.counts, base, row) + 1)
    store(state.z, i, pick_at(state.listed, base, row))
    _move(i, 1, beta, smooth, state, work)


@inlined
def _add_twigs(work):
    rest = spread(np.float32(0))
    for block in range(work.twigs.shape[0]):
        rest = rest + load(work.twigs, block)
        store(work.climbed, block, rest)
    return rest


@inlined
def _weigh_listed(base, n_rows, soon, z, state, work):
    """Take the token, on places z, from its document's counts, and weigh the listed topics; return the sum.

    The lists of the next token's document are fetched meanwhile, row by row: all at once they would wait in a queue.
    """
    mass, own = spread(np.float32(0)), spread(np.int32(0))
    for j in range(n_rows, soon[1]):
        prefetch(state.listed, soon[0] + j)
        prefetch(state.counts, soon[0] + j)
    for j in range(n_rows):
        prefetch(state.listed, soon[0] + j)
        prefetch(state.counts, soon[0] + j)
        itself = load(state.listed, base + j) == z
        own = own + itself * j
        count = as_floats(load(state.counts, base + j) - itself)
        mass = mass + count * take_by(work.q, state.listed, base + j)
        store(work.within, j, mass)
    put_at(state.counts, base, own, pick_at(state.counts, base, own) - 1)
    return mass


@inlined
def _seat(d, base, row, state, work):
    """Return the row of the list in every lane; a row behind the last means a topic drawn from the prior."""
    n_rows = state.n_rows[d]
    by_prior = row == n_rows
    if first_set(by_prior) == LANES:
        return row
    store(work.chosen, 0, row)
    store(work.chosen, 1, pick_at(state.listed, base, row))
    for lane in range(LANES):
        if work.chosen[0, lane] == n_rows:
            work.chosen[1, lane] = _climb(lane, work)
    places, found, free = load(work.chosen, 1), spread(np.int32(-1)), spread(n_rows)
    for j in range(n_rows - 1, -1, -1):
        found = where(load(state.listed, base + j) == places, spread(np.int32(j)), found)
        free = where(load(state.counts, base + j) == 0, spread(np.int32(j)), free)
    row = where(by_prior, where(found == -1, free, found), row)
    put_at(state.listed, base, row, places)
    if first_set(row == n_rows) < LANES:
        state.n_rows[d] = n_rows + 1
    return row


@inlined
def _climb(lane, work):
    """Return the place of a topic drawn from the prior's part."""
    block, step = 0, work.steps
    while step > 0:
        block += step * (work.climbed[block + step - 1, lane] <= work.shares[0, lane])
        step //= 2
    block = min(block, work.twigs.shape[0] - 1)
    before = running(_twig(block, lane, work))
    x = np.float64(work.shares[1, lane]) * lane_of(before, LANES - 1)
    t = min(block * BLOCK + count_at_most(before, x), work.n_topics - 1)
    return t // BLOCK * LINES + t % BLOCK
