"""The transcription of the papers' numbers, checked by what must hold between them."""

import csv
import re

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.study import looks, printed, result_tables
from polytopic.study.printed import half_unit, reported

PAPERS = ["rubin2012", "papanikolaou", "burkhardt2018", "ueda2002", "tai2012"]
PAGES = {"rubin2012": (157, 208)}
LIMITS = {
    **dict.fromkeys(["auc_pr", "auc_roc", "average_precision", "macro_f1", "micro_f1"], 1),
    **dict.fromkeys(["micro_auc", "macro_auc", "micro_precision", "micro_recall", "rank_one_error"], 1),
    **dict.fromkeys(["one_error", "is_error", "ranking_loss", "f1", "dimension_share"], 100),
    **dict.fromkeys(["hamming_loss"], 0.5),
    **dict.fromkeys(["labels", "n_dimensions"], 983),
    **dict.fromkeys(["regression_time", "coding_time"], 10_000),
    "margin": 75_000,
}

RESULTS = reported("rubin2012")
STATISTICS = reported("rubin2012", "table 4").pivot(index="corpus", columns="statistic", values="value")
YAHOO = ["yahoo_arts_rubin", "yahoo_health_rubin"]


def wide(item):
    """Return one figure as rows (corpus, model) and columns (cutoff, measure)."""
    rows = RESULTS[RESULTS["item"] == item]
    return rows.pivot(index=["corpus", "model"], columns=["cutoff", "measure"], values="value")


def rankings(item):
    return wide(item)[""]


@pytest.mark.parametrize("path", printed._files("*"), ids=lambda path: path.name)
def test_files_are_tidy(path):
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    keys = [tuple(value for column, value in row.items() if column != "value") for row in rows]
    assert len(set(keys)) == len(keys) > 0
    assert {"paper", "item", "page", "corpus", "value"} <= set(rows[0])
    for row in rows:
        assert None not in row and None not in row.values(), row
        assert float(row["value"]) >= 0 and re.fullmatch(r"\d*[.]?\d+(e-\d+)?", row["value"]), row
        assert row["paper"] == path.stem.split("_")[0]
        first, last = PAGES.get(row["paper"], (1, 0))
        assert row["page"] == "" if last < first else first <= int(row["page"]) <= last, row


@pytest.mark.parametrize("paper", PAPERS)
def test_values_are_within_their_bounds(paper):
    """What is from 0 to 1, to 100 or to the number of labels stays there; a misplaced point would not."""
    rows = reported(paper)
    limit = rows["measure"].map(LIMITS)
    assert limit.notna().all(), set(rows.loc[limit.isna(), "measure"])
    assert (rows["value"] <= limit).all()


def test_each_table_is_whole():
    """So many models, corpora and measures as the table has: a forgotten row would show."""
    sizes = {
        ("papanikolaou", "table 5"): 5 * 4 * 2 + 5 * 2,
        ("papanikolaou", "table 6"): 5 * 4 * 2 + 5 * 2,
        ("papanikolaou", "table 3"): 4 * 4,
        ("papanikolaou", "table 4"): 4 * 7,
        ("burkhardt2018", "table 4"): 3 * 5,
        ("burkhardt2018", "table 5"): (4 * 2 + 6 * 6) * 4,
        ("burkhardt2018", "table 6"): 3 * 8 * 4,
        ("ueda2002", "table 1"): 11 * 6,
        ("ueda2002", "table 2"): 11 * 6,
        ("tai2012", "table 2"): 5 * 6,
        ("tai2012", "table 3"): 5 * (3 + 3 * 2),
        ("tai2012", "table 4"): 5 * 5,
        ("rubin2012", "table 1"): 5 * 9,
        ("rubin2012", "table 2"): 3 * 11,
        ("rubin2012", "figure 5"): 4 * 10 + 4,
        ("rubin2012", "figure 14"): 14 * 5,
        ("rubin2012", "figure 15"): 11 * 4,
        ("rubin2012", "figure 16"): 15 * 2,
    }
    assert {key: len(reported(*key)) for key in sizes} == sizes


