"""The figures of Tai & Lin (2012). Each function returns an array of axes unless it says otherwise."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study import plots
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREEN, GREY, INK, LOOKS, ORANGE, PALE, RUST, displayed
from polytopic.study.tai2012 import tables
from polytopic.study.tai2012.protocol import EMPTY, MAIN_MODELS, STARS

CASES = [
    {"color": color, "marker": mark} for color, mark in zip((BLUE, GREEN, RUST, ORANGE), "osDv", strict=True)
]
REACH = np.array([-0.8, 0.8])  # of a flat from its point of reference
HEADINGS = {"encoding_error": "Encoding error,\n4/K × squared distance"}  # where a measure's own is too short
PRINTED = {"marker": "x", "markersize": 6, "markeredgewidth": 1.4, "linestyle": "", "zorder": 4}
FULL = {"BR": "PBR"}  # which is binary relevance where no label is left out
NOTHING = {"color": INK, "linestyle": ":", "label": "no label predicted"}

# How far a Hamming loss may be off elsewhere: ten decisions of a partition of debtags, should rounding turn any.
# Rounding is another one on another processor. Model trees need it no more; whether others do has not been shown.
TURNED = 2e-5


def plot_curves(
    results,
    measures=("hamming_loss",),
    models=MAIN_MODELS,
    level_lines=None,
    zoom=False,
    in_print=None,
    theirs=tuple(STARS),
    n_labels=None,
):
    """Draw measures against the number of dimensions: a row of panels per measure, a column per corpus.

    results has the columns of ``experiments.ridge``. Whiskers are 95 % intervals over partitions, no farther than a
    measure reaches.
    In panels of the Hamming loss a dotted line stands for the prediction of no label, and with ``zoom`` their axis
    ends a little above the larger of that and PLST's worst; how far a model goes beyond is written there. level_lines
    is a frame like results whose models are drawn as level lines, such as label ranking. in_print is
    ``tables.star_in_print``: crosses in a method's colour stand where the paper prints its Hamming loss. theirs are
    the sets that the paper's figure has, of which the missing ones are named. n_labels maps corpora that the paper
    has not to their numbers of labels: where results end at fewer dimensions the axis says so.
    """
    corpora = list(dict.fromkeys(results["corpus"]))
    size = (1.2 + 2.3 * len(corpora), 0.9 + 2.05 * len(measures))
    axes = plt.subplots(len(measures), len(corpora), figsize=size, squeeze=False)[1]
    for measure, panels in zip(measures, axes, strict=True):
        means = tables.means(results, measure)
        levels = means[:0] if level_lines is None else tables.means(level_lines, measure)
        for (corpus, block), ax in zip(means.groupby("corpus", sort=False), panels, strict=True):
            top = np.inf
            if measure == "hamming_loss" and zoom:
                low, high = block["mean"].min(), block.loc[block["model"].isin(["PLST", EMPTY]), "mean"].max()
                top = high + 0.6 * (high - low)
                if high > low:
                    ax.set_ylim(low - 0.1 * (high - low), top)
            for model, line in block[block["model"].isin(models)].groupby("model", sort=False):
                shown = line.assign(standard_error=line["standard_error"].where(line["mean"] < top))
                look = {"linewidth": 1.1, "label": model} | LOOKS[model]
                _draw_means(ax, line["n_dimensions"], shown, measure, **look)
            drawn = block[block["model"].isin(models)]
            plots.name_doubles(ax, drawn.pivot(index="n_dimensions", columns="model", values="mean"))
            _name_beyond(ax, drawn, top)
            if measure == "hamming_loss" and in_print is not None:
                ax.plot([], [], color=INK, label="in print, in its method's colour", **PRINTED)
                for row in in_print[in_print["corpus"] == corpus].itertuples():
                    color = LOOKS[FULL.get(row.model, row.model)]["color"]
                    ax.plot(row.n_dimensions, row.value, color=color, **PRINTED)
            for level in levels[levels["corpus"] == corpus].itertuples():
                ax.axhline(level.mean, label=level.model, linewidth=1.2, **LOOKS[level.model])
            if measure == "hamming_loss":
                ax.axhline(block.loc[block["model"] == EMPTY, "mean"].iloc[0], **NOTHING, linewidth=1.2)
            _dimension_axis(ax, block["n_dimensions"].max())
            ax.yaxis.set_major_locator(MaxNLocator(5))
        panels[0].set_ylabel(HEADINGS.get(measure, MEASURES[measure].heading))
    for corpus, top, bottom in zip(corpora, axes[0], axes[-1], strict=True):
        top.set_title(displayed(corpus))
        reach = means.loc[(means["corpus"] == corpus) & means["model"].isin(models), "n_dimensions"].max()
        labels = (tables.N_LABELS | (n_labels or {})).get(corpus, reach)
        bottom.set_xlabel("Dimensions M" + (f", to {reach} of {labels}" if reach < labels else ""))
    plots.model_legend(axes)
    _explain(axes, corpora, theirs)
    return axes


def _explain(axes, corpora, theirs=tuple(STARS)):
    """Say what the whiskers are, and which of the paper's sets are missing beside those that are drawn."""
    missing = [name for name in theirs if name not in corpora] if set(corpora) & set(theirs) else []
    without = f"  ·  {' and '.join(missing)} not available" if missing else ""
    plots.explain(axes, plots.INTERVALS + without)


