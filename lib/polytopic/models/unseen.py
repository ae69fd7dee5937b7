"""Fast inference: unseen documents by sampling, shared out as blocks of documents by groups of chains.

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
from polytopic.kernels.documents import Schedule as Schedule  # what samplers take, for those who call them
from polytopic.models import sparse_tables
from polytopic.streams import document_names, word64
from polytopic.validation import check_one_of

BLOCK_TOKENS = 1 << 10, 1 << 14  # tokens in one unit of work, at least and at most
BLOCK_CELLS = 1 << 22  # cells of a unit's tables of documents by labels, at most
UNITS = 64  # units of work that there should be before they grow to their full size
LANES = prediction.LANES

# The number of labels from which the sparse sampler is the faster one, measured on a processor with AVX-512; for
# Dependency-LDA it is 350, 470 and 570 with documents of 8, 40 and 500 tokens.
SPARSE_FROM = 350

# Labels whose phi the first workspace of the sparse sampler has room for, which grows where a document needs more. A
# thousand fit a cache of the core's own; where frequent labels are drawn again and again, it pays to keep more, if
# these are all labels.
FIRST_CACHED = {"flat": 1024, "prior": 4096, "topics": 1024}
FIRST_OF_MANY = 1024
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


class Predictor:
    """What scores unseen documents: the ``Model`` with the tables made of it, so that a document costs its sweeps.

    ``known`` (W,) bool are the words that training saw. ``blocks`` yields (rows, scores (n, C) float64) for a few
    documents after the other. ``attributions`` yields of one document after the other which labels its words have,
    (shares (U, C) CSR, prior (C,), scores (C,)), by the same chains. Threads may share it.
    """

    def __init__(self, model):
        self.model, self.known = model, model.label_word_counts.sum(axis=0).A1 > 0
        self.last = None, None  # what tells the last documents from others, and their scores (D, C)


class SamplingPredictor(Predictor):
    """One with a sampler. It has ``prior``, the sum of alpha' over the samples, from what ``predict`` yields."""

    def __init__(self, model, sampler):
        super().__init__(model)
        self.sampler = sampler

    def blocks(self, X, seed, run, names):
        for rows, tokens, *others in predict(X, self.sampler, seed, run, names):
            yield rows, mean_of_halves(tokens, self.prior(tokens, *others))

    def attributions(self, X, seed, run, names, keep):
        for rows, of_words, *others in predict(X, self.sampler, seed, run, names, by_word=True):
            ptr, n_words = X[rows].indptr, of_words.shape[0]
            one_each = np.ones(n_words, np.int64), np.arange(n_words), ptr
            tokens = sparse.csr_matrix(one_each, shape=(ptr.size - 1, n_words)) @ of_words
            prior = self.prior(tokens, *others)
            scores, prior = mean_of_halves(tokens, prior), _rows_to_one(prior)
            shares = sparse.csr_matrix(of_words.multiply(1 / np.maximum(of_words.sum(axis=1), 1)))
            for d, of_document in enumerate(scores):
                yield keep(rows.start + d, shares[ptr[d] : ptr[d + 1]]), prior[d], of_document


