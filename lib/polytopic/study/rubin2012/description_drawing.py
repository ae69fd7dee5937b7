"""The figures of descriptions: words by kind, ranked labels of a document, and topics against their number."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter

from polytopic.study import plots
from polytopic.study.rubin2012 import words

KIND_COLORS = {"own": "#0072B2", "borrowed": "#D55E00", "general": "#56B4E9", "peculiar": "#BBBBBB"}
TRUE, RARE, OTHER = "#0072B2", "#D55E00", "#BBBBBB"
PANELS = {
    "rare_places": "Rare labels among\nthe topics' top tens",
    "repeated": "Topics that share half\ntheir probability with another",
    "median_size": "Label tokens of the\nmedian topic",
    "coherence": "Coherence of topics\nin unseen documents",
}


def plot_top_words(kinds):
    """Draw the top words of one label, a panel per method: bars as long as the weight, in the colour of their kind.

    kinds is the table "example" of ``words.kinds_of_words``. Bars are relative to the method's largest weight.
    Returns an array of axes.
    """
    methods = list(dict.fromkeys(kinds["method"]))
    places = int(kinds["place"].max())
    axes = plt.subplots(1, len(methods), figsize=(0.6 + 2.5 * len(methods), 0.9 + 0.21 * places))[1]
    axes = np.atleast_1d(axes)
    for method, ax in zip(methods, axes, strict=True):
        rows = kinds[kinds["method"] == method]
        ax.barh(
            rows["place"], rows["weight"] / rows["weight"].max(), 0.85, color=rows["kind"].map(KIND_COLORS)
        )
        for row in rows.itertuples():
            ax.text(1.04, row.place, row.word, va="center", fontsize=8)
        ax.set(title=method, ylim=(places + 0.6, 0.4), xlim=(0, 2.1), xticks=[], yticks=[])
        ax.grid(visible=False)
        for side in ax.spines.values():
            side.set_visible(False)
    _kind_legend(axes[0].figure)
    return axes


def plot_kinds(means, by="training"):
    """Draw the mean share of each kind of top word as stacked bars: a panel per value of ``by``, a bar per method.

    means is ``words.mean_shares(shares, ("method", by))``. Returns an array of axes.
    """
    values = sorted(means[by].unique())
    methods = list(dict.fromkeys(means["method"]))
    axes = plt.subplots(1, len(values), figsize=(1.6 + 1.5 * len(values), 2.9), sharey=True, squeeze=False)[
        1
    ][0]
    for value, ax in zip(values, axes, strict=True):
        rows = means[means[by] == value].set_index("method").reindex(methods)
        base = np.zeros(len(methods))
        for kind, color in KIND_COLORS.items():
            ax.bar(range(len(methods)), rows[kind], 0.75, base, color=color)
            base = base + rows[kind].to_numpy()
        ax.set_xticks(range(len(methods)), [method.replace(" ", "\n") for method in methods], fontsize=6)
        ax.set_title(f"{value:g}\n({rows['labels'].max():.0f} labels)", fontsize=8)
        ax.grid(axis="x", visible=False)
    axes[0].set(ylabel="Share of the top words", ylim=(0, 1))
    axes[0].figure.supxlabel("Training documents of the label (above)", fontsize=8)
    _kind_legend(axes[0].figure)
    return axes


def _kind_legend(figure):
    handles = [Patch(color=KIND_COLORS[kind], label=kind) for kind in words.KINDS]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))


def plot_named(named):
    """Draw how often a label's name is among its top words against training frequency, a line per method.

    named is ``words.names_among_words``; a dashed line of the same colour is what chance would reach. Returns axes.
    """
    ax = plt.subplots(figsize=(5.4, 3.0))[1]
    colors = dict(zip(dict.fromkeys(named["method"]), ("#999999", "#0072B2", "#D55E00"), strict=False))
    for method, rows in named.groupby("method", sort=False):
        ax.plot(rows["bin"], rows["named"], "o-", color=colors[method], label=method)
        ax.plot(rows["bin"], rows["chance"], "--", color=colors[method], linewidth=1)
    bins = named.drop_duplicates("bin")
    texts = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip(bins["low"], bins["high"], strict=True)]
    ax.set_xticks(bins["bin"], texts)
    ax.set(ylim=(0, 1), xlabel="Training documents with the label (dashed: by chance)")
    ax.set_ylabel("Labels with a word of their name\namong their top words")
    ax.legend(loc="upper right")
    return ax


def plot_top_ten(ten, rare=5):
    """Draw each model's first labels for one document: a panel per model, bars as long as the score.

    ten is the table "top_ten" of ``documents.documents``. True labels are coloured, those with at most ``rare``
    training documents in another colour. Bars run from the model's least drawn score, or from 0 where scores are
    probabilities, to its largest; where a score is missing there are no bars. Returns an array of axes.
    """
    models = list(dict.fromkeys(ten["model"]))
    places = int(ten["place"].max())
    axes = plt.subplots(1, len(models), figsize=(0.4 + 2.35 * len(models), 0.9 + 0.2 * places))[1]
    axes = np.atleast_1d(axes)
    for model, ax in zip(models, axes, strict=True):
        rows = ten[ten["model"] == model]
        color = np.where(~rows["true"], OTHER, np.where(rows["training"] <= rare, RARE, TRUE))
        low = min(0.0, rows["score"].min()) if "SVM" not in model else rows["score"].min()
        reach = rows["score"].max() - low
        ax.barh(
            rows["place"], (rows["score"] - low).fillna(0) / (reach if reach > 0 else 1), 0.85, color=color
        )
        for place, name, true, ink in zip(rows["place"], rows["label"], rows["true"], color, strict=True):
            shown = name if len(name) < 34 else f"{name[:32]}…"
            style = {"color": ink, "fontweight": "bold"} if true else {}
            ax.text(1.04, place, shown, va="center", fontsize=6.5, **style)
        ax.set(title=model, ylim=(places + 0.6, 0.4), xlim=(0, 3.4), xticks=[], yticks=[])
        ax.grid(visible=False)
        for side in ax.spines.values():
            side.set_visible(False)
    handles = [
        Patch(color=TRUE, label="true label"),
        Patch(color=RARE, label=f"true label of at most {rare} training documents"),
        Patch(color=OTHER, label="not a label of the document"),
    ]
    axes[0].figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return axes


def plot_by_number(means):
    """Draw what note 23 says of topics against their number, a panel per measure and a line per corpus.

    means is ``topics.mean_by_number`` with a column corpus. Beside the coherence a dashed line is that of
    topics dealt out anew. Returns an array of axes.
    """
    axes = plt.subplots(1, len(PANELS), figsize=(0.6 + 2.35 * len(PANELS), 2.7))[1]
    look = plots.styles(dict.fromkeys(means["corpus"]))
    for (measure, title), ax in zip(PANELS.items(), axes, strict=True):
        for corpus, rows in means.groupby("corpus", sort=False):
            ax.plot(rows["n_topics"], rows[measure], label=corpus, markersize=4, **look[corpus])
            if measure == "coherence":
                ax.plot(rows["n_topics"], rows["dealt"], "--", color=look[corpus]["color"], linewidth=1)
        ax.set_xscale("log")
        ticks = sorted(means["n_topics"].unique())
        ax.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks], fontsize=7)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(title, fontsize=8)
        if measure == "median_size":
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter(NullFormatter())
    axes[0].figure.supxlabel("Topics (dashed: places of topics dealt out anew)", fontsize=8)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return axes
