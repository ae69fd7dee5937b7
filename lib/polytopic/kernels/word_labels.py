"""A growing table of numbers by word and label, which holds no more than the pairs that have occurred.

Every word has a block of cells in a common store, an open-addressed table of its labels, which moves to one of twice
the size when more than three quarters are in use. Blocks left behind are used again. A cell takes 12 bytes.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined

NONE = -1
LEAST = 4  # cells of a block
SIZES = 31  # a block has 2**k cells, k below this
END = SIZES  # where ``spare`` has the number of cells handed out so far


class Table(NamedTuple):
    """Cells; those of word w are first[w]:first[w] + room[w]. Kernels change it in place."""

    first: np.ndarray  # (W,) int64
    room: np.ndarray  # (W,) int32  a power of two, or 0
    used: np.ndarray  # (W,) int32  cells that hold a label
    labels: np.ndarray  # (A,) int32  label of a cell, or NONE
    values: np.ndarray  # (A,) float64; in a block that is spare, the place of the next one of its size
    spare: np.ndarray  # (SIZES + 1,) int64  the first spare block of each size, or NONE; and END


def empty(n_words=0, n_cells=0):
    """Return a Table without labels for W words, with a store of A cells."""
    of_words = np.zeros(n_words, np.int64), np.zeros(n_words, np.int32), np.zeros(n_words, np.int32)
    spare = np.full(SIZES + 1, NONE, np.int64)
    spare[END] = 0
    return Table(*of_words, np.empty(n_cells, np.int32), np.empty(n_cells), spare)


@inlined
def cell(table, w, c):
    """Return the cell of word w that holds label c, or the free one where it would be put; w has a block."""
    mask, mixed = table.room[w] - 1, np.uint32(c) * np.uint32(0x9E3779B1)
    at = np.int64(mixed ^ (mixed >> np.uint32(15))) & mask
    while table.labels[table.first[w] + at] != c and table.labels[table.first[w] + at] != NONE:
        at = (at + 1) & mask
    return table.first[w] + at


@compiled
def insert(table, w, c):
    """Make sure that word w has a cell for label c, of value 0 if it is new; return whether the store had room."""
    if table.room[w] > 0 and table.labels[cell(table, w, c)] == c:
        return True
    if 4 * (table.used[w] + 1) > 3 * table.room[w] and not _widen(table, w):
        return False
    here = cell(table, w, c)
    table.labels[here], table.values[here] = c, 0.0
    table.used[w] += 1
    return True


@compiled
def _widen(table, w):
    """Move word w to a block of twice the size; return whether there was one."""
    old, n_old = table.first[w], np.int64(table.room[w])
    size = max(LEAST, 2 * n_old)
    new = _take(table, size)
    if new == NONE:
        return False
    table.labels[new : new + size] = NONE
    table.first[w], table.room[w] = new, size
    for i in range(old, old + n_old):
        if table.labels[i] != NONE:
            here = cell(table, w, table.labels[i])
            table.labels[here], table.values[here] = table.labels[i], table.values[i]
    if n_old > 0:
        table.values[old] = table.spare[_power(n_old)]
        table.spare[_power(n_old)] = old
    return True


@compiled
def _take(table, size):
    """Return the place of a block that nobody uses, or NONE where the store is full."""
    place = table.spare[_power(size)]
    if place != NONE:
        table.spare[_power(size)] = np.int64(table.values[place])
        return place
    place = table.spare[END]
    if place + size > table.labels.size:
        return NONE
    table.spare[END] = place + size
    return place


@inlined
def _power(size):
    k = 0
    while (1 << k) < size:
        k += 1
    return k


@compiled
def rescale(table, factor):
    """Multiply every value by a factor."""
    for w in range(table.first.size):
        for i in range(table.first[w], table.first[w] + table.room[w]):
            if table.labels[i] != NONE:
                table.values[i] *= factor


def grown(array, n):
    """Return an array of n entries at least, the first those of the given one: that itself, or one twice as long.

    Entries are of the first axis; the others are zeros. So what is appended costs constant time each, on average.
    """
    if array.shape[0] >= n:
        return array
    wider = np.zeros((max(n, 2 * array.shape[0]), *array.shape[1:]), array.dtype)
    wider[: array.shape[0]] = array
    return wider


def with_room(table, n_words, n_cells=0):
    """Return the table with place for W words and with a store of A cells at least, larger ones where needed."""
    of_words = (grown(array, n_words) for array in table[:3])
    return Table(*of_words, grown(table.labels, n_cells), grown(table.values, n_cells), table.spare)
