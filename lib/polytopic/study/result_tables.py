"""Tables of results by model and measure as Rubin et al. (2012) print them, with the papers' own numbers beside.

Results are tidy, one value a row: corpus, scale, seed, split, model, pivot, cutoff, measure, value. Printed numbers
(``printed.reported``) lack the first few and count as one split. What a table shows goes by what the results hold.
"""

import zlib

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from polytopic.metrics import CUTOFFS, MEASURES, PIVOTS
from polytopic.study import compare, printed
from polytopic.study.looks import in_order
from polytopic.study.printed import reported, spelled_as
from polytopic.validation import check_name

RANKING = ("auc_pr", "auc_roc", "average_precision", "ranking_loss", "one_error", "is_error", "margin")
COLUMNS = {
    "ranking": [("", measure) for measure in RANKING],
    "binary": [(cutoff, measure) for cutoff in CUTOFFS for measure in ("macro_f1", "micro_f1")],
}
SHOWN = pd.MultiIndex.from_tuples([cell for cells in COLUMNS.values() for cell in cells])
PAIRS = (
    ("Dependency-LDA", "Prior-LDA"),
    ("Dependency-LDA", "Flat-LDA"),
    ("Prior-LDA", "Flat-LDA"),
    ("Dependency-LDA", "Tuned SVM"),
    ("Tuned SVM", "Vanilla SVM"),
)
CELL = ["corpus", "model", "pivot", "cutoff", "measure"]
DASH = "–"


# What there is


def extent(results):
    """Return which results there are: the number of splits, a row per corpus and scale, a column per model."""
    if results.empty:
        return pd.DataFrame()
    each = results.groupby(["corpus", "scale", "model"], sort=False)["split"].nunique()
    return each.unstack(fill_value=0)[in_order(results["model"])].rename_axis(columns=None)


def of_task(results, pivot, task="ranking"):
    """Return the rows that one of the four result tables shows, by "document" or "label", "ranking" or "binary"."""
    check_name("pivot", pivot, PIVOTS)
    check_name("task", task, COLUMNS)
    return _shown(results[results["pivot"] == pivot], COLUMNS[task])


def _shown(results, cells=SHOWN):
    return results[pd.MultiIndex.from_frame(results[["cutoff", "measure"]]).isin(cells)]


def means(results):
    """Return ``compare.means`` over splits for every corpus, model, pivot, cutoff and measure."""
    frame = results if "split" in results else results.assign(split=0)
    compare.require(frame, [*CELL, "value"])
    return compare.means(frame.astype({"value": float}), CELL, ["split"])


def drawn(results, pivot, task="ranking"):
    """Return what pictures of a result table show: mean, sd, and the ends of its 95 % interval."""
    table = means(of_task(results, pivot, task)).rename(columns={"n": "splits"})
    return table[[*CELL, "mean", "sd", "low", "high", "splits"]]


# Figures 6, 7, 10 and 11


def starred(results, pivot, task="ranking"):
    """Return one of Rubin et al. (2012), figures 6, 7, 10 and 11, as text: rows (corpus, model), columns as printed.

    ``task`` is "ranking" (seven measures) or "binary" (Macro- and Micro-F1 at three cutoffs). An arrow in the heading
    points to the better side. A star is behind the best of several values, all of them where printed values tie. What
    was not computed is a dash; without results the table is empty.
    """
    if results.empty:
        return pd.DataFrame()
    rows = _as_printed(of_task(results, pivot, task))
    several = rows.groupby(["corpus", "cutoff", "measure"])["model"].transform("size") > 1
    rows["text"] += (rows["best"] & several).map({True: "*", False: ""})
    return _laid_out(rows, _by_corpus(rows), task)


def _as_printed(results):
    """Return a row per cell of the result tables: CELL, text as the paper prints the mean, gain and best.

    gain is the number that the text gives, turned so that more is better, and best says whether no model's is more.
    """
    table = _shown(means(results))
    table = table.assign(text=_text(table["mean"], _decimals(table, "mean")))
    return _with_best(table)[[*CELL, "text", "gain", "best"]]


