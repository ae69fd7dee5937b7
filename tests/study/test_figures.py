"""Figures: they draw what the table says, their files repeat byte for byte, and changes are noticed."""

import json
import os
import re
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from nbclient import NotebookClient
from PIL import Image

from polytopic import paths
from polytopic.datasets import catalogue
from polytopic.study import looks, plots, result_tables, saving
from polytopic.study.printed import reported


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty study whose figures go to a folder of its own."""
    monkeypatch.setenv("POLYTOPIC_HOME", str(tmp_path))
    monkeypatch.setenv("POLYTOPIC_FIGURES", str(tmp_path / "figures"))
    monkeypatch.delenv(saving.CHECK, raising=False)
    return tmp_path / "figures"


def quintile_tables():
    means = pd.DataFrame(
        [
            ("toy", k, low, high, 4, model, value + 0.1 * k)
            for k, (low, high) in enumerate([(1, 1), (2, 5), (6, 90)], start=1)
            for model, value in [("Dependency-LDA", 0.3), ("Tuned SVM", 0.2)]
        ],
        columns=["corpus", "bin", "low", "high", "items", "model", "average_precision"],
    )
    tests = means[means["model"] == "Tuned SVM"][["corpus", "bin", "low", "high"]].assign(
        first="Dependency-LDA", second="Tuned SVM", pairs=4, p=[0.001, 0.2, 0.049]
    )
    return means, tests


def rings(ax):
    """Return {x: heights of the rings there}, and see that each ring has its line's colour."""
    lines = [line for line in ax.get_lines() if line.get_label().startswith("p <")]
    found = sorted(
        (x, round(y, 6), line.get_markeredgecolor()) for line in lines for x, y in line.get_xydata()
    )
    named = [line for line in ax.get_lines() if not line.get_label().startswith("p <")]
    colors = {(x, round(y, 6)): line.get_color() for line in named for x, y in line.get_xydata()}
    assert all(colors[x, y] == color for x, y, color in found)
    return {x: [y for at, y, _ in found if at == x] for x, *_ in found}


def test_rings_stand_around_the_points_of_their_own_corpus():
    """Rings of every corpus were once drawn in each panel, and nothing noticed."""
    means, tests = quintile_tables()
    other = means.assign(corpus="other", average_precision=means["average_precision"] + 0.2)
    ringed = tests.assign(corpus="other", p=[0.2, 0.01, 0.2])
    first, second = plots.plot_quintiles(pd.concat([means, other]), pd.concat([tests, ringed]))
    assert rings(first) == {1: [0.4], 3: [0.6]}
    assert rings(second) == {2: [0.7]}


@pytest.mark.parametrize("corpus", [*catalogue.facts(), "yahoo5k_arts-500", "debtags-300"])
def test_what_is_displayed_stays_as_it_is(corpus):
    """A panel was once titled "Reuters, 21578 documents": the name had been displayed twice."""
    assert looks.displayed(looks.displayed(corpus)) == looks.displayed(corpus)


def test_unknown_pivots_and_empty_tables_are_refused():
    with pytest.raises(ValueError, match="unknown pivot 'labels'; did you mean 'label'"):
        result_tables.drawn(reported("rubin2012").assign(split=0), "labels")
    with pytest.raises(ValueError, match="the table has no rows"):
        plots.plot_label_frequency(pd.DataFrame(columns=["corpus", "frequency", "labels"]))


def save_one(name="toy", **changes):
    means, tests = quintile_tables()
    means = means.assign(**changes)
    saving.save(plots.plot_quintiles(means, tests), name, {"means": means, "tests": tests}, title="A title")


def test_saving_twice_gives_the_same_bytes(folder):
    save_one()
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    save_one()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert sorted(first) == ["toy.json", "toy.png", "toy.svg"]  # and no half-written file
    assert b"matplotlib" not in first["toy.png"].lower()  # a new version alone must not change the file
    assert b"<dc:date>" not in first["toy.svg"] and b"Matplotlib v" not in first["toy.svg"]
    assert not plt.get_fignums()


