"""Printed numbers, what rounding leaves of them, and how rows of them find each other.

Rounding is half a unit of the last printed digit to either side; counts are exact. Numbers are a ``Number``, rows of
``reported``, which are rounded, or exact ones: a Series with the rows' index, one for each row, or one for all.
"""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study.printed import half_unit, reported


class Number(NamedTuple):
    """A column of printed numbers, each known to within ``half``."""

    value: pd.Series
    half: pd.Series


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


def formula(function, *numbers):
    """Return the Number that a function of other numbers implies, its half covering all that rounding allows.

    The function must rise or fall in each argument over what rounding allows, so that its extremes are in the
    corners. The half is the larger of the two sides.
    """
    numbers = [number(one) for one in numbers]
    centre = function(*(number.value for number in numbers))
    corners = [
        function(*(number.value + sign * number.half for number, sign in zip(numbers, signs, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(numbers))
    ]
    return Number(centre, np.abs(pd.concat(corners, axis=1).sub(centre, axis=0)).max(axis=1))


def signs(rows):
    """Return 1 for rows of measures of which more is better, -1 for the others."""
    return rows["measure"].map(lambda measure: MEASURES[measure].sign)


def ranks(rows, by, method="average"):
    """Return the rank of each row among those that share the ``by`` columns: 1 is best, equals share the mean."""
    signed = rows["value"] * signs(rows)
    return signed.groupby([rows[name] for name in by]).rank(method=method, ascending=False)


def number(what, index=None):
    """Return a Number from one, from rows, known to half a unit of their last digit, or from exact values."""
    if isinstance(what, Number):
        return what
    if isinstance(what, pd.DataFrame):
        return Number(what["value"], pd.Series(half_unit(what["decimals"]), what.index))
    values = pd.Series(what, index).astype(float)
    return Number(values, 0 * values)
