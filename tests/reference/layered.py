"""Fast-Dep.-LLDA and its reversed model: every state of a tiny corpus, its probability, its transitions.

A state is a tuple of (label, topic), one pair a token; labels come from the token's document. Rules are weights of
updates, as printed or broken.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from math import lgamma

import numpy as np


@dataclass
class Toy:
    """Documents as lists of words, their labels, and the priors; alpha is per topic."""

    words: list
    labels: list
    n_words: int
    n_labels: int
    n_topics: int
    alpha: np.ndarray
    beta_w: float
    beta_c: float
    states: list = field(init=False)

    def __post_init__(self):
        self.tokens = [(d, w) for d, words in enumerate(self.words) for w in words]
        places = [list(product(self.labels[d], range(self.n_topics))) for d, _ in self.tokens]
        self.states = list(product(*places))
        self.place = {state: number for number, state in enumerate(self.states)}

    def counts(self, state, without=None):
        """Return Counters of what a state's tokens imply, one token left out."""
        found = {name: Counter() for name in ("wc", "c", "ct", "t", "dt", "wt")}
        for i, ((d, w), (c, t)) in enumerate(zip(self.tokens, state, strict=True)):
            if i != without:
                places = {"wc": (w, c), "c": c, "ct": (c, t), "t": t, "dt": (d, t), "wt": (w, t)}
                for name, at in places.items():
                    found[name][at] += 1
        return found

    def probabilities(self):
        """Return the posterior of all states: words given labels, labels given topics, topics given documents."""
        scores = np.array([self._log_joint(state) for state in self.states])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    def _log_joint(self, state):
        n = self.counts(state)
        beta_w, beta_c = np.full(self.n_words, self.beta_w), np.full(self.n_labels, self.beta_c)
        total = sum(
            _polya([n["wc"][w, c] for w in range(self.n_words)], beta_w) for c in range(self.n_labels)
        )
        total += sum(
            _polya([n["ct"][c, t] for c in range(self.n_labels)], beta_c) for t in range(self.n_topics)
        )
        topics = range(self.n_topics)
        return total + sum(
            _polya([n["dt"][d, t] for t in topics], self.alpha) for d in range(len(self.words))
        )


def _polya(counts, prior):
    gammas = sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, prior, strict=True))
    return gammas + lgamma(prior.sum()) - lgamma(sum(counts) + prior.sum())


# Weights of a token's label and topic given the counts of the others


def topic_weight(toy, n, d, w, c, t):
    """Eq. 8."""
    upper = (n["ct"][c, t] + toy.beta_c) / (n["t"][t] + toy.n_labels * toy.beta_c)
    return upper * (n["dt"][d, t] + toy.alpha[t])


def word_weight(toy, n, d, w, c, t):
    """Eq. 9."""
    return (n["wc"][w, c] + toy.beta_w) / (n["c"][c] + toy.n_words * toy.beta_w)


def label_weight(toy, n, d, w, c, t):
    """Eq. 7."""
    return word_weight(toy, n, d, w, c, t) * (n["ct"][c, t] + toy.beta_c)


def both_weight(toy, n, d, w, c, t):
    """Eq. 6."""
    return word_weight(toy, n, d, w, c, t) * topic_weight(toy, n, d, w, c, t)


def reversed_label_weight(toy, n, d, w, c, t):
    """Eq. 22."""
    return (n["ct"][c, t] + toy.beta_c) / (n["c"][c] + toy.n_topics * toy.beta_c)


def reversed_topic_weight(toy, n, d, w, c, t):
    """Eq. 21."""
    words = (n["wt"][w, t] + toy.beta_w) / (n["t"][t] + toy.n_words * toy.beta_w)
    return words * (n["ct"][c, t] + toy.beta_c)


FULL = (("topic", topic_weight), ("label", label_weight))
GREEDY = (("topic", topic_weight), ("label", word_weight))
BLOCKED = (("both", both_weight),)
REVERSED = (("label", reversed_label_weight), ("topic", reversed_topic_weight))


def update(toy, i, part, weight, own_count=False):
    """Return the transition matrix of one token's update; own_count leaves the token in, as a slip would."""
    matrix = np.zeros((len(toy.states), len(toy.states)))
    d, w = toy.tokens[i]
    for number, state in enumerate(toy.states):
        n = toy.counts(state, None if own_count else i)
        c, t = state[i]
        labels = toy.labels[d] if part in ("label", "both") else [c]
        topics = range(toy.n_topics) if part in ("topic", "both") else [t]
        pairs = list(product(labels, topics))
        weights = np.array([weight(toy, n, d, w, *pair) for pair in pairs], float)
        for pair, share in zip(pairs, weights / weights.sum(), strict=True):
            matrix[number, toy.place[(*state[:i], pair, *state[i + 1 :])]] += share
    return matrix


def sweep(toy, rules, **how):
    """Return the transition matrix of a sweep: by document, in each one part of all tokens and then the next."""
    matrix = np.eye(len(toy.states))
    for d in range(len(toy.words)):
        for part, weight in rules:
            for i, (own, _) in enumerate(toy.tokens):
                if own == d:
                    matrix = matrix @ update(toy, i, part, weight, **how)
    return matrix


def stationary(matrix):
    """Return the distribution that a transition matrix leaves as it is."""
    equations = matrix.T - np.eye(len(matrix))
    equations[-1] = 1.0  # one equation follows from the others: the shares sum to 1 in its place
    return np.linalg.solve(equations, np.eye(len(matrix))[-1])
