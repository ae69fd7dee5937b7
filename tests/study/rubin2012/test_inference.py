"""Fast and proper inference side by side: what is compared is what the estimator gives, kept and stored whole."""

import numpy as np
import pytest

from polytopic.models import DependencyLDA, unseen
from polytopic.study.rubin2012 import inference
from reference.corpora import SHORT
from reference.corpora import labelled as corpus


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
