"""What code a function rests on: a digest of its module and of all that this module imports from here.

What a computation gives depends on its code, so the digest belongs into the key of everything that is kept. It is of
syntax trees without docstrings: comments, layout and documentation change nothing.
"""

import ast
import functools
import hashlib
import sys
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).resolve().parent
DIGITS = 16


def digest(function):
    """Return the digest, 16 hexadecimal digits, of the code behind a function or class, or a module given by name.

    It covers the whole module that defines it and, step by step, every module of this package that those import,
    within functions too. A name that a package's ``__init__`` only hands on leads to the module that defines it;
    ``import polytopic`` alone, as for its version, leads nowhere.
    """
    name = function if isinstance(function, str) else function.__module__
    return _digest(closure(name))


def closure(*names):
    """Return {module name: path} of the named modules and of all of this package that they import."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if name not in found and path is not None:
            found[name] = path
            waiting += _imports(path, _stamp(path))
    return found


def closure_of_text(text):
    """Return ``closure`` of what a piece of code imports, such as a notebook's cells."""
    return closure(*_imported(ast.parse(text)))


def digest_of_text(text):
    """Return the digest of the modules in ``closure_of_text``; the text itself is not part of it."""
    return _digest(closure_of_text(text))


def _digest(modules):
    total = hashlib.sha256()
    for name, path in sorted(modules.items()):
        total.update(f"{name} {_tree(path, _stamp(path))}\n".encode())
    return total.hexdigest()[:DIGITS]


def _path(name):
    """Return the file of a module of this package, or of one that is loaded from elsewhere; None without a file."""
    if name.split(".")[0] != PACKAGE:
        file = getattr(sys.modules.get(name), "__file__", None)
        return Path(file) if file and file.endswith(".py") else None
    base = ROOT.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _stamp(path):
    state = path.stat()
    return state.st_mtime_ns, state.st_size


@functools.lru_cache(maxsize=1024)
def _tree(path, stamp):
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@functools.lru_cache(maxsize=1024)
def _imports(path, stamp):
    return _imported(ast.parse(path.read_bytes()))


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
    if path is not None and path.name == "__init__.py":
        handed_on = _handed_on(path, _stamp(path))
        return handed_on.get(name, module)
    return module


@functools.lru_cache(maxsize=64)
def _handed_on(path, stamp):
    """Return {name: module} of what a package's ``__init__`` imports from modules of this package."""
    return {
        alias.asname or alias.name: _definer(node.module, alias.name)
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == PACKAGE
        for alias in node.names
    }
