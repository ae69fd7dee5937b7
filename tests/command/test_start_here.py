"""The first notebook lists every notebook."""

import re

import pytest

from polytopic import paths
from polytopic.command import notebooks

ROOT = paths.checkout()
COMMITTED = notebooks.find()
LINK = re.compile(r"\]\(([^)#:]+)\)")


def shown():
    """Return the Markdown among the first notebook's outputs."""
    (start,) = (one for one in COMMITTED if one.name == "00_start_here")
    outputs = [output for cell in start.content["cells"] for output in cell.get("outputs", [])]
    return [
        "".join(one["data"]["text/markdown"]) for one in outputs if "text/markdown" in one.get("data", {})
    ]


def test_it_lists_every_notebook():
    """A new notebook is due there: `polytopic figures 00_start_here --force --keep-outputs` adds it."""
    listed = shown()[-1]
    assert listed.splitlines() == [f"- [{one.name}]({one.name}.ipynb): {one.title}" for one in COMMITTED]


@pytest.mark.parametrize("notebook", COMMITTED, ids=lambda notebook: notebook.name)
def test_links_in_prose_lead_somewhere(notebook):
    prose = [notebooks.text(cell) for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"]
    targets = [target for text in prose for target in LINK.findall(text)]
    assert not [target for target in targets if not (notebook.path.parent / target).exists()]
