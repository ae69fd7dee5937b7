"""The tables of findings: what is counted, what is shown, and that the README says what the register says."""

import pandas as pd
import pytest

from polytopic import paths
from polytopic.study import findings, store


def test_the_readme_says_what_the_register_holds():
    """Its parts that hold numbers are made by code: ``findings.write_readme()`` makes them anew."""
    readme = (paths.checkout() / "README.md").read_text(encoding="utf-8")
    assert findings.with_blocks(readme, findings.readme_blocks()) == readme


def test_results_computed_again_are_counted_by_experiment(monkeypatch):
    """A result that moved once has moved, and those that did are told from those that did not."""
    same, some = {"equal": 1.0, "moved": None}, {"equal": 0.75, "moved": 0.02}
    every = ([], [same], [same, some, same], [{"equal": 0.0, "moved": None}])
    rows = [*(("demo/one", again) for again in every), ("demo/two", [])]
    made = pd.DataFrame(rows, columns=["experiment", "again"])
    monkeypatch.setattr(findings, "_made", lambda: made)
    found = findings.computed_again()
    assert found.to_dict("index") == {"demo/one": {"results": 3, "as before": 1, "moved": 0.625, "by": 0.02}}


def test_an_audit_bounds_what_was_not_drawn(monkeypatch):
    """Ten as before leave 1 - .05 ** (1 / 10) open, one of ten otherwise more, and none as before everything."""
    counts = [
        ("a", 60, 3, 8, 6, 6, 0),
        ("a", 40, 0, 4, 4, 4, 40),
        ("b", 90, 0, 10, 10, 9, 0),
        ("c", 5, 0, 1, 0, 0, 0),
        ("d", 0, 0, 2, 2, 2, 0),
    ]
    columns = ["experiment", "other_code", "no_code", "drawn", "again", "as_before", "audited"]
    monkeypatch.setattr(store, "overview", lambda: pd.DataFrame(counts, columns=columns))
    found = findings.audit()
    counted = found.drop(columns="at most").to_numpy().tolist()
    assert counted == [[103, 12, 10, 10, 40], [90, 10, 10, 9, 0], [5, 1, 0, 0, 0]]
    assert found["at most"].tolist() == pytest.approx([1 - 0.05**0.1, 0.394163, 1], abs=1e-6)


def test_a_part_without_its_marks_is_named():
    text = "a\n<!-- one -->\nold\n<!-- end -->\nb"
    assert findings.with_blocks(text, {"one": "new"}) == "a\n<!-- one -->\nnew\n<!-- end -->\nb"
    with pytest.raises(ValueError, match="no part <!-- two -->"):
        findings.with_blocks(text, {"two": "new"})
