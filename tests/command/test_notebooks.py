"""The notebooks as they are committed, and what is asked of each.

That they run, and that marked cells still print what they print here, is nbval's part of the test run.
"""

import ast
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import pytest
from nbformat import v4

from polytopic import paths
from polytopic.command import gallery, notebooks
from polytopic.study import store

ROOT = paths.checkout()
COMMITTED = notebooks.find()
MARK = "nbval-check-output"  # the tag of a cell whose output nbval compares
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TOOLS = ("00_start_here", "03_explorer")  # which find nothing
NUMBER = re.compile(r"(?<![\w@.-])(?!(?:19|20)\d\d\b)\d+(?:[.,]\d+)*(?![\w-])")
FIGURE = re.compile(r"(?:figures?|tables?|sections?|note) \d+(?:(?:, | and )\d+)*", re.IGNORECASE)
COUNTED = {"burkhardt2018/table_04"}  # tables of documents and words, and no more
AIDS = ("0", "audit/", "speed/", "today/")  # what is no paper's figure or table begins with
COLLECTED = re.compile(r"store\.collect\(\s*([\w.]+)")
MACHINE_PATH = re.compile(
    r"(?<![\w.])/(home|root|tmp|Users|usr|opt|work|var)/\w|site-packages|ipykernel_\d|[A-Z]:\\\\"
)


def faults(notebook):
    """Return what is wrong with a notebook, one line for each fault."""
    content = notebook.content
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code" and notebooks.text(cell).strip()]
    outputs = [output for cell in code for output in cell["outputs"]]
    found = [*_frame_faults(notebook), *_source_faults(code)]
    counts = [cell["execution_count"] for cell in code]
    if None in counts or counts != sorted(set(counts)):
        found.append(f"its cells were not run once from top to bottom: {counts}")
    if any(output["output_type"] == "error" for output in outputs):
        found.append("it ended in an error")
    if any(output.get("name") == "stderr" for output in outputs):
        found.append("it keeps warnings or progress, which differ between runs")
    if "widgets" in content["metadata"] or any(
        "widget" in kind for one in outputs for kind in one.get("data", {})
    ):
        found.append("it keeps the state of widgets")
    if MACHINE_PATH.search(json.dumps([_readable(output) for output in outputs])):
        found.append("its outputs name a place on one machine")
    if any(MARK in notebooks.tags(cell) and not cell["outputs"] for cell in code):
        found.append(f"a cell tagged {MARK} has no output to compare with")
    return found + [
        f"a cell tagged {MARK} computes {name} and so shows its progress" for name in _computed(code)
    ]


