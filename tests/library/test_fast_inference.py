"""Whole chains of fast inference in Dependency-LDA against the exact distribution that its sweep leaves unchanged."""

import numpy as np
import pytest

from reference import agreement, enumeration, samplers, transitions

WORDS = [0, 1, 1, 2]
COUNTS, BETA = np.array([[4, 0, 1], [0, 3, 0], [2, 1, 2]]), 0.3  # (C, W)
TOPIC_COUNTS, BETA_C = np.array([[9, 0, 1], [0, 9, 2]]), 0.1  # (T, C)
ETA, ALPHA, GAMMA = 4.0, 0.05, 1.0
LAG, SAMPLES = 16, 8000  # sweeps between samples, samples of each of sixteen chains
SURE, NOTICED = 1e-4, 4.5  # of p-values, and of the largest of six z-scores

PHI, PHI_TOPICS = samplers.smoothed(COUNTS, BETA), samplers.smoothed(TOPIC_COUNTS, BETA_C)


def exact(kind):
    by_label = kind == "sparse"
    states, matrix = transitions.fast_inference(WORDS, PHI, PHI_TOPICS, ETA, ALPHA, GAMMA, by_label)
    return transitions.both_counts(states, transitions.stationary(matrix), 3, 2)


def visits(kind, kernel=None):
    settings = (WORDS, COUNTS, BETA, TOPIC_COUNTS, BETA_C, ETA, ALPHA, GAMMA, LAG, SAMPLES)
    return samplers.fast_inference(kind, *settings, seed=1, kernel=kernel)


def products(exact, rows):
    """Return the largest z-score of the means of n_c n_t, how labels and topics go together."""
    states, p = np.array(list(exact)), np.array(list(exact.values()))
    of_states, of_rows = (
        (table[:, :3, None] * table[:, None, 3:]).reshape(len(table), -1) for table in (states, rows)
    )
    mean = p @ of_states
    deviation = np.sqrt(p @ (of_states - mean) ** 2 / len(rows))
    return np.abs((of_rows.mean(axis=0) - mean) / deviation).max()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_labels_and_topics_visit_the_stationary_distribution(kind):
    """Two mistakes passed all other checks: "whole" in test_broken_samplers.py, with what each of them gives here.

    The two kinds take the topics in another order: the other's distribution, .005 away in total variation, gives the
    sparse sampler p-values of 9e-6 to 2e-4.
    """
    rows, distribution = visits(kind), exact(kind)
    p, _ = agreement.fit(distribution, rows)
    assert p > SURE
    assert products(distribution, rows) < NOTICED


def test_samples_are_so_far_apart_that_they_are_independent():
    _, matrix = transitions.fast_inference(WORDS, PHI, PHI_TOPICS, ETA, ALPHA, GAMMA)
    assert transitions.memory(matrix, LAG) < 1e-5 < transitions.memory(matrix, 8)


def test_the_exact_sweep_keeps_what_it_must():
    """Rows are distributions; each half keeps its posterior; one topic leaves Prior-LDA's posterior unchanged."""
    _, matrix = transitions.fast_inference(WORDS, PHI, PHI_TOPICS, ETA, ALPHA, GAMMA)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    alpha = np.array([0.3, 0.9, 0.2])
    posterior = np.array(list(enumeration.label_posterior(WORDS, PHI, alpha).values()))
    np.testing.assert_allclose(posterior @ transitions.sweep(WORDS, PHI, alpha), posterior, atol=1e-12)
    one_topic = PHI_TOPICS[:1]
    _, matrix = transitions.fast_inference(WORDS, PHI, one_topic, ETA, ALPHA, GAMMA)
    posterior = enumeration.label_posterior(WORDS, PHI, ETA * one_topic[0] + ALPHA)
    np.testing.assert_allclose(transitions.stationary(matrix), list(posterior.values()), atol=1e-12)
