"""A model that is kept comes back as it was, from plain data, and damage is named."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from test_settings import UNSEEN, answer, corpus, every_estimator

from polytopic import keeping, packing
from polytopic.corpus import Corpus
from polytopic.keeping import ARRAYS, MODEL, DamagedModel
from polytopic.labeller import Labeller
from polytopic.models import BinaryRelevanceSVM, FlatLDA

TEXTS = ["a red apple", "a red car", "an apple tree", "a pear tree"]


def fitted(model):
    counts, labels = corpus(1)
    return clone(model).fit(counts, labels), Corpus(counts, labels, name="toy")


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


@every_estimator
def test_every_model_comes_back_from_plain_data(model, tmp_path):
    before, own = fitted(model)
    Labeller.of(before, own).save(tmp_path)
    after = Labeller.load(tmp_path)
    assert after.corpus == {"name": "toy", "digest": own.digest, "documents": 30}
    after = after.model
    assert type(after) is type(before) and repr(after) == repr(before)
    np.testing.assert_array_equal(answer(after), answer(before))
    assert vars(after).keys() == vars(before).keys()


def test_texts_are_labelled_by_name(kept):
    found = Labeller.load(kept)
    first, second = found.suggest(["red red apple", "a tree"], k=1)
    assert first[0][0] == "red" and second[0][0] == "tree" and 0.5 < first[0][1] <= 1
    assert [len(row) for row in found.suggest(np.zeros((2, len(found.vocabulary)), int), k=9)] == [2, 2]
    with pytest.raises(ValueError, match="put it into a list"):
        found.suggest("a red apple")
    alone = Labeller(found.model, found.vocabulary, found.label_names)
    with pytest.raises(ValueError, match="without a vectorizer"):
        alone.suggest(["a red apple"])


def test_labels_of_any_model_are_ranked_by_its_decisions():
    model, own = fitted(BinaryRelevanceSVM(random_state=1))
    found = Labeller.of(model, own).suggest(UNSEEN, k=2)
    scores = model.decision_function(UNSEEN)
    assert [[int(label) - 1 for label, _ in row] for row in found] == np.argsort(-scores, kind="stable")[
        :, :2
    ].tolist()


def test_a_labeller_needs_parts_that_belong_together(kept):
    found = Labeller.load(kept)
    own = Corpus(np.eye(3, dtype=int), np.eye(3, dtype=bool))
    with pytest.raises(ValueError, match="the model has 6 words and corpus 3"):
        Labeller.of(found.model, own)
    with pytest.raises(NotFittedError):
        Labeller.of(FlatLDA(), own)


def damage(path, change):
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(bytes(content))


def flip(content):
    content[len(content) // 2] ^= 1


def cut(content):
    del content[-10:]


@pytest.mark.parametrize("name", [MODEL, ARRAYS])
@pytest.mark.parametrize("change", [flip, cut, bytearray.clear])
def test_damage_is_named(kept, name, change):
    damage(kept / name, change)
    with pytest.raises(DamagedModel, match=re.escape(name)):
        Labeller.load(kept)


def test_missing_files_are_named(kept, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no model in"):
        Labeller.load(tmp_path / "nothing")
    (kept / ARRAYS).unlink()
    with pytest.raises(DamagedModel, match="arrays.npz is missing"):
        Labeller.load(kept)


def rewritten(kept, change):
    head = json.loads((kept / MODEL).read_text())
    head.pop("checksum")
    change(head)
    (kept / MODEL).write_text(json.dumps({"checksum": keeping.digest(head)} | head))


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


def test_migrations_lead_from_format_to_format(kept, monkeypatch):
    rewritten(kept, lambda head: head.update(format=0, kind="unknown"))
    monkeypatch.setitem(keeping.MIGRATIONS, 0, lambda head: head | {"format": 1})
    assert Labeller.load(kept).label_names == ("red", "tree")


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
    known = {"bytes": len(content), "sha256": keeping.checksum(kept / ARRAYS)}
    rewritten(kept, lambda head: head.update(arrays=known))
    with pytest.raises(ValueError, match="pickle|cannot be read"):
        Labeller.load(kept)


VALUES = [
    None, True, 3, -0.0, float("inf"), "text", (1, "two"), {3, 4}, {(1, 2): [None]}, range(2, 9, 3),
    np.float32(1.5), np.array(["a", "bc"]), np.array([("x", 1)], dtype=[("a", "U3"), ("b", "<i4")]),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_as_they_were(value):
    tree, arrays = packing.pack(value)
    again = packing.unpack(json.loads(json.dumps(tree, allow_nan=False)), arrays)
    assert type(again) is type(value) and pickle.dumps(again) == pickle.dumps(value)


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_matrices_come_back_as_they_were(form):
    value = getattr(sparse, form)(np.array([[0, 2], [3, 0]]))
    tree, arrays = packing.pack(value)
    again = packing.unpack(json.loads(json.dumps(tree)), arrays)
    assert type(again) is type(value) and (again != value).nnz == 0


def test_what_is_no_data_is_named():
    model, own = fitted(FlatLDA(random_state=1))
    model.extra = {"hook": print}
    with pytest.raises(packing.Unpackable, match=r"model\.extra|extra\['hook'\]"):
        packing.pack(model)


def test_a_full_disk_leaves_the_old_model(kept, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    before = Labeller.load(kept)
    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        before.save(kept)
    assert Labeller.load(kept).label_names == before.label_names
    assert sorted(path.name for path in kept.iterdir()) == [ARRAYS, MODEL]
