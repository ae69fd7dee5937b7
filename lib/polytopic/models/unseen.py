"""Prediction for unseen documents, shared out as blocks of documents by groups of chains.

Two samplers draw from the same conditional distributions: with few labels, sixteen chains side by side go over all of
them (``kernels.prediction``); with many, one chain at a time looks only at the labels that matter
(``kernels.sparse_prediction``). Which one runs depends on the model and the number of labels alone. With topics the
first takes a document's tokens as they come, the second label by label; as fast inference alternates between two
models, its stationary distribution depends on that order a little (by .005 in total variation for four tokens).
"""

from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse

from polytopic.kernels import prediction, sparse_prediction, sums
from polytopic.kernels.documents import Documents
from polytopic.kernels.documents import Schedule as Schedule  # what predict takes, for those who call it
from polytopic.models import sparse_tables, topic_chains
from polytopic.streams import document_names, word64
from polytopic.validation import check_one_of

NO_LABELS = np.zeros((0, 0), np.int32)  # where the labels of tokens are not asked for
BLOCK_TOKENS = 1 << 10, 1 << 14  # tokens in one unit of work, at least and at most
UNITS = 64  # units of work that there should be before they grow to their full size
LANES = prediction.LANES

# The number of labels from which the sparse sampler is the faster one, measured on a processor with AVX-512; for
# Dependency-LDA it is 350, 470 and 570 with documents of 8, 40 and 500 tokens.
SPARSE_FROM = 350

# Workspace of the sparse sampler: the profiles' grows where a document needs more. A thousand fit a cache of the
# core's own; where frequent labels are drawn again and again, it pays to keep more, if these are all labels.
FIRST_PROFILES = {"flat": 1024, "prior": 4096, "topics": 1024}
FIRST_OF_MANY = 1024
FIRST_OUTPUT = 1 << 16
ROOM_FOR_TABLES = 1 << 22
ROOM_FOR_LISTS = 1 << 23  # entries: documents that have more are not sorted
# The sweeps over a token that pay for sorting one entry of its words' lists: few where every sweep brings new labels.
SWEEPS_PER_ENTRY = {"flat": 0.06, "prior": 0.03, "topics": 0.02}


class Model(NamedTuple):
    """What prediction needs of a fitted model, over the C labels seen in training."""

    label_word_counts: sparse.csr_matrix  # (C, W) pooled over chains
    beta: float  # smoothing of each pooled count
    topic_label_counts: list  # one (T, C) CSR per set of topics; T = 1 for label frequencies
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
        return [value.toarray() + smooth[:, None] for value, smooth in self.sparse_topic_labels()]

    def sparse_topic_labels(self):
        """Return phi' as (value (T, C) CSR, smooth (T,)), which add up to it, for each set of topics."""
        return [sparse_tables.smoothed(counts, self.beta_c) for counts in self.topic_label_counts]


def sampler(model, schedule, kind=None):
    """Return what samples unseen documents: "dense", "sparse", or by default the one that costs less.

    It has ``groups`` of chains and ``run(ptr, words, names, group, seed)``, whose rows are documents, or with
    apart=True the samples of each of the group's chains, by document and chain. With labels (samples of all chains of
    the group, tokens) int32, those of a chain one after the other, the tokens' labels are written there. Raise
    ValueError for any other kind.
    """
    if kind is None:
        n_labels = model.topic_label_counts[0].shape[1]
        kind = "sparse" if n_labels >= SPARSE_FROM else "dense"
    check_one_of(SAMPLERS, kind=kind)
    return SAMPLERS[kind](model, schedule)


def prior_of(model):
    """Return what the labels' prior follows in a Model: "flat", "prior" for the labels' frequencies, or "topics"."""
    if model.topic_label_counts[0].shape[0] > 1:
        return "topics"
    return "prior" if model.eta > 0 else "flat"


