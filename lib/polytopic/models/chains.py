"""Training chains as units of work: what one chain is given and what it returns.

A unit depends on its arguments alone, so units may run in any order, on threads, processes or a cluster, and be
kept in a joblib.Memory: an interrupted run finds its finished chains again, bit for bit.
"""

from typing import NamedTuple

import numpy as np
from joblib import delayed
from joblib import hash as digest
from scipy import sparse

from polytopic.kernels import labelled
from polytopic.kernels.documents import last_sweep, sample_after
from polytopic.models import topic_chains
from polytopic.models.settings import Run as Run  # what the functions here take, for those who call them
from polytopic.streams import word64


def train_label_words(X, Y, eta, beta, n_chains, n_sweeps, seed, run, label_words=None):
    """Return the tokens of each word on each label, added up over the chains' last states.

    X (D, W) CSR counts and Y (D, C) CSR bool; every document has a label. label_words (C, W) CSR are pseudo-counts
    beyond beta, not among the tokens; None has none. The result is (W, C) CSR int64.
    Pooling the counts is how the authors average phi over chains. A unit is up to sixteen chains, side by side
    if they are more than one; what a chain draws does not depend on the chains beside it.
    """
    unit = run.cached(_label_word_chains, ignore=["tokens"])
    tokens, key = labelled_tokens(X, Y, label_words), digest((X, Y, label_words))
    words = [word64(seed, "words", "chain", k) for k in range(n_chains)]
    groups = [words[k : k + labelled.LANES] for k in range(0, n_chains, labelled.LANES)]
    calls = (delayed(unit)(tokens, key, float(eta), float(beta), n_sweeps, g) for g in groups)
    return sum(run.each(calls, len(groups), "label words"))


def _label_word_chains(tokens, key, eta, beta, n_sweeps, chains, code):
    return _pooled(tokens, _last_state(tokens, eta, beta, n_sweeps, chains).z[:, : len(chains)])


def _last_state(tokens, eta, beta, n_sweeps, chains):
    """Return the last State of up to sixteen chains, which take the first lanes."""
    random = topic_chains.generators(*chains, *[0] * (labelled.LANES - len(chains)))
    state = labelled.start(tokens, random)
    for _ in range(n_sweeps):
        labelled.sweep(tokens, state, eta, beta, random)
    return state


def _pooled(tokens, z):
    """Return the tokens of each word on each label, (W, C) CSR, added up over chains, z (N, chains)."""
    ptr, labels, counts = labelled.pool(tokens, z)
    return sparse.csr_matrix((counts, labels, ptr), shape=(ptr.size - 1, tokens.n_labels)).sorted_indices()


def mean_label_words(X, Y, eta, beta, schedule, seed, run):
    """Return phi (W, C) float64, the mean of each sample of each chain (Eq. 3); each column sums to 1.

    X and Y as in ``train_label_words``, whose chains these are: with one sample a chain it takes their last states,
    and weighs each chain alike where pooling weighs each token alike. A label without tokens has all words alike.
    """
    unit = run.cached(_mean_label_words, ignore=["tokens"])
    tokens, key = labelled_tokens(X, Y), digest((X, Y))
    words = [word64(seed, "words", "chain", k) for k in range(schedule.n_chains)]
    groups = [words[k : k + labelled.LANES] for k in range(0, len(words), labelled.LANES)]
    calls = (delayed(unit)(tokens, key, float(eta), float(beta), schedule, g) for g in groups)
    found = list(run.each(calls, len(groups), "label words"))
    shares, smoothing = (sum(parts) for parts in zip(*found, strict=True))
    phi = shares.toarray()
    phi += smoothing
    phi /= schedule.n_chains * schedule.n_samples
    return phi


def _mean_label_words(tokens, key, eta, beta, schedule, chains, code):
    """Return what up to sixteen chains add to phi: words that a label has, (W, C) CSR, and every word alike, (C,)."""
    random = topic_chains.generators(*chains, *[0] * (labelled.LANES - len(chains)))
    state = labelled.start(tokens, random)
    shares, smoothing = 0, np.zeros(tokens.n_labels)
    for sweep in range(1, last_sweep(schedule) + 1):
        labelled.sweep(tokens, state, eta, beta, random)
        if sample_after(sweep, schedule) < 0:
            continue
        for lane in range(len(chains)):
            counts = _pooled(tokens, state.z[:, lane : lane + 1])
            totals = np.asarray(counts.sum(axis=0)).ravel() + counts.shape[0] * beta
            shares = shares + counts.multiply(1 / totals).tocsr()
            smoothing += beta / totals
    return shares, smoothing


