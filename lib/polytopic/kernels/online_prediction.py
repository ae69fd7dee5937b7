"""Unseen documents under the online models: Algorithm 1 of Burkhardt & Kramer (2018), the expected counts fixed.

A token's lambda over labels and topics is a product, so its sum over labels is a mean of the topics' labels under the
word, made once for each word, and its sum over topics is taken once for each word of a document: nothing of the size
labels times topics is held for a token. Of phi the non-zero counts are read; what smoothing adds is the same for all
words of a label.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from polytopic.kernels import word_labels
from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.online import DOCUMENT, Work, follow, share, step

summing = partial(compiled, fastmath={"reassoc", "contract"})


class Model(NamedTuple):
    """What prediction needs: phi_wc = (scale N_wc + eta_w) per_label_c, phi'_ck = topics_ck."""

    cells: word_labels.Table
    scale: float
    eta_w: float
    per_label: np.ndarray  # (C,) float64  1 / (N^Z_c + W eta_w); 0 for labels that have no tokens
    topics: np.ndarray  # (C, T) float64; (C, 0) without topics
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
def predict(model, documents):
    """Return the shares of each document's tokens on each label, its normalised N^Z, (D, C) float64.

    A document without words has the shares that the labels have before any word is seen.
    """
    n_labels, n_topics = model.topics.shape
    scores = np.zeros((documents.ptr.size - 1, n_labels))
    if n_topics == 0:
        work = Work(np.zeros(n_labels), np.zeros((0, 0)), np.zeros(n_labels), np.zeros(n_labels))
        by_labels(model, documents, work, scores)
        return scores
    sums, means = np.zeros((2, n_topics)), np.zeros((documents.distinct.size, n_topics))
    work = Work(np.zeros(0), np.zeros((0, 0)), np.zeros(n_topics), np.zeros(n_topics))
    _mean_labels(model, documents, sums[0], means)
    with_topics(model, documents, means, sums, work, scores)
    return scores


@compiled
def by_labels(model, documents, work, scores):
    """Fill scores (D, C) of a model without topics; work has C entries each."""
    n_labels = model.per_label.size
    for d in range(documents.ptr.size - 1):
        first, last = documents.ptr[d], documents.ptr[d + 1]
        n = _length(documents, d)
        for c in range(n_labels):
            work.mean[c] = 0.0
        for turn in range(model.burn_in + 1):
            i = 0
            for p in range(first, last):
                likelihood(model, documents.distinct[documents.places[p]], work.by_word)
                for _ in range(documents.counts[p]):
                    share(work.by_word, n_labels, model.alpha, work)
                    follow(work, n_labels, step(model.steps, DOCUMENT, i), n)
                    i += 1
                    if turn == model.burn_in:
                        for c in range(n_labels):
                            scores[d, c] += work.row[c]
        if n == 0:
            for c in range(n_labels):
                scores[d, c] = 1.0 if model.per_label[c] > 0 else 0.0
        _normalise(scores[d])


@compiled
def likelihood(model, w, row):
    """Set the row to phi_wc of all labels."""
    for c in range(row.size):
        row[c] = model.eta_w * model.per_label[c]
    cells = model.cells
    for i in range(cells.first[w], cells.first[w] + cells.room[w]):
        if cells.labels[i] != word_labels.NONE:
            row[cells.labels[i]] += model.scale * cells.values[i] * model.per_label[cells.labels[i]]


@compiled
def _mean_labels(model, documents, flat, means):
    """Set means (U, T) to sum_c phi_wc phi'_ck of the distinct words; flat (T,), at first 0, to smoothing's part."""
    cells, n_topics = model.cells, flat.size
    for c in range(model.per_label.size):
        for k in range(n_topics):
            flat[k] += model.eta_w * model.per_label[c] * model.topics[c, k]
    for u in range(documents.distinct.size):
        w = documents.distinct[u]
        for k in range(n_topics):
            means[u, k] = flat[k]
        for i in range(cells.first[w], cells.first[w] + cells.room[w]):
            c = cells.labels[i]
            if c != word_labels.NONE:
                held = model.scale * cells.values[i] * model.per_label[c]
                for k in range(n_topics):
                    means[u, k] += held * model.topics[c, k]


@compiled
def with_topics(model, documents, means, sums, work, scores):
    """Fill scores (D, C) of a model with topics; means (U, T) as from ``_mean_labels``, sums (2, T) scratch.

    Of a word's tokens, lambda_ck summed up is phi_wc phi'_ck a_k, where a_k sums (N^theta'_k + alpha) / Z over them.
    """
    cells, n_topics = model.cells, model.topics.shape[1]
    of_word, of_document = sums[0], sums[1]
    for d in range(documents.ptr.size - 1):
        n = _length(documents, d)
        for k in range(n_topics):
            work.mean[k], of_document[k] = 0.0, 0.0
        for turn in range(model.burn_in + 1):
            i = 0
            for p in range(documents.ptr[d], documents.ptr[d + 1]):
                mean = means[documents.places[p]]
                for k in range(n_topics):
                    of_word[k] = 0.0
                for _ in range(documents.counts[p]):
                    inverse = 1 / _product(mean, work.mean, model.alpha)
                    for k in range(n_topics):
                        weight = (work.mean[k] + model.alpha) * inverse
                        of_word[k] += weight
                        work.row[k] = mean[k] * weight
                    follow(work, n_topics, step(model.steps, DOCUMENT, i), n)
                    i += 1
                if turn < model.burn_in:
                    continue
                for k in range(n_topics):
                    of_document[k] += of_word[k]
                w = documents.distinct[documents.places[p]]
                for j in range(cells.first[w], cells.first[w] + cells.room[w]):
                    c = cells.labels[j]
                    if c != word_labels.NONE:
                        held = model.scale * cells.values[j] * model.per_label[c]
                        scores[d, c] += held * _product(model.topics[c], of_word, 0.0)
        if n == 0:
            for k in range(n_topics):
                of_document[k] = 1.0
        for c in range(model.per_label.size):
            if model.per_label[c] > 0:
                weight = model.eta_w * model.per_label[c] if n > 0 else 1.0
                scores[d, c] += weight * _product(model.topics[c], of_document, 0.0)
        _normalise(scores[d])


@summing
def _product(a, b, more):
    """Return the sum of a (b + more)."""
    total = 0.0
    for k in range(a.size):
        total += a[k] * (b[k] + more)
    return total


@inlined
def _length(documents, d):
    n = 0
    for p in range(documents.ptr[d], documents.ptr[d + 1]):
        n += documents.counts[p]
    return n


@compiled
def _normalise(row):
    total = 0.0
    for c in range(row.size):
        total += row[c]
    for c in range(row.size):
        row[c] = row[c] / total if total > 0 else 0.0