def predict(X, model, schedule, seed, run, names=None):
    """Yield (rows, label tokens, theta' sums) for one block of documents after the other.

    X (D, W) CSR counts; names (D,) are those of the documents' random numbers (``streams.document_names``), None for
    their rows. The chains are dealt in turn over the sets of topics. The sums run over all chains and samples: label
    tokens (rows, C) CSR, theta' (rows, S, T) float64 for S sets of T topics.
    """
    key = run.key(X, model, schedule, seed, names)
    return added_up(X, model, sampler(model, schedule), key, seed, run, names)


def added_up(X, model, sampler, key, seed, run, names=None):
    """Yield (rows, tables of tokens on labels, theta' sums) for one block of documents after the other.

    sampler has ``groups``, and ``run`` whose results (table, sets of topics, their theta', further tables) are added
    up over the groups of chains; key says what they depend on besides group and seed.
    """
    n_sets, n_topics = len(model.topic_label_counts), model.topic_label_counts[0].shape[0]
    names = document_names(X, "row") if names is None else names
    unit = run.cached(_unit, ignore=["sampler", "ptr", "words"])
    parts = list(blocks(X))

    def calls():
        for first, last in parts:
            ptr, words = tokens(X[first:last])
            for group in sampler.groups:
                yield delayed(unit)(sampler, ptr, words, names[first:last], tuple(group), seed, key)

    results = run.each(calls(), len(parts) * len(sampler.groups), "prediction")
    for first, last in parts:
        theta, tables = np.zeros((last - first, n_sets, n_topics)), []
        for _ in sampler.groups:
            labels, sets, group_theta, *others = next(results)
            theta[:, sets] += group_theta
            tables.append([labels, *others])
        yield slice(first, last), *(reduce(add, of_groups) for of_groups in zip(*tables, strict=True)), theta


def predict_samples(X, model, sampler, seed, names=None):
    """Yield (chain, sample, label tokens (D, C) CSR, theta' (D, S, T)) for each sample that ``predict`` adds up.

    A group of chains keeps all its samples at a time.
    """
    n_sets, n_topics = len(model.topic_label_counts), model.topic_label_counts[0].shape[0]
    n_samples = sampler.schedule.n_samples
    names = document_names(X, "row") if names is None else names
    ptr, words = tokens(X)
    for group in sampler.groups if X.shape[0] else []:
        labels, sets, group_theta = sampler.run(ptr, words, names, tuple(group), seed, apart=True)
        n_rows = len(group) * n_samples
        for row in range(n_rows):
            place, sample = divmod(row, n_samples)
            theta = np.zeros((X.shape[0], n_sets, n_topics))
            theta[:, sets] = group_theta[row::n_rows]
            yield group[place], sample, labels[row::n_rows], theta


def _unit(sampler, ptr, words, names, group, seed, key, code):
    return sampler.run(ptr, words, names, group, seed)


class Dense:
    """Groups of sixteen chains, whatever sets of topics they use."""

    def __init__(self, model, schedule):
        self.schedule, n_chains = schedule, schedule.n_chains
        self.phi = np.ascontiguousarray(model.label_words().T, dtype=np.float32)
        self.phi_topics = model.topic_labels()
        self.weights = prediction.Prior(float(model.eta), float(model.alpha), float(model.gamma))
        self.groups = [range(k, min(k + LANES, n_chains)) for k in range(0, n_chains, LANES)]

    def run(self, ptr, words, names, group, seed, apart=False, labels=NO_LABELS):
        n_topics, n_labels = self.phi_topics[0].shape
        used = sorted({k % len(self.phi_topics) for k in group})
        lanes = np.zeros(LANES, np.int64)
        lanes[: len(group)] = [used.index(k % len(self.phi_topics)) for k in group]
        n_rows = (ptr.size - 1) * (len(group) * self.schedule.n_samples if apart else 1)
        on_labels, theta = np.zeros((n_rows, n_labels), np.int32), np.zeros((n_rows, len(used), n_topics))
        work = prediction.scratch(int(np.diff(ptr).max(initial=0)), n_labels, n_topics)
        columns = [self.phi_topics[k % len(self.phi_topics)] for k in group]
        columns += columns[:1] * (LANES - len(columns))  # idle lanes repeat the first chain's topics
        topics = np.ascontiguousarray(np.stack(columns, axis=-1), dtype=np.float32)
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        chains, totals = chain_words(seed, group, LANES), prediction.Totals(on_labels, theta)
        prediction.predict(
            documents, self.phi, topics, lanes, self.weights, schedule, chains, work, totals, labels
        )
        return sparse.csr_matrix(on_labels), used, theta


