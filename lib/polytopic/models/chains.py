"""Training chains as units of work: what one chain is given and what it returns.

A unit depends on its arguments alone, so units may run in any order, on threads, processes or a cluster, and be
kept in a joblib.Memory: an interrupted run finds its finished chains again, bit for bit.
"""

import numpy as np
from joblib import Parallel, delayed
from joblib import hash as digest
from scipy import sparse
from tqdm.auto import tqdm

import polytopic
from polytopic.kernels import generator, labelled, topics
from polytopic.streams import word64


def train_label_words(X, Y, eta, beta, n_chains, n_sweeps, seed, run):
    """Return the tokens of each word on each label, added up over the chains' last states.

    X (D, W) CSR counts and Y (D, C) CSR bool; every document has a label. The result is (W, C) CSR int64.
    Pooling the counts is how the authors average phi over chains.
    """
    unit = run.cached(_label_word_chain, ignore=["X", "Y"])
    key = digest((X, Y))
    calls = (
        delayed(unit)(
            X, Y, key, float(eta), float(beta), n_sweeps, word64(seed, "words", "chain", k), run.version
        )
        for k in range(n_chains)
    )
    return sum(
        run.each(calls, n_chains, "label words"),
        start=sparse.csr_matrix((X.shape[1], Y.shape[1]), dtype=np.int64),
    )


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
        delayed(unit)(
            Y,
            key,
            n_topics,
            float(gamma),
            float(beta),
            n_sweeps,
            word64(seed, "topics", "chain", k),
            run.version,
        )
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


def _generator(chain):
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([chain], np.uint64), 0)
    return random
