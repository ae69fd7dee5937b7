"""The page ``index.html`` of a figures folder: which claims stand, and every figure by paper, without scripts."""

import json
import os
import struct
from html import escape

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study.looks import ROOMS

ENDINGS = (".png", ".svg", ".json")
FINDINGS = "01_findings.json"  # of the notebook that judges every claim
HEADINGS = ("claim", "where", "here, the median case", "verdict", "cases", "on", "page")
OWN, FIRST = "our results", ("beside", "stored", "yahoo", "paper_sets", "eurlex_titles")
STYLE = """
:root { color-scheme: light dark; }
body { max-width: 84rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 3rem 0 1rem; padding-bottom: .25rem; border-bottom: 1px solid #8888; }
h3 { font-size: 1rem; margin: 0; }
p, ul { max-width: 62rem; margin: 0 0 .5rem; }
section details { margin: 0 0 .5rem; }
summary { display: flex; align-items: center; gap: .75rem; }
summary::before { content: "▸"; }
details[open] > summary::before { content: "▾"; }
summary:has(.small) { min-height: 4.5rem; }
h3 { display: inline; }
.small { width: 8rem; height: 4.5rem; object-fit: contain; flex: none; }
.told { font-weight: 400; font-size: .875rem; }
figure { margin: 0 0 1rem; overflow-x: auto; }
img { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
nav a { margin-right: .75rem; white-space: nowrap; }
a { color: inherit; }
figcaption { font-size: .875rem; overflow-wrap: anywhere; }
figcaption a { margin-left: .75rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-size: .875rem; }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
td.number { text-align: right; }
td.verdict { white-space: nowrap; font-weight: 600; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 40rem) { figure img { max-width: none; width: 44rem; } .small { width: 4rem; } }
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>polytopic: {lower}</title>
<style>{style}</style>
<h1>{title}</h1>
<p>Drawn by the notebooks, each with the numbers behind it. A line opens to its figures; behind it stand the verdicts
on the claims that it shows. <code>python3 study.py site</code> makes pages of the notebooks.</p>
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
    owned, rows = by_notebook(figures(folder), notebooks), _judged(folder)
    links, sections = [], []
    if rows:
        links.append('<a href="#claims">Claims</a>')
        sections.append(_claims(folder, rows, notebooks))
    for room in sorted({one.folder for one in notebooks}, key=_place):
        members = [one for one in notebooks if one.folder == room]
        top = "<section>"
        if room:
            name = escape(ROOMS.get(room, room))
            links.append(f'<a href="#{escape(room)}">{name}</a>')
            top = f'<section id="{escape(room)}">\n<h2>{name}</h2>'
        sections += [top, *(_article(folder, one, owned[one.name], rows) for one in members), "</section>"]
    if owned[None]:
        rest = [_figure(folder, name, "") for name in owned[None]]
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


def _place(room):
    """Return where a room stands: what belongs to none first, then in the order of ROOMS, then by name."""
    rooms = ["", *ROOMS]
    return (rooms.index(room), "") if room in rooms else (len(rooms), room)


def _judged(folder):
    """Return the claims that are judged on our own results, or none without the notebook's figure."""
    if not (folder / FINDINGS).is_file():
        return []
    rows = json.loads((folder / FINDINGS).read_text(encoding="utf-8"))["data"]["claims"]
    return [row for row in rows if row["evidence"] == OWN]


def _told(rows):
    """Return how many claims have each verdict, in words."""
    verdicts = dict.fromkeys(row["verdict"] for row in rows)
    return ", ".join(f"{sum(row['verdict'] == one for row in rows)} {one}" for one in verdicts)


def _claims(folder, rows, notebooks):
    """Return the table of claims by verdict, and under each paper's line every claim with its verdict."""
    known = {one.name: one for one in notebooks}
    parts = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        own = [row for row in rows if row["paper"] == paper]
        lines = "\n".join(_claim(folder, row, known.get(row["notebook"])) for row in own)
        head = f"<tr>{''.join(f'<th>{name}</th>' for name in HEADINGS)}</tr>"
        name = escape(ROOMS.get(paper, paper))
        parts.append(
            f"<details>\n<summary>{name}: {len(own)} claims, {escape(_told(own))}</summary>\n"
            f'<div class="table"><table>\n{head}\n{lines}\n</table></div>\n</details>'
        )
    return (
        '<section id="claims">\n<h2>Which claims stand</h2>\n'
        "<p>What the papers say, judged by code on our own results, case by case. A claim stands where all its cases "
        "hold, stands in part where some do, and fails where none holds and some fail.</p>\n"
        + "\n".join(parts)
        + "\n</section>"
    )


def _claim(folder, row, notebook):
    page = f'<a href="{_link(folder, notebook)}">{escape(row["notebook"])}</a>' if notebook else ""
    cells = [
        row["claim"],
        row["where"],
        row.get("middle", ""),
        row["verdict"],
        row["cases"],
        row["on"] or row["reason"],
    ]
    cells = [f"<td>{escape(text or '')}</td>" for text in cells]
    cells[3] = cells[3].replace("<td>", '<td class="verdict">')
    return f"<tr>{''.join(cells)}<td>{page}</td></tr>"


def _link(folder, notebook):
    return escape(os.path.relpath(notebook.path, folder).replace(os.sep, "/"))


def _article(folder, notebook, own, rows):
    """Return a notebook's line, with its first figure small and its verdicts, which opens to all its figures.

    Those of the papers' own corpora and of stored results come first. An address within it opens it.
    """
    own = sorted(own, key=lambda name: not name.endswith(FIRST))
    told = _told([row for row in rows if row["notebook"] == notebook.name])
    small = next((f"{name}.png" for name in own if (folder / f"{name}.png").is_file()), None)
    icon = f'<img class="small" src="{escape(small)}" alt="" loading="lazy"> ' if small else ""
    badge = f' <span class="told">{escape(told)}</span>' if told else ""
    head = f"{icon}<span><h3>{escape(notebook.title)}</h3>{badge}</span>"
    drawn = "\n".join(_figure(folder, name, notebook.title) for name in own)
    link = f'<p><a href="{_link(folder, notebook)}">Notebook</a></p>'
    inside = f'<div id="{escape(notebook.figure)}">\n{drawn}\n{link}\n</div>'
    return f"<details>\n<summary>{head}</summary>\n{inside}\n</details>"


def _figure(folder, name, title):
    files = [name + ending for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
    picture = next((file for file in files if not file.endswith(".json")), None)
    told, image = caption(folder, name), ""
    if picture:
        alt = escape(": ".join(filter(None, [told, title])))
        size = _size(folder / picture) if picture.endswith(".png") else ""
        source = escape(picture)
        image = f'<a href="{source}"><img src="{source}" alt="{alt}"{size} loading="lazy"></a>\n'
    links = "".join(f'<a href="{escape(file)}">{file.rpartition(".")[2]}</a>' for file in files)
    below = f"<figcaption>{escape(told)} {links}</figcaption>"
    return f'<figure id="{escape(name)}-figure">\n{image}{below}\n</figure>'


def caption(folder, name):
    """Return the title that a figure's numbers come with, or its name."""
    try:
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["title"]
    except (OSError, ValueError, KeyError, TypeError):
        return name


def _size(picture):
    """Return the attributes width and height of a png; nothing where it is none."""
    head = picture.read_bytes()[:24]
    if len(head) < 24 or head[12:16] != b"IHDR":
        return ""
    width, height = struct.unpack(">II", head[16:])
    return f' width="{width}" height="{height}"'
