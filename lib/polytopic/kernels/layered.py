"""Training of two layers: every token has one of its document's labels, and every label token a topic.

In Fast-Dep.-LLDA topics are distributions over labels and labels over words (Burkhardt & Kramer 2018, Eq. 7 to 9); in
the reversed model labels are distributions over topics and topics over words (Eq. 21, 22). A sweep goes document by
document, and in each first through the upper layer of all tokens, then through the lower one (figure 6).
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined


class Tokens(NamedTuple):
    """Training tokens; those of document d are ptr[d] to ptr[d + 1], its labels label_ptr[d] to label_ptr[d + 1].

    A cell is a word and a label that some document has both. Those of token i, in the order of its document's labels,
    are cells[first[i]], cells[first[i] + 1] and so on.
    """

    ptr: np.ndarray  # (D + 1,) int64
    words: np.ndarray  # (N,) int32
    first: np.ndarray  # (N,) int64
    cells: np.ndarray  # (M,) int32
    label_ptr: np.ndarray  # (D + 1,) int64
    labels: np.ndarray  # (L,) int32
    n_words: int


class State(NamedTuple):
    """Assignments of one chain and the counts that they imply. Kernels change it in place.

    ``lower`` counts the layer above words: tokens by cell (P,), in the reversed model by word and topic (W, T).
    """

    z: np.ndarray  # (N,) int32  place of the token's label among its document's
    t: np.ndarray  # (N,) int32  topic
    lower: np.ndarray  # int32
    n_ct: np.ndarray  # (C, T) int32  tokens by label and topic
    n_c: np.ndarray  # (C,) int32
    n_t: np.ndarray  # (T,) int32


class Prior(NamedTuple):
    """alpha (T,) is of a document's topics, beta_w of what stands above words, beta_c of the layer above it."""

    alpha: np.ndarray
    beta_w: float
    beta_c: float


class Scratch(NamedTuple):
    """Workspace of a sweep. ``tables`` adds up the tables of ``seat`` by topic, if it has room for them."""

    n_dt: np.ndarray  # (T,) int32  the present document's tokens by topic
    weight: np.ndarray  # (T,) float64  what of a topic's weight no label changes
    cumulative: np.ndarray  # (most topics or labels,) float64
    tables: np.ndarray  # (T,) int64, or (0,)


@compiled
def start(tokens, z, t, n_topics, random):
    """Draw every token's label from its document's and its topic from all, evenly."""
    for d in range(tokens.ptr.size - 1):
        n_labels = tokens.label_ptr[d + 1] - tokens.label_ptr[d]
        for i in range(tokens.ptr[d], tokens.ptr[d + 1]):
            z[i] = int(generator.fine_uniform(random) * n_labels)
            t[i] = int(generator.fine_uniform(random) * n_topics)


@compiled
def sweep(tokens, state, prior, greedy, random, work):
    """Resample topics and labels of Fast-Dep.-LLDA once, document by document."""
    smooth = state.n_c.size * prior.beta_c
    for d in range(tokens.ptr.size - 1):
        a, b = tokens.label_ptr[d], tokens.label_ptr[d + 1]
        first, last = tokens.ptr[d], tokens.ptr[d + 1]
        work.n_dt[:] = 0
        for i in range(first, last):
            work.n_dt[state.t[i]] += 1
        for k in range(work.n_dt.size):
            _weigh(k, state, prior, smooth, work)
        for i in range(first, last):
            _topic(i, tokens.labels[a + state.z[i]], state, prior, smooth, random, work)
        for i in range(first, last):
            _label(i, a, b - a, tokens, state, prior, greedy, random, work)
        for k in range(work.tables.size):
            work.tables[k] += seat(work.n_dt[k], prior.alpha[k], random)


@inlined
def _topic(i, c, state, prior, smooth, random, work):
    """Resample the topic of token i, of label c: (n_ck + beta_c) / (n_k + C beta_c) (n_dk + alpha_k) (Eq. 8)."""
    k = state.t[i]
    state.n_ct[c, k] -= 1
    state.n_t[k] -= 1
    work.n_dt[k] -= 1
    _weigh(k, state, prior, smooth, work)
    mass = 0.0
    for j in range(work.weight.size):
        mass += (state.n_ct[c, j] + prior.beta_c) * work.weight[j]
        work.cumulative[j] = mass
    k = chosen(generator.fine_uniform(random) * mass, work.cumulative, work.weight.size)
    state.t[i] = k
    state.n_ct[c, k] += 1
    state.n_t[k] += 1
    work.n_dt[k] += 1
    _weigh(k, state, prior, smooth, work)


