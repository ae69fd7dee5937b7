"""The figures of comparisons: models relative to their mean, and published results as dots."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.rubin2012 import relative

SOURCES = {relative.PAPER: "the paper's results", relative.OURS: "this study's results"}


def plot_relative(centred, statistic):
    """Draw models relative to their mean, corpora evenly spaced in the order of a statistic: a panel per measure.

    centred is one or several of ``relative.centred``, put together; a row of panels per source. Under the
    corpora stands the statistic. Returns an array of axes, sources x measures.
    """
    sources = [source for source in SOURCES if source in set(centred["source"])]
    look = plots.styles(centred["model"])
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
            ax.axhline(0, color=plots.INK, linewidth=0.6)
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
