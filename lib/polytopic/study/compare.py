"""Means with intervals, and paired differences: the two comparisons that all papers share.

Frames are tidy, one value a row. A repetition (a split, trial, partition or run) is what is averaged over; intervals
are Student's t at 95 %, and missing where there is a single repetition. Repetitions on one corpus share documents, so
that intervals are too narrow rather than too wide.
"""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.metrics import MEASURES

CONFIDENCE = 0.95
WITHIN = ("seed",)


def means(frame, by, over, value="value", within=WITHIN):
    """Return the mean over repetitions: columns ``by``, mean, sd, se, low, high, n.

    by and over are lists of columns; over ``within`` is averaged within a repetition first.
    sd divides by n - 1; se is the mean's standard error; low and high bound its 95 % interval. With one repetition
    sd, se, low and high are missing. Missing values are left out.

    Raises ValueError for missing columns, where rows of several scales would be averaged, and where rows of one
    repetition differ in anything but ``within``.
    """
    require(frame, [*by, *over, value])
    _one_thing(frame, [*by, *over], value, within)
    if "scale" in frame and "scale" not in by and (frame.groupby(by)["scale"].nunique() > 1).any():
        scales = sorted(frame["scale"].unique())
        raise ValueError(
            f"the rows mix the scales {scales}: keep one, as in frame[frame.scale == {scales[0]!r}]"
        )
    each = frame.dropna(subset=value).groupby([*by, *over], sort=False)[value].mean()
    table = each.groupby(level=by, sort=False).agg(mean="mean", sd="std", n="size").reset_index()
    return _with_interval(table)[[*by, "mean", "sd", "se", "low", "high", "n"]]


def paired(frame, first, second, by, over, value="value", of="model", measure=None, within=WITHIN):
    """Return by how much one model is better than another, paired within each repetition.

    Columns: ``by``, first, second (names), first_mean, second_mean (over the repetitions that both have), gain (mean
    of first - second, turned so that positive is better), sd, se, low, high (its 95 % interval), n, t and p (paired
    t-test, two-sided), wilcoxon_p, ahead (1 where low is above 0, -1 where high is below 0, else 0). Which side is
    better is MEASURES' word on the column ``measure`` of by, or on ``measure``.

    With fewer than two repetitions the tests are missing and ahead is 0. Where every difference is the same, p is 0,
    or 1 if they are all 0. Raises ValueError as ``means``.
    """
    require(frame, [*by, *over, of, value])
    two = frame[frame[of].isin([first, second])]
    _one_thing(two, [*by, *over, of], value, within)
    wide = two.pivot_table(value, [*by, *over], of, sort=False).reindex(columns=[first, second]).dropna()
    names = wide.index.get_level_values("measure") if measure is None else [measure] * len(wide)
    wide["gain"] = (wide[first] - wide[second]) * [MEASURES[name].sign for name in names]
    rows = []
    for place, part in wide.groupby(level=by, sort=False):
        own = (*place, first, second, part[first].mean(), part[second].mean())
        rows.append((*own, *_tests(part["gain"].to_numpy())))
    columns = [*by, "first", "second", "first_mean", "second_mean", "mean", "sd", "n", "t", "p", "wilcoxon_p"]
    table = _with_interval(pd.DataFrame(rows, columns=columns))
    table["ahead"] = np.select([table["low"] > 0, table["high"] < 0], [1, -1], 0)
    order = ["mean", "sd", "se", "low", "high", "n", "t", "p", "wilcoxon_p", "ahead"]
    return table[[*columns[: len(by) + 4], *order]].rename(columns={"mean": "gain"})


def _one_thing(frame, cell, value, within):
    """Raise ValueError where rows of one cell differ in anything but the value and ``within``."""
    twice = frame[frame.duplicated(cell, keep=False)]
    others = [name for name in frame.columns if name not in {*cell, value, *within}]
    if len(twice) and others:
        several = (twice.groupby(cell)[others].nunique(dropna=False) > 1).any()
        if several.any():
            raise ValueError(
                f"rows of one cell differ in {', '.join(several[several].index)}: keep one of each, or name what to "
                f"average over within {', '.join(map(str, cell))}"
            )


def common(frame, over):
    """Return the rows of those repetitions that all models of a corpus have, for means over the same documents."""
    models = frame.groupby(["corpus", *over])["model"].transform("nunique")
    return frame[models == frame.groupby("corpus")["model"].transform("nunique")]


def require(frame, columns):
    """Raise ValueError, naming what there is, unless a frame has these columns."""
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(
            f"the frame has no column {', '.join(missing)}: it has {', '.join(map(str, frame.columns))}"
        )


def _tests(gain):
    sd = gain.std(ddof=1) if gain.size > 1 else np.nan
    if gain.size < 2:
        return gain.mean(), sd, gain.size, np.nan, np.nan, np.nan
    scale = np.abs(gain).max()
    if scale == 0:
        return 0.0, 0.0, gain.size, 0.0, 1.0, 1.0
    wilcoxon = stats.wilcoxon(gain).pvalue
    if np.ptp(gain) <= 1e-12 * scale:
        return gain.mean(), 0.0, gain.size, np.sign(gain[0]) * np.inf, 0.0, wilcoxon
    t, p = stats.ttest_1samp(gain, 0.0)
    return gain.mean(), sd, gain.size, t, p, wilcoxon


def half_width(error, n):
    """Return half the 95 % interval of means over n repetitions with these standard errors; of one, nothing."""
    return stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(np.asarray(n) - 1, 1)) * error


def _with_interval(table):
    error = table["sd"] / np.sqrt(table["n"])
    half = half_width(error, table["n"])
    return table.assign(se=error, low=table["mean"] - half, high=table["mean"] + half)
