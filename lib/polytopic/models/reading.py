"""Estimates of theta over labels from one run of the sparse sampler, by every estimator at once.

The chains are those of ``unseen``'s sparse sampler, draw for draw. ``kernels.sparse_reading`` adds up what the counts
say of the active labels, and for the prior's part one number a word, or a word and topic; here the prior is put in.
"""

import numpy as np
from joblib import delayed
from scipy import sparse

from polytopic.kernels import sparse_reading
from polytopic.models import sparse_tables, topic_chains, unseen
from polytopic.streams import document_names

KINDS = {"assigned": 0, "kept": 1, "left_out": 2, "no_prior": 3}
WITH_PRIOR = {"kept": 0, "left_out": 1}
BLOCK_CELLS = 1 << 22  # cells of a table of documents by labels that are held at a time


def sums(X, model, schedule, seed, kinds, run, names=None):
    """Yield (rows, prior (n, C), {kind: table (n, C)}) for a few documents after the other, per sample and chain.

    kinds are fields of ``kernels.topic_samples.Sums``: sums over a document's tokens, averaged over the samples,
    dense float64. prior is alpha', averaged likewise, with a single row where it is the same for all documents.
    X (D, W) CSR counts; model, schedule and run as for ``unseen.predict``. A unit is a few documents with all
    chains, for the kinds asked for; what it draws does not depend on the documents beside it.
    """
    sampler = unseen.Sparse(model, schedule)
    names = document_names(X, "row") if names is None else names
    parts, kinds = _Parts(model), tuple(sorted(kinds))
    unit = run.cached(_unit, ignore=["sampler", "parts", "ptr", "words"])
    key, blocks = run.key(X, model, schedule, seed, names), list(_blocks(X, parts.n_labels))
    calls = (
        delayed(unit)(sampler, parts, *unseen.tokens(X[first:last]), names[first:last], kinds, seed, key)
        for first, last in blocks
    )
    for (first, last), (prior, tables) in zip(
        blocks, run.each(calls, len(blocks), "prediction"), strict=True
    ):
        yield slice(first, last), prior, {kind: table.toarray() for kind, table in tables.items()}


def _unit(sampler, parts, ptr, words, names, kinds, seed, key, code):
    """Return (prior, {kind: table CSR}) of some documents, averaged over the samples."""
    n, n_samples = ptr.size - 1, sampler.schedule.n_chains * sampler.schedule.n_samples
    prior, tables = 0.0, {kind: np.zeros((n, parts.n_labels)) for kind in kinds}
    for group in sampler.groups:
        topic_set = sampler.topic_set(group)
        output, readings = read(sampler, ptr, words, names, tuple(group), seed)
        prior = prior + parts.prior(output, topic_set, len(group) * sampler.schedule.n_samples)
        for kind, table in tables.items():
            table += parts.table(output, readings, topic_set, kind)
    return prior / n_samples, {kind: sparse.csr_matrix(table / n_samples) for kind, table in tables.items()}


def _blocks(X, n_labels):
    """Yield (first, last) row ranges: those of ``unseen``, cut where a table of theirs would be too large."""
    step = max(1, BLOCK_CELLS // n_labels)
    for first, last in unseen.blocks(X):
        for start in range(first, last, step):
            yield start, min(start + step, last)


class _Parts:
    """phi and phi' as matrices, for what waits until the samples are added up."""

    def __init__(self, model):
        by_label, self.smooth = sparse_tables.smoothed(model.label_word_counts, model.beta)  # (C,)
        self.n_labels, self.value = by_label.shape[0], by_label.T.tocsr()  # (W, C)
        self.eta, self.alpha = model.eta, model.alpha
        self.topics = model.sparse_topic_labels()
        of_words = _rows(self.value, self.smooth)
        self.through = [
            sparse_reading.Through(of_words, _rows(value.T.tocsr(), smooth)) for value, smooth in self.topics
        ]
        value, smooth = self.topics[0]
        is_fixed = value.shape[0] == 1
        self.fixed = self.eta * (value.toarray()[0] + smooth[0]) + self.alpha if is_fixed else None  # (C,)

    def prior(self, output, topic_set, n_samples):
        """Return the sum of alpha' over the samples of one group, (n, C), or (1, C) where all documents share it."""
        if self.fixed is not None:
            return n_samples * self.fixed[None, :]
        (value, smooth), theta = self.topics[topic_set], output.topics
        through = (value.T @ theta.T).T + (theta * smooth).sum(axis=1)[:, None]  # as in ``prediction``
        return self.eta * through + n_samples * self.alpha

    def table(self, output, readings, topic_set, kind):
        """Return the sum over tokens and samples of one group, (n, C)."""
        n_documents, table = output.ptr.size - 1, unseen.table(output, KINDS[kind], float).toarray()
        if kind not in WITH_PRIOR:
            return table
        which = WITH_PRIOR[kind]
        share = readings.share[:, which], readings.words, readings.word_ptr
        shares = sparse.csr_matrix(share, shape=(n_documents, self.value.shape[0]))
        through_phi = (shares @ self.value).toarray() + np.outer(shares.sum(axis=1).A1, self.smooth)
        if self.fixed is not None:
            return table + self.fixed * through_phi
        table += self.alpha * through_phi
        through = self.through[topic_set]
        of_topics = np.zeros(through.topics.smooth.size)
        sparse_reading.add_through_topics(readings, which, through, self.eta, of_topics, table)
        return table


def _rows(value, smooth):
    return sparse_reading.Rows(*topic_chains.arrays(value, float), smooth)


def read(sampler, ptr, words, names, group, seed):
    """Return (Output of four sums, KINDS, Readings) of one group of chains of an ``unseen.Sparse``."""
    n_documents, n_topics = ptr.size - 1, sampler.models[sampler.topic_set(group)].topics.smooth.size
    n_distinct = np.bincount(unseen.distinct(ptr, words)[0], minlength=n_documents)
    word_ptr = np.concatenate([[0], np.cumsum(n_distinct)])
    readings = sparse_tables.readings(word_ptr, int(np.diff(ptr).max(initial=0)), n_topics)
    return sampler.sample(ptr, words, names, group, seed, readings), readings
