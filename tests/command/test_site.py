"""The pages: what is made for them, that all they link to is there, and that what they say to run does run."""

import ast
import re
import shlex

import pytest

import build as site
import conf
import references
from polytopic import models, paths
from polytopic.command import cli, results
from polytopic.study import store

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


ARTICLE = (ROOT / "docs" / "article.md").read_text(encoding="utf-8")


def test_the_articles_numbers_are_those_stored():
    assert len(references.LINK.findall(ARTICLE)) > 70
    assert references.faults(ARTICLE) == []


def test_a_number_that_is_changed_by_hand_stops_the_article(monkeypatch):
    """In the stored results as in the article; so does a number without a reference, or a claim's changed cases."""
    text = "[.038](../notebooks/a.ipynb \"case('rubin2012', 'rare labels', 'eurlex-papers')\")"
    assert references.faults(text) == []
    assert references.faults(text.replace(".038", ".040"))[0].startswith("[.040] is now 0.0377")
    assert references.faults(text.replace("eurlex-papers", "enron"))[0].startswith("[.038] refers to case(")
    assert references.faults("It is .039 in 3 of 4 cases, `.5` and $.5$ apart.") == [
        ".039 stands without a reference",
        "3 of 4 stands without a reference",
    ]
    stored = references.claims.stored_cases

    def changed(claims):
        return [cases.assign(value=cases["value"] + 0.1) for cases in stored(claims)]

    references._cases.cache_clear()
    monkeypatch.setattr(references.claims, "stored_cases", changed)
    (wrong,) = references.faults(text)
    references._cases.cache_clear()
    assert "have changed since its sentence was written: read it again" in wrong


@pytest.mark.parametrize(
    ("printed", "stored", "alike"),
    [
        (".039", 0.0394, True), ("0.039", 0.0394, True), ("-.087", -0.0868, True), ("12.8", 12.789, True),
        ("11,366", 11366, True), ("48", 47.7, True), ("10.5", 1.5, False), (".04", 0.0394, True),
        (".03", 0.0394, False),
        ("holds, 4 of 4", "holds, 4 of 4", True), ("holds, 4 of 4", "holds, 3 of 4", False),
    ],
)  # fmt: skip
def test_numbers_are_compared_by_the_digits_in_print(printed, stored, alike):
    assert references.same(printed, stored) == alike


def test_the_article_is_handed_to_latex(tmp_path, monkeypatch, capfd):
    """A stand-in for LaTeX is handed the figures, and no link that leads nowhere."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["site", str(tmp_path / "out"), "--pdf"]) == 2
    assert "a PDF needs LaTeX" in capfd.readouterr().err
    program = tmp_path / "latexmk"
    program.write_text("#!/bin/sh\n/bin/cp article.tex article.pdf\n")
    program.chmod(0o755)
    assert cli.main(["site", str(tmp_path / "out"), "--pdf"]) == 0
    text = (tmp_path / "out" / "article.pdf").read_text(encoding="utf-8")
    assert "plates_labelled" in text and "rubin2012_fig_12" in text
    assert "ipynb" not in text and ".048 above the tuned" in text.replace("\n", " ")


def test_other_things_in_the_folder_stay(tmp_path, capfd):
    (tmp_path / "thesis.txt").write_text("mine")
    assert cli.main(["site", str(tmp_path)]) == 2
    assert "holds other things" in capfd.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine"


FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_commands_can_be_pasted(page):
    """Every block says its language; lines of bash are commands that exist, with explanations behind a #.

    The guide's example of results named an experiment that was gone.
    """
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    assert all(language for _, language, _ in blocks)
    bash = [text.replace("\\\n", "") for _, language, text in blocks if language == "bash"]
    lines = [line for text in bash for line in text.splitlines()]
    for words in (shlex.split(line, comments=True) for line in lines):
        words = words[
            next(k for k, word in enumerate(words) if "=" not in word) :
        ]  # variables stand in front
        if words[0] == "tail":
            words = words[words.index("|") + 1 :]
        if words[0] in ("polytopic", "python3"):
            assert words[0] == "polytopic" or words[1] == "study.py", words
            options = cli.parse(words[1:] if words[0] == "polytopic" else words[2:])
            if "results" in words[:3] and options.name != "PAPER/EXPERIMENT":
                store.load()
                assert results.experiments_of(options.name)
        elif words[0] == ".venv/bin/python":
            assert (ROOT / words[1]).is_file()
        else:
            assert words[0] in ("curl", "export", "papermill", "pip", "python", "uv"), words


@pytest.mark.parametrize(("name", "code"), EXAMPLES)
def test_examples_run(name, code):
    """An example that needs a program which is no dependency is skipped, visibly, without it."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    for module in sorted({one.partition(".")[0] for one in names} & OPTIONAL):
        pytest.importorskip(module, exc_type=ImportError)
    exec(compile(code, name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("name", [name for name in models.__all__ if isinstance(getattr(models, name), type)])
def test_the_reference_has_an_example_of_each_model(name, capsys):
    exec(compile(conf.example(getattr(models, name)), name, "exec"), {})
    assert capsys.readouterr().out.strip()


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