def _frame_faults(notebook):
    content = notebook.content
    if content["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "its kernel is not python3"
    first = content["cells"][0]
    if first["cell_type"] != "markdown" or not notebooks.text(first).startswith("# "):
        yield "it does not begin with a heading"
    if sum(notebooks.PARAMETERS in notebooks.tags(cell) for cell in content["cells"]) != 1:
        yield "it has not one cell tagged parameters"
    try:
        notebook.parameters  # noqa: B018
    except ValueError:
        yield "its parameters are not literals"


def _source_faults(code):
    whole = "\n".join(map(notebooks.text, code))
    for cell in code:
        try:
            tree = ast.parse(notebooks.text(cell))
        except SyntaxError:
            yield f"a cell is not plain Python: {notebooks.text(cell)}"
            continue
        for node in ast.walk(tree):
            is_function = isinstance(node, ast.FunctionDef)
            if isinstance(node, DEFINITIONS) and not (
                is_function and len(re.findall(rf"\b{node.name}\b", whole)) > 2
            ):
                yield f"it defines {node.name}: a class belongs to the library, a function of one use to its cell"


def _computed(code):
    """Yield the experiments that a marked cell is the first to collect: their progress would be compared too."""
    before = set()
    for cell in code:
        names = set(COLLECTED.findall(notebooks.text(cell)))
        if MARK in notebooks.tags(cell):
            yield from sorted(names - before)
        before |= names


def _readable(output):
    """Return an output without its pictures, whose encoding holds all sorts of letters by chance."""
    data = {kind: text for kind, text in output.get("data", {}).items() if not kind.startswith("image/")}
    return {**output, "data": data}


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_a_notebook_is_a_page_to_read(notebook):
    assert faults(notebook) == []


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_each_parameter_has_a_comment(notebook):
    (cell,) = (one for one in notebook.content["cells"] if notebooks.PARAMETERS in notebooks.tags(one))
    lines = notebooks.text(cell).splitlines()
    last = [lines[statement.end_lineno - 1] for statement in ast.parse("\n".join(lines)).body]
    assert all(line.partition("  # ")[2] for line in last)


def unfounded(notebook):
    """Return what keeps a page from saying first and last what was found: a sentence, or none.

    The paragraph under the title is the finding. The last cell computes what it rests on and says it: "So: ...". A
    number of the former that the latter does not have was typed by hand; years, figures and names are none.
    """
    _, first, *_, last = notebook.content["cells"]
    finding = notebooks.text(first).split("\n\n")[0]
    if first["cell_type"] != "markdown" or finding.startswith(("#", "$", "|", "-")):
        return "no finding stands under the title"
    outputs = [text for one in last.get("outputs", []) for text in one.get("data", {}).values()]
    told = "".join("".join(text) for text in outputs if not isinstance(text, dict))
    if last["cell_type"] != "code" or "So:" not in told:
        return "its last cell does not say what was found"
    missing = set(NUMBER.findall(FIGURE.sub("", finding))) - set(NUMBER.findall(told))
    return f"its first lines have {sorted(missing)}, which the last cell does not compute" if missing else ""


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_a_page_says_first_and_last_what_was_found(notebook):
    assert notebook.name in TOOLS or not unfounded(notebook)


def test_a_number_in_a_finding_that_nothing_computes_is_found(tmp_path):
    cells = [
        v4.new_markdown_cell("# A claim"),
        v4.new_markdown_cell("In 2012, by figure 6, CVB0 leads P@5 by 0.031 on 3 of 4 corpora.\n\nMore of it, 7."),
        v4.new_code_cell("x", outputs=[v4.new_output("execute_result", {"text/markdown": "**So:** 0.031, 3 of 5"})]),
    ]  # fmt: skip
    page = notebooks.Notebook(tmp_path / "a.ipynb", "a")
    page.path.write_text(json.dumps(v4.new_notebook(cells=cells)), encoding="utf-8")
    assert unfounded(page) == "its first lines have ['4'], which the last cell does not compute"


def test_scales_in_comments_exist():
    store.load()
    known = {scale for one in store.EXPERIMENTS.values() for scale in one.scales}
    for notebook in COMMITTED:
        cells = (one for one in notebook.content["cells"] if notebooks.PARAMETERS in notebooks.tags(one))
        (told,) = re.findall(r"^scale = .*", "\n".join(map(notebooks.text, cells)), re.MULTILINE) or [""]
        assert set(re.findall(r'"(\w+)"', told)) <= known, notebook.name


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_a_paper_s_page_has_the_equation_that_it_rests_on(notebook):
    prose = "".join(
        notebooks.text(cell) for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"
    )
    formulas = re.findall(r"\$\$(.+?)\$\$", prose, re.DOTALL)
    assert formulas or notebook.name in COUNTED or notebook.name.startswith(AIDS)


@pytest.mark.skipif(not shutil.which("node"), reason="KaTeX runs in a browser or in node")
def test_the_site_can_draw_every_formula():
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    for notebook in COMMITTED:
        cells = [cell for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"]
        pages.append("\n\n".join(map(notebooks.text, cells)))
    formulas = re.findall(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$", "\n\n".join(pages), re.DOTALL)
    strict = "{displayMode: true, strict: 'error'}"
    program = (
        f"for (const one of {json.dumps([a or b for a, b in formulas])}) katex.renderToString(one, {strict});"
    )
    katex = ROOT / "docs" / "_static" / "katex" / "katex.min.js"
    done = subprocess.run(
        ["node", "-"], input=f"const katex = require({json.dumps(str(katex))}); {program}",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and len(formulas) > 200, done.stderr[-2000:]


def test_every_figure_belongs_to_a_notebook():
    folder = ROOT / "figures"
    drawn = gallery.figures(folder) if folder.is_dir() else []
    assert gallery.by_notebook(drawn, COMMITTED)[None] == []


def test_the_gallery_shows_the_figures_as_they_are():
    page = ROOT / "figures" / "index.html"
    assert page.is_file() == bool(COMMITTED)
    if COMMITTED:
        assert page.read_text(encoding="utf-8") == gallery.render(page.parent, COMMITTED)


# The checks themselves


RESULT = v4.new_output("execute_result", {"text/plain": "2"}, execution_count=2)


def executed(
    path,
    source="1 + 1",
    output=RESULT,
    count=2,
    heading="# A claim",
    parameters="seed = 0",
    tags=(),
    **changes,
):
    """Write a notebook as it is after a run, and return it."""
    cells = [
        v4.new_markdown_cell(heading),
        v4.new_code_cell(parameters, execution_count=1, metadata={"tags": ["parameters"]}),
        v4.new_code_cell(
            source, execution_count=count, outputs=[output] if output else [], metadata={"tags": list(tags)}
        ),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    content = v4.new_notebook(cells=cells) | {"metadata": metadata | changes}
    path.write_text(json.dumps(content), encoding="utf-8")
    return notebooks.Notebook(path, path.stem)


def shown(kind, content):
    return v4.new_output("display_data", {kind: content})


def stream(name, text):
    return v4.new_output("stream", name=name, text=text)


def test_a_good_notebook_has_no_faults(tmp_path):
    for change in (
        {"source": "1 + 1", "tags": [MARK]},
        {"source": "def f(x):\n    return x\n\n\nf(1) + f(1)"},
        {"output": shown("image/png", "aG9/tmp/tmp/usr/x")},
        {"output": stream("stdout", "https://example.org/home/x")},
    ):
        assert faults(executed(tmp_path / "good.ipynb", **change)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"source": "def f():\n    return 1\n\n\nf()"}, "defines f"),
        ({"source": "if True:\n    class A:\n        pass\n\n    A(), A()"}, "defines A"),
        ({"source": "%matplotlib inline"}, "not plain Python"),
        ({"parameters": "seed = 1 + n"}, "not literals"),
        ({"parameters": "import os"}, "not literals"),
        ({"heading": "A claim"}, "begin with a heading"),
        ({"count": None}, "not run once"),
        ({"count": 1}, "not run once"),
        ({"output": v4.new_output("error", ename="E")}, "ended in an error"),
        ({"output": stream("stderr", "50 %")}, "warnings or progress"),
        ({"output": stream("stdout", "wrote /tmp/figure.png")}, "one machine"),
        ({"output": shown("application/widget-view+json", {})}, "widgets"),
        ({"widgets": {}}, "widgets"),
        ({"kernelspec": {"name": "conda-env-py"}}, "python3"),
        ({"source": "1", "tags": [MARK], "output": None}, "no output to compare"),
        ({"source": "store.collect(room.rows, corpus)", "tags": [MARK]}, "computes room.rows"),
    ],
)
def test_each_fault_is_seen(tmp_path, change, fault):
    found = faults(executed(tmp_path / "bad.ipynb", **change))
    assert len(found) == 1 and fault in found[0]


def test_no_parameters_is_a_fault(tmp_path, write_notebook):
    path = write_notebook(tmp_path / "plain.ipynb", ("md", "# A claim"))
    assert faults(notebooks.Notebook(path, "plain")) == ["it has not one cell tagged parameters"]


def test_a_damaged_notebook_is_named(tmp_path):
    (tmp_path / "cut.ipynb").write_text('{"cells": [')
    with pytest.raises(ValueError, match=r"cut\.ipynb is not a notebook"):
        notebooks.read(tmp_path / "cut.ipynb")


def test_parameters_are_read_with_their_defaults(tmp_path):
    source = "corpus = 'debtags'  # any corpus\nsplits: list = [0,\n    1]\nrate = -0.5\nlabel = None"
    notebook = executed(tmp_path / "a.ipynb", parameters=source)
    assert notebook.parameters == {"corpus": "debtags", "splits": [0, 1], "rate": -0.5, "label": None}


def test_the_digest_is_of_the_source_alone(tmp_path):
    digests = [
        executed(tmp_path / "a.ipynb", **change).digest
        for change in [{}, {"count": 5}, {"output": None}, {"source": "1 + 2"}, {"heading": "# Another"}]
    ]
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests[2:])) == 3


