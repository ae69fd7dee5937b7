"""Results against statistics of corpora, and beside other publications (Rubin et al. 2012, figures 8, 9, 14-16)."""

import pandas as pd
from scipy import stats

from polytopic.metrics import MEASURES
from polytopic.study import compare, corpora, result_tables
from polytopic.study.looks import displayed, in_order
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import results, systems
from polytopic.study.rubin2012.descriptions import short
from polytopic.validation import check_name

MEDIAN, CARDINALITY = "median_label_frequency", "cardinality"
COLUMNS = [*result_tables.COLUMNS["binary"], ("", "auc_roc"), ("", "average_precision")]
OURS, PAPER, TUNED = "ours", "paper", "Tuned SVM"
HERE, STUDY = "Rubin et al. (2012)", "this study"  # among the publications


def results_at_hand(corpus=None, splits=(0,), scale="quick", seed=0):
    """Return the stored results of every corpus on which the paper's five are stored, at one scale of each corpus.

    Only splits that all of them have, so that the models' means are over the same documents. Of ``corpus``, unless it
    is among them, the results are computed, as ``results.measures`` does. Columns as there.
    """
    held = results.stored(None, whole=True)
    if corpus is None or corpus in set(held["corpus"]):
        return held.reset_index(drop=True)
    computed = results.measures(corpus, systems.PAPER_FIVE, splits=splits, scale=scale, seed=seed)
    return pd.concat([part for part in (held, computed) if len(part)], ignore_index=True)


def read_otherwise(found):
    """Return results with the tuned SVM of both weights in the place of the one described, where it is stored."""
    both = results.stored(None, [systems.BOTH_WEIGHTS]).assign(model=TUNED)
    both = both.merge(found[["corpus", "scale", "split"]].drop_duplicates())
    replaced = (found["model"] == TUNED) & found["corpus"].isin(both["corpus"])
    return pd.concat([found[~replaced], both], ignore_index=True)


def best_of_two(measures, reading=""):
    """Return on how many measures Dependency-LDA and the tuned SVM are best of five, beside figure 13's numbers.

    The tuned SVM may be that of both weights; reading says so. Columns: corpus, reading, model, pivot, task, best,
    of, paper (missing where the figure has no such corpus).
    """
    counts = result_tables.best_counts(measures.replace({"model": {systems.BOTH_WEIGHTS: TUNED}}))
    paper = result_tables.best_counts_beside_paper(counts).drop(columns="ours")
    table = counts.merge(paper, how="left").assign(reading=reading)
    columns = ["corpus", "reading", "model", "pivot", "task", "best", "of", "paper"]
    return table.loc[table["model"].isin(["Dependency-LDA", TUNED]), columns].reset_index(drop=True)


def centred(found, statistic, models):
    """Return the results by document of some models less the mean over these models, with a statistic of the corpora.

    found holds results as ``results.measures`` gives them, each corpus at one scale; statistics are the surveys'.
    Columns: source ("ours"), corpus, amount (the statistic), model, cutoff, measure, value (mean over splits),
    relative (value less the models' mean), in rising order of the statistic. Only measures of COLUMNS, the better the
    higher, and corpora that have all models and the statistic. Raises ValueError for an unknown statistic.
    """
    known = corpora.surveyed()
    check_name("statistic", statistic, set(known["statistic"]))
    kept = found[found["pivot"] == "document"].astype({"value": float})
    means = compare.means(kept, [*result_tables.CELL, "scale"], ["split"]).rename(columns={"mean": "value"})
    return _centred(means, known, statistic, models, OURS)


def centred_otherwise(found, statistic, models):
    """Return the rows of the tuned SVM of both weights, less the same means as ``centred``, where it is stored."""
    place = ["corpus", "cutoff", "measure"]
    first, again = (centred(rows, statistic, models) for rows in (found, read_otherwise(found)))
    means = (first["value"] - first["relative"]).groupby([first[name] for name in place]).first()
    both = again[again["model"] == TUNED].merge(means.rename("means").reset_index(), on=place)
    both = both[both["corpus"].isin(results.stored(None, [systems.BOTH_WEIGHTS])["corpus"])]
    return both.assign(model=systems.BOTH_WEIGHTS, relative=both["value"] - both["means"])[again.columns]


def centred_printed(statistic, models):
    """Return ``centred`` of the paper's printed results and its own statistics (table 4), the source "paper"."""
    printed = reported("rubin2012").query("pivot == 'document'")
    return _centred(printed, reported("rubin2012", "table 4"), statistic, models, PAPER)


