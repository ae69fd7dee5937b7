"""Drawings of this room. Each returns an array of axes."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from polytopic.study import bins, plots
from polytopic.study.looks import BLACK, BLUE, GREEN, GREY, INK, ORANGE, PALE, RUST, displayed
from polytopic.study.today import comparison, effort
from polytopic.study.today.rare_labels import LINEAR

FAMILIES = {"hybrid": RUST, "linear": BLACK, "trees": GREEN, "topic model": BLUE}
WAYS = {"linear": BLACK, "sampling": BLUE, "mean field": GREEN, "online": ORANGE}  # of labelling
SIZE, MARK, NEAR = 6.5, 4, 9  # points: of letters; half a mark; how far a name is without a line to its mark
LETTER = 0.56  # width of a letter by its size, on average
PLACES = [  # of names around a point, in points
    (reach * dx, reach * dy, side)
    for reach in (1, 1.8, 2.8, 4, 5.5, 7)
    for dx, dy, side in (
        (6, 0, "left"), (-5, 6, "right"), (-6, 0, "right"), (0, 7, "center"),
        (0, -7, "center"), (5, 6, "left"), (5, -6, "left"), (-5, -6, "right"),
    )
]  # fmt: skip


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
    plots.label_grid(axes, "hybrid above its best parent", "")
    plots.explain(axes, "a mark is a split; whiskers: 95 % intervals over its test documents, or labels")
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
            label = name if name == LINEAR else f"Dependency-LDA: {name}"
            ax.plot(range(len(rows)), rows[bins.MEASURE], markersize=4, label=label, **look)
        ax.set_xticks(range(len(rows)), bins.ranges(rows), fontsize=6)
    plots.model_legend(axes)
    plots.label_grid(
        axes, "training documents with the label, in fifths of the labels", "mean average precision"
    )
    plots.explain(axes, "means over 3 folds of the training documents, no intervals")
    return axes


def plot_effort(found, frontier):
    """Draw average precision by document against CPU seconds: a panel a corpus, a point a way of ``effort.spent``.

    frontier has the rows that ``measured.frontier`` keeps, joined by a line: their names are written, and the
    papers' protocol's.
    """
    if found.empty:
        return np.array([plots.nothing("nothing is stored")])
    corpora = found.index.unique("corpus")
    down = -(-len(corpora) // 2)
    axes = plt.subplots(down, 2, figsize=(9.4, 0.6 + 3.6 * down), squeeze=False)[1].ravel()
    for ax in axes[len(corpora) :]:
        ax.remove()
    axes = axes[: len(corpora)]
    for ax, corpus in zip(axes, corpora, strict=True):
        _points(ax, found.loc[corpus], frontier.loc[corpus], WAYS, effort.KIND_OF)
        ax.set_title(displayed(corpus))
    plots.model_legend(axes)
    plots.label_grid(axes, "CPU seconds of training and prediction", "average precision by document")
    plots.explain(axes, "one split, one seed, no intervals")
    axes[0].figure.draw_without_rendering()
    for ax, corpus in zip(axes, corpora, strict=True):
        own, best = (rows.loc[corpus, ["CPU s", "AP by document"]] for rows in (found, frontier))
        _name(ax, own, best, {effort.PROTOCOL, *best.index})
    return axes


def plot_choice(found, frontier):
    """Draw average precision by document against CPU seconds: a panel a group, a named point a system.

    found is ``comparison.choice``, frontier the rows of it that ``measured.frontier`` keeps, joined by a line.
    """
    groups = found.index.unique("group")
    axes = plt.subplots(1, len(groups), figsize=(5.8 * len(groups), 6.2), squeeze=False)[1][0]
    for ax, group in zip(axes, groups, strict=True):
        kinds = {name: comparison.FAMILY_OF.get(name, "topic model") for name in found.index.unique("model")}
        _points(ax, found.loc[group], frontier.loc[group], FAMILIES, kinds)
        ax.set_title(group)
    plots.model_legend(axes)
    plots.label_grid(
        axes, "CPU seconds of training and prediction, all corpora", "mean average precision by document, %"
    )
    axes[0].figure.draw_without_rendering()  # lays out: names are placed by where their points are
    for ax, group in zip(axes, groups, strict=True):
        own, best = (rows.loc[group, ["CPU s", "AP by document"]] for rows in (found, frontier))
        _name(ax, own, best, own.index)
    return axes


def _points(ax, own, best, colors, kind_of):
    """Draw average precision against time on a logarithmic axis, a colour a kind, and the Pareto front."""
    ax.plot(best["CPU s"], best["AP by document"], color=PALE, linewidth=3, zorder=1, label="Pareto front")
    for kind, color in colors.items():
        rows = own[[kind_of[name] == kind for name in own.index]]
        ax.plot(rows["CPU s"], rows["AP by document"], "o", color=color, markersize=5.5, label=kind)
    ax.set_xscale("log")
    ax.margins(x=0.45, y=0.05)  # room for names
    ax.xaxis.set_major_formatter("{x:,g}")


def _name(ax, found, frontier, named):
    """Write names beside their points, each in the first place in the axes where it covers no mark, line or name."""
    points, corners = (
        ax.transData.transform(rows.to_numpy()) * 72 / ax.figure.dpi for rows in (found, frontier)
    )
    first, last = ax.get_window_extent().get_points()[:, 0] * 72 / ax.figure.dpi
    line = [a + (b - a) * at for a, b in pairwise(corners) for at in np.linspace(0, 1, 40)]
    taken = [
        (*(point - half), *(point + half)) for half, some in ((MARK, points), (1, line)) for point in some
    ]
    for (px, py), (name, at) in zip(points, found.iterrows(), strict=True):
        if name not in named:
            continue
        bold = name in frontier.index
        wide = LETTER * SIZE * len(name) * (1.15 if bold else 1)
        for dx, dy, side in PLACES:
            left = px + dx - {"left": 0, "right": wide, "center": wide / 2}[side]
            box = left, py + dy - SIZE / 2, left + wide, py + dy + SIZE / 2
            if first <= left and box[2] <= last and not any(_overlap(box, other) for other in taken):
                break
        taken.append(box)
        look = {"fontsize": SIZE, "ha": side, "va": "center", "fontweight": "bold" if bold else None}
        far = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5} if np.hypot(dx, dy) > NEAR else None
        ax.annotate(name, at, (dx, dy), textcoords="offset points", arrowprops=far, **look)


def _overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
