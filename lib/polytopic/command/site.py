"""The study as pages without a server: Sphinx on ``docs``, the notebooks as they are, and what is read off results.

The pages lie in a copy of the checkout's layout, so that the notebooks' own links lead where they do in the checkout.
"""

import json
import shutil
import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib.pyplot as plt
import pandas as pd

from polytopic import metrics, models, paths
from polytopic.command import gallery
from polytopic.command.arguments import Refusal
from polytopic.command.notebooks import find
from polytopic.files import write_whole
from polytopic.study import claims, findings, plates, speed, store
from polytopic.study.looks import ROOMS, displayed
from polytopic.study.rubin2012 import durations, linear
from polytopic.study.today import hybrid

COPIED = ("NOTATION.md", "CHANGELOG.md", "data/README.md")
REFERENCE = {
    "%MODELS%": ("polytopic.models", models.__all__),
    "%METRICS%": ("polytopic.metrics", metrics.__all__),
}
MADE = ".buildinfo"  # by which Sphinx knows its pages
EVIDENCE = {claims.OURS: "What it claims", claims.PRINTED: "What its printed numbers say"}
LARGEST = 3_000_000  # bytes of a page, pictures apart


def build(folder, notebooks):
    """Write the pages into a folder, and return what is wrong with them: sentences, or none.

    Raises Refusal where the folder holds anything but pages made before, and without Sphinx.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MADE).is_file():
        raise Refusal(f"{folder} holds other things than these pages: name a new folder, or an empty one")
    if find_spec("sphinx") is None:
        raise Refusal("the pages need Sphinx: pip install 'polytopic[site]'")
    source = paths.cache() / "site"
    for old in (source, folder):
        shutil.rmtree(old, ignore_errors=True)
    assemble(source, notebooks)
    trees = source.with_name("site-trees")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-d", str(trees), str(source), str(folder)]
    status = subprocess.run(command, check=False).returncode
    if status:
        return [f"Sphinx ended with status {status}"]
    return faults(folder)


def assemble(source, notebooks):
    """Write into a folder what Sphinx reads: docs, notebooks, figures, and pages made of stored results."""
    root = paths.root()
    shutil.copytree(root / "docs", source)
    for name in COPIED:
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(root / name, source / name)
    for one in notebooks:
        place = source / "notebooks" / f"{one.name}.ipynb"
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, shown(one))
    shutil.copytree(paths.figures(), source / "figures", ignore=shutil.ignore_patterns("*.html", "*.svg"))
    for path, text in pages(source, notebooks).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)


def shown(notebook):
    """Return a notebook as text for a page: imports folded, links to pages."""
    content = json.loads(notebook.path.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = "".join(cell["source"])
            if cell["source"].startswith(("import ", "from ")):
                cell["metadata"].setdefault("tags", []).append("hide-input")
            for output in cell["outputs"]:
                if "text/markdown" in output.get("data", {}):
                    text = "".join(output["data"]["text/markdown"])
                    output["data"]["text/markdown"] = text.replace(".ipynb)", ".html)")
    return json.dumps(content)


def pages(source, notebooks):
    """Return {path: text} of the pages that are made from results, and the drawings among them."""
    table, made = findings.judged(), source / "generated"
    found = {
        made / "counts.md": findings.in_short(table),
        made / "linear.md": "\n".join(linear.in_short(linear.README)),
        made / "untested.md": untested(table),
        made / "one_machine.md": on_one_machine(),
        made / "latency.md": speed.latency_text(),
        made / "minutes.md": how_long(),
        **{made / f"plates_{name}.svg": drawn(graphs) for name, graphs in plates.GRAPHS.items()},
    }
    owned = gallery.by_notebook(gallery.figures(source / "figures"), notebooks)
    for room in ROOMS:
        own = [one for one in notebooks if one.folder == room]
        story = (source / "papers" / f"{room}.md").read_text(encoding="utf-8")
        parts = [story, of_claims(table[table["paper"] == room]), of_figures(source, own, owned)]
        found[source / "papers" / f"{room}.md"] = "\n\n".join(filter(None, parts))
    reference = (source / "api.md").read_text(encoding="utf-8")
    for mark, (module, names) in REFERENCE.items():
        reference = reference.replace(
            mark,
            "\n".join(
                f"   {module}.{name}" for name in names if callable(getattr(sys.modules[module], name))
            ),
        )
    found[source / "api.md"] = reference
    own = [f"notebooks/{one.name}" for one in notebooks if not one.folder]
    found[source / "contents.md"] = contents("All notebooks", own)
    return found


def contents(title, names):
    """Return a page that is but a list of others."""
    return "\n".join(["---", "orphan: true", "---", f"# {title}", "", *(f"- [](/{name})" for name in names)])


def on_one_machine():
    """Return what the benchmarks measured of corpora at the papers' size and far above, in two sentences."""
    whole, many = speed.read("protocol"), speed.read("million_labels")
    facts, size = whole.attrs, many.iloc[0]
    sweep = many.loc[many["step"].str.startswith("words over labels"), "wall"].sum() / int(
        many.attrs["sweeps"]
    )
    hours = whole["whole_seconds"].sum() / 3600
    return (
        f"Most corpora fit on one machine. On {facts['cores']} cores with {facts['memory']}, the whole protocol of "
        f"Rubin et al. took {hours:.2f} hours for {int(facts['documents']):,} synthetic documents of "
        f"{facts['length']} words with {int(facts['labels']):,} labels, {facts['chains']} chains and the prediction "
        f"of {int(facts['test_documents']):,} documents included. Of {size['documents']:,} documents of "
        f"{many.attrs['length']} words with {size['labels']:,} labels, a sweep of sixteen chains took {sweep:.0f} "
        f"seconds, and training and prediction held {many['peak_gb'].max():.1f} GB at the most "
        "([what the benchmarks measured](/notebooks/speed/scale.ipynb)).\n"
    )


