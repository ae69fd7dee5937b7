"""Drawings of Rubin et al. (2012) alone. Each returns an array of its axes, or the only one where it says so."""

import itertools
import re
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from scipy import stats

from polytopic.metrics import MEASURES, PIVOTS
from polytopic.study import bins, plots, result_tables
from polytopic.study.compare import half_width
from polytopic.study.looks import BLUE, GREEN, GREY, INK, NAVY, ORANGE, PALE, RUST, displayed
from polytopic.study.rubin2012 import relative
from polytopic.study.rubin2012.calibration import FEW
from polytopic.study.rubin2012.inference import EQ_12, FAST
from polytopic.study.rubin2012.relative import HERE, STUDY
from polytopic.study.rubin2012.systems import BOTH_WEIGHTS

FOUND_BY_PRINT = "both weights: a reading of the tuned SVM that we found by its agreement with print"
SOURCES = {relative.PAPER: "the paper's results", relative.OURS: "this study's results"}
HOLLOW = {"markerfacecolor": "white", "linestyle": "--"}
PAPER = {"marker": "D", "linestyle": "", "color": INK, "markerfacecolor": "white", "markersize": 4}
KINDS = {"own": BLUE, "borrowed": RUST, "general": NAVY, "peculiar": PALE}
MEANINGS = {  # of KINDS, by the test documents
    "own": "own: twice as common with the label as with any beside it",
    "borrowed": "borrowed: twice as common with a label beside it as without",
    "general": "general: neither, in a test document of the label",
    "peculiar": "peculiar: in no test document of the label",
}
TOPIC_PANELS = {
    "rare_places": "Rare labels among\nthe topics' top tens",
    "repeated": "Topics that share half\ntheir probability with another",
    "median_size": "Label tokens of the\nmedian topic",
    "coherence": "Coherence of topics\nin unseen documents",
}


def _row(n, margin, width, height, **options):
    return plt.subplots(1, n, figsize=(margin + width * n, height), squeeze=False, **options)[1][0]


def _legend(axes, handles=None, **options):
    """Draw the figure's legend, of what the axes show, of handles or of {meaning: colour}, and return the axes."""
    if isinstance(handles, dict):
        handles = [Patch(color=color, label=meaning) for meaning, color in handles.items()]
    elif handles is None:
        pairs = [pair for ax in axes.flat for pair in zip(*ax.get_legend_handles_labels(), strict=True)]
        handles = list({label: handle for handle, label in pairs}.values())
    look = {"loc": "outside upper center", "ncols": len(handles)} | options
    axes.flat[0].figure.legend(handles=handles, **look)
    return axes


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


def plot_relative(centred, statistic):
    """Draw models less their mean, corpora in the order of a statistic, as the paper has them: a panel per measure.

    centred is one or several of ``relative.centred``, put together. Ours is filled, the paper's hollow and dashed;
    the tuned SVM of both weights has no line.
    """
    look, across = plots.styles(centred["model"]), len(relative.COLUMNS) // 2
    look |= {model: look[model] | {"linestyle": ""} for model in look if model == BOTH_WEIGHTS}
    axes = plt.subplots(2, across, figsize=(0.6 + 2.5 * across, 6.0), squeeze=False, sharex=True)[1]
    amounts = centred.groupby("corpus")["amount"].mean().sort_values()
    places = dict(zip(amounts.index, range(len(amounts)), strict=True))
    for (cutoff, measure), ax in zip(relative.COLUMNS, axes.flat, strict=True):
        here = centred[(centred["cutoff"] == cutoff) & (centred["measure"] == measure)]
        for (source, model), line in here.groupby(["source", "model"], sort=False):
            hollow = HOLLOW if source == relative.PAPER else {"label": model}
            style = look[model] | hollow | {"markersize": 5, "linewidth": 1.1}
            ax.plot(line["corpus"].map(places), line["relative"], **style)
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.yaxis.set_major_locator(MaxNLocator(4))
        ax.set_title(" ".join(filter(None, [cutoff.upper(), MEASURES[measure].arrow])), fontsize=9)
        names = [f"{displayed(corpus)}, {float(f'{amount:.3g}'):,g}" for corpus, amount in amounts.items()]
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize=7)
    axes[0, 0].figure.supxlabel(f"Corpora in the order of their {statistic.replace('_', ' ')}", fontsize=9)
    axes[0, 0].figure.supylabel("Less the models' mean", fontsize=9)
    handles = [Line2D([], [], label=model, **look[model]) for model in look]
    handles += [
        Line2D([], [], color=INK, marker="o", label=SOURCES[source], **how)
        for source, how in ((relative.OURS, {}), (relative.PAPER, HOLLOW))
        if source in set(centred["source"])
    ]
    if BOTH_WEIGHTS in look:
        plots.explain(axes, FOUND_BY_PRINT)
    return _legend(axes, handles)