def test_powers_of_ten_keep_their_decimals():
    rows = reported("tai2012", "table 2").set_index(["corpus", "statistic"])
    smallest = rows.loc[("delicious", "hypercube_sparsity")]
    assert (smallest["printed"], smallest["decimals"]) == ("1.93e-292", 294)
    assert rows.loc[("emotions", "hypercube_sparsity"), "decimals"] == 3


def test_quoted_results_come_only_by_name():
    """Figures 14 to 16 repeat figures 6 and 11: together with them each result would count twice."""
    assert "publication" not in reported("rubin2012")
    assert "Ji et al. (2008)" in set(reported("rubin2012", "figure 15")["publication"])


def test_result_tables_are_complete():
    shape = RESULTS.groupby("item").size()
    assert shape.to_dict() == {"figure 6": 175, "figure 7": 150, "figure 10": 175, "figure 11": 150}
    assert set(RESULTS["model"]) == set(looks.OF_RUBIN)
    for item, pivot, task in [
        ("figure 6", "document", "ranking"),
        ("figure 7", "document", "binary"),
        ("figure 10", "label", "ranking"),
        ("figure 11", "label", "binary"),
    ]:
        rows = RESULTS[RESULTS["item"] == item]
        assert set(rows["pivot"]) == {pivot}
        assert set(zip(rows["cutoff"], rows["measure"], strict=True)) == set(result_tables.COLUMNS[task])


def test_printed_digits_are_kept():
    row = RESULTS[(RESULTS["item"] == "figure 6") & (RESULTS["measure"] == "is_error")].iloc[1]
    assert (row["printed"], row["value"], row["decimals"]) == ("97.0", 97.0, 1)
    margins = RESULTS[(RESULTS["measure"] == "margin") & (RESULTS["corpus"] == "nyt")]
    assert set(margins["decimals"]) == {0}


@pytest.mark.parametrize("item", ["figure 6", "figure 10"])
def test_ranking_loss_is_the_complement_of_auc(item):
    table = rankings(item)
    gap = (table["ranking_loss"] - 100 * (1 - table["auc_roc"])).abs()
    # AUC rounds by .0005, which is .05 of ranking loss, itself rounded by .005. A slip of .001 adds .1.
    assert gap.max() <= 0.055 + 1e-9


@pytest.mark.parametrize("item", ["figure 6", "figure 10"])
def test_is_error_is_at_least_one_error(item):
    """A document whose first label is wrong has no perfect ranking."""
    assert (rankings(item)["is_error"] >= rankings(item)["one_error"]).all()


@pytest.mark.parametrize("item", ["figure 7", "figure 11"])
def test_macro_f1_is_highest_at_the_break_even_point(item):
    """BEP takes each item's best F1, so no other cutoff can have a higher mean."""
    macro = wide(item).xs("macro_f1", axis=1, level="measure")
    assert (macro["bep"] >= macro["proportional"]).all()
    assert (macro["bep"] >= macro["calibrated"]).all()


@pytest.mark.parametrize("corpus", YAHOO)
def test_yahoo_micro_f1_follows_from_one_error(corpus):
    """The median Yahoo page has one label, so PROPORTIONAL predicts one, which is right in 1 - one-error."""
    hits = 1 - rankings("figure 6").loc[corpus, "one_error"] / 100
    cardinality = STATISTICS.loc[corpus, "mean_label_frequency"] / (
        STATISTICS.loc[corpus, "documents"] / STATISTICS.loc[corpus, "labels"]
    )
    printed = wide("figure 7").loc[corpus][("proportional", "micro_f1")]
    # One-error rounds by .0004 of this, the value itself by .0005. Two rows exchanged give .003 or more.
    assert (printed - 2 * hits / (1 + cardinality)).abs().max() < 0.001


