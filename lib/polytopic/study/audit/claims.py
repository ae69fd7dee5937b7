"""The audit's part of the register: what printed numbers must satisfy, and what papers say of their own."""

import pandas as pd

from polytopic.study.audit import between, burkhardt2018, papanikolaou, rubin2012, tai2012, ueda2002
from polytopic.study.audit.cases import BEARINGS, CASES, SLACK
from polytopic.study.claims import BETWEEN, CLAIM, GRADES, MUST_HOLD, enter, page, verdict

__all__ = ["page"]
CHECKS = {"between": between.CHECKS, "definitions": between.DEFINITIONS}
CHECKS |= {paper.PAPER: paper.CHECKS for paper in (rubin2012, papanikolaou, burkhardt2018, ueda2002, tai2012)}
NAMED = {f"{group}: {name}": check for group, checks in CHECKS.items() for name, check in checks.items()}
RELATIONS = enter("audit", NAMED)
SHOWN = ["kind", "bearing", "where", "says", "verdict", "cases", "broken", "tied"]


def relation(name):
    """Return the relation of this name; ValueError for another, naming those of the same paper."""
    if name not in RELATIONS:
        near = [one for one in RELATIONS if one.split(":")[0] == name.split(":")[0]] or list(RELATIONS)
        raise ValueError(f"there is no relation {name!r}: choose from {near}")
    return RELATIONS[name]


def check(name):
    """Return the cases of one relation, its name in the first column."""
    return relation(name).cases().assign(relation=name)[["relation", *CASES]]


def check_all():
    """Return the cases of all relations, in the order of ``RELATIONS``."""
    return pd.concat(map(check, RELATIONS), ignore_index=True)


def overview(found):
    """Return one row per relation: kind, bearing, where, says, verdict, cases, broken and, of these, tied.

    ``found`` is ``check_all()`` or a part of it. Rows go by bearing, then by the share that is broken. A tie is a
    broken case without a gap: a method said to be better that is level in print.
    """
    is_tied = ~found["holds"] & (found["gap"].abs() <= SLACK)
    groups = found.assign(broken=~found["holds"], tied=is_tied).groupby("relation", sort=False)
    counts = groups.agg(cases=("holds", "size"), broken=("broken", "sum"), tied=("tied", "sum")).astype(int)
    every = [(relation(name), block) for name, block in groups]
    rows = [one._asdict() | {"verdict": verdict(block, one.extent)} for one, block in every]
    table = pd.DataFrame(rows).set_index("name").join(counts)
    table["tied"] = table["tied"].where(table["kind"] != MUST_HOLD, 0)
    table["bearing"] = pd.Categorical(table["bearing"], BEARINGS, ordered=True)
    table["share"] = -table["broken"] / table["cases"]
    return table.sort_values(["bearing", "share"], kind="stable").rename_axis("relation")[SHOWN]


def findings(found, *names):
    """Return what each of the named relations says, its verdict, and how many of its cases are broken, or tied."""
    table = overview(found[found["relation"].isin(names)]).loc[[*names]].reset_index(drop=True)
    return table[["where", "says", "verdict", "cases", "broken", "tied"]]


def broken(found, *names):
    """Return the broken cases of the named relations, or of all, in order; columns that say nothing are left out.

    Names of relations are without their paper's, which has a column of its own where there are several.
    """
    order = [relation(name).name for name in names or RELATIONS]
    parts = [found[(found["relation"] == name) & ~found["holds"]] for name in order]
    kept = pd.concat(parts, ignore_index=True)
    kept["relation"] = kept["relation"].str.partition(": ")[2]
    bare = [c for c in ("relation", "paper", "item", "corpus", "model", "allowed") if _says_nothing(kept[c])]
    return kept.drop(columns=[*bare, "holds"])


def totals(found):
    """Return how many relations and cases there are of each kind, and how many of both are broken."""
    table = overview(found)
    groups = table.assign(relations=1, failing=table["broken"] > 0).groupby("kind", sort=False)
    total = groups[["relations", "failing", "cases", "broken"]].sum()
    total.columns = ["relations", "relations broken", "cases", "cases broken"]
    return total.reindex([MUST_HOLD, CLAIM, BETWEEN], fill_value=0)


def in_short(found):
    """Return a sentence in Markdown: how many relations are broken, and how many claims have which verdict."""
    counts, table = totals(found), overview(found)
    grades = table.loc[table["kind"] == CLAIM, "verdict"].value_counts()
    told = ", ".join(f"{grade} {grades[grade]}" for grade in GRADES if grade in grades)
    rules, broken, cases, wrong = counts.loc[MUST_HOLD]
    arithmetic = (
        f"{broken} of {rules} relations that must hold among the printed numbers are broken, in {wrong:,} of "
        f"{cases:,} cases. "
    )
    claims, exceptions = counts.loc[CLAIM].iloc[:2]
    return (
        f"**So:** {arithmetic if rules else ''}Of {claims} claims that printed numbers can test "
        f"{claims - exceptions} hold in every case; by the share that each claims: {told}."
    )


def _says_nothing(column):
    return column.nunique() <= 1 and (column.name in ("relation", "paper") or not any(column))