def plot_published(table):
    """Draw ``relative.beside`` or ``relative.published``: a panel per number, a row per model.

    Our values are filled, and the paper's of the same models hollow in the same rows; below, each other publication
    has a colour, and rows of its own.
    """
    numbers = table.replace({"–": "nan"}).map(lambda text: float(str(text).rstrip("*").replace(",", "")))
    publications, models = (table.index.get_level_values(level) for level in (0, 1))
    whose = np.where(publications.isin([HERE, STUDY]), HERE, publications)
    rows = list(dict.fromkeys(zip(whose, models, strict=True)))
    rows.sort(key=lambda row: row[0] != HERE)
    places = np.array([rows.index(row) for row in zip(whose, models, strict=True)])
    others = [one for one in publications.unique() if one not in (HERE, STUDY)]
    looks = {HERE: {"color": BLUE, "markerfacecolor": "white"}, STUDY: {"color": BLUE}}
    looks |= {one: {"color": color} for one, color in zip(others, (GREY, ORANGE, GREEN, RUST), strict=False)}
    looks = {one: look for one, look in looks.items() if one in set(publications)}
    axes = _row(table.shape[1], 1.9, 1.7, 1.0 + 0.19 * len(rows), sharey=True)
    for column, ax in zip(table.columns, axes, strict=True):
        for publication, look in looks.items():
            own = publications == publication
            mark = {"marker": "o", "linestyle": "", "markersize": 4.5, "label": publication}
            ax.plot(numbers.loc[own, column], places[own], **mark, **look)
        ax.set_title(column, fontsize=7)
        ax.xaxis.set_major_locator(MaxNLocator(3))
        ax.grid(axis="y", linewidth=0.4)
    axes[0].set_yticks(range(len(rows)), [model for _, model in rows], fontsize=7)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    return _legend(axes, ncols=2, fontsize=7)


