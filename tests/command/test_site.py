"""The pages: what is made for them, that all they link to is there, and that what they say to run does run."""

import ast
import json
import re
import shlex

import pytest

import build as site
from polytopic import paths
from polytopic.command import cli
from polytopic.command.notebooks import Notebook, find

ROOT = paths.checkout()
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(path.name, code, id=f"{path.relative_to(ROOT / 'docs').as_posix()}-{number}")
    for path in PAGES
    if path.name != "serve.md"  # its example asks a server, which test_serving starts
    for number, code in enumerate(BLOCK.findall(path.read_text(encoding="utf-8")), 1)
]
OPTIONAL = {"annif", "dask", "dask_jobqueue", "pyLDAvis"}
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


def test_other_things_in_the_folder_stay(tmp_path, capfd):
    (tmp_path / "thesis.txt").write_text("mine")
    assert cli.main(["site", str(tmp_path)]) == 2
    assert "holds other things" in capfd.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_table_that_is_shown_as_text_is_named(tmp_path):
    """Tables that cells print as Markdown were once walls of bars on the first pages that a reader opens."""
    wrong = site.faults(
        written(tmp_path, one="<p>| a | b |\n| --- | --- |</p>", two="<p>x | y</p><b>| z</b>")
    )
    assert wrong == ["one.html has a paragraph that was to be a table: | a | b |"]


def test_notebooks_are_shown_with_code_folded_and_links_to_pages():
    for one in find():
        cells = json.loads(site.shown(one))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        folded = ["hide-input" in cell["metadata"].get("tags", []) for cell in code]
        assert folded[0] and all(folded) == (one.name not in site.ABOUT_CODE), one.name
        told = [out.get("data", {}) for cell in code for out in cell["outputs"]]
        told = "".join(
            "".join(data.get(kind, "")) for data in told for kind in ("text/markdown", "text/html")
        )
        assert not re.search(r"\.ipynb[)\"]", told), one.name
        assert not any("../docs/" in cell["source"] for cell in cells), "docs are the site's own root"


def test_a_paper_s_claims_are_all_on_its_page_the_central_ones_unfolded():
    table = site.findings.judged()
    for paper, own in table.groupby("paper"):
        first, *folded = site.of_claims(table, paper).split("<details>")
        central = (own["evidence"] == site.claims.OURS) & (own["central"] != "")
        assert first.count("<td") / 5 == central.sum(), "a row of five cells each"
        assert sum(part.count("<td") for part in folded) / 5 == len(own) - central.sum()
        names = {one.name for one in find()}
        assert set(re.findall(r'href="../notebooks/(.*?).html"', "".join([first, *folded]))) <= names
    assert site.of_claims(table, "speed") == ""
    assert site.untested(table).count("\n") == 1 + (table["reason"] != "").sum()


def test_pictures_follow_the_paper_and_quick_runs_are_folded(tmp_path):
    names = ["calibration", "table_01", "fig_02", "fig_01", "fig_01_labels"]
    titles = {"p_fig_01": "figure 1  ·  toy  ·  quick scale", "p_fig_01_stored": "figure 1  ·  toy"}
    (tmp_path / "figures").mkdir()
    for name, title in titles.items():
        told = {"title": title, "finding": f"{name} found"}
        (tmp_path / "figures" / f"{name}.json").write_text(json.dumps(told))
    some = [Notebook(tmp_path / f"{name}.ipynb", f"p/{name}") for name in names]
    for one in some:
        one.path.write_text('{"cells": []}')
    ordered = site.gallery.in_order(some)
    assert [one.path.stem for one in ordered] == [names[k] for k in (3, 4, 2, 1, 0)]
    owned = {one.name: [] for one in some} | {"p/fig_01": list(titles)}
    first, quick = site.of_figures(tmp_path, ordered, owned).split("<details>")
    assert "/figures/p_fig_01_stored.png" in first and "/figures/p_fig_01.png" in quick
    assert "p_fig_01_stored found" in first and "figure 1" not in first


def test_the_study_can_be_cited_from_the_page():
    told = site.bibtex()
    assert re.findall(r"^@(\w+)\{(\w+),$", told, re.MULTILINE) == [
        ("software", "polytopic"),
        ("article", "rubin2012"),
        ("article", "papanikolaou2017"),
        ("article", "burkhardt2018"),
        ("inproceedings", "ueda2002"),
        ("article", "tai2012"),
    ]
    assert "  author = {Ueda, Naonori and Saito, Kazumi}," in told
    assert told.count("{") == told.count("}")


FENCE = re.compile(r"^(`{3,})(.*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_commands_can_be_pasted(page):
    """Every block says its language; lines of bash are commands that exist, with explanations behind a #."""
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    assert all(language for _, language, _ in blocks)
    lines = [line for _, language, text in blocks if language == "bash" for line in text.splitlines()]
    for words in (shlex.split(line, comments=True) for line in lines):
        words = words[
            next(k for k, word in enumerate(words) if "=" not in word) :
        ]  # variables stand in front
        if words[0] == "tail":
            words = words[words.index("|") + 1 :]
        if words[0] in ("polytopic", "python3"):
            assert words[0] == "polytopic" or words[1] == "study.py", words
            cli.parse(words[1:] if words[0] == "polytopic" else words[2:])
        else:
            assert words[0] in ("export", "papermill", "pip"), words


@pytest.mark.parametrize(("name", "code"), EXAMPLES)
def test_examples_run(name, code):
    """An example that needs a program which is no dependency is skipped, visibly, without it."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    for module in sorted({one.partition(".")[0] for one in names} & OPTIONAL):
        pytest.importorskip(module, exc_type=ImportError)
    exec(compile(code, name, "exec"), {"__name__": "__main__"})


def test_every_model_has_a_page():
    told = "".join(path.read_text(encoding="utf-8") for path in PAGES if path.parent.name == "models")
    estimators = {name for name in site.models.__all__ if name[0].isupper()}
    helpers = {"LabelCountLasso", "MetaLabeler", "M5P", "CalibratedLabelRanking"}  # parts of others
    assert {name for name in estimators - helpers if name not in told} == set()


@pytest.mark.slow
def test_the_site_is_whole(tmp_path, capfd):
    """Every link leads somewhere, each of the ten questions is answered from the front page, all from here."""
    assert cli.main(["site", str(tmp_path / "site")]) == 0, capfd.readouterr().out
    front = (tmp_path / "site" / "index.html").read_text()
    table = front[front.index('id="where-to-go"') :].split("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    asked = [row for row in rows if "?" in row]
    assert len(asked) == QUESTIONS and all("<a " in row for row in asked)
    formulas = (tmp_path / "site" / "models" / "labelled.html").read_text()
    assert "katex/katex.min.js" in formulas and "katex" not in front
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="(https?:)?//', front + formulas)
