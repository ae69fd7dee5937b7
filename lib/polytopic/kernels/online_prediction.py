"""Unseen documents under the online models: Algorithm 1 of Burkhardt & Kramer (2018), the expected counts fixed.

A token's lambda over labels and topics is a product, so its sum over labels is a mean of the topics' labels under the
word, made once for each word, and its sum over topics is taken once for each word of a document: nothing of the size
labels times topics is held for a token. Of phi the non-zero counts are read; what smoothing adds is the same for all
words of a label.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.online import DOCUMENT, Work, follow, step

summing = partial(compiled, fastmath={"reassoc", "contract"})


class Model(NamedTuple):
    """What prediction needs: phi_wc = value of (w, c) + even_c, phi'_ck = topics_ck."""

    word_ptr: np.ndarray  # (W + 1,)  where a word's labels stand
    labels: np.ndarray  # (E,)
    values: np.ndarray  # (E,) float64
    even: np.ndarray  # (C,) float64  0 for labels that have no tokens
    topics: np.ndarray  # (C, T) float64; (C, 0) without topics: labels stand in their place
    alpha: float
    burn_in: int
    steps: np.ndarray  # (3, 3) float64


class Documents(NamedTuple):
    """Documents of known words; the distinct words of document d lie in ptr[d]:ptr[d + 1]."""

    ptr: np.ndarray  # (D + 1,)
    places: np.ndarray  # (P,) the word's place among the block's distinct words
    counts: np.ndarray  # (P,) int32
    distinct: np.ndarray  # (U,) words


@allocating
def predict(model, documents, means):
    """Return the shares of each document's tokens on each label, its normalised N^Z, (D, C) float64.

    means (U, T) are sum_c phi_wc phi'_ck of the distinct words; without topics, scratch (1, C). A document without
    words has the shares that the labels have before any word is seen.
    """
    n_labels, n = model.topics.shape[0], means.shape[1]
    scores, sums = np.zeros((documents.ptr.size - 1, n_labels)), np.zeros((2, n))
    work = Work(np.zeros(0), np.zeros((0, 0)), np.zeros(n), np.zeros(n))
    _add_up(model, documents, means, sums, work, scores)
    return scores


@compiled
def _likelihood(model, w, row):
    """Set the row to phi_wc of all labels."""
    for c in range(row.size):
        row[c] = model.even[c]
    for i in range(model.word_ptr[w], model.word_ptr[w + 1]):
        row[model.labels[i]] += model.values[i]


@compiled
def _add_up(model, documents, means, sums, work, scores):
    """Fill scores (D, C), zeros before.

    Of a word's tokens, lambda_ck summed up is phi_wc phi'_ck a_k, where a_k sums (N^theta'_k + alpha) / Z over them.
    """
    n_topics, n = model.topics.shape[1], work.mean.size
    of_word, of_document = sums[0], sums[1]
    for d in range(documents.ptr.size - 1):
        n_tokens = 0
        for p in range(documents.ptr[d], documents.ptr[d + 1]):
            n_tokens += documents.counts[p]
        for k in range(n):
            work.mean[k], of_document[k] = 0.0, 1.0 if n_tokens == 0 else 0.0
        for turn in range(model.burn_in + 1):
            i = 0
            for p in range(documents.ptr[d], documents.ptr[d + 1]):
                w = documents.distinct[documents.places[p]]
                factor = means[documents.places[p] if n_topics > 0 else 0]
                if n_topics == 0:
                    _likelihood(model, w, factor)
                for k in range(n):
                    of_word[k] = 0.0
                for _ in range(documents.counts[p]):
                    inverse = 1 / _product(factor, work.mean, model.alpha)
                    for k in range(n):
                        weight = (work.mean[k] + model.alpha) * inverse
                        of_word[k] += weight
                        work.row[k] = factor[k] * weight
                    follow(work, n, step(model.steps, DOCUMENT, i), n_tokens)
                    i += 1
                if turn == model.burn_in:
                    for k in range(n):
                        of_document[k] += of_word[k]
                    for j in range(model.word_ptr[w], model.word_ptr[w + 1]):
                        c = model.labels[j]
                        scores[d, c] += model.values[j] * _on_label(model, c, of_word)
        total = 0.0
        for c in range(model.even.size):
            if model.even[c] > 0:
                scores[d, c] += (model.even[c] if n_tokens > 0 else 1.0) * _on_label(model, c, of_document)
            total += scores[d, c]
        for c in range(model.even.size):
            scores[d, c] /= total if total > 0 else 1.0


@inlined
def _on_label(model, c, sums):
    """Return sum_k phi'_ck a_k, without topics a_c."""
    return _product(model.topics[c], sums, 0.0) if model.topics.shape[1] > 0 else sums[c]


@summing
def _product(a, b, more):
    """Return the sum of a (b + more)."""
    total = 0.0
    for k in range(a.size):
        total += a[k] * (b[k] + more)
    return total
