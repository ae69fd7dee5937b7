"""Tidy tables drawn with matplotlib, and figures saved with the numbers that they show.

Every ``plot_`` function takes a frame from ``tables`` and returns matplotlib axes: one, or an array of small
multiples. ``save`` writes them. Importing this module sets matplotlib's style to that of the study.
"""

import io
import itertools
import json
import math
import numbers
import os
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullFormatter

from polytopic import paths, tables
from polytopic.files import write_whole

CHECK = "POLYTOPIC_CHECK_FIGURES"
SIGNIFICANT_DIGITS = 8
TOLERANCE = 1e-6
MODEL_STYLE = {  # Okabe and Ito's colours, told apart with any common colour blindness
    "Dependency-LDA": {"color": "#0072B2", "marker": "o"},
    "Prior-LDA": {"color": "#56B4E9", "marker": "s"},
    "Flat-LDA": {"color": "#009E73", "marker": "D"},
    "Tuned SVM": {"color": "#D55E00", "marker": "^"},
    "Vanilla SVM": {"color": "#E69F00", "marker": "v"},
}
SPARE_STYLE = [
    {"color": color, "marker": marker}
    for marker, color in itertools.product("PX*<>", ("#CC79A7", "#000000", "#999999"))
]
UNITS = {"one_error": "percent", "is_error": "percent", "ranking_loss": "percent", "margin": "ranks"}
INK = "#444444"

plt.style.use(["default", str(Path(__file__).with_name("style.mplstyle"))])


def styles(models):
    """Return {model: colour and marker}: fixed for a known model, a spare one for any other as it comes."""
    spare = itertools.cycle(SPARE_STYLE)
    return {model: MODEL_STYLE.get(model) or next(spare) for model in tables.in_order(models)}


# What the corpora are like


def plot_label_frequency(frequencies, scale="auto"):
    """Draw how many labels have each number of documents, one panel per corpus, the median dashed.

    frequencies is one or several ``tables.label_frequencies``, put together. ``scale`` is "log" for both
    axes, "linear", or "auto": linear for a corpus in which no three labels share a frequency, as in the
    lower half of Rubin et al. (2012), figure 1. Returns an array of axes.
    """
    if scale not in ("auto", "log", "linear"):
        raise ValueError(f"unknown scale {scale!r}: choose from auto, log, linear")
    axes = _panels(frequencies, "corpus")
    for ax, (corpus, table) in zip(axes, frequencies.groupby("corpus", sort=False), strict=True):
        is_log = scale == "log" or (scale == "auto" and table["labels"].max() > 2)
        if is_log:
            ax.plot(
                table["frequency"],
                table["labels"],
                "o",
                color=INK,
                markersize=3,
                alpha=0.6,
                markeredgewidth=0,
            )
            _log_scale(ax, table["frequency"].max(), table["labels"].max())
        else:
            ax.vlines(table["frequency"], 0, table["labels"], color=INK, linewidth=1.2)
            ax.set(xlim=(0, None), ylim=(0, table["labels"].max() * 1.3))
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
            ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        _median(ax, table["frequency"], table["labels"])
        ax.set_title(corpus)
    _label_grid(axes, "Documents with the label", "Number of labels")
    return axes


def plot_labels_per_document(sizes):
    """Draw how many documents have each number of labels, one panel per corpus, the median dashed.

    sizes is one or several ``tables.labels_per_document``, put together. Rubin et al. (2012), figure 2.
    Returns an array of axes.
    """
    axes = _panels(sizes, "corpus")
    for ax, (corpus, table) in zip(axes, sizes.groupby("corpus", sort=False), strict=True):
        ax.bar(table["labels"], table["documents"], width=0.8, color="#7A7A7A")
        ax.set_ylim(0, table["documents"].max() * 1.25)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        _median(ax, table["labels"], table["documents"])
        ax.set_title(corpus)
    _label_grid(axes, "Labels of a document", "Number of documents")
    return axes


