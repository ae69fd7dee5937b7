"""The figures of Burkhardt & Kramer (2018), and those that go on from them. Each returns an array of axes."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.font_manager import findfont
from matplotlib.ticker import MaxNLocator, NullFormatter
from PIL import ImageFont
from wordcloud import WordCloud

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.burkhardt2018 import tables
from polytopic.study.burkhardt2018.online import FOUND, ONLINE
from polytopic.study.burkhardt2018.protocol import DEPENDENCY, LASSO, MEAN, PROPORTIONAL, S2, SVR
from polytopic.study.burkhardt2018.training import HDP
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREY, INK, LOOKS, MAUVE, PLUM, RUST, displayed

CANVAS = 400, 240  # of a cloud, in its own units
SMALLEST = 14  # of them, a cloud's smallest letters
CLOUD = {"background_color": "white", "prefer_horizontal": 1.0, "margin": 6, "relative_scaling": 0.5}
PALEST = 0.55  # of viridis; beyond, letters are less than 3 to 1 from white
SEED = 1  # of where a cloud's terms are tried
BARS = 10  # terms
MARK = {"linestyle": "", "markersize": 4, "elinewidth": 0.8}
CUT_OFF_LOOKS = {
    LASSO: {"color": BLACK, "marker": "o"},
    SVR: {"color": GREY, "marker": "s"},
    MEAN: {"color": MAUVE, "marker": "v"},
    PROPORTIONAL: {"color": PLUM, "marker": "^", "markerfacecolor": "white"},
}


def plot_clouds(table, across=2):
    """Draw the first terms of each cloud of a table twice: bars of their weights, and a cloud, the paper's form.

    Terms that would be too small to be read are left out of the cloud. table has the columns cloud, term and weight,
    the largest first; weights are positive. The same table gives the same bytes.
    """
    clouds = list(table.groupby("cloud", sort=False))
    down = -(-len(clouds) // across)
    size, widths = (9.4, 0.3 + 1.6 * down), {"width_ratios": [1, 2.4] * across}
    axes = plt.subplots(down, 2 * across, figsize=size, squeeze=False, gridspec_kw=widths)[1].reshape(-1, 2)
    for ax in axes[len(clouds) :].flat:
        ax.remove()
    axes, colors = axes[: len(clouds)], colormaps["viridis"]
    for (bars, cloud), (name, rows) in zip(axes, clouds, strict=True):
        shades = dict(zip(rows["term"], colors(np.linspace(0.1, PALEST, len(rows))), strict=True))
        first = rows.head(BARS)
        bars.barh(first["term"], first["weight"], color=[shades[term] for term in first["term"]])
        bars.invert_yaxis()
        bars.set_title(name, loc="left")
        bars.tick_params(labelsize=6.5, length=0)
        bars.xaxis.set_major_locator(MaxNLocator(2))
        bars.grid(axis="y", visible=False)
        cloud.set(xlim=(0, CANVAS[0]), ylim=(CANVAS[1], 0), aspect="equal")
        cloud.set_axis_off()
    cloud.figure.draw_without_rendering()  # lays out: letters are as large as their axes ask
    for (_, cloud), (_, rows) in zip(axes, clouds, strict=True):
        _write(cloud, rows, colors)
    plots.explain(axes, "bars: probability; clouds: the same terms, the paper's form")
    return axes


def _write(ax, rows, colors):
    """Write the terms of a cloud into its axes, where and as large as the layout has them."""
    path = findfont("DejaVu Sans")
    made = WordCloud(
        width=CANVAS[0], height=CANVAS[1], max_words=len(rows), min_font_size=SMALLEST, random_state=SEED,
        font_path=path, **CLOUD,
    ).generate_from_frequencies(dict(zip(rows["term"], rows["weight"], strict=True)))  # fmt: skip
    shades = dict(zip(rows["term"], colors(np.linspace(0.1, PALEST, len(rows))), strict=True))
    points = ax.get_window_extent().width / ax.figure.dpi * 72 / CANVAS[0]
    for (term, _), size, (y, x), _, _ in made.layout_:
        above = ImageFont.truetype(path, size).getbbox(term, anchor="ls")[1]  # of the baseline, negative
        look = {"fontsize": size * points, "color": shades[term], "va": "baseline", "in_layout": False}
        ax.text(x, y - above, term, **look)


def plot_lines(table, x, by, x_label, y_label, over, panel="corpus", log=True):
    """Draw the mean of column value over runs against column x, a line for each ``by``, a panel for each ``panel``.

    Bands are 95 % intervals; over says in words over what.
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
    plots.explain(axes, f"bands: 95 % intervals over {over}")
    return plots.label_grid(axes, x_label, y_label)


