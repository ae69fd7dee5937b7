"""Proper inference (Rubin et al. 2012, 3.5, Eq. 9): exact enumeration, the plain twin, and what it comes to.

Whole runs, as the estimator makes them: thousands of copies of one document, each with random numbers of its own.
"""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln
from test_exactness import SURE

from polytopic.kernels import (
    alias,
    generator,
    label_tokens,
    phi_cache,
    sparse_prediction,
    topic_prior,
    weighing,
)
from polytopic.models import proper, unseen
from polytopic.models.settings import Run
from reference import agreement, enumeration, samplers, twins
from reference.interpreting import interpreted

BETA, BETA_C = 0.3, 0.2
COUNTS = np.array([[5, 0, 1], [1, 4, 0], [2, 1, 6]])
TOPIC_COUNTS = np.array([[6, 1, 0], [0, 2, 7]])
ETA, ALPHA, GAMMA = 3.0, 0.2, 0.3
WORDS = [0, 2]


def seen(n, *, eta=ETA, alpha=ALPHA, tokens=2, topic_counts=TOPIC_COUNTS, sweeps=30, words=WORDS, seed=3):
    X = np.tile(np.bincount(words, minlength=3), (n, 1))
    return samplers.properly_predicted(
        X, COUNTS, BETA, topic_counts, BETA_C, eta, alpha, GAMMA, tokens, sweeps, seed
    )


def enumerated(*, eta=ETA, tokens=2, topic_counts=TOPIC_COUNTS, words=WORDS):
    phi, topics = samplers.smoothed(COUNTS, BETA), samplers.smoothed(topic_counts, BETA_C)
    return enumeration.label_token_posterior(words, phi, topics, eta, ALPHA, GAMMA, tokens)


def exact(**settings):
    return agreement.both_count_vectors(enumerated(**settings), 3)


CASES = {
    "usual": {},
    "three words": {"words": [0, 2, 2]},
    "one label token": {"tokens": 1},
    "three label tokens": {"tokens": 3, "words": [1]},
    "one topic": {"topic_counts": TOPIC_COUNTS[:1]},
    "no weight on topics": {"eta": 0.0},
}


@pytest.mark.parametrize("case", CASES)
def test_words_and_label_tokens_end_on_the_exact_posterior(case):
    p, distance = agreement.fit(exact(**CASES[case]), seen(20_000, **CASES[case]))
    assert p > SURE  # 0.11 to 0.88
    assert distance < 0.02  # 0.007 to 0.015


def test_another_weight_of_the_label_tokens_is_noticed():
    """eta / M twice as large."""
    p, distance = agreement.fit(exact(), seen(20_000, eta=2 * ETA))
    assert p < 1e-6 and distance > 0.05  # 2e-130 and 0.074; 0.54 and 0.014 when right


def test_ratios_left_out_are_noticed():
    """Without them label tokens and topics keep to their prior, whatever the words say."""
    settings = {"words": [0, 2, 2]}
    every, alone = enumerated(**settings), enumerated(eta=0.0, **settings)
    given, prior = Counter(), Counter()
    for (_, c, t), p in every.items():
        given[c, t] += p
    for (_, c, t), p in alone.items():
        prior[c, t] += p
    cut = {(z, c, t): p * prior[c, t] / given[c, t] for (z, c, t), p in every.items()}
    p, distance = agreement.fit(agreement.both_count_vectors(cut, 3), seen(20_000, **settings))
    assert p < 1e-6 and distance > 0.1  # 0 and 0.28; 0.88 and 0.012 when right


@pytest.fixture(scope="module")
def twin_runs():
    """Return a function from settings to the words and label tokens (n, 2 C) that the twin ends on."""
    phi, topics = samplers.smoothed(COUNTS, BETA), samplers.smoothed(TOPIC_COUNTS, BETA_C)

    def runs(words, eta, tokens, sweeps, n=800):
        rng = np.random.default_rng(2)
        ends = [
            twins.proper_inference(words, phi, topics, eta, ALPHA, GAMMA, tokens, sweeps, rng)
            for _ in range(n)
        ]
        return np.array([np.concatenate([np.bincount(x, minlength=3) for x in run]) for run in ends])

    return runs


@pytest.mark.parametrize("sweeps", [1, 3])
def test_chains_agree_with_their_twin(sweeps, twin_runs):
    """The twin starts alike and has Eq. 9 as it is printed, with every label's Gamma functions."""
    words, tokens = [0, 2, 2, 1], 5
    found = seen(6000, words=words, tokens=tokens, sweeps=sweeps)
    right, wrong = (twin_runs(words, eta, tokens, sweeps) for eta in (ETA, ETA / 10))
    for columns in ([0, 1, 2], [3, 4, 5], [0, 3], [1, 4]):  # the last two: what binds words and label tokens
        assert agreement.same(found[:, columns], right[:, columns]) > SURE  # 0.19 to 0.95
    assert agreement.same(found[:, [0, 3]], wrong[:, [0, 3]]) < 1e-6  # 2e-60 at most: eta a tenth