def _log_scale(ax, right, top):
    """Make both axes logarithmic from 1 to at least 10, with plain numbers at the powers of ten only."""
    ax.set(xscale="log", yscale="log", xlim=(0.7, max(14, 1.4 * right)), ylim=(0.7, max(14, 1.4 * top)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())


def _median(ax, values, times):
    median = np.median(np.repeat(values, times))
    ax.axvline(median, ymax=0.82, color="#D55E00", linestyle="--", linewidth=1, label=f"median {median:g}")
    ax.legend(loc="upper right", handlelength=1.2)  # above the line's end


# Results


def plot_result_table(results, pivot, task="ranking"):
    """Draw a result table: a row of panels per corpus, a panel per measure, a dot per model.

    results has the columns of ``experiments.measures``. Whiskers reach one standard deviation over splits to
    either side; there are none for a single split. Returns an array of axes, corpora x measures.

    Rubin et al. (2012), figures 6, 7, 10 and 11.
    """
    cells = tables.of_task(tables.spread(results), pivot, task)
    axes = _measure_grid(cells, task, styles(cells["model"]), _draw_ours)
    if (cells["sd"] > 0).any():
        _kind_legend(axes, [_kind("mean, and one sd over splits to either side")])
    return axes


def plot_beside_paper(comparison, pivot, task="ranking"):
    """Draw ours beside the paper's: a filled marker for ours joined to a hollow one for the paper's.

    comparison is ``tables.beside_paper``. Whiskers reach two standard deviations over splits to either side,
    as in the table's rule; there are none for a single split. Returns an array of axes, corpora x measures;
    a single empty one, which says so, when there is nothing to compare.
    """
    cells = tables.of_task(comparison.rename(columns={"ours": "mean"}), pivot, task).sort_values("corpus")
    if cells.empty:
        return _nothing("Nothing to compare: the paper has no results on this corpus")
    axes = _measure_grid(cells, task, styles(cells["model"]), _draw_pair, row_height=0.27)
    whiskers = ", and two sd over splits to either side" if (cells["sd"] > 0).any() else ""
    _kind_legend(axes, [_kind(f"ours{whiskers}"), _kind("paper", markerfacecolor="white")])
    return axes


def _kind(label, **options):
    return Line2D([], [], color=INK, marker="o", linestyle="", label=label, **options)


def _kind_legend(axes, kinds):
    axes.flat[0].figure.legend(handles=kinds, loc="outside lower right", ncols=len(kinds))


def _measure_grid(cells, task, look, draw, row_height=0.2):
    if cells.empty:
        return _nothing("No results to draw")
    corpora, columns = list(dict.fromkeys(cells["corpus"])), tables.COLUMNS[task]
    size = (1.7 + 1.35 * len(columns), 0.75 + len(corpora) * max(1.5, 0.45 + row_height * len(look)))
    axes = plt.subplots(len(corpora), len(columns), figsize=size, squeeze=False, sharey="row")[1]
    for corpus, row in zip(corpora, axes, strict=True):
        for (cutoff, measure), ax in zip(columns, row, strict=True):
            here = (cells["corpus"] == corpus) & (cells["cutoff"] == cutoff) & (cells["measure"] == measure)
            _draw_models(ax, cells[here].set_index("model"), look, draw)
        row[0].set_yticks(range(len(look)), list(look))
        row[0].set_ylim(len(look) - 0.5, -0.5)
        row[-1].yaxis.set_label_position("right")
        row[-1].set_ylabel(_wrapped(corpus), rotation=270, va="bottom", fontsize="small")
    for (cutoff, measure), top, bottom in zip(columns, axes[0], axes[-1], strict=True):
        top.set_title("\n".join(filter(None, [cutoff.upper(), tables.heading(measure)])))
        bottom.set_xlabel(UNITS.get(measure, "from 0 to 1"))
    return axes


def _draw_models(ax, rows, look, draw):
    for place, (model, style) in enumerate(look.items()):
        if model in rows.index:
            draw(ax, place, rows.loc[model], style, model)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.15)
    ax.xaxis.set_major_locator(MaxNLocator(2, min_n_ticks=2))


def _draw_ours(ax, place, row, style, model, deviations=1):
    whisker = deviations * row["sd"] if row["sd"] > 0 else None
    ax.errorbar(row["mean"], place, xerr=whisker, linestyle="", label=model, capsize=2, zorder=3, **style)


def _draw_pair(ax, place, row, style, model):
    above, below = place - 0.17, place + 0.17
    ax.plot([row["mean"], row["paper"]], [above, below], color=style["color"], linewidth=0.8, zorder=2)
    _draw_ours(ax, above, row, style, model, deviations=2)
    ax.plot(
        row["paper"],
        below,
        linestyle="",
        markerfacecolor="white",
        zorder=4,
        label=f"{model} (paper)",
        **style,
    )


def _wrapped(corpus):
    """Break a long corpus name into two lines, at the separator nearest to its middle."""
    breaks = [i for i, letter in enumerate(corpus) if letter in "_-"] if len(corpus) > 18 else []
    if not breaks:
        return corpus
    middle = min(breaks, key=lambda i: abs(2 * i - len(corpus)))
    return f"{corpus[: middle + 1]}\n{corpus[middle + 1 :]}"


