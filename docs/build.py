"""The study as pages without a server: Sphinx on ``docs``, the notebooks as they are, and what is read off results.

``polytopic site`` runs this script with the folder that the pages go to.

The pages lie in a copy of the checkout's layout, so that the notebooks' own links lead where they do in the checkout.
"""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib.pyplot as plt
import pandas as pd
import yaml

import plates
import references
from polytopic import metrics, models, paths
from polytopic.command import gallery
from polytopic.command.arguments import Refusal
from polytopic.command.notebooks import find
from polytopic.files import write_whole
from polytopic.study import claims, findings
from polytopic.study.looks import ROOMS
from polytopic.study.today import comparison

REMEDY = 'Fewer test chains or `inference="mean_field"` are the remedy.'  # where sampling misses the aims
COPIED = ("NOTATION.md", "CHANGELOG.md", "data/README.md")
OUTWARD = re.compile(r"\]\(((?:\.\./)*)\.\./(?=notebooks/|data/|NOTATION|CHANGELOG)")  # links that leave docs
REFERENCE = {
    "%MODELS%": ("polytopic.models", models.__all__),
    "%METRICS%": ("polytopic.metrics", metrics.__all__),
}
MADE = ".buildinfo"  # by which Sphinx knows its pages
ENTRIES = {"software": "software", "article": "article", "conference-paper": "inproceedings"}  # of BibTeX
ABOUT_CODE = ("00_start_here", "02_from_scratch", "04_your_texts")  # notebooks whose code is to be read
PAGE, TABLE = "../notebooks/{}.html", '<div class="table-wrapper">\n{}\n</div>'  # from a paper's page
LARGEST = 3_000_000  # bytes of a page, pictures apart


def build(folder, notebooks, pdf=False):
    """Write the pages, or with pdf the article as PDF, into a folder; return what is wrong: sentences, or none.

    Raises Refusal where the folder holds anything but pages made before, without Sphinx, and for a PDF without LaTeX.
    """
    if not pdf and folder.exists() and any(folder.iterdir()) and not (folder / MADE).is_file():
        raise Refusal(f"{folder} holds other things than these pages: name a new folder, or an empty one")
    if find_spec("sphinx") is None:
        raise Refusal("the pages need Sphinx: pip install 'polytopic[site]'")
    if pdf and shutil.which("latexmk") is None:
        raise Refusal(
            "a PDF needs LaTeX with latexmk, which is not at hand; without --pdf the article is a page"
        )
    article = paths.root() / "docs" / "article.md"
    if wrong := references.faults(article.read_text(encoding="utf-8")):
        return [f"{article.name}: {sentence}; read the sentence again" for sentence in wrong]
    if pdf:
        return printed(article, folder)
    source = paths.cache() / "site"
    shutil.rmtree(source, ignore_errors=True)
    assemble(source, notebooks)
    return published(source, folder, notebooks)


def published(source, folder, notebooks):
    """Write the pages into a folder, which is emptied; return what is wrong with them."""
    shutil.rmtree(folder, ignore_errors=True)
    if status := sphinx("html", source, folder):
        return [f"Sphinx ended with status {status}"]
    shutil.copytree(source / "figures", folder / "figures")
    there = [replace(one, path=source / "notebooks" / f"{one.name}.ipynb") for one in notebooks]
    page = gallery.render(source / "figures", there).replace('.ipynb"', '.html"')
    write_whole(folder / "figures" / "index.html", page)
    return faults(folder)


def printed(article, folder):
    """Write article.pdf into a folder; return what is wrong. Its links, which lead to pages, are left out."""
    source, latex = (paths.cache() / name for name in ("article", "article-latex"))
    for old in (source, latex):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(paths.figures(), source / "figures", ignore=shutil.ignore_patterns("*.html", "*.svg"))
    shutil.copytree(article.parent / "_templates", source / "_templates")
    shutil.copy(article.parent / "conf.py", source)
    for name, graphs in plates.GRAPHS.items():
        write_whole(source / "generated" / f"plates_{name}.pdf", drawn(graphs, "pdf"))
    text = re.sub(
        r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", references.LINK.sub(r"\1", article.read_text(encoding="utf-8"))
    )
    write_whole(source / article.name, text)
    status = sphinx("latex", source, latex, "-D", "root_doc=article", "-D", "html_static_path=")
    command = ["latexmk", "-pdf", "-interaction=nonstopmode", "-quiet", "article.tex"]
    if status := status or subprocess.run(command, cwd=latex, check=False).returncode:
        return [f"the article was not printed (status {status}): see {latex}"]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(latex / "article.pdf", folder / "article.pdf")
    return []


