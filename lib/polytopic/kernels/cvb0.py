"""CVB0: every token keeps a distribution over topics, its responsibilities, instead of one topic.

Tokens of one word in one document start alike and stay alike, so there is one row of responsibilities for each
distinct pair of document and word. The updates leave out one token of the pair, as the sampler does, and are made in
place, pair by pair (Asuncion et al. 2009; Papanikolaou et al., 3.2). Memory: 4 T bytes for each pair in training,
8 T bytes for each pair of one document in prediction.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import allocating, compiled
from polytopic.kernels.topic_samples import add_conditional


class Pairs(NamedTuple):
    """Distinct pairs of document and word; those of document d lie in ptr[d]:ptr[d + 1]."""

    ptr: np.ndarray  # (D + 1,)
    words: np.ndarray  # (P,) int32
    counts: np.ndarray  # (P,) int32  tokens of each pair
    names: np.ndarray  # (D,) uint64  of the documents' random numbers


class State(NamedTuple):
    """Responsibilities and the expected counts that they imply. Kernels change it in place."""

    gamma: np.ndarray  # (P, T) float32
    n_wt: np.ndarray  # (W, T) float64
    n_dt: np.ndarray  # (D, T) float64
    n_t: np.ndarray  # (T,) float64


@allocating
def start(pairs, n_words, n_topics, chain):
    """Return the State whose responsibilities are uniform random numbers, normalised, named by chain (1,) uint64."""
    gamma = np.zeros((pairs.words.size, n_topics), np.float32)
    random = np.zeros((4, 1), np.uint32)
    for d in range(pairs.ptr.size - 1):
        start_document(pairs, d, chain, random, gamma, pairs.ptr[d])
    return state_of(pairs, gamma, n_words)


@allocating
def start_from_samples(pairs, n_words, phi, alpha, z):
    """Return the State whose responsibilities are the sampler's own distributions (Eq. 1 of the present state).

    z (N,) are the topics of all tokens, in order of documents and of words within each. phi (W, T) counts no token
    out, which the document's count does; where a pair has several tokens, their distributions are averaged.
    """
    n_topics = phi.shape[1]
    gamma, n = np.zeros((pairs.words.size, n_topics), np.float32), np.zeros(n_topics)
    i = 0
    for d in range(pairs.ptr.size - 1):
        i = start_document_from_samples(pairs, d, z, i, phi, alpha, n, gamma, pairs.ptr[d])
    return state_of(pairs, gamma, n_words)


@compiled
def start_document(pairs, d, chain, random, gamma, row):
    """Set document d's responsibilities, gamma from ``row`` on, to uniform random numbers, normalised."""
    generator.seed(random, chain, pairs.names[d])
    for p in range(row, row + pairs.ptr[d + 1] - pairs.ptr[d]):
        total = 0.0
        for k in range(gamma.shape[1]):
            gamma[p, k] = generator.uniform(random) + 2.0**-25
            total += gamma[p, k]
        for k in range(gamma.shape[1]):
            gamma[p, k] /= total


@compiled
def start_document_from_samples(pairs, d, z, i, phi, alpha, n, gamma, row):
    """Set document d's responsibilities, gamma from ``row`` on, to the sampler's distributions.

    Its tokens' topics are z from place i on; return the place behind them. n (T,) is scratch.
    """
    n[:] = 0.0
    j = i
    for p in range(pairs.ptr[d], pairs.ptr[d + 1]):
        for _ in range(pairs.counts[p]):
            n[z[j]] += 1
            j += 1
    for p in range(pairs.ptr[d], pairs.ptr[d + 1]):
        gamma[row] = 0.0
        for _ in range(pairs.counts[p]):
            add_conditional(gamma, row, pairs.words[p], phi, alpha, n, z[i], 1 / pairs.counts[p])
            i += 1
        row += 1
    return i


