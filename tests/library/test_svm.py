"""Binary relevance with linear SVMs: LIBLINEAR's own answer, the tuning rules, reproducibility, bad input."""

import warnings

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from polytopic.models import hinge, svm
from polytopic.models.svm import BinaryRelevanceSVM, hold_out_of_each, stratified_folds


def corpus(n_documents=120, n_words=40, n_labels=6, seed=0):
    """Return (X, Y): each label has three words of its own among common ones; no constant label."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_documents, n_labels)) < np.linspace(0.4, 0.05, n_labels)
    Y[0], Y[1] = True, False
    X = rng.poisson(0.3, (n_documents, n_words))
    for c in range(n_labels):
        X[:, 3 * c : 3 * c + 3] += rng.poisson(0.8 * Y[:, [c]], (n_documents, 3))
    X[:, -1] += 1
    return sparse.csr_matrix(X), Y


def normalized(X):
    return X.toarray() / X.sum(axis=1).A1[:, None]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_agrees_with_scikit_learn(fit_intercept):
    X, Y = corpus()
    model = BinaryRelevanceSVM(tol=1e-6, fit_intercept=fit_intercept, random_state=0).fit(X, Y)
    scores = model.decision_function(X)
    for c in range(Y.shape[1]):
        direct = LinearSVC(tol=1e-8, dual=False, fit_intercept=fit_intercept).fit(normalized(X), Y[:, c])
        # both within 1e-6 of the one minimum; the other setting of fit_intercept is off by .1 or more
        assert scores[:, c] == pytest.approx(direct.decision_function(normalized(X)), rel=0, abs=1e-3)
        assert model.coef_[c] == pytest.approx(direct.coef_[0], rel=0, abs=1e-3)
    assert scores.shape == Y.shape and scores.dtype == np.float64
    assert model.coef_.dtype == np.float32


def test_both_weights_tunes_the_cost_on_the_same_hold_out():
    X, Y = corpus()
    model = BinaryRelevanceSVM("both_weights", C=2.0, candidates=(4,), random_state=0).fit(X, Y[:, :1])
    assert model.positive_weight_[0] == 1
    ratio = (~Y[:, 0]).sum() / Y[:, 0].sum()
    assert model.C_[0] == 8 or model.C_[0] == pytest.approx(2 * ratio)
    direct = BinaryRelevanceSVM(C=model.C_[0], random_state=0).fit(X, Y[:, :1])
    np.testing.assert_array_equal(model.coef_, direct.coef_)


def test_cost_and_weight_reach_the_solver():
    """With the weight dropped, or put on the negatives, scores are off by .3 or more."""
    X, Y = corpus()
    model = BinaryRelevanceSVM("positive_weight", C=4.0, candidates=[7], tol=1e-6, random_state=0)
    model.fit(X, Y)
    assert set(model.positive_weight_) <= {7.0, *((~Y).sum(axis=0) / Y.sum(axis=0))}
    scores = model.decision_function(X)
    for c, weight in enumerate(model.positive_weight_):
        direct = LinearSVC(tol=1e-8, dual=False, C=4.0, class_weight={1: weight}, max_iter=10_000)
        direct.fit(normalized(X), Y[:, c])
        assert scores[:, c] == pytest.approx(direct.decision_function(normalized(X)), rel=0, abs=5e-3)
    assert np.all(model.C_ == 4)


def test_hold_out_takes_a_tenth_of_each_class():
    """25 positives give 2.5, rounded to 3; 104 negatives 10.4, rounded to 10."""
    positive = np.arange(129) < 25
    train, held = hold_out_of_each(positive, np.random.default_rng(0))
    assert positive[held].sum() == 3 and (~positive[held]).sum() == 10
    assert np.array_equal(np.sort(np.concatenate([train, held])), np.arange(129))
    assert np.array_equal(held, np.sort(held))
    other = hold_out_of_each(positive, np.random.default_rng(1))[1]
    assert not np.array_equal(held, other)


def test_single_positive_is_in_both_sets():
    positive = np.arange(20) == 7
    train, held = hold_out_of_each(positive, np.random.default_rng(0))
    assert 7 in train and 7 in held
    assert len(train) == 1 + 17 and len(held) == 1 + 2
    train, held = hold_out_of_each(~positive, np.random.default_rng(0))
    assert 7 in train and 7 in held


def tuned_weight(X, positive, seed=0):
    model = BinaryRelevanceSVM("positive_weight", random_state=seed)
    return model.fit(X, positive[:, None]).positive_weight_[0]


@pytest.mark.parametrize(
    ("right", "best", "n_tried"), [({}, 1, 11), ({2: 1, 5: 1}, 2, 11), ({5: 2, 10: 2}, 5, 4)]
)
def test_weights_are_tried_from_the_nearest_to_1_until_one_is_perfect(monkeypatch, right, best, n_tried):
    """The order decides ties; negatives / positives is 1/3 here, nearer to 1 than 2 is: .67 against 1.

    Two documents are held out: nothing can beat two correct predictions.
    """
    tried = []
    monkeypatch.setattr(svm, "_n_correct", lambda *given: tried.append(given[4]) or right.get(given[4], 0))
    assert tuned_weight(np.eye(8), np.arange(8) < 6) == best
    assert tried == [1, pytest.approx(1 / 3), 2, 5, 10, 25, 50, 100, 250, 500, 1000][:n_tried]


def test_tuning_picks_the_weight_that_is_right():
    """Every document holds word 0 ten times, negatives word 1 as well; four in 400 are positive.

    Which documents are held out does not matter, as the documents of a class are all alike. At weight 1 all
    held-out documents are called negative: 40 of 41 right. The smallest weight that gets all of them wins.
    """
    positive = np.arange(400) < 4
    X = np.column_stack([np.full(400, 10), ~positive])
    sides = {}
    for weight in (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 99.0, 100.0):
        machine = LinearSVC(tol=1e-8, dual=False, class_weight={1: weight}, max_iter=10_000)
        train, held = hold_out_of_each(positive, np.random.default_rng(0))
        features = X / X.sum(axis=1, keepdims=True)
        machine.fit(features[train], positive[train])
        sides[weight] = (machine.predict(features[held]) == positive[held]).all()
    assert not sides[1] and any(sides.values())  # else the case would say nothing
    expected = min(weight for weight, right in sides.items() if right)
    assert [tuned_weight(X, positive, seed) for seed in range(3)] == [expected] * 3


def test_folds_are_stratified():
    positive = np.arange(31) < 7
    folds = stratified_folds(positive, np.random.default_rng(0))
    for part in (positive, ~positive, positive | True):
        sizes = np.bincount(folds[part], minlength=3)
        assert sizes.max() - sizes.min() <= 1


def test_cost_is_cross_validated():
    """The chosen cost has the most correct predictions in a plain loop over the same folds."""
    X, Y = corpus()
    candidates = [0.01, 1.0, 100.0]
    model = BinaryRelevanceSVM("C", candidates=candidates, random_state=0).fit(X, Y)
    features = normalized(X)
    for c in range(Y.shape[1]):
        folds = stratified_folds(Y[:, c], svm.stream(0, "svm", "folds", c))
        right = []
        for cost in (1.0, 0.01, 100.0):
            machine = LinearSVC(C=cost, dual=False, tol=1e-6, max_iter=10_000)
            parts = [(folds != f, folds == f) for f in range(3)]
            fits = [
                (machine.fit(features[a], Y[a, c]).predict(features[b]) == Y[b, c]).sum() for a, b in parts
            ]
            right.append(sum(fits))
        assert model.C_[c] == (1.0, 0.01, 100.0)[int(np.argmax(right))]
    assert len(set(model.C_)) > 1  # else a constant would pass


def test_cost_of_a_single_positive():
    """The fold with the positive is trained without one: all its documents are predicted negative."""
    X, Y = corpus()
    model = BinaryRelevanceSVM("C", random_state=0).fit(X, (np.arange(120) == 5)[:, None])
    assert model.C_.shape == (1,) and np.isfinite(model.decision_function(X)).all()
    for value in (False, True):  # of all documents of a training part
        unseen = np.arange(4) == 2
        right = svm._n_correct(X[:9], np.full(9, value), X[9:13], unseen, 1.0, 1.0, model)
        assert right == (1 if value else 3)


@pytest.mark.parametrize("tuning", [None, "positive_weight", "C"])
def test_constant_labels(tuning):
    """A label that nobody has scores -1 throughout, one that all have +1; the others are not touched."""
    X, Y = corpus()
    Y[:, 2], Y[:, 4] = False, True
    model = BinaryRelevanceSVM(tuning, random_state=0).fit(X, Y)
    scores = model.decision_function(X)
    assert np.all(scores[:, 2] == -1) and np.all(scores[:, 4] == 1)
    assert np.unique(scores[:, 3]).size > 50
    assert model.n_iter_[2] == 0 < model.n_iter_[3]


@pytest.mark.parametrize("tuning", [None, "positive_weight", "C"])
def test_same_bits_for_any_number_of_jobs_and_backend(tuning):
    X, Y = corpus(n_words=130, n_labels=40)
    Y[2] |= ~Y.any(axis=0)
    fit = BinaryRelevanceSVM(tuning, random_state=3, tol=0.1, n_jobs=1).fit
    first = fit(X, Y).coef_
    for n_jobs, backend in ((2, "loky"), (4, "threading"), (2, "multiprocessing")):
        with joblib.parallel_config(backend):
            model = BinaryRelevanceSVM(tuning, random_state=3, tol=0.1, n_jobs=n_jobs).fit(X, Y)
        assert np.array_equal(model.coef_, first)
    other = BinaryRelevanceSVM(tuning, random_state=4, tol=0.1).fit(X, Y)
    assert not np.array_equal(other.coef_, first)  # the seed does reach the solver


def test_label_does_not_depend_on_the_others():
    X, Y = corpus()
    model = BinaryRelevanceSVM("positive_weight", random_state=0).fit(X, Y)
    alone = BinaryRelevanceSVM("positive_weight", random_state=0).fit(X, Y[:, :1])
    assert np.array_equal(model.coef_[:1], alone.coef_)


def test_normalizations():
    X, Y = corpus()
    X = X.astype(float)
    rows = X.toarray()
    l2 = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    words = [" ".join(f"w{w:02d} " * int(n) for w, n in enumerate(row)) for row in rows]
    vocabulary = [f"w{w:02d}" for w in range(40)]
    recipes = {"log": {"sublinear_tf": True, "use_idf": False}, "idf": {}, "tfidf": {"sublinear_tf": True}}
    by_hand = {"sum": normalized(X), "l2": l2, None: rows} | {
        name: TfidfVectorizer(vocabulary=vocabulary, **recipe).fit_transform(words)
        for name, recipe in recipes.items()
    }
    for normalize, features in by_hand.items():
        model = BinaryRelevanceSVM(normalize=normalize, random_state=0, tol=0.1).fit(X, Y)
        same = BinaryRelevanceSVM(normalize=None, random_state=0, tol=0.1).fit(features, Y)
        # the same features up to rounding; those of another norm give scores off by 1 or more
        assert model.decision_function(X) == pytest.approx(same.decision_function(features), rel=0, abs=1e-6)


def test_negative_features_are_fine_but_for_tfidf():
    X, Y = corpus()
    real = np.random.default_rng(0).standard_normal(X.shape)
    assert np.isfinite(BinaryRelevanceSVM(random_state=0).fit(real, Y).decision_function(real)).all()
    with pytest.raises(ValueError, match="tfidf"):
        BinaryRelevanceSVM(normalize="tfidf").fit(real, Y)


def test_empty_document_scores_the_intercept():
    X, Y = corpus()
    X = X.tolil()
    X[3] = 0
    model = BinaryRelevanceSVM(random_state=0).fit(X, Y)
    assert np.array_equal(model.decision_function(np.zeros((1, 40)))[0], model.intercept_)


def test_one_warning_where_the_solver_stops_early(monkeypatch):
    X, Y = corpus()
    with monkeypatch.context() as patched:
        patched.setattr(hinge, "MOST_PASSES", 1)
        with pytest.warns(ConvergenceWarning, match="after 1 passes in 6 of 6 labels") as caught:
            BinaryRelevanceSVM(tol=1e-9, random_state=0).fit(X, Y)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BinaryRelevanceSVM("positive_weight", random_state=0).fit(X, Y)


def test_primal_solver_takes_over_where_the_dual_one_is_stuck(monkeypatch):
    """At this cost sixty passes leave the dual solver far off; sixty Newton steps do."""
    monkeypatch.setattr(hinge, "MOST_PASSES", 60)
    X, Y = corpus()
    features, settings = normalized(X), {"C": 1000.0, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        stuck = LinearSVC(dual=True, max_iter=60, tol=0.01, **settings).fit(features, Y[:, 0])
    stuck = stuck.decision_function(features)
    direct = LinearSVC(C=1000.0, dual=False, tol=1e-8, max_iter=10_000).fit(features, Y[:, 0])
    expected = direct.decision_function(features)
    scores = BinaryRelevanceSVM(**settings).fit(X, Y).decision_function(X)[:, 0]
    assert np.abs(stuck - expected).max() > 1  # 14.9
    assert scores == pytest.approx(expected, rel=0, abs=0.1)  # off by .009
