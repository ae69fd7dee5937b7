"""Surveys of corpora: what is stored is what a corpus says of itself, for every corpus at hand."""

import os

import numpy as np
import pytest
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets import catalogue, load_corpus
from polytopic.study import corpora, store
from polytopic.study.store import Result

LABELS = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], bool)
STORED = list(dict.fromkeys(corpora.surveyed()["corpus"]))
TALLIES = ("label_frequencies", "labels_per_document")


def toy(name="toy", labels=LABELS, **parts):
    return Corpus(
        sparse.csr_matrix(np.ones((len(labels), 2), int)), sparse.csr_matrix(labels), name=name, **parts
    )


def test_a_survey_by_hand():
    found = corpora.survey(toy(splits=[([0, 3], [1])]))
    frequencies, sizes = (found.tables[name].to_dict("list") for name in TALLIES)
    assert frequencies == {"frequency": [1, 2, 3], "labels": [1, 1, 1]}
    assert sizes == {"labels": [0, 1, 2, 3], "documents": [1, 1, 1, 1]}
    values = found.rows.set_index("statistic")["value"]
    assert values["cardinality"] == 2 and values["train_length"] == 2
    assert np.isnan(values["mode_label_frequency"])


@pytest.mark.parametrize("change", ["real values", "no words"])
def test_a_length_in_words_needs_words(change):
    splits = [([0, 3], [1])]
    if change == "real values":
        counts = sparse.csr_matrix(np.full((4, 2), 0.5))
        corpus = Corpus(counts, sparse.csr_matrix(LABELS), splits=splits, real_valued=True)
    else:
        corpus = Corpus(sparse.csr_matrix((4, 0), dtype=int), sparse.csr_matrix(LABELS), splits=splits)
    values = corpora.survey(corpus).rows.set_index("statistic")["value"]
    assert "train_length" not in values and values["train_documents"] == 2


def stored(name):
    head = next(one for one in store.places(corpora.survey) if one.corpus == name)
    return head.units(load_corpus(name).digest)["[]"]


def same(first: Result, second: Result):
    assert list(first.tables) == list(second.tables)
    for one, other in zip(
        (first.rows, *first.tables.values()), (second.rows, *second.tables.values()), strict=True
    ):
        assert one.reset_index(drop=True).equals(other.reset_index(drop=True))


def test_the_survey_of_debtags_is_of_debtags():
    same(stored("debtags"), corpora.survey(load_corpus("debtags")))


@pytest.mark.real_data
@pytest.mark.parametrize("name", [name for name in STORED if name != "debtags"])
def test_a_survey_is_of_its_corpus(name):
    if not catalogue.at_hand(name):
        pytest.skip(f"{name} is not at hand: {catalogue.CORPORA} is {os.environ.get(catalogue.CORPORA)}")
    same(stored(name), corpora.survey(load_corpus(name)))
