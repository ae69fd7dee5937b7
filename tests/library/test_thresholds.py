"""Numbers of predictions and the decisions they give."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from polytopic.metrics import PIVOTS, binary, rank_positives
from polytopic.metrics.thresholds import best_f1_cutoff, proportional_counts, top_n
from reference import slow_metrics


def test_proportional_label_count_is_exact():
    """A label of all 90 training documents has all 110 test documents; in floats it would have 111."""
    assert math.ceil(110 / 90 * 90) == 111
    train = np.ones((90, 2), dtype=bool)
    train[1:, 1] = False
    assert proportional_counts(train, 110, "label").tolist() == [110, 2]  # 110 / 90 = 1.2 is rounded up


@given(train=st.integers(1, 200), test=st.integers(1, 10**6), n=st.integers(0, 200))
def test_proportional_label_count_is_the_smallest_integer_above(train, test, n):
    n = min(n, train)
    labels = np.zeros((train, 1), dtype=bool)
    labels[:n] = True
    count = int(proportional_counts(labels, test, "label")[0])
    assert (count - 1) * train < n * test <= count * train or count == n == 0


@pytest.mark.parametrize(
    "per_document, expected",
    [([1, 2], 2), ([0, 1], 1), ([1, 3], 2), ([3, 1, 0], 1), ([0, 0, 3], 0), ([2], 2)],
)
def test_document_median_rounds_a_half_up(per_document, expected):
    """The half is rounded up: to even it would give 0 for the second case."""
    train = np.arange(3) < np.array(per_document)[:, None]
    assert proportional_counts(train, 4, "document").tolist() == [expected] * 4
    assert slow_metrics.median_rounded_up(per_document) == expected


def test_best_f1_takes_the_first_of_equals():
    """Hits at 1 and 4 of 2 positives: F1 is 2/3 at N = 1 and 4/6 at N = 4. Hits at 2 and 3: 4/5 at N = 3."""
    ranks, ptr = np.array([1, 4, 2, 3]), np.array([0, 2, 2, 4])
    assert best_f1_cutoff(ranks, ptr).tolist() == [1, 0, 3]
    assert best_f1_cutoff(ranks[:0], np.array([0, 0])).tolist() == [0]


@given(st.lists(st.booleans(), min_size=1, max_size=40).filter(any))
def test_best_f1_matches_slow_twin(hits):
    ranks = np.flatnonzero(hits) + 1
    assert best_f1_cutoff(ranks, np.array([0, len(ranks)])).tolist() == [slow_metrics.best_f1(hits)]


def test_top_n_keeps_index_order_in_ties():
    scores = np.array([[1, 2, 2, 2], [0, 0, 0, 0]])
    assert top_n(scores, 2, "document").toarray().tolist() == [[0, 1, 1, 0], [1, 1, 0, 0]]
    assert top_n(scores, [0, 1], "document").toarray().tolist() == [[0, 0, 0, 0], [1, 0, 0, 0]]
    assert top_n(scores, 1, "label").toarray().tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]
    assert top_n(scores, 9, "label").toarray().all()
    assert top_n(sparse.csr_matrix(scores), 2, "document").toarray().tolist() == [[0, 1, 1, 0], [1, 1, 0, 0]]


@pytest.mark.parametrize("pivot", PIVOTS)
def test_decisions_give_the_measures(pivot):
    """Cut-offs, decisions and measures agree: F1 of the decisions is the F1 that binary prints."""
    rng = np.random.default_rng(0)
    truth = rng.random((30, 20)) < 0.3
    scores = rng.integers(0, 4, truth.shape) / 3
    ranked = rank_positives(truth, scores, pivot)
    decisions = top_n(scores, best_f1_cutoff(ranked.ranks, ranked.ptr), pivot)
    assert decisions.format == "csr" and decisions.dtype == bool
    chosen = decisions.toarray()
    micro = 2 * (chosen & truth).sum() / (chosen.sum() + truth.sum())
    assert binary(truth, scores, pivot, "bep")["micro_f1"] == pytest.approx(micro, rel=0, abs=1e-12)
    assert chosen.sum() != truth.sum()  # else the calibrated cut-off would pass too


@pytest.mark.parametrize(
    "n, message", [(-1, "0 or more"), (0.5, "integers"), ([1, 2, 3], "2, one per document")]
)
def test_top_n_refuses(n, message):
    with pytest.raises(ValueError, match=message):
        top_n(np.zeros((2, 2)), n, "document")


def test_no_training_documents():
    with pytest.raises(ValueError, match="no rows"):
        proportional_counts(np.zeros((0, 3)), 5, "label")
