"""Measures of rankings and binary predictions: hand-worked cases, slow twins, scikit-learn, relations."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as sklearn_metrics

from polytopic.metrics import (
    BINARY_MEASURES,
    CUTOFFS,
    PIVOTS,
    RANKING_MEASURES,
    binary,
    evaluate,
    rank_positives,
    ranking,
    ranking_per_item,
)
from reference import slow_metrics

EXACT = {"rel": 0, "abs": 1e-12}  # rounding of a few sums; the smallest real difference here is 1e-3


@st.composite
def cases(draw):
    """Draw (truth, scores, train_labels): many ties, empty and full rows and columns, some positive."""
    n_documents, n_labels = draw(st.integers(1, 7)), draw(st.integers(1, 6))
    shape = (n_documents, n_labels)
    bits = st.lists(st.booleans(), min_size=n_documents * n_labels, max_size=n_documents * n_labels)
    truth = np.array(draw(bits)).reshape(shape)
    truth[draw(st.integers(0, n_documents - 1)), draw(st.integers(0, n_labels - 1))] = True
    levels = st.lists(
        st.integers(-2, draw(st.sampled_from([-2, 0, 9]))), min_size=truth.size, max_size=truth.size
    )
    scores = np.array(draw(levels), dtype=float).reshape(shape) / 4
    n_train = draw(st.integers(1, 5))
    train = draw(st.lists(st.booleans(), min_size=n_train * n_labels, max_size=n_train * n_labels))
    return truth, scores, np.array(train).reshape(n_train, n_labels)


def distinct_case(seed=0, shape=(40, 30), share=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.random(shape) < share
    scores = rng.permutation(truth.size).reshape(shape) + 300.5 * truth
    return truth, scores


def one_item(hits, pivot="document"):
    """Return (truth, scores) of one item whose ranking has these hits, from the top."""
    truth = np.array([hits], dtype=bool)
    scores = -np.arange(len(hits), dtype=float)[None, :]
    return (truth, scores) if pivot == "document" else (truth.T, scores.T)


@pytest.mark.parametrize("pivot", PIVOTS)
def test_ranking_of_one_item_by_hand(pivot):
    """Hits at ranks 2, 3 and 6 of 7: 12 pairs, of which 1 + 1 + 3 in the wrong order.

    Precision is 1/2, 2/3, 2/4, 2/5, 3/6 at ranks 2 to 6. The area has three strips of width 1/3: 1/2 before
    the first hit, (1/2 + 2/3) / 2 and (2/5 + 1/2) / 2.
    """
    measures = ranking(*one_item([0, 1, 1, 0, 0, 1, 0], pivot), pivot)
    assert measures == pytest.approx(
        {
            "auc_roc": 7 / 12,
            "auc_pr": (1 / 2 + 7 / 12 + 9 / 20) / 3,
            "average_precision": (1 / 2 + 2 / 3 + 3 / 6) / 3,
            "one_error": 100,
            "is_error": 100,
            "margin": 6 - 1,
            "ranking_loss": 100 * 5 / 12,
        },
        **EXACT,
    )


@pytest.mark.parametrize("pivot", PIVOTS)
@pytest.mark.parametrize("hits", [[1, 1, 0], [1], [1, 1, 1]])
def test_perfect_item(hits, pivot):
    """A perfect item has margin 0, not -1; one without negatives is perfect too, not undefined."""
    measures = ranking(*one_item(hits, pivot), pivot)
    assert measures == {
        "auc_roc": 1,
        "auc_pr": 1,
        "average_precision": 1,
        "one_error": 0,
        "is_error": 0,
        "margin": 0,
        "ranking_loss": 0,
    }


def test_ties_keep_index_order():
    """Half credit would give an AUC of 1/2 to both, the last place in a tie 0 to both."""
    tied = np.zeros((1, 3))
    assert ranking([[1, 0, 0]], tied)["auc_roc"] == 1
    assert ranking([[0, 0, 1]], tied)["auc_roc"] == 0


def test_negative_zero_ties_with_zero():
    assert ranking([[1, 0]], [[-0.0, 0.0]])["one_error"] == 0


def test_items_without_a_positive_are_left_out():
    """The second document counts for neither; counted as 0 the mean AUC would be 1/2."""
    truth, scores = [[1, 0], [0, 0]], [[2.0, 1.0], [1.0, 2.0]]
    assert ranking(truth, scores, "document")["auc_roc"] == 1
    assert ranking(truth, scores, "label")["auc_roc"] == 1


@pytest.mark.parametrize("pivot", PIVOTS)
@given(case=cases())
def test_ranking_matches_slow_twin(pivot, case):
    truth, scores, _ = case
    assert ranking(truth, scores, pivot) == pytest.approx(slow_metrics.ranking(truth, scores, pivot), **EXACT)


@pytest.mark.parametrize("empty", ["exclude", "zero", "one"])
@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("pivot", PIVOTS)
@given(case=cases())
def test_binary_matches_slow_twin(pivot, cutoff, empty, case):
    truth, scores, train = case
    fast = binary(truth, scores, pivot, cutoff, train, empty)
    assert fast == pytest.approx(slow_metrics.binary(truth, scores, pivot, cutoff, train, empty), **EXACT)


@pytest.mark.parametrize("pivot", PIVOTS)
@pytest.mark.parametrize("n_levels", [3, 10_000])
def test_many_positives_match_slow_twin(pivot, n_levels):
    """Items of more than 32 positives are sorted, others counted: both happen here, ties or not."""
    rng = np.random.default_rng(3)
    truth = rng.random((90, 80)) < np.linspace(0.05, 0.95, 80)
    scores = rng.integers(0, n_levels, truth.shape).astype(float)
    n_positive = truth.sum(axis=1 if pivot == "document" else 0)
    assert n_positive.max() > 32
    assert pivot == "document" or n_positive.min() < 32
    assert ranking(truth, scores, pivot) == pytest.approx(slow_metrics.ranking(truth, scores, pivot), **EXACT)


def test_blocks_join_up(monkeypatch):
    """With blocks of three items each, the last one short, nothing changes."""
    truth, scores = distinct_case()
    whole = evaluate(truth, scores, "label", truth)
    monkeypatch.setattr("polytopic.metrics.thresholds._BLOCK_ENTRIES", 3 * len(truth))
    assert evaluate(truth, scores, "label", truth) == whole


@pytest.mark.parametrize("pivot", PIVOTS)
def test_sparse_and_other_numbers_give_the_same(pivot):
    """Absent scores are 0; unsigned and bool scores must not wrap around when the order is reversed."""
    rng = np.random.default_rng(1)
    truth = rng.random((50, 60)) < 0.7  # more than 32 a document: the sorting path
    scores = rng.integers(0, 3, truth.shape).astype(float)
    expected = evaluate(truth, scores, pivot, truth)
    for same_truth, same_scores in [
        (sparse.csr_matrix(truth), sparse.csr_matrix(scores)),
        (sparse.csc_array(truth), sparse.coo_array(scores)),
        (truth.astype(int), scores.astype(np.uint8)),
        (truth.tolist(), np.asfortranarray(scores.astype(np.float32))),
    ]:
        assert evaluate(same_truth, same_scores, pivot, truth) == expected
    assert ranking(truth, scores > 0, pivot) == ranking(truth, (scores > 0).astype(float), pivot)


@pytest.mark.parametrize("pivot", PIVOTS)
def test_scikit_learn_agrees_without_ties(pivot):
    truth, scores = distinct_case(share=0.15)
    per_item = ranking_per_item(truth, scores, pivot)
    by_item = (truth, scores) if pivot == "document" else (truth.T, scores.T)
    n_checked = 0
    for i, (t, s) in enumerate(zip(*by_item, strict=True)):
        if not t.any():
            assert np.isnan(per_item["auc_roc"][i])
            continue
        precision, recall, _ = sklearn_metrics.precision_recall_curve(t, s)
        first = 1 + np.flatnonzero(t[np.argsort(-s)])[0]
        no_point_at_0 = 0 if first == 1 else 1 / (2 * first * t.sum())  # its curve starts at precision 0
        n_checked += 1
        assert per_item["auc_roc"][i] == pytest.approx(sklearn_metrics.roc_auc_score(t, s), **EXACT)
        assert per_item["average_precision"][i] == pytest.approx(
            sklearn_metrics.average_precision_score(t, s), **EXACT
        )
        assert per_item["auc_pr"][i] == pytest.approx(
            sklearn_metrics.auc(recall, precision) + no_point_at_0, **EXACT
        )
        coverage = sklearn_metrics.coverage_error(t[None], s[None])
        assert per_item["is_error"][i] == 100 * (coverage > t.sum())
    assert n_checked > 20


def test_scikit_learn_agrees_on_averages():
    truth, scores = distinct_case(seed=5)
    kept = truth.any(axis=1)
    ours = ranking(truth, scores)
    lrap = sklearn_metrics.label_ranking_average_precision_score(truth[kept], scores[kept])
    loss = sklearn_metrics.label_ranking_loss(truth[kept], scores[kept])
    assert ours["average_precision"] == pytest.approx(lrap, **EXACT)
    assert ours["ranking_loss"] == pytest.approx(100 * loss, **EXACT)


@pytest.mark.parametrize("pivot", PIVOTS)
def test_per_item_averages_to_ranking(pivot):
    truth, scores = distinct_case(share=0.05)
    per_item = ranking_per_item(truth, scores, pivot)
    assert tuple(per_item) == RANKING_MEASURES
    assert len(per_item["margin"]) == (40 if pivot == "document" else 30)
    assert np.isnan(per_item["margin"]).any()
    assert {name: np.nanmean(values) for name, values in per_item.items()} == pytest.approx(
        ranking(truth, scores, pivot), **EXACT
    )


@pytest.mark.parametrize("pivot", PIVOTS)
@given(case=cases())
def test_relations(pivot, case):
    truth, scores, train = case
    per_item = ranking_per_item(truth, scores, pivot)
    assert np.array_equal(per_item["ranking_loss"], 100 * (1 - per_item["auc_roc"]), equal_nan=True)
    assert np.all((per_item["is_error"] >= per_item["one_error"]) | np.isnan(per_item["is_error"]))
    assert np.array_equal(per_item["is_error"] == 0, per_item["margin"] == 0)
    f1 = {c: binary(truth, scores, pivot, c, train)["macro_f1"] for c in CUTOFFS}
    assert f1["bep"] >= max(f1.values()) - 1e-12


@pytest.mark.parametrize("pivot", PIVOTS)
def test_evaluate_is_ranking_and_binary(pivot):
    truth, scores = distinct_case()
    values = evaluate(truth, scores, pivot, truth)
    expected = {("", m): v for m, v in ranking(truth, scores, pivot).items()}
    for cutoff in CUTOFFS:
        measures = binary(truth, scores, pivot, cutoff, truth)
        assert tuple(measures) == BINARY_MEASURES
        expected |= {(cutoff, m): v for m, v in measures.items()}
    assert values == expected
    assert len(values) == 7 + 3 * 6
    some = evaluate(truth, scores, pivot, cutoffs=("calibrated",))
    assert some == {key: v for key, v in values.items() if key[0] in ("", "calibrated")}


def test_binary_by_hand():
    """Two documents with hits at ranks 1 and 3 of 4, and at rank 2 of 4.

    Training documents have 1 and 2 labels: the median 1.5 is rounded up to 2. Each of the two has one hit in
    its top two: F1 is 2/4 and 2/3, together 2 * 2 / (4 + 3). Calibrated: 1 hit of 2 and 0 of 1. BEP: the
    first document has F1 2/3 at N = 1 and 4/5 at N = 3, the second 2/3 at N = 2.
    """
    truth, scores = [[1, 0, 1, 0], [0, 1, 0, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]]
    train = [[1, 0, 0, 0], [0, 1, 0, 1]]
    proportional = binary(truth, scores, "document", "proportional", train)
    assert proportional == pytest.approx(
        {
            "macro_f1": (1 / 2 + 2 / 3) / 2,
            "micro_f1": 4 / 7,
            "macro_precision": 1 / 2,
            "micro_precision": 1 / 2,
            "macro_recall": (1 / 2 + 1) / 2,
            "micro_recall": 2 / 3,
        },
        **EXACT,
    )
    assert binary(truth, scores, "document", "calibrated")["macro_f1"] == pytest.approx(1 / 4, **EXACT)
    assert binary(truth, scores, "document", "calibrated")["micro_f1"] == pytest.approx(1 / 3, **EXACT)
    assert binary(truth, scores, "document", "bep")["macro_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2, **EXACT)


def test_empty_items_by_each_convention():
    """Label 0 has one document, found; label 1 has none and one wrong prediction; label 2 none of either."""
    truth, scores = [[1, 0, 0], [0, 0, 0]], [[2, 2, 2], [1, 1, 1]]
    counts = np.array([1, 1, 0])
    by_rule = {e: binary(truth, scores, "label", counts, empty=e) for e in ("exclude", "zero", "one")}
    macro = {e: measures["macro_f1"] for e, measures in by_rule.items()}
    micro = {e: measures["micro_f1"] for e, measures in by_rule.items()}
    assert macro == pytest.approx({"exclude": 1, "zero": 1 / 3, "one": 2 / 3}, **EXACT)
    assert micro == pytest.approx({"exclude": 1, "zero": 2 / 3, "one": 2 / 3}, **EXACT)


@pytest.mark.parametrize("empty, zero_division", [("zero", 0.0), ("one", 1.0)])
def test_scikit_learn_agrees_on_f1(empty, zero_division):
    """Where every label with a positive is predicted at least once, as its zero_division also fills those."""
    truth, scores = distinct_case(share=0.04)
    counts = truth.sum(axis=0) + (np.arange(30) % 3 == 0)
    assert (counts == 0).any()
    order = np.argsort(np.argsort(-scores, axis=0), axis=0)
    predicted = order < counts
    ours = binary(truth, scores, "label", counts, empty=empty)
    for average in ("macro", "micro"):
        theirs = sklearn_metrics.f1_score(truth, predicted, average=average, zero_division=zero_division)
        assert ours[f"{average}_f1"] == pytest.approx(theirs, **EXACT)


def test_micro_f1_follows_from_one_error():
    """One prediction a document makes Micro-F1 2 (1 - one-error) / (1 + cardinality): so in the paper."""
    truth, scores = distinct_case()
    kept = truth.any(axis=1)
    truth, scores = truth[kept], scores[kept]
    one_error = ranking(truth, scores)["one_error"] / 100
    cardinality = truth.sum() / len(truth)
    micro = binary(truth, scores, "document", 1)["micro_f1"]
    assert micro == pytest.approx(2 * (1 - one_error) / (1 + cardinality), **EXACT)


def test_rank_positives_is_ragged():
    ranked = rank_positives([[0, 1, 1], [0, 0, 0]], [[1, 3, 2], [1, 2, 3]], "label")
    assert ranked.ranks.tolist() == [1, 2]
    assert ranked.ptr.tolist() == [0, 0, 1, 2]
    assert ranked.n_positive.tolist() == [0, 1, 1]
    assert (ranked.length, ranked.pivot) == (2, "label")


BAD = {
    "no document is left": (([[0, 0]], [[1.0, 2.0]]), {}),
    "shape (1, 2), scores (1, 3)": (([[0, 1]], [[1.0, 2.0, 3.0]]), {}),
    "scores[1, 0] = nan": (([[0, 1], [1, 0]], [[1.0, 2.0], [np.nan, 1.0]]), {}),
    "scores[0, 1] = inf": (([[0, 1]], [[1.0, np.inf]]), {}),
    "shape (1, 2), scores (2,)": (([[0, 1]], [1.0, 2.0]), {}),
    "truth[0, 1] = 2": (([[0, 2]], [[1.0, 2.0]]), {}),
    "pivot must be": (([[0, 1]], [[1.0, 2.0]]), {"pivot": "documents"}),
    "scores must hold real numbers": (([[0, 1]], [[1j, 2]]), {}),
}


@pytest.mark.parametrize("message", BAD)
def test_ranking_refuses(message):
    arguments, settings = BAD[message]
    with pytest.raises(ValueError) as error:
        ranking(*arguments, **settings)
    assert message in str(error.value)


def test_bad_scores_are_placed_in_documents_and_labels():
    """By label the entry sits at (label, document); the message names it as the user has it."""
    scores = np.zeros((3, 4))
    scores[2, 1] = -np.inf
    for pivot, form in itertools.product(PIVOTS, (np.asarray, sparse.csr_matrix)):
        with pytest.raises(ValueError, match=r"scores\[2, 1\] = -inf"):
            ranking(np.ones((3, 4)), form(scores), pivot)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({}, "'proportional' needs train_labels"),
        ({"train_labels": [[0, 1, 1]]}, "train_labels has 3 labels but truth has 2"),
        ({"train_labels": np.zeros((0, 2))}, "no rows"),
        ({"cutoff": "BEP"}, "cutoff must be one of"),
        ({"cutoff": "bep", "empty": "nan"}, "empty must be one of"),
        ({"cutoff": [1, 2]}, "give one number of predictions or 1, one per document"),
        ({"cutoff": 1.5}, "must be integers"),
        ({"cutoff": -1}, "0 or more"),
    ],
)
def test_binary_refuses(settings, message):
    with pytest.raises(ValueError, match=message):
        binary([[0, 1]], [[1.0, 2.0]], **settings)
