"""Drawings of this room. Each returns an array of axes."""

import matplotlib.pyplot as plt
import numpy as np

from polytopic.study import plots


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
            look = {"fmt": "o", "color": plots.INK, "markersize": 2.5, "elinewidth": 0.8}
            ax.errorbar(own["gain"], place + shift, xerr=reach, **look)
        ax.axvline(0, color="#D55E00", linewidth=0.8)
        ax.set_title(measure)
        ax.grid(axis="y", visible=False)
    axes[0].set_yticks(range(len(corpora)), corpora)
    axes[0].set_ylim(len(corpora) - 0.5, -0.5)
    plots.label_grid(axes, "hybrid above its best parent, with 95 % intervals; a mark is a split", "")
    return axes
