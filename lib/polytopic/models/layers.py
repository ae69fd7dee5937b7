"""Chains of the models with two layers, and the tokens that they go over."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.kernels import layered
from polytopic.models import topic_chains
from polytopic.streams import stream, word64


class Counts(NamedTuple):
    """Tokens of one chain's state, CSR int64, and the weight of each topic in its prior.

    ``above_words`` is by label and word (C, W), in the reversed model by topic and word (T, W); ``topic_labels`` is
    by topic and label (T, C); ``weights`` (T,) sums to 1.
    """

    above_words: sparse.csr_matrix
    topic_labels: sparse.csr_matrix
    weights: np.ndarray


class LayeredChain:
    """What the chains share: the documents' tokens, each with a label and a topic of its own, and random numbers.

    X (D, W) and Y (D, C) are CSR, each document with a word and a label. ``name``: seed and purpose of the random
    numbers. A kind of chain has ``_counted``, the State that assignments imply.
    """

    def __init__(self, X, Y, n_topics, name):
        self.tokens, self._cell_words, self._cell_labels = tokens(X, Y)
        self._shape, self._name = (Y.shape[1], n_topics, X.shape[1]), name
        self._random = topic_chains.generators(word64(*name))
        n = self.tokens.words.size
        z, t = np.zeros(n, np.int32), np.zeros(n, np.int32)
        layered.start(self.tokens, z, t, n_topics, self._random)
        self.state = self._counted(z, t)

    def _scratch(self, n_weighed, n_tables):
        """Return Scratch for the number of topics weighed for a token, and of those that tables count."""
        _, n_topics, _ = self._shape
        most = max(n_topics, int(np.diff(self.tokens.label_ptr).max()))
        tables = np.zeros(n_tables, np.int64)
        return layered.Scratch(np.zeros(n_weighed, np.int32), np.zeros(n_weighed), np.zeros(most), tables)

    def _pairs(self, z, t):
        """Return (n_ct (C, T), its sums by label, its sums by topic), int32."""
        n_labels, n_topics, _ = self._shape
        n_ct = np.zeros((n_labels, n_topics), np.int32)
        np.add.at(n_ct, (labels_of(self.tokens, z), t), 1)
        return n_ct, n_ct.sum(axis=1, dtype=np.int32), n_ct.sum(axis=0, dtype=np.int32)


class Chain(LayeredChain):
    """One chain of Fast-Dep.-LLDA.

    prior is (the weight on a document's topics in all, beta_w per word, beta_c per label). concentration, if not
    None, lets topics have weights of their own (``weigh``).
    """

    def __init__(self, X, Y, n_topics, prior, greedy, name, concentration=None):
        super().__init__(X, Y, n_topics, name)
        alpha_sum, beta_w, beta_c = prior
        self._greedy, self._concentration, self._alpha_sum, self._sweeps = greedy, concentration, alpha_sum, 0
        self.prior = layered.Prior(np.full(n_topics, alpha_sum / n_topics), float(beta_w), float(beta_c))
        self._work = self._scratch(n_topics, 0 if concentration is None else n_topics)

    def _counted(self, z, t):
        cells = np.bincount(self.tokens.cells[self.tokens.first + z], minlength=self._cell_words.size)
        return layered.State(z, t, cells.astype(np.int32), *self._pairs(z, t))

    def advance(self, n_sweeps):
        """Sweep over all tokens n_sweeps times; return the chain."""
        for _ in range(n_sweeps):
            self._work.tables[:] = 0
            layered.sweep(self.tokens, self.state, self.prior, self._greedy, self._random, self._work)
            self._sweeps += 1
            if self._concentration is not None:
                self.weigh()
        return self

    def weigh(self):
        """Draw the topics' weights given the tables of the last sweep: Dirichlet(concentration / T + tables).

        With T topics this approximates a hierarchical Dirichlet process, the better the more there are; T is exact
        for the finite model with these weights (Teh et al. 2006, whose auxiliary tables these are).
        """
        shape = self._concentration / self.prior.alpha.size + self._work.tables
        drawn = stream(*self._name, "weights", self._sweeps).standard_gamma(shape)
        weights = np.maximum(drawn / drawn.sum(), 1e-12)
        self.prior.alpha[:] = self._alpha_sum * weights

    def counts(self):
        """Return the Counts of the present state."""
        n_labels, _, n_words = self._shape
        of_cells = (self.state.lower.astype(np.int64), (self._cell_labels, self._cell_words))
        above = sparse.coo_matrix(of_cells, shape=(n_labels, n_words)).tocsr()
        above.eliminate_zeros()
        topics = sparse.csr_matrix(self.state.n_ct.T, dtype=np.int64)
        return Counts(above, topics, self.prior.alpha / self.prior.alpha.sum())


class ReversedChain(LayeredChain):
    """One chain of the reversed model, whose prior is (beta_w, beta_c)."""

    def __init__(self, X, Y, n_topics, prior, name):
        super().__init__(X, Y, n_topics, name)
        self.prior = layered.Prior(np.zeros(0), *map(float, prior))
        self._work = self._scratch(0, 0)

    def _counted(self, z, t):
        _, n_topics, n_words = self._shape
        n_wt = np.zeros((n_words, n_topics), np.int32)
        np.add.at(n_wt, (self.tokens.words, t), 1)
        return layered.State(z, t, n_wt, *self._pairs(z, t))

    def advance(self, n_sweeps):
        for _ in range(n_sweeps):
            layered.sweep_reversed(self.tokens, self.state, self.prior, self._random, self._work)
        return self

    def counts(self):
        of_words, of_labels = (
            sparse.csr_matrix(table.T, dtype=np.int64) for table in (self.state.lower, self.state.n_ct)
        )
        n_topics = self._shape[1]
        return Counts(of_words, of_labels, np.full(n_topics, 1 / n_topics))


def tokens(X, Y):
    """Return (Tokens, word of each cell (P,), label of each cell (P,)) of X (D, W) and Y (D, C), CSR."""
    X, Y = X.sorted_indices(), Y.sorted_indices()
    ptr, words, n_words = topic_chains.by_document(X)
    table, starts, cells = topic_chains.meetings(X, Y)
    label_ptr, labels, _ = topic_chains.arrays(Y)
    sizes, documents = np.diff(label_ptr), np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    of_entry = starts[documents] + sizes[documents] * (np.arange(X.nnz) - X.indptr[documents])
    first = np.repeat(of_entry, X.data.astype(np.int64))
    found = layered.Tokens(ptr.astype(np.int64), words, first, cells, label_ptr, labels, n_words)
    return found, np.repeat(np.arange(n_words), np.diff(table.indptr)), table.indices


def labels_of(tokens, z):
    """Return the label of each token, (N,), from its place among its document's labels."""
    return tokens.labels[np.repeat(tokens.label_ptr[:-1], np.diff(tokens.ptr)) + z]
