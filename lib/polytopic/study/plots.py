"""Drawings that several papers share, and the look of models in all of them."""

import math
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study import looks, result_tables
from polytopic.study.bins import LEVEL, ranges
from polytopic.study.compare import half_width
from polytopic.study.looks import BLUE, INK, RUST

MOST_ABOVE = 5  # series in the legend above a single panel
INTERVALS = "whiskers: 95 % intervals"  # of means, by Student's t
ACROSS = 7.3  # inches of panels in a row: wider pictures are scaled down on a page, with their letters
LETTER = 0.096  # inches, of a panel's title
MOST = {"fraction": 1.0, "percent": 100.0}  # that a measure of such a unit can be

plt.style.use(["default", str(Path(__file__).with_name("style.mplstyle"))])


def styles(models):
    """Return the looks of models in one figure, in the order of ``looks.in_order``: see ``looks.styles``."""
    return looks.styles(looks.in_order(models))


def explain(axes, text):
    """Let the line above a figure end in what its whiskers or bands are."""
    np.ravel(axes)[0].figure.set_label(text)


def plot_label_frequency(frequencies, laws=None, printed=None):
    """Draw how many labels have each number of documents, one panel per corpus, the median dashed.

    frequencies is one or several ``corpora.label_frequencies``. Both axes are logarithmic, the same in all panels, or
    linear for a corpus in which no three labels share a frequency, as in the lower half of Rubin et al. (2012),
    figure 1. laws is ``corpora.power_laws``: a line with its exponent. printed maps corpora to the medians that a
    paper prints. Returns an array of axes.
    """
    axes = panels(frequencies, "corpus")
    falling = frequencies[frequencies.groupby("corpus")["labels"].transform("max") > 2]
    right, top = (max(14, 1.6 * falling[name].max()) for name in ("frequency", "labels"))
    for ax, table in on_panels(axes, frequencies, "corpus"):
        corpus = table["corpus"].iloc[0]
        ax.set_title(f"{ax.get_title()}\n{table['labels'].sum():,} labels")
        if table["labels"].max() > 2:
            dots = {"color": INK, "markersize": 3, "alpha": 0.6, "markeredgewidth": 0}
            ax.plot(table["frequency"], table["labels"], "o", **dots)
            for law in () if laws is None else laws[laws["corpus"] == corpus].itertuples():
                ends = table["frequency"].agg(["min", "max"]).to_numpy(float)
                ax.plot(ends, law.factor * ends**law.exponent, color=BLUE, linewidth=1)
                told = f"$k^{{{law.exponent:.2f}}}$"
                ax.text(0.04, 0.05, told, transform=ax.transAxes, color=BLUE, fontsize=9)
            ax.set(xlim=(0.7, right), ylim=(0.7, top))
            plain_numbers(ax)
        else:
            ax.vlines(table["frequency"], 0, table["labels"], color=INK, linewidth=1.2)
            ax.set(xlim=(0, None), ylim=(0, 1.5 * table["labels"].max()))
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
            ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
            ax.xaxis.set_major_formatter("{x:,.0f}")
        draw_median(ax, table["frequency"], table["labels"], (printed or {}).get(corpus))
    return label_grid(axes, "Documents with the label", "Number of labels")


def draw_median(ax, values, times, paper=None):
    """Draw the median of values, repeated ``times``, and write it at the right, over the paper's if it has one."""
    median = np.median(np.repeat(values, times))
    ax.axvline(median, color=RUST, linestyle="--", linewidth=1)
    text = f"median {median:g}" + ("" if paper is None else f"\npaper {paper:g}")
    look = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
    ax.text(0.98, 0.97, text, transform=ax.transAxes, ha="right", va="top", color=RUST, fontsize=8, bbox=look)