def _decimals(rows, value):
    """Return with how many decimals the paper prints each row's measure: margins with none where they reach 100."""
    most = rows.groupby(["measure", "corpus", "pivot"])[value].transform("max")
    large = (rows["measure"] == "margin") & (most >= 100)
    return rows["measure"].map(lambda name: MEASURES[name].decimals).mask(large, 0).astype(int)


def _text(values, places):
    return [f"{value:.{n}f}" for value, n in zip(values, places, strict=True)]


def _with_best(rows):
    """Return rows with their gain, by the text, and whether it is the best of a corpus and measure."""
    gain = rows["text"].astype(float) * rows["measure"].map(lambda name: MEASURES[name].sign)
    top = gain.groupby([rows[name] for name in ("corpus", "pivot", "cutoff", "measure")]).transform("max")
    return rows.assign(gain=gain, best=gain == top)


def _by_corpus(rows):
    """Return the index (corpus, model) of rows, corpora as they come."""
    models = rows.groupby("corpus", sort=False)["model"].agg(in_order).explode()
    return pd.MultiIndex.from_arrays([models.index, models], names=["corpus", "model"])


def _laid_out(rows, index, task):
    """Return the texts of rows as a result table with this index, cutoffs and arrows above."""
    columns = pd.MultiIndex.from_tuples(COLUMNS[task])
    wide = rows.pivot(index=index.names, columns=["cutoff", "measure"], values="text")
    shown = [(cutoff.upper(), MEASURES[measure].arrow) for cutoff, measure in columns]
    shown = [arrow for _, arrow in shown] if task == "ranking" else pd.MultiIndex.from_tuples(shown)
    return wide.reindex(index=index, columns=columns).astype(object).fillna(DASH).set_axis(shown, axis=1)


# Beside print


def beside_paper(results, item=None, readings=None):
    """Return means over splits beside the numbers of Rubin et al. (2012), by ``printed.beside`` and its one rule.

    readings maps names of further models to the one beside whose printed numbers they are set.
    """
    table = means(results)
    table = table.assign(reading=table["model"], model=table["model"].replace(readings or {}))
    table = printed.beside(table, reported("rubin2012", item), CELL)
    return table.assign(model=table["reading"]).drop(columns="reading")


def agreement_table(comparison):
    """Return how many values of ``beside_paper`` agree by ``printed.RULE``: models x (corpus, pivot), "24 of 26"."""
    if comparison.empty:
        return pd.DataFrame()
    counts = printed.agreement_counts(comparison, ["corpus", "pivot", "model"])
    text = counts["agree"].astype(str) + " of " + counts["of"].astype(str)
    wide = text.set_axis(pd.MultiIndex.from_frame(counts[["corpus", "pivot", "model"]])).unstack([0, 1])
    return wide.sort_index(axis=1).reindex(in_order(comparison["model"])).fillna(DASH)


def comparison_table(comparison, pivot, task="ranking"):
    """Return ``beside_paper`` as text, laid out as a result table: ours, and in brackets the paper's.

    Decimals are the paper's. A dagger stands where the two are farther apart than ``printed.RULE`` allows, and at the
    end a star where ours is the best of a corpus, all of them where printed values tie.
    """
    cells = of_task(comparison, pivot, task)
    if cells.empty:
        return pd.DataFrame()
    places = _decimals(cells, "paper")
    cells = _with_best(cells.assign(text=_text(cells["mean"], places), printed=_text(cells["paper"], places)))
    cells["text"] += " (" + cells["printed"] + ")"
    cells["text"] += (~cells["agrees"].fillna(True)).map({True: "†", False: ""})
    cells["text"] += cells["best"].map({True: "*", False: ""})
    return _laid_out(cells, _by_corpus(cells), task)


def mark_best(text):
    """Return a pandas Styler of a table of texts, bold where they end in a star, and without the stars.

    The same table gives the same bytes.
    """
    uuid = f"{zlib.crc32(text.to_csv().encode()):08x}"  # of the HTML ids
    bold = text.map(lambda cell: "font-weight: bold" if cell.endswith("*") else "")
    styler = Styler(text.map(lambda cell: cell.rstrip("*")), uuid=uuid, cell_ids=False)
    return styler.apply(lambda _: bold, axis=None)


# Figure 13, and which of two models is ahead


