"""How Sphinx renders the pages; `polytopic site` calls it on a copy of this folder, with the notebooks beside it."""

import inspect
import re

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

import polytopic

project = "polytopic"
author = "The polytopic authors"
release = polytopic.__version__
html_title = f"polytopic {release}"
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False
exclude_patterns = ["generated", "_templates"]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
html_math_renderer = "mathml"
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
templates_path = ["_templates"]


def formula(is_block):
    """Return how a writer puts a formula: as MathML, which browsers draw without a script."""

    def write(writer, node):
        text = tex2mathml(node.astext(), as_block=is_block)
        writer.body.append(f'<div class="formula">{text}</div>' if is_block else text)
        raise SkipNode

    return write


def as_written(app, what, name, obj, options, lines):
    """Let a docstring say what it says: stars, bars and trailing underscores are none of the markup's."""
    for place, line in enumerate(lines):
        front, colon, rest = line.partition(" : ") if re.match(r"\w+( :|, \w+)", line) else ("", "", line)
        parts = rest.split("``")
        parts[::2] = [re.sub(r"([*|]|_(?!\w))", r"\\\1", part) for part in parts[::2]]
        lines[place] = front + colon + "``".join(parts)


def not_ours(app, what, name, obj, skipped, options):
    """Leave out what a class has from other libraries."""
    module = getattr(inspect.unwrap(getattr(obj, "fget", obj)), "__module__", None) or "polytopic"
    return skipped or not module.startswith("polytopic")


def setup(app):
    app.connect("autodoc-process-docstring", as_written, priority=400)
    app.connect("autodoc-skip-member", not_ours)
    renderers = {"inline_renderers": (formula(False), None), "block_renderers": (formula(True), None)}
    app.add_html_math_renderer("mathml", **renderers)
