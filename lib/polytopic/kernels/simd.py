"""Sixteen values side by side, one in each lane, with + - * / == <= << >> & | ^, so that kernels read like formulas.

A vector holds LANES int32 or float32. In plain Python it is a NumPy array, which tests replay; in a kernel it is
a vector register, for LLVM does not find these loops by itself: it cannot tell that the arrays do not overlap. Both
forms do the same operations in the same order, so they agree bit for bit. A number may stand on an operator's right.
What a comparison gives counts as 1 or 0 in each lane.
"""

from operator import add, and_, eq, le, lshift, mul, or_, rshift, sub, truediv, xor

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_jitable, register_model, type_callable

LANES = 16
CACHE_LINE = 64  # bytes, as many as a vector takes
INT32, INT64 = ir.IntType(32), ir.IntType(64)
INT_REGISTER, FLOAT_REGISTER = ir.VectorType(INT32, LANES), ir.VectorType(ir.FloatType(), LANES)
PREFETCH = "llvm.prefetch.p0"
ARITHMETIC = {add: "add", sub: "sub", mul: "mul", truediv: "div"}
COMPARISONS = {eq: "==", le: "<="}
OF_BITS = {lshift: "shl", rshift: "ashr", and_: "and_", or_: "or_", xor: "xor"}


class Vector(types.Type):
    """The compiler's type of a vector of int32 or float32."""

    def __init__(self, scalar):
        self.scalar = scalar
        super().__init__(f"Vector({scalar})")


INTS, FLOATS = Vector(types.int32), Vector(types.float32)


