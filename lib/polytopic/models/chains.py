"""Markov chains as units of work: what one chain is given and what it returns.

A unit depends on its arguments alone, so units may run in any order, on threads, processes or a cluster, and be
kept in a joblib.Memory: an interrupted run finds its finished chains again, bit for bit.
"""

import numpy as np
from joblib import Parallel, delayed, hash as digest
from scipy import sparse
from tqdm.auto import tqdm

import polytopic
from polytopic.kernels import generator, labelled, prediction, topics
from polytopic.streams import word64

BLOCK_TOKENS = 1 << 16  # tokens of unseen documents in one unit of work
LANES = prediction.LANES


def train_label_words(X, Y, eta, beta, n_chains, n_sweeps, seed, run):
    """Return the tokens of each word on each label, added up over the chains' last states.

    X (D, W) CSR counts and Y (D, C) CSR bool; every document has a label. The result is (W, C) CSR int64.
    Pooling the counts is how the authors average phi over chains.
    """
    unit = run.cached(_label_word_chain, ignore=["X", "Y"])
    key = digest((X, Y))
    calls = (
        delayed(unit)(X, Y, key, float(eta), float(beta), n_sweeps, word64(seed, "words", "chain", k), run.version)
        for k in range(n_chains)
    )
    return sum(run.each(calls, n_chains, "label words"), start=sparse.csr_matrix((X.shape[1], Y.shape[1]), dtype=np.int64))


def _label_word_chain(X, Y, key, eta, beta, n_sweeps, chain, version):
    tokens = _by_word(X, Y)
    random = _generator(chain)
    z = np.zeros(tokens.docs.size, np.int16)
    labelled.start(tokens, z, random)
    state = labelled.init(tokens, z)
    row = np.zeros(tokens.n_labels)
    cumulative = np.zeros(np.diff(tokens.label_ptr).max(initial=1))
    for _ in range(n_sweeps):
        labelled.sweep(tokens, state, eta, beta, random, row, cumulative)
    words = np.repeat(np.arange(X.shape[1]), np.diff(tokens.word_ptr))
    labels = tokens.labels[tokens.label_ptr[tokens.docs] + state.z]
    counts = (np.ones(words.size, np.int64), (words, labels))
    return sparse.coo_matrix(counts, shape=(X.shape[1], Y.shape[1])).tocsr()


def train_topics(Y, n_topics, gamma, beta, n_chains, n_sweeps, seed, run):
    """Return the label tokens of each topic on each label in each chain's last state: a list of (T, C) int64.

    Y (D, C) CSR bool; gamma is per topic and beta per label. Topics mean nothing across chains: never average.
    """
    unit = run.cached(_topic_chain, ignore=["Y"])
    key = digest(Y)
    calls = (
        delayed(unit)(Y, key, n_topics, float(gamma), float(beta), n_sweeps, word64(seed, "topics", "chain", k), run.version)
        for k in range(n_chains)
    )
    return list(run.each(calls, n_chains, "topics"))


def _topic_chain(Y, key, n_topics, gamma, beta, n_sweeps, chain, version):
    tokens = topics.Tokens(Y.indptr.astype(np.int64), Y.indices.astype(np.int32), Y.shape[1])
    random = _generator(chain)
    z = np.zeros(tokens.items.size, np.int32)
    topics.start(z, n_topics, random)
    state = topics.init(tokens, z, n_topics)
    cumulative = np.zeros(n_topics)
    for _ in range(n_sweeps):
        topics.sweep(tokens, state, gamma, beta, random, cumulative)
    return state.n_ct.T.astype(np.int64)


