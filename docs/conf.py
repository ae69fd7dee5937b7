"""How Sphinx renders the pages; `polytopic site` calls it on a copy of this folder, with the notebooks beside it.

KaTeX draws formulas; its release 0.19.1 lies in ``_static/katex``, so that nothing is fetched from elsewhere.
"""

import inspect
import re
from html import escape

from docutils.nodes import SkipNode, math, math_block

import polytopic
from polytopic import models

project = "polytopic"
author = "The polytopic authors"
release = polytopic.__version__
html_title = f"polytopic {release}"
html_theme = "furo"
html_static_path = ["site.css", "_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False
latex_documents = [
    ("article", "article.tex", "Five papers on multi-label topic models, run again", author, "howto")
]
exclude_patterns = ["generated", "_templates"]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
html_math_renderer = "katex"
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "gfm"
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]
autosummary_generate = True
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
templates_path = ["_templates"]
EXAMPLE = """\
import numpy as np
from polytopic.models import {name}

rng = np.random.default_rng(0)
X, Y = rng.poisson(2, (40, 6)), rng.random((40, 5)) < 0.5  # 40 documents, 6 words, 5 labels
model = {name}({seed}).fit({given})
print(model.{method}(X[:2]))"""


def example(model):
    """Return a program that trains a model's class with its defaults, and asks it about two documents."""
    method = "predict" if hasattr(model, "predict") else "transform"
    seed = "random_state=0" if "random_state" in inspect.signature(model).parameters else ""
    given = "X, Y" if method == "predict" else "X"
    return EXAMPLE.format(name=model.__name__, seed=seed, given=given, method=method)


def with_example(app, what, name, obj, options, lines):
    """End what a model's class says by an example."""
    if what == "class" and obj.__name__ in models.__all__:
        lines += ["", ".. rubric:: Example", "", ".. code-block:: python", ""]
        lines += [f"    {line}" for line in example(obj).splitlines()]


def formula(tag):
    """Return how a writer puts a formula: as TeX, which KaTeX, a part of the pages, draws in the browser."""

    def write(writer, node):
        writer.body.append(f'<{tag} class="formula">{escape(node.astext())}</{tag}>')
        raise SkipNode

    return write


def is_formula(node):
    return isinstance(node, (math, math_block))


def with_katex(app, pagename, templatename, context, doctree):
    """Let a page with formulas load KaTeX."""
    if doctree is not None and any(doctree.findall(is_formula)):
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js", loading_method="defer")
        app.add_js_file("formulas.js", loading_method="defer")


def as_written(app, what, name, obj, options, lines):
    """Let a docstring say what it says: stars, bars and trailing underscores are none of the markup's."""
    for place, line in enumerate(lines):
        front, colon, rest = line.partition(" : ") if re.match(r"\w+( :|, \w+)", line) else ("", "", line)
        parts = rest.split("``")
        parts[::2] = [re.sub(r"([*|]|_(?!\w))", r"\\\1", part) for part in parts[::2]]
        lines[place] = front + colon + "``".join(parts)
    if what == "property" and lines:
        lines[0] = f": {lines[0]}"  # else napoleon takes what stands before a colon for a type


def not_ours(app, what, name, obj, skipped, options):
    """Leave out what a class has from other libraries."""
    module = getattr(inspect.unwrap(getattr(obj, "fget", obj)), "__module__", None) or "polytopic"
    return skipped or not module.startswith("polytopic")


def setup(app):
    app.connect("autodoc-process-docstring", as_written, priority=400)
    app.connect("autodoc-process-docstring", with_example, priority=900)  # after napoleon
    app.connect("autodoc-skip-member", not_ours)
    app.connect("html-page-context", with_katex)
    app.add_html_math_renderer("katex", (formula("span"), None), (formula("div"), None))
