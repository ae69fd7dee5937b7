"""Clouds: the largest first, the same bytes every time, coherence as defined."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic.study import saving
from polytopic.study.burkhardt2018 import clouds, drawing

DRAWN = """
import hashlib, numpy as np, pandas as pd
from polytopic.study import saving
from polytopic.study.burkhardt2018 import drawing
terms = [f"term{n}" for n in range(12)]
table = pd.DataFrame({"cloud": ["a"] * 6 + ["b"] * 6, "term": terms, "weight": np.linspace(1, 0.1, 12)})
figure = drawing.plot_clouds(table)[0, 0].figure
print(*(hashlib.sha256(saving._drawn(figure, kind, **{name: None})).hexdigest() for kind, name in
        (("png", "Software"), ("svg", "Date"))))
"""


def test_clouds_are_the_same_bytes_in_every_process():
    runs = [
        subprocess.run([sys.executable, "-c", DRAWN], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] and len(runs[0].split()) == 2


def test_words_that_say_nothing_are_not_shown():
    found = clouds.telling(np.array(["The", "perl", "n", "of", "1998", "iupap", "xml"], object))
    assert found.tolist() == [False, True, False, False, False, True, True]


def test_letters_of_a_cloud_stand_where_the_layout_has_them():
    """No letters of two words meet, and all are text: words had touched, and the svg was a png in a wrapper."""
    terms = [f"term{n}" for n in range(12)]
    table = pd.DataFrame({"cloud": "a", "term": terms, "weight": np.linspace(1, 0.1, 12)})
    ((bars, cloud),) = drawing.plot_clouds(table, across=1)
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


def test_names_are_shown_without_their_mark():
    rows = [(clouds.OF_TOPICS, "topic 1", 1, "TAG_web", 0.5), (clouds.OF_TOPICS, "topic 1", 2, "tags", 0.4)]
    table = pd.DataFrame(rows, columns=["kind", "cloud", "place", "term", "weight"])
    assert clouds.largest(table, clouds.OF_TOPICS, 1)["term"].tolist() == ["web", "tags"]


def test_the_largest_clouds_and_their_first_terms_come_first():
    distributions = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    rows = list(clouds._first(distributions, [3, 9, 9], ["x", "y", "z"], ["p", "q", "r"], 2))
    assert [row[0] for row in rows] == ["y", "y", "z", "z", "x", "x"]
    assert rows[:2] == [("y", 1, "p", 0.5), ("y", 2, "q", 0.3)] and rows[3][2] == "p"


def test_coherence_is_normalised_pointwise_mutual_information():
    X = sparse.csr_matrix([[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    together, apart = np.array([[0.5, 0.5, 0, 0]]), np.array([[0.5, 0, 0.5, 0]])
    found = clouds.coherence({"together": together, "apart": apart}, X).set_index("kind")["value"]
    assert found["together"] == pytest.approx(1) and found["apart"] == -1
    mixed = clouds.coherence({"m": np.array([[0, 0, 0.5, 0.5]])}, X)["value"][0]
    assert mixed == pytest.approx(np.log(0.25 / (0.5 * 0.25)) / -np.log(0.25))


def test_distance_between_topics():
    assert clouds.apart(np.array([[0.5, 0.5], [0.5, 0.5]])) == pytest.approx(0, abs=1e-12)
    assert clouds.apart(np.eye(3)) == pytest.approx(np.log(2))


def test_words_and_labels_of_a_topic_stand_side_by_side():
    kinds = clouds.REVERSED_WORDS, clouds.REVERSED_LABELS
    rows = [(kind, f"topic {number}", 1, "term", 0.5) for kind in kinds for number in (3, 1)]
    table = pd.DataFrame(rows, columns=["kind", "cloud", "place", "term", "weight"])
    shown = clouds.pairs(table, 1)["cloud"].tolist()
    assert shown == ["labels of topic 3", "words of topic 3"]
