"""Systems and their results: what a unit keeps, what is stored, and that one more system breaks nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic import metrics, paths
from polytopic.corpus import Corpus
from polytopic.metrics import MEASURES, PIVOTS
from polytopic.models import PMM
from polytopic.study import claims, result_tables, store
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import readings, results, systems

TINY = {
    "train": {"n_chains": 2, "n_sweeps": 3},
    "topics": {"n_topic_chains": 2, "n_topic_sweeps": 3},
    "test": {"n_test_chains": 2, "burn_in": 2, "n_samples": 2, "lag": 1},
}
CELL = ["split", "model", "pivot", "cutoff", "measure"]


def corpus(name="tiny", n_documents=50, shares=(0.5, 0.4, 0.3, 0.2, 0.1)):
    rng = np.random.default_rng(0)
    labels = rng.random((n_documents, len(shares))) < shares
    labels[:, 0] |= ~labels.any(axis=1)
    counts = rng.poisson(1 + 2 * labels @ rng.random((len(shares), 12)))
    made = Corpus(sparse.csr_matrix(counts), sparse.csr_matrix(labels), name=name)
    return made.with_splits(n_splits=2, train_fraction=0.5, seed=1)


@pytest.fixture
def study(tmp_path, monkeypatch):
    apart(tmp_path, monkeypatch)


def apart(tmp_path, monkeypatch):
    """Make a study of its own, with chains that take no time."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv(paths.HOME, str(tmp_path / "home"))
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(results, "JOBS", 1)
    for scale in systems.CHAINS:
        monkeypatch.setitem(systems.CHAINS, scale, TINY)


def test_every_model_and_measure_comes_out_tidy(study):
    table = results.measures(corpus(), splits=(0, 1))
    assert list(table) == ["corpus", "scale", "seed", *CELL, "value"]
    assert tuple(table["model"].unique()) == systems.PAPER_FIVE
    assert len(table) == 5 * 2 * 2 * (7 + 3 * 6) + 2 * 2 * 6  # by label two SVMs have thresholds of their own
    assert np.isfinite(table["value"]).all()
    both = table[(table["model"] == "Prior-LDA") & (table["pivot"] == "label") & (table["split"] == 1)]
    values = both.set_index(["cutoff", "measure"])["value"]
    assert values["", "ranking_loss"] == pytest.approx(100 * (1 - values["", "auc_roc"]))


def test_measures_are_those_of_the_scores(study):
    """The way through kept ranks gives what ``metrics.evaluate`` gives of the scores, to the last bit."""
    train, test = corpus().split(0)
    model = systems.build("Vanilla SVM", "tiny", train).fit(train.counts, train.labels)
    seen = np.flatnonzero(train.labels.getnnz(axis=0))
    scores = model.decision_function(test.counts)[:, seen]
    table = results.measures(corpus(), "Vanilla SVM").set_index(["pivot", "cutoff", "measure"])["value"]
    for pivot in metrics.PIVOTS:
        expected = metrics.evaluate(test.labels[:, seen], scores, pivot, train.labels[:, seen])
        assert {cell: table[pivot, *cell] for cell in expected} == expected


def test_a_new_measure_is_a_re_read(study, monkeypatch):
    """What is kept of a unit gives its measures again, other cut-offs and measures per item, without a model."""
    ((_, kept),) = store.units(results.results, corpus(), "small", split=[0], model=["Flat-LDA"])
    monkeypatch.setattr(systems, "build", lambda *arguments: pytest.fail("trained again"))
    ((_, again),) = store.units(results.results, corpus(), "small", split=[0], model=["Flat-LDA"])
    pd.testing.assert_frame_equal(results.measured(again.arrays), kept.rows)
    ranked, expected = results.rankings(again.arrays)["document"]
    hits = np.array(
        [np.sum(ranked.ranks[a:b] <= 3) for a, b in zip(ranked.ptr, ranked.ptr[1:], strict=False)]
    )
    table = results.measured(again.arrays, {"top 3": 3}, empty="zero")
    row = table[(table["pivot"] == "document") & (table["cutoff"] == "top 3")].set_index("measure")["value"]
    assert row["macro_precision"] == pytest.approx(hits.mean() / 3)
    assert expected.shape == (ranked.n_positive.size,)


def test_stored_results_are_of_the_scale_that_has_most_of_the_models(study):
    results.measures(corpus(), ["Flat-LDA", "Vanilla SVM"], scale="small")
    results.measures(corpus(), ["Vanilla SVM", "PMM1"], scale="paper")
    assert set(results.stored("tiny", ["Flat-LDA", "Vanilla SVM"])["scale"]) == {"small"}
    assert set(results.stored("tiny", ["Vanilla SVM"])["scale"]) == {"paper"}
    assert set(results.stored("tiny")["model"]) == {"Flat-LDA", "Vanilla SVM"}
    assert results.stored("tiny", ["Flat-LDA", "PMM1"], whole=True).empty
    assert list(results.stored("nothing")) == ["corpus", "scale", "seed", *CELL, "value"]
    assert results.stored(None, ["PMM1"])["corpus"].unique().tolist() == ["tiny"]


