"""LDA by exact collapsed Gibbs sampling at a cost that hardly grows with the number of topics.

Tokens are visited item by item (F+LDA: Yu et al. 2015). With q_t = (n_wt + beta) / (n_t + W beta), the conditional
distribution of a topic is n_dt q_t + alpha_t q_t: the first part has only the document's own topics, and the second
hardly changes from one token of an item to the next, so it is kept in a tree of sums. That tree has sixteen branches
at every node and three levels below its root, which has as many branches as it takes.

Only the present item's row of counts is alive, rebuilt from the assignments, and a document's counts are a list of
its topics in the room of its tokens: memory is proportional to the tokens, whatever the number of topics.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, topics, weighing
from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, as_floats, gather, head, load, running, spread, store, where

ORDER = topics.ByItem
BRANCHES = 16


class State(NamedTuple):
    """Assignments and the counts they imply. Kernels change it in place."""

    z: np.ndarray  # (N,) uint16  topic of each token
    lists: topics.Lists
    n_t: np.ndarray  # (T,) int64  tokens of each topic


class Workspace(NamedTuple):
    """Scratch of a sweep."""

    row: np.ndarray  # (T,) int32  the present item's tokens on each topic; zeros between items
    q: np.ndarray  # (T,) float32
    leaves: np.ndarray  # sums of alpha_t q_t over 16 topics
    nodes: np.ndarray  # sums over 256 topics
    root: np.ndarray  # (1,)  the sum over all
    item_topics: np.ndarray  # (T + 1,) uint16  the topics that the present item starts with
    cumulative: np.ndarray  # (blocks of the longest list, LANES) float32


def init(tokens, z, n_topics):
    """Return the State implied by assignments z (N,)."""
    n_t = np.bincount(z, minlength=n_topics).astype(np.int64)
    return State(z.astype(np.uint16), topics.lists_of(tokens, z, n_topics), n_t)


def workspace(tokens, alpha):
    """Return the scratch that sweeps need."""
    n_topics = alpha.size
    longest = min(int(np.diff(tokens.doc_ptr).max(initial=1)), n_topics)
    leaves = -(-n_topics // BRANCHES)
    return Workspace(
        np.zeros(n_topics, np.int32),
        np.zeros(n_topics, np.float32),
        np.zeros(leaves),
        np.zeros(-(-leaves // BRANCHES)),
        np.zeros(1),
        np.zeros(n_topics + 1, np.uint16),
        np.zeros((-(-longest // LANES), LANES), np.float32),
    )


@compiled
def sweep(tokens, state, alpha, beta, random, work):
    """Resample every token once, item by item; alpha (T,) is per topic, beta per item."""
    smooth = beta * (tokens.item_ptr.size - 1)
    _plant(state, alpha, beta, smooth, work)
    for w in range(tokens.item_ptr.size - 1):
        first, last = tokens.item_ptr[w], tokens.item_ptr[w + 1]
        n_item_topics = 0
        for i in range(first, last):
            t = np.int64(state.z[i])
            work.item_topics[n_item_topics] = t
            n_item_topics += work.row[t] == 0
            work.row[t] += 1
        for k in range(n_item_topics):
            _update(np.int64(work.item_topics[k]), state, alpha, beta, smooth, work)
        for i in range(first, last):
            topics.fetch(i, last, tokens, state.lists)
            _resample(i, tokens, state, alpha, beta, smooth, random, work)
        for i in range(first, last):
            t = np.int64(state.z[i])
            if work.row[t] > 0:
                work.row[t] = 0
                _update(t, state, alpha, beta, smooth, work)


@inlined
def _resample(i, tokens, state, alpha, beta, smooth, random, work):
    """Draw the token's topic as if it had none; touch counts and tree only if that is a new one."""
    d, t = tokens.docs[i], np.int64(state.z[i])
    first, n = tokens.doc_ptr[d], np.int64(state.lists.length[d])
    q_without = np.float32((work.row[t] - 1 + beta) / (state.n_t[t] - 1 + smooth))
    before = _weigh_listed(first, n, t, q_without, state.lists, work)
    listed = weighing.whole(before)
    rest = work.root[0] + alpha[t] * (np.float64(q_without) - np.float64(work.q[t]))
    x = generator.fine_uniform(random) * (listed + rest)
    if x < listed:
        place = min(weighing.choose_by_sums(x, work.cumulative, (n - 1) // LANES, before), n - 1)
        k = np.int64(state.lists.entries[first + place] & ((1 << state.lists.bits) - 1))
        if k == t:
            return
        _move(t, -1, state, alpha, beta, smooth, work)
    else:
        _move(t, -1, state, alpha, beta, smooth, work)
        k = _descend(x - listed, alpha, work)
    _move(k, 1, state, alpha, beta, smooth, work)
    if k != t:
        state.z[i] = k
        topics.move(first, d, t, k, state.lists)


@inlined
def _weigh_listed(first, n, present, q_without, lists, work):
    """Weigh the n topics of a document's list; the token itself, on topic ``present``, is left out.

    Return the sums over the lanes of all, and leave those down the lanes in the workspace.
    """
    mask, total = (1 << lists.bits) - 1, spread(np.float32(0))
    for block in range(-(-n // LANES)):
        entries = load(lists.entries, first + block * LANES)
        listed = entries & mask
        itself = listed == present
        q = where(itself, spread(q_without), gather(work.q, listed))
        count = head((entries >> lists.bits) - itself, n - block * LANES)
        total = total + as_floats(count) * q
        store(work.cumulative, block, total)
    return running(total)


@inlined
def _descend(x, alpha, work):
    """Return the topic that x falls on in the tree."""
    a = 0
    while a < work.nodes.size - 1 and x >= work.nodes[a]:
        x -= work.nodes[a]
        a += 1
    b, last = a * BRANCHES, min((a + 1) * BRANCHES, work.leaves.size) - 1
    while b < last and x >= work.leaves[b]:
        x -= work.leaves[b]
        b += 1
    t, last = b * BRANCHES, min((b + 1) * BRANCHES, alpha.size) - 1
    while t < last and x >= alpha[t] * np.float64(work.q[t]):
        x -= alpha[t] * np.float64(work.q[t])
        t += 1
    return t


@inlined
def _move(t, step, state, alpha, beta, smooth, work):
    work.row[t] += step
    state.n_t[t] += step
    _update(t, state, alpha, beta, smooth, work)


@inlined
def _update(t, state, alpha, beta, smooth, work):
    """Bring q_t and the sums above it up to date."""
    q = np.float32((work.row[t] + beta) / (state.n_t[t] + smooth))
    change = alpha[t] * (np.float64(q) - np.float64(work.q[t]))
    work.q[t] = q
    work.leaves[t // BRANCHES] += change
    work.nodes[t // (BRANCHES * BRANCHES)] += change
    work.root[0] += change


@inlined
def _plant(state, alpha, beta, smooth, work):
    """Make the tree anew, for an item without tokens."""
    for tree_sums in (work.leaves, work.nodes, work.root):
        tree_sums[:] = 0.0
    work.q[:] = 0.0
    for t in range(alpha.size):
        _update(t, state, alpha, beta, smooth, work)
