"""Tidy tables drawn with matplotlib, and figures saved with the numbers that they show.

Every ``plot_`` function takes a frame from ``tables`` and returns matplotlib axes: one, or an array of small
multiples. ``save`` writes them. Importing this module sets matplotlib's style to that of the study.
"""

import io
import itertools
import json
import math
import numbers
import os
import re
import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import speed, tables

CHECK = "POLYTOPIC_CHECK_FIGURES"
SIGNIFICANT_DIGITS = 8
TOLERANCE = 1e-6
MODEL_STYLE = {  # Okabe and Ito's colours, told apart with any common colour blindness
    "Dependency-LDA": {"color": "#0072B2", "marker": "o"},
    "Prior-LDA": {"color": "#56B4E9", "marker": "s"},
    "Flat-LDA": {"color": "#009E73", "marker": "D"},
    "Tuned SVM": {"color": "#D55E00", "marker": "^"},
    "Vanilla SVM": {"color": "#E69F00", "marker": "v"},
}
ESTIMATOR_STYLE = {  # the same colours over again: estimators and models are never in one figure
    "CGS": {"color": "#000000", "marker": "o"},
    "CGS_z": {"color": "#009E73", "marker": "v"},
    "CGS_p": {"color": "#0072B2", "marker": "s"},
    "CGS_p|z": {"color": "#56B4E9", "marker": "^"},
    "CVB0": {"color": "#D55E00", "marker": "D"},
    "CGS_rb": {"color": "#F0E442", "marker": "P"},
    "CGS then CVB0": {"color": "#E69F00", "marker": "X"},
}
INFERENCE_STYLE = {"fast": {"color": "#000000", "marker": "o"}} | {
    f"proper, M = {n_label_tokens}{scored}": {"color": color, "marker": marker, "linestyle": dash}
    for n_label_tokens, color, marker in ((10, "#009E73", "v"), (100, "#0072B2", "s"), (1000, "#D55E00", "D"))
    for scored, dash in (("", "-"), (", Eq. 12", "--"))
}
SPARE_STYLE = [
    {"color": color, "marker": marker}
    for marker, color in itertools.product("PX*<>", ("#CC79A7", "#000000", "#999999"))
]
DASHES = {
    "P": "--",
    "X": ":",
}  # where lines have no room for markers: of spare styles, whose colours come again
UNITS = {"one_error": "percent", "is_error": "percent", "ranking_loss": "percent", "margin": "ranks"}
INK = "#444444"

plt.style.use(["default", str(Path(__file__).with_name("style.mplstyle"))])


def styles(models):
    """Return {model: colour and marker}: fixed for a known model, a spare one for any other as it comes."""
    known, spare = MODEL_STYLE | ESTIMATOR_STYLE | INFERENCE_STYLE, itertools.cycle(SPARE_STYLE)
    return {model: known.get(model) or next(spare) for model in tables.in_order(models)}


# What the corpora are like


def plot_label_frequency(frequencies, scale="auto"):
    """Draw how many labels have each number of documents, one panel per corpus, the median dashed.

    frequencies is one or several ``tables.label_frequencies``, put together. ``scale`` is "log" for both
    axes, "linear", or "auto": linear for a corpus in which no three labels share a frequency, as in the
    lower half of Rubin et al. (2012), figure 1. Returns an array of axes.
    """
    if scale not in ("auto", "log", "linear"):
        raise ValueError(f"unknown scale {scale!r}: choose from auto, log, linear")
    axes = _panels(frequencies, "corpus")
    for ax, (corpus, table) in zip(axes, frequencies.groupby("corpus", sort=False), strict=True):
        is_log = scale == "log" or (scale == "auto" and table["labels"].max() > 2)
        if is_log:
            ax.plot(
                table["frequency"],
                table["labels"],
                "o",
                color=INK,
                markersize=3,
                alpha=0.6,
                markeredgewidth=0,
            )
            _log_scale(ax, table["frequency"].max(), table["labels"].max())
        else:
            ax.vlines(table["frequency"], 0, table["labels"], color=INK, linewidth=1.2)
            ax.set(xlim=(0, None), ylim=(0, table["labels"].max() * 1.3))
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
            ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        _median(ax, table["frequency"], table["labels"])
        ax.set_title(corpus)
    _label_grid(axes, "Documents with the label", "Number of labels")
    return axes


def plot_labels_per_document(sizes):
    """Draw how many documents have each number of labels, one panel per corpus, the median dashed.

    sizes is one or several ``tables.labels_per_document``, put together. Rubin et al. (2012), figure 2.
    Returns an array of axes.
    """
    axes = _panels(sizes, "corpus")
    for ax, (corpus, table) in zip(axes, sizes.groupby("corpus", sort=False), strict=True):
        ax.bar(table["labels"], table["documents"], width=0.8, color="#7A7A7A")
        ax.set_ylim(0, table["documents"].max() * 1.25)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        _median(ax, table["labels"], table["documents"])
        ax.set_title(corpus)
    _label_grid(axes, "Labels of a document", "Number of documents")
    return axes


