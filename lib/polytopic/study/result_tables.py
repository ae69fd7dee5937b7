"""Tables of results by model and measure as Rubin et al. (2012) print them, with the papers' own numbers beside."""

import zlib

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler
from scipy import stats

from polytopic.metrics import MEASURES
from polytopic.study.printed import half_unit, reported

MODEL_ORDER = ("Dependency-LDA", "Prior-LDA", "Flat-LDA", "Tuned SVM", "Vanilla SVM")
CUTOFFS = ("proportional", "calibrated", "bep")
RANKING = (
    "auc_pr",
    "auc_roc",
    "average_precision",
    "ranking_loss",
    "one_error",
    "is_error",
    "margin",
)
COLUMNS = {
    "ranking": [("", measure) for measure in RANKING],
    "binary": [(cutoff, measure) for cutoff in CUTOFFS for measure in ("macro_f1", "micro_f1")],
}
PIVOTS = ("document", "label")
PAIRS = (
    ("Dependency-LDA", "Prior-LDA"),
    ("Dependency-LDA", "Flat-LDA"),
    ("Prior-LDA", "Flat-LDA"),
    ("Dependency-LDA", "Tuned SVM"),
    ("Tuned SVM", "Vanilla SVM"),
)
CELL = ["corpus", "model", "pivot", "cutoff", "measure"]


def spread(results):
    """Return mean, sd, low, high and number of splits for every corpus, model, pivot, cutoff and measure.

    Seeds are averaged within a split first; sd is over splits with n - 1, missing for a single split.
    A frame without a column ``split``, such as ``reported``, counts as one split.

    Raises ValueError for missing columns and for results of several scales, which must not be averaged.
    """
    need(results, [*CELL, "value"], "results")
    if "scale" in results and results["scale"].nunique() > 1:
        scales = sorted(results["scale"].unique())
        raise ValueError(
            f"results mix the scales {scales}: keep one, as in results[results.scale == {scales[0]!r}]"
        )
    frame = results.assign(cutoff=results["cutoff"].fillna(""), value=results["value"].astype(float))
    if "split" not in frame:
        frame = frame.assign(split=0)
    per_split = frame.groupby([*CELL, "split"], sort=False)["value"].mean()
    over = per_split.groupby(level=CELL, sort=False)
    return over.agg(mean="mean", sd="std", low="min", high="max", splits="size").reset_index()


def result_table(results, pivot, task="ranking", statistic="mean"):
    """Return one of Rubin et al. (2012), figures 6, 7, 10 and 11: rows (corpus, model), columns as printed.

    ``pivot`` is "document" or "label". ``task`` is "ranking" (seven measures) or "binary" (Macro- and
    Micro-F1 at three cutoffs). ``statistic`` is "mean", "sd", "low" or "high" over splits; the tables of
    one result have the same shape. An arrow in the heading points to the better side. A measure that
    was not computed is missing.
    """
    choose(pivot, PIVOTS, "pivot")
    choose(task, COLUMNS, "task")
    choose(statistic, ("mean", "sd", "low", "high"), "statistic")
    rows = spread(results)
    rows = rows[rows["pivot"] == pivot]
    if rows.empty:
        raise ValueError(f"no {pivot}-pivoted results: run experiments.measures first")
    cells = rows.set_index(["corpus", "model", "cutoff", "measure"])[statistic]
    index = [(c, m) for c, block in rows.groupby("corpus", sort=False) for m in in_order(block["model"])]
    table = cells.unstack(["cutoff", "measure"]).reindex(index=pd.MultiIndex.from_tuples(index))
    table = table.reindex(columns=pd.MultiIndex.from_tuples(COLUMNS[task]))
    table.columns = _headings(task)
    return table.rename_axis(index=["corpus", "model"])


def heading(measure):
    """Return the printed name of a measure with an arrow towards the better side."""
    return f"{MEASURES[measure].heading} {'↑' if MEASURES[measure].higher_is_better else '↓'}"


def in_order(models):
    """Return the distinct models: the papers' five in their order, then others as they come."""
    present = list(dict.fromkeys(models))
    known = [model for model in MODEL_ORDER if model in present]
    return known + [model for model in present if model not in MODEL_ORDER]