def plot_best_counts(counts):
    """Draw ``relative.best_of_two`` as figure 13, a panel per corpus and reading of the tuned SVM.

    A bar is on how many measures a model is best of five; its number is above, in brackets the paper's, and a hollow
    mark stands there. Totals are in the title.
    """
    if counts.empty:
        return plots.nothing("No results to draw")
    read = (", " + counts["reading"]).where(counts["reading"] != "", "")
    counts = counts.assign(panel=counts["corpus"].map(displayed) + read)
    look, axes = plots.styles(counts["model"]), plots.panels(counts, "panel", width=3.4, height=2.5)
    tasks = [(pivot, task) for pivot in PIVOTS for task in result_tables.COLUMNS]
    for ax, table in plots.on_panels(axes, counts, "panel"):
        totals = table.groupby("model")[["best", "paper"]].sum(min_count=1).loc[list(look)]
        told = [
            " to ".join(f"{total:g}" for total in totals[name])
            for name in totals
            if totals[name].notna().all()
        ]
        ax.set_title(f"{ax.get_title()}\nin all {' (paper '.join(told)}{')' * (len(told) - 1)}", fontsize=8)
        for place, model in enumerate(look):
            own = table[table["model"] == model].set_index(["pivot", "task"]).reindex(tasks)
            where = np.arange(len(tasks)) + (place - (len(look) - 1) / 2) * 0.42
            ax.bar(where, own["best"], 0.36, color=look[model]["color"], label=model)
            if own["paper"].notna().any():
                ax.plot(where, own["paper"], label="the paper's count", clip_on=False, zorder=4, **PAPER)
            for x, row in zip(where, own.itertuples(), strict=True):
                text = f"{row.best:g}" + ("" if np.isnan(row.paper) else f" ({row.paper:g})")
                ax.text(x, np.nanmax([row.best, row.paper]) + 0.25, text, ha="center", fontsize=7)
        ax.set_xticks(range(len(tasks)), map("\n".join, tasks))
        ax.set_ylim(0, 1.2 * max(table["of"].max(), 1))
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.grid(axis="x", visible=False)
    plots.model_legend(axes)
    if counts["reading"].any():
        plots.explain(axes, FOUND_BY_PRINT)
    return plots.label_grid(axes, "", "Measures on which the model is best of five")