def how_long():
    """Return the minutes of a topic model by corpus and scale, of the default hybrid, and of all notebooks."""
    evidence = json.loads((paths.root() / "tests" / "evidence.json").read_text(encoding="utf-8"))
    seconds = [one["seconds"] for name, one in evidence.items() if name.endswith(".ipynb")]
    by_scale = durations.table(store.read(durations.durations)).rename_axis("corpus").reset_index()
    costs = (
        hybrid.weights_table(store.read(hybrid.hybrid).attrs["made"]).filter(like="CPU s").sum(axis=1) / 60
    )
    of_hybrid = pd.DataFrame({"corpus": costs.index.map(displayed), "minutes": costs.map(durations.spelled)})
    return "\n".join(
        [
            f"CPU minutes of {durations.MODEL} on one split, training and prediction, with the chains of each scale; "
            "quick scale takes at most "
            f"{durations.systems.MOST['quick']:,} documents of either side. A dash: not measured.",
            "",
            findings.as_markdown(by_scale),
            "",
            "CPU minutes of the default hybrid, means over the splits that are stored:",
            "",
            findings.as_markdown(of_hybrid),
            "",
            "All these on one core of a machine that did other work too. At quick scale, with finished units kept, "
            f"the {len(seconds)} notebooks took {sum(seconds) / 60:.0f} minutes one after the other when they were "
            f"last tested, the longest {max(seconds)} seconds.",
            "",
        ]
    )


def untested(table):
    """Return the claims that can't be tested here, as a table with the reasons."""
    rows = table[table["verdict"] == claims.UNTESTED]
    rows = rows.assign(paper=rows["paper"].map(ROOMS))[["paper", "claim", "where", "reason"]]
    return findings.as_markdown(rows)


def drawn(graphs):
    """Return a drawing of graphs as SVG."""
    figure, stream = plates.plot_graphs(graphs)[0].figure, BytesIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    plt.close(figure)
    return stream.getvalue()


def of_claims(table):
    """Return the claims of a paper, each with an address, its verdict and the page that shows the numbers."""
    parts = []
    for evidence, heading in EVIDENCE.items():
        own = table[table["evidence"] == evidence]
        rows = [
            {
                "claim": f'<span id="{slug(f"{evidence} {row.where} {row.claim}")}"></span>{row.claim}',
                "where": row.where,
                findings.HERE: row.middle,
                "verdict": f"**{row.verdict}**",
                "cases": row.cases,
                "on": row.reason or row.on,
                "page": f"[{row.notebook.rpartition('/')[2]}](/notebooks/{row.notebook}.ipynb)"
                if row.notebook
                else "",
            }
            for row in own.itertuples()
        ]
        if rows:
            parts += [f"## {heading}", findings.as_markdown(pd.DataFrame(rows))]
    return "\n\n".join(parts)


def slug(text):
    """Return a sentence as part of an address."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def of_figures(source, notebooks, owned):
    """Return the notebooks of a room in their order, each with its figures, those of stored results first."""
    lines = ["## Figure by figure", ""]
    for one in notebooks:
        lines += [
            f"### {one.title}",
            "",
            f"[The notebook, with its numbers](/notebooks/{one.name}.ipynb)",
            "",
        ]
        for name in sorted(owned[one.name], key=lambda name: not name.endswith(gallery.FIRST)):
            caption = escape(gallery.caption(source / "figures", name))
            lines += ["```{figure} /figures/" + name + ".png", f":alt: {caption}", f":name: {name}"]
            lines += [":class: drawn", ":figclass: drawn", "", caption, "```", ""]
    hidden = ["```{toctree}", ":hidden:", "", *(f"/notebooks/{one.name}" for one in notebooks), "```"]
    return "\n".join(lines + hidden)


class Page(HTMLParser):
    """What a page links to and which addresses within it there are."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.names |= {named[key] for key in ("id", "name") if named.get(key)}
        self.links += [named[key] for key in ("href", "src") if named.get(key)]


def faults(folder):
    """Return the broken links within the pages of a folder, and the pages that are too large."""
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    found = [f"{path.name} has {len(text):,} bytes" for path, text in texts.items() if len(text) > LARGEST]
    read = {path: Page(text) for path, text in texts.items()}
    for path, page in read.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            where = path.relative_to(folder.resolve())
            if not target.exists() or target.is_dir():
                found.append(f"{where} links to {link}, which is not there")
            elif parts.fragment and target in read and unquote(parts.fragment) not in read[target].names:
                found.append(f"{where} links to {link}, where no such place is")
    return found


def run(options):
    """Make the pages, say where they are, and name what is wrong. Returns the status."""
    folder = Path(options.folder) if options.folder else paths.runs() / "site"
    wrong = build(folder, find())
    for sentence in wrong:
        print(sentence)
    print(f"The pages: {folder / 'index.html'}")
    return 1 if wrong else 0
