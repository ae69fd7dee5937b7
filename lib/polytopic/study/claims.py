"""What the papers claim, on what evidence of ours each is judged, and the verdict, which code computes.

A claim is a decorated function that returns cases; the register is all of them:

    @claim("rubin2012", "Dependency-LDA beats tuned SVMs on rare labels", where="section 6.3, figure 12",
           notebook="rubin2012/fig_12")
    def rare_labels():
        return beats(rarest_fifth(), "Dependency-LDA", "Tuned SVM", by=["corpus"], over=["split", "label"])

Nobody writes a verdict by hand: ``verdict`` reads it off the cases.
"""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from polytopic.study import compare

STANDS, PARTLY, FAILS, OPEN, UNTESTED = "stands", "in part", "fails", "not shown", "can't be tested here"
VERDICTS = (STANDS, PARTLY, FAILS, OPEN, UNTESTED)
OURS, PRINTED = "our results", "the paper's printed numbers"
CASES = ["corpus", "scale", "case", "value", "low", "high", "holds"]
CLAIMS = []


class Claim(NamedTuple):
    """One thing that a paper says, or that its numbers imply.

    ``evidence`` is OURS or PRINTED; ``notebook`` shows it. ``check`` takes nothing and returns cases, or is None with
    a ``reason`` why the claim can't be tested here.
    """

    paper: str
    says: str
    where: str
    evidence: str
    notebook: str
    check: Callable | None
    reason: str = ""


def claim(paper, says, where, notebook="", evidence=OURS):
    """Return the decorator that enters a function, which returns the cases of a claim, into the register."""

    def enter(check):
        CLAIMS.append(Claim(paper, says, where, evidence, notebook, check))
        return check

    return enter


def untested(paper, says, where, reason):
    """Enter a claim that can't be tested here, and why."""
    CLAIMS.append(Claim(paper, says, where, OURS, "", None, reason))


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


def register(paper=None, notebook=None, evidence=None):
    """Return every claim with its verdict.

    Columns: paper, claim, where, evidence, verdict, held, failed, open, on (the corpora and scales of its cases),
    notebook, reason.

    Each argument keeps the claims of one paper, notebook or kind of evidence.
    """
    chosen = [
        one
        for one in CLAIMS
        if paper in (None, one.paper)
        and notebook in (None, one.notebook)
        and evidence in (None, one.evidence)
    ]
    columns = [
        "paper",
        "claim",
        "where",
        "evidence",
        "verdict",
        "held",
        "failed",
        "open",
        "on",
        "notebook",
        "reason",
    ]
    return pd.DataFrame([_judged(one) for one in chosen], columns=columns)


def page(notebook):
    """Return the claims that a notebook shows, for display: claim, where, verdict, cases (held of all), on."""
    pd.set_option("display.max_colwidth", None)  # a claim is shown whole
    table = register(notebook=notebook)
    total = table["held"] + table["failed"] + table["open"]
    counted = table["held"].astype(str) + " of " + total.astype(str)
    return table.assign(cases=counted)[["claim", "where", "verdict", "cases", "on"]]


def no_cases():
    """Return the cases of a claim for which nothing is at hand."""
    return pd.DataFrame(columns=CASES)


def cases(rows):
    """Return cases from tuples of corpus, scale, case, value, low, high and whether the claim holds there."""
    return pd.DataFrame(rows, columns=CASES)


def beats(frame, first, second, by, over, **how):
    """Return cases of one model said to be better than another: one for each cell of ``by``.

    A case holds where the 95 % interval of the paired gain lies above 0, fails where it lies below, and is open
    between and with a single repetition. ``how`` is handed on to ``compare.paired``.
    """
    if frame.empty:
        return no_cases()
    table = compare.paired(frame, first, second, by, over, **how)
    described = [name for name in by if name not in ("corpus", "scale")]
    return pd.DataFrame(
        {
            "corpus": table.get("corpus", ""),
            "scale": table.get("scale", _only(frame, "scale")),
            "case": [
                " ".join(
                    [f"{first} over {second}", *(str(row[name]) for name in described if row[name] != "")]
                )
                for _, row in table.iterrows()
            ],
            "value": table["gain"],
            "low": table["low"],
            "high": table["high"],
            "holds": table["ahead"].map({1: True, -1: False, 0: pd.NA}).astype("boolean"),
        }
    )


def agree(table, case):
    """Return cases of numbers of ours that should agree with print: rows of ``printed.beside``, ``case`` a column."""
    return pd.DataFrame(
        {
            "corpus": table.get("corpus", ""),
            "scale": table.get("scale", ""),
            "case": table[case],
            "value": table["difference"],
            "low": -table["allowed"],
            "high": table["allowed"],
            "holds": table["agrees"],
        }
    )


def _only(frame, column):
    return frame[column].iloc[0] if column in frame and len(frame) else ""


def _judged(one):
    found = no_cases() if one.check is None else one.check()
    holds = found["holds"].astype("boolean")
    places = found[["corpus", "scale"]].drop_duplicates().astype(str)
    on = ", ".join(f"{row.corpus} ({row.scale})" if row.scale else row.corpus for row in places.itertuples())
    counts = int(holds.sum()), int((~holds).sum()), int(holds.isna().sum())
    reason = one.reason or ("" if len(found) else "its results are not stored")
    return (one.paper, one.says, one.where, one.evidence, verdict(found), *counts, on, one.notebook, reason)
