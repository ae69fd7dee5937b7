"""Labels of unseen documents by a few passes of mean field, without a random number (Rubin et al. 2012, 3.5.1).

Every distinct word of a document has a distribution over labels, in the place of samples, as in CVB0 (Asuncion et al.
2009); the document's topics move by EM steps on the expected labels. A word's likelihood has a part for the labels on
which training put the word, its list, and a part that smoothing makes the same for all words: a pass goes over the
first word by word and over the second once. Values are float32; sums over many labels go on in float64.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined, part
from polytopic.kernels.simd import (
    LANES,
    add_at,
    gather_at,
    head,
    lane_of,
    load,
    padded,
    prefetch,
    running,
    spread,
    store,
    where,
)

BLOCK = 64 * LANES  # terms of a sum over labels that are added up in float32, before float64 takes over
GROUP = 8  # words with a row whose shares are added at once, while they are in the cache


class Model(NamedTuple):
    """The likelihood of word w under label c is listed, or even_c; phi'_tc is value of (t, c) + smooth_t.

    A word with many labels has a row over all of them in place of a list. Behind the last entry of the lists there is
    room to read on to a whole number of lanes. P is C, rounded up likewise.
    """

    row: np.ndarray  # (W,) int32  the word's row, or -1
    rows: np.ndarray  # (R * P,) float32  likelihood, but 0 off the word's list
    word_ptr: np.ndarray  # (W + 1,) int64  where the labels of the other words stand
    labels: np.ndarray  # (E + LANES - 1,) uint32
    likelihood: np.ndarray  # (E + LANES - 1,) float32
    beyond: np.ndarray  # (E + LANES - 1,) float32  likelihood - even_c
    even: np.ndarray  # (P,) float32, 0 behind the last label
    topic_ptr: np.ndarray  # (T + 1,) int64
    topic_labels: np.ndarray  # (F + LANES - 1,) uint32
    values: np.ndarray  # (F + LANES - 1,) float32
    smooth: np.ndarray  # (T,) float64
    through: np.ndarray  # (P,) float32  the labels' probabilities under even topics, positive
    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Scratch(NamedTuple):
    """Workspace for one document at a time.

    A word's entries, P if it has a row, take a whole number of lanes. Words are in order, those with rows first.
    """

    shares: np.ndarray  # (entries of a document's words,) float32  R on a word's list, times its mass; else 0
    beyond: np.ndarray  # (most entries of a list,) float32  the present word's shares, less the even part
    group: np.ndarray  # (GROUP,) int64  the present words with rows
    times: np.ndarray  # (GROUP,) float32  their counts, each over its mass
    mass: np.ndarray  # (GROUP,) float64  by how much their masses exceed that of the even part
    of_rows: np.ndarray  # (GROUP * P,) float32  their shares, less the even part
    per_mass: np.ndarray  # (most words of a document,) float64  1 / mass
    n: np.ndarray  # (P,) float32  expected tokens by label
    added: np.ndarray  # (P,) float32  what the lists add to them
    weight: np.ndarray  # (P,) float32  expected tokens and prior
    even: np.ndarray  # (P,) float32  even_c times that
    through: np.ndarray  # (P,) float32  sum over t of theta_t phi'_tc
    per_through: np.ndarray  # (P,) float32  n / through
    theta: np.ndarray  # (T,) float64


@compiled
def predict(ptr, words, counts, model, n_passes, work, scores):
    """Add to the rows of scores (D, C) the mean of the documents' shares of labels and of their priors, each to 1.

    The distinct words of document d are words[ptr[d]:ptr[d + 1]], counts (float64) how often they are there. R starts
    under the prior of even topics. A pass renews theta, then the prior, then R. A document without words gets the
    prior of even topics.
    """
    n_labels = scores.shape[1]
    for d in range(ptr.size - 1):
        length = settle(ptr[d], ptr[d + 1], words, counts, model, n_passes, work)
        tokens = of_prior = 0.0
        for c in range(n_labels):
            tokens += work.n[c]
            of_prior += prior(c, model, work)
        by_prior, by_tokens = (0.5 / of_prior, 0.5 / tokens) if length > 0 else (1.0 / of_prior, 0.0)
        for c in range(n_labels):
            scores[d, c] += by_prior * prior(c, model, work) + by_tokens * work.n[c]


@inlined
def prior(c, model, work):
    """Return alpha'_c (Eq. 12)."""
    return model.eta * work.through[c] + model.alpha


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
        work.per_mass[:] = 0.0
        set_shares(first, last, words, counts, model, work)
        for _ in range(n_passes):
            if work.theta.size > 1:
                set_topics(length, model, work)
                set_through(model, work)
            set_shares(first, last, words, counts, model, work)
    return length


@part
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


@part
def set_topics(length, model, work):
    """Move theta by an EM step on the expected tokens by label, with gamma per topic."""
    total = 0.0
    for block in range(0, work.n.size, BLOCK):
        subtotal = spread(np.float32(0))
        for c in range(block, min(block + BLOCK, work.n.size), LANES):
            ratio = load(work.n, c) / load(work.through, c)
            store(work.per_through, c, ratio)
            subtotal = subtotal + ratio
        total += total_of(subtotal)
    for t in range(work.theta.size):
        mass, end = model.smooth[t] * total, model.topic_ptr[t + 1]
        for block in range(model.topic_ptr[t], end, BLOCK):
            subtotal = spread(np.float32(0))
            for e in range(block, min(block + BLOCK, end), LANES):
                ratio = gather_at(work.per_through, model.topic_labels, e)
                subtotal = subtotal + head(ratio * load(model.values, e), np.int32(end - e))
            mass += total_of(subtotal)
        work.theta[t] = (work.theta[t] * mass + model.gamma) / (length + work.theta.size * model.gamma)


