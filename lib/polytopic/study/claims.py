"""What the papers claim, on what evidence of ours each is judged, and the verdict, which code computes.

A claim is a decorated function that returns cases; the register is all of them:

    @claim("rubin2012", "Dependency-LDA beats tuned SVMs on rare labels", where="section 6.3, figure 12",
           notebook="rubin2012/fig_12")
    def rare_labels():
        return beats(rarest_fifth(), "Dependency-LDA", "Tuned SVM", by=["corpus"], over=["split", "label"])

Nobody writes a verdict by hand: ``verdict`` reads it off the cases. A notebook takes ``page`` from its room's own
claims, so that it depends on what it shows.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from polytopic.study import compare

STANDS, PARTLY, FAILS, OPEN, UNTESTED = "stands", "in part", "fails", "not shown", "can't be tested here"
VERDICTS = (STANDS, PARTLY, FAILS, OPEN, UNTESTED)
OURS, PRINTED = "our results", "the paper's printed numbers"
CLAIM, MUST_HOLD, BETWEEN = KINDS = ("claim", "must hold", "between")
PAPERS = ("rubin2012", "papanikolaou", "burkhardt2018", "ueda2002", "tai2012")
CASES = ["corpus", "scale", "case", "value", "low", "high", "holds"]
CLAIMS = []


class Claim(NamedTuple):
    """One thing that a paper says, or that its numbers imply.

    ``evidence`` is OURS or PRINTED; ``notebook`` shows it. ``check`` takes nothing and returns cases, at least with
    the columns corpus and holds, or is None with a ``reason`` why the claim can't be tested here. ``kind`` is CLAIM
    for what a paper says, MUST_HOLD for what arithmetic asks of its numbers, BETWEEN for numbers of several papers
    or tables. ``name`` is a short one, and ``bearing`` what it touches, where a room has a use for them.
    """

    paper: str
    says: str
    where: str
    evidence: str
    notebook: str
    check: Callable | None
    reason: str = ""
    kind: str = CLAIM
    name: str = ""
    bearing: str = ""


def claim(paper, says, where, notebook="", evidence=OURS, **further):
    """Return the decorator that enters a function, which returns the cases of a claim, into the register."""

    def enter(check):
        CLAIMS.append(Claim(paper, says, where, evidence, notebook, check, **further))
        return check

    return enter


def untested(paper, says, where, reason):
    """Enter a claim that can't be tested here, and why."""
    CLAIMS.append(Claim(paper, says, where, OURS, "", None, reason))


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


def register(paper=None, notebook=None, evidence=None, kind=None):
    """Return every claim of all rooms with its verdict, paper by paper.

    Columns: paper, claim, where, kind, evidence, verdict, held, failed, open, on (the corpora and scales of its
    cases), notebook, reason.

    Each argument keeps the claims of one paper, notebook, evidence or kind.
    """
    load()
    wanted = {"paper": paper, "notebook": notebook, "evidence": evidence, "kind": kind}
    chosen = [one for one in CLAIMS if all(v in (None, getattr(one, name)) for name, v in wanted.items())]
    columns = [
        "paper",
        "claim",
        "where",
        "kind",
        "evidence",
        "verdict",
        "held",
        "failed",
        "open",
        "on",
        "notebook",
    ]
    rows = [_judged(one) for one in sorted(chosen, key=lambda one: place_of(one.paper))]
    return pd.DataFrame(rows, columns=[*columns, "reason"])


def page(notebook):
    """Return the claims that a notebook shows, for display: claim, where, verdict, cases (held of all), on."""
    table = register(notebook=notebook, kind=CLAIM)
    total = table["held"] + table["failed"] + table["open"]
    against = table["failed"].map(lambda n: f", {n} against" if n else "")
    counted = table["held"].astype(str) + " of " + total.astype(str) + against
    return table.assign(cases=counted)[["claim", "where", "verdict", "cases", "on"]]


def place_of(paper):
    """Return a paper's place in the order of the register; what belongs to no single paper comes last."""
    return PAPERS.index(paper) if paper in PAPERS else len(PAPERS)


def no_cases():
    """Return the cases of a claim for which nothing is at hand."""
    return pd.DataFrame(columns=CASES)


def cases(rows):
    """Return cases from tuples of corpus, scale, case, value, low, high and whether the claim holds there."""
    return pd.DataFrame(rows, columns=CASES)


def beats(frame, first, second, by, over, **how):
    """Return cases of one model said to be better than another: one for each cell of ``by``.

    first and second are names or lists of names: every first against every second. A case holds where the 95 %
    interval of the paired gain lies above 0, fails where it lies below, and is open between and with a single
    repetition. ``how`` is handed on to ``compare.paired``.
    """
    if frame.empty:
        return no_cases()
    pairs = [(a, b) for a in _listed(first) for b in _listed(second)]
    table = pd.concat([compare.paired(frame, *pair, by, over, **how) for pair in pairs], ignore_index=True)
    described = [name for name in by if name not in ("corpus", "scale")]
    return pd.DataFrame(
        {
            "corpus": table.get("corpus", ""),
            "scale": table.get("scale", _only(frame, "scale")),
            "case": [
                " ".join(
                    [
                        f"{row['first']} over {row['second']}",
                        *(str(row[n]) for n in described if row[n] != ""),
                    ]
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


def _listed(names):
    return [names] if isinstance(names, str) else list(names)


def _only(frame, column):
    return frame[column].iloc[0] if column in frame and len(frame) else ""


def _judged(one):
    found = no_cases() if one.check is None else one.check()
    holds = found["holds"].astype("boolean")
    found = found if "scale" in found else found.assign(scale="")
    places = found[["corpus", "scale"]].drop_duplicates().groupby("scale", sort=False)
    corpora = {scale: ", ".join(block["corpus"].astype(str)) for scale, block in places}
    on = "; ".join(f"{names} ({scale})" if scale else names for scale, names in corpora.items())
    counts = int(holds.sum()), int((~holds).sum()), int(holds.isna().sum())
    reason = one.reason or ("" if len(found) else "its results are not stored")
    told = (one.paper, one.says, one.where, one.kind, one.evidence, verdict(found))
    return (*told, *counts, on, one.notebook, reason)
