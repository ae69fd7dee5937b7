"""How the samplers are compiled: cached on disk, run without the interpreter's lock, arrays not counted.

numba counts references to every array that is read out of a named tuple, with an atomic operation each time, and
rarely sees that it need not: half of a sweep's time and more. A function compiled so cannot make an array: numba
refuses it, so nothing is allocated in a sweep. Those that do make arrays are compiled with ``njit`` as usual.
"""

from numba import njit

compiled = njit(cache=True, nogil=True, _nrt=False)
inlined = njit(cache=True, nogil=True, _nrt=False, forceinline=True)
