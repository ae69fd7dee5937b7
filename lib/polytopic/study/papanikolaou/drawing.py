"""Drawings of Papanikolaou et al. alone. Each function returns an array of axes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from polytopic.metrics import MEASURES
from polytopic.study.looks import BLACK, BLUE, GREEN, INK, RUST, displayed
from polytopic.study.plots import label_grid, model_legend, on_panels, panels, styles

PLACE = ["corpus", "measure", "model", "chains"]  # of a value in tables 5 and 6


def _with_panels(table):
    headings = table["measure"].map(lambda name: MEASURES[name].heading if name in MEASURES else name)
    return table.assign(panel=table["corpus"].map(displayed) + ", " + headings)


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
    model_legend(axes)
    return label_grid(axes, "Samples averaged", "Difference from CGS")


def plot_estimator_scores(table, printed=None):
    """Draw ``labels.labels``: a dot per model, hollow for one chain and filled for several, a panel per measure.

    Whiskers reach one standard deviation over chains to either side of one chain's mean. printed is
    ``tables.labels_beside_paper``: a cross stands at what the paper prints.
    """
    theirs = {} if printed is None else printed.astype({"chains": int}).set_index(PLACE)["paper"]
    table, most = _with_panels(table), table["chains"].max()
    axes = panels(table, "panel", width=3.4, height=2.2)
    models = list(dict.fromkeys(table["model"]))
    look = styles(models)
    for ax, rows in on_panels(axes, table, "panel"):
        for row in rows.itertuples():
            place, few = models.index(row.model), row.chains == rows["chains"].min()
            style = look[row.model] | ({"markerfacecolor": "white"} if few else {})
            spread = 0 if np.isnan(row.sd or np.nan) else row.sd
            at = place + (0.15 if few else -0.15)
            ax.errorbar(row.value, at, xerr=spread, **style | {"linestyle": "none"})
            paper = theirs.get(tuple(getattr(row, name) for name in PLACE), np.nan)
            ax.plot(paper, at, "x", color=INK, markersize=6, zorder=4)
        ax.set_yticks(range(len(models)), labels=models)
        ax.invert_yaxis()
        ax.xaxis.set_major_locator(MaxNLocator(5))
    crosses = "" if printed is None else ", cross: the paper's value"
    axes[0].figure.supxlabel(f"hollow: one chain, filled: {most} chains{crosses}", fontsize=8)
    return axes


def plot_exact(right, wrong):
    """Draw ``exact.lead`` under two priors: the losses of one sample (hollow) and of many (filled)."""
    axes = plt.subplots(1, 2, figsize=(8.4, 3.0))[1]
    for ax, table, name in zip(axes, (right, wrong), ("the right prior", "a prior too heavy"), strict=True):
        place = np.arange(len(table))
        ax.plot(table["loss_1"], place, "o", color=INK, markerfacecolor="white", label="one sample")
        ax.plot(table["loss_inf"], place, "o", color=BLUE, label="endlessly many")
        ax.set_yticks(place, labels=table["estimator"])
        ax.invert_yaxis()
        ax.set(title=name, xlabel="Loss (nats)", xlim=(-0.02 * table["loss_1"].max(), None))
    axes[0].legend(loc="best")
    return axes
