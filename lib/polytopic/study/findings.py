"""What we found of the papers' claims: tables, a picture, and the parts of the README that hold numbers."""

import numpy as np
import pandas as pd
from scipy.stats import beta

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import claims, store
from polytopic.study.looks import ROOMS
from polytopic.study.store import places

TUNED = (
    "The papers' models were not tuned on test documents. The default hybrid was: its parts were chosen on the first "
    "splits of debtags, bibtex, delicious, EU titles, Yahoo! Health and two of three Stack Exchange corpora, its "
    "number of folds on nine small corpora, and mean field's two settings on bibtex, debtags, EU titles and TIBKAT, "
    "with test documents in view. Of the corpora on which it is shown only Reuters-21578, the bills and the EU acts "
    "in full text had no part in these choices."
)
HEADLINES = (  # of the README: a claim of each paper, whose sentence says in short what this study found
    ("rubin2012", "rare labels"),
    ("papanikolaou", "all of the mass"),
    ("burkhardt2018", "best AUCs"),
    ("ueda2002", "PMMs over binary methods"),
    ("tai2012", "macro AUC"),
)


def judged():
    """Return every claim of the five papers with its verdict: the columns of ``claims.register``, and cases in words.

    Our own results come before what the papers' printed numbers say.
    """
    table = claims.register(kind=claims.CLAIM)
    table = table.assign(cases=[row.cases for row in claims.told(table)])
    return table.sort_values("evidence", key=lambda column: column != claims.OURS, kind="stable")


def counts(table):
    """Return how many claims of each paper have each verdict: one row per paper, by name, and one for all."""
    wide = table.groupby(["paper", "verdict"]).size().unstack(fill_value=0)
    wide = wide.reindex(index=[*claims.PAPERS], columns=[*claims.VERDICTS], fill_value=0)
    wide.loc["all"] = wide.sum()
    return wide.assign(claims=wide.sum(axis=1)).rename(index=ROOMS).rename_axis(index=None, columns=None)


def of_paper(table, paper, link="{}.ipynb".format):
    """Return a paper's claims on our own results in HTML: the central ones, and behind a line that opens, the rest.

    ``link`` turns a notebook's name into its address.
    """
    own = table[(table["paper"] == paper) & (table["evidence"] == claims.OURS)]
    central = own["central"] != ""
    rest = claims.as_html(own[~central], link)
    return (
        f"{claims.as_html(own[central], link)}\n"
        f"<details><summary>The other {(~central).sum()} claims</summary>\n{rest}\n</details>"
    )


def in_short(table):
    """Return the counts of claims judged on our own results as lines of a Markdown table."""
    found = counts(table[table["evidence"] == claims.OURS])
    return as_markdown(found.rename_axis(index="").reset_index())


def by_both_readings(table):
    """Return in a sentence how many verdicts on tuned SVMs end otherwise by the other reading."""
    twice = table[table["other"] != ""]
    return (
        "The tuned SVM is trained in two variants: as the paper's text describes it, and with its weight on both "
        f"classes. On {len(twice)} claims they give different verdicts {(twice['other'] != twice['verdict']).sum()} "
        "times. The tables count the first. We found the second by its agreement with the printed numbers, on these "
        "very data."
    )


def made_by():
    """Return in sentences what code made the stored results, and what came of computing them again."""
    made, drawn = _made(), audit().sum()
    ours, unknown = (made["code"] == made["today"]).sum(), made["code"].isna().sum()
    versions = ", ".join(sorted(made.loc[made["code"] != made["today"], "version"].dropna().unique()))
    again = computed_again().sum()
    return (
        f"Of {len(made):,} stored results {ours:,} come from the present code. Of the others "
        f"{len(made) - ours - unknown:,} are by earlier code, and of {unknown:,} the code was not recorded. As far "
        f"as known they are of versions {versions}. Of each experiment and corpus among them one in ten is drawn, "
        f"{drawn['drawn']:,.0f} in all. So far {drawn['again']:,.0f} of the drawn were computed again, and of "
        f"{drawn['as before']:,.0f} all numbers came out as before, to six digits. Where all drawn ones did, the "
        f"others stand: {drawn['audited']:,.0f} of {len(made) - ours:,}. Changed code has computed "
        f"{again['results']:,.0f} results again in all: {again['as before']:,.0f} came out as before."
    )


