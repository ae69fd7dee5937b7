"""The parametric mixture models of Ueda & Saito (2002), against their equations written out."""

import numpy as np
import pytest
from sklearn.base import clone

from polytopic.models import PMM
from reference import mixtures
from reference.corpora import mixed as corpus


def even_start(X, Y, xi):
    counts = np.einsum("dw,dl->lw", X, mixtures.mixing(Y)) + xi - 1
    return counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("xi", [2.0, 1.1])
def test_steps_of_the_first_order_are_the_paper_s(xi):
    X, Y = corpus()
    theta = even_start(X, Y, xi)
    for steps in range(1, 4):
        model = PMM(xi=xi, tol=0, max_iter=steps).fit(X, Y)
        assert model.objectives_[-2] == pytest.approx(mixtures.objective(X, Y, theta, xi), rel=1e-12)
        theta = mixtures.step_first_order(X, Y, theta, xi)
        # a prior of half a count more per word is 4 % off, the first step moves theta by up to 48 %
        np.testing.assert_allclose(model.label_word_distributions(), theta, rtol=1e-10)
        assert model.objectives_[-1] == pytest.approx(mixtures.objective(X, Y, theta, xi), rel=1e-12)


@pytest.mark.parametrize(("xi", "zeta"), [(2.0, 2.0), (1.5, 4.0)])
def test_steps_of_the_second_order_are_the_paper_s(xi, zeta):
    X, Y = corpus()
    theta, alpha = even_start(X, Y, xi), np.full((5, 5), 0.5)
    for steps in range(1, 4):
        theta, alpha = mixtures.step_second_order(X, Y, theta, alpha, xi, zeta)
        model = PMM(2, xi=xi, zeta=zeta, tol=0, max_iter=steps).fit(X, Y)
        np.testing.assert_allclose(model.label_word_distributions(), theta, rtol=1e-10)
        np.testing.assert_allclose(model.pair_shares(), alpha, rtol=1e-10)
        expected = mixtures.objective(X, Y, theta, xi, alpha, zeta)
        assert model.objectives_[-1] == pytest.approx(expected, rel=1e-12)
    assert np.abs(alpha - 0.5).max() > 0.05  # three steps do move alpha


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_falls(order, seed):
    X, Y = corpus(seed=seed)
    rise = np.diff(PMM(order, tol=0, max_iter=60).fit(X, Y).objectives_)
    # rounding of numbers near -3e3; with alpha and its mirror image exchanged J falls by .21
    assert rise.min() > -1e-9
    assert rise[0] > 1e-3


def corpus_with_unmet_words():
    """Twenty short documents of 200 words: three in four pairs of a label and a word never meet."""
    X, Y = corpus(n_documents=20, n_words=200, seed=3, length=8)
    assert ((Y.T @ X) == 0).mean() > 0.7
    return X, Y


@pytest.mark.parametrize("order", [1, 2])
def test_the_objective_has_words_that_a_label_never_met_at_the_same_step(order):
    """Their probability is a parameter of each step, too."""
    X, Y = corpus_with_unmet_words()
    theta, alpha = even_start(X, Y, 2.0), None if order == 1 else np.full((5, 5), 0.5)
    for value in PMM(order, tol=0, max_iter=5).fit(X, Y).objectives_:
        # 2e-16 of its size; with the next step's probability it is off by .11 at the start, by 4e-3 after four steps
        assert value == pytest.approx(mixtures.objective(X, Y, theta, 2.0, alpha, 2.0), rel=1e-12)
        if order == 1:
            theta = mixtures.step_first_order(X, Y, theta, 2.0)
        else:
            theta, alpha = mixtures.step_second_order(X, Y, theta, alpha, 2.0, 2.0)


def test_the_first_order_has_one_optimum():
    X, Y = corpus()
    model = PMM(tol=0, max_iter=3000).fit(X, Y)
    expected = model.label_word_distributions()
    for seed in range(4):
        theta = np.random.default_rng(seed).dirichlet(np.ones(X.shape[1]), Y.shape[1])
        assert not np.allclose(mixtures.step_first_order(X, Y, theta, 2.0), expected, rtol=0.1)
        for _ in range(3000):
            theta = mixtures.step_first_order(X, Y, theta, 2.0)
        assert mixtures.objective(X, Y, theta, 2.0) == pytest.approx(model.objectives_[-1], rel=1e-12)
        np.testing.assert_allclose(theta, expected, rtol=1e-4)


