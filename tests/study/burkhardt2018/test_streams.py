"""Models that learn as documents come: test before training, columns as they are met, what counts as found."""

import numpy as np
import pytest
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.study.burkhardt2018 import online, tables


def acts():
    """Return a corpus of three batches in time; label 1 comes up in the second one, label 2 in the third."""
    labels = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    counts = np.array([[0, 2, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0], [1, 0, 1], [0, 1, 1]])
    splits = [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    return Corpus(counts, labels, splits=splits, split_names=("two", "three"), name="acts")


def test_columns_come_as_they_are_met():
    table, met = online._as_met(acts().counts, np.array([2, 4, 6]))
    assert met.column.tolist() == [1, 0, 2] and met.known.tolist() == [1, 2, 3]
    assert table.toarray()[:, 0].tolist() == [2, 1, 1, 0, 0, 1]


@pytest.mark.parametrize("model", [online.SO_FAR, online.ONLINE, online.PLAIN])
def test_a_year_is_scored_before_it_is_learnt(model):
    kept = online.years.function(acts(), model=model, passes=2, seed=0)
    rows = kept.rows.pivot(index="year", columns="measure", values="value")
    assert rows.loc["two", "new"] == 2 / 3 and rows.loc["two", "new_labels"] == 1
    assert rows.loc["three", "new"] == 2 / 4 and rows.loc["three", "labels"] == 3
    cohorts = kept.tables["cohorts"].set_index(["year", "first"])
    assert cohorts.loc[("two", "before")].tolist() == ["2", 1, 1, 1]
    assert cohorts.loc[("three", "two")].tolist() == [
        "2",
        1,
        1,
        1,
    ]  # with ten places every known label is found
    assert cohorts.loc[("three", "before")].tolist() == ["3 to 5", 1, 1, 1]
    assert len(cohorts) == 3  # label 2 was not met before
    assert rows["recall"].tolist() == [1, 1]


def test_found_counts_the_first_ten():
    truth = sparse.csr_matrix(np.eye(12, dtype=bool)[[0, 11]])
    scores = np.tile(np.arange(12.0), (2, 1))
    assert online._found(truth, scores).tolist() == [0] * 11 + [1]


def test_a_stream_is_scored_before_it_is_learnt():
    corpus = load_corpus("debtags")
    given = {"order": 0, "first": 100, "batch": 50, "passes": 2, "most": 200, "seed": 0}
    found = online.streams.function(corpus, model=online.ONLINE, **given)
    assert found["seen"].unique().tolist() == [100, 150] and found["value"].between(0, 1).all()
    again = online.streams.function(corpus, model=online.ONLINE, **given)
    assert found.equals(again)


def test_work_is_counted():
    train, _ = online.parts(load_corpus("debtags"), 60, 0)
    given = {"run": 0, "sweeps": (1, 2), "passes": (0.5, 2), "n_samples": 2, "documents": 60, "seed": 0}
    lengths, sizes = train.counts.sum(axis=1).A1, train.labels.getnnz(axis=1)
    both = (lengths * (sizes > 0)).sum()
    batch = online.convergence.function(load_corpus("debtags"), model=online.BATCH, **given)
    assert batch["weights"].iloc[0] == (lengths * sizes).sum() + 100 * both
    stream = online.convergence.function(load_corpus("debtags"), model=online.ONLINE, **given)
    whole = (lengths * sizes).sum() + 2 * 100 * sizes.sum()
    assert stream.groupby("progress")["weights"].first().to_dict() == {0.5: whole / 2, 2: 2 * whole}
    assert (stream.groupby("progress")["cpu_seconds"].first().diff().dropna() > 0).all()


def test_passes_go_on_where_they_stopped():
    train, _ = online.parts(load_corpus("debtags"), 60, 0)
    learner = online.MODELS[online.ONLINE](random_state=0, n_documents=60, minibatch=10)
    given = learner, train.counts, train.labels
    halves, whole = (
        [one.decision_function(train.counts[:5]) for one in online._after_passes(*given, passes)]
        for passes in ((0.5, 2), (2,))
    )
    assert np.array_equal(halves[1], whole[0]) and not np.array_equal(halves[0], halves[1])


def test_shares_by_frequency_add_up():
    kept = online.years.function(acts(), model=online.SO_FAR, passes=1, seed=0)
    cohorts = kept.tables["cohorts"].assign(model=online.SO_FAR)
    table = tables.by_frequency(cohorts)
    assert table["occurrences"].sum() == cohorts["occurrences"].sum() and table[online.SO_FAR].eq(1).all()
