"""Places in arrays that kernels compute are never counted from the end; constant places and slices are as ever."""

import numpy as np
import pytest
from numba import njit

from polytopic.kernels.compiling import compiled, embedded, inlined, part


def read(table, place):
    return table[place, 0]


def write(table, place):
    table[place, 0] += 10
    return table[place, 0] - 10


of_part, of_inlined, of_embedded = part(read), inlined(read), embedded(read)


def through_a_part(table, place):
    return of_part(table, place)


def through_an_inlined_function(table, place):
    return of_inlined(table, place)


def through_an_embedded_function(table, place):
    return of_embedded(table, place)


@pytest.mark.parametrize("whole", [np.int64, np.int32])
@pytest.mark.parametrize(
    "function", [read, write, through_a_part, through_an_inlined_function, through_an_embedded_function]
)
def test_a_computed_place_is_not_counted_from_the_end(function, whole):
    """What stands before a view is found, 4; numba itself takes the view's end, 9, and asks which at every access."""
    table = np.arange(10).reshape(10, 1)[5:]
    assert compiled(function)(table, whole(2)) == 7
    assert compiled(function)(table, whole(-1)) == 4
    if function is read:
        assert njit(function)(table, whole(-1)) == 9


def test_constant_places_and_slices_are_as_ever():
    def function(table, n):
        pair = (1.0, 2.0)
        square = table.reshape(2, 5)
        places = table[-1], square[n, -1], square[-2, n], square[n, 1:][-1]
        return *places, table[n:].size, table[:-2].size, table[1:3][1], pair[n]

    table = np.arange(10.0)
    assert compiled(function)(table, 1) == (9, 9, 1, 9, 9, 8, 2, 2) == function(table, 1)


def test_fields_of_records_are_found():
    def function(table, i):
        table[i]["count"] += 1
        return table[i]["count"], table["mass"][i]

    tables = [np.array([(1, 0.5), (2, 0.25)], [("count", np.int32), ("mass", np.float32)]) for _ in range(2)]
    assert compiled(function)(tables[0], 1) == (3, 0.25) == function(tables[1], 1)
    assert tables[0].tolist() == tables[1].tolist()


def test_a_place_that_starts_with_a_constant_may_be_counted_up():
    def function(table):
        i = 0
        while i < table.shape[0]:
            for j in range(table.shape[1]):
                table[i, j] = 10 * i + j
            i += 1
        return table.sum()

    tables = [np.zeros((3, 2), np.uint8) for _ in range(2)]
    assert compiled(function)(tables[0]) == function(tables[1])
    assert np.array_equal(*tables)
