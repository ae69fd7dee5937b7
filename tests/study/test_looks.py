"""How series look: fixed for each, apart in every figure, visible on white, and apart for the colour-blind."""

import itertools
import json

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from polytopic import paths
from polytopic.study import looks

SEEN = {  # linear rgb as people without red or green cones see it (Machado et al. 2009, severity 1)
    "everybody": np.eye(3),
    "without green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "without red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
}
TO_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
FIGURES = [  # those of the audit draw cases, not series
    path
    for path in sorted((paths.checkout() / "figures").glob("*.json"))
    if not path.stem.startswith("audit")
]
PARTS = ("color", "marker", "linestyle", "markerfacecolor")
NAMING = ("model", "estimator", "system", "method", "variant", "inference")


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast_with_white(color):
    return 1.05 / (TO_XYZ[1] @ linear(color) + 0.05)


def lab(color, seen):
    """Return CIELAB of a colour as somebody sees it."""
    x, y, z = np.cbrt(TO_XYZ @ np.clip(seen @ linear(color), 1e-9, 1) / (TO_XYZ @ np.ones(3)))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colors, seen):
    seen = np.asarray(seen)
    pairs = itertools.combinations(colors, 2)
    return min(np.linalg.norm(lab(one, seen) - lab(other, seen)) for one, other in pairs)


@pytest.mark.parametrize(
    "color", [*looks.PALETTE, looks.BRICK, looks.PLUM, looks.GRAPE, looks.AUBERGINE, looks.GREY, looks.INK]
)
def test_every_colour_of_lines_is_visible_on_white(color):
    """3 is what WCAG asks of graphics; Okabe and Ito's yellow has 1.3, their orange 2.2."""
    assert contrast_with_white(color) >= 3


@pytest.mark.parametrize("seen", SEEN)
def test_the_palette_is_apart_for_everybody(seen):
    """Green and red of matplotlib's own cycle are 12 apart without green cones, and its nine nearest 6."""
    assert nearest(looks.PALETTE, SEEN[seen]) > 25


def test_strangers_take_what_is_free():
    found = looks.styles(["Dependency-LDA", *range(8), *"abcdefgh"])
    pairs = [(look["color"], look["marker"]) for look in found.values()]
    assert len(set(pairs)) == 17
    assert len({color for color, _ in pairs[:9]}) == len({marker for _, marker in pairs[:9]}) == 9
    assert looks.styles(["b", "a"])["b"] == looks.styles(["a", "c"])["a"]


def test_no_two_systems_of_the_study_have_one_look():
    """The default hybrid and a mixture model were the same star."""
    told = {}
    for name, look in looks.LOOKS.items():
        other = told.setdefault(tuple(str(look.get(part, "")) for part in PARTS), name)
        assert other == name or looks.SAME.get(name, name) == looks.SAME.get(other, other), (name, other)
    assert {name for name, look in looks.LOOKS.items() if look["color"] == looks.INDIGO} == {
        "Hybrid",
        "Default hybrid",
    }


def test_two_names_of_one_look_cannot_share_a_figure():
    with pytest.raises(ValueError, match=r"'Fast-Dep.-LLDA S2' and 'greedy' look the same"):
        looks.styles(["Fast-Dep.-LLDA S2", "greedy"])


def series(content):
    """Yield the sets of names that stand in one column of a figure's data."""
    if isinstance(content, dict):
        for part in content.values():
            yield from series(part)
    elif isinstance(content, list) and content and isinstance(content[0], dict):
        for column in NAMING:
            names = {row[column] for row in content if isinstance(row.get(column), str)}
            if names:
                yield names


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_no_figure_has_two_series_of_one_look(path):
    for names in series(json.loads(path.read_text(encoding="utf-8"))):
        found = looks.styles(looks.in_order(sorted(names)))
        told = {tuple(look.get(part, "") for part in PARTS) for look in found.values()}
        assert len(told) == len(names)
        colors = {look["color"] for look in found.values()}
        assert len(colors) == 1 or nearest(colors, SEEN["everybody"]) > 15
