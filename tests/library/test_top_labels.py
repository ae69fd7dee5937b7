"""The labels with the highest scores, from every classifier: those of its whole table of scores, ties by column."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from test_settings import ESTIMATORS, corpus

from polytopic import models
from polytopic.models import classifier, hybrid, online, unseen

CLASSIFIERS = [model for model in ESTIMATORS if is_classifier(model)]
(TOPICS,) = (model for model in CLASSIFIERS if type(model) is models.DependencyLDA)
CLASSIFIERS += [clone(TOPICS).set_params(inference=one) for one in ("proper", "mean_field")]
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
UNSEEN = corpus(8)[0][:9]


@pytest.fixture
def in_blocks(monkeypatch):
    """Two or three documents at a time, whatever the way of a class."""
    for module, name in ((classifier, "BLOCK_CELLS"), (hybrid, "SCORED_CELLS"), (unseen, "BLOCK_CELLS")):
        monkeypatch.setattr(module, name, 9)
    monkeypatch.setattr(online, "BLOCK", 2)
    monkeypatch.setattr(unseen, "BLOCK_TOKENS", (9, 9))


def best(scores, k):
    labels = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return labels, np.take_along_axis(scores, labels, axis=1)


def test_every_classifier_is_tried():
    public = [getattr(models, name) for name in models.__all__]
    public = {one for one in public if isinstance(one, type) and hasattr(one, "decision_function")}
    assert {type(model) for model in CLASSIFIERS} == public


@every_classifier
@pytest.mark.parametrize("k", [1, 3, 4])
def test_top_labels_are_the_best_of_all_scores(model, k, request):
    """A product of dense tables may round otherwise when its rows are fewer: scores are compared to 1e-12.

    All scores are those of one block: where they came in blocks too, a fault of every block was no difference.
    """
    every = np.asarray(clone(model).fit(*corpus(1)).decision_function(UNSEEN))
    fitted = clone(model).fit(*corpus(1))
    request.getfixturevalue("in_blocks")
    labels, scores = fitted.top_labels(UNSEEN, k)
    exact, rounded = best(every, k), best(every.round(12), k)
    assert labels.dtype == np.int64
    np.testing.assert_allclose(scores, exact[1], rtol=1e-9, atol=1e-11)
    assert any(np.array_equal(labels, expected) for expected, _ in (exact, rounded))


@every_classifier
def test_sparse_counts_and_tables_with_names_will_do(model, in_blocks):
    X, Y = corpus(1)
    names = [f"word {w}" for w in range(X.shape[1])]
    fitted = clone(model).fit(pd.DataFrame(X, columns=names), Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels, _ = fitted.top_labels(pd.DataFrame(UNSEEN, columns=names), 2)
    plain = clone(model).fit(X, Y).top_labels(sparse.csr_matrix(UNSEEN), 2)[0]
    np.testing.assert_array_equal(plain, labels)


@every_classifier
def test_what_is_refused(model, in_blocks):
    fitted = clone(model).fit(*corpus(1))
    with pytest.raises(ValueError, match="k=5 is more than the 4 labels"):
        fitted.top_labels(UNSEEN, 5)
    with pytest.raises(ValueError, match="k"):
        fitted.top_labels(UNSEEN, 0)
    faulty = UNSEEN.astype(float)
    faulty[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[7, 2\] = nan"):
        fitted.top_labels(faulty, 1)


def test_equal_scores_keep_the_order_of_the_columns():
    class Ties(classifier.MultiLabelClassifier, BaseEstimator):
        def fit(self, X, Y):
            self.n_labels_, self.n_features_in_ = 6, 3
            return self

        def decision_function(self, X):
            return np.array([[0.0, 2.0, 1.0, 2.0, 1.0, 1.0]] * len(X))

    labels, scores = Ties().fit(None, None).top_labels(np.ones((2, 3)), 4)
    assert labels.tolist() == [[1, 3, 2, 4]] * 2 and scores.tolist() == [[2, 2, 1, 1]] * 2


def test_a_document_keeps_its_draws_by_row_in_blocks(request):
    """With streams="row" the draws of a document hang on its row, which a block of documents would move."""
    kinds, same = (models.FastDependencyLDA, models.PriorLDA), np.repeat(UNSEEN[:1], 6, axis=0)
    of_rows = [clone(one).set_params(streams="row") for one in CLASSIFIERS if type(one) in kinds]
    whole = [best(clone(one).fit(*corpus(1)).decision_function(same), 4) for one in of_rows]
    request.getfixturevalue("in_blocks")
    for model, expected in zip(of_rows, whole, strict=True):
        labels, scores = model.fit(*corpus(1)).top_labels(same, 4)
        np.testing.assert_array_equal(labels, expected[0])
        np.testing.assert_array_equal(scores, expected[1])