def test_the_longest_beginning_owns_a_figure(tmp_path):
    names = ["paper/fig_1", "paper/fig_1_labels", "paper/fig_10"]
    known = [notebooks.Notebook(tmp_path / f"{name}.ipynb", name) for name in names]
    drawn = ["paper_fig_1", "paper_fig_1_labels_b", "paper_fig_10", "paper_fig_12", "paper_fig_1a"]
    assert gallery.by_notebook(drawn, known) == {
        "paper/fig_1": ["paper_fig_1", "paper_fig_1a"],
        "paper/fig_1_labels": ["paper_fig_1_labels_b"],
        "paper/fig_10": ["paper_fig_10"],
        None: ["paper_fig_12"],
    }


def test_the_gallery_says_what_a_figure_finds_and_how_large_it_is(tmp_path):
    notebook = executed(tmp_path / "fig_1.ipynb", heading="# Bars")
    folder = tmp_path / "figures"
    folder.mkdir()
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
    (folder / "fig_1.png").write_bytes(head)
    (folder / "fig_1_stored.png").write_bytes(b"no picture")
    title = {"title": "A paper, figure 1 <a>  ·  toy  ·  quick scale", "data": []}
    (folder / "fig_1.json").write_text(json.dumps(title))
    (folder / "fig_1_stored.json").write_text(
        json.dumps({"title": "x", "finding": "More is <more>", "data": []})
    )
    page = gallery.render(folder, [notebook])
    assert '<figure id="fig_1">' in page and "Which claims hold" not in page
    assert 'alt="A paper, figure 1 &lt;a&gt;  ·  toy  ·  quick scale" width="640" height="480"' in page
    stored, quick = page.split("<details>")
    assert "More is &lt;more&gt;" in stored and '"fig_1_stored.png"' in stored, "quick runs are folded"
    assert '"fig_1.png"' in quick and '"fig_1.png"' not in stored


