"""Surveys: what is stored is what a corpus says of itself, for every corpus at hand."""

import json
import os

import numpy as np
import pytest
from scipy import sparse

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.datasets import catalogue, load_corpus
from polytopic.study import corpora, surveys

LABELS = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], bool)
STORED = list(surveys.stored())


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty study."""
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    return tmp_path


def toy(name="toy", labels=LABELS, **parts):
    return Corpus(
        sparse.csr_matrix(np.ones((len(labels), 2), int)), sparse.csr_matrix(labels), name=name, **parts
    )


def test_a_survey_by_hand():
    corpus = toy(splits=[([0, 3], [1])])
    survey = surveys.survey(corpus)
    assert (survey["corpus"], survey["digest"]) == ("toy", corpus.digest)
    assert survey["label_frequencies"] == {"frequency": [1, 2, 3], "labels": [1, 1, 1]}
    assert survey["labels_per_document"] == {"labels": [0, 1, 2, 3], "documents": [1, 1, 1, 1]}
    assert survey["statistics"]["cardinality"] == 2 and survey["statistics"]["train_length"] == 2
    assert survey["statistics"]["mode_label_frequency"] is None


@pytest.mark.parametrize("change", ["real values", "no words"])
def test_a_length_in_words_needs_words(change):
    splits = [([0, 3], [1])]
    if change == "real values":
        counts = sparse.csr_matrix(np.full((4, 2), 0.5))
        corpus = Corpus(counts, sparse.csr_matrix(LABELS), splits=splits, real_valued=True)
    else:
        corpus = Corpus(sparse.csr_matrix((4, 0), dtype=int), sparse.csr_matrix(LABELS), splits=splits)
    statistics = surveys.survey(corpus)["statistics"]
    assert "train_length" not in statistics and statistics["train_documents"] == 2


def test_renewed_surveys_are_read_back(home, monkeypatch):
    crowded = toy("crowded", np.repeat(LABELS, 5, axis=0))
    known = {"crowded": crowded, "toy": toy()}
    monkeypatch.setattr(surveys, "load_corpus", known.get)
    assert surveys.renew(["crowded", "toy"]) == ["crowded", "toy"]
    assert [path.name for path in sorted(home.rglob("*.*"))] == ["crowded.json", "toy.json"]
    assert list(surveys.stored()) == ["toy", "crowded"]  # by median label frequency: 2, 10
    for read, made in (
        (surveys.label_frequencies, corpora.label_frequencies),
        (surveys.labels_per_document, corpora.labels_per_document),
    ):
        frame = read()
        for name, corpus in known.items():
            assert frame[frame["corpus"] == name].reset_index(drop=True).equals(made(corpus))
    frame = surveys.statistics()
    theirs = corpora.dataset_statistics(crowded)
    ours = frame[frame["corpus"] == "crowded"].reset_index(drop=True)
    np.testing.assert_allclose(ours["value"], theirs["value"])
    assert ours["statistic"].tolist() == theirs["statistic"].tolist()


def test_no_surveys_give_empty_frames(home):
    assert surveys.stored() == {}
    assert surveys.statistics().empty
    assert list(surveys.label_frequencies()) == ["corpus", "frequency", "labels"]
    assert surveys.labels_per_document().empty


def test_every_corpus_of_the_catalogue_has_a_survey():
    assert sorted(STORED) == sorted(catalogue.facts())


def recomputed(name):
    folder = paths.results() / "surveys"
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8")), surveys.survey(
        load_corpus(name)
    )


def test_the_survey_of_debtags_is_of_debtags():
    stored, now = recomputed("debtags")
    assert stored == json.loads(json.dumps(now))


@pytest.mark.real_data
@pytest.mark.parametrize("name", [name for name in STORED if name != "debtags"])
def test_a_survey_is_of_its_corpus(name):
    if not catalogue.at_hand(name):
        pytest.skip(f"{name} is not at hand: {catalogue.CORPORA} is {os.environ.get(catalogue.CORPORA)}")
    stored, now = recomputed(name)
    assert stored == json.loads(json.dumps(now))