def plot_inference(curves):
    """Draw fast inference and the proper one of most label tokens against sweeps: means and bands over repeats.

    curves is ``inference.shown``; with milliseconds, as of ``inference.by_second``, its first measure is drawn
    against these too. It has the first row. Bands are 95 % intervals.
    """
    ways = [name for name in curves["inference"].unique() if not name.endswith(EQ_12)]
    pair, shown = [FAST, [name for name in ways if name != FAST][-1]], list(dict.fromkeys(curves["shown"]))
    look, figure = plots.styles(pair), plt.figure(figsize=(7.4, 5.0))
    grid = figure.add_gridspec(2, 6, height_ratios=(1.6, 1))
    across = {"sweeps": "Sweeps", "milliseconds": "Milliseconds a document and chain"}
    places = [(shown[0], name) for name in across if name in curves]
    cells = [grid[0, 6 * k // len(places) : 6 * (k + 1) // len(places)] for k in range(len(places))]
    places += [(measure, "sweeps") for measure in shown[1:]]
    cells += [grid[1, 3 * k : 3 * k + 3] for k in range(len(shown) - 1)]
    axes = np.array([figure.add_subplot(cell) for cell in cells])
    for ax, (measure, x) in zip(axes, places, strict=True):
        for way in pair:
            own = curves[(curves["shown"] == measure) & (curves["inference"] == way)]
            points = own.groupby(x)["value"].agg(["mean", "sem", "size"])
            reach = half_width(points["sem"], points["size"])
            ax.plot(points.index, points["mean"], label=way, markersize=4, **look[way])
            band = {"color": look[way]["color"], "alpha": 0.2, "linewidth": 0}
            ax.fill_between(points.index, points["mean"] - reach, points["mean"] + reach, **band)
        ax.set(xscale="log", xlabel=across[x], title=measure[0].upper() + measure[1:])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    plots.explain(axes, "bands: 95 % intervals over repeats")
    return _legend(axes)


def plot_reliability(curves):
    """Draw observed frequency against predicted probability, of bins of ``calibration.calibration`` by kind.

    Whiskers are exact 95 % intervals of a binomial share; a mark's area grows with the logarithm of its pairs. Bins
    of fewer than ``calibration.FEW`` pairs are left out.
    """
    shown = curves[curves["pairs"] >= FEW]
    axes, look = plots.panels(shown, "kind", width=3.3, height=3.2), plots.styles(curves["model"].unique())
    for ax, rows in plots.on_panels(axes, shown, "kind"):
        ax.axline((0, 0), (1, 1), color=INK, linewidth=0.8, linestyle="--")
        for model, line in rows.groupby("model", sort=False):
            color = look[model]["color"]
            tests = (
                stats.binomtest(round(r.found * r.pairs), r.pairs).proportion_ci() for r in line.itertuples()
            )
            reach = np.abs(np.array([(one.low, one.high) for one in tests]).T - line["found"].to_numpy())
            ax.errorbar(line["said"], line["found"], reach, linestyle="", elinewidth=0.8, color=color)
            ax.plot(
                line["said"], line["found"], label=model, linewidth=0.8, **look[model] | {"markersize": 3.5}
            )
            ax.scatter(
                line["said"], line["found"], 12 * np.log10(line["pairs"]) ** 2, color=color, alpha=0.35
            )
        ax.set(xlim=(0, 1), ylim=(0, 1))
    plots.label_grid(axes, "Predicted probability (shaded area: number of pairs, by its logarithm)", "")
    axes[0].figure.supylabel("Observed frequency", fontsize=9)
    plots.explain(axes, "whiskers: exact 95 % intervals")
    return _legend(axes)


def plot_chain_spread(spread):
    """Draw ``calibration.spread``: R-hat and effective samples against score and label frequency; filled if true.

    Lines join medians of fifths, whiskers are their quartiles; the dashed line is at an R-hat of 1.1.
    """
    axes = plt.subplots(2, 2, figsize=(7.6, 5.0), sharex="col", sharey="row")[1]
    columns = {"score": "Score", "frequency": "Training documents of the label"}
    places = itertools.product({"rhat": "R-hat", "ess": "Effective samples"}.items(), columns.items())
    fills = {"it has not": "white", "the document has the label": BLUE}
    for ax, ((y, y_label), (x, x_label)) in zip(axes.flat, places, strict=True):
        for is_true, (label, fill) in enumerate(fills.items()):
            rows = spread[spread["true"] == is_true]
            _dots(ax, rows[x], rows[y], markerfacecolor=fill, label=label, alpha=0.4)
            fifth = pd.qcut(rows[x].rank(method="first"), 5, labels=False)
            low, middle, high = (rows.groupby(fifth)[[x, y]].quantile(q) for q in (0.25, 0.5, 0.75))
            reach = middle[y] - low[y], high[y] - middle[y]
            look = {"color": NAVY if is_true else RUST, "marker": "s" if is_true else "o", "zorder": 5}
            ax.errorbar(middle[x], middle[y], reach, markersize=4, label=f"{label}, medians", **look)
        if y == "rhat":
            ax.axhline(1.1, color=INK, linewidth=0.8, linestyle="--", zorder=4, label="R-hat of 1.1")
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0)))
            ax.yaxis.set(major_formatter="{x:g}", minor_formatter=NullFormatter())
        ax.set(xscale="log", xlabel=x_label, ylabel=y_label)
        ax.label_outer()
    plots.explain(axes, "whiskers: quartiles")
    return _legend(axes, reverse=True, ncols=3)


def _dots(ax, x, y, **look):
    small = {"color": BLUE, "markerfacecolor": "white", "markersize": 2.5, "markeredgewidth": 0.4}
    ax.plot(x, y, "o", **small | look)


def plot_documents(documents, signals):
    """Draw average precision against what is known of ``calibration.documents`` beforehand: a panel per signal.

    signals: {column: name}. The line joins the means of fifths of the documents.
    """
    axes = _row(len(signals), 0.6, 2.6, 2.8, sharey=True)
    for ax, (column, name) in zip(axes, signals.items(), strict=True):
        _dots(ax, documents[column], documents["average_precision"])
        fifth = pd.qcut(documents[column].rank(method="first"), 5, labels=False)
        means = documents.groupby(fifth)[[column, "average_precision"]].mean()
        ax.plot(means[column], means["average_precision"], "o-", color=INK, markersize=4)
        ax.set_xlabel(f"{name[0].upper()}{name[1:]} (line: means of fifths)", fontsize=7)
        if column == "rhat":
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.xaxis.set(major_formatter="{x:g}", minor_formatter=NullFormatter())
    axes[0].set_ylabel("Average precision")
    return axes


