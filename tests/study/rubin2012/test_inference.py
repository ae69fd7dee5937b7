"""Fast and proper inference side by side: what is compared is what the estimator gives, kept and stored whole."""

import numpy as np
import pandas as pd
import pytest
from test_labelled_lda import SHORT, corpus

from polytopic import metrics, paths
from polytopic.models import DependencyLDA, unseen
from polytopic.study.rubin2012 import inference

TINY = {"train": "quick", "documents": 20, "n_chains": 4, "n_label_tokens": [5, 20], "sweeps": [1, 3]}


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A small model in place of the corpus's own, and a folder of results of its own."""
    X, Y = corpus()
    model = DependencyLDA(n_topics=3, eta=4.0, alpha_sum=1.0, n_topic_chains=2, n_topic_sweeps=20, **SHORT)
    model.fit(X[:40], Y[:40])
    X = X.tolil()
    X[45] = 0
    problem = model.unseen_model(), model.check_unseen(X.tocsr()[40:]), Y[40:], Y[:40]
    monkeypatch.setattr(inference, "prepared", lambda *_: problem)
    monkeypatch.setitem(inference.SCALES, "medium", TINY)
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    return model, X.tocsr()[40:], Y[40:], Y[:40]


@pytest.mark.parametrize("n_label_tokens", [0, 20])
def test_scores_are_the_estimators(model, n_label_tokens):
    fitted, X, _, _ = model
    fitted.set_params(inference="proper" if n_label_tokens else "fast", n_label_tokens=n_label_tokens or 1)
    fitted.set_params(burn_in=3, n_samples=1, lag=1, n_test_chains=4)
    found = inference._scores(
        fitted.unseen_model(),
        fitted.check_unseen(X),
        n_label_tokens,
        unseen.Schedule(3, 1, 1, 4),
        fitted.seed_,
    )
    name = f"proper, M = {n_label_tokens}" if n_label_tokens else "fast"
    np.testing.assert_array_equal(found[name], fitted.decision_function(X))
    for scores in found.values():
        np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_a_comparison_is_kept_stored_and_read_back(model, monkeypatch):
    fitted, X, truth, train_labels = model
    assert all(part.empty for part in inference.stored())
    assert inference.say_stored() == "Nothing is stored."
    curves, costs = inference.compare("debtags", "medium", seed=fitted.seed_)
    fitted.set_params(burn_in=3, n_samples=1, lag=1, n_test_chains=4)
    expected = metrics.ranking(truth, fitted.decision_function(X), "label")["auc_roc"]
    row = curves.query("inference == 'fast' and sweeps == 3 and pivot == 'label' and measure == 'auc_roc'")
    assert row["value"].item() == pytest.approx(expected)
    assert set(curves["inference"]) == {
        "fast",
        *(f"proper, M = {m}{x}" for m in (5, 20) for x in ("", ", Eq. 12")),
    }
    assert (costs["low"] <= costs["microseconds"]).all() and (costs["microseconds"] <= costs["high"]).all()
    monkeypatch.setattr(inference, "_scores", None)  # the cuts are kept: nothing is sampled again
    pd.testing.assert_frame_equal(inference.curves("debtags", "medium", fitted.seed_), curves)
    again = inference.stored(["debtags"])
    for table, other in zip((curves, costs), again, strict=True):
        pd.testing.assert_frame_equal(other, table, rtol=1e-6)
    assert inference.say_stored().startswith("debtags, medium scale, seed 5")
    assert all(part.empty for part in inference.stored(["another"]))
    with pytest.raises(ValueError, match="unknown scale"):
        inference.costs(scale="large")


def curves_by_hand():
    values = {
        "fast": [0.5, 0.7, 0.8],
        "proper, M = 10": [0.4, 0.79, 0.79],
        "proper, M = 10, Eq. 12": [0.6, 0.9, 0.6],
    }
    rows = [
        ("here", "quick", name, sweeps, "label", "", "auc_roc", value)
        for name, curve in values.items()
        for sweeps, value in zip((1, 2, 4), curve, strict=True)
    ]
    columns = ["corpus", "scale", "inference", "sweeps", "pivot", "cutoff", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def test_a_curve_is_settled_where_it_stays_near_its_end():
    found = inference.settled(curves_by_hand()).set_index("inference")
    assert found["settled"].to_dict() == {"fast": 4, "proper, M = 10": 2, "proper, M = 10, Eq. 12": 1}
    cells = inference.table(curves_by_hand())
    assert list(cells.columns) == ["fast", "proper, M = 10", "proper, M = 10, Eq. 12"]
    assert cells.loc[("here", "AUC-ROC, by label", 2), "fast"] == 0.7
    told = " ".join(inference.say_accuracy(curves_by_hand()).split())
    assert "after 4 sweeps fast 0.800 (settled by sweep 4)" in told
    assert "proper, M = 10 0.790 (-0.010, settled by sweep 2)" in told


def test_what_is_reached_in_the_same_time():
    costs = pd.DataFrame(
        [
            ("here", "fast", 30.0, 10.0, 9.0, 11.0, 1.0),
            ("here", "proper, M = 10", 30.0, 25.0, 20.0, 30.0, 2.5),
        ],
        columns=["corpus", "inference", "words", "microseconds", "low", "high", "times_fast"],
    )
    timed = inference.by_second(curves_by_hand(), costs)
    assert timed["milliseconds"].tolist() == pytest.approx([0.01, 0.02, 0.04] + 2 * [0.025, 0.05, 0.1])
    told = " ".join(inference.say_by_second(timed).split())
    assert told.count("proper") == 1
    assert "takes for 1 sweep, 0.400, fast inference makes 2 and reaches 0.700" in told
    assert "2.5 times fast inference's, no more than an order of magnitude" in " ".join(
        inference.say_costs(costs).split()
    )