@pytest.mark.parametrize(("corpus", "items"), [(YAHOO[0], 95), (YAHOO[1], 70), ("rcv1", 101)])
def test_label_pivoted_one_error_counts_whole_labels(corpus, items):
    """One-error over labels is a whole number of labels out of labels x splits."""
    missed = rankings("figure 10").loc[corpus, "one_error"] * items / 100
    # One decimal of a percent is at most .05 labels here; a random value is off by .25 on average.
    assert (missed - missed.round()).abs().max() <= 0.051


def test_figure_13_follows_from_the_result_tables():
    counts = result_tables.best_counts(RESULTS).merge(
        reported("rubin2012", "figure 13"), on=["corpus", "model", "pivot", "task"]
    )
    assert len(counts) == 40 and (counts["best"] == counts["value"]).all()


def test_figure_13_totals_add_up():
    printed = reported("rubin2012", "figure 13")
    printed = printed.pivot(index=["corpus", "model"], columns=["pivot", "task"], values="value")
    for pivot in result_tables.PIVOTS:
        assert (printed[(pivot, "both")] == printed[pivot][["ranking", "binary"]].sum(axis=1)).all()
    assert (printed[("both", "both")] == printed[("document", "both")] + printed[("label", "both")]).all()


def test_table_4_statistics_follow_from_each_other():
    printed = reported("rubin2012", "table 4")
    margin = printed.assign(half=half_unit(printed["decimals"]))
    half = margin.pivot(index="corpus", columns="statistic", values="half")
    t = STATISTICS
    # Each side may be off by its own rounding, carried through the formula, and by no more.
    density = t["cardinality"] / t["labels"]
    assert ((t["density"] - density).abs() <= half["density"] + half["cardinality"] / t["labels"]).all()
    mean = t["density"] * t["documents"]
    slack = half["mean_label_frequency"] + half["density"] * t["documents"]
    assert ((t["mean_label_frequency"] - mean).abs() <= slack).all()
    sets = t["documents"] / t["distinct_labelsets"]
    assert ((t["labelset_frequency"] - sets).abs() <= half["labelset_frequency"]).all()
    unique = t["unique_labelset_proportion"] * t["documents"]
    assert (unique <= t["distinct_labelsets"]).all()
    assert (unique + 2 * (t["distinct_labelsets"] - unique) <= t["documents"] + 1).all()


def test_table_6_gives_each_model_its_own_parameters():
    rows = reported("rubin2012", "table 6")
    test = rows[rows["phase"] == "test"].pivot(index="corpus", columns=["model", "parameter"], values="value")
    dependency, prior, flat = (test[model] for model in ("Dependency-LDA", "Prior-LDA", "Flat-LDA"))
    assert list(flat.columns) == ["alpha_sum"]
    assert set(dependency.columns) == {"gamma_sum", "eta", "alpha_sum"}
    # The total weight of a test prior is the same for every model ...
    assert (prior.sum(axis=1) == flat["alpha_sum"]).all()
    # ... but for the Yahoo sets, where Dependency-LDA's eta + alpha is one more than the others' 100.
    excess = dependency["eta"] + dependency["alpha_sum"] - flat["alpha_sum"]
    assert excess.to_dict() == {"nyt": 0, "eurlex": 0, "rcv1": 0, YAHOO[0]: 1, YAHOO[1]: 1}


def test_papanikolaou_table_4_label_frequency():
    """Frequency = cardinality x documents / labels, but EUR-Lex's is printed 18.34 where this gives 15.29."""
    t = reported("papanikolaou", "table 4").pivot(index="corpus", columns="statistic", values="value")
    implied = t["train_cardinality"] * t["train_documents"] / t["train_labels"]
    gap = (t["train_label_frequency"] - implied).abs()
    slack = 0.005 + 0.005 * t["train_documents"] / t["train_labels"]
    assert set(gap[gap > slack].index) == {"eurlex"}
    assert t.loc["eurlex", "train_label_frequency"] == 18.34
    assert implied["eurlex"] == pytest.approx(15.29, abs=0.005)