def _log_scale(ax, right, top):
    """Make both axes logarithmic from 1 to at least 10, with plain numbers at the powers of ten only."""
    ax.set(xscale="log", yscale="log", xlim=(0.7, max(14, 1.4 * right)), ylim=(0.7, max(14, 1.4 * top)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())


def _median(ax, values, times):
    median = np.median(np.repeat(values, times))
    ax.axvline(median, ymax=0.82, color="#D55E00", linestyle="--", linewidth=1, label=f"median {median:g}")
    ax.legend(loc="upper right", handlelength=1.2)  # above the line's end


# Results


def plot_result_table(results, pivot, task="ranking"):
    """Draw a result table: a row of panels per corpus, a panel per measure, a dot per model.

    results has the columns of ``experiments.measures``. Whiskers reach one standard deviation over splits to
    either side; there are none for a single split. Returns an array of axes, corpora x measures.

    Rubin et al. (2012), figures 6, 7, 10 and 11.
    """
    cells = tables.of_task(tables.spread(results), pivot, task)
    axes = _measure_grid(cells, task, styles(cells["model"]), _draw_ours)
    if (cells["sd"] > 0).any():
        _kind_legend(axes, [_kind("mean, and one sd over splits to either side")])
    return axes


def plot_beside_paper(comparison, pivot, task="ranking"):
    """Draw ours beside the paper's: a filled marker for ours joined to a hollow one for the paper's.

    comparison is ``tables.beside_paper``. Whiskers reach two standard deviations over splits to either side,
    as in the table's rule; there are none for a single split. Returns an array of axes, corpora x measures;
    a single empty one, which says so, when there is nothing to compare.
    """
    cells = tables.of_task(comparison.rename(columns={"ours": "mean"}), pivot, task).sort_values("corpus")
    if cells.empty:
        return _nothing("Nothing to compare: the paper has no results on this corpus")
    axes = _measure_grid(cells, task, styles(cells["model"]), _draw_pair, row_height=0.27)
    whiskers = ", and two sd over splits to either side" if (cells["sd"] > 0).any() else ""
    _kind_legend(axes, [_kind(f"ours{whiskers}"), _kind("paper", markerfacecolor="white")])
    return axes


def _kind(label, **options):
    return Line2D([], [], **{"color": INK, "marker": "o", "linestyle": "", "label": label} | options)


def _kind_legend(axes, kinds):
    axes.flat[0].figure.legend(handles=kinds, loc="outside lower right", ncols=len(kinds))


def _measure_grid(cells, task, look, draw, row_height=0.2):
    if cells.empty:
        return _nothing("No results to draw")
    corpora, columns = list(dict.fromkeys(cells["corpus"])), tables.COLUMNS[task]
    size = (1.7 + 1.35 * len(columns), 0.75 + len(corpora) * max(1.5, 0.45 + row_height * len(look)))
    axes = plt.subplots(len(corpora), len(columns), figsize=size, squeeze=False, sharey="row")[1]
    for corpus, row in zip(corpora, axes, strict=True):
        for (cutoff, measure), ax in zip(columns, row, strict=True):
            here = (cells["corpus"] == corpus) & (cells["cutoff"] == cutoff) & (cells["measure"] == measure)
            _draw_models(ax, cells[here].set_index("model"), look, draw)
        row[0].set_yticks(range(len(look)), list(look))
        row[0].set_ylim(len(look) - 0.5, -0.5)
        row[-1].yaxis.set_label_position("right")
        row[-1].set_ylabel(_wrapped(corpus), rotation=270, va="bottom", fontsize="small")
    for (cutoff, measure), top, bottom in zip(columns, axes[0], axes[-1], strict=True):
        top.set_title("\n".join(filter(None, [cutoff.upper(), tables.heading(measure)])))
        bottom.set_xlabel(UNITS.get(measure, "from 0 to 1"))
    return axes


def _draw_models(ax, rows, look, draw):
    for place, (model, style) in enumerate(look.items()):
        if model in rows.index:
            draw(ax, place, rows.loc[model], style, model)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.15)
    ax.xaxis.set_major_locator(MaxNLocator(2, min_n_ticks=2))


def _draw_ours(ax, place, row, style, model, deviations=1):
    whisker = deviations * row["sd"] if row["sd"] > 0 else None
    ax.errorbar(row["mean"], place, xerr=whisker, linestyle="", label=model, capsize=2, zorder=3, **style)


def _draw_pair(ax, place, row, style, model):
    above, below = place - 0.17, place + 0.17
    ax.plot([row["mean"], row["paper"]], [above, below], color=style["color"], linewidth=0.8, zorder=2)
    _draw_ours(ax, above, row, style, model, deviations=2)
    ax.plot(
        row["paper"],
        below,
        linestyle="",
        markerfacecolor="white",
        zorder=4,
        label=f"{model} (paper)",
        **style,
    )


def _wrapped(corpus):
    """Break a long corpus name into two lines, at the separator nearest to its middle."""
    breaks = [i for i, letter in enumerate(corpus) if letter in "_-"] if len(corpus) > 18 else []
    if not breaks:
        return corpus
    middle = min(breaks, key=lambda i: abs(2 * i - len(corpus)))
    return f"{corpus[: middle + 1]}\n{corpus[middle + 1 :]}"


# Summaries


def plot_best_counts(counts):
    """Draw on how many measures each model is best, a panel per corpus and a group of bars per task.

    counts is ``tables.best_counts``. Rubin et al. (2012), figure 13. Returns an array of axes.
    """
    if counts.empty:
        return _nothing("No results to draw")
    look = styles(counts["model"])
    axes = _panels(counts, "corpus", width=3.4)
    tasks = [(pivot, task) for pivot in tables.PIVOTS for task in tables.COLUMNS]
    for ax, (corpus, table) in zip(axes, counts.groupby("corpus", sort=False), strict=True):
        best = table.set_index(["model", "pivot", "task"])["best"]
        for place, (model, style) in enumerate(look.items()):
            heights = [best.get((model, *task), 0) for task in tasks]
            shift = (place - (len(look) - 1) / 2) * 0.8 / len(look)
            where = np.arange(len(tasks)) + shift
            ax.bar(where, heights, 0.72 / len(look), color=style["color"], label=model)
        ax.set_xticks(range(len(tasks)), [f"{pivot}\n{task}" for pivot, task in tasks])
        ax.set_ylim(0, max(table["of"].max(), 1))
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.grid(axis="x", visible=False)
        ax.set_title(corpus)
    _label_grid(axes, "", "Measures won")
    _model_legend(axes)
    return axes


