"""Fast and proper inference side by side: what is compared is what the estimator gives, kept and stored whole."""

import numpy as np
import pytest

from polytopic import load_corpus, metrics
from polytopic.models import DependencyLDA, unseen
from polytopic.study.corpora import halves
from polytopic.study.rubin2012 import inference, systems
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

TINY = {
    "train": {"n_chains": 2, "n_sweeps": 10},
    "topics": {"n_topic_chains": 2, "n_topic_sweeps": 20},
    "test": {"n_test_chains": 4, "burn_in": 5, "n_samples": 3, "lag": 2},
}


@pytest.fixture
def model():
    """A small model, and documents of which one is empty."""
    X, Y = corpus()
    model = DependencyLDA(n_topics=3, eta=4.0, alpha_sum=1.0, n_topic_chains=2, n_topic_sweeps=20, **SHORT)
    model.fit(X[:40], Y[:40])
    X = X.tolil()
    X[45] = 0
    X = X.tocsr()[40:]
    return model, X


@pytest.mark.parametrize("n_label_tokens", [0, 20])
def test_scores_are_the_estimators(model, n_label_tokens):
    fitted, X = model
    fitted.set_params(inference="proper" if n_label_tokens else "fast", n_label_tokens=n_label_tokens or 1)
    fitted.set_params(burn_in=3, n_samples=1, lag=1, n_test_chains=4)
    schedule = unseen.Schedule(3, 1, 1, 4)
    found = inference.scored(
        fitted.unseen_model(), fitted.check_unseen(X), n_label_tokens, schedule, fitted.seed_
    )
    name = f"proper, M = {n_label_tokens}" if n_label_tokens else "fast"
    np.testing.assert_array_equal(found[name], fitted.decision_function(X))
    for scores in found.values():
        np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_the_prior_is_rescaled_in_the_same_samples(monkeypatch):
    """The one is the estimator's own score, the other its theta by counts and prior; they rank differently."""
    monkeypatch.setitem(systems.CHAINS, "quick", TINY)
    data = load_corpus("debtags")
    found = inference.rescaling(data, split=0, chains="quick", seed=0).set_index(
        ["prior", "pivot", "measure", "cutoff"]
    )
    train, test = halves(data, 0, systems.MOST["quick"], 0)
    fitted = systems.build("Dependency-LDA", data.name, train, "quick", 0).fit(train.counts, train.labels)
    truth, seen = test.labels[:, fitted.seen_labels_], fitted.seen_labels_
    own = metrics.evaluate(
        truth, fitted.decision_function(test.counts)[:, seen], "document", train.labels[:, seen]
    )
    value = {
        prior: found["value"][prior, "document", "average_precision", ""]
        for prior in ("rescaled", "as sampled")
    }
    assert value["rescaled"] == own["", "average_precision"]
    theta = fitted.decision_function(test.counts, "cgs")[:, seen]
    counted = metrics.evaluate(truth, theta, "document", train.labels[:, seen])["", "average_precision"]
    assert value["as sampled"] == pytest.approx(counted, abs=1e-6)  # the same chains; rescaled .0067 above
    assert value["rescaled"] - counted > 0.003
