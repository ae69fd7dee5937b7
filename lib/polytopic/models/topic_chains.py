"""Chains of unsupervised LDA: which sampler suits a corpus, tokens from counts, and the counts of a chain's state."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.kernels import generator, lda_dense, lda_tree, mixtures, topics
from polytopic.validation import check_one_of

SAMPLERS = {"dense": lda_dense, "tree": lda_tree}
MOST_DENSE_TOPICS = 160
MOST_DENSE_CELLS = 2**21  # of the table of items by topics: 8 MiB, which caches still help with


class Counts(NamedTuple):
    """Tokens of each item on each topic, (W, T), and of each document on each topic, (D, T): CSR int64."""

    item_topics: sparse.csr_matrix
    document_topics: sparse.csr_matrix


class Chain:
    """One chain over a corpus X (D, W) CSR of counts or of bool; items are words, or labels.

    alpha is per topic, a number or (T,); beta is per item, and both are positive. ``name`` is the 64-bit word that
    the chain's random numbers come from: the same name and arguments, the same bits. sampler is "dense"
    or "tree", by default the one that ``cheapest`` names. start, what ``assignments`` has returned, is
    where the chain starts from, by default uniform draws. Raise ValueError for any other sampler, for a prior that
    is not positive and for more than 65,536 topics.
    """

    def __init__(self, X, n_topics, alpha, beta, name, sampler=None, start=None):
        self.sampler = sampler or cheapest(X.shape[1], n_topics)
        check_one_of(SAMPLERS, sampler=self.sampler)
        if not 1 <= n_topics <= topics.MOST_TOPICS:
            raise ValueError(f"n_topics must be in 1..{topics.MOST_TOPICS}, got {n_topics}")
        self.alpha = np.full(n_topics, alpha, np.float64) if np.ndim(alpha) == 0 else np.array(alpha, float)
        self.beta = float(beta)
        if self.alpha.shape != (n_topics,) or not (self.alpha > 0).all() or not self.beta > 0:
            raise ValueError("alpha must be positive, a number or one per topic, and beta a positive number")
        self._kernel = SAMPLERS[self.sampler]
        self._tokens = (by_document if self._kernel.ORDER is topics.ByDocument else by_item)(X)
        self._shape = X.shape
        self._random = generators(name)
        if start is None:
            z = np.zeros(int(X.sum()), np.uint16)
            topics.start(z, n_topics, self._random)
        else:
            z = np.empty_like(start)
            z[self._in_documents()] = start
        self._state = self._kernel.init(self._tokens, z, n_topics)
        self._work = self._kernel.workspace(self._tokens, self.alpha)

    def advance(self, n_sweeps):
        """Sweep over all tokens n_sweeps times; return the chain."""
        for _ in range(n_sweeps):
            self._kernel.sweep(self._tokens, self._state, self.alpha, self.beta, self._random, self._work)
        return self

    def assignments(self):
        """Return the topics of all tokens, (N,) uint16, in order of documents and of items within each."""
        return self._state.z[self._in_documents()]

    def _in_documents(self):
        """Return the place of each token among the sampler's, in order of documents and of items within each."""
        return np.argsort(pairs(self._tokens)[0], kind="stable")

    def counts(self):
        """Return the Counts of the present state."""
        docs, items = pairs(self._tokens)
        z, n_topics = self._state.z.astype(np.int32), self.alpha.size
        n_documents, n_items = self._shape
        return Counts(_counted(items, z, (n_items, n_topics)), _counted(docs, z, (n_documents, n_topics)))


def generators(*names):
    """Return the states (4, n) of the generators of chains by these names, 64-bit words."""
    random = np.zeros((4, len(names)), np.uint32)
    generator.seed(random, np.array(names, np.uint64), np.uint64(0))
    return random


def cheapest(n_items, n_topics):
    """Return the name of the sampler that should take least time: "dense" or "tree".

    Weighing all topics takes longer the more there are; the tree hardly minds: it takes many topics, or a table that
    outgrows the caches. The rule is the same on every machine: a seed means the same bits.
    """
    few = n_topics <= MOST_DENSE_TOPICS and n_items * n_topics <= MOST_DENSE_CELLS
    return "dense" if few else "tree"


def by_document(X):
    """Return the tokens of X (D, W) CSR in order of documents and of items within each."""
    X = X if X.has_sorted_indices else X.sorted_indices()
    counts = X.data.astype(np.int64)
    ptr = np.concatenate([[0], np.cumsum(counts)])[X.indptr]
    return topics.ByDocument(ptr, np.repeat(X.indices, counts).astype(np.int32), X.shape[1])


def by_item(X):
    """Return the tokens of X (D, W) CSR in order of items."""
    columns = X.tocsc()
    columns.sort_indices()
    counts = columns.data.astype(np.int64)
    item_ptr = np.concatenate([[0], np.cumsum(counts)])[columns.indptr]
    doc_ptr = np.concatenate([[0], np.cumsum(X.data, dtype=np.int64)])[X.indptr]
    return topics.ByItem(item_ptr, np.repeat(columns.indices, counts).astype(np.int32), doc_ptr)


def arrays(X, dtype=np.int32):
    """Return pointers, int64, indices, int32, and values of X, CSR or CSC, for a kernel, which leaves them alone."""
    return X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), X.data.astype(dtype, copy=False)


def meetings(X, Y):
    """Return where columns of X (D, W) and of Y (D, C), CSR with sorted indices, meet in a row: (table, ptr, places).

    table (W, C) is CSR with an entry for each such pair. Those of row d, entry after entry of X with the row's of Y
    in order, have the places ptr[d]:ptr[d + 1] in it.
    """
    table = ((X > 0).astype(np.int32).T @ Y.astype(np.int32)).tocsr().sorted_indices()
    ptr = np.concatenate([[0], np.cumsum(np.diff(X.indptr).astype(np.int64) * np.diff(Y.indptr))])
    places = np.empty(ptr[-1], np.int32)
    mixtures.place_pairs(X.indptr, X.indices, Y.indptr, Y.indices, table.indptr, table.indices, places)
    return table, ptr, places


def pairs(tokens):
    """Return document and item of each token, in the tokens' own order."""
    if isinstance(tokens, topics.ByDocument):
        return np.repeat(np.arange(tokens.ptr.size - 1), np.diff(tokens.ptr)), tokens.items
    return tokens.docs, np.repeat(np.arange(tokens.item_ptr.size - 1), np.diff(tokens.item_ptr))


def predicted_shares(counts, alpha, beta, where):
    """Return the sum over t of theta_dt phi_tw at the entries of where (D, W) CSR: the share of item w in document d.

    theta and phi are the means that the counts and the priors imply; alpha is per topic, beta per item.
    """
    phi = counts.item_topics.toarray() + float(beta)
    phi /= phi.sum(axis=0)
    theta = counts.document_topics.toarray() + alpha
    theta /= theta.sum(axis=1, keepdims=True)
    shares = np.empty(where.nnz)
    for d, (a, b) in enumerate(pairwise(where.indptr)):
        shares[a:b] = phi[where.indices[a:b]] @ theta[d]
    return shares


def _counted(rows, columns, shape):
    return sparse.coo_matrix((np.ones(rows.size, np.int64), (rows, columns)), shape=shape).tocsr()
