"""The paper's comparisons with other publications as printed, and this study's results beside them (appendix D)."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import result_tables
from polytopic.study.printed import reported

OURS = "this study"
HERE = "Rubin et al. (2012)"


def rows(item):
    """Return what figure 14, 15 or 16 prints, in its order: a row per publication and model, a column per number.

    The columns are the measures, with the corpus before them where there are several. A star behind a number
    is the paper's: the best of its block.
    """
    printed = reported("rubin2012", item)
    marked = printed["printed"] + printed["starred"].astype(int).map({0: "", 1: "*"})
    epochs = printed["epochs"].map(lambda epochs: f" ({epochs})" if epochs else "")
    return _wide(printed.assign(text=marked, model=printed["model"] + epochs))


def _wide(long):
    several = long["corpus"].nunique() > 1
    heading = long["measure"].map(lambda measure: MEASURES[measure].heading)
    long = long.assign(column=(long["corpus"] + " " if several else "") + heading)
    keys = ["publication", "model"]
    wide = long.pivot(index=keys, columns="column", values="text").fillna("–")
    order = list(dict.fromkeys(zip(long["publication"], long["model"], strict=True)))
    return wide.loc[order, list(dict.fromkeys(long["column"]))].rename_axis(columns=None)


def ours(results, item):
    """Return stored results in the rows of a figure: means over splits, at the figure's pivot, cut-offs and decimals.

    results has the columns of ``results.measures``. Only corpora that the figure has, and the cut-off of
    the paper's own rows. The result is empty, with a column less, where nothing is stored.
    """
    printed = reported("rubin2012", item)
    own = printed[printed["publication"] == HERE]
    on = ["corpus", "pivot", "cutoff", "measure"]
    if results.empty:
        return pd.DataFrame()
    means = result_tables.means(results).merge(own[on].drop_duplicates(), on=on)
    if means.empty:
        return pd.DataFrame()
    text = means["mean"].map("{:.3f}".format).str.lstrip("0")
    order = result_tables.in_order(means["model"])
    means = means.assign(text=text, publication=OURS, place=means["model"].map(order.index))
    return _wide(means.sort_values("place", kind="stable"))


def beside(item, results):
    """Return ``rows`` with ``ours`` below them."""
    return pd.concat([rows(item), ours(results, item)]).fillna("–")


def standing(item, results, models):
    """Return on which measures of a figure models of ours are ahead of each other publication's, as the paper's are.

    Columns: model, corpus, measure, publication, models (compared with), ours (how many of these our value is
    above), paper (how many the printed value of the same model is above), ours_value, paper_value. Equal
    values are not above.
    """
    printed = reported("rubin2012", item)
    on = ["corpus", "pivot", "cutoff", "measure", "model"]
    means = result_tables.means(results)[[*on, "mean"]]
    paper = printed[(printed["publication"] == HERE) & printed["model"].isin(models)]
    others = printed[printed["publication"] != HERE]
    rows = []
    for row in paper.merge(means, on=on).itertuples():
        same = others[(others["corpus"] == row.corpus) & (others["measure"] == row.measure)]
        for publication, block in same.groupby("publication", sort=False):
            above = [int((value > block["value"]).sum()) for value in (row.mean, row.value)]
            place = row.model, row.corpus, row.measure, publication
            rows.append((*place, len(block), *above, row.mean, row.value))
    rows.sort(key=lambda row: models.index(row[0]))
    columns = ["model", "corpus", "measure", "publication", "models", "ours", "paper"]
    return pd.DataFrame(rows, columns=[*columns, "ours_value", "paper_value"])