def predict(X, phi, phi_topics, weights, schedule, n_chains, seed, run):
    """Yield (rows, label tokens, theta' sums) for one block of documents after the other.

    X (D, W) CSR counts; phi (W, C) float32; phi_topics a list of S arrays (T, C) float32, over which the chains
    are dealt in turn; weights a prediction.Prior; schedule is (burn_in, n_samples, lag). The sums run over all
    chains and samples: label tokens (rows, C) int64, theta' (rows, S, T) float64.
    """
    key = digest((X, phi, phi_topics))
    unit = run.cached(_predict_unit, ignore=["words", "ptr", "phi", "tables"])
    groups = [range(first, min(first + LANES, n_chains)) for first in range(0, n_chains, LANES)]
    blocks = list(_blocks(X))
    tables = [_interleave(phi_topics, group) for group in groups]

    def calls():
        for first, last in blocks:
            ptr, words = _tokens(X[first:last])
            for group, table in zip(groups, tables, strict=True):
                names = _chain_words(seed, group)
                sets = [k % len(phi_topics) for k in group]
                yield delayed(unit)(
                    ptr, words, phi, table, key, sets, tuple(weights), tuple(schedule), first, last, names, run.version
                )

    results = run.each(calls(), len(blocks) * len(groups), "prediction")
    n_topics, n_labels = phi_topics[0].shape
    for first, last in blocks:
        labels = np.zeros((last - first, n_labels), np.int64)
        theta = np.zeros((last - first, len(phi_topics), n_topics))
        for group in groups:
            held, sets, sums = next(results)
            labels += held.toarray()
            theta[:, sets] += sums
        yield slice(first, last), labels, theta


def _predict_unit(ptr, words, phi, tables, key, sets, weights, schedule, first, last, names, version):
    used = sorted(set(sets))
    n_topics, n_labels = tables.shape[0], phi.shape[1]
    documents = prediction.Documents(ptr, words, first)
    lanes = np.zeros(LANES, np.int64)
    lanes[: len(sets)] = [used.index(s) for s in sets]
    totals = prediction.Totals(
        np.zeros((last - first, n_labels), np.int32), np.zeros((last - first, len(used), n_topics))
    )
    work = prediction.scratch(int(np.diff(ptr).max(initial=0)), n_labels, n_topics)
    timing = prediction.Schedule(*schedule, len(sets))
    prediction.predict(documents, phi, tables, lanes, prediction.Prior(*weights), timing, names, work, totals)
    return sparse.csr_matrix(totals.labels), used, totals.topics


class Run:
    """How units are carried out: jobs, the memory that keeps finished ones, and whether progress is shown."""

    version = polytopic.__version__

    def __init__(self, n_jobs=None, memory=None, verbose=0):
        self.n_jobs, self.memory, self.verbose = n_jobs, memory, verbose

    def cached(self, function, ignore):
        return self.memory.cache(function, ignore=ignore) if self.memory is not None else function

    def each(self, calls, total, what):
        """Yield the calls' results in their order, as they are ready."""
        results = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(calls)
        yield from tqdm(results, total=total, desc=what) if self.verbose else results


def _by_word(X, Y):
    columns = X.tocsc()
    columns.sort_indices()
    word_ptr = np.concatenate([[0], np.cumsum(columns.data, dtype=np.int64)])[columns.indptr]
    docs = np.repeat(columns.indices, columns.data).astype(np.int32)
    return labelled.Tokens(word_ptr, docs, Y.indptr.astype(np.int64), Y.indices.astype(np.int32), Y.shape[1])


def _tokens(X):
    ptr = np.concatenate([[0], np.cumsum(X.data, dtype=np.int64)])[X.indptr]
    return ptr, np.repeat(X.indices, X.data).astype(np.int32)


def _blocks(X):
    """Yield (first, last) row ranges of about BLOCK_TOKENS tokens; at least one, at most D."""
    reach = np.cumsum(np.asarray(X.sum(axis=1)).ravel() + 1)
    first = 0
    while first < X.shape[0]:
        done = reach[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(reach, done + BLOCK_TOKENS, side="right")))
        yield first, last
        first = last


def _interleave(phi_topics, group):
    """Return the chains' topics side by side, (T, C, LANES) float32; idle lanes repeat the first chain's."""
    columns = [phi_topics[k % len(phi_topics)] for k in group]
    columns += columns[:1] * (LANES - len(columns))
    return np.ascontiguousarray(np.stack(columns, axis=-1), dtype=np.float32)


def _chain_words(seed, group):
    names = np.zeros((2, LANES), np.uint64)
    for lane, k in enumerate(group):
        names[:, lane] = word64(seed, "test", "labels", k), word64(seed, "test", "topics", k)
    return names


def _generator(chain):
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([chain], np.uint64), 0)
    return random
