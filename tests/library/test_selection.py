"""The greedy choice of weights against every weight of a grid, and its edges."""

import numpy as np
import pytest

from polytopic.models import selection
from polytopic.models.selection import chosen_weights, weighted


def folds_of(noise, n_folds=2, seed=0):
    """Return folds whose models say the log odds with so much noise each."""
    rng = np.random.default_rng(seed)
    folds = []
    for _ in range(n_folds):
        odds = rng.normal(-2, 2, (150, 12))
        truth = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
        folds.append((truth, [odds + rng.normal(0, size, odds.shape) for size in noise]))
    return folds


def both(folds, weights):
    """Return average precision by document and by label of a sum of scores, from their definition."""
    figures = []
    for truth, scores in folds:
        summed = sum(weight * one for weight, one in zip(weights, scores, strict=True))
        for has, says in ((truth, summed), (truth.T, summed.T)):
            of_items = []
            for own, said in zip(has, says, strict=True):
                if own.any():
                    hit = own[np.argsort(-said, kind="stable")]
                    of_items.append(np.mean((np.cumsum(hit) / np.arange(1, own.size + 1))[hit]))
            figures.append(np.mean(of_items))
    return np.reshape(figures, (-1, 2)).mean(axis=0)


def counted(folds, weights):
    """Return what a choice is judged by."""
    found, alone = both(folds, weights), np.array([both(folds, one) for one in np.eye(len(weights))])
    return found.sum() + 4 * np.minimum(found - alone.max(axis=0), 0).sum()


@pytest.mark.parametrize("noise", [(1.5, 1.5), (1.0, 3.0), (2.0, 0.7)])
def test_it_finds_what_the_best_of_a_hundred_weights_reaches(noise):
    """Within .004 of the best of 101 weights; the better model alone is .02 to .06 below it."""
    folds = folds_of(noise)
    weights, best = chosen_weights(folds)
    grid = max(counted(folds, (share, 1 - share)) for share in np.linspace(0, 1, 101))
    assert best == pytest.approx(counted(folds, weights), abs=1e-12)
    assert best > grid - 0.004
    assert max(counted(folds, own) for own in np.eye(2)) < grid - 0.01


def test_neither_precision_is_bought_with_the_other(monkeypatch):
    """One model favours some labels everywhere: good by label. By the sum alone .0078 by document is lost."""
    rng = np.random.default_rng(0)
    odds = rng.normal(-2, 2, (300, 12))
    truth = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
    even = odds + rng.normal(0, 1.5, odds.shape)
    folds = [(truth, [even, odds + rng.normal(0, 1.5, odds.shape) + rng.normal(0, 3, (1, 12))])]
    best = np.max([both(folds, one) for one in np.eye(2)], axis=0)
    assert np.all(both(folds, chosen_weights(folds)[0]) >= best)
    monkeypatch.setattr(selection, "SHORT", 0.0)
    assert both(folds, chosen_weights(folds)[0])[0] < best[0] - 0.002


def test_noise_gets_no_weight_and_units_do_not_matter():
    folds = folds_of((0.1, 40.0))
    weights, best = chosen_weights(folds)
    assert weights[1] == 0 and weights[0] > 0
    scaled = [(truth, [scores[0] * 1000, scores[1]]) for truth, scores in folds_of((1.5, 1.5))]
    same, figure = chosen_weights(scaled)
    plain, of_plain = chosen_weights(folds_of((1.5, 1.5)))
    assert figure == pytest.approx(of_plain, abs=1e-12)
    np.testing.assert_allclose(same * [1000, 1], plain, rtol=1e-9)


def test_no_positive_and_no_deviation():
    (truth, scores), other = folds_of((0.5, 0.5))
    weights, figure = chosen_weights([(np.zeros_like(truth), scores)])
    assert weights.tolist() == [0, 1] and np.isnan(figure)
    with_empty, _ = chosen_weights([(np.zeros_like(truth), scores), other])
    assert np.array_equal(with_empty, chosen_weights([other])[0])
    constant, _ = chosen_weights([(truth, [np.ones_like(scores[0]), scores[1]])])
    assert constant[0] == 0 and constant[1] > 0


def test_scores_without_weight_are_not_read():
    assert weighted([np.full(3, np.nan), np.arange(3.0)], np.array([0.0, 2.0])).tolist() == [0, 2, 4]
