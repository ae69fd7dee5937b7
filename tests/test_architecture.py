"""How the project hangs together: who may import whom, and what no file may hold."""

import ast
import re
import subprocess
import sys

import pytest

from polytopic import paths

ROOT = paths.checkout()
LIBRARY = [
    "paths",
    "files",
    "streams",
    "validation",
    "source",
    "corpus",
    "datasets",
    "kernels",
    "metrics",
    "models",
    "command.arguments",
    "practice",
]
PAPERS = ["audit", "burkhardt2018", "papanikolaou", "rubin2012", "tai2012", "today", "ueda2002"]
SHARED = [
    "looks",
    "saving",
    "store",
    "printed",
    "compare",
    "claims",
    "result_tables",
    "corpora",
    "timing",
    "bins",
    "plots",
    "findings",
]
STUDY = [*SHARED, *PAPERS]
ROOMS = [*LIBRARY, *(f"study.{room}" for room in STUDY), "command"]
FORBIDDEN = {
    "a registry's host": r"pypi[.][a-z]|hosted[.]org|deb[.]debian|npm[j]s",
    "a path of one machine": r"(^|[^a-z.])/(work|farm|root|home|Users)/\w",
    "a folder outside the checkout": r"[.][.]/shared",
    "a conflict mark": r"^(<{7}|>{7}) ",
}
ALLOWED = {(".ci/run", "a folder outside the checkout")}


def room(parts):
    """Return the room of the parts of a name below the package: ``models``, within the study ``study.rubin2012``.

    What a command line is given has a room of its own, which the commands of practice see.
    """
    first = ".".join(parts[:2])
    return first if parts[0] == "study" or first == "command.arguments" else parts[0]


def place(path):
    """Return the room of a file of the package."""
    parts = path.relative_to(ROOT / "lib" / "polytopic").with_suffix("").parts
    return room([part for part in parts if part != "__init__"])


def imported(source):
    """Return the rooms that a module imports, at its top or within functions."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("polytopic.<relative>")
    inside = (name.split(".") for name in names if name.split(".")[0] == "polytopic")
    return {room(parts[1:]) for parts in inside if len(parts) > 1 and not parts[1].startswith("__")}


def upward(own, source):
    """Return what a module of the room ``own`` imports and may not.

    Each room sees those before it. Kernels see only where they are kept, no paper sees another one, and practice and
    the study do not see each other.
    """
    if own == "kernels":
        return imported(source) - {own, "paths"}
    seen = set(ROOMS[: ROOMS.index(own) + 1])
    others = {f"study.{paper}" for paper in PAPERS} - {own}
    if own.startswith("study"):
        others |= {"practice"}
    return imported(source) - (seen if own == "command" else seen - others)


def modules():
    return [
        path
        for path in (ROOT / "lib" / "polytopic").rglob("*.py")
        if path.name != "__init__.py" or path.parent.name != "polytopic"
    ]


def files():
    """Return the files of the project: what git follows or would, or all that is not hidden without git."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [
            path
            for path in ROOT.rglob("*")
            if not any(p.startswith(".") for p in path.relative_to(ROOT).parts)
        ]
    return sorted(path for path in found if path.is_file())


def lines(path):
    """Return the numbered lines of a text file; of a binary one, none."""
    content = path.read_bytes()
    if b"\0" in content:
        return []
    return enumerate(content.decode("utf-8", errors="replace").splitlines(), 1)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_downwards(path):
    assert place(path) in ["study", *ROOMS], f"{path.name} has no place yet: put it into ROOMS"
    assert place(path) == "study" or not upward(place(path), path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("metrics", "from polytopic import models"),
        ("metrics", "from polytopic.models import FlatLDA"),
        ("models", "def fit():\n    import polytopic.study.rubin2012.results"),
        ("models", "from polytopic.practice.labeller import Labeller"),
        ("practice", "from polytopic.study import store"),
        ("practice", "from polytopic.command import cli"),
        ("study.store", "from polytopic.practice import tables"),
        ("kernels", "from polytopic import files"),
        ("corpus", "from .datasets import load_corpus"),
    ],
)
def test_an_upward_import_is_seen(own, source):
    assert upward(own, source)


def test_files_hold_nothing_forbidden():
    found = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        for number, line in lines(path):
            found += [
                f"{name}:{number} holds {what}"
                for what, pattern in FORBIDDEN.items()
                if re.search(pattern, line) and (name, what) not in ALLOWED
            ]
    assert not found


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=["check", "format"])
def test_ruff_is_content(command):
    places = [
        name
        for name in ("lib", "tests", "docs", "notebooks", "benchmarks", "study.py")
        if (ROOT / name).exists()
    ]
    result = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--no-cache", *places],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
