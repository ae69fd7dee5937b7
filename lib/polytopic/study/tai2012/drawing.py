"""The figures of Tai & Lin (2012): curves against the number of dimensions, and the hypercube itself."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.tai2012 import tables
from polytopic.study.tai2012.experiments import LABEL_RANKING
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS

STYLES = {
    "PLST": {"color": "#0072B2", "marker": "o"},
    "PLST-Origin": {"color": "#56B4E9", "marker": "o", "linestyle": "--"},
    "PBR": {"color": "#D55E00", "marker": "s"},
    "PBR-Mean": {"color": "#E69F00", "marker": "s", "linestyle": "--"},
    "CS": {"color": "#009E73", "marker": "^"},
    "CS-BestVertex": {"color": "#CC79A7", "marker": "^", "linestyle": "--"},
    LABEL_RANKING: {"color": "#000000", "linestyle": "-."},
}
INK = plots.INK
NOTHING = {"color": INK, "linestyle": ":", "label": "no label predicted"}

# How far a Hamming loss may be off elsewhere: ten decisions of a partition of debtags, should rounding turn any.
# Rounding is another one on another processor. Model trees need it no more; whether others do has not been shown.
TURNED = 2e-5


def plot_curves(results, measures=("hamming_loss",), models=MAIN_MODELS, level_lines=None, zoom=False):
    """Draw measures against the number of dimensions: a row of panels per measure, a column per corpus.

    results has the columns of ``experiments.ridge``. Whiskers are one standard error over partitions to
    either side. In panels of the Hamming loss a dotted line stands for the prediction of no label. level_lines is a
    frame like results whose models are drawn as level lines, such as label ranking. With ``zoom`` the axis of
    the Hamming loss ends a little above the larger of that line and PLST's worst. Returns an array of axes.
    """
    corpora = list(dict.fromkeys(results["corpus"]))
    axes = _grid(len(measures), corpora, 1.2 + 2.3 * len(corpora), 0.9 + 2.05 * len(measures))
    for measure, row in zip(measures, axes, strict=True):
        levels = () if level_lines is None else _by_corpus(tables.means(level_lines, measure))
        for (corpus, block), ax in zip(_by_corpus(tables.means(results, measure)).items(), row, strict=True):
            for model in models:
                line = block[block["model"] == model]
                if len(line):
                    _draw_curve(ax, line, model)
            if corpus in levels:
                for model, level in levels[corpus].groupby("model"):
                    ax.axhline(level["mean"].iloc[0], label=model, linewidth=1.2, **_line_only(model))
            if measure == "hamming_loss":
                _draw_empty(ax, block, zoom)
            _dimension_axis(ax, block["n_dimensions"].max())
            ax.yaxis.set_major_locator(MaxNLocator(5))
        row[0].set_ylabel(MEASURES[measure].heading)
    for ax in axes[-1]:
        ax.set_xlabel("Dimensions M")
    _legend(axes)
    return axes


def _grid(rows, corpora, width, height):
    """Return an array of axes, a column for each corpus with its name above."""
    axes = plt.subplots(rows, len(corpora), figsize=(width, height), squeeze=False)[1]
    for corpus, ax in zip(corpora, axes[0], strict=True):
        ax.set_title(corpus)
    return axes


def _by_corpus(table):
    return dict(iter(table.groupby("corpus", sort=False)))


def _draw_curve(ax, line, model):
    error = line["standard_error"].fillna(0.0)
    ax.errorbar(
        line["n_dimensions"], line["mean"], yerr=error, label=model, markersize=3, linewidth=1.1,
        elinewidth=0.7, **STYLES[model],
    )  # fmt: skip


def _draw_empty(ax, block, zoom):
    empty = block.loc[block["model"] == EMPTY, "mean"]
    if not len(empty):
        return
    ax.axhline(empty.iloc[0], **NOTHING, linewidth=1.2)
    if zoom:
        shown = block[block["model"].isin(["PLST", EMPTY])]["mean"]
        room = shown.max() - block["mean"].min()
        ax.set_ylim(block["mean"].min() - 0.1 * room, shown.max() + 0.6 * room)


def _line_only(model):
    return {key: value for key, value in STYLES[model].items() if key != "marker"}


def _dimension_axis(ax, most):
    if most > 30:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def _legend(axes):
    found = {}
    for ax in axes.flat:
        handles, labels = ax.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    figure = axes.flat[0].figure
    columns = max(1, min(5, int(figure.get_figwidth() / 1.6)))
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns)


def plot_draws(draws):
    """Draw CS's Hamming loss under each draw of Hadamard rows, with the all-ones row and without it.

    draws has the columns of ``experiments.draws``. A mark is a draw's mean over partitions, its whiskers one standard
    error to either side. A grey line is the paper's loss where it has one, a dotted one the prediction of no label.
    Returns an array of axes.
    """
    by_corpus = _by_corpus(tables.of_draws(draws))
    axes = _grid(1, by_corpus, 1.2 + 2.2 * len(by_corpus), 2.9)
    looks = {True: ("with the all-ones row", "#D55E00", "s"), False: ("without it", "#009E73", "^")}
    paper = tables.draws_beside_paper(draws).groupby("corpus")["paper"].first()
    empty = draws.groupby("corpus")["empty_loss"].mean()
    for (corpus, block), ax in zip(by_corpus.items(), axes[0], strict=True):
        for is_ones, (label, color, marker) in looks.items():
            part = block[block["has_ones_row"] == is_ones]
            ax.errorbar(
                part["draw"], part["mean"], yerr=part["standard_error"].fillna(0.0), fmt=marker, color=color,
                markersize=3.5, elinewidth=0.7, label=label, linestyle="",
            )  # fmt: skip
        if paper.notna()[corpus]:
            ax.axhline(paper[corpus], color="#999999", linewidth=1.2, label="CS in the paper")
        ax.axhline(empty[corpus], **NOTHING)
        ax.set(title=f"{corpus}, M = {block['n_dimensions'].iloc[0]}", xlabel="Draw of rows")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes[0, 0].set_ylabel("Hamming loss of CS")
    _legend(axes)
    return axes


def plot_every_dimension(losses):
    """Draw PLST's Hamming loss less BR's at every number of dimensions, with the room that M* allows shaded.

    A dotted line is the prediction of no label; where it lies far above PLST the panel says how far instead.
    losses is ``experiments.every_dimension`` of one or several corpora. Returns an array of axes.
    """
    by_corpus = _by_corpus(tables.at_every_dimension(losses))
    axes = _grid(1, by_corpus, 1.2 + 2.3 * len(by_corpus), 2.9)
    for (corpus, block), ax in zip(by_corpus.items(), axes[0], strict=True):
        at, room = block["n_dimensions"], block["standard_error"] + block["full_error"]
        gap, empty = (block[name] - block["full_mean"] for name in ("mean", "empty_mean"))
        ax.fill_between(
            at, -room, room, color="#999999", alpha=0.35, linewidth=0, label="sum of standard errors"
        )
        ax.plot(at, gap, color=STYLES["PLST"]["color"], linewidth=1.2, label="PLST less BR")
        if empty.iloc[0] < 1.5 * gap.max():
            ax.axhline(empty.iloc[0], **NOTHING, linewidth=1.2)
        else:
            ax.set_title(f"no label predicted: {empty.iloc[0]:+.2g}", loc="right", fontsize="x-small", y=0.9)
        star = tables.smallest_as_good(losses[losses["corpus"] == corpus])
        if np.isfinite(star):
            ax.axvline(star, color="#D55E00", linestyle="--", linewidth=1, label="M*")
        ax.set(title=f"{corpus}, M* = {star:g}", xlabel="Dimensions M")
        _dimension_axis(ax, at.max())
    axes[0, 0].set_ylabel("Hamming loss")
    _legend(axes)
    return axes


def plot_hypercube(lessons):
    """Draw label sets of three labels as vertices of a cube, with the flat through them: one panel per lesson.

    lessons maps titles to (vertices (D, 3), code): occupied vertices are filled, each is joined to its place on the
    code's flat, a line or a plane. Returns an array of axes.
    """
    figure = plt.figure(figsize=(0.6 + 2.7 * len(lessons), 3.3))
    axes = []
    for place, (title, (occupied, code)) in enumerate(lessons.items(), 1):
        ax = figure.add_subplot(1, len(lessons), place, projection="3d")
        _draw_cube(ax)
        _draw_flat(ax, code)
        landed = code.decode(code.encode(occupied))
        for vertex, point in zip(occupied, landed, strict=True):
            ax.plot(*np.transpose([vertex, point]), color="#D55E00", linewidth=1.2)
        ax.plot(*np.transpose(occupied), "o", color="#0072B2", markersize=6, linestyle="")
        ax.plot(*np.transpose(landed), "x", color="#D55E00", markersize=5, linestyle="")
        ax.set_title(title, fontsize="small")
        axes.append(ax)
    return np.array(axes)


def _draw_cube(ax):
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    for a, b in itertools.combinations(corners, 2):
        if np.abs(a - b).sum() == 1:
            ax.plot(*np.transpose([a, b]), color="#BBBBBB", linewidth=0.8)
    for corner in corners:
        ax.text(
            *(corner + 0.09 * (corner - 0.5)), "".join(map(str, corner)), fontsize=6, ha="center", color=INK
        )
    ax.set(xlim=(-0.15, 1.15), ylim=(-0.15, 1.15), zlim=(-0.15, 1.15))
    ax.set_axis_off()
    ax.set_box_aspect((1, 1, 1), zoom=1.1)
    ax.view_init(elev=18, azim=-58)


def _draw_flat(ax, code):
    reach = np.array([-0.8, 0.8])
    if len(code.projection) == 1:
        line = code.decode(1.3 * reach[:, None])
        ax.plot(*line.T, color="#009E73", linewidth=1.5)
    elif len(code.projection) == 2:
        first, second = np.meshgrid(reach, reach)
        plane = code.decode(np.column_stack([first.ravel(), second.ravel()])).T.reshape(3, 2, 2)
        ax.plot_surface(*plane, color="#009E73", alpha=0.25, linewidth=0, shade=False)


def plot_bars(table, x, y, by, ylabel):
    """Draw grouped bars: a group per value of ``x``, a bar per value of ``by``. Returns axes."""
    groups, members = list(dict.fromkeys(table[x])), list(dict.fromkeys(table[by]))
    ax = plt.subplots(figsize=(1.6 + 0.35 * len(groups) * len(members), 2.9))[1]
    for place, member in enumerate(members):
        heights = table[table[by] == member].set_index(x)[y].reindex(groups)
        shift = (place - (len(members) - 1) / 2) * 0.8 / len(members)
        ax.bar(np.arange(len(groups)) + shift, heights, 0.72 / len(members), label=str(member))
    ax.set_xticks(range(len(groups)), groups)
    ax.set_ylabel(ylabel)
    ax.grid(axis="x", visible=False)
    _legend(np.array([[ax]]))
    return ax


def plot_choice(choice):
    """Draw Theorem 1's two terms, their sum and the Hamming loss on held-out documents, and what each rule chooses.

    choice is ``choice.held_out``. Returns an array of axes.
    """
    axes = plt.subplots(1, 2, figsize=(7.4, 3.1), squeeze=False)[1]
    curve = choice["curve"]
    at = curve["n_dimensions"]
    for column, color in {
        "prediction_error": "#D55E00",
        "encoding_error": "#0072B2",
        "bound": "#000000",
    }.items():
        axes[0, 0].plot(at, curve[column], color=color, label=column.replace("_", " "), linewidth=1.3)
    axes[0, 0].set_ylabel("Theorem 1, held out")
    axes[0, 1].plot(at, curve["hamming_loss"], color="#009E73", label="Hamming loss", linewidth=1.3)
    axes[0, 1].axhline(curve["empty_loss"].iloc[0], **NOTHING)
    axes[0, 1].set_ylabel("Hamming loss, held out")
    for ax in axes[0]:
        for row, style in zip(choice["chosen"].itertuples(), ("--", "-.", (0, (1, 1))), strict=False):
            ax.axvline(
                row.n_dimensions, color="#999999", linestyle=style, linewidth=1, label=f"rule: {row.rule}"
            )
        ax.set_xlabel("Dimensions M")
        ax.set_xscale("symlog", linthresh=10)
        ax.set_xlim(0, None)
        ax.xaxis.set_major_formatter("{x:g}")
    _legend(axes)
    return axes


def plot_choices(choices):
    """Draw what each rule chose on each partition, a panel per corpus. Returns an array of axes."""
    by_corpus = _by_corpus(choices)
    axes = _grid(1, by_corpus, 1.0 + 2.1 * len(by_corpus), 2.7)
    for block, ax in zip(by_corpus.values(), axes[0], strict=True):
        rules = dict(iter(block.groupby("rule", sort=False)["n_dimensions"]))
        for place, chosen in enumerate(rules.values()):
            spread = np.linspace(-0.25, 0.25, len(chosen)) if len(chosen) > 1 else 0.0
            ax.plot(place + spread, chosen, "o", color="#0072B2", markersize=3.5, alpha=0.7, linestyle="")
        ax.set_xticks(range(len(rules)), rules)
        ax.set(xlim=(-0.6, len(rules) - 0.4), ylim=(0, None))
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0, 0].set_ylabel("Dimensions chosen")
    return axes


def plot_kept(kept):
    """Draw the share of a label's variance that the directions keep, by bin of training frequency, a line per M.

    kept is the table "kept" of ``rare_labels.rare_labels``. Returns axes.
    """
    ax = plt.subplots(figsize=(5.2, 3.1))[1]
    levels = sorted(kept["n_dimensions"].unique())
    for shade, m in zip(np.linspace(0.35, 1.0, len(levels)), levels, strict=True):
        line = kept[kept["n_dimensions"] == m]
        ax.plot(
            line["bin"], line["share"], "o-", color="#0072B2", alpha=shade, markersize=4, label=f"M = {m}"
        )
    first = kept[kept["n_dimensions"] == levels[0]]
    texts = [f"{a:g}" if a == b else f"{a:g}–{b:g}" for a, b in zip(first["low"], first["high"], strict=True)]
    ax.set_xticks(first["bin"], texts)
    ax.set_xlabel("Training documents with the label")
    ax.set_ylabel("Share of variance kept")
    _legend(np.array([[ax]]))
    return ax