@part
def set_shares(first, last, words, counts, model, work):
    """Renew R and the expected tokens: R_wc is in proportion to the likelihood times (n_c - R_wc + alpha'_c).

    What a word has on labels off its list, a matter of smoothing, is not taken out of n_c.
    """
    mass_of_even = set_weights(model, work)
    times_even, place, n_rows = 0.0, 0, 0
    for i in range(first, last):
        if model.row[words[i]] >= 0:
            work.group[n_rows] = i
            n_rows += 1
            if n_rows == GROUP:
                times_even += renew_rows(n_rows, place, first, words, counts, mass_of_even, model, work)
                place += n_rows * work.n.size
                n_rows = 0
    times_even += renew_rows(n_rows, place, first, words, counts, mass_of_even, model, work)
    place += n_rows * work.n.size
    for i in range(first, last):
        w = words[i]
        if model.row[w] < 0:
            start, end = model.word_ptr[w], model.word_ptr[w + 1]
            following = model.word_ptr[words[min(i + 1, last - 1)]]
            former = np.float32(work.per_mass[i - first])
            beyond = weigh_list(start, end, following, place, former, model, work)
            place += padded(end - start)
            work.per_mass[i - first] = 1.0 / (mass_of_even + beyond)
            times = counts[i] * work.per_mass[i - first]
            times_even += times
            add_list(start, end, np.float32(times), model, work)
    for c in range(0, work.n.size, LANES):
        n = load(work.added, c) + load(work.even, c) * np.float32(times_even)
        store(work.n, c, where(n <= np.float32(0), spread(np.float32(0)), n))


@inlined
def renew_rows(n, place, first, words, counts, mass_of_even, model, work):
    """Do for the group of n words with rows what is done for one with a list; their shares are from the place on.

    Return the counts of the words, each over its mass, added up. A block of labels is gone through by all words
    while what is known of the labels is in the cache.
    """
    size, times_even = work.n.size, 0.0
    for k in range(n):
        work.mass[k] = 0.0
    for block in range(0, size if n > 0 else 0, BLOCK):
        for k in range(n):
            i = work.group[k]
            former = np.float32(work.per_mass[i - first])
            row = model.row[words[i]] * size
            work.mass[k] += weigh_row(row, place + k * size, k * size, block, former, model, work)
    for k in range(n):
        i = work.group[k]
        work.per_mass[i - first] = 1.0 / (mass_of_even + work.mass[k])
        times = counts[i] * work.per_mass[i - first]
        work.times[k] = np.float32(times)
        times_even += times
    for c in range(0, size if n > 0 else 0, LANES):
        added = load(work.added, c)
        for k in range(n):
            added = added + load(work.of_rows, k * size + c) * work.times[k]
        store(work.added, c, added)
    return times_even


@inlined
def weigh_row(row, place, out, block, former, model, work):
    """Do for a block of a row what ``weigh_list`` does for a list; the shares less the even part go to ``out``."""
    none = spread(np.float32(0))
    subtotal = none
    for c in range(block, min(block + BLOCK, work.n.size), LANES):
        own = load(work.shares, place + c) * former
        likelihood = load(model.rows, row + c)
        shares = likelihood * (load(work.weight, c) - own)
        beyond = where(likelihood == np.float32(0), none, shares - load(work.even, c))
        store(work.shares, place + c, shares)
        store(work.of_rows, out + c, beyond)
        subtotal = subtotal + beyond
    return total_of(subtotal)


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
        total += total_of(subtotal)
    return total


@inlined
def weigh_list(start, end, following, place, former, model, work):
    """Set R times its mass for the word with that list; return by how much its mass exceeds that of the even part.

    former, 1 / mass of the last pass, makes R of what stands there; it is 0 before the first. The following list is
    asked for meanwhile.
    """
    total = 0.0
    for block in range(start, end, BLOCK):
        subtotal = spread(np.float32(0))
        for e in range(block, min(block + BLOCK, end), LANES):
            here = e - start
            prefetch(model.labels, following + here)
            prefetch(model.likelihood, following + here)
            prefetch(model.beyond, following + here)
            weight = gather_at(work.weight, model.labels, e)
            likelihood = load(model.likelihood, e)
            own = likelihood * (load(work.shares, place + here) * former)
            beyond = head(load(model.beyond, e) * weight - own, np.int32(end - e))
            store(work.shares, place + here, head(likelihood * weight - own, np.int32(end - e)))
            store(work.beyond, here, beyond)
            subtotal = subtotal + beyond
        total += total_of(subtotal)
    return total


@inlined
def add_list(start, end, times, model, work):
    """Add what the present word has on its list, beyond the even part, to the expected tokens, so many times."""
    for e in range(start, end, LANES):
        add_at(work.added, model.labels, e, work.beyond, e - start, times)


@inlined
def total_of(vector):
    """Return the sum over the lanes."""
    return lane_of(running(vector), np.int32(LANES - 1))
