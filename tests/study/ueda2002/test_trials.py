"""The trials of Ueda & Saito (2002): draws, storing, and the tables made of them."""

import json
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from test_pmm import corpus

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.study import ueda2002 as trials
from polytopic.study.audit import ueda2002
from polytopic.study.printed import reported
from polytopic.study.ueda2002 import __main__ as command
from polytopic.study.ueda2002 import label_sets, outcomes, parameter_space, units

SMALL = {"sizes": (60, 20), "test": 40, "trials": 3}


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """A corpus of 120 documents under the name toy, small trials of it, and folders of its own."""
    counts, labels = corpus(n_documents=120)
    made = Corpus(sparse.csr_matrix(counts), sparse.csr_matrix(labels), name="toy")
    monkeypatch.setattr(units, "load_corpus", {"toy": made}.__getitem__)
    monkeypatch.setitem(units.SCALES, "quick", SMALL)
    monkeypatch.setenv(paths.CACHE, str(tmp_path))
    return made


def test_draws_are_disjoint_nested_and_seeded(toy):
    large, test = trials.draw(toy, 60, 0, "quick")
    small, same_test = trials.draw(toy, 20, 0, "quick")
    assert len(large) == 60 and len(small) == 20 and len(test) == 40
    assert set(small) < set(large) and not set(large) & set(test)
    np.testing.assert_array_equal(test, same_test)
    assert (
        set(test)
        != set(trials.draw(toy, 60, 1, "quick")[1])
        != set(trials.draw(toy, 60, 1, "quick", seed=1)[1])
    )
    with pytest.raises(ValueError, match="toy has 120 documents, a paper trial takes 3000"):
        trials.draw(toy, 60, 0, "paper")


def test_units_are_computed_once_and_read_back(toy, monkeypatch):
    asked = {"problems": "toy", "methods": ["NB", "PMM1"], "trials": [0, 1], "seed": 3}
    told = []
    rows = trials.run(**asked, progress=told.append)
    assert len(rows) == len(told) == 8
    assert list(rows["trial"]) == [0] * 4 + [1] * 4
    monkeypatch.setattr(units, "_compute", None)
    again = trials.run(**asked)
    pd.testing.assert_frame_equal(rows, again)
    stored = trials.stored("quick", seed=3)
    assert set(stored["f1"]) == set(rows["f1"]) and len(stored) == 8
    assert trials.stored("quick").empty
    assert trials.stored("quick", ["other"], 3).empty


def test_a_unit_is_what_its_estimator_says(toy):
    (row,) = trials.run("toy", "kNN", 1).query("size == 60").to_dict("records")
    train, test = trials.draw(toy, 60, 1, "quick")
    model = trials.build("kNN", 1).fit(toy.counts[train], toy.labels[train])
    decided, truth = model.predict(toy.counts[test]).toarray(), toy.labels[test].toarray()
    shared, sizes = (decided & truth).sum(axis=1), decided.sum(axis=1) + truth.sum(axis=1)
    assert row["f1"] == pytest.approx(100 * (2 * shared / sizes).mean(), abs=1e-3)
    assert row["chosen"] == {"k": model.k_, "threshold": model.threshold_}
    assert row["predicted"] == pytest.approx(decided.sum(axis=1).mean(), abs=1e-3)
    assert row["digest"] == toy.digest[:16]


def test_at_least_one_label_can_only_be_told_where_there_is_none(toy, monkeypatch):
    harsh = {"counts": (20,), "thresholds": (0.7,)}
    monkeypatch.setitem(units.METHODS, "kNN", (units.CosineNeighbours, harsh))
    rows = trials.run("toy", ["kNN", "PMM1"], 0).set_index(["method", "size"])
    assert (rows.loc["PMM1", "f1"] == rows.loc["PMM1", "f1_at_least_one"]).all()
    assert (rows.loc["PMM1", "empty"] == 0).all()
    assert (rows.loc["kNN", "empty"] > 0).all()
    assert (rows.loc["kNN", "f1_at_least_one"] > rows.loc["kNN", "f1"]).all()


