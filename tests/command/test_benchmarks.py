"""The benchmarks: what they share, and that every script runs at quick size."""

import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.study import speed

FOLDER = paths.checkout() / "benchmarks"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def shared(name):
    return importlib.import_module(name)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_at_quick_size(script, tmp_path):
    command = [sys.executable, str(script), "--quick", "--results", str(tmp_path)]
    # a peer may be installed or not; without any the scripts must run as well
    result = subprocess.run(command, cwd=paths.checkout(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / f"{script.stem}.png").is_file()
    table = speed.read(script.stem, tmp_path)
    assert len(table) and {"cpu", "cores", "numba", "numpy", "polytopic"} <= table.attrs.keys()
    measured = speed.read(f"{script.stem}{speed.AIMS}", tmp_path)
    assert np.isfinite(measured["value"].astype(float)).all()
    aims = pd.read_csv(FOLDER / "aims.csv")
    assert set(measured["quantity"]) <= set(aims.loc[aims["question"] == script.stem, "quantity"])


def test_callables_take_turns_and_the_order_moves_on():
    harness, calls = shared("_harness"), []
    timed = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    times = harness.interleave(timed, 2, {"a": 1, "b": 2})
    assert "".join(calls) == "ab" + "ab" + "ba"
    assert list(times.groupby("name").size()) == [2, 2]
    assert np.allclose(times["ns"], times["cpu"] * 1e9 / times["name"].map({"a": 1, "b": 2}))


def test_ratios_are_taken_repeat_by_repeat():
    times = pd.DataFrame(
        {"name": ["a", "b"] * 3, "repeat": [0, 0, 1, 1, 2, 2], "ns": [1.0, 2.0, 10.0, 30.0, 100.0, 400.0]}
    )
    (row,) = shared("_harness").ratios(times, "a").to_dict("records")
    assert (row["name"], row["over"], row["repeats"]) == ("b", "a", 3)
    found = row["low"], row["median"], row["high"]
    assert found == (2.5, 3.0, 3.5)  # that of the medians would be 3, of the means 3.9


def test_an_absent_peer_is_left_out_visibly(capsys, monkeypatch, tmp_path):
    harness = shared("_harness")
    assert harness.peer("no_such_peer") is None
    assert "no_such_peer is left out" in capsys.readouterr().out
    assert harness.facts()["no_such_peer"] == "not at hand"
    monkeypatch.setenv(harness.MALLET_HOME, str(tmp_path))
    assert harness.mallet() is None
    command = tmp_path / "bin" / "mallet"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    assert harness.mallet() == str(command)


# Synthetic corpora


def test_a_corpus_has_the_sizes_asked_for():
    synthetic = shared("_synthetic")
    counts, labels = synthetic.corpus(synthetic.truth(400, n_words=1000), 500, 60)
    assert counts.shape == (500, 1000) and labels.shape == (500, 400)
    assert (counts.sum(axis=1) == 60).all() and (np.diff(labels.indptr) >= 1).all()
    # measured 5.23; 5.06 if a label drawn twice is not drawn again
    assert labels.sum(axis=1).mean() == pytest.approx(synthetic.CARDINALITY, abs=0.2)


def test_labels_have_words_of_their_own():
    synthetic = shared("_synthetic")
    counts = synthetic.label_word_counts(synthetic.truth(50, n_words=1000), tokens_per_label=2000)
    share = counts.toarray() / counts.toarray().sum(axis=1, keepdims=True)
    alike = 1 - 0.5 * np.abs(share[:25] - share[25:]).sum(axis=1)
    # measured .31; .67 if all words are common, .05 if none is
    assert 0.2 < np.median(alike) < 0.45


def test_a_block_does_not_depend_on_those_before_it(monkeypatch):
    synthetic = shared("_synthetic")
    monkeypatch.setattr(synthetic, "BLOCK", 50)
    few = synthetic.truth(100, n_words=500)
    short, long = (synthetic.corpus(few, n, 20) for n in (100, 150))
    for part, whole in zip(short, long, strict=True):
        assert (part != whole[:100]).nnz == 0 and (part[:50] != part[50:]).nnz > 0


# Costs of a sweep


@pytest.mark.parametrize(
    ("first", "sweep", "seconds", "n"), [(0.0, 0.01, 0.1, 16), (1.0, 0.01, 0.1, 128), (0.0, 0.5, 0.1, 2)]
)
def test_sweeps_are_timed_for_as_long_as_what_is_subtracted(first, sweep, seconds, n):
    costs = shared("sweep_costs")

    class Clock(costs.Point):
        def seconds(self, n_sweeps):
            return first + sweep * n_sweeps

    assert costs._enough_sweeps(Clock(costs.USED, {}, None), seconds) == n


def test_sizes_are_those_of_the_corpus():
    """Nothing is timed: the sizes that the paper's order is taken of are counted here again."""
    costs = shared("sweep_costs")
    at = {"labels": 40, "topics": 3, "per_document": 2, "documents": 10, "length": 5}
    (point,) = costs.samplers(costs.PHI, at, 2, 0)
    size = point.size
    assert (size[costs.TOKENS], size[costs.LABELS]) == (50, 40) and 1 < size[costs.PER_DOCUMENT] < 4
    points = costs.samplers(costs.DEPENDENCY, at, 2, 0)
    size = {costs.TOKENS: 10, costs.LABELS: 40, costs.N_TOPICS: 3}
    assert [(one.way, one.size) for one in points] == [(costs.USED, size), (costs.DENSE, size)]
    assert costs.ORDERS[costs.DEPENDENCY](size) == 10 * (40 + 3)