def audit():
    """Return what drawing one in ten says of the results that other code made, by experiment.

    earlier: how many there are. drawn, again, as before and audited as in ``store.overview``. "at most" this share of
    the earlier ones would come out otherwise (95 % confidence, Clopper and Pearson), were those computed again any of
    them.
    """
    store.load()
    table = store.overview()
    table = table.assign(earlier=table["other_code"] + table["no_code"]).query("earlier > 0")
    counted = ["earlier", "drawn", "again", "as_before", "audited"]
    sums = table.groupby("experiment", sort=False)[counted].sum()
    otherwise = sums["again"] - sums["as_before"]
    most = beta.ppf(0.95, otherwise + 1, sums["as_before"])  # nan where none is as before
    found = sums.assign(**{"at most": np.nan_to_num(most, nan=1)})
    return found.rename(columns={"as_before": "as before"})


def computed_again():
    """Return how results moved when changed code gave them again, by experiment.

    results were computed again at least once; as before are those whose numbers agreed each time to six digits, times
    left out. Of the rest, moved is the largest share of a result's numbers that differed, and by is by how much: the
    median over numbers and results, relative to the larger value. Both are NaN where all are as before.
    """
    made = _made()
    made = made[made["again"].map(bool)].reset_index(drop=True)
    most = [min(again, key=lambda one: one["equal"]) for again in made["again"]]
    made = made[["experiment"]].join(pd.DataFrame(most)[["equal", "moved"]])
    by = made.groupby("experiment", sort=False)
    other = made[made["equal"] < 1].assign(share=1 - made["equal"]).groupby("experiment", sort=False)
    counts = {"results": by.size(), "as before": by["equal"].agg(lambda equal: (equal == 1).sum())}
    return pd.DataFrame(counts | {"moved": other["share"].mean(), "by": other["moved"].median()})


def _made():
    """Return what made each stored result, as the store notes it, beside the experiment and today's code for it."""
    store.load()
    return pd.DataFrame(
        {"experiment": which.full_name, "today": code} | one
        for which, code in [(which, which.code) for which in store.EXPERIMENTS.values()]
        for place in places(which)
        for one in place.keys.values()
    )


def headlines():
    """Return what this study found in a line of Markdown each: the sentences of HEADLINES, with verdict and page."""
    table = claims.register(evidence=claims.OURS).set_index(["paper", "name"], drop=False)
    rows = claims.told(table.loc[list(HEADLINES)])
    return "\n".join(
        f"- **{ROOMS[row.paper]}: {row.claim.removesuffix('.')}.** {row.found} "
        f"({row.verdict}: {row.cases}; [page](notebooks/{row.notebook}.ipynb))"
        for row in rows
    )


def readme_blocks():
    """Return {name: text} of what stands between two marks of the README, ``<!-- name -->`` and ``<!-- end -->``."""
    table = judged()
    ours = table[table["evidence"] == claims.OURS]
    return {
        "findings": headlines(),
        "claims": f"{in_short(table)}\n\n{by_both_readings(ours)}",
        "evidence": f"{made_by()} {TUNED}",
    }


def with_blocks(text, blocks):
    """Return a text with its marked parts made anew. Raises ValueError where a mark is missing."""
    for name, block in blocks.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise ValueError(f"the text has no part <!-- {name} --> ... <!-- end -->")
        text = f"{before}{mark}{block}\n{end}{after}"
    return text


def write_readme():
    """Make the marked parts of the README anew."""
    path = paths.checkout() / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), readme_blocks()))


def as_markdown(table):
    """Return a table of texts as the lines of a Markdown table."""
    rows = table.astype(str).map(lambda text: text.replace("|", "\\|")).to_numpy().tolist()
    lines = [list(table.columns), ["---"] * table.shape[1], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
