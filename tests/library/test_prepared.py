"""What a fitted model keeps for its predictions: made once, made anew when anything it depends on changes."""

import gc
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from polytopic.models import DependencyLDA, FlatLDA, PriorLDA, labelled_lda, unseen
from polytopic.models.classifier import _TABLES
from reference.corpora import SHORT, labelled

FAST = [
    FlatLDA(**SHORT),
    PriorLDA(**SHORT),
    DependencyLDA(n_topics=2, n_topic_chains=2, n_topic_sweeps=5, **SHORT),
]
PROPER = clone(FAST[-1]).set_params(inference="proper", n_label_tokens=20)
MODELS = [*FAST, PROPER, clone(FAST[-1]).set_params(inference="mean_field")]


@pytest.fixture
def made(monkeypatch):
    """Return a list that grows by one whenever tables are made."""
    found = []
    for name, kind in labelled_lda.PREDICTORS.items():
        monkeypatch.setitem(labelled_lda.PREDICTORS, name, _told(kind, found))
    return found


def _told(kind, found):
    return lambda *given: (found.append(kind), kind(*given))[1]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{type(model).__name__}, {model.inference}")
class TestTables:
    def test_are_made_once_and_change_nothing(self, model, made):
        X, Y = labelled()
        fitted = clone(model).fit(X, Y)
        once = fitted.decision_function(X[:9])
        np.testing.assert_array_equal(fitted.decision_function(X[:9]), once)
        assert len(made) == 1
        np.testing.assert_array_equal(clone(model).fit(X, Y).decision_function(X[:9]), once)

    @pytest.mark.parametrize("other", [{"alpha_sum": 3.0}, {"burn_in": 7}, {"word_power": 0.4}, {"eta": 9.0}])
    def test_are_made_anew_for_other_settings(self, model, other, made):
        if not set(other) <= set(model.get_params()):
            pytest.skip(f"{type(model).__name__} has no {set(other).pop()}")
        X, Y = labelled()
        fitted = clone(model).fit(X, Y)
        fitted.decision_function(X[:9])
        changed = fitted.set_params(**other).decision_function(X[:9])
        fresh = clone(model).set_params(**other).fit(X, Y).decision_function(X[:9])
        np.testing.assert_array_equal(changed, fresh)

    def test_are_made_anew_for_another_fit_and_for_other_counts(self, model, made):
        X, Y = labelled()
        fitted = clone(model).fit(X, Y)
        fitted.decision_function(X[:9])
        again = fitted.fit(X[20:], Y[20:]).decision_function(X[:9])
        fresh = clone(model).fit(X[20:], Y[20:]).decision_function(X[:9])
        np.testing.assert_array_equal(again, fresh)
        before = len(made)
        fitted.label_word_counts_ = fitted.label_word_counts_ * 2
        assert not np.array_equal(fitted.decision_function(X[:9]), fresh) and len(made) == before + 1

    def test_are_in_no_pickle_and_go_with_the_model(self, model):
        X, Y = labelled()
        fitted = clone(model).fit(X, Y)
        size = len(pickle.dumps(fitted))
        fitted.decision_function(X[:9])
        assert len(pickle.dumps(fitted)) == size and fitted in _TABLES
        n = len(_TABLES)
        del fitted
        gc.collect()
        assert len(_TABLES) < n


@pytest.mark.parametrize("model", FAST, ids=lambda model: type(model).__name__)
def test_the_first_labels_after_all_scores_are_not_sampled_again(model, monkeypatch):
    X, Y = labelled()
    fitted, runs = clone(model).fit(X, Y), []
    for kind in (unseen.Dense, unseen.Sparse):
        monkeypatch.setattr(kind, "run", _counted(kind.run, runs))
    scores = fitted.decision_function(X[:9])
    sampled = len(runs)
    labels, best = fitted.top_labels(X[:9], 3)
    assert len(runs) == sampled > 0
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(best, np.take_along_axis(scores, expected, axis=1))
    scores[:] = 0  # what the caller does with them is the caller's
    np.testing.assert_array_equal(fitted.top_labels(X[:9], 3)[1], best)
    fitted.top_labels(X[1:9], 3)
    assert len(runs) > sampled
    sampled = len(runs)
    np.testing.assert_array_equal(fitted.set_params(alpha_sum=2.0).top_labels(X[:9], 6)[0].shape, (9, 6))
    assert len(runs) > sampled


def _counted(run, runs):
    return lambda *given, **named: (runs.append(1), run(*given, **named))[1]


def test_scores_beyond_eight_million_are_not_kept(monkeypatch):
    X, Y = labelled()
    fitted = clone(FAST[0]).fit(X, Y)
    monkeypatch.setattr("polytopic.models.labelled_lda.MOST_KEPT", 53)
    fitted.decision_function(X[:9])  # 54 scores
    assert fitted._predictor().last == (None, None)