def test_the_gallery_begins_with_the_claims(tmp_path):
    notebook = executed(tmp_path / "fig_1.ipynb", heading="# Bars")
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "fig_1.png").write_bytes(b"")
    claim = {"paper": "rubin2012", "claim": "More <is> more", "where": "p. 1", "evidence": "our results"}
    claim |= {"verdict": "fails", "cases": "0 of 2", "notebook": "fig_1", "reason": "", "found": "No: <less>"}
    others = [
        claim
        | {"verdict": "data not available", "cases": "", "notebook": "", "reason": "no data", "found": ""},
        claim | {"verdict": "holds"},
    ]
    rows = [claim, *others, claim | {"evidence": "the paper's printed numbers"}]
    (folder / "01_findings.json").write_text(json.dumps({"title": "t", "data": {"claims": rows}}))
    page = gallery.render(folder, [notebook])
    assert "Rubin et al. (2012): 3 claims. holds: 1, fails: 1, data not available: 1" in page, "in this order"
    assert (
        page.count("More &lt;is&gt; more") == 3 and "<td>no data</td>" in page and "No: &lt;less&gt;" in page
    )
    assert '<a href="../fig_1.ipynb">fig_1</a>' in page and page.index("Which claims") < page.index("Bars")
    assert "holds: 1, fails: 1 · <a" in page


def test_the_test_run_compares_marked_cells_only(tmp_path):
    """nbval passes a stripped notebook, and compares everything or, as here, what is marked."""
    executed(tmp_path / "same.ipynb", source="1 + 1", tags=[MARK])
    executed(tmp_path / "other.ipynb", source="1 + 2", tags=[MARK])
    executed(tmp_path / "unmarked.ipynb", source="1 + 2")
    settings = ["-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, "-p", "no:cacheprovider", "-q"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, [*settings, *sorted(tmp_path.glob("*.ipynb"))])],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTEST_ADDOPTS": ""}, check=False,
    )  # fmt: skip
    failed = re.findall(r"^FAILED (\S+?)::", result.stdout, re.MULTILINE)
    assert [name.rpartition("/")[2] for name in failed] == ["other.ipynb"], result.stdout
    assert "1 failed, 5 passed" in result.stdout
