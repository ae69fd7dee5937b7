"""A relation between printed numbers, held case by case: what is printed beside what other numbers imply.

A check returns frames with ``CASES``: where the number stands (paper, item, corpus, model, measure), the number
(printed), what the others imply (implied), gap = printed - implied, allowed, and whether the relation holds.
``allowed`` is how far apart rounding alone can put the two; 0 where one number is said to be beyond another.
A relation is never called broken for what rounding may explain.
"""

import itertools

import numpy as np
import pandas as pd

from polytopic.study.audit.numbers import Number, exact, number, signs
from polytopic.study.claims import CLAIM, CLAIMS, PRINTED, Claim

BEARINGS = VERDICT, NUMBER, WORD = ("a verdict", "a number", "a word")
NOTEBOOK = "audit/printed_numbers"
PLACE = ["paper", "item", "corpus", "model", "measure"]
CASES = [*PLACE, "printed", "implied", "gap", "allowed", "holds"]
SLACK = 1e-9  # of the numbers themselves: what binary fractions do to decimal ones


class Relations:
    """Enters the relations of one paper, whose names begin with it, into the register of claims.

    ``bearing`` is what a broken relation touches: a verdict between methods, a number that others compare with, or a
    word; ``paper`` whom it is about, where it is not this one.
    """

    def __init__(self, paper):
        self.paper = paper

    def __call__(self, name, where, kind=CLAIM, bearing=VERDICT, paper=None):
        """Return the decorator of a check that says what its docstring says, up to an empty line."""

        def enter(check):
            says = " ".join(check.__doc__.partition("\n\n")[0].split())
            self.enter({where: {f"{name}: {says}": check}}, kind, bearing, paper)
            return check

        return enter

    def enter(self, says, kind=CLAIM, bearing=VERDICT, paper=None):
        """Enter a table of checks, {where: {"name: what is said": check}}."""
        for where, said in says.items():
            for words, check in said.items():
                name, _, told = words.partition(": ")
                names = {"kind": kind, "name": f"{self.paper}: {name}", "bearing": bearing}
                CLAIMS.append(Claim(paper or self.paper, told, where, PRINTED, NOTEBOOK, check, **names))


def equal(rows, implied, printed=None, **place):
    """Return cases of numbers that should be the same: the gap is at most what rounding allows to both.

    ``printed`` are the rows' own numbers unless given; keywords replace or fill where they stand.
    """
    return _cases(rows, printed, implied, place, lambda gap, allowed: gap.abs() <= allowed)


def at_least(rows, bound, printed=None, **place):
    """Return cases of numbers that must not be below another, rounding aside."""
    return _cases(rows, printed, bound, place, lambda gap, allowed: gap >= -allowed)


def at_most(rows, bound, printed=None, **place):
    """Return cases of numbers that must not be above another, rounding aside."""
    return _cases(rows, printed, bound, place, lambda gap, allowed: gap <= allowed)


def beyond(rows, bound, printed=None, higher=True, ties=False, **place):
    """Return cases of numbers said to be better than another, as they are printed.

    ``higher`` says whether more is better, for all or case by case; ``ties`` whether equal numbers will do.
    """
    printed, bound = (
        exact(number(one, rows.index).value) for one in (rows if printed is None else printed, bound)
    )
    sign = pd.Series(higher, rows.index).map({True: 1, False: -1})

    def is_beyond(gap, slack):
        return sign * gap >= -slack if ties else sign * gap > slack

    return _cases(rows, printed, bound, place, is_beyond)


def one(paper, item, printed, implied, half=0.0, **place):
    """Return the single case of two numbers that should agree to within ``half``."""
    row = pd.DataFrame([{"paper": paper, "item": item, **place}])
    return equal(row, implied, Number(pd.Series([float(printed)]), pd.Series([half])))


def beats(results, firsts, seconds):
    """Return cases of each first model said to be better than each second one in every cell that both have.

    A cell is all that is printed but for the model; which side is better is MEASURES' word.
    """
    cell = [c for c in ("item", "corpus", "pivot", "cutoff", "chains", "measure") if c in results]
    found = []
    for first, second in itertools.product(firsts, seconds):
        others = results.loc[results["model"] == second, [*cell, "value"]]
        pairs = results[results["model"] == first].merge(others, on=cell, suffixes=("", "_second"))
        better = beyond(pairs, pairs["value_second"], higher=signs(pairs) > 0, model=f"{first} over {second}")
        found.append(better)
    return pd.concat(found, ignore_index=True)


def place(rows, **changes):
    """Return where rows of ``reported`` stand; missing columns are empty, keywords replace or fill them.

    The measure gains its pivot, cutoff and chains where the rows have them.
    """
    if rows.index.name:
        rows = rows.reset_index().set_axis(rows.index)
    found = rows.reindex(columns=PLACE, fill_value="")
    for name in ("chains", "cutoff", "pivot"):
        if name in rows:
            unit = {"1": " chain", "5": " chains"} if name == "chains" else {}
            told = [f"{text}{unit.get(text, '')} " if text else "" for text in rows[name].astype(str)]
            found["measure"] = told + found["measure"].astype(str)
    return found.assign(**changes)


def _cases(rows, printed, implied, places, holds):
    sides = (rows if printed is None else printed), implied
    printed, implied = (
        Number(*(part.reindex(rows.index) for part in number(side, rows.index))) for side in sides
    )
    gap, allowed = printed.value - implied.value, printed.half + implied.half
    slack = SLACK * np.maximum(printed.value.abs(), implied.value.abs())
    frame = place(rows, **places).assign(
        printed=printed.value,
        implied=implied.value,
        gap=gap,
        allowed=allowed,
        holds=holds(gap, allowed + slack),
    )
    return frame[CASES].reset_index(drop=True).rename_axis(columns=None)
