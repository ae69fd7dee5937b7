"""Fast and proper inference side by side: what is compared is what the estimator gives, kept and stored whole."""

import numpy as np
import pytest

from polytopic import paths
from polytopic.models import DependencyLDA, unseen
from polytopic.study.rubin2012 import inference
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

TINY = {"trained": "quick", "documents": 20}


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A small model in place of the corpus's own, and a study of its own."""
    X, Y = corpus()
    model = DependencyLDA(n_topics=3, eta=4.0, alpha_sum=1.0, n_topic_chains=2, n_topic_sweeps=20, **SHORT)
    model.fit(X[:40], Y[:40])
    X = X.tolil()
    X[45] = 0
    X = X.tocsr()[40:]
    problem = model.unseen_model(), model.check_unseen(X), Y[40:], Y[:40]
    monkeypatch.setattr(inference, "opened", lambda *_: problem)
    scales = inference.curves.scales, inference.costs.scales
    monkeypatch.setitem(
        scales[0],
        "medium",
        TINY | {"repeat": range(2), "sweeps": [1, 3], "n_label_tokens": [0, 5, 20], "n_chains": 4},
    )
    monkeypatch.setitem(scales[1], "medium", TINY | {"ways": (0, 5, 20)})
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    return model, X, Y[40:]


@pytest.mark.parametrize("n_label_tokens", [0, 20])
def test_scores_are_the_estimators(model, n_label_tokens):
    fitted, X, _ = model
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
