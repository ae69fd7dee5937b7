"""Verdicts: sentences that follow from their tables, and change with them."""

import re

import pandas as pd
import pytest

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


def test_long_findings_are_wrapped():
    text = wrapped.extent(ARTS.replace("Flat-LDA", "A model with a long name"), ["yahoo_arts_rubin"])
    first, second = text.splitlines()
    assert len(first) <= wrapped.WIDTH and second.startswith("    ")


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