def plot_gains(found):
    """Draw ``result_tables.gains`` as a map: a row per measure, a column per corpus and pair of models.

    A cell holds the gain in percent of the second model's value. Its colour is the gain over half of its 95 %
    interval over splits: beyond 1 to either side the interval leaves 0 out. Grey cells have none: there is one split,
    or all gain the same.
    """
    if found.empty:
        return plots.nothing("Nothing to compare")
    rows = list(dict.fromkeys(zip(found["pivot"], found["cutoff"], found["measure"], strict=True)))
    columns = list(dict.fromkeys(zip(found["corpus"], found["first"], found["second"], strict=True)))
    shape = len(rows), len(columns)
    percent, sure = np.full(shape, np.nan), np.full(shape, np.nan)
    for r in found.itertuples():
        place = rows.index((r.pivot, r.cutoff, r.measure)), columns.index((r.corpus, r.first, r.second))
        percent[place] = 100 * r.gain / abs(r.second_mean) if r.second_mean else np.nan
        half = (r.high - r.low) / 2
        sure[place] = r.gain / half if half > 0 else np.nan
    ax = plt.subplots(figsize=(2.6 + 0.98 * shape[1], 1.6 + 0.21 * shape[0]))[1]
    colors = plt.get_cmap("PuOr").with_extremes(bad="#E4E4E4")
    image = ax.imshow(sure, aspect="auto", cmap=colors, vmin=-4, vmax=4)
    for (row, column), value in np.ndenumerate(percent):
        dark = abs(np.nan_to_num(sure[row, column])) > 2.6
        text = "–" if np.isnan(value) else f"{value:+.1f}"
        ax.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    names = [" ".join(filter(None, [*cell[:2], MEASURES[cell[2]].heading])) for cell in rows]
    heads = [
        "\n".join(textwrap.fill(part, 17) for part in (displayed(corpus), f"{first} over", second))
        for corpus, first, second in columns
    ]
    ax.set_yticks(range(len(rows)), names, fontsize=7)
    ax.set_xticks(range(len(columns)), heads, fontsize=6)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(visible=False)
    bar = ax.figure.colorbar(image, ax=ax, extend="both", shrink=0.6, ticks=[-4, -1, 0, 1, 4])
    bar.set_label("Gain over half of its 95 % interval", fontsize=7)
    ax.set_xlabel(
        "Gain in percent of the other's value; grey: no interval (one split, or no spread)", fontsize=8
    )
    return np.array([ax])


def plot_top_words(kinds, document=()):
    """Draw the table "example" of ``words.kinds_of_words``: a panel per method, bars by weight, coloured by kind.

    At the left stands the training document, a list of words; the words of the other panels are coloured there too.
    """
    if kinds.empty:
        return plots.nothing("No label here has one training document,\nand beside it frequent labels alone")
    lengths = kinds["weight"] / kinds.groupby("method")["weight"].transform("max")
    bars = kinds.assign(title=kinds["method"], length=lengths, color=kinds["kind"].map(KINDS), bold=False)
    count, height = kinds["method"].nunique(), 1.1 + 0.21 * kinds["place"].max()
    shown = {MEANINGS[kind]: color for kind, color in KINDS.items() if kind in set(kinds["kind"])}
    if not len(document):
        axes = _row(count, 0.6, 2.5, height)
        return _legend(_lists(axes, bars.rename(columns={"word": "text"}), 2.1, 8), shown, ncols=2)
    size = {"figsize": (3.4 + 2.2 * count, height), "width_ratios": [1.3, *[1] * count]}
    axes = plt.subplots(1, 1 + count, **size)[1]
    colors = dict(zip(bars["word"], bars["color"], strict=True))
    one = kinds.iloc[0]
    _text(axes[0], document, {word: color for word, color in colors.items() if color != PALE})
    axes[0].set_title(
        f"{one['name']} ({one['training']:g} training document{'s' if one['training'] > 1 else ''})"
    )
    _lists(axes[1:], bars.rename(columns={"word": "text"}), 2.1, 8)
    return _legend(axes, shown, ncols=2)


