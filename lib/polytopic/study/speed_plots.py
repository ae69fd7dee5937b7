"""Drawings of what the benchmarks measured."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch

from polytopic.study import speed
from polytopic.study.looks import BLUE, INK, ORANGE, RUST
from polytopic.study.plots import explain, plain_numbers, styles


def plot_costs(table, x, by="name", ax=None, **changes):
    """Draw medians with their quartiles against column x, a line for each value of ``by``, on logarithmic axes.

    table has the columns low, median and high. changes go to matplotlib's errorbar, such as linestyle; label=None
    leaves the lines out of the legend. Returns the axes.
    """
    ax = ax or plt.subplots()[1]
    look = styles(dict.fromkeys(table[by]))
    for name, rows in table.groupby(by, sort=False):
        spread = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
        ax.errorbar(rows[x], rows["median"], spread, **{"label": name, **look[name], **changes})
    explain(ax, "medians, whiskers: quartiles")
    return plain_numbers(ax)


def plot_settling(growth, ax=None):
    """Draw what each further sweep takes against the sweeps up to it: the rows of SETTLING in the growth's table.

    The fewest labels are dotted. Returns the axes.
    """
    ax = ax or plt.subplots()[1]
    rows = growth[growth["against"] == speed.SETTLING]
    few, many = rows["labels"].min(), rows["labels"].max()
    plot_costs(rows[rows["labels"] == few], "sweeps", ax=ax, linestyle=":", label=None)
    plot_costs(rows[rows["labels"] == many], "sweeps", ax=ax)
    ax.set(xlabel=f"Sweeps up to then ({many:,} labels; dotted: {few:,})")
    ax.set_ylabel("Nanoseconds per token, a further sweep")
    return ax


def plot_time_shares(samplers, ax=None):
    """Draw the parts of a token's time for each sampler of ``speed.read("roofline")``, and the time beside them.

    Where memory's part is missing it is within the rest, which is hatched.
    """
    ax = ax or plt.subplots()[1]
    rows = samplers.iloc[::-1]
    left = np.zeros(len(rows))
    kinds = {speed.MEMORY: RUST, speed.RANDOM: ORANGE, speed.REST: BLUE}
    hatched = {"facecolor": "white", "edgecolor": BLUE, "hatch": "////"}
    for part, color in kinds.items():
        share = 100 * (rows[part].fillna(0) / rows["median"]).to_numpy()
        bars = ax.barh(rows["name"], share, left=left, color=color)
        for bar, unknown in zip(bars, rows[speed.MEMORY].isna(), strict=True):
            if unknown and part == speed.REST:
                bar.set(**hatched)
        left = left + share
    for place, row in enumerate(rows.itertuples()):
        ax.text(101, place, f"{row.median:.0f} ns", va="center", fontsize=7)
    ax.set(xlabel="Percent of a token's time; at the right all of it", xlim=(0, 100))
    ax.grid(axis="y", visible=False)
    handles = [Patch(color=color, label=part) for part, color in kinds.items()]
    handles.append(Patch(**hatched, label="memory, arithmetic and branches together"))
    ax.figure.legend(handles=handles, loc="outside upper center", ncols=2, fontsize=7)
    return ax


def plot_roofline(machine, samplers, ax=None):
    """Draw what bandwidth and arithmetic allow (Williams, Waterman & Patterson 2009), and where samplers are.

    machine and samplers are the two parts of ``speed.read("roofline")``. Samplers whose operations per byte are not
    known are left out.
    """
    ax = ax or plt.subplots()[1]
    by_size = machine.dropna(subset="footprint").set_index("footprint")
    triad, dot = (by_size.loc[by_size["name"] == name, "median"] for name in (speed.TRIAD, speed.DOT))
    intensity = np.geomspace(0.02, 8, 50)
    for size, where, color in (
        (triad.idxmin(), f"the cache ({triad.idxmin() / 1e3:.0f} kB)", BLUE),
        (triad.index.max(), f"memory ({triad.index.max() / 1e6:.0f} MB)", RUST),
    ):
        reach = np.minimum(2 / dot.min(), intensity * 24 / triad[size])
        ax.plot(intensity, reach, color=color, label=f"roof in {where}")
    waiting = 1 / machine.set_index("name").loc[speed.ADD, "median"]
    ax.axhline(waiting, linestyle=":", color=INK, label="waiting additions")
    known = samplers.dropna(subset="flops")
    look = styles(known["name"])
    for row, x, y in zip(
        known["name"], known["flops"] / known["bytes"], known["flops"] / known["median"], strict=True
    ):
        ax.plot(x, y, label=row, **look[row] | {"linestyle": "", "markerfacecolor": "none", "markersize": 8})
    ax.set(xlabel="Operations per byte", ylabel="Operations per nanosecond")
    sides = ((0.02, "bound by memory", "left", (12, -4)), (8, "bound by arithmetic", "right", (0, 7)))
    for x, text, side, shift in sides:
        place = (x, min(2 / dot.min(), x * 24 / triad.min()))
        ax.annotate(text, place, shift, textcoords="offset points", fontsize=7, ha=side)
    plain_numbers(ax).legend(fontsize=7, loc="lower right", frameon=True, framealpha=1, edgecolor="none")
    return ax
