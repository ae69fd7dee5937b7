"""Values of sixteen chains side by side, one lane each, with + - * /: for kernels that read like their formulas.

A vector holds LANES int32 or float32. In plain Python it is a NumPy array, which tests replay; in a kernel it is
a vector register. Both forms do the same operations in the same order, so they agree bit for bit.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload, register_model

from polytopic.kernels.lanes import LANES

INT32, INT64 = ir.IntType(32), ir.IntType(64)
UNSIGNED = {types.uint8: ir.IntType(8), types.uint16: ir.IntType(16), types.uint32: INT32}
ELEMENTS = {types.int32: INT32, types.float32: ir.FloatType(), **UNSIGNED}
OPERATIONS = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div"}


class Vector(types.Type):
    """The compiler's type of a vector of int32 or float32."""

    def __init__(self, scalar):
        self.scalar = scalar
        super().__init__(f"Vector({scalar})")


INTS, FLOATS = Vector(types.int32), Vector(types.float32)


def load(table, row):
    """Return a row of table (R, LANES), contiguous: int32 from whole numbers of any size, or float32."""
    return table[row].astype(np.float32 if table.dtype == np.float32 else np.int32)


def store(table, row, vector):
    """Put a vector into a row of table (R, LANES), contiguous, whose type must hold its values."""
    table[row] = vector


def spread(value):
    """Return the vector with an int32 or float32 value in every lane."""
    return np.full(LANES, value)


def equal(vector, value):
    """Return 1 in the lanes of an int32 vector that equal value, 0 in the others."""
    return (vector == value).astype(np.int32)


def at_most(vector, limit):
    """Return 1 in the lanes of a float32 vector that are at most the limit vector's, 0 in the others."""
    return (vector <= limit).astype(np.int32)


def as_floats(vector):
    """Return the float32 vector nearest to an int32 vector."""
    return vector.astype(np.float32)


def prefetch(table, row):
    """Ask for the start of a row of table, of one or two dimensions and contiguous, which is needed soon."""


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _register(kind.scalar))


def _register(scalar):
    return ir.VectorType(ELEMENTS[scalar], LANES)


def _compile_operation(operation, name):
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and isinstance(args[0], Vector) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    def generate(context, builder, signature, arguments):
        return getattr(builder, f"f{name}" if signature.return_type == FLOATS else name)(*arguments)

    infer_global(operation)(Template)
    lower_builtin(operation, Vector, Vector)(generate)


for _operation, _name in OPERATIONS.items():
    _compile_operation(_operation, _name)


def _place(context, builder, table_type, table, row):
    data = context.make_array(table_type)(context, builder, table).data
    first = builder.gep(data, [builder.mul(row, ir.Constant(INT64, LANES))])
    return builder.bitcast(first, _register(table_type.dtype).as_pointer())


def _spread(builder, value, register):
    undefined = ir.Constant(register, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(_register(types.int32), [0] * LANES))


@intrinsic
def _load(typingctx, table, row):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, table, *arguments)
        vector = builder.load(place, align=table.dtype.bitwidth // 8)
        return builder.zext(vector, _register(types.int32)) if table.dtype in UNSIGNED else vector

    return (FLOATS if table.dtype == types.float32 else INTS)(table, types.int64), generate


@intrinsic
def _store(typingctx, table, row, vector):
    def generate(context, builder, signature, arguments):
        place = _place(context, builder, table, *arguments[:2])
        kept = arguments[2]
        if table.dtype in UNSIGNED:
            kept = builder.trunc(kept, _register(table.dtype))
        builder.store(kept, place, align=table.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(table, types.int64, vector), generate


@intrinsic
def _spread_value(typingctx, value):
    def generate(context, builder, signature, arguments):
        return _spread(builder, arguments[0], _register(value))

    return Vector(value)(value), generate


@intrinsic
def _equal(typingctx, vector, value):
    def generate(context, builder, signature, arguments):
        wanted = _spread(builder, arguments[1], _register(types.int32))
        return builder.zext(builder.icmp_signed("==", arguments[0], wanted), _register(types.int32))

    return INTS(INTS, types.int32), generate


@intrinsic
def _at_most(typingctx, vector, limit):
    def generate(context, builder, signature, arguments):
        return builder.zext(builder.fcmp_ordered("<=", *arguments), _register(types.int32))

    return INTS(FLOATS, FLOATS), generate


@intrinsic
def _as_floats(typingctx, vector):
    def generate(context, builder, signature, arguments):
        return builder.sitofp(arguments[0], _register(types.float32))

    return FLOATS(INTS), generate


@intrinsic
def _prefetch(typingctx, table, row):
    def generate(context, builder, signature, arguments):
        data = context.make_array(table)(context, builder, arguments[0]).data
        step = LANES if table.ndim == 2 else 1
        place = builder.gep(data, [builder.mul(arguments[1], ir.Constant(INT64, step))])
        address = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [address, INT32, INT32, INT32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, near, data_cache = (ir.Constant(INT32, value) for value in (0, 3, 1))
        builder.call(function, [builder.bitcast(place, address), read, near, data_cache])
        return context.get_dummy_value()

    return types.void(table, types.int64), generate


@overload(load, inline="always")
def _compile_load(table, row):
    return lambda table, row: _load(table, row)


@overload(store, inline="always")
def _compile_store(table, row, vector):
    return lambda table, row, vector: _store(table, row, vector)


@overload(spread, inline="always")
def _compile_spread(value):
    return lambda value: _spread_value(value)


@overload(equal, inline="always")
def _compile_equal(vector, value):
    return lambda vector, value: _equal(vector, value)


@overload(at_most, inline="always")
def _compile_at_most(vector, limit):
    return lambda vector, limit: _at_most(vector, limit)


@overload(as_floats, inline="always")
def _compile_as_floats(vector):
    return lambda vector: _as_floats(vector)


@overload(prefetch, inline="always")
def _compile_prefetch(table, row):
    return lambda table, row: _prefetch(table, row)
