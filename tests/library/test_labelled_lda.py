"""The estimators of Rubin et al. (2012): special cases, repeatability, behaviour on odd input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from polytopic import source
from polytopic.models import DependencyLDA, FlatLDA, PriorLDA, chains, proper
from polytopic.models import unseen as samplers
from polytopic.streams import document_names
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

MODELS = [
    FlatLDA(alpha_sum=5.0, **SHORT),
    PriorLDA(eta=4.0, alpha_sum=1.0, **SHORT),
    DependencyLDA(
        n_topics=3, eta=4.0, alpha_sum=1.0, gamma_sum=1.0, n_topic_chains=4, n_topic_sweeps=20, **SHORT
    ),
]
MODELS += [clone(one).set_params(inference="mean_field") for one in (MODELS[0], MODELS[2])]
MODELS.append(clone(MODELS[2]).set_params(inference="proper", n_label_tokens=40))


@pytest.fixture(scope="module")
def data():
    X, Y = corpus()
    return X[:40], Y[:40], X[40:], Y[40:]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
class TestEveryModel:
    def test_scores_are_distributions_that_find_the_labels(self, model, data):
        X, Y, unseen, truth = data
        scores = clone(model).fit(X, Y).decision_function(unseen)
        assert scores.shape == truth.shape
        np.testing.assert_allclose(scores.sum(axis=1), 1)
        assert (scores > 0).all()
        best = truth.toarray()[np.arange(len(scores)), scores.argmax(axis=1)]
        assert best.mean() >= 0.85  # 1.0 when right; 0.65 for always the most frequent label

    def test_same_bits_for_any_number_of_jobs_and_backend(self, model, data):
        from joblib import parallel_config

        X, Y, unseen, _ = data
        model = clone(model).set_params(n_chains=20)  # two groups of chains side by side
        serial = clone(model).fit(X, Y).decision_function(unseen)
        threads = clone(model).set_params(n_jobs=2).fit(X, Y).decision_function(unseen)
        with parallel_config("loky"):
            processes = clone(model).set_params(n_jobs=2).fit(X, Y).decision_function(unseen)
        np.testing.assert_array_equal(serial, threads)
        np.testing.assert_array_equal(serial, processes)
        other = clone(model).set_params(random_state=6).fit(X, Y).decision_function(unseen)
        assert not np.array_equal(serial, other)

    def test_an_interrupted_run_ends_with_the_same_bits(self, model, data, tmp_path, monkeypatch):
        """Killed after two of three groups of training chains: those are found again, not sampled again."""
        from polytopic.models import chains

        X, Y, unseen, _ = data
        model = clone(model).set_params(n_chains=40)
        whole = clone(model).fit(X, Y).decision_function(unseen)
        kept = clone(model).set_params(memory=str(tmp_path))
        started, sampler = [], chains.labelled.start

        def killed(*arguments):
            if len(started) == 2:
                raise KeyboardInterrupt
            started.append(1)
            return sampler(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(chains.labelled, "start", killed)
            with pytest.raises(KeyboardInterrupt):
                clone(kept).fit(X, Y)
        assert len(started) == 2
        counted = []
        monkeypatch.setattr(chains.labelled, "start", lambda *a: (counted.append(1), sampler(*a))[1])
        resumed = clone(kept).fit(X, Y).decision_function(unseen)
        np.testing.assert_array_equal(whole, resumed)
        assert len(counted) == 1  # three groups in all, two of them finished before

    def test_label_without_training_document_is_never_predicted(self, model, data):
        X, Y, unseen, _ = data
        wider = sparse.hstack([Y[:, :2], sparse.csr_matrix((40, 1), dtype=bool), Y[:, 2:]]).tocsr()
        scores = clone(model).fit(X, wider).decision_function(unseen)
        assert (scores[:, 2] == 0).all()
        narrow = clone(model).fit(X, Y).decision_function(unseen)
        np.testing.assert_array_equal(np.delete(scores, 2, axis=1), narrow)

    def test_documents_without_words_or_labels_teach_nothing(self, model, data):
        X, Y, unseen, _ = data
        expected = clone(model).fit(X, Y).decision_function(unseen)
        longer_x = sparse.vstack([X, sparse.csr_matrix((1, 30), dtype=int), X[:1]]).tocsr()
        longer_y = sparse.vstack([Y, Y[:1], sparse.csr_matrix((1, 6), dtype=bool)]).tocsr()
        np.testing.assert_array_equal(
            clone(model).fit(longer_x, longer_y).decision_function(unseen), expected
        )

    def test_document_without_known_words_gets_the_prior(self, model, data):
        X, Y, unseen, _ = data
        X = X.tolil()
        X[:, 29] = 0
        fitted = clone(model).fit(X.tocsr(), Y)
        only_unknown = sparse.csr_matrix(([3], ([1], [29])), shape=(2, 30))
        scores = fitted.decision_function(only_unknown)
        assert np.isfinite(scores).all()
        np.testing.assert_allclose(scores.sum(axis=1), 1)
        np.testing.assert_array_equal(scores[0], scores[1])


def test_flat_lda_is_prior_lda_without_eta(data):
    X, Y, unseen, _ = data
    flat = FlatLDA(alpha_sum=5.0, **SHORT).fit(X, Y).decision_function(unseen)
    prior = PriorLDA(eta=0, alpha_sum=5.0, **SHORT).fit(X, Y).decision_function(unseen)
    np.testing.assert_array_equal(flat, prior)


def test_prior_lda_is_dependency_lda_with_one_topic(data):
    X, Y, unseen, _ = data
    shared = {"eta": 4.0, "alpha_sum": 1.0, "beta_c": 0.5, **SHORT}
    prior = PriorLDA(**shared).fit(X, Y).decision_function(unseen)
    one_topic = DependencyLDA(n_topics=1, n_topic_chains=1, **shared).fit(X, Y).decision_function(unseen)
    np.testing.assert_allclose(prior, one_topic, rtol=1e-12)


def test_phi_pools_counts_before_smoothing(data):
    X, Y, _, _ = data
    model = FlatLDA(beta_w=0.5, **SHORT).fit(X, Y)
    counts = model.label_word_counts_.toarray()
    assert counts.sum() == 3 * X.sum()
    expected = (counts + 3 * 0.5) / (counts.sum(axis=1, keepdims=True) + 3 * 0.5 * 30)
    np.testing.assert_allclose(model.label_word_distributions(), expected)


def test_shared_words_are_those_of_whole_documents(data):
    """With all shared, a label's counts are its documents' words, once for each chain; between, both are mixed."""
    X, Y, _, _ = data
    whole = (Y.T.astype(float) @ X).toarray()  # no document here lacks words or labels
    own, all_shared, some = (
        FlatLDA(n_chains=3, n_sweeps=4, word_sharing=share, random_state=0).fit(X, Y) for share in (0, 1, 0.3)
    )
    kept = all_shared.label_word_counts_.toarray()
    np.testing.assert_allclose(kept, 3 * whole[all_shared.seen_labels_], rtol=1e-12)
    assert (own.label_word_counts_.toarray() < kept).any()
    mixed = 0.7 * own.label_word_counts_.toarray() + 0.3 * kept
    np.testing.assert_allclose(some.label_word_counts_.toarray(), mixed, rtol=1e-12)
    for inference in ("fast", "mean_field"):
        scores = some.set_params(inference=inference).decision_function(X)
        np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-9)
    with pytest.raises(ValueError, match="nothing to learn from"):
        FlatLDA().fit(X, 0 * Y)


def test_proper_inference_has_no_other_estimator(data):
    X, Y, unseen, _ = data
    with pytest.raises(ValueError, match="'cgs_p' is for inference='fast'"):
        clone(MODELS[-1]).fit(X, Y).decision_function(unseen, estimator="cgs_p")


def test_proper_scores_are_those_of_b2(data):
    """Half the shares of the words, half alpha' by Eq. 1; nothing is drawn for a document without words."""
    X, Y, unseen, _ = data
    model = clone(MODELS[-1]).fit(X, Y)
    unseen = sparse.vstack([unseen, sparse.csr_matrix((1, 30), dtype=int)]).tocsr()
    X = model.check_unseen(unseen)
    sampler = proper.ProperSampler(model.unseen_model(), model._schedule(), 40)
    parts = samplers.predict(X, sampler, 5, chains.Run(), document_names(X))
    scores = model.decision_function(unseen)
    for rows, words, tokens, _ in parts:
        for d in range(words.shape[0] - (rows.stop == 21)):
            alpha = 4 * tokens[d].toarray()[0] / tokens[d].sum() + 1 / 6
            expected = (words[d].toarray()[0] / words[d].sum() + alpha / 5) / 2
            np.testing.assert_allclose(scores[rows.start + d], expected)
    used = np.bincount(np.arange(18) % 4) / 18
    topics = sum(
        share * phi.mean(axis=0) for share, phi in zip(used, model.topic_label_distributions(), strict=True)
    )
    np.testing.assert_allclose(scores[20], (4 * topics + 1 / 6) / 5)


def test_finished_chains_of_other_code_are_not_found(tmp_path, monkeypatch):
    """The key had the version alone: a warm and a cold machine disagreed once the sampler had changed."""
    X, Y = corpus()[:2]
    model = FlatLDA(n_chains=2, n_sweeps=3, random_state=0, memory=str(tmp_path))
    started, start = [], chains.labelled.start
    monkeypatch.setattr(chains.labelled, "start", lambda *a: (started.append(1), start(*a))[1])
    clone(model).fit(X, Y)
    clone(model).fit(X, Y)
    assert len(started) == 1
    monkeypatch.setattr(source, "digest", lambda function: "other code")
    clone(model).fit(X, Y)
    assert len(started) == 2