def plot_quintiles(means, tests=None, level=0.05):
    """Draw mean average precision per bin of training frequency, a panel per corpus and a line per model.

    means is ``tables.quintiles``. With ``tests`` from ``tables.quintile_tests`` a ring stands around both
    models wherever p < ``level``; with tests of several models against one, around those models only.
    Rubin et al. (2012), figure 12. Returns an array of axes.
    """
    if means.empty:
        return _nothing("No results to draw")
    look = styles(means["model"])
    axes = _panels(means, "corpus", width=3.4)
    for ax, (corpus, table) in zip(axes, means.groupby("corpus", sort=False), strict=True):
        for model, line in table.groupby("model", sort=False):
            ax.plot(line["bin"], line["average_precision"], label=model, **look[model])
        if tests is not None:
            rings = tests[(tests["corpus"] == corpus) & (tests["p"] < level)]
            _draw_rings(ax, table, tests, rings, level)
        ranges = table.drop_duplicates("bin").sort_values("bin")
        texts = [
            f"{a:g}" if a == b else f"{a:g}–{b:g}" for a, b in zip(ranges["low"], ranges["high"], strict=True)
        ]
        ax.set_xticks(ranges["bin"], texts)
        ax.tick_params(axis="x", labelsize=7)
        ax.set_xlim(0.6, ranges["bin"].max() + 0.4)
        ax.margins(y=0.12)
        ax.set_title(corpus)
    meaning = "" if tests is None or tests.empty else f"\n({_ring_meaning(tests, level)})"
    _label_grid(axes, f"Training documents with the label{meaning}", "Mean average precision")
    _model_legend(axes)
    return axes


def _sides(tests):
    """Return which models of a test are ringed: with several firsts a ring around the second is ambiguous."""
    return ("first", "second") if tests["first"].nunique() < 2 else ("first",)


def _ring_meaning(tests, level):
    against = "" if len(_sides(tests)) == 2 else f" against {' and '.join(tests['second'].unique())}"
    return f"rings: p < {level:g}{against}, paired t-test"


def _draw_rings(ax, means, tests, rings, level):
    both = pd.concat([rings.assign(model=rings[side]) for side in _sides(tests)])
    points = both.merge(means[["bin", "model", "average_precision"]], on=["bin", "model"])
    if len(points):
        ring = _ring()
        ring.set_data(points["bin"], points["average_precision"])
        ring.set_label(f"p < {level:g}")
        ax.add_line(ring)


def _ring():
    ring = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgecolor": INK}
    return Line2D([], [], linestyle="", **ring)


def plot_reliability(curves):
    """Draw ``reliability.curves``: share found against probability said, a panel per kind and a line per model.

    On the diagonal they agree. Bins of fewer than 30 pairs are left out. Returns an array of axes.
    """
    shown = curves[curves["pairs"] >= 30]
    axes, look = _panels(shown, "kind", width=3.2, height=3.0), styles(dict.fromkeys(curves["model"]))
    for ax, (kind, rows) in zip(axes, shown.groupby("kind", sort=False), strict=True):
        ax.axline((0, 0), (1, 1), color=INK, linewidth=0.8, linestyle="--")
        for model, line in rows.groupby("model", sort=False):
            ax.plot(
                line["said"], line["found"], label=model, linewidth=1.1, **(look[model] | {"markersize": 4})
            )
        ax.set(title=kind, xlim=(0, 1), ylim=(0, 1))
    handles = {
        label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure = axes[0].figure
    figure.legend([*handles.values()], [*handles], loc="outside upper center", ncols=len(handles))
    _label_grid(axes, "Probability said", "Share found")
    return axes


def plot_chain_spread(spread):
    """Draw ``reliability.spread``: R-hat and effective samples against score and label frequency.

    Labels that the document has are filled. Returns axes, 2 x 2.
    """
    axes = plt.subplots(2, 2, figsize=(7.6, 5.0), sharex="col", sharey="row")[1]
    columns = ("score", "Score"), ("frequency", "Training documents of the label")
    for row, (y, y_label) in zip(axes, (("rhat", "R-hat"), ("ess", "Effective samples")), strict=True):
        for ax, (x, x_label) in zip(row, columns, strict=True):
            for is_true, fill in ((False, "white"), (True, "#0072B2")):
                rows = spread[spread["true"] == is_true]
                ax.plot(rows[x], rows[y], "o", color="#0072B2", markerfacecolor=fill, markersize=2.5,
                        markeredgewidth=0.4,
                        label="the document has the label" if is_true else "it has not")  # fmt: skip
            ax.set(xscale="log")
            if ax in axes[1]:
                ax.set_xlabel(x_label)
        row[0].set_ylabel(y_label)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    axes[0, 0].figure.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=2)
    return axes


def plot_documents(documents, signals):
    """Draw average precision against what is known of ``reliability.documents`` beforehand: a panel per signal.

    signals: {column: name}. The line joins the means of fifths of the documents. Returns an array of axes.
    """
    axes = np.atleast_1d(
        plt.subplots(1, len(signals), figsize=(0.6 + 2.6 * len(signals), 2.8), sharey=True)[1]
    )
    for ax, (column, name) in zip(axes, signals.items(), strict=True):
        ax.plot(documents[column], documents["average_precision"], "o", color="#0072B2",
                markerfacecolor="white", markersize=2.5, markeredgewidth=0.4)  # fmt: skip
        fifth = pd.qcut(documents[column].rank(method="first"), 5, labels=False)
        means = documents.groupby(fifth)[[column, "average_precision"]].mean()
        ax.plot(means[column], means["average_precision"], "o-", color=INK, markersize=4)
        ax.set_xlabel(name[0].upper() + name[1:])
    axes[0].set_ylabel("Average precision")
    return axes


