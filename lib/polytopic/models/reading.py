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

KINDS = "assigned", "kept", "left_out", "no_prior"
WITH_PRIOR = "kept", "left_out"


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
    key, blocks = run.key(X, model, schedule, seed, names), list(unseen.blocks(X, parts.n_labels))
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
        topic_set = group[0] % sampler.n_sets
        labels, theta, readings = read(sampler, ptr, words, names, tuple(group), seed)
        prior = prior + parts.prior(theta[:, 0], topic_set, len(labels))
        assigned = unseen.count_labels(ptr, labels, parts.n_labels).toarray()
        for kind, table in tables.items():
            table += assigned if kind == "assigned" else parts.table(readings, topic_set, kind)
    return prior / n_samples, {kind: sparse.csr_matrix(table / n_samples) for kind, table in tables.items()}


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

    def prior(self, theta, topic_set, n_samples):
        """Return the sum of alpha' over the samples of one group, (n, C), or (1, C) where all documents share it."""
        if self.fixed is not None:
            return n_samples * self.fixed[None, :]
        value, smooth = self.topics[topic_set]
        through = (value.T @ theta.T).T + (theta * smooth).sum(axis=1)[:, None]  # as in ``unseen``
        return self.eta * through + n_samples * self.alpha

    def table(self, readings, topic_set, kind):
        """Return the sum over tokens and samples of one group, (n, C)."""
        table = readings.by_label[:, :, KINDS.index(kind) - 1].copy()
        if kind not in WITH_PRIOR:
            return table
        which = WITH_PRIOR.index(kind)
        share = readings.share[:, which], readings.words, readings.word_ptr
        shares = sparse.csr_matrix(share, shape=(len(table), self.value.shape[0]))
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
    """Return (labels (samples, N), theta' (D, 1, T), Readings) of one group of chains of an ``unseen.Sparse``."""
    n_topics = sampler.models[0].topics.smooth.size
    word_ptr = np.append(0, np.cumsum(unseen.starts(ptr, words)))[ptr]
    readings = sparse_tables.readings(word_ptr, int(np.diff(ptr).max(initial=0)), sampler.n_labels, n_topics)
    labels, _, theta = sampler.run(ptr, words, names, group, seed, readings=readings)
    return labels, theta, readings