def best_counts(results):
    """Return on how many measures each model is best (Rubin et al. 2012, figure 13).

    Columns: corpus, model, pivot, task, best, of. AUC-ROC stands for itself and for ranking loss, which is
    the same number; so there are six measures of each task. Ties credit every best model. They are decided
    at the precision that the paper prints.
    """
    table = _as_printed(results)
    table = table[table["measure"] != "ranking_loss"]
    table = table.assign(task=np.where(table["cutoff"] == "", "ranking", "binary"))
    counts = table.groupby(["corpus", "model", "pivot", "task"], sort=False)["best"]
    return counts.agg(best="sum", of="size").astype(int).reset_index()


def orderings(results, pairs=PAIRS, paper="rubin2012"):
    """Return in how many of the 13 measures of each pivot one model beats another, with the paper's count.

    Columns: corpus, pivot, first, second, wins and ties of the first, of, paper (its wins on the same corpus,
    missing where it has none), paper_least and paper_most (over all its corpora). Ties as in ``best_counts``. Without
    a paper its columns are left out.
    """
    ours = _wins(results, pairs)
    if paper is None:
        return ours
    theirs = spelled_as(ours["corpus"], _wins(reported(paper), pairs))
    on = ["pivot", "first", "second"]
    extremes = theirs.groupby(on)["wins"].agg(paper_least="min", paper_most="max").reset_index()
    same = theirs.assign(paper=theirs["wins"])[["corpus", *on, "paper"]]
    joined = ours.merge(same, on=["corpus", *on], how="left").astype({"paper": "Int64"})
    return joined.merge(extremes, on=on, how="left")


def gains(results, first, second):
    """Return ``compare.paired`` of two models over splits, for each of 24 measures of each corpus.

    AUC-ROC stands for ranking loss too, which is the same number.
    """
    kept = _shown(results)
    kept = kept[kept["measure"] != "ranking_loss"]
    return compare.paired(kept, first, second, ["corpus", "pivot", "cutoff", "measure"], ["split"])


def gains_table(found):
    """Return ``gains`` as text: a row for each measure, a column for each corpus and pair of models.

    A cell is the first's value and its gain, with the measure's printed decimals, and a star where the gain's 95 %
    interval lies above 0, which a single split does not have.
    """
    if found.empty:
        return pd.DataFrame()
    measures = found["measure"].map(MEASURES)
    decimals = measures.map(lambda one: one.decimals)
    text = [
        f"{row.first_mean:.{n}f} ({row.gain:+.{n}f}{'*' * (row.ahead > 0)})"
        for row, n in zip(found.itertuples(), decimals, strict=True)
    ]
    named = (found["cutoff"].str.upper() + " " + measures.map(lambda one: one.arrow)).str.strip()
    table = found.assign(text=text, measure=named, over=found["first"] + " over " + found["second"])
    wide = table.pivot_table("text", ["pivot", "measure"], ["corpus", "over"], "first", sort=False)
    return wide.rename_axis(columns=[None, None]).fillna(DASH)


def gains_summary(found):
    """Return on how many measures the first of ``gains`` is better and worse, and how often an interval says so.

    Columns: corpus, first, second, splits, of, better, significantly (the 95 % interval of the gain above 0), worse,
    significantly worse.
    """
    ahead = {"better": found["gain"] > 0, "significantly": found["ahead"] > 0}
    behind = {"worse": found["gain"] < 0, "significantly worse": found["ahead"] < 0}
    by = found.assign(**ahead, **behind).groupby(["corpus", "first", "second"], sort=False)
    return by.agg(splits=("n", "max"), of=("gain", "size")).join(by[[*ahead, *behind]].sum()).reset_index()


def _wins(results, pairs):
    rows = []
    for (corpus, pivot), block in _as_printed(results).groupby(["corpus", "pivot"], sort=False):
        wide = block.pivot(index=["cutoff", "measure"], columns="model", values="gain")
        for first, second in pairs:
            if {first, second} <= set(wide.columns):
                gain = (wide[first] - wide[second]).dropna()
                rows.append((corpus, pivot, first, second, (gain > 0).sum(), (gain == 0).sum(), len(gain)))
    return pd.DataFrame(rows, columns=["corpus", "pivot", "first", "second", "wins", "ties", "of"])
