"""Simulation-based calibration of the labelled sampler: three thousand corpora from the prior, sixteen ranks."""

import numpy as np
import pytest

from reference import calibration, geweke, samplers, twins

DOCS, LABEL_SETS, N_WORDS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2]), [(0, 1, 2), (1, 2), (0, 2)], 3
ETA, BETA = 1.4, 0.3
JOINT = geweke.labelled(DOCS, LABEL_SETS, N_WORDS, ETA, BETA)
CORPORA = 3000


def scalars(words, z):
    """Return document 0's share on label 0, the share of a document's pairs on one label, and the log joint."""
    density = calibration.log_joint(DOCS, LABEL_SETS, N_WORDS, ETA, BETA)
    together = geweke.statistics(DOCS, words, z)[:, geweke.NAMES.index("same document and label")]
    return np.column_stack([(z[:, DOCS == 0] == 0).mean(axis=1), together, density(words, z)])


def start(n, rng):
    """Return assignments drawn evenly from the documents' labels."""
    return np.stack([rng.choice(LABEL_SETS[d], size=n) for d in DOCS], axis=1)


def uniformity(step, copies, seed=1):
    return calibration.uniformity(calibration.ranks(JOINT, step, scalars, seed, copies, start))


def test_ranks_of_the_kernel_are_uniform():
    step = samplers.labelled_training(DOCS, LABEL_SETS, N_WORDS, ETA, BETA)
    assert uniformity(step, CORPORA).min() > 1e-3  # 0.15, 0.64 and 0.69


@pytest.mark.parametrize(("eta", "beta"), [(2 * ETA, BETA), (ETA, 2 * BETA)], ids=["eta", "beta"])
def test_ranks_are_not_uniform_for_a_wrong_prior(eta, beta):
    step = samplers.labelled_training(DOCS, LABEL_SETS, N_WORDS, eta, beta)
    assert uniformity(step, CORPORA).min() < 1e-6  # 1e-85 for eta, 1e-34 for beta


@pytest.mark.slow
def test_ranks_of_the_twin_are_uniform():
    step = twins.labelled_training(DOCS, LABEL_SETS, N_WORDS, ETA, BETA)
    assert uniformity(step, CORPORA // 12).min() > 1e-3  # 0.68 to 0.88
