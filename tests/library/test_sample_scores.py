"""What single samples score: they are those that decision_function averages."""

import numpy as np
import pytest

from polytopic import metrics
from polytopic.models import DependencyLDA, FlatLDA, PriorLDA, unseen

SHORT = {
    "n_chains": 2, "n_sweeps": 10, "n_test_chains": 5, "burn_in": 6, "n_samples": 4, "lag": 3, "random_state": 1,
}  # fmt: skip
MODELS = {
    "flat": FlatLDA(**SHORT),
    "prior": PriorLDA(**SHORT),
    "topics": DependencyLDA(n_topics=3, n_topic_chains=2, n_topic_sweeps=10, **SHORT),
}


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(2)
    Y = rng.random((80, 6)) < 0.35
    Y[:, 0] |= ~Y.any(axis=1)
    Y[:, 5] = False
    return rng.poisson(0.2 + 1.5 * np.repeat(Y, 4, axis=1)), Y


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_their_mean_is_the_decision(monkeypatch, corpus, name, kind):
    """Draw for draw: samples of other chains, or one sweep off, are away by .01 and more."""
    monkeypatch.setattr(unseen, "SPARSE_FROM", 1 if kind == "sparse" else 10**6)
    X, Y = corpus
    model = MODELS[name].fit(X[:60], Y[:60])
    samples, scores = model.sample_scores(X[60:]), model.decision_function(X[60:])
    assert samples.shape == (5, 4, 20, 6)
    np.testing.assert_allclose(samples.mean(axis=(0, 1)), scores, atol=1e-7)
    assert np.abs(samples[:, :3].mean(axis=(0, 1)) - scores).max() > 0.01
    np.testing.assert_allclose(samples.sum(axis=3), 1, atol=1e-6)
    assert (samples[..., 5] == 0).all()


def test_they_can_be_judged(corpus):
    X, Y = corpus
    samples = MODELS["prior"].fit(X[:60], Y[:60]).sample_scores(X[60:])[..., :5]
    assert np.nanmedian(metrics.split_rhat(samples)) < 2
    assert np.nanmedian(metrics.effective_sample_size(samples)) > 2


def test_proper_inference_has_none(corpus):
    X, Y = corpus
    model = DependencyLDA(n_topics=3, n_topic_chains=1, n_topic_sweeps=5, inference="proper", **SHORT)
    with pytest.raises(ValueError, match="set that first"):
        model.fit(X, Y).sample_scores(X[:2])
