"""The page ``index.html`` of a figures folder: which claims hold, and every figure by paper, without scripts."""

import json
import os
import struct
from html import escape
from pathlib import Path
from string import Template

from polytopic import paths
from polytopic.files import write_whole
from polytopic.study import claims
from polytopic.study.looks import ROOMS

PAGE = Path(__file__).with_name("gallery.html")
ENDINGS = (".png", ".svg", ".json")
FINDINGS = "01_findings.json"  # of the notebook that judges every claim
KINDS = ("fig_", "table_")  # in the order of a paper's notebooks; what is in no paper comes last
QUICK = "·  quick scale"  # in the title of a figure that shows a quick run


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
    notebooks = [one for one in notebooks if one.path.is_file()]  # one may have gone since they were found
    title = "Figures" if folder.parent.parent != paths.runs() else f"Figures: {folder.parent.name}"
    owned, rows = by_notebook(figures(folder), notebooks), _verdicts(folder)
    links, sections = [], []
    if rows:
        links.append('<a href="#claims">Claims</a>')
        sections.append(_claims(folder, rows, notebooks))
    for room in sorted({one.folder for one in notebooks}, key=_place):
        members = in_order(one for one in notebooks if one.folder == room)
        name = escape(ROOMS.get(room, room) or "The study")
        links.append(f'<a href="#{escape(room) or "study"}">{name}</a>')
        top = f'<section id="{escape(room) or "study"}">\n<h2>{name}</h2>'
        sections += [top, *_room(folder, members, owned, rows), "</section>"]
    if owned[None]:
        rest = [_figure(folder, name) for name in owned[None]]
        sections += ['<section>\n<h2>Other figures</h2>\n<div class="grid">', *rest, "</div></section>"]
    parts = {"title": escape(title), "links": " ".join(links), "body": "\n".join(sections)}
    return Template(PAGE.read_text(encoding="utf-8")).substitute(parts, lower=escape(title.lower()))


def figures(folder):
    """Return the names of the figures in a folder, in their order."""
    return sorted({path.stem for path in folder.iterdir() if path.suffix == ".png"})


def by_notebook(names, notebooks):
    """Return {notebook name: its figures among these}, with what belongs to none under None."""
    owned = {None: [], **{notebook.name: [] for notebook in notebooks}}
    for name in names:
        owners = [notebook for notebook in notebooks if notebook.draws(name)]
        owner = max(
            owners,
            key=lambda one: max(len(start) for start in one.figures if name.startswith(start)),
            default=None,
        )
        owned[owner and owner.name].append(name)
    return owned


def in_order(notebooks):
    """Return notebooks of one room as their paper goes: its figures, its tables, then what is in no paper."""
    return sorted(
        notebooks, key=lambda one: ([not one.path.stem.startswith(kind) for kind in KINDS], one.name)
    )


def stored_and_quick(folder, names):
    """Return the figures that show stored results, and those that show a quick run."""
    quick = [name for name in names if QUICK in _numbers(folder, name).get("title", "")]
    return [name for name in names if name not in quick], quick


def caption(folder, name):
    """Return what a figure finds, or what it is of, or its name."""
    facts = _numbers(folder, name)
    return facts.get("finding") or facts.get("title", name)


def short(title, room):
    """Return a title without the name of the room, under which it stands."""
    name, comma, rest = title.partition(", ")
    if not (room in ROOMS and comma and name.split()[0] == ROOMS[room].split()[0]):
        return title
    return rest[0].upper() + rest[1:]


