"""Prediction for unseen documents, shared out as blocks of documents by groups of chains.

Two samplers draw from the same distribution: with few labels, sixteen chains side by side go over all of them
(``kernels.prediction``); with many, one chain at a time looks only at the labels that matter
(``kernels.sparse_prediction``). Which one runs depends on the number of labels alone.
"""

from typing import NamedTuple

import numpy as np
from joblib import delayed
from joblib import hash as digest
from scipy import sparse

from polytopic.kernels import prediction, sparse_prediction
from polytopic.models import sparse_tables
from polytopic.streams import word64

BLOCK_TOKENS = 1 << 16  # tokens in one unit of work
SPARSE_FROM = 200  # labels from which the sparse sampler is the faster one
LANES = prediction.LANES

# First sizes of the sparse sampler's workspace, which grows where a document needs more.
FIRST_SLOTS = 256
FIRST_OUTPUT = 1 << 16
PAIR_ROOM = 1 << 18


class Model(NamedTuple):
    """What prediction needs of a fitted model, over the C labels seen in training."""

    label_word_counts: sparse.csr_matrix  # (C, W) pooled over chains
    beta: float  # smoothing of each pooled count
    topic_label_counts: list  # one (T, C) array per set of topics; T = 1 for label frequencies
    beta_c: float
    eta: float
    alpha: float  # per label
    gamma: float  # per topic

    def label_words(self):
        """Return phi (C, W) float64."""
        smoothed = self.label_word_counts.toarray() + self.beta
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    def topic_labels(self):
        """Return phi' (T, C) float64 for each set of topics."""
        smoothed = [counts + self.beta_c for counts in self.topic_label_counts]
        return [counts / counts.sum(axis=1, keepdims=True) for counts in smoothed]


class Schedule(NamedTuple):
    """When samples are taken: after sweep burn_in, then every lag sweeps, in each of n_chains chains."""

    burn_in: int
    n_samples: int
    lag: int
    n_chains: int


def predict(X, model, schedule, seed, run):
    """Yield (rows, label tokens, theta' sums) for one block of documents after the other.

    X (D, W) CSR counts. The chains are dealt in turn over the sets of topics. The sums run over all chains and
    samples: label tokens (rows, C) CSR, theta' (rows, S, T) float64 for S sets of T topics.
    """
    sampler = (
        _Sparse(model, schedule)
        if model.label_word_counts.shape[0] >= SPARSE_FROM
        else _Dense(model, schedule)
    )
    unit = run.cached(_unit, ignore=["sampler", "ptr", "words"])
    key = digest((X, model, schedule, seed))
    blocks = list(_blocks(X))

    def calls():
        for first, last in blocks:
            ptr, words = _tokens(X[first:last])
            for group in sampler.groups:
                yield delayed(unit)(sampler, ptr, words, first, tuple(group), seed, key, run.version)

    results = run.each(calls(), len(blocks) * len(sampler.groups), "prediction")
    n_sets, (n_topics, n_labels) = len(model.topic_label_counts), model.topic_label_counts[0].shape
    for first, last in blocks:
        labels = sparse.csr_matrix((last - first, n_labels), dtype=np.int64)
        theta = np.zeros((last - first, n_sets, n_topics))
        for _ in sampler.groups:
            held, sets, sums = next(results)
            labels = labels + held
            theta[:, sets] += sums
        yield slice(first, last), labels, theta


def _unit(sampler, ptr, words, first, group, seed, key, version):
    return sampler.run(ptr, words, first, group, seed)


class _Dense:
    """Groups of sixteen chains, whatever sets of topics they use."""

    def __init__(self, model, schedule):
        self.schedule = schedule
        self.phi = np.ascontiguousarray(model.label_words().T, dtype=np.float32)
        self.phi_topics = model.topic_labels()
        self.weights = prediction.Prior(float(model.eta), float(model.alpha), float(model.gamma))
        self.groups = [
            range(k, min(k + LANES, schedule.n_chains)) for k in range(0, schedule.n_chains, LANES)
        ]

    def run(self, ptr, words, first, group, seed):
        n_topics, n_labels = self.phi_topics[0].shape
        used = sorted({k % len(self.phi_topics) for k in group})
        lanes = np.zeros(LANES, np.int64)
        lanes[: len(group)] = [used.index(k % len(self.phi_topics)) for k in group]
        n_documents = ptr.size - 1
        totals = prediction.Totals(
            np.zeros((n_documents, n_labels), np.int32), np.zeros((n_documents, len(used), n_topics))
        )
        work = prediction.scratch(int(np.diff(ptr).max(initial=0)), n_labels, n_topics)
        timing = prediction.Schedule(*self.schedule[:3], len(group))
        prediction.predict(
            prediction.Documents(ptr, words, first),
            self.phi,
            self._side_by_side(group),
            lanes,
            self.weights,
            timing,
            _chain_words(seed, group, LANES),
            work,
            totals,
        )
        return sparse.csr_matrix(totals.labels), used, totals.topics

    def _side_by_side(self, group):
        """Return the chains' topics, (T, C, LANES) float32; idle lanes repeat the first chain's."""
        columns = [self.phi_topics[k % len(self.phi_topics)] for k in group]
        columns += columns[:1] * (LANES - len(columns))
        return np.ascontiguousarray(np.stack(columns, axis=-1), dtype=np.float32)


