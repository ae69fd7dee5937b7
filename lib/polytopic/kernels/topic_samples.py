"""Topics of unseen documents, phi fixed, and what one state of the chain says of a document's topics.

A state of the sampler (Papanikolaou et al., Eq. 4) is read in four ways at once: by its assignments, and by the
tokens' conditional distributions, normalised for each token, with the token's own count kept (Eq. 6), with it left
out, and with the prior dropped (Eq. 7). All topics are weighed for every token, one after the other, in float64: this
is the sampler that the others are judged by.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import allocating, compiled
from polytopic.kernels.documents import last_sweep, sample_after
from polytopic.kernels.weighing import first_above


class Sums(NamedTuple):
    """Sums over chains and samples, (D, T) float64 each: every sample adds N_d to a document's row."""

    assigned: np.ndarray  # tokens on each topic
    kept: np.ndarray  # conditionals, the token's own count kept
    left_out: np.ndarray  # conditionals as the sampler has them, the token's own count left out
    no_prior: np.ndarray  # conditionals by the counts alone, the token's own kept, the prior dropped


def sums(n_documents, n_topics):
    """Return Sums of zeros."""
    return Sums(*(np.zeros((n_documents, n_topics)) for _ in Sums._fields))


@allocating
def sample(documents, phi, alpha, schedule, chains, with_conditionals, totals, states):
    """Sample every document with every chain; add the samples up in totals and leave the last z in states.

    phi (W, T) float64; alpha (T,) float64; chains (K,) uint64 names the chains. Without with_conditionals only
    totals.assigned is kept. states (K, N) int32.
    """
    n_topics = alpha.size
    random = np.zeros((4, 1), np.uint32)
    n, cumulative = np.zeros(n_topics), np.zeros(n_topics)
    for d in range(documents.ptr.size - 1):
        first, last = documents.ptr[d], documents.ptr[d + 1]
        for k in range(chains.size):
            z = states[k]
            generator.seed(random, chains[k : k + 1], documents.names[d])
            n[:] = 0.0
            for i in range(first, last):
                z[i] = int(generator.uniform(random) * n_topics)
                n[z[i]] += 1
            for step in range(1, last_sweep(schedule) + 1):
                sweep(first, last, documents.words, phi, alpha, z, n, cumulative, random)
                if sample_after(step, schedule) >= 0:
                    totals.assigned[d] += n
                    if with_conditionals:
                        add_conditionals(d, first, last, documents.words, phi, alpha, z, n, totals)


@allocating
def read_states(documents, phi, alpha, z, totals):
    """Add up what the assignments z (N,) of all documents say, as one sample. Arguments as for ``sample``."""
    n = np.zeros(alpha.size)
    for d in range(documents.ptr.size - 1):
        first, last = documents.ptr[d], documents.ptr[d + 1]
        n[:] = 0.0
        for i in range(first, last):
            n[z[i]] += 1
        totals.assigned[d] += n
        add_conditionals(d, first, last, documents.words, phi, alpha, z, n, totals)


@allocating
def conditional_word_counts(documents, z, phi, alpha):
    """Return the sum over tokens of each word of their conditional distributions in the state z (N,), (W, T) float64.

    Only the document's count leaves the token out, as in the journal version of Papanikolaou et al. (2017).
    phi (W, T) are the smoothed counts over all tokens, alpha (T,).
    """
    table, n = np.zeros(phi.shape), np.zeros(alpha.size)
    for d in range(documents.ptr.size - 1):
        n[:] = 0.0
        for i in range(documents.ptr[d], documents.ptr[d + 1]):
            n[z[i]] += 1
        for i in range(documents.ptr[d], documents.ptr[d + 1]):
            add_conditional(table, documents.words[i], documents.words[i], phi, alpha, n, z[i], 1.0)
    return table


@compiled
def sweep(first, last, words, phi, alpha, z, n, cumulative, random):
    """Resample the tokens first to last of one document once; n (T,) holds its counts."""
    for i in range(first, last):
        n[z[i]] -= 1
        total = 0.0
        for k in range(alpha.size):
            total += phi[words[i], k] * (n[k] + alpha[k])
            cumulative[k] = total
        k = first_above(cumulative, generator.fine_uniform(random) * total)
        z[i] = k
        n[k] += 1


@compiled
def add_conditionals(d, first, last, words, phi, alpha, z, n, totals):
    """Add the conditional distributions of the tokens first to last, whose assignments make the counts n (T,)."""
    for i in range(first, last):
        w, t = words[i], z[i]
        all_kept, by_counts = 0.0, 0.0
        for k in range(n.size):
            by_counts += phi[w, k] * n[k]
            all_kept += phi[w, k] * (n[k] + alpha[k])
        kept, left_out, no_prior = 1 / all_kept, 1 / (all_kept - phi[w, t]), 1 / by_counts
        for k in range(n.size):
            weight = phi[w, k] * (n[k] + alpha[k])
            totals.kept[d, k] += weight * kept
            totals.left_out[d, k] += weight * left_out
            totals.no_prior[d, k] += phi[w, k] * n[k] * no_prior
        totals.left_out[d, t] -= phi[w, t] * left_out


@compiled
def add_conditional(table, row, w, phi, alpha, n, t, weight):
    """Add weight times the sampler's distribution of a token of word w on topic t to a row of table (R, T)."""
    total = -phi[w, t]
    for k in range(n.size):
        total += phi[w, k] * (n[k] + alpha[k])
    for k in range(n.size):
        table[row, k] += weight * phi[w, k] * (n[k] + alpha[k]) / total
    table[row, t] -= weight * phi[w, t] / total