class Sparse:
    """Groups of chains that use the same set of topics."""

    def __init__(self, model, schedule):
        self.schedule, self.prior = schedule, prior_of(model)
        self.sweeps_per_entry = SWEEPS_PER_ENTRY[self.prior]
        n_sets = len(model.topic_label_counts)
        phi = sparse_tables.phi_tables(model.label_word_counts, model.beta)
        if model.topic_label_counts[0].shape[0] == 1:
            alpha = model.eta * model.topic_labels()[0][0] + model.alpha
            fixed = warm = sparse_tables.fixed_prior(phi, alpha)
            topics = [sparse_tables.no_topics(phi, fixed)]
        else:
            fixed, warm = sparse_tables.flat_priors(phi, model.eta, model.alpha)
            topics = [
                sparse_tables.topic_tables(phi, fixed, value, smooth, model.eta, model.gamma)
                for value, smooth in model.sparse_topic_labels()
            ]
        self.models = [sparse_prediction.Model(phi, fixed, warm, each) for each in topics]
        self.groups = groups_by_set(schedule.n_chains, n_sets)
        self.n_sweeps = schedule.burn_in + (schedule.n_samples - 1) * schedule.lag

    def run(self, ptr, words, names, group, seed, apart=False, labels=NO_LABELS):
        output = self.sample(ptr, words, names, group, seed, apart=apart, labels=labels)
        if output.topics.shape[1] == 0:
            n_samples = 1 if apart else len(group) * self.schedule.n_samples
            return table(output), [0], np.full((output.topics.shape[0], 1, 1), float(n_samples))
        return table(output), [self.topic_set(group)], output.topics[:, None, :]

    def topic_set(self, group):
        """Return which set of topics the group's chains use."""
        return group[0] % len(self.models)

    def sample(self, ptr, words, names, group, seed, readings=None, apart=False, labels=NO_LABELS):
        """Return the Output of a group of chains: with readings (Readings) of four sums, which are filled besides.

        apart: each chain's samples in rows of their own. labels, unless empty, are filled with the assignments.
        """
        model = self.models[self.topic_set(group)]
        n_documents, n_labels, n_topics = ptr.size - 1, model.phi.labels.size - 1, model.topics.smooth.size
        n_rows = len(group) * self.schedule.n_samples if apart else 1
        room = words.size * n_rows if apart else FIRST_OUTPUT
        output = empty_output(n_documents, n_labels, n_topics, room, 1 if readings is None else 4, n_rows)
        longest, chains = int(np.diff(ptr).max(initial=0)), chain_words(seed, group, len(group))
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        n_entries = entries(model.phi, ptr, words)
        sweeps = np.diff(ptr) * len(group) * self.n_sweeps
        pays = self.sweeps_per_entry * (n_entries + n_labels) <= sweeps
        in_lists = int(n_entries[pays & (n_entries <= ROOM_FOR_LISTS)].max(initial=0))
        in_tables = ROOM_FOR_TABLES if n_topics else 0

        def workspace(n_profiles):
            return sparse_tables.workspace(model.phi, n_topics, longest, n_profiles, in_lists, in_tables)

        def predict(done, work, output):
            given = documents, n_entries, done, model, schedule, chains, work, output
            return sparse_prediction.predict(*given, readings, labels)

        return in_full(n_documents, first_profiles(self.prior, n_labels), predict, workspace, [output])[0]


def first_profiles(prior, n_labels):
    """Return how many labels' profiles the first workspace of a sampler with that prior has room for."""
    most = FIRST_PROFILES[prior]
    return most if n_labels <= most else min(most, FIRST_OF_MANY)


