"""How the samplers are compiled: options of numba's ``njit``, and where the compiled code is cached.

``compiled`` is for functions that Python calls, ``inlined`` for short ones that other compiled functions call,
``embedded`` for one with a single call that hands over many arrays: it is compiled as if it stood there. A function
that makes arrays is ``allocating``.

The others have ``_nrt=False``: without it numba counts references to every array that is read out of a named tuple,
by an atomic operation each time, which takes up to half of a sweep. With it a function cannot make an array (numba
refuses to compile it), so nothing is allocated in a sweep. ``forceinline`` is LLVM's alwaysinline.

Compiled code is cached in $NUMBA_CACHE_DIR, else in ``compiled`` of ``paths.cache``, unless that cannot be written to
or is nearly full. The first compilation of a process says so, through the logger "polytopic", unless $TQDM_DISABLE
is 1. CONTRIBUTING.md says what to do when numba changes.
"""

import hashlib
import logging
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import numba
from numba import njit
from numba.core import event

from polytopic import paths

UNUSED = 7 * 24 * 3600  # seconds after which a folder of older code is deleted
ROOM = 200 * 2**20  # bytes that must be free; all compiled code takes a tenth


def folder():
    """Return the folder for the compiled code of this state of the kernels by this version of numba.

    numba notices a change in a function's own file, not in those of the functions that it calls.
    """
    state = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        state.update(path.read_bytes())
    return Path(numba.config.CACHE_DIR or paths.cache() / "compiled", f"polytopic-{state.hexdigest()[:16]}")


def has_room(place):
    """Return True if compiled code can be written to the folder, which is made if it is not there."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        os.utime(place)
        tempfile.TemporaryFile(dir=place).close()
        return shutil.disk_usage(place).free >= ROOM
    except OSError:
        return False


FOLDER = folder()
CACHED = has_room(FOLDER)
with suppress(OSError):
    for path in FOLDER.parent.glob("polytopic-*"):
        if path.stat().st_mtime < time.time() - UNUSED:
            shutil.rmtree(path, ignore_errors=True)


def compiled(function, **options):
    """Compile by njit with these options; numba reads where to cache when it decorates, so only then is it told."""
    callers = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(FOLDER)
    try:
        return njit(cache=CACHED, nogil=True, **{"_nrt": False} | options)(function)
    finally:
        numba.config.CACHE_DIR = callers


embedded = partial(compiled, inline="always")
inlined = partial(compiled, forceinline=True)
allocating = partial(compiled, _nrt=True)


class _First(event.Listener):
    """Log once when a kernel is compiled, not when it is loaded from the cache."""

    def on_start(self, event_started):
        if event_started.data["dispatcher"].py_func.__module__.startswith("polytopic."):
            event.unregister("numba:compile", self)
            logging.getLogger("polytopic").warning(
                "compiling the samplers, which takes about a minute in all and is %s",
                "kept on disk" if CACHED else f"not kept: {FOLDER} cannot be written to, or its disk is full",
            )

    def on_end(self, event_ended):
        pass


if os.environ.get("TQDM_DISABLE") != "1":
    event.register("numba:compile", _First())
