"""Means with intervals and paired differences, against scipy and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from polytopic.study import compare


def runs(values, **columns):
    """Return a frame with one row for each model and run: values maps a model to its values over runs."""
    rows = [(model, run, value) for model, many in values.items() for run, value in enumerate(many)]
    return pd.DataFrame(rows, columns=["model", "run", "value"]).assign(**columns)


def test_a_mean_and_its_interval_are_students():
    values = [0.61, 0.64, 0.58, 0.66]
    row = compare.means(runs({"A": values}), ["model"], ["run"]).iloc[0]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    np.testing.assert_allclose(
        row[["mean", "se", "low", "high"]].astype(float), [0.6225, stats.sem(values), low, high]
    )
    assert row["n"] == 4


def test_seeds_are_averaged_within_a_split_first():
    """Two seeds of one split are not two repetitions: counted so, the mean would be 1/3 and n 3."""
    frame = pd.DataFrame({"model": "A", "split": [0, 0, 1], "seed": [0, 1, 0], "value": [0.0, 1.0, 0.0]})
    row = compare.means(frame, ["model"], ["split"]).iloc[0]
    assert (row["mean"], row["n"]) == (0.25, 2)


def test_a_single_repetition_has_no_spread():
    row = compare.means(runs({"A": [0.5]}), ["model"], ["run"]).iloc[0]
    assert row["mean"] == 0.5 and row[["sd", "se", "low", "high"]].isna().all()


def test_scales_are_not_averaged():
    frame = runs({"A": [0.5, 0.6]}).assign(scale=["quick", "paper"])
    with pytest.raises(ValueError, match="mix the scales"):
        compare.means(frame, ["model"], ["run"])


def test_different_things_are_not_averaged():
    """A mean over F, counts and seconds looked like a mean over trials: rows may differ in seeds alone."""
    f1, seconds = (runs({"A": [3.0, 4.0], "B": [2.0, 2.0]}, measure=name) for name in ("f1", "fit_seconds"))
    frame = pd.concat([f1, seconds.assign(value=[90.0, 91.0, 10.0, 12.0])])
    told = "rows of one cell differ in measure: keep one of each, or name what to average over within {}"
    with pytest.raises(ValueError, match=told.format("model, run")):
        compare.means(frame, ["model"], ["run"])
    with pytest.raises(ValueError, match=told.format("run, model")):
        compare.paired(frame, "A", "B", [], ["run"], measure="f1")
    both = compare.means(frame, ["model", "measure"], ["run"])
    assert both["mean"].tolist() == [3.5, 2.0, 90.5, 11.0]


def test_what_is_named_is_averaged_within_a_repetition_as_seeds_are():
    """Only what is named: of two cut-offs and two seeds the cut-offs are refused until they are named too."""
    parts = [
        runs({"A": [3.0 + add, 5.0 + add], "B": [2.0, 2.0]}, seed=seed, cutoff=cutoff, measure="f1")
        for seed, cutoff, add in ((0, "calibrated", 0.0), (1, "calibrated", 2.0))
    ]
    seeds = pd.concat(parts)
    assert compare.means(seeds, ["model"], ["run"])["mean"].tolist() == [5.0, 2.0]
    assert compare.paired(seeds, "A", "B", ["measure"], ["run"])["gain"].tolist() == [3.0]
    mixed = pd.concat([seeds, seeds.assign(cutoff="proportional", value=0.0)])
    with pytest.raises(ValueError, match="rows of one cell differ in cutoff: keep one of each"):
        compare.paired(mixed, "A", "B", ["measure"], ["run"])
    both = compare.paired(mixed, "A", "B", ["measure"], ["run"], within=("seed", "cutoff"))
    assert both["gain"].tolist() == [1.5] and both["n"].tolist() == [2]


def test_a_paired_gain_is_turned_by_the_measure():
    frame = runs({"A": [10.0, 12.0, 11.0], "B": [11.0, 13.5, 12.25]}, measure="one_error")
    row = compare.paired(frame, "A", "B", ["measure"], ["run"]).iloc[0]
    gain = np.array([1.0, 1.5, 1.25])
    t, p = stats.ttest_1samp(gain, 0)
    np.testing.assert_allclose([row["gain"], row["t"], row["p"]], [1.25, t, p])
    assert row["ahead"] == 1
    other = compare.paired(frame.assign(measure="average_precision"), "A", "B", ["measure"], ["run"]).iloc[0]
    assert other["ahead"] == -1 and other["gain"] == -1.25


def test_only_repetitions_that_both_have_are_paired():
    """Unpaired, A would be ahead by far: its extra run is an easy one."""
    frame = runs({"A": [0.5, 0.5, 0.9], "B": [0.6, 0.61]}, measure="auc_roc")
    row = compare.paired(frame, "A", "B", ["measure"], ["run"]).iloc[0]
    assert row["n"] == 2 and row["first_mean"] == 0.5 and row["gain"] < 0


def test_an_interval_around_zero_or_a_single_pair_puts_nobody_ahead():
    frame = runs({"A": [0.5, 0.7], "B": [0.6, 0.5]}, measure="auc_roc")
    assert compare.paired(frame, "A", "B", ["measure"], ["run"])["ahead"].tolist() == [0]
    single = compare.paired(frame[frame["run"] == 0], "A", "B", ["measure"], ["run"]).iloc[0]
    assert single["ahead"] == 0 and np.isnan(single["p"])


def test_the_same_difference_everywhere():
    frame = runs({"A": [1.0, 2.0, 3.0], "B": [0.0, 1.0, 2.0], "C": [1.0, 2.0, 3.0]})
    frame["measure"] = "f1"
    assert compare.paired(frame, "A", "B", ["measure"], ["run"])["p"].tolist() == [0.0]
    assert compare.paired(frame, "A", "C", ["measure"], ["run"])["p"].tolist() == [1.0]


def test_common_repetitions():
    frame = pd.DataFrame(
        {"corpus": "x", "model": ["A", "A", "B"], "split": [0, 1, 0], "value": [1.0, 2.0, 3.0]}
    )
    assert compare.common(frame, ["split"])["value"].tolist() == [1.0, 3.0]
