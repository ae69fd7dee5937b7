"""The notebooks as they are committed, and what is asked of each.

That they run, and that marked cells still print what they print here, is nbval's part of the test run.
"""

import ast
import json
import os
import re
import struct
import subprocess
import sys

import pytest
from nbformat import v4

from polytopic import paths
from polytopic.command import gallery, notebooks
from polytopic.study import store
from polytopic.study.rubin2012 import costs

ROOT = paths.checkout()
COMMITTED = notebooks.find()
MARK = "nbval-check-output"  # the tag of a cell whose output nbval compares
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COST = re.compile(r"\b(seconds|minutes|hours|days|time|long|longer|quicker|costs|nothing)\b")
COUNTED = {"papanikolaou/table_03", "burkhardt2018/table_04"}  # tables of documents and words, and no more
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
    for cell in code:
        try:
            tree = ast.parse(notebooks.text(cell))
        except SyntaxError:
            yield f"a cell is not plain Python: {notebooks.text(cell)}"
            continue
        if any(isinstance(node, DEFINITIONS) for node in ast.walk(tree)):
            yield "it defines a function or a class, which belongs to the library"


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


def uncommented(source):
    """Return the parameters in a cell beside which no comment says what values there are and what they cost."""
    lines = [line.partition("  # ") for line in source.splitlines()]
    return [front for front, _, comment in lines if not COST.search(comment)]


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_parameters_say_what_values_there_are_and_what_they_cost(notebook):
    (cell,) = (one for one in notebook.content["cells"] if notebooks.PARAMETERS in notebooks.tags(one))
    assert uncommented(notebooks.text(cell)) == []


def test_a_comment_without_a_cost_is_none():
    bare, told = "corpus = 'debtags'  # any corpus", "seed = 0  # any whole number; another takes as long"
    assert uncommented(f"{bare}\n{told}\nn_topics = 20") == ["corpus = 'debtags'", "n_topics = 20"]


def test_scales_in_comments_exist():
    store.load()
    known = {scale for one in store.EXPERIMENTS.values() for scale in one.scales} | set(costs.SCALES)
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


def test_the_site_can_write_every_formula():
    written = pytest.importorskip("docutils.utils.math.latex2mathml").tex2mathml
    for notebook in COMMITTED:
        cells = [cell for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"]
        for formula in re.findall(r"\$\$(.+?)\$\$", "".join(map(notebooks.text, cells)), re.DOTALL):
            assert "<math" in written(formula.strip(), as_block=True)


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
        {"output": shown("image/png", "aG9/tmp/tmp/usr/x")},
        {"output": stream("stdout", "https://example.org/home/x")},
    ):
        assert faults(executed(tmp_path / "good.ipynb", **change)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"source": "def f():\n    return 1"}, "defines a function"),
        ({"source": "if True:\n    class A:\n        pass"}, "defines a function or a class"),
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


def test_parameters_are_those_that_papermill_finds(tmp_path):
    from papermill import inspect_notebook

    notebook = executed(tmp_path / "a.ipynb", parameters="corpus = 'debtags'\nn_topics = 20\nseed = 0")
    assert sorted(inspect_notebook(str(notebook.path))) == sorted(notebook.parameters)


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


def test_the_gallery_depends_on_files_alone(tmp_path):
    notebook = executed(tmp_path / "fig_1.ipynb", heading="# Bars & <lines>")
    folder = tmp_path / "figures"
    folder.mkdir()
    for name in ("fig_1.png", "fig_1.svg", "fig_1.json", "stray.svg", "notes.txt"):
        (folder / name).write_text("")
    first = gallery.write(folder, [notebook]).read_bytes()
    assert gallery.write(folder, [notebook]).read_bytes() == first
    page = first.decode()
    assert "Bars &amp; &lt;lines&gt;" in page and "<lines>" not in page
    assert re.findall(r'src="([^"]+)"', page) == ["fig_1.png", "fig_1.png", "stray.svg"]  # small, and large
    links = set(re.findall(r'href="([^"#]+)"', page))
    assert links == {"fig_1.png", "fig_1.svg", "fig_1.json", "stray.svg", "../fig_1.ipynb"}


def test_the_gallery_says_what_a_figure_is_and_how_large(tmp_path):
    notebook = executed(tmp_path / "fig_1.ipynb", heading="# Bars")
    folder = tmp_path / "figures"
    folder.mkdir()
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
    (folder / "fig_1.png").write_bytes(head)
    (folder / "fig_1_stored.png").write_bytes(b"no picture")
    (folder / "fig_1.json").write_text(json.dumps({"title": "A paper, figure 1 <a>", "data": []}))
    page = gallery.render(folder, [notebook])
    assert '<div id="fig_1">' in page and '<figure id="fig_1-figure">' in page
    assert 'alt="A paper, figure 1 &lt;a&gt;: Bars" width="640" height="480"' in page
    assert "<figcaption>A paper, figure 1 &lt;a&gt; <a" in page and "<figcaption>fig_1_stored <a" in page
    assert page.index("fig_1_stored.png") < page.index('"fig_1.png"'), "stored results come first"
    assert "Which claims stand" not in page


def test_the_gallery_begins_with_the_claims(tmp_path):
    notebook = executed(tmp_path / "fig_1.ipynb", heading="# Bars")
    folder = tmp_path / "figures"
    folder.mkdir()
    claim = {"paper": "rubin2012", "claim": "More <is> more", "where": "p. 1", "evidence": "our results"}
    claim |= {"verdict": "fails", "cases": "0 of 2", "on": "toy", "notebook": "fig_1", "reason": ""}
    untested = claim | {
        "verdict": "can't be tested here",
        "cases": "",
        "on": "",
        "notebook": "",
        "reason": "no data",
    }
    rows = [claim, untested, claim | {"evidence": "the paper's printed numbers"}]
    (folder / "01_findings.json").write_text(json.dumps({"title": "t", "data": {"claims": rows}}))
    page = gallery.render(folder, [notebook])
    assert "Rubin et al. (2012): 2 claims, 1 fails, 1 can&#x27;t be tested here" in page
    assert page.count("More &lt;is&gt; more") == 2 and "<td>no data</td>" in page
    assert '<a href="../fig_1.ipynb">fig_1</a>' in page and page.index("Which claims") < page.index("Bars")
    assert '<h3>Bars</h3> <span class="told">1 fails</span>' in page


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
