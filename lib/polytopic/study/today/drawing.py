"""Drawings of this room. Each returns an array of axes."""

import matplotlib.pyplot as plt
import numpy as np

from polytopic.study import bins, plots
from polytopic.study.looks import INK, RUST, displayed


def plot_gains(best):
    """Draw how far the hybrid is above its best parent: a panel a measure, a row a corpus, a mark a split.

    best is ``hybrid.over_best_parent``. Bars are its 95 % intervals.
    """
    if best.empty:
        return np.array([plots.nothing("nothing is stored")])
    corpora, measures = (list(dict.fromkeys(best[name])) for name in ("corpus", "measure"))
    size = 1.6 + 2.2 * len(measures), 0.9 + 0.32 * len(corpora)
    axes = plt.subplots(1, len(measures), figsize=size, squeeze=False, sharey=True)[1][0]
    for ax, measure in zip(axes, measures, strict=True):
        for place, corpus in enumerate(corpora):
            own = best[(best["measure"] == measure) & (best["corpus"] == corpus)]
            shift = 0.6 * (np.arange(len(own)) - (len(own) - 1) / 2) / max(len(own), 5)
            reach = np.abs(own[["low", "high"]].to_numpy().T - own["gain"].to_numpy())
            look = {"fmt": "o", "color": INK, "markersize": 2.5, "elinewidth": 0.8}
            ax.errorbar(own["gain"], place + shift, xerr=reach, **look)
        ax.axvline(0, color=RUST, linewidth=0.8)
        ax.set_title(measure)
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(range(len(corpora)), map(displayed, corpora))
    axes[0].set_ylim(len(corpora) - 0.5, -0.5)
    plots.label_grid(axes, "hybrid above its best parent, with 95 % intervals; a mark is a split", "")
    return axes


def plot_fifths(means, models):
    """Draw average precision by label in fifths of the labels, the rarest first: a panel a corpus, a line a model.

    means is of ``bins.quintiles``. A corpus that lacks one of the models is left out.
    """
    whole = means.groupby("corpus")["model"].agg(set)
    means = means[means["corpus"].map(whole).map(set(models).issubset)]
    if means.empty:
        return np.array([plots.nothing("nothing is stored")])
    axes = plots.panels(means, "corpus")
    for ax, own in plots.on_panels(axes, means, "corpus"):
        for name, look in plots.styles(models).items():
            rows = own[own["model"] == name].sort_values("bin")
            ax.plot(range(len(rows)), rows[bins.MEASURE], markersize=4, label=name, **look)
        ax.set_xticks(range(len(rows)), bins.ranges(rows), fontsize=6)
    plots.model_legend(axes)
    plots.label_grid(axes, "training documents with the label", "mean average precision")
    return axes


def plot_effort(table):
    """Draw what each way reaches and what it costs against the papers' protocol: a row a way, a mark a corpus.

    table is of ``effort.table``. Left, how far average precision by document is above the protocol's; right, the
    share of the protocol's time.
    """
    if table.empty:
        return np.array([plots.nothing("nothing is stored")])
    ways = list(dict.fromkeys(table.index.get_level_values("way")))
    axes = plt.subplots(1, 2, figsize=(9.4, 0.9 + 0.28 * len(ways)), sharey=True)[1]
    looks = plots.styles(table.index.unique("corpus"))
    for ax, column in zip(axes, ("AP above the protocol's", "share of its time"), strict=True):
        for corpus, look in looks.items():
            own = table.loc[corpus, column]
            at = [ways.index(way) for way in own.index]
            ax.plot(own, at, markersize=5, label=displayed(corpus), **look | {"linestyle": ""})
    axes[0].axvline(0, color=RUST, linewidth=0.8)
    axes[0].set_xlabel("AP by document above the protocol's")
    axes[1].axvline(1, color=RUST, linewidth=0.8)
    axes[1].set_xscale("log")
    axes[1].set_xlabel("share of the protocol's time")
    axes[0].set_yticks(range(len(ways)), ways)
    axes[0].set_ylim(len(ways) - 0.5, -0.5)
    plots.model_legend(axes)
    return axes
