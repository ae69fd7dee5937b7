"""Sixteen lanes side by side: the inner loops of a sweep, with a chain in every lane, or with one chain's choices
dealt out over the lanes (choice k on lane k mod 16): then a draw picks the lane first and the place in it second.

Each function is plain NumPy, which tests replay, and is compiled to vector instructions when a kernel
calls it: LLVM does not find these loops by itself, since it cannot tell that the arrays do not overlap.
Both forms do the same float32 operations in the same order, so they agree bit for bit.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from polytopic.kernels.compiling import inlined

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


def locate(cumulative, target, place):
    """Set place[l] to the number of rows of cumulative whose lane l is at most target[l].

    cumulative (C, LANES) float32, not decreasing along C; target (LANES,) float32; place (LANES,) int32.
    """
    place[:] = (cumulative <= target).sum(axis=0)


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


def weigh_at(values, base, place, weight, first, n, product, before):
    """Weigh n scattered values, values[base + place[first + k]] weight[first + k], for a draw by ``choose``.

    Set product[k] to them, and to zeros from n to the next multiple of LANES; set before[l] to the sum of all
    whose k modulo LANES is at most l. values, weight and product are flat float32 arrays, place int32, before
    (LANES,) float32. LANES - 1 entries can be read of place and weight behind the last one that counts, those of
    place within values.
    """
    total = np.zeros(LANES, np.float32)
    for k in range(0, n, LANES):
        here = slice(first + k, first + min(k + LANES, n))
        product[k : k + LANES] = 0
        product[k : min(k + LANES, n)] = values[base + place[here]] * weight[here]
        total = total + product[k : k + LANES]
    for step in (1, 2, 4, 8):
        total[step:] = total[step:] + total[:-step]
    before[:] = total


@inlined
def choose(x, n, product, before):
    """Return which of the n items weighed last x falls on, 0 <= x < before[-1]; never one without mass."""
    lane = min(count_below(before, x), LANES - 1)
    if lane > 0:
        x -= np.float64(before[lane - 1])
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


def dot(a, b, n, sums):
    """Set sums[l] to a[l] b[l] + a[l + LANES] b[l + LANES] + ... over the first n items; n is a multiple of LANES.

    a and b are flat float32 arrays; sums (LANES,) float32.
    """
    total = np.zeros(LANES, np.float32)
    for i in range(0, n, LANES):
        total = total + a[i : i + LANES] * b[i : i + LANES]
    sums[:] = total


def multiply(a, b, n, product, before):
    """Weigh n items, a[k] b[k], for a draw by ``choose``: a and b float32, one of them 0 up to a multiple of LANES.

    product and before are set as by ``weigh_at``.
    """
    total = np.zeros(LANES, np.float32)
    for k in range(0, n, LANES):
        product[k : k + LANES] = a[k : k + LANES] * b[k : k + LANES]
        total = total + product[k : k + LANES]
    for step in (1, 2, 4, 8):
        total[step:] = total[step:] + total[:-step]
    before[:] = total


def weigh(count, row, smooth, weight, cumulative):
    """Set cumulative[b, l] to the sum over b' <= b of (count[row, k] + smooth) weight[k], k = b' LANES + l.

    count (R, K) int32, smooth float32, weight (K,) float32, cumulative (K / LANES, LANES) float32.
    """
    total = np.zeros(LANES, np.float32)
    for b in range(cumulative.shape[0]):
        here = slice(b * LANES, (b + 1) * LANES)
        total = total + (count[row, here].astype(np.float32) + smooth) * weight[here]
        cumulative[b] = total


def weigh_listed(entries, first, n, bits, weight, own, own_weight, cumulative):
    """Set cumulative[b, l] to the sum over b' <= b of count times weight[key] of entry first + b' LANES + l.

    An entry holds its key in its lower bits and its count above them; there are n, and LANES more can be read
    behind them, their keys within weight. The key ``own`` counts once less and weighs own_weight. entries int32,
    weight float32, cumulative (-(-n // LANES) rows or more, LANES) float32.
    """
    total = np.zeros(LANES, np.float32)
    mask = (1 << bits) - 1
    for b in range(-(-n // LANES)):
        start = first + b * LANES
        entry = entries[start : start + LANES]
        key, count = entry & mask, entry >> bits
        value = np.where(key == own, own_weight, weight[key])
        count = np.where(np.arange(LANES) < n - b * LANES, count - (key == own), 0)
        total = total + count.astype(np.float32) * value
        cumulative[b] = total


def accumulate(values, row, before):
    """Set before[l] to values[row, 0] + ... + values[row, l], added up by doubling steps; all float32."""
    total = values[row].copy()
    for step in (1, 2, 4, 8):
        total[step:] = total[step:] + total[:-step]
    before[:] = total


def count_below(before, target):
    """Return how many of before (LANES,) float32 are at most the float64 target."""
    return int((before.astype(np.float64) <= target).sum())


def find(entries, first, n, bits, key):
    """Return the place, counted from first, of the entry with this key among n, or n."""
    found = np.flatnonzero((entries[first : first + n] & ((1 << bits) - 1)) == key)
    return int(found[0]) if found.size else n


def _data(context, builder, array_type, array):
    return context.make_array(array_type)(context, builder, array).data


def _size(context, builder, array_type, array):
    return builder.extract_value(context.make_array(array_type)(context, builder, array).shape, 0)


def _lanes(builder, data, row, vector=FLOATS):
    return builder.bitcast(
        builder.gep(data, [builder.mul(row, ir.Constant(INT64, LANES))]), vector.as_pointer()
    )


def _spread(builder, value):
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
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
def _locate(typingctx, cumulative, target, place):
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

    return types.void(cumulative, target, place), generate


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


@intrinsic
def _multiply(typingctx, a, b, n, product, before):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        left, right, products, sums = (_data(context, builder, *pairs[place]) for place in (0, 1, 3, 4))
        total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * LANES))
        with cgutils.for_range(builder, _blocks(builder, arguments[2])) as loop:
            p, q = (builder.load(_lanes(builder, data, loop.index), align=4) for data in (left, right))
            mass = builder.fmul(p, q)
            builder.store(mass, _lanes(builder, products, loop.index), align=4)
            builder.store(builder.fadd(builder.load(total), mass), total)
        running = _running(builder, builder.load(total))
        builder.store(running, _lanes(builder, sums, ir.Constant(INT64, 0)), align=4)
        return context.get_dummy_value()

    return types.void(a, b, types.int64, product, before), generate


@intrinsic
def _weigh(typingctx, count, row, smooth, weight, cumulative):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        counts, weights, sums = (_data(context, builder, *pairs[place]) for place in (0, 3, 4))
        n_blocks = _size(context, builder, *pairs[4])
        start = builder.mul(arguments[1], n_blocks)
        floor = _spread(builder, arguments[2])
        total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * LANES))
        with cgutils.for_range(builder, n_blocks) as loop:
            held = builder.load(_lanes(builder, counts, builder.add(start, loop.index), INTS), align=4)
            value = builder.fadd(builder.sitofp(held, FLOATS), floor)
            factor = builder.load(_lanes(builder, weights, loop.index), align=4)
            builder.store(builder.fadd(builder.load(total), builder.fmul(value, factor)), total)
            builder.store(builder.load(total), _lanes(builder, sums, loop.index), align=4)
        return context.get_dummy_value()

    return types.void(count, types.int64, types.float32, weight, cumulative), generate


def _blocks(builder, n):
    return builder.sdiv(builder.add(n, ir.Constant(INT64, LANES - 1)), ir.Constant(INT64, LANES))


def _entries(builder, data, first, block, bits):
    """Load a block of entries; return their keys and what lies above the keys."""
    start = builder.gep(data, [builder.add(first, builder.mul(block, ir.Constant(INT64, LANES)))])
    entry = builder.load(builder.bitcast(start, INTS.as_pointer()), align=4)
    mask = builder.sub(builder.shl(ir.Constant(INT32, 1), bits), ir.Constant(INT32, 1))
    return builder.and_(entry, _spread(builder, mask)), builder.lshr(entry, _spread(builder, bits))


def _within(builder, n, block):
    """Return which lanes of a block lie before n."""
    left = builder.trunc(builder.sub(n, builder.mul(block, ir.Constant(INT64, LANES))), INT32)
    return builder.icmp_signed("<", ir.Constant(INTS, list(range(LANES))), _spread(builder, left))


def _gather(builder, data, places):
    """Load data[places] (float32), one lane after the other: quicker here than the processor's own gathering."""
    values = ir.Constant(FLOATS, ir.Undefined)
    for lane in range(LANES):
        here = ir.Constant(INT32, lane)
        place = builder.sext(builder.extract_element(places, here), INT64)
        values = builder.insert_element(values, builder.load(builder.gep(data, [place])), here)
    return values


def _running(builder, total):
    """Return the sums over the lanes up to each, added up by doubling steps."""
    none = ir.Constant(FLOATS, [0.0] * LANES)
    for step in (1, 2, 4, 8):
        moved = [LANES] * step + list(range(LANES - step))
        total = builder.fadd(total, builder.shuffle_vector(total, none, ir.Constant(INTS, moved)))
    return total


@intrinsic
def _weigh_listed(typingctx, entries, first, n, bits, weight, own, own_weight, cumulative):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        listed, weights, sums = (_data(context, builder, *pairs[place]) for place in (0, 4, 7))
        _, start, n, bits, _, mine, my_weight, _ = arguments
        mine, my_weight = _spread(builder, mine), _spread(builder, my_weight)
        zeros = ir.Constant(INTS, [0] * LANES)
        total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * LANES))
        with cgutils.for_range(builder, _blocks(builder, n)) as loop:
            key, count = _entries(builder, listed, start, loop.index, bits)
            same = builder.icmp_signed("==", key, mine)
            value = builder.select(same, my_weight, _gather(builder, weights, key))
            count = builder.sub(count, builder.zext(same, INTS))
            count = builder.select(_within(builder, n, loop.index), count, zeros)
            mass = builder.fmul(builder.sitofp(count, FLOATS), value)
            builder.store(builder.fadd(builder.load(total), mass), total)
            builder.store(builder.load(total), _lanes(builder, sums, loop.index), align=4)
        return context.get_dummy_value()

    whole, half = types.int64, types.int32
    return types.void(entries, whole, whole, half, weight, half, types.float32, cumulative), generate