def _name_beyond(ax, means, top):
    """Write at the top of a panel how far the models go that leave it."""
    most = means.groupby("model", sort=False)["mean"].max()
    for place, (model, worst) in enumerate(most[most > top].items()):
        at = {"transform": ax.transAxes, "ha": "right", "va": "top", "fontsize": 6.5, "zorder": 5}
        at["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        ax.text(0.98, 0.98 - 0.075 * place, f"↑ {model} to {worst:.3g}", color=INK, **at)


def _draw_means(ax, at, table, measure, **style):
    error = half_width(table["standard_error"], table["partitions"]).fillna(0.0)
    most = plots.MOST.get(MEASURES[measure].unit, np.inf)
    whiskers = [np.minimum(error, table["mean"]), np.minimum(error, most - table["mean"])]
    ax.errorbar(at, table["mean"], whiskers, markersize=3, elinewidth=0.7, **style)


def _dimension_axis(ax, most):
    if most > 30:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def plot_draws(draws):
    """Draw CS's Hamming loss under each draw of Hadamard rows, with the all-ones row and without it.

    draws has the columns of ``experiments.draws``. A mark is a draw's mean over partitions with its 95 % interval;
    draws stand in rising order of their loss. A grey line is the paper's loss where it has one, a dotted one the
    prediction of no label.
    """
    table = tables.averages(draws, tables.DRAW)
    axes = plots.panels(table, "corpus", height=2.4)
    looks = {True: ("with the all-ones row", RUST, "s"), False: ("without it", GREEN, "^")}
    paper = tables.draws_beside_paper(draws).groupby("corpus")["paper"].first()
    empty = draws.groupby("corpus")["empty_loss"].mean()
    for ax, block in plots.on_panels(axes, table, "corpus"):
        corpus = block["corpus"].iloc[0]
        for is_ones, (label, color, marker) in looks.items():
            part = block[block["has_ones_row"] == is_ones].sort_values("mean")
            look = {"label": label, "color": color, "marker": marker, "linestyle": ""}
            _draw_means(ax, range(1, len(part) + 1), part, "hamming_loss", **look)
        if paper.notna()[corpus]:
            ax.axhline(paper[corpus], color=GREY, linewidth=1.2, label="CS in the paper")
        ax.axhline(empty[corpus], **NOTHING)
        ax.set_title(f"{displayed(corpus)}, M = {block['n_dimensions'].iloc[0]}")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    plots.model_legend(axes)
    _explain(axes, list(dict.fromkeys(table["corpus"])))
    return plots.label_grid(axes, "Draws of rows, the best first", "Hamming loss of CS")


def plot_every_dimension(losses):
    """Draw PLST's Hamming loss less BR's at every number of dimensions, with the room that M* allows shaded.

    losses is ``experiments.every_dimension`` of one or several corpora. A dotted line is the prediction of no label;
    where it lies far above PLST the panel says how far instead.
    """
    table = tables.at_every_dimension(losses)
    axes = plots.panels(table, "corpus", height=2.4)
    for ax, block in plots.on_panels(axes, table, "corpus"):
        corpus = block["corpus"].iloc[0]
        at, room = block["n_dimensions"], block["standard_error"] + block["full_error"]
        gap, empty = (block[name] - block["full_mean"] for name in ("mean", "empty_mean"))
        ax.fill_between(at, -room, room, color=GREY, alpha=0.35, linewidth=0, label="sum of standard errors")
        ax.plot(at, gap, color=BLUE, linewidth=1.2, label="PLST less BR")
        if empty.iloc[0] < 1.5 * gap.max():
            ax.axhline(empty.iloc[0], **NOTHING, linewidth=1.2)
        else:
            ax.set_title(
                f"no label predicted: {empty.iloc[0]:+.2g}",
                loc="right",
                fontsize=7,
                y=0.9,
                fontweight="normal",
            )
        star = tables.smallest_as_good(losses[losses["corpus"] == corpus])
        if np.isfinite(star):
            ax.axvline(star, color=RUST, linestyle="--", linewidth=1, label="M*")
        title = f"{displayed(corpus)}, M* = {star:g}"
        if corpus in STARS:
            ax.axvline(STARS[corpus], color=ORANGE, linestyle="-.", linewidth=1.2, label="the paper's M*")
            title += f", paper {STARS[corpus]}"
        ax.set_title(title, fontsize=9)
        _dimension_axis(ax, at.max())
    plots.model_legend(axes)
    return plots.label_grid(axes, "Dimensions M", "Hamming loss less that of BR")


def plot_hypercube(lessons):
    """Draw label sets of three labels as vertices of a cube: a panel for each of {title: (vertices (D, 3), code)}.
    Occupied vertices are filled and joined to their places on the code's flat, a line or a plane.
    """
    size = (0.6 + 2.7 * len(lessons), 3.1)
    places = {"left": 0, "right": 1, "bottom": 0.1, "top": 0.92, "wspace": 0}
    look = {"figsize": size, "layout": "none", "gridspec_kw": places, "subplot_kw": {"projection": "3d"}}
    axes = plt.subplots(1, len(lessons), squeeze=False, **look)[1][0]
    for ax, (title, (occupied, code)) in zip(axes, lessons.items(), strict=True):
        _draw_cube(ax)
        if len(code.projection) == 1:
            ax.plot(*code.decode(1.15 * REACH[:, None]).T, color=GREEN, linewidth=1.5, clip_on=False)
        else:
            plane = code.decode(np.array([*itertools.product(REACH, repeat=2)])).T.reshape(3, 2, 2)
            ax.plot_surface(*plane, color=GREEN, alpha=0.25, linewidth=0, shade=False, clip_on=False)
        landed = code.decode(code.encode(occupied))
        for vertex, point in zip(occupied, landed, strict=True):
            ax.plot(*np.transpose([vertex, point]), color=RUST, linewidth=1.2)
        ax.plot(*np.transpose(occupied), "o", color=BLUE, markersize=6)
        ax.plot(*np.transpose(landed), "x", color=RUST, markersize=5)
        ax.set_title(title, fontsize="small")
    kinds = [
        plots.kind_of_mark("a set of labels that occurs", color=BLUE),
        plots.kind_of_mark("its place on the flat", color=RUST, marker="x"),
        plots.kind_of_mark("the code's flat", color=GREEN, marker="", linestyle="-"),
    ]
    axes[0].figure.legend(handles=kinds, loc="lower center", ncols=3)
    return axes


def _draw_cube(ax):
    corners = np.array([*itertools.product((0, 1), repeat=3)])
    for a, b in itertools.combinations(corners, 2):
        if np.abs(a - b).sum() == 1:
            ax.plot(*np.transpose([a, b]), color=PALE, linewidth=0.8)
    for corner in corners:
        name = "".join(map(str, corner))
        ax.text(*(corner + 0.2 * (corner - 0.5)), name, fontsize=6, ha="center", va="center", color=INK)
    ax.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.1), zlim=(-0.1, 1.1))
    ax.set_axis_off()
    ax.set_box_aspect((1, 1, 1), zoom=1.0)
    ax.view_init(elev=18, azim=-58)


