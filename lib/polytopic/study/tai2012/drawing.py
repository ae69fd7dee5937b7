"""Measures against the number of dimensions, as in figures 2 to 12 of Tai & Lin (2012)."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.compare import half_width
from polytopic.study.looks import INK, LOOKS, displayed
from polytopic.study.tai2012 import tables
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS

HEADINGS = {"encoding_error": "Encoding error,\n4/K × squared distance"}  # where a measure's own is too short
NOTHING = {"color": INK, "linestyle": ":", "label": "no label predicted"}

# How far a Hamming loss may be off elsewhere: ten decisions of a partition of debtags, should rounding turn any.
# Rounding is another one on another processor. Model trees need it no more; whether others do has not been shown.
TURNED = 2e-5


def plot_curves(results, measures=("hamming_loss",), models=MAIN_MODELS, level_lines=None):
    """Draw measures against the number of dimensions: a row of panels per measure, a column per corpus.

    results has the columns of ``experiments.ridge``. Whiskers are 95 % intervals over partitions, no farther than a
    measure reaches. In panels of the Hamming loss a dotted line stands for the prediction of no label, and the axis
    ends a little above the larger of that and PLST's worst; how far a model goes beyond is written there. level_lines
    is a frame like results whose models are drawn as level lines, such as label ranking. Where the results of a set
    of the paper end at fewer dimensions than labels the axis says so. Returns an array of axes.
    """
    corpora = results["corpus"].unique()
    size = (1.1 + 1.65 * len(corpora), 0.9 + 1.9 * len(measures))
    axes = plt.subplots(len(measures), len(corpora), figsize=size, squeeze=False)[1]
    for measure, row in zip(measures, axes, strict=True):
        means = tables.means(results, measure)
        for corpus, ax in zip(corpora, row, strict=True):
            block = means[means["corpus"] == corpus]
            lines, top = block[block["model"].isin(models)], np.inf
            if measure == "hamming_loss":
                top = _end_above(ax, block)
            for model, line in lines.groupby("model", sort=False):
                error = line["standard_error"].where(line["mean"] < top)
                look = {"linewidth": 1.1, "label": model} | LOOKS[model]
                draw_means(ax, line["n_dimensions"], line.assign(standard_error=error), measure, **look)
            plots.name_doubles(ax, lines.pivot(index="n_dimensions", columns="model", values="mean"))
            _name_beyond(ax, lines, top)
            if level_lines is not None:
                levels = tables.means(level_lines[level_lines["corpus"] == corpus], measure)
                for level in levels.itertuples():
                    ax.axhline(level.mean, label=level.model, linewidth=1.2, **LOOKS[level.model])
            if measure == "hamming_loss":
                ax.axhline(block.loc[block["model"] == EMPTY, "mean"].iloc[0], **NOTHING, linewidth=1.2)
            dimension_axis(ax, block["n_dimensions"].max())
            ax.yaxis.set_major_locator(MaxNLocator(5))
        row[0].set_ylabel(HEADINGS.get(measure, MEASURES[measure].heading))
    for corpus, top, bottom in zip(corpora, axes[0], axes[-1], strict=True):
        top.set_title(displayed(corpus))
        reach = results.loc[
            (results["corpus"] == corpus) & results["model"].isin(models), "n_dimensions"
        ].max()
        labels = tables.N_LABELS.get(corpus, reach)
        bottom.set_xlabel("Dimensions M" + (f", to {reach} of {labels}" if reach < labels else ""))
    plots.model_legend(axes)
    plots.explain(axes, plots.INTERVALS)
    return axes


def draw_means(ax, at, table, measure, **style):
    """Draw means with whiskers, 95 % intervals over partitions that end where the measure does."""
    error = half_width(table["standard_error"], table["partitions"]).fillna(0.0)
    most = plots.MOST.get(MEASURES[measure].unit, np.inf)
    whiskers = [np.minimum(error, table["mean"]), np.minimum(error, most - table["mean"])]
    ax.errorbar(at, table["mean"], whiskers, markersize=3, elinewidth=0.7, **style)


def dimension_axis(ax, most):
    """Make the axis of dimensions logarithmic where there are many, and let it have whole numbers."""
    if most > 30:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def _end_above(ax, means):
    """Let the axis end a little above PLST's worst and the empty prediction; return where."""
    low, high = means["mean"].min(), means.loc[means["model"].isin(["PLST", EMPTY]), "mean"].max()
    top = high + 0.6 * (high - low)
    if high > low:
        ax.set_ylim(low - 0.1 * (high - low), top)
    return top


def _name_beyond(ax, means, top):
    """Write at the top of a panel how far the models go that leave it."""
    most = means.groupby("model", sort=False)["mean"].max()
    for place, (model, worst) in enumerate(most[most > top].items()):
        at = {"transform": ax.transAxes, "ha": "right", "va": "top", "fontsize": 6.5, "zorder": 5}
        at["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        ax.text(0.98, 0.98 - 0.075 * place, f"↑ {model} to {worst:.3g}", color=INK, **at)