# Summaries


def plot_best_counts(counts):
    """Draw on how many measures each model is best, a panel per corpus and a group of bars per task.

    counts is ``tables.best_counts``. Rubin et al. (2012), figure 13. Returns an array of axes.
    """
    if counts.empty:
        return _nothing("No results to draw")
    look = styles(counts["model"])
    axes = _panels(counts, "corpus", width=3.4)
    tasks = [(pivot, task) for pivot in tables.PIVOTS for task in tables.COLUMNS]
    for ax, (corpus, table) in zip(axes, counts.groupby("corpus", sort=False), strict=True):
        best = table.set_index(["model", "pivot", "task"])["best"]
        for place, (model, style) in enumerate(look.items()):
            heights = [best.get((model, *task), 0) for task in tasks]
            shift = (place - (len(look) - 1) / 2) * 0.8 / len(look)
            where = np.arange(len(tasks)) + shift
            ax.bar(where, heights, 0.72 / len(look), color=style["color"], label=model)
        ax.set_xticks(range(len(tasks)), [f"{pivot}\n{task}" for pivot, task in tasks])
        ax.set_ylim(0, max(table["of"].max(), 1))
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.grid(axis="x", visible=False)
        ax.set_title(corpus)
    _label_grid(axes, "", "Measures won")
    _model_legend(axes)
    return axes


def plot_quintiles(means, tests=None, level=0.05):
    """Draw mean average precision per bin of training frequency, a panel per corpus and a line per model.

    means is ``tables.quintiles``. With ``tests`` from ``tables.quintile_tests`` a ring stands around both
    models wherever p < ``level``; with tests of several models against one, around those models only.
    Rubin et al. (2012), figure 12. Returns an array of axes.
    """
    if means.empty:
        return _nothing("No results to draw")
    look = styles(means["model"])
    axes = _panels(means, "corpus", width=3.4)
    for ax, (corpus, table) in zip(axes, means.groupby("corpus", sort=False), strict=True):
        for model, line in table.groupby("model", sort=False):
            ax.plot(line["bin"], line["average_precision"], label=model, **look[model])
        if tests is not None:
            rings = tests[(tests["corpus"] == corpus) & (tests["p"] < level)]
            _draw_rings(ax, table, tests, rings, level)
        ranges = table.drop_duplicates("bin").sort_values("bin")
        texts = [
            f"{a:g}" if a == b else f"{a:g}–{b:g}" for a, b in zip(ranges["low"], ranges["high"], strict=True)
        ]
        ax.set_xticks(ranges["bin"], texts)
        ax.tick_params(axis="x", labelsize=7)
        ax.set_xlim(0.6, ranges["bin"].max() + 0.4)
        ax.margins(y=0.12)
        ax.set_title(corpus)
    meaning = "" if tests is None or tests.empty else f"\n({_ring_meaning(tests, level)})"
    _label_grid(axes, f"Training documents with the label{meaning}", "Mean average precision")
    _model_legend(axes)
    return axes


def _sides(tests):
    """Return which models of a test are ringed: with several firsts a ring around the second is ambiguous."""
    return ("first", "second") if tests["first"].nunique() < 2 else ("first",)


def _ring_meaning(tests, level):
    against = "" if len(_sides(tests)) == 2 else f" against {' and '.join(tests['second'].unique())}"
    return f"rings: p < {level:g}{against}, paired t-test"


def _draw_rings(ax, means, tests, rings, level):
    both = pd.concat([rings.assign(model=rings[side]) for side in _sides(tests)])
    points = both.merge(means[["bin", "model", "average_precision"]], on=["bin", "model"])
    if len(points):
        ring = _ring()
        ring.set_data(points["bin"], points["average_precision"])
        ring.set_label(f"p < {level:g}")
        ax.add_line(ring)


def _ring():
    ring = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgecolor": INK}
    return Line2D([], [], linestyle="", **ring)


# Small multiples


