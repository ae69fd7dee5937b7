"""What stands of the papers' claims: the register of claims as tables and a picture for people."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import MaxNLocator

from polytopic.study import claims, plots
from polytopic.study.looks import GREEN, GREY, ORANGE, PALE, ROOMS, RUST

COLORS = dict(zip(claims.VERDICTS, (GREEN, ORANGE, RUST, GREY, PALE), strict=True))
HERE = "here, the median case"
SHOWN = ["claim", "where", HERE, "verdict", "cases", "on", "page"]


def judged():
    """Return every claim of the five papers with its verdict.

    Columns: paper, claim, where, evidence, verdict, cases (how many of all hold), middle (the case of the median
    value), on, notebook, reason (of those that can't be tested here). Our own results come before what the papers'
    printed numbers say.
    """
    table = claims.register(kind=claims.CLAIM)
    total = table[["held", "failed", "open"]].sum(axis=1)
    cases = (table["held"].astype(str) + " of " + total.astype(str)).where(total > 0, "")
    table = table.assign(cases=cases).sort_values(
        "evidence", key=lambda column: column != claims.OURS, kind="stable"
    )
    return table[
        ["paper", "claim", "where", "evidence", "verdict", "cases", "middle", "on", "notebook", "reason"]
    ]


def counts(table):
    """Return how many claims of each paper have each verdict: a row a paper, by name, and one for all."""
    wide = table.groupby(["paper", "verdict"]).size().unstack(fill_value=0)
    wide = wide.reindex(index=[*claims.PAPERS], columns=[*claims.VERDICTS], fill_value=0)
    wide.loc["all"] = wide.sum()
    return wide.assign(claims=wide.sum(axis=1)).rename(index=ROOMS).rename_axis(index=None, columns=None)


def of_paper(table, paper, evidence=claims.OURS):
    """Return the claims of one paper on one kind of evidence, for display, with links to the pages that show them."""
    own = table[(table["paper"] == paper) & (table["evidence"] == evidence)]
    page = ("[" + own["notebook"] + "](" + own["notebook"] + ".ipynb)").where(own["notebook"] != "", "")
    on = own["on"].where(own["reason"] == "", own["reason"])
    return own.assign(page=page, on=on).rename(columns={"middle": HERE})[SHOWN]


def in_short(table):
    """Return the counts of claims judged on our own results, as the README has them."""
    found = counts(table[table["evidence"] == claims.OURS])
    return as_markdown(found.rename_axis(index="").reset_index())


def as_markdown(table):
    """Return a table of texts as the lines of a Markdown table."""
    rows = table.astype(str).map(lambda text: text.replace("|", "\\|")).to_numpy().tolist()
    lines = [list(table.columns), ["---"] * table.shape[1], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plot_counts(found):
    """Draw ``counts``: a bar a paper, its claims by verdict, the number in each part."""
    found = found.drop(index="all")
    ax = plt.subplots(figsize=(7.2, 2.4))[1]
    left = pd.Series(0, index=found.index)
    for verdict, color in COLORS.items():
        bars = ax.barh(found.index, found[verdict], left=left, color=color, label=verdict)
        ink = "black" if verdict in (claims.UNTESTED, claims.PARTLY) else "white"
        ax.bar_label(bars, [n or "" for n in found[verdict]], label_type="center", color=ink, fontsize=7)
        left = left + found[verdict]
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("Claims")
    plots.model_legend([ax])
    return ax
