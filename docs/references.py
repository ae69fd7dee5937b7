"""The numbers of the article: each is a link whose title says in Python where it is stored.

    [.039](../notebooks/rubin2012/fig_12.ipynb "case('rubin2012', 'rare labels', 'debtags')")

The functions of SOURCES are what a title may call. A text has to be what its title gives, a number the same when
rounded to the digits in print. The sentence about a claim has to be read again when the claim's cases change.
"""

import functools
import json
import re

import pandas as pd

from polytopic import paths
from polytopic.datasets import catalogue
from polytopic.study import claims, findings

LINK = re.compile(r'\[([^\]]+)\]\(([^) ]+)\s+"([^"]+)"\)')
NO_PROSE = re.compile(r"^#.*$|^\|.*$|```.*?```|`[^`]*`|\$[^$]+\$|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])\d*\.\d+|\b[\d,]+ of [\d,]+\b")


def case(paper, name, corpus, words=""):
    """Return the value of a claim's only case on a corpus that has these words."""
    rows = _cases(paper, name)
    rows = rows[(rows["corpus"] == corpus) & rows["case"].str.contains(words, regex=False)]
    (value,) = rows["value"]
    return value


def verdict(paper, name):
    """Return a claim's verdict with its cases, as "mixed, 1 of 2"."""
    rows = _cases(paper, name)["holds"].astype("boolean")
    (one,) = [one for one in claims.all_claims() if (one.paper, one.name) == (paper, name)]
    return f"{claims.verdict(rows.to_frame(), one.extent)}, {rows.sum()} of {len(rows)}"


def claimed(grade):
    """Return how many claims judged on our own results have a grade, or are "tested"."""
    table = _judged()
    counts = findings.counts(table[table["evidence"] == claims.OURS])
    tested = counts.drop(columns=["claims", *claims.UNTESTED.values()]).sum(axis=1)
    return counts.assign(tested=tested).loc["all", grade]


def drawn(figure, column, part=None, **where):
    """Return the number in the only row of a figure's data that has these values."""
    data = json.loads((paths.root() / "figures" / f"{figure}.json").read_text(encoding="utf-8"))["data"]
    rows = pd.DataFrame(data[part] if part else data)
    (value,) = rows.loc[(rows[list(where)] == pd.Series(where)).all(axis=1), column]
    return value


def fact(corpus, what):
    """Return what the catalogue says of a corpus."""
    return catalogue.facts()[corpus][what]


_judged = functools.cache(findings.judged)


@functools.cache
def _cases(paper, name):
    (one,) = [one for one in claims.all_claims() if (one.paper, one.name) == (paper, name)]
    (cases,) = claims.stored_cases([one])
    if claims.digest(cases) != one.judged:
        raise ValueError(
            f"the cases of {paper}, {name} have changed since its sentence was written: read it again"
        )
    return cases[cases.get("reading", pd.Series("", cases.index)) == ""]


SOURCES = {one.__name__: one for one in (case, verdict, claimed, drawn, fact)}


def faults(text):
    """Return in a sentence each what is wrong with the numbers of a text."""
    found = []
    for printed, _, source in LINK.findall(text):
        try:
            stored = eval(source, SOURCES)
        except Exception as error:
            found.append(f"[{printed}] refers to {source}: {type(error).__name__}: {error}")
            continue
        if not same(printed, stored):
            found.append(f"[{printed}] is now {stored}: {source}")
    prose = NO_PROSE.sub(" ", LINK.sub(" ", text))
    return [*found, *(f"{number} stands without a reference" for number in NUMBER.findall(prose))]


def same(printed, stored):
    """Return whether what is printed is what is stored, a number to the digits in print."""
    if isinstance(stored, str):
        return printed == stored
    digits = printed.replace(",", "")
    rounded = f"{stored:.{len(digits.partition('.')[2])}f}"
    return digits in (rounded, re.sub(r"(?<!\d)0\.", ".", rounded))