def measure_grid(cells, task, look, draw, row_height=0.2):
    if cells.empty:
        return nothing("No results to draw")
    columns, groups = result_tables.COLUMNS[task], cells.groupby("corpus", sort=False)
    size = (1.5 + 0.9 * len(columns), 0.75 + len(groups) * max(1.5, 0.45 + row_height * len(look)))
    axes = plt.subplots(len(groups), len(columns), figsize=size, squeeze=False, sharey="row")[1]
    for (corpus, rows), row in zip(groups, axes, strict=True):
        for (cutoff, measure), ax in zip(columns, row, strict=True):
            here = rows[(rows["cutoff"] == cutoff) & (rows["measure"] == measure)].set_index("model")
            for place, (model, style) in enumerate(look.items()):
                if model in here.index:
                    draw(ax, place, here.loc[model], style, model)
            ax.grid(axis="y", visible=False)
            ax.tick_params(axis="y", length=0)
            ax.margins(x=0.15)
            ax.xaxis.set_major_locator(MaxNLocator(2, min_n_ticks=2))
            _within_reach(ax, MEASURES[measure].unit)
            _if_all_are_worst(ax, here["mean"], MEASURES[measure].unit)
        row[0].set_yticks(range(len(look)), list(look))
        row[0].set_ylim(len(look) - 0.5, -0.5)
        row[-1].yaxis.set_label_position("right")
        row[-1].set_ylabel(
            textwrap.fill(looks.displayed(corpus), 18), rotation=270, va="bottom", fontsize="small"
        )
    for (cutoff, measure), top, bottom in zip(columns, axes[0], axes[-1], strict=True):
        top.set_title("\n".join(filter(None, [cutoff.upper(), MEASURES[measure].arrow])))
        bottom.set_xlabel("" if MEASURES[measure].unit == "fraction" else MEASURES[measure].unit)
    return axes


def _within_reach(ax, unit):
    """Let an axis end where its measure ends, but for room for a mark there."""
    low, high = ax.get_xlim()
    room, most = 0.04 * (high - low), MOST.get(unit, np.inf)
    ax.set_xlim(max(low, -room), min(high, most + room))


def _if_all_are_worst(ax, means, unit):
    """Say so where every model has 100 percent, as of documents that are not labelled just so."""
    if unit == "percent" and len(means) and (means == 100).all():
        ax.set_xticks([100], ["100 for all"])
        ax.set_xlim(95, 105)


def draw_ours(ax, place, row, style, model, reach="half"):
    """Draw a mean with a whisker to either side, no farther than the measure reaches."""
    most = MOST.get(MEASURES[row["measure"]].unit, np.inf)
    whisker = None
    if row[reach] > 0:
        whisker = [[min(row[reach], row["mean"])], [min(row[reach], max(0, most - row["mean"]))]]
    ax.errorbar(row["mean"], place, xerr=whisker, linestyle="", label=model, capsize=2, zorder=3, **style)


def plot_quintiles(means, tests=None):
    """Draw mean average precision per bin of training frequency, a panel per corpus and a line per model.

    means is ``bins.quintiles``. With ``tests`` from ``bins.quintile_tests`` a ring stands around each first model
    wherever p < ``bins.LEVEL``. Returns an array of axes.
    """
    if means.empty:
        return nothing("No results to draw")
    look, rings, note = styles(means["model"]), means.iloc[:0], "means over labels, no intervals"
    if tests is not None and len(tests):
        clear = tests[tests["p"] < LEVEL]
        rings = clear[["corpus", "bin"]].assign(model=clear["first"]).merge(means)
        note += f"; rings: p < {LEVEL:g} against {' and '.join(tests['second'].unique())}, paired t-test"
    alone = means["corpus"].nunique() == 1 and len(look) > MOST_ABOVE
    axes = panels(means, "corpus", width=5.4 if alone else 3.4, height=3.4 if alone else 2.2)
    for ax, table in on_panels(axes, means, "corpus"):
        for model, line in table.groupby("model", sort=False):
            ax.plot(line["bin"], line["average_precision"], label=model, **look[model])
        here = rings[rings["corpus"] == table["corpus"].iloc[0]]
        for model, places in here.groupby("model", sort=False):
            ring = {"color": look[model]["color"], "markerfacecolor": "none", "label": f"p < {LEVEL:g}"}
            size = 10 + 2 * list(look).index(model)  # so that rings of two models in one place are seen
            ax.plot(places["bin"], places["average_precision"], "o", markersize=size, **ring)
        bin_ticks(ax, table)
        ax.margins(y=0.12)
    model_legend(axes, at_right=alone)
    explain(axes, note)
    return label_grid(axes, "Training documents with the label", "Mean average precision")


