"""Labels over words, in training: every token sits on one of its own document's labels (Rubin et al. 2012, Eq. 2).

The sweep goes word by word instead of document by document: the same conditional distributions in another
fixed order, so the same stationary distribution. Only the present word's row of counts is alive, rebuilt from
the assignments, and no table of words by labels is ever made. Sixteen chains go side by side, one per lane (see
``simd``): they share what they read of the corpus, and a sweep of all takes little longer than one of a single
chain. Counts are whole numbers and exact; weights are float32.

Memory: 8 bytes for each distinct pair of word and document, and for sixteen chains 16 bytes a token (32 with more
than 256 labels in some document), 16 bytes for each label of each document (32 with more than 255 tokens in some
document), 128 for each label. 300 million tokens in 3 million documents of 5 labels take 7.5 GB, of which 300
million pairs would be 2.4 GB, and another 5.2 GB for every sixteen chains that run at the same time.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled
from polytopic.kernels.simd import LANES, aligned_zeros, as_floats, lane_of, load, spread, store


class Tokens(NamedTuple):
    """Training tokens by word; the labels of document d are labels[label_ptr[d]:label_ptr[d + 1]].

    Pairs are a word and a document that has it. Documents are in order of their number of labels, so that what comes
    one after another takes the same branches. Those with a single label are left out: their tokens can't move, and
    are counted as settled.
    """

    pair_ptr: np.ndarray  # (W + 1,)  the pairs of word w are pair_ptr[w] to pair_ptr[w + 1]
    docs: np.ndarray  # (P,)      document of each pair
    counts: np.ndarray  # (P,)      its tokens, N in all
    label_ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (M,)      M is the sum of the label sets' sizes
    settled_ptr: np.ndarray  # (W + 1,)  the settled tokens of word w, likewise
    settled_labels: np.ndarray  # (S,)      label
    settled_counts: np.ndarray  # (S,)      tokens on it
    prior_ptr: np.ndarray  # (W + 1,)  what the prior of word w has beyond beta, likewise
    prior_labels: np.ndarray  # (Q,)      label
    prior_values: np.ndarray  # (Q,)      pseudo-counts, float64
    prior_sums: np.ndarray  # (C,)      the same of each label
    n_labels: int  # C


class State(NamedTuple):
    """Assignments and the counts they imply, for every lane. Kernels change it in place."""

    z: np.ndarray  # (N, LANES)  place of the token's label in its document's list, in as few bytes as do
    n_dc: np.ndarray  # (M, LANES)  tokens of each document on each of its labels, beside ``labels``, too
    n_c: np.ndarray  # (C, LANES)  tokens of each label, settled ones included
    n_wc: np.ndarray  # (C, LANES)  tokens of the present word on each label: all 0 between sweeps
    prior: np.ndarray  # (C, 2) float32  a label's prior: of the present word, else beta; of all words
    cumulative: np.ndarray  # (longest label list, LANES)  scratch


def start(tokens, random):
    """Return the State with every token on a label drawn uniformly from its document's.

    random is a generator's state, (4, LANES).
    """
    longest = np.diff(tokens.label_ptr).max(initial=1)
    z = np.zeros((tokens.counts.sum(dtype=np.int64), LANES), np.min_scalar_type(longest - 1))
    _draw(tokens, z, random)
    return init(tokens, z)


def init(tokens, z):
    """Return the State implied by assignments z (N, LANES)."""
    longest = np.diff(tokens.label_ptr).max(initial=1)
    lengths = np.bincount(tokens.docs, weights=tokens.counts)
    n_dc = aligned_zeros((tokens.labels.size, LANES), np.min_scalar_type(int(lengths.max(initial=0))))
    n_c, n_wc = (aligned_zeros((tokens.n_labels, LANES), np.int32) for _ in range(2))
    _count(tokens, z, n_dc, n_c)
    prior = np.zeros((tokens.n_labels, 2), np.float32)
    return State(z, n_dc, n_c, n_wc, prior, aligned_zeros((longest, LANES)))


@compiled
def sweep(tokens, state, eta, beta, random):
    """Resample every token once, in order of words, in every lane.

    eta is the whole prior weight of a document, shared equally by its labels; beta is per word, and the tokens' prior
    is added to it. random (4, LANES).
    """
    n_words = tokens.pair_ptr.size - 1
    _set_prior(tokens, beta, state)
    first = 0
    for w in range(n_words):
        _raise_word(tokens, w, first, state)
        first = _resample_word(tokens, w, first, state, eta, random)
        _clear_word(tokens, w, beta, state)


@compiled
def _set_prior(tokens, beta, state):
    for c in range(tokens.n_labels):
        state.prior[c, 0] = beta
        state.prior[c, 1] = beta * (tokens.pair_ptr.size - 1) + tokens.prior_sums[c]


@compiled
def _resample_word(tokens, w, i, state, eta, random):
    """Resample the tokens of word w, the first of which is i; return the first of the next word."""
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        a, b = tokens.label_ptr[tokens.docs[pair]], tokens.label_ptr[tokens.docs[pair] + 1]
        alpha = spread(np.float32(eta / (b - a)))
        for _ in range(tokens.counts[pair]):
            z = load(state.z, i)
            mass = spread(np.float32(0))
            for j in range(a, b):
                c = tokens.labels[j]
                itself = z == j - a
                word = as_floats(load(state.n_wc, c) - itself) + spread(state.prior[c, 0])
                document = as_floats(load(state.n_dc, j) - itself) + alpha
                whole = as_floats(load(state.n_c, c) - itself) + spread(state.prior[c, 1])
                mass = mass + word * document / whole
                store(state.cumulative, j - a, mass)
            target = generator.uniforms(random) * mass
            k = spread(np.int32(0))
            for j in range(b - a - 1):
                k = k + (load(state.cumulative, j) <= target)
            store(state.z, i, k)
            for j in range(a, b):
                c = tokens.labels[j]
                now, before = k == j - a, z == j - a
                store(state.n_wc, c, load(state.n_wc, c) + now - before)
                store(state.n_dc, j, load(state.n_dc, j) + now - before)
                store(state.n_c, c, load(state.n_c, c) + now - before)
            i += 1
    return i


@compiled
def _raise_word(tokens, w, i, state):
    """Add the tokens of word w, the first of which is i, to n_wc, and its pseudo-counts to the prior."""
    z, n_wc = state.z, state.n_wc
    for q in range(tokens.prior_ptr[w], tokens.prior_ptr[w + 1]):
        state.prior[tokens.prior_labels[q], 0] += tokens.prior_values[q]
    for s in range(tokens.settled_ptr[w], tokens.settled_ptr[w + 1]):
        store(n_wc, tokens.settled_labels[s], spread(tokens.settled_counts[s]))
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        a, b = tokens.label_ptr[tokens.docs[pair]], tokens.label_ptr[tokens.docs[pair] + 1]
        last = i + tokens.counts[pair]
        for j in range(a, b):
            n = load(n_wc, tokens.labels[j])
            for k in range(i, last):
                n = n + (load(z, k) == j - a)
            store(n_wc, tokens.labels[j], n)
        i = last


@compiled
def _clear_word(tokens, w, beta, state):
    """Put the counts of word w in n_wc back to 0, and its prior to beta."""
    none, n_wc = spread(np.int32(0)), state.n_wc
    for q in range(tokens.prior_ptr[w], tokens.prior_ptr[w + 1]):
        state.prior[tokens.prior_labels[q], 0] = beta
    for s in range(tokens.settled_ptr[w], tokens.settled_ptr[w + 1]):
        store(n_wc, tokens.settled_labels[s], none)
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        for j in range(tokens.label_ptr[tokens.docs[pair]], tokens.label_ptr[tokens.docs[pair] + 1]):
            store(n_wc, tokens.labels[j], none)


@compiled
def _draw(tokens, z, random):
    i = 0
    for pair in range(tokens.docs.size):
        n = tokens.label_ptr[tokens.docs[pair] + 1] - tokens.label_ptr[tokens.docs[pair]]
        for _ in range(tokens.counts[pair]):
            u = generator.uniforms(random)
            for lane in range(LANES):
                z[i, lane] = int(lane_of(u, lane) * n)
            i += 1


@compiled
def _count(tokens, z, n_dc, n_c):
    i = 0
    for pair in range(tokens.docs.size):
        a = tokens.label_ptr[tokens.docs[pair]]
        for _ in range(tokens.counts[pair]):
            for lane in range(LANES):
                n_dc[a + z[i, lane], lane] += 1
            i += 1
    for s in range(tokens.settled_labels.size):
        c = tokens.settled_labels[s]
        store(n_c, c, load(n_c, c) + spread(tokens.settled_counts[s]))
    for j in range(tokens.labels.size):
        c = tokens.labels[j]
        store(n_c, c, load(n_c, c) + load(n_dc, j))


def pool(tokens, z):
    """Return the tokens of each word on each label, added up over chains, z (N, chains), as (ptr, labels, counts).

    Those of word w are labels[ptr[w]:ptr[w + 1]], in no order, and counts beside them, int64; zeros are left out.
    """
    ptr = np.zeros(tokens.pair_ptr.size, np.int64)
    n_c, met = np.zeros(tokens.n_labels, np.int64), np.zeros(tokens.n_labels, np.int32)
    _pool(tokens, z, n_c, met, ptr, np.zeros(0, np.int32), np.zeros(0, np.int64))
    labels, counts = np.zeros(ptr[-1], np.int32), np.zeros(ptr[-1], np.int64)
    _pool(tokens, z, n_c, met, ptr, labels, counts)
    return ptr, labels, counts


@compiled
def _pool(tokens, z, n_c, met, ptr, labels, counts):
    """Fill labels and counts; with empty ones, only ptr, which says how large they are.

    n_c (C,) holds one word at a time, and is 0 before and after; met (C,) lists where it is not.
    """
    i = 0
    for w in range(ptr.size - 1):
        n_met = 0
        for s in range(tokens.settled_ptr[w], tokens.settled_ptr[w + 1]):
            n_c[tokens.settled_labels[s]] = np.int64(tokens.settled_counts[s]) * z.shape[1]
            met[n_met] = tokens.settled_labels[s]
            n_met += 1
        for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
            a = tokens.label_ptr[tokens.docs[pair]]
            for _ in range(tokens.counts[pair]):
                for lane in range(z.shape[1]):
                    c = tokens.labels[a + z[i, lane]]
                    if n_c[c] == 0:
                        met[n_met] = c
                        n_met += 1
                    n_c[c] += 1
                i += 1
        ptr[w + 1] = ptr[w] + n_met
        for k in range(n_met):
            c = met[k]
            if labels.size > 0:
                labels[ptr[w] + k], counts[ptr[w] + k] = c, n_c[c]
            n_c[c] = 0
