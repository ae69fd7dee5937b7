"""Ridge regression on labels: against scikit-learn, its two ways to the solution, the choice of a penalty, edges."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from polytopic.metrics import ranking
from polytopic.models import BinaryRelevanceRidge, BinaryRelevanceSVM, ridge
from polytopic.models.label_space import PenalisedRidge
from polytopic.models.ridge import with_ones
from polytopic.models.selection import choose, hold_out
from reference.corpora import own_words


def corpus(n=120, seed=0):
    return own_words(n, 8, share=0.25, base=0.2, rate=1.2, n_common=4, seed=seed)


@pytest.mark.parametrize("n", [15, 120])  # fewer documents than words, and more
def test_weights_are_those_of_scikit_learn(n):
    X, Y = corpus(n)
    found = BinaryRelevanceRidge(0.7).fit(X, Y)
    weighed = found.tfidf_.transform(sparse.csr_matrix(X)).toarray()
    judge = Ridge(0.7, fit_intercept=False).fit(np.hstack([weighed, np.ones((n, 1))]), Y.astype(float))
    assert np.allclose(np.vstack([found.coef_, found.intercept_]), judge.coef_.T, atol=1e-6)
    assert np.allclose(
        found.decision_function(X), weighed @ judge.coef_[:, :-1].T + judge.coef_[:, -1], atol=1e-6
    )
    other = Ridge(1.4, fit_intercept=False).fit(np.hstack([weighed, np.ones((n, 1))]), Y.astype(float))
    assert not np.allclose(found.coef_, other.coef_[:, :-1].T, atol=0.01)


@pytest.mark.parametrize("n", [15, 120])
def test_several_penalties_are_solved_one_by_one(n):
    """Penalties that add up on the diagonal come to .5, 1.5 and 3: the first weight is .168 for .182."""
    X, Y = corpus(n)
    X, Y, penalties = with_ones(sparse.csr_matrix(X, dtype=float)), sparse.csr_matrix(Y), (0.5, 1.0, 1.5)
    for penalty, weights in zip(penalties, ridge.solve(X, Y, penalties), strict=True):
        np.testing.assert_array_equal(weights, ridge.solve(X, Y, [penalty])[0])


@pytest.fixture
def by_gradients(monkeypatch):
    """Have every system solved by conjugate gradients, three labels at a time, from the three heaviest words."""
    for name, value in {"MOST_FACTORISED": 1, "TOGETHER": 3, "HEAVIEST": 3, "HEAVIEST_PENALISED": 3}.items():
        monkeypatch.setattr(ridge, name, value)


def test_gradients_come_to_the_same(by_gradients):
    X, Y = corpus()
    Y[:, 4] = False  # nothing to solve
    found = BinaryRelevanceRidge(0.7).fit(X, Y)
    weighed = with_ones(found.tfidf_.transform(sparse.csr_matrix(X)).toarray())
    exact = Ridge(0.7, fit_intercept=False).fit(weighed, Y.astype(float)).coef_.T
    apart = np.abs(np.vstack([found.coef_, found.intercept_]) - exact)
    assert (
        0 < apart.max() < 0.002
    )  # of weights up to 1.2; to stop at a tenth of the right-hand side leaves .3
    assert not found.coef_[:, 4].any()


def test_gradients_come_to_the_same_for_any_targets(by_gradients):
    """Stopped at a tenth of the right-hand side, some prediction is off by .1."""
    X = sparse.random(60, 9, 0.4, random_state=0, format="csr")
    Y = np.random.default_rng(1).normal(size=(60, 4)) * [1, 10, 0.1, 0]
    for targets in (Y, Y[:, 0]):
        found = PenalisedRidge(0.1).fit(X, targets).predict(X)
        exact = Ridge(0.1, fit_intercept=False).fit(with_ones(X), targets).predict(with_ones(X))
        assert found.shape == exact.shape == targets.shape
        assert (np.abs(found - exact) <= 1e-3 * np.abs(exact).max(axis=0)).all()
    with pytest.raises(ValueError, match="NaN"):
        PenalisedRidge(0.1).fit(X, np.where(Y > 1, np.nan, Y))


def test_gradients_that_do_not_arrive_are_told(by_gradients, monkeypatch):
    monkeypatch.setattr(ridge, "MOST_STEPS", 2)
    X, Y = corpus()
    with pytest.warns(ConvergenceWarning, match="3 columns of Y are not solved after 2 steps"):
        BinaryRelevanceRidge(0.001).fit(X, Y[:, :3])


def test_the_penalty_is_the_one_for_unseen_documents():
    (X, Y), (X_test, Y_test) = corpus(), corpus(400, seed=1)
    candidates = 0.001, 1.0, 1000.0
    found = BinaryRelevanceRidge(candidates=candidates, random_state=0).fit(X, Y)
    unseen = [BinaryRelevanceRidge(alpha).fit(X, Y).decision_function(X_test) for alpha in candidates]
    precise = [ranking(Y_test, scores)["average_precision"] for scores in unseen]
    assert found.alpha_ == candidates[np.argmax(precise)] == 1.0  # .882, .897 and .675


def test_a_cost_for_all_labels_is_chosen_likewise():
    X, Y = corpus()
    found = BinaryRelevanceSVM("shared_C", candidates=(0.01, 1.0), normalize="tfidf", random_state=0).fit(
        X, Y
    )
    assert len(set(found.C_)) == 1
    alone = BinaryRelevanceSVM(C=found.C_[0], normalize="tfidf", random_state=0).fit(X, Y)
    assert np.array_equal(found.coef_, alone.coef_)


def test_the_best_is_chosen_and_of_several_the_first():
    X, Y = (sparse.csr_matrix(table) for table in corpus(30))
    key = sparse.csr_matrix(
        np.hstack([Y.toarray(), X.toarray()]).astype(float)
    )  # features that hold the truth

    def scored(features, labels, others):
        seen = np.flatnonzero(np.ones(8, bool)[: labels.shape[1]])
        truth = others[:, seen].toarray()
        yield from (-truth, truth, truth)

    assert choose("abc", scored, key, Y, 0) == "b"
    with pytest.raises(ValueError, match="two folds"):
        choose("ab", scored, key[:2], Y[:2], 0)


def test_a_hold_out_is_drawn_and_leaves_the_others():
    rest, own = hold_out([3, 5, 7, 9], 1, np.random.default_rng(0))
    assert own.size == 1 and np.array_equal(np.sort([*rest, *own]), [3, 5, 7, 9])
    drawn = {tuple(hold_out([3, 5, 7, 9], 2, np.random.default_rng(seed))[1]) for seed in range(40)}
    assert len(drawn) == 6 and all(first < second for first, second in drawn)


def test_labels_without_documents_come_last():
    X, Y = corpus()
    Y[:, 3] = False
    scores = BinaryRelevanceRidge().fit(X, Y).decision_function(X)
    assert (scores[:, [3]] <= scores).all()
    assert (BinaryRelevanceRidge().fit(X, np.zeros_like(Y)).decision_function(X) == 0).all()


def test_refusals():
    X, Y = corpus()
    with pytest.raises(ValueError, match="0 sample.*nothing to learn from"):
        BinaryRelevanceRidge().fit(X[:0], Y[:0])
    with pytest.raises(ValueError, match="Negative"):
        BinaryRelevanceRidge().fit(-X, Y)
