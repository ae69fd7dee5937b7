"""The label-word distributions among thousands of labels, and what one document needs of them.

phi_wc = value_wc + smooth_c: the word's own share, which is zero for most labels, and what beta_W adds. A label's
row is its phi over the present document's distinct words. Rows are filled in when a label is first drawn
and kept for all chains of the document, until the room runs out. Where a document is sampled often enough to pay
for it, the words' lists are first sorted by label, so that a row costs no more than its own entries.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, padded, spread, store

STEP = 2 * LANES  # words whose masses are worked on at a time

# What belongs to one label, or to one entry of a list, lies together, so that a visit waits for memory once.
LABEL = np.dtype([("start", np.int64), ("smooth", np.float32)])
ENTRY = np.dtype([("item", np.int32), ("value", np.float32)])
WHERE = np.dtype([("active", np.int32), ("row", np.int32)])


class Phi(NamedTuple):
    """value_wc by label and by word, each list in order, and smooth_c."""

    labels: np.ndarray  # (C + 1,) LABEL  label c has the entries from its start to the start of label c + 1
    entries: np.ndarray  # (nnz,) ENTRY  words
    word_ptr: np.ndarray  # (W + 1,)
    word_labels: np.ndarray  # (nnz + LANES,) int32  the same by word
    word_values: np.ndarray  # (nnz + LANES,) float32
    n_words: int


class Words(NamedTuple):
    """The distinct words of the present document."""

    unique: np.ndarray  # (U,) int32
    place: np.ndarray  # (N,) int32  each token's word, as a place in ``unique``
    local: np.ndarray  # (W,) int32  a word's place in ``unique``, or -1


class Document(NamedTuple):
    """The present document."""

    number: int
    tokens: np.ndarray  # (N,) int32  words
    n_unique: int  # distinct words
    stride: int  # the same, padded to STEP: from one row to the next
    is_sorted: bool  # whether its words' lists are sorted by label
    word_by_word: bool  # whether the tokens of a word follow one another


class Lists(NamedTuple):
    """value_wc of the present document's words alone, by label."""

    ptr: np.ndarray  # (C + 2,) int32  label c has entries[ptr[c]:ptr[c + 1]]
    entries: np.ndarray  # (room,) ENTRY  places of words


class PhiCache(NamedTuple):
    """phi_wc of the labels met in the present document, a row of its distinct words each."""

    phi: np.ndarray  # (R * stride,) float32
    label: np.ndarray  # (R,) int32
    where: np.ndarray  # (C,) WHERE  the label's row here, and its place among the active labels; or -1
    size: np.ndarray  # [rows in use]


@compiled
def open_document(number, tokens, is_sorted, phi, work):
    """Return the Document of these tokens, its distinct words listed and, where wanted, their lists sorted by label.

    work has room for the document's words, lists and cache.
    """
    words, n_unique, word_by_word = work.words, 0, True
    for i in range(tokens.size):
        w = tokens[i]
        if words.local[w] < 0:
            words.local[w] = n_unique
            words.unique[n_unique] = w
            n_unique += 1
        words.place[i] = words.local[w]
        word_by_word &= words.place[i] == n_unique - 1
    if is_sorted:
        _sort_lists(n_unique, phi, words, work.lists)
    return Document(number, tokens, n_unique, padded(n_unique, STEP), is_sorted, word_by_word)


@compiled
def close_document(document, work):
    """Forget the document's words, and every row."""
    for place in range(document.n_unique):
        work.words.local[work.words.unique[place]] = -1
    cache = work.cache
    for row in range(cache.size[0]):
        cache.where[cache.label[row]]["row"] = -1
    cache.size[0] = 0


@compiled
def _sort_lists(n_unique, phi, words, lists):
    """Sort the words' lists by label: count the entries of each label, then put them in place."""
    ptr, entries = lists.ptr, lists.entries
    ptr[:] = 0
    for place in range(n_unique):
        w = words.unique[place]
        for q in range(phi.word_ptr[w], phi.word_ptr[w + 1]):
            ptr[phi.word_labels[q] + 2] += 1
    for c in range(2, ptr.size):
        ptr[c] += ptr[c - 1]
    for place in range(n_unique):
        w = words.unique[place]
        for q in range(phi.word_ptr[w], phi.word_ptr[w + 1]):
            c = phi.word_labels[q] + 1
            entries[ptr[c]]["item"] = place
            entries[ptr[c]]["value"] = phi.word_values[q]
            ptr[c] += 1


@inlined
def has_room(c, cache):
    """Say whether label c has a row or can get one."""
    return cache.where[c]["row"] >= 0 or cache.size[0] < cache.label.size


@inlined
def row_of(c, document, phi, work):
    """Return label c's row, filling it in if it is missing; there is room."""
    cache = work.cache
    row = cache.where[c]["row"]
    if row >= 0:
        return row
    row = cache.size[0]
    cache.size[0] += 1
    cache.label[row] = c
    cache.where[c]["row"] = row
    _fill(c, row * document.stride, document, phi, work.words, work.lists, cache)
    return row


@inlined
def _fill(c, start, document, phi, words, lists, cache):
    first, smooth = phi.labels[c]["start"], phi.labels[c]["smooth"]
    for place in range(0, document.stride, LANES):
        store(cache.phi, start + place, spread(smooth))
    if document.is_sorted:
        for q in range(lists.ptr[c], lists.ptr[c + 1]):
            cache.phi[start + lists.entries[q]["item"]] = smooth + lists.entries[q]["value"]
    else:
        for q in range(first, phi.labels[c + 1]["start"]):
            place = words.local[phi.entries[q]["item"]]
            if place >= 0:
                cache.phi[start + place] = smooth + phi.entries[q]["value"]


@compiled
def keep_active(stride, cache):
    """Drop the rows of labels that have no token, and close the gaps."""
    n_kept = 0
    for row in range(cache.size[0]):
        c = cache.label[row]
        cache.where[c]["row"] = -1
        if cache.where[c]["active"] >= 0:
            for place in range(stride):
                cache.phi[n_kept * stride + place] = cache.phi[row * stride + place]
            cache.label[n_kept] = c
            cache.where[c]["row"] = n_kept
            n_kept += 1
    cache.size[0] = n_kept
