"""What learned settings gain: tables and sentences from small results, and the experiments behind them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.study import result_tables
from polytopic.study.rubin2012 import drawing, experiments, learning, verdicts

TINY = {
    "train": {"n_chains": 2, "n_sweeps": 3},
    "topics": {"n_topic_chains": 1, "n_topic_sweeps": 5},
    "test": {"n_test_chains": 1, "burn_in": 2, "n_samples": 1, "lag": 1},
}


def results(values, corpus="abc"):
    """Return results of models "new" and "old" from {(split, cutoff, measure): (new, old)}, by document."""
    rows = [
        (corpus, model, split, 0, "small", "document", cutoff, measure, value)
        for (split, cutoff, measure), pair in values.items()
        for model, value in zip(("new", "old"), pair, strict=True)
    ]
    return pd.DataFrame(rows, columns=experiments.MEASURE_COLUMNS)


@pytest.fixture
def found():
    values = {
        (0, "", "one_error"): (20.0, 25.0),
        (1, "", "one_error"): (26.0, 25.0),
        (0, "", "ranking_loss"): (1.0, 2.0),
        (0, "bep", "macro_f1"): (0.5, 0.6),
        (0, "bep", "macro_precision"): (0.9, 0.1),
        (2, "", "auc_roc"): (0.9, 0.9),
    }
    return result_tables.gains(results(values), "new", "old")


def test_a_gain_points_to_the_better_side(found):
    """Errors count downwards; ranking loss is AUC-ROC's, and precision is none of the 24 measures."""
    gain = found.set_index("measure")["gain"]
    assert dict(gain.round(6)) == {"one_error": 2.0, "macro_f1": -0.1, "auc_roc": 0.0}
    errors = found.set_index("measure").loc["one_error"]
    assert (errors["first"], errors["second"], errors["low"], errors["high"], errors["splits"]) == (
        23,
        25,
        -1,
        5,
        2,
    )


def test_splits_that_only_one_model_has_are_left_out():
    both = results({(0, "", "auc_roc"): (0.9, 0.8), (1, "", "auc_roc"): (0.1, 0.8)})
    lacking = both[~((both["model"] == "old") & (both["split"] == 1))]
    assert result_tables.gains(lacking, "new", "old")["gain"].tolist() == pytest.approx([0.1])
    assert result_tables.gains(both[both["model"] == "old"], "new", "old").empty


def test_gains_in_print(found):
    text = result_tables.gains_table(found)
    assert text.loc[("document", "One-Err ↓"), "abc"] == "23.0 (+2.0*)"
    assert text.loc[("document", "BEP Macro-F1 ↑"), "abc"] == "0.500 (-0.100 )"
    said = verdicts.gains(found, least=2)
    assert "ahead on 1 of 3 measures over 2 splits, fewer than the 2 aimed at" in said.replace("\n    ", " ")
    assert "Behind on document-pivoted, bep, macro_f1." in said.replace("\n    ", " ")
    assert verdicts.gains(found.iloc[:0]) == "There are no two models to compare."
    assert drawing.plot_gains(found).shape == (1,)


def test_fixed_points_in_words():
    points = pd.DataFrame(
        [("n_topics", 20, 20), ("eta", 10.0, 2.0), ("alpha_sum", 1.0, 0.0), ("beta_w", 0.01, 0.03)],
        columns=["setting", "hand_set", "fixed_point"],
    )
    said = verdicts.fixed_points(points)
    by_hand = "the one by hand"
    assert (
        said == f"At the fixed point eta is 1/5 of {by_hand}, alpha_sum is 0 and beta_w is 3 times {by_hand}."
    )


def small_study(monkeypatch, tmp_path):
    """Return a corpus of 60 documents and 6 labels, in a study of its own with chains that take no time."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv(paths.HOME, str(tmp_path / "home"))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    for scale in ("quick", "small"):
        monkeypatch.setitem(experiments.SCALES, scale, TINY)
    rng = np.random.default_rng(0)
    labels = rng.random((60, 6)) < [0.6, 0.5, 0.4, 0.4, 0.3, 0.3]
    labels[:, 0] |= ~labels.any(axis=1)
    counts = rng.poisson(1 + 2 * labels @ rng.random((6, 12)))
    made = Corpus(sparse.csr_matrix(counts), sparse.csr_matrix(labels), name="tiny")
    return made.with_splits(n_splits=2, train_fraction=0.5, seed=1)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    return small_study(monkeypatch, tmp_path)


def test_what_was_learned_is_stored_beside_the_measures(tiny):
    for model in ("Dependency-LDA", *experiments.LEARNED):
        experiments.run(tiny, model, scale="small", n_jobs=1)
    settings, trials = experiments.stored_learning([tiny.name])
    assert set(settings["model"]) == {"Dependency-LDA", *experiments.LEARNED}
    assert set(settings["setting"]) == set(experiments.SETTINGS)
    assert set(trials["model"]) == {"Learned Dependency-LDA"}
    assert len(learning.gains([tiny.name])) == 24
    curves = result_tables.trial_curves(trials)
    assert curves["weight"].nunique() * 2 == len(curves)
    assert result_tables.learned_table(settings).shape == (
        len(experiments.SETTINGS),
        1 + len(experiments.LEARNED),
    )


def test_hybrids_are_experiments_too(tiny):
    result = experiments.run(tiny, "Calibrated Vanilla SVM", scale="small", n_jobs=1)
    assert "Vanilla SVM__C" in result["settings"]
    assert all(np.isfinite(row["value"]) for row in result["measures"])


def test_forms_of_alpha_hold_each_other(tiny):
    """Even weights are a case of frequencies, and of free ones: more weights are never less likely."""
    forms = learning.forms_of_alpha(tiny).set_index("form")["log_likelihood"]
    assert forms[learning.FORMS["free"]] >= forms[learning.FORMS["even"]] - 1e-3
    assert forms[learning.FORMS["frequencies"]] >= forms[learning.FORMS["even"]] - 1e-3
    points = learning.fixed_points(tiny).set_index("setting")
    assert list(points.index) == list(experiments.SETTINGS)
    assert (points["fixed_point"] >= 0).all()


def test_a_sample_is_of_the_split_it_is_drawn_from(tiny):
    part = learning.sample(tiny, 20, 10, split=1)
    train, test = part.split(0)
    assert (train.n_documents, test.n_documents) == (20, 10)
    rows = [{tuple(row) for row in half.counts.toarray()} for half in (*tiny.split(1), train, test)]
    assert rows[2] <= rows[0] and rows[3] <= rows[1]
    assert learning.sample(tiny, 500, 500).n_documents == 60
