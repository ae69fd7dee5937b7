"""Average precision against CPU time, with names beside the points."""

from itertools import pairwise

import numpy as np
from matplotlib.ticker import NullFormatter

from polytopic.study import plots
from polytopic.study.looks import GREY, PALE, displayed

SIZE, MARK, NEAR = 6.5, 5.2, 9  # points: of letters; half a mark, with room; how far a name is without a line
LETTER = 0.56  # width of a letter by its size, on average
PLACES = [  # of names around a point, in points
    (reach * dx, reach * dy, side)
    for reach in (1, 1.8, 2.8, 4, 5.5, 7)
    for dx, dy, side in (
        (6, 0, "left"), (-5, 6, "right"), (-6, 0, "right"), (0, 7, "center"),
        (0, -7, "center"), (5, 6, "left"), (5, -6, "left"), (-5, -6, "right"),
    )
]  # fmt: skip


def plot_quality_and_time(found, frontier, kind_of, colors, named=None, width=3.6):
    """Draw average precision by document against CPU seconds: a panel for each value of the first level of the index.

    found has the columns AP by document and CPU s, frontier the rows of it that ``measured.frontier`` keeps, which a
    line joins. kind_of maps names, the second level, to the keys of colors. Written are the names on the front and
    those ``named``, or all. Returns an array of axes.
    """
    groups = found.index.unique(0)
    axes = plots.panels(found.reset_index(), found.index.names[0], width, 3.6)
    for ax, group in zip(axes, groups, strict=True):
        own, best = found.loc[group], frontier.loc[group]
        ax.plot(
            best["CPU s"], best["AP by document"], color=PALE, linewidth=3, zorder=1, label="Pareto front"
        )
        for kind, color in colors.items():
            rows = own[[kind_of[name] == kind for name in own.index]]
            ax.plot(rows["CPU s"], rows["AP by document"], "o", color=color, markersize=5.5, label=kind)
        ax.set(xscale="log", title=displayed(group))
        ax.margins(x=1.6 / width, y=0.05)  # room for names
        ax.xaxis.set_major_formatter("{x:,g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    plots.model_legend(axes)
    plots.label_grid(axes, "CPU seconds of training and prediction", "average precision by document")
    plots.explain(axes, "one split, one seed, no intervals")
    axes[0].figure.draw_without_rendering()  # lays out: names are placed by where their points are
    for ax, group in zip(axes, groups, strict=True):
        own, best = (rows.loc[group, ["CPU s", "AP by document"]] for rows in (found, frontier))
        _name(ax, own, best, own.index if named is None else {*named, *best.index})
    return axes


def _name(ax, found, frontier, named):
    """Write names beside their points, each in the axes, over the fewest names and then marks, as are its lines."""
    points, corners = (
        ax.transData.transform(rows.to_numpy()) * 72 / ax.figure.dpi for rows in (found, frontier)
    )
    least, most = ax.get_window_extent().get_points() * 72 / ax.figure.dpi
    line = [a + (b - a) * at for a, b in pairwise(corners) for at in np.linspace(0, 1, 40)]
    taken = [
        (*(point - half), *(point + half)) for half, some in ((MARK, points), (1, line)) for point in some
    ]
    names = []
    bold_first = np.argsort(~found.index.isin(frontier.index), kind="stable")
    for name, point in [(found.index[n], points[n]) for n in bold_first if found.index[n] in named]:
        bold = name in frontier.index
        wide = LETTER * SIZE * len(name) * (1.15 if bold else 1)

        def boxes(place, wide=wide, point=point):
            (x, y), side = point + place[:2], place[2]
            left = x - {"left": 0, "right": wide, "center": wide / 2}[side]
            far = np.hypot(*place[:2]) > NEAR
            way = [point + np.multiply(place[:2], at) for at in np.linspace(0.3, 0.9, 9)] if far else []
            return [(left, y - 0.6 * SIZE, left + wide, y + 0.6 * SIZE), *((*one, *one) for one in way)]

        def covers(place, boxes=boxes, others=(names, tuple(taken))):
            own = boxes(place)
            over = [sum(_overlap(box, other) for box in own for other in kind) for kind in others]
            return np.any(own[0][:2] < least) or np.any(own[0][2:] > most), *over

        best = min(PLACES, key=covers)
        own, *way = boxes(best)
        names.append(own)
        taken += way
        look = {"fontsize": SIZE, "ha": best[2], "va": "center", "fontweight": "bold" if bold else None}
        far = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5} if way else None
        ax.annotate(name, found.loc[name], best[:2], textcoords="offset points", arrowprops=far, **look)


def _overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
