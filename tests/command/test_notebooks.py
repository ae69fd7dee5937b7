"""The notebooks as they are committed, and what is asked of each.

That they run, and that marked cells still print what they print here, is nbval's part of the test run.
"""

import ast
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import v4

from polytopic import paths
from polytopic.command import gallery, notebooks

ROOT = paths.checkout()
COMMITTED = notebooks.find()
LINK = re.compile(r"\]\(([^)#:\s]+)(?=[)#\s])")
MARK = "nbval-check-output"  # the tag of a cell whose output nbval compares
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TOOLS = ("00_start_here", "03_explorer")  # which find nothing
NUMBER = re.compile(r"(?<![\w@.-])(?!(?:19|20)\d\d\b)\d+(?:[.,]\d+)*(?![\w-])")
FIGURE = re.compile(r"(?:figures?|tables?|sections?|note) \d+(?:(?:, | and )\d+)*", re.IGNORECASE)
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


def listed():
    """Return the Markdown among the first notebook's outputs."""
    (start,) = (one for one in COMMITTED if one.name == "00_start_here")
    outputs = [output for cell in start.content["cells"] for output in cell.get("outputs", [])]
    return [
        "".join(one["data"]["text/markdown"]) for one in outputs if "text/markdown" in one.get("data", {})
    ]


def test_it_lists_every_notebook():
    """A new notebook is due there: `polytopic figures 00_start_here --force --keep-outputs` adds it."""
    assert listed()[-1].splitlines() == [
        f"- [{one.name}]({one.name}.ipynb): {one.title}" for one in COMMITTED
    ]


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_links_in_prose_lead_somewhere(notebook):
    prose = [notebooks.text(cell) for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"]
    targets = [target for text in prose for target in LINK.findall(text)]
    assert not [target for target in targets if not (notebook.path.parent / target).exists()]


def test_links_in_docs_lead_to_files_of_the_checkout():
    """So that the folder's pages can be read where they lie; the site's own check follows its links."""
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), ROOT / "data" / "README.md"]
    found = [(page, target) for page in pages for target in LINK.findall(page.read_text(encoding="utf-8"))]
    assert len(found) > 200
    assert [one for one in found if not (one[0].parent / one[1]).exists()] == []


@pytest.mark.slow
def test_the_explorer_has_menus(tmp_path, monkeypatch):
    """The committed page holds no widgets, so that nothing else looks at them."""
    monkeypatch.setenv(paths.FIGURES, str(tmp_path))
    (explorer,) = (one for one in COMMITTED if one.name == "03_explorer")
    source = explorer.path.read_text(encoding="utf-8")
    place = {"metadata": {"path": str(explorer.path.parent)}}
    page = NotebookClient(nbformat.reads(source, 4), kernel_name="python3", resources=place).execute()
    shown = [one.get("data", {}) for one in page.cells[-1].outputs]
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in shown) == 4


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


def test_a_damaged_notebook_is_named(tmp_path):
    (tmp_path / "cut.ipynb").write_text('{"cells": [')
    with pytest.raises(ValueError, match=r"cut\.ipynb is not a notebook"):
        notebooks.read(tmp_path / "cut.ipynb")


def test_parameters_are_read_with_their_defaults(tmp_path):
    source = "corpus = 'debtags'  # any corpus\nsplits: list = [0,\n    1]\nrate = -0.5\nlabel = None"
    notebook = executed(tmp_path / "a.ipynb", parameters=source)
    assert notebook.parameters == {"corpus": "debtags", "splits": [0, 1], "rate": -0.5, "label": None}


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


def test_the_gallery_leaves_out_a_notebook_that_has_gone(tmp_path):
    """One that vanished during a run ended it in FileNotFoundError, after all figures were drawn."""
    there, gone = executed(tmp_path / "a.ipynb", heading="# Bars"), tmp_path / "b.ipynb"
    page = gallery.render(tmp_path, [there, notebooks.Notebook(gone, "b")])
    assert "Bars" in page and gone.name not in page


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
