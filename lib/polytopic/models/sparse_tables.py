"""The tables behind prediction among thousands of labels, made once from a fitted model's sparse counts."""

import numpy as np
from scipy import sparse

from polytopic.kernels import alias, label_tokens, phi_cache, sparse_prediction, sparse_reading, topic_prior
from polytopic.kernels.documents import Streams
from polytopic.kernels.phi_cache import Phi
from polytopic.kernels.simd import LANES, aligned_zeros, padded
from polytopic.kernels.topic_prior import FixedPrior, Topics
from polytopic.models.topic_chains import arrays


def smoothed(counts, by):
    """Return (value CSR, smooth) with value_tc + smooth_t = (counts_tc + by) / sum over c, for counts (T, C)."""
    value = sparse.csr_matrix(counts, dtype=np.float64, copy=True)
    value.sort_indices()
    scale = 1 / (value.sum(axis=1).A1 + value.shape[1] * by)
    value.data *= np.repeat(scale, np.diff(value.indptr))
    return value, by * scale


def phi_tables(label_word_counts, beta):
    """Return phi as a Phi from pooled counts (C, W) CSR and the smoothing beta added to each of them."""
    by_label, smooth = smoothed(label_word_counts, beta)
    n_labels, n_words = by_label.shape
    labels = np.zeros(n_labels + 1, phi_cache.LABEL)
    labels["start"] = by_label.indptr
    labels["smooth"][:n_labels] = smooth
    by_word = by_label.tocsc()
    entries = np.zeros(by_label.nnz, phi_cache.ENTRY)
    entries["item"], entries["value"] = by_label.indices, by_label.data
    word_labels = np.pad(by_word.indices.astype(np.int32), (0, LANES))
    word_values = np.pad(by_word.data.astype(np.float32), (0, LANES))
    return Phi(labels, entries, by_word.indptr.astype(np.int64), word_labels, word_values, n_words)


def fixed_prior(phi, alpha):
    """Return the FixedPrior for alpha' (C,), with scale 1."""
    n = phi.word_ptr[-1]
    labels = phi.word_labels[:n]
    word_cells, word_mass = _alias(phi.word_ptr, labels, phi.word_values[:n] * alpha[labels])
    n_labels = alpha.size
    smooth = phi.labels["smooth"][:n_labels]
    shared_cells, shared = _alias(np.array([0, n_labels]), np.arange(n_labels), smooth * alpha)
    return FixedPrior(1.0, phi.word_ptr, word_cells, word_mass, shared_cells, float(shared[0]))


def flat_priors(phi, eta, alpha):
    """Return the FixedPrior of alpha for every label, and that of the first sweeps, eta / C + alpha."""
    n_labels = phi.labels.size - 1
    flat = fixed_prior(phi, np.ones(n_labels))
    return flat._replace(scale=float(alpha)), flat._replace(scale=float(eta / n_labels + alpha))


def topic_tables(phi, flat, value, smooth, eta, gamma):
    """Return the Topics for phi' = value (T, C) CSR + smooth (T,), with the weights eta and gamma (per topic).

    flat is a fixed prior whose alpha' is the same for every label.
    """
    n_labels = value.shape[1]
    weights = value.data * phi.labels["smooth"][value.indices]
    topic_cells, topic_mass = _alias(value.indptr, value.indices, weights)
    n = phi.word_ptr[-1]
    by_word = (phi.word_values[:n].astype(np.float64), phi.word_labels[:n], phi.word_ptr)
    joint = (sparse.csr_matrix(by_word, shape=(phi.word_ptr.size - 1, n_labels)) @ value.T).toarray()
    mass = joint + topic_mass + (flat.word_mass[:, None] + flat.shared_mass) * smooth
    return _topics(value, smooth, topic_cells, topic_mass, mass, eta, gamma)


def topic_labels(value, smooth, gamma):
    """Return topics, cells and mass of a ``label_tokens.Model`` for phi' = value (T, C) CSR + smooth (T,)."""
    cells, mass = _alias(value.indptr, value.indices, value.data)
    n_topics = smooth.size
    none = np.zeros((0, n_topics))
    topics = _topics(value, smooth, np.zeros(0, alias.CELL), np.zeros(0), none, 0.0, gamma)
    return topics, cells, mass


def _topics(value, smooth, topic_cells, topic_mass, mass, eta, gamma):
    topic_ptr, topic_labels, topic_values = arrays(value, np.float32)
    label_ptr, *by_label = arrays(value.tocsc(), np.float32)
    return Topics(
        smooth,
        _padded(smooth[None])[0],
        topic_ptr,
        np.pad(topic_labels, (0, LANES)),
        topic_values,
        topic_cells,
        topic_mass,
        label_ptr,
        *(np.pad(part, (0, LANES)) for part in by_label),
        _padded(mass),
        float(eta),
        float(gamma),
        float(gamma * smooth.sum()),
    )


