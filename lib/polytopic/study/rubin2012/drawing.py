"""Drawings of Rubin et al. (2012) alone. Each returns an array of its axes, or the only one where it says so."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from polytopic.metrics import MEASURES
from polytopic.study import plots, result_tables
from polytopic.study.looks import displayed
from polytopic.study.rubin2012.systems import BOTH_WEIGHTS

FOUND_BY_PRINT = "both weights: a reading of the tuned SVM that we found by its agreement with print"


def plot_beside_paper(cells, pivot, task="ranking"):
    """Draw ours, filled, joined to the paper's, hollow, where it has a number: axes are corpora x measures.

    cells are ``result_tables.beside_paper``, and may have rows without a number in print. Whiskers reach as far as
    ``printed.RULE`` allows, and without print are 95 % intervals.
    """
    cells = result_tables.of_task(cells, pivot, task)
    cells = cells.assign(reach=cells["allowed"].fillna(cells["high"] - cells["mean"]))
    axes = plots.measure_grid(cells, task, plots.styles(cells["model"]), _draw_pair, row_height=0.25)
    marks = plots.kind_of_mark("ours"), plots.kind_of_mark("paper", markerfacecolor="white")
    plots.kind_legend(axes, marks)
    notes = ["whiskers: as far as ours and the paper's may be apart by chance, two standard errors"]
    if cells["paper"].isna().any():
        notes[0] += ", without a number in print 95 % intervals"
    if BOTH_WEIGHTS in set(cells["model"]):
        notes += [FOUND_BY_PRINT]
    plots.explain(axes, "; ".join(notes))
    return axes


def _draw_pair(ax, place, row, style, model):
    apart = 0 if np.isnan(row["paper"]) else 0.17
    ax.plot([row["mean"], row["paper"]], [place - apart, place + apart], color=style["color"], linewidth=0.8)
    plots.draw_ours(ax, place - apart, row, style, model, "reach")
    hollow = style | {"linestyle": "", "markerfacecolor": "white", "label": f"{model} (paper)"}
    ax.plot(row["paper"], place + apart, zorder=4, **hollow)


def plot_gains(found):
    """Draw ``result_tables.gains`` as a map: a row per measure, a column per corpus and pair of models.

    A cell holds the gain in percent of the second model's value. Its colour is the gain over half of its 95 %
    interval over splits: beyond 1 to either side the interval leaves 0 out. Grey cells have none: there is one split,
    or all gain the same.
    """
    measures, pairs = ["pivot", "cutoff", "measure"], ["corpus", "first", "second"]
    half = (found["high"] - found["low"]) / 2
    percent = 100 * found["gain"] / found["second_mean"].abs().replace(0, np.nan)
    cells = found.assign(percent=percent, clear=found["gain"] / half.where(half > 0))
    cells = cells.set_index(measures + pairs)[["percent", "clear"]].unstack(pairs, sort=False)
    percent, clear = cells["percent"], cells["clear"]
    ax = plt.subplots(figsize=(2.6 + 0.98 * percent.shape[1], 1.6 + 0.21 * len(percent)))[1]
    colors = plt.get_cmap("PuOr").with_extremes(bad="#E4E4E4")
    image = ax.imshow(clear, aspect="auto", cmap=colors, vmin=-4, vmax=4)
    for (row, column), value in np.ndenumerate(percent):
        dark = abs(np.nan_to_num(clear.iloc[row, column])) > 2.6
        text = "–" if np.isnan(value) else f"{value:+.1f}"
        ax.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    names = [" ".join(filter(None, [*cell[:2], MEASURES[cell[2]].heading])) for cell in percent.index]
    heads = [
        "\n".join(textwrap.fill(part, 17) for part in (displayed(corpus), f"{first} over", second))
        for corpus, first, second in percent.columns
    ]
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_xticks(range(len(heads)), heads, fontsize=6)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(visible=False)
    bar = ax.figure.colorbar(image, ax=ax, extend="both", shrink=0.6, ticks=[-4, -1, 0, 1, 4])
    bar.set_label("Gain over half of its 95 % interval", fontsize=7)
    ax.set_xlabel(
        "Gain in percent of the other's value; grey: no interval (one split, or no spread)", fontsize=8
    )
    return np.array([ax])