def _panels(frame, by, width=2.6, height=2.2):
    """Return a flat array of axes, one per value of ``by``, at most four in a row."""
    if frame.empty:
        raise ValueError("there is nothing to draw: the table has no rows")
    count = frame[by].nunique()
    across = min(count, max(1, int(10.5 // width)))
    down = math.ceil(count / across)
    size = (max(across * width, 3.6) + 0.4, down * height + 0.6)
    axes = plt.subplots(down, across, figsize=size, squeeze=False)[1]
    for ax in axes.flat[count:]:
        ax.remove()
    return axes.ravel()[:count]


def _label_grid(axes, x, y):
    axes[0].figure.supxlabel(x, fontsize=plt.rcParams["axes.labelsize"])
    axes[0].figure.supylabel(y, fontsize=plt.rcParams["axes.labelsize"])


def _model_legend(axes):
    handles = axes[0].get_legend_handles_labels()
    shown = {label: handle for handle, label in zip(*handles, strict=True) if not label.startswith("p < ")}
    figure = axes[0].figure
    across = max(1, int(figure.get_figwidth() // 1.6))
    figure.legend(handles=list(shown.values()), loc="outside upper center", ncols=across)


def _nothing(text):
    ax = plt.subplots(figsize=(6.4, 1.0))[1]
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center")
    return np.array([[ax]])


# Saving


def save(figure, name, data, title=None):
    """Write ``name``.png, .svg and .json into the folder of figures, show the figure and close it.

    figure may be a Figure, axes, or an array of axes. data holds the numbers drawn: a frame, or a mapping of
    names to frames. The json keeps them as records with eight significant digits, a missing number as null.
    The same figure always gives the same bytes. Each file is written beside its place and renamed.

    With $POLYTOPIC_CHECK_FIGURES=1 nothing is written: the numbers are compared with those in the
    repository's ``figures``, to a relative 1e-6, and AssertionError names the first that differs, or says
    how to make a file that is missing. In a notebook the figure is shown once, whichever way.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(f"a figure's name is made of a-z, 0-9, - and _, got {name!r}")
    figure = _figure_of(figure)
    content = {"name": name} | ({"title": title} if title else {}) | {"data": _records(data)}
    if os.environ.get(CHECK) == "1":
        _compare_with_stored(content, name)
    else:
        folder = paths.figures()
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{name}.png", _drawn(figure, "png"))
        write_whole(folder / f"{name}.svg", _drawn(figure, "svg"))
        write_whole(folder / f"{name}.json", _as_json(content))
    if _in_notebook() and not _shown_already(figure):
        _show(_drawn(figure, "png"))
    plt.close(figure)


def _figure_of(drawing):
    if isinstance(drawing, np.ndarray):
        drawing = drawing.flat[0]
    return getattr(drawing, "figure", drawing)


def _drawn(figure, kind):
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, metadata=metadata[kind])
    return stream.getvalue()


def _as_json(content):
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _records(data):
    if isinstance(data, pd.DataFrame):
        return [{str(k): _plain_value(v) for k, v in row.items()} for row in data.to_dict("records")]
    return {str(part): _records(frame) for part, frame in data.items()}


def _plain_value(value):
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return _rounded(float(value))
    return str(value)


def _rounded(value):
    if math.isnan(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else str(value)


def _compare_with_stored(content, name):
    path = paths.root() / "figures" / f"{name}.json"
    if not path.is_file():
        raise AssertionError(f"{path} is missing: make it with `polytopic figures` and commit it")
    stored = json.loads(path.read_text(encoding="utf-8"))
    fault = _first_difference(stored, json.loads(_as_json(content)), "")
    if fault:
        raise AssertionError(
            f"{path.name}: {fault}; if the change is meant, make it again with `polytopic figures`"
        )


def _first_difference(stored, now, place):
    """Return where two JSON values first differ, in words, or None."""
    if isinstance(stored, dict) and isinstance(now, dict):
        if stored.keys() != now.keys():
            return f"{place or 'the file'} has {sorted(stored)} stored, {sorted(now)} now"
        pairs = ((stored[key], now[key], f"{place}.{key}".lstrip(".")) for key in stored)
    elif isinstance(stored, list) and isinstance(now, list):
        if len(stored) != len(now):
            return f"{place} has {len(stored)} entries stored, {len(now)} now"
        pairs = ((a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(stored, now, strict=True)))
    else:
        return None if _same(stored, now) else f"{place} is {stored!r} stored, {now!r} now"
    return next(filter(None, (_first_difference(*pair) for pair in pairs)), None)


def _same(a, b):
    if any(isinstance(x, bool) or not isinstance(x, numbers.Real) for x in (a, b)):
        return a == b and isinstance(a, bool) == isinstance(b, bool)
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12)


def _in_notebook():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def _shown_already(figure):
    """Tell whether pyplot made the figure and has let it go, as a notebook does at the end of a cell."""
    number = getattr(figure, "number", None)
    return number is not None and not plt.fignum_exists(number)


def _show(png):
    from IPython.display import Image, display

    display(Image(data=png, format="png"))