@register_jitable
def padded(n, step=LANES):
    """Return n, rounded up to a multiple of ``step``."""
    return -(-n // step) * step


def aligned_zeros(shape, dtype=np.float32):
    """Return zeros from the start of a cache line on, so that a vector, or a row of LANES, lies in one."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(n_bytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + n_bytes].view(dtype).reshape(shape)


def load(table, first):
    """Return a row of table (R, LANES), or LANES entries of table (N,) from ``first`` on; table is contiguous.

    They are float32, or int32 from whole numbers of any size.
    """
    row = table[first] if table.ndim == 2 else table[first : first + LANES]
    return row.astype(np.float32 if table.dtype == np.float32 else np.int32)


def store(table, first, vector):
    """Put a vector where ``load`` finds it; the table's type must hold its values."""
    table[first if table.ndim == 2 else slice(first, first + LANES)] = vector


def prefetch(table, first):
    """Ask for what is needed soon of table, contiguous: from the place on that ``load`` would read."""


def gather(table, places):
    """Return table[places[l]] in every lane l: table (N,) float32, places an int32 vector, none below 0."""
    return table[places]


def add_at(table, places, values):
    """Add a float32 vector to table[places], lane by lane, as ``gather`` finds it: a place there twice gets both."""
    np.add.at(table, places, values)


def pick(table, places):
    """Return table[places[l], l] in every lane l: table (R, LANES) float32, contiguous, places a vector of int32."""
    return table[places, np.arange(LANES)]


def spread(value):
    """Return the vector with an int32 or float32 value in every lane."""
    return np.full(LANES, value)


def head(vector, n):
    """Return the first n lanes of a vector, 0 in the others."""
    return np.where(np.arange(LANES) < n, vector, vector.dtype.type(0))


def where(flags, yes, no):
    """Return ``yes`` in the lanes where the int32 vector of flags is not 0, ``no`` in the others."""
    return np.where(flags, yes, no)


def as_floats(vector):
    """Return the float32 vector nearest to an int32 vector."""
    return vector.astype(np.float32)


def running(vector):
    """Return the sums of a float32 vector over the lanes up to each, added up by doubling steps."""
    total = vector.copy()
    for step in (1, 2, 4, 8):
        total[step:] = total[step:] + total[:-step]
    return total


def sum_of(vector):
    """Return the sum over the lanes of a float32 vector, added up in float64, halves to halves."""
    total = vector.astype(np.float64)
    while total.size > 1:
        total = total[: total.size // 2] + total[total.size // 2 :]
    return total[0]


def lane_of(vector, lane):
    """Return the value in one lane of a float32 vector, as float64."""
    return np.float64(vector[lane])


def count_at_most(vector, limit):
    """Return how many lanes of a float32 vector are at most the float64 limit."""
    return int((vector.astype(np.float64) <= limit).sum())


def first_set(flags):
    """Return the first lane of an int32 vector that is not 0, or LANES."""
    return int(np.append(np.flatnonzero(flags), LANES)[0])


class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, INT_REGISTER if kind == INTS else FLOAT_REGISTER)


register_model(Vector)(_VectorModel)


def _compile_operation(operation, name, vectors):
    def typed(kind, other):
        if kind in vectors and other in {kind, *types.number_domain}:
            return (INTS if operation in COMPARISONS else kind)(kind, other)
        return None

    def generate(context, builder, signature, arguments):
        (vector, other), (kind, other_kind) = arguments, signature.args
        if other_kind != kind:
            other = _spread(builder, context.cast(builder, other, other_kind, kind.scalar))
        if operation in COMPARISONS:
            compare = builder.fcmp_ordered if kind == FLOATS else builder.icmp_signed
            return builder.zext(compare(name, vector, other), INT_REGISTER)
        return getattr(builder, f"f{name}" if kind == FLOATS else name)(vector, other)

    type_callable(operation)(lambda context: typed)
    lower_builtin(operation, Vector, Vector)(generate)
    lower_builtin(operation, Vector, types.Number)(generate)


def _compile(function, typed, emit):
    """Make emit(builder, *arguments) the compiled form of a NumPy function; typed(*types) is a call's signature.

    In place of an array emit gets a pointer to its entries, or to its rows if it has two dimensions.
    """

    def generate(context, builder, signature, arguments):
        operands = list(arguments)
        for place, kind in enumerate(signature.args):
            if isinstance(kind, types.Array):
                operands[place] = context.make_array(kind)(context, builder, arguments[place]).data
                if kind.ndim == 2:
                    operands[place] = _rows(builder, operands[place])
        result = emit(builder, *operands)
        return context.get_dummy_value() if signature.return_type == types.none else result

    type_callable(function)(lambda context: typed)
    lower_builtin(function, types.VarArg(types.Any))(generate)


def _rows(builder, entries):
    return builder.bitcast(entries, ir.VectorType(entries.type.pointee, LANES).as_pointer())


def _row(builder, table, first):
    place = builder.gep(table, [first])
    return place if isinstance(place.type.pointee, ir.VectorType) else _rows(builder, place)


def _are_set(builder, flags):
    return builder.icmp_signed("!=", flags, ir.Constant(INT_REGISTER, [0] * LANES))


def _load(builder, table, first):
    vector = builder.load(_row(builder, table, first), align=1)
    return vector if vector.type == FLOAT_REGISTER else builder.zext(vector, INT_REGISTER)


def _store(builder, table, first, vector):
    row = _row(builder, table, first)
    kept = vector if vector.type == FLOAT_REGISTER else builder.trunc(vector, row.type.pointee)
    builder.store(kept, row, align=1)


def _prefetch(builder, table, first):
    address = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [address, INT32, INT32, INT32])
    function = builder.module.globals.get(PREFETCH) or ir.Function(builder.module, kind, PREFETCH)
    read, near, data_cache = (ir.Constant(INT32, value) for value in (0, 3, 1))
    builder.call(function, [builder.bitcast(builder.gep(table, [first]), address), read, near, data_cache])


def _gather(builder, table, places):
    """Load one lane after the other: quicker here than the processor's own gathering."""
    values = ir.Constant(FLOAT_REGISTER, ir.Undefined)
    for lane, cell in _cells(builder, table, places):
        values = builder.insert_element(values, builder.load(cell), lane)
    return values


def _add_at(builder, table, places, values):
    for lane, cell in _cells(builder, table, places):
        builder.store(builder.fadd(builder.load(cell), builder.extract_element(values, lane)), cell)


