"""Sampling with phi fixed: the prior by hand, and the lanes' kernel against its interpreted form.

Draws are compared with the exact posterior in test_exactness.py and test_whole_predictions.py.
"""

import numpy as np
import pytest

from polytopic.kernels import documents, generator, prediction
from reference.interpreting import interpreted

LANES = prediction.LANES
PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
TOPICS = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])


def phi_by_word(phi=PHI):
    return np.ascontiguousarray(phi.T, dtype=np.float32)


def topics_by_lane(topics=TOPICS):
    return np.ascontiguousarray(np.repeat(topics[:, :, None], LANES, axis=2), dtype=np.float32)


def test_prior_is_equation_12():
    work = prediction.scratch(4, 3, 2)
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
