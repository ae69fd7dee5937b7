"""LDA by Metropolis-Hastings within Gibbs: cheaper sweeps that are worth less each, never chosen by itself.

Per token a topic is proposed from the item's part of the conditional distribution, n_wt + beta, and one from the
document's, n_dt + alpha_t, each accepted or not (Yuan et al. 2015). Both proposals take the topic of another random
token of the item or document, or one by the prior. The token itself must not be among those: a proposal that counts
it depends on where it is, and the acceptance ratio does not undo that. So nothing is stale: the posterior is exact.

A sweep is worth a third to a half of an exact one. On 400 synthetic documents of 42 tokens, 20 topics, it takes
twice the sweeps to come as far from a random start (log-likelihood and held-out likelihood alike), and near
equilibrium the log-likelihood's autocorrelation time is 9 sweeps, against 3.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import alias, generator, topics
from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import prefetch

ORDER = topics.ByItem


class State(NamedTuple):
    """Assignments and the counts they imply. Kernels change it in place."""

    z: np.ndarray  # (N,) uint16  topic of each token, in order of items
    z_doc: np.ndarray  # (N,) uint16  the same in order of documents
    places: np.ndarray  # (N,) int32  place in z_doc of each token of z
    lists: topics.Lists
    n_t: np.ndarray  # (T,) int64  tokens of each topic


class Workspace(NamedTuple):
    """Scratch of a sweep, and the prior's alias table."""

    row: np.ndarray  # (T,) int32  the present item's tokens on each topic; zeros between items
    cells: np.ndarray  # (T,) alias.CELL  topics, weighted by alpha
    total: float  # sum of alpha


def init(tokens, z, n_topics):
    """Return the State implied by assignments z (N,)."""
    order = np.argsort(tokens.docs, kind="stable")
    places = np.empty(z.size, np.int32)
    places[order] = np.arange(z.size)
    n_t = np.bincount(z, minlength=n_topics).astype(np.int64)
    z = z.astype(np.uint16)
    return State(z, z[order], places, topics.lists_of(tokens, z, n_topics), n_t)


def workspace(tokens, alpha):
    """Return the scratch that sweeps need."""
    cells = np.zeros(alpha.size, alias.CELL)
    total = alias.build(np.array([0, alpha.size]), np.arange(alpha.size, dtype=np.int32), alpha, cells)[0]
    return Workspace(np.zeros(alpha.size, np.int32), cells, total)


@compiled
def sweep(tokens, state, alpha, beta, random, work):
    """Offer every token two topics, item by item; alpha (T,) is per topic, beta per item."""
    smooth = beta * (tokens.item_ptr.size - 1)
    for w in range(tokens.item_ptr.size - 1):
        first, last = tokens.item_ptr[w], tokens.item_ptr[w + 1]
        for i in range(first, last):
            work.row[np.int64(state.z[i])] += 1
        for i in range(first, last):
            topics.fetch(i, last, tokens, state.lists)
            if i + topics.AHEAD < last:
                prefetch(state.z_doc, state.places[i + topics.AHEAD])
            d, t = tokens.docs[i], np.int64(state.z[i])
            k = _propose_by_item(i, first, last, beta, state, random, work)
            k = _accept(t, t, k, True, d, tokens, state, alpha, beta, smooth, random, work)
            j = _propose_by_document(i, tokens.doc_ptr[d], tokens.doc_ptr[d + 1], state, random, work)
            k = _accept(t, k, j, False, d, tokens, state, alpha, beta, smooth, random, work)
            if k != t:
                _move(i, d, t, k, tokens, state, work)
        for i in range(first, last):
            work.row[np.int64(state.z[i])] = 0


@inlined
def _propose_by_item(i, first, last, beta, state, random, work):
    """Return the topic of another token of the item, of first to last, or any topic."""
    others, n_topics = last - first - 1, work.cells.size
    x = generator.fine_uniform(random) * (others + n_topics * beta)
    if x < others:
        j = first + int(x)
        return np.int64(state.z[j if j < i else j + 1])
    return min(int((x - others) / beta), n_topics - 1)


@inlined
def _propose_by_document(i, first, last, state, random, work):
    """Return the topic of another token of the document, of first to last, or one drawn by alpha."""
    others = last - first - 1
    x = generator.fine_uniform(random) * (others + work.total)
    if x < others:
        j = first + int(x)
        return np.int64(state.z_doc[j if j < state.places[i] else j + 1])
    return np.int64(alias.draw(0, work.cells.size, work.cells, (x - others) / work.total))


@inlined
def _accept(present, t, k, by_item, d, tokens, state, alpha, beta, smooth, random, work):
    """Return k or t, the topic so far; the counts still have the token on ``present``."""
    if k == t:
        return t
    first = tokens.doc_ptr[d]
    own_t, own_k = (1 if t == present else 0), (1 if k == present else 0)
    document_t = topics.count(first, d, t, state.lists) - own_t + alpha[t]
    document_k = topics.count(first, d, k, state.lists) - own_k + alpha[k]
    item_t, item_k = work.row[t] - own_t + beta, work.row[k] - own_k + beta
    total_t, total_k = state.n_t[t] - own_t + smooth, state.n_t[k] - own_k + smooth
    if by_item:  # what was proposed from cancels
        gain, loss = document_k * total_t, document_t * total_k
    else:
        gain, loss = item_k * total_t, item_t * total_k
    return k if generator.uniform(random) * loss < gain else t


@inlined
def _move(i, d, t, k, tokens, state, work):
    state.z[i] = k
    state.z_doc[state.places[i]] = k
    work.row[t] -= 1
    work.row[k] += 1
    state.n_t[t] -= 1
    state.n_t[k] += 1
    topics.move(tokens.doc_ptr[d], d, t, k, state.lists)
