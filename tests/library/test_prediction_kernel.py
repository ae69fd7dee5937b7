"""Sampling with phi fixed: the lanes' kernel against exact enumeration and its own interpreted form."""

from collections import Counter

import numpy as np
import pytest

from polytopic.kernels import documents, generator, prediction
from reference import enumeration
from reference.interpreting import interpreted

LANES = prediction.LANES
PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
TOPICS = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
WORDS = [0, 2, 2, 1]
ALPHA = np.array([0.2, 0.5, 1.1])


def work_with(alpha=ALPHA, n_tokens=4, seed=0):
    work = prediction.scratch(n_tokens, len(alpha), len(TOPICS))
    work.alpha[:] = np.float32(alpha)[:, None]
    random = np.zeros((4, LANES), np.uint32)
    generator.seed(random, np.arange(LANES, dtype=np.uint64), seed)
    prediction._start(work.z, work.n_c, n_tokens, random)
    prediction._start(work.z_topic, work.n_t, n_tokens, random)
    return work, random


def visits(table):
    return Counter(tuple(int(k) for k in column) for column in table.T)


def phi_by_word(phi=PHI):
    return np.ascontiguousarray(phi.T, dtype=np.float32)


def topics_by_lane(topics=TOPICS):
    return np.ascontiguousarray(np.repeat(topics[:, :, None], LANES, axis=2), dtype=np.float32)


def test_labels_visit_the_exact_posterior():
    words = np.array(WORDS, np.int32)
    exact = enumeration.label_posterior(WORDS, PHI, ALPHA)
    work, random = work_with()
    seen = Counter()
    for _ in range(20_000):
        prediction.sweep_labels(words, phi_by_word(), work, random)
        seen += visits(work.z)
    assert enumeration.total_variation(exact, seen) < 0.01  # 0.004 when right
    wrong = enumeration.label_posterior(WORDS, PHI, np.full(3, ALPHA.mean()))
    assert enumeration.total_variation(wrong, seen) > 0.1  # 0.38: a flat prior in place of alpha'


def test_topics_visit_the_exact_posterior():
    labels = [0, 2, 2, 1]
    gamma = np.array([0.4, 0.4])
    exact = enumeration.topic_posterior(labels, TOPICS, gamma)
    work, random = work_with()
    work.z[:] = np.array(labels)[:, None]
    seen = Counter()
    for _ in range(20_000):
        prediction.sweep_topics(len(labels), topics_by_lane(), gamma[0], work, random)
        seen += visits(work.z_topic)
    assert enumeration.total_variation(exact, seen) < 0.01  # 0.002 when right
    wrong = enumeration.topic_posterior(labels, TOPICS, gamma * 4)
    assert enumeration.total_variation(wrong, seen) > 0.05  # 0.23: gamma four times too large


def test_prior_is_equation_12():
    work, _ = work_with()
    work.n_t[:] = np.array([3, 1], np.float32)[:, None]
    prior = prediction.Prior(eta=10.0, alpha=0.25, gamma=0.4)
    prediction.set_prior(4, topics_by_lane(), prior, work)
    theta = np.array([3.4, 1.4]) / 4.8
    np.testing.assert_allclose(work.alpha[:, 5], 10 * theta @ TOPICS + 0.25, rtol=1e-6)


@pytest.mark.parametrize("n_topics", [1, 2])
def test_compiled_and_interpreted_agree_bit_for_bit(n_topics):
    texts = documents.Documents(
        np.array([0, 4, 4, 7]), np.array([0, 2, 2, 1, 1, 1, 0], np.int32), np.arange(3, 6, dtype=np.uint64)
    )
    chains = np.random.default_rng(0).integers(0, 2**63, (2, LANES)).astype(np.uint64)
    sets = np.arange(LANES) % 2
    prior = prediction.Prior(5.0, 0.1, 0.3)
    schedule = documents.Schedule(3, 2, 2, 11)

    def total(run):
        theta, labels = np.zeros((3, 2, n_topics)), np.full((2 * 11, 7), -1, np.int32)
        work = prediction.scratch(4, 3, n_topics)
        run(
            texts,
            phi_by_word(),
            topics_by_lane(TOPICS[:n_topics]),
            sets,
            prior,
            schedule,
            chains,
            work,
            theta,
            labels,
        )
        return theta, labels

    compiled = total(prediction.predict)
    with interpreted(prediction, documents, generator):
        plain = total(prediction.predict)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(one, other)
    assert set(np.unique(compiled[1])) == {0, 1, 2}
