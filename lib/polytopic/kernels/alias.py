"""Alias tables: a draw from a fixed discrete distribution in constant time (Walker 1977, Vose 1991)."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def build(ptr, weights, keep, other):
    """Fill one table per row of a ragged array and return the rows' total weights, (R,) float64.

    Row r holds weights[ptr[r]:ptr[r + 1]], all 0 or more. A cell i of the row is kept with probability keep[i]
    (float32) and otherwise gives cell ptr[r] + other[i] (int32) of the same row. Rows without weight are left.
    """
    n_rows = ptr.size - 1
    longest = 0
    for r in range(n_rows):
        longest = max(longest, ptr[r + 1] - ptr[r])
    scaled = np.empty(longest)
    stack = np.empty(longest, np.int64)  # small cells from the left, large ones from the right
    totals = np.zeros(n_rows)
    for r in range(n_rows):
        a, n = ptr[r], ptr[r + 1] - ptr[r]
        for i in range(n):
            totals[r] += weights[a + i]
        if totals[r] > 0.0:
            _build_row(a, n, weights, totals[r], keep, other, scaled, stack)
    return totals


@njit(cache=True, nogil=True)
def _build_row(a, n, weights, total, keep, other, scaled, stack):
    n_small, n_large = 0, 0
    for i in range(n):
        scaled[i] = weights[a + i] * n / total
        if scaled[i] < 1.0:
            stack[n_small] = i
            n_small += 1
        else:
            n_large += 1
            stack[n - n_large] = i
    while n_small > 0 and n_large > 0:
        n_small -= 1
        small, large = stack[n_small], stack[n - n_large]
        keep[a + small] = scaled[small]
        other[a + small] = large
        scaled[large] -= 1.0 - scaled[small]
        if scaled[large] < 1.0:
            n_large -= 1
            stack[n_small] = large
            n_small += 1
    heaviest = np.argmax(weights[a : a + n])
    for j in range(n_small):  # rounding has left these: a cell without weight must stay so
        i = stack[j]
        keep[a + i] = 1.0 if weights[a + i] > 0.0 else 0.0
        other[a + i] = heaviest
    for j in range(n_large):
        i = stack[n - 1 - j]
        keep[a + i] = 1.0
        other[a + i] = i


@njit(cache=True, nogil=True)
def draw(a, n, keep, other, u):
    """Return the cell that u in [0, 1) picks from the row of n cells that starts at a."""
    place = u * n
    i = min(int(place), n - 1)
    if place - i < keep[a + i]:
        return a + i
    return a + other[a + i]
