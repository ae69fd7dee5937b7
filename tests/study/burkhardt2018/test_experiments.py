"""The measures of section 5.2 spelled out; models that learn as documents come are tested before they learn."""

import numpy as np
import pytest
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.study.burkhardt2018 import online, protocol

DEBTAGS = load_corpus("debtags")


def test_measures_are_those_of_section_5_2():
    random = np.random.default_rng(0)
    truth = random.random((60, 9)) < 0.2
    truth[:, 4], truth[7] = False, False  # a label without positives, a document without labels
    scores = np.round(random.random(truth.shape) + 0.5 * truth, 1)  # with ties
    n_labels = random.integers(0, 5, 60)
    decided = np.zeros(truth.shape, bool)
    for d, n in enumerate(n_labels):
        decided[d, sorted(range(9), key=lambda c: (-scores[d, c], c))[:n]] = True
    tp, fp, fn = (truth & decided).sum(0), (~truth & decided).sum(0), (truth & ~decided).sum(0)
    precision, recall = tp.sum() / (tp + fp).sum(), tp.sum() / (tp + fn).sum()
    f = [2 * a / (2 * a + b + c) if a else 0.0 for a, b, c in zip(tp, fp, fn, strict=True)]
    expected = {
        "micro_f1": 2 * precision * recall / (precision + recall),
        "macro_f1": np.mean(f),  # over labels with positives alone it would be off by .05
        "micro_precision": precision,
        "micro_recall": recall,
        "hamming_loss": np.mean(truth != decided),
        "rank_one_error": 1 - np.mean([truth[d, np.argmax(scores[d])] for d in range(60) if truth[d].any()]),
    }
    found = protocol.measures(sparse.csr_matrix(truth), scores, n_labels)
    assert list(found) == protocol.MEASURED
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)


class Recorder:
    """A learner that notes what it does, with how many documents and tokens, and scores at random."""

    def __init__(self):
        self.done = []

    def partial_fit(self, X, Y):
        self.done.append(("learn", X.shape[0], X.sum()))
        self.n_labels = Y.shape[1]

    def decision_function(self, X):
        self.done.append(("score", X.shape[0], X.sum()))
        return np.random.default_rng(0).random((X.shape[0], self.n_labels))


@pytest.mark.parametrize("model", [online.SO_FAR, online.ONLINE, online.PLAIN])
def test_a_year_is_scored_before_it_is_learnt(model, monkeypatch):
    labels = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    counts = np.array([[0, 2, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0], [1, 0, 1], [0, 1, 1]])
    splits = [
        ([0, 1], [2, 3]),
        ([0, 1, 2, 3], [4, 5]),
    ]  # label 1 comes up in the second part, label 2 in the third
    acts = Corpus(counts, labels, splits=splits, split_names=("two", "three"), name="acts")
    met, known = online._as_met(acts.counts, np.array([2, 4, 6]))
    assert known.tolist() == [1, 2, 3] and met.toarray()[:, 0].tolist() == [2, 1, 1, 0, 0, 1]
    kept = online.years.function(acts, model=model, passes=2, seed=0)
    rows = kept.rows.pivot(index="year", columns="measure", values="value")
    assert rows.loc["two", ["new", "new_labels"]].tolist() == [2 / 3, 1]
    assert rows.loc["three", ["new", "labels"]].tolist() == [2 / 4, 3]
    assert rows["recall"].tolist() == [1, 1]  # with ten places every known label is found
    assert kept.tables["cohorts"].values.tolist() == [
        ["two", "before", "2", 1, 1, 1],
        ["three", "before", "3 to 5", 1, 1, 1],
        ["three", "two", "2", 1, 1, 1],
    ]
    if model != online.SO_FAR:
        learner = Recorder()
        monkeypatch.setitem(online.MODELS, model, lambda **how: learner)
        online.years.function(acts, model=model, passes=1, seed=0)
        assert [kind for kind, *_ in learner.done] == ["learn", "score", "learn", "score", "learn"]


def test_a_stream_is_scored_before_it_is_learnt(monkeypatch):
    """A recorder tells the order: what is returned looks the same where a batch is learnt first."""
    given = {"order": 0, "first": 100, "batch": 50, "passes": 2, "most": 200, "seed": 0}
    found, again = (online.streams.function(DEBTAGS, model=online.ONLINE, **given) for _ in range(2))
    assert found["seen"].unique().tolist() == [100, 150] and found.equals(again)

    learner = Recorder()
    monkeypatch.setitem(online.MODELS, online.ONLINE, lambda **how: learner)
    online.streams.function(DEBTAGS, model=online.ONLINE, **given)
    what, tokens = [(kind, n) for kind, n, _ in learner.done], [tokens for *_, tokens in learner.done]
    assert what == [("learn", 100)] * 2 + [("score", 50), ("learn", 50)] * 2
    assert tokens[2] == tokens[3] != tokens[4] == tokens[5]


def test_work_is_counted():
    train, _ = protocol.parts(DEBTAGS, 60, 0)
    given = {"run": 0, "sweeps": (1, 2), "passes": (0.5, 2), "n_samples": 2, "documents": 60, "seed": 0}
    lengths, sizes = train.counts.sum(axis=1).A1, train.labels.getnnz(axis=1)
    batch = online.convergence.function(DEBTAGS, model=online.BATCH, **given)
    assert batch["weights"].iloc[0] == (lengths * sizes).sum() + 100 * (lengths * (sizes > 0)).sum()
    stream = online.convergence.function(DEBTAGS, model=online.ONLINE, **given)
    whole = (lengths * sizes).sum() + 2 * 100 * sizes.sum()
    assert stream.groupby("progress")["weights"].first().to_dict() == {0.5: whole / 2, 2: 2 * whole}


def test_passes_go_on_where_they_stopped():
    train, _ = protocol.parts(DEBTAGS, 60, 0)
    learner = online.MODELS[online.ONLINE](random_state=0, n_documents=60, minibatch=10)
    half, two, at_once = (
        one.decision_function(train.counts[:5])
        for passes in ((0.5, 2), (2,))
        for one in online._after_passes(learner, train.counts, train.labels, passes)
    )
    assert np.array_equal(two, at_once) and not np.array_equal(half, two)
