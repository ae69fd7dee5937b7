"""Alias tables: a draw from a fixed discrete distribution in constant time (Walker 1977, Vose 1991)."""

import numpy as np

from polytopic.kernels.compiling import allocating, compiled, inlined

# A cell stands for item ``item`` with probability ``keep`` and otherwise for ``other``. The three lie together, so
# that a draw from a large table waits for memory once.
CELL = np.dtype([("keep", np.float32), ("item", np.int32), ("other", np.int32)])


@allocating
def build(ptr, items, weights, cells):
    """Fill one table per row of a ragged array and return the rows' total weights, (R,) float64.

    Row r holds items[ptr[r]:ptr[r + 1]] (int32) with their weights, all 0 or more; cells (CELL) lies beside them.
    Rows without weight are left.
    """
    totals, longest = np.zeros(ptr.size - 1), 0
    for r in range(totals.size):
        longest = max(longest, ptr[r + 1] - ptr[r])
    scaled, stack = np.empty(longest), np.empty(longest, np.int64)
    for r in range(totals.size):
        a, b = ptr[r], ptr[r + 1]
        for i in range(a, b):
            totals[r] += weights[i]
        if totals[r] > 0.0:
            _build_row(items[a:b], weights[a:b], totals[r], cells[a:b], scaled, stack)
    return totals


@compiled
def _build_row(items, weights, total, cells, scaled, stack):
    """Fill one table; of the stack, scratch like ``scaled``, small cells take the left and large ones the right."""
    n = items.size
    n_small, n_large, heaviest = 0, 0, 0
    for i in range(n):
        if weights[i] > weights[heaviest]:
            heaviest = i
        scaled[i] = weights[i] * n / total
        if scaled[i] < 1.0:
            stack[n_small] = i
            n_small += 1
        else:
            n_large += 1
            stack[n - n_large] = i
    while n_small > 0 and n_large > 0:
        n_small -= 1
        small, large = stack[n_small], stack[n - n_large]
        _set(cells, items, small, large, scaled[small])
        scaled[large] -= 1.0 - scaled[small]
        if scaled[large] < 1.0:
            n_large -= 1
            stack[n_small] = large
            n_small += 1
    for j in range(n_small):  # rounding has left these: a cell without weight must stay so
        i = stack[j]
        _set(cells, items, i, heaviest, 1.0 if weights[i] > 0.0 else 0.0)
    for j in range(n_large):
        i = stack[n - 1 - j]
        _set(cells, items, i, i, 1.0)


@inlined
def _set(cells, items, i, other, keep):
    cells[i]["keep"] = keep
    cells[i]["item"] = items[i]
    cells[i]["other"] = items[other]


@inlined
def draw(first, last, cells, u):
    """Return the item that u in [0, 1) picks from the row of cells[first:last]."""
    i, rest = find(first, last, u)
    return item_of(cells[i], rest)


@inlined
def find(first, last, u):
    """Return which of cells[first:last] u in [0, 1) falls on, and the rest of u that picks one of its two items."""
    place = u * (last - first)
    i = min(int(place), last - first - 1)
    return first + i, place - i


@inlined
def item_of(cell, rest):
    """Return the item of a cell that the rest of u picks."""
    return cell["item"] if rest < cell["keep"] else cell["other"]
