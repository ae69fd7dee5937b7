"""The estimators as scikit-learn's: its own checks, and what its tools ask of them.

scikit-learn's checks hand in fractional features, which are no counts, and one class number per document. So they run
twice: as they are, and with their data made whole numbers and a column of labels. Which ones fail the second time
must be just what docs/scikit_learn.md says, with a reason each.
"""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from polytopic import models, paths
from polytopic.models import unseen
from polytopic.models.classifier import CountsOnly
from polytopic.models.estimators import ESTIMATORS, RAO_BLACKWELL
from polytopic.models.layered_lda import PREDICTIONS
from polytopic.models.online import STEPS
from polytopic.streams import document_names
from reference.corpora import labelled

CHAINS = {"n_chains": 2, "n_sweeps": 3, "n_test_chains": 2, "burn_in": 2, "n_samples": 2}
TOPICS = {"n_topics": 2, "n_topic_chains": 1, "n_topic_sweeps": 3}
SMALL = {
    "FlatLDA": CHAINS,
    "PriorLDA": CHAINS,
    "DependencyLDA": CHAINS | TOPICS,
    "LearnedDependencyLDA": CHAINS | TOPICS | {"n_topics": (2,)},
    "FastDependencyLDA": CHAINS | {"n_topics": 2},
    "AuthorTopicLDA": CHAINS | {"n_topics": 2},
    "LDA": {"n_topics": 2, "n_sweeps": 3, "burn_in": 2},
    "FastXML": {"n_trees": 2},
    "GeneralisedTopicModel": {"n_topics": 1},
    "HybridClassifier": {
        "estimators": [
            ("Flat-LDA", models.FlatLDA(**CHAINS, random_state=0)),
            ("ridge", models.BinaryRelevanceRidge()),
        ]
    },
}
NAMES = [name for name in models.__all__ if isinstance(getattr(models, name), type)]
CLASSIFIERS = [name for name in NAMES if is_classifier(getattr(models, name)())]
ROW = re.compile(r"^\| (`check_[^|]+`) \| (fractional|always) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def build(name):
    known = getattr(models, name)().get_params(deep=False)
    seed = {"random_state": 0} if "random_state" in known else {}
    return getattr(models, name)(**SMALL.get(name, {}), **seed)


def published(name, when):
    """Return the checks that the page says do not apply to a model: "always", or for "fractional" features."""
    rows = ROW.findall((paths.checkout() / "docs" / "scikit_learn.md").read_text(encoding="utf-8"))
    model = getattr(models, name)
    groups = {"classifiers": is_classifier(model()), "counts": issubclass(model, CountsOnly), name: True}
    return {
        check
        for checks, at, who, _ in rows
        for check in re.findall(r"check_\w+", checks)
        if at == when and any(groups.get(one) for one in who.split(", "))
    }


def failed(name):
    found = estimator_checks.check_estimator(build(name), on_fail=None, on_skip=None)
    return {one["check_name"] for one in found if one["status"] == "failed"}


def as_counts(estimator, X, X_test=None, **others):
    """Return the checks' features as whole numbers of 1 or more, but for those that are not finite."""
    if X_test is not None:
        return as_counts(estimator, X), as_counts(estimator, X_test)
    X = np.asarray(X)
    return (1 + np.rint(3 * (X - X.min()))).astype(X.dtype) if np.isfinite(X).all() else X


def as_labels(estimator, y):
    """Return the checks' classes as a column: the first one against the others."""
    y = np.asarray(y)
    if y.ndim == 2 or not np.isfinite(y.astype(float)).all():
        return y.reshape(len(y), -1)
    return (y != y[0]).astype(int)[:, None]


@pytest.mark.parametrize("name", NAMES)
def test_checks_that_fail_are_those_that_the_page_gives_a_reason_for(name, monkeypatch):
    always = published(name, "always")
    assert failed(name) <= always | published(name, "fractional")
    if name != "M5P":  # a regressor of any numbers, as the checks have them
        monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_X", as_counts)
        monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_y", as_labels)
    assert failed(name) == always


@pytest.mark.parametrize("name", CLASSIFIERS)
class TestEveryClassifier:
    def test_tools_need_no_scorer_and_pipelines_predict(self, name):
        X, Y = labelled()
        Y = Y.toarray().astype(int)
        pipeline = make_pipeline(FunctionTransformer(), build(name))
        scores = cross_val_score(pipeline, X, Y, cv=2)
        assert scores.shape == (2,) and (scores > 0).all() and (scores <= 1).all()
        decided = cross_val_predict(pipeline, X, Y, cv=2, method="decision_function")
        assert decided.shape == Y.shape
        fitted = pipeline.fit(X, Y)
        predicted = fitted.predict(X)
        assert predicted.shape == Y.shape and predicted.dtype == bool
        np.testing.assert_array_equal(fitted[-1].classes_, np.arange(Y.shape[1]))
        expected = label_ranking_average_precision_score(Y, fitted.decision_function(X))
        assert fitted.score(X, Y) == pytest.approx(expected, abs=1e-12)

    def test_columns_in_another_order_are_refused(self, name):
        X, Y = labelled()
        table = pd.DataFrame(X.toarray(), columns=[f"word {w}" for w in range(X.shape[1])])
        fitted = build(name).fit(table, Y)
        assert list(fitted.feature_names_in_) == list(table.columns)
        fitted.decision_function(table)
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.decision_function(table[table.columns[::-1]])


OF_TOPICS = {"n_topics": 20, "n_topic_chains": 2, "n_samples": 5, "n_label_tokens": 60}
WAYS = (
    [(name, {}) for name in CLASSIFIERS]
    + [("DependencyLDA", OF_TOPICS | {"inference": one}) for one in ("fast", "proper", "mean_field")]
    + [(name, {"inference": "mean_field"}) for name in ("FlatLDA", "PriorLDA")]
    + [("FastDependencyLDA", {"prediction": one}) for one in PREDICTIONS]
    + [("SCVBDependency", {"steps": one}) for one in STEPS]
    + [("HybridClassifier", {"estimators": None})]
)


@pytest.mark.parametrize(
    ("name", "settings"),
    WAYS,
    ids=[" ".join([name, *filter(str.islower, map(str, own.values()))]) for name, own in WAYS],
)
def test_a_document_is_told_the_same_alone_and_in_any_company(name, settings):
    """On this corpus a document has more than sixteen labels, and may have more label tokens than words."""
    check_any_company(name, settings)


@pytest.mark.parametrize("name", ["FlatLDA", "PriorLDA", "DependencyLDA"])
def test_nor_does_company_count_among_thousands_of_labels(name, monkeypatch):
    monkeypatch.setattr(unseen, "SPARSE_FROM", 1)
    check_any_company(name, OF_TOPICS if name == "DependencyLDA" else {})


def check_any_company(name, settings):
    X, Y = labelled(n_documents=80, n_words=225, n_labels=45)
    fitted, X = build(name).set_params(**settings).fit(X[20:], Y[20:]), X[:20]
    alone, reverse = [told(fitted, X[d]) for d in range(20)], told(fitted, X[::-1])
    beside = told(fitted, sparse.vstack([sparse.csr_matrix(X.sum(axis=0)), X]).tocsr())
    tolerance = 1e-14 if name == "PLST" else 0  # a product of dense matrices, as the page says
    for what, rows in told(fitted, X).items():
        for d, row in enumerate(rows):
            for other in (alone[d][what][0], reverse[what][19 - d], beside[what][1 + d]):
                np.testing.assert_allclose(other, row, 0, tolerance, err_msg=f"{what} of document {d}")


def told(fitted, X):
    """Return {method or estimator: an array for each document} of all that a model says of unseen documents."""
    found = {"decision_function": fitted.decision_function(X)}
    if hasattr(fitted, "predict_proba"):
        found["predict_proba"] = fitted.predict_proba(X)
    if hasattr(fitted, "explain"):
        found["explain"] = [
            np.concatenate([one.parts.toarray().ravel(), one.base, one.scores]) for one in fitted.explain(X)
        ]
    if getattr(fitted, "inference", None) == "fast":
        found["sample_scores"] = np.moveaxis(fitted.sample_scores(X), 2, 0)
        for one in [RAO_BLACKWELL, *ESTIMATORS]:
            found[one] = fitted.decision_function(X, estimator=one)
    return found


SAMPLED = [name for name in CLASSIFIERS if "streams" in build(name).get_params()]


@pytest.mark.parametrize("name", SAMPLED)
def test_rows_have_draws_of_their_own_where_that_is_asked_for(name):
    X, Y = labelled()
    fitted = build(name).set_params(streams="row").fit(X, Y)
    scores = fitted.decision_function(sparse.vstack([X[:1]] * 5).tocsr())
    assert len(np.unique(scores.round(12), axis=0)) > 1
    np.testing.assert_array_equal(fitted.decision_function(X[:1])[0], scores[0])


def test_documents_are_named_by_words_and_counts_in_whatever_order():
    X = sparse.csr_matrix([[1, 2, 0], [2, 1, 0], [0, 0, 0], [1, 2, 0], [3, 0, 0], [1, 0, 1]])
    names = document_names(X)
    assert names[0] == names[3] and len(set(names)) == 5
    turned = X.copy()
    turned.indices[:2], turned.data[:2] = turned.indices[1::-1].copy(), turned.data[1::-1].copy()
    assert document_names(turned)[0] == names[0]
    np.testing.assert_array_equal(document_names(X, "row"), np.arange(6))


def test_a_hundred_thousand_short_documents_have_names_of_their_own():
    """Of names that were sums of products of word and count, thousands would coincide."""
    words = np.stack(np.meshgrid(np.arange(400), np.arange(400))).reshape(2, -1).T
    words = words[words[:, 0] < words[:, 1]]
    rows = np.repeat(np.arange(len(words)), 2)
    X = sparse.csr_matrix((np.tile([1, 2], len(words)), (rows, words.ravel())))
    assert len(np.unique(document_names(X))) == len(words)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "LDA"])
def test_labels_that_were_forgotten_are_asked_for(name):
    """Python's own words would be about a missing argument."""
    with pytest.raises(ValueError, match="requires y to be passed"):
        build(name).fit(np.ones((4, 3), int))