@intrinsic
def _weigh_at(typingctx, values, base, place, weight, first, n, product, before):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        cells, places, weights, products, sums = (_data(context, builder, *pairs[k]) for k in (0, 2, 3, 6, 7))
        _, base, _, _, start, n, _, _ = arguments
        cells = builder.gep(cells, [base])
        none = ir.Constant(FLOATS, [0.0] * LANES)
        total = cgutils.alloca_once_value(builder, none)
        with cgutils.for_range(builder, _blocks(builder, n)) as loop:
            here = builder.add(start, builder.mul(loop.index, ir.Constant(INT64, LANES)))
            index = builder.load(builder.bitcast(builder.gep(places, [here]), INTS.as_pointer()), align=4)
            factor = builder.load(builder.bitcast(builder.gep(weights, [here]), FLOATS.as_pointer()), align=4)
            within = _within(builder, n, loop.index)
            mass = builder.fmul(_gather(builder, cells, index), factor)
            mass = builder.select(within, mass, none)
            builder.store(mass, _lanes(builder, products, loop.index), align=4)
            builder.store(builder.fadd(builder.load(total), mass), total)
        builder.store(
            _running(builder, builder.load(total)), _lanes(builder, sums, ir.Constant(INT64, 0)), align=4
        )
        return context.get_dummy_value()

    whole = types.int64
    return types.void(values, whole, place, weight, whole, whole, product, before), generate


