"""The pages: what is made for them, that all they link to is there, and that what they say to run does run."""

import ast
import json
import re

import pytest

from polytopic import paths
from polytopic.command import cli, site
from polytopic.command.notebooks import find

ROOT = paths.checkout()
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(path.name, code, id=f"{path.relative_to(ROOT / 'docs').as_posix()}-{number}")
    for path in PAGES
    if path.name != "serve.md"  # its example asks a server, which test_serving starts
    for number, code in enumerate(BLOCK.findall(path.read_text(encoding="utf-8")), 1)
]
OPTIONAL = {"annif", "dask", "dask_jobqueue", "pyLDAvis", "ray"}
QUESTIONS = 10


def written(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return folder


def test_broken_links_are_named(tmp_path):
    one = "".join(f'<a href="{to}">x</a>' for to in ("two.html#here", "two.html#gone", "three.html", "#top"))
    two = '<p id="here">x <a href="https://example.org/x">y</a></p>'
    wrong = site.faults(written(tmp_path, one=one, two=two))
    assert wrong == [
        "one.html links to two.html#gone, where no such place is",
        "one.html links to three.html, which is not there",
        "one.html links to #top, where no such place is",
    ]


def test_a_page_that_is_too_large_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "LARGEST", 5)
    assert site.faults(written(tmp_path, one="<p>x</p>")) == ["one.html has 8 bytes"]


def test_other_things_in_the_folder_stay(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert cli.main(["site", str(tmp_path)]) == 2
    assert "holds other things" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_notebooks_are_shown_with_imports_folded_and_links_to_pages():
    for one in find():
        cells = json.loads(site.shown(one))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert "hide-input" in code[0]["metadata"]["tags"]
        told = [out.get("data", {}).get("text/markdown", "") for cell in code for out in cell["outputs"]]
        assert not any(".ipynb)" in "".join(text) for text in told)


def test_every_claim_has_an_address_of_its_own():
    table = site.findings.judged()
    for paper, own in table.groupby("paper"):
        names = re.findall(r'id="(.*?)"', site.of_claims(own))
        assert len(names) == len(own), paper
        assert len(set(names)) == len(names) and all(re.fullmatch(r"[\w-]+", name) for name in names)
    assert site.untested(table).count("\n") == 1 + (table["verdict"] == site.claims.UNTESTED).sum()


@pytest.mark.parametrize(("name", "code"), EXAMPLES)
def test_examples_run(name, code):
    """An example that needs a program which is no dependency is skipped, visibly, without it."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    for module in sorted({one.partition(".")[0] for one in names} & OPTIONAL):
        pytest.importorskip(module, exc_type=ImportError)
    exec(compile(code, name, "exec"), {"__name__": "__main__"})


def test_one_machine_is_told_from_the_benchmarks():
    told, whole = site.on_one_machine(), site.speed.read("protocol")
    assert f"took {whole['whole_seconds'].sum() / 3600:.2f} hours" in told
    assert f"{whole.attrs['cores']} cores with {whole.attrs['memory']}" in told
    assert "nan" not in told


def test_how_long_things_take_is_read_off_what_was_measured():
    told, stored = site.how_long(), site.store.read(site.durations.durations)
    of_debtags = stored[(stored["corpus"] == "debtags") & (stored["chains"] == "small")]["seconds"].sum() / 60
    assert re.search(rf"\| debtags \| \S+ \| {site.durations.spelled(of_debtags)} \|", told)
    assert re.search(r"the \d+ notebooks took \d+ minutes one after the other", told)
    assert "nan" not in told


def test_every_model_has_a_page():
    told = "".join(path.read_text(encoding="utf-8") for path in PAGES if path.parent.name == "models")
    estimators = {name for name in site.models.__all__ if name[0].isupper()}
    helpers = {"LabelCountLasso", "MetaLabeler", "M5P", "CalibratedLabelRanking"}  # parts of others
    assert {name for name in estimators - helpers if name not in told} == set()


@pytest.mark.slow
def test_the_site_is_whole(tmp_path, capsys):
    """Every link leads somewhere, and each of the ten questions is answered from the front page."""
    assert cli.main(["site", str(tmp_path / "site")]) == 0, capsys.readouterr().out
    front = (tmp_path / "site" / "index.html").read_text()
    table = front[front.index('id="ten-questions"') :].split("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    asked = [row for row in rows if "?" in row]
    assert len(asked) == QUESTIONS and all("<a " in row for row in asked)
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="(https?:)?//', front)
