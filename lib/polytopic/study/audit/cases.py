"""A relation between printed numbers, held case by case: what is printed beside what other numbers imply.

A check returns frames with ``CASES``: where the number stands (paper, item, corpus, model, measure), the number
(printed), what the others imply (implied), gap = printed - implied, allowed, and whether the relation holds.
``allowed`` is how far apart rounding alone can put the two; 0 where one number is said to be beyond another.
A relation is never called broken for what rounding may explain.
"""

import itertools
import re
from functools import partial

import numpy as np
import pandas as pd

from polytopic.study.audit.numbers import Number, formula, number, partner, partners, rows_of, signs
from polytopic.study.claims import PRINTED, Claim

BEARINGS = VERDICT, NUMBER, WORD = ("a verdict", "a number", "a word")
NOTEBOOK = "audit/printed_numbers"
PLACE = ["paper", "item", "corpus", "model", "measure"]
CELL = ["paper", "corpus", "model", "epochs", "chains", "pivot", "cutoff", "measure"]
CASES = [*PLACE, "printed", "implied", "gap", "allowed", "holds"]
SLACK = 1e-9  # of the numbers themselves: what binary fractions do to decimal ones


def relations(group, says):
    """Return the claims of a table, {(kind, bearing): {"name (where in the paper): what is said.": check}}.

    The bearing is what a broken relation touches: a verdict between methods, a number that others compare with, or
    a word. A third part of the key is the paper where that isn't the group, which the names begin with.
    """
    found = []
    for (kind, bearing, *paper), said in says.items():
        for words, check in said.items():
            name, where, told = re.fullmatch(r"(.*?) \((.*?)\): (.*)", words).groups()
            names = {"kind": kind, "name": f"{group}: {name}", "bearing": bearing}
            found.append(Claim(*paper or [group], told, where, PRINTED, NOTEBOOK, check, **names))
    return found


def held(holds, rows, implied, printed=None, **where):
    """Return cases of numbers beside those that others imply, and whether gap and allowance are such as must hold.

    ``printed`` are the rows' own numbers unless given; keywords replace or fill where they stand.
    """
    printed, implied = (
        Number(*(part.reindex(rows.index) for part in number(side, rows.index)))
        for side in (rows if printed is None else printed, implied)
    )
    gap, allowed = printed.value - implied.value, printed.half + implied.half
    slack = SLACK * np.maximum(printed.value.abs(), implied.value.abs())
    told = {"printed": printed.value, "implied": implied.value, "gap": gap, "allowed": allowed}
    frame = place(rows, **where).assign(**told, holds=holds(gap, allowed + slack))
    return frame[CASES].reset_index(drop=True).rename_axis(columns=None)


equal = partial(held, lambda gap, allowed: gap.abs() <= allowed)
at_least = partial(held, lambda gap, allowed: gap >= -allowed)
at_most = partial(held, lambda gap, allowed: gap <= allowed)


def beyond(rows, bound, printed=None, higher=None, ties=False, **where):
    """Return cases of numbers said to be better than another, as they are printed.

    ``higher`` says whether more is better, where it isn't MEASURES' word; ``ties`` whether equal numbers will do.
    """
    printed, bound = (number(one, rows.index).value for one in (rows if printed is None else printed, bound))
    sign = signs(rows) if higher is None else 1 if higher else -1

    def is_beyond(gap, slack):
        return sign * gap >= -slack if ties else sign * gap > slack

    return held(is_beyond, rows, bound, printed, **where)


def against(hold, rows, others, function=None, **changes):
    """Return cases of rows held against those of other cells, or against what a formula makes of these.

    A cell is all that is printed but for the item; keywords say in what the other one differs.
    """
    cell = dict.fromkeys([*(name for name in CELL if name in rows), *changes])
    known = partner(rows, others, list(cell), **changes)
    return hold(rows, formula(function, known) if function else known)


def one(paper, item, printed, implied, half=0.0, **where):
    """Return the single case of two numbers that should agree to within ``half``."""
    row = pd.DataFrame([{"paper": paper, "item": item, **where}])
    return equal(row, implied, Number(pd.Series([float(printed)]), pd.Series([half])))


def beats(results, firsts, seconds):
    """Return cases of each first model said to be better than each second one in every cell that both have.

    A cell is all that is printed but for the model; which side is better is MEASURES' word.
    """
    cell = [name for name in ("item", *CELL) if name in results and name not in ("model", "epochs")]
    found = []
    for first, second in itertools.product(firsts, seconds):
        others = results.loc[results["model"] == second, [*cell, "value"]]
        pairs = results[results["model"] == first].merge(others, on=cell, suffixes=("", "_second"))
        found.append(beyond(pairs, pairs["value_second"], model=f"{first} over {second}"))
    return pd.concat(found, ignore_index=True)


def again(rows, known, on, **where):
    """Return cases of numbers that are printed a second time, where they are among those known."""
    rows, known = partners(rows, known, on)
    return equal(rows, known, **where)


def average_ranks(rows, ranks, names=None, exact=False):
    """Return cases of the averages over corpora that tables 5 and 6 print of the ranks of a paper's rows."""
    cell = [name for name in ("item", "model", "chains", "measure") if name in rows]
    mean = rows.assign(mean=ranks).groupby(cell)["mean"].mean().reset_index()
    printed = rows_of(rows["paper"].iloc[0], ["table 5", "table 6"]).dropna(subset="ranked_by")
    implied = partner(printed.assign(measure=printed["ranked_by"]), mean, cell)["mean"]
    told = printed.assign(measure="average rank, " + printed["ranked_by"].replace(names or {}))
    return equal(told, implied, printed["value"] if exact else None)


def place(rows, **changes):
    """Return where rows of ``reported`` stand; missing columns are empty, keywords replace or fill them.

    The measure is a statistic where there is no measure, and gains its pivot, cutoff and chains.
    """
    if rows.index.name:
        rows = rows.reset_index().set_axis(rows.index)
    if "measure" not in rows and "statistic" in rows:
        rows = rows.assign(measure=rows["statistic"])
    found = rows.reindex(columns=PLACE, fill_value="")
    for name in ("chains", "cutoff", "pivot"):
        if name in rows:
            unit = {"1": " chain", "5": " chains"} if name == "chains" else {}
            told = [f"{text}{unit.get(text, '')} " if text else "" for text in rows[name].fillna("")]
            found["measure"] = told + found["measure"].astype(str)
    return found.assign(**changes)
