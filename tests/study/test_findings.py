"""The tables of findings: what is counted, what is shown, and that the README says what the register says."""

import pytest

from polytopic import paths
from polytopic.study import findings


def test_the_readme_says_what_the_register_holds():
    """Its parts that hold numbers are made by code: ``findings.write_readme()`` makes them anew."""
    readme = (paths.checkout() / "README.md").read_text(encoding="utf-8")
    assert findings.with_blocks(readme, findings.readme_blocks()) == readme


def test_a_part_without_its_marks_is_named():
    text = "a\n<!-- one -->\nold\n<!-- end -->\nb"
    assert findings.with_blocks(text, {"one": "new"}) == "a\n<!-- one -->\nnew\n<!-- end -->\nb"
    with pytest.raises(ValueError, match="no part <!-- two -->"):
        findings.with_blocks(text, {"two": "new"})
