"""Every sampler, and its plain twin, against exact enumeration or the twin, on cases that take every branch.

Starts are drawn from the exact distribution, so that draws are independent and stay on it from the first sweep on,
however slowly a chain moves.
"""

import functools

import numpy as np
import pytest

from reference import agreement, enumeration, samplers, twins

SWEEPS = 3
SURE = 1e-4  # among a hundred cases; smallest p when right: 0.0015. Broken ones: test_broken_samplers.py

NAMES = np.array(
    [[0.3, 0.3, 1.8], [2.3, 0.3, 0.3], [0.3, 0.3, 0.3]]
)  # beta .3, and names: word 2, word 0, none

# (documents of the tokens, their words, label sets, W, eta, beta: a number, or (C, W))
TRAINING = {
    "usual": ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], [(0, 1), (1, 2)], 3, 1.4, 0.3),
    "one label": ([0, 0, 1], [0, 1, 1], [(0,), (0,)], 2, 1.4, 0.3),
    "one label beside two": ([0, 0, 1, 1, 2], [0, 1, 0, 0, 1], [(0,), (0, 1), (1,)], 2, 1.4, 0.3),
    "one word": ([0, 0, 1, 1], [0, 0, 0, 0], [(0, 1), (1, 2)], 1, 1.4, 0.3),
    "one token": ([0], [1], [(0, 1, 2)], 3, 0.7, 0.3),
    "one word again and again": ([0, 0, 0, 0, 1], [1, 1, 1, 1, 1], [(0, 2), (0, 1)], 3, 1.0, 0.2),
    "words that nobody uses": ([0, 0, 1, 1], [1, 3, 1, 3], [(0, 1), (0, 1)], 5, 1.4, 0.3),
    "document without tokens": ([0, 0, 2, 2], [0, 1, 0, 0], [(0, 1), (0, 2), (1, 2)], 2, 1.4, 0.3),
    "label seen with no word": ([0, 0, 0], [0, 1, 1], [(0, 1, 3), (2, 3)], 2, 2.0, 0.3),
    "nearly no prior": ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], [(0, 1), (1, 2)], 3, 0.02, 0.01),
    "seventeen labels": ([0, 0, 1], [0, 1, 0], [tuple(range(17)), (3, 16)], 2, 3.0, 0.3),
    "labels with names": ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], [(0, 1), (1, 2)], 3, 1.4, NAMES),
    "names beside one label": ([0, 0, 1, 1, 2], [0, 2, 2, 0, 0], [(0, 2), (1, 2), (1,)], 3, 1.4, NAMES),
}

# (documents of the tokens, their items, number of items, T, gamma, beta)
TOPICS = {
    "usual": ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], 3, 2, 0.5, 0.3),
    "one topic": ([0, 0, 1], [0, 1, 1], 2, 1, 0.5, 0.3),
    "one item": ([0, 0, 1, 1], [0, 0, 0, 0], 1, 2, 0.5, 0.3),
    "one token": ([0], [1], 3, 3, 0.5, 0.3),
    "documents without tokens": ([1, 1, 3], [0, 1, 0], 2, 3, 0.5, 0.3),
    "nearly no prior": ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], 3, 2, 0.01, 0.01),
    "seventeen topics": ([0, 0, 1], [0, 1, 0], 2, 17, 0.1, 0.3),
}

rng = np.random.default_rng(0)
COUNTS = rng.poisson(rng.gamma(0.4, 5, size=(4, 5)))  # (C, W), many of them 0
COUNTS[:, 0] += 1
COUNTS[:, 4] = 0  # a word on no label
MANY = np.zeros((40, 3), int)  # labels that mostly lack word 1 and all lack word 2
MANY[:, 0] = 1 + np.arange(40) % 3
MANY[:2, 1] = 5, 2
BETA = 0.3

# (counts of the labels (C, W), alpha', words of the document)
LABELS = {
    "usual": (COUNTS, [0.3, 0.9, 0.1, 0.5], [0, 3, 3, 1]),
    "word on no label": (COUNTS, [0.3, 0.9, 0.1, 0.5], [4, 4, 0, 1]),
    "labels without prior": (COUNTS, [0.0, 0.2, 0.7, 0.0], [0, 3, 3, 1]),
    "labels without prior or word": (COUNTS, [0.0, 0.0, 0.7, 0.4], [4, 4, 0]),
    "one label": (COUNTS[:1], [0.5], [0, 3, 3]),
    "one word": (COUNTS, [0.3, 0.9, 0.1, 0.5], [3, 3, 3, 3]),
    "one token": (COUNTS, [0.3, 0.9, 0.1, 0.5], [1]),
    "many idle labels": (MANY, np.linspace(0.01, 0.1, 40), [1, 2]),
}
TOPIC_COUNTS = np.array([[5, 0, 0, 2], [0, 3, 0, 0], [1, 0, 7, 0]])
# so few profiles that they are dropped again and again, where there are more labels than tokens
ROOMS = {"own lists": samplers.Room(6, 256), "labels' lists": samplers.Room(6, 0)}


