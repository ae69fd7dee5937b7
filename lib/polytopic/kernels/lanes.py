"""Sixteen chains side by side: the inner loops of a sweep, one vector lane per chain.

Each function is plain NumPy, which tests replay, and is compiled to vector instructions when a kernel
calls it: LLVM does not find these loops by itself, since it cannot tell that the arrays do not overlap.
Both forms do the same float32 operations in the same order, so they agree bit for bit.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LANES = 16

FLOAT = ir.FloatType()
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)
FLOATS = ir.VectorType(FLOAT, LANES)
INTS = ir.VectorType(INT32, LANES)


def cumulate(likelihood, count, prior, cumulative):
    """Set cumulative[c] to the sum over c' <= c of likelihood[c'] (count[c'] + prior[c']), lane by lane.

    likelihood (C,) for all lanes alike or (C, LANES); count, prior and cumulative (C, LANES). All are
    float32 and contiguous.
    """
    total = np.zeros(LANES, np.float32)
    for c in range(likelihood.shape[0]):
        total = total + likelihood[c] * (count[c] + prior[c])
        cumulative[c] = total


def locate(cumulative, target, found):
    """Set found[l] to the number of rows of cumulative whose lane l is at most target[l].

    cumulative (C, LANES) float32, not decreasing along C; target (LANES,) float32; found (LANES,) int32.
    """
    found[:] = (cumulative <= target).sum(axis=0)


def add_scaled(scale, weight, total):
    """Add scale[l] weight[c, l] to total[c, l]: scale (LANES,), weight and total (C, LANES), all float32."""
    for c in range(weight.shape[0]):
        total[c] = total[c] + scale * weight[c]


def move(count, place, step):
    """Add step to count[place[l], l] in every lane l: count (C, LANES) float32, place (LANES,) int32 in 0..C-1."""
    for lane in range(LANES):
        count[place[lane], lane] += step


def pick(table, place, picked):
    """Set picked[t, l] to table[t, place[l], l]: table (T, C, LANES) and picked (T, LANES) float32."""
    for lane in range(LANES):
        picked[:, lane] = table[:, place[lane], lane]


def fill(state, u):
    """Put the next uniform in [0, 1) of every lane into u (LANES,) float32; state (4, LANES) uint32.

    One step of xoshiro128+; its upper 24 bits are kept.
    """
    u[:] = ((state[0] + state[3]) >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    shifted = state[1] << np.uint32(9)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint32(11)) | (state[3] >> np.uint32(21))


def dot(a, b, n, sums):
    """Set sums[l] to a[l] b[l] + a[l + LANES] b[l + LANES] + ... over the first n items; n is a multiple of LANES.

    a and b are flat float32 arrays; sums (LANES,) float32.
    """
    total = np.zeros(LANES, np.float32)
    for i in range(0, n, LANES):
        total = total + a[i : i + LANES] * b[i : i + LANES]
    sums[:] = total


def _data(context, builder, array_type, array):
    return context.make_array(array_type)(context, builder, array).data


def _size(context, builder, array_type, array):
    return builder.extract_value(context.make_array(array_type)(context, builder, array).shape, 0)


def _lanes(builder, data, row, vector=FLOATS):
    return builder.bitcast(
        builder.gep(data, [builder.mul(row, ir.Constant(INT64, LANES))]), vector.as_pointer()
    )


def _spread(builder, value):
    undefined = ir.Constant(FLOATS, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(INTS, [0] * LANES))


@intrinsic
def _cumulate(typingctx, likelihood, count, prior, cumulative):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        word, held, before, sums = (_data(context, builder, *pair) for pair in pairs)
        total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * LANES))
        with cgutils.for_range(builder, _size(context, builder, *pairs[0])) as loop:
            c = loop.index
            if likelihood.ndim == 1:
                p = _spread(builder, builder.load(builder.gep(word, [c])))
            else:
                p = builder.load(_lanes(builder, word, c), align=4)
            weight = builder.fadd(
                builder.load(_lanes(builder, held, c), align=4),
                builder.load(_lanes(builder, before, c), align=4),
            )
            builder.store(builder.fadd(builder.load(total), builder.fmul(p, weight)), total)
            builder.store(builder.load(total), _lanes(builder, sums, c), align=4)
        return context.get_dummy_value()

    return types.void(likelihood, count, prior, cumulative), generate


@intrinsic
def _locate(typingctx, cumulative, target, found):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        sums, aims, places = (_data(context, builder, *pair) for pair in pairs)
        zero = ir.Constant(INT64, 0)
        aim = builder.load(_lanes(builder, aims, zero), align=4)
        below = cgutils.alloca_once_value(builder, ir.Constant(INTS, [0] * LANES))
        with cgutils.for_range(builder, _size(context, builder, *pairs[0])) as loop:
            passed = builder.fcmp_ordered("<=", builder.load(_lanes(builder, sums, loop.index), align=4), aim)
            builder.store(builder.add(builder.load(below), builder.zext(passed, INTS)), below)
        builder.store(builder.load(below), _lanes(builder, places, zero, INTS), align=4)
        return context.get_dummy_value()

    return types.void(cumulative, target, found), generate


@intrinsic
def _add_scaled(typingctx, scale, weight, total):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        scales, weights, totals = (_data(context, builder, *pair) for pair in pairs)
        factor = builder.load(_lanes(builder, scales, ir.Constant(INT64, 0)), align=4)
        with cgutils.for_range(builder, _size(context, builder, *pairs[1])) as loop:
            place = _lanes(builder, totals, loop.index)
            added = builder.fmul(factor, builder.load(_lanes(builder, weights, loop.index), align=4))
            builder.store(builder.fadd(builder.load(place, align=4), added), place, align=4)
        return context.get_dummy_value()

    return types.void(scale, weight, total), generate


@intrinsic
def _move(typingctx, count, place, step):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        counts, places = (_data(context, builder, *pair) for pair in pairs[:2])
        for lane in range(LANES):
            here = ir.Constant(INT64, lane)
            row = builder.zext(builder.load(builder.gep(places, [here])), INT64)
            cell = builder.gep(counts, [builder.add(builder.mul(row, ir.Constant(INT64, LANES)), here)])
            builder.store(builder.fadd(builder.load(cell), arguments[2]), cell)
        return context.get_dummy_value()

    return types.void(count, place, step), generate


@intrinsic
def _pick(typingctx, table, place, picked):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        cells, places, chosen = (_data(context, builder, *pair) for pair in pairs)
        n_rows = builder.extract_value(
            context.make_array(pairs[0][0])(context, builder, arguments[0]).shape, 1
        )
        starts = []
        for lane in range(LANES):
            here = ir.Constant(INT64, lane)
            row = builder.zext(builder.load(builder.gep(places, [here])), INT64)
            starts.append(builder.add(builder.mul(row, ir.Constant(INT64, LANES)), here))
        with cgutils.for_range(builder, _size(context, builder, *pairs[0])) as loop:
            offset = builder.mul(builder.mul(loop.index, n_rows), ir.Constant(INT64, LANES))
            vector = ir.Constant(FLOATS, ir.Undefined)
            for lane, start in enumerate(starts):
                value = builder.load(builder.gep(cells, [builder.add(offset, start)]))
                vector = builder.insert_element(vector, value, ir.Constant(INT32, lane))
            builder.store(vector, _lanes(builder, chosen, loop.index), align=4)
        return context.get_dummy_value()

    return types.void(table, place, picked), generate


@intrinsic
def _fill(typingctx, state, u):
    def generate(context, builder, signature, arguments):
        data, out = (_data(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True))
        rows = [_lanes(builder, data, ir.Constant(INT64, row), INTS) for row in range(4)]
        s = [builder.load(row, align=4) for row in rows]

        def shift(way, vector, bits):
            return way(vector, ir.Constant(INTS, [bits] * LANES))

        upper = shift(builder.lshr, builder.add(s[0], s[3]), 8)
        scale = ir.Constant(FLOATS, [2.0**-24] * LANES)
        uniforms = builder.fmul(builder.sitofp(upper, FLOATS), scale)
        builder.store(uniforms, _lanes(builder, out, ir.Constant(INT64, 0)), align=4)
        shifted = shift(builder.shl, s[1], 9)
        s[2] = builder.xor(s[2], s[0])
        s[3] = builder.xor(s[3], s[1])
        s[1] = builder.xor(s[1], s[2])
        s[0] = builder.xor(s[0], s[3])
        s[2] = builder.xor(s[2], shifted)
        s[3] = builder.or_(shift(builder.shl, s[3], 11), shift(builder.lshr, s[3], 21))
        for row, vector in zip(rows, s, strict=True):
            builder.store(vector, row, align=4)
        return context.get_dummy_value()

    return types.void(state, u), generate


@intrinsic
def _dot(typingctx, a, b, n, sums):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        left, right, out = (_data(context, builder, *pairs[place]) for place in (0, 1, 3))
        total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * LANES))
        n_rows = builder.sdiv(arguments[2], ir.Constant(INT64, LANES))
        with cgutils.for_range(builder, n_rows) as loop:
            p, q = (builder.load(_lanes(builder, data, loop.index), align=4) for data in (left, right))
            builder.store(builder.fadd(builder.load(total), builder.fmul(p, q)), total)
        builder.store(builder.load(total), _lanes(builder, out, ir.Constant(INT64, 0)), align=4)
        return context.get_dummy_value()

    return types.void(a, b, types.int64, sums), generate


@overload(cumulate, inline="always")
def _compile_cumulate(likelihood, count, prior, cumulative):
    return lambda likelihood, count, prior, cumulative: _cumulate(likelihood, count, prior, cumulative)


@overload(locate, inline="always")
def _compile_locate(cumulative, target, found):
    return lambda cumulative, target, found: _locate(cumulative, target, found)


@overload(add_scaled, inline="always")
def _compile_add_scaled(scale, weight, total):
    return lambda scale, weight, total: _add_scaled(scale, weight, total)


@overload(move, inline="always")
def _compile_move(count, place, step):
    return lambda count, place, step: _move(count, place, step)


@overload(pick, inline="always")
def _compile_pick(table, place, picked):
    return lambda table, place, picked: _pick(table, place, picked)


@overload(fill, inline="always")
def _compile_fill(state, u):
    return lambda state, u: _fill(state, u)


@overload(dot, inline="always")
def _compile_dot(a, b, n, sums):
    return lambda a, b, n, sums: _dot(a, b, n, sums)