def test_the_optimum_is_the_enumerated_one():
    """Two words and two labels: the objective over a grid of both thetas has its top where EM ends."""
    X = np.array([[9, 1], [2, 6], [5, 5], [7, 3]])
    Y = np.array([[1, 0], [0, 1], [1, 1], [1, 1]])
    model = PMM(tol=0, max_iter=2000).fit(X, Y)
    grid = np.linspace(0.01, 0.99, 197)
    thetas = [np.array([[a, 1 - a], [b, 1 - b]]) for a in grid for b in grid]
    best = thetas[int(np.argmax([mixtures.objective(X, Y, theta, 2.0) for theta in thetas]))]
    np.testing.assert_allclose(model.label_word_distributions(), best, atol=0.005)  # a step of the grid


def test_the_second_order_with_equal_shares_is_the_first():
    """A prior of ten million counts holds every alpha at one half."""
    X, Y = corpus()
    settings = {"tol": 0, "max_iter": 30}
    first, second = PMM(1, **settings).fit(X, Y), PMM(2, zeta=1e7, **settings).fit(X, Y)
    free = PMM(2, **settings).fit(X, Y)
    # 6e-7 here, .66 with alphas free
    np.testing.assert_allclose(second.label_word_distributions(), first.label_word_distributions(), rtol=1e-4)
    assert not np.allclose(free.label_word_distributions(), first.label_word_distributions(), rtol=0.02)
    unseen = corpus(seed=1)[0]
    assert (second.predict(unseen) != first.predict(unseen)).nnz == 0
    np.testing.assert_allclose(second.decision_function(unseen), first.decision_function(unseen), atol=1e-3)


def test_alphas_of_a_pair_add_up_to_one():
    X, Y = corpus()
    alpha = PMM(2).fit(X, Y).pair_shares()
    np.testing.assert_allclose(alpha + alpha.T, 1)
    np.testing.assert_array_equal(np.diag(alpha), 0.5)
    Y[Y[:, 0], 1] = False
    alpha = PMM(2).fit(X, Y).pair_shares()
    assert alpha[0, 1] == alpha[1, 0] == 0.5  # no document has both


def test_the_prevailing_label_of_a_pair_is_found():
    """Documents of both labels take nine words in ten from the first."""
    rng = np.random.default_rng(0)
    theta = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
    Y = np.array([[1, 0], [0, 1], [1, 1]] * 100)
    weights = np.where(Y.sum(axis=1, keepdims=True) == 2, [0.9, 0.1], Y)
    X = np.array([rng.multinomial(50, row) for row in weights @ theta])
    share = PMM(2, tol=1e-9, max_iter=5000).fit(X, Y).pair_shares()[0, 1]
    # phi = (1 + 2 alpha) / 4 of the first label, at most 3/4: the model cannot say nine in ten
    assert share > 0.99
    X = np.array(
        [
            rng.multinomial(50, row)
            for row in np.where(weights == 0.9, 0.6, np.where(weights == 0.1, 0.4, weights)) @ theta
        ]
    )
    share = PMM(2, tol=1e-9, max_iter=5000).fit(X, Y).pair_shares()[0, 1]
    assert share == pytest.approx(0.7, abs=0.05)  # (1 + 2 * .7) / 4 is .6; without the 2 it would be 1


@pytest.fixture(scope="module", params=[1, 2])
def fitted(request):
    X, Y = corpus()
    return PMM(request.param).fit(X, Y)


def parameters(model):
    alpha = model.pair_shares() if model.order == 2 else None
    return model.label_word_distributions(), alpha


UNSEEN = corpus(seed=7, length=12)[0]


def test_likelihoods_are_the_paper_s(fitted):
    Y = corpus(seed=8)[1]
    expected = mixtures.log_likelihood(UNSEEN, Y, *parameters(fitted))
    np.testing.assert_allclose(fitted.log_likelihood(UNSEEN, Y), expected, rtol=1e-12)


def test_distributions_of_sets(fitted):
    sets = mixtures.every_set(5)
    phi = fitted.set_distributions(sets)
    np.testing.assert_allclose(phi.sum(axis=1), 1)
    expected = (UNSEEN[:31] * np.log(phi)).sum(axis=1)
    np.testing.assert_allclose(fitted.log_likelihood(UNSEEN[:31], sets), expected, rtol=1e-12)


def test_the_greedy_search_is_the_paper_s(fitted):
    expected = mixtures.greedy_sets(UNSEEN, *parameters(fitted))
    assert expected.sum(axis=1).max() > 2
    np.testing.assert_array_equal(fitted.predict(UNSEEN).toarray(), expected)


def test_the_exhaustive_search_tries_all_sets(fitted):
    best, _ = mixtures.best_sets(UNSEEN, *parameters(fitted))
    exhaustive = clone(fitted).set_params(search="exhaustive").fit(*corpus())
    np.testing.assert_array_equal(exhaustive.predict(UNSEEN).toarray(), best)


