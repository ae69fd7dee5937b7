"""Kernels and twins changed for the worse, to see whether the checks notice.

What is to be broken is found by its syntax tree: layout and comments don't matter. A pattern is Python: an
expression, or statements that follow each other. Its names of a single capital letter stand for any expression, the
same one wherever they come, and ``*A`` for any arguments or, as a statement, for any statements.
"""

import ast
import inspect
import types

from numba import njit

UNCACHED = dict.fromkeys(("compiled", "embedded"), njit(nogil=True, _nrt=False))
UNCACHED |= {"inlined": njit(_nrt=False, forceinline=True), "allocating": njit(nogil=True)}
REST = "the rest of the block"


def broken(module, *changes, **modules):
    """Return a copy of a module in which patterns are replaced: changes are the first, what comes instead, and so on.

    ``modules``, by the names that the module has for them, take the place of those it calls. Raises LookupError where
    the module does not hold the old pattern exactly once, or has no such name: then the breakage is out of date and
    would break nothing.
    """
    tree = _Uncached().visit(ast.parse(inspect.getsource(module)))
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        change = _Change(old, new)
        tree = change.visit(tree)
        if change.times != 1:
            raise LookupError(f"{module.__name__} holds {change.times} times what was to be broken: {old!r}")
    copy = types.ModuleType(f"broken_{module.__name__.rpartition('.')[2]}")
    vars(copy).update(UNCACHED)
    exec(compile(ast.unparse(tree), copy.__name__, "exec"), vars(copy))
    own = {name: value for name, value in vars(module).items() if isinstance(value, type)}
    if missing := modules.keys() - vars(copy).keys():
        raise LookupError(f"{module.__name__} calls no {', '.join(sorted(missing))}")
    vars(copy).update(own, **modules)  # the arrays' tuples stay the very same types
    return copy


class _Uncached(ast.NodeTransformer):
    """Compiles nothing to disk: a copy has no file that numba could keep it beside."""

    def visit_ImportFrom(self, node):
        return None if node.module == "polytopic.kernels.compiling" else node


class _Change(ast.NodeTransformer):
    """Puts ``new`` wherever ``old`` is found, and counts the times."""

    def __init__(self, old, new):
        self.old, self.new, self.times = ast.parse(old).body, new, 0
        of_values = [isinstance(body[0], ast.Expr) for body in (self.old, ast.parse(new or "pass").body)]
        self.value = self.old[0].value if all(of_values) and len(self.old) == 1 else None

    def visit(self, node):
        found = _match(self.value, node, {}) if self.value and isinstance(node, ast.expr) else None
        if found is not None:
            self.times += 1
            return self._filled(found)[0].value
        for name, block in ast.iter_fields(node):
            if not self.value and isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                setattr(node, name, self._replaced(block))
        return self.generic_visit(node)

    def _replaced(self, block):
        for first in range(len(block)):
            found = _match_all([*self.old, _run(REST)], block[first:], {})
            if found is not None:
                self.times += 1
                return block[:first] + (self._filled(found) or [ast.Pass()]) + found[REST]
        return block

    def _filled(self, found):
        return _Filled(found).visit(ast.parse(self.new)).body


class _Filled(ast.NodeTransformer):
    """Puts what was found in place of the names that stand for it."""

    def __init__(self, found):
        self.found = found

    def visit_Name(self, node):
        return self.found.get(node.id, node)

    def visit_Starred(self, node):
        return self.found[node.value.id]

    def visit_Expr(self, node):
        return self.found[node.value.value.id] if _name_of_run(node) else self.generic_visit(node)


def _match(pattern, node, found):
    """Return what the pattern's names stand for, with what is found already, or None where it is no match."""
    if isinstance(pattern, list):
        return _match_all(pattern, node, found)
    if isinstance(pattern, ast.Name) and len(pattern.id) == 1 and pattern.id.isupper():
        same = ast.unparse(found.get(pattern.id, node)) == ast.unparse(node)
        return found | {pattern.id: node} if same else None
    if not isinstance(pattern, ast.AST):
        return found if pattern == node else None
    if type(pattern) is not type(node):
        return None
    for name, value in ast.iter_fields(pattern):
        if name != "ctx" and found is not None:
            found = _match(value, getattr(node, name), found)
    return found


def _match_all(patterns, nodes, found):
    if not patterns:
        return None if nodes else found
    if name := _name_of_run(patterns[0]):
        ends = (_match_all(patterns[1:], nodes[n:], found | {name: nodes[:n]}) for n in range(len(nodes) + 1))
        return next((end for end in ends if end is not None), None)
    if not nodes:
        return None
    found = _match(patterns[0], nodes[0], found)
    return None if found is None else _match_all(patterns[1:], nodes[1:], found)


def _run(name):
    return ast.Starred(ast.Name(name))


def _name_of_run(node):
    node = node.value if isinstance(node, ast.Expr) else node
    return node.value.id if isinstance(node, ast.Starred) else None
