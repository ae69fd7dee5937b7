"""Drawings of Rubin et al. (2012) alone."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from polytopic.metrics import MEASURES, PIVOTS
from polytopic.study import result_tables
from polytopic.study.plots import (
    INK,
    draw_ours,
    kind_legend,
    kind_of_mark,
    label_grid,
    measure_grid,
    model_legend,
    nothing,
    panels,
    styles,
    wrapped_words,
)
from polytopic.study.rubin2012 import relative
from polytopic.study.speed_plots import plain_numbers

SOURCES = {relative.PAPER: "the paper's results", relative.OURS: "this study's results"}


def plot_beside_paper(comparison, pivot, task="ranking"):
    """Draw ours beside the paper's: a filled marker for ours joined to a hollow one for the paper's.

    comparison is ``result_tables.beside_paper``. Whiskers reach as far as ``printed.RULE`` allows; there are none for
    a single split. Returns an array of axes, corpora x measures; a single empty one, which says so, when there is
    nothing to compare.
    """
    cells = result_tables.of_task(comparison, pivot, task).sort_values("corpus", kind="stable")
    if cells.empty:
        return nothing("Nothing to compare: the paper has no results on this corpus")
    axes = measure_grid(cells, task, styles(cells["model"]), _draw_pair, row_height=0.27)
    whiskers = ", and what the rule allows to either side" if (cells["allowed"] > 0).any() else ""
    kind_legend(axes, [kind_of_mark(f"ours{whiskers}"), kind_of_mark("paper", markerfacecolor="white")])
    return axes


def _draw_pair(ax, place, row, style, model):
    above, below = place - 0.17, place + 0.17
    ax.plot([row["mean"], row["paper"]], [above, below], color=style["color"], linewidth=0.8, zorder=2)
    draw_ours(ax, above, row, style, model, "allowed")
    ax.plot(
        row["paper"],
        below,
        linestyle="",
        markerfacecolor="white",
        zorder=4,
        label=f"{model} (paper)",
        **style,
    )


def plot_relative(centred, statistic):
    """Draw models relative to their mean, corpora evenly spaced in the order of a statistic: a panel per measure.

    centred is one or several of ``relative.centred``, put together; a row of panels per source. Under the
    corpora stands the statistic. Returns an array of axes, sources x measures.
    """
    sources = [source for source in SOURCES if source in set(centred["source"])]
    look = styles(centred["model"])
    shape = len(sources), len(relative.COLUMNS)
    size = (0.9 + 1.65 * shape[1], 1.0 + 2.3 * shape[0])
    axes = plt.subplots(*shape, figsize=size, squeeze=False)[1]
    for source, row in zip(sources, axes, strict=True):
        rows = centred[centred["source"] == source]
        order = rows.drop_duplicates("corpus")[["corpus", "amount"]]
        places = {corpus: place for place, corpus in enumerate(order["corpus"])}
        ticks = [f"{one.corpus} ({one.amount:.4g})" for one in order.itertuples()]
        for (cutoff, measure), ax in zip(relative.COLUMNS, row, strict=True):
            here = rows[(rows["cutoff"] == cutoff) & (rows["measure"] == measure)]
            for model, line in here.groupby("model", sort=False):
                ax.plot(
                    line["corpus"].map(places), line["relative"], label=model, markersize=4, **look[model]
                )
            ax.axhline(0, color=INK, linewidth=0.6)
            ax.set_xticks(range(len(places)), ticks, rotation=90, fontsize=6)
            ax.set_xlim(-0.5, len(places) - 0.5)
            ax.yaxis.set_major_locator(MaxNLocator(4))
            ax.tick_params(axis="y", labelsize=6)
            ax.set_title("\n".join(filter(None, [cutoff.upper(), MEASURES[measure].heading])), fontsize=7)
        row[0].set_ylabel(SOURCES[source], fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure = axes[0, 0].figure
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    figure.supxlabel(f"corpora in order of their {statistic.replace('_', ' ')}, in brackets", fontsize=8)
    return axes


def plot_published(table):
    """Draw a figure of published results: a dot for each model, a panel per number, a colour per publication.

    table is ``published.beside`` or ``published.rows``, whose text is read: a star and a dash are left out.
    Returns an array of axes.
    """
    numbers = table.replace({"–": "nan"}).map(lambda text: float(str(text).rstrip("*").replace(",", "")))
    publications = list(dict.fromkeys(table.index.get_level_values(0)))
    names = [f"{model}" for _, model in table.index]
    size = (1.9 + 1.7 * table.shape[1], 0.9 + 0.19 * len(table))
    axes = np.atleast_1d(plt.subplots(1, table.shape[1], figsize=size, sharey=True)[1])
    look = dict(zip(publications, ("#0072B2", "#999999", "#E69F00", "#009E73", "#D55E00"), strict=False))
    for column, ax in zip(table.columns, axes, strict=True):
        for publication in publications:
            places = [i for i, (one, _) in enumerate(table.index) if one == publication]
            ax.plot(
                numbers[column].iloc[places],
                places,
                "o",
                color=look[publication],
                markersize=4,
                label=publication,
            )
        ax.set_title(column, fontsize=7)
        ax.xaxis.set_major_locator(MaxNLocator(3))
        ax.grid(axis="y", linewidth=0.4)
    axes[0].set_yticks(range(len(names)), names, fontsize=7)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=7)
    return axes


def plot_best_counts(counts):
    """Draw on how many measures each model is best, a panel per corpus and a group of bars per task.

    counts is ``result_tables.best_counts``. Rubin et al. (2012), figure 13. Returns an array of axes.
    """
    if counts.empty:
        return nothing("No results to draw")
    look = styles(counts["model"])
    axes = panels(counts, "corpus", width=3.4)
    tasks = [(pivot, task) for pivot in PIVOTS for task in result_tables.COLUMNS]
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
    label_grid(axes, "", "Measures won")
    model_legend(axes)
    return axes


def plot_reliability(curves):
    """Draw ``calibration.curves``: share found against probability said, a panel per kind and a line per model.

    On the diagonal they agree. Bins of fewer than 30 pairs are left out. Returns an array of axes.
    """
    shown = curves[curves["pairs"] >= 30]
    axes, look = panels(shown, "kind", width=3.2, height=3.0), styles(dict.fromkeys(curves["model"]))
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
    label_grid(axes, "Probability said", "Share found")
    return axes


def plot_chain_spread(spread):
    """Draw ``calibration.spread``: R-hat and effective samples against score and label frequency.

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
    """Draw average precision against what is known of ``calibration.documents`` beforehand: a panel per signal.

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
    """Draw ``result_tables.gains`` in percent of the second model's value, a row per measure.

    A panel for each corpus and pair of models. Filled where the first is better; whiskers are the 95 % interval over
    splits. Returns an array of axes.
    """
    if found.empty:
        return nothing("Nothing to compare")
    titled = found.assign(panel=found["corpus"] + ": " + found["first"] + " over " + found["second"])
    axes = panels(titled, "panel", width=3.6, height=4.4)
    rows = list(dict.fromkeys(zip(found["pivot"], found["cutoff"], found["measure"], strict=True)))
    names = [", ".join(filter(None, [*cell[:2], MEASURES[cell[2]].heading])) for cell in rows]
    for ax, (panel, block) in zip(axes, titled.groupby("panel", sort=False), strict=True):
        for r in block.itertuples():
            percent = 100 / abs(r.second_mean) if r.second_mean else np.nan
            place, color = rows.index((r.pivot, r.cutoff, r.measure)), "#0072B2" if r.gain > 0 else "#D55E00"
            ax.plot([r.low * percent, r.high * percent], [place, place], color=color, linewidth=0.8)
            fill = color if r.gain > 0 else "white"
            ax.plot(r.gain * percent, place, "o", color=color, markersize=4, markerfacecolor=fill)
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(names)), names if ax in axes[:: max(1, int(10.5 // 3.6))] else [], fontsize=6)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_title(wrapped_words(panel, 30), fontsize=8)
    label_grid(axes, "Gain, percent of the other's value", "")
    return axes


def plot_sweep_costs(table):
    """Draw ``costs.summary``: microseconds a sweep against each size, a panel per phase and size.

    Dotted is the paper's order, from the first point of each line. Returns an array of
    axes.
    """
    titled = table.assign(panel=table["phase"] + ", " + table["against"])
    axes = panels(titled, "panel", width=2.5, height=2.1)
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
        plain_numbers(ax).set_title(panel, fontsize=7)
        ax.tick_params(labelsize=6)
        ax.get_legend().remove()
    handles = [Line2D([], [], markersize=4, label=way, **look) for way, look in looks.items()]
    handles.append(Line2D([], [], color=INK, linestyle=":", label="by the paper's order"))
    axes[0].figure.legend(handles=handles, loc="outside upper center", ncols=3)
    label_grid(axes, "Size", "Microseconds a sweep and chain")
    return axes