def plot_gains(found):
    """Draw ``tables.gains`` in percent of the second model's value, a panel per corpus and a row per measure.

    Filled where the first is better; whiskers go from the least to the largest gain over splits. Returns an array of
    axes.
    """
    if found.empty:
        return _nothing("Nothing to compare")
    axes = _panels(found, "corpus", width=3.6, height=4.4)
    cells = found.drop_duplicates(["pivot", "cutoff", "measure"])
    names = [
        ", ".join(filter(None, [r.pivot, r.cutoff, tables.MEASURES[r.measure].heading]))
        for r in cells.itertuples()
    ]
    places = dict(
        zip(
            zip(cells["pivot"], cells["cutoff"], cells["measure"], strict=True),
            range(len(cells)),
            strict=True,
        )
    )
    for ax, (corpus, rows) in zip(axes, found.groupby("corpus", sort=False), strict=True):
        for r in rows.itertuples():
            percent = 100 / abs(r.second) if r.second else np.nan
            place, is_ahead = places[r.pivot, r.cutoff, r.measure], r.gain > 0
            color = "#0072B2" if is_ahead else "#D55E00"
            ax.plot([r.low * percent, r.high * percent], [place, place], color=color, linewidth=0.8)
            ax.plot(
                r.gain * percent,
                place,
                "o",
                color=color,
                markersize=4,
                markerfacecolor=color if is_ahead else "white",
            )
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(names)), names if ax in axes[:: max(1, int(10.5 // 3.6))] else [], fontsize=6)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_title(_wrapped_words(corpus, 26))
    _label_grid(axes, "Gain, percent of the other's value", "")
    return axes


# Printed numbers


def plot_printed_against_implied(found, most_named=4):
    """Draw what is printed against what other printed numbers imply, one panel per relation.

    found is ``audit.check_all`` or a part of it. On the line the two agree; bars are what rounding allows. Broken
    cases are filled, and named where there are at most ``most_named`` of them. Axes are logarithmic where the
    numbers span more than a factor of thirty. Returns an array of axes.
    """
    axes = _panels(found, "relation", width=3.3, height=2.9)
    for ax, (name, block) in zip(axes, found.groupby("relation", sort=False), strict=True):
        ends = np.array(
            [block[["printed", "implied"]].min().min(), block[["printed", "implied"]].max().max()]
        )
        if ends[0] > 0 and ends[1] / ends[0] > 30:
            ax.set(xscale="log", yscale="log")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter("{x:g}")
                axis.set_minor_formatter(NullFormatter())
        ax.axline((ends[1], ends[1]), (ends[0] * 0.99, ends[0] * 0.99), color=INK, linewidth=0.8, zorder=1)
        for is_held, color, fill in ((True, "#0072B2", "none"), (False, "#D55E00", "#D55E00")):
            part = block[block["holds"] == is_held]
            ax.errorbar(
                part["implied"], part["printed"], xerr=part["allowed"], linestyle="", marker="o", markersize=4,
                color=color, markerfacecolor=fill, elinewidth=0.8, zorder=2 if is_held else 3,
            )  # fmt: skip
        _name_broken(ax, block[~block["holds"]], most_named)
        ax.set_title(_wrapped_words(name.partition(": ")[2], 34))
        ax.margins(0.12)
    handles = [_kind("holds", markerfacecolor="none", color="#0072B2"), _kind("broken", color="#D55E00")]
    handles[0].set_markeredgecolor("#0072B2")
    axes[0].figure.legend(handles=handles, loc="outside upper right", ncols=2)
    _label_grid(axes, "implied by other printed numbers", "printed")
    return axes


def _name_broken(ax, broken, most_named):
    if len(broken) > most_named:
        return
    middle = np.mean(ax.get_xlim()) if ax.get_xscale() == "linear" else np.sqrt(np.prod(ax.get_xlim()))
    for row in broken.assign(place=broken.groupby("implied").cumcount()).itertuples():
        is_above = row.printed > row.implied
        side, shift = ("right", -6) if is_above and row.implied > middle else ("left", 6)
        at = {"xytext": (shift, (2 + 8 * row.place) * (1 if is_above else -1)), "ha": side}
        text = ", ".join(filter(None, [row.model, row.corpus]))
        ax.annotate(
            text, (row.implied, row.printed), textcoords="offset points", fontsize=6,
            va="bottom" if is_above else "top", **at,
        )  # fmt: skip


def _wrapped_words(text, width):
    return "\n".join(textwrap.wrap(text, width))


def plot_leads(leads, label, apart=()):
    """Draw how far one model is ahead of another against a statistic of the corpora, one line per measure.

    leads is ``audit.rubin2012.leads``. Corpora are evenly spaced in the order of the statistic, which stands under
    their names; leads are divided by the largest of their measure, so that all measures fit. The measures named in
    ``apart`` have a colour of their own. Returns the axes.
    """
    ax = plt.subplots(figsize=(6.4, 3.4))[1]
    order = leads.drop_duplicates("corpus").sort_values(["amount", "corpus"])
    places = dict(zip(order["corpus"], range(len(order)), strict=True))
    rest = leads.loc[~leads["measure"].isin(apart), "measure"].nunique()
    names = {True: ", ".join(apart).replace("_", " "), False: f"{rest} other measures" if apart else ""}
    for measure, line in leads.groupby("measure", sort=False):
        line = line.assign(place=line["corpus"].map(places)).sort_values("place")
        share, is_apart = line["lead"] / line["lead"].abs().max(), measure in apart
        ax.plot(line["place"], share, "o-", color="#D55E00" if is_apart else INK, label=names[is_apart],
                markersize=3.5, linewidth=1, alpha=1 if is_apart else 0.55)  # fmt: skip
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set_xticks(range(len(order)), [f"{_wrapped(r.corpus)}\n{r.amount:g}" for r in order.itertuples()])
    ax.set(xlabel=label, ylabel="lead, over the largest of its measure")
    if apart:
        shown = {text: line for line, text in zip(*ax.get_legend_handles_labels(), strict=True)}
        ax.figure.legend(shown.values(), shown.keys(), loc="outside upper right", ncols=2)
    return ax


def plot_differences(differences, level=0.05):
    """Draw differences of means with two standard errors to either side: a row per pair, a column per item.

    differences is ``audit.ueda2002.differences``, one or several put together. A filled marker has p < ``level``.
    Returns an array of axes, pairs x items.
    """
    pairs, items = (list(dict.fromkeys(differences[name])) for name in ("pair", "item"))
    corpora = list(dict.fromkeys(differences["corpus"]))
    size = (1.6 + 2.9 * len(items), 0.8 + len(pairs) * (0.5 + 0.17 * len(corpora)))
    axes = plt.subplots(len(pairs), len(items), figsize=size, squeeze=False, sharex="row", sharey=True)[1]
    for row, pair in zip(axes, pairs, strict=True):
        for ax, item in zip(row, items, strict=True):
            block = differences[(differences["pair"] == pair) & (differences["item"] == item)]
            for r in block.itertuples():
                fill = INK if r.p < level else "white"
                ax.errorbar(
                    r.difference, corpora.index(r.corpus), xerr=2 * r.standard_error, color=INK, marker="o",
                    markersize=4, markerfacecolor=fill, elinewidth=0.8,
                )  # fmt: skip
            ax.axvline(0, color="#D55E00", linewidth=0.8)
            ax.set_title(f"{pair}, {item}")
            ax.grid(axis="y", visible=False)
        row[0].set_yticks(range(len(corpora)), corpora)
        row[0].set_ylim(len(corpora) - 0.5, -0.5)
    handles = [_kind(f"p < {level:g}"), _kind("not so", markerfacecolor="white")]
    axes.flat[0].figure.legend(handles=handles, loc="outside upper right", ncols=2)
    _label_grid(axes.ravel(), "difference of the means, and two standard errors to either side", "")
    return axes


# Trials and mixtures


def plot_trials(compared):
    """Draw ours beside the paper's for every problem: a panel per method, a row of panels per table.

    compared is ``trials.beside_paper`` of the methods to show. Filled is ours, hollow the paper's, with two standard
    deviations over trials to either side of ours. Problems of the reduced vocabulary are grey and stand below.
    Returns an array of axes, tables x methods; a single empty one, which says so, when there is nothing to compare.
    """
    if compared.empty:
        return _nothing("Nothing to compare: no trials of the paper's problems are stored")
    items, methods = (list(dict.fromkeys(compared[name])) for name in ("item", "method"))
    problems = list(
        dict.fromkeys(compared.sort_values("vocabulary", ascending=False, kind="stable")["problem"])
    )
    low, high = compared[["ours", "paper"]].min().min(), compared[["ours", "paper"]].max().max()
    size = (1.5 + 1.45 * len(methods), 0.9 + len(items) * (0.45 + 0.19 * len(problems)))
    axes = plt.subplots(len(items), len(methods), figsize=size, squeeze=False, sharex="row", sharey=True)[1]
    for item, row in zip(items, axes, strict=True):
        for method, ax in zip(methods, row, strict=True):
            block = compared[(compared["item"] == item) & (compared["method"] == method)]
            for r in block.itertuples():
                color = "#0072B2" if r.vocabulary == "whole" else "#999999"
                place = problems.index(r.problem)
                whisker = 2 * r.sd if r.sd > 0 else None
                ax.plot([r.ours, r.paper], [place, place], color=color, linewidth=0.8, zorder=2)
                ax.errorbar(r.ours, place, xerr=whisker, color=color, marker="o", markersize=4, capsize=0,
                            elinewidth=0.8, zorder=3)  # fmt: skip
                ax.plot(r.paper, place, "o", color=color, markersize=4, markerfacecolor="white", zorder=4)
            ax.set_title(f"{method}, {item}", fontsize="small")
            ax.grid(axis="y", visible=False)
            ax.set_xlim(low - 3, high + 3)
            ax.xaxis.set_major_locator(MaxNLocator(3))
        row[0].set_yticks(range(len(problems)), problems)
        row[0].set_ylim(len(problems) - 0.5, -0.5)
    _kind_legend(axes, [_kind("ours, and two sd over trials"), _kind("paper", markerfacecolor="white")])
    _label_grid(axes.ravel(), "F, mean over test pages, percent", "")
    return axes


def plot_parameter_space(places, names):
    """Draw where words distributions and documents lie between two labels, a panel per kind of cloud.

    places is ``trials.places``: columns panel, kind, x, y. Kinds "first", "second", "even" and "fitted" are the
    distributions of the two labels, and of the set of both with even and with fitted shares; they are drawn in every
    panel, joined by the segment on which all mixtures lie. The other kinds are documents. names are the two labels.
    Returns an array of axes.
    """
    points = places[places["panel"] == "model"].set_index("kind")
    clouds = places[places["panel"] != "model"]
    panels = list(dict.fromkeys(clouds["panel"]))
    axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels) + 0.4, 4.0), sharex=True, sharey=True)[1]
    colors = {f"{names[0]} alone": "#0072B2", f"{names[1]} alone": "#E69F00", "both": "#009E73"}
    axes = np.atleast_1d(axes)
    for panel, ax in zip(panels, axes, strict=True):
        block = clouds[clouds["panel"] == panel]
        for kind, cloud in block.groupby("kind", sort=False):
            ax.plot(cloud["x"], cloud["y"], "o", color=colors[kind], markersize=3, alpha=0.45, markeredgewidth=0,
                    label=kind, zorder=2)  # fmt: skip
        ends = points.loc[["first", "second"]]
        ax.plot(ends["x"], ends["y"], "-", color=INK, linewidth=1.2, zorder=3)
        for kind, marker, text in (
            ("first", "s", names[0]), ("second", "s", names[1]), ("even", "D", "PMM1"), ("fitted", "^", "PMM2"),
        ):  # fmt: skip
            ax.plot(*points.loc[kind, ["x", "y"]], marker, color="#D55E00", markeredgecolor="white", markersize=7,
                    label="_" + text, zorder=4)  # fmt: skip
        ax.set_title(panel)
    handles, labels = axes[-1].get_legend_handles_labels()
    for marker, text in (
        ("s", "one label's distribution"),
        ("D", "PMM1: half-way"),
        ("^", "PMM2: as fitted"),
    ):
        handles.append(_kind(text, marker=marker, color="#D55E00"))
        labels.append(text)
    axes[0].figure.legend(handles=handles, labels=labels, loc="outside upper center", ncols=3)
    axes[0].figure.supxlabel(f"share on words of {names[0]}", fontsize=plt.rcParams["axes.labelsize"])
    axes[0].figure.supylabel(f"share on words of {names[1]}", fontsize=plt.rcParams["axes.labelsize"])
    return axes


