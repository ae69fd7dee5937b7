"""What pyLDAvis and OCTIS are handed: the right names beside the right distributions, in the order of the model."""

import importlib.util
from itertools import pairwise

import numpy as np
import pytest

from polytopic.corpus import Corpus
from polytopic.models import LDA, PMM, BinaryRelevanceSVM, FlatLDA
from polytopic.practice import adaptors

WORDS = ("apple", "pear", "plum", "wheel", "motor", "brake", "note", "tune")
LABELS = ("fruit", "empty", "car", "<music>")
QUICK = {"n_chains": 1, "n_sweeps": 20, "inference": "mean_field", "random_state": 0}


@pytest.fixture(scope="module")
def corpus():
    """Sixty documents, each of one kind or two; a label without documents, a document without words and labels."""
    rng = np.random.default_rng(0)
    kinds = np.array([[3, 3, 3, 0, 0, 0, 0, 0], [0, 0, 0, 3, 3, 3, 0, 0], [0, 0, 0, 0, 0, 0, 4, 4]])
    of_kind = rng.random((60, 3)) < 0.5
    of_kind[-1] = False
    counts = np.array([rng.poisson(own @ kinds + 1e-9) for own in of_kind.astype(int)])
    return Corpus(counts, np.insert(of_kind, 1, False, axis=1), WORDS, LABELS, name="kinds")


@pytest.fixture(scope="module")
def flat(corpus):
    return FlatLDA(**QUICK).fit(corpus.counts, corpus.labels)


def of_fruit(words):
    return set(words) <= {"apple", "pear", "plum"}


def test_octis_has_names_in_order(flat, corpus):
    output = adaptors.to_octis(flat, corpus, corpus.select([3, 4]), n=3)
    assert of_fruit(output["topics"][0]) and set(output["topics"][1]) == {"wheel", "motor", "brake"}
    shapes = {name: np.shape(table) for name, table in output.items()}
    assert shapes == {
        "topics": (3, 3),
        "topic-word-matrix": (3, 8),
        "topic-document-matrix": (3, 60),
        "test-topic-document-matrix": (3, 2),
    }
    np.testing.assert_allclose(
        output["test-topic-document-matrix"], output["topic-document-matrix"][:, [3, 4]], rtol=1e-12
    )
    for words, phi in zip(output["topics"], output["topic-word-matrix"], strict=True):
        shares = [phi[WORDS.index(word)] for word in words]
        assert all(first >= second for first, second in pairwise(shares))
    assert "test-topic-document-matrix" not in adaptors.to_octis(flat, corpus)


def test_mistakes_are_named(flat, corpus):
    fitted = (corpus.counts, corpus.labels)
    with pytest.raises(ValueError, match="over must be one of words, labels"):
        adaptors.topics_of(flat, corpus, over="topics")
    with pytest.raises(ValueError, match="LDA has no distributions over labels"):
        adaptors.topics_of(LDA(2, n_sweeps=1, random_state=0).fit(corpus.counts), corpus, over="labels")
    with pytest.raises(ValueError, match="BinaryRelevanceSVM has no distributions over words"):
        adaptors.topics_of(BinaryRelevanceSVM().fit(*fitted), corpus)
    with pytest.raises(ValueError, match="no shares of a document"):
        adaptors.topics_of(PMM().fit(*fitted), corpus)
    other = Corpus(corpus.counts, corpus.labels[:, :2], WORDS, LABELS[:2], name="other")
    with pytest.raises(ValueError, match="other has 2 labels, but the model was fitted on 4"):
        adaptors.topics_of(flat, other)


needs_pyldavis = pytest.mark.skipif(
    importlib.util.find_spec("pyLDAvis") is None, reason="pyLDAvis is not installed: pip install pyLDAvis"
)


@needs_pyldavis
def test_pyldavis_keeps_the_order_and_the_names(flat, corpus):
    prepared = adaptors.to_pyldavis(flat, corpus, n_jobs=1, lambda_step=0.5)
    assert list(prepared.topic_coordinates["label"]) == ["fruit", "car", "<music>"]
    assert prepared.topic_order == [1, 2, 3]
    assert of_fruit(prepared.sorted_terms(1)["Term"].iloc[:3])
    page = adaptors.pyldavis_page(prepared)
    assert "<li>fruit</li><li>car</li><li>&lt;music&gt;</li>" in page
