"""Several models combined, or one calibrated, on scores from outside of training."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold

from polytopic import metrics
from polytopic.models import BinaryRelevanceSVM, DependencyLDA, HybridClassifier, hybrid
from polytopic.models.labelled_lda import trains_alike

LABELS = 30


class Rounded(BaseEstimator):
    """A parent whose scores another machine would round otherwise: by a billionth of each."""

    def __init__(self, parent, noise=0.0):
        self.parent = parent
        self.noise = noise

    def fit(self, X, Y):
        self.fitted_ = clone(self.parent).fit(X, Y)
        return self

    def decision_function(self, X):
        scores = self.fitted_.decision_function(X)
        return scores * (1 + self.noise * np.random.default_rng(scores.size).normal(size=scores.shape))


class Told(BaseEstimator):
    """A parent that is told how likely a label is, in X's first C columns, and distorts it.

    Labels that it is blind to get noise, and scores of labels that it is shy about hardly differ. ``cheats`` gives it
    the labels of every document that it was trained on.
    """

    def __init__(self, blind=(), shy=(), shares=False, cheats=False):
        self.blind = blind
        self.shy = shy
        self.shares = shares
        self.cheats = cheats

    def fit(self, X, Y):
        self.seen_ = {tuple(row): labels for row, labels in zip(X.toarray(), Y.toarray(), strict=True)}
        return self

    def decision_function(self, X):
        rows = X.toarray()
        scores = 3 * (rows[:, :LABELS] / 10 - 5)
        scores[:, list(self.blind)] = rows[:, LABELS:][:, list(self.blind)] / 10
        scores[:, list(self.shy)] = scores[:, list(self.shy)] / 100 - 9
        if self.cheats:
            known = [self.seen_.get(tuple(row)) for row in rows]
            scores = np.array(
                [own if mine is None else mine * 9.0 for own, mine in zip(scores, known, strict=True)]
            )
        if self.shares:
            scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return scores


class Boaster(Told):
    """One whose margins, three times the log odds below 0, are fifteen times above."""

    def decision_function(self, X):
        margins = super().decision_function(X)
        return margins + 4 * np.maximum(margins, 0)


def problem(n_documents=600, seed=0):
    """Return X and Y: counts that stand for log odds around -2.5 and for noise, and labels drawn by these odds."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-2.5, 2, (n_documents, LABELS))
    told = np.clip(np.rint(10 * (odds + 5)), 0, None).astype(int)
    noise = rng.integers(0, 60, (n_documents, LABELS))
    return np.hstack([told, noise]), rng.random(odds.shape) < 1 / (1 + np.exp(-(told / 10 - 5)))


def as_sparse(X, Y):
    return sparse.csr_matrix(X), sparse.csr_matrix(Y)


def precision(Y, scores):
    return metrics.ranking(Y, scores, "label")["average_precision"]


