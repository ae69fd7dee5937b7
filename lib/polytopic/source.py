"""What code a function rests on: the definitions that it reaches, and a digest of them.

What a computation gives depends on its code, so the digest belongs into the key of everything that is kept. Reached
is what a function names, what that names, and so on through this package: functions, classes with their bases, and
tables, with every statement that changes them. A name that stands for a module reaches what is taken from it, or all
of it where the module itself is handed on. Statements of a module that define nothing count once anything of the
module is reached. A method is reached where its class is and anything reached says its name, be it of another object
or in a text; special methods, and those of HOOKS, always. A class is reached by its name alone: one whose object a
function is only handed is not.

Code is compared by its syntax tree: comments, layout, docstrings, what an error says, what ``setting`` says of a
setting, and a ``__version__`` change nothing.
"""

import ast
import functools
import hashlib
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).resolve().parent
DIGITS = 16
ALL = None  # in place of a name: all of a module
HOOKS = frozenset(  # methods that other packages call by name on what they are handed
    """
    _n_features_out classes_ decision_function fit fit_transform get_params inverse_transform on_end on_start
    partial_fit predict predict_proba score set_params transform visit
    """.split()  # noqa: SIM905
)


def digest(*roots, apart=()):
    """Return the digest, 16 hexadecimal digits, of ``reached``."""
    total = hashlib.sha256()
    for name, own in digests(reached(*roots, apart=apart)).items():
        total.update(f"{name} {own}\n".encode())
    return total.hexdigest()[:DIGITS]


def digests(code):
    """Return {module: digest of its code} of what ``reached`` gives."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in code.items()}


def reached(*roots, apart=()):
    """Return {module: the code that is reached in it, as text} from functions and classes, modules sorted by name.

    Decorators of a root itself do not count. Modules named in ``apart``, and those below them, are left out with
    what only they reach: it is for the caller to know that no result depends on them.
    """
    waiting, words = [], set()
    for root in roots:
        module, (name, *method) = root.__module__, root.__qualname__.split(".")
        own = _read(module)
        waiting.append((module, name if own and name in own.parts else ALL))
        words.update(method)
    return _followed(waiting, words, apart, bare={step for step in waiting if step[1] is not ALL})


def reached_by_text(text):
    """Return ``reached`` of a piece of code, such as a notebook's cells. Raises SyntaxError where it is none."""
    own = _parsed_text(text)
    steps = [step for part in own.all for use in part.uses for step in _resolved("", own, use)]
    return _followed(steps, {word for part in own.all for word in part.words})


def mentioned(words, code):
    """Return those of the words that stand anywhere in the code that ``reached`` gives."""
    return {word for word in words if any(word in text for text in code.values())}


class _Part(NamedTuple):
    """A statement, a method or a decorator: what it defines and its place among what does, its code, what it names.

    ``uses`` are dotted names from where the part stands, ``words`` all that may be the name of a method.
    """

    name: str
    place: int
    code: str
    uses: list
    words: set


class _Module(NamedTuple):
    """A file: parts and decorators by what they define, the methods of each class, and imports by local name.

    A part defines a name, a "Class.method" or "", nothing. What is imported is (module, name), ALL for a module.
    """

    parts: dict
    decorators: dict
    methods: dict
    imports: dict

    @property
    def all(self):
        return [part for own in (self.parts, self.decorators) for parts in own.values() for part in parts]


def _followed(waiting, words, apart=(), bare=frozenset()):
    found, seen, methods, words = defaultdict(set), set(), set(), HOOKS | words
    while waiting := waiting or [one for one in methods - seen if one[1].partition(".")[2] in words]:
        module, name = step = waiting.pop()
        left_out = any(f"{module}.".startswith(f"{other}.") for other in apart)
        own = None if step in seen or left_out else _read(module)
        seen.add(step)
        if own is None:
            continue
        names = [one for one in own.parts if "." not in one] if name is ALL else [name, ""]
        methods.update((module, method) for one in names for method in own.methods[one])
        parts = [part for one in names for part in own.parts[one]]
        parts += [part for one in names for part in own.decorators[one] if step not in bare]
        found[module].update(part[:3] for part in parts)
        words = words.union(*(part.words for part in parts))
        waiting += [step for part in parts for use in part.uses for step in _resolved(module, own, use)]
    return {module: "\n".join(code for *_, code in sorted(found[module])) for module in sorted(found)}


