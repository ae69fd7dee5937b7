"""Weighing many choices sixteen at a time: choice k lies on lane k mod 16; a draw picks first a lane."""

import numpy as np

from polytopic.kernels.compiling import inlined
from polytopic.kernels.simd import LANES, count_at_most, lane_of, load, running, spread, store


@inlined
def multiply(a, b, n, product):
    """Weigh n items, a[k] b[k], for a draw by ``choose``: a and b float32, one of them 0 up to a multiple of LANES.

    Set product[k] to them, and to zeros from n to the next multiple of LANES; return the vector whose lane l holds
    the sum of all whose k modulo LANES is at most l. All arrays are flat and float32.
    """
    total = spread(np.float32(0))
    for k in range(0, n, LANES):
        mass = load(a, k) * load(b, k)
        store(product, k, mass)
        total = total + mass
    return running(total)


@inlined
def whole(before):
    """Return the sum of all that was weighed, float64, from what ``multiply`` has returned."""
    return lane_of(before, LANES - 1)


@inlined
def choose(x, n, product, before):
    """Return which of the n items weighed last x falls on, 0 <= x < whole(before); never one without mass."""
    lane = min(count_at_most(before, x), LANES - 1)
    if lane > 0:
        x -= lane_of(before, lane - 1)
    last = -1
    for k in range(lane, n, LANES):
        if product[k] > 0:
            last = k
            if x < product[k]:
                return k
            x -= np.float64(product[k])
    if last >= 0:
        return last
    for k in range(n):  # rounding led into a lane without mass
        if product[k] > 0:
            last = k
    return last


@inlined
def choose_by_sums(x, cumulative, last, before):
    """Return the item, row LANES + lane, that x falls on, where cumulative (R, LANES) has the sums down every lane.

    ``last`` is the last row that counts, and before its sums over the lanes.
    """
    lane = count_at_most(before, x)
    if lane > 0:
        x -= lane_of(before, lane - 1)
    row = 0
    while row < last and cumulative[row, lane] <= x:
        row += 1
    return row * LANES + lane


@inlined
def first_above(cumulative, x):
    """Return the first place whose cumulative weight is above x, or the last place."""
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def dot(a, b):
    """Return the product of two flat float32 arrays, float64; their size is a multiple of LANES."""
    total = spread(np.float32(0))
    for i in range(0, a.size, LANES):
        total = total + load(a, i) * load(b, i)
    return whole(running(total))
