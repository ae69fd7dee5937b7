"""Labels of unseen documents by a few passes of mean field, without a random number (Rubin et al. 2012, 3.5.1).

Every distinct word of a document has a distribution over labels, in the place of samples, as in CVB0 (Asuncion et al.
2009); the document's topics move by EM steps on the expected labels. A word's likelihood has a part for the labels on
which training put the word, its list, and a part that smoothing makes the same for all words: a pass goes over the
first word by word and over the second once.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined


class Model(NamedTuple):
    """The likelihood of word w under label c is listed, or even_c; phi'_tc is value of (t, c) + smooth_t."""

    word_ptr: np.ndarray  # (W + 1,) int64  where a word's labels stand
    labels: np.ndarray  # (E,) int32
    likelihood: np.ndarray  # (E,) float64
    even: np.ndarray  # (C,) float64
    topic_ptr: np.ndarray  # (T + 1,) int64
    topic_labels: np.ndarray  # (F,) int32
    values: np.ndarray  # (F,) float64
    smooth: np.ndarray  # (T,) float64
    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Scratch(NamedTuple):
    """Workspace for one document at a time."""

    shares: np.ndarray  # (most entries of a document's words,) float64  R on a word's list, times its mass
    per_mass: np.ndarray  # (most words of a document,) float64  1 / mass
    n: np.ndarray  # (C,) float64  expected tokens by label
    added: np.ndarray  # (C,) float64  what the lists add to them
    weight: np.ndarray  # (C,) float64  expected tokens and prior
    even: np.ndarray  # (C,) float64  even_c times that
    through: np.ndarray  # (C,) float64  sum over t of theta_t phi'_tc
    theta: np.ndarray  # (T,) float64


@compiled
def predict(ptr, words, counts, model, n_passes, work, scores):
    """Add to the rows of scores (D, C) the mean of the documents' shares of labels and of their priors, each to 1.

    The distinct words of document d are words[ptr[d]:ptr[d + 1]], counts (float64) how often they are there. R starts
    under the prior of even topics. A pass renews theta, then the prior, then R. A document without words gets the
    prior of even topics.
    """
    for d in range(ptr.size - 1):
        length = settle(ptr[d], ptr[d + 1], words, counts, model, n_passes, work)
        total = 0.0
        for c in range(work.n.size):
            total += prior(c, model, work)
        for c in range(work.n.size):
            share = prior(c, model, work) / total
            scores[d, c] += 0.5 * (share + (work.n[c] / length if length > 0 else share))


@compiled
def settle(first, last, words, counts, model, n_passes, work):
    """Go through the passes over the document words[first:last], and return its length; work holds the outcome."""
    length = 0.0
    for i in range(first, last):
        length += counts[i]
    work.theta[:] = 1.0 / work.theta.size
    set_through(model, work)
    if length > 0:
        work.n[:] = 0.0
        work.shares[:] = 0.0
        work.per_mass[:] = 0.0
        set_shares(first, last, words, counts, model, work)
        for _ in range(n_passes):
            set_topics(length, model, work)
            set_through(model, work)
            set_shares(first, last, words, counts, model, work)
    return length


@inlined
def prior(c, model, work):
    """Return alpha'_c (Eq. 12)."""
    return model.eta * work.through[c] + model.alpha


@compiled
def set_through(model, work):
    """Set the labels' probabilities through the topics."""
    even = 0.0
    for t in range(work.theta.size):
        even += work.theta[t] * model.smooth[t]
    work.through[:] = even
    for t in range(work.theta.size):
        for e in range(model.topic_ptr[t], model.topic_ptr[t + 1]):
            work.through[model.topic_labels[e]] += work.theta[t] * model.values[e]


@compiled
def set_topics(length, model, work):
    """Move theta by an EM step on the expected tokens by label, with gamma per topic."""
    total = 0.0
    for c in range(work.n.size):
        work.weight[c] = work.n[c] / work.through[c]
        total += work.weight[c]
    for t in range(work.theta.size):
        mass = model.smooth[t] * total
        for e in range(model.topic_ptr[t], model.topic_ptr[t + 1]):
            mass += model.values[e] * work.weight[model.topic_labels[e]]
        work.theta[t] = (work.theta[t] * mass + model.gamma) / (length + work.theta.size * model.gamma)


@compiled
def set_shares(first, last, words, counts, model, work):
    """Renew R and the expected tokens: R_wc is in proportion to the likelihood times (n_c - R_wc + alpha'_c).

    What a word has on labels off its list, a matter of smoothing, is not taken out of n_c.
    """
    mass_of_even = 0.0
    for c in range(work.n.size):
        work.weight[c] = work.n[c] + prior(c, model, work)
        work.even[c] = model.even[c] * work.weight[c]
        work.added[c] = 0.0
        mass_of_even += work.even[c]
    times_even, place = 0.0, 0
    for i in range(first, last):
        start, end = model.word_ptr[words[i]], model.word_ptr[words[i] + 1]
        labels, likelihood = model.labels[start:end], model.likelihood[start:end]
        shares, former = work.shares[place : place + end - start], work.per_mass[i - first]
        mass = mass_of_even
        for e in range(labels.size):
            c = labels[e]
            shares[e] = likelihood[e] * (work.weight[c] - former * shares[e])
            mass += shares[e] - work.even[c]
        per_mass = 1.0 / mass
        work.per_mass[i - first] = per_mass
        for e in range(labels.size):
            c = labels[e]
            work.added[c] += counts[i] * per_mass * (shares[e] - work.even[c])
        times_even += counts[i] * per_mass
        place += end - start
    for c in range(work.n.size):
        work.n[c] = max(0.0, work.added[c] + times_even * work.even[c])
