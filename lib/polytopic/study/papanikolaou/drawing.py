"""Drawings of Papanikolaou et al. alone. Each function returns an array of axes."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREEN, INK, LOOKS, RUST, displayed
from polytopic.study.papanikolaou.experiments import NAMES
from polytopic.study.plots import (
    INTERVALS,
    explain,
    label_grid,
    model_legend,
    on_panels,
    panels,
    plot_estimators,
    styles,
)

CALLED = NAMES | {"cgs_p_prior": "CGS_p, prior added", "cgs_rb_z": "CGS_rb, prior dropped"}
PLACE = ["corpus", "measure", "model", "chains"]  # of a value in tables 5 and 6


def _with_panels(table):
    headings = table["measure"].map(lambda name: MEASURES[name].arrow if name in MEASURES else name)
    panel = table["corpus"].map(displayed) + ", " + headings
    if "empty" in table and table["empty"].nunique() > 1:
        panel += "\nempty label: " + table["empty"]
    return table.assign(panel=panel)


def plot_over_cgs(gains, label):
    """Draw ``tables.over_cgs``: a row of panels per reading of the benchmark, a column per corpus, a line per model.

    Whiskers are 95 % intervals of the gain, paired by run; of few runs they are long, and end at the frame. Above 0
    a model is better than CGS.
    """
    readings, corpora = (list(dict.fromkeys(gains[name])) for name in ("benchmark", "corpus"))
    size = (1.0 + 3.3 * len(corpora), 0.9 + 2.4 * len(readings))
    axes = plt.subplots(len(readings), len(corpora), figsize=size, squeeze=False, sharex="col")[1]
    look, ticks = styles(gains["model"]), sorted(gains["topics"].unique())
    for (reading, corpus), ax in zip(itertools.product(readings, corpora), axes.flat, strict=True):
        here = gains[(gains["benchmark"] == reading) & (gains["corpus"] == corpus)]
        for place, (model, line) in enumerate(here.groupby("model", sort=False)):
            at = line["topics"] * (1 + 0.03 * (place - here["model"].nunique() / 2))  # side by side
            half = ((line["high"] - line["low"]) / 2).fillna(0.0)
            style = look[model] | {"markersize": 4, "linewidth": 1.0, "elinewidth": 0.7, "capsize": 0}
            ax.errorbar(at, line["gain"], half, label=model, **style)
        ax.axhline(0, color=LOOKS["CGS"]["color"], linewidth=1)
        room = 0.35 * max(np.ptp([0.0, *here["gain"]]), 1e-12)
        ax.set_ylim(min(0.0, here["gain"].min()) - room, max(0.0, here["gain"].max()) + room)
        ax.set_xscale("log")
        ax.set_xticks(ticks, labels=[f"{one:g}" for one in ticks])
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(f"{displayed(corpus)}: {reading}", fontsize=9)
    model_legend(axes)
    label_grid(axes.ravel(), "Topics", label)
    explain(axes, f"{INTERVALS} of paired gains; long ones end at the frame")
    return axes


def plot_sweeps(curves, panel="corpus"):
    """Draw log-likelihoods against the sweeps, a panel for each corpus, number of topics, or for "both"."""
    named = curves.assign(panel=_panel_names(curves, panel))
    axes = plot_estimators(
        named, "sweep", panel="panel", x_label="Sweep", y_label="Log-likelihood per token (nats)"
    )
    for ax in axes:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return axes


def plot_blending(curves, panel="corpus"):
    """Draw ``experiments.blending`` against the sweeps, a panel for each corpus or number of topics.

    A level line stands at CVB0's mean after its last sweep, which a late switch is said to end above.
    """
    axes, named = plot_sweeps(curves, panel), curves.assign(panel=_panel_names(curves, panel))
    for ax, (_, rows) in zip(axes, named.groupby("panel", sort=False), strict=True):
        alone = rows[rows["model"] == "CVB0"]
        end = alone.loc[alone["sweep"] == alone["sweep"].max(), "value"].mean()
        ax.axhline(end, color=LOOKS["CVB0"]["color"], linewidth=0.8, linestyle=":")
        ax.text(0, end, "CVB0's end", color=LOOKS["CVB0"]["color"], fontsize=6.5, va="bottom")
    return axes


def _panel_names(table, panel):
    corpora, topics = table["corpus"].map(displayed), table["topics"].map("{} topics".format)
    return {"corpus": corpora, "topics": topics, "both": corpora + ", " + topics}[panel]


def plot_parts(parts):
    """Draw ``tables.parts_of_the_lead``: stacked steps by samples, a dot for the whole, a panel per measure."""
    table = _with_panels(parts.reset_index())
    axes = panels(table, "panel", width=3.4, height=2.6)
    colors = {"variance": GREEN, "own count": BLUE, "prior": RUST}
    for ax, rows in on_panels(axes, table, "panel"):
        place = np.arange(len(rows))
        for above in (True, False):
            base = np.zeros(len(rows))
            for step, color in colors.items():
                height = np.where((rows[step] > 0) == above, rows[step], 0.0)
                ax.bar(place, height, 0.6, base, color=color, label=step if above else None)
                base = base + height
        ax.plot(place, rows["whole"], "D", color=BLACK, markersize=5, label="CGS_p minus CGS")
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xticks(place, labels=[str(one) for one in rows["samples"]])
    for ax in axes:
        ax.use_sticky_edges = False
        ax.margins(y=0.06)
    model_legend(axes)
    return label_grid(axes, "Samples averaged", "Difference from CGS")


def plot_estimator_scores(table, printed=None):
    """Draw ``labels.labels``: a dot per model, hollow for one chain and filled for several, a panel per measure.

    Whiskers are the 95 % interval of one chain's mean over the chains taken alone. A row of panels stands for each
    way of counting empty labels. printed is ``tables.labels_beside_paper``: a cross stands at what the paper prints.
    """
    theirs = {} if printed is None else printed.astype({"chains": int}).set_index(PLACE)["paper"]
    table, most = _with_panels(table.sort_values("empty", kind="stable")), table["chains"].max()
    axes = panels(table, "panel", width=3.4, height=2.2)
    models = list(dict.fromkeys(table["model"]))
    look = styles(models)
    for ax, rows in on_panels(axes, table, "panel"):
        for row in rows.itertuples():
            place, few = models.index(row.model), row.chains == rows["chains"].min()
            style = look[row.model] | ({"markerfacecolor": "white"} if few else {})
            spread = np.nan_to_num(half_width((row.sd or np.nan) / np.sqrt(most), most))
            at = place + (0.15 if few else -0.15)
            ax.errorbar(row.value, at, xerr=spread, **style | {"linestyle": "none"})
            is_theirs = getattr(row, "empty", "one") == "one"  # as in the paper's program
            paper = theirs.get(tuple(getattr(row, name) for name in PLACE), np.nan) if is_theirs else np.nan
            ax.plot(paper, at, "x", color=INK, markersize=6, zorder=4)
        ax.set_yticks(range(len(models)), labels=models)
        ax.invert_yaxis()
        ax.xaxis.set_major_locator(MaxNLocator(5))
    crosses = "" if printed is None else ", cross: the paper's value"
    axes[0].figure.supxlabel(f"hollow: one chain, filled: {most} chains{crosses}", fontsize=8)
    explain(axes, INTERVALS)
    return axes


def plot_exact(right, wrong):
    """Draw ``exact.lead`` under two priors: the losses of one sample (hollow) and of many (filled)."""
    axes = plt.subplots(1, 2, figsize=(8.4, 3.0))[1]
    for ax, table, name in zip(axes, (right, wrong), ("the right prior", "a prior too heavy"), strict=True):
        place = np.arange(len(table))
        ax.plot(table["loss_1"], place, "o", color=INK, markerfacecolor="white", label="one sample")
        ax.plot(table["loss_inf"], place, "o", color=BLUE, label="limit of many samples")
        ax.set_yticks(place, labels=[CALLED[name] for name in table["estimator"]])
        ax.invert_yaxis()
        ax.set(title=name, xlabel="Loss (nats)", xlim=(-0.02 * table["loss_1"].max(), None))
    axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return axes
