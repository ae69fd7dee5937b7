"""What the papers claim, on what evidence each claim is judged, and the verdict, which code computes.

A claim is a row of ``data/reported/ROOM_claims.csv``: what is said, how much is said, where, on which page it is
judged, and what we found. The page judges it in a visible cell,

    claims.judge("rubin2012/fig_12", {"rare labels": claims.beats(scores, "Dependency-LDA", "Tuned SVM", ...), ...})

which grades the cases by ``verdict`` and keeps them with the page's figures. Register, README and site read them
there: nobody writes a verdict. What we found is a sentence that a person wrote, with the ``digest`` of the cases that
it was written for: a test fails when these have changed.
"""

import hashlib
import json
from html import escape
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic import paths
from polytopic.study import compare, saving, store
from polytopic.study.looks import GREEN, GREY, OLIVE, ORANGE, RUST, displayed
from polytopic.validation import check_name

GRADES = HOLDS, MOSTLY, MIXED, MOSTLY_NOT, FAILS = ("holds", "mostly", "mixed", "mostly not", "fails")
UNDECIDED = "undecided"
UNTESTED = {"data": "data not available", "not run": "not run yet", "none": "no empirical claim"}
VERDICTS = (*GRADES, UNDECIDED, *UNTESTED.values())
COLORS = dict(zip(VERDICTS, (GREEN, GREEN, OLIVE, ORANGE, RUST, *[GREY] * 4), strict=True))  # of words
# the share of cases that has to hold
EXTENTS = {"all": 1.0, "almost all": 0.9, "a number": 0.9, "more": 0.75, "most": 0.501}
UPPER, LOWER = 2 / 3, 1 / 3  # of the level, an open case counting half: from mostly to mixed to mostly not
OURS, PRINTED = "our results", "the paper's printed numbers"
CLAIM, MUST_HOLD, BETWEEN = KINDS = ("claim", "must hold", "between")
OWN = {  # papers in their order, and those of their own corpora that are at hand; all others stand in for them
    "rubin2012": ("yahoo_arts_rubin", "yahoo_health_rubin", "eurlex-papers", "eurlex-labelsets"),
    "papanikolaou": ("reuters21578", "delicious"),
    "burkhardt2018": (),
    "ueda2002": tuple(
        f"yahoo_{name}" for name in ("arts", "business", "education", "health", "reference", "science")
    ),
    "tai2012": ("corel5k", "delicious", "emotions", "yeast"),
}
OWN_OF_PAGE = {"papanikolaou/fig_03-04": ()}  # in their place, for a page: these figures are of TASA alone
PAPERS = tuple(OWN)
CASES = ["corpus", "scale", "case", "value", "low", "high", "holds"]
JUDGED = ["paper", "name", "claim", "where", "kind", "evidence", "extent", "central", "verdict"]
JUDGED += ["held", "failed", "open"]
CAPTION = {
    OURS: "Judged by code; the parameters of this page don't change it.",
    PRINTED: "Judged by code on the paper's printed numbers.",
}
NO_CASES = pd.DataFrame(columns=CASES)  # of a claim for which nothing is at hand


class Claim(NamedTuple):
    """One thing that a paper says, or that its numbers imply.

    ``evidence`` is OURS or PRINTED; ``notebook`` is the page that judges it. One that isn't tested has a ``reason``,
    and its kind ``why``, one of UNTESTED. ``extent``, one of EXTENTS, is how much the paper claims. ``central`` is
    the place among the paper's central claims, from "1", or "". ``found`` is what we found, ``judged`` the digest of
    the cases that it was written for. ``kind`` is CLAIM for what a paper says, MUST_HOLD for what arithmetic asks of
    its numbers, BETWEEN for numbers of several papers or tables. ``name`` is unique on a page; a claim that isn't
    tested has none. ``bearing`` is what a relation of printed numbers touches.
    """

    paper: str
    name: str
    where: str
    says: str
    notebook: str
    reason: str = ""
    why: str = ""
    extent: str = "all"
    central: str = ""
    found: str = ""
    judged: str = ""
    evidence: str = OURS
    kind: str = CLAIM
    bearing: str = ""


def together(cases):
    """Return cases, in a frame or in several, as one frame."""
    frames = [cases] if isinstance(cases, pd.DataFrame) else [one for one in cases if len(one)]
    return pd.concat(frames, ignore_index=True) if frames else NO_CASES


def judge(notebook, cases):
    """Judge the claims that a notebook shows, keep their cases with its figures, and return a ``Page`` of verdicts.

    cases maps the names of the claims, those of data/reported/*_claims.csv that name this notebook and have no reason
    why they aren't tested, to a frame of cases or several. They are written into ``figures``, or compared with those
    there, as ``saving.save`` does with a figure's numbers; register, README and site read them there. Raises
    ValueError for a claim without cases and for cases without a claim.
    """
    own = [one for one in all_claims() if one.notebook == notebook]
    tested = [one.name for one in own if not one.reason]
    if wrong := set(tested) ^ set(cases):
        raise ValueError(f"the claims of {notebook} and the cases given differ in {sorted(wrong)}")
    frames = {name: together(cases[name]) for name in tested}
    content = {name: saving.records(frame) for name, frame in frames.items()}
    saving.save_numbers(f"{notebook.replace('/', '_')}_claims", {"notebook": notebook, "cases": content})
    shown = [one for one in own if one.kind == CLAIM]
    return Page(_table(shown, [frames.get(one.name, NO_CASES) for one in shown]))


