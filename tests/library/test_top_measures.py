"""Measures of the first k: against loops over documents, scikit-learn, and figures that napkinXC 0.7.2 gave."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import ndcg_score

from polytopic import metrics


@pytest.fixture(scope="module")
def case():
    """Return (truth, scores, training labels): 200 and 500 documents, 30 labels of falling frequency."""
    random = np.random.default_rng(5)
    share = random.random(30) ** 3 * 0.4
    truth = random.random((200, 30)) < share
    truth[np.arange(200), random.integers(0, 30, 200)] = True
    train = random.random((500, 30)) < share
    return truth, np.round(random.random((200, 30)) + truth * random.random((200, 30)), 6), train


def slowly(truth, scores, k, weight):
    """Return the measures of one k by loops over the documents with a positive."""
    totals = []
    for y, s in zip(truth, scores, strict=True):
        if not y.any():
            continue
        n, first = y.sum(), np.argsort(-s, kind="stable")[:k]
        ideal = sorted((weight[c] for c in np.flatnonzero(y)), reverse=True)[:k]
        discount = [1 / np.log2(2 + place) for place in range(len(y))]
        hits = [y[c] for c in first]
        gain = sum(discount[place] for place, hit in enumerate(hits) if hit)
        reach = sum(discount[: min(n, k)])
        own = [weight[c] * hit for c, hit in zip(first, hits, strict=True)]
        row = [sum(hits) / k, sum(hits) / n, 2 * sum(hits) / (k + n), sum(hits) / min(k, n), gain / reach]
        row += [sum(own), sum(ideal), sum(own) / n, sum(ideal) / n]
        row += [sum(np.multiply(values, discount[: len(values)])) / reach for values in (own, ideal)]
        totals.append(row)
    mean = np.mean(totals, axis=0)
    return [*mean[:5], mean[5] / mean[6], mean[7] / mean[8], mean[9] / mean[10]]


NAMES = ["precision", "recall", "f1", "r_precision", "ndcg", "ps_precision", "ps_recall", "ps_ndcg"]


@pytest.mark.parametrize("pivot", metrics.PIVOTS)
def test_definitions(case, pivot):
    truth, scores, train = case
    truth = truth.copy()
    truth[:3] = truth[:, 4] = False  # items without a positive are left out
    found = metrics.top(sparse.csr_matrix(truth), scores, (1, 4, 25), train, pivot)
    assert list(found) == NAMES
    weight = metrics.inverse_propensities(train)
    for place, k in enumerate((1, 4, 25)):
        if pivot == "document":
            expected = slowly(truth, scores, k, weight)
        else:
            rows = [
                slowly(truth.T[[c]], scores.T[[c]], k, np.ones(200))
                for c in np.flatnonzero(truth.any(axis=0))
            ]
            expected = np.mean(rows, axis=0)[:5]  # of a label all hits weigh the same
        assert np.allclose([found[name][place] for name in NAMES[: len(expected)]], expected, atol=1e-12)


def test_figures_of_a_public_program(case):
    """napkinXC 0.7.2 on this case, k = 1, 3, 5; unweighted sums in place of the best ranking's give .84 at k = 1."""
    truth, scores, train = case
    figures = {
        "precision": [0.935, 0.718333, 0.521],
        "recall": [0.234002, 0.497881, 0.585645],
        "ndcg": [0.935, 0.780375, 0.702213],
        "ps_precision": [0.53881, 0.644742, 0.628723],
        "ps_recall": [0.565839, 0.631326, 0.626442],
        "ps_ndcg": [0.53881, 0.618927, 0.611162],
    }
    found = metrics.top(truth, scores, train_labels=train)
    for name, expected in figures.items():
        assert found[name] == pytest.approx(expected, abs=2e-6)
    weights = metrics.inverse_propensities(train)
    assert weights[:4] == pytest.approx([1.7199578, 1.6800367, 2.1427736, 4.379786], abs=1e-6)


def test_ndcg_is_that_of_scikit_learn(case):
    truth, scores, _ = case
    found = metrics.top(truth, scores, ks=(1, 5, None))
    assert found["ndcg"] == pytest.approx([ndcg_score(truth, scores, k=k) for k in (1, 5, None)], abs=1e-12)
    assert "ps_precision" not in found  # without training labels there are no weights


def test_with_equal_weights_nothing_is_weighed(case):
    truth, scores, _ = case
    ranked = metrics.rank_positives(truth, scores)
    found = metrics.top_of(ranked, (3,), np.ones(ranked.ranks.size))
    best = np.minimum(truth.sum(axis=1), 3).mean() / 3
    assert found["ps_precision"][0] == pytest.approx(found["precision"][0] / best)
    assert found["ps_ndcg"] == pytest.approx(found["ndcg"])


def test_best_and_worst(case):
    truth, _, train = case
    weighted = truth * metrics.inverse_propensities(train)
    best, worst = (metrics.top(truth, sign * weighted, (1, 3, None), train) for sign in (1, -1))
    for name in ("ndcg", "ps_precision", "ps_recall", "ps_ndcg"):
        assert best[name] == pytest.approx([1, 1, 1])
    assert best["recall"][2] == 1 and best["precision"][0] == 1
    assert worst["precision"][0] == worst["ps_precision"][0] == 0


def test_refusals(case):
    truth, scores, train = case
    with pytest.raises(ValueError, match="29 labels"):
        metrics.top(truth, scores, train_labels=train[:, 1:])
    with pytest.raises(ValueError, match="k"):
        metrics.top(truth, scores, ks=(0,))
    with pytest.raises(ValueError, match="no positive"):
        metrics.top(np.zeros_like(truth), scores)
    with pytest.raises(ValueError, match="three or more"):
        metrics.inverse_propensities(train[:2])


@pytest.mark.parametrize(
    ("ks", "remedy"), [(3, r"write \(3,\)"), ("3", "write"), (None, "write"), ((), "names no rank")]
)
def test_ranks_that_are_no_series_are_refused(case, ks, remedy):
    """A bare number ended in TypeError, and no rank at all in an empty mapping."""
    truth, scores, _ = case
    with pytest.raises(ValueError, match=remedy):
        metrics.top(truth, scores, ks=ks)


def test_ranks_may_come_from_anything_that_yields_them(case):
    truth, scores, _ = case
    assert metrics.top(truth, scores, ks=iter([1, 3])) == metrics.top(truth, scores, ks=(1, 3))
