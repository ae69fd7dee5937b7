"""Figures saved with the numbers that they show, or compared with those saved before."""

import functools
import io
import json
import math
import numbers
import os
import re
import sys
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.text import Text
from PIL import Image, PngImagePlugin

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import looks

CHECK = "POLYTOPIC_CHECK_FIGURES"
SIGNIFICANT_DIGITS = 8
TOLERANCE = 1e-6
LINE = 0.2  # inches
WIDE, BOLD = 18.5, 12.0  # letters to an inch, of a title and of a finding
MOST_NAMED = 4  # corpora in a figure's title
BETWEEN = "  ·  "
REPETITIONS = ("split", "run", "repeat", "order", "partition", "trial")  # what numbers one of several
NUMBERS = {"splits": "split", "partitions": "partition", "trials": "trial"}  # what says how many there were
KINDS = {"fig": "figure", "table": "table"}
COORDINATES = re.compile(rb' (?:d|x|y)="[^"]*"')  # of an svg, in points
INNERMOST = re.compile(r"(?<=[\[{])(\n[^\[\]{}]*)(?=[\]}])")  # between the brackets of a json
LONG_DECIMAL = re.compile(rb"-?\d+\.\d{3,}")
NO_TURN = re.compile(rb' transform="rotate\(-0 [^"]*"')  # of a text that is level
OTHER_FONTS = b"'DejaVu Sans', Verdana, sans-serif"  # Verdana's letters are as wide
CANVASES = {"png": FigureCanvasAgg, "svg": FigureCanvasSVG}


