"""Printed numbers, what rounding leaves of them, and comparisons of one with another, case by case.

Rounding is half a unit of the last printed digit to either side; counts are exact. Numbers are a ``Number``, rows of
``reported``, which are rounded, or exact ones: a Series with the rows' index, one for each row, or one for all.

A comparison returns a frame with ``CASES``: where the number stands (paper, item, corpus, model, measure), the number
(printed), what the others imply (implied), gap = printed - implied, allowed, and whether the relation holds.
``allowed`` is how far apart rounding alone can put the two; 0 where one number is said to be better than another.
A relation is never called broken for what rounding may explain.
"""

import itertools
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study.printed import half_unit, reported

PLACE = ["paper", "item", "corpus", "model", "measure"]
CASES = [*PLACE, "printed", "implied", "gap", "allowed", "holds"]
SLACK = 1e-9  # of the numbers themselves: what binary fractions do to decimal ones


class Number(NamedTuple):
    """A column of printed numbers, each known to within ``half``."""

    value: pd.Series
    half: pd.Series


# Rows, and how they find each other


def rows_of(paper, items=None, **wanted):
    """Return rows of ``reported``, of one item or several, whose columns have a wanted value, or one of some."""
    several = [items] if items is None or isinstance(items, str) else items
    rows = pd.concat([reported(paper, item) for item in several], ignore_index=True)
    for column, value in wanted.items():
        rows = rows[rows[column].isin([value] if isinstance(value, str) else value)]
    return rows


def partner(rows, others, on, **changes):
    """Return the rows of others in the order of rows, matched on some columns; KeyError where one is missing.

    Keywords give those columns in which the partners differ from the rows.
    """
    found = others.set_index(on).loc[pd.MultiIndex.from_frame(rows.assign(**changes)[on])]
    return found.reset_index().set_index(rows.index)


def partners(rows, others, on):
    """Return the rows that have a partner among others, and the partners."""
    known = pd.MultiIndex.from_frame(others[on])
    kept = rows[pd.MultiIndex.from_frame(rows[on]).isin(known)]
    return kept, partner(kept, others, on)


def by_corpus(rows):
    """Return the rows of each statistic, by corpus."""
    return {name: block.set_index("corpus") for name, block in rows.groupby("statistic")}


def place(rows):
    """Return where rows of ``reported`` stand; missing columns are empty, and a statistic is a measure.

    The measure gains its pivot, cutoff and chains.
    """
    if rows.index.name:
        rows = rows.reset_index().set_axis(rows.index)
    if "measure" not in rows and "statistic" in rows:
        rows = rows.assign(measure=rows["statistic"])
    found = rows.reindex(columns=PLACE, fill_value="")
    for name in ("chains", "cutoff", "pivot"):
        if name in rows:
            unit = {"1": " chain", "5": " chains"} if name == "chains" else {}
            words = [f"{text}{unit.get(text, '')} " if text else "" for text in rows[name].fillna("")]
            found["measure"] = words + found["measure"].astype(str)
    return found


# Numbers


def number(what, index=None):
    """Return a Number from one, from rows, known to half a unit of their last digit, or from exact values.

    It has the index, if one is given.
    """
    if isinstance(what, pd.DataFrame):
        what = Number(what["value"], pd.Series(half_unit(what["decimals"]), what.index))
    elif not isinstance(what, Number):
        values = pd.Series(what, index).astype(float)
        what = Number(values, 0 * values)
    return what if index is None else Number(*(part.reindex(index) for part in what))


def formula(function, *numbers):
    """Return the Number that a function of other numbers implies, its half covering all that rounding allows.

    The function must rise or fall in each argument over what rounding allows, so that its extremes are in the
    corners. The half is the larger of the two sides.
    """
    numbers = [number(one) for one in numbers]
    centre = function(*(number.value for number in numbers))
    sides = itertools.product(*((one.value - one.half, one.value + one.half) for one in numbers))
    corners = pd.concat([function(*corner) for corner in sides], axis=1)
    return Number(centre, np.abs(corners.sub(centre, axis=0)).max(axis=1))


def signs(rows):
    """Return 1 for rows of measures of which more is better, -1 for the others."""
    return rows["measure"].map(lambda measure: MEASURES[measure].sign)


def ranks(rows, by, method="average"):
    """Return the rank of each row among those that share the ``by`` columns: 1 is best, equals share the mean."""
    signed = rows["value"] * signs(rows)
    return signed.groupby([rows[name] for name in by]).rank(method=method, ascending=False)


# Comparisons


def compare(holds, rows, implied, printed=None, **where):
    """Return cases of numbers beside those that others imply.

    ``holds`` takes gaps and what is allowed. ``printed`` are the rows' own numbers unless given; keywords replace or
    fill where they stand.
    """
    printed, implied = (number(side, rows.index) for side in (rows if printed is None else printed, implied))
    gap, allowed = printed.value - implied.value, printed.half + implied.half
    slack = SLACK * np.maximum(printed.value.abs(), implied.value.abs())
    numbers = {"printed": printed.value, "implied": implied.value, "gap": gap, "allowed": allowed}
    frame = place(rows).assign(**where, **numbers, holds=holds(gap, allowed + slack))
    return frame[CASES].reset_index(drop=True).rename_axis(columns=None)


equal = partial(compare, lambda gap, allowed: gap.abs() <= allowed)
at_least = partial(compare, lambda gap, allowed: gap >= -allowed)
at_most = partial(compare, lambda gap, allowed: gap <= allowed)


def better(rows, bound, printed=None, sign=None, ties=False, **where):
    """Return cases of numbers said to be better than another, as they are printed.

    ``sign`` is 1 where more is better and -1 where less is, unless MEASURES says so; ``ties``: equal ones will do.
    """
    printed, bound = (number(one, rows.index).value for one in (rows if printed is None else printed, bound))
    sign = signs(rows) if sign is None else sign

    def is_better(gap, slack):
        return sign * gap >= -slack if ties else sign * gap > slack

    return compare(is_better, rows, bound, printed, **where)


def one(paper, item, printed, implied, half=0.0, **where):
    """Return the single case of two numbers that should agree to within ``half``."""
    row = pd.DataFrame([{"paper": paper, "item": item, **where}])
    return equal(row, implied, Number(pd.Series([float(printed)]), pd.Series([half])))


def average_ranks(rows, ranks, names=None, exact=False):
    """Return cases of the averages over corpora that tables 5 and 6 print of the ranks of a paper's rows."""
    cell = [name for name in ("item", "model", "chains", "measure") if name in rows]
    mean = rows.assign(mean=ranks).groupby(cell)["mean"].mean().reset_index()
    printed = rows_of(rows["paper"].iloc[0], ["table 5", "table 6"]).dropna(subset="ranked_by")
    implied = partner(printed.assign(measure=printed["ranked_by"]), mean, cell)["mean"]
    named = printed.assign(measure="average rank, " + printed["ranked_by"].replace(names or {}))
    return equal(named, implied, printed["value"] if exact else None)