def _cells(builder, table, places):
    """Yield each lane and where the table has the lane's place."""
    for lane in (ir.Constant(INT32, number) for number in range(LANES)):
        yield lane, builder.gep(table, [builder.zext(builder.extract_element(places, lane), INT64)])


def _pick(builder, table, places):
    rows = builder.mul(places, ir.Constant(INT_REGISTER, [LANES] * LANES))
    places = builder.add(rows, ir.Constant(INT_REGISTER, list(range(LANES))))
    return _gather(builder, builder.bitcast(table, ir.FloatType().as_pointer()), places)


def _spread(builder, value):
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(INT_REGISTER, [0] * LANES))


def _head(builder, vector, n):
    lanes = ir.Constant(INT_REGISTER, list(range(LANES)))
    inside = builder.icmp_signed("<", lanes, _spread(builder, n))
    return builder.select(inside, vector, ir.Constant(vector.type, None))


def _where(builder, flags, yes, no):
    return builder.select(_are_set(builder, flags), yes, no)


def _running(builder, vector):
    none = ir.Constant(FLOAT_REGISTER, [0.0] * LANES)
    for step in (1, 2, 4, 8):
        moved = ir.Constant(INT_REGISTER, [LANES] * step + list(range(LANES - step)))
        vector = builder.fadd(vector, builder.shuffle_vector(vector, none, moved))
    return vector


def _sum_of(builder, vector):
    total, size = builder.fpext(vector, ir.VectorType(ir.DoubleType(), LANES)), LANES
    while size > 1:
        size //= 2
        halves = (
            builder.shuffle_vector(
                total, total, ir.Constant(ir.VectorType(INT32, size), list(range(first, first + size)))
            )
            for first in (0, size)
        )
        total = builder.fadd(*halves)
    return builder.extract_element(total, ir.Constant(INT32, 0))


def _lane_of(builder, vector, lane):
    return builder.fpext(builder.extract_element(vector, lane), ir.DoubleType())


def _count_at_most(builder, vector, limit):
    doubles = builder.fpext(vector, ir.VectorType(ir.DoubleType(), LANES))
    below = builder.fcmp_ordered("<=", doubles, _spread(builder, limit))
    return builder.zext(builder.ctpop(builder.bitcast(below, ir.IntType(LANES))), INT64)


def _first_set(builder, flags):
    bits = builder.bitcast(_are_set(builder, flags), ir.IntType(LANES))
    return builder.zext(builder.cttz(bits, ir.Constant(ir.IntType(1), 0)), INT64)


for _operation, _name in (ARITHMETIC | COMPARISONS).items():
    _compile_operation(_operation, _name, (INTS, FLOATS))
for _operation, _name in OF_BITS.items():
    _compile_operation(_operation, _name, (INTS,))
_compile(load, lambda table, i: (FLOATS if table.dtype == types.float32 else INTS)(table, types.int64), _load)
_compile(store, lambda table, first, vector: types.none(table, types.int64, vector), _store)
_compile(prefetch, lambda table, first: types.none(table, types.int64), _prefetch)
_compile(gather, lambda table, places: FLOATS(table, INTS), _gather)
_compile(add_at, lambda table, places, values: types.none(table, INTS, FLOATS), _add_at)
_compile(pick, lambda table, places: FLOATS(table, INTS), _pick)
_compile(spread, lambda value: Vector(value)(value), _spread)
_compile(head, lambda vector, n: vector(vector, types.int32), _head)
_compile(where, lambda flags, yes, no: yes(INTS, yes, yes), _where)
_compile(as_floats, lambda ints: FLOATS(INTS), lambda builder, ints: builder.sitofp(ints, FLOAT_REGISTER))
_compile(running, lambda vector: FLOATS(FLOATS), _running)
_compile(sum_of, lambda vector: types.float64(FLOATS), _sum_of)
_compile(lane_of, lambda vector, lane: types.float64(FLOATS, types.int32), _lane_of)
_compile(count_at_most, lambda vector, limit: types.int64(FLOATS, types.float64), _count_at_most)
_compile(first_set, lambda flags: types.int64(INTS), _first_set)