def plot_tuning(table):
    """Draw one method's lead over each reading of another, a panel per table and a marker per way of scoring.

    table is ``trials.tuning``: columns against, score, item, ours. Returns an array of axes.
    """
    if table.empty:
        return _nothing("No trials are stored")
    axes = _panels(table, "item", width=4.4, height=1.9)
    names = list(dict.fromkeys(table["against"]))
    kinds = dict(zip(dict.fromkeys(table["score"]), (("o", "#0072B2"), ("s", "#D55E00")), strict=False))
    texts = {"f1": "as decided", "f1_at_least_one": "the highest label where none is decided on"}
    for ax, (item, block) in zip(axes, table.groupby("item", sort=False), strict=True):
        for score, (marker, color) in kinds.items():
            rows = block[block["score"] == score]
            ax.plot(rows["ours"], [names.index(name) for name in rows["against"]], marker, color=color,
                    label=texts.get(score, score))  # fmt: skip
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_title(item)
    _label_grid(axes, "Lead in F, points; left of the line the other is ahead", "")
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return axes


def plot_set_sizes(sizes):
    """Draw the share of documents with each number of labels, a group of bars per size and a colour per kind.

    sizes has the columns panel, kind, labels, share. Returns an array of axes.
    """
    axes = _panels(sizes, "panel", width=3.6, height=2.4)
    kinds = list(dict.fromkeys(sizes["kind"]))
    look = dict(zip(kinds, [INK, "#0072B2", "#56B4E9", "#D55E00"], strict=False))
    for ax, (panel, block) in zip(axes, sizes.groupby("panel", sort=False), strict=True):
        for place, kind in enumerate(kinds):
            rows = block[block["kind"] == kind]
            shift = (place - (len(kinds) - 1) / 2) * 0.8 / len(kinds)
            ax.bar(
                rows["labels"] + shift, 100 * rows["share"], 0.72 / len(kinds), color=look[kind], label=kind
            )
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        ax.grid(axis="x", visible=False)
        ax.set_title(panel)
    _label_grid(axes, "Labels of a document", "Percent of documents")
    _model_legend(axes)
    return axes


