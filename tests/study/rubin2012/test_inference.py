"""Fast and proper inference side by side: what is compared is what the estimator gives, kept and stored whole."""

import numpy as np
import pandas as pd
import pytest

from polytopic import metrics, paths
from polytopic.models import DependencyLDA, unseen
from polytopic.study import store
from polytopic.study.rubin2012 import drawing, inference
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

TINY = {"trained": "quick", "documents": 20}


@pytest.fixture
def model(monkeypatch, tmp_path):
    """A small model in place of the corpus's own, and a study of its own."""
    X, Y = corpus()
    model = DependencyLDA(n_topics=3, eta=4.0, alpha_sum=1.0, n_topic_chains=2, n_topic_sweeps=20, **SHORT)
    model.fit(X[:40], Y[:40])
    X = X.tolil()
    X[45] = 0
    X = X.tocsr()[40:]
    problem = model.unseen_model(), model.check_unseen(X), Y[40:], Y[:40]
    monkeypatch.setattr(inference, "opened", lambda *_: problem)
    scales = inference.curves.scales, inference.costs.scales
    monkeypatch.setitem(
        scales[0],
        "medium",
        TINY | {"repeat": range(2), "sweeps": [1, 3], "n_label_tokens": [0, 5, 20], "n_chains": 4},
    )
    monkeypatch.setitem(scales[1], "medium", TINY | {"ways": (0, 5, 20)})
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    return model, X, Y[40:]


@pytest.mark.parametrize("n_label_tokens", [0, 20])
def test_scores_are_the_estimators(model, n_label_tokens):
    fitted, X, _ = model
    fitted.set_params(inference="proper" if n_label_tokens else "fast", n_label_tokens=n_label_tokens or 1)
    fitted.set_params(burn_in=3, n_samples=1, lag=1, n_test_chains=4)
    schedule = unseen.Schedule(3, 1, 1, 4)
    found = inference.scored(
        fitted.unseen_model(), fitted.check_unseen(X), n_label_tokens, schedule, fitted.seed_
    )
    name = f"proper, M = {n_label_tokens}" if n_label_tokens else "fast"
    np.testing.assert_array_equal(found[name], fitted.decision_function(X))
    for scores in found.values():
        np.testing.assert_allclose(scores.sum(axis=1), 1)


def test_a_comparison_is_the_estimators_and_stored(model):
    fitted, X, truth = model
    where = ("debtags", "medium", fitted.seed_)
    curves, costs = (store.collect(which, *where) for which in (inference.curves, inference.costs))
    fitted.set_params(burn_in=3, n_samples=1, lag=1, n_test_chains=4)
    expected = metrics.ranking(truth, fitted.decision_function(X), "label")["auc_roc"]
    repeats = curves.query("inference == 'fast' and sweeps == 3 and measure == 'auc_roc'")["value"]
    assert repeats.nunique() == len(repeats) == 4  # of two repeats at two pivots
    row = curves.query(
        "repeat == 0 and inference == 'fast' and sweeps == 3 and pivot == 'label' and measure == 'auc_roc'"
    )
    assert row["value"].item() == pytest.approx(expected)
    proper = {f"proper, M = {m}{x}" for m in (5, 20) for x in ("", ", Eq. 12")}
    assert set(curves["inference"]) == {"fast"} | proper
    assert (costs["low"] <= costs["microseconds"]).all() and (costs["microseconds"] <= costs["high"]).all()
    assert costs["times_fast"][0] == 1
    kept = store.read(inference.curves)
    pd.testing.assert_frame_equal(kept, curves, check_like=True)
    pd.testing.assert_frame_equal(store.read(inference.costs), costs)
    (settings,) = inference.settings(kept).itertuples()
    assert (settings.corpus, settings.scale, settings.n_chains) == ("debtags", "medium", 4)


def curves_by_hand():
    values = {
        "fast": [0.5, 0.7, 0.8],
        "proper, M = 10": [0.4, 0.79, 0.79],
        "proper, M = 10, Eq. 12": [0.6, 0.9, 0.6],
    }
    rows = [
        ("here", "quick", repeat, name, sweeps, "label", "", "auc_roc", value + 0.01 * (2 * repeat - 1))
        for repeat in range(2)
        for name, curve in values.items()
        for sweeps, value in zip((1, 2, 4), curve, strict=True)
    ]
    columns = ["corpus", "scale", "repeat", "inference", "sweeps", "pivot", "cutoff", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def test_a_curve_is_settled_where_it_stays_near_its_end():
    found = inference.settled(curves_by_hand()).set_index("inference")
    assert found["settled"].to_dict() == {"fast": 4, "proper, M = 10": 2, "proper, M = 10, Eq. 12": 1}
    cells = inference.table(curves_by_hand())
    assert list(cells.columns) == ["fast", "proper, M = 10", "proper, M = 10, Eq. 12"]
    assert cells.loc[("here", "AUC-ROC, by label", 2), "fast"] == pytest.approx(0.7)
    assert found["last"]["fast"] == pytest.approx(0.8) and found["ahead"].round(3).tolist() == [
        0,
        -0.01,
        -0.2,
    ]
    assert set(found["sweeps"]) == {4}


def test_what_is_reached_in_the_same_time():
    costs = pd.DataFrame(
        {"corpus": "here", "inference": ["fast", "proper, M = 10"], "microseconds": [10.0, 25.0]}
    )
    timed = inference.by_second(curves_by_hand(), costs)
    expected = [0.01, 0.02, 0.04] + 2 * [0.025, 0.05, 0.1]
    assert timed["milliseconds"].tolist() == pytest.approx(2 * expected)
    (row,) = inference.in_the_same_time(timed).itertuples()
    assert (row.inference, row.sweeps) == ("proper, M = 10", 1) and row.value == pytest.approx(0.4)
    assert row.fast_sweeps == 2 and row.fast_value == pytest.approx(0.7)
    late = timed.assign(milliseconds=timed["milliseconds"].where(timed["inference"] != "fast", 9.0))
    slow = inference.in_the_same_time(late)
    assert slow["fast_sweeps"].isna().all()


def test_the_picture_has_the_papers_two_and_its_first_measure_against_time_too():
    """Of two repeats .4 and .6 the mean is .5, drawn for fast inference and for the most label tokens alone."""
    rows = [
        (shown, way, repeat, sweeps, 0.4 + 0.2 * repeat, 2.0 * sweeps)
        for shown in ("average precision", "AUC")
        for way in ("fast", "proper, M = 10", "proper, M = 1000", "proper, M = 1000, Eq. 12")
        for repeat in (0, 1)
        for sweeps in (1, 4)
    ]
    columns = ["shown", "inference", "repeat", "sweeps", "value", "milliseconds"]
    timed = pd.DataFrame(rows, columns=columns)
    axes = drawing.plot_inference(timed)
    assert [ax.get_title() for ax in axes] == ["Average precision", "Average precision", "AUC"]
    assert [line.get_label() for line in axes[0].lines] == ["fast", "proper, M = 1000"]
    for ax, x in zip(axes, ([1, 4], [2, 8], [1, 4]), strict=True):
        for line in ax.lines:
            assert line.get_xdata().tolist() == x and line.get_ydata() == pytest.approx([0.5, 0.5])
    assert len(drawing.plot_inference(timed.drop(columns="milliseconds"))) == 2
