"""More words for ``simd``: entries of tables at another place for each lane, read and written, and a vector's sum.

A table's rows are one of LANES entries, an entry for each lane; or its lines are, each a lane's own, and then place p
of lane l is p + LANES l. Both forms agree bit for bit, as those of ``simd`` do. Places are whole numbers from 0.
"""

import numpy as np
from llvmlite import ir
from numba import types

from polytopic.kernels.simd import (
    FLOAT_REGISTER,
    FLOATS,
    INT32,
    INT64,
    INT_REGISTER,
    INTS,
    LANES,
    _compile,
    _in_words,
    _spread,
)


def everywhere(table, i):
    """Return the vector with table[i] in every lane: table (N,) float32, contiguous."""
    return np.full(LANES, table[i])


def pick_at(table, base, places):
    """Return table[base + places[l], l] in every lane l: table (R, LANES), its values as ``load`` has them."""
    entries = table[base + places.astype(np.int64), np.arange(LANES)]
    return entries.astype(np.float32 if table.dtype == np.float32 else np.int32)


def put_at(table, base, places, vector):
    """Put a vector where ``pick_at`` finds it; the table's type must hold its values."""
    table[base + places.astype(np.int64), np.arange(LANES)] = vector


def take(table, places):
    """Return table[places[l] + LANES l] in every lane l: table (N,) float32 or int32, contiguous."""
    return table[places.astype(np.int64) + LANES * np.arange(LANES)]


def take_by(table, places, row):
    """Return take(table, load(places, row)): quicker, as no lane's place goes through a register."""
    return take(table, places[row])


def put(table, places, vector):
    """Put a vector where ``take`` finds it."""
    table[places.astype(np.int64) + LANES * np.arange(LANES)] = vector


def summed(vector):
    """Return the sum of a float32 vector's lanes, added up by halves."""
    for half in (8, 4, 2, 1):
        vector = vector[:half] + vector[half:]
    return vector[0]


def _lane(number):
    return ir.Constant(INT32, number)


def _cell_of_row(builder, table, base, places, lane):
    cells = builder.bitcast(table, table.type.pointee.element.as_pointer())
    row = builder.add(base, builder.zext(builder.extract_element(places, _lane(lane)), INT64))
    cell = builder.add(builder.mul(row, ir.Constant(INT64, LANES)), ir.Constant(INT64, lane))
    return builder.gep(cells, [cell])


def _cell_of_line(builder, table, place, lane):
    return builder.gep(table, [builder.add(builder.zext(place, INT64), ir.Constant(INT64, lane * LANES))])


def _gathered(builder, kind, cells):
    values = ir.Constant(ir.VectorType(kind, LANES), ir.Undefined)
    for lane, cell in enumerate(cells):
        values = builder.insert_element(values, builder.load(cell), _lane(lane))
    return values if values.type in (FLOAT_REGISTER, INT_REGISTER) else builder.zext(values, INT_REGISTER)


def _everywhere(builder, table, i):
    return _spread(builder, builder.load(builder.gep(table, [i])))


def _pick_at(builder, table, base, places):
    cells = (_cell_of_row(builder, table, base, places, lane) for lane in range(LANES))
    return _gathered(builder, table.type.pointee.element, cells)


def _put_at(builder, table, base, places, vector):
    kind = table.type.pointee
    kept = vector if vector.type == kind else builder.trunc(vector, kind)
    for lane in range(LANES):
        value = builder.extract_element(kept, _lane(lane))
        builder.store(value, _cell_of_row(builder, table, base, places, lane))


def _take(builder, table, places):
    each = (builder.extract_element(places, _lane(lane)) for lane in range(LANES))
    cells = (_cell_of_line(builder, table, place, lane) for lane, place in enumerate(each))
    return _gathered(builder, table.type.pointee, cells)


def _take_by(builder, table, places, row):
    first = builder.bitcast(builder.gep(places, [row]), places.type.pointee.element.as_pointer())
    each = _in_words(builder, first, ir.Constant(INT64, 0))
    cells = (_cell_of_line(builder, table, place, lane) for lane, place in enumerate(each))
    return _gathered(builder, table.type.pointee, cells)


def _put(builder, table, places, vector):
    for lane in range(LANES):
        place, value = (builder.extract_element(each, _lane(lane)) for each in (places, vector))
        builder.store(value, _cell_of_line(builder, table, place, lane))


def _summed(builder, vector):
    for half in (8, 4, 2, 1):
        low, high = (
            builder.shuffle_vector(
                vector, vector, ir.Constant(ir.VectorType(INT32, half), list(range(a, a + half)))
            )
            for a in (0, half)
        )
        vector = builder.fadd(low, high)
    return builder.extract_element(vector, _lane(0))


def _vector_of(table):
    return FLOATS if table.dtype == types.float32 else INTS


_compile(everywhere, lambda table, i: FLOATS(table, types.int64), _everywhere)
_compile(pick_at, lambda table, base, places: _vector_of(table)(table, types.int64, INTS), _pick_at)
_compile(put_at, lambda table, base, places, vector: types.none(table, types.int64, INTS, vector), _put_at)
_compile(take, lambda table, places: _vector_of(table)(table, INTS), _take)
_compile(take_by, lambda table, places, row: _vector_of(table)(table, places, types.int64), _take_by)
_compile(put, lambda table, places, vector: types.none(table, INTS, vector), _put)
_compile(summed, lambda vector: types.float32(FLOATS), _summed)
