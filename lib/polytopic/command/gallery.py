"""The page ``index.html`` of a figures folder: every figure with its title, by paper, without scripts."""

import os
import re
from html import escape
from itertools import groupby

from polytopic import paths
from polytopic.files import write_whole

ENDINGS = (".png", ".svg", ".json")
STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #656d76; --line: #d8dee4; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --page: #0d1117; }
}
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--page); }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 3rem 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .5rem; }
nav, p { color: var(--soft); margin: 0 0 .5rem; }
nav { margin-bottom: 2rem; }
a { color: inherit; }
nav a, p a { margin-right: .75rem; white-space: nowrap; }
article { margin: 0 0 2.5rem; }
figure { margin: 0 0 1rem; }
img { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
figcaption { color: var(--soft); font-size: .875rem; }
figcaption a { margin-left: .75rem; }
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>polytopic: {lower}</title>
<style>{style}</style>
<h1>{title}</h1>
<p>Drawn by the notebooks, each with the numbers behind it.</p>
<nav>{links}</nav>
{body}
</html>
"""


def write(folder, notebooks):
    """Write ``index.html`` into a figures folder from the files in it, and return its path.

    A figure belongs to the notebook whose ``figure`` its name begins with, the longest where several do.
    The same files and notebooks give the same bytes.
    """
    page = folder / "index.html"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(page, render(folder, notebooks))
    return page


def render(folder, notebooks):
    """Return the page as text."""
    title = "Figures" if folder.parent.parent != paths.runs() else f"Figures: {folder.parent.name}"
    owned = by_notebook(figures(folder), notebooks)
    papers = {paper: list(members) for paper, members in groupby(notebooks, lambda notebook: notebook.folder)}
    links = " ".join(f'<a href="#{escape(paper)}">{heading(paper)}</a>' for paper in papers if paper)
    sections = []
    for paper, members in papers.items():
        top = f'<section id="{escape(paper)}">\n<h2>{heading(paper)}</h2>' if paper else "<section>"
        articles = [_article(folder, notebook, owned[notebook.name]) for notebook in members]
        sections.append("\n".join([top, *articles, "</section>"]))
    if owned[None]:
        rest = [_figure(name, endings, name) for name, endings in owned[None].items()]
        sections.append("\n".join(["<section>", "<h2>Other figures</h2>", *rest, "</section>"]))
    body = "\n".join(sections)
    return PAGE.format(lower=escape(title.lower()), title=escape(title), style=STYLE, links=links, body=body)


def figures(folder):
    """Return {figure name: set of the endings it has} of a folder, in the order of names."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS:
            found.setdefault(path.stem, set()).add(path.suffix)
    return found


def by_notebook(found, notebooks):
    """Return {notebook name: its part of ``found``}, with what belongs to none under None."""
    owned = {None: {}, **{notebook.name: {} for notebook in notebooks}}
    for name, endings in found.items():
        owners = [notebook for notebook in notebooks if notebook.draws(name)]
        owner = max(owners, key=lambda notebook: len(notebook.figure), default=None)
        owned[owner and owner.name][name] = endings
    return owned


def heading(paper):
    """Return the folder name as a heading: ``rubin2012`` gives ``Rubin 2012``."""
    return escape(re.sub(r"(?<=[a-z])(?=\d)", " ", paper).replace("_", " ").capitalize())


def _article(folder, notebook, own):
    source = escape(os.path.relpath(notebook.path, folder).replace(os.sep, "/"))
    drawn = "\n".join(_figure(name, endings, notebook.title) for name, endings in own.items())
    link = f'<p><a href="{source}">Notebook</a></p>'
    return f"<article>\n<h3>{escape(notebook.title)}</h3>\n{drawn}\n{link}\n</article>"


def _figure(name, endings, title):
    name = escape(name)
    picture = next((ending for ending in (".png", ".svg") if ending in endings), None)
    image = (
        f'<a href="{name}{picture}"><img src="{name}{picture}" alt="{escape(title)}" loading="lazy"></a>\n'
    )
    links = "".join(f'<a href="{name}{ending}">{ending[1:]}</a>' for ending in ENDINGS if ending in endings)
    return f"<figure>\n{image if picture else ''}<figcaption>{name}{links}</figcaption>\n</figure>"
