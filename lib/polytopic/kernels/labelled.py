"""Labels over words, in training: every token sits on one of its own document's labels (Rubin et al. 2012, Eq. 2).

The sweep goes word by word instead of document by document: the same conditional distributions in another
fixed order, so the same stationary distribution. Only the present word's row of counts is alive, rebuilt from
the assignments, and no table of words by labels is ever made.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import generator


class Tokens(NamedTuple):
    """Training tokens sorted by word; the labels of document d are labels[label_ptr[d]:label_ptr[d + 1]]."""

    word_ptr: np.ndarray  # (W + 1,)  the tokens of word w are word_ptr[w] to word_ptr[w + 1]
    docs: np.ndarray  # (N,)      document of each token
    label_ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (M,)      M is the sum of the label sets' sizes
    n_labels: int  # C


class State(NamedTuple):
    """Assignments and the counts they imply. Kernels change it in place."""

    z: np.ndarray  # (N,)  position of the token's label in its document's label list
    n_dc: np.ndarray  # (M,)  tokens of each document on each of its labels, beside ``labels``
    n_c: np.ndarray  # (C,)  tokens of each label


def init(tokens, z):
    """Return the State implied by assignments z (N,)."""
    places = tokens.label_ptr[tokens.docs] + z
    n_dc = np.bincount(places, minlength=tokens.labels.size)
    n_c = np.bincount(tokens.labels, weights=n_dc, minlength=tokens.n_labels)
    return State(z.astype(np.int16), n_dc.astype(np.float64), n_c.astype(np.float64))


@njit(cache=True, nogil=True)
def start(tokens, z, state):
    """Put every token on a label drawn uniformly from its document's; state is a one-lane generator."""
    for i in range(tokens.docs.size):
        d = tokens.docs[i]
        n = tokens.label_ptr[d + 1] - tokens.label_ptr[d]
        z[i] = int(generator.uniform(state) * n)


@njit(cache=True, nogil=True)
def sweep(tokens, state, eta, beta, random, row, cumulative):
    """Resample every token once, in order of words.

    eta is the whole prior weight of a document, shared equally by its labels; beta is per word.
    row (C,) must come in as zeros and is zeros again at the end; cumulative holds the longest label list.
    """
    n_words = tokens.word_ptr.size - 1
    for w in range(n_words):
        first, last = tokens.word_ptr[w], tokens.word_ptr[w + 1]
        for i in range(first, last):
            row[tokens.labels[tokens.label_ptr[tokens.docs[i]] + state.z[i]]] += 1.0
        for i in range(first, last):
            a, b = tokens.label_ptr[tokens.docs[i]], tokens.label_ptr[tokens.docs[i] + 1]
            if b - a == 1:
                continue
            alpha = eta / (b - a)
            _move(tokens, state, row, a + state.z[i], -1.0)
            total = 0.0
            for j in range(a, b):
                c = tokens.labels[j]
                word = (row[c] + beta) / (state.n_c[c] + beta * n_words)
                total += word * (state.n_dc[j] + alpha)
                cumulative[j - a] = total
            target = generator.uniform(random) * total
            k = 0
            while k < b - a - 1 and cumulative[k] <= target:
                k += 1
            state.z[i] = k
            _move(tokens, state, row, a + k, 1.0)
        for i in range(first, last):
            row[tokens.labels[tokens.label_ptr[tokens.docs[i]] + state.z[i]]] = 0.0


@njit(cache=True, nogil=True)
def _move(tokens, state, row, place, step):
    c = tokens.labels[place]
    state.n_dc[place] += step
    state.n_c[c] += step
    row[c] += step
