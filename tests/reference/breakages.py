"""Kernels and twins with a line changed for the worse, to see whether the checks notice."""

import inspect
import re
import types

UNCACHED = """
from numba import njit
compiled, inlined = njit(nogil=True, _nrt=False), njit(_nrt=False, forceinline=True)
"""


def broken(module, *changes, **modules):
    """Return a copy of a module of which some text is replaced: changes are pairs of the old text and the new.

    ``modules``, by the names that the module has for them, take the place of those it calls. Raises LookupError where
    the module does not hold the old text exactly once, or has no such name: then the breakage is out of date and
    would break nothing.
    """
    source = inspect.getsource(module).replace("cache=True, ", "")
    source = re.sub(r"from polytopic\.kernels\.compiling import [\w, ]+", lambda match: UNCACHED, source)
    for old, new in changes:
        if source.count(old) != 1:
            raise LookupError(
                f"{module.__name__} holds {source.count(old)} times what was to be broken: {old!r}"
            )
        source = source.replace(old, new)
    copy = types.ModuleType(f"broken_{module.__name__.rpartition('.')[2]}")
    exec(compile(source, copy.__name__, "exec"), vars(copy))
    own = {name: value for name, value in vars(module).items() if isinstance(value, type)}
    if missing := modules.keys() - vars(copy).keys():
        raise LookupError(f"{module.__name__} calls no {', '.join(sorted(missing))}")
    vars(copy).update(own, **modules)  # the arrays' tuples stay the very same types
    return copy
