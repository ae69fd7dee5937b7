"""The looks into trained models: what stands in the tables and the HTML, and that menus draw what they say."""

import re

import numpy as np
import pytest

from polytopic.corpus import Corpus
from polytopic.models import DependencyLDA, FlatLDA
from polytopic.study import explorer


@pytest.fixture(scope="module")
def corpus():
    """Words 0 and 1 are of label 0, words 2 and 3 of label 1; the last label has no document."""
    counts = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 3], [0, 0, 2, 5], [1, 1, 2, 2]])
    labels = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]])
    return Corpus(counts, labels, ["<a>", "b", "c", "d"], ["first", "second & more", "never"], name="toy")


@pytest.fixture(scope="module")
def models(corpus):
    few = {"n_chains": 4, "n_sweeps": 10, "n_test_chains": 4, "burn_in": 5, "n_samples": 4, "random_state": 0}
    topics = {"n_topics": 2, "n_topic_chains": 2, "n_topic_sweeps": 10}
    found = {"flat": FlatLDA(alpha_sum=1.0, **few), "dependent": DependencyLDA(**topics, **few)}
    return {name: model.fit(corpus.counts, corpus.labels) for name, model in found.items()}


def test_words_and_labels_stand_in_order(models, corpus):
    words = explorer.words_of_label(models, corpus, "first", 4)
    assert list(words.columns) == list(models) and len(words) == 4
    assert {text.split()[0] for text in words["flat"][:2]} == {"<a>", "b"}
    shares = [float(text.split()[1]) for text in words["flat"]]
    assert shares == sorted(shares, reverse=True)
    assert (
        explorer.labels_of_word(models, corpus, "c", 1)["dependent"].tolist()[0].startswith("second & more")
    )


def test_topics_are_told_by_their_labels(models, corpus):
    table = explorer.labels_of_topics(models["dependent"], corpus, 2)
    assert sorted(table.index) == [0, 1] and set(table[1]) <= {"first", "second & more"}


def test_words_have_the_colour_of_their_label(models, corpus):
    text = explorer.coloured(models, corpus, 4).data
    assert "Labels: first, second &amp; more" in text and "&lt;a&gt;" in text and "<a>" not in text
    flat = text.split("<b>dependent</b>")[0]
    colors = dict(re.findall(r"solid (#\w+)[^>]*>([^<]+?)(?: ✓)? \d", flat)[::-1])
    names = {name.strip(): color for color, name in colors.items()}
    words = {
        word: color
        for color, word in re.findall(r"solid (#\w+)[^>]*title[^>]*>([^<]+?)(?: ×\d+)?</span>", flat)
    }
    assert words["b"] == names["first"] and words["d"] == names["second &amp; more"]
    assert "×2" in flat and flat.count("✓") == 2


def test_unknown_names_are_told(models, corpus):
    with pytest.raises(ValueError, match="unknown label 'frst'; did you mean 'first'"):
        explorer.words_of_label(models, corpus, "frst")
    with pytest.raises(ValueError, match="unknown word 'z'"):
        explorer.labels_of_word(models, corpus, "z")


def test_menus_are_there_for_each_look(models, corpus):
    tab = explorer.widgets(models, corpus)
    assert tab.titles == ("A label's words", "A word's labels", "A document", "Topics")
    assert len(explorer.widgets({"flat": models["flat"]}, corpus).children) == 3
    label_menu = tab.children[0].children[0]
    label_menu.value = "second & more"
    assert label_menu.value == "second & more"