@intrinsic
def _accumulate(typingctx, values, row, before):
    def generate(context, builder, signature, arguments):
        pairs = list(zip(signature.args, arguments, strict=True))
        data, out = (_data(context, builder, *pairs[place]) for place in (0, 2))
        total = _running(builder, builder.load(_lanes(builder, data, arguments[1]), align=4))
        builder.store(total, _lanes(builder, out, ir.Constant(INT64, 0)), align=4)
        return context.get_dummy_value()

    return types.void(values, types.int64, before), generate


@intrinsic
def _count_below(typingctx, before, target):
    def generate(context, builder, signature, arguments):
        sums = builder.load(
            _lanes(builder, _data(context, builder, signature.args[0], arguments[0]), ir.Constant(INT64, 0)),
            align=4,
        )
        doubles = ir.VectorType(ir.DoubleType(), LANES)
        below = builder.fcmp_ordered("<=", builder.fpext(sums, doubles), _spread(builder, arguments[1]))
        return builder.zext(builder.ctpop(builder.bitcast(below, ir.IntType(LANES))), INT64)

    return types.int64(before, types.float64), generate


@intrinsic
def _find(typingctx, entries, first, n, bits, key):
    def generate(context, builder, signature, arguments):
        listed = _data(context, builder, signature.args[0], arguments[0])
        _, start, n, bits, wanted = arguments
        place = cgutils.alloca_once_value(builder, n)
        with cgutils.for_range(builder, _blocks(builder, n)) as loop:
            key, _ = _entries(builder, listed, start, loop.index, bits)
            same = builder.icmp_signed("==", key, _spread(builder, wanted))
            flags = builder.bitcast(same, ir.IntType(LANES))
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", flags, flags.type(0))):
                lane = builder.zext(builder.cttz(flags, ir.Constant(ir.IntType(1), 1)), INT64)
                builder.store(builder.add(builder.mul(loop.index, ir.Constant(INT64, LANES)), lane), place)
                loop.do_break()
        found = builder.load(place)
        return builder.select(builder.icmp_signed("<", found, n), found, n)

    return types.int64(entries, types.int64, types.int64, types.int32, types.int32), generate


