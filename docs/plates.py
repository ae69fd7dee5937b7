"""The papers' models drawn as graphs: circles are random, filled ones observed, boxes repeat what is in them."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from polytopic.study.looks import INK, PALE

RADIUS = 0.26


@dataclass(frozen=True)
class Graph:
    """A model: {node: (x, y, text)}, edges between nodes, {plate: (x, y, width, height)}, and what is not random."""

    title: str
    nodes: dict
    edges: tuple
    plates: dict
    observed: tuple = ("w",)
    constants: tuple = ()


WORDS = {"w": (2, 0, "$w$"), "z": (1, 0, "$z$"), "phi": (3.2, 0, "$\\phi$"), "beta": (4.2, 0, "$\\beta_W$")}
OF_WORDS = (("z", "w"), ("phi", "w"), ("beta", "phi"))
BOXES = {"$N_d$": (0.55, -0.45, 1.9, 0.95), "$C$": (2.8, -0.45, 0.8, 0.95)}

GRAPHS = {
    "labelled": (
        Graph(
            "Flat-LDA and Prior-LDA",
            WORDS | {"theta": (0, 0, "$\\theta$"), "alpha": (-1, 0, "$\\alpha'$")},
            (*OF_WORDS, ("alpha", "theta"), ("theta", "z")),
            BOXES | {"$D$": (-0.45, -0.7, 3.05, 1.4)},
            constants=("beta", "alpha"),
        ),
        Graph(
            "Dependency-LDA",
            WORDS
            | {
                "theta": (0, 0, "$\\theta$"),
                "alpha": (0, 1.2, "$\\alpha'$"),
                "c": (1, 1.2, "$c$"),
                "z'": (1, 2.2, "$z'$"),
                "theta'": (0, 2.2, "$\\theta'$"),
                "gamma": (-1, 2.2, "$\\gamma$"),
                "phi'": (3.2, 1.2, "$\\phi'$"),
                "beta'": (4.2, 1.2, "$\\beta_C$"),
            },
            (
                *OF_WORDS, ("theta", "z"), ("alpha", "theta"), ("c", "alpha"), ("z'", "c"), ("theta'", "z'"),
                ("gamma", "theta'"), ("phi'", "c"), ("beta'", "phi'"),
            ),
            BOXES
            | {
                "$D$": (-0.45, -0.7, 3.05, 3.45), "$M_d$": (0.55, 0.75, 0.9, 1.9), "$T$": (2.8, 0.75, 0.8, 0.95),
            },
            constants=("beta", "beta'", "gamma"),
        ),
    ),
    "lda": (
        Graph(
            "LDA",
            WORDS | {"theta": (0, 0, "$\\theta$"), "alpha": (-1, 0, "$\\alpha$")},
            (*OF_WORDS, ("alpha", "theta"), ("theta", "z")),
            {"$N_d$": BOXES["$N_d$"], "$T$": BOXES["$C$"], "$D$": (-0.45, -0.7, 3.05, 1.4)},
            constants=("beta", "alpha"),
        ),
    ),
    "layered": (
        Graph(
            "Fast-Dep.-LLDA",
            WORDS
            | {
                "z'": (0, 0, "$z'$"),
                "theta'": (-1, 0, "$\\theta'$"),
                "gamma": (-2, 0, "$\\gamma$"),
                "phi'": (1, 1.2, "$\\phi'$"),
                "beta'": (2, 1.2, "$\\beta_C$"),
            },
            (*OF_WORDS, ("z'", "z"), ("theta'", "z'"), ("gamma", "theta'"), ("phi'", "z"), ("beta'", "phi'")),
            {
                "$N_d$": (-0.45, -0.45, 2.9, 0.95), "$C$": BOXES["$C$"], "$T$": (0.6, 0.75, 0.8, 0.95),
                "$D$": (-1.45, -0.7, 4.05, 1.35),
            },
            constants=("beta", "beta'", "gamma"),
        ),
        Graph(
            "Author-topic model",
            WORDS
            | {
                "c": (0, 0, "$c$"),
                "labels": (-1, 0, "$y_d$"),
                "theta": (1, 1.2, "$\\theta_c$"),
                "alpha": (2, 1.2, "$\\alpha$"),
            },
            (*OF_WORDS, ("c", "z"), ("labels", "c"), ("theta", "z"), ("alpha", "theta")),
            {
                "$N_d$": (-0.45, -0.45, 2.9, 0.95), "$T$": BOXES["$C$"], "$C$": (0.6, 0.75, 0.8, 0.95),
                "$D$": (-1.45, -0.7, 4.05, 1.35),
            },
            observed=("w", "labels"),
            constants=("beta", "alpha"),
        ),
    ),
    "pmm": (
        Graph(
            "PMM",
            {
                "y": (0, 0, "$y$"),
                "phi": (1.1, 0, "$\\varphi$"),
                "w": (2.2, 0, "$w$"),
                "theta": (1.1, 1.2, "$\\theta$"),
                "xi": (2.1, 1.2, "$\\xi$"),
            },
            (("y", "phi"), ("phi", "w"), ("theta", "phi"), ("xi", "theta")),
            {"$N_d$": (1.8, -0.45, 0.8, 0.95), "$D$": (-0.45, -0.7, 3.2, 1.4), "$C$": (0.7, 0.75, 0.8, 0.95)},
            observed=("w", "y"),
            constants=("xi",),
        ),
    ),
}  # fmt: skip


def plot_graphs(graphs):
    """Draw Graphs side by side. Returns an array of axes."""
    spans = [_span(graph) for graph in graphs]
    widths, height = [right - left for left, right, _, _ in spans], max(top - low for _, _, low, top in spans)
    size = (0.85 * sum(widths), 0.85 * height + 0.3)
    axes = plt.subplots(1, len(graphs), figsize=size, squeeze=False, width_ratios=widths)[1][0]
    for ax, graph, (left, right, low, top) in zip(axes, graphs, spans, strict=True):
        ax.set(xlim=(left, right), ylim=(low, top), aspect="equal", title=graph.title)
        ax.set_axis_off()
        _draw(ax, graph)
    return axes


def _span(graph):
    xs, ys = ([node[place] for node in graph.nodes.values()] for place in (0, 1))
    return min(xs) - 0.7, max(xs) + 0.7, min(ys) - 0.9, max(ys) + 0.85


def _draw(ax, graph):
    for name, (x, y, width, height) in graph.plates.items():
        rounded = {
            "boxstyle": "round,pad=0,rounding_size=.08",
            "fill": False,
            "edgecolor": INK,
            "linewidth": 0.8,
        }
        ax.add_patch(FancyBboxPatch((x, y), width, height, **rounded))
        ax.text(x + width - 0.06, y + 0.05, name, ha="right", va="bottom", fontsize=7)
    for name, (x, y, text) in graph.nodes.items():
        if name not in graph.constants:
            fill = PALE if name in graph.observed else "white"
            ax.add_patch(plt.Circle((x, y), RADIUS, facecolor=fill, edgecolor=INK, linewidth=0.9, zorder=2))
        ax.text(x, y, text, ha="center", va="center", fontsize=9, zorder=3)
    for first, second in graph.edges:
        start, end = graph.nodes[first][:2], graph.nodes[second][:2]
        look = {
            "arrowstyle": "-|>",
            "mutation_scale": 9,
            "color": INK,
            "linewidth": 0.9,
            "shrinkA": 17,
            "shrinkB": 17,
        }
        ax.add_patch(FancyArrowPatch(start, end, **look))