def test_an_interrupted_run_goes_on(toy, monkeypatch):
    none = trials.run("toy", "NB", until=time.monotonic() - 1)
    assert none.empty
    compute, calls = units._compute, []

    def killed(*arguments):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(1)
        return compute(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(units, "_compute", killed)
        with pytest.raises(KeyboardInterrupt):
            trials.run("toy", "NB")
    assert len(trials.stored("quick")) == 3
    assert len(trials.run("toy", "NB")) == 6


def test_other_settings_are_computed_again(toy, monkeypatch):
    trials.run("toy", "NB", 0)
    monkeypatch.setitem(units.METHODS, "NB", (units.NaiveBayes, {"alpha": 0.1}))
    assert len(trials.stored("quick")) == 2
    before = set(trials.stored("quick")["f1"])
    after = trials.run("toy", "NB", 0)
    assert len(trials.stored("quick")) == 2 and set(after["f1"]) != before


def test_a_damaged_file_is_named(toy, tmp_path):
    trials.run("toy", "NB", 0)
    path = tmp_path / "trials" / "toy_60.json"
    path.write_text(path.read_text()[:50])
    with pytest.raises(ValueError, match="toy_60.json is not whole"):
        trials.stored("quick")


def test_unknown_names(toy):
    with pytest.raises(ValueError, match="unknown method 'PMM'; did you mean 'PMM"):
        trials.run("toy", "PMM")
    with pytest.raises(ValueError, match="unknown scale"):
        trials.run("toy", scale="medium")


def test_the_command(toy, capsys):
    asked = ["--problems", "toy", "--methods", "NB", "--scale", "quick"]
    assert command.main([*asked, "--minutes", "-1"]) == 3
    assert command.main(asked) == 0
    assert "6 of 6 units are stored" in capsys.readouterr().out


def rows(shift=0.0, n_trials=5, methods=("NB", "SVM", "kNN", "NN", "PMM1", "PMM2")):
    """Rows with the paper's means and a spread of one point over trials, the same for all methods."""
    printed = reported("ueda2002")
    sizes = {item: size for size, item in outcomes.ITEMS.items()}
    found = [
        {
            "problem": row.corpus, "size": sizes[row.item], "trial": trial, "method": row.model,
            "f1": row.value + shift + (trial - (n_trials - 1) / 2) / np.sqrt(2.5),
            "f1_at_least_one": row.value + 5 * (row.model == "SVM"), "micro_f1": 50.0, "macro_f1": 20.0,
            "empty": 0.1, "predicted": 1.0, "fit_seconds": float(trial == 0), "test_seconds": 1.0,
        }
        for row in printed.itertuples() if row.model in methods for trial in range(n_trials)
    ]  # fmt: skip
    return pd.DataFrame(found)


def test_means_and_deviations():
    table = trials.means(rows())
    assert len(table) == 132 and np.allclose(table["sd"], 1)
    assert list(table["size"].unique()) == [2000, 500]
    assert list(dict.fromkeys(table["vocabulary"])) == ["whole", "reduced"]
    assert trials.means(rows(n_trials=1))["sd"].isna().all()
    with pytest.raises(ValueError, match="score must be one of"):
        trials.means(rows(), "accuracy")


def test_beside_the_paper():
    same = trials.beside_paper(rows())
    assert len(same) == 132 and np.allclose(same["difference"], 0) and same["within"].all()
    one = same[(same["item"] == "table 1") & (same["problem"] == "yahoo_arts") & (same["method"] == "PMM1")]
    assert one["allowed"].item() == pytest.approx(2 * np.sqrt(1 / 5 + 1.0 / 5) + 0.05)
    far = trials.beside_paper(rows(shift=50.0))
    assert not far["within"].any()
    assert trials.beside_paper(rows(n_trials=1))["within"].isna().all()
    assert trials.agreement(same).loc["PMM1", ("table 1", "whole")] == "6 of 6, +0.0"


def test_the_table_stars_the_best():
    table = trials.table(rows(), 2000)
    assert list(table.columns) == list(trials.METHODS)
    line = table.loc[("whole", "yahoo_arts", "paper")]
    assert line["PMM1"] == "50.6 (1.0)*" and line["NB"] == "41.6 (1.9)"
    assert (table.map(lambda cell: cell.endswith("*")).sum(axis=1) >= 1).all()
    assert table.index.get_level_values("vocabulary")[-1] == "reduced"
    html = trials.mark_best(table).to_html()
    assert "*" not in html and "font-weight: bold" in html
    assert html == trials.mark_best(trials.table(rows(), 2000)).to_html()
    assert trials.table(rows(), 500, beside=False).index.get_level_values("line").unique().tolist() == [
        "ours"
    ]


def test_leads_are_paired():
    data = rows()
    data.loc[data["method"] == "PMM1", "f1"] += np.tile([0.0, 0.1, 0.2, 0.3, 0.4], 22)
    lead = trials.leads(data, [("PMM1", "SVM")])
    one = lead[(lead["item"] == "table 1") & (lead["corpus"] == "yahoo_arts")].iloc[0]
    assert one["difference"] == pytest.approx(50.6 - 47.1 + 0.2)
    gains = 3.5 + np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    assert one["p"] == pytest.approx(stats.ttest_1samp(gains, 0).pvalue)
    single = trials.leads(rows(n_trials=1), [("PMM1", "SVM")])
    assert single["p"].isna().all() and single["standard_error"].isna().all()
    assert list(dict.fromkeys(lead["item"])) == ["table 1", "table 2"]


def test_leads_stand_beside_the_paper_s():
    both = trials.leads_beside_paper(rows(), [("PMM1", "SVM")])
    assert both["item"].value_counts().to_dict() == dict.fromkeys(
        ["table 1", "table 2", "table 1, paper", "table 2, paper"], 6
    )
    wide = both.pivot(index="corpus", columns="item", values="difference")
    np.testing.assert_allclose(wide["table 1"], wide["table 1, paper"])
    audited = ueda2002.differences("PMM1", "SVM")
    expected = audited[(audited["item"] == "table 2") & (audited["corpus"] == "yahoo_arts")]
    ours = both[(both["item"] == "table 2, paper") & (both["corpus"] == "yahoo_arts")]
    for column in ("difference", "standard_error", "t", "p"):
        assert ours[column].item() == pytest.approx(expected[column].item())


def test_the_summary_leaves_out_reduced_problems():
    summary = trials.lead_summary(rows(), [("PMM1", "SVM")])
    assert summary["of"].tolist() == [6, 6]
    assert summary["ours"].to_numpy() == pytest.approx(summary["paper"].to_numpy())
    assert summary["ahead"].tolist() == summary["paper_ahead"].tolist() == [5, 6]
    text = trials.verdict(summary)
    assert text.startswith("PMM1 over SVM, table 1: +2.5 here (5 of 6 problems ahead")
    assert trials.verdict(pd.DataFrame()) == "There are no two methods to compare."


def test_growth_compares_the_leads_of_both_tables():
    table = trials.growth(rows(), [("PMM1", "SVM"), ("PMM1", "NB")]).set_index("pair")
    assert table["ours"].to_numpy() == pytest.approx(table["paper"].to_numpy())
    assert table.loc["PMM1 over SVM", "of"] == 6
    lead = trials.lead_summary(rows(), [("PMM1", "SVM")])["ours"]
    assert table.loc["PMM1 over SVM", "ours"] == pytest.approx(lead[1] - lead[0])
    text = trials.growth_verdict(rows(), [("PMM1", "SVM")])
    assert text.startswith(f"PMM1 over SVM: {lead[1] - lead[0]:+.1f} points with the fewer pages (")


def test_restricted_corpora_keep_documents_with_a_label(toy):
    few = label_sets.restricted(toy.with_splits(2, seed=0), 2)
    frequency = toy.labels.getnnz(axis=0)
    assert sorted(few.labels.getnnz(axis=0)) == sorted(frequency)[-2:]
    assert few.n_documents == (toy.labels[:, np.sort(np.argsort(-frequency)[:2])].getnnz(axis=1) > 0).sum()
    assert all(len(train) + len(test) == few.n_documents for train, test in few.splits)
    named = label_sets.restricted(toy, ["3", "1"])
    assert named.label_names == ("1", "3")
    np.testing.assert_array_equal(named.labels.getnnz(axis=0), frequency[[0, 2]])
    with pytest.raises(ValueError, match="toy has 5 labels"):
        label_sets.restricted(toy, 6)
    with pytest.raises(ValueError, match="unknown label 'x'"):
        label_sets.restricted(toy, ["x"])


def test_searches_are_compared(toy):
    table, sizes = label_sets.compare(toy.with_splits(1, seed=0), documents=30)
    assert table["documents"].tolist() == [30, 30] and table["model"].tolist() == ["PMM1", "PMM2"]
    assert (table["worst"] >= 0).all() and table["same"].between(50, 100).all()
    assert (sizes.groupby(["panel", "kind"])["share"].sum() - 1).abs().max() < 1e-12
    true = sizes[(sizes["panel"] == "PMM1") & (sizes["kind"] == "true")]
    assert (true["labels"] * true["share"]).sum() == pytest.approx(table["labels_true"][0])


def test_a_mixture_lies_between_its_labels(toy):
    models = parameter_space.fitted(toy)
    words = parameter_space.pair_words(models, toy, "1", "2", n=3)
    np.testing.assert_allclose(words["PMM1"], (words["1"] + words["2"]) / 2)
    share, alpha = parameter_space.shares(models, toy, "1", "2")
    assert share == pytest.approx((1 + 2 * alpha) / 4) and 0.25 < share < 0.75
    table = parameter_space.places(models, toy, "1", "2", n=4, documents=40)
    model = table[table["panel"] == "model"].set_index("kind")[["x", "y"]]
    np.testing.assert_allclose(model.loc["even"], (model.loc["first"] + model.loc["second"]) / 2)
    np.testing.assert_allclose(
        model.loc["fitted"], share * model.loc["first"] + (1 - share) * model.loc["second"]
    )
    clouds = parameter_space.spread(table)
    parts, middle = (clouds.loc[f"a mixture of {kind}"] for kind in ("distributions", "parameters"))
    assert abs(middle["x"].item() - model.loc["even", "x"]) < 4 * middle["sd_x"].item() / np.sqrt(40)
    assert parts["points"].sum() == 40 and parts["x"].max() - parts["x"].min() > 0.5 * abs(
        model.loc["first", "x"] - model.loc["second", "x"]
    )
    both = clouds.loc[("documents of toy", "both"), "points"]
    assert both == ((toy.labels[:, [0, 1]].getnnz(axis=1) == 2) & (toy.labels.getnnz(axis=1) == 2)).sum()
    with pytest.raises(ValueError, match="choose two others, or fewer words"):
        parameter_space.places(models, toy, "1", "2", least_words=10**6)


def test_tuning_changes_the_verdict():
    table = trials.tuning(rows()).set_index(["against", "score", "item"])["ours"]
    assert table["SVM", "f1", "table 1"] - table["SVM", "f1_at_least_one", "table 1"] == pytest.approx(5)


def test_overview_and_extent():
    table = trials.overview(rows(), "whole")
    assert table.loc[(2000, "NB"), "empty"] == pytest.approx(10)
    assert table.loc[(2000, "NB"), "fit_seconds"] == 0  # the median: the first trial compiles
    data = rows()
    assert "11 problems, 6 methods; all with 5 trials" in trials.extent(data)
    assert "131 of 132" not in trials.extent(data[data.index != 0])
    assert "65 of 66 with 5 trials, the fewest 4" in trials.extent(data[data.index != 0])
    assert trials.extent(data[:0]) == "Nothing is stored."


def test_what_is_stored_with_the_study_is_whole():
    """Every stored unit has its seed, settings and version, and no page count but the paper's."""
    stored = trials.stored()
    if stored.empty:
        pytest.skip("no trials are stored")
    assert set(stored["size"]) <= {2000, 500} and set(stored["seed"]) == {0}
    assert stored[["f1", "settings", "version", "digest"]].notna().all().all()
    assert not stored.duplicated(["problem", "size", "trial", "method"]).any()
    assert stored["f1"].between(0, 100).all()
    for path in (paths.results() / "trials").glob("*.json"):
        json.loads(path.read_text())


@pytest.mark.parametrize("method", ["PMM1", "PMM2", "NB", "kNN", "SVM"])
def test_a_stored_unit_comes_out_again(method):
    """The first trial of 500 pages of Yahoo! Arts, where its files are at hand: the same to the last digit kept.

    Other trials of a method differ by about a point: see the deviations of table 2.
    """
    held = trials.stored(problems=["yahoo_arts"])
    row = held[(held["size"] == 500) & (held["trial"] == 0) & (held["method"] == method)]
    if row.empty:
        pytest.skip("this unit is not stored")
    try:
        problem = load_corpus("yahoo_arts")
    except FileNotFoundError as missing:
        pytest.skip(f"Yahoo! Arts is not at hand: {missing}")
    again = units._compute(problem, 500, 0, method, "paper", 0)
    assert again["digest"] == row["digest"].item()
    assert again["chosen"] == row["chosen"].item()
    assert again["f1"] == pytest.approx(row["f1"].item(), abs=0.05)
