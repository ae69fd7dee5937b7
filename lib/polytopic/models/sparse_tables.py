"""The tables behind prediction among thousands of labels, made once from a fitted model's sparse counts."""

import numpy as np
from scipy import sparse

from polytopic.kernels import alias, sparse_prediction
from polytopic.kernels.sparse_prediction import FixedPrior, Phi, Topics

# Words on more than this share of the labels, and on more than that many, get a dense row: it is 16 times as long
# as their list at most.
DENSE_SHARE = 1 / 16
FEWEST_DENSE = 16


def phi_tables(label_word_counts, beta):
    """Return phi as a Phi from pooled counts (C, W) CSR and the smoothing beta added to each of them."""
    by_label = sparse.csr_matrix(label_word_counts, dtype=np.float64)
    by_label.sort_indices()
    n_labels, n_words = by_label.shape
    scale = 1 / (np.asarray(by_label.sum(axis=1)).ravel() + n_words * beta)
    by_label.data *= np.repeat(scale, np.diff(by_label.indptr))
    by_word = by_label.tocsc()
    by_word.sort_indices()
    spread = np.flatnonzero(np.diff(by_word.indptr) > max(n_labels * DENSE_SHARE, FEWEST_DENSE))
    dense_row = np.full(n_words, -1, np.int32)
    dense_row[spread] = np.arange(spread.size)
    dense = np.zeros((max(spread.size, 1), n_labels), np.float32)
    if spread.size:
        dense[:] = by_word[:, spread].T.toarray()
    return Phi(
        by_word.indptr.astype(np.int64),
        by_word.indices.astype(np.int32),
        by_word.data.astype(np.float32),
        by_label.indptr.astype(np.int64),
        by_label.indices.astype(np.int32),
        by_label.data.astype(np.float32),
        beta * scale,
        dense_row,
        dense,
    )


def fixed_prior(phi, alpha):
    """Return the FixedPrior for alpha' (C,), with scale 1."""
    keep, other, word_mass = _alias(phi.word_ptr, phi.word_values * alpha[phi.word_labels])
    shared_keep, shared_other, shared = _alias(np.array([0, alpha.size]), phi.smooth * alpha)
    return FixedPrior(1.0, word_mass, keep, other, float(shared[0]), shared_keep, shared_other)


def topic_tables(phi, topic_label_counts, beta_c, eta, gamma):
    """Return the Topics for counts (T, C) smoothed by beta_c, with the weights eta and gamma (per topic)."""
    n_topics, n_labels = topic_label_counts.shape
    scale = 1 / (topic_label_counts.sum(axis=1) + n_labels * beta_c)
    smooth = beta_c * scale
    value = sparse.csr_matrix(topic_label_counts * scale[:, None])
    by_label = value.tocsc()
    by_word = sparse.csr_matrix(
        (phi.word_values.astype(np.float64), phi.word_labels, phi.word_ptr),
        shape=(phi.word_ptr.size - 1, n_labels),
    )
    word_keep, word_other, word_mass = _alias(phi.word_ptr, phi.word_values.astype(np.float64))
    shared_keep, shared_other, shared = _alias(np.array([0, n_labels]), phi.smooth)
    topic_ptr = value.indptr.astype(np.int64)
    topic_keep, topic_other, topic_mass = _alias(topic_ptr, value.data * phi.smooth[value.indices])
    joint = (by_word @ value.T).toarray()
    mass = joint + word_mass[:, None] * smooth + topic_mass + shared[0] * smooth
    return Topics(
        smooth,
        topic_ptr,
        value.indices.astype(np.int32),
        value.data.astype(np.float32),
        topic_keep,
        topic_other,
        topic_mass,
        by_label.indptr.astype(np.int64),
        by_label.indices.astype(np.int32),
        by_label.data.astype(np.float32),
        _padded(joint),
        _padded(mass),
        word_mass,
        word_keep,
        word_other,
        float(shared[0]),
        shared_keep,
        shared_other,
        float(eta),
        float(gamma),
    )


def no_topics(phi):
    """Return the Topics of a model that has none."""
    empty = sparse.csr_matrix((0, phi.smooth.size))
    return topic_tables(phi, empty.toarray(), 1.0, 0.0, 1.0)


def workspace(phi, n_topics, longest, n_slots, n_pairs):
    """Return (document, slots, pairs) for documents of up to ``longest`` tokens and n_slots labels at a time."""
    longest = max(longest, 1)
    n_words, n_labels = phi.word_ptr.size - 1, phi.smooth.size
    padded = _round_up(n_topics)
    n_slots = _round_up(n_slots)

    def integers(n):
        return np.zeros(n, np.int32)

    document = sparse_prediction.Document(
        integers(longest),
        integers(longest),
        np.full(n_words, -1, np.int32),
        integers(longest),
        integers(longest),
        np.zeros(padded, np.float32),
        np.zeros(padded, np.float32),
        np.zeros(longest),
        np.zeros(16, np.float32),
    )
    slots = sparse_prediction.Slots(
        np.zeros((longest, n_slots), np.float32),
        np.zeros(n_slots, np.float32),
        integers(n_slots),
        np.full(n_labels, -1, np.int32),
        integers(n_slots),
        np.zeros(2, np.int64),
    )
    pairs = sparse_prediction.Pairs(
        np.full(longest * n_topics, -1, np.int32),
        integers(longest * n_topics),
        integers(n_pairs),
        np.zeros(n_pairs),
        np.zeros(1, np.int64),
    )
    return document, slots, pairs


def _alias(ptr, weights):
    keep, other = np.zeros(weights.size, np.float32), np.zeros(weights.size, np.int32)
    totals = alias.build(np.asarray(ptr, np.int64), np.asarray(weights, np.float64), keep, other)
    return keep, other, totals


def _padded(table):
    wide = np.zeros((table.shape[0], _round_up(table.shape[1])), np.float32)
    wide[:, : table.shape[1]] = table
    return wide


def _round_up(n):
    return -(-max(n, 1) // sparse_prediction.LANES) * sparse_prediction.LANES