def test_with_one_topic_and_many_label_tokens_it_nears_prior_lda():
    words, frequency = [0, 2, 2, 1], TOPIC_COUNTS[:1]
    prior = ETA * samplers.smoothed(frequency, BETA_C)[0] + ALPHA
    limit = agreement.count_vectors(
        enumeration.label_posterior(words, samplers.smoothed(COUNTS, BETA), prior), 3
    )
    far, near = (
        agreement.fit(limit, seen(3000, words=words, tokens=tokens, topic_counts=frequency, sweeps=10)[:, :3])
        for tokens in (1, 300)
    )
    assert near[0] > SURE  # 0.57
    assert far[1] > 0.2 and near[1] < 0.05  # 0.32 with one label token, 0.025 with 300


def test_ratios_are_those_of_the_gamma_function():
    n_tokens, longest, step, alpha = 9, 40, 0.7, 0.05
    table = np.zeros((n_tokens, longest + 1))
    table[:, 0] = 1
    ratios = label_tokens.Ratios(table, np.zeros(n_tokens, np.int32), step, alpha)
    rng = np.random.default_rng(0)
    for n, words in zip(rng.integers(0, n_tokens, 300), rng.integers(0, longest + 1, 300), strict=True):
        a = alpha + step * n
        log_ratio = gammaln(words + a + step) - gammaln(a + step) - gammaln(words + a) + gammaln(a)
        found = label_tokens.ratio.py_func(n, words, ratios)
        np.testing.assert_allclose(np.log(found), log_ratio, rtol=1e-9, atol=1e-12)


def many(n_labels=24, n_words=20, seed=4):
    rng = np.random.default_rng(seed)
    table = rng.poisson(rng.gamma(0.3, 4, size=(n_labels, n_words)))
    table[:, 0] += 1
    topic_counts = [sparse.csr_matrix(rng.poisson(rng.gamma(0.2, 5, size=(4, n_labels)))) for _ in range(2)]
    X = sparse.csr_matrix(rng.poisson(0.8, size=(4, n_words)))
    return unseen.Model(sparse.csr_matrix(table), BETA, topic_counts, 0.1, 20.0, 0.2, 0.3), X


def run(model, X, schedule, tokens=30, group=(1, 3)):
    ptr, words = unseen.tokens(X)
    labels, _, theta, on_tokens = proper.ProperSampler(model, schedule, tokens).run(
        ptr, words, np.arange(7, ptr.size + 6, dtype=np.uint64), group, 3
    )
    return unseen.count_labels(ptr, labels, on_tokens.shape[1]).toarray(), theta, on_tokens.toarray()


def test_compiled_and_interpreted_agree_bit_for_bit():
    model, X = many()
    compiled = run(model, X, unseen.Schedule(3, 2, 2, 4))
    with interpreted(label_tokens, sparse_prediction, topic_prior, phi_cache, weighing, generator, alias):
        plain = run(model, X, unseen.Schedule(3, 2, 2, 4))
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(one, other)
    assert compiled[2].sum(axis=1).tolist() == [30 * 2 * 2] * 4
    np.testing.assert_allclose(compiled[1].sum(axis=(1, 2)), 4)


def test_more_room_changes_nothing(monkeypatch):
    model, X = many(n_labels=60)
    roomy = run(model, X, unseen.Schedule(3, 2, 2, 4))
    samplers.with_room_for(monkeypatch, n_cached=1)
    tight = run(model, X, unseen.Schedule(3, 2, 2, 4))
    for one, other in zip(roomy, tight, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_document_without_words_costs_nothing():
    model, X = many()
    X = sparse.vstack([X[:1], sparse.csr_matrix((1, X.shape[1]), dtype=X.dtype), X[1:]]).tocsr()
    words, theta, tokens = run(model, X, unseen.Schedule(2, 1, 1, 4))
    assert words[1].sum() == theta[1].sum() == tokens[1].sum() == 0
    assert (words.sum(axis=1)[[0, 2]] > 0).all()


def test_too_few_label_tokens_are_refused():
    model, X = many()
    long = sparse.csr_matrix(X * 1000)
    sampler = proper.ProperSampler(model, unseen.Schedule(1, 1, 1, 1), 1)
    with pytest.raises(ValueError, match="n_label_tokens=1 is too few for eta=20"):
        next(unseen.predict(long, sampler, 0, Run()))
