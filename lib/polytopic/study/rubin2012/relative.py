"""How a model's lead goes with a statistic of the corpora (Rubin et al. 2012, figures 8 and 9)."""

import pandas as pd
from scipy import stats

from polytopic.study import corpora, result_tables
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import experiments
from polytopic.validation import check_name

MEDIAN, CARDINALITY = "median_label_frequency", "cardinality"
COLUMNS = [*result_tables.COLUMNS["binary"], ("", "auc_roc"), ("", "average_precision")]
OURS, PAPER = "ours", "paper"


def results_at_hand(corpus=None, splits=(0,), scale="quick", seed=0, models=result_tables.MODEL_ORDER):
    """Return the stored results of every corpus on which all these models are stored, the largest scale of each.

    Only splits that all of them have, so that the models' means are over the same documents. Of ``corpus``, unless it
    is among them, the results are computed, as ``experiments.measures`` does. Columns as there; the scale differs
    from corpus to corpus.
    """
    held = list(dict.fromkeys(corpora.surveyed()["corpus"]))
    names = held + ([corpus] if corpus and corpus not in held else [])
    found = [experiments.stored(name) for name in names]
    found = [table[table["model"].isin(models)] for table in found if len(table)]
    found = [result_tables.of_common_splits(result_tables.complete(table, models)) for table in found]
    held = {name for table in found for name in table["corpus"]}
    if corpus and corpus not in held:
        found.append(experiments.measures(corpus, models, splits=splits, scale=scale, seed=seed))
    found = [table for table in found if len(table)]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=experiments.MEASURE_COLUMNS)


def centred(results, statistic, models, pivot="document"):
    """Return the results of some models less the mean over these models, with a statistic of the corpora.

    results as ``experiments.measures`` gives them, of any scales; means over splits are compared. statistics
    are those of the stored surveys. Columns: source ("ours"), corpus, amount (the statistic), model, cutoff,
    measure, value, relative (value less the mean over the models), in rising order of the statistic. Only
    measures of COLUMNS, all of which are the better the higher, and only corpora that have all models and the
    statistic. Raises ValueError for an unknown statistic.
    """
    known = corpora.surveyed()
    check_name("statistic", statistic, set(known["statistic"]))
    scales = [result_tables.spread(block) for _, block in results.groupby("corpus", sort=False)] or [
        pd.DataFrame()
    ]
    means = pd.concat(scales, ignore_index=True)
    if means.empty:
        return _centred(_empty(), known, statistic, models, OURS)
    means = means[means["pivot"] == pivot].rename(columns={"mean": "value"})
    return _centred(means, known, statistic, models, OURS)


def centred_printed(statistic, models, pivot="document", paper="rubin2012"):
    """Return ``centred`` of the paper's printed results and its own statistics (table 4), the source "paper"."""
    printed = reported(paper)
    return _centred(printed[printed["pivot"] == pivot], reported(paper, "table 4"), statistic, models, PAPER)


def _empty():
    return pd.DataFrame(columns=["corpus", "model", "cutoff", "measure", "value"])


def _centred(means, statistics, statistic, models, source):
    amounts = statistics[statistics["statistic"] == statistic].set_index("corpus")["value"]
    cells = list(zip(means["cutoff"], means["measure"], strict=True))
    kept = means[pd.Series([cell in COLUMNS for cell in cells], index=means.index, dtype=bool)]
    kept = kept[kept["model"].isin(models) & kept["corpus"].isin(amounts.index)]
    complete = [corpus for corpus, rows in kept.groupby("corpus") if set(models) <= set(rows["model"])]
    kept = kept[kept["corpus"].isin(complete)]
    mean = kept.groupby(["corpus", "cutoff", "measure"])["value"].transform("mean")
    kept = kept.assign(source=source, amount=kept["corpus"].map(amounts), relative=kept["value"] - mean)
    columns = ["source", "corpus", "amount", "model", "cutoff", "measure", "value", "relative"]
    return kept.sort_values(["amount", "corpus"], kind="stable")[columns].reset_index(drop=True)


def trend(centred, first, second):
    """Return how the lead of one model over another goes with the statistic, for each source and measure.

    Columns: source, cutoff, measure, corpora, lead_at_least and lead_at_most (the lead on the corpus with the
    least and with the most of the statistic), tau (Kendall's tau-b of lead and statistic, from -1, always
    falling, to 1; missing with fewer than two corpora or without any difference).
    """
    rows = []
    for (source, cutoff, measure), block in centred.groupby(["source", "cutoff", "measure"], sort=False):
        wide = block.pivot(index=["amount", "corpus"], columns="model", values="value").sort_index()
        lead = (wide[first] - wide[second]).round(9)
        amounts = lead.index.get_level_values("amount")
        tau = stats.kendalltau(amounts, lead).statistic if len(lead) > 1 else float("nan")
        rows.append((source, cutoff, measure, len(lead), lead.iloc[0], lead.iloc[-1], tau))
    columns = ["source", "cutoff", "measure", "corpora", "lead_at_least", "lead_at_most", "tau"]
    return pd.DataFrame(rows, columns=columns)


def say(trends, first, second, of):
    """Say of ``trend`` on how many measures the lead falls or rises with the statistic (``of``, in words)."""
    if trends.empty:
        return "There is nothing to compare."
    lines = []
    for source, rows in trends.groupby("source", sort=False):
        falls, rises = (rows["tau"] < 0).sum(), (rows["tau"] > 0).sum()
        lines.append(
            f"{source}, {rows['corpora'].max()} corpora: the lead of {first} over {second} falls with {of} on "
            f"{falls} of {len(rows)} measures and rises on {rises}; Kendall's tau is "
            f"{rows['tau'].median():+.2f} in the median."
        )
    return "\n".join(lines)
