"""The room of today: gains and their intervals, naive Bayes by hand, groups of records, peers where installed."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from polytopic import metrics
from polytopic.corpus import Corpus
from polytopic.models import BinaryRelevanceSVM
from polytopic.study import corpora, store
from polytopic.study.today import hybrid, indexing, label_names, measured, rare_labels
from polytopic.study.today.peers import NapkinXC, Omikuji


def drawn(n_documents=400, n_labels=12, seed=0):
    """Return truth and two models' scores, the second noisier."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-2, 2, (n_documents, n_labels))
    truth = sparse.csr_matrix(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)))
    return truth, odds + rng.normal(0, 1, odds.shape), odds + rng.normal(0, 2, odds.shape)


def test_parts_make_the_measures():
    truth, scores, _ = drawn()
    rows = measured.rows(measured.parts(truth, scores, truth)).set_index(["pivot", "measure", "k"])["value"]
    for pivot in metrics.PIVOTS:
        whole = metrics.ranking(truth, scores, pivot)
        assert rows[pivot, "average_precision", ""] == pytest.approx(whole["average_precision"])
    top = metrics.top(truth, scores, (1, 5), truth)
    for name, values in top.items():
        assert [rows["document", name, k] for k in "15"] == pytest.approx(values)
    assert rows["document", "ndcg", ""] == pytest.approx(metrics.top(truth, scores, (None,))["ndcg"][0])


def test_intervals_are_those_of_paired_means():
    """Of a plain mean the percentiles are near the normal interval of the paired differences."""
    truth, first, second = drawn()
    one, other = (measured.parts(truth, scores, truth) for scores in (first, second))
    found = measured.gains(one, other, seed=0).set_index(["pivot", "measure", "k"])
    key = "document", "average_precision", ""
    difference = one[key][0] - other[key][0]
    reach = 1.96 * stats.sem(difference)
    row = found.loc[key]
    assert row["gain"] == pytest.approx(difference.mean())
    assert row["low"] == pytest.approx(difference.mean() - reach, abs=reach / 6)
    assert row["high"] == pytest.approx(difference.mean() + reach, abs=reach / 6)
    pd.testing.assert_frame_equal(measured.gains(one, other, seed=0), measured.gains(one, other, seed=0))
    assert (measured.gains(one, one, seed=0)[["gain", "low", "high"]] == 0).all(axis=None)


@pytest.fixture(scope="module")
def of_hybrid():
    sample = corpora.sample("debtags", 200, 100)
    return [store.collect(hybrid.hybrid, sample, table=table) for table in (None, "gains")]


def test_the_hybrid_is_beside_each_parent(of_hybrid):
    rows, gains = of_hybrid
    assert rows["model"].nunique() == 5 and gains["model"].nunique() == 4
    values = rows.set_index(["model", "pivot", "measure", "k"])["value"]
    for one in gains.itertuples():
        place = one.pivot, one.measure, one.k
        assert one.gain == pytest.approx(values[hybrid.NAME, *place] - values[one.model, *place])
        assert one.low <= one.gain <= one.high


def test_naive_bayes_by_hand():
    X = sparse.csr_matrix([[2, 0], [0, 1], [1, 1]])
    Y = sparse.csr_matrix([[1], [0], [0]]).astype(bool)
    with_label, others = np.array([3, 1]) / 4, np.array([2, 3]) / 5
    share = 1.5 / 4
    expected = np.log(with_label / others) @ [1, 2] + np.log(share / (1 - share))
    assert rare_labels._log_odds(X, Y, sparse.csr_matrix([[1, 2]]))[0, 0] == pytest.approx(expected)


def test_a_second_linear_model_reads_the_scores_of_the_first():
    """A label that goes with two others, and has no words of its own, follows from their scores."""
    random = np.random.default_rng(0)
    Y = random.random((400, 6)) < 0.3
    Y[:, 5] = Y[:, 0] & Y[:, 1]
    X = sparse.csr_matrix(random.poisson(0.1 + 2.0 * Y[:, :5]))
    Y = sparse.csr_matrix(Y)
    found = rare_labels._stacked(X[:300], Y[:300], X[300:], 0)
    assert found.shape == (100, 6)
    truth = Y[300:].toarray()
    assert metrics.ranking(truth, found, "label")["average_precision"] > 0.7  # .85 here, .3 by chance


def test_variants_differ_from_the_base_as_they_say():
    sample = corpora.sample("debtags", 240, 60)
    wanted = [rare_labels.BASE, "expected tokens, not shares", rare_labels.BAYES]
    rows = store.collect(rare_labels.rare_labels, sample, variant=wanted)
    wide = rows.set_index(["variant", "pivot", "measure"])["value"]
    base, tokens = wide[rare_labels.BASE], wide["expected tokens, not shares"]
    assert tokens["document"].equals(
        base["document"]
    )  # a document's own length changes no order of its labels
    assert not tokens["label"].equals(base["label"])
    kept = store.collect(rare_labels.rare_labels, sample, variant=wanted, table="kept")
    assert set(kept["variant"]) == {rare_labels.BASE, "expected tokens, not shares"}