# Small multiples


def _panels(frame, by, width=2.6, height=2.2):
    """Return a flat array of axes, one per value of ``by``, at most four in a row."""
    if frame.empty:
        raise ValueError("there is nothing to draw: the table has no rows")
    count = frame[by].nunique()
    across = min(count, max(1, int(10.5 // width)))
    down = math.ceil(count / across)
    size = (max(across * width, 3.6) + 0.4, down * height + 0.6)
    axes = plt.subplots(down, across, figsize=size, squeeze=False)[1]
    for ax in axes.flat[count:]:
        ax.remove()
    return axes.ravel()[:count]


def _label_grid(axes, x, y):
    axes[0].figure.supxlabel(x, fontsize=plt.rcParams["axes.labelsize"])
    axes[0].figure.supylabel(y, fontsize=plt.rcParams["axes.labelsize"])


def _model_legend(axes):
    handles = axes[0].get_legend_handles_labels()
    shown = {label: handle for handle, label in zip(*handles, strict=True) if not label.startswith("p < ")}
    figure = axes[0].figure
    across = max(1, int(figure.get_figwidth() // 1.6))
    figure.legend(handles=list(shown.values()), loc="outside upper center", ncols=across)


def _nothing(text):
    ax = plt.subplots(figsize=(6.4, 1.0))[1]
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center")
    return np.array([[ax]])


# Estimators of theta


def plot_estimators(
    table, x, value="value", panel="corpus", by="model", x_label=None, y_label=None, log=False
):
    """Draw the mean over runs against column x, a line for each value of ``by``, a panel for each of ``panel``.

    Whiskers reach one standard deviation over runs to either side, where the table has runs, and with many points a
    band does. Every panel has its own scale. Returns an array of axes. Papanikolaou et al., figures 2 to 6.
    """
    axes = _panels(table, panel, width=3.4, height=2.8)
    look = styles(dict.fromkeys(table[by]))
    dense = table[x].nunique() > 12
    for ax, (name, rows) in zip(axes, table.groupby(panel, sort=False), strict=True):
        for line, points in rows.groupby(by, sort=False):
            cells = points.groupby(x)[value].agg(["mean", "std"])
            drawn = {"marker": "", "linestyle": DASHES.get(look[line]["marker"], "-")}
            style = look[line] | (drawn if dense else {"markersize": 4})
            spread = cells["std"].fillna(0)
            if dense:
                ends = cells["mean"] - spread, cells["mean"] + spread
                ax.fill_between(cells.index, *ends, color=look[line]["color"], alpha=0.2, linewidth=0)
                spread = None
            ax.errorbar(cells.index, cells["mean"], spread, label=line, linewidth=1.1, **style)
        if log:
            ax.set_xscale("log")
            ax.set_xticks(sorted(rows[x].unique()), labels=[f"{one:g}" for one in sorted(rows[x].unique())])
            ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(str(name))
    _model_legend(axes)
    _label_grid(axes, x_label or x, y_label or value)
    return axes


def plot_parts(parts, panel="corpus"):
    """Draw ``estimator_tables.parts_of_the_lead``: stacked steps from CGS to CGS_p by samples, a dot for the whole.

    parts has the columns variance, own count, prior and whole, and is indexed by corpus, measure and samples. Returns
    an array of axes, a panel for each corpus and measure.
    """
    table = parts.reset_index()
    table["panel"] = table["corpus"] + ", " + table["measure"].str.replace("_", "-")
    axes = _panels(table, "panel", width=3.4, height=2.6)
    colors = {"variance": "#009E73", "own count": "#0072B2", "prior": "#D55E00"}
    for ax, (name, rows) in zip(axes, table.groupby("panel", sort=False), strict=True):
        place = np.arange(len(rows))
        for above in (True, False):
            base = np.zeros(len(rows))
            for step, color in colors.items():
                height = np.where((rows[step] > 0) == above, rows[step], 0.0)
                ax.bar(place, height, 0.6, base, color=color, label=step if above else None)
                base = base + height
        ax.plot(place, rows["whole"], "D", color="#000000", markersize=5, label="CGS_p minus CGS")
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xticks(place, labels=[str(one) for one in rows["samples"]])
        ax.set_title(name)
    _model_legend(axes)
    _label_grid(axes, "Samples averaged", "Difference from CGS")
    return axes


def plot_estimator_scores(table):
    """Draw ``estimation.labels``: a dot per model, hollow for one chain and filled for several, a panel per measure.

    Whiskers reach one standard deviation over chains to either side of one chain's mean. Returns an array of axes.
    """
    table = table.assign(panel=table["corpus"] + ", " + table["measure"].str.replace("_", "-"))
    axes = _panels(table, "panel", width=3.4, height=2.2)
    models = list(dict.fromkeys(table["model"]))
    look = styles(models)
    for ax, (name, rows) in zip(axes, table.groupby("panel", sort=False), strict=True):
        for row in rows.itertuples():
            place, few = models.index(row.model), row.chains == rows["chains"].min()
            style = look[row.model] | ({"markerfacecolor": "white"} if few else {})
            spread = 0 if np.isnan(row.sd or np.nan) else row.sd
            ax.errorbar(row.value, place + (0.15 if few else -0.15), xerr=spread, linestyle="none", **style)
        ax.set_yticks(range(len(models)), labels=models)
        ax.invert_yaxis()
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.set_title(name)
    axes[0].figure.supxlabel("hollow: one chain, filled: several", fontsize=8)
    return axes


def plot_exact(right, wrong):
    """Draw ``models.exact.lead`` under two priors: the losses of one sample (hollow) and of many (filled)."""
    axes = plt.subplots(1, 2, figsize=(8.4, 3.0))[1]
    for ax, table, name in zip(axes, (right, wrong), ("the right prior", "a prior too heavy"), strict=True):
        place = np.arange(len(table))
        ax.plot(table["loss_1"], place, "o", color=INK, markerfacecolor="white", label="one sample")
        ax.plot(table["loss_inf"], place, "o", color="#0072B2", label="endlessly many")
        ax.set_yticks(place, labels=table["estimator"])
        ax.invert_yaxis()
        ax.set(title=name, xlabel="Loss (nats)", xlim=(-0.02 * table["loss_1"].max(), None))
    axes[0].legend(loc="best")
    return axes


# What the benchmarks measured


def plot_costs(table, x, by="name", ax=None, **changes):
    """Draw medians with their quartiles against column x, a line for each value of ``by``, on logarithmic axes.

    table has the columns low, median and high. changes go to matplotlib's errorbar, such as linestyle; label=None
    leaves the lines out of the legend. Returns the axes.
    """
    ax = ax or plt.subplots()[1]
    look = styles(dict.fromkeys(table[by]))
    for name, rows in table.groupby(by, sort=False):
        spread = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
        ax.errorbar(rows[x], rows["median"], spread, **{"label": name, **look[name], **changes})
    return _plain_numbers(ax)


def _plain_numbers(ax):
    """Make both axes logarithmic, with plain numbers at powers of ten, or at 1, 2 and 5 of a short axis."""
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300 * low else (1.0,)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def plot_sweep_costs(table):
    """Draw ``costs.summary``: microseconds a sweep against each size, a panel per phase and size.

    Dotted is the paper's order, from the first point of each line. Returns an array of
    axes.
    """
    titled = table.assign(panel=table["phase"] + ", " + table["against"])
    axes = _panels(titled, "panel", width=2.5, height=2.1)
    looks = {
        "as used": {"color": "#0072B2", "marker": "o"},
        "all weighed": {"color": "#D55E00", "marker": "s"},
    }
    for ax, (panel, rows) in zip(axes, titled.groupby("panel", sort=False), strict=True):
        for way, line in rows.groupby("way", sort=False):
            line = line.sort_values("x")
            ax.plot(line["x"], line["microseconds"], label=way, markersize=4, linewidth=1.1, **looks[way])
            order = line["order"] / line["order"].iloc[0] * line["microseconds"].iloc[0]
            ax.plot(line["x"], order, ":", color=looks[way]["color"], linewidth=0.9)
        _plain_numbers(ax).set_title(panel, fontsize=7)
        ax.tick_params(labelsize=6)
        ax.get_legend().remove()
    handles = [Line2D([], [], markersize=4, label=way, **look) for way, look in looks.items()]
    handles.append(Line2D([], [], color=INK, linestyle=":", label="by the paper's order"))
    axes[0].figure.legend(handles=handles, loc="outside upper center", ncols=3)
    _label_grid(axes, "Size", "Microseconds a sweep and chain")
    return axes


def plot_foretold(growth, foretold, labels):
    """Draw ``plot_costs`` of the growth against labels, and what it foretells and what was measured at ``labels``.

    foretold is ``speed.foretold``; its rows on time are drawn.
    """
    ax = plot_costs(growth, "labels")
    look = styles(dict.fromkeys(growth["name"]))
    times = foretold[foretold["quantity"] == "ns per token"].set_index("model")
    for model, row in times.iterrows():
        own = growth[growth["name"] == model]
        law = speed.power(own["labels"], own["median"])
        reach = np.array([own["labels"].min(), labels])
        ax.plot(reach, law.at(reach), "--", color=look[model]["color"])
        ax.plot(labels, row["measured"], markersize=9, linestyle="", **look[model])
    ax.set(xlabel="Labels", ylabel="Nanoseconds per token and sweep")
    return _plain_numbers(ax)


def plot_time_shares(samplers, ax=None):
    """Draw the parts of a token's time for each sampler of ``speed.read("roofline")``, and the time beside them.

    Where memory's part is missing it is within the rest, and the time has a star.
    """
    ax = ax or plt.subplots()[1]
    rows = samplers.iloc[::-1]
    left = np.zeros(len(rows))
    for part, color in ((speed.MEMORY, "#D55E00"), (speed.RANDOM, "#E69F00"), (speed.REST, "#0072B2")):
        share = 100 * (rows[part].fillna(0) / rows["median"]).to_numpy()
        ax.barh(rows["name"], share, left=left, color=color, label=part)
        left = left + share
    for place, row in enumerate(rows.itertuples()):
        star = "*" if math.isnan(row.memory) else ""
        ax.text(101, place, f"{row.median:.0f} ns{star}", va="center", fontsize=7)
    ax.set(xlabel="Percent of a token's time (*: memory not told apart)", xlim=(0, 118))
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, fontsize=7)
    return ax


def plot_roofline(machine, samplers, ax=None):
    """Draw what bandwidth and arithmetic allow (Williams, Waterman & Patterson 2009), and where samplers are.

    machine and samplers are the two parts of ``speed.read("roofline")``. Samplers whose operations per byte are not
    known are left out.
    """
    ax = ax or plt.subplots()[1]
    by_size = machine.dropna(subset="footprint").set_index("footprint")
    triad, dot = (by_size.loc[by_size["name"] == name, "median"] for name in (speed.TRIAD, speed.DOT))
    intensity = np.geomspace(0.02, 8, 50)
    for size in (triad.idxmin(), triad.index.max()):
        reach = np.minimum(2 / dot.min(), intensity * 24 / triad[size])
        ax.plot(intensity, reach, label=f"triad over {size / 1e6:.2g} MB")
    waiting = 1 / machine.set_index("name").loc[speed.ADD, "median"]
    ax.axhline(waiting, linestyle=":", color=INK, label="additions that wait for each other")
    known = samplers.dropna(subset="flops")
    for row, marker in zip(known.itertuples(), itertools.cycle("osD^vP"), strict=False):
        ax.plot(row.flops / row.bytes, row.flops / row.median, marker, linestyle="", label=row.name)
    ax.set(xlabel="Operations per byte", ylabel="Operations per nanosecond")
    _plain_numbers(ax).legend(fontsize=6)
    return ax


# Saving


def save(figure, name, data, title=None, absolute=0.0):
    """Write ``name``.png, .svg and .json into the folder of figures, show the figure and close it.

    figure may be a Figure, axes, or an array of axes. data holds the numbers drawn: a frame, or a mapping of
    names to frames. The json keeps them as records with eight significant digits, a missing number as null.
    The same figure always gives the same bytes. Each file is written beside its place and renamed.

    With $POLYTOPIC_CHECK_FIGURES=1 nothing is written: the numbers are compared with those in the
    repository's ``figures``, to a relative 1e-6 or to ``absolute``, whichever is wider, and AssertionError names
    the first that differs, or says how to make a file that is missing. ``absolute`` is for numbers in which
    rounding, another on every processor, can turn single decisions. In a notebook the figure is shown once,
    whichever way.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(f"a figure's name is made of a-z, 0-9, - and _, got {name!r}")
    figure = _figure_of(figure)
    content = {"name": name} | ({"title": title} if title else {}) | {"data": _records(data)}
    if os.environ.get(CHECK) == "1":
        _compare_with_stored(content, name, absolute)
    else:
        folder = paths.figures()
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{name}.png", _drawn(figure, "png"))
        write_whole(folder / f"{name}.svg", _drawn(figure, "svg"))
        write_whole(folder / f"{name}.json", _as_json(content))
    if _in_notebook() and not _shown_already(figure):
        _show(_drawn(figure, "png"))
    plt.close(figure)


def _figure_of(drawing):
    if isinstance(drawing, np.ndarray):
        drawing = drawing.flat[0]
    return getattr(drawing, "figure", drawing)


def _drawn(figure, kind):
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, metadata=metadata[kind])
    return stream.getvalue()


def _as_json(content):
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _records(data):
    if isinstance(data, pd.DataFrame):
        return [{str(k): _plain_value(v) for k, v in row.items()} for row in data.to_dict("records")]
    return {str(part): _records(frame) for part, frame in data.items()}


def _plain_value(value):
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return _rounded(float(value))
    return str(value)


def _rounded(value):
    if math.isnan(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else str(value)


def _compare_with_stored(content, name, absolute):
    path = paths.root() / "figures" / f"{name}.json"
    if not path.is_file():
        raise AssertionError(f"{path} is missing: make it with `polytopic figures` and commit it")
    stored = json.loads(path.read_text(encoding="utf-8"))
    fault = _first_difference(stored, json.loads(_as_json(content)), "", absolute)
    if fault:
        raise AssertionError(
            f"{path.name}: {fault}; if the change is meant, make it again with `polytopic figures`"
        )


def _first_difference(stored, now, place, absolute):
    """Return where two JSON values first differ, in words, or None."""
    if isinstance(stored, dict) and isinstance(now, dict):
        if stored.keys() != now.keys():
            return f"{place or 'the file'} has {sorted(stored)} stored, {sorted(now)} now"
        pairs = ((stored[key], now[key], f"{place}.{key}".lstrip(".")) for key in stored)
    elif isinstance(stored, list) and isinstance(now, list):
        if len(stored) != len(now):
            return f"{place} has {len(stored)} entries stored, {len(now)} now"
        pairs = ((a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(stored, now, strict=True)))
    else:
        return None if _same(stored, now, absolute) else f"{place} is {stored!r} stored, {now!r} now"
    return next(filter(None, (_first_difference(*pair, absolute) for pair in pairs)), None)


def _same(a, b, absolute):
    if any(isinstance(x, bool) or not isinstance(x, numbers.Real) for x in (a, b)):
        return a == b and isinstance(a, bool) == isinstance(b, bool)
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=max(absolute, 1e-12))


def _in_notebook():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def _shown_already(figure):
    """Tell whether pyplot made the figure and has let it go, as a notebook does at the end of a cell."""
    number = getattr(figure, "number", None)
    return number is not None and not plt.fignum_exists(number)


def _show(png):
    from IPython.display import Image, display

    display(Image(data=png, format="png"))