class LabelCounts(NamedTuple):
    """Tokens of one chain's last state by label: of each word, (C, W), and of each document, (D, C); CSR int64."""

    label_words: sparse.csr_matrix
    document_labels: sparse.csr_matrix


def label_counts(X, Y, eta, beta, n_chains, n_sweeps, seed, run):
    """Return the LabelCounts of each chain, at most sixteen; the chains are those of ``train_label_words``."""
    unit = run.cached(_label_counts, ignore=["X", "Y"])
    words = [word64(seed, "words", "chain", k) for k in range(n_chains)]
    call = delayed(unit)(X, Y, digest((X, Y)), float(eta), float(beta), n_sweeps, words)
    return next(iter(run.each([call], 1, "label counts")))


def _label_counts(X, Y, key, eta, beta, n_sweeps, chains, code):
    tokens = labelled_tokens(X, Y)
    state = _last_state(tokens, eta, beta, n_sweeps, chains)
    sizes, lengths = np.diff(Y.indptr), np.asarray(X.sum(axis=1), dtype=np.int64).ravel()
    several = np.flatnonzero(sizes > 1)[np.argsort(sizes[sizes > 1], kind="stable")]
    rows = np.concatenate([np.repeat(several, sizes[several]), np.flatnonzero(sizes == 1)])
    columns = np.concatenate([tokens.labels, Y[sizes == 1].indices])
    counts_of_chains = []
    for lane in range(len(chains)):
        words = _pooled(tokens, state.z[:, lane : lane + 1]).T.tocsr()
        on_label = np.concatenate([state.n_dc[:, lane].astype(np.int64), lengths[sizes == 1]])
        documents = sparse.coo_matrix((on_label, (rows, columns)), shape=Y.shape).tocsr()
        documents.eliminate_zeros()
        counts_of_chains.append(LabelCounts(words, documents))
    return counts_of_chains


def labelled_tokens(X, Y, label_words=None):
    """Return the training tokens of X (D, W) and Y (D, C), both CSR, every document with a label, for the kernel.

    label_words as in ``train_label_words``.
    """
    sizes = np.diff(Y.indptr)
    order = np.argsort(sizes, kind="stable")
    single, several = np.split(order, [np.count_nonzero(sizes == 1)])
    settled = sparse.csr_matrix(X[single].T @ Y[single].astype(np.int32))
    pairs, label_sets, settled = map(topic_chains.arrays, (X[several].tocsc(), Y[several], settled))
    if label_words is None:
        label_words = sparse.csr_matrix((Y.shape[1], X.shape[1]))
    prior = *topic_chains.arrays(label_words.tocsc(), float), label_words.sum(axis=1, dtype=float).A1
    return labelled.Tokens(*pairs, *label_sets[:2], *settled, *prior, Y.shape[1])


def train_topics(Y, n_topics, gamma, beta, n_chains, n_sweeps, seed, run, sampler=None):
    """Return the label tokens of each topic on each label in each chain's last state: a list of (T, C) CSR int64.

    Y (D, C) CSR bool; gamma is per topic and beta per label. sampler as for ``topic_chains.Chain``. Topics mean
    nothing across chains: never average.
    """
    unit = run.cached(_topic_chain, ignore=["Y"])
    given = Y, digest(Y), n_topics, float(gamma), float(beta), n_sweeps
    names = (word64(seed, "topics", "chain", k) for k in range(n_chains))
    return list(run.each((delayed(unit)(*given, name, sampler) for name in names), n_chains, "topics"))


def _topic_chain(Y, key, n_topics, gamma, beta, n_sweeps, chain, sampler, code):
    counts = topic_chains.Chain(Y, n_topics, gamma, beta, chain, sampler).advance(n_sweeps).counts()
    return counts.item_topics.T.tocsr()