def test_a_sixth_system_breaks_nothing(study, monkeypatch):
    """A sixth entry once ended an import, and emptied figures 8, 9 and 13."""
    monkeypatch.setitem(systems.SYSTEMS, "Sixth", systems.System(PMM, settings={"xi": 1.5}))
    models = [*systems.PAPER_FIVE, "Sixth"]
    results.measures(corpus(), models, scale="paper")
    assert "Sixth" not in set(results.stored(None, whole=True)["model"])
    six = results.stored("tiny", models, whole=True)
    assert "Sixth" in result_tables.starred(six, "document", "binary").index.get_level_values("model")
    assert set(result_tables.best_counts(six)["model"]) == set(models)


def test_both_readings_of_the_tuned_svm_are_judged():
    """A check is called again with the tuned SVM of both weights, wherever a model is named."""
    calls = []

    def check(corpora, models, measures=None):
        calls.append((corpora, models))
        return claims.cases(pd.DataFrame({"corpus": corpora}), "case", 1.0, True)

    cases = readings.twice(check, ["toy"], ["Flat-LDA", "Tuned SVM"])
    assert [models for _, models in calls] == [["Flat-LDA", "Tuned SVM"], ["Flat-LDA", systems.BOTH_WEIGHTS]]
    assert [one["reading"].tolist() for one in cases] == [[""], ["both weights"]]


def test_priors_follow_the_stated_rule():
    train, _ = corpus().split(0)
    settings = systems.prior_settings("tiny", train)
    dependency, prior, flat = (settings[name] for name in ("Dependency-LDA", "Prior-LDA", "Flat-LDA"))
    tokens = train.labels.sum()
    assert dependency["n_topics"] * 5 * dependency["beta_c"] == pytest.approx(tokens / 10)
    assert 5 * prior["beta_c"] == pytest.approx(tokens / 10)
    weight = train.counts.sum() / train.n_documents / 2
    assert flat["alpha_sum"] == pytest.approx(weight)
    assert prior["eta"] + prior["alpha_sum"] == pytest.approx(weight)
    assert systems.prior_settings("yahoo_arts_rubin", train)["Dependency-LDA"]["n_topics"] == 20


def test_yahoo_settings_are_those_of_table_6():
    printed = reported("rubin2012", "table 6")
    phases = dict.fromkeys(("n_topics", "beta_c"), "topics")
    phases |= dict.fromkeys(("gamma_sum", "eta", "alpha_sum"), "test")
    for name, models in systems.PRIORS.items():
        for model, settings in models.items():
            rows = printed[(printed["corpus"] == name) & (printed["model"] == model)]
            rows = rows[rows["phase"] == rows["parameter"].map(phases)]
            table = dict(zip(rows["parameter"], rows["value"], strict=True))
            if model == "Prior-LDA":
                del table["n_topics"]  # it is 1
            assert settings == table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": ["Dependancy-LDA"]}, "unknown model 'Dependancy-LDA'; did you mean 'Dependency-LDA'"),
        ({"scale": "papr"}, "unknown scale 'papr'; did you mean 'paper'"),
        ({"splits": (2,)}, "split"),
        ({"corpus": "debtag"}, "did you mean .*debtags"),
    ],
)
def test_unknown_names_get_a_suggestion(study, arguments, message):
    with pytest.raises((ValueError, KeyError, IndexError), match=message):
        results.measures(**{"corpus": corpus()} | arguments)


def test_stored_results_are_whole():
    """All 199 results that were there before the store are read, with every column and a settings note."""
    table = results.stored(None, systems.SYSTEMS)
    made = [one for scale in systems.CHAINS for one in store.read(results.results, scale=scale).attrs["made"]]
    assert len(made) >= 199 and all(one["notes"]["settings"] is not None for one in made)
    assert list(table) == ["corpus", "scale", "seed", *CELL, "value"]
    assert np.isfinite(table["value"]).all()
    assert not table.duplicated(["corpus", "scale", "seed", *CELL]).any()
    labels = results.stored(None, systems.SYSTEMS, table="labels")
    assert list(labels)[5:] == ["label", "train_frequency", "test_frequency", "average_precision"]
    assert labels["average_precision"].between(0, 1).all() and (labels["train_frequency"] > 0).all()


@pytest.mark.parametrize("pivot", PIVOTS)
def test_a_lead_over_test_items_is_that_of_the_stored_means(pivot):
    """Two ways to the same numbers: items paired from the kept ranks, and the rows that the unit stored itself."""
    cases = readings.significant_on_one_split("eurlex57k", pivot, "Dependency-LDA", ["Vanilla SVM"])
    rows = results.stored(["eurlex57k"], ["Dependency-LDA", "Vanilla SVM"])
    wide = rows[(rows["pivot"] == pivot) & (rows["cutoff"] == "")].pivot(
        index="measure", columns="model", values="value"
    )
    gain = (wide["Dependency-LDA"] - wide["Vanilla SVM"]) * [MEASURES[name].sign for name in wide.index]
    found = cases.set_index(cases["case"].str.split().str[-1])
    assert found["value"].to_dict() == pytest.approx(gain.to_dict(), abs=1e-9)
    assert (found["high"] - found["low"] > 0).all() and found["holds"].isna().any()