@allocating
def state_of(pairs, gamma, n_words):
    """Return the State that responsibilities gamma (P, T) imply."""
    n_topics = gamma.shape[1]
    n_wt, n_dt = np.zeros((n_words, n_topics)), np.zeros((pairs.ptr.size - 1, n_topics))
    for d in range(pairs.ptr.size - 1):
        for p in range(pairs.ptr[d], pairs.ptr[d + 1]):
            for k in range(n_topics):
                share = pairs.counts[p] * np.float64(gamma[p, k])
                n_wt[pairs.words[p], k] += share
                n_dt[d, k] += share
    return State(gamma, n_wt, n_dt, n_wt.sum(axis=0))


@compiled
def sweep(pairs, state, alpha, beta, row):
    """Update every pair once; return how far a token's responsibilities moved on average, in total variation.

    alpha (T,) is per topic, beta per word; row (T,) float64 is scratch.
    """
    smooth = beta * state.n_wt.shape[0]
    moved, n_tokens = 0.0, 0.0
    for d in range(pairs.ptr.size - 1):
        for p in range(pairs.ptr[d], pairs.ptr[d + 1]):
            w, count = pairs.words[p], np.float64(pairs.counts[p])
            total = 0.0
            for k in range(row.size):
                token = np.float64(state.gamma[p, k])
                word = (state.n_wt[w, k] - token + beta) / (state.n_t[k] - token + smooth)
                row[k] = word * (state.n_dt[d, k] - token + alpha[k])
                total += row[k]
            for k in range(row.size):
                before = state.gamma[p, k]
                state.gamma[p, k] = row[k] / total
                step = count * (np.float64(state.gamma[p, k]) - np.float64(before))
                state.n_wt[w, k] += step
                state.n_dt[d, k] += step
                state.n_t[k] += step
                moved += abs(step) / 2
            n_tokens += count
    return moved / max(n_tokens, 1.0)


@allocating
def predict(pairs, phi, alpha, most, tolerance, chains, states, from_samples, totals):
    """Run CVB0 with phi (W, T) fixed on every document, from every chain's start, and add up n_dt in totals (D, T).

    A document is done when a pass moves a token's responsibilities by less than tolerance on average, or after
    ``most`` passes. The start is random, named by the chain and the
    document, or with from_samples the distributions of the sampler's state: states (K, N), a row for each chain.
    """
    longest = np.diff(pairs.ptr).max() if pairs.ptr.size > 1 else 0
    gamma, n, row = np.zeros((longest, alpha.size)), np.zeros(alpha.size), np.zeros(alpha.size)
    random = np.zeros((4, 1), np.uint32)
    first = 0  # the document's first token
    for d in range(pairs.ptr.size - 1):
        n_tokens = pairs.counts[pairs.ptr[d] : pairs.ptr[d + 1]].sum()
        for c in range(chains.size):
            if from_samples:
                start_document_from_samples(pairs, d, states[c], first, phi, alpha, n, gamma, 0)
            else:
                start_document(pairs, d, chains[c : c + 1], random, gamma, 0)
            n[:] = 0.0
            for p in range(pairs.ptr[d], pairs.ptr[d + 1]):
                for k in range(n.size):
                    n[k] += pairs.counts[p] * gamma[p - pairs.ptr[d], k]
            for _ in range(most):
                if sweep_document(pairs, d, phi, alpha, gamma, n, row) < tolerance * n_tokens:
                    break
            for k in range(n.size):
                totals[d, k] += n[k]
        first += n_tokens


@compiled
def sweep_document(pairs, d, phi, alpha, gamma, n, row):
    """Update the pairs of document d once, phi fixed; return how far its tokens moved in all."""
    first, moved = pairs.ptr[d], 0.0
    for p in range(first, pairs.ptr[d + 1]):
        w, count = pairs.words[p], np.float64(pairs.counts[p])
        total = 0.0
        for k in range(row.size):
            row[k] = phi[w, k] * (n[k] - gamma[p - first, k] + alpha[k])
            total += row[k]
        for k in range(row.size):
            step = count * (row[k] / total - gamma[p - first, k])
            gamma[p - first, k] = row[k] / total
            n[k] += step
            moved += abs(step) / 2
    return moved