def _resolved(module, own, use):
    """Return the (module, name) that a dotted name leads to where it stands; none for a local or another's name."""
    head, *rest = use
    found = [(module, head)] if head in own.parts else []
    for source, name in own.imports.get(head, ()):
        found += _taken(source, rest if name is ALL else [name, *rest])
    return found


def _taken(module, names):
    """Return the (module, name) that names lead to which are taken from a module, one after the other.

    All of the module if there is none, and where it has not the first, which it may be given while it runs.
    """
    if not names:
        return [(module, ALL)]
    below = f"{module}.{names[0]}"
    if _path(below) is not None:
        return _taken(below, names[1:])
    own = _read(module)
    return _resolved(module, own, names) or [(module, ALL)] if own else []


def _path(name):
    """Return the file of a module of this package, or of one that is loaded from elsewhere; None without a file."""
    if name.split(".")[0] != PACKAGE:
        file = getattr(sys.modules.get(name), "__file__", None)
        return file if file and file.endswith(".py") else None
    base = "/".join([str(ROOT), *name.split(".")[1:]])  # as text: a Path takes ten times as long
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if os.path.isfile(path)), None)


def _read(name):
    """Return the _Module of that name as its file is now; None without a file."""
    path = _path(name)
    if path is None:
        return None
    state = os.stat(path)
    return _parsed(path, (state.st_mtime_ns, state.st_size))


@functools.lru_cache(maxsize=1024)
def _parsed(path, stamp):
    return _parsed_text(Path(path).read_bytes())


def _parsed_text(text):
    tree = _Bare().visit(ast.parse(text))
    own = _Module(defaultdict(list), defaultdict(list), defaultdict(list), defaultdict(set))
    for node in ast.walk(tree):
        for name, target in _imported(node):
            own.imports[name].add(target)
    for statement in tree.body:
        decorators = getattr(statement, "decorator_list", [])
        if decorators:
            statement.decorator_list = []
        for method in _methods(statement):
            name = f"{statement.name}.{method.name}"
            own.methods[statement.name].append(name)
            own.parts[name].append(_part(name, len(own.parts[name]), method))
            statement.body.remove(method)
        for name in _defined(statement):
            own.parts[name].append(_part(name, len(own.parts[name]), statement))
            own.decorators[name] += [_part(name, -1 - place, one) for place, one in enumerate(decorators)]
    return own


class _Bare(ast.NodeTransformer):
    """Take out what changes no result."""

    def visit(self, node):
        node = self.generic_visit(node)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            node.exc, node.cause = node.exc.func, None
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setting"
        ):
            del node.args[1:2]
            node.keywords = [one for one in node.keywords if one.arg != "about"]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            node.value = ast.Constant("")
        return node


def _defined(statement):
    """Return the names that a statement of a module defines or changes, "" where it does neither, none of imports."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return []
    if hasattr(statement, "name"):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
    changes = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
    names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return sorted(names) if changes else [""]


def _methods(statement):
    """Return what a class defines by ``def``, but for special methods."""
    body = statement.body if isinstance(statement, ast.ClassDef) else []
    return [one for one in body if isinstance(one, ast.FunctionDef) and not one.name.endswith("__")]


def _part(name, place, node):
    uses, inner, words = set(), set(), set()
    for one in ast.walk(node):
        words.add(getattr(one, "attr", getattr(one, "id", getattr(one, "value", None))))
        if isinstance(one, ast.Attribute | ast.Name) and one not in inner:
            dotted = []
            while isinstance(one, ast.Attribute):
                dotted, one = [one.attr, *dotted], one.value
                inner.add(one)
            if isinstance(one, ast.Name):
                uses.add((one.id, *dotted))
    return _Part(name, place, ast.dump(node), sorted(uses), {word for word in words if isinstance(word, str)})


def _imported(node):
    """Yield (local name, (module, name)) of what a node imports from this package."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == PACKAGE:
                yield alias.asname or PACKAGE, (alias.name if alias.asname else PACKAGE, ALL)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == PACKAGE:
        for alias in node.names:
            yield alias.asname or alias.name, (node.module, alias.name)
