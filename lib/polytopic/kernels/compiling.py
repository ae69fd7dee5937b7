"""How the samplers are compiled: kept on disk, run without the interpreter's lock, arrays not counted.

``compiled`` is for what Python calls. What other compiled functions call is a ``part``, or ``inlined`` where it is
short, or ``embedded`` where there is one call of it that hands over many arrays: then it is compiled as if it stood
there.

numba counts references to every array that is read out of a named tuple, with an atomic operation each time, and
rarely sees that it need not: half of a sweep's time and more. A function compiled so cannot make an array: numba
refuses it, so nothing is allocated in a sweep. Those that do make arrays are ``allocating``. Nor does a computed
place count from an array's end where it is negative (``indexing``).

What is compiled is kept in $NUMBA_CACHE_DIR, else in ``compiled`` of ``paths.cache``; where nothing can be written,
it is not kept, and works all the same. The first compilation of a process says so, through the logger "polytopic",
but where $TQDM_DISABLE is 1.
"""

import gc
import hashlib
import logging
import os
import shutil
import time
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path

import numba
from numba import njit, types
from numba.core import caching, event
from numba.core.registry import CPUDispatcher

from polytopic import paths
from polytopic.kernels.indexing import Compiler

OPTIONS = {"nogil": True, "_nrt": False}
LONG_UNUSED = 7 * 24 * 3600


def folder():
    """Return the folder for what is compiled of this state of the kernels by this version of numba.

    numba notices a change in a function's own file, not in those of the functions that it calls.
    """
    state = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        state.update(path.read_bytes())
    return Path(numba.config.CACHE_DIR or paths.cache() / "compiled", f"polytopic-{state.hexdigest()[:16]}")


FOLDER = folder()
with suppress(OSError):
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.utime(FOLDER)
    for path in FOLDER.parent.glob("polytopic-*"):
        if path.stat().st_mtime < time.time() - LONG_UNUSED:
            shutil.rmtree(path, ignore_errors=True)


class _Place(caching.InTreeCacheLocator):
    """numba's place beside a function's file, but for being elsewhere."""

    def get_cache_path(self):
        return str(FOLDER)


class _Files(caching.CompileResultCacheImpl):
    _locator_classes = (_Place,)


class Kept(caching.FunctionCache):
    """What is compiled of one function, on disk; a full disk hinders nobody."""

    _impl_class = _Files

    def save_overload(self, signature, data):
        """Write one compiled form, if it can be written."""
        with suppress(OSError):
            super().save_overload(signature, data)


def kept(compile_function):
    """Return a decorator that also keeps on disk what another one of numba's compiles, where there is a place."""

    def decorate(function):
        dispatcher = compile_function(function)
        with suppress(RuntimeError):  # no place
            dispatcher._cache = Kept(function)
        return dispatcher

    return decorate


compiled = kept(njit(pipeline_class=Compiler, **OPTIONS))
embedded = kept(njit(inline="always", pipeline_class=Compiler, **OPTIONS))
allocating = kept(njit(nogil=True))


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
    return kept(partial(Part, targetoptions=OPTIONS | only | options, pipeline_class=Compiler))(function)


inlined = partial(part, forceinline=True)


class _First(event.Listener):
    """Hears of what is compiled, not of what is read from disk, and speaks once."""

    def on_start(self, happening):
        dispatcher = happening.data["dispatcher"]
        if dispatcher.py_func.__module__.startswith("polytopic."):
            event.unregister("numba:compile", self)
            is_kept = isinstance(dispatcher._cache, Kept)
            logging.getLogger("polytopic").warning(
                "compiling the samplers, which takes about a minute in all and is %s",
                "kept on disk" if is_kept else f"not kept: {FOLDER} cannot be written to",
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
