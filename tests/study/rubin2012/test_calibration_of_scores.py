"""Probabilities beside what holds, and the spread of chains beside errors: hand-worked cases, then a tiny corpus."""

import numpy as np
import pytest
from test_rubin_results import apart, corpus

from polytopic.study import store
from polytopic.study.rubin2012 import calibration, systems
from polytopic.study.rubin2012.calibration import BY_HAND, CALIBRATED, SHARE


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    apart(tmp_path, monkeypatch)
    return corpus(n_documents=60, shares=(0.6, 0.5, 0.4, 0.4, 0.3, 0.3))


def errors(truth, said, share):
    return calibration.errors(np.array(truth, bool), np.array(said), np.array(share)).iloc[0]


def test_errors_by_hand():
    """Two bins, of .1 and .9: said .1 found 1/4, said .9 found 1/2; training frequencies say .1 and .9."""
    row = errors([[1, 1], [0, 0], [0, 0]], [[0.1, 0.9], [0.1, 0.9], [0.1, 0.1]], [0.2, 0.5])
    assert row["ece"] == pytest.approx((4 * 0.15 + 2 * 0.4) / 6)
    assert np.isnan(row["worst"])  # no bin has thirty pairs
    brier = (0.81 + 0.01 + 0.01 + 0.81 + 0.01 + 0.01) / 6
    assert row["brier"] == pytest.approx(brier)
    plain = (0.64 + 0.04 + 0.04 + 0.25 * 3) / 6
    assert row["skill"] == pytest.approx(1 - brier / plain)


def test_probabilities_that_hold_have_no_error_and_others_have():
    rng = np.random.default_rng(0)
    chance = rng.random((4000, 5))
    truth = rng.random(chance.shape) < chance
    right, wrong = errors(truth, chance, [0.1] * 5), errors(truth, chance**2, [0.1] * 5)
    assert right["ece"] < 0.012 < 0.15 < wrong["ece"]  # the squares are off by 1/6 on average
    assert right["worst"] < 0.04 < 0.2 < wrong["worst"]  # and by 1/4 at most
    assert right["brier"] == pytest.approx(1 / 6, abs=0.005)


def spread(draws, truth, n_sets=1):
    return calibration.spread(draws, np.array(truth, bool), np.arange(1, draws.shape[3] + 1), n_sets, most=2)


def test_disagreement_is_half_where_two_chains_share_nothing():
    rng = np.random.default_rng(1)
    apart = np.zeros((2, 4, 2, 3))
    apart[0, :, 0, 0] = apart[1, :, 0, 1] = 1.0
    apart[:, :, 1] = rng.dirichlet(np.ones(3), 4)  # the chains draw the same
    truth = np.array([[1, 0, 0], [0, 1, 0]], bool)
    table = calibration.documents(apart, truth, np.ones(2), spread(apart, truth))
    assert table["disagreement"].tolist() == pytest.approx([0.5, 0.0])
    assert table["score"][0] == 0.5
    assert table["average_precision"][0] == 1.0  # ties keep the order of the columns


def test_curves_count_every_pair_once(tiny):
    train, test = tiny.split(0)
    curves = store.collect(calibration.calibration, tiny, model=["Prior-LDA", "Vanilla SVM", "Hybrid"])
    assert set(curves[["model", "kind"]].itertuples(index=False, name=None)) == {
        ("Prior-LDA", SHARE), ("Prior-LDA", BY_HAND), ("Prior-LDA", CALIBRATED), ("Vanilla SVM", BY_HAND),
        ("Vanilla SVM", CALIBRATED), ("Hybrid", CALIBRATED),
    }  # fmt: skip
    said = calibration.probabilities("Prior-LDA", tiny.name, train, test)
    assert all(one.min() >= 0 and one.max() <= 1 for one in said.values())
    np.testing.assert_allclose(said[SHARE].sum(axis=1), 1, atol=1e-6)
    assert set(curves.groupby(["model", "kind"])["pairs"].sum()) == {test.n_documents * 6}
    held = (curves["found"] * curves["pairs"]).groupby([curves["model"], curves["kind"]]).sum()
    np.testing.assert_allclose(held, test.labels.nnz)
    for table in ("errors", "by_frequency"):
        judged = store.collect(calibration.calibration, tiny, model=["Hybrid"], table=table)
        assert set(judged["kind"]) == {CALIBRATED}


def test_single_samples_are_those_of_the_decision(tiny):
    """The mean over chains and samples is the decision, and its highest labels are those that are shown."""
    pairs, documents = (
        store.collect(calibration.spread_of_chains, tiny, n_documents=6, n_samples=4, table=table)
        for table in (None, "documents")
    )
    train, test = tiny.split(0)
    model = systems.build("Dependency-LDA", tiny.name, train).set_params(n_samples=4)
    scores = model.fit(train.counts, train.labels).decision_function(test.counts[:6])
    at = pairs["document"].to_numpy(), pairs["label"].to_numpy()
    np.testing.assert_allclose(pairs["score"], scores[at], atol=1e-7)
    np.testing.assert_array_equal(pairs["true"], test.labels[:6].toarray()[at])
    np.testing.assert_array_equal(documents["words"], np.ravel(test.counts[:6].sum(axis=1)))
    assert (len(pairs), len(documents)) == (36, 6)