def printed(table):
    """Return a result table as text, rounded as the paper prints it; a missing value is a dash.

    Three decimals for the measures from 0 to 1, two for ranking loss, one for one-error and is-error;
    margins are whole numbers in a corpus whose largest reaches 100, else they have two decimals.
    """
    text = pd.DataFrame("–", index=table.index, columns=table.columns, dtype=object)
    for (_, block), column in _blocks(table):
        places = decimals_of(_measure_of(column), block[column])
        shown = [f"{value:.{places}f}" if np.isfinite(value) else "–" for value in block[column]]
        text.loc[block.index, column] = shown
    return text


def best_cells(table):
    """Return a bool frame: the best model of each corpus and column, all of them where printed values tie.

    A column with fewer than two models to compare has no best.
    """
    best = pd.DataFrame(False, index=table.index, columns=table.columns)
    numbers = printed(table).replace("–", "nan").astype(float)
    for (_, block), column in _blocks(numbers):
        values = block[column]
        if values.notna().sum() > 1:
            top = values.max() if MEASURES[_measure_of(column)].higher_is_better else values.min()
            best.loc[block.index, column] = (values == top).to_numpy()
    return best


def mark_best(table, caption=None):
    """Return a pandas Styler that prints a result table with the best value of each column in bold.

    Its HTML ids come from what it prints, so that the same table always gives the same bytes.
    """
    text, best = printed(table), best_cells(table)
    uuid = f"{zlib.crc32(text.to_csv().encode()):08x}"
    styler = Styler(text, uuid=uuid, cell_ids=False, caption=caption)
    return styler.apply(lambda _: np.where(best, "font-weight: bold", ""), axis=None)


def plain(table):
    """Return a result table as plain text, a star behind the best value of each column."""
    return (printed(table) + best_cells(table).replace({True: "*", False: " "})).to_string()


def of_task(results, pivot, task="ranking"):
    """Return the rows of a frame of measures that one of the four result tables shows."""
    choose(pivot, PIVOTS, "pivot")
    choose(task, COLUMNS, "task")
    cells = zip(results["cutoff"].fillna(""), results["measure"], strict=True)
    shown = [cell in COLUMNS[task] for cell in cells]
    return results[(results["pivot"] == pivot) & np.array(shown, dtype=bool)]


def text_table(results, pivot, task="ranking"):
    """Return ``plain`` of a result table, or a line that says there is nothing to show."""
    if results.empty:
        return "There are no results to show."
    return plain(result_table(results, pivot, task))


def _blocks(table):
    blocks = list(table.groupby(level=0, sort=False))
    return [(block, column) for block in blocks for column in table.columns]


def _measure_of(column):
    name = column[-1] if isinstance(column, tuple) else column
    return {heading(measure): measure for measure in MEASURES}[name]


def decimals_of(measure, values):
    if measure == "margin" and np.nanmax([0, *values]) >= 100:
        return 0
    return MEASURES[measure].decimals


def beside_paper(results, paper, item=None):
    """Return our results beside the paper's, the largest discrepancies first.

    Columns: corpus, model, pivot, cutoff, measure, ours (mean over splits), sd, low, high, splits, paper,
    difference (ours - paper), allowed, excess (size of the difference over allowed) and within (excess is
    at most 1).

    ``allowed`` is two standard deviations over splits plus half a unit of the paper's last printed digit.
    The paper averages over splits too, so this is a generous rule: it asks whether the paper's mean could
    be one of our splits, and does not show that two means are the same. With one split the spread is not
    known, and allowed, excess and within are missing.

    Rows are sorted by excess; where that is missing, by the size of the difference relative to the paper.
    Only what both sides have is listed: a corpus that the paper does not have gives no rows.
    """
    theirs = printed_rows(paper, item, CELL)
    ours = spread(results).rename(columns={"mean": "ours"})
    ours["key"] = ours["corpus"].map(key)
    on = ["key", *CELL[1:]]
    table = ours.merge(theirs[[*on, "paper", "decimals"]], on=on)
    table["difference"] = table["ours"] - table["paper"]
    table["allowed"] = 2 * table["sd"] + half_unit(table["decimals"])
    table["excess"] = table["difference"].abs() / table["allowed"]
    table["within"] = (table["excess"] <= 1 + 1e-9).astype("boolean").mask(table["excess"].isna())
    relative = (table["difference"] / table["paper"]).abs()
    order = (
        table.assign(relative=relative)
        .sort_values(["excess", "relative"], ascending=False, kind="stable")
        .index
    )
    return table.drop(columns=["key", "decimals"]).loc[order].reset_index(drop=True)


