"""Ours beside print, by one rule."""

import numpy as np
import pandas as pd
import pytest

from polytopic.study import printed

OURS = pd.DataFrame({"corpus": ["Yahoo-Arts"], "model": ["A"], "mean": [0.50], "se": [0.01]})


def theirs(value="0.530", **columns):
    decimals = len(value.partition(".")[2])
    row = {"corpus": "yahoo_arts", "model": "A", "value": float(value), "decimals": decimals}
    return pd.DataFrame([row | columns])


def agrees(ours=OURS, **columns):
    return printed.beside(ours, theirs(**columns), ["corpus", "model"]).iloc[0]


def test_the_papers_own_spread_counts():
    """Allowed: 2 sqrt(.01^2 + .02^2) + .0005 = .0452; without the paper's error, 2 sqrt(2) .01 + .0005 = .0288."""
    row = agrees(se=0.02)
    assert row["allowed"] == pytest.approx(2 * np.hypot(0.01, 0.02) + 0.0005)
    assert row["agrees"]
    assert agrees(sd=0.04, n=4)["allowed"] == pytest.approx(row["allowed"])


def test_a_paper_without_a_spread_is_taken_to_be_as_uncertain_as_we_are():
    row = agrees()
    assert row["allowed"] == pytest.approx(2 * np.sqrt(2) * 0.01 + 0.0005)
    assert not row["agrees"]


@pytest.mark.parametrize(
    ("value", "verdict"), [("0.5", True), ("0.6", False), ("0.55", False), ("0.50", True)]
)
def test_exact_numbers_agree_within_half_a_digit(value, verdict):
    assert agrees(OURS.assign(se=0.0), value=value, se=0.0)["agrees"] == verdict


def test_half_a_digit_itself_still_agrees():
    """0.55 - 0.50 is .05000000000000004 in binary: a bare comparison would call it too far."""
    assert agrees(OURS.assign(se=0.0), value="0.55", se=0.0, decimals=1)["agrees"]


def test_a_single_run_is_not_judged():
    assert pd.isna(agrees(OURS.assign(se=np.nan))["agrees"])


def test_what_only_one_side_has_is_left_out():
    assert printed.beside(OURS, theirs(model="B"), ["corpus", "model"]).empty


def test_agreement_is_counted_among_what_is_judged():
    table = pd.DataFrame(
        {"model": ["A", "A", "A"], "agrees": pd.array([True, False, pd.NA], dtype="boolean")}
    )
    row = printed.agreement_counts(table, ["model"]).iloc[0]
    assert (row["agree"], row["of"]) == (1, 2)
