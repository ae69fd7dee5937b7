"""Five habits of prose that no docstring, comment or page has: with each pattern goes what to write instead."""

import ast
import functools
import io
import json
import re
import tokenize

import pytest

from polytopic import paths

ROOT = paths.checkout()
HABITS = {
    r"\bso many\b": "name the number",
    r"\b(each|rows|columns) to 1\b": "rows sum to 1",
    r"\b(one|an?) (row|column|line|page|list) an? \w": "one row per corpus",
    r"\b(held|holds?|sets?|stands?) (\w+ )?against\b": "is compared with",
    r"\b(hang|hangs|hanging) on\b": "depends on",
}


def prose_of(source):
    """Return the comments and docstrings of Python source, each on a line."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    docstrings = [
        ast.get_docstring(one) or "" for one in ast.walk(ast.parse(source)) if isinstance(one, documented)
    ]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join([*docstrings, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


@functools.cache
def texts():
    """Return {file: its prose} of the library, docs and notebooks."""
    found = {}
    for path in sorted(
        [*ROOT.glob("lib/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/**/*.ipynb")]
    ):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            text = prose_of(text)
        elif path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")
        found[str(path.relative_to(ROOT))] = " ".join(text.split())
    return found


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_of_prose_is_not_taken_up_again(habit):
    found = [(name, text[max(0, at.start() - 30) : at.end() + 30]) for name, text in texts().items()
             for at in re.finditer(habit, text, re.IGNORECASE)]  # fmt: skip
    assert found == [], HABITS[habit]


def test_prose_is_docstrings_and_comments():
    source = '"""So many\nrows."""\nx = "so many"  # each to 1\n\ndef f():\n    """Hangs on x."""\n'
    prose = prose_of(source)
    assert [len(re.findall(habit, prose.replace("\n", " "), re.IGNORECASE)) for habit in HABITS] == [
        1,
        1,
        0,
        0,
        1,
    ]