def test_label_scores_compare_the_nearest_sets(fitted):
    expected = mixtures.label_scores(UNSEEN, *parameters(fitted))
    np.testing.assert_allclose(fitted.decision_function(UNSEEN), expected, rtol=1e-8, atol=1e-8)


def test_long_documents_stay_finite():
    """Products of a document's ratios pass 1e308 many times over; their logarithm does not."""
    X, Y = corpus()
    model = PMM(2).fit(X, Y)
    long = UNSEEN * 400
    expected = mixtures.label_scores(long, *parameters(model))
    np.testing.assert_allclose(model.decision_function(long), expected, rtol=1e-7)


def test_many_words_stay_finite():
    """A thousand rare words, each seen once: their ratios only fit a double in parts."""
    rng = np.random.default_rng(0)
    Y = np.eye(3, dtype=int)[rng.integers(0, 3, 30)]
    X = rng.poisson(3.0, (30, 3000)) * (np.arange(3000) % 3 == Y.argmax(axis=1)[:, None])
    model = PMM().fit(X, Y)
    unseen = np.ones((2, 3000), int)
    theta, _ = parameters(model)
    expected = mixtures.label_scores(unseen, theta)
    np.testing.assert_allclose(model.decision_function(unseen), expected, rtol=1e-8)


def test_labels_without_documents_are_never_predicted():
    X, Y = corpus()
    wider = np.insert(Y, 2, False, axis=1)
    model, plain = PMM().fit(X, wider), PMM().fit(X, Y)
    scores = model.decision_function(UNSEEN)
    np.testing.assert_array_equal(np.delete(scores, 2, axis=1), plain.decision_function(UNSEEN))
    assert (scores[:, 2] == np.delete(scores, 2, axis=1).min(axis=1) - 1).all()
    assert model.predict(UNSEEN)[:, [2]].nnz == 0
    assert not model.label_word_distributions()[2].any()


def test_a_document_without_words_gets_the_most_frequent_label():
    X, Y = corpus()
    for model in (PMM(), PMM(2), PMM(search="exhaustive")):
        model.fit(X, Y)
        found = model.predict(np.zeros((2, 25), int)).toarray()
        assert (found.sum(axis=1) == 1).all()
        assert found[:, Y.sum(axis=0).argmax()].all()
        assert (model.decision_function(np.zeros((2, 25), int)) == 0).all()


def test_words_unseen_in_training_keep_the_prior_s_probability():
    X, Y = corpus()
    wider = np.hstack([X, np.zeros((len(X), 5), int)])
    model = PMM().fit(wider, Y)
    theta, totals = model.label_word_distributions(), model.label_word_counts_.sum(axis=1).A1
    np.testing.assert_allclose(theta[model.seen_labels_, -1], 1 / (totals + 30), rtol=1e-12)


def test_documents_without_words_or_labels_are_left_out():
    X, Y = corpus()
    more_X, more_Y = np.vstack([X, X[:2], 0 * X[:2]]), np.vstack([Y, 0 * Y[:2], Y[:2]])
    np.testing.assert_array_equal(
        PMM().fit(more_X, more_Y).label_word_distributions(), PMM().fit(X, Y).label_word_distributions()
    )
    with pytest.raises(ValueError, match="nothing to learn"):
        PMM().fit(X, 0 * Y)


def test_one_label():
    X = np.array([[3, 1], [2, 2]])
    model = PMM().fit(X, np.ones((2, 1)))
    assert model.predict(X).toarray().all()
    np.testing.assert_array_equal(model.decision_function(X), 0)


def test_stops_where_the_objective_has_settled():
    X, Y = corpus()
    model = PMM(tol=1e-5).fit(X, Y)
    rise = np.diff(model.objectives_) / np.abs(model.objectives_[1:])
    assert (rise[:-1] > 1e-5).all() and rise[-1] <= 1e-5
    assert model.n_iter_ == len(rise) < PMM(tol=1e-7).fit(X, Y).n_iter_
    assert PMM(tol=0, max_iter=3).fit(X, Y).n_iter_ == 3


def test_refuses_data():
    X, Y = corpus()
    model = PMM().fit(X, Y)
    with pytest.raises(ValueError, match="row 1 of Y has no label"):
        model.set_distributions([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match="4 labels, but the model was fitted on 5"):
        model.set_distributions([[1, 0, 0, 0]])
    with pytest.raises(ValueError, match="4 labels, but the model was fitted on 5"):
        model.log_likelihood(X, Y[:, 1:])
    X, Y = corpus(n_documents=100, n_words=90, n_labels=17)
    with pytest.raises(ValueError, match="at most 16 labels"):
        PMM(search="exhaustive").fit(X, Y).predict(X)