def readings_beside_paper(results, varies, paper):
    """Return ``beside_paper`` for several readings of one system, each beside what the paper prints for it.

    varies maps the name of a reading to the model that it is a reading of; a model not in it stands for
    itself. The model column keeps the readings' names.
    """
    parts = [
        beside_paper(block.assign(model=varies.get(model, model)), paper).assign(model=model)
        for model, block in results.groupby("model", sort=False)
    ]
    return pd.concat(parts, ignore_index=True)


def agreement_counts(comparison):
    """Return how many of the values of ``beside_paper`` agree: models x (corpus, pivot), as "24 of 26"."""
    judged = comparison.dropna(subset="within").astype({"within": int})
    counted = judged.groupby(["corpus", "pivot", "model"], sort=False)["within"].agg(["sum", "count"])
    text = counted["sum"].astype(str) + " of " + counted["count"].astype(str)
    wide = text.unstack(["corpus", "pivot"]).sort_index(axis=1)
    return wide.reindex(in_order(comparison["model"]))


def comparison_table(comparison, pivot, task="ranking"):
    """Return ``beside_paper`` laid out as a result table, a line each for ours, paper, difference and sd.

    Decimals are the paper's; sd is over splits, a dash for a single one. Without rows the frame is empty.
    """
    cells = of_task(comparison, pivot, task).rename(columns={"ours": "value"})
    lines = {"ours": "value", "paper": "paper", "difference": "difference", "sd": "sd"}
    rows = [
        (corpus, row["model"], line, row["cutoff"], row["measure"], _fixed(row[column], places, line))
        for (corpus, measure), block in cells.groupby(["corpus", "measure"])
        for places in [decimals_of(measure, block["paper"])]
        for _, row in block.iterrows()
        for line, column in lines.items()
    ]
    if not rows:
        return pd.DataFrame()
    long = pd.DataFrame(rows, columns=["corpus", "model", "", "cutoff", "measure", "text"])
    index = [
        (corpus, model, line)
        for corpus, block in long.groupby("corpus")
        for model in in_order(block["model"])
        for line in lines
    ]
    wide = long.pivot(index=["corpus", "model", ""], columns=["cutoff", "measure"], values="text")
    wide = wide.reindex(
        index=pd.MultiIndex.from_tuples(index), columns=pd.MultiIndex.from_tuples(COLUMNS[task])
    )
    wide.columns = _headings(task)
    return wide.fillna("–").rename_axis(index=["corpus", "model", ""])


def _fixed(value, places, line):
    if not np.isfinite(value):
        return "–"
    return f"{value:+.{places}f}" if line == "difference" else f"{value:.{places}f}"


def _headings(task):
    if task == "ranking":
        return [heading(measure) for _, measure in COLUMNS[task]]
    return pd.MultiIndex.from_tuples([(c.upper(), heading(m)) for c, m in COLUMNS[task]])


def printed_rows(paper, item, columns):
    """Return printed numbers keyed for a merge, the number itself in a column ``paper``."""
    rows = reported(paper, item)
    need(rows, columns, f"{item} of {paper}")
    return rows.assign(key=rows["corpus"].map(key), paper=rows["value"])


def summary(comparison):
    """Return how many values of a ``beside_paper`` table agree, per model, of those that can be judged."""
    judged = comparison.dropna(subset="within")
    counted = judged.groupby("model")["within"].agg(["sum", "size"]).reindex(in_order(comparison["model"]))
    counted = counted.fillna(0).astype(int).set_axis(["within", "of"], axis=1)
    return counted.rename_axis("model").reset_index()


def best_counts(results, decimals="paper"):
    """Return on how many measures each model is best (Rubin et al. 2012, figure 13).

    Columns: corpus, model, pivot, task, best, of. AUC-ROC stands for itself and for ranking loss, which is
    the same number; so there are six measures of each task. Ties credit every best model. They are decided
    at the precision that the paper prints (see ``printed``), at a fixed number of decimals, or exactly with
    ``decimals=None``.
    """
    means = _rounded(results, decimals)
    means = means[means["measure"] != "ranking_loss"]
    group = means.groupby(["corpus", "pivot", "cutoff", "measure"], sort=False)["value"]
    higher = means["measure"].map(lambda measure: MEASURES[measure].higher_is_better)
    top = group.transform("max").where(higher, group.transform("min"))
    means = means.assign(
        best=means["value"] == top, task=np.where(means["cutoff"] == "", "ranking", "binary")
    )
    counts = means.groupby(["corpus", "model", "pivot", "task"], sort=False)["best"].agg(["sum", "size"])
    return counts.set_axis(["best", "of"], axis=1).astype(int).reset_index()


