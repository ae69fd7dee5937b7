"""All relations of the audit, and what becomes of them."""

import textwrap

import pandas as pd

from polytopic.study.audit import (
    between,
    burkhardt2018,
    definitions,
    papanikolaou,
    rubin2012,
    tai2012,
    ueda2002,
)
from polytopic.study.audit.cases import CASES, SLACK
from polytopic.study.audit.relation import BEARINGS, Relation

__all__ = [
    "BEARINGS",
    "RELATIONS",
    "Relation",
    "broken",
    "check",
    "check_all",
    "finding",
    "overview",
    "relation",
    "totals",
]

PAPERS = (rubin2012, papanikolaou, burkhardt2018, ueda2002, tai2012, between, definitions)
RELATIONS = tuple(one for paper in PAPERS for one in paper.RELATIONS)

WIDTH = 112
KINDS = ("must hold", "claim", "between")
SHOWN = ["kind", "bearing", "where", "says", "cases", "broken", "tied"]


def relation(name):
    """Return the relation of this name; ValueError for another, naming those of the same paper."""
    known = {one.name: one for one in RELATIONS}
    if name not in known:
        near = [one for one in known if one.split(":")[0] == name.split(":")[0]] or list(known)
        raise ValueError(f"there is no relation {name!r}: choose from {near}")
    return known[name]


def check(name):
    """Return the cases of one relation, its name in the first column."""
    return _named(relation(name))


def check_all():
    """Return the cases of all relations, in the order of ``RELATIONS``."""
    return pd.concat([_named(one) for one in RELATIONS], ignore_index=True)


def overview(found=None):
    """Return one row per relation: kind, bearing, where, says, cases, how many are broken, and how many of those tie.

    ``found`` is ``check_all()``, or what is given. Rows go by bearing, then by the share that is broken. A tie is a
    broken case without a gap: a method said to be better that is level in print.
    """
    found = check_all() if found is None else found
    claims = [one.name for one in RELATIONS if one.kind != "must hold"]
    tied = ~found["holds"] & (found["gap"].abs() <= SLACK) & found["relation"].isin(claims)
    counts = (
        found.assign(tied=tied)
        .groupby("relation")
        .agg(cases=("holds", "size"), held=("holds", "sum"), tied=("tied", "sum"))
    )
    rows = [one._asdict() for one in RELATIONS if one.name in counts.index]
    table = pd.DataFrame(rows).drop(columns="check").set_index("name").join(counts.astype(int))
    table["broken"] = table["cases"] - table["held"]
    table["bearing"] = pd.Categorical(table["bearing"], BEARINGS, ordered=True)
    share = table["broken"] / table["cases"]
    table = table.assign(share=share).sort_values(
        ["bearing", "share"], ascending=[True, False], kind="stable"
    )
    return table.drop(columns=["held", "share"]).rename_axis("relation")[SHOWN]


def broken(found, *names):
    """Return the broken cases of the named relations, or of all, in order; columns that say nothing are left out.

    Names of relations are without their paper's, which has a column of its own where there are several.
    """
    order = [relation(name).name for name in names] or [one.name for one in RELATIONS]
    parts = [found[(found["relation"] == name) & ~found["holds"]] for name in order]
    kept = pd.concat(parts, ignore_index=True)
    kept["relation"] = kept["relation"].str.partition(": ")[2]
    bare = [c for c in ("relation", "paper", "item", "corpus", "model", "allowed") if _says_nothing(kept[c])]
    return kept.drop(columns=[*bare, "holds"])


def _says_nothing(column):
    return column.nunique() <= 1 and (column.name in ("relation", "paper") or not any(column))


def finding(found, name):
    """Say of one relation what it asks, in how many cases it is broken, and how many of those are ties."""
    one, row = relation(name), overview(found).loc[name]
    if not row["broken"]:
        result = f"It holds in all {row['cases']} cases."
    else:
        tied = f", {row['tied']} of them by a tie" if row["tied"] else ""
        result = f"It fails in {row['broken']} of {row['cases']} cases{tied}."
    return textwrap.fill(f"{one.where[0].upper()}{one.where[1:]}: {one.says} {result}", WIDTH)


def totals(found):
    """Return how many relations and cases there are of each kind, and how many of both are broken."""
    table = overview(found)
    groups = table.assign(relations=1, failing=(table["broken"] > 0).astype(int)).groupby("kind", sort=False)
    columns = {
        "relations": "relations",
        "failing": "relations broken",
        "cases": "cases",
        "broken": "cases broken",
    }
    return (
        groups[[*columns]].sum().rename(columns=columns).sort_index(key=lambda kinds: kinds.map(KINDS.index))
    )


def _named(one):
    return one.check().assign(relation=one.name)[["relation", *CASES]]
