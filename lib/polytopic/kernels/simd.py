"""Sixteen values side by side, one in each lane, with + - * / << >> & | ^: for kernels that read like their formulas.

A vector holds LANES int32 or float32. In plain Python it is a NumPy array, which tests replay; in a kernel it is
a vector register, for LLVM does not find these loops by itself: it cannot tell that the arrays do not overlap. Both
forms do the same operations in the same order, so they agree bit for bit. A number may stand on an operator's right.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, register_model

LANES = 16
INT32, INT64 = ir.IntType(32), ir.IntType(64)
UNSIGNED = {types.uint8: ir.IntType(8), types.uint16: ir.IntType(16), types.uint32: INT32}
ELEMENTS = {types.int32: INT32, types.float32: ir.FloatType(), **UNSIGNED}
ARITHMETIC = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div"}
OF_BITS = {
    operator.lshift: "shl",
    operator.rshift: "ashr",
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
}


class Vector(types.Type):
    """The compiler's type of a vector of int32 or float32."""

    def __init__(self, scalar):
        self.scalar = scalar
        super().__init__(f"Vector({scalar})")


INTS, FLOATS = Vector(types.int32), Vector(types.float32)


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


def gather(table, base, places):
    """Return table[base + places]: table (N,) float32, places a vector of int32."""
    return table[base + places]


def pick(table, places):
    """Return table[places[l], l] in every lane l: table (R, LANES) float32, contiguous, places a vector of int32."""
    return table[places, np.arange(LANES)]


def spread(value):
    """Return the vector with an int32 or float32 value in every lane."""
    return np.full(LANES, value)


def equal(vector, value):
    """Return 1 in the lanes of an int32 vector that equal value, 0 in the others."""
    return (vector == value).astype(np.int32)


def at_most(vector, limit):
    """Return 1 in the lanes of a float32 vector that are at most the limit vector's, 0 in the others."""
    return (vector <= limit).astype(np.int32)


def first_lanes(n):
    """Return 1 in the first n lanes, 0 in the others."""
    return (np.arange(LANES) < n).astype(np.int32)


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


def lane_of(vector, lane):
    """Return the value in one lane of a float32 vector, as float64."""
    return np.float64(vector[lane])


def count_at_most(vector, limit):
    """Return how many lanes of a float32 vector are at most the float64 limit."""
    return int((vector.astype(np.float64) <= limit).sum())


def first_set(flags):
    """Return the first lane of an int32 vector that is not 0, or LANES."""
    return int(np.append(np.flatnonzero(flags), LANES)[0])


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _register(kind.scalar))


def _register(scalar):
    return ir.VectorType(ELEMENTS[scalar], LANES)


INT_REGISTER, FLOAT_REGISTER = _register(types.int32), _register(types.float32)


def _compiles(function, typed):
    """Register what the decorated function emits as the compiled form of a NumPy function.

    typed(*types of the arguments) is the call's signature; emit(context, builder, types, *arguments) its value.
    """

    def register(emit):
        class Template(AbstractTemplate):
            def generic(self, args, kws):
                return typed(*args)

        def generate(context, builder, signature, arguments):
            return emit(context, builder, signature.args, *arguments)

        infer_global(function)(Template)
        lower_builtin(function, types.VarArg(types.Any))(generate)
        return emit

    return register


def _compile_operation(operation, name, vectors):
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if (
                len(args) == 2
                and args[0] in vectors
                and (args[1] == args[0] or args[1] in types.number_domain)
            ):
                return signature(args[0], *args)
            return None

    def generate(context, builder, signature, arguments):
        (vector, other), (kind, other_kind) = arguments, signature.args
        if other_kind != kind:
            other = _spread(builder, context.cast(builder, other, other_kind, kind.scalar))
        return getattr(builder, f"f{name}" if kind == FLOATS else name)(vector, other)

    infer_global(operation)(Template)
    lower_builtin(operation, Vector, Vector)(generate)
    lower_builtin(operation, Vector, types.Number)(generate)


for _operation, _name in ARITHMETIC.items():
    _compile_operation(_operation, _name, (INTS, FLOATS))
for _operation, _name in OF_BITS.items():
    _compile_operation(_operation, _name, (INTS,))


def _constants(register, values):
    return ir.Constant(register, list(values))


def _spread(builder, value):
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(single, undefined, _constants(INT_REGISTER, [0] * LANES))


def _flags(builder, bits):
    return builder.zext(bits, INT_REGISTER)


def _data(context, builder, kind, table):
    return context.make_array(kind)(context, builder, table).data


def _place(context, builder, kind, table, first):
    step = ir.Constant(INT64, LANES if kind.ndim == 2 else 1)
    return builder.gep(_data(context, builder, kind, table), [builder.mul(first, step)])


def _row(context, builder, kind, table, first):
    return builder.bitcast(_place(context, builder, kind, table, first), _register(kind.dtype).as_pointer())


