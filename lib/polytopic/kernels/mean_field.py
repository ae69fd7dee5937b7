"""Labels of unseen documents by a few passes of mean field, without a random number (Rubin et al. 2012, 3.5.1).

Every distinct word of a document has a distribution over labels, its responsibilities R, in the place of samples, as
in CVB0 (Asuncion et al. 2009); the document's topics move by EM steps on the expected labels. A word's likelihood
has a part for the labels on which training put the word, its list, and a part that smoothing makes the same for all
words: a pass goes over the first word by word and over the second once. Values are float32; sums over many labels go
on in float64.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import LANES, add_at, gather, head, load, spread, store, sum_of, where

BLOCK = 64 * LANES  # terms of a sum over labels that are added up in float32, before float64 takes over


class Model(NamedTuple):
    """The likelihood of word w under label c is on its list, or even_c; phi'_tc is value of (t, c) + smooth_t.

    P is C, rounded up to a whole number of lanes. A list takes whole lanes: behind its end are zeros.
    """

    ptr: np.ndarray  # (W + 1,) int64  where the words' lists start
    labels: np.ndarray  # (E,) uint32
    likelihood: np.ndarray  # (E,) float32
    beyond: np.ndarray  # (E,) float32  likelihood - even_c
    even: np.ndarray  # (P,) float32, 0 behind the last label
    topic_ptr: np.ndarray  # (T + 1,) int64
    topic_labels: np.ndarray  # (F + LANES - 1,) uint32  with room to read LANES from any entry on
    values: np.ndarray  # (F + LANES - 1,) float32
    smooth: np.ndarray  # (T,) float64
    through: np.ndarray  # (P,) float32  the labels' probabilities under even topics, positive
    mass: np.ndarray  # (W,) float64  the words' masses under even topics, less that of the even part
    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Scratch(NamedTuple):
    """Workspace for one document at a time. Shares are R times the word's mass, one word's list after the other."""

    shares: np.ndarray  # (most entries of a document,) float32
    beyond: np.ndarray  # (most entries of a list,) float32  the present word's shares, less the even part
    per_mass: np.ndarray  # (most words of a document,) float64  1 / the words' masses
    n: np.ndarray  # (P,) float32  expected tokens by label
    added: np.ndarray  # (P,) float32  what lists add to them
    weight: np.ndarray  # (P,) float32  expected tokens and prior
    even: np.ndarray  # (P,) float32  even_c times that
    through: np.ndarray  # (P,) float32  sum over t of theta_t phi'_tc
    per_through: np.ndarray  # (P,) float32  n / through
    theta: np.ndarray  # (T,) float64


@compiled
def predict(ptr, words, counts, model, n_passes, work, scores):
    """Add to the rows of scores (D, C) the mean of the documents' shares of labels and of their normalised priors.

    The distinct words of document d are words[ptr[d]:ptr[d + 1]], counts (float64) how often they are there. R starts
    under the prior of even topics. A pass renews theta, then the prior, then R. A document without words gets the
    prior of even topics.
    """
    n_labels = scores.shape[1]
    for d in range(ptr.size - 1):
        length = settle(ptr[d], ptr[d + 1], words, counts, model, n_passes, work)
        tokens = through = 0.0
        for c in range(0, work.n.size, LANES):
            tokens += sum_of(load(work.n, c))
            through += sum_of(head(load(work.through, c), np.int32(n_labels - c)))
        of_prior = model.eta * through + model.alpha * n_labels
        by_prior, by_tokens = (0.5 / of_prior, 0.5 / tokens) if length > 0 else (1.0 / of_prior, 0.0)
        for c in range(n_labels):
            prior = model.eta * work.through[c] + model.alpha  # alpha'_c (Eq. 12)
            scores[d, c] += by_prior * prior + by_tokens * work.n[c]


@compiled
def settle(first, last, words, counts, model, n_passes, work):
    """Go through the passes over the document words[first:last], and return its length; work holds the outcome."""
    length = 0.0
    for i in range(first, last):
        length += counts[i]
    for c in range(0, work.n.size, LANES):
        store(work.through, c, load(model.through, c))
        store(work.n, c, spread(np.float32(0)))
    if length > 0:
        work.theta[:] = 1.0 / max(1, work.theta.size)
        set_shares(first, last, words, counts, True, model, work)
        for _ in range(n_passes):
            if work.theta.size > 1:
                set_topics(length, model, work)
                set_through(model, work)
            set_shares(first, last, words, counts, False, model, work)
    return length


@compiled
def set_through(model, work):
    """Set the labels' probabilities through the topics."""
    even = 0.0
    for t in range(work.theta.size):
        even += work.theta[t] * model.smooth[t]
    for c in range(0, work.through.size, LANES):
        store(work.through, c, spread(np.float32(even)))
    for t in range(work.theta.size):
        share = np.float32(work.theta[t])
        for e in range(model.topic_ptr[t], model.topic_ptr[t + 1]):
            work.through[model.topic_labels[e]] += share * model.values[e]


