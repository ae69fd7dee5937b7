"""Drawings of Rubin et al. (2012) alone. Each returns an array of its axes, or the only one where it says so."""

import numpy as np

from polytopic.study import plots, result_tables
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
