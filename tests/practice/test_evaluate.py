"""``polytopic evaluate`` of tables too large to be cached: a block of documents at a time, by the same numbers."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from polytopic.command import cli
from polytopic.corpus import Corpus
from polytopic.datasets import write_converted
from polytopic.models import (
    PMM,
    BinaryRelevanceRidge,
    FlatLDA,
    HybridClassifier,
    classifier,
    hybrid,
    unseen,
)
from polytopic.practice import training
from polytopic.practice.labeller import Labeller
from reference.corpora import labelled

CHAINS = {"n_chains": 2, "n_sweeps": 3, "n_test_chains": 2, "random_state": 0}
MODELS = [
    FlatLDA(**CHAINS),
    FlatLDA(**CHAINS, streams="row"),
    BinaryRelevanceRidge(),
    PMM(),
    HybridClassifier([("ridge", BinaryRelevanceRidge())], random_state=0),
]


def judged(capsys, folder, *options):
    assert cli.main(["evaluate", str(folder / "model"), str(folder / "own"), *options]) == 0
    return capsys.readouterr().out


def keep(folder, model, corpus):
    write_converted(corpus, folder / "own")
    Labeller.of(model, corpus).save(folder / "model")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_blocks_of_documents_have_the_numbers_of_all_at_once(model, tmp_path, capsys, monkeypatch):
    X, Y = labelled()
    keep(tmp_path, model.fit(X, Y), Corpus(X, Y, name="own"))
    options = ["--cutoff", "0.3"] if hasattr(model, "predict_proba") else []
    at_once = judged(capsys, tmp_path, *options)
    monkeypatch.setattr(training, "MOST_CACHED", 0)
    for module, name in ((classifier, "BLOCK_CELLS"), (hybrid, "SCORED_CELLS"), (unseen, "BLOCK_CELLS")):
        monkeypatch.setattr(module, name, 2 * Y.shape[1])
    assert judged(capsys, tmp_path, *options) == at_once
    assert "score all documents alike" not in at_once


def test_labels_that_tell_no_documents_apart_are_counted(tmp_path, capsys):
    """They go by the order of the documents, which says nothing of the model."""
    X, Y = labelled()
    trained = sparse.csr_matrix(Y.toarray() * (np.arange(Y.shape[1]) > 1))
    keep(tmp_path, FlatLDA(**CHAINS).fit(X, trained), Corpus(X, Y, name="own"))
    assert "labels that occur\n2 of these score all documents alike" in judged(capsys, tmp_path)


def test_memory_is_that_of_a_block_of_scores(tmp_path, capsys, monkeypatch):
    """1,500 documents by 4,000 labels are 48 MB in double precision, and 30 documents of them 1 MB."""
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.integers(0, 2, (1500, 5)))
    rows = np.repeat(np.arange(1500), 3)
    Y = sparse.csr_matrix((np.ones(4500, bool), (rows, rng.integers(0, 4000, 4500))), shape=(1500, 4000))
    keep(tmp_path, BinaryRelevanceRidge().fit(X, Y), Corpus(X, Y, name="own"))
    monkeypatch.setattr(training, "MOST_CACHED", 0)
    monkeypatch.setattr(classifier, "BLOCK_CELLS", 30 * 4000)
    judged(capsys, tmp_path)  # compiling takes 180e6
    tracemalloc.start()
    judged(capsys, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6  # 4.7e6; 73e6 when whole tables were cached
