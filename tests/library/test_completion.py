"""Perplexity by document completion: by hand, and that nothing of the scored half is seen."""

import numpy as np
import pytest
from scipy import sparse

from polytopic import metrics
from polytopic.models import LDA


def private_words(n_topics=4):
    """A model whose topic k has word k alone, up to nothing."""
    model = LDA(n_topics, n_sweeps=0, alpha=0.1, random_state=1).fit(np.eye(n_topics, dtype=int))
    model.components_ = np.eye(n_topics)
    return model


def test_nothing_of_the_scored_half_is_seen():
    """Two tokens of different words: whichever is scored, theta knows nothing of it, so p = alpha / (1 + T alpha)."""
    X = sparse.csr_matrix([[1, 1, 0, 0]] * 20)
    observed, scored = metrics.halves(X, seed=2)
    model = private_words()
    found = metrics.perplexity(scored, model.transform(observed), model.components_)
    assert found == pytest.approx((1 + 4 * 0.1) / 0.1)  # 14
    leaked = metrics.perplexity(scored, model.transform(X), model.components_)
    assert leaked == pytest.approx((2 + 4 * 0.1) / (1 + 0.1))  # 2.18: with the whole document in theta


def test_halves_share_out_every_token_once():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(1.5, (50, 9)))
    observed, scored = metrics.halves(X, seed=2)
    np.testing.assert_array_equal((observed + scored).toarray(), X.toarray())
    lengths = X.sum(axis=1).A1
    np.testing.assert_array_equal(observed.sum(axis=1).A1, (lengths + 1) // 2)
    again, _ = metrics.halves(X, seed=2)
    other, _ = metrics.halves(X, seed=3)
    assert (again != observed).nnz == 0 and (other != observed).nnz > 0


def test_halves_are_drawn_without_favour():
    """Of 3 tokens of word 0 and 1 of word 1, two observed: word 1 is among them half of the time."""
    observed, _ = metrics.halves(sparse.csr_matrix([[3, 1]] * 20_000), seed=0)
    assert (
        abs(observed[:, 1].mean() - 0.5) < 0.02
    )  # 0.50 when right, 0.25 if distinct words were drawn by count


def test_only_scored_tokens_divide():
    theta, phi = np.array([[0.5, 0.5]]), np.array([[0.8, 0.2], [0.4, 0.6]])
    expected = np.exp(-(2 * np.log(0.6) + np.log(0.4)) / 3)
    assert metrics.perplexity([[2, 1]], theta, phi) == pytest.approx(expected)
    assert metrics.log_likelihood([[2, 1]], theta, phi) == pytest.approx(-3 * np.log(expected))


def test_impossible_words_and_empty_input():
    assert metrics.perplexity([[0, 1]], [[1.0, 0.0]], np.eye(2)) == np.inf
    assert metrics.log_likelihood([[0, 0]], [[1.0, 0.0]], np.eye(2)) == 0
    with pytest.raises(ValueError, match="no tokens to score"):
        metrics.perplexity([[0, 0]], [[1.0, 0.0]], np.eye(2))
    with pytest.raises(ValueError, match="do not fit"):
        metrics.perplexity([[0, 1]], [[1.0]], np.eye(2))
