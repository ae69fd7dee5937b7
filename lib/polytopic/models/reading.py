"""Estimates of theta over labels from one run of the sparse sampler, by every estimator at once.

The chains are those of ``unseen``'s sparse sampler, draw for draw. ``kernels.sparse_reading`` adds up what the counts
say of the labels held, and for the prior's part one number a word, or a word and topic; here the prior is put in.
"""

import numpy as np
from scipy import sparse

from polytopic.models import sparse_tables, unseen

KINDS = {"assigned": 0, "kept": 1, "left_out": 2, "no_prior": 3}
WITH_PRIOR = {"kept": 0, "left_out": 1}
BLOCK_CELLS = 1 << 22  # cells of a table of documents by labels that are held at a time


def sums(X, model, schedule, seed, kinds):
    """Yield (rows, prior (n, C), {kind: table (n, C)}) for a few documents after the other, per sample and chain.

    kinds are fields of ``kernels.topic_samples.Sums``: sums over a document's tokens, averaged over the samples,
    dense float64. prior is alpha', averaged likewise. X (D, W) CSR counts; model and schedule as for
    ``unseen.predict``.
    """
    own = unseen.Sparse(model, schedule)
    parts = _Parts(own, model)
    n_samples = schedule.n_chains * schedule.n_samples
    for first, last in unseen.blocks(X):
        ptr, words = unseen.tokens(X[first:last])
        held = [run(own, ptr, words, first, tuple(group), seed) for group in own.groups]
        step = max(1, BLOCK_CELLS // parts.n_labels)
        for a in range(0, last - first, step):
            b = min(a + step, last - first)
            prior, tables = np.zeros((b - a, parts.n_labels)), {}
            for kind in kinds:
                tables[kind] = np.zeros((b - a, parts.n_labels))
            for group, (output, readings) in zip(own.groups, held, strict=True):
                topic_set = own.topic_set(group)
                prior += parts.prior(output, a, b, topic_set, len(group) * schedule.n_samples)
                for kind, table in tables.items():
                    table += parts.table(output, readings, a, b, topic_set, kind)
            for table in (prior, *tables.values()):
                table /= n_samples
            yield slice(first + a, first + b), prior, tables


class _Parts:
    """phi and phi' as matrices, for what waits until the samples are added up."""

    def __init__(self, own, model):
        counts = sparse.csr_matrix(model.label_word_counts, dtype=np.float64)
        self.n_labels = counts.shape[0]
        scale = 1 / (np.asarray(counts.sum(axis=1)).ravel() + counts.shape[1] * model.beta)
        self.value = (sparse.diags(scale) @ counts).T.tocsr()  # (W, C)
        self.smooth = model.beta * scale  # (C,)
        self.eta, self.alpha = model.eta, model.alpha
        self.topics = model.sparse_topic_labels()
        self.by_label = [value.T.tocsr() for value, _ in self.topics]
        self.fixed = own.topics[0].smooth.size == 0

    def prior(self, output, a, b, topic_set, n_samples):
        """Return the sum of alpha' over the samples of one group, (b - a, C)."""
        value, smooth = self.topics[topic_set]
        if self.fixed:
            alpha = self.eta * (value.toarray()[0] + smooth[0]) + self.alpha
            return np.full((b - a, self.n_labels), n_samples * alpha)
        theta = output.topics[a:b]
        through = (value.T @ theta.T).T + (theta @ smooth)[:, None]
        return self.eta * through + n_samples * self.alpha

    def table(self, output, readings, a, b, topic_set, kind):
        """Return the sum over tokens and samples of one group, (b - a, C)."""
        here = slice(output.ptr[a], output.ptr[b])
        ptr = output.ptr[a : b + 1] - output.ptr[a]
        alone = (output.sums[here, KINDS[kind]], output.labels[here], ptr)
        table = sparse.csr_matrix(alone, shape=(b - a, self.n_labels)).toarray()
        if kind not in WITH_PRIOR:
            return table
        words = slice(readings.word_ptr[a], readings.word_ptr[b])
        ptr = readings.word_ptr[a : b + 1] - readings.word_ptr[a]
        share = (readings.share[words, WITH_PRIOR[kind]], readings.words[words], ptr)
        shares = sparse.csr_matrix(share, shape=(b - a, self.value.shape[0]))
        through_phi = (shares @ self.value).toarray() + np.outer(shares.sum(axis=1).A1, self.smooth)
        value, smooth = self.topics[topic_set]
        if self.fixed:
            return table + (self.eta * (value.toarray()[0] + smooth[0]) + self.alpha) * through_phi
        table += self.alpha * through_phi
        for d in range(b - a):
            of_words = slice(readings.word_ptr[a + d], readings.word_ptr[a + d + 1])
            both = readings.topic_share[of_words, WITH_PRIOR[kind]]  # (U, T)
            table[d] += self.eta * self._through_topics(both, readings.words[of_words], topic_set)
        return table

    def _through_topics(self, both, words, topic_set):
        """Return sum over words and topics of both_wt phi_wc phi'_tc, (C,)."""
        (value, smooth), by_label = self.topics[topic_set], self.by_label[topic_set]
        phi, even = self.value[words], both @ smooth
        found = phi.T @ even + self.smooth * even.sum()
        found += self.smooth * (value.T @ both.sum(axis=0))
        topics = by_label[phi.indices]  # a row of phi'_tc for each entry of phi
        sizes = np.diff(topics.indptr)
        entry = np.repeat(np.arange(phi.nnz), sizes)
        word = np.repeat(np.arange(words.size), np.diff(phi.indptr))[entry]
        terms = phi.data[entry] * topics.data * both[word, topics.indices]
        return found + np.bincount(phi.indices[entry], terms, self.n_labels)


def run(own, ptr, words, first, group, seed):
    """Return (Output of four sums, KINDS, Readings) of one group of chains of an ``unseen.Sparse``."""
    n_documents, n_topics = ptr.size - 1, own.topics[own.topic_set(group)].smooth.size
    documents = np.repeat(np.arange(n_documents), np.diff(ptr))
    distinct = np.unique(np.stack([documents, words]), axis=1)[0]
    word_ptr = np.concatenate([[0], np.cumsum(np.bincount(distinct, minlength=n_documents))])
    readings = sparse_tables.readings(word_ptr, int(np.diff(ptr).max(initial=0)), n_topics)
    return own.sample(ptr, words, first, group, seed, readings), readings
