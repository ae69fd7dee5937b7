"""The study's notebooks: which there are, what they say of themselves, which parameters they take."""

import ast
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from polytopic import paths, source
from polytopic.validation import check_name

PARAMETERS = "parameters"
INJECTED = "injected-parameters"


@dataclass(frozen=True)
class Notebook:
    """One notebook; its name is its path below the notebooks folder: ``rubin2012/fig_06``.

    A page of several figures or tables names all: ``rubin2012/fig_06-07-table_04`` is also fig_06, fig_07, table_04.
    """

    path: Path
    name: str

    @property
    def folder(self):
        """The paper it belongs to, or "" for a notebook at the top."""
        return self.name.rpartition("/")[0]

    @property
    def items(self):
        """The names of what it shows: its own, or of a page of several, each with the folder."""
        first, *others = self.path.stem.split("-")
        found = [first]
        for part in others:
            found.append(f"{found[-1].rpartition('_')[0]}_{part}" if part.isdigit() else part)
        return [f"{self.folder}/{item}".lstrip("/") for item in found]

    @property
    def figures(self):
        """How the names of its figures begin: ``rubin2012_fig_06``."""
        return [item.replace("/", "_") for item in [self.name, *self.items]]

    def draws(self, name):
        """Return whether a figure or file of this name is the notebook's: it begins as one of ``figures``."""
        return any(name.startswith(one) and not name[len(one) :][:1].isdigit() for one in self.figures)

    @cached_property
    def content(self):
        """The notebook as read from its file. Raises ValueError when it is not one."""
        return read(self.path)

    @cached_property
    def title(self):
        """Its first heading, or its name."""
        pages = [text(cell) for cell in self.content["cells"] if cell["cell_type"] == "markdown"]
        lines = [line for page in pages for line in page.splitlines() if line.startswith("#")]
        return lines[0].lstrip("#").strip() if lines else self.name

    @cached_property
    def parameters(self):
        """{name: default} of the cell tagged ``parameters``; ValueError where it does more than name literals."""
        cells = [text(cell) for cell in self.content["cells"] if PARAMETERS in tags(cell)]
        try:
            found = dict(_literal(statement) for cell in cells for statement in ast.parse(cell).body)
            return json.loads(json.dumps(found))  # lists for tuples, as papermill hands them over
        except (SyntaxError, TypeError, ValueError) as error:
            rule = f"the parameters cell of {self.path} must hold literals given to names only"
            raise ValueError(f"{rule}: {error}") from None

    @cached_property
    def code(self):
        """The source of its code cells."""
        return "\n".join(text(cell) for cell in self.content["cells"] if cell["cell_type"] == "code")

    @property
    def reached(self):
        """{module: code} of what of the package is behind its code; empty where that is not plain Python."""
        try:
            return source.reached_by_text(self.code)
        except SyntaxError:
            return {}

    @property
    def digest(self):
        """A checksum of what it says and does, without outputs: running it in place changes nothing."""
        said = [(cell["cell_type"], sorted(tags(cell)), text(cell)) for cell in self.content["cells"]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def read(path):
    """Return the content of a notebook file. Raises ValueError, naming the file, if it is not a notebook."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        content["cells"][:0]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a notebook: {error}") from None
    return content


def text(cell):
    """Return the source of a cell, which notebook files hold as a string or as a list of lines."""
    return "".join(cell["source"])


def tags(cell):
    return cell.get("metadata", {}).get("tags", [])


def _literal(statement):
    """Return the name and the value of a statement that gives a literal to a name."""
    match statement:
        case ast.Assign(targets=[ast.Name(name)], value=value) | ast.AnnAssign(ast.Name(name), value=value):
            return name, ast.literal_eval(value)
    raise ValueError(f"line {statement.lineno} does something else")


def find():
    """Return the study's notebooks in the order of their names, those at the top first."""
    base = paths.notebooks()
    found = [
        Notebook(path, path.relative_to(base).with_suffix("").as_posix()) for path in base.rglob("*.ipynb")
    ]
    shown = [notebook for notebook in found if "/." not in f"/{notebook.name}"]
    return sorted(shown, key=lambda notebook: (notebook.folder, notebook.name))


def select(wanted, found):
    """Return the notebooks that the names mean, each once and in the order of ``found``; no names mean all.

    A name is a notebook's (``rubin2012/fig_06``), its last part where that is unique (``fig_06``), the beginning of
    its figures (``rubin2012_fig_06``), its file, or a folder. ValueError for one that means nothing, or several.
    """
    if not wanted:
        return list(found)
    meant = {notebook.name for name in wanted for notebook in _meaning(name, found)}
    return [notebook for notebook in found if notebook.name in meant]


def _meaning(wanted, found):
    name = wanted.removesuffix(".ipynb").rstrip("/").removeprefix("./").removeprefix("notebooks/")
    exact = [
        n for n in found if name in (n.name, n.folder, *n.items, *n.figures, str(n.path.with_suffix("")))
    ]
    last = [n for n in found if name in (n.path.stem, *(item.rpartition("/")[2] for item in n.items))]
    if not exact and len(last) > 1:
        raise ValueError(f"{wanted!r} means several notebooks: {', '.join(one.name for one in last)}")
    if not (exact or last):
        known = {item for one in found for item in (one.name, *one.items)}
        if "/" not in name:
            known = {part for full in known for part in full.split("/")}
        check_name("notebook", name, sorted(known))
    return exact or last


def check(name, value, notebooks):
    """Raise ValueError where no notebook has this parameter, or one has a default of another kind than the value."""
    check_name("parameter", name, sorted({known for notebook in notebooks for known in notebook.parameters}))
    for notebook in notebooks:
        default = notebook.parameters.get(name)
        kinds = (int, float) if isinstance(default, float) else type(default)
        alike = isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool)
        if not (default is None or alike):
            usual = f"{name} of {notebook.name} is by default {default!r}"
            raise ValueError(f"{usual}; {value!r} is of another kind")
