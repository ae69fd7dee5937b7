"""What the papers claim, on what evidence of ours each is judged, and the verdict, which code computes.

The register is all of them. What is said, where, and in which notebook it is shown are rows of
``data/reported/ROOM_claims.csv``. The room enters them with the checks of those that can be tested:

    enter("rubin2012", {"rare labels": lambda: beats(rarest(), "Dependency-LDA", "Tuned SVM", ["corpus"], ["split"])})

A check returns cases, and ``verdict`` reads the verdict off them: nobody writes one. A notebook takes ``page`` from
its room's own claims, so that it depends on what it shows.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic import paths
from polytopic.metrics import MEASURES
from polytopic.study import compare
from polytopic.study.looks import displayed
from polytopic.validation import check_name

STANDS, PARTLY, FAILS, OPEN, UNTESTED = "stands", "in part", "fails", "not shown", "can't be tested here"
VERDICTS = (STANDS, PARTLY, FAILS, OPEN, UNTESTED)
OURS, PRINTED = "our results", "the paper's printed numbers"
CLAIM, MUST_HOLD, BETWEEN = KINDS = ("claim", "must hold", "between")
PAPERS = ("rubin2012", "papanikolaou", "burkhardt2018", "ueda2002", "tai2012")
CASES = ["corpus", "scale", "case", "value", "low", "high", "holds"]
JUDGED = ["paper", "claim", "where", "kind", "evidence", "verdict", "held", "failed", "open"]
NO_CASES = pd.DataFrame(columns=CASES)  # of a claim for which nothing is at hand
CLAIMS = []


class Claim(NamedTuple):
    """One thing that a paper says, or that its numbers imply.

    ``evidence`` is OURS or PRINTED; ``notebook`` shows it. ``check`` takes nothing and returns cases, at least with
    the columns corpus and holds, or several frames of them; it is None with a ``reason`` why the claim can't be
    tested here. ``kind`` is CLAIM for what a paper says, MUST_HOLD for what arithmetic asks of its numbers, BETWEEN
    for numbers of several papers or tables. ``name`` is a short one, none of what isn't tested; ``bearing`` is what
    the claim touches, where a room has a use for it.
    """

    paper: str
    name: str
    where: str
    says: str
    notebook: str
    check: Callable | None
    reason: str = ""
    evidence: str = OURS
    kind: str = CLAIM
    bearing: str = ""

    def cases(self):
        """Return the cases on which the claim is judged, in one frame."""
        found = NO_CASES if self.check is None else self.check()
        return found if isinstance(found, pd.DataFrame) else pd.concat(found, ignore_index=True)


def enter(room, checks, **common):
    """Enter the claims of data/reported/ROOM_claims.csv into the register and return them by name.

    The columns of the file are fields of ``Claim``; checks maps names to checks, and ``common`` holds fields that are
    the same for all. Raises ValueError for a check without a row, and for a row with neither a check nor a reason.
    """
    path = paths.reported() / f"{room}_claims.csv"
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    found = [Claim(**row, **common, check=checks.get(row["name"])) for row in rows]
    named = {one.name for one in found if not one.reason}
    if wrong := named ^ set(checks):
        raise ValueError(f"{path} and the checks of its claims differ in {sorted(wrong)}")
    CLAIMS.extend(found)
    return {one.name: one for one in found}


def load():
    """Import the claims of all rooms, modules of the study's packages whose names begin with ``claims``."""
    for path in sorted(Path(__file__).parent.glob("*/claims*.py")):
        importlib.import_module(f"{__package__}.{path.parent.name}.{path.stem}")


def verdict(cases):
    """Return the verdict on a claim from its cases, whose ``holds`` is true, false, or missing where it is open.

    STANDS: all hold. FAILS: none holds and some fail. PARTLY: some hold, others fail or are open. OPEN: nothing holds
    or fails, as with a single run or an interval around zero. UNTESTED: there are no cases.
    """
    holds = cases["holds"].astype("boolean")
    if holds.empty:
        return UNTESTED
    if holds.fillna(False).all():
        return STANDS
    if holds.any():
        return PARTLY
    return FAILS if (~holds).any() else OPEN


def register(paper=None, evidence=None, kind=None):
    """Return every claim of all rooms with its verdict, paper by paper.

    Columns: paper, claim, where, kind, evidence, verdict, held, failed, open, middle (what we find, by ``middle``),
    on (the corpora and scales of its cases), notebook, reason.

    Each argument keeps the claims of one paper, evidence or kind.
    """
    load()
    return _table(paper=paper, evidence=evidence, kind=kind)


def page(notebook):
    """Return the claims that a notebook shows, for display: claim, where, here, verdict, cases (held of all), on.

    here is ``middle``. Only what the rooms have entered that the notebook imports.
    """
    table = _table(notebook=notebook, kind=CLAIM)
    total = table["held"] + table["failed"] + table["open"]
    counted = table["held"].astype(str) + " of " + total.astype(str)
    table = table.assign(cases=counted, here=table["middle"])
    return table[["claim", "where", "here", "verdict", "cases", "on"]]