@overload(cumulate, inline="always")
def _compile_cumulate(likelihood, count, prior, cumulative):
    return lambda likelihood, count, prior, cumulative: _cumulate(likelihood, count, prior, cumulative)


@overload(locate, inline="always")
def _compile_locate(cumulative, target, place):
    return lambda cumulative, target, place: _locate(cumulative, target, place)


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


@overload(multiply, inline="always")
def _compile_multiply(a, b, n, product, before):
    return lambda a, b, n, product, before: _multiply(a, b, n, product, before)


@overload(weigh_at, inline="always")
def _compile_weigh_at(values, base, place, weight, first, n, product, before):
    return lambda values, base, place, weight, first, n, product, before: _weigh_at(
        values, base, place, weight, first, n, product, before
    )


@overload(weigh, inline="always")
def _compile_weigh(count, row, smooth, weight, cumulative):
    return lambda count, row, smooth, weight, cumulative: _weigh(count, row, smooth, weight, cumulative)


@overload(weigh_listed, inline="always")
def _compile_weigh_listed(entries, first, n, bits, weight, own, own_weight, cumulative):
    return lambda entries, first, n, bits, weight, own, own_weight, cumulative: _weigh_listed(
        entries, first, n, bits, weight, own, own_weight, cumulative
    )


@overload(accumulate, inline="always")
def _compile_accumulate(values, row, before):
    return lambda values, row, before: _accumulate(values, row, before)


@overload(count_below, inline="always")
def _compile_count_below(before, target):
    return lambda before, target: _count_below(before, target)


@overload(find, inline="always")
def _compile_find(entries, first, n, bits, key):
    return lambda entries, first, n, bits, key: _find(entries, first, n, bits, key)
