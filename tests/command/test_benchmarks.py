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
