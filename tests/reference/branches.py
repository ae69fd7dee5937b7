"""Which statements and branches of some functions ran, by Python's own tracing; compiled code leaves no trace."""

import ast
import inspect
import sys
import textwrap


class traced:
    """Record the lines that follow each other in the functions, for the length of a with block.

    The functions run in their Python form: see ``reference.interpreting``.
    """

    def __init__(self, *modules):
        self.functions = [
            value.py_func
            for module in modules
            for value in vars(module).values()
            if hasattr(value, "py_func") and value.__module__ == module.__name__
        ]
        self.steps = {function.__code__: set() for function in self.functions}

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(self, *error):
        sys.settrace(self.before)

    def _enter(self, frame, event, argument):
        steps = self.steps.get(frame.f_code)
        if steps is None:
            return None
        last = frame.f_lineno

        def line(frame, event, argument):
            nonlocal last
            if event == "line":
                steps.add((last, frame.f_lineno))
                last = frame.f_lineno
            elif event == "return":
                steps.add((last, None))
            return line

        return line

    def untaken(self):
        """Return what never happened, as "function: source of the line (what)"."""
        return [missing for function in self.functions for missing in self._untaken(function)]

    def _untaken(self, function):
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        steps = self.steps[function.__code__]
        reached = {line for step in steps for line in step if line is not None}

        def name(node):
            return f"{function.__name__}: {lines[node.lineno - 1].strip()}"

        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and node is not tree and not _is_docstring(node):
                if node.lineno + first - 1 not in reached:
                    yield f"{name(node)} (never reached)"
                elif isinstance(node, ast.If | ast.While):
                    yield from self._one_sided(node, first - 1, steps, name(node))

    def _one_sided(self, node, shift, steps, name):
        after = {
            there for here, there in steps if node.lineno + shift <= here <= node.test.end_lineno + shift
        }
        after -= set(range(node.lineno + shift, node.test.end_lineno + shift + 1))
        body = set(range(node.body[0].lineno + shift, node.body[-1].end_lineno + shift + 1))
        if not after & body:
            yield f"{name} (never true)"
        if not after - body:
            yield f"{name} (never false)"


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
