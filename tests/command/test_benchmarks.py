"""The benchmarks: what they share, and that every script runs at quick size."""

import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from polytopic import paths
from polytopic.files import write_whole

FOLDER = paths.checkout() / "benchmarks"
AIMS = """question,quantity,sense,aim
sweep,speed,at least,2
sweep,growth,at most,2
scan,memory,at most,24
"""
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
    aims = shared("_aims")
    table = aims.read(tmp_path / f"{script.stem}.csv")
    assert len(table) and {"cpu", "cores", "numba", "numpy", "polytopic"} <= table.attrs.keys()
    measured = aims.read(tmp_path / f"{script.stem}{aims.AIMS}.csv")
    assert np.isfinite(measured["value"].astype(float)).all()
    wanted = pd.read_csv(FOLDER / "aims.csv").query("question == @script.stem")
    assert set(measured["quantity"]) <= set(wanted["quantity"])


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


# Aims


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    write_whole(tmp_path / "benchmarks" / "aims.csv", AIMS)
    return tmp_path / "benchmarks" / "results"


def test_aims_are_met_missed_or_not_measured(results):
    head = "# cpu: a fast one\n# sizes: default\n"
    write_whole(results / "sweep_aims.csv", head + "quantity,value,low,high\nspeed,1.9,1.8,2.1\ngrowth,2,,\n")
    aims = shared("_aims")
    assert aims.read(results / "sweep_aims.csv").attrs == {"cpu": "a fast one", "sizes": "default"}
    table = aims.aims(results, ["sweep", "scan"])
    assert list(table["met"]) == [False, True, None]
    assert list(aims.aims(results, ["scan"])["quantity"]) == ["memory"]
    *lines, last = aims.aims_text(table).splitlines()
    words = ["MISSED", " met", "not measured"]
    assert [line.endswith(word) for line, word in zip(lines[1:], words, strict=True)] == [True] * 3
    assert last == "1 of 2 measured aims are met, 3 aims in all."


def test_values_at_other_sizes_have_a_remark(results):
    write_whole(results / "sweep_aims.csv", "# sizes: other\nquantity,value,low,high\nspeed,3,2,4\n")
    aims = shared("_aims")
    lines = aims.aims_text(aims.aims(results, ["sweep"])).splitlines()
    assert lines[1].endswith(" met, at other sizes") and lines[2].endswith(" not measured")


# Pictures


def costs():
    labels = [1_000, 4_000, 16_000]
    return pd.DataFrame(
        {
            "name": "Flat-LDA", "labels": labels, "low": [80.0, 160.0, 320.0], "median": [100.0, 200.0, 400.0],
            "high": [110.0, 220.0, 440.0],
        }
    )  # fmt: skip


def test_costs_are_drawn_with_their_quartiles():
    harness = shared("_harness")
    ax = harness.new_axes()
    harness.plot_costs(ax, costs(), "labels")
    ((line, _, (bars,)),) = ax.containers
    assert list(line.get_ydata()) == [100, 200, 400]
    assert [tuple(segment[:, 1]) for segment in bars.get_segments()] == [(80, 110), (160, 220), (320, 440)]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
