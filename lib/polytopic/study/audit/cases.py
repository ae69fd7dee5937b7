"""A relation between printed numbers, held case by case: what is printed beside what other numbers imply.

Every function returns a frame with ``CASES``: where the number stands (paper, item, corpus, model, measure), the
number (printed), what the others imply (implied), gap = printed - implied, allowed, and whether the relation holds.
``allowed`` is how far apart rounding alone can put the two; 0 where one number is said to be beyond another.

Rounding is half a unit of the last printed digit to either side; counts are exact. A relation is never called broken
for what rounding may explain.
"""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study.printed import half_unit

PLACE = ["paper", "item", "corpus", "model", "measure"]
CASES = [*PLACE, "printed", "implied", "gap", "allowed", "holds"]
SLACK = 1e-9  # of the numbers themselves: what binary fractions do to decimal ones


class Number(NamedTuple):
    """A column of printed numbers, each known to within ``half``."""

    value: pd.Series
    half: pd.Series


def rounded(rows):
    """Return the numbers of ``reported`` rows, each known to half a unit of its last digit."""
    return Number(rows["value"], pd.Series(half_unit(rows["decimals"]), index=rows.index))


def exact(values):
    """Return numbers that are not rounded: counts of documents, labels, ranks."""
    values = pd.Series(values)
    return Number(values.astype(float), pd.Series(0.0, index=values.index))


def formula(function, *numbers):
    """Return the Number that a function of other Numbers implies, its half covering all that rounding allows.

    The function must rise or fall in each argument over what rounding allows, so that its extremes are in the
    corners. The half is the larger of the two sides.
    """
    centre = function(*(number.value for number in numbers))
    corners = [
        function(*(number.value + sign * number.half for number, sign in zip(numbers, signs, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(numbers))
    ]
    return Number(centre, np.abs(pd.concat(corners, axis=1).sub(centre, axis=0)).max(axis=1))


def equal(places, printed, implied):
    """Return cases of numbers that should be the same: the gap is at most what rounding allows to both."""
    gap, allowed = _gap(printed, implied)
    return _cases(places, printed, implied, gap.abs() <= allowed)


def at_least(places, printed, bound):
    """Return cases of numbers that must not be below another, rounding aside."""
    gap, allowed = _gap(printed, bound)
    return _cases(places, printed, bound, gap >= -allowed)


def beyond(places, printed, bound, higher=True, ties=False):
    """Return cases of numbers said to be better than another, as they are printed.

    ``higher`` says whether more is better, for all or case by case; ``ties`` whether equal numbers will do.
    """
    gap = printed.value - bound.value
    signed = gap.where(pd.Series(higher, index=gap.index), -gap)
    slack = SLACK * np.maximum(printed.value.abs(), bound.value.abs())
    return _cases(places, printed, bound, signed >= -slack if ties else signed > slack).assign(allowed=0.0)


def different(places, printed, other):
    """Return cases of numbers that cannot well be the same: of other documents, or of another quantity."""
    return _cases(places, printed, other, printed.value != other.value)


def place(rows, **changes):
    """Return where rows of ``reported`` stand; missing columns are empty, keywords replace or fill them.

    The measure gains its pivot, cutoff and chains where the rows have them.
    """
    found = pd.DataFrame({name: rows.get(name, pd.Series("", index=rows.index)) for name in PLACE})
    parts = [_part(rows, name) for name in ("pivot", "cutoff", "chains")]
    for part in parts[::-1]:
        found["measure"] = part + found["measure"].astype(str)
    return found.assign(**changes)


def _part(rows, name):
    if name not in rows:
        return pd.Series("", index=rows.index)
    unit = {"1": " chain", "5": " chains"} if name == "chains" else {}
    told = [f"{text}{unit.get(text, '')} " if text else "" for text in rows[name].astype(str)]
    return pd.Series(told, index=rows.index, dtype=object)


def one(paper, item, printed, implied, corpus="", model="", measure="", half=0.0):
    """Return the single case of two numbers that should agree to within ``half``."""
    places = pd.DataFrame([(paper, item, corpus, model, measure)], columns=PLACE)
    return equal(places, Number(pd.Series([float(printed)]), pd.Series([half])), exact([implied]))


def beats(results, firsts, seconds):
    """Return cases of each first model said to be better than each second one in every cell that both have.

    A cell is all that is printed but for the model; which side is better is MEASURES' word.
    """
    cell = [c for c in ("item", "corpus", "pivot", "cutoff", "chains", "measure") if c in results]
    found = []
    for first, second in itertools.product(firsts, seconds):
        others = results.loc[results["model"] == second, [*cell, "value", "decimals"]]
        pairs = results[results["model"] == first].merge(others, on=cell, suffixes=("", "_second"))
        bound = pairs[["value_second", "decimals_second"]].set_axis(["value", "decimals"], axis=1)
        places = place(pairs, model=f"{first} over {second}")
        found.append(beyond(places, rounded(pairs), rounded(bound), signs(pairs) > 0))
    return pd.concat(found, ignore_index=True)


def signs(rows):
    """Return 1 for rows of measures of which more is better, -1 for the others."""
    return rows["measure"].map(lambda measure: MEASURES[measure].sign)


def ranks(rows, by, method="average"):
    """Return the rank of each row among those that share the ``by`` columns: 1 is best, equals share the mean."""
    signed = rows["value"] * signs(rows)
    return signed.groupby([rows[name] for name in by]).rank(method=method, ascending=False)


def _gap(printed, implied):
    slack = SLACK * np.maximum(printed.value.abs(), implied.value.abs())
    return printed.value - implied.value, printed.half + implied.half + slack


def _cases(places, printed, implied, holds):
    frame = places.assign(
        printed=printed.value,
        implied=implied.value,
        gap=printed.value - implied.value,
        allowed=printed.half + implied.half,
        holds=holds,
    )
    return frame[CASES].reset_index(drop=True)
