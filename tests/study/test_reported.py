"""The transcription of the papers' numbers, checked by what must hold between them."""

import csv
import re

import pytest

from polytopic import paths
from polytopic.study import looks, printed, result_tables
from polytopic.study.printed import reported

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


@pytest.mark.parametrize("item", ["Fig. 6", "fig 6", "Figure 6", "figure 6"])
def test_items_go_by_any_spelling(item):
    assert set(reported("rubin2012", item)["item"]) == {"figure 6"}


def test_unknown_papers_and_items_name_what_there_is():
    with pytest.raises(ValueError, match=r"rubin2011.*papanikolaou.*rubin2012"):
        reported("rubin2011")
    with pytest.raises(ValueError, match=r"figure 66.*figure 10.*table 4"):
        reported("rubin2012", "figure 66")


def test_a_paper_without_result_tables_says_what_it_has(tmp_path, monkeypatch):
    (tmp_path / "ours2026_statistics.csv").write_text(
        "paper,item,page,corpus,statistic,value\nours2026,table 4,,debtags,labels,600\n", encoding="utf-8"
    )
    monkeypatch.setattr(paths, "reported", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"result tables.*table 4"):
        reported("ours2026")
