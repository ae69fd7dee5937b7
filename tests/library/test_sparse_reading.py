"""Estimators over thousands of labels from sparse counts: a state read as the formulas say, and the same draws."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from polytopic.kernels import sparse_prediction, sparse_reading
from polytopic.models import DependencyLDA, FlatLDA, PriorLDA, reading, sparse_tables, unseen
from polytopic.models.chains import Run
from polytopic.models.estimators import ESTIMATORS, RAO_BLACKWELL, distribution, expected_score
from reference import slow_estimators

BRIEF = {"n_chains": 2, "n_sweeps": 5, "n_test_chains": 2, "burn_in": 5, "n_samples": 3, "lag": 2}
MODELS = [
    FlatLDA(random_state=1, **BRIEF),
    PriorLDA(eta=3.0, alpha_sum=1.0, random_state=1, **BRIEF),
    DependencyLDA(n_topics=3, eta=3.0, n_topic_chains=2, n_topic_sweeps=5, random_state=1, **BRIEF),
]


def corpus(seed=0, n_documents=40, n_words=15, n_labels=8):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n_documents, n_words))
    X[:, 0] += 1
    Y = rng.random((n_documents, n_labels)) < 0.3
    Y[np.arange(n_documents), rng.integers(0, n_labels, n_documents)] = True
    return sparse.csr_matrix(X), sparse.csr_matrix(Y)


def final_state(model, X, monkeypatch):
    """Return what one chain and one sample say of the document X, with its tokens, labels and theta' at the end."""
    kept = {}
    original = sparse_prediction.predict

    def noting(documents, n_entries, first, model, schedule, chains, work, theta, *given):
        done = original(documents, n_entries, first, model, schedule, chains, work, theta, *given)
        kept["words"], kept["z"] = documents.words, work.z[: documents.words.size].copy()
        kept["theta"] = theta[0].copy()
        return done

    monkeypatch.setattr(sparse_prediction, "predict", noting)
    schedule = unseen.Schedule(4, 1, 1, 1)
    (found,) = reading.sums(X, model.unseen_model(), schedule, 3, list(reading.KINDS), Run())
    return found, kept


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_one_state_is_read_as_the_formulas_say(model, monkeypatch):
    X, Y = corpus()
    model.fit(X, Y)
    inner = model.unseen_model()
    phi = inner.label_words()
    (_, prior, tables), state = final_state(model, X[:1].astype(np.int32), monkeypatch)
    theta = state["theta"] if isinstance(model, DependencyLDA) else np.ones(1)
    alpha = inner.eta * theta @ inner.topic_labels()[0] + inner.alpha
    np.testing.assert_allclose(prior[0], alpha, rtol=1e-5)
    expected = slow_estimators.one_sample(state["words"], state["z"], phi, alpha)
    close = {"rtol": 1e-4, "atol": 1e-7}  # float32 tables
    for name, recipe in ESTIMATORS.items():
        found = distribution(tables[recipe.summed], prior, recipe.adds_prior)[0]
        np.testing.assert_allclose(found, expected[name], **close, err_msg=name)
    of_tokens = expected["cgs_rb_z"]
    score = expected_score(tables["left_out"], prior)[0]
    np.testing.assert_allclose(score, (of_tokens + alpha / alpha.sum()) / 2, **close)
    assert np.abs(score - of_tokens).max() > 0.01
    for name in ("cgs", "cgs_p", "cgs_rb"):
        others = [expected[other] for other in ESTIMATORS if other != name]
        assert not any(np.allclose(other, expected[name], **close) for other in others)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_draws_are_those_of_plain_prediction(model):
    X, Y = corpus()
    model.fit(X, Y)
    inner, schedule = model.unseen_model(), unseen.Schedule(5, 3, 2, 2)
    own = unseen.Sparse(inner, schedule)
    ptr, words = unseen.tokens(X.astype(np.int32))
    for group in own.groups:
        labels, _, theta = own.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), tuple(group), 7)
        read = reading.read(own, ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), tuple(group), 7)
        np.testing.assert_array_equal(read[0], labels)
        np.testing.assert_array_equal(read[1], theta)