def test_nyt_auc_and_ranking_loss_disagree_on_the_best():
    """Figure 10, NYT: equal ranking losses, unequal AUCs; figure 13 can only have counted by AUC."""
    nyt = rankings("figure 10").loc["nyt"]
    svms = nyt.loc[["Vanilla SVM", "Tuned SVM"]]
    assert svms["ranking_loss"].tolist() == [4.05, 4.05]
    assert svms["auc_roc"].tolist() == [0.960, 0.959]
    assert nyt["auc_roc"].idxmax() == "Vanilla SVM"
    best_by_loss = nyt.index[nyt["ranking_loss"] == nyt["ranking_loss"].min()]
    assert set(best_by_loss) == {"Vanilla SVM", "Tuned SVM"}
    printed = reported("rubin2012", "figure 13")
    tuned = printed[
        (printed["corpus"] == "nyt") & (printed["model"] == "Tuned SVM") & (printed["pivot"] == "label")
    ]
    assert tuned.set_index("task")["value"].to_dict() == {"ranking": 0, "binary": 1, "both": 1}


def test_figure_13_rows_follow_neither_printed_column():
    """The rows are said to go by the amount of training data; of the two columns shown neither is sorted."""
    order = list(dict.fromkeys(reported("rubin2012", "figure 13")["corpus"]))
    assert order == ["nyt", "eurlex", "yahoo_arts_rubin", "yahoo_health_rubin", "rcv1"]
    falls = {
        column: [order[i] for i in np.flatnonzero(np.diff(STATISTICS.loc[order, column]) < 0)]
        for column in ("median_label_frequency", "mean_label_frequency")
    }
    assert falls == {"median_label_frequency": ["yahoo_arts_rubin"], "mean_label_frequency": ["nyt"]}


def test_counts_in_the_prose_follow_from_the_tables():
    """Sections 6.1.1, 6.1.2, 6.2.1 and 6.2.2; "3/12" for EUR-Lex is 3 of 13."""
    wins = result_tables.orderings(RESULTS).set_index(["pivot", "first", "second", "corpus"])["wins"]
    over = wins["document"]["Dependency-LDA"]
    assert over["Prior-LDA"].tolist() == over["Flat-LDA"].tolist() == [13] * 5
    assert over["Tuned SVM"][["nyt", "eurlex", "rcv1"]].tolist() == [13, 12, 0]
    assert wins["document"]["Prior-LDA"]["Flat-LDA"][["eurlex", "yahoo_arts_rubin", "rcv1"]].tolist() == [
        12,
        13,
        12,
    ]
    assert wins["document"]["Tuned SVM"]["Vanilla SVM"][["nyt", "eurlex"]].tolist() == [9, 3]
    assert wins["label"]["Dependency-LDA"]["Tuned SVM"][["nyt", "eurlex"]].tolist() == [10, 7]


@pytest.mark.parametrize("item", ["Fig. 6", "fig 6", "Figure 6", "figure 6"])
def test_items_go_by_any_spelling(item):
    assert set(reported("rubin2012", item)["item"]) == {"figure 6"}


def test_unknown_papers_and_items_name_what_there_is():
    with pytest.raises(ValueError, match=r"rubin2011.*papanikolaou.*rubin2012"):
        reported("rubin2011")
    with pytest.raises(ValueError, match=r"figure 66.*figure 10.*table 4"):
        reported("rubin2012", "figure 66")


def test_values_are_numbers():
    assert pd.api.types.is_float_dtype(RESULTS["value"])
    assert np.isfinite(RESULTS["value"]).all()


def test_a_paper_without_result_tables_says_what_it_has(tmp_path, monkeypatch):
    (tmp_path / "ours2026_statistics.csv").write_text(
        "paper,item,page,corpus,statistic,value\nours2026,table 4,,debtags,labels,600\n", encoding="utf-8"
    )
    monkeypatch.setattr(paths, "reported", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"result tables.*table 4"):
        reported("ours2026")
