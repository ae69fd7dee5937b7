"""How long the scales take: measured in one's own process, and shown so that small and large minutes can be read."""

import pandas as pd

from polytopic.study import store
from polytopic.study.rubin2012 import durations, systems


def test_a_unit_takes_the_time_of_both_parts():
    frame = store.collect(durations.durations, "debtags", "quick")
    assert list(frame["part"]) == durations.PARTS and (frame["seconds"] > 0).all()
    assert set(frame["chains"]) == {"quick"}


def test_minutes_are_sums_of_parts_and_dashes_where_nothing_was_measured():
    rows = [
        ("yahoo_arts_rubin", "paper", "training", 60.0),
        ("yahoo_arts_rubin", "paper", "prediction", 660.0),
    ]
    rows += [("debtags", "quick", "prediction", 90.0)]
    table = durations.table(pd.DataFrame(rows, columns=["corpus", "chains", "part", "seconds"]))
    assert list(table) == ["quick", "paper"]
    assert table.loc["Yahoo! Arts"].tolist() == ["–", "12"] and table.loc["debtags"].tolist() == ["1.5", "–"]


def test_the_stored_scales_are_in_order():
    """Small chains are 8 of 50 sweeps, the paper's 48 of 100: swapped columns would be out of order."""
    seconds = store.read(durations.durations).groupby(["corpus", "chains"])["seconds"].sum().unstack()
    assert set(seconds.index) == set(durations.CORPORA)
    for smaller, larger in (("quick", "small"), ("small", "medium"), ("medium", "paper")):
        both = seconds.reindex(columns=[smaller, larger]).dropna()
        assert (both[smaller] < both[larger]).all()
    assert set(seconds) <= set(systems.CHAINS)
