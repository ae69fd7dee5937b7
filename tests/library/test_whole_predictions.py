"""Whole runs of prediction, as the estimators make them, against exact enumeration and the plain twin.

Thousands of copies of one document, each with random numbers of its own, so that the labels they end on are
independent draws. Flat-LDA and Prior-LDA are exact; Dependency-LDA's fast inference has no joint distribution to
enumerate, so the twin goes through the same halves in the same order.
"""

import numpy as np
import pytest
from test_exactness import BETA, COUNTS, SURE, TOPIC_COUNTS

from reference import agreement, enumeration, samplers, twins

COPIES = 4000
KINDS = ["dense", "sparse"]


def copies(words, n_words, n=COPIES):
    return np.tile(np.bincount(words, minlength=n_words), (n, 1))


@pytest.fixture(autouse=True)
def little_room(monkeypatch):
    """Let the sparse sampler run out of profiles."""
    samplers.with_room_for(monkeypatch, n_cached=1)


def last_labels(kind, words, counts, topic_counts, beta_c, eta, alpha, sweeps, n=COPIES):
    X = copies(words, counts.shape[1], n)
    return samplers.predicted(kind, X, counts, BETA, topic_counts, beta_c, eta, alpha, 0.3, sweeps, seed=3)


# (counts over labels, beta_c, eta, alpha): with beta_c = 0 and alpha = 0 some labels have no prior
PRIORS = {
    "Flat": ([1, 1, 1, 1], 1.0, 0.0, 0.4),
    "Prior": ([5, 0, 1, 2], 0.5, 3.0, 0.1),
    "Prior, nothing flat": ([5, 0, 1, 2], 0.5, 3.0, 0.0),
    "labels without prior": ([5, 0, 0, 2], 0.0, 3.0, 0.0),
}


@pytest.mark.parametrize(
    "words", [[0, 3, 3, 1], [4, 4, 0], [2]], ids=["usual", "word on no label", "one token"]
)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_end_on_the_exact_posterior(kind, prior, words):
    frequency, beta_c, eta, alpha = PRIORS[prior]
    seen = last_labels(kind, words, COUNTS, frequency, beta_c, eta, alpha, 30)
    weights = eta * samplers.smoothed(np.array([frequency]), beta_c)[0] + alpha
    exact = enumeration.label_posterior(words, samplers.smoothed(COUNTS, BETA), weights + 1e-12)
    reached = {z: p for z, p in exact.items() if all(weights[c] > 0 for c in z)}
    p, _ = agreement.fit(agreement.count_vectors(reached, 4), seen)
    assert p > SURE


def test_labels_among_many_end_on_the_exact_posterior():
    """Eighty labels and two tokens: profiles are dropped again and again to make room."""
    counts = np.zeros((80, 3), int)
    counts[:, 0] = 1 + np.arange(80) % 3
    counts[0, 1] = 9
    alpha = 0.05
    seen = last_labels("sparse", [1, 2], counts, np.ones(80), 1.0, 0.0, alpha, 60, n=8000)
    exact = enumeration.label_posterior([1, 2], samplers.smoothed(counts, BETA), np.full(80, alpha))
    places = [np.repeat(np.arange(80), row) for row in seen]
    pairs = np.array([(a // 8, b // 8, a == b) for a, b in places], int)
    expected = {}
    for state, p in exact.items():
        a, b = sorted(state)
        cell = (a // 8, b // 8, int(a == b))
        expected[cell] = expected.get(cell, 0) + p
    p, _ = agreement.fit(expected, pairs)
    assert p > SURE


@pytest.fixture(scope="module")
def twin_runs():
    """Return a function from settings to the labels (n, C) that the twin ends on, each setting run once."""
    phi, topics, kept = samplers.smoothed(COUNTS, BETA), samplers.smoothed(TOPIC_COUNTS, 0.2), {}

    def runs(words, eta, alpha, sweeps, n=1500):
        key = (tuple(words), eta, alpha, sweeps)
        if key not in kept:
            rng = np.random.default_rng(2)
            ends = [twins.fast_inference(words, phi, topics, eta, alpha, 0.3, sweeps, rng) for _ in range(n)]
            kept[key] = np.array([np.bincount(z, minlength=4) for z in ends])
        return kept[key]

    return runs


@pytest.mark.parametrize("sweeps", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_fast_inference_agrees_with_its_twin(kind, sweeps, twin_runs):
    words = [0, 3, 3, 1]
    seen = last_labels(kind, words, COUNTS, TOPIC_COUNTS, 0.2, 2.0, 0.05, sweeps)
    assert agreement.same(seen, twin_runs(words, 2.0, 0.05, sweeps)) > SURE  # 0.34 to 0.98
    assert (
        agreement.same(seen, twin_runs(words, 6.0, 0.05, sweeps)) < 1e-6
    )  # 6e-30 at most: eta thrice as large