def test_the_files_are_those_of_savefig(folder):
    """But for a palette and shorter numbers: layout, resolution and colours are what matplotlib itself writes."""
    means, tests = quintile_tables()
    save_one()
    figure = np.ravel(plots.plot_quintiles(means, tests))[0].figure
    saving.put_above(figure, "A title")
    figure.savefig(folder / "twice.svg", metadata={"Date": None, "Creator": None, "Title": "A title"})
    ours, whole = ((folder / f"{name}.svg").read_bytes() for name in ("toy", "twice"))
    assert b"Tuned SVM</text>" in ours and len(ours) < len(whole)
    whole = saving.NO_TURN.sub(b"", whole).replace(b"'DejaVu Sans'", saving.OTHER_FONTS)
    assert saving.COORDINATES.sub(b"", ours) == saving.COORDINATES.sub(b"", whole)
    at, exact = (
        [
            float(one)
            for found in saving.COORDINATES.findall(svg)
            for one in re.findall(rb"-?\d+\.?\d*", found)
        ]
        for svg in (ours, whole)
    )
    assert len(at) > 100 and np.abs(np.subtract(at, exact)).max() < 0.0051  # of a point
    figure.savefig(folder / "twice.png")
    ours, whole = (Image.open(folder / f"{name}.png") for name in ("toy", "twice"))
    assert ours.mode == "P" and ours.info["Title"] == "A title" and ours.info["dpi"] == whole.info["dpi"]
    off = np.abs(np.asarray(ours.convert("RGB"), int) - np.asarray(whole.convert("RGB"), int))
    assert off.max() < 8  # of 255; it is 2, and with 64 colours 10
    plt.close(figure)


def test_saved_numbers_are_records_with_eight_digits(folder):
    table = pd.DataFrame(
        {
            "model": ["a", "b"],
            "value": [1 / 3, np.nan],
            "count": [3, 4],
            "within": pd.array([True, None], dtype="boolean"),
            "t": [np.inf, 123456789.0],
        }
    )
    saving.save(plt.figure(), "toy", table)
    stored = json.loads((folder / "toy.json").read_text())
    assert stored == {
        "name": "toy",
        "title": "toy",
        "data": [
            {"model": "a", "value": 0.33333333, "count": 3, "within": True, "t": "inf"},
            {"model": "b", "value": None, "count": 4, "within": None, "t": 123456790.0},
        ],
    }


def test_rows_of_a_table_stand_on_a_line_each(folder):
    table = pd.DataFrame({"model": ["a", "b"], "value": [1.5, None]})
    saving.save(
        plt.figure(), "toy", {"one": table, "none": table[:0], "other": pd.DataFrame({"x": ["[0, 1)"]})}
    )
    text = (folder / "toy.json").read_text()
    assert '   {"model": "a", "value": 1.5},\n   {"model": "b", "value": null}\n' in text
    assert json.loads(text)["data"]["other"] == [{"x": "[0, 1)"}]


def test_a_column_of_fractions_numbers_no_repetitions():
    """The orders of growth that a table prints were once counted as "32 orders" of the documents."""
    data = pd.DataFrame({"order": [0, 1, 1], "value": [0.5, 0.7, 0.9]})
    assert saving.described("toy", data).endswith("2 orders")
    assert "order" not in saving.described("toy", data.astype({"order": float}))


def test_a_name_may_have_several_numbers():
    described = saving.described("tai2012_fig_04-06_paper_sets", pd.DataFrame())
    assert described == "Tai & Lin (2012), figures 4 and 6"