def best_counts_table(counts):
    """Return ``best_counts`` as figure 13 prints it: a column per pivot and task, and three totals."""
    if counts.empty:
        return pd.DataFrame()
    tasks = [(pivot, task) for pivot in PIVOTS for task in COLUMNS]
    wide = counts.set_index(["corpus", "model", "pivot", "task"])["best"].unstack(["pivot", "task"])
    wide = wide.reindex(columns=pd.MultiIndex.from_tuples(tasks))
    index = [(c, m) for c, block in counts.groupby("corpus", sort=False) for m in in_order(block["model"])]
    wide = (
        wide.reindex(index=pd.MultiIndex.from_tuples(index, names=["corpus", "model"])).fillna(0).astype(int)
    )
    for pivot in PIVOTS:
        wide[(pivot, "both")] = wide[pivot][list(COLUMNS)].sum(axis=1)
    wide[("both", "both")] = wide[[(pivot, "both") for pivot in PIVOTS]].sum(axis=1)
    return wide


def best_counts_beside_paper(counts, paper="rubin2012", item="figure 13"):
    """Return the best counts of those models and corpora that figure 13 has, beside the paper's.

    Columns: corpus, model, pivot, task, ours, paper; totals have "both" for pivot, task or both.
    """
    theirs = printed_rows(paper, item, ["corpus", "model", "pivot", "task"]).drop(columns="corpus")
    parts = [counts, counts.assign(task="both"), counts.assign(pivot="both", task="both")]
    ours = pd.concat(parts).groupby(["corpus", "model", "pivot", "task"], sort=False)["best"].sum()
    ours = (
        ours.reset_index().rename(columns={"best": "ours"}).assign(key=lambda rows: rows["corpus"].map(key))
    )
    table = ours.merge(theirs.astype({"paper": int}), on=["key", "model", "pivot", "task"])
    return table[["corpus", "model", "pivot", "task", "ours", "paper"]]


def complete(results, models=MODEL_ORDER):
    """Return the results of those corpora on which every one of the models has some."""
    whole = [corpus for corpus, rows in results.groupby("corpus") if set(models) <= set(rows["model"])]
    return results[results["corpus"].isin(whole)]


def of_common_splits(results):
    """Return the rows of those splits of a corpus that all of its models have, for means over the same documents."""
    models = results.groupby(["corpus", "split"])["model"].transform("nunique")
    return results[models == results.groupby("corpus")["model"].transform("nunique")]


def orderings(results, pairs=PAIRS, paper="rubin2012", decimals="paper"):
    """Return in how many of the 13 measures of each pivot one model beats another, with the paper's count.

    Columns: corpus, pivot, first, second, wins and ties of the first, of, paper (its wins on the same corpus,
    missing where it has none), paper_least and paper_most (over all its corpora). ``decimals`` as in
    ``best_counts``; the paper's own numbers are taken as printed. Without a paper its columns are left out.
    """
    ours = _wins(_rounded(results, decimals), pairs)
    if paper is None:
        return ours
    theirs = _wins(_rounded(reported(paper), None), pairs)
    on = ["pivot", "first", "second"]
    extremes = theirs.groupby(on)["wins"].agg(paper_least="min", paper_most="max").reset_index()
    same = theirs.assign(key=theirs["corpus"].map(key))[["key", *on, "wins"]].rename(
        columns={"wins": "paper"}
    )
    joined = ours.assign(key=ours["corpus"].map(key)).merge(same, on=["key", *on], how="left")
    return joined.drop(columns="key").astype({"paper": "Int64"}).merge(extremes, on=on, how="left")