def test_subjects_are_measured_by_group():
    sample = corpora.sample("debtags", 150, 90)
    kinds = ["Book", "Thesis"] * 120
    grouped = indexing.Grouped(sample, {"type": kinds})
    rows = store.collect(indexing.indexing, grouped, model=["TF-IDF SVM, cost 1"])
    table = indexing.table(rows).droplevel(["corpus", "model"])
    train, test = sample.split(0)
    model = BinaryRelevanceSVM(normalize="tfidf", random_state=0).fit(train.counts, train.labels)
    scores = model.decision_function(test.counts)
    whole = metrics.top(test.labels, scores, (5,))
    assert table.loc[("all", "all"), "F1@5"] == pytest.approx(whole["f1"][0], abs=5e-5)
    book = np.flatnonzero(np.array(kinds)[sample.splits[0][1]] == "Book")
    own = metrics.top(test.labels[book], scores[book], (5,))
    assert table.loc[("type", "Book"), "P@5"] == pytest.approx(own["precision"][0], abs=5e-5)
    assert table.loc["type", "records"].sum() == table.loc[("all", "all"), "records"]


@pytest.mark.parametrize("peer", [Omikuji(), Omikuji("bonsai"), NapkinXC()], ids=str)
def test_peers_rank_labels(peer):
    pytest.importorskip("omikuji" if isinstance(peer, Omikuji) else "napkinxc")
    rng = np.random.default_rng(0)
    Y = rng.random((300, 6)) < 0.3
    X = rng.poisson(0.1 + 2 * np.repeat(Y, 3, axis=1))
    scores = peer.fit(X[:200], Y[:200]).decision_function(sparse.csr_matrix(X[200:]))
    assert scores.shape == (100, 6)
    assert metrics.ranking(Y[200:], scores)["average_precision"] > 0.8


def test_the_frontier_keeps_what_nothing_quicker_reaches():
    points = {("a", "slow"): (0.6, 90.0), ("a", "quick"): (0.4, 1.0), ("a", "worse"): (0.39, 2.0),
              ("b", "first"): (0.4, 1.0), ("b", "level"): (0.4, 2.0), ("b", "slow"): (0.3, 9.0)}  # fmt: skip
    index = pd.MultiIndex.from_tuples(points, names=["corpus", "way"])
    found = pd.DataFrame(points.values(), index, columns=["AP by document", "CPU s"])
    kept = measured.frontier(found, "corpus").index.tolist()
    assert kept == [("a", "quick"), ("a", "slow"), ("b", "first")]


def test_names_are_measured_by_hand():
    """Two documents, twelve labels; the second has a label at rank 11, and none is left out of the mean by label."""
    truth, scores = np.zeros((3, 12), bool), np.tile(-np.arange(12.0), (3, 1))
    truth[0, [0, 2]] = truth[1, [4, 10]] = True
    found = label_names.measured(sparse.csr_matrix(truth), scores)
    np.testing.assert_allclose(found["document", "AP"], [(1 + 2 / 3) / 2, (1 / 5 + 2 / 11) / 2, np.nan])
    np.testing.assert_allclose(found["document", "P@5"], [0.4, 0.2, np.nan])
    np.testing.assert_allclose(found["document", "recall@10"], [1, 0.5, np.nan])
    assert found["label", "recall@10"][[0, 2, 4, 10]].tolist() == [1, 1, 1, 0]
    assert np.isnan(found["label", "AP"][[1, 11]]).all() and found["label", "AP"][4] == 1 / 2


def test_labels_are_grouped_by_their_training_documents():
    groups = label_names._groups(np.array([0, 1, 5, 51, 50, 6]))
    assert [*groups] == ["all", "0", "1–2", "3–5", "6–15", "16–50", "51+"]
    assert [places.tolist() for places in groups.values()] == [[*range(6)], [0], [1], [2], [5], [4], [3]]


def test_names_help_labels_without_documents_and_names_of_others_do_not():
    """Every label's documents have its name among their words; the last four labels have none in training."""
    rng, n = np.random.default_rng(0), 12
    names = [
        "apple",
        "birch",
        "cedar",
        "dogwood",
        "elm",
        "fir",
        "ginkgo",
        "hazel",
        "ivy",
        "kauri",
        "larch",
        "oak",
    ]
    labels = np.eye(n, dtype=bool)[rng.integers(0, n, 300)]
    counts = np.hstack([2 * labels + rng.poisson(0.2, labels.shape), rng.poisson(1.0, (300, 20))])
    late = np.flatnonzero(labels[:, 8:].any(axis=1))
    train = np.setdiff1d(np.arange(200), late)
    split = train, np.setdiff1d(np.arange(300), train)
    words = [*names, *(f"filler{k}" for k in range(20))]
    given = Corpus(counts.astype(int), labels, words, names, (split,), "trees")
    rows = store.collect(label_names.label_names, given, system=["TF-IDF SVM, cost 1"])
    unmet = rows[(rows["group"] == "0") & (rows["measure"] == "AP")].set_index("names")
    assert unmet["n"].tolist() == [4, 4, 4]
    assert unmet.loc["names", "value"] > 0.9 and unmet.loc["names", "low"] > 0.5
    assert unmet.loc["shuffled", "value"] < 0.6 and unmet.loc["without", "gain"] == 0
