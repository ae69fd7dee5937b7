"""Weights of Dirichlet priors from counts, against scipy's optimiser and the urn they describe."""

import numpy as np
import pytest
from scipy import optimize, sparse

from polytopic.models import hyperparameters
from polytopic.models.hyperparameters import Bases, asymmetric, fit_weights, log_likelihood, symmetric


def draws(alpha, n_groups, n_tokens, seed=0):
    """Return counts (n_groups, K) CSR of groups drawn from Dirichlets, alpha (K,) or (n_groups, K)."""
    rng = np.random.default_rng(seed)
    alpha = np.broadcast_to(alpha, (n_groups, np.shape(alpha)[-1]))
    return sparse.csr_matrix(np.array([rng.multinomial(n_tokens, rng.dirichlet(one)) for one in alpha]))


def two_bases(n_groups=400, n_labels=12, seed=3):
    """Return counts and Bases of a prior that is 6 times the group's own distribution and 1.5 times the even one."""
    rng = np.random.default_rng(seed)
    own = rng.dirichlet(np.full(n_labels, 0.3), n_groups)
    counts = draws(6 * own + 1.5 / n_labels, n_groups, 30, seed)
    rows = np.repeat(np.arange(n_groups), np.diff(counts.indptr))
    at_counts = np.stack([own[rows, counts.indices], np.full(counts.nnz, 1 / n_labels)], axis=1)
    return counts, Bases(at_counts, np.ones((1, 2)))


PROBLEMS = {
    "symmetric": lambda: (c := draws(np.full(8, 0.3), 300, 40), symmetric(c)),
    "sparse": lambda: (c := draws(np.full(300, 0.01), 60, 200), symmetric(c)),
    "wide": lambda: (c := draws(np.full(8, 5.0), 300, 40), symmetric(c)),
    "asymmetric": lambda: (c := draws(np.array([0.1, 0.2, 0.5, 1.0, 2.0]), 500, 30), asymmetric(c)),
    "two bases": two_bases,
}


def test_the_likelihood_is_that_of_the_urn():
    """Token after token, a category has probability (its count so far + its prior) / (all so far + whole prior)."""
    counts = sparse.csr_matrix([[2, 0, 1], [0, 3, 0], [0, 0, 0]])
    prior = np.array([0.3, 0.5, 1.2])
    by_hand = (0.3 / 2) * (1.3 / 3) * (1.2 / 4) * (0.5 / 2) * (1.5 / 3) * (2.5 / 4)
    assert log_likelihood(counts, asymmetric(counts), prior) == pytest.approx(np.log(by_hand), abs=1e-12)
    alike = 2 * np.log((0.4 / 1.2) * (1.4 / 2.2)) + np.log((0.4 / 3.2) * (2.4 / 3.2))
    assert log_likelihood(counts, symmetric(counts), [0.4]) == pytest.approx(alike, abs=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_fixed_point_is_where_an_optimiser_ends_and_no_step_falls(name):
    """A step too few shows: two steps from the start are off by 2 % or more in each of these problems."""
    counts, bases = PROBLEMS[name]()
    learned = fit_weights(counts, bases)

    def loss(logs):
        return -log_likelihood(counts, bases, np.exp(logs))

    start = np.log(np.full(bases.totals.shape[1], 0.5))
    best = optimize.minimize(
        loss, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 9000}
    )
    assert learned.converged
    gains = np.diff(learned.log_likelihoods)
    assert (gains >= -1e-9 * np.abs(learned.log_likelihoods[0])).all() and gains[0] > 0
    np.testing.assert_allclose(learned.weights, np.exp(best.x), rtol=2e-4)
    unfinished = fit_weights(counts, bases, max_steps=2).weights
    assert np.abs(unfinished / learned.weights - 1).max() > 0.02


def test_groups_may_have_priors_of_different_size():
    """A document's labels share one weight, whatever their number: groups of 2 and of 5 categories, weight 3.

    The standard error is 3 %. One weight for each category would be right for neither size: 1.5 and .6.
    """
    rng = np.random.default_rng(1)
    sizes = rng.choice([2, 5], 2000)
    table = np.zeros((sizes.size, 5), int)
    for row, size in zip(table, sizes, strict=True):
        row[:size] = rng.multinomial(40, rng.dirichlet(np.full(size, 3 / size)))
    counts = sparse.csr_matrix(table)
    shares = np.repeat(1 / sizes, np.diff(counts.indptr))[:, None]
    assert fit_weights(counts, Bases(shares, np.ones((1, 1)))).weights[0] == pytest.approx(3, rel=0.1)
    whole = fit_weights(counts, Bases(shares * sizes.mean(), np.full((sizes.size, 1), sizes.mean())))
    assert whole.weights[0] * sizes.mean() == pytest.approx(3, rel=0.1)


def test_a_category_that_no_group_has_gets_nothing():
    counts = sparse.csr_matrix([[3, 1, 0], [1, 4, 0], [5, 2, 0]])
    weights = fit_weights(counts, asymmetric(counts)).weights
    assert weights[2] == 0
    assert (weights[:2] > 0).all()


def test_a_base_that_is_not_needed_gets_nothing():
    own = np.random.default_rng(0).dirichlet(np.full(6, 0.05), 500)
    counts = draws(4 * own + 1e-9, 500, 30)
    rows = np.repeat(np.arange(500), np.diff(counts.indptr))
    bases = Bases(np.stack([own[rows, counts.indices], np.full(counts.nnz, 1 / 6)], axis=1), np.ones((1, 2)))
    assert fit_weights(counts, bases).weights[1] < 0.01  # the even base alone has 0.6


def test_weights_without_a_best_value_stop_at_the_bounds():
    alike = sparse.csr_matrix(np.full((50, 4), 10))
    apart = sparse.csr_matrix(np.eye(4, dtype=int)[np.arange(50) % 4] * 10)
    for counts, bound in ((alike, hyperparameters.MOST), (apart, hyperparameters.LEAST)):
        learned = fit_weights(counts, symmetric(counts), max_steps=10_000)
        assert not learned.converged
        assert learned.weights[0] * 4 == pytest.approx(bound, rel=0.5)


def test_groups_of_one_token_are_refused():
    ones = sparse.csr_matrix(np.eye(4, dtype=int))
    with pytest.raises(ValueError, match="no group has two tokens"):
        fit_weights(ones, symmetric(ones))
