"""A model that is kept comes back as it was, from plain data, and damage is named."""

import json
import pickle
from collections import deque
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from polytopic.corpus import Corpus
from polytopic.models import FlatLDA, persistence
from polytopic.models.persistence import ARRAYS, MODEL
from polytopic.practice.labeller import Labeller

TEXTS = ["a red apple", "a red car", "an apple tree", "a pear tree"]


@pytest.fixture
def kept(tmp_path):
    words = CountVectorizer()
    counts = words.fit_transform(TEXTS)
    own = Corpus(
        counts, [[1, 0], [1, 0], [0, 1], [0, 1]], words.get_feature_names_out(), ("red", "tree"), name="own"
    )
    model = FlatLDA(random_state=1).fit(own.counts, own.labels)
    Labeller.of(model, own, words).save(tmp_path / "model")
    return tmp_path / "model"


def test_texts_are_labelled_by_name(kept):
    found = Labeller.load(kept)
    assert found.corpus["name"] == "own" and found.corpus["documents"] == 4
    first, second = found.suggest(["red red apple", "a tree"], k=1)
    assert first[0][0] == "red" and second[0][0] == "tree" and 0.5 < first[0][1] <= 1
    assert [len(row) for row in found.suggest(np.zeros((2, len(found.vocabulary)), int), k=9)] == [2, 2]
    with pytest.raises(ValueError, match="put it into a list"):
        found.suggest("a red apple")
    alone = Labeller(found.model, found.vocabulary, found.label_names)
    with pytest.raises(ValueError, match="without a vectorizer"):
        alone.suggest(["a red apple"])


GIVEN = ["red red apple", "a tree", ""]
SHAPES = {
    "list": GIVEN,
    "tuple": tuple(GIVEN),
    "series": pd.Series(GIVEN, index=[7, 7, "x"]),
    "series of objects": pd.Series(GIVEN, dtype=object),
    "categories": pd.Series(GIVEN, dtype="category"),
    "index": pd.Index(GIVEN),
    "fixed width": np.array(GIVEN),
    "objects": np.array(GIVEN, object),
    "strings of any width": np.array(GIVEN, np.dtypes.StringDType()),
    "values": dict(enumerate(GIVEN)).values(),
    "a deque": deque(GIVEN),
}


@pytest.mark.parametrize("ask", [Labeller.suggest, Labeller.decide, Labeller.explain, Labeller.confidences])
def test_texts_come_in_any_series(kept, ask):
    """A column of a table was taken for counts, and the error held its first text; an iterator likewise."""
    labeller = Labeller.load(kept)
    own = (labeller, GIVEN, 2) if ask is Labeller.confidences else (labeller, GIVEN)
    expected = ask(*own)
    for shape in SHAPES.values():
        assert ask(labeller, shape, *own[2:]) == expected
    for read_once in (iter(GIVEN), (text for text in GIVEN)):
        assert ask(labeller, read_once, *own[2:]) == expected


SECRET = "the whole text of a letter"
NO_TEXTS = {
    "text 2 is missing": [
        [SECRET, "b", None],
        pd.Series([SECRET, "b", None]),
        pd.Series([SECRET, "b", pd.NA], dtype=object),
        np.array([SECRET, "b", np.nan], object),
        iter([SECRET, "b", pd.NaT]),
        pd.Series([SECRET, "b", None], dtype="category"),
    ],
    "text 1 is of type int": [[SECRET, 3], pd.Series([SECRET, 3])],
    "text 0 is of type bytes": [[b"letter"], np.array([b"letter"])],
    "text 0 is of type list": [[[SECRET], ["b"]], pd.Series([["letter"], ["b", "c"]])],
    "one text: put it into a list": [SECRET, np.str_(SECRET)],
    "of type dict: give a list of texts": [{"id": SECRET}],
    "of type set: give a list of texts": [{SECRET}],
    "of type bytes: give a list of texts": [b"letter"],
    "of type NoneType: give a list of texts": [None],
    "of type int: give a list of texts": [5],
    "table of texts: give one column of it": [pd.DataFrame({"text": [SECRET]}), np.array([[SECRET]])],
}  # fmt: skip


@pytest.mark.parametrize("message", NO_TEXTS)
def test_what_is_no_text_is_named_by_its_place_and_never_shown(kept, message):
    labeller = Labeller.load(kept)
    for given in NO_TEXTS[message]:
        with pytest.raises(ValueError, match=message) as refused:
            labeller.suggest(given)
        assert "letter" not in str(refused.value)


def rewritten(kept, change):
    head = json.loads((kept / MODEL).read_text())
    head.pop("checksum")
    change(head)
    (kept / MODEL).write_text(json.dumps({"checksum": persistence.digest(head)} | head))


def test_a_model_of_a_newer_version_is_refused_in_a_sentence(kept):
    rewritten(kept, lambda head: head.update(format=3, polytopic="9.0"))
    with pytest.raises(
        ValueError, match=r"format 3, written by polytopic 9\.0, .* use the version that wrote it"
    ):
        Labeller.load(kept)


def test_a_model_of_the_first_format_is_migrated():
    """The folder was written by version 0.2.0: PriorLDA by mean field, which draws nothing, on TEXTS."""
    found = Labeller.load(Path(__file__).parent / "kept_by_format_1")
    (first, _), *_ = best = found.suggest(TEXTS, k=2)
    assert found.corpus["name"] == "own" and first[0] == "red"
    scores = [[score for _, score in sorted(row)] for row in best]
    written = [
        [0.63014966, 0.36985034],
        [0.73681123, 0.26318877],
        [0.35075716, 0.64924284],
        [0.26777755, 0.73222245],
    ]
    np.testing.assert_allclose(scores, written, rtol=0, atol=1e-7)  # of another training some differ by .01


@pytest.mark.parametrize(
    "name", ["os.system", "subprocess.Popen", "polytopic.models.Nothing", "builtins.eval"]
)
def test_other_classes_are_never_made(kept, name):
    """A file that names a class of its own choice is refused: nothing in it is executed."""
    rewritten(
        kept,
        lambda head: head["state"]["items"][0].__setitem__(1, {"is": "object", "class": name, "state": {}}),
    )
    with pytest.raises(ValueError, match="does not know"):
        Labeller.load(kept)


def test_arrays_that_are_pickles_are_refused(kept):
    np.savez(kept / ARRAYS, a0=np.array([print], dtype=object))
    content = (kept / ARRAYS).read_bytes()
    known = {"bytes": len(content), "sha256": persistence.checksum(kept / ARRAYS)}
    rewritten(kept, lambda head: head.update(arrays=known))
    with pytest.raises(ValueError, match="pickle|cannot be read"):
        Labeller.load(kept)


VALUES = [
    None, True, 3, -0.0, float("inf"), "text", (1, "two"), {3, 4}, {(1, 2): [None]}, range(2, 9, 3),
    np.float32(1.5), np.array(["a", "bc"]), np.array([("x", 1)], dtype=[("a", "U3"), ("b", "<i4")]),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_as_they_were(value):
    arrays = {}
    tree = persistence.pack(value, arrays)
    again = persistence.unpack(json.loads(json.dumps(tree, allow_nan=False)), arrays)
    assert type(again) is type(value) and pickle.dumps(again) == pickle.dumps(value)


def test_a_full_disk_leaves_the_old_model(kept, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    before = Labeller.load(kept)
    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        before.save(kept)
    assert Labeller.load(kept).label_names == before.label_names
    assert sorted(path.name for path in kept.iterdir()) == [ARRAYS, MODEL]