def reliability(truth, said, n_bins=10):
    """Return the distance of what is said from what holds, of each bin of probabilities, least first."""
    bins = np.digitize(said, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.array([abs(said[bins == b].mean() - truth[bins == b].mean()) for b in range(n_bins)])


def test_a_parent_is_calibrated():
    """Among pairs said to be likely with probability p, a share of p is: within .03, where the margins are off by .1.

    The parent's margins are three times the log odds.
    """
    X, Y = problem(2000)
    model = HybridClassifier([("told", Told())], random_state=0).fit(X[:1000], Y[:1000])
    truth, sure = Y[1000:], model.predict_proba(X[1000:])
    raw = 1 / (1 + np.exp(-Told().fit(*as_sparse(X, Y)).decision_function(as_sparse(X, Y)[0])[1000:]))
    assert reliability(truth, sure).max() < 0.05
    assert reliability(truth, raw).max() > 0.1


def test_probabilities_hold_where_no_line_fits_the_scores():
    """Above even odds the parent's margins grow five times faster; on stackex-chess pairs said .75 held in .61.

    Of bins from .5 on the line's worst is off by .123, that of two slopes by .052.
    """
    X, Y = problem(4000)
    model = HybridClassifier([("boaster", Boaster())], random_state=0).fit(X[:2000], Y[:2000])
    odds, sure, truth = model.decision_function(X[2000:]), model.predict_proba(X[2000:]), Y[2000:]
    assert reliability(truth, expit(odds))[5:].max() > 0.1
    assert reliability(truth, sure)[5:].max() < 0.06
    order = np.argsort(odds, axis=None)
    assert (np.diff(sure.ravel()[order])[np.diff(odds.ravel()[order]) > 1e-9] > 0).all()
    assert np.array_equal(sure >= 0.5, model.predict(X[2000:]))


def test_parents_that_know_different_labels_help_each_other():
    X, Y = problem(1200)
    frequent = np.argsort(Y.sum(axis=0))[::-1][: LABELS // 2]
    rare = np.setdiff1d(np.arange(LABELS), frequent)
    Y[:, rare] &= np.random.default_rng(1).random((1200, rare.size)) < 0.2
    one, other = Told(blind=tuple(frequent)), Told(blind=tuple(rare), shares=True)
    train, test = slice(600), slice(600, None)
    model = HybridClassifier([("one", one), ("other", other)], random_state=0).fit(X[train], Y[train])
    both = precision(Y[test], model.decision_function(X[test]))
    alone = [
        precision(Y[test], parent.decision_function(as_sparse(X, Y)[0][test])) for parent in model.parents_
    ]
    assert both > max(alone) + 0.05


def test_margins_of_rare_labels_count_though_they_hardly_differ(monkeypatch):
    """Half of the rare labels' positives are hidden, so that their frequency tells them; the other parent is noise.

    Average precision on them by the regression: .325 by the parent alone, .323 by both, and .282 without standard
    scores.
    """
    monkeypatch.setattr(hybrid, "chosen_weights", lambda folds: (np.eye(len(folds[0][1]))[-1], np.nan))
    X, Y = problem(1200)
    rare = np.argsort(Y.sum(axis=0))[: LABELS // 2]
    Y[:, rare] &= np.random.default_rng(1).random((1200, rare.size)) < 0.5
    one, other = Told(shy=tuple(rare)), Told(blind=tuple(range(LABELS)))
    model = HybridClassifier([("one", one), ("other", other)], random_state=0)
    found = []
    for same in (hybrid.SAME, np.inf):
        monkeypatch.setattr(hybrid, "SAME", same)
        model.fit(X[:600], Y[:600])
        found.append(precision(Y[600:, rare], model.decision_function(X[600:])[:, rare]))
    alone = precision(Y[600:, rare], model.parents_[0].decision_function(as_sparse(X, Y)[0][600:])[:, rare])
    assert found[0] > alone - 0.02
    assert found[1] < alone - 0.03


def test_labels_too_rare_for_the_regression_count_as_its_rarest(monkeypatch):
    """A label with one training document was put last, by what a quadratic says where it has seen nothing."""
    X, Y = problem()
    Y[:, 0] &= np.cumsum(Y[:, 0]) == 1
    Y[:, 1] &= np.cumsum(Y[:, 1]) <= 4

    def moved():
        model = HybridClassifier([("told", Told())], random_state=0).fit(*as_sparse(X, Y))
        scores = [Told().fit(*as_sparse(X, Y)).decision_function(sparse.csr_matrix(X))]
        before = model.combine(scores)
        model.label_counts_ = model.label_counts_ + [3, *[0] * (LABELS - 1)]
        return np.abs(model.combine(scores) - before)[:, 0].max()

    assert moved() == 0  # that label's share is below the rarest one's, with one document or with four
    monkeypatch.setattr(hybrid, "LEAST_POSITIVES", 1)
    assert moved() > 0.01


def test_where_the_regression_ranks_worse_a_parent_counts_alone(monkeypatch):
    """With a regression that knows nothing the sum ranks as the parents do; by the regression alone, as chance."""
    X, Y = problem(900)
    model = HybridClassifier([("told", Told()), ("noise", Told(blind=tuple(range(LABELS))))], random_state=0)
    monkeypatch.setattr(hybrid, "_by_frequency", lambda features: np.zeros_like(features))
    model.fit(X[:600], Y[:600])
    alone = precision(Y[600:], model.parents_[0].decision_function(as_sparse(X, Y)[0][600:]))
    assert precision(Y[600:], model.decision_function(X[600:])) == pytest.approx(alone, abs=0.01)
    assert model.slope_ > 0 and model.weights_[0] > 0
    likely = model.predict_proba(X[600:])
    assert likely.mean() == pytest.approx(Y[600:].mean(), abs=0.02)
    monkeypatch.setattr(hybrid, "chosen_weights", lambda folds: (np.eye(len(folds[0][1]))[-1], np.nan))
    assert precision(Y[600:], model.fit(X[:600], Y[:600]).decision_function(X[600:])) < alone - 0.2


def test_a_parent_that_knows_its_training_documents_by_heart_is_not_believed():
    """On the documents it was trained on the cheat is perfect; combined there, it would be all that counts."""
    X, Y = problem(600)
    cheat, honest = Told(blind=tuple(range(LABELS)), cheats=True), Told()
    model = HybridClassifier([("cheat", cheat), ("honest", honest)], random_state=0).fit(X[:400], Y[:400])
    alone = HybridClassifier([("honest", honest)], random_state=0).fit(X[:400], Y[:400])
    both, one = (precision(Y[400:], m.decision_function(X[400:])) for m in (model, alone))
    assert both > one - 0.02
    assert (
        one
        > precision(
            Y[400:], cheat.fit(*as_sparse(X[:400], Y[:400])).decision_function(as_sparse(X, Y)[0][400:])
        )
        + 0.2
    )


def test_a_sample_of_the_pairs_biases_nothing(monkeypatch):
    X, Y = problem(900)
    model = HybridClassifier([("told", Told())], random_state=0)
    whole = clone(model).fit(X[:600], Y[:600]).predict_proba(X[600:])
    monkeypatch.setattr(hybrid, "MOST_CELLS", 5000)
    sample = clone(model).fit(X[:600], Y[:600]).predict_proba(X[600:])
    assert sample.mean() == pytest.approx(
        whole.mean(), rel=0.05
    )  # without weights the mean would rise by half


def test_bad_input_is_refused():
    X, Y = problem(30)
    with pytest.raises(ValueError, match="too few"):
        HybridClassifier([("told", Told())], n_folds=3).fit(X[:2], Y[:2])
    with pytest.raises(ValueError, match="no label has documents in two folds"):
        HybridClassifier([("told", Told())]).fit(X, np.zeros_like(Y))


@pytest.fixture(scope="module")
def acts():
    """Return (X, Y, X_test, Y_test) with 12 labels, each with three words of its own, of falling frequency."""
    random = np.random.default_rng(8)
    share = 0.5 / (1 + np.arange(12)) + 0.04
    Y = random.random((400, 12)) < share
    Y[np.arange(400), random.integers(0, 12, 400)] = True
    X = random.poisson(0.25 + 0.9 * np.repeat(Y, 3, axis=1))
    return X[:250], Y[:250], X[250:], Y[250:]


def test_parents_by_default_are_no_better_than_it(acts):
    X, Y, X_test, Y_test = acts
    model = HybridClassifier(random_state=0).fit(X, Y)
    assert model.shares_ == [False, False, True, True]
    assert [type(parent) for parent in model.parents_] == 2 * [BinaryRelevanceSVM] + 2 * [DependencyLDA]
    for pivot in metrics.PIVOTS:
        own, *others = (
            metrics.ranking(Y_test, one.decision_function(X_test), pivot)["average_precision"]
            for one in (model, *model.parents_)
        )
        assert own > max(others) - 0.003
        assert max(others) > min(others) + 0.01
    likely = model.predict_proba(X_test)
    assert np.array_equal(model.predict(X_test), likely >= 0.5)
    assert abs(likely.mean() - Y_test.mean()) < 0.03


def test_topic_models_that_differ_in_prediction_alone_share_their_training(acts):
    X, Y, X_test, _ = acts
    model = HybridClassifier(random_state=0).fit(X, Y)
    one, other = model.parents_[2:]
    assert one.label_word_counts_ is other.label_word_counts_ and (one.word_power, other.word_power) == (
        0.7,
        1.0,
    )
    alone = clone(other).fit(X, Y)
    assert np.array_equal(alone.decision_function(X_test), other.decision_function(X_test))
    topics = DependencyLDA(3, random_state=1)
    assert trains_alike(topics, clone(topics).set_params(word_power=0.5, inference="mean_field"))
    assert not trains_alike(topics, clone(topics).set_params(n_sweeps=7))
    assert not trains_alike(
        clone(topics).set_params(random_state=None), clone(topics).set_params(random_state=None)
    )


def test_standards_are_those_of_documents_without_the_label():
    """The first label: -8.5 without it; -1.1 of the documents that have it, and -7.2 of all."""
    X, Y = problem(200)
    model = HybridClassifier([("told", Told())], random_state=0).fit(X, Y)
    scores = np.where(Y, np.nan, model.parents_[0].decision_function(as_sparse(X, Y)[0]))
    expected = np.nanmean(scores, axis=0), np.nanstd(scores, axis=0)
    np.testing.assert_allclose(model.standards_[0], expected, rtol=1e-12)


def test_few_documents_of_each_fold_will_do(acts, monkeypatch):
    X, Y, X_test, _ = acts
    whole = HybridClassifier(random_state=0).fit(X, Y).decision_function(X_test)
    monkeypatch.setattr(hybrid, "SCORED_CELLS", 12 * 7)
    few = HybridClassifier(random_state=0).fit(X, Y)  # learned from seven documents of each fold
    found = metrics.ranking(acts[3], few.decision_function(X_test))["average_precision"]
    assert found > metrics.ranking(acts[3], whole)["average_precision"] - 0.15


def test_copies_share_a_fold():
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (40, 30))
    X[20:] = X[:20]
    X[[3, 23], 5:] = 0  # too short to tell
    distinct, table = np.arange(20), sparse.csr_matrix(X)
    for rest, own in hybrid._folds(table, 3, 0):
        assert np.array_equal(np.sort(np.append(rest, own)), np.arange(40))
        apart = np.delete(distinct, 3)
        assert np.array_equal(np.isin(apart, own), np.isin(apart + 20, own))
    plain = KFold(3, shuffle=True, random_state=7)
    for ours, theirs in zip(hybrid._folds(table[:20], 3, 7), plain.split(distinct), strict=True):
        assert all(map(np.array_equal, ours, theirs))
    with pytest.raises(ValueError, match="documents that differ are too few"):
        list(hybrid._folds(sparse.csr_matrix(np.ones((9, 12), int)), 3, 0))


def test_odd_documents_and_labels_by_default(acts):
    X, Y, X_test, _ = (table.copy() for table in acts)
    X[0], Y[1], Y[:, 3] = 0, False, False
    model = HybridClassifier(random_state=0).fit(X, Y)
    X_test[0] = 0
    likely = model.predict_proba(X_test)
    assert np.isfinite(likely).all() and (likely[:, 3] < 1e-300).all()
    assert model.predict_proba(X_test[:0]).shape == (0, 12)
    with pytest.raises(ValueError, match="no training document has both words and a label"):
        HybridClassifier(random_state=0).fit(np.zeros_like(X), Y)


def test_rounding_of_scores_moves_nothing():
    """By 2e-8 at most here; by 1.5e-5 with a regression that stops at a tolerance of 1e-4, as by default."""
    X, Y = as_sparse(*problem(600))
    parents = Told(blind=range(0, LABELS, 2)), Told(blind=range(1, LABELS, 2), shares=True)
    found = []
    for noise in (0.0, 1e-9):
        named = [(f"parent {k}", Rounded(parent, noise)) for k, parent in enumerate(parents)]
        found.append(HybridClassifier(named, random_state=0).fit(X[:400], Y[:400]).decision_function(X[400:]))
    assert np.abs(found[1] - found[0]).max() < 1e-6