def in_full(n_documents, n_profiles, predict, workspace, outputs):
    """Return the Outputs with all documents in them, made roomier, as the workspace is, whenever one is full.

    predict(done, work, *outputs) goes on after ``done`` documents and returns (status, documents done).
    The first workspace has room for the profiles of n_profiles labels.
    """
    done, work = 0, workspace(n_profiles)
    while done < n_documents:
        status, done = predict(done, work, *outputs)
        if status == sums.PROFILES_FULL:
            n_profiles *= 2
            work = workspace(n_profiles)
        elif status == sums.OUTPUT_FULL:
            outputs = [_roomier(output) for output in outputs]
    return outputs


def _roomier(output):
    """Return the Output with twice the room, what it holds included."""
    room, n_sums = 2 * output.labels.size, output.sums.shape[1]
    return output._replace(labels=np.resize(output.labels, room), sums=np.resize(output.sums, (room, n_sums)))


def distinct(ptr, words):
    """Return (documents, words), each distinct pair once, in order."""
    n_words = int(words.max(initial=0)) + 1
    pairs = np.repeat(np.arange(ptr.size - 1), np.diff(ptr)) * n_words + words
    return np.divmod(np.unique(pairs), n_words)


def groups_by_set(n_chains, n_sets):
    """Return the groups of chains that use the same set of topics, dealt in turn."""
    return [range(first, n_chains, n_sets) for first in range(min(n_sets, n_chains))]


def entries(phi, ptr, words):
    """Return how many non-zero counts the distinct words of each document have.

    A word whose tokens do not follow one another counts anew wherever they start.
    """
    starts = np.append(True, words[1:] != words[:-1])[: words.size]
    starts[ptr[:-1][np.diff(ptr) > 0]] = True
    of_tokens = np.where(starts, phi.word_ptr[words + 1] - phi.word_ptr[words], 0)
    return np.diff(np.append(0, np.cumsum(of_tokens))[ptr])


def empty_output(n_documents, n_labels, n_topics, room, n_sums=1, n_rows=1):
    """Return an empty Output of n_rows rows a document and n_sums sums for each label met, with ``room`` for them."""
    ptr, topics = np.zeros(n_documents * n_rows + 1, np.int64), np.zeros((n_documents * n_rows, n_topics))
    labels, added = np.zeros(room, np.int32), np.zeros((room, n_sums))
    touched, tally = np.zeros(n_labels, np.int32), np.zeros((n_labels, n_sums))
    return sums.Output(ptr, labels, added, topics, tally, touched, np.zeros(1, np.int64), n_rows)


def table(output, kind=0, dtype=np.int64):
    """Return a sum over the tokens of each label that an Output holds, by default the tokens, (D, C) CSR."""
    end, shape = output.ptr[-1], (output.ptr.size - 1, output.touched.size)
    found = output.sums[:end, kind].astype(dtype), output.labels[:end], output.ptr
    return sparse.csr_matrix(found, shape).sorted_indices()


SAMPLERS = {"dense": Dense, "sparse": Sparse}


def tokens(X):
    """Return (ptr, words int32) of counts (D, W) CSR: the words of document d are words[ptr[d]:ptr[d + 1]]."""
    return topic_chains.by_document(X)[:2]


def blocks(X, tokens=None):
    """Yield (first, last) row ranges of about as many tokens, at least a document each.

    tokens are how many a range has at least and at most, but for the last and for long documents; by default
    BLOCK_TOKENS.
    """
    reach = np.concatenate([[0], np.cumsum(X.data)])[X.indptr[1:]] + np.arange(1, X.shape[0] + 1)
    size = np.clip(reach[-1] // UNITS, *(tokens or BLOCK_TOKENS)) if X.shape[0] else 0
    first = 0
    while first < X.shape[0]:
        done = reach[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(reach, done + size, side="right")))
        yield first, last
        first = last


def chain_words(seed, group, width):
    """Return the names (2, width) uint64 of the chains' streams for labels and for topics."""
    names = np.zeros((2, width), np.uint64)
    for lane, k in enumerate(group):
        names[:, lane] = word64(seed, "test", "labels", k), word64(seed, "test", "topics", k)
    return names
