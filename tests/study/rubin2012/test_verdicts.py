"""Verdicts: sentences that follow from their tables, and change with them."""

import re

import numpy as np
import pandas as pd
import pytest

from polytopic.study import result_tables
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import verdicts as wrapped

REPORTED = reported("rubin2012").assign(split=0, seed=0, scale="paper")
ARTS = REPORTED[REPORTED["corpus"] == "yahoo_arts_rubin"]
EMPTY = REPORTED.iloc[:0]


class Verdicts:
    """The verdicts with each finding on one line again."""

    def __getattr__(self, name):
        return lambda *arguments: re.sub(r"\n +", " ", getattr(wrapped, name)(*arguments))


verdicts = Verdicts()


def on_splits(frame, shifts):
    """Return a frame of results on one split for each of the shifts, which are added to every value."""
    return pd.concat([frame.assign(split=i, value=frame["value"] + shift) for i, shift in enumerate(shifts)])


def test_extent_names_models_scale_splits_and_what_is_missing():
    topic_models = ARTS[ARTS["model"].str.contains("LDA")]
    part = pd.concat([on_splits(topic_models, [0, 0]), ARTS[ARTS["model"] == "Tuned SVM"]])
    assert verdicts.extent(part, ["yahoo_arts_rubin", "eurlex-titles"]).splitlines() == [
        "yahoo_arts_rubin, paper scale: Dependency-LDA, Prior-LDA and Flat-LDA on 2 splits; Tuned SVM on 1 split; "
        "nothing is stored of Vanilla SVM.",
        "eurlex-titles: nothing is stored.",
    ]
    asked = verdicts.extent(part, ["yahoo_arts_rubin"], ["Prior-LDA", "Tuned SVM"])
    assert asked == "yahoo_arts_rubin, paper scale: Prior-LDA on 2 splits; Tuned SVM on 1 split."


def test_agreement_counts_and_names_the_farthest():
    moved = ARTS.copy()
    place = (moved["model"] == "Flat-LDA") & (moved["pivot"] == "label") & (moved["measure"] == "auc_roc")
    moved.loc[place, "value"] += 0.5
    table = result_tables.beside_paper(on_splits(moved, [-0.001, 0.001]), "rubin2012")
    text = verdicts.agreement(table)
    assert text.startswith(
        "yahoo_arts_rubin: half of the 130 values lie within 0.0% of the paper's. 129 of 130"
    )
    assert "Flat-LDA, label-pivoted, auc_roc: 1.249 here, 0.749 in the paper" in text


def test_agreement_on_one_split_judges_nothing():
    text = verdicts.agreement(result_tables.beside_paper(ARTS, "rubin2012"))
    assert "none is judged" in text and "agree" not in text
    assert (
        verdicts.agreement(result_tables.beside_paper(EMPTY, "rubin2012")) == "There is nothing to compare."
    )


def test_orderings_repeat_the_table():
    counted = result_tables.orderings(REPORTED, [("Dependency-LDA", "Tuned SVM")])
    lines = verdicts.orderings(counted[counted["pivot"] == "document"]).splitlines()
    assert "nyt, document-pivoted: Dependency-LDA beats Tuned SVM on 13 of 13 (paper: 13)." in lines
    renamed = REPORTED.assign(corpus=REPORTED["corpus"].replace("nyt", "elsewhere"))
    counted = result_tables.orderings(
        renamed, [("Dependency-LDA", "Prior-LDA"), ("Dependency-LDA", "Tuned SVM")]
    )
    text = verdicts.orderings(counted[counted["corpus"] == "elsewhere"])
    assert "beats Prior-LDA on 13 of 13 (paper: 13 on each corpus)." in text
    assert "beats Tuned SVM on 13 of 13 (paper: 0 to 13, by corpus)." in text
    alone = verdicts.orderings(result_tables.orderings(ARTS, [("Dependency-LDA", "Flat-LDA")], paper=None))
    assert alone.startswith(
        "yahoo_arts_rubin, document-pivoted: Dependency-LDA beats Flat-LDA on 13 of 13.\n"
    )
    assert "no two models" in verdicts.orderings(result_tables.orderings(EMPTY))


def test_long_findings_are_wrapped():
    text = wrapped.extent(ARTS.replace("Flat-LDA", "A model with a long name"), ["yahoo_arts_rubin"])
    first, second = text.splitlines()
    assert len(first) <= wrapped.WIDTH and second.startswith("    ")


def test_orderings_tell_ties():
    tied = ARTS.assign(value=np.where(ARTS["measure"] == "one_error", 40.0, ARTS["value"]))
    counted = result_tables.orderings(tied, [("Dependency-LDA", "Flat-LDA")])
    assert "beats Flat-LDA on 12 of 13, ties on 1 (paper: 13)." in verdicts.orderings(counted)


def test_best_names_the_leaders():
    beside = result_tables.best_counts_beside_paper(result_tables.best_counts(REPORTED))
    lines = verdicts.best(beside).splitlines()
    assert (
        "yahoo_arts_rubin: Tuned SVM 12 (paper 12), Dependency-LDA 13 (paper 13); ahead is Dependency-LDA here, "
        "Dependency-LDA in the paper." in lines
    )
    beside.loc[beside["model"] == "Tuned SVM", "ours"] += 1
    assert "ahead is Tuned SVM and Dependency-LDA here, Dependency-LDA in the paper" in verdicts.best(beside)
    assert verdicts.best(beside.iloc[:0]) == "There is nothing to compare."


def test_quintiles_tell_sides_and_significance():
    columns = ["corpus", "first", "second", "low", "high", "difference", "p"]
    rows = [
        ("toy", "A", "B", 1, 1, 0.2, 0.01),
        ("toy", "A", "B", 2, 9, 0.1, 0.2),
        ("toy", "A", "B", 10, 99, -0.1, 0.03),
    ]
    tests = pd.DataFrame(rows, columns=columns)
    assert (
        verdicts.quintiles(tests)
        == "toy: A against B is above at 1* and 2–9; below at 10–99* training documents."
    )
    assert "1, 2–9 and" not in verdicts.quintiles(tests.assign(difference=-0.1))
    assert verdicts.quintiles(tests.assign(difference=0.0)) == "toy: A and B are level in every bin."
    assert verdicts.quintiles(tests.iloc[:0]) == "There are no two models to compare."


@pytest.mark.parametrize("level", [0.05, 0.005])
def test_quintiles_mark_at_the_level(level):
    tests = pd.DataFrame(
        [("toy", "A", "B", 1, 1, 0.2, 0.01)],
        columns=["corpus", "first", "second", "low", "high", "difference", "p"],
    )
    assert ("1*" in verdicts.quintiles(tests, level)) == (level > 0.01)
