"""Vectors: what a kernel does with a register is what NumPy does with an array, bit for bit."""

import numpy as np
import pytest
from numba import njit

from polytopic.kernels import generator, weighing
from polytopic.kernels.simd import (
    LANES,
    add_at,
    as_floats,
    count_at_most,
    first_set,
    gather,
    head,
    lane_of,
    load,
    pick,
    prefetch,
    running,
    spread,
    store,
    sum_of,
    where,
)
from reference.interpreting import interpreted


@pytest.mark.parametrize("whole", [np.uint8, np.uint16, np.uint32, np.int32])
def test_compiled_vectors_agree_with_their_plain_form(whole):
    def everything(table, flat, small, floats, ints, state):
        a, b, c = load(table, 1), load(flat, 3), load(small, 1)
        prefetch(flat, 3)
        store(floats, 0, (a + b) * (a - b) / b)
        store(floats, 1, a * 0.1)
        store(floats, 2, pick(table, c) + spread(np.float32(0.3)))
        store(floats, 3, head(running(a), 12))
        store(floats, 4, where(c == 2, as_floats(c), b))
        store(floats, 5, generator.uniforms(state))
        store(ints, 0, (c << 3 | c >> 1) ^ c & 5)
        store(ints, 1, head(c, 5) - (a <= b))
        store(small, 0, c * 2)
        both = first_set(c == 3), first_set(c == 77)
        return lane_of(a, 3), sum_of(a), count_at_most(a, 0.5), both

    outcomes = []
    for function in (everything, njit(everything)):
        rng = np.random.default_rng(3)
        floats = rng.random((5, LANES)).astype(np.float32), rng.random(64).astype(np.float32)
        small = rng.integers(0, 5, (2, LANES)).astype(whole)
        kept = np.zeros((6, LANES), np.float32), np.zeros((2, LANES), np.int32)
        state = rng.integers(1, 2**32, (4, LANES)).astype(np.uint32)
        with interpreted(*([generator] if function is everything else [])):
            outcomes.append((function(*floats, small, *kept, state), small, *kept, state))
    for plain, compiled in zip(*outcomes, strict=True):
        assert plain == compiled if isinstance(plain, tuple) else np.array_equal(plain, compiled)
    assert 0 < outcomes[0][0][2] < LANES and outcomes[0][0][3][1] == LANES


def test_places_in_memory_are_those_of_a_vector():
    """And what is added to one place twice is there twice."""

    def everything(table, values, places, found, total):
        store(found, 0, gather(table, load(places, 1)))
        add_at(total, load(places, 1), load(values, 3) * np.float32(0.3))

    outcomes = []
    for function in (everything, njit(everything)):
        rng = np.random.default_rng(5)
        floats = [rng.random(n).astype(np.float32) for n in (64, 40)]
        places = rng.integers(0, 12, 40).astype(np.uint32)
        kept = np.zeros((1, LANES), np.float32), np.ones(64, np.float32)
        function(*floats, places, *kept)
        outcomes.append(kept)
    for plain, compiled in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(plain, compiled)
    found, total = outcomes[0]
    np.testing.assert_array_equal(found[0], floats[0][places[1:17]])
    by_place = np.bincount(places[1:17], floats[1][3:19] * 0.3, minlength=64)
    assert np.bincount(places[1:17]).max() > 1
    np.testing.assert_allclose(total - 1, by_place, atol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 16, 17, 43])
def test_weights_and_choices_agree_with_their_plain_form(n):
    rng = np.random.default_rng(4)
    own = np.where(np.arange(48) < n, rng.random(48), 0).astype(np.float32)
    weights, uniforms = rng.random(48).astype(np.float32), rng.random(20 if n else 1)

    def everything(n, product):
        before = weighing.multiply(own, weights, n, product)
        chosen = [weighing.choose(u * weighing.whole(before), n, product, before) for u in uniforms]
        return chosen, weighing.whole(before), weighing.dot(own, weights)

    outcomes = []
    for function, modules in ((everything, [weighing]), (njit(everything), [])):
        product = np.ones(48, np.float32)
        with interpreted(*modules):
            outcomes.append((*function(n, product), product))
    for plain, compiled in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(plain, compiled)
    chosen, whole, dot, _ = outcomes[0]
    np.testing.assert_allclose([whole, dot], own.astype(float) @ weights, rtol=1e-6)
    assert set(chosen) <= set(range(n)) if n else chosen == [-1]
