"""Relations among printed numbers: those that compare two cells are rows of a table, the others functions.

A row of ``data/reported/relations.csv`` compares each number of ``first`` with each of ``second`` in the same cell,
by a test of ``TESTS``, or counts in how many cells first is better where a section says so: "section 6.1: won 12 of
13". Selections are written as ``model=PMM1 or PMM2; item=table 1``, or with ``!=``; ``where`` is for both sides, and
``paper`` in it, if it isn't the relation's own. A cell is all that is printed but for the columns that the two sides
name. Relations that need more have a function for their test, such as ``tai2012.effort``, which is given what the
other columns hold.
"""

import re

import pandas as pd

from polytopic import paths
from polytopic.study import claims
from polytopic.study.audit import between, burkhardt2018, papanikolaou, rubin2012, tai2012
from polytopic.study.audit.cases import CASES, at_least, better, equal, one, rows_of

COUNTED = re.compile(r"(section .*): won (\d+) of (\d+)")
CELL = ["paper", "item", "corpus", "model", "chains", "pivot", "cutoff", "measure", "statistic"]
TESTS = {
    "better": better,
    "as good": lambda *sides, **where: better(*sides, ties=True, **where),
    "below": lambda *sides, **where: better(*sides, sign=-1, **where),
    "equal": equal,
    "at least": at_least,
}
MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (between, burkhardt2018, papanikolaou, rubin2012, tai2012)
}


def entries():
    """Return the rows of ``audit_claims.csv`` by name: what papers say of their numbers, and what must hold."""
    return {one.name: one for one in claims.all_claims() if one.evidence == claims.PRINTED}


def check(name):
    """Return the cases of one relation, as ``cases.compare`` does."""
    table = pd.read_csv(paths.reported() / "relations.csv", dtype=str, keep_default_na=False)
    rows = table[table["relation"] == name]
    if rows.empty:
        raise ValueError(f"{name!r} is not in relations.csv: choose from {sorted(set(table['relation']))}")
    return pd.concat([row_cases(row) for row in rows.itertuples()], ignore_index=True)


def row_cases(row):
    """Return the cases of a row of ``relations.csv``."""
    if row.test in TESTS or COUNTED.fullmatch(row.test):
        return compare_cells(row)
    module, _, function = row.test.partition(".")
    found = getattr(MODULES[module], function)(*filter(None, (row.first, row.second, row.where)))
    return found if isinstance(found, pd.DataFrame) else pd.concat(found, ignore_index=True)


def check_all():
    """Return the cases of all relations, the relation's name in the first column."""
    frames = [check(name).assign(relation=name) for name in entries()]
    return pd.concat(frames, ignore_index=True)[["relation", *CASES]]


def compare_cells(row):
    """Return the cases of a row that compares cells with cells, or counts those that are better."""
    where, first, second = map(selection, (row.where, row.first, row.second))
    paper = where.get("paper", (True, [row.relation.partition(":")[0]]))[1][0]
    items = {item for side in (where, first, second) for item in side.get("item", (True, []))[1]}
    results = rows_of(paper)
    rows = results if items <= set(results["item"]) else rows_of(paper, sorted(items)).fillna("")
    everywhere = [name for name in ("pivot", "cutoff") if name in rows and rows[name].nunique() == 1]
    rows = select(rows, where).drop(columns=everywhere)
    if "publication" in rows:  # those quoted: their passes are part of the name, their cutoffs differ
        rows = rows.assign(model=(rows["model"] + " " + rows["epochs"]).str.strip(), cutoff="")
    named = {*first, *second, *(["model"] if "publication" in {*first, *second} else [])}
    cell = [name for name in CELL if name in rows and name not in named]
    others = select(rows, second)[[*cell, *named & {"model"}, "value", "decimals"]]
    pairs = select(rows, first).merge(others, on=cell, suffixes=("", "_second"))
    bound = pairs[["value_second", "decimals_second"]].set_axis(["value", "decimals"], axis=1)
    label = {"model": pairs["model"] + " over " + pairs["model_second"]} if "model" in named else {}
    if row.test in TESTS:
        return TESTS[row.test](pairs, bound, **label)
    won = better(pairs, bound, **label)
    item, claimed, of = COUNTED.fullmatch(row.test).groups()
    measures = {"measures won": (claimed, won["holds"].sum()), "measures in all": (of, len(won))}
    cell = won[["corpus", "model"]].iloc[0]
    return pd.concat([one(paper, item, *pair, measure=name, **cell) for name, pair in measures.items()])


def selection(text):
    """Return {column: (whether it is to be one of some values, or none, and the values)} of a selection."""
    parts = [re.fullmatch(r"(\w+)(!?=)(.*)", part) for part in filter(None, text.split("; "))]
    return {part[1]: (part[2] == "=", part[3].split(" or ")) for part in parts}


def select(rows, wanted):
    """Return the rows of a ``selection``."""
    for name, (is_one, values) in wanted.items():
        rows = rows[rows[name].isin(values) == is_one]
    return rows