def _centred(means, statistics, statistic, models, source):
    amounts = statistics[statistics["statistic"] == statistic].set_index("corpus")["value"]
    kept = means[pd.MultiIndex.from_frame(means[["cutoff", "measure"]]).isin(COLUMNS)]
    kept = kept[kept["model"].isin(models) & kept["corpus"].isin(amounts.index)]
    kept = kept[kept.groupby("corpus")["model"].transform("nunique") == len(models)]
    mean = kept.groupby(["corpus", "cutoff", "measure"])["value"].transform("mean")
    kept = kept.assign(source=source, amount=kept["corpus"].map(amounts), relative=kept["value"] - mean)
    columns = ["source", "corpus", "amount", "model", "cutoff", "measure", "value", "relative"]
    return kept.sort_values(["amount", "corpus"], kind="stable")[columns].reset_index(drop=True)


def trend(centred, first, second):
    """Return how the lead of one model over another goes with the statistic, for each source and measure.

    Columns: source, cutoff, measure, corpora, lead_at_least and lead_at_most (on the corpus with the least and with
    the most of the statistic), tau (Kendall's tau-b of lead and statistic; missing without two that differ).
    """
    rows = []
    for place, block in centred.groupby(["source", "cutoff", "measure"], sort=False):
        wide = block.pivot(index=["amount", "corpus"], columns="model", values="value").sort_index()
        lead = (wide[first] - wide[second]).round(9)
        amounts = lead.index.get_level_values("amount")
        tau = stats.kendalltau(amounts, lead).statistic if len(lead) > 1 else float("nan")
        rows.append((*place, len(lead), lead.iloc[0], lead.iloc[-1], tau))
    columns = ["source", "cutoff", "measure", "corpora", "lead_at_least", "lead_at_most", "tau"]
    return pd.DataFrame(rows, columns=columns)


def trends(centred, pairs):
    """Return on how many measures the lead of ``trend`` falls and rises, and its median tau: a row per pair."""
    found = [trend(centred, *pair).assign(first=pair[0], second=pair[1]) for pair in pairs]
    table = pd.concat(found, ignore_index=True).astype({"tau": float})
    table = table.assign(falls=table["tau"] < 0, rises=table["tau"] > 0)
    by = table.groupby(["source", "first", "second"], sort=False)
    counts = {"corpora": ("corpora", "max"), "measures": ("tau", "size")}
    signs = {name: (name, "sum") for name in ("falls", "rises")}
    return by.agg(**counts, **signs, **{"median tau": ("tau", "median")}).reset_index()


def published(item):
    """Return what figure 14, 15 or 16 prints, in its order: a row per publication and model, a column per number.

    A column is a measure, behind its corpus if there are several. The paper's star is behind the best of a block.
    """
    printed = reported("rubin2012", item)
    text = printed["printed"] + printed["starred"].map({"0": "", "1": "*"})
    epochs = (" (" + printed["epochs"] + ")").where(printed["epochs"] != "", "")
    return _wide(printed.assign(text=text, model=printed["model"] + epochs))


def _wide(long):
    corpora = long["corpus"].map(displayed) + " " if long["corpus"].nunique() > 1 else ""
    long = long.assign(column=corpora + long["measure"].map(lambda measure: MEASURES[measure].arrow))
    wide = long.pivot_table("text", ["publication", "model"], "column", "first", sort=False)
    return wide.fillna("–").rename_axis(columns=None)


def ours(results, item):
    """Return stored results in the rows of a figure: means over splits, at the figure's pivot, cut-offs and decimals.

    results has the columns of ``results.measures``. Only corpora that the figure has, and the cut-off of the paper's
    own rows; empty where nothing is stored.
    """
    printed, on = reported("rubin2012", item), ["corpus", "pivot", "cutoff", "measure"]
    own = printed.loc[printed["publication"] == HERE, on].drop_duplicates()
    means = result_tables.means(results).merge(own, on=on)
    if means.empty:
        return pd.DataFrame()
    means = means.set_index("model").loc[in_order(means["model"])].reset_index()
    return _wide(means.assign(text=short(means["mean"]), publication=STUDY))


def beside(item, results):
    """Return ``published`` with ``ours`` below them."""
    return pd.concat([published(item), ours(results, item)]).fillna("–")


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
