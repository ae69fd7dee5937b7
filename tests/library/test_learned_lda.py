"""Settings of Dependency-LDA from its training documents."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from polytopic.kernels.documents import Schedule
from polytopic.models import DependencyLDA, LearnedDependencyLDA, chains, learned_lda
from polytopic.models.learned_lda import _precisions

SHORT = {
    "n_chains": 2, "n_sweeps": 5, "n_topic_chains": 2, "n_topic_sweeps": 10, "n_test_chains": 2, "burn_in": 4,
    "n_samples": 2, "lag": 2, "random_state": 5,
}  # fmt: skip


SHARED = ("n_topics", "train_eta", "beta_w", "gamma_sum")


@pytest.fixture(scope="module", autouse=True)
def two_weights():
    with pytest.MonkeyPatch.context() as patch:
        yield patch.setattr(learned_lda, "WEIGHTS", (0.5, 4.0))


@pytest.fixture(scope="module")
def corpus():
    """Return X (120, 60) and Y (120, 12): two topics of six labels, each label with five words of its own."""
    rng = np.random.default_rng(7)
    X, Y = np.zeros((120, 60), int), np.zeros((120, 12), bool)
    for d in range(120):
        of_topic = rng.permutation(6)[: rng.integers(1, 4)] + 6 * (d % 2)
        Y[d, of_topic] = True
        words = 5 * rng.choice(of_topic, 20) + rng.integers(0, 5, 20)
        words[:4] = rng.integers(0, 60, 4)
        X[d] = np.bincount(words, minlength=60)
    return X, Y


@pytest.fixture(scope="module")
def learned(corpus):
    return LearnedDependencyLDA(n_topics=(2, 4), **SHORT).fit(*corpus)


def test_counts_by_chain_are_those_that_training_pools(corpus):
    """The same chains, told apart: their label words add up, and a document's tokens stay on its own labels."""
    X, Y = (sparse.csr_matrix(table) for table in corpus)
    run = chains.Run()
    found = chains.label_counts(X, Y, 50.0, 0.01, 3, 6, 11, run)
    pooled = chains.train_label_words(X, Y, 50.0, 0.01, 3, 6, 11, run)
    assert (pooled != sum(one.label_words for one in found).T).nnz == 0
    assert (found[0].label_words != found[1].label_words).nnz > 0
    for one in found:
        assert (one.document_labels.sum(axis=1) == X.sum(axis=1)).all()
        assert (one.label_words.sum(axis=1) == one.document_labels.sum(axis=0).T).all()
        assert (one.document_labels.multiply(Y) != one.document_labels).nnz == 0


def test_phi_is_the_mean_over_every_sample_of_every_chain(corpus):
    """Each sample read by itself and then averaged: .0000; counts pooled before they are divided are .0004 off."""
    X, Y = (sparse.csr_matrix(table) for table in corpus)
    schedule = Schedule(burn_in=3, n_samples=4, lag=2, n_chains=3)
    phi = chains.mean_label_words(X, Y, 50.0, 0.01, schedule, 11, chains.Run())
    counts = [
        one.label_words.toarray() + 0.01
        for sweeps in (3, 5, 7, 9)
        for one in chains.label_counts(X, Y, 50.0, 0.01, 3, sweeps, 11, chains.Run())
    ]
    expected = np.mean([own / own.sum(axis=1, keepdims=True) for own in counts], axis=0)
    np.testing.assert_allclose(phi.T, expected, rtol=1e-12)
    pooled = sum(counts) / sum(counts).sum(axis=1, keepdims=True)
    assert abs(pooled - expected).max() > 1e-4


def test_it_is_dependency_lda_with_the_learned_settings(corpus, learned):
    X, Y = corpus
    same = DependencyLDA(**(SHORT | learned.settings_)).fit(X, Y)
    np.testing.assert_array_equal(learned.decision_function(X[:10]), same.decision_function(X[:10]))
    np.testing.assert_array_equal(learned.top_labels(X[:10], 3)[0], same.top_labels(X[:10], 3)[0])


def test_what_is_best_on_documents_held_out_is_taken(corpus, learned):
    """Setting after setting: what is ahead goes on into the next trials and, in the end, into the model."""
    worth = {trial: trial.by_document + trial.by_label for trial in learned.trials_}
    assert [trial.tried for trial in worth] == [
        "weight",
        "weight",
        "train_eta",
        "beta_w",
        "gamma_sum",
        "n_topics",
    ]
    first, second, eta, beta, gamma, fewer = worth
    assert (first.weight, second.weight, fewer.n_topics) == (0.5, 4.0, 2)
    assert eta.weight == (first if worth[first] >= worth[second] else second).weight
    assert (eta.train_eta, beta.beta_w, gamma.gamma_sum) == (50.0, 0.01, 4 * learned.topic_priors_[1].gamma)
    taken = max((fewer, first, second, eta, beta, gamma), key=worth.get)
    settings = learned.settings_
    assert settings | {name: getattr(taken, name) for name in SHARED} == settings
    assert (settings["eta"] + settings["alpha_sum"]) / 20 == pytest.approx(taken.weight, rel=0.01)


def test_held_out_documents_teach_nothing_else(corpus, learned):
    """Other labels on the documents held out change the trials' scores, and none of the fixed points."""
    X, Y = corpus
    learning, held = learned._parts(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    assert np.array_equal(np.sort(np.concatenate([learning, held])), np.arange(120))
    assert held.size == 24
    other = Y.copy()
    other[held] = np.roll(Y[held], 1, axis=0)
    changed = clone(learned).fit(X, other)
    assert changed.topic_priors_ == learned.topic_priors_
    assert changed.trials_[0].train_eta == learned.trials_[0].train_eta
    assert changed.trials_[0].beta_w == learned.trials_[0].beta_w
    assert changed.trials_ != learned.trials_


def test_fixed_points_alone_hold_nothing_out(corpus):
    model = LearnedDependencyLDA(n_topics=(3, 6), held_out=0, **SHORT).fit(*corpus)
    (priors,) = model.topic_priors_
    assert model.trials_ == []
    assert {name: model.settings_[name] for name in priors._fields} == priors._asdict()


def test_settings_lie_where_the_corpus_puts_them(corpus):
    """Five words a label, a tenth of the tokens strewn over sixty: far fewer pseudocounts than one a word.

    Labels of the two topics never meet, so two topics have a small gamma: documents are all of one.
    """
    model = LearnedDependencyLDA(n_topics=(2,), held_out=0, **SHORT).fit(*corpus)
    assert 0.01 < model.settings_["beta_w"] < 0.5
    assert model.settings_["gamma"] < 0.1  # 1 spreads a document of two labels over both topics in most cases
    assert model.settings_["eta"] > model.settings_["alpha_sum"]


def test_precision_leaves_out_what_has_no_positive():
    truth = sparse.csr_matrix([[True, False, False], [False, False, False], [True, True, False]])
    scores = np.array([[0.2, 0.5, 0.1], [0.9, 0.1, 0.1], [0.6, 0.3, 0.1]])
    by_document, by_label = _precisions(truth, scores)
    assert by_document == pytest.approx((1 / 2 + 1) / 2)
    assert by_label == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)
