"""Drawings of Papanikolaou et al. alone. Each function returns an array of axes."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator, NullFormatter

from polytopic.metrics import MEASURES
from polytopic.study import compare
from polytopic.study.compare import half_width
from polytopic.study.looks import BLACK, BLUE, GREY, INK, LOOKS, PALE, displayed
from polytopic.study.papanikolaou.experiments import NAMES
from polytopic.study.papanikolaou.tables import FIVE_MODELS
from polytopic.study.plots import (
    INTERVALS,
    explain,
    kind_legend,
    kind_of_mark,
    label_grid,
    model_legend,
    name_ends,
    on_panels,
    panels,
    plot_estimators,
    styles,
)
from polytopic.study.saving import BETWEEN

CALLED = NAMES | {"cgs_p_prior": "CGS_p, prior added", "cgs_rb_z": "CGS_rb, prior dropped"}
HEAVY = ("CGS", "CGS_p", "CVB0")  # of figure 2, which its text compares
PLACE = ["corpus", "measure", "model", "chains"]  # of a value in tables 5 and 6


def _with_panels(table):
    headings = table["measure"].map(lambda name: MEASURES[name].arrow if name in MEASURES else name)
    panel = table["corpus"].map(displayed) + ", " + headings
    if "empty" in table and table["empty"].nunique() > 1:
        panel += "\nempty label: " + table["empty"]
    return table.assign(panel=panel)


def plot_perplexity(table):
    """Draw ``experiments.perplexity`` of the paper's five estimators against topics, the first corpus the largest.

    Lines are means over runs, small dots the runs. A ring stands around CVB0 where it is surely below CGS_p (by the
    95 % interval of the difference, paired by run), a grey one where neither is. Every corpus has its own scale.
    Returns an array of axes. Papanikolaou et al., figure 2.
    """
    table = table[table["model"].isin(FIVE_MODELS)]
    corpora, by = list(dict.fromkeys(table["corpus"])), ["corpus", "scale", "topics"]
    leads = compare.paired(table, "CGS_p", "CVB0", by, ["run"], "perplexity", measure="perplexity")
    wide = [max(4.5, table.loc[table["corpus"] == corpus, "topics"].nunique()) for corpus in corpora]
    axes = plt.subplots(
        1, len(corpora), figsize=(0.95 * sum(wide) + 0.5, 4.4), squeeze=False, width_ratios=wide
    )[1][0]
    look = styles(dict.fromkeys(table["model"]))
    for ax, corpus in zip(axes, corpora, strict=True):
        rows, ends = table[table["corpus"] == corpus], []
        for model, own in rows.groupby("model", sort=False):
            mean, weight = own.groupby("topics")["perplexity"].mean(), 2.2 if model in HEAVY else 1.1
            ax.plot(mean.index, mean, **look[model] | {"linewidth": weight, "markersize": 4 + weight})
            ax.plot(
                own["topics"], own["perplexity"], ".", color=look[model]["color"], markersize=3, alpha=0.5
            )
            font = {"color": look[model]["color"], "weight": "bold" if model in HEAVY else "normal"}
            ends.append((model, mean.index.max(), mean.iloc[-1], font))
        for side, color in ((-1, BLACK), (0, GREY)):
            here = leads[(leads["corpus"] == corpus) & (leads["ahead"] == side)]
            ring = {"color": color, "markerfacecolor": "none", "markersize": 15, "label": f"ahead {side}"}
            ax.plot(here["topics"], here["second_mean"], "o", **ring)
        _topics_axis(ax, rows["topics"])
        runs = rows["run"].nunique()
        ax.set_title(
            f"{displayed(corpus)}, {rows['scale'].iloc[0]} scale, {runs} run{'s' if runs > 1 else ''}"
        )
        ax.yaxis.set_major_formatter("{x:,.0f}")
        name_ends(ax, ends)
    explain(axes, "black ring: CVB0 surely below CGS_p, grey: not decided, by 95 % intervals paired by run")
    return label_grid(axes, "Topics", "Perplexity (lower is better)")


def plot_gibbs1(means, gains, measure, sweeps):
    """Draw a measure of ``experiments.gibbs1`` for the paper's four readings, and its difference from that of CGS.

    means is ``compare.means`` by corpus, benchmark, model and topics, gains ``tables.over_cgs``. Each benchmark has
    two rows of panels, the measure above and the paired differences with their 95 % intervals below; each corpus has
    a column. A row has one scale. ``sweeps`` is said above the figure. Returns an array of axes. Papanikolaou et al.,
    figures 5 and 6.
    """
    benchmarks, corpora = (list(dict.fromkeys(means[name])) for name in ("benchmark", "corpus"))
    size, heights = (1.6 + 2.9 * len(corpora), 0.9 + 3.5 * len(benchmarks)), [1.6, 1] * len(benchmarks)
    axes = plt.subplots(
        len(heights),
        len(corpora),
        figsize=size,
        squeeze=False,
        sharex="col",
        sharey="row",
        height_ratios=heights,
    )[1]
    look, told = styles(name for name in FIVE_MODELS if name in set(means["model"])), MEASURES[measure]
    better = "higher" if told.higher_is_better else "lower"
    for (benchmark, corpus), (above, below) in zip(
        itertools.product(benchmarks, corpora), zip(axes[::2].flat, axes[1::2].flat, strict=True), strict=True
    ):
        here = [one[(one["benchmark"] == benchmark) & (one["corpus"] == corpus)] for one in (means, gains)]
        for place, (model, style) in enumerate(look.items()):
            line, gain = (one[one["model"] == model] for one in here)
            above.plot(line["topics"], line["mean"], label=model, **style | {"markersize": 4})
            difference, half = told.sign * gain["gain"], (gain["high"] - gain["low"]) / 2
            beside = gain["topics"] * (1 + 0.04 * (place - 2))
            below.errorbar(beside, difference, half.fillna(0.0), **style | {"markersize": 4, "linewidth": 1})
        above.set_title(f"{displayed(corpus)}, {benchmark}")
        below.axhline(0, color=look["CGS"]["color"], linewidth=1.4)
        _topics_axis(below, means["topics"])
    for above, below, benchmark in zip(axes[::2, 0], axes[1::2, 0], benchmarks, strict=True):
        above.set_ylim(0, None)
        above.set_ylabel(told.heading)
        here = gains[gains["benchmark"] == benchmark]
        most = 2 * here["gain"].abs().max()  # intervals of few runs end at the frame
        ends = np.clip(told.sign * np.nan_to_num([here["low"], here["high"], here["gain"]]), -most, most)
        room = 0.08 * np.ptp([0.0, *ends.flat])
        below.set_ylim(min(0, ends.min()) - room, max(0, ends.max()) + room)
        below.set_ylabel(f"less CGS's\n({better} is better)")
    model_legend(axes)
    explain(
        axes, f"{sweeps}{BETWEEN}benchmark: theta of model F{BETWEEN}{INTERVALS} of differences paired by run"
    )
    label_grid(axes.ravel(), "Topics", "")
    return axes


def _topics_axis(ax, topics):
    ticks = sorted(topics.unique())
    ax.set_xscale("log")
    ax.set_xticks(ticks, labels=[f"{one:g}" for one in ticks])
    ax.xaxis.set_minor_formatter(NullFormatter())


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
            ax.annotate(f"{100 * share:.0f} %", (x, top), **beside)
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
