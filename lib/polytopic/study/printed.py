"""The numbers that the papers print, and ours beside them by one rule of agreement.

Printed numbers are in ``data/reported``, a row for each. Ours agree with one where they differ by no more than two
standard errors of the difference plus half a unit of the last digit in print.
"""

import functools
import re

import numpy as np
import pandas as pd
from scipy import stats

from polytopic import paths

RULE = "within two standard errors of the difference and half a unit of the last digit in print"
STANDARD_ERRORS = 2
SLACK = 1e-9  # of what is allowed: what binary fractions do to decimal ones


def reported(paper, item=None):
    """Return what a paper prints, one row per number, as in data/reported.

    ``item`` is a figure or table such as "figure 6" or "Fig. 6"; without it the paper's result tables come together,
    but for those that quote other publications. ``value`` is the number, ``printed`` the digits as they stand in the
    paper and ``decimals`` how many of them follow the point; with a power of ten, as in 1.2e-3, how many would follow
    it written out. A dash in print has no row.

    Raises ValueError for a paper or an item that has not been transcribed, naming those that have.
    """
    frames = [_read(path) for path in _files(paper)]
    if not frames:
        papers = sorted({path.stem.split("_")[0] for path in _files("*")})
        raise ValueError(f"no printed numbers of {paper!r} in {paths.reported()}: choose from {papers}")
    if item is None:
        chosen = [frame for frame in frames if "measure" in frame and "publication" not in frame]
    else:
        wanted = re.sub(r"^fig(ure)?\.?\s*", "figure ", item.strip().lower())
        marked = (frame[frame["item"].str.lower() == wanted] for frame in frames)
        chosen = [frame for frame in marked if len(frame)]
    if not chosen:
        items = sorted({name for frame in frames for name in frame["item"]})
        raise ValueError(
            f"{paper} has no {item or 'result tables'!r} in {paths.reported()}: choose from {items}"
        )
    return pd.concat(chosen, ignore_index=True)


def half_unit(decimals):
    """Return half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -np.asarray(decimals, float)


def beside(ours, theirs, on):
    """Return our numbers beside the printed ones, in the order of ours; only what both sides have.

    ours: columns ``on``, mean, se (its standard error; missing where there is a single run; 0 for what is exact) and
    any others, as from ``compare.means``. theirs: rows of ``reported`` with the columns ``on``; a column se, or sd
    with n, is the paper's own spread, and without it the paper's mean is taken to be as uncertain as ours. Corpus
    names match by ``key``.

    Added columns: paper, difference (ours - paper), allowed, excess (size of the difference over allowed) and agrees,
    which follows RULE; the last three are missing where no spread is known.
    """
    theirs = theirs.assign(paper=theirs["value"].astype(float), paper_se=_own_error(theirs))
    if "corpus" in on:
        theirs = spelled_as(ours["corpus"], theirs)
    table = ours.merge(theirs[[*on, "paper", "paper_se", "decimals"]], on=on)
    table["difference"] = table["mean"] - table["paper"]
    error = np.hypot(table["se"], table["paper_se"].fillna(table["se"]))
    table["allowed"] = STANDARD_ERRORS * error + half_unit(table["decimals"])
    table["excess"] = table["difference"].abs() / table["allowed"]
    table["agrees"] = (table["excess"] <= 1 + SLACK).astype("boolean").mask(table["excess"].isna())
    return table.drop(columns="decimals")


def leads(rows, first, second, n):
    """Return how far one model's printed mean is above another's, with Welch's t from the printed deviations.

    rows are of ``reported``, with sd over n runs. Columns: pair, item, corpus, difference, standard_error, df, t,
    p (two-sided). Where the runs share their data a paired test would be the sharper one; what is printed does not
    allow it.
    """
    rows = rows.astype({"sd": float})
    wide = rows.pivot(index=["item", "corpus"], columns="model", values=["value", "sd"])
    mean, sd = wide["value"], wide["sd"]
    sides = [column for model in (first, second) for column in (mean[model], sd[model], n)]
    t, p = stats.ttest_ind_from_stats(*sides, equal_var=False)
    table = (mean[first] - mean[second]).rename("difference").reset_index()
    one, other = (sd[model].to_numpy() ** 2 / n for model in (first, second))
    df = (n - 1) * (one + other) ** 2 / (one**2 + other**2)
    columns = ["pair", "item", "corpus", "difference", "standard_error", "df", "t", "p"]
    told = {"pair": f"{first} over {second}", "standard_error": np.sqrt(one + other), "df": df}
    return table.assign(**told, t=t, p=p)[columns]


def agreement_counts(table, by):
    """Return how many of the judged numbers of ``beside`` agree: columns ``by``, agree, of."""
    judged = table.dropna(subset="agrees").astype({"agrees": int})
    counts = judged.groupby(by, sort=False)["agrees"].agg(agree="sum", of="count")
    return counts.reset_index()


def key(corpus):
    """Return a corpus name as it is matched between papers and files, whatever its case and hyphens."""
    return corpus.lower().replace("-", "_")


def spelled_as(corpora, theirs):
    """Return printed rows with our names for the corpora that we have too, by ``key``."""
    ours = {key(corpus): corpus for corpus in corpora}
    return theirs.assign(corpus=[ours.get(key(corpus), corpus) for corpus in theirs["corpus"]])


def _own_error(theirs):
    if "se" in theirs:
        return theirs["se"].astype(float)
    if {"sd", "n"} <= set(theirs):
        return theirs["sd"].astype(float) / np.sqrt(theirs["n"].astype(float))
    return pd.Series(np.nan, index=theirs.index)


def _files(paper):
    """Return the files of a paper's printed numbers, beside which lie those of its claims."""
    return sorted({*paths.reported().glob(f"{paper}_*.csv")} - {*paths.reported().glob("*_claims.csv")})


def _read(path):
    return _parsed(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _parsed(path, _changed):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    parts = frame["value"].str.partition("e")
    digits = parts[0].str.partition(".")[2].str.len() - pd.to_numeric(parts[2]).fillna(0).astype(int)
    return frame.assign(value=frame["value"].astype(float), printed=frame["value"], decimals=digits)