def no_topics(phi, fixed):
    """Return the Topics of a model that has none."""
    empty = sparse.csr_matrix((0, phi.labels.size - 1))
    return topic_tables(phi, fixed, empty, np.zeros(0), 0.0, 1.0)


ROOM_FOR_PAIRS = 1 << 20  # entries of lists of the labels that a word and a topic both have, at least


def workspace(phi, n_topics, longest, n_cached, n_entries):
    """Return the Workspace for documents of up to ``longest`` tokens, with n_cached labels' phi at a time.

    n_entries is the room for the documents' lists.
    """
    longest = max(longest, 1)
    n_words, n_labels = phi.n_words, phi.labels.size - 1
    where = np.full(n_labels, -1, phi_cache.WHERE)
    words = phi_cache.Words(_integers(longest), _integers(longest), np.full(n_words, -1, np.int32))
    stride = padded(longest, phi_cache.STEP)
    label, start, place = _integers((3, padded(n_cached)))
    count, mass, size = aligned_zeros(padded(n_cached)), aligned_zeros(stride), np.zeros(1, np.int64)
    active = sparse_prediction.Active(label, start, count, where, size, place, mass)
    lists = phi_cache.Lists(_integers(n_labels + 2), np.zeros(n_entries, phi_cache.ENTRY))
    phi_rows, labels = aligned_zeros(n_cached * stride), _integers(n_cached)
    rows = phi_cache.PhiCache(phi_rows, labels, where, np.zeros(1, np.int64))
    topics = _assignments(n_topics, longest)
    room = max(ROOM_FOR_PAIRS, n_labels) if n_topics else 0
    listed = np.empty(room, np.int32), np.empty(room, np.float32)  # filled as far as used
    first, end = np.full((2, min(longest, n_words), n_topics), -1, np.int32)
    pairs = topic_prior.Pairs(first, end, *listed, _integers(1))
    streams = Streams(np.zeros((4, 1), np.uint32), np.zeros((4, 1), np.uint32))
    ahead = topic_prior.AHEAD
    draws = np.zeros(ahead, bool), np.zeros(ahead, np.int64), np.zeros(ahead)
    drawn = topic_prior.Drawn(_integers(longest * ahead), _integers(longest), *draws)
    return sparse_prediction.Workspace(
        words, _integers(longest), active, lists, rows, drawn, topics, pairs, streams
    )


def readings(word_ptr, longest, n_labels, n_topics):
    """Return empty Readings of documents with distinct words word_ptr[d] to word_ptr[d + 1].

    longest is the number of tokens of the longest document.
    """
    n_words, by_label = int(word_ptr[-1]), np.zeros((word_ptr.size - 1, n_labels, 3))
    share, topic_share = np.zeros((n_words, 2)), np.zeros((n_words, 2, n_topics))
    of_document = (np.zeros(max(longest, 1)) for _ in range(5))
    return sparse_reading.Readings(by_label, word_ptr, _integers(n_words), share, topic_share, *of_document)


def label_token_workspace(phi, topics, n_tokens, eta, alpha, longest, n_cached, n_entries):
    """Return the Workspace of proper inference, with n_tokens label tokens, for documents of up to ``longest`` words.

    The other arguments are those of ``workspace``.
    """
    n_topics, n_labels = topics.smooth.size, phi.labels.size - 1
    room = padded(max(longest, 1))
    ratios = np.zeros((n_tokens, longest + 1))  # pages that stay zero take no memory
    ratios[:, 0] = 1.0
    c, first, place = (np.full(n, -1, np.int32) for n in (n_tokens, n_labels, n_labels))
    state = label_tokens.State(c, _integers(n_labels), _integers(n_labels), first)
    size = np.zeros(1, np.int64)
    excess, product = aligned_zeros((2, room))
    active = label_tokens.Active(
        _integers(room), place, size, excess, aligned_zeros((n_topics, room)), product
    )
    ratios = label_tokens.Ratios(ratios, _integers(n_tokens), eta / n_tokens, float(alpha))
    of_words = workspace(phi, 0, longest, n_cached, n_entries)
    return label_tokens.Workspace(state, active, ratios, of_words, _assignments(n_topics, n_tokens))


def _assignments(n_topics, n_tokens):
    weight, theta, product = aligned_zeros((3, padded(max(n_topics, 1))))
    n_t, part = np.zeros(n_topics, np.int64), np.zeros(n_tokens)
    return topic_prior.Assignments(*_integers((2, n_tokens)), n_t, weight, theta, part, product)


def _integers(shape):
    return np.zeros(shape, np.int32)


def _alias(ptr, items, weights):
    cells = np.zeros(weights.size, alias.CELL)
    totals = alias.build(np.asarray(ptr, np.int64), items.astype(np.int32), weights.astype(np.float64), cells)
    return cells, totals


def _padded(table):
    wide = aligned_zeros((table.shape[0], padded(max(table.shape[1], 1))))
    wide[:, : table.shape[1]] = table
    return wide
