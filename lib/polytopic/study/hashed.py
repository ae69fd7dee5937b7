"""Items picked by a hash, so that preferences of any number of parents need no table."""

import numpy as np
from numba import njit

from polytopic.kernels import generator


@njit(cache=True, nogil=True)
def pick(parents, ranks, name, cumulative):
    """Return for each parent and rank (n,) the item that their hash picks by the running totals ``cumulative``.

    name: uint64, from which the hashes are made; totals rise to 1.
    """
    items = np.empty(parents.size, np.int64)
    for i in range(parents.size):
        word = generator.splitmix(name ^ generator.splitmix(np.uint64(parents[i])))
        word = generator.splitmix(word ^ generator.splitmix(np.uint64(ranks[i])))
        u = np.int64(word >> np.uint64(11)) * 2.0**-53
        items[i] = min(np.searchsorted(cumulative, u, side="right"), cumulative.size - 1)
    return items