def _text(ax, words, colors, across=44, most=15):
    """Write words in lines of so many letters at the most, each in its colour, those of ``colors`` bold."""
    ax.set(xlim=(0, across), ylim=(most + 1, 0), xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    lines = textwrap.wrap(" ".join(words), across)
    for line, text in enumerate(lines[:most], 1):
        at = 0
        for word in text.split():
            look = {"color": colors.get(word, INK), "fontweight": "bold" if word in colors else "normal"}
            ax.text(at, line, word, fontsize=6, family="DejaVu Sans Mono", va="center", **look)
            at += len(word) + 1
    if len(lines) > most:
        ax.text(0, most + 0.9, "…", fontsize=6, va="center")


def _lists(axes, bars, right, size):
    """Draw each ``title`` of bars as a list from the top down, texts of a size behind the bars up to ``right``."""
    for (title, rows), ax in zip(bars.groupby("title", sort=False), axes, strict=True):
        ax.barh(rows["place"], rows["length"], 0.85, color=rows["color"])
        ax.set(title=title, ylim=(rows["place"].max() + 0.6, 0.4), xlim=(0, right), xticks=[], yticks=[])
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        for row in rows.itertuples():
            style = {"color": row.color, "fontweight": "bold"} if row.bold else {}
            ax.text(1.04, row.place, row.text, va="center", fontsize=size, **style)
    return axes


def plot_kinds(means):
    """Draw ``words.mean_shares`` by method and training as stacked bars, a panel per training frequency."""
    if means.empty:
        return plots.nothing("No rare label here")
    methods = list(dict.fromkeys(means["method"]))
    axes = _row(means["training"].nunique(), 1.6, 1.5, 2.9, sharey=True)
    for (value, rows), ax in zip(means.groupby("training"), axes, strict=True):
        shares = rows.set_index("method").reindex(methods)
        base = shares[list(KINDS)].cumsum(axis=1).shift(1, axis=1, fill_value=0)
        for kind, color in KINDS.items():
            ax.bar(range(len(methods)), shares[kind], 0.75, base[kind], color=color)
        ax.set_xticks(range(len(methods)), [method.replace(" ", "\n") for method in methods], fontsize=6)
        documents = f"{value:g} document{'s' if value > 1 else ''}"
        ax.set_title(f"{documents}:\n{rows['labels'].max():.0f} labels", fontsize=8)
        ax.grid(axis="x", visible=False)
    axes[0].set(ylabel="Share of the top words", ylim=(0, 1))
    axes[0].figure.supxlabel("Labels with so many training documents", fontsize=8)
    return _legend(axes, {MEANINGS[kind]: color for kind, color in KINDS.items()}, ncols=2)


def plot_named(named):
    """Draw ``words.named``, a line per method, and dashed what chance would reach. Returns axes."""
    if named.empty:
        return plots.nothing("No label here is named by a word")
    ax, look = plt.subplots(figsize=(5.4, 3.0))[1], plots.styles(named["method"])
    for method, rows in named.groupby("method", sort=False):
        ax.plot(rows["bin"], rows["named"], label=method, **look[method])
        chance = {"color": look[method]["color"], "linestyle": "--", "linewidth": 1}
        ax.plot(rows["bin"], rows["chance"], label=f"{method}, by chance", **chance)
    each = named.drop_duplicates("bin")
    ax.set_xticks(each["bin"], bins.ranges(each))
    ax.set(ylim=(0, 1), xlabel="Training documents with the label")
    ax.set_ylabel("Labels with a word of their name\namong their top words")
    ax.figure.legend(loc="outside upper center", ncols=2)
    return ax


def plot_top_ten(ten, true, rare=5):
    """Draw what one document's labels are, and each model's first labels for it, bars as long as the score.

    ten and true are the tables of ``documents.documents`` of one document. At the left stand its labels, the rarest
    first, with their training documents and where each model ranks them. True labels are coloured, those with at most
    ``rare`` training documents by themselves. Bars begin at the model's least drawn score, or at 0 where scores are
    probabilities; a missing score has none.
    """
    is_true, by_model = ten["true"], ten.groupby("model")["score"]
    low = by_model.transform("min")
    low = low.where(ten["model"].str.contains("SVM"), low.clip(upper=0))
    reach = by_model.transform("max") - low
    bars = ten.assign(
        title=ten["model"],
        text=_shortened(ten["label"]),
        length=((ten["score"] - low) / reach.where(reach > 0, 1)).fillna(0),
        color=np.where(~is_true, PALE, np.where(ten["training"] <= rare, RUST, BLUE)),
        bold=is_true,
    )
    count = 1 + ten["model"].nunique()
    size = (0.4 + 2.6 * 3, 0.6 + -(-count // 3) * (0.3 + 0.19 * ten["place"].max()))
    axes = plt.subplots(-(-count // 3), 3, figsize=size)[1].ravel()
    for ax in axes[count:]:
        ax.remove()
    axes = axes[:count]
    _list_of_true(axes[0], true, rare)
    few = f"true label of at most {rare} training documents"
    meanings = {"true label": BLUE, few: RUST, "not a label of the document": PALE}
    _lists(axes[1:], bars, 3.4, 6.5)
    return _legend(axes, meanings, loc="outside lower center")


def _list_of_true(ax, true, rare):
    models = list(dict.fromkeys(true["model"]))
    ranks = true.pivot(index=["training", "label"], columns="model", values="rank")[models].sort_index()
    ax.set(
        title="Labels of the document", xlim=(0, 1), ylim=(2 * len(ranks) + 1.6, 0.4), xticks=[], yticks=[]
    )
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    names = _shortened(ranks.index.get_level_values("label").to_series())
    for place, ((training, _), row), name in zip(
        itertools.count(1, 2), ranks.iterrows(), names, strict=False
    ):
        color = RUST if training <= rare else BLUE
        ax.text(0, place, f"{name} ({training:g})", va="center", fontsize=7, color=color, fontweight="bold")
        told = ", ".join(f"{re.split('[- ]', model)[0]} {rank:g}" for model, rank in row.items())
        ax.text(0, place + 0.8, told, va="center", fontsize=5.5)
    ax.text(
        0, 2 * len(ranks) + 1.1, "(training documents), and its rank by each model", va="center", fontsize=6
    )


def _shortened(names):
    return names.map(lambda name: name if len(name) < 34 else f"{name[:32]}…")


def plot_by_number(means):
    """Draw what note 23 says of topics against their number, a panel per measure and a line per corpus.

    means is ``topics.mean_by_number`` with a column corpus. Beside the coherence a dashed line is that of
    topics whose labels are shuffled.
    """
    axes = _row(len(TOPIC_PANELS), 0.6, 2.35, 2.7)
    look = plots.styles(dict.fromkeys(means["corpus"]))
    ticks = sorted(means["n_topics"].unique())
    for (measure, title), ax in zip(TOPIC_PANELS.items(), axes, strict=True):
        for corpus, rows in means.groupby("corpus", sort=False):
            ax.plot(rows["n_topics"], rows[measure], label=displayed(corpus), markersize=4, **look[corpus])
            if measure == "coherence":
                ax.plot(rows["n_topics"], rows["dealt"], "--", color=look[corpus]["color"], linewidth=1)
        ax.set_xscale("log")
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=7)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(title, fontsize=8)
        if measure == "median_size":
            ax.set_yscale("log")
            ax.yaxis.set(major_formatter="{x:g}", minor_formatter=NullFormatter())
    axes[0].figure.supxlabel("Topics (dashed: labels shuffled among topics)", fontsize=8)
    return _legend(axes)
