"""Documents by topics as one list a document, in the room of its tokens: no table of documents by topics."""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, first_set, load, prefetch

AHEAD = 8  # tokens by which a document's list is fetched before it is needed


class Lists(NamedTuple):
    """The topics of document d and its tokens on each, length[d] entries from its first token's place on."""

    entries: np.ndarray  # (N + LANES,) int32  count << bits | topic
    length: np.ndarray  # (D,) int32
    bits: int


def init(tokens, z, n_topics):
    """Return the lists that assignments z (N,), in order of items, imply.

    Raise ValueError if a document is so long that a count could outgrow its bits: 2**31 tokens times topics.
    """
    bits = max(1, int(n_topics - 1).bit_length())
    longest = int(np.diff(tokens.doc_ptr).max(initial=0))
    if longest >= 1 << (31 - bits):
        raise ValueError(
            f"a document of {longest} tokens is too long for {n_topics} topics: use the dense sampler"
        )
    lists = Lists(np.zeros(z.size + LANES, np.int32), np.zeros(tokens.doc_ptr.size - 1, np.int32), bits)
    _fill(tokens, z.astype(np.uint16), lists)
    return lists


@compiled
def _fill(tokens, z, lists):
    for i in range(z.size):
        d = tokens.docs[i]
        lists.entries[place(tokens.doc_ptr[d], d, np.int64(z[i]), lists)] += 1 << lists.bits


@inlined
def _find(first, n, t, lists):
    """Return the place, counted from first, of topic t among the n of a list, or n."""
    mask = (1 << lists.bits) - 1
    for k in range(0, n, LANES):
        lane = first_set(load(lists.entries, first + k) & mask == t)
        if lane < LANES:
            return min(k + lane, n)
    return n


@inlined
def place(first, d, t, lists):
    """Return the place of topic t in the list of document d, which starts at first; open it if it is not there."""
    n = np.int64(lists.length[d])
    j = _find(first, n, t, lists)
    if j == n:
        lists.entries[first + n] = t
        lists.length[d] += 1
    return first + j


@inlined
def count(first, d, t, lists):
    """Return the tokens of document d on topic t."""
    n = np.int64(lists.length[d])
    j = _find(first, n, t, lists)
    return np.int64(lists.entries[first + j] >> lists.bits) if j < n else 0


@inlined
def move(first, d, t, k, lists):
    """Take one token of document d from topic t to another topic, k."""
    token = 1 << lists.bits
    here = place(first, d, t, lists)
    lists.entries[here] -= token
    if lists.entries[here] < token:
        lists.length[d] -= 1
        lists.entries[here] = lists.entries[first + lists.length[d]]
    lists.entries[place(first, d, k, lists)] += token


@inlined
def fetch(i, last, tokens, lists):
    """Ask for what the tokens after i, of the same item, will need; last ends the item's tokens."""
    if i + 2 * AHEAD < last:
        d = tokens.docs[i + 2 * AHEAD]
        prefetch(tokens.doc_ptr, d)
        prefetch(lists.length, d)
    if i + AHEAD < last:
        prefetch(lists.entries, tokens.doc_ptr[tokens.docs[i + AHEAD]])
