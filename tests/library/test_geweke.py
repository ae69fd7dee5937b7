"""Geweke's joint distribution test of every sampler that has a joint distribution.

Ten test functions each, first and second moments (``reference.geweke``). The largest of ten z-scores of a right
sampler, with 99 degrees of freedom, exceeds 4.5 in one case of five thousand. What broken samplers give is in
test_broken_samplers.py.
"""

import numpy as np
import pytest

from reference import geweke, samplers, twins

NOTICED = 4.5  # largest of all below when right: 3.7

DOCS, LABEL_SETS, N_WORDS = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2], [(0, 1, 2), (1, 2), (0, 2)], 3
ETA, TRAINING_BETA = 1.4, 0.3
NAMES = np.array(
    [[0.3, 0.3, 1.8], [2.3, 0.3, 0.3], [0.3, 0.3, 0.3]]
)  # of words with labels, in place of beta
N_TOPICS, GAMMA = 2, 0.5

rng = np.random.default_rng(0)
COUNTS = rng.poisson(rng.gamma(0.4, 5, size=(4, 5)))
COUNTS[:, 0] += 1
COUNTS[:, 4] = 0
BETA = 0.3
PHI = samplers.smoothed(COUNTS, BETA)
FLAT, PRIOR = np.full(4, 0.4), np.array([0.3, 0.9, 0.1, 0.5])
TOPIC_COUNTS, BETA_C = np.array([[5, 0, 0, 2], [0, 3, 0, 0], [1, 0, 7, 0]]), 0.2
PHI_TOPICS = samplers.smoothed(TOPIC_COUNTS, BETA_C)
THETA, WEIGHT, FLOOR = np.array([0.6, 0.3, 0.1]), 2.0, 0.05

TRAINING = geweke.labelled(DOCS, LABEL_SETS, N_WORDS, ETA, TRAINING_BETA)
TOPICS = geweke.topics(DOCS, N_WORDS, N_TOPICS, GAMMA, TRAINING_BETA)
THROUGH_TOPICS = geweke.prediction(5, PHI, WEIGHT * THETA @ PHI_TOPICS + FLOOR)
TOPICS_OF_LABELS = geweke.prediction(5, PHI_TOPICS, np.full(3, GAMMA))


def largest(*arguments, **settings):
    return np.abs(geweke.z_scores(*arguments, seed=1, **settings)).max()


@pytest.mark.parametrize(("source", "n"), [(samplers, 600), (twins, 60)], ids=["kernel", "twin"])
@pytest.mark.parametrize("beta", [TRAINING_BETA, NAMES], ids=["even", "names"])
def test_labelled_training(source, n, beta):
    step = source.labelled_training(DOCS, LABEL_SETS, N_WORDS, ETA, beta)
    joint = geweke.labelled(DOCS, LABEL_SETS, N_WORDS, ETA, beta)
    assert largest(joint, step, n, copies=50) < NOTICED


@pytest.mark.parametrize("kind", [*samplers.TOPIC_SAMPLERS, "twin"])
def test_topic_training(kind):
    settings = (DOCS, N_WORDS, N_TOPICS, GAMMA, TRAINING_BETA)
    step = (
        twins.topic_training(*settings) if kind == "twin" else samplers.topic_training(*settings, kind=kind)
    )
    assert largest(TOPICS, step, 150 if kind == "twin" else 300, copies=20) < NOTICED


@pytest.mark.parametrize("alpha", [FLAT, PRIOR], ids=["Flat", "Prior"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "twin"])
def test_labels_with_phi_fixed(kind, alpha):
    steps = {
        "dense": (samplers.dense_labels(COUNTS, BETA, alpha), 2000),
        "sparse": (samplers.sparse_labels(COUNTS, BETA, alpha), 400),
        "twin": (twins.prediction(PHI, alpha), 400),
    }
    step, n = steps[kind]
    assert largest(geweke.prediction(5, PHI, alpha), step, n, copies=20) < NOTICED


def test_labels_through_topics():
    step = samplers.sparse_labels_through_topics(COUNTS, BETA, TOPIC_COUNTS, BETA_C, THETA, WEIGHT, FLOOR)
    assert largest(THROUGH_TOPICS, step, 400, copies=20) < NOTICED


@pytest.mark.parametrize("kind", ["dense", "sparse", "twin"])
def test_topics_of_labels(kind):
    steps = {
        "dense": samplers.dense_topics(TOPIC_COUNTS, BETA_C, GAMMA),
        "sparse": samplers.sparse_topics(TOPIC_COUNTS, BETA_C, GAMMA),
        "twin": twins.prediction(PHI_TOPICS, np.full(3, GAMMA)),
    }
    assert largest(TOPICS_OF_LABELS, steps[kind], 400, copies=20) < NOTICED
