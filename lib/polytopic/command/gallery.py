"""The page ``index.html`` of a figures folder: every figure with its title, by paper, without scripts."""

import os
import re
from html import escape
from itertools import groupby

from polytopic import paths
from polytopic.files import write_whole

ENDINGS = (".png", ".svg", ".json")
STYLE = """
:root { color-scheme: light dark; }
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 3rem 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid #8888; }
h3 { font-size: 1rem; margin: 0 0 .5rem; }
p { margin: 0 0 .5rem; }
article { margin: 0 0 2.5rem; }
figure { margin: 0 0 1rem; }
img { display: block; max-width: 100%; background: #fff; border-radius: 4px; }
nav a { margin-right: .75rem; white-space: nowrap; }
a { color: inherit; }
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
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "index.html", render(folder, notebooks))
    return folder / "index.html"


def render(folder, notebooks):
    """Return the page as text."""
    title = "Figures" if folder.parent.parent != paths.runs() else f"Figures: {folder.parent.name}"
    owned = by_notebook(figures(folder), notebooks)
    links, sections = [], []
    for paper, members in groupby(notebooks, lambda notebook: notebook.folder):
        top = "<section>"
        if paper:
            links.append(f'<a href="#{escape(paper)}">{heading(paper)}</a>')
            top = f'<section id="{escape(paper)}">\n<h2>{heading(paper)}</h2>'
        articles = [_article(folder, notebook, owned[notebook.name]) for notebook in members]
        sections += [top, *articles, "</section>"]
    if owned[None]:
        rest = [_figure(folder, name, name) for name in owned[None]]
        sections += ["<section>", "<h2>Other figures</h2>", *rest, "</section>"]
    parts = {"links": " ".join(links), "body": "\n".join(sections)}
    return PAGE.format(lower=escape(title.lower()), title=escape(title), style=STYLE, **parts)


def figures(folder):
    """Return the names of the figures in a folder, in their order."""
    return sorted({path.stem for path in folder.iterdir() if path.suffix in ENDINGS})


def by_notebook(names, notebooks):
    """Return {notebook name: its figures among these}, with what belongs to none under None."""
    owned = {None: [], **{notebook.name: [] for notebook in notebooks}}
    for name in names:
        owners = [notebook for notebook in notebooks if notebook.draws(name)]
        owner = max(owners, key=lambda notebook: len(notebook.figure), default=None)
        owned[owner and owner.name].append(name)
    return owned


def heading(paper):
    """Return the folder name as a heading: ``rubin2012`` gives ``Rubin 2012``."""
    return escape(re.sub(r"(?<=[a-z])(?=\d)", " ", paper).replace("_", " ").capitalize())


def _article(folder, notebook, own):
    source = escape(os.path.relpath(notebook.path, folder).replace(os.sep, "/"))
    drawn = "\n".join(_figure(folder, name, notebook.title) for name in own)
    link = f'<p><a href="{source}">Notebook</a></p>'
    return f"<article>\n<h3>{escape(notebook.title)}</h3>\n{drawn}\n{link}\n</article>"


def _figure(folder, name, title):
    files = [escape(name + ending) for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
    picture = next((file for file in files if not file.endswith(".json")), None)
    image = f'<a href="{picture}"><img src="{picture}" alt="{escape(title)}" loading="lazy"></a>\n'
    links = "".join(f'<a href="{file}">{file.rpartition(".")[2]}</a>' for file in files)
    return f"<figure>\n{image if picture else ''}<figcaption>{escape(name)}{links}</figcaption>\n</figure>"
