"""The figures of Burkhardt & Kramer (2018), and those that go on from them. Each returns an array of axes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.font_manager import findfont
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from wordcloud import WordCloud

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.burkhardt2018 import tables
from polytopic.study.burkhardt2018.online import FOUND, ONLINE
from polytopic.study.burkhardt2018.protocol import (
    DEPENDENCY,
    FREQUENCIES,
    S2,
)
from polytopic.study.burkhardt2018.training import HDP
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREY, INK, LOOKS, NAVY, ORANGE, RUST, displayed
from polytopic.validation import check_name

CLOUD = {"width": 800, "height": 480, "background_color": "white", "prefer_horizontal": 1.0, "margin": 4}
SMALLEST = 18  # pixels of such a cloud's smallest letters
PALEST = 0.55  # of viridis; beyond, letters are less than 3 to 1 from white
SEED = 1  # of where a cloud's terms are tried


def plot_clouds(table, across=3):
    """Draw a cloud of terms for each cloud of a table, the size of a term by its weight.

    Terms that would be too small to be read are left out. table has the columns cloud, term and weight; weights are
    positive. The same table gives the same bytes.
    """
    axes = plots.panels(table, "cloud", width=10.5 / across, height=2.4)
    for ax, rows in plots.on_panels(axes, table, "cloud"):
        shades = dict(zip(rows["term"], np.linspace(0.1, PALEST, len(rows)), strict=True))
        ax.imshow(_cloud(rows, shades), interpolation="antialiased")
        ax.set_axis_off()
    return axes


def _cloud(rows, shades):
    colours = colormaps["viridis"]

    def shade(word, **_):
        return "#{:02x}{:02x}{:02x}".format(*(int(255 * part) for part in colours(shades[word])[:3]))

    given = {"font_path": findfont("DejaVu Sans"), "random_state": SEED, "color_func": shade, **CLOUD}
    weights = dict(zip(rows["term"], rows["weight"], strict=True))
    return (
        WordCloud(max_words=len(rows), relative_scaling=0.5, min_font_size=SMALLEST, **given)
        .generate_from_frequencies(weights)
        .to_array()
    )


def plot_lines(table, x, by, x_label, y_label, panel="corpus", log=True):
    """Draw the mean of column value over runs against column x, a line for each ``by``, a panel for each ``panel``.

    Bands are 95 % intervals over runs.
    """
    axes = plots.panels(table, panel, width=3.4, height=2.7)
    for ax, rows in plots.on_panels(axes, table, panel):
        for name, points in rows.groupby(by, sort=False):
            _line(ax, points.groupby(x)["value"].agg(["mean", "sem", "size"]), name)
        if log:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(NullFormatter())
        else:
            ax.xaxis.set_major_locator(MaxNLocator(5))
    plots.model_legend(axes)
    plots.explain(axes, "bands: 95 % intervals")
    return plots.label_grid(axes, x_label, y_label)


def _line(ax, cells, name):
    style = {"markersize": 4, "linewidth": 1.2, "label": name} | LOOKS[name]
    ax.plot(cells.index, cells["mean"], **style)
    half = half_width(cells["sem"], cells["size"]).fillna(0)
    ax.fill_between(
        cells.index, cells["mean"] - half, cells["mean"] + half, color=style["color"], alpha=0.2, linewidth=0
    )


def plot_convergence(table, measure="micro_auc"):
    """Draw a measure against the work of training: a row of panels per corpus; by weights, by visits, by CPU seconds.

    table has the columns of ``online.convergence``; a point is the mean over runs.
    """
    check_name("measure", measure, MEASURES)
    kept = table[table["measure"] == measure]
    means = kept.groupby(["corpus", "model", "progress"], sort=False).mean(numeric_only=True).reset_index()
    works = {
        "visits": "visits of word tokens",
        "weights": "labels and topics weighed",
        "cpu_seconds": "CPU seconds",
    }
    corpora = list(dict.fromkeys(means["corpus"]))
    size = (9.6, 0.9 + 2.4 * len(corpora))
    axes = plt.subplots(len(corpora), len(works), figsize=size, squeeze=False, sharey="row")[1]
    for row, corpus in zip(axes, corpora, strict=True):
        here = means[means["corpus"] == corpus]
        for ax, work in zip(row, works, strict=True):
            for name, points in here.groupby("model", sort=False):
                ax.plot(points[work], points["value"], label=name, markersize=4, linewidth=1.2, **LOOKS[name])
            ax.set_xscale("log")
        row[0].set_ylabel(f"{displayed(corpus)}\n{MEASURES[measure].heading}")
    for ax, text in zip(axes[-1], works.values(), strict=True):
        ax.set_xlabel(text)
    plots.model_legend(axes)
    return axes


def plot_topics(table, measures=("log_likelihood", "average_precision", "micro_auc")):
    """Draw measures against the number of topics, that from the data as a cross at the number that it uses.

    table has the columns of ``training.topics``. Rows of panels are corpora, columns measures.
    """
    wide = table.pivot_table("value", ["corpus", "n_topics", "run"], "measure", sort=False).reset_index()
    corpora = list(dict.fromkeys(wide["corpus"]))
    size = (1.0 + 2.9 * len(measures), 0.9 + 2.3 * len(corpora))
    axes = plt.subplots(len(corpora), len(measures), figsize=size, squeeze=False)[1]
    for row, corpus in zip(axes, corpora, strict=True):
        here = wide[wide["corpus"] == corpus]
        free, fixed = here[here["n_topics"] == HDP], here[here["n_topics"] != HDP]
        fixed = fixed.assign(n_topics=fixed["n_topics"].astype(int))
        for ax, measure in zip(row, measures, strict=True):
            means = fixed.groupby("n_topics")[measure].agg(["mean", "sem", "size"])
            half = half_width(means["sem"], means["size"]).fillna(0)
            ax.errorbar(means.index, means["mean"], half, color=BLUE, marker="s", markersize=4,
                        linewidth=1.2, label="fixed number, mean over runs")  # fmt: skip
            ax.plot(free["topics_used"], free[measure], "x", color=RUST, label="from the data, a run each")
            ax.set_title(displayed(corpus))
            ax.set_ylabel(MEASURES[measure].heading)
    for ax in axes[-1]:
        ax.set_xlabel("Topics")
    plots.model_legend(axes)
    plots.explain(axes, plots.INTERVALS)
    return axes


def plot_years(rows, cohorts, model=ONLINE):
    """Draw what is known of each year before it is learnt, from ``online.years`` and its table "cohorts".

    Left: the share of the occurrences of labels found, by model, and the share that are of labels never met before.
    Middle: for one model, the share found of labels first met in one year (rows), on later years (columns). Right:
    the share found by how many documents had the label before.
    """
    axes = plt.subplots(1, 3, figsize=(11, 3.8), width_ratios=(1, 1.3, 1))[1]
    for name, points in rows[rows["measure"] == "recall"].groupby("model", sort=False):
        axes[0].plot(points["year"], points["value"], markersize=4, linewidth=1.2, label=name, **LOOKS[name])
    new = rows[(rows["measure"] == "new") & (rows["model"] == model)]
    axes[0].plot(new["year"], new["value"], linestyle=":", color=INK, label="labels never met")
    axes[0].set(xlabel="Year", ylabel=f"found among the first {FOUND}", ylim=(0, None))
    axes[0].xaxis.set_major_locator(MaxNLocator(6, integer=True))
    own = tables.by_cohort(cohorts[cohorts["model"] == model])
    own = own.assign(value=own["found"] / own["occurrences"])
    grid = own.pivot(index="first", columns="year", values="value")
    grid = grid.reindex(index=list(dict.fromkeys(own["first"])), columns=list(dict.fromkeys(own["year"])))
    image = axes[1].imshow(grid, aspect="auto", vmin=0, vmax=1, cmap="viridis")
    axes[1].set_xticks(range(grid.shape[1]), grid.columns, rotation=90)
    axes[1].set_yticks(range(grid.shape[0]), grid.index)
    axes[1].set(xlabel="Year of the acts", ylabel="Year of the label's first act", title=model)
    axes[1].grid(visible=False)
    axes[1].figure.colorbar(image, ax=axes[1], shrink=0.9)
    soon = tables.by_frequency(cohorts).drop(columns="occurrences")
    for name in soon:
        axes[2].plot(soon.index, soon[name], markersize=4, linewidth=1.2, label=name, **LOOKS[name])
    axes[2].set(xlabel="Documents of the label before", ylim=(0, None))
    axes[2].tick_params(axis="x", rotation=90)
    plots.model_legend(axes)
    return axes


def plot_standing(table, corpus):
    """Draw where classifiers stand on one corpus: measures (rows of panels) against CPU time (columns).

    table has the columns of ``standing.standing``. The upper left corner is the best place; a dotted line is what the
    frequencies of the labels alone bring.
    """
    wide = table[table["corpus"] == corpus].pivot_table("value", "model", "measure", sort=False)
    measures = ("micro_auc", "average_precision", "precision_at_5")
    times = {"fit_seconds": "CPU seconds of training", "test_seconds": "CPU seconds of prediction"}
    axes = plt.subplots(len(measures), len(times), figsize=(9.4, 8.6), sharex="col", sharey="row")[1]
    free = wide.loc[FREQUENCIES] if FREQUENCIES in wide.index else None
    drawn = wide.drop(index=FREQUENCIES, errors="ignore").sort_values("average_precision", ascending=False)
    looks = plots.styles(drawn.index)
    for row, measure in zip(axes, measures, strict=True):
        for ax, at in zip(row, times, strict=True):
            for name, own in drawn.iterrows():
                ax.plot(own[at], own[measure], markersize=6, label=name, **looks[name] | {"linestyle": ""})
            if free is not None:
                ax.axhline(free[measure], linestyle=":", color=INK, linewidth=1, label=FREQUENCIES)
            ax.set_xscale("log")
        row[0].set_ylabel(MEASURES[measure].heading)
    for ax, text in zip(axes[-1], times.values(), strict=True):
        ax.set_xlabel(text)
    handles, names = axes[0, 0].get_legend_handles_labels()
    axes[0, 0].figure.legend(handles, names, loc="outside right upper", title="by average precision")
    return axes


def plot_crowding(table):
    """Draw corpora by documents per label and labels per document; the paper's are grey. See ``tables.crowding``."""
    ax = plt.subplots(figsize=(5.2, 3.4))[1]
    for whose, rows in table.groupby("whose", sort=False):
        color = BLUE if whose == "ours" else GREY
        ax.plot(rows["documents_per_label"], rows["labels_per_document"], "o", color=color, label=whose)
        for row in rows.itertuples():
            place = (row.documents_per_label, row.labels_per_document)
            ax.annotate(displayed(row.corpus), place, xytext=(5, 4), textcoords="offset points", fontsize=7)
    ax.set(
        xscale="log", yscale="log", xlabel="Documents of a label, mean", ylabel="Labels of a document, mean"
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    ax.legend()
    ax.margins(0.25)
    return np.array([ax])


def plot_measures(table):
    """Draw what table 5 shows: a panel for each measure, a row of dots for each corpus, a dot for each classifier."""
    measures = list(dict.fromkeys(table["measure"]))
    corpora = list(dict.fromkeys(table["corpus"]))
    models = [name for name in LOOKS if name in set(table["model"])]
    size = (10.5, 0.9 + 2 * (0.6 + 0.5 * len(corpora)))
    axes = plt.subplots(2, len(measures) // 2, figsize=size, squeeze=False, sharey=True)[1].ravel()
    cells = table.groupby(["measure", "corpus", "model"])["value"].agg(["mean", "sem", "size"])
    cells["half"] = half_width(cells["sem"], cells["size"])
    for ax, measure in zip(axes, measures, strict=True):
        for at, corpus in enumerate(corpora):
            for place, model in enumerate(models):
                if (measure, corpus, model) in cells.index:
                    own = cells.loc[measure, corpus, model]
                    row = at + (place - (len(models) - 1) / 2) * 0.09
                    look = LOOKS[model] | {"linestyle": "", "markersize": 4, "elinewidth": 0.7}
                    ax.errorbar(own["mean"], row, xerr=np.nan_to_num(own["half"]), label=model, **look)
        ax.set_title(MEASURES[measure].arrow)
        ax.set_yticks(range(len(corpora)), map(displayed, corpora))
        ax.set_ylim(len(corpora) - 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(4))
    plots.model_legend(axes)
    plots.explain(axes, plots.INTERVALS)
    return axes


def plot_gains(table):
    """Draw gains with their 95 % intervals: a panel for each measure, a row for each corpus and model.

    table is ``tables.marked``. A filled mark is significant at 1 % by the t-test.
    """
    axes = plots.panels(table, "measure", width=2.5, height=1.2 + 0.16 * table["corpus"].nunique() * 2)
    corpora = list(dict.fromkeys(table["corpus"]))
    for ax, rows in plots.on_panels(axes, table, "measure"):
        for row in rows.itertuples():
            place = corpora.index(row.corpus) + (0.15 if row.first == S2 else -0.15)
            half = (row.high - row.low) / 2
            look = LOOKS[row.first] | {"linestyle": "", "markersize": 4, "elinewidth": 0.8}
            look["markerfacecolor"] = look["color"] if row.t_test == 2 else "white"
            ax.errorbar(row.gain, place, xerr=np.nan_to_num(half), label=row.first, **look)
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_title(MEASURES[rows["measure"].iloc[0]].heading)
        ax.set_yticks(range(len(corpora)), map(displayed, corpora))
        ax.set_ylim(len(corpora) - 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(3))
    plots.model_legend(axes)
    plots.explain(axes, f"{plots.INTERVALS} of paired gains")
    return plots.label_grid(axes, f"gain over {DEPENDENCY} (hollow: p of 1 % or more)", "")


def plot_cut_offs(table):
    """Draw F1 by cut-off: a panel for each corpus and measure, a row for each classifier, a mark for each cut-off."""
    heading = table["measure"].map(lambda name: MEASURES[name].heading)
    table = table.assign(panel=table["corpus"].map(displayed) + ", " + heading)
    cut_offs = list(dict.fromkeys(table["cutoff"]))
    models = list(dict.fromkeys(table["model"]))
    looks = dict(zip(cut_offs, zip([BLUE, NAVY, RUST, ORANGE, BLACK], "osv^|", strict=True), strict=True))
    axes = plots.panels(table, "panel", width=3.4, height=2.2)
    for ax, rows in plots.on_panels(axes, table, "panel"):
        means = rows.groupby(["model", "cutoff"])["value"].mean()
        for name, (color, marker) in looks.items():
            at = [means.get((model, name), np.nan) for model in models]
            ax.plot(at, range(len(models)), marker, color=color, markersize=5, label=name)
        ax.set_yticks(range(len(models)), models)
        ax.set_ylim(len(models) - 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(4))
    plots.model_legend(axes)
    return plots.label_grid(axes, "F1", "")