def _line(ax, cells, name):
    style = {"markersize": 4, "linewidth": 1.2, "label": name} | LOOKS[name]
    ax.plot(cells.index, cells["mean"], **style)
    half = half_width(cells["sem"], cells["size"]).fillna(0)
    ax.fill_between(
        cells.index, cells["mean"] - half, cells["mean"] + half, color=style["color"], alpha=0.2, linewidth=0
    )


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

    Above, the share of the occurrences of labels found, by year, with the share of labels never met before, and by
    how many documents had the label before. Below, for one model, the share found of labels first met in one year
    (rows), on later years (columns).
    """
    figure, places = plt.subplot_mosaic("ab;cc", figsize=(8.2, 6.8), height_ratios=(1, 1.15))
    by_year, by_count, square = (places[name] for name in "abc")
    for name, points in rows[rows["measure"] == "recall"].groupby("model", sort=False):
        by_year.plot(points["year"], points["value"], markersize=4, linewidth=1.2, label=name, **LOOKS[name])
    new = rows[(rows["measure"] == "new") & (rows["model"] == model)]
    by_year.plot(new["year"], new["value"], linestyle=":", color=INK, label="labels never met")
    by_year.set(
        xlabel="year", ylabel=f"share found among the first {FOUND}", ylim=(0, None), title="Year by year"
    )
    by_year.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    soon = tables.by_frequency(cohorts).drop(columns="occurrences")
    for name in soon:
        by_count.plot(soon.index, soon[name], markersize=4, linewidth=1.2, label=name, **LOOKS[name])
    by_count.set(
        xlabel="documents that had the label before", ylim=(0, None), title="By how well a label is known"
    )
    by_count.set_xticks(range(len(soon)), soon.index.str.replace(" to ", "–"))
    own = tables.by_cohort(cohorts[cohorts["model"] == model])
    own = own.assign(value=own["found"] / own["occurrences"])
    grid = own.pivot(index="first", columns="year", values="value")
    grid = grid.reindex(index=list(dict.fromkeys(own["first"])), columns=list(dict.fromkeys(own["year"])))
    image = square.imshow(grid, aspect="auto", vmin=0, vmax=1, cmap="viridis")
    square.set_xticks(range(grid.shape[1]), grid.columns)
    square.set_yticks(range(grid.shape[0]), grid.index)
    square.set(
        xlabel="year of the acts", ylabel="year of the label's first act", title=f"{model}, share found"
    )
    square.grid(visible=False)
    figure.colorbar(image, ax=square, label=f"share found among the first {FOUND}")
    axes = np.array([by_year, by_count, square])
    plots.model_legend(axes)
    plots.explain(axes, "one seed, no intervals")
    return axes


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
    plots.explain(axes, f"{plots.INTERVALS} over runs on one test part, where there are several")
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
    plots.explain(
        axes, f"{plots.INTERVALS} over chains on one test part: how the sampler varies, not the documents"
    )
    return plots.label_grid(
        axes, f"gain over {DEPENDENCY}: to the right is better (hollow: p of 1 % or more)", ""
    )


def plot_cut_offs(losses):
    """Draw what cut-offs lose against the true number of labels: rows of panels are measures, columns corpora.

    losses is ``tables.losses``. A row is a classifier, a mark a cut-off, whiskers 95 % intervals over the runs of a
    classifier that has several.
    """
    corpora, models, measures = (list(dict.fromkeys(losses[name])) for name in ("corpus", "model", "measure"))
    size = (9.4, 0.9 + len(measures) * (0.5 + 0.26 * len(models)))
    axes = plt.subplots(len(measures), len(corpora), figsize=size, squeeze=False, sharex="col", sharey=True)[
        1
    ]
    for (row, measure), (at, corpus) in product(zip(axes, measures, strict=True), enumerate(corpora)):
        here = losses[(losses["corpus"] == corpus) & (losses["measure"] == measure)]
        for place, (name, look) in enumerate(CUT_OFF_LOOKS.items()):
            own = here[here["cutoff"] == name].set_index("model").reindex(models)
            rows = np.arange(len(models)) + 0.18 * (place - 1.5)
            half = own["half"].fillna(0)
            row[at].errorbar(own["mean"], rows, xerr=half, label=name, **MARK | look)
        row[at].axvline(0, color=INK, linewidth=0.8)
        row[at].grid(axis="y", visible=False)
        row[at].xaxis.set_major_locator(MaxNLocator(3))
        row[at].set_title(f"{displayed(corpus)}, {MEASURES[measure].heading}")
    axes[0, 0].set_yticks(range(len(models)), models)
    axes[0, 0].set_ylim(len(models) - 0.5, -0.5)
    plots.model_legend(axes)
    plots.explain(axes, f"{plots.INTERVALS} over runs on one test part; BR and PD Sparse: one run")
    return plots.label_grid(
        axes.ravel(), "F1 above that with the true number of labels, which nobody knows", ""
    )
