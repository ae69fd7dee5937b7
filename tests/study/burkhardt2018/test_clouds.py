"""Clouds: the largest first, none on another, all of it text."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from polytopic.study import saving
from polytopic.study.burkhardt2018 import clouds, drawing

TABLE = pd.DataFrame(
    {"cloud": "a", "term": [f"term{n}" for n in range(12)], "weight": np.linspace(1, 0.1, 12)}
)


def test_letters_of_a_cloud_stand_where_the_layout_has_them():
    """No letters of two words meet, and all are text: words had touched, and the svg was a png in a wrapper."""
    ((bars, cloud),) = drawing.plot_clouds(TABLE, across=1)
    figure, inked = cloud.figure, 0
    assert len(bars.patches) == drawing.BARS and len(cloud.texts) > 6
    assert "<image" not in saving._drawn(figure, "svg", Date=None).decode()
    bars.remove()
    figure.set_layout_engine("none")
    for text in cloud.texts:
        for other in cloud.texts:
            other.set_visible(other is text)
        figure.canvas.draw()
        inked = inked + (np.asarray(figure.canvas.buffer_rgba())[..., :3].min(axis=2) < 200)
    assert inked.max() == 1  # 2 where words meet, as they do with every baseline at the top of the letters
    plt.close(figure)


def test_the_largest_clouds_and_their_first_terms_come_first():
    distributions = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    rows = list(clouds._first(distributions, [3, 9, 9], ["x", "TAG_y", "z"], ["p", "TAG_q", "r"], 2))
    assert [row[0] for row in rows] == ["TAG_y", "TAG_y", "z", "z", "x", "x"] and rows[3][2] == "p"
    table = pd.DataFrame(
        [("words", *row) for row in rows], columns=["kind", "cloud", "place", "term", "weight"]
    )
    shown = clouds.largest(table, "words", 1)
    assert shown[["cloud", "term", "weight"]].values.tolist() == [["y", "p", 0.5], ["y", "q", 0.3]]


def test_words_that_say_nothing_are_not_shown():
    found = clouds.informative(np.array(["The", "perl", "n", "of", "1998", "iupap", "xml"], object))
    assert found.tolist() == [False, True, False, False, False, True, True]


def test_coherence_is_over_clouds_with_two_words():
    X = np.array([[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    kinds = {"a": np.array([[0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0], [1, 0, 0, 0]])}
    assert clouds.coherence(kinds, X).values.tolist() == [["a", 2, pytest.approx(0)]]  # of 1 and -1


def test_distance_between_topics():
    assert clouds.apart(np.array([[0.5, 0.5], [0.5, 0.5]])) == pytest.approx(0, abs=1e-12)
    assert clouds.apart(np.eye(3)) == pytest.approx(np.log(2))
