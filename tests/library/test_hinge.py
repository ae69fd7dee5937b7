"""Linear machines trained sixteen at a time: the minimum, proved by the dual; lanes that do not know each other."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from polytopic.datasets import load_corpus
from polytopic.kernels import hinge as kernel
from polytopic.kernels.simd import LANES
from polytopic.models import BinaryRelevanceSVM, hinge
from polytopic.models.ridge import with_ones


def texts(n=150, n_words=50, n_labels=21, seed=0):
    """Return weighed words (n, n_words) CSR and labels from frequent to rare, the first on all, the last on none."""
    random = np.random.default_rng(seed)
    Y = random.random((n, n_labels)) < np.geomspace(0.5, 0.005, n_labels)
    Y[:, 0], Y[:, -1], Y[0, 1:-1] = True, False, True
    X = random.poisson(0.15, (n, n_words))
    X[:, :n_labels] += random.poisson(0.9 * Y)
    X[-1] = 0
    return TfidfTransformer().fit_transform(sparse.csr_matrix(X)), sparse.csc_matrix(Y)


def rule(cost=1.0, tol=1e-3, fit_intercept=True):
    return BinaryRelevanceSVM(C=cost, tol=tol, fit_intercept=fit_intercept, random_state=0)


def trained(X, Y, how):
    """Return weights (W + 1, C), the intercept last, and sweeps (C,)."""
    weights, sweeps = np.zeros((X.shape[1] + 1, Y.shape[1])), np.zeros(Y.shape[1], int)
    varied = np.flatnonzero((Y.getnnz(axis=0) > 0) & (Y.getnnz(axis=0) < Y.shape[0]))
    for some in hinge.train(X, Y, varied, how):
        weights[:-1, some.labels], weights[-1, some.labels] = some.weights.T, some.intercept
        sweeps[some.labels] = some.n_iter
    return weights, sweeps


def primal(X, Y, weights, cost):
    slack = np.maximum(0, 1 - np.where(Y.toarray(), 1, -1) * (with_ones(X) @ weights))
    return (weights**2).sum(axis=0) / 2 + cost * (slack**2).sum(axis=0)


def machines(Y, n_words):
    signs = np.ascontiguousarray(np.where(Y, 1, -1), dtype=np.float32)
    dual, moved = np.zeros(signs.shape, np.float32), np.zeros(signs.shape, np.int32)
    return kernel.Machines(signs, dual, moved, np.zeros((n_words, LANES), np.float32))


def in_order(n_documents):
    stretches = -(-n_documents // kernel.STRETCH)
    return lambda outer, inner: np.random.default_rng([outer, inner]).permutation(stretches)


@pytest.mark.parametrize("cost", [0.1, 1.0, 30.0])
def test_no_machine_is_better_by_the_dual(cost, monkeypatch):
    """Any dual point bounds the minimum from below. After a single sweep the gap is 1 % and more."""
    X, Y = texts()
    block = Y[:, 1 : 1 + LANES].toarray()
    documents = hinge._documents(with_ones(X))

    def gap():
        made = machines(block, X.shape[1] + 1)
        hinge.descend(documents, made, LANES, rule(cost), in_order(len(block)))
        assert np.allclose(made.weights, with_ones(X).T @ (made.dual * made.signs), atol=1e-4 * cost)
        below = made.dual.sum(axis=0) - (made.weights**2).sum(axis=0) / 2
        below -= (made.dual.astype(float) ** 2).sum(axis=0) / (4 * cost)
        return primal(X, sparse.csc_matrix(block), made.weights.astype(float), cost) / below - 1

    assert gap().max() < 1e-4
    monkeypatch.setattr(hinge, "MOST_PASSES", 1)
    assert gap().max() > 0.01


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_machines_are_liblinears(fit_intercept):
    """The other setting of the intercept is off by .05 or more; LIBLINEAR at tol .1 by .01."""
    X, Y = texts()
    weights, _ = trained(X, Y, rule(tol=1e-4, fit_intercept=fit_intercept))
    for c in range(1, Y.shape[1] - 1):
        other = LinearSVC(tol=1e-9, dual=False, fit_intercept=fit_intercept).fit(X, Y[:, c].toarray().ravel())
        assert np.abs(weights[:-1, c] - other.coef_[0]).max() < 1e-3
        assert abs(weights[-1, c] - np.ravel(other.intercept_)[0]) < 1e-3


def test_a_machine_is_the_same_in_any_company():
    X, Y = texts()
    weights, sweeps = trained(X, Y, rule())
    for some in ([5], [18, 2, 7], list(range(19, 0, -1))):
        others, others_sweeps = trained(X, Y[:, some], rule())
        np.testing.assert_array_equal(others, weights[:, some])
        np.testing.assert_array_equal(others_sweeps, sweeps[some])
    assert len(set(sweeps[1:-1])) > 2, "machines of one block should end at different times"


def test_compiled_and_plain_sweeps_agree_bit_for_bit():
    X, Y = texts(n=40)
    documents, block = hinge._documents(with_ones(X)), Y[:, 1 : 1 + LANES].toarray()
    on = np.ones((1, LANES), np.int32)
    on[0, 3] = 0
    found = []
    for sweep in (kernel.sweep, kernel.sweep.py_func):
        made, reach = machines(block, X.shape[1] + 1), np.zeros((2, LANES), np.float32)
        for number in range(4):
            order = in_order(40)(number, 0)
            sweep(order, documents, made, np.float32(0.5), np.float32(0.01), number % 2 == 0, on, reach)
        found.append([*made, reach])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not found[0][1][:, 3].any() and found[0][1].any()


def test_the_estimator_takes_either_solver():
    X, Y = texts()
    how = {"normalize": None, "random_state": 0, "tol": 1e-4}
    alone = BinaryRelevanceSVM(**how).fit(X, Y)
    together = BinaryRelevanceSVM(**how, solver="together", n_jobs=2).fit(X, Y)
    assert np.abs(alone.decision_function(X) - together.decision_function(X)).max() < 2e-3
    for constant, margin in ((0, 1), (Y.shape[1] - 1, -1)):
        assert (together.decision_function(X)[:, constant] == margin).all()
        assert together.n_iter_[constant] == 0
    assert (together.C_ == 1).all() and (together.positive_weight_ == 1).all()
    again = BinaryRelevanceSVM(**how, solver="together").fit(X, Y)
    np.testing.assert_array_equal(again.coef_, together.coef_)


@pytest.mark.parametrize("solver", ["liblinear", "together"])
def test_small_weights_are_dropped(solver):
    X, Y = texts()
    how = {"normalize": None, "solver": solver, "random_state": 0}
    whole, sparser = (BinaryRelevanceSVM(**how, smallest=least).fit(X, Y) for least in (0.0, 0.05))
    assert sparse.issparse(sparser.coef_) and sparser.coef_.shape == whole.coef_.shape
    expected = np.where(np.abs(whole.coef_) > 0.05, whole.coef_, 0)
    assert 0 < np.count_nonzero(expected) < np.count_nonzero(whole.coef_)
    np.testing.assert_array_equal(sparser.coef_.toarray(), expected)
    assert np.allclose(sparser.decision_function(X), X @ expected.T + sparser.intercept_)


def test_tuning_label_by_label_needs_the_other_solver():
    X, Y = texts()
    with pytest.raises(ValueError, match="tuning='C' trains labels one by one: it needs solver='liblinear'"):
        BinaryRelevanceSVM("C", solver="together").fit(X, Y)
    shared = BinaryRelevanceSVM("shared_C", candidates=(0.1, 3), normalize=None, solver="together").fit(X, Y)
    assert set(shared.C_) <= {0.1, 3}  # the default is 1


def test_too_few_sweeps_are_told(monkeypatch):
    monkeypatch.setattr(hinge, "MOST_PASSES", 1)
    X, Y = texts()
    with pytest.warns(UserWarning, match="stopped after 1 passes"):
        BinaryRelevanceSVM(normalize=None, solver="together").fit(X, Y)


@pytest.mark.real_data
def test_scores_of_a_real_corpus_are_liblinears(real_data):
    """Where both stop at .01 they differ by .004; a single sweep leaves .89."""
    train, test = load_corpus("bibtex").split(0)
    how = {"normalize": "tfidf", "random_state": 0}
    scores = [
        BinaryRelevanceSVM(**how, solver=solver)
        .fit(train.counts, train.labels)
        .decision_function(test.counts)
        for solver in ("liblinear", "together")
    ]
    assert np.abs(scores[0] - scores[1]).max() < 0.01
