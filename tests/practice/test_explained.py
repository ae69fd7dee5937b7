"""Explanations by name: the words of a text where they stand, pages to be read, and what a model knows of names."""

import json

import numpy as np
import pytest
from bs4 import BeautifulSoup
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from polytopic.corpus import Corpus
from polytopic.models import (
    BinaryRelevanceRidge,
    BinaryRelevanceSVM,
    DependencyLDA,
    FastDependencyLDA,
    FlatLDA,
    HybridClassifier,
    LearnedDependencyLDA,
)
from polytopic.practice.explanation import places_of
from polytopic.practice.labeller import Labeller
from reference.corpora import SHORT

TEXTS = ["a red apple", "a red car", "an apple tree", "a pear tree", "the car and the apple"] * 6
LABELS = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1]] * 6
NAMES = ("red", "tree <b>&", "car")
HOSTILE = 'A RED\tapple</p><script>alert("1")</script> \N{RIGHT-TO-LEFT OVERRIDE}car\ud800 & "red\'\0'
TOPICS = {"n_topics": 2, "n_topic_chains": 2, "n_topic_sweeps": 10}
MODELS = {
    "tokens": DependencyLDA(**TOPICS, **SHORT),
    "linear": BinaryRelevanceSVM(random_state=1),
    "hybrid": HybridClassifier(
        [
            ("words", BinaryRelevanceRidge()),
            ("topics", DependencyLDA(inference="mean_field", **TOPICS, **SHORT)),
        ],
        n_folds=2,
        random_state=1,
    ),
}
every_kind = pytest.mark.parametrize("kind", MODELS)


def kept(model, vectorizer=None):
    vectorizer = vectorizer or CountVectorizer(stop_words=["the", "an"])
    counts = vectorizer.fit_transform(TEXTS)
    own = Corpus(counts, LABELS, vectorizer.get_feature_names_out(), NAMES, name="own")
    return Labeller.of(model.fit(own.counts, own.labels), own, vectorizer), own


@pytest.fixture(scope="module")
def labellers():
    return {kind: kept(model)[0] for kind, model in MODELS.items()}


@every_kind
def test_the_best_labels_come_with_their_words(labellers, kind):
    labeller = labellers[kind]
    (one,) = labeller.explain(["the red red car by a tree"], k=2)
    assert one.kind == kind and one.model == type(labeller.model).__name__
    (best,) = labeller.suggest(["the red red car by a tree"], k=2)
    assert [(label.label, label.score) for label in one.labels] == best
    assert {mark.word: mark.count for mark in one.words} == {"red": 2, "car": 1, "tree": 1}
    for label in one.labels:
        parts = [word.part for word in label.words]
        assert parts == sorted(parts, reverse=True) and min(parts, default=1) > 0
        assert all(word.part < 0 for word in label.against)
        if kind != "hybrid":
            total = label.base + sum(parts) + sum(word.part for word in label.against)
            assert abs(total - label.score) < 1e-12
        else:
            assert [parent.name for parent in label.parents] == ["words", "topics"]
            assert abs(label.base + sum(parent.part for parent in label.parents) - label.score) < 1e-9
    for mark in one.words:
        assert (mark.label is None) == (mark.strength < 0.1) and 0 <= mark.strength <= 1


def test_each_word_goes_to_the_label_that_it_speaks_for_most(labellers):
    model = labellers["tokens"].model
    (one,) = labellers["tokens"].explain(["red apple car tree pear"], k=3)
    (own,) = model.explain(labellers["tokens"].counts(["red apple car tree pear"]))
    order = [NAMES.index(label.label) for label in one.labels]
    for mark, shares in zip(one.words, own.shares.toarray()[:, order], strict=True):
        assert mark.label == np.argmax(shares) and mark.strength == shares.max()


@every_kind
def test_it_is_plain_data(labellers, kind):
    found = labellers[kind].explain([HOSTILE, ""], k=2)
    data = json.loads(json.dumps(found.as_json(), allow_nan=False, ensure_ascii=False).encode())
    assert data == found.as_json() and len(data) == 2
    assert data[1]["words"] == [] and data[1]["labels"][0]["words"] == []
    assert data[0]["labels"][0].keys() == {"label", "score", "base", "words", "against", "parents"}