def gains(results, first, second):
    """Return by how much one model is better than another on each of 24 measures of each corpus.

    Columns: corpus, pivot, cutoff, measure, first and second (means over the splits that both have), gain, sd, low
    and high (of the gain over splits), splits, and half, half the width of the gain's 95 % interval by Student's t.
    sd and half are missing for a single split; splits share documents, so that the interval is too narrow rather than
    too wide. The gain is positive where the first is better. AUC-ROC stands for ranking loss too, which is the same
    number. Seeds are averaged within a split.
    """
    kept = results[results["model"].isin([first, second]) & (results["measure"] != "ranking_loss")]
    kept = kept[kept["measure"].isin([*RANKING, "macro_f1", "micro_f1"])].assign(
        cutoff=lambda rows: rows["cutoff"].fillna("")
    )
    cell = ["corpus", "pivot", "cutoff", "measure"]
    wide = kept.pivot_table("value", [*cell, "split"], "model", aggfunc="mean", sort=False)
    wide = wide.reindex(columns=[first, second]).dropna()
    sign = [1 if MEASURES[one].higher_is_better else -1 for one in wide.index.get_level_values("measure")]
    wide = wide.set_axis(["first", "second"], axis=1).assign(gain=(wide[first] - wide[second]) * sign)
    groups = wide.groupby(level=cell, sort=False)
    spread = groups["gain"].agg(sd="std", low="min", high="max", splits="size")
    spread["half"] = (
        stats.t.ppf(0.975, (spread["splits"] - 1).clip(lower=1)) * spread["sd"] / spread["splits"] ** 0.5
    )
    return groups[["first", "second", "gain"]].mean().join(spread).reset_index()


def of_measures(found, measures):
    """Return the rows of ``gains`` on some of the measures."""
    return found[found["measure"].isin(measures)].reset_index(drop=True)


def learned_table(settings):
    """Return the settings of ``experiments.stored_learning``: a row for each, a column per corpus and model.

    Values are means over splits, to three significant digits.
    """
    if settings.empty:
        return pd.DataFrame()
    wide = settings.pivot_table("value", "setting", ["corpus", "model"], aggfunc="mean", sort=False)
    return wide.map(lambda value: f"{value:.3g}").rename_axis(columns=[None, None])


def trial_curves(trials):
    """Return the trials of ``experiments.stored_learning`` for drawing: columns corpus, split, weight, model, value.

    They are the trials that are about the weight; model says by which pivot.
    """
    by = ["corpus", "split"]
    long = trials[trials["tried"] == "weight"].melt([*by, "weight"], ["by_document", "by_label"], "model")
    return long.assign(model=long["model"].str.replace("_", " "))


def gains_table(found):
    """Return ``gains`` as text: a row for each measure, a column for each corpus, a star where the first is ahead.

    A cell is the first's value and its gain, with the measure's printed decimals.
    """
    if found.empty:
        return pd.DataFrame()
    rows = {}
    for row in found.itertuples():
        places = MEASURES[row.measure].decimals
        name = " ".join(filter(None, [row.cutoff.upper(), heading(row.measure)]))
        text = f"{row.first:.{places}f} ({row.gain:+.{places}f}{'*' if row.gain > 0 else ' '})"
        rows.setdefault((row.pivot, name), {})[row.corpus] = text
    table = pd.DataFrame.from_dict(rows, orient="index").fillna("–")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["pivot", "measure"])
    return table


def _rounded(results, decimals):
    """Return one mean per cell of the result tables, rounded to the precision at which ties are decided."""
    means = spread(results).rename(columns={"mean": "value"})
    listed = pd.MultiIndex.from_tuples([cell for cells in COLUMNS.values() for cell in cells])
    means = means[pd.MultiIndex.from_frame(means[["cutoff", "measure"]]).isin(listed)]
    if decimals is None:
        return means
    if decimals != "paper":
        return means.assign(value=means["value"].round(decimals))
    means = means.copy()
    for (_, _, measure), block in means.groupby(["corpus", "pivot", "measure"]):
        means.loc[block.index, "value"] = block["value"].round(decimals_of(measure, block["value"]))
    return means


def _wins(means, pairs):
    rows = []
    for (corpus, pivot), block in means.groupby(["corpus", "pivot"], sort=False):
        wide = block.pivot(index=["cutoff", "measure"], columns="model", values="value")
        sign = np.where([MEASURES[m].higher_is_better for m in wide.index.get_level_values("measure")], 1, -1)
        for first, second in pairs:
            if {first, second} <= set(wide.columns):
                gain = ((wide[first] - wide[second]) * sign).dropna()
                rows.append(
                    (corpus, pivot, first, second, int((gain > 0).sum()), int((gain == 0).sum()), len(gain))
                )
    return pd.DataFrame(rows, columns=["corpus", "pivot", "first", "second", "wins", "ties", "of"])


def key(corpus):
    return corpus.lower().replace("-", "_")


def need(frame, columns, name):
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(
            f"{name} has no column {', '.join(missing)}: it has {', '.join(map(str, frame.columns))}"
        )


def choose(value, allowed, name):
    if value not in allowed:
        raise ValueError(f"unknown {name} {value!r}: choose from {', '.join(allowed)}")
