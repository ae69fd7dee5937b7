"""The baselines of Ueda & Saito (2002): what scikit-learn is asked for, and what is tuned where."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from polytopic.study.ueda2002 import baselines
from polytopic.study.ueda2002.baselines import CosineNeighbours, GridSVM, NaiveBayes, NeuralNetwork
from reference.corpora import mixed as corpus

MODELS = [NaiveBayes(), GridSVM(), CosineNeighbours(), NeuralNetwork(n_steps=60)]
X, Y = corpus(n_documents=150)
UNSEEN, TRUTH = corpus(n_documents=60, seed=9)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
class TestEveryBaseline:
    def test_finds_the_labels(self, model):
        decided = clone(model).fit(X, Y).predict(UNSEEN)
        assert decided.dtype == bool and sparse.issparse(decided)
        # .79 to .85; every label everywhere has .62, the most frequent one alone .43
        assert f1_score(TRUTH, decided.toarray(), average="samples", zero_division=0) > 0.75

    def test_the_same_seed_gives_the_same_scores(self, model):
        fitted = clone(model).fit(X, Y)
        scores = fitted.decision_function(UNSEEN)
        again = clone(model).fit(sparse.csr_matrix(X), sparse.csc_matrix(Y))
        np.testing.assert_array_equal(scores, again.decision_function(sparse.coo_matrix(UNSEEN)))
        np.testing.assert_array_equal(scores, pickle.loads(pickle.dumps(fitted)).decision_function(UNSEEN))

    def test_constant_labels(self, model):
        never, always = np.zeros((len(Y), 1), bool), np.ones((len(Y), 1), bool)
        fitted = clone(model).fit(X, np.hstack([never, Y, always]))
        scores = fitted.decision_function(UNSEEN)
        assert (scores[:, 0] < 0).all() and (scores[:, -1] > 0).all()
        only = clone(model).fit(X, np.hstack([never, always])).predict(UNSEEN).toarray()
        np.testing.assert_array_equal(only, np.tile([False, True], (len(UNSEEN), 1)))

    def test_documents_without_words(self, model):
        more = np.vstack([X, np.zeros((3, 25), int)])
        fitted = clone(model).fit(more, np.vstack([Y, Y[:3]]))
        assert np.isfinite(fitted.decision_function(np.zeros((2, 25), int))).all()
        assert fitted.decision_function(np.zeros((0, 25), int)).shape == (0, 5)

    def test_refuses(self, model):
        with pytest.raises(ValueError, match="three or more"):
            clone(model).fit(X[:2], Y[:2])
        with pytest.raises(ValueError, match="is negative"):
            clone(model).fit(-X, Y)
        with pytest.raises(ValueError, match="24 words, but the model was fitted on 25"):
            clone(model).fit(X, Y).predict(UNSEEN[:, 1:])
        with pytest.raises(NotFittedError):
            clone(model).predict(UNSEEN)


def test_naive_bayes_is_one_classifier_a_label():
    scores = NaiveBayes().fit(X, Y).decision_function(UNSEEN)
    for c in range(5):
        expected = MultinomialNB().fit(X, Y[:, c]).predict(UNSEEN)
        np.testing.assert_array_equal(scores[:, c] > 0, expected)


@pytest.mark.parametrize("by_length", [True, False])
def test_the_svm_sees_documents_of_length_one_on_average(by_length):
    model = GridSVM(tuning=None, by_length=by_length, tol=1e-6, max_iter=100_000).fit(X, Y)
    seen = X / X.sum(axis=1, keepdims=True) if by_length else X
    features = seen / np.sqrt((seen**2).sum(axis=1).mean())
    assert (features**2).sum(axis=1).mean() == pytest.approx(1)
    svm = LinearSVC(loss="hinge", tol=1e-6, max_iter=100_000, random_state=0).fit(features, Y[:, 1])
    np.testing.assert_allclose(model.coef_[1], svm.coef_[0], atol=1e-3)  # squared hinge is off by .76
    np.testing.assert_array_equal(model.C_, 1)
    np.testing.assert_allclose(model.decision_function(X)[:, 1], svm.decision_function(features), atol=3e-3)


def test_the_svm_s_grid_is_judged_on_held_out_documents():
    """A pair that makes everything positive has recall 1 in training and must lose to one that can tell."""
    grid = {"costs": (1.0, 10.0), "weights": (1.0, 3.0, 1000.0)}
    model = GridSVM(**grid).fit(X, Y)
    assert set(model.C_) <= {1.0, 10.0} and not (model.J_ == 1000.0).all()
    train, held = baselines._held_out(len(Y), 0)
    assert len(held) == 50 and not set(train) & set(held)
    features = X / X.sum(axis=1, keepdims=True) * model.scale_

    def held_out_f1(cost, weight):
        how = {"class_weight": {1: weight}, "tol": 1e-6, "max_iter": 10**6, "random_state": 0}
        svm = LinearSVC(loss="hinge", C=cost, **how)
        decided = [svm.fit(features[train], Y[train, c]).predict(features[held]) for c in range(5)]
        return f1_score(Y[held], np.transpose(decided), average=None)

    reached = {pair: held_out_f1(*pair) for pair in itertools.product(grid["costs"], grid["weights"][:2])}
    for c in range(5):
        chosen = reached.get((model.C_[c], model.J_[c]))
        assert chosen is None or chosen[c] >= max(one[c] for one in reached.values()) - 0.03
    common = GridSVM(tuning="all", **grid).fit(X, Y)
    assert len(set(zip(common.C_, common.J_, strict=True))) == 1


def test_neighbours_vote_with_their_cosines():
    counts = np.array([[4, 0, 0], [3, 3, 0], [0, 0, 5], [0, 2, 0], [0, 0, 1], [1, 0, 9]])
    labels = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0], [0, 1]])
    model = CosineNeighbours(counts=(2,), thresholds=(0.4,)).fit(counts, labels)
    near = 1 / np.sqrt(2)
    scores = model.decision_function([[7, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(scores[0], [1 - 0.4, near / (1 + near) - 0.4])
    assert (scores[1] == -0.4).all()  # nothing in common with anything
    assert (model.k_, model.threshold_) == (2, 0.4)


def test_neighbours_and_threshold_are_the_best_of_the_grid_on_held_out_documents():
    grid = {"counts": (1, 5, 20), "thresholds": (0.1, 0.3, 0.6)}
    model = CosineNeighbours(**grid).fit(X, Y)
    train, held = baselines._held_out(len(Y), 0)
    reached = {}
    for k, threshold in itertools.product(*grid.values()):
        single = CosineNeighbours(counts=(k,), thresholds=(threshold,)).fit(X[train], Y[train])
        decided = single.predict(X[held]).toarray()
        reached[k, threshold] = f1_score(Y[held], decided, average="samples", zero_division=0)
    assert reached[model.k_, model.threshold_] == max(reached.values()) > min(reached.values())
