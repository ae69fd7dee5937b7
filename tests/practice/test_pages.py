"""What README and the pages tell readers to type, typed: with a table in which some rows are wrong."""

import re
import shlex

import pytest

from polytopic import paths
from polytopic.command import cli

ROOT = paths.checkout()
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GOOD = (
    'a red apple and a tree,red;fruit\na green car on a road,green\n"a red, red car",red\n'
    "an apple and a pear,fruit\n"
)
DIRTY = f"description,tags\n{GOOD * 6}one cell\na,b,c\n,red\nno label here,\n".encode() + b"caf\xe9,red\n"


def typed(page, begins):
    """Return the commands of the block of a page in which one begins so."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = [one for one in BLOCK.findall(text) if f"\n{begins}" in f"\n{one}"]
    return [
        shlex.split(line, comments=True)[1:] for line in block.splitlines() if line.startswith("polytopic ")
    ]


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A folder with the two tables of which the pages speak."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tags.csv").write_bytes(DIRTY)
    (tmp_path / "new.csv").write_text("description\na red car\nan apple\n")
    return tmp_path


@pytest.mark.slow
def test_from_a_table_to_reasons_as_the_readme_says(reader, capsys):
    for command in typed("README.md", "polytopic import tags.csv --text description"):
        assert cli.main(command) == 0, (command, capsys.readouterr().err)
    told = capsys.readouterr().out
    assert "3 rows left out" in told and "line 26 has 1 cells, the header 2" in told
    assert "2 rows kept, but to look at" in told and "is not in UTF-8" in told
    assert (reader / "labels.csv").read_text().startswith("line,rank,label,score\n2,1,red,")
    assert "<mark" in (reader / "why.html").read_text()
    for command in typed("docs/explain.md", "polytopic explain model new.csv"):
        assert cli.main(command) == 0
    assert len((reader / "why.jsonl").read_text().splitlines()) == 2


@pytest.mark.slow
def test_a_model_is_judged_as_the_page_says(reader, capsys):
    for command in typed("docs/keep.md", "polytopic evaluate"):
        assert cli.main(command) == 0, (command, capsys.readouterr().err)
    told = capsys.readouterr().out
    assert "5 documents, 2 labels that occur" in told and "learned from: it will do worse" not in told
    assert cli.main(["evaluate", "model", "corpora/mine"]) == 0
    assert "learned from: it will do worse" in capsys.readouterr().out
