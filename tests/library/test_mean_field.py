"""Mean field of unseen documents: against a dense twin and its faults, many labels, extremes."""

import numpy as np
import pytest
from sklearn.base import clone

from polytopic.models import DependencyLDA, FlatLDA, PriorLDA
from reference import twins
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

MODELS = [
    FlatLDA(alpha_sum=5.0, inference="mean_field", **SHORT),
    PriorLDA(eta=4.0, alpha_sum=1.0, inference="mean_field", **SHORT),
    DependencyLDA(n_topics=3, eta=4.0, alpha_sum=1.0, gamma_sum=1.0, n_topic_chains=2, n_topic_sweeps=20,
                  inference="mean_field", **SHORT),
]  # fmt: skip
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


SINGLE = 1e-6  # what rounding to float32 leaves: 5e-8 at most here, where a fault leaves .003 and more


@pytest.fixture(scope="module")
def data():
    X, Y = corpus()
    return X[:40], Y[:40], X[40:]


def by_twin(model, X, power, n_passes, fault=None):
    """Return the scores (D, C) of the twin, the mean over the sets of topics."""
    phi, listed = model.label_word_distributions(), model.label_word_counts_.toarray() > 0
    scores = []
    for topics in model.topic_label_distributions():
        weights = model.eta, model.alpha_sum / len(phi), model.gamma_sum / len(topics)
        rows = (np.flatnonzero(row) for row in X)
        given = power, n_passes, fault
        of_set = [
            twins.mean_field(words, row[words], phi, listed, topics, *weights, *given)
            for words, row in zip(rows, X, strict=True)
        ]
        scores.append(of_set)
    return np.mean(scores, axis=0)


@every_model
@pytest.mark.parametrize(("power", "n_passes"), [(0.7, 4), (1.0, 1), (0.4, 30)])
def test_scores_are_those_of_the_dense_twin(model, data, power, n_passes):
    X, Y, unseen = data
    fitted = clone(model).set_params(word_power=power, n_passes=n_passes).fit(X, Y)
    documents = fitted.check_unseen(unseen).toarray()
    documents[0] = 0
    found = fitted.decision_function(documents)
    assert np.abs(found - by_twin(fitted, documents, power, n_passes)).max() < SINGLE
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-13)
    faults = {"own counts stay", "no power" if power < 1 else None, "topics stay" if fitted.eta else None} - {
        None
    }
    if isinstance(model, PriorLDA):
        faults -= {"topics stay"}  # there is but one
    for fault in faults:
        assert np.abs(found - by_twin(fitted, documents, power, n_passes, fault)).max() > 0.003, fault


def test_more_labels_than_a_block():
    """2,500 labels, most of them on some words: the twin's scores still, within 5e-7 of each; faults miss by .04."""
    model, documents = many_labels()
    found = model.decision_function(documents)
    by_model = by_twin(model, documents, model.word_power, model.n_passes)
    np.testing.assert_allclose(found, by_model, rtol=2e-5, atol=1e-9)


EXTREMES = [
    (FlatLDA, {"word_power": 40.0}, "smaller word_power"),
    (FlatLDA, {"alpha_sum": 1e-35}, "larger alpha_sum"),
    (PriorLDA, {"alpha_sum": 0.0, "eta": 1e-38}, "larger alpha_sum, eta"),
    (PriorLDA, {"eta": 1e39}, "smaller alpha_sum or eta"),
    (DependencyLDA, {"word_power": 60.0}, "smaller word_power"),
    (DependencyLDA, {"alpha_sum": 1e300}, "smaller alpha_sum or eta"),
]


@pytest.mark.parametrize(("kind", "settings", "message"), EXTREMES)
def test_settings_that_leave_float32_are_refused(kind, settings, message, data):
    X, Y, unseen = data
    model = next(clone(one) for one in MODELS if type(one) is kind).set_params(**settings).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.decision_function(unseen)
    with pytest.raises(ValueError, match=message):
        model.explain(unseen)


def many_labels():
    """Return a model of 2,500 labels, the first on more words than the last, and documents."""
    rng = np.random.default_rng(3)
    n_labels, n_words = 2500, 12
    Y = np.vstack([np.eye(n_labels, dtype=bool), np.ones((2, n_labels), bool)])
    chances = np.linspace(1, 0, len(Y))[:, None] ** np.linspace(3, 0.3, n_words)
    X = (rng.random((len(Y), n_words)) < chances).astype(int)
    X[:, 0] += 1
    model = DependencyLDA(3, n_topic_chains=1, n_topic_sweeps=2, eta=4.0, alpha_sum=1.0, n_chains=1,
                          n_sweeps=2, inference="mean_field", random_state=1).fit(X, Y)  # fmt: skip
    return model, rng.integers(0, 4, (3, n_words))


def test_weights_that_rounding_leaves_nothing_of():
    """One token, and a prior of nearly nothing: what a label has without it is lost in float32, and not below 0."""
    X, Y = corpus()
    single = np.eye(X.shape[1], dtype=int)
    for prior in (FlatLDA(alpha_sum=1e-12, **SHORT), PriorLDA(eta=1e-12, alpha_sum=0.0, **SHORT)):
        fitted = prior.set_params(inference="mean_field", word_power=1.0, n_passes=60).fit(X, Y)
        scores = fitted.decision_function(single)
        assert (scores >= 0).all()
        np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-13)


def test_what_needs_samples_says_so(data):
    X, Y, unseen = data
    fitted = clone(MODELS[0]).fit(X, Y)
    with pytest.raises(ValueError, match="'cgs_p' is for inference='fast'"):
        fitted.decision_function(unseen, estimator="cgs_p")
    with pytest.raises(ValueError, match="sample_scores"):
        fitted.sample_scores(unseen)
