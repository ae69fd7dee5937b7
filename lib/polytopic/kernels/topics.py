"""Topics over items, be they words or label tokens: what the samplers of LDA share.

Both draw from the same posterior, p(z | items) with theta and phi integrated out (Griffiths & Steyvers 2004;
Rubin et al. 2012, Eq. 5). They differ in the order of the tokens and in how a topic is found:

    lda_dense   document by document, every topic weighed, sixteen at a time
    lda_tree    item by item, the document's own topics weighed and the others kept in a tree of sums

The tree keeps documents by topics as one list per document, in the room of its tokens: no table of the two.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, first_set, load, prefetch

MOST_TOPICS = 2**16
AHEAD = 4  # tokens by which a document's list is fetched before it is needed
FETCHED = 4 * LANES  # entries of a list that are fetched at most


class ByDocument(NamedTuple):
    """Tokens in document order; those of document d are items[ptr[d]:ptr[d + 1]]."""

    ptr: np.ndarray  # (D + 1,)
    items: np.ndarray  # (N,) int32  word (or label) of each token
    n_items: int  # W (or C)


class ByItem(NamedTuple):
    """The same tokens in order of their items; those of item w lie in docs[item_ptr[w]:item_ptr[w + 1]]."""

    item_ptr: np.ndarray  # (W + 1,)
    docs: np.ndarray  # (N,) int32  document of each token, ascending within an item
    doc_ptr: np.ndarray  # (D + 1,)  tokens of the documents before each


@compiled
def start(z, n_topics, random):
    """Put every token on a topic drawn uniformly; z (N,) uint16, random a one-lane generator."""
    for i in range(z.size):
        z[i] = int(generator.uniform(random) * n_topics)


class Lists(NamedTuple):
    """The topics of document d and its tokens on each, length[d] entries from its first token's place on."""

    entries: np.ndarray  # (N + LANES,) int32  count << bits | topic
    length: np.ndarray  # (D,) int32
    bits: int


def lists_of(tokens, z, n_topics):
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
        d, t = tokens.docs[i], np.int64(z[i])
        first, n = tokens.doc_ptr[d], np.int64(lists.length[d])
        j = _find(first, n, t, lists)
        if j == n:
            lists.entries[first + n] = t
            lists.length[d] += 1
        lists.entries[first + j] += 1 << lists.bits


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
def move(first, d, t, k, lists):
    """Take one token of document d from topic t to another topic, k."""
    n, token = np.int64(lists.length[d]), 1 << lists.bits
    # Both are looked up before anything changes: to read many entries at once would wait for a store to one of them.
    here, there = first + _find(first, n, t, lists), first + _find(first, n, k, lists)
    last, found = first + n - 1, there < first + n
    if found:
        lists.entries[there] += token
    lists.entries[here] -= token
    if lists.entries[here] < token:
        lists.entries[here] = lists.entries[last]
        last -= 1
    if not found:
        last += 1
        lists.entries[last] = token | k
    lists.length[d] = last + 1 - first


@inlined
def fetch(i, last, tokens, lists):
    """Ask for what the tokens after i, of the same item, will need; last ends the item's tokens."""
    if i + 2 * AHEAD < last:
        d = tokens.docs[i + 2 * AHEAD]
        prefetch(tokens.doc_ptr, d)
        prefetch(lists.length, d)
    if i + AHEAD < last:
        first = tokens.doc_ptr[tokens.docs[i + AHEAD]]
        for k in range(0, FETCHED, LANES):
            prefetch(lists.entries, first + k)
