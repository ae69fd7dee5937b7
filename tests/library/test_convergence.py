"""R-hat and effective sample size, on chains of which both are known."""

import math
import statistics

import numpy as np
import pytest

from polytopic import metrics


def autoregressive(rho, n_chains=8, n_draws=2000, n_items=20, seed=0):
    """Return draws (chains, draws, items) of x_t = rho x_(t-1) + noise, from its stationary distribution."""
    rng = np.random.default_rng(seed)
    x = np.empty((n_chains, n_draws, n_items))
    x[:, 0] = rng.normal(0, 1, (n_chains, n_items)) / np.sqrt(1 - rho**2)
    for t in range(1, n_draws):
        x[:, t] = rho * x[:, t - 1] + rng.normal(0, 1, (n_chains, n_items))
    return x


@pytest.mark.parametrize(("rho", "rel"), [(-0.5, 0.12), (0.0, 0.06), (0.3, 0.06), (0.9, 0.06)])
def test_an_autoregressive_chain_is_worth_what_theory_says(rho, rel):
    """M N (1 - rho) / (1 + rho), in the mean of 20 items whose own errors are up to 15 %.

    Without the pairs beyond the first, at rho = .9 it would be five times too much. Of draws that alternate the rule
    leaves out some negative correlation, and some positive: 9 % too much.
    """
    draws = autoregressive(rho)
    truth = draws.shape[0] * draws.shape[1] * (1 - rho) / (1 + rho)
    assert np.mean(metrics.effective_sample_size(draws)) == pytest.approx(truth, rel=rel)


def test_chains_that_agree_have_an_rhat_of_one():
    assert np.abs(metrics.split_rhat(autoregressive(0.0)) - 1).max() < 0.005


def test_five_draws_by_hand():
    """Half-chains of two draws each, by Python's own variances: 1.007; with the wrong divisor within it is 1.24."""
    halves = [[1, 3], [2, 6], [0, 4], [7, 4]]
    draws = [[1, 3, 99, 2, 6], [0, 4, -99, 7, 4]]
    within = statistics.mean(map(statistics.variance, halves))
    between = statistics.variance(map(statistics.mean, halves))
    rhat = math.sqrt((within / 2 + between) / within)
    assert metrics.split_rhat(draws) == pytest.approx(rhat, rel=1e-12)


def test_chains_apart_have_the_rhat_of_their_distance():
    """Means one standard deviation to either side of 0: the variance of a draw is 1 + that of the means."""
    draws = np.random.default_rng(0).normal(size=(8, 4000))
    draws += np.repeat([-1.0, 1.0], 4)[:, None]
    between = np.repeat([-1.0, 1.0], 8).var(ddof=1)
    assert metrics.split_rhat(draws) == pytest.approx(np.sqrt(1 + between), rel=0.02)
    assert metrics.effective_sample_size(draws) < 40  # 32,000 draws, and hardly more than two places


def test_a_trend_shows_although_all_chains_share_it():
    """Means of whole chains are the same, those of their halves are not; not split, R-hat would be 1."""
    draws = np.random.default_rng(0).normal(size=(4, 1000)) + np.linspace(-2, 2, 1000)
    assert metrics.split_rhat(draws) > 1.2


def test_every_item_is_judged_alone():
    draws = autoregressive(0.5, n_draws=201, n_items=3)
    for judge in (metrics.split_rhat, metrics.effective_sample_size):
        found = judge(draws)
        assert found.shape == (3,)
        np.testing.assert_allclose(found, [judge(draws[:, :, k]) for k in range(3)])
        np.testing.assert_allclose(found, judge(5 - 3 * draws), rtol=1e-6)


def test_what_never_varies_is_not_judged():
    draws = np.zeros((4, 10, 2))
    draws[:2, :, 1] = 1.0
    assert np.isnan(metrics.split_rhat(draws)[0])
    assert np.isinf(metrics.split_rhat(draws)[1])
    assert np.isnan(metrics.effective_sample_size(draws)[0])


def test_too_few_draws_are_refused():
    with pytest.raises(ValueError, match="four draws or more"):
        metrics.split_rhat(np.zeros((4, 3)))
