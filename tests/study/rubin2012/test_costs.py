"""What a sweep costs: laws found again in times made by hand, and that every curve is measured."""

import numpy as np
import pandas as pd
import pytest

from polytopic.study.rubin2012 import costs, drawing
from polytopic.study.rubin2012.costs import DEPENDENCY, FLAT, LABELS, N_TOPICS, PHI, TOKENS, USED, WEIGHED

TINY = {
    "from": {"labels": 20, "topics": 2, "per_document": 2, "documents": 10, "length": 5}, "points": 2,
    "at": {"labels": 20, "topics": 3, "per_document": 2, "documents": 10, "length": 5},
    "n_test": 2, "seconds": 0.0,
}  # fmt: skip


def made(way, exponent, noise=(1.0, 1.0), phase=FLAT, against=LABELS):
    """Return measured times that grow with a power of the labels, one factor of noise for each repeat."""
    rows = [
        (phase, way, against, x, 7.0 * x, repeat, factor * x**exponent)
        for repeat, factor in enumerate(noise)
        for x in (100.0, 400.0, 1600.0)
    ]
    columns = ["phase", "way", "against", "x", "order", "repeat", "microseconds"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("exponent", "verdict"),
    [(0.3, costs.LESS), (0.95, costs.AS), (1.05, costs.AS), (1.4, costs.MORE)],
)
def test_a_power_is_found_again_and_judged(exponent, verdict):
    row = costs.exponents(made(USED, exponent, noise=(1.5, 1.0))).iloc[0]
    assert (row["exponent"], row["paper"], row["factor"]) == pytest.approx((exponent, 1.0, 16.0))
    assert row["verdict"] == verdict


def test_repeats_that_contradict_each_other_settle_nothing():
    both = pd.concat([made(USED, 0.3, noise=(1.0,)), made(USED, 1.0, noise=(1.0,)).assign(repeat=1)])
    row = costs.exponents(both).iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((0.3, 1.0)) and row["verdict"] == costs.AS


@pytest.mark.filterwarnings("error")
def test_a_cost_below_zero_leaves_its_exponents_out_and_settles_nothing():
    """Of three repeats one is spoiled: the median's exponent is there, and verdicts wait for a quieter machine."""
    measured = made(USED, 0.3, noise=(1.0, 1.0, 1.0))
    spoiled = measured.assign(microseconds=measured["microseconds"].where(measured.index != 0, -2.0))
    assert costs.exponents(measured).iloc[0]["verdict"] == costs.LESS
    row = costs.exponents(spoiled).iloc[0]
    assert row["exponent"] == pytest.approx(0.3) and np.isnan([row["low"], row["high"]]).all()
    assert row["verdict"] == costs.AS


@pytest.mark.parametrize(
    ("first", "sweep", "seconds", "n"), [(0.0, 0.01, 0.1, 16), (1.0, 0.01, 0.1, 128), (0.0, 0.5, 0.1, 2)]
)
def test_sweeps_are_timed_for_as_long_as_what_is_subtracted(first, sweep, seconds, n):
    class Clock(costs.Point):
        def seconds(self, n_sweeps):
            return first + sweep * n_sweeps

    assert costs._enough_sweeps(Clock(USED, {}, None), seconds) == n


def test_the_median_of_the_repeats_counts_and_what_is_saved_is_at_the_largest_size():
    both = pd.concat([made(USED, 0.5, noise=(3.0, 1.0)), made(WEIGHED, 1.0, noise=(2.0, 2.0))])
    assert costs.savings(both)[["x", "times"]].to_numpy().tolist() == [[1600.0, pytest.approx(40.0)]]


def test_the_paper_counts_labels_and_topics_together():
    size = {TOKENS: 10, costs.LABEL_TOKENS: 30, costs.PER_DOCUMENT: 6, LABELS: 7, N_TOPICS: 3}
    assert {phase: order(size) for phase, (_, order) in costs.ORDERS.items()} == {
        PHI: 60, costs.TOPICS: 90, FLAT: 70, costs.PRIOR: 70, DEPENDENCY: 100,
    }  # fmt: skip
    assert costs.orders()["order"].tolist()[-1] == "O(N_W (C + T))"


def test_every_curve_is_measured(monkeypatch):
    monkeypatch.setitem(costs.SCALES, "quick", TINY)
    table = costs.measure("quick", repeats=2)
    curves = set(zip(table["phase"], table["way"], table["against"], strict=True))
    assert len(curves) == 3 + 2 * 3 + 2 * (2 + 2 + 3)
    assert {(DEPENDENCY, USED, N_TOPICS), (PHI, USED, TOKENS)} <= curves
    assert (table.groupby(["phase", "way", "against"])["x"].nunique() == 2).all()
    assert np.isfinite(table["microseconds"]).all()
    # on a busy machine a cost can come out below zero, where a logarithmic axis ends
    shown = table.assign(microseconds=table["microseconds"].clip(lower=1e-3))
    axes = drawing.plot_sweep_costs(costs.summary(shown), costs.exponents(shown))
    assert len(axes) == len(table[["phase", "against"]].drop_duplicates())
    with pytest.raises(ValueError, match="unknown scale"):
        costs.measure("huge")


def test_sizes_are_those_of_the_corpus():
    """Nothing is timed: the sizes that the paper's order is taken of are counted here again."""
    (point,) = costs.samplers(PHI, TINY["at"], 2, 0)
    assert (point.size[TOKENS], point.size[LABELS]) == (50, 20) and 1 < point.size[costs.PER_DOCUMENT] < 4
    points = costs.samplers(DEPENDENCY, TINY["at"] | {"labels": 40}, 2, 0)
    size = {TOKENS: 10, LABELS: 40, N_TOPICS: 3}
    assert [(one.way, one.size) for one in points] == [(USED, size), (WEIGHED, size)]