def bin_ticks(ax, table):
    bins = table.drop_duplicates("bin").sort_values("bin")
    ax.set_xticks(bins["bin"], ranges(bins))
    ax.tick_params(axis="x", labelsize=7)
    ax.set_xlim(0.6, bins["bin"].max() + 0.4)


def name_ends(ax, ends):
    """Write names at the right of the ends of lines, moved apart where they would overlap.

    ends are (name, x, y, font) each. Limits and scales of the axes must be set.
    """
    ax.figure.draw_without_rendering()
    per_point, step = ax.figure.dpi / 72, 10.5 * ax.figure.dpi / 72
    ends = sorted(ends, key=lambda end: end[2])
    at = ax.transData.transform([(x, y) for _, x, y, _ in ends])[:, 1]
    placed = at.copy()
    for _ in range(100):
        short = np.maximum(step - np.diff(placed), 0) / 2
        placed[:-1] -= short
        placed[1:] += short
    for (name, x, y, font), up in zip(ends, (placed - at) / per_point, strict=True):
        where = {"xytext": (9, up), "textcoords": "offset points", "va": "center", "annotation_clip": False}
        ax.annotate(name, (x, y), fontsize=8, **where, **font)


def panels(frame, by, width=2.4, height=2.2):
    """Return a flat array of axes, one per value of ``by``, at most three in a row and rows as even as may be.

    A column fewer is taken where that leaves no place empty.
    """
    if frame.empty:
        raise ValueError("there is nothing to draw: the table has no rows")
    count = frame[by].nunique()
    across = max(1, int(ACROSS // width))
    down = math.ceil(count / across)
    across = math.ceil(count / down)
    if count % across and across > 2 and count % (across - 1) == 0:
        across, down = across - 1, count // (across - 1)
    size = (max(across * width, 3.6) + 0.4, down * height + 0.6)
    axes = plt.subplots(down, across, figsize=size, squeeze=False)[1]
    for ax in axes.flat[count:]:
        ax.remove()
    return axes.ravel()[:count]


def on_panels(axes, frame, by):
    """Yield each of the axes of ``panels``, titled, with its rows of the frame."""
    across = axes[0].get_subplotspec().get_gridspec().ncols
    room = int(axes[0].figure.get_figwidth() / across / LETTER)
    for ax, (name, rows) in zip(axes, frame.groupby(by, sort=False), strict=True):
        lines = looks.displayed(str(name)).split("\n")
        ax.set_title("\n".join(textwrap.fill(line, room) for line in lines))
        yield ax, rows


def label_grid(axes, x, y):
    """Label a flat array of axes as a whole, and return it."""
    axes[0].figure.supxlabel(x, fontsize=plt.rcParams["axes.labelsize"])
    axes[0].figure.supylabel(y, fontsize=plt.rcParams["axes.labelsize"])
    return axes


def plain_numbers(ax):
    """Make both axes logarithmic, with plain numbers at powers of ten, or at 1, 2 and 5 of a short axis."""
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300 * low else (1.0,)))
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1000 else f"{x:g}")
        axis.set_minor_formatter(NullFormatter())
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def model_legend(axes, at_right=False):
    """Put the legend of all axes in an empty place of their grid, or above or at their right, each label once.

    Rings have no line there.
    """
    axes = np.ravel(axes)
    handles = [zip(*ax.get_legend_handles_labels()[::-1], strict=True) for ax in axes]
    shown = {label: handle for one in handles for label, handle in one if not label.startswith("p < ")}
    if at_right:
        axes[0].figure.legend([*shown.values()], [*shown], loc="outside right upper")
        return
    grid = axes[0].get_subplotspec().get_gridspec()
    if len(axes) == len(axes[0].figure.axes) < grid.nrows * grid.ncols:
        rest = axes[0].figure.add_subplot(grid[-1])
        rest.set_axis_off()
        rest.legend([*shown.values()], [*shown], loc="center")
        return
    across = max(1, int(axes[0].figure.get_figwidth() // 1.6))
    across = math.ceil(len(shown) / math.ceil(len(shown) / across)) if shown else 1
    axes[0].figure.legend([*shown.values()], [*shown], loc="outside upper center", ncols=across)


def nothing(text):
    ax = plt.subplots(figsize=(6.4, 1.0))[1]
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center")
    return np.array([[ax]])


def plot_lines(table, x, value="value", panel="corpus", by="model", *, x_label, y_label, log=False, over=""):
    """Draw the mean over runs against column x, a line for each value of ``by``, a panel for each of ``panel``.

    Whiskers are 95 % intervals over runs, where the table has several; of many points, or where ``over`` says in
    words over what they are, bands. Every panel has its own scale; beyond six they are small. Returns an array of
    axes.
    """
    axes = panels(table, panel, **{"width": 3.4, "height": 2.8} if table[panel].nunique() <= 6 else {})
    look = styles(dict.fromkeys(table[by]))
    dense = table[x].nunique() > 12
    intervals = INTERVALS.replace("whiskers", "bands") if dense or over else INTERVALS
    for ax, rows in on_panels(axes, table, panel):
        for line, points in rows.groupby(by, sort=False):
            cells = points.groupby(x)[value].agg(["mean", "sem", "size"])
            mean, spread = cells["mean"], half_width(cells["sem"], cells["size"]).fillna(0)
            if spread.any():
                explain(axes, intervals + (over and f" over {over}"))
            style = {"markersize": 4, "linewidth": 1.1, "label": line} | look[line]
            if dense and not over:
                style |= {"marker": ""}
            if dense or over:
                band = {"color": style["color"], "alpha": 0.2, "linewidth": 0}
                ax.fill_between(cells.index, mean - spread, mean + spread, **band)
            whisker = None if dense or over or not spread.any() else spread
            ax.errorbar(cells.index, mean, whisker, **style)
        name_doubles(ax, rows.pivot_table(value, x, by, sort=False))
        if log:
            ax.set_xscale("log")
            if dense:
                ax.xaxis.set_major_formatter("{x:g}")
            else:
                ticks = sorted(rows[x].unique())
                ax.set_xticks(ticks, labels=[f"{one:g}" for one in ticks])
            ax.xaxis.set_minor_formatter(NullFormatter())
    model_legend(axes)
    return label_grid(axes, x_label, y_label)


def name_doubles(ax, means):
    """Write which lines lie under others, nearer than a 300th of the panel's height, into room made below them."""
    near, names = np.nanmax(means) - np.nanmin(means), list(means)
    pairs = [
        (first, second)
        for place, first in enumerate(names)
        for second in names[place + 1 :]
        if (means[first] - means[second]).abs().max() < near / 300
    ]
    if pairs:
        text = "\n".join(f"{first} lies under {second}" for first, second in pairs)
        look = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(0.98, 0.02, text, transform=ax.transAxes, ha="right", va="bottom", fontsize=6, bbox=look)
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.075 * len(pairs) * (high - low), high)


def kind_of_mark(label, **options):
    return Line2D([], [], **{"color": INK, "marker": "o", "linestyle": "", "label": label} | options)


def kind_legend(axes, kinds):
    axes.flat[0].figure.legend(handles=kinds, loc="outside lower right", ncols=len(kinds))