def _numbers(folder, name):
    """Return what the json of a figure says; nothing where there is none to read."""
    try:
        return dict(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _place(room):
    """Return where a room stands: what belongs to none first, then in the order of ROOMS, then by name."""
    rooms = ["", *ROOMS]
    return (rooms.index(room), "") if room in rooms else (len(rooms), room)


def _verdicts(folder):
    """Return the claims that are judged on our own results, or none without the notebook's figure."""
    if not (folder / FINDINGS).is_file():
        return []
    rows = json.loads((folder / FINDINGS).read_text(encoding="utf-8"))["data"]["claims"]
    return [row for row in rows if row["evidence"] == claims.OURS]


def tally(rows):
    """Return how many claims have each verdict, in words, from the best to what was not tested."""
    found = [row["verdict"] for row in rows]
    return ", ".join(f"{one}: {found.count(one)}" for one in claims.VERDICTS if one in found)


def _claims(folder, rows, notebooks):
    """Return under each paper's line, which counts its verdicts, every claim with what was found."""
    known = {one.name: one for one in notebooks}
    parts = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        own = [row for row in rows if row["paper"] == paper]
        lines = "\n".join(_claim(folder, row, known.get(row["notebook"])) for row in own)
        parts.append(
            f"<details>\n<summary>{escape(ROOMS.get(paper, paper))}: {len(own)} claims. {tally(own)}</summary>\n"
            "<table>\n<tr><th>What the paper says</th><th>What we found</th><th>Verdict</th></tr>\n"
            f"{lines}\n</table>\n</details>"
        )
    return '<section id="claims">\n<h2>Which claims hold</h2>\n' + "\n".join(parts) + "\n</section>"


def _claim(folder, row, notebook):
    page = f' · <a href="{_link(folder, notebook)}">{escape(row["notebook"])}</a>' if notebook else ""
    color, verdict = claims.COLORS.get(row["verdict"], "inherit"), escape(row["verdict"])
    return (
        f"<tr><td>{escape(row['claim'])} <small>{escape(row['where'])}{page}</small></td>"
        f"<td>{escape(row.get('found') or row['reason'] or '')}</td>"
        f'<td><b style="color: {color}">{verdict}</b><br><small>{escape(row["cases"])}</small></td></tr>'
    )


def _link(folder, notebook):
    return escape(os.path.relpath(notebook.path, folder).replace(os.sep, "/"))


def _room(folder, notebooks, owned, rows):
    """Yield the pictures of a room, its pages without one, and, folded, those that quick runs drew."""
    shown, folded, bare = [], [], []
    for one in notebooks:
        stored, quick = stored_and_quick(folder, owned[one.name])
        cards = [_figure(folder, name, one, rows) for name in stored + quick]
        shown += cards[: len(stored) or len(cards)]
        folded += cards[len(stored) :] if stored else []
        if not cards:
            bare.append(f'<a href="{_link(folder, one)}">{escape(short(one.title, one.folder))}</a>')
    yield from ['<div class="grid">', *shown, "</div>"] if shown else []
    if bare:
        yield f"<p>Without a picture: {' · '.join(bare)}</p>"
    if folded:
        yield "\n".join(
            ["<details>\n<summary>Quick runs</summary>", '<div class="grid">', *folded, "</div>\n</details>"]
        )


def _figure(folder, name, notebook=None, rows=()):
    files = [name + ending for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
    picture = next((escape(file) for file in files if not file.endswith(".json")), None)
    room = notebook and notebook.folder
    told, image = escape(short(caption(folder, name), room)), ""
    if picture:
        size = _size(folder / picture) if picture.endswith(".png") else ""
        image = f'<a href="{picture}"><img src="{picture}" alt="{told}"{size} loading="lazy"></a>\n'
    below = [f'<a href="{escape(file)}">{file.rpartition(".")[2]}</a>' for file in files]
    if notebook:
        below.insert(0, escape(tally([row for row in rows if row["notebook"] == notebook.name])))
        told = f'<a href="{_link(folder, notebook)}">{escape(short(notebook.title, room))}</a><br>{told}'
    told += f"<br><small>{' · '.join(filter(None, below))}</small>"
    return f'<figure id="{escape(name)}">\n{image}<figcaption>{told}</figcaption>\n</figure>'


def _size(picture):
    """Return the attributes width and height of a png; nothing where it is none."""
    head = picture.read_bytes()[:24]
    if len(head) < 24 or head[12:16] != b"IHDR":
        return ""
    width, height = struct.unpack(">II", head[16:])
    return f' width="{width}" height="{height}"'
