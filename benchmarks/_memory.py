"""What the machine's memory takes for loads of which each says where the next one is."""

import numpy as np
from numba import njit

from polytopic.kernels.simd import CACHE_LINE
from polytopic.streams import stream

CHASE = "dependent loads"
LINE = CACHE_LINE // np.dtype(np.int64).itemsize  # numbers in a cache line


def ring(size, seed=0):
    """Return ``size`` bytes of whole numbers: on each cache line one that says which line comes next, in one ring."""
    order = stream(seed, "loads", size).permutation(size // CACHE_LINE)
    chain = np.zeros(order.size * LINE, np.int64)
    chain[order * LINE] = np.roll(order, -1) * LINE
    return chain


@njit(cache=True)
def chase(chain, n):
    """Follow a ring for n loads; return where it ends."""
    place = 0
    for _ in range(n):
        place = chain[place]
    return place