class _Sparse:
    """Groups of chains that use the same set of topics."""

    def __init__(self, model, schedule):
        self.schedule = schedule
        n_sets, n_labels = len(model.topic_label_counts), model.label_word_counts.shape[0]
        self.phi = sparse_tables.phi_tables(model.label_word_counts, model.beta)
        if model.topic_label_counts[0].shape[0] == 1:
            alpha = model.eta * model.topic_labels()[0][0] + model.alpha
            self.fixed = self.warm = sparse_tables.fixed_prior(self.phi, alpha)
            self.topics = [sparse_tables.no_topics(self.phi)]
        else:
            flat = sparse_tables.fixed_prior(self.phi, np.ones(n_labels))
            self.fixed = flat._replace(scale=float(model.alpha))
            self.warm = flat._replace(scale=float(model.eta / n_labels + model.alpha))
            self.topics = [
                sparse_tables.topic_tables(self.phi, counts, model.beta_c, model.eta, model.gamma)
                for counts in model.topic_label_counts
            ]
        chains = [range(s, schedule.n_chains, n_sets) for s in range(n_sets)]
        self.groups = [own[k : k + LANES] for own in chains for k in range(0, len(own), LANES)]

    def run(self, ptr, words, first, group, seed):
        topic_set = group[0] % len(self.topics)
        topics = self.topics[topic_set]
        n_documents, n_labels, n_topics = ptr.size - 1, self.phi.smooth.size, topics.smooth.size
        documents = prediction.Documents(ptr, words, first)
        timing = prediction.Schedule(*self.schedule[:3], len(group))
        names = _chain_words(seed, group, len(group))
        output = sparse_prediction.Output(
            np.zeros(n_documents + 1, np.int64),
            np.zeros(FIRST_OUTPUT, np.int32),
            np.zeros(FIRST_OUTPUT, np.int32),
            np.zeros((n_documents, n_topics)),
            np.zeros(n_labels, np.int32),
            np.zeros(n_labels, np.int32),
        )
        longest, n_slots, done = int(np.diff(ptr).max(initial=0)), FIRST_SLOTS, 0
        work = sparse_tables.workspace(self.phi, n_topics, longest, n_slots, PAIR_ROOM)
        while done < n_documents:
            status, done = sparse_prediction.predict(
                documents,
                done,
                n_documents,
                self.phi,
                self.fixed,
                self.warm,
                topics,
                timing,
                names,
                *work,
                output,
            )
            if status == sparse_prediction.SLOTS_FULL:
                n_slots *= 2
                work = sparse_tables.workspace(self.phi, n_topics, longest, n_slots, PAIR_ROOM)
            elif status == sparse_prediction.OUTPUT_FULL:
                output = output._replace(
                    labels=np.resize(output.labels, 2 * output.labels.size),
                    counts=np.resize(output.counts, 2 * output.counts.size),
                )
        end = output.ptr[-1]
        labels = sparse.csr_matrix(
            (output.counts[:end].astype(np.int64), output.labels[:end], output.ptr),
            shape=(n_documents, n_labels),
        )
        if n_topics == 0:
            return labels, [0], np.full((n_documents, 1, 1), float(len(group) * self.schedule.n_samples))
        return labels, [topic_set], output.topics[:, None, :]


def _tokens(X):
    ptr = np.concatenate([[0], np.cumsum(X.data, dtype=np.int64)])[X.indptr]
    return ptr, np.repeat(X.indices, X.data).astype(np.int32)


def _blocks(X):
    """Yield (first, last) row ranges of about BLOCK_TOKENS tokens, at least a document each."""
    reach = np.cumsum(np.asarray(X.sum(axis=1)).ravel() + 1)
    first = 0
    while first < X.shape[0]:
        done = reach[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(reach, done + BLOCK_TOKENS, side="right")))
        yield first, last
        first = last


def _chain_words(seed, group, width):
    names = np.zeros((2, width), np.uint64)
    for lane, k in enumerate(group):
        names[:, lane] = word64(seed, "test", "labels", k), word64(seed, "test", "topics", k)
    return names
