"""Drawings of the audit of printed numbers."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study.looks import BLUE, INK, RUST, displayed
from polytopic.study.plots import explain, kind_of_mark, label_grid, panels, wrapped

MOST_NAMED = 8  # broken cases of a panel
WITHIN = 100  # factor up to which a logarithmic axis has ticks at 2 and 5 as well


def plot_printed_against_implied(found):
    """Draw what is printed against what other printed numbers imply, one panel per relation.

    found is ``audit.claims.check_all`` or a part of it. On the line the two agree; bars are what rounding allows.
    Broken cases are filled, and named where there are at most eight of them. Axes are logarithmic, and said to be,
    where the numbers span more than a factor of thirty. Returns an array of axes.
    """
    axes = panels(found, "relation", width=3.3, height=2.9)
    for ax, (name, block) in zip(axes, found.groupby("relation", sort=False), strict=True):
        numbers = block[["printed", "implied"]].to_numpy()
        ends = numbers.min(), numbers.max()
        if ends[0] > 0 and ends[1] / ends[0] > 30:
            ax.set(xscale="log", yscale="log")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ends[1] / ends[0] < WITHIN else (1,)))
                axis.set_major_formatter("{x:g}")
                axis.set_minor_formatter(NullFormatter())
        ax.axline((ends[1], ends[1]), (ends[0] * 0.99, ends[0] * 0.99), color=INK, linewidth=0.8, zorder=1)
        for is_held, color, fill in ((True, BLUE, "none"), (False, RUST, RUST)):
            part = block[block["holds"] == is_held]
            ax.errorbar(
                part["implied"], part["printed"], xerr=part["allowed"], linestyle="", marker="o", markersize=4,
                color=color, markerfacecolor=fill, elinewidth=0.8, zorder=2 if is_held else 3,
            )  # fmt: skip
        _name_broken(ax, block[~block["holds"]])
        said = ["log axes"] * (ax.get_xscale() == "log") + ["holds below the line"] * ("better than" in name)
        title = textwrap.fill(name.partition(": ")[2], 34)
        ax.set_title("\n".join(filter(None, [title, f"({', '.join(said)})" if said else ""])))
        ax.margins(0.12)
    holds = kind_of_mark("holds", markerfacecolor="none", color=BLUE)
    holds.set_markeredgecolor(BLUE)
    handles = [holds, kind_of_mark("broken", color=RUST)]
    axes[0].figure.legend(handles=handles, loc="outside upper right", ncols=2)
    label_grid(axes, "implied by other printed numbers", "printed")
    explain(axes, "whiskers: what rounding allows")
    return axes


def _name_broken(ax, broken):
    if len(broken) > MOST_NAMED:
        return
    middle = np.mean(ax.get_xlim()) if ax.get_xscale() == "linear" else np.sqrt(np.prod(ax.get_xlim()))
    for row in broken.assign(place=broken.groupby("implied").cumcount()).itertuples():
        is_above = row.printed > row.implied
        far = (
            middle if is_above else np.quantile(ax.get_xlim(), 0.7)
        )  # below the line there is room at the right
        side, shift = ("right", -6) if row.implied > far else ("left", 6)
        at = {"xytext": (shift, (2 + 8 * row.place) * (1 if is_above else -1)), "ha": side}
        text = ", ".join(filter(None, [row.model, displayed(row.corpus)]))
        ax.annotate(
            text, (row.implied, row.printed), textcoords="offset points", fontsize=6,
            va="bottom" if is_above else "top", annotation_clip=False, **at,
        )  # fmt: skip


def plot_leads(leads, label, leading="lead", apart=()):
    """Draw how far one model is ahead of another against a statistic of the corpora, one line per measure.

    leads is ``audit.rubin2012.leads``. Corpora are evenly spaced in the order of the statistic, which stands under
    their names; ``leading`` says whose lead it is. Leads are divided by the largest of their measure, so that all
    measures fit. The measures named in ``apart`` have a colour of their own. Returns the axes.
    """
    ax = plt.subplots(figsize=(6.4, 3.4))[1]
    order = leads.drop_duplicates("corpus").sort_values(["amount", "corpus"])
    places = dict(zip(order["corpus"], range(len(order)), strict=True))
    rest = leads.loc[~leads["measure"].isin(apart), "measure"].nunique()
    said = ", ".join(MEASURES[name].heading if name in MEASURES else name for name in apart)
    names = {True: said, False: f"{rest} other measures" if apart else ""}
    for measure, line in leads.groupby("measure", sort=False):
        line = line.assign(place=line["corpus"].map(places)).sort_values("place")
        share, is_apart = line["lead"] / line["lead"].abs().max(), measure in apart
        ax.plot(line["place"], share, "o-", color=RUST if is_apart else INK, label=names[is_apart],
                markersize=3.5, linewidth=1, alpha=1 if is_apart else 0.55)  # fmt: skip
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set_xticks(
        range(len(order)), [f"{wrapped(displayed(r.corpus))}\n{r.amount:g}" for r in order.itertuples()]
    )
    ax.set(xlabel=label, ylabel=f"{leading},\nshare of the largest")
    if apart:
        shown = {text: line for line, text in zip(*ax.get_legend_handles_labels(), strict=True)}
        ax.figure.legend(shown.values(), shown.keys(), loc="outside upper right", ncols=2)
    return ax
