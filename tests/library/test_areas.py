"""Areas under the ROC curve: against scikit-learn's, pair by pair on small tables, ties and empties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.metrics import roc_auc_score

from polytopic import metrics


def pair_by_pair(truth, scores):
    """Return the share of pairs of a positive and a negative in the right order, a tie counting half."""
    ahead = [(p > n) + (p == n) / 2 for p in scores[truth] for n in scores[~truth]]
    return np.mean(ahead)


tables = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        arrays.arrays(bool, shape), arrays.arrays(float, shape, elements=st.integers(0, 3).map(float))
    )
)


@given(tables)
@settings(max_examples=150, deadline=None)
def test_areas_count_pairs(table):
    truth, scores = table
    both = [c for c in range(truth.shape[1]) if truth[:, c].any() and not truth[:, c].all()]
    if not both:
        with pytest.raises(ValueError, match="both a positive and a negative document"):
            metrics.areas(truth, scores)
        return
    found = metrics.areas(sparse.csr_matrix(truth), sparse.csr_matrix(scores))
    assert found["micro_auc"] == pytest.approx(pair_by_pair(truth.ravel(), scores.ravel()), abs=1e-12)
    by_label = np.mean([pair_by_pair(truth[:, c], scores[:, c]) for c in both])
    assert found["macro_auc"] == pytest.approx(by_label, abs=1e-12)


def test_areas_are_scikit_learn_s_over_several_blocks(monkeypatch):
    monkeypatch.setattr("polytopic.metrics.thresholds._BLOCK_ENTRIES", 700)
    random = np.random.default_rng(0)
    truth = random.random((200, 30)) < 0.1
    scores = np.round(random.random(truth.shape) + 0.3 * truth, 1)  # with ties
    found = metrics.areas(truth, scores)
    labels = [roc_auc_score(truth[:, c], scores[:, c]) for c in range(30)]
    # ties counted as wrong give less by .03
    assert found["micro_auc"] == pytest.approx(roc_auc_score(truth.ravel(), scores.ravel()), abs=1e-12)
    assert found["macro_auc"] == pytest.approx(np.mean(labels), abs=1e-12)


def test_a_constant_score_has_half_the_area():
    truth = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 0]], bool)
    found = metrics.areas(truth, np.ones(truth.shape))
    assert found == {"micro_auc": 0.5, "macro_auc": 0.5}


def test_many_documents_overflow_nothing():
    """With half of 100,000 documents positive the pairs are more than 32 bits count."""
    truth = np.arange(100_000)[:, None] % 2 == 0
    scores = np.where(truth, 1.0, np.arange(100_000)[:, None] % 4 - 1.0)  # half of the negatives are above
    assert metrics.areas(truth, scores) == {"micro_auc": 0.5, "macro_auc": 0.5}


def test_what_is_wrong_is_named():
    truth = np.array([[1, 0], [0, 1]], bool)
    with pytest.raises(ValueError, match=r"truth has shape \(2, 2\), scores \(2, 3\)"):
        metrics.areas(truth, np.ones((2, 3)))
    with pytest.raises(ValueError, match="finite"):
        metrics.areas(truth, np.array([[1, np.nan], [0, 1]]))