def save(figure, name, data, title=None, absolute=0.0, of=None, finding=None, preview=False):
    """Write ``name``.png, .svg and .json, show the figure and close it.

    Above the picture is the finding, one bold sentence that says what is to be seen, and below it the title in small
    letters: by default the paper, its figure, the corpora, scale and number of splits, and what the figure's own
    label says of its whiskers. Corpora, scale and splits are read off ``of``, the results that were drawn, where data
    lacks them.

    The files go where $POLYTOPIC_FIGURES says, which ``polytopic figures`` sets; without it, as when a person plays
    with a notebook, into ``runs/interactive/figures``, so that nobody changes the study's figures unawares. A
    preview, which shows on the chosen corpus what the study shows on others, is saved only where figures go elsewhere
    than into the study's own.

    figure may be a Figure, axes, or an array of axes. data holds the numbers drawn: a frame, or a mapping of names to
    frames. The json keeps them as records with eight significant digits, a missing number as null. The svg has its
    text as text, and coordinates in hundredths of a point. The same figure always gives the same bytes. In a notebook
    it is shown once.

    With $POLYTOPIC_CHECK_FIGURES=1 nothing is written: the numbers are compared with those in the repository's
    ``figures``, to a relative 1e-6 or to ``absolute``, whichever is wider, and AssertionError names the first that
    differs, or says how to make a file that is missing. ``absolute`` is for numbers in which rounding, another on
    every processor, can turn single decisions.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(f"a figure's name is made of a-z, 0-9, - and _, got {name!r}")
    if isinstance(figure, np.ndarray):
        figure = figure.flat[0]
    figure = getattr(figure, "figure", figure)
    if title is None:
        title = BETWEEN.join(filter(None, [described(name, data if of is None else of), figure.get_label()]))
    put_above(figure, title, finding)
    told = {"finding": finding} if finding else {}
    content = {"name": name, "title": title, **told, "data": _records(data)}
    described_by = {"Title": BETWEEN.join([*told.values(), title])}
    picture = _with_palette(_drawn(figure, "png", Software=None), described_by)
    left_out = preview and paths.figures() == paths.root() / "figures"
    folder = None if left_out else save_numbers(name, content, absolute)
    if folder:
        write_whole(folder / f"{name}.png", picture)
        drawing = _drawn(figure, "svg", Date=None, Creator=None, **described_by)
        write_whole(folder / f"{name}.svg", _short(drawing))
    # pyplot has let go of a figure that a notebook has shown at the end of the cell that made it
    shown_already = hasattr(figure, "number") and not plt.fignum_exists(figure.number)
    ipython = sys.modules.get("IPython")
    if ipython and hasattr(ipython.get_ipython(), "kernel") and not shown_already:
        ipython.display.display(ipython.display.Image(data=picture, format="png"))
    plt.close(figure)


def save_numbers(name, content, absolute=0.0):
    """Write ``name``.json and return its folder, or compare it with the one stored and return None: see ``save``.

    content is a mapping that goes into the file as it is, a row of a table on one line.
    """
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    text = INNERMOST.sub(lambda found: re.sub(r"\n *", " ", found[1]).strip(), text)
    if os.environ.get(CHECK) == "1":
        _compare_with_stored(json.loads(text), paths.root() / "figures" / f"{name}.json", absolute)
        return None
    folder = paths.figures() if os.environ.get(paths.FIGURES) else _playground()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{name}.json", text)
    return folder


def records(frame):
    """Return a frame as the json holds it: a list of rows, with eight significant digits and null for missing."""
    return [{str(k): _plain_value(v) for k, v in row.items()} for row in frame.to_dict("records")]


def described(name, data):
    """Return the line above a figure: what its name begins with, and what its data, a frame or several, are of."""
    room, _, item = name.partition("_")
    frames = [data] if isinstance(data, pd.DataFrame) else list(data.values())
    corpora, scales = (
        list(dict.fromkeys(str(one) for frame in frames if column in frame for one in frame[column]))
        for column in ("corpus", "scale")
    )
    title = looks.ROOMS.get(room, room)
    named = list(dict.fromkeys(map(looks.displayed, filter(None, corpora))))
    if len(scales) > 1 and len(named) <= MOST_NAMED:
        pairs = (
            zip(one["corpus"], one["scale"], strict=True) for one in frames if {"corpus", "scale"} <= set(one)
        )
        own = dict.fromkeys(pair for part in pairs for pair in part)
        named, scales = [f"{looks.displayed(corpus)} ({scale} scale)" for corpus, scale in own], []
    return BETWEEN.join(
        filter(
            None,
            [
                ", ".join(filter(None, [title, _item(item, title, corpora)])),
                ", ".join(named) if len(named) <= MOST_NAMED else f"{len(named)} corpora",
                " and ".join(scales) + " scale" if scales else "",
                _repetitions(frames),
            ],
        )
    )


def _item(item, title, corpora):
    """Return what a name says beside the room and the corpora, which the line names themselves."""
    item = item.removeprefix(title.lower().replace(" ", "_") + "_")
    shared = os.path.commonprefix([one.replace("-", "_") + "_" for one in corpora]).rstrip("_")
    item = item.removesuffix(f"_{shared}") if shared else item
    item = re.sub("_(stored|paper_sets)$", "", item)
    words = re.sub(r"\b(fig|table)_(\d+(?:-\d+)*)", _numbered, item)
    for room, paper in looks.ROOMS.items():
        words = words.replace(room, f"{paper},")
    return words.replace("_", " ").rstrip(",")


def _numbered(found):
    *others, last = [str(int(number)) for number in found[2].split("-")]
    return f"{KINDS[found[1]]}s {', '.join(others)} and {last}," if others else f"{KINDS[found[1]]} {last},"


def _repetitions(frames):
    """Return over how many splits or the like a corpus was repeated, as "5 splits", or where they differ "1–5"."""
    for frame in (one for one in frames if len(one)):
        by = frame["corpus"] if "corpus" in frame else pd.Series("", frame.index)
        numbered = [unit for unit in REPETITIONS if unit in frame and frame[unit].dtype.kind in "iu"]
        counts = {unit: frame.groupby(by)[unit].nunique() for unit in numbered}
        counts |= {NUMBERS[name]: frame.groupby(by)[name].max() for name in NUMBERS if name in frame}
        for unit, count in counts.items():
            least, most = int(count.min()), int(count.max())
            number = f"{most}" if least == most else f"{least}–{most}"
            return f"{number} {unit}{'s' if most > 1 else ''}"
    return ""


def put_above(figure, title, finding=None):
    """Write a finding, bold, and a title above a figure, which grows by their height; the rest stays as it was."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    bold = textwrap.wrap(finding or "", max(20, int(BOLD * width)), break_on_hyphens=False)
    lines = _lines(title, max(20, int(WIDE * width)))
    above = 0.17 * len(bold)
    room = LINE + 0.13 * (len(lines) - 1) + above
    below = height / (height + room)
    figure.set_size_inches(width, height + room)
    for ax in figure.axes:
        x, y, across, up = ax.get_position(original=True).bounds
        ax.set_position((x, y * below, across, up * below))
    for text in figure.findobj(Text, include_self=False):
        if text.get_transform() == figure.transSubfigure:
            text.set_y(text.get_position()[1] * below)
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0, 0, 1, below), transform=figure.transFigure)
    for text, down, font in (
        (bold, 0.05, {"fontsize": 9, "fontweight": "bold", "color": looks.BLACK}),
        (lines, 0.05 + above, {"fontsize": 7, "color": looks.INK}),
    ):
        top = 1 - down / (height + room)
        figure.text(0.04 / width, top, "\n".join(text), ha="left", va="top", **font)


