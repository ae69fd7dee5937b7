"""What code a function rests on: a digest of its module and of all that this module imports from here.

What a computation gives depends on its code, so the digest belongs into the key of everything that is kept. It is of
syntax trees without docstrings: comments, layout, documentation and a ``__version__`` change nothing.
"""

import ast
import functools
import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).resolve().parent
DIGITS = 16


def digest(*behind, apart=()):
    """Return the digest, 16 hexadecimal digits, of the code behind functions, classes, or modules given by name.

    It covers the whole modules that define them and, step by step, every module of this package that those import,
    within functions too. A name that a package's ``__init__`` only hands on leads to the module that defines it;
    ``import polytopic`` alone, as for its version, leads nowhere. Modules named in ``apart``, and those below them,
    are left out with what only they import: it is for the caller to know that no result depends on them.
    """
    total = hashlib.sha256()
    names = (one if isinstance(one, str) else one.__module__ for one in behind)
    for name, own in digests(*names, apart=apart).items():
        total.update(f"{name} {own}\n".encode())
    return total.hexdigest()[:DIGITS]


def digests(*names, apart=()):
    """Return {module name: digest of its own code} of ``closure``, in the order of names."""
    return {name: _read(path).digest for name, path in sorted(closure(*names, apart=apart).items())}


def closure(*names, apart=()):
    """Return {module name: path} of the named modules and all of this package that they import, without ``apart``."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        path = _path(name)
        left_out = any(f"{name}.".startswith(f"{other}.") for other in apart)
        if name not in found and path is not None and not left_out:
            found[name] = path
            waiting += _read(path).imports
    return found


def closure_of_text(text):
    """Return ``closure`` of what a piece of code imports, such as a notebook's cells."""
    return closure(*_imported(ast.parse(text)))


def mentioned(words, paths):
    """Return those of the words that stand anywhere in the code of these files, docstrings and comments apart."""
    return {word for word in words if any(word in _read(path).code for path in paths)}


def _path(name):
    """Return the file of a module of this package, or of one that is loaded from elsewhere; None without a file."""
    if name.split(".")[0] != PACKAGE:
        file = getattr(sys.modules.get(name), "__file__", None)
        return Path(file) if file and file.endswith(".py") else None
    base = ROOT.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _read(path):
    """Return the _Module of a file as it is now."""
    state = path.stat()
    return _parsed(path, (state.st_mtime_ns, state.st_size))


class _Module(NamedTuple):
    """What matters of a file: its syntax tree without docstrings, as text, that text's digest, and its imports."""

    code: str
    digest: str
    imports: list


@functools.lru_cache(maxsize=1024)
def _parsed(path, stamp):
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    tree.body = [statement for statement in tree.body if not _is_version(statement)]
    code = ast.dump(tree)
    return _Module(code, hashlib.sha256(code.encode()).hexdigest(), _imported(tree))


def _is_version(statement):
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [getattr(one, "id", None) for one in targets] == ["__version__"]


def _imported(tree):
    """Return the names of this package's modules that a syntax tree imports."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name.startswith(f"{PACKAGE}.")}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == PACKAGE:
            names |= {_definer(node.module, alias.name) for alias in node.names}
    return sorted(names)


def _definer(module, name):
    """Return the module that ``from module import name`` leads to."""
    if _path(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _path(module)
    if path is None or path.name != "__init__.py":
        return module
    return _handed_on(path, path.stat().st_mtime_ns).get(name, module)


@functools.lru_cache(maxsize=64)
def _handed_on(path, stamp):
    """Return {name: module} of what a package's ``__init__`` imports from modules of this package."""
    return {
        alias.asname or alias.name: _definer(node.module, alias.name)
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == PACKAGE
        for alias in node.names
    }