def test_each_figure_says_what_it_shows_and_what_its_intervals_are():
    """46 pictures had no sentence, and a third of those drawn from results did not say that they had no intervals."""
    told = re.compile(
        "interval|range|one run|standard errors?|medians|rounding|each dot|enumerated|partitions; band|\\b1 split\\b"
    )
    silent = []
    for path in sorted(paths.figures().glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        title = content.get("title", "")
        if "data" in content and not ("finding" in content and (" scale" not in title or told.search(title))):
            silent.append((path.stem, title))
    assert not silent


def test_a_preview_stays_out_of_the_studys_own_figures(folder, monkeypatch):
    saving.save(plt.figure(), "toy", pd.DataFrame(), preview=True)
    assert not folder.exists()
    monkeypatch.setenv("POLYTOPIC_FIGURES", str(folder.parent / "runs" / "figures"))
    saving.save(plt.figure(), "toy", pd.DataFrame(), preview=True)
    assert (folder.parent / "runs" / "figures" / "toy.svg").is_file()


def test_a_finding_stands_above_the_title_and_in_all_three_files(folder):
    kept = []
    for _ in range(2):
        figure = plt.subplots(figsize=(3, 2))[0]
        saving.save(
            figure, "toy", pd.DataFrame(), finding="Rare labels gain, which is what this figure shows"
        )
        bold, title = figure.texts
        assert (
            bold.get_text() == "Rare labels gain, which is what this\nfigure shows"
            and title.get_text() == "toy"
        )
        assert bold.get_fontweight() == "bold" and bold.get_position()[1] > title.get_position()[1]
        kept.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert kept[0] == kept[1]
    assert all(b"Rare labels gain, which is what this figure shows" in content for content in kept[0])
    assert json.loads(kept[0][0])["finding"].startswith("Rare labels")


def test_save_takes_axes_and_refuses_paths(folder):
    saving.save(Figure(), "bare", pd.DataFrame())  # made without pyplot
    saving.save(plt.subplots()[1], "one", pd.DataFrame())
    saving.save(plt.subplots(2, 2)[1], "four", pd.DataFrame())
    assert (folder / "four.png").is_file()
    with pytest.raises(ValueError, match=r"made of a-z.*got 'a/b'"):
        saving.save(plt.figure(), "a/b", pd.DataFrame())


def test_figures_go_where_the_environment_says(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("POLYTOPIC_FIGURES", str(tmp_path / "elsewhere" / "deep"))
    save_one()
    assert (tmp_path / "elsewhere" / "deep" / "toy.svg").is_file() and not folder.exists()


def test_playing_leaves_the_studys_figures_alone(folder, tmp_path, monkeypatch, capsys):
    """A notebook run by hand on another corpus replaced the figures that the tests compare with."""
    save_one()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.delenv("POLYTOPIC_FIGURES")
    monkeypatch.setattr(saving, "_playground", saving._playground.__wrapped__)
    save_one(average_precision=0.5)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert (tmp_path / "runs" / "interactive" / "figures" / "toy.json").is_file()
    assert "interactive" in capsys.readouterr().out


def test_a_failed_write_leaves_the_old_file(folder, monkeypatch):
    save_one()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full_disk(draft, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        save_one(average_precision=0.5)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_check_mode_passes_on_the_same_numbers_and_writes_nothing(folder, monkeypatch):
    save_one()
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setenv(saving.CHECK, "1")
    monkeypatch.setenv("POLYTOPIC_FIGURES", str(folder.parent / "elsewhere"))
    save_one()
    save_one(items=4.0000001)  # within 1e-6
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert not (folder.parent / "elsewhere").exists()
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"items": [4, 4, 4, 4.00001, 4, 4]},
            r"toy\.json: data\.means\[3\]\.items is 4 stored, 4\.00001 now",
        ),
        ({"model": "Prior-LDA"}, r"data\.means\[0\]\.model is 'Dependency-LDA' stored, 'Prior-LDA' now"),
        ({"extra": 1}, r"data\.means\[0\] has .*'extra'.* now"),
        ({"items": None}, r"data\.means\[0\]\.items is 4 stored, None now"),
    ],
)
def test_check_mode_names_the_first_change(folder, monkeypatch, changes, message):
    save_one()
    monkeypatch.setenv(saving.CHECK, "1")
    with pytest.raises(AssertionError, match=message):
        save_one(**changes)


def test_check_mode_lets_turned_decisions_pass_where_told_to(folder, monkeypatch):
    saving.save(plt.figure(), "toy", pd.DataFrame({"value": [0.00846]}))
    monkeypatch.setenv(saving.CHECK, "1")
    turned = pd.DataFrame({"value": [0.00847]})
    saving.save(plt.figure(), "toy", turned, absolute=2e-5)
    for narrow in ({}, {"absolute": 5e-6}):  # 1e-5 off is more than either
        with pytest.raises(AssertionError, match=r"data\[0\]\.value is 0\.00846 stored, 0\.00847 now"):
            saving.save(plt.figure(), "toy", turned, **narrow)


def test_check_mode_notices_rows_and_missing_files(folder, monkeypatch):
    saving.save(plt.figure(), "toy", pd.DataFrame({"value": [1.0, 2.0]}))
    monkeypatch.setenv(saving.CHECK, "1")
    with pytest.raises(AssertionError, match="data has 2 entries stored, 1 now"):
        saving.save(plt.figure(), "toy", pd.DataFrame({"value": [1.0]}))
    with pytest.raises(AssertionError, match=r"new\.json is missing: make it with `polytopic figures`"):
        saving.save(plt.figure(), "new", pd.DataFrame())


def test_a_notebook_shows_each_figure_once(folder, monkeypatch):
    """The inline backend shows open figures at the end of a cell: a second display would double each."""
    monkeypatch.setenv("POLYTOPIC_FIGURES", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(Path(saving.__file__).parents[2]))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    start = "import pandas as pd\nfrom polytopic.study import saving\nimport matplotlib.pyplot as plt"
    cells = [
        f"{start}\nsaving.save(plt.subplots()[1], 'together', pd.DataFrame())",
        "ax = plt.subplots()[1]",
        "saving.save(ax, 'apart', pd.DataFrame())",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    pictures = [
        sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells
    ]
    assert pictures == [1, 1, 0]  # made and saved in one cell, or shown by the cell that made it
    assert (folder / "apart.svg").is_file()
