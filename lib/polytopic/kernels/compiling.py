"""How the samplers are compiled: cached on disk, run without the interpreter's lock, arrays not counted.

numba counts references to every array that is read out of a named tuple, with an atomic operation each time, and
rarely sees that it need not: half of a sweep's time and more. A function compiled so cannot make an array: numba
refuses it, so nothing is allocated in a sweep. Those that do make arrays are compiled with ``njit`` as usual.

The first compilation of a process says that it is one, through the logger "polytopic", but where $TQDM_DISABLE is 1.
"""

import logging
import os

from numba import njit
from numba.core import event

compiled = njit(cache=True, nogil=True, _nrt=False)
inlined = njit(cache=True, nogil=True, _nrt=False, forceinline=True)


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


if os.environ.get("TQDM_DISABLE") != "1":
    event.register("numba:compile", _First())