def all_claims():
    """Return the rows of all data/reported/*_claims.csv as Claims. Raises ValueError for an unknown extent or why."""
    found = []
    for path in sorted(paths.reported().glob("*_claims.csv")):
        found += [
            Claim(**row) for row in pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
        ]
    for one in found:
        check_name("extent", one.extent, EXTENTS)
        if one.reason:
            check_name("reason", one.why, UNTESTED)
    return found


def stored_cases(claims):
    """Return the cases of each claim, in a list, as its page left them in ``figures``; none where it never ran."""
    pages = {page: _cases_of_page(page) for page in {one.notebook for one in claims if one.name}}
    return [pages.get(one.notebook, {}).get(one.name, NO_CASES) for one in claims]


def _cases_of_page(notebook):
    path = paths.root() / "figures" / f"{notebook.replace('/', '_')}_claims.json"
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))["cases"]
    frames = {name: pd.DataFrame(rows) if rows else NO_CASES for name, rows in found.items()}
    return {name: frame.astype({"holds": "boolean", "value": float}) for name, frame in frames.items()}


def verdict(cases, extent="all"):
    """Return the grade of a claim from its cases, whose ``holds`` is true, false, or missing where it is open.

    HOLDS: the share of cases that hold is at least EXTENTS[extent]. UNDECIDED: it is less, and more than half of the
    cases are open, as with a single run or an interval around zero. Otherwise the level decides, the share of cases
    that hold with open ones counted half: MOSTLY from UPPER on where more than half of the cases hold, MIXED from
    LOWER on, below MOSTLY_NOT, and FAILS where no case holds. Without cases it is not run yet.
    """
    holds = cases["holds"].astype("boolean")
    if holds.empty:
        return UNTESTED["not run"]
    held, missing = holds.sum() / len(holds), holds.isna().mean()
    if held >= EXTENTS[extent]:
        return HOLDS
    if missing > 0.5:
        return UNDECIDED
    level = held + missing / 2
    if level >= LOWER:
        return MOSTLY if level >= UPPER and held > 0.5 else MIXED
    return MOSTLY_NOT if held else FAILS


def digest(cases):
    """Return eight digits for cases: others where one comes, goes, is decided otherwise, or moves in two digits."""
    rows = cases.assign(reading=cases.get("reading", ""))
    rows = rows.reindex(columns=["reading", "corpus", "case", "holds", "value"])
    lines = [
        f"{row.reading}|{row.corpus}|{row.case}|{row.holds}|{row.value:.2g}" for row in rows.itertuples()
    ]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8]


def register(paper=None, evidence=None, kind=None):
    """Return every claim of all rooms with its verdict, paper by paper, the central claims first.

    Columns: JUDGED (held, failed and open count cases), own (those that hold, of all, on the paper's own data), other
    and other_cases (verdict and cases by the other reading of the tuned SVM, where there is one), found, on (the
    corpora and scales of its cases), notebook, reason.

    Each argument keeps the claims of one paper, evidence or kind.
    """
    wanted = {"paper": paper, "evidence": evidence, "kind": kind}
    asked = {name: value for name, value in wanted.items() if value is not None}
    chosen = [
        one for one in all_claims() if all(getattr(one, name) == value for name, value in asked.items())
    ]
    return _table(chosen, stored_cases(chosen))


def as_records(paper=None):
    """Return every claim as a mapping of plain values, for programs: what it says, how it is judged, and on what.

    command makes the page that judges it, evidence_file holds its cases, digest is theirs now, and read says whether
    the sentence ``found`` was written for these.
    """
    chosen = [one for one in all_claims() if one.kind == CLAIM and paper in (None, one.paper)]
    cases = stored_cases(chosen)
    by_claim = {
        (row.paper, row.notebook, row.name): row for row in _table(chosen, cases).itertuples() if row.name
    }
    found = []
    for one, own in zip(chosen, cases, strict=True):
        tested, record = bool(one.name) and not one.reason, one._asdict()
        row = by_claim.get((one.paper, one.notebook, one.name))
        counts = {name: int(getattr(row, name)) for name in ("held", "failed", "open")} if tested else {}
        record |= {"verdict": row.verdict if tested else UNTESTED[one.why], "cases": counts}
        if tested:
            name = one.notebook.replace("/", "_")
            record |= {
                "command": f"polytopic figures {one.notebook}",
                "evidence_file": f"figures/{name}_claims.json",
            }
            record |= {"digest": digest(own), "read": digest(own) == one.judged}
        found.append(
            {key: value for key, value in record.items() if key not in ("judged", "kind", "bearing", "why")}
        )
    return found


