"""Drawings of Papanikolaou et al. alone. Each function returns an array of axes."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREY, INK, LOOKS, PALE, displayed
from polytopic.study.papanikolaou.experiments import NAMES
from polytopic.study.plots import (
    INTERVALS,
    explain,
    kind_legend,
    kind_of_mark,
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


def plot_sweeps(curves):
    """Draw log-likelihoods against the sweeps, a panel for each corpus and number of topics."""
    axes = plot_estimators(
        _with_topics(curves),
        "sweep",
        panel="panel",
        x_label="Sweep",
        y_label="Log-likelihood per token (nats)",
    )
    for ax in axes:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return axes


def plot_blending(curves):
    """Draw ``experiments.blending`` against the sweeps, a panel for each corpus and number of topics.

    A level line stands at CVB0's mean after its last sweep, which a late switch is said to end above.
    """
    axes = plot_sweeps(curves)
    for ax, (_, rows) in zip(axes, _with_topics(curves).groupby("panel", sort=False), strict=True):
        alone = rows[rows["model"] == "CVB0"]
        end = alone.loc[alone["sweep"] == alone["sweep"].max(), "value"].mean()
        ax.axhline(end, color=LOOKS["CVB0"]["color"], linewidth=0.8, linestyle=":")
        where = ax.get_yaxis_transform()
        ax.text(
            1.01, end, "CVB0's\nend", color=LOOKS["CVB0"]["color"], fontsize=7, va="center", transform=where
        )
    return axes


def _with_topics(curves):
    topics = curves["topics"].map(", {} topics".format)
    return curves.assign(panel=curves["corpus"].map(displayed) + topics)


def plot_parts(parts):
    """Draw ``tables.parts_of_the_lead``: stacked steps by samples, a diamond for the whole, a panel per measure.

    Above each bar stands the share of the whole that the dropped prior makes.
    """
    table = _with_panels(parts.reset_index())
    axes = panels(table, "panel", width=3.4, height=2.6)
    steps = {
        "smaller variance": ("variance", {"color": PALE}),
        "own count kept": (
            "own count",
            {"color": "white", "edgecolor": INK, "hatch": "xxxx", "linewidth": 0.5},
        ),
        "prior dropped": ("prior", {"color": GREY}),
    }
    for ax, rows in on_panels(axes, table, "panel"):
        place, tops = np.arange(len(rows)), np.maximum(rows["whole"], 0)
        for above in (True, False):
            base = np.zeros(len(rows))
            for label, (step, style) in steps.items():
                height = np.where((rows[step] > 0) == above, rows[step], 0.0)
                ax.bar(place, height, 0.6, base, label=label if above else None, **style)
                base = base + height
            tops = np.maximum(tops, base)
        whole = {"color": BLACK, "markerfacecolor": "white", "markersize": 5, "label": "CGS_p over CGS"}
        ax.plot(place, rows["whole"], "D", **whole)
        for x, top, share in zip(place, tops, rows["prior"] / rows["whole"], strict=True):
            beside = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center", "fontsize": 7}
            ax.annotate(f"{share:.0%}", (x, top), **beside)
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xticks(place, labels=[str(one) for one in rows["samples"]])
    for ax in axes:
        ax.use_sticky_edges = False
        ax.margins(y=0.1)
    model_legend(axes)
    explain(axes, "above each bar: the dropped prior's share of the lead")
    return label_grid(axes, "Samples averaged", "Gain of CGS_p over CGS")


def plot_estimator_scores(table, printed=None):
    """Draw ``labels.labels``: a small dot per model for one chain and a large one for several, a panel per measure.

    Whiskers are the 95 % interval of one chain's mean over the chains taken alone. A row of panels stands for each
    way of counting empty labels. printed is ``tables.labels_beside_paper``: a hollow mark, joined to ours, stands at
    what the paper prints.
    """
    theirs = {} if printed is None else printed.astype({"chains": int}).set_index(PLACE)["paper"]
    table, most = _with_panels(table.sort_values("empty", kind="stable")), table["chains"].max()
    axes = panels(table, "panel", width=3.4, height=2.6)
    models = list(dict.fromkeys(table["model"]))
    look = styles(models)
    for ax, rows in on_panels(axes, table, "panel"):
        for row in rows.itertuples():
            several = row.chains == most
            place, size = (
                models.index(row.model) + (-0.25 if several else 0.2),
                {"markersize": 6 if several else 4},
            )
            spread = np.nan_to_num(half_width((row.sd or np.nan) / np.sqrt(most), most))
            ax.errorbar(row.value, place, xerr=spread, **look[row.model] | size | {"linestyle": "none"})
            is_theirs = getattr(row, "empty", "one") == "one"  # as in the paper's program
            paper = theirs.get(tuple(getattr(row, name) for name in PLACE), np.nan) if is_theirs else np.nan
            ax.plot([row.value, paper], [place, place + 0.18], color=look[row.model]["color"], linewidth=0.8)
            hollow = {"linestyle": "", "markerfacecolor": "white", "zorder": 4}
            ax.plot(paper, place + 0.18, **look[row.model] | size | hollow)
        ax.set_yticks(range(len(models)), labels=models)
        ax.invert_yaxis()
        ax.xaxis.set_major_locator(MaxNLocator(5))
    marks = [kind_of_mark("ours, 1 chain", markersize=4), kind_of_mark(f"ours, {most} chains")]
    kind_legend(
        axes, [*marks, *([] if printed is None else [kind_of_mark("the paper's", markerfacecolor="white")])]
    )
    explain(axes, f"{INTERVALS} of 1 chain's mean")
    return axes


def plot_exact(right, wrong):
    """Draw ``exact.lead`` under two priors: the losses of one sample (hollow) and of many (filled)."""
    axes = plt.subplots(1, 2, figsize=(7.4, 3.0), sharey=True)[1]
    for ax, table, name in zip(axes, (right, wrong), ("the right prior", "a prior too heavy"), strict=True):
        place = np.arange(len(table))
        one = {"color": INK, "markerfacecolor": "white", "markersize": 8, "label": "one sample"}
        ax.plot(table["loss_1"], place, "o", **one)
        ax.plot(table["loss_inf"], place, "o", color=BLUE, markersize=4, label="limit of many samples")
        ax.set_yticks(place, labels=[CALLED[name] for name in table["estimator"]])
        ax.set(title=name, xlabel="Loss (nats)", xlim=(-0.05 * table["loss_1"].max(), None))
    axes[0].invert_yaxis()
    axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    explain(axes, "a model of three topics, enumerated")
    return axes