def _collected(builder, data, places):
    """Load data[places], one lane after the other: quicker here than the processor's own gathering."""
    values = ir.Constant(FLOAT_REGISTER, ir.Undefined)
    for lane in range(LANES):
        here = ir.Constant(INT32, lane)
        place = builder.sext(builder.extract_element(places, here), INT64)
        values = builder.insert_element(values, builder.load(builder.gep(data, [place])), here)
    return values


@_compiles(load, lambda table, first: (FLOATS if table.dtype == types.float32 else INTS)(table, types.int64))
def _load(context, builder, kinds, table, first):
    dtype = kinds[0].dtype
    vector = builder.load(_row(context, builder, kinds[0], table, first), align=dtype.bitwidth // 8)
    return builder.zext(vector, INT_REGISTER) if dtype in UNSIGNED else vector


@_compiles(store, lambda table, first, vector: types.none(table, types.int64, vector))
def _store(context, builder, kinds, table, first, vector):
    dtype = kinds[0].dtype
    vector = builder.trunc(vector, _register(dtype)) if dtype in UNSIGNED else vector
    builder.store(vector, _row(context, builder, kinds[0], table, first), align=dtype.bitwidth // 8)
    return context.get_dummy_value()


@_compiles(prefetch, lambda table, first: types.none(table, types.int64))
def _prefetch(context, builder, kinds, table, first):
    address = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [address, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, near, data_cache = (ir.Constant(INT32, value) for value in (0, 3, 1))
    place = _place(context, builder, kinds[0], table, first)
    builder.call(function, [builder.bitcast(place, address), read, near, data_cache])
    return context.get_dummy_value()


@_compiles(gather, lambda table, base, places: FLOATS(table, types.int64, INTS))
def _gather(context, builder, kinds, table, base, places):
    return _collected(builder, builder.gep(_data(context, builder, kinds[0], table), [base]), places)


@_compiles(pick, lambda table, places: FLOATS(table, INTS))
def _pick(context, builder, kinds, table, places):
    rows = builder.mul(places, _constants(INT_REGISTER, [LANES] * LANES))
    cells = builder.add(rows, _constants(INT_REGISTER, range(LANES)))
    return _collected(builder, _data(context, builder, kinds[0], table), cells)


@_compiles(spread, lambda value: Vector(value)(value))
def _spread_value(context, builder, kinds, value):
    return _spread(builder, value)


@_compiles(equal, lambda vector, value: INTS(INTS, types.int32))
def _equal(context, builder, kinds, vector, value):
    return _flags(builder, builder.icmp_signed("==", vector, _spread(builder, value)))


@_compiles(at_most, lambda vector, limit: INTS(FLOATS, FLOATS))
def _at_most(context, builder, kinds, vector, limit):
    return _flags(builder, builder.fcmp_ordered("<=", vector, limit))


@_compiles(first_lanes, lambda n: INTS(types.int32))
def _first_lanes(context, builder, kinds, n):
    lanes = _constants(INT_REGISTER, range(LANES))
    return _flags(builder, builder.icmp_signed("<", lanes, _spread(builder, n)))


@_compiles(where, lambda flags, yes, no: yes(INTS, yes, yes))
def _where(context, builder, kinds, flags, yes, no):
    return builder.select(_are_set(builder, flags), yes, no)


def _are_set(builder, flags):
    return builder.icmp_signed("!=", flags, _constants(INT_REGISTER, [0] * LANES))


@_compiles(as_floats, lambda vector: FLOATS(INTS))
def _as_floats(context, builder, kinds, vector):
    return builder.sitofp(vector, FLOAT_REGISTER)


@_compiles(running, lambda vector: FLOATS(FLOATS))
def _running(context, builder, kinds, vector):
    none = _constants(FLOAT_REGISTER, [0.0] * LANES)
    for step in (1, 2, 4, 8):
        moved = _constants(INT_REGISTER, [LANES] * step + list(range(LANES - step)))
        vector = builder.fadd(vector, builder.shuffle_vector(vector, none, moved))
    return vector


@_compiles(lane_of, lambda vector, lane: types.float64(FLOATS, types.int32))
def _lane_of(context, builder, kinds, vector, lane):
    return builder.fpext(builder.extract_element(vector, lane), ir.DoubleType())


@_compiles(count_at_most, lambda vector, limit: types.int64(FLOATS, types.float64))
def _count_at_most(context, builder, kinds, vector, limit):
    doubles = builder.fpext(vector, ir.VectorType(ir.DoubleType(), LANES))
    below = builder.fcmp_ordered("<=", doubles, _spread(builder, limit))
    return builder.zext(builder.ctpop(builder.bitcast(below, ir.IntType(LANES))), INT64)


@_compiles(first_set, lambda flags: types.int64(INTS))
def _first_set(context, builder, kinds, flags):
    bits = builder.bitcast(_are_set(builder, flags), ir.IntType(LANES))
    return builder.zext(builder.cttz(bits, ir.Constant(ir.IntType(1), 0)), INT64)
