"""The paper's comparisons with other publications as printed, and this study's results beside them (appendix D)."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import result_tables
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import experiments

OURS = "this study"
HERE = "Rubin et al. (2012)"


def rows(item):
    """Return what figure 14, 15 or 16 prints, in its order: a row per publication and model, a column per number.

    The columns are the measures, with the corpus before them where there are several. A star behind a number
    is the paper's: the best of its block.
    """
    printed = reported("rubin2012", item)
    marked = printed["printed"] + printed["starred"].astype(int).map({0: "", 1: "*"})
    return _wide(printed.assign(text=marked, model=_with_epochs(printed)))


def _with_epochs(printed):
    return printed["model"] + printed["epochs"].map(lambda epochs: f" ({epochs})" if epochs else "")


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

    results has the columns of ``experiments.measures``. Only corpora that the figure has, and the cut-off of
    the paper's own rows. The result is empty, with a column less, where nothing is stored.
    """
    printed = reported("rubin2012", item)
    own = printed[printed["publication"] == HERE]
    on = ["corpus", "pivot", "cutoff", "measure"]
    if results.empty:
        return pd.DataFrame()
    means = result_tables.spread(results).merge(own[on].drop_duplicates(), on=on)
    if means.empty:
        return pd.DataFrame()
    text = means["mean"].map("{:.3f}".format).str.lstrip("0")
    order = {model: place for place, model in enumerate(result_tables.in_order(means["model"]))}
    means = means.assign(text=text, publication=OURS, place=means["model"].map(order))
    return _wide(means.sort_values("place", kind="stable"))


def beside(item, results):
    """Return ``rows`` with ``ours`` below them."""
    return pd.concat([rows(item), ours(results, item)]).fillna("–")


def standing(item, results, model):
    """Return on which measures of a figure a model of ours is ahead of each other publication's, as the paper's is.

    Columns: corpus, measure, publication, models (compared with), ours (how many of these our value is
    above), paper (how many the printed value of the same model is above), ours_value, paper_value. Equal
    values are not above.
    """
    printed = reported("rubin2012", item)
    means = result_tables.spread(results)
    on = ["corpus", "pivot", "cutoff", "measure"]
    own = printed[(printed["publication"] == HERE) & (printed["model"] == model)]
    rows = []
    for one in own.itertuples():
        place = {name: getattr(one, name) for name in on}
        here = means[(means[on] == pd.Series(place)).all(axis=1) & (means["model"] == model)]
        others = printed[
            (printed["publication"] != HERE)
            & (printed["corpus"] == one.corpus)
            & (printed["measure"] == one.measure)
        ]
        if here.empty:
            continue
        value = here["mean"].iloc[0]
        for publication, block in others.groupby("publication", sort=False):
            above = [int((found > block["value"]).sum()) for found in (value, one.value)]
            rows.append((one.corpus, one.measure, publication, len(block), *above, value, one.value))
    columns = ["corpus", "measure", "publication", "models", "ours", "paper", "ours_value", "paper_value"]
    return pd.DataFrame(rows, columns=columns)


def say(standings, model):
    """Say of ``standing`` how many of the other publications' models ours and the paper's are above."""
    lines = []
    for row in standings.itertuples():
        of = f"{row.models} models of {row.publication}"
        lines.append(
            f"{row.corpus}, {MEASURES[row.measure].heading}: {model} is above {row.ours} of {of}, in the "
            f"paper above {row.paper}."
        )
    return "\n".join(lines) or "There is nothing to compare."


def stored(corpora, models=result_tables.MODEL_ORDER):
    """Return the stored results of these models on these corpora."""
    found = [experiments.stored(corpus) for corpus in corpora]
    table = pd.concat(found, ignore_index=True)
    return table[table["model"].isin(models)]