def in_words(paper, name):
    """Return in a sentence in how many cases of a claim one model is surely ahead of others, and why not in the rest.

    The claim, named as in its room, is one whose cases are gains with intervals, as of ``beats``. Raises ValueError
    for an unknown name.
    """
    named = {one.name: one for one in CLAIMS if one.paper == paper and one.name}
    check_name("claim", name, named)
    found = named[name].cases()
    holds = found["holds"].astype("boolean")
    kinds = [
        (holds.isna() & found["low"].isna(), "a single repetition, which gives no interval"),
        (holds.isna() & found["low"].notna(), "an interval that holds 0"),
        (~holds.fillna(True), "an interval below 0"),
    ]
    parts = [f"In {int(holds.sum())} of {len(found)} cases the gain is surely above 0"]
    for own, told in ((found[of_kind], told) for of_kind, told in kinds if of_kind.any()):
        where, verb = " and ".join(map(displayed, own["corpus"].unique())), "has" if len(own) == 1 else "have"
        least, most = own["value"].min(), own["value"].max()
        parts.append(f"{len(own)} {verb} {told} ({where}: {least:+.3f} to {most:+.3f})")
    return "; ".join([*parts, f"{int((found['value'] < 0).sum())} means are below 0"]) + "."


def place_of(paper):
    """Return a paper's place in the order of the register; what belongs to no single paper comes last."""
    return PAPERS.index(paper) if paper in PAPERS else len(PAPERS)


def cases(table, case, value, holds, low=np.nan, high=np.nan):
    """Return a case for each row of a table: its corpus and scale are the table's, where it has such columns.

    What the case is, its value, whether it holds, and the bounds of the value are one for all rows or one for each.
    """
    told = {"case": case, "value": value, "low": low, "high": high, "holds": holds}
    places = {name: table.get(name, "") for name in ("corpus", "scale")}
    return pd.DataFrame(places | told, index=table.index).astype({"holds": "boolean"})


def sure(low, high):
    """Return what intervals say of differences above 0: true, false, or missing where 0 is within; also for NaN."""
    return pd.array(np.select([low > 0, high < 0], [True, False], pd.NA), dtype="boolean")


def beats(frame, first, second, by, over, **how):
    """Return cases of one model said to be better than another: one for each cell of ``by``.

    first and second are names or lists of names: every first against every second that is another. A case holds where
    the 95 % interval of the paired gain lies above 0, fails where it lies below, and is open between and with a
    single repetition. ``how`` is handed on to ``compare.paired``.
    """
    if frame.empty:
        return NO_CASES
    pairs = [(a, b) for a in np.atleast_1d(first) for b in np.atleast_1d(second) if a != b]
    table = pd.concat([compare.paired(frame, *pair, by, over, **how) for pair in pairs], ignore_index=True)
    if "scale" not in table and "scale" in frame:
        table["scale"] = frame["scale"].iloc[0]
    case = table["first"] + " over " + table["second"]
    for name in (name for name in by if name not in ("corpus", "scale")):
        case += (" " + table[name].astype(str)).where(table[name] != "", "")
    return cases(table, case, table["gain"], sure(table["low"], table["high"]), table["low"], table["high"])


def agree(table, case):
    """Return cases of numbers of ours that should agree with print: rows of ``printed.beside``, ``case`` a column."""
    allowed = table["allowed"]
    return cases(table, table[case], table["difference"], table["agrees"], -allowed, allowed)


def middle(found):
    """Return, as text, the case whose value is the median of all, of two the smaller, with its interval; or ""."""
    rows = found.reindex(columns=CASES).dropna(subset="value").sort_values("value", kind="stable")
    if rows.empty:
        return ""
    row = rows.iloc[(len(rows) - 1) // 2]
    case, corpus = ("" if pd.isna(one) else str(one) for one in (row["case"], row["corpus"]))
    case = " ".join(MEASURES[word].heading if word in MEASURES else word for word in case.split())
    what = ", ".join(filter(None, [case, displayed(corpus)]))
    ends = "" if pd.isna(row["low"]) or pd.isna(row["high"]) else f" ({row['low']:.3g} to {row['high']:.3g})"
    return f"{what}: {row['value']:.3g}{ends}"


def _table(**wanted):
    chosen = [one for one in CLAIMS if all(v in (None, getattr(one, name)) for name, v in wanted.items())]
    rows = [_judged(one) for one in sorted(chosen, key=lambda one: place_of(one.paper))]
    return pd.DataFrame(rows, columns=[*JUDGED, "middle", "on", "notebook", "reason"])


def _judged(one):
    found = one.cases()
    holds = found["holds"].astype("boolean")
    places = found.reindex(columns=["corpus", "scale"], fill_value="").drop_duplicates().astype(str)
    on = ", ".join(f"{displayed(row.corpus)}{row.scale and f' ({row.scale})'}" for row in places.itertuples())
    counts = int(holds.sum()), int((~holds).sum()), int(holds.isna().sum())
    reason = one.reason or ("" if len(found) else "its results are not stored")
    told = (one.paper, one.says, one.where, one.kind, one.evidence, verdict(found))
    return (*told, *counts, middle(found), on, one.notebook, reason)
