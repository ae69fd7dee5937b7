"""Clouds of words, as in the figures of Burkhardt & Kramer (2018)."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.font_manager import findfont
from matplotlib.ticker import MaxNLocator
from PIL import ImageFont
from wordcloud import WordCloud

from polytopic.study import plots

CANVAS = 400, 240  # of a cloud, in its own units
SMALLEST = 14  # of them, a cloud's smallest letters
CLOUD = {"background_color": "white", "prefer_horizontal": 1.0, "margin": 6, "relative_scaling": 0.5}
PALEST = 0.55  # of viridis; beyond, letters are less than 3 to 1 from white
SEED = 1  # of where a cloud's terms are tried
BARS = 10  # terms


def plot_clouds(table, across=2):
    """Draw the first terms of each cloud of a table twice: bars of their weights, and a cloud, the paper's form.

    Terms that would be too small to be read are left out of the cloud. table has the columns cloud, term and weight,
    the largest first; weights are positive. The same table gives the same bytes.
    """
    clouds = list(table.groupby("cloud", sort=False))
    down = -(-len(clouds) // across)
    size, widths = (7.7, 0.3 + 1.6 * down), {"width_ratios": [1, 2.4] * across}
    axes = plt.subplots(down, 2 * across, figsize=size, squeeze=False, gridspec_kw=widths)[1].reshape(-1, 2)
    for ax in axes[len(clouds) :].flat:
        ax.remove()
    axes = axes[: len(clouds)]
    for (bars, cloud), (name, rows) in zip(axes, clouds, strict=True):
        first = rows.head(BARS)
        bars.barh(first["term"], first["weight"], color=_colors(len(rows))[: len(first)])
        bars.invert_yaxis()
        bars.set_title(name, loc="left")
        bars.tick_params(labelsize=6.5, length=0)
        bars.xaxis.set_major_locator(MaxNLocator(2))
        bars.grid(axis="y", visible=False)
        cloud.set(xlim=(0, CANVAS[0]), ylim=(CANVAS[1], 0), aspect="equal")
        cloud.set_axis_off()
    axes[0, 0].figure.draw_without_rendering()  # lays out: letters are as large as their axes ask
    for (_, cloud), (_, rows) in zip(axes, clouds, strict=True):
        _write(cloud, rows)
    plots.explain(axes, "one run; bars: probability; clouds: the same terms, the paper's form")
    return axes


def _write(ax, rows):
    """Write the terms of a cloud as text into its axes, where and as large as the layout has them."""
    path = findfont("DejaVu Sans")
    layout = WordCloud(
        width=CANVAS[0], height=CANVAS[1], max_words=len(rows), min_font_size=SMALLEST, random_state=SEED,
        font_path=path, **CLOUD,
    ).generate_from_frequencies(dict(zip(rows["term"], rows["weight"], strict=True)))  # fmt: skip
    colors = dict(zip(rows["term"], _colors(len(rows)), strict=True))
    points = ax.get_window_extent().width / ax.figure.dpi * 72 / CANVAS[0]
    for (term, _), size, (y, x), _, _ in layout.layout_:
        above = ImageFont.truetype(path, size).getbbox(term, anchor="ls")[1]  # of the baseline, negative
        look = {"fontsize": size * points, "color": colors[term], "va": "baseline", "in_layout": False}
        ax.text(x, y - above, term, **look)


def _colors(n):
    return colormaps["viridis"](np.linspace(0.1, PALEST, n))