def sphinx(builder, source, folder, *more):
    """Run Sphinx and return its status."""
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-q", "-d", str(source.with_name("site-trees"))]
    return subprocess.run([*command, *more, str(source), str(folder)], check=False).returncode


def assemble(source, notebooks):
    """Write into a folder what Sphinx reads: docs, notebooks, figures, and pages made of stored results."""
    root = paths.root()
    shutil.copytree(root / "docs", source)
    for path in source.rglob("*.md"):  # docs lie beside the notebooks there, not in a folder beside theirs
        write_whole(path, OUTWARD.sub(r"](\1", path.read_text(encoding="utf-8")))
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
    """Return a notebook as text for a page: code folded, imports at least, and links to pages."""
    content = json.loads(notebook.path.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        cell["source"] = "".join(cell["source"]).replace("../docs/", "../")
        if cell["cell_type"] == "code":
            if notebook.name not in ABOUT_CODE or cell["source"].startswith(("import ", "from ")):
                cell["metadata"].setdefault("tags", []).append("hide-input")
            for data in (output["data"] for output in cell["outputs"] if "data" in output):
                for kind in {"text/markdown", "text/html"} & set(data):
                    data[kind] = re.sub(r"\.ipynb(?=[)\"])", ".html", "".join(data[kind]))
    return json.dumps(content)


def pages(source, notebooks):
    """Return {path: text} of the pages that are made from results, and the drawings among them."""
    table, made = findings.judged(), source / "generated"
    found = {
        made / "counts.md": f"{findings.in_short(table)}\n\n{findings.by_both_readings(table)}",
        made / "made_by.md": f"{findings.made_by()} {findings.TUNED}",
        made / "bibtex.md": bibtex(),
        made / "planted.md": planted(),
        made / "untested.md": untested(table),
        made / "not_confirmed.md": not_confirmed(table),
        made / "one_machine.md": on_one_machine(),
        made / "latency.md": latency_text(),
        made / "minutes.md": how_long(),
        **{made / f"plates_{name}.svg": drawn(graphs, "svg") for name, graphs in plates.GRAPHS.items()},
    }
    owned = gallery.by_notebook(gallery.figures(source / "figures"), notebooks)
    for room in ROOMS:
        own = gallery.in_order(one for one in notebooks if one.folder == room)
        story = (source / "papers" / f"{room}.md").read_text(encoding="utf-8")
        summary, *rest = re.split(r"^(?=## |```\{image\})", story, maxsplit=1, flags=re.MULTILINE)
        parts = [summary, of_claims(table, room), *rest, of_figures(source, own, owned)]
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


def measured(name):
    """Return the table that a benchmark wrote, with the machine's facts and the settings in ``attrs``."""
    path = paths.root() / "benchmarks" / "results" / f"{name}.csv"
    table = pd.read_csv(path, comment="#")
    table.attrs.update(re.findall(r"^# (.+?): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return table


def latency_text():
    """Return what one document takes, as a sentence and a table in Markdown."""
    table = measured("latency")
    facts, missed = table.attrs, table[table["ms"] > table["aim_ms"]]
    why = " Those sample, which takes as long for one document as for each of a thousand. " + REMEDY
    why = why if len(missed) and missed["model"].str.contains("sampling").all() else ""
    aims = dict(zip(table["labels"], table["aim_ms"], strict=True))
    aim = ", ".join(f"{of:g} ms at {n:,} labels" for n, of in aims.items())
    rows = [
        f"| {row.model} | {row.labels:,} | {row.ms:.0f} | {row.ms_95:.0f} | {row.naive_ms:.0f} | "
        f"{'missed' if row.ms > row.aim_ms else 'met'} |"
        for row in table.itertuples()
    ]
    return "\n".join(
        [
            f"Milliseconds of one core ({facts['cpu']}) for a document of {facts['length']} words, with the settings "
            f"that models have by default. The target, {aim}, is missed by {len(missed)} of {len(table)}.{why}",
            "",
            "| model | labels | median | 95th percentile | median, tables made anew | target |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def on_one_machine():
    """Return what the benchmarks measured of corpora at the papers' size and far above, in two sentences."""
    whole, many = measured("protocol"), measured("million_labels")
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
        f"seconds, and training and prediction held {many['peak_gb'].max():.1f} GB at the most.\n"
    )


def how_long():
    """Return what models take by corpus, and all notebooks."""
    evidence = json.loads((paths.root() / "tests" / "evidence.json").read_text(encoding="utf-8"))
    seconds = [
        one["seconds"]
        for name, one in evidence.items()
        if name.endswith(".ipynb") and (paths.root() / name).is_file()
    ]
    return "\n".join(
        [
            "Training + prediction of one split in CPU seconds, and the most memory that the process held, measured "
            "on one core of a machine that did other work too. Topic models train eight chains of 50 sweeps; "
            "more chains and longer texts cost in proportion. Training of topic models hardly depends on the number "
            "of labels, prediction by sampling, linear models and the hybrid do:",
            "",
            findings.as_markdown(comparison.how_long().rename_axis("model").reset_index()),
            "",
            "In a fresh clone `python3 study.py figures` makes the environment, compiles the samplers and runs all "
            "notebooks at quick scale, as many at once as there are cores. With finished units kept, the "
            f"{len(seconds)} notebooks took {sum(seconds) / 60:.0f} minutes one after the other when they were last "
            f"tested, the longest {max(seconds)} seconds; the first run computes the units, too.",
            "",
        ]
    )


def bibtex():
    """Return CITATION.cff, the study and the papers, as BibTeX in a block."""
    cited = yaml.safe_load((paths.root() / "CITATION.cff").read_text(encoding="utf-8"))
    lines = ["```bibtex"]
    for one in [cited, *cited["references"]]:
        year, first = one.get("year") or one["date-released"][:4], one["authors"][0]
        key = f"{first['family-names'].lower()}{year}" if "family-names" in first else "polytopic"
        fields = {
            "title": f"{{{one['title']}}}",
            "author": " and ".join(map(_named, one["authors"])),
            "journal": one.get("journal"),
            "booktitle": one.get("collection-title"),
            "volume": one.get("volume"),
            "version": one.get("version"),
            "year": year,
        }
        told = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        lines += [f"@{ENTRIES[one['type']]}{{{key},", *told, "}", ""]
    return "\n".join([*lines[:-1], "```", ""])


def _named(person):
    """Return an author as BibTeX has one; a name that is no person's stays whole."""
    if "name" in person:
        return f"{{{person['name']}}}"
    return f"{person['family-names']}, {person['given-names']}"


def planted():
    """Return a table of the bugs that tests plant, from the test file's own notes of what they measured."""
    lines = (
        (paths.root() / "tests" / "library" / "test_broken_samplers.py")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    right, rows, mistake = {}, [], ""
    for line in lines:
        measured_there = re.search(r"# p ([\d.e-]+)(?:, z ([\d.]+))?$", line)
        if named := re.match(r"    (\w+),  # p", line):
            right[named[1]] = measured_there
        elif opened := re.match(r"    \((\w+), (\w+)\): \{", line):
            rows.append((*opened.groups(), []))
        elif rows and (named := re.match(r'        "(.+?)":', line)):
            mistake = named[1]
        if rows and measured_there and mistake:
            rows[-1][2].append((float(measured_there[2] or 0), float(measured_there[1]), mistake))
            mistake = ""
    told = []
    for evidence, module, bugs in rows:
        p, z = right[evidence].groups()
        z_of, p_of, least = min(bugs, key=lambda bug: (bug[1] < 1e-6, bug[0]))
        told.append(
            (evidence.replace("_", " "), module, p, z or "", len(bugs), least, f"{p_of:.1g}", z_of or "")
        )
    columns = ["sampler", "module", "p when right", "z when right", "bugs", "noticed least", "its p", "its z"]
    return findings.as_markdown(pd.DataFrame(told, columns=columns))


def untested(table):
    """Return how many claims are not tested, and a table of them by what is missing, with the reasons."""
    rows = table[table["reason"] != ""].sort_values("verdict", kind="stable")
    counts = ", ".join(f"{verdict}: {n}" for verdict, n in rows["verdict"].value_counts(sort=False).items())
    rows = rows.assign(paper=rows["paper"].map(ROOMS))[["verdict", "paper", "claim", "where", "reason"]]
    every = (table["evidence"] == claims.OURS).sum()
    return f"{len(rows)} of {every} claims are not tested ({counts}).\n\n{findings.as_markdown(rows)}"


def not_confirmed(table):
    """Return how many claims fail or hold mostly not, and a table of them with what we found."""
    rows = table[(table["evidence"] == claims.OURS) & table["verdict"].isin(claims.GRADES[-2:])]
    counts = ", ".join(f"{verdict}: {n}" for verdict, n in rows["verdict"].value_counts().items())
    rows = rows.assign(paper=rows["paper"].map(ROOMS))[["verdict", "paper", "claim", "where", "found"]]
    return f"{len(rows)} claims do not come out ({counts}).\n\n{findings.as_markdown(rows)}"


def drawn(graphs, kind):
    """Return a drawing of graphs as SVG or PDF."""
    figure, stream = plates.plot_graphs(graphs)[0].figure, BytesIO()
    figure.savefig(stream, format=kind, metadata={"Date" if kind == "svg" else "CreationDate": None})
    plt.close(figure)
    return stream.getvalue()


def of_claims(table, paper):
    """Return the claims of a paper with what we found, the central ones first, and what its printed numbers say."""
    if paper not in claims.PAPERS:
        return ""
    printed = table[(table["paper"] == paper) & (table["evidence"] == claims.PRINTED)]
    parts = ["## What it claims", TABLE.format(findings.of_paper(table, paper, PAGE.format))]
    if len(printed):
        told = TABLE.format(claims.as_html(printed, PAGE.format))
        parts.append(folded("What its printed numbers say", told, len(printed)))
    return "\n\n".join(parts)


def folded(head, text, size):
    """Return something under a line that opens it."""
    return f"<details>\n<summary>{head} ({size})</summary>\n\n{text}\n\n</details>"


def of_figures(source, notebooks, owned):
    """Return the notebooks of a room in its paper's order, each with its figures, quick runs folded behind others."""
    lines = ["## Figure by figure", ""]
    for one in notebooks:
        stored, quick = gallery.stored_and_quick(source / "figures", owned[one.name])
        pictures = [figure(source, one, name) for name in stored or quick]
        later = [figure(source, one, name) for name in quick if stored]
        lines += [f"### {gallery.short(one.title, one.folder)}", "", *side_by_side(pictures)]
        lines += [f"[The numbers](/notebooks/{one.name}.ipynb)", ""]
        lines += [folded("Quick runs", "\n".join(side_by_side(later)), len(later)), ""] if later else []
    tree = [f"{gallery.short(one.title, one.folder)} </notebooks/{one.name}>" for one in notebooks]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *tree, "```"])


def side_by_side(pictures):
    """Return pictures as lines, as many abreast as there is room for."""
    return ["````{container} pictures", *pictures, "````", ""] if pictures else []


def figure(source, notebook, name):
    """Return a picture with what it finds, or what it is of."""
    caption = escape(gallery.short(gallery.caption(source / "figures", name), notebook.folder))
    lines = ["```{figure} /figures/" + name + ".png", f":alt: {caption}", f":name: {name}"]
    return "\n".join(
        [
            *lines,
            f":target: ../figures/{name}.png",
            ":class: drawn",
            ":figclass: drawn",
            "",
            caption,
            "```",
            "",
        ]
    )


class Page(HTMLParser):
    """What a page links to, which addresses within it there are, and paragraphs that should have been tables."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names, self.no_tables, self.tag = [], set(), [], ""
        self.feed(text)

    def handle_data(self, data):
        if self.tag == "p" and data.startswith("|"):
            self.no_tables.append(data.partition("\n")[0])
        self.tag = ""

    def handle_starttag(self, tag, attrs):
        named, self.tag = dict(attrs), tag
        self.names |= {named[key] for key in ("id", "name") if named.get(key)}
        self.links += [named[key] for key in ("href", "src") if named.get(key)]


def faults(folder):
    """Return the broken links and the tables that are none within the pages of a folder, and pages too large."""
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    found = [f"{path.name} has {len(text):,} bytes" for path, text in texts.items() if len(text) > LARGEST]
    read = {path: Page(text) for path, text in texts.items()}
    for path, page in read.items():
        found += [f"{path.name} has a paragraph that was to be a table: {text}" for text in page.no_tables]
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


def main(folder, pdf=False):
    """Make the pages, or the article as PDF, say where they are, and name what is wrong. Returns the status."""
    try:
        wrong = build(folder, find(), pdf)
    except Refusal as refusal:
        print(f"polytopic: {refusal}", file=sys.stderr)
        return 2
    for sentence in wrong:
        print(sentence)
    if not pdf:
        print(f"The pages: {folder / 'index.html'}")
    elif not wrong:
        print(f"The article: {folder / 'article.pdf'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "--pdf" in sys.argv[2:]))
