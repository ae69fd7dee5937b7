"""The exact errors of the estimators on a tiny model, against a slow twin and what must hold."""

from itertools import product

import numpy as np
import pytest

from polytopic.models.estimators import ESTIMATORS
from polytopic.study.papanikolaou import exact
from reference import enumeration, slow_estimators

PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
ALPHA = np.array([0.3, 0.8])


def slow(assumed):
    """The same by every word order, one state after the other."""
    total = {name: np.zeros(4) for name in ESTIMATORS}
    for words in product(range(3), repeat=3):
        states = list(product(range(2), repeat=3))
        joint = []
        for z in states:
            p, n = 1.0, np.zeros(2)
            for k, w in zip(z, words, strict=True):
                p *= (n[k] + ALPHA[k]) / (n.sum() + ALPHA.sum()) * PHI[k, w]
                n[k] += 1
            joint.append(p)
        true_states = enumeration.label_posterior(words, PHI, ALPHA)
        truth = slow_estimators.expectation(words, true_states, PHI, ALPHA)["cgs"]
        posterior = enumeration.label_posterior(words, PHI, assumed)
        mean = slow_estimators.expectation(words, posterior, PHI, assumed)
        for name in ESTIMATORS:
            errors = np.zeros(4)
            errors[0] = ((mean[name] - truth) ** 2).sum()
            errors[3] = divergence(truth @ PHI, mean[name] @ PHI)
            for z, p in posterior.items():
                theta = slow_estimators.one_sample(words, z, PHI, assumed)[name]
                errors[1] += p * ((theta - mean[name]) ** 2).sum()
                errors[2] += p * divergence(truth @ PHI, theta @ PHI)
            total[name] += sum(joint) * errors
    return total


def divergence(p, q):
    return (p * np.log(p / q)).sum()


@pytest.mark.parametrize("assumed", [ALPHA, 10 * ALPHA])
def test_errors_are_the_slow_twins(assumed):
    expected = slow(assumed)
    found = exact.lead(PHI, ALPHA, 3, assumed).set_index("estimator")
    for name in ESTIMATORS:
        np.testing.assert_allclose(found.loc[name].to_numpy(float), expected[name], rtol=1e-9, atol=1e-14)


def test_with_the_right_prior_nothing_beats_many_samples_of_cgs():
    found = exact.lead(PHI, ALPHA, 4).set_index("estimator")
    assert found.loc["cgs", "bias"] < 1e-28 and found.loc["cgs_rb", "bias"] < 1e-28
    others = found.drop(["cgs", "cgs_rb"])
    assert (others["bias"] > 1e-4).all() and (others["loss_inf"] > 1e-5).all()
    assert found.loc["cgs_rb", "variance"] < found.loc["cgs", "variance"]
    assert found.loc["cgs_rb", "loss_1"] < found.loc["cgs", "loss_1"]


def test_too_many_states_are_refused():
    with pytest.raises(ValueError, match="too many states"):
        exact.lead(np.full((30, 2), 0.5), np.ones(30), 5)
