"""Labels over words in training by one chain: what ``labelled`` does on one of its lanes, bit for bit.

Where only a few chains are wanted this takes less time than sixteen side by side. Memory: a sixteenth of theirs.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined, part
from polytopic.kernels.labelled import AHEAD
from polytopic.kernels.simd import prefetch


class State(NamedTuple):
    """Assignments and the counts they imply, as those of ``labelled.State``. Kernels change it in place."""

    z: np.ndarray  # (N,)  place of the token's label in its document's list, in as few bytes as do
    n_dc: np.ndarray  # (M,) int32  tokens of each document on each of its labels
    n_c: np.ndarray  # (C,) int32  tokens of each label, settled ones included
    n_wc: np.ndarray  # (C,) int32  tokens of the present word on each label: all 0 between sweeps
    cumulative: np.ndarray  # (longest label list,) float32  scratch


def start(tokens, random):
    """Return the State with every token on a label drawn uniformly from its document's.

    tokens is a ``labelled.Tokens``, random a generator's state, (4, 1).
    """
    longest = np.diff(tokens.label_ptr).max(initial=1)
    n_dc, n_c = np.zeros(tokens.labels.size, np.int32), np.zeros(tokens.n_labels, np.int32)
    z = np.zeros(tokens.counts.sum(dtype=np.int64), np.min_scalar_type(longest - 1))
    _draw(tokens, z, n_dc, n_c, random)
    return State(z, n_dc, n_c, np.zeros_like(n_c), np.zeros(longest, np.float32))


@compiled
def _draw(tokens, z, n_dc, n_c, random):
    i = 0
    for pair in range(tokens.docs.size):
        a = tokens.label_ptr[tokens.docs[pair]]
        n = tokens.label_ptr[tokens.docs[pair] + 1] - a
        for _ in range(tokens.counts[pair]):
            z[i] = int(generator.uniform(random) * n)
            n_dc[a + z[i]] += 1
            i += 1
    for s in range(tokens.settled_labels.size):
        n_c[tokens.settled_labels[s]] += tokens.settled_counts[s]
    for j in range(tokens.labels.size):
        n_c[tokens.labels[j]] += n_dc[j]


@compiled
def sweep(tokens, state, eta, beta, random):
    """Resample every token once, in order of words; arguments as for ``labelled.sweep``, random (4, 1)."""
    first = 0
    for w in range(tokens.pair_ptr.size - 1):
        _raise_word(tokens, w, first, state)
        last = _resample_word(tokens, w, first, state, eta, beta, random)
        _clear_word(tokens, w, first, state)
        first = last


@part
def _resample_word(tokens, w, i, state, eta, beta, random):
    """Resample the tokens of word w, the first of which is i; return the first of the next word."""
    word_prior, word_prior_sum = np.float32(beta), np.float32(beta * (tokens.pair_ptr.size - 1))
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        a, b = tokens.label_ptr[tokens.docs[pair]], tokens.label_ptr[tokens.docs[pair] + 1]
        alpha = np.float32(eta / (b - a))
        if pair + AHEAD < tokens.docs.size:
            soon = tokens.label_ptr[tokens.docs[pair + AHEAD]]
            prefetch(tokens.labels, soon)
            prefetch(state.n_dc, soon)
        for _ in range(tokens.counts[pair]):
            _move(a + state.z[i], -1, tokens, state)
            mass = np.float32(0)
            for j in range(a, b):
                c = tokens.labels[j]
                word = np.float32(state.n_wc[c]) + word_prior
                document = np.float32(state.n_dc[j]) + alpha
                mass += word * document / (np.float32(state.n_c[c]) + word_prior_sum)
                state.cumulative[j - a] = mass
            target = np.float32(generator.uniform(random)) * mass
            k = 0  # counted rather than searched: no processor can guess where a search ends
            for j in range(b - a - 1):
                k += state.cumulative[j] <= target
            state.z[i] = k
            _move(a + k, 1, tokens, state)
            i += 1
    return i


@inlined
def _move(j, step, tokens, state):
    """Add step tokens to the label at place j."""
    c = tokens.labels[j]
    state.n_wc[c] += step
    state.n_dc[j] += step
    state.n_c[c] += step


@part
def _raise_word(tokens, w, i, state):
    """Add the tokens of word w, the first of which is i, to n_wc."""
    for s in range(tokens.settled_ptr[w], tokens.settled_ptr[w + 1]):
        state.n_wc[tokens.settled_labels[s]] = tokens.settled_counts[s]
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        a = tokens.label_ptr[tokens.docs[pair]]
        for _ in range(tokens.counts[pair]):
            state.n_wc[tokens.labels[a + state.z[i]]] += 1
            i += 1


@part
def _clear_word(tokens, w, i, state):
    """Put the counts of word w in n_wc, whose first token is i, back to 0."""
    for s in range(tokens.settled_ptr[w], tokens.settled_ptr[w + 1]):
        state.n_wc[tokens.settled_labels[s]] = 0
    for pair in range(tokens.pair_ptr[w], tokens.pair_ptr[w + 1]):
        a = tokens.label_ptr[tokens.docs[pair]]
        for _ in range(tokens.counts[pair]):
            state.n_wc[tokens.labels[a + state.z[i]]] = 0
            i += 1