def _lines(title, width):
    """Return a title in lines, which end between its parts where they can."""
    lines = [""]
    for part in title.split(BETWEEN):
        together = BETWEEN.join(filter(None, [lines[-1], part]))
        if len(together) <= width:
            lines[-1] = together
        else:
            lines = [*filter(None, lines), *textwrap.wrap(part, width)]
    return lines


@functools.cache
def _playground():
    """Return the folder of figures that belong to no run of the study, and say once that they go there."""
    folder = paths.runs() / "interactive" / "figures"
    print(
        f"Figures drawn here go to {os.path.relpath(folder)}; `polytopic figures` alone draws the study's own."
    )
    return folder


def _drawn(figure, kind, **metadata):
    """Return the bytes that ``figure.savefig`` writes, which would draw it twice."""
    stream, shown_on, dpi = io.BytesIO(), figure.canvas, figure.dpi
    saved = plt.rcParams["savefig.dpi"]
    figure.dpi = dpi if saved == "figure" else saved
    getattr(CANVASES[kind](figure), f"print_{kind}")(stream, metadata=metadata)
    figure.dpi = dpi
    figure.set_canvas(shown_on)
    return stream.getvalue()


def _short(drawing):
    """Return an svg with hundredths of a point, and with fonts to take where ours is missing."""

    def rounded(found):
        return LONG_DECIMAL.sub(lambda number: b"%g" % round(float(number[0]), 2), found[0])

    return COORDINATES.sub(rounded, NO_TURN.sub(b"", drawing)).replace(b"'DejaVu Sans'", OTHER_FONTS)


def _with_palette(picture, described_by):
    """Return a png with 256 colours, a third of the bytes, and texts that describe it."""
    texts = PngImagePlugin.PngInfo()
    for name, text in described_by.items():
        texts.add_itxt(name, text)
    image, stream = Image.open(io.BytesIO(picture)), io.BytesIO()
    colors = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colors.save(stream, "png", optimize=True, pnginfo=texts, dpi=image.info["dpi"])
    return stream.getvalue()


def _records(data):
    if isinstance(data, pd.DataFrame):
        return records(data)
    return {str(part): _records(frame) for part, frame in data.items()}


def _plain_value(value):
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if not isinstance(value, numbers.Real) or math.isinf(value):
        return str(value)
    return None if math.isnan(value) else float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def _compare_with_stored(now, path, absolute):
    if not path.is_file():
        raise AssertionError(f"{path} is missing: make it with `polytopic figures` and commit it")
    fault = _first_difference(json.loads(path.read_text(encoding="utf-8")), now, "", absolute)
    if fault:
        raise AssertionError(
            f"{path.name}: {fault}; if the change is meant, make it again with `polytopic figures`"
        )


def _first_difference(stored, now, place, absolute):
    """Return where two JSON values first differ, in words, or None."""
    if isinstance(stored, dict) and isinstance(now, dict):
        if stored.keys() != now.keys():
            return f"{place or 'the file'} has {sorted(stored)} stored, {sorted(now)} now"
        pairs = ((stored[key], now[key], f"{place}.{key}".lstrip(".")) for key in stored)
    elif isinstance(stored, list) and isinstance(now, list):
        if len(stored) != len(now):
            return f"{place} has {len(stored)} entries stored, {len(now)} now"
        pairs = ((a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(stored, now, strict=True)))
    else:
        return None if _same(stored, now, absolute) else f"{place} is {stored!r} stored, {now!r} now"
    return next(filter(None, (_first_difference(*pair, absolute) for pair in pairs)), None)


def _same(a, b, absolute):
    if any(isinstance(x, bool) or not isinstance(x, numbers.Real) for x in (a, b)):
        return a == b and isinstance(a, bool) == isinstance(b, bool)
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=max(absolute, 1e-12))