@inlined
def _weigh(k, state, prior, smooth, work):
    work.weight[k] = (work.n_dt[k] + prior.alpha[k]) / (state.n_t[k] + smooth)


@inlined
def _label(i, a, n_labels, tokens, state, prior, greedy, random, work):
    """Resample the label of token i of word w and topic k among its document's.

    Its weight is (n_wc + beta_w) / (n_c + W beta_w), for greedy training as it stands (Eq. 9), else times
    n_ck + beta_c (Eq. 7). The label's count on the topic moves along.
    """
    k, place = state.t[i], tokens.first[i]
    c = tokens.labels[a + state.z[i]]
    state.lower[tokens.cells[place + state.z[i]]] -= 1
    state.n_c[c] -= 1
    state.n_ct[c, k] -= 1
    mass = 0.0
    for j in range(n_labels):
        c = tokens.labels[a + j]
        word = (state.lower[tokens.cells[place + j]] + prior.beta_w) / (
            state.n_c[c] + tokens.n_words * prior.beta_w
        )
        mass += word if greedy else word * (state.n_ct[c, k] + prior.beta_c)
        work.cumulative[j] = mass
    j = chosen(generator.fine_uniform(random) * mass, work.cumulative, n_labels)
    c = tokens.labels[a + j]
    state.z[i] = j
    state.lower[tokens.cells[place + j]] += 1
    state.n_c[c] += 1
    state.n_ct[c, k] += 1


@compiled
def sweep_reversed(tokens, state, prior, random, work):
    """Resample labels and topics of the reversed model once, document by document, labels first."""
    n_topics = state.n_t.size
    for d in range(tokens.ptr.size - 1):
        a, n_labels = tokens.label_ptr[d], tokens.label_ptr[d + 1] - tokens.label_ptr[d]
        first, last = tokens.ptr[d], tokens.ptr[d + 1]
        for i in range(first, last):  # (n_ck + beta_c) / (n_c + T beta_c) (Eq. 22)
            k, c = state.t[i], tokens.labels[a + state.z[i]]
            state.n_ct[c, k] -= 1
            state.n_c[c] -= 1
            mass = 0.0
            for j in range(n_labels):
                c = tokens.labels[a + j]
                mass += (state.n_ct[c, k] + prior.beta_c) / (state.n_c[c] + n_topics * prior.beta_c)
                work.cumulative[j] = mass
            j = chosen(generator.fine_uniform(random) * mass, work.cumulative, n_labels)
            c = tokens.labels[a + j]
            state.z[i] = j
            state.n_ct[c, k] += 1
            state.n_c[c] += 1
        for i in range(first, last):  # (n_wk + beta_w) / (n_k + W beta_w) (n_ck + beta_c) (Eq. 21)
            k, c, w = state.t[i], tokens.labels[a + state.z[i]], tokens.words[i]
            state.lower[w, k] -= 1
            state.n_t[k] -= 1
            state.n_ct[c, k] -= 1
            mass = 0.0
            for j in range(n_topics):
                word = (state.lower[w, j] + prior.beta_w) / (state.n_t[j] + tokens.n_words * prior.beta_w)
                mass += word * (state.n_ct[c, j] + prior.beta_c)
                work.cumulative[j] = mass
            k = chosen(generator.fine_uniform(random) * mass, work.cumulative, n_topics)
            state.t[i] = k
            state.lower[w, k] += 1
            state.n_t[k] += 1
            state.n_ct[c, k] += 1


@inlined
def seat(n, alpha, random):
    """Return at how many tables n customers sit down in a Chinese restaurant process of concentration alpha."""
    tables = 0
    for i in range(n):
        if generator.fine_uniform(random) * (alpha + i) < alpha:
            tables += 1
    return tables


@inlined
def chosen(x, cumulative, n):
    """Return the first of n places whose cumulative weight exceeds x; the last, where rounding has gone beyond."""
    j = 0
    while j < n - 1 and cumulative[j] <= x:
        j += 1
    return j