def plot_savings(savings):
    """Draw ``tables.savings``: how many times as fast PLST is as BR, on a log axis, a line at 1. Returns the axes."""
    corpora, cases = (list(dict.fromkeys(savings[name])) for name in ("corpus", "case"))
    ax = plt.subplots(figsize=(2.4 + 1.2 * len(corpora), 3.0))[1]
    for number, (case, look) in enumerate(zip(cases, CASES, strict=False)):
        own = savings[savings["case"] == case].set_index("corpus")["saving"].reindex(corpora)
        at = np.arange(len(corpora)) + (number - (len(cases) - 1) / 2) * 0.18
        ax.vlines(at, 1, own, color=look["color"], linewidth=1.2)
        ax.plot(at, own, linestyle="", label=case, **look)
    ax.axhline(1, color=INK, linewidth=0.8)
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xticks(range(len(corpora)), map(displayed, corpora))
    ax.set_ylabel("Speed-up over BR")
    ax.grid(axis="x", visible=False)
    plots.model_legend(ax)
    plots.explain(ax, "one run")
    return ax


def plot_choice(choice):
    """Draw Theorem 1's terms, their sum, the loss and what each rule chooses, as from ``experiments.held_out``."""
    axes = plt.subplots(1, 2, figsize=(7.4, 3.1))[1]
    curve, at = choice["curve"], choice["curve"]["n_dimensions"]
    terms = {"prediction_error": RUST, "encoding_error": BLUE, "bound": BLACK}
    for column, color in terms.items():
        axes[0].plot(at, curve[column], color=color, label=column.replace("_", " "), linewidth=1.3)
    axes[1].plot(at, curve["hamming_loss"], color=GREEN, label="Hamming loss", linewidth=1.3)
    axes[1].axhline(curve["empty_loss"].iloc[0], **NOTHING)
    for ax, name in zip(axes, ("Terms of Theorem 1", "Hamming loss"), strict=True):
        for place, row in enumerate(choice["chosen"].itertuples()):
            ax.axvline(row.n_dimensions, color=GREY, linewidth=0.9)
            at = {"transform": ax.get_xaxis_transform(), "fontsize": 7, "ha": "center", "va": "bottom"}
            ax.text(row.n_dimensions, 1.01 + 0.06 * place, row.rule, **at)
        ax.set(
            xlabel="Dimensions M, logarithmic from 10 on\n(vertical: what each rule chooses)",
            ylabel=f"{name}, held-out set",
        )
        ax.xaxis.label.set_fontsize(7)
        ax.set_xscale("symlog", linthresh=10)
        ax.set_xlim(0, None)
        ax.xaxis.set_major_formatter("{x:g}")
    plots.model_legend(axes)
    return axes


