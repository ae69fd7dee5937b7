"""Drawings of Ueda and Saito (2002) alone. Each function returns an array of axes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from polytopic.study import plots
from polytopic.study.compare import half_width
from polytopic.study.looks import BLUE, GREEN, GREY, INK, NAVY, ORANGE, PALE, RUST, displayed


def plot_trials(compared):
    """Draw ours beside the paper's for every corpus: a panel per method, a row of panels per table.

    compared is ``tables.beside_paper`` of the methods to show. Filled is ours with its 95 % interval over trials, no
    farther than 0 and 100 percent, hollow the paper's. Corpora of the reduced vocabulary are grey and stand below. A
    single empty panel says so when there is nothing to compare.
    """
    if compared.empty:
        return plots.nothing("Nothing to compare: no trials of the paper's corpora are stored")
    items, methods = (list(dict.fromkeys(compared[name])) for name in ("item", "method"))
    corpora = list(
        dict.fromkeys(compared.sort_values("vocabulary", ascending=False, kind="stable")["corpus"])
    )
    compared = compared.assign(half=half_width(compared["sd"] / np.sqrt(compared["n"]), compared["n"]))
    reach = compared["half"].fillna(0)
    low = max(0.0, min((compared["mean"] - reach).min(), compared["paper"].min()))
    high = min(100.0, max((compared["mean"] + reach).max(), compared["paper"].max()))
    size = (1.5 + 1.45 * len(methods), 0.9 + len(items) * (0.45 + 0.19 * len(corpora)))
    axes = plt.subplots(len(items), len(methods), figsize=size, squeeze=False, sharex="row", sharey=True)[1]
    for item, row in zip(items, axes, strict=True):
        for method, ax in zip(methods, row, strict=True):
            block = compared[(compared["item"] == item) & (compared["method"] == method)]
            _draw_means(ax, block, corpora)
            ax.set_title(method if len(items) == 1 else f"{method}, {item}", fontsize="small")
            ax.grid(axis="y", visible=False)
            ax.set_xlim(low - 2, high + 2)
            ax.xaxis.set_major_locator(MaxNLocator(3))
        row[0].set_yticks(range(len(corpora)), map(displayed, corpora))
        row[0].set_ylim(len(corpora) - 0.5, -0.5)
    paper = plots.kind_of_mark("paper", markerfacecolor="white")
    kinds = [plots.kind_of_mark("ours"), paper]
    plots.explain(axes, plots.INTERVALS)
    if (compared["vocabulary"] != "whole").any():
        kinds.append(plots.kind_of_mark("reduced vocabulary", color=GREY))
    axes.flat[0].figure.legend(handles=kinds, loc="outside upper right", ncols=len(kinds))
    plots.label_grid(axes.ravel(), "F, mean over test pages, percent", "")
    return axes


def _draw_means(ax, block, corpora):
    for r in block.itertuples():
        color = BLUE if r.vocabulary == "whole" else GREY
        place = corpora.index(r.corpus)
        whisker = [[min(r.half, r.mean)], [min(r.half, 100 - r.mean)]] if r.half > 0 else None
        ax.plot([r.mean, r.paper], [place, place], ":", color=PALE, linewidth=1.2, zorder=2)
        ax.errorbar(r.mean, place, xerr=whisker, color=color, marker="o", markersize=4, capsize=2,
                    elinewidth=1.1, zorder=3)  # fmt: skip
        ax.plot(r.paper, place, "o", color=color, markersize=4, markerfacecolor="white", zorder=4)


def plot_parameter_space(places, names):
    """Draw where words distributions and documents lie between two labels, a panel per kind of cloud.

    places is ``label_sets.places``: columns panel, kind, x, y. Kinds "first", "second", "even" and "fitted" are
    the distributions of the two labels, and of the set of both with even and with fitted shares; they are drawn and
    named in every panel, joined by the segment on which all mixtures lie. The other kinds are documents. names are
    the labels.
    """
    is_model = places["panel"] == "model"
    points, clouds = places[is_model].set_index("kind"), places[~is_model]
    count = clouds["panel"].nunique()
    look = {"figsize": (3.3 * count + 0.4, 4.0), "sharex": True, "sharey": True, "squeeze": False}
    axes = plt.subplots(1, count, **look)[1][0]
    colors = {f"{names[0]} alone": BLUE, f"{names[1]} alone": ORANGE, "both": GREEN}
    marks = {"first": ("s", names[0]), "second": ("s", names[1]),
             "even": ("D", "PMM1: half-way"), "fitted": ("^", "PMM2: as fitted")}  # fmt: skip
    for ax, block in plots.on_panels(axes, clouds, "panel"):
        for kind, cloud in block.groupby("kind", sort=False):
            ax.plot(cloud["x"], cloud["y"], "o", color=colors[kind], markersize=3, alpha=0.45, markeredgewidth=0,
                    label=kind, zorder=2)  # fmt: skip
        ends = points.loc[["first", "second"]]
        ax.plot(ends["x"], ends["y"], "-", color=INK, linewidth=1.2, zorder=3)
        for kind, (marker, text) in marks.items():
            at = points.loc[kind, ["x", "y"]].astype(float)
            ax.plot(*at, marker, color=RUST, markeredgecolor="white", markersize=7, zorder=4)
            white = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.5}
            ax.annotate(text, at, xytext=(8, 5), textcoords="offset points", fontsize=7, bbox=white, zorder=5)
        ax.xaxis.set_major_locator(MaxNLocator(5))
    plots.model_legend(axes)
    return plots.label_grid(axes, *(f"share on words of {name}" for name in names))


def plot_tuning(table):
    """Draw ``tables.tuning``: a panel per table and a marker per way of scoring; dashed is the lead in print."""
    if table.empty:
        return plots.nothing("No trials are stored")
    axes = plots.panels(table, "item", width=4.4, height=1.9)
    names = list(dict.fromkeys(table["against"]))
    looks = {
        "f1": ("as decided", "o", BLUE),
        "f1_at_least_one": ("the highest label where none is decided on", "s", RUST),
    }
    for ax, block in plots.on_panels(axes, table, "item"):
        for measure, rows in block.groupby("measure", sort=False):
            text, marker, color = looks[measure]
            ax.plot(rows["ours"], rows["against"].map(names.index), marker, color=color, label=text)
        ax.axvline(0, color=INK, linewidth=0.8)
        paper = block.loc[block["measure"] == "f1", "paper"].iloc[0]
        ax.axvline(paper, color=GREY, linewidth=1, linestyle="--", label="the paper's lead")
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
    plots.model_legend(axes)
    plots.explain(axes, f"means over {table['of'].max()} corpora, no intervals")
    return plots.label_grid(axes, "PMM1's lead over the SVM, points of F", "")


def plot_set_sizes(sizes):
    """Draw the sizes of ``label_sets.compare``: a group of bars per number of labels and a colour per kind."""
    axes = plots.panels(sizes, "panel", width=3.6, height=2.4)
    kinds = sizes["kind"].unique()
    look = dict(zip(kinds, [INK, BLUE, NAVY, RUST], strict=False))
    for ax, block in plots.on_panels(axes, sizes, "panel"):
        percent = 100 * block.pivot(index="labels", columns="kind", values="share")[kinds]
        percent.plot.bar(ax=ax, color=look, width=0.8, rot=0, legend=False, xlabel="")
        ax.grid(axis="x", visible=False)
    plots.model_legend(axes)
    return plots.label_grid(axes, "Labels of a document", "Percent of documents")