def check(exact, words, step, n, seed=1, sweeps=SWEEPS):
    rng = np.random.default_rng(seed)
    after = step(np.tile(words, (n, 1)), agreement.starts(exact, n, rng), seed, sweeps)
    p, _ = agreement.fit(exact, after)
    assert p > SURE


@functools.cache
def training_posterior(case):
    docs, words, label_sets, n_words, eta, beta = TRAINING[case]
    return enumeration.labelled_posterior(docs, words, label_sets, n_words, eta, beta)


@pytest.mark.parametrize("case", TRAINING)
@pytest.mark.parametrize(("source", "n"), [(samplers, 4000), (twins, 1000)], ids=["kernel", "twin"])
def test_training_keeps_the_exact_posterior(case, source, n):
    docs, words, *settings = TRAINING[case]
    check(training_posterior(case), words, source.labelled_training(docs, *settings), n)


@pytest.mark.parametrize("case", TOPICS)
@pytest.mark.parametrize("kind", [*samplers.TOPIC_SAMPLERS, "twin"])
def test_topics_keep_the_exact_posterior(case, kind):
    docs, items, *settings = TOPICS[case]
    exact = enumeration.lda_posterior(docs, items, max(docs) + 1, *settings)
    if kind == "twin":
        check(exact, items, twins.topic_training(docs, *settings), 1000)
    else:
        check(exact, items, samplers.topic_training(docs, *settings, kind=kind), 2000)


def label_posterior(case):
    """An alpha' of 0 is a label that cannot be: enumeration gives it next to nothing."""
    counts, alpha, words = LABELS[case]
    phi = samplers.smoothed(counts, BETA)
    exact = enumeration.label_posterior(words, phi, np.array(alpha) + 1e-12)
    kept = {state: p for state, p in exact.items() if all(alpha[c] > 0 for c in state)}
    return {state: p / sum(kept.values()) for state, p in kept.items()}


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("kind", ["dense", "twin", *ROOMS])
def test_labels_keep_the_exact_posterior(case, kind):
    counts, alpha, words = LABELS[case]
    if kind == "twin":
        step, n = twins.prediction(samplers.smoothed(counts, BETA), np.array(alpha)), 2000
    elif kind == "dense":
        step, n = samplers.dense_labels(counts, BETA, np.array(alpha)), 4000
    else:
        step, n = samplers.sparse_labels(counts, BETA, np.array(alpha), room=ROOMS[kind]), 4000
    check(label_posterior(case), words, step, n)


@pytest.mark.parametrize("words", [[0, 3, 3, 1], [4, 4, 0, 1]], ids=["usual", "word on no label"])
@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("read_from", ROOMS)
def test_labels_through_topics_keep_the_exact_posterior(words, alpha, read_from):
    theta = np.array([0.6, 0.3, 0.1])
    step = samplers.sparse_labels_through_topics(
        COUNTS, BETA, TOPIC_COUNTS, 0.2, theta, 2.0, alpha, room=ROOMS[read_from]
    )
    prior = 2.0 * theta @ samplers.smoothed(TOPIC_COUNTS, 0.2) + alpha
    check(enumeration.label_posterior(words, samplers.smoothed(COUNTS, BETA), prior), words, step, 4000)


def test_labels_by_word_and_topic_keep_the_exact_posterior():
    """Many sweeps and next to no smoothing: most draws are of a label by word and topic."""
    words, theta, room = [0, 1, 3, 3], np.array([0.6, 0.3, 0.1]), samplers.Room(8, 256)
    counts, topic_counts = COUNTS + np.eye(4, 5, dtype=int), 1 + TOPIC_COUNTS
    step = samplers.sparse_labels_through_topics(
        counts, 0.01, topic_counts, 0.01, theta, 4.0, 0.01, room=room
    )
    prior = 4.0 * theta @ samplers.smoothed(topic_counts, 0.01) + 0.01
    exact = enumeration.label_posterior(words, samplers.smoothed(counts, 0.01), prior)
    check(exact, words, step, 4000, sweeps=60)


@pytest.mark.parametrize("labels", [[0, 2, 2, 1], [3], [1, 1, 1]], ids=["usual", "one token", "one label"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "twin"])
@pytest.mark.parametrize("n_topics", [1, 3])
def test_topics_of_labels_keep_the_exact_posterior(labels, kind, n_topics):
    counts = TOPIC_COUNTS[:n_topics]
    phi = samplers.smoothed(counts, 0.2)
    gamma = np.full(n_topics, 0.4)
    steps = {
        "dense": samplers.dense_topics(counts, 0.2, 0.4),
        "sparse": samplers.sparse_topics(counts, 0.2, 0.4),
        "twin": twins.prediction(phi, gamma),
    }
    check(enumeration.topic_posterior(labels, phi, gamma), labels, steps[kind], 3000)