def plot_choices(choices):
    """Draw what each rule chose on each partition, a panel per corpus, and dashed the paper's M* where it has one."""
    axes = plots.panels(choices, "corpus", width=2.3)
    for ax, block in plots.on_panels(axes, choices, "corpus"):
        rules = dict(iter(block.groupby("rule", sort=False)["n_dimensions"]))
        for place, chosen in enumerate(rules.values()):
            spread = np.linspace(-0.25, 0.25, len(chosen)) if len(chosen) > 1 else 0.0
            ax.plot(place + spread, chosen, "o", color=BLUE, markersize=3.5, alpha=0.7)
        if block["corpus"].iloc[0] in STARS:
            ax.axhline(
                STARS[block["corpus"].iloc[0]],
                color=RUST,
                linestyle="--",
                linewidth=1,
                label="the paper's M*",
            )
        ax.set_xticks(range(len(rules)), rules)
        ax.set(xlim=(-0.6, len(rules) - 0.4), ylim=(0, None))
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    plots.model_legend(axes)
    return plots.label_grid(axes, "", "Dimensions chosen")


def plot_kept(kept):
    """Draw the table "kept" of ``rare_labels.rare_labels`` by bin, a line for each M. Returns the axes."""
    ax = plt.subplots(figsize=(5.2, 3.1))[1]
    lines = [*kept.groupby("n_dimensions")]
    looks = plots.styles([f"PLST, {m}" for m, _ in lines])
    for (m, line), look in zip(lines, looks.values(), strict=True):
        ax.plot(line["bin"], line["share"], label=f"M = {m}", **look | {"markersize": 4})
    first = lines[0][1]
    texts = [f"{a:g}" if a == b else f"{a:g}–{b:g}" for a, b in zip(first["low"], first["high"], strict=True)]
    ax.set_xticks(first["bin"], texts)
    ax.set(xlabel="Training documents with the label", ylabel="Share of variance kept")
    plots.model_legend(ax)
    return ax