@compiled
def set_topics(length, model, work):
    """Move theta by an EM step on the expected tokens by label, with gamma per topic."""
    total = 0.0
    for block in range(0, work.n.size, BLOCK):
        subtotal = spread(np.float32(0))
        for c in range(block, min(block + BLOCK, work.n.size), LANES):
            ratio = load(work.n, c) / load(work.through, c)
            store(work.per_through, c, ratio)
            subtotal = subtotal + ratio
        total += sum_of(subtotal)
    for t in range(work.theta.size):
        mass, end = model.smooth[t] * total, model.topic_ptr[t + 1]
        for block in range(model.topic_ptr[t], end, BLOCK):
            subtotal = spread(np.float32(0))
            for e in range(block, min(block + BLOCK, end), LANES):
                ratio = gather(work.per_through, load(model.topic_labels, e))
                subtotal = subtotal + head(ratio * load(model.values, e), np.int32(end - e))
            mass += sum_of(subtotal)
        work.theta[t] = (work.theta[t] * mass + model.gamma) / (length + work.theta.size * model.gamma)


@compiled
def set_shares(first, last, words, counts, is_first, model, work):
    """Renew R and the expected tokens: R_wc is in proportion to the likelihood times (n_c - R_wc + alpha'_c).

    What a word has on labels that are not on its list, a matter of smoothing, is not taken out of n_c. The first time
    there are no R and n_c, and the words' masses are known.
    """
    mass_of_even, place, times_even = set_weights(model, work), 0, 0.0
    for i in range(first, last):
        start, end = model.ptr[words[i]], model.ptr[words[i] + 1]
        former = np.float32(0 if is_first else work.per_mass[i - first])
        mass = weigh_list(start, end, place, former, is_first, model, work)
        if is_first:
            mass = model.mass[words[i]]
        work.per_mass[i - first] = 1.0 / (mass_of_even + mass)
        times = counts[i] * work.per_mass[i - first]
        for e in range(start, end, LANES):
            add_at(work.added, load(model.labels, e), load(work.beyond, e - start) * np.float32(times))
        times_even += times
        place += end - start
    for c in range(0, work.n.size, LANES):
        n = load(work.added, c) + load(work.even, c) * np.float32(times_even)
        store(work.n, c, where(n <= np.float32(0), spread(np.float32(0)), n))


@inlined
def set_weights(model, work):
    """Set the labels' weights under alpha' (Eq. 12), and those times even_c; return the sum of these."""
    eta, alpha, total = np.float32(model.eta), np.float32(model.alpha), 0.0
    for block in range(0, work.n.size, BLOCK):
        subtotal = spread(np.float32(0))
        for c in range(block, min(block + BLOCK, work.n.size), LANES):
            weight = load(work.n, c) + load(work.through, c) * eta + alpha
            even = load(model.even, c) * weight
            store(work.weight, c, weight)
            store(work.even, c, even)
            store(work.added, c, spread(np.float32(0)))
            subtotal = subtotal + even
        total += sum_of(subtotal)
    return total


@inlined
def weigh_list(start, end, place, former, is_first, model, work):
    """Set the shares of a word's list, from the place on; return by how much its mass exceeds the even part.

    former makes R of the shares that are there, unless they are the first.
    """
    total = 0.0
    for block in range(start, end, BLOCK):
        subtotal = spread(np.float32(0))
        for e in range(block, min(block + BLOCK, end), LANES):
            here, likelihood = place + e - start, load(model.likelihood, e)
            weight, own = gather(work.weight, load(model.labels, e)), spread(np.float32(0))
            if not is_first:
                own = likelihood * (load(work.shares, here) * former)
            beyond = load(model.beyond, e) * weight - own
            store(work.shares, here, likelihood * weight - own)
            store(work.beyond, e - start, beyond)
            subtotal = subtotal + beyond
        total += sum_of(subtotal)
    return total