class Fast(SamplingPredictor):
    """By fast inference (Rubin et al. 2012, 3.5.1)."""

    def __init__(self, model, schedule):
        super().__init__(model, sampler(model, schedule))
        self.phi_topics = model.sparse_topic_labels()

    def prior(self, tokens, theta):
        return prior_through_topics(theta, self.model, self.phi_topics)

    def samples(self, X, seed, names):
        """Yield (chain, sample, scores (D, C) float64) for each sample that ``blocks`` averages."""
        (ptr, words), n_samples = tokens(X), self.sampler.schedule.n_samples
        for group in self.sampler.groups if X.shape[0] else []:
            labels, sets, of_group = self.sampler.run(ptr, words, names, tuple(group), seed, apart=True)
            for row, of_sample in enumerate(labels):
                theta = np.zeros((X.shape[0], len(self.phi_topics), of_group.shape[2]))
                theta[:, sets] = of_group[row :: len(labels)]
                on_labels = count_labels(ptr, of_sample[None], self.sampler.n_labels)
                scores = mean_of_halves(on_labels, self.prior(on_labels, theta))
                yield group[row // n_samples], row % n_samples, scores


def prior_through_topics(theta, model, phi_topics):
    """Return the sum of alpha' (Eq. 12) over the samples, (n, C), from that of theta', (n, S, T)."""
    prior = np.full((theta.shape[0], phi_topics[0][0].shape[1]), model.alpha)
    prior *= theta.sum(axis=(1, 2))[:, None]
    for (value, smooth), share in zip(phi_topics, np.moveaxis(theta, 1, 0), strict=True):
        even = (share * smooth).sum(axis=1)  # BLAS would add up one document in another order than many
        prior += model.eta * ((value.T @ share.T).T + even[:, None])
    return prior


def mean_of_halves(tokens, prior):
    """Return the mean of the two distributions of B.2: tokens (n, C) CSR and prior (n, C); rows sum to 1."""
    prior = _rows_to_one(prior)
    return (prior + _rows_to_one(tokens.toarray(), fallback=prior)) / 2


def _rows_to_one(table, fallback=0.0):
    """Return the rows divided by their sums; a row of zeros becomes the fallback's."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1), fallback)


def predict(X, sampler, seed, run, names=None, by_word=False):
    """Yield (rows, tokens on labels, theta' sums) for one block of documents after the other.

    X (D, W) CSR counts; names (D,) are those of the documents' random numbers (``streams.document_names``), None for
    their rows. The sums run over all chains and samples: tokens (rows, C) CSR int64, or with by_word (U, C) for the
    distinct words of one document after the other, each in order of the words; theta' (rows, S, T) float64 for S sets
    of T topics. What else a sampler's ``run`` returns comes before theta', added up likewise.
    """
    n_sets, n_topics = sampler.n_sets, sampler.n_topics
    names = document_names(X, "row") if names is None else names
    unit, key = run.cached(_unit, ignore=["sampler", "ptr", "words"]), run.key(X, names, *sampler.identity)
    parts = list(blocks(X, sampler.n_labels))

    def calls():
        for first, last in parts:
            ptr, words = tokens(X[first:last])
            for group in sampler.groups:
                yield delayed(unit)(sampler, ptr, words, names[first:last], tuple(group), seed, by_word, key)

    results = run.each(calls(), len(parts) * len(sampler.groups), "prediction")
    for first, last in parts:
        theta, tables = np.zeros((last - first, n_sets, n_topics)), []
        for _ in sampler.groups:
            labels, sets, of_group, *others = next(results)
            theta[:, sets] += of_group
            tables.append([labels, *others])
        yield slice(first, last), *(reduce(add, of_groups) for of_groups in zip(*tables, strict=True)), theta


def _unit(sampler, ptr, words, names, group, seed, by_word, key, code):
    labels, *others = sampler.run(ptr, words, names, group, seed)
    rows = np.append(np.flatnonzero(starts(ptr, words)), words.size) if by_word else ptr
    return count_labels(rows, labels, sampler.n_labels), *others


def count_labels(ptr, labels, n_labels):
    """Return how many of the tokens from ptr[r] to ptr[r + 1] are on each label in all samples, (R, C) CSR int64.

    labels (samples, N) int32.
    """
    row_ptr, tally = np.zeros(ptr.size, np.int64), np.zeros(n_labels, np.int64)
    columns, counts = np.empty(labels.size, np.int32), np.empty(labels.size, np.int64)
    sums.count_labels(ptr, labels, tally, row_ptr, columns, counts)
    given = counts[: row_ptr[-1]].copy(), columns[: row_ptr[-1]].copy(), row_ptr
    return sparse.csr_matrix(given, shape=(ptr.size - 1, n_labels)).sorted_indices()


def sampler(model, schedule, kind=None):
    """Return what samples unseen documents: "dense", "sparse", or by default the one that costs less.

    It has ``groups`` of chains, dealt in turn over the sets of topics, and ``run(ptr, words, names, group, seed,
    apart)``, which returns the tokens' labels (samples, N) int32, a chain of the group after the other, the sets of
    topics that were used, and the sums of theta' (D, sets, T) over the samples; with apart=True there is a row for
    each sample, by document, chain and sample. Raise ValueError for any other kind.
    """
    if kind is None:
        kind = "sparse" if model.topic_label_counts[0].shape[1] >= SPARSE_FROM else "dense"
    check_one_of(SAMPLERS, kind=kind)
    return SAMPLERS[kind](model, schedule)


class Sampler:
    """What samplers of unseen documents have besides groups and run; ``identity`` is what their draws depend on."""

    def __init__(self, model, schedule, *others):
        self.schedule, self.identity = schedule, (model, schedule, *others)
        self.n_sets, (self.n_topics, self.n_labels) = (
            len(model.topic_label_counts),
            model.topic_label_counts[0].shape,
        )


class Dense(Sampler):
    """Groups of sixteen chains, whatever sets of topics they use."""

    def __init__(self, model, schedule):
        super().__init__(model, schedule)
        self.phi = np.ascontiguousarray(model.label_words().T, dtype=np.float32)
        self.phi_topics = model.topic_labels()
        self.weights = prediction.Prior(float(model.eta), float(model.alpha), float(model.gamma))
        self.groups = [
            range(k, min(k + LANES, schedule.n_chains)) for k in range(0, schedule.n_chains, LANES)
        ]

    def run(self, ptr, words, names, group, seed, apart=False):
        sets = [k % self.n_sets for k in group]
        used = sorted(set(sets))
        lanes = np.zeros(LANES, np.int64)
        lanes[: len(group)] = [used.index(k) for k in sets]
        labels = np.zeros((len(group) * self.schedule.n_samples, words.size), np.int32)
        theta = np.zeros(((ptr.size - 1) * (len(labels) if apart else 1), len(used), self.n_topics))
        columns = [self.phi_topics[k] for k in sets]
        columns += columns[:1] * (LANES - len(columns))  # idle lanes repeat the first chain's topics
        topics = np.ascontiguousarray(np.stack(columns, axis=-1), dtype=np.float32)
        work = prediction.scratch(int(np.diff(ptr).max(initial=0)), self.n_labels, self.n_topics)
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        chains = chain_words(seed, group, LANES)
        prediction.predict(
            documents, self.phi, topics, lanes, self.weights, schedule, chains, work, theta, labels
        )
        return labels, used, theta


class Sparse(Sampler):
    """Groups of chains that use the same set of topics."""

    def __init__(self, model, schedule):
        super().__init__(model, schedule)
        self.prior = prior_of(model)
        self.sweeps_per_entry = SWEEPS_PER_ENTRY[self.prior]
        phi = sparse_tables.phi_tables(model.label_word_counts, model.beta)
        if self.n_topics == 1:
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
        self.groups = groups_by_set(schedule.n_chains, self.n_sets)
        self.n_sweeps = schedule.burn_in + (schedule.n_samples - 1) * schedule.lag

    def run(self, ptr, words, names, group, seed, apart=False, readings=None):
        """As ``sampler`` says; readings (Readings) are filled besides."""
        topic_set = group[0] % len(self.models)
        model, n_documents = self.models[topic_set], ptr.size - 1
        labels = np.zeros((len(group) * self.schedule.n_samples, words.size), np.int32)
        theta = np.zeros((n_documents * (len(labels) if apart else 1), model.topics.smooth.size))
        longest, chains = int(np.diff(ptr).max(initial=0)), chain_words(seed, group, len(group))
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        n_entries = entries(model.phi, ptr, words)
        pays = (
            self.sweeps_per_entry * (n_entries + self.n_labels) <= np.diff(ptr) * len(group) * self.n_sweeps
        )
        in_lists = int(n_entries[pays & (n_entries <= ROOM_FOR_LISTS)].max(initial=0))

        def workspace(n_cached):
            return sparse_tables.workspace(model.phi, theta.shape[1], longest, n_cached, in_lists)

        def predict(done, work):
            given = documents, n_entries, done, model, schedule, chains, work
            return sparse_prediction.predict(*given, theta, labels, readings)

        with_room(n_documents, first_cached(self.prior, self.n_labels), predict, workspace)
        if theta.shape[1] == 0:
            return labels, [0], np.full((len(theta), 1, 1), 1.0 if apart else float(len(labels)))
        return labels, [topic_set], theta[:, None, :]


SAMPLERS = {"dense": Dense, "sparse": Sparse}


def prior_of(model):
    """Return what the labels' prior follows in a Model: "flat", "prior" for the labels' frequencies, or "topics"."""
    if model.topic_label_counts[0].shape[0] > 1:
        return "topics"
    return "prior" if model.eta > 0 else "flat"


def first_cached(prior, n_labels):
    """Return how many labels' phi the first workspace of a sampler with that prior has room for."""
    most = FIRST_CACHED[prior]
    return most if n_labels <= most else min(most, FIRST_OF_MANY)


def with_room(n_documents, n_cached, predict, workspace):
    """Predict all documents, in a workspace for twice as many labels' phi whenever it is too small.

    predict(done, work) goes on after ``done`` documents and returns how many are done then.
    """
    done = predict(0, workspace(n_cached))
    while done < n_documents:
        n_cached *= 2
        done = predict(done, workspace(n_cached))


def groups_by_set(n_chains, n_sets):
    """Return the groups of chains that use the same set of topics, dealt in turn."""
    return [range(first, n_chains, n_sets) for first in range(min(n_sets, n_chains))]


def entries(phi, ptr, words):
    """Return how many non-zero counts the distinct words of each document have.

    A word whose tokens do not follow one another counts anew wherever they start.
    """
    of_tokens = np.where(starts(ptr, words), phi.word_ptr[words + 1] - phi.word_ptr[words], 0)
    return np.diff(np.append(0, np.cumsum(of_tokens))[ptr])


def starts(ptr, words):
    """Return at which tokens another word or document starts, (N,) bool."""
    starts = np.append(True, words[1:] != words[:-1])[: words.size]
    starts[ptr[:-1][np.diff(ptr) > 0]] = True
    return starts


def tokens(X):
    """Return (ptr, words int32) of counts (D, W) CSR: the words of document d are words[ptr[d]:ptr[d + 1]]."""
    X = X if X.has_sorted_indices else X.sorted_indices()
    counts = X.data.astype(np.int64)
    return np.append(0, np.cumsum(counts))[X.indptr], np.repeat(X.indices, counts).astype(np.int32)


def blocks(X, n_labels=1, tokens=None):
    """Yield (first, last) row ranges of about as many tokens, at least a document each.

    tokens are how many a range has at least and at most, but for the last and for long documents; by default
    BLOCK_TOKENS. No range has more than BLOCK_CELLS pairs of a document and a label.
    """
    reach = np.concatenate([[0], np.cumsum(X.data)])[X.indptr[1:]] + np.arange(1, X.shape[0] + 1)
    size = np.clip(reach[-1] // UNITS, *(tokens or BLOCK_TOKENS)) if X.shape[0] else 0
    first, most = 0, max(1, BLOCK_CELLS // n_labels)
    while first < X.shape[0]:
        done = reach[first - 1] if first else 0
        last = int(np.searchsorted(reach, done + size, side="right"))
        last = min(max(first + 1, last), first + most)
        yield first, last
        first = last


def chain_words(seed, group, width):
    """Return the names (2, width) uint64 of the chains' streams for labels and for topics."""
    names = np.zeros((2, width), np.uint64)
    for lane, k in enumerate(group):
        names[:, lane] = word64(seed, "test", "labels", k), word64(seed, "test", "topics", k)
    return names