def test_what_comes_through_topics_is_the_dense_sum():
    """Of four documents, one without words, to rounding; with the sums of the other kind, half off and more."""
    rng = np.random.default_rng(5)
    n_words, n_labels, n_topics, word_ptr = 9, 7, 4, np.array([0, 3, 3, 8, 10])
    by_word, by_label = (
        sparse.random(*shape, 0.5, format="csr", random_state=rng)
        for shape in ((n_words, n_labels), (n_labels, n_topics))
    )
    of_labels, of_topics = rng.random(n_labels), rng.random(n_topics)
    words, share = rng.integers(0, n_words, word_ptr[-1]), rng.random((word_ptr[-1], 2, n_topics))
    share[:, 1] *= 3
    readings = sparse_tables.readings(word_ptr, 5, n_labels, n_topics)
    readings.words[:], readings.topic_share[:] = words, share
    through = sparse_reading.Through(reading._rows(by_word, of_labels), reading._rows(by_label, of_topics))
    phi, topics = by_word.toarray() + of_labels, by_label.toarray() + of_topics
    expected = [
        np.einsum("uit,uc,ct->ic", share[a:b], phi[words[a:b]], topics)
        for a, b in itertools.pairwise(word_ptr)
    ]
    for which in (0, 1):
        table = np.ones((4, n_labels))
        sparse_reading.add_through_topics(readings, which, through, 1.5, np.zeros(n_topics), table)
        np.testing.assert_allclose(table, 1 + 1.5 * np.array(expected)[:, which], rtol=1e-12)
    assert np.abs(expected[0][1] / expected[0][0] - 1).min() > 0.5


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_sum_adds_up_to_the_tokens(model):
    X, Y = corpus()
    model.fit(X, Y)
    for rows, _, tables in reading.sums(
        X, model.unseen_model(), unseen.Schedule(5, 3, 2, 2), 7, list(reading.KINDS), Run()
    ):
        for table in tables.values():
            np.testing.assert_allclose(table.sum(axis=1), X[rows].sum(axis=1).A1, rtol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_are_distributions_for_every_estimator(model):
    X, Y = corpus()
    model.fit(X, Y)
    X = sparse.vstack([X, sparse.csr_matrix((1, X.shape[1]), dtype=X.dtype)]).tocsr()
    seen = {name: model.decision_function(X, estimator=name) for name in (RAO_BLACKWELL, *ESTIMATORS)}
    only_prior = model.decision_function(X)[-1]
    np.testing.assert_allclose(seen[RAO_BLACKWELL][-1], only_prior, rtol=1e-5)
    for scores in seen.values():
        assert np.isfinite(scores).all() and (scores > -1e-9).all()
        np.testing.assert_allclose(scores.sum(axis=1), 1)
    np.testing.assert_array_equal(seen["cgs_p"][:5], model.decision_function(X[:5], estimator="cgs_p"))
    with pytest.raises(ValueError, match="estimator must be one of"):
        model.decision_function(X, estimator="cvb0")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_rao_blackwell_has_the_expectation_of_the_scores_and_a_smaller_variance(model):
    """Of 400 runs: means differ by chance alone, by 2.1 standard errors at most, those of cgs_rb_z by 12 and more.

    The variance is .43 of that of samples at most.
    """
    X, Y = corpus()
    one = clone(model).set_params(n_test_chains=1, n_samples=1, burn_in=15, streams="row").fit(X, Y)
    same = sparse.vstack([X[0]] * 400).tocsr()
    names = None, RAO_BLACKWELL, "cgs_rb_z"
    drawn, expected, other = (one.decision_function(same, estimator=name) for name in names)
    error = np.sqrt((drawn - expected).var(axis=0) / 400)
    assert np.abs((drawn - expected).mean(axis=0) / error).max() < 4
    assert np.abs((drawn - other).mean(axis=0) / error).max() > 8
    assert expected.var(axis=0).sum() < drawn.var(axis=0).sum() / 2


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_interrupted_estimates_go_on_and_end_with_the_same_bits(model, tmp_path, monkeypatch):
    X, Y = corpus()
    X = sparse.vstack([X] * 5).tocsr() * 20
    model = clone(model).set_params(memory=str(tmp_path)).fit(X[:40], Y)
    whole = clone(model).set_params(memory=None).fit(X[:40], Y).decision_function(X, estimator="cgs_p")
    original, begun = reading.read, []

    def until_the_third(own, ptr, words, names, group, seed):
        begun.append(tuple(names))
        if len(set(begun)) == 3 and interrupted:
            raise KeyboardInterrupt
        return original(own, ptr, words, names, group, seed)

    monkeypatch.setattr(reading, "read", until_the_third)
    interrupted = True
    with pytest.raises(KeyboardInterrupt):
        model.decision_function(X, estimator="cgs_p")
    finished, interrupted = list(dict.fromkeys(begun))[:2], False
    begun.clear()
    np.testing.assert_array_equal(model.decision_function(X, estimator="cgs_p"), whole)
    assert len(set(begun)) >= 2 and not set(begun) & set(finished)
    begun.clear()
    np.testing.assert_array_equal(model.decision_function(X, estimator="cgs_p"), whole)
    assert not begun
    model.decision_function(X, estimator="cgs_rb")
    assert begun  # what is kept is one estimator's


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_estimates_do_not_depend_on_n_jobs_nor_on_the_size_of_tables(model, monkeypatch):
    X, Y = corpus()
    model.fit(X, Y)
    alone = model.decision_function(X, estimator="cgs_p")
    several = clone(model).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(several.decision_function(X, estimator="cgs_p"), alone)
    monkeypatch.setattr(unseen, "BLOCK_CELLS", 3 * Y.shape[1])  # blocks of three documents
    np.testing.assert_array_equal(model.decision_function(X, estimator="cgs_p"), alone)
