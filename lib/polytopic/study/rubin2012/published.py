"""The paper's comparisons with other publications as printed, and this study's results beside them (appendix D)."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import result_tables
from polytopic.study.printed import reported
from polytopic.study.rubin2012.descriptions import short

OURS = "this study"
HERE = "Rubin et al. (2012)"


def rows(item):
    """Return what figure 14, 15 or 16 prints, in its order: a row per publication and model, a column per number.

    A column is a measure, behind its corpus if there are several. The paper's star is behind the best of a block.
    """
    printed = reported("rubin2012", item)
    text = printed["printed"] + printed["starred"].map({"0": "", "1": "*"})
    epochs = (" (" + printed["epochs"] + ")").where(printed["epochs"] != "", "")
    return _wide(printed.assign(text=text, model=printed["model"] + epochs))


def _wide(long):
    corpora = long["corpus"] + " " if long["corpus"].nunique() > 1 else ""
    long = long.assign(column=corpora + long["measure"].map(lambda measure: MEASURES[measure].heading))
    wide = long.pivot_table("text", ["publication", "model"], "column", "first", sort=False)
    return wide.fillna("–").rename_axis(columns=None)


def ours(results, item):
    """Return stored results in the rows of a figure: means over splits, at the figure's pivot, cut-offs and decimals.

    results has the columns of ``results.measures``. Only corpora that the figure has, and the cut-off of the paper's
    own rows; empty where nothing is stored.
    """
    if results.empty:
        return pd.DataFrame()
    printed, on = reported("rubin2012", item), ["corpus", "pivot", "cutoff", "measure"]
    own = printed.loc[printed["publication"] == HERE, on].drop_duplicates()
    means = result_tables.means(results).merge(own, on=on)
    if means.empty:
        return pd.DataFrame()
    means = means.set_index("model").loc[result_tables.in_order(means["model"])].reset_index()
    return _wide(means.assign(text=short(means["mean"]), publication=OURS))


def beside(item, results):
    """Return ``rows`` with ``ours`` below them."""
    return pd.concat([rows(item), ours(results, item)]).fillna("–")


def standing(item, results, models):
    """Return on which measures of a figure models of ours are ahead of each other publication's, as the paper's are.

    Columns: model, corpus, measure, publication, models (compared with), ours (how many of these our value is above,
    not level with), paper (how many the printed value of the same model is above), ours_value, paper_value.
    """
    printed, on = reported("rubin2012", item), ["corpus", "pivot", "cutoff", "measure", "model"]
    is_paper = printed["publication"] == HERE
    paper = pd.concat([printed[is_paper & (printed["model"] == model)] for model in models])
    paper = paper.drop(columns="publication").rename(columns={"value": "paper_value"})
    means = result_tables.means(results)[[*on, "mean"]].rename(columns={"mean": "ours_value"})
    others = printed.loc[~is_paper, ["corpus", "measure", "publication", "value"]]
    table = paper.merge(means, on=on).merge(others, on=["corpus", "measure"])
    above = {name: table[f"{name}_value"] > table["value"] for name in ("ours", "paper")}
    by = table.assign(**above).groupby(["model", "corpus", "measure", "publication"], sort=False)
    counts = by.agg(models=("value", "size"), ours=("ours", "sum"), paper=("paper", "sum"))
    return counts.join(by[["ours_value", "paper_value"]].first()).reset_index()