class Page:
    """A table of claims for people: in HTML with whole sentences, elsewhere as lines of text."""

    def __init__(self, table):
        self.table = table

    def so(self, *names):
        """Return what we found, of all claims or of those of these names, to end a page with."""
        for name in names:
            check_name("claim", name, [*self.table["name"]])
        return So(self.table[self.table["name"].isin(names)] if names else self.table)

    def _repr_html_(self):
        return as_html(self.table)

    def __repr__(self):
        return "\n".join(f"{row.verdict} ({row.cases}): {row.claim} {row.found}" for row in told(self.table))


class So:
    """What was found, one line per claim, and on what it rests: in Markdown, elsewhere as plain text."""

    def __init__(self, table):
        self.lines = [
            f"{row.found} ({', '.join(filter(None, [row.verdict, row.cases]))})" for row in told(table)
        ]
        self.evidence = store.rests_on()

    def _repr_markdown_(self):
        return "\n".join(["**So:**", "", *(f"- {line}" for line in self.lines), "", self.evidence])

    def __repr__(self):
        return "\n".join(["So:", *self.lines, self.evidence])


def told(table):
    """Return the rows of a register in words: verdicts by both readings, cases with those on the paper's own data."""
    total = table[["held", "failed", "open"]].sum(axis=1)
    counted = table["held"].astype(str) + " of " + total.astype(str)
    own = (", " + table["own"] + " on the paper's own data").mask(
        table["own"] == counted, ", the paper's own data"
    )
    counted += own.where(table["own"] != "", "")
    otherwise = (" as described; " + table["other"] + " with both weights").where(table["other"] != "", "")
    counted += ("; " + table["other_cases"] + " with both weights").where(table["other"] != "", "")
    words = table.assign(cases=counted.where(total > 0, ""), verdict=table["verdict"] + otherwise)
    return list(words.assign(found=table["found"].where(table["reason"] == "", table["reason"])).itertuples())


def as_html(table, link=None):
    """Return a register as a table in HTML: claim and place, what we found, verdict and cases, corpora.

    ``link`` turns a notebook's name into an address, for a further column.
    """
    heads = ["What the paper says", "What we found", "Verdict", "On", *(["Page"] if link else [])]
    lines = [
        f"<caption>{CAPTION[OURS if (table['evidence'] == OURS).any() else PRINTED]}</caption>",
        "<tr>" + "".join(f'<th style="text-align: left">{head}</th>' for head in heads) + "</tr>",
    ]
    for grade, row in zip(table["verdict"], told(table), strict=True):
        cells = [
            f"{escape(row.claim)} <small>{escape(row.where)}</small>",
            escape(row.found),
            f'<b style="color: {COLORS[grade]}">{escape(row.verdict)}</b><br><small>{escape(row.cases)}</small>',
            f"<small>{escape(row.on)}</small>",
        ]
        if link:
            page = row.notebook and f'<a href="{escape(link(row.notebook))}">{escape(row.notebook)}</a>'
            cells.append(f"<small>{page}</small>")
        look = "text-align: left; vertical-align: top; white-space: normal"
        lines.append("<tr>" + "".join(f'<td style="{look}">{cell}</td>' for cell in cells) + "</tr>")
    return f'<table class="claims">{"".join(lines)}</table>'


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


def _table(claims, cases):
    order = [*PAPERS, *(one.paper for one in claims)]  # what belongs to no single paper comes last
    pairs = sorted(
        zip(claims, cases, strict=True), key=lambda pair: (order.index(pair[0].paper), pair[0].central or "9")
    )
    columns = [*JUDGED, "own", "other", "other_cases", "found", "on", "notebook", "reason"]
    return pd.DataFrame([_judged(*pair) for pair in pairs], columns=columns)


def _judged(one, every):
    reading = every.get("reading", pd.Series("", every.index))
    found, otherwise = every[reading == ""], every[reading != ""]
    grade = UNTESTED[one.why] if one.why else verdict(found, one.extent)
    places = found.reindex(columns=["corpus", "scale"], fill_value="").drop_duplicates().astype(str)
    on = ", ".join(f"{displayed(row.corpus)}{row.scale and f' ({row.scale})'}" for row in places.itertuples())
    holds = found["holds"].astype("boolean")
    counts = int(holds.sum()), int((~holds).sum()), int(holds.isna().sum())
    corpora = OWN_OF_PAGE.get(one.notebook, OWN.get(one.paper, ()))
    own = holds[found["corpus"].isin(corpora)] if one.evidence == OURS else holds[:0]
    other = verdict(otherwise, one.extent) if len(otherwise) else ""
    reason = one.reason or ("" if len(found) else "its results are not stored")
    said = (one.paper, one.name, one.says, one.where, one.kind, one.evidence, one.extent, one.central, grade)
    rest = (_of(own), other, _of(otherwise["holds"]), one.found, on, one.notebook, reason)
    return (*said, *counts, *rest)


def _of(holds):
    """Return how many cases hold, of all, in words; nothing of none."""
    return f"{int(holds.astype('boolean').sum())} of {len(holds)}" if len(holds) else ""