KNOWN = {
    "html", "head", "meta", "title", "style", "body", "h1", "section", "p", "mark", "div", "table", "tr", "th", "td",
    "bdi", "span", "details", "summary",
}  # fmt: skip
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "title", "dir", "scope"}


@every_kind
def test_hostile_texts_and_names_are_only_text(labellers, kind, tmp_path):
    found = labellers[kind].explain([HOSTILE], k=3)
    page = found.to_html(tmp_path / "why.html", title="</title><script>")
    assert (tmp_path / "why.html").read_text(encoding="utf-8") == page
    read = BeautifulSoup(page, "html.parser", preserve_whitespace_tags={"p"})
    assert {one.name for one in read.find_all()} <= KNOWN
    assert {name for one in read.find_all() for name in one.attrs} <= ATTRIBUTES
    assert read.find("p", "text").get_text() == HOSTILE.replace("\ud800", "?").replace("\0", "?")
    assert "<script" not in page and "tree <b>" not in page and "default-src 'none'" in page
    assert "<script" not in found._repr_html_() and "<style>" in found._repr_html_()


def places(vectorizer, text):
    found = places_of(vectorizer.fit([*TEXTS, text]), text)
    names = vectorizer.get_feature_names_out()
    return found and {names[column]: own for column, own in found.items()}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"token_pattern": r"[A-Za-z][a-z0-9+-]{2,}"},
        {"token_pattern": r"\b(\w\w)\w*"},
        {"lowercase": False},
        {"strip_accents": "unicode", "stop_words": "english"},
        {"ngram_range": (1, 2)},
    ],
)
@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_places_are_those_of_the_words_that_are_counted(kind, settings):
    """Also of letters that become two in lower case, or none without their accents."""
    text = "Red caf\u00e9s, cafe\u0301s; c++ \u0130stanbul: RED apple red-ish x a\u0308pple 42 trees\n"
    vectorizer = kind(**settings)
    found = places(vectorizer, text)
    names, counts = vectorizer.get_feature_names_out(), vectorizer.transform([text])
    assert set(found) == {names[w] for w in counts.indices}
    prepare, n_letters = vectorizer.build_preprocessor(), 0
    for word, own in found.items():
        parts = word.split(" ")
        told = [prepare(text[first:last]) for first, last in own]
        assert told == parts * (len(own) // len(parts)), word
        n_letters += sum(last - first for first, last in own)
        if kind is CountVectorizer:
            assert len(own) == len(parts) * counts[0, list(names).index(word)]
    assert n_letters > 0


@pytest.mark.parametrize(
    "model",
    [
        *MODELS.values(),
        FlatLDA(**SHORT),
        LearnedDependencyLDA((2,), n_topic_chains=1, n_topic_sweeps=5, **SHORT),
        FastDependencyLDA(2, **SHORT),
        BinaryRelevanceRidge(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_a_model_knows_of_names(model):
    labeller, _ = kept(model)
    for part in (None, *labeller.parts):
        assert labeller.words_of_label("car", 2, part)[0][0] == "car"
        assert labeller.words_of_label(NAMES[1], 1, part)[0][0] == "tree"
        first = labeller.labels_of_word("pear", 9, part)
        assert first[0][0] == NAMES[1] and all(weight > 0 for _, weight in first)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda one: one.words_of_label("ted"), "unknown label 'ted'; did you mean 'red'"),
        (lambda one: one.labels_of_word("aple"), "unknown word 'aple'; did you mean 'apple'"),
        (lambda one: one.topics_of_label("cat"), "unknown label 'cat'; did you mean 'car'"),
        (lambda one: one.topics_of_label("car", chain=2), "chain must be from 0 to 1, got 2"),
        (lambda one: one.words_of_label("car", part="SVM"), "unknown part 'SVM'.*'DependencyLDA'"),
        (lambda one: one.words_of_label("car", k=0), "k must be an integer of 1 or more"),
        (lambda one: one.explain(["red"], k=0), "k must be an integer of 1 or more"),
        (lambda one: one.explain("red"), "put it into a list"),
    ],
)
def test_mistakes_are_named(labellers, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(labellers["tokens"])
