"""What is measured of scores that come a few documents at a time is what is measured of the whole table."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from polytopic import metrics
from polytopic.corpus import Corpus
from polytopic.metrics.in_blocks import Decided, rank_blocks
from polytopic.models import BinaryRelevanceRidge, classifier
from polytopic.practice.labeller import Labeller

SIZES = [1, 2, 7, 40]


def table(seed, kinds=5):
    """Return truth (40, 9) and scores of a few values, so that most are ties; a label and a document have nothing."""
    rng = np.random.default_rng(seed)
    truth = rng.random((40, 9)) < 0.3
    truth[:, 2], truth[11] = False, False
    truth[:, 4] = True
    return truth, rng.integers(0, kinds, (40, 9)) / 4


def blocks(scores, size):
    for start in range(0, len(scores), size):
        rows = slice(start, min(start + size, len(scores)))
        yield rows, scores[rows]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kinds", [1, 2, 5, 10**6])
def test_ranks_are_those_of_the_whole_table(size, kinds):
    for seed in range(5):
        truth, scores = table(seed, kinds)
        ranked = rank_blocks(truth, blocks(scores, size), blocks(scores, size))
        assert set(ranked) == set(metrics.PIVOTS)
        for pivot, found in ranked.items():
            expected = metrics.rank_positives(truth, scores, pivot)
            assert found._replace(ranks=0, entries=0, ptr=0) == expected._replace(ranks=0, entries=0, ptr=0)
            for name in ("ranks", "entries", "ptr"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("size", SIZES)
def test_decisions_are_those_of_the_whole_table(size):
    truth, scores = table(1)
    counted = Decided(sparse.csr_matrix(truth))
    for rows, some in blocks(scores, size):
        counted.add(rows, some > 0.5)
    assert counted.measures() == {p: metrics.decided(truth, scores > 0.5, p) for p in metrics.PIVOTS}


def peak(measure):
    tracemalloc.start()
    measure()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_memory_grows_with_a_block_and_the_positives():
    """Of 400 documents and 2,000 labels: a table is 6.4 MB, and 20 documents of it are 0.32 MB."""
    truth = sparse.random(400, 2000, density=0.001, rng=np.random.default_rng(0), format="csr") > 0

    def some():
        for start in range(0, 400, 20):
            yield slice(start, start + 20), np.random.default_rng(start).random((20, 2000))

    def in_blocks():
        counted = Decided(truth)
        for rows, scores in some():
            counted.add(rows, scores > 0.5)
        rank_blocks(truth, some(), some())

    def at_once():
        scores = np.concatenate([scores for _, scores in some()])
        metrics.ranking(truth, scores, "label")
        metrics.decided(truth, scores > 0.5)

    assert peak(in_blocks) < 3e6  # 1.6e6; at once 17e6
    assert peak(at_once) > 12e6


def test_whoever_asks_a_model_holds_a_block_of_scores(monkeypatch):
    """1,500 documents by 4,000 labels are 48 MB in double precision, and 30 documents of them 1 MB."""
    monkeypatch.setattr(classifier, "BLOCK_CELLS", 30 * 4000)
    rng = np.random.default_rng(0)
    X, rows = sparse.csr_matrix(rng.integers(0, 2, (1500, 5))), np.repeat(np.arange(1500), 3)
    Y = sparse.csr_matrix((np.ones(4500, bool), (rows, rng.integers(0, 4000, 4500))), shape=(1500, 4000))
    model, corpus = BinaryRelevanceRidge().fit(X, Y), Corpus(X, Y, name="own")
    labeller = Labeller.of(model, corpus)
    asked = {
        "score": lambda: model.score(X, Y),  # 1.8e6; 84e6 of whole tables
        "decide": lambda: labeller.decide(X),  # 1.7e6; 102e6
    }
    assert {name: peak(one) < 4e6 for name, one in asked.items()} == dict.fromkeys(asked, True)
