"""How the samplers are compiled: cached on disk, run without the interpreter's lock, arrays not counted.

``compiled`` is for what Python calls. What other compiled functions call is a ``part``, or ``inlined`` where it is
short, or ``embedded`` where there is one call of it that hands over many arrays: then it is compiled as if it stood
there.

numba counts references to every array that is read out of a named tuple, with an atomic operation each time, and
rarely sees that it need not: half of a sweep's time and more. A function compiled so cannot make an array: numba
refuses it, so nothing is allocated in a sweep. Those that do make arrays are compiled with ``njit`` as usual. Nor
does a computed place count from an array's end where it is negative (``indexing``).

The first compilation of a process says that it is one, through the logger "polytopic", but where $TQDM_DISABLE is 1.
"""

import gc
import logging
import os
from functools import cached_property, partial

from numba import njit, types
from numba.core import event
from numba.core.registry import CPUDispatcher

from polytopic.kernels.indexing import Compiler

OPTIONS = {"nogil": True, "_nrt": False}
compiled = njit(cache=True, pipeline_class=Compiler, **OPTIONS)


class Part(CPUDispatcher):
    """A function of which only other compiled functions make use, compiled once for whole numbers of any value."""

    def get_call_template(self, args, kws):
        """Return what the compiler asks for at a call; it would compile anew for every number in the source."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)

    def __call__(self, *args):
        """Call the function from Python, as tests do: what that takes is compiled now."""
        return self._from_python(*args)

    @cached_property
    def _from_python(self):
        function = self

        @njit(**OPTIONS)
        def call(*args):
            return function(*args)

        return call


def part(function, **options):
    """Compile a function as ``compiled`` does, but for use by other compiled functions.

    What Python needs in order to call it, a check and a conversion for each of its arrays, takes as long to compile
    as the function itself.
    """
    only = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher = Part(function, targetoptions=OPTIONS | only | options, pipeline_class=Compiler)
    dispatcher.enable_caching()
    return dispatcher


inlined = partial(part, forceinline=True)
embedded = njit(cache=True, inline="always", pipeline_class=Compiler, **OPTIONS)


class _First(event.Listener):
    """Hears of what is compiled, not of what is read from disk, and speaks once."""

    def on_start(self, happening):
        if happening.data["dispatcher"].py_func.__module__.startswith("polytopic."):
            event.unregister("numba:compile", self)
            logging.getLogger("polytopic").warning(
                "compiling the samplers, which takes about a minute in all and is kept on disk"
            )

    def on_end(self, happening):
        pass


class _Uncollected(event.Listener):
    """Stops the garbage collector while numba compiles, when it would go through the compiler's own objects."""

    depth, was_on = 0, False

    def on_start(self, happening):
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, happening):
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


event.register("numba:compile", _Uncollected())
if os.environ.get("TQDM_DISABLE") != "1":
    event.register("numba:compile", _First())
