"""Geweke's joint distribution test (Geweke 2004, "Getting it right", section 3).

The joint distribution of the assignments z and the tokens w is simulated twice: from the prior downwards, and by
alternating the sampler under test, z given w, with fresh tokens, w given z. A right sampler leaves both with the same
moments. theta and phi are integrated out of z, as they are in the samplers; phi is drawn anew whenever tokens are.

Fast inference in Dependency-LDA as a whole has no such test: it puts a document's word assignments in the place of
its label tokens, so that its two halves are conditional distributions of two different models, and no joint
distribution belongs to their alternation. Each half given the other does have one, and ``reference.transitions`` has
the exact distribution where the whole chain ends.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

BATCHES = 100


class Joint(NamedTuple):
    """A joint distribution of z and words: both functions work on R corpora at once."""

    docs: np.ndarray  # (N,) document of each token
    draw_z: Callable  # (R, rng) -> z (R, N)
    draw_words: Callable  # (z, rng) -> words (R, N)


def labelled(docs, label_sets, n_words, eta, beta):
    """Return the joint distribution of training: theta_d is Dirichlet(eta / its labels), phi_c is Dirichlet(beta).

    beta is a number, or (C, W).
    """
    docs, n_labels = np.asarray(docs), max(max(labels) for labels in label_sets) + 1
    prior = np.broadcast_to(beta, (n_labels, n_words))

    def draw_z(n, rng):
        z = np.empty((n, docs.size), int)
        for d, labels in enumerate(label_sets):
            theta = rng.dirichlet(np.full(len(labels), eta / len(labels)), size=n)
            places = np.flatnonzero(docs == d)
            z[:, places] = np.array(labels)[categorical(theta[:, None, :], places.size, rng)]
        return z

    def draw_words(z, rng):
        phi = np.stack([rng.dirichlet(of_label, size=len(z)) for of_label in prior], axis=1)
        return categorical(phi[np.arange(len(z))[:, None], z], None, rng)

    return Joint(docs, draw_z, draw_words)


def topics(docs, n_items, n_topics, gamma, beta):
    """Return the joint distribution of LDA."""
    return labelled(docs, [tuple(range(n_topics))] * (max(docs) + 1), n_items, gamma * n_topics, beta)


def prediction(n_tokens, phi, alpha):
    """Return the joint distribution of one document with phi (C, W) and alpha' (C,) fixed."""

    def draw_z(n, rng):
        return categorical(rng.dirichlet(alpha, size=n)[:, None, :], n_tokens, rng)

    def draw_words(z, rng):
        return categorical(phi[z], None, rng)

    return Joint(np.zeros(n_tokens, int), draw_z, draw_words)


def categorical(p, repeats, rng):
    """Return draws from the last axis of p; (R, 1, K) is drawn from ``repeats`` times."""
    shape = p.shape[:-1] if repeats is None else (p.shape[0], repeats)
    return (p.cumsum(axis=-1)[..., :-1] <= rng.random(shape)[..., None]).sum(axis=-1)


NAMES = (
    "label 0", "label 0, squared", "document 0 on label 0", "document 0 on label 0, squared",
    "word 0", "word 0, squared", "same label", "same document and label", "same word", "same label and word",
)  # fmt: skip


def statistics(docs, words, z):
    """Return the test functions (R, 10): shares of tokens, their squares, and shares of pairs of tokens."""
    zero, word = (z == 0).mean(axis=1), (words == 0).mean(axis=1)
    first = (z == 0)[:, docs == 0].mean(axis=1)
    rows, columns = np.triu_indices(docs.size, 1)
    label, item = z[:, rows] == z[:, columns], words[:, rows] == words[:, columns]
    near = docs[rows] == docs[columns]
    pairs = [label.mean(axis=1), label[:, near].mean(axis=1), item.mean(axis=1), (label & item).mean(axis=1)]
    return np.column_stack([zero, zero**2, first, first**2, word, word**2, *pairs])


def z_scores(joint, step, n_steps, seed, copies=1, n_draws=50_000):
    """Return (10,) z-scores: what the sampler's chains hold on average against the prior, in standard errors.

    ``copies`` chains of n_steps start from the prior; their standard errors come from the means of at least BATCHES
    batches, longer than the chains remember, so autocorrelation is in them (Geweke 1992; Flegal & Jones 2010).
    """
    rng = np.random.default_rng(seed)
    z = joint.draw_z(n_draws, rng)
    expected = statistics(joint.docs, joint.draw_words(z, rng), z)
    z = joint.draw_z(copies, rng)
    words = joint.draw_words(z, rng)
    seen = np.empty((n_steps, copies, expected.shape[1]))
    for number in range(n_steps):
        z = step(words, z, int(rng.integers(2**62)))
        words = joint.draw_words(z, rng)
        seen[number] = statistics(joint.docs, words, z)
    return compare(expected, seen)


def compare(expected, seen):
    """Return the z-scores of chains (n_steps, copies, K) against independent draws (n, K)."""
    n_steps, copies, width = seen.shape
    each = max(1, -(-BATCHES // copies))
    batches = (
        seen[: n_steps - n_steps % each].reshape(each, -1, copies, width).mean(axis=1).reshape(-1, width)
    )
    error = np.sqrt(batches.var(axis=0, ddof=1) / len(batches) + expected.var(axis=0, ddof=1) / len(expected))
    return (batches.mean(axis=0) - expected.mean(axis=0)) / error
