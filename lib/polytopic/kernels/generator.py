"""The samplers' random numbers: xoshiro128+ (Blackman & Vigna 2018), one generator per chain, kept side by side.

A state is a (4, L) array of uint32 with one column, or lane, per chain: ``uniforms`` draws for sixteen at once,
``uniform`` for a single one. splitmix64 seeds it from 64-bit words. The upper 24 bits make a float32 in [0, 1).
"""

import numpy as np

from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import as_floats, load, store

U32 = np.uint32
U64 = np.uint64
GOLDEN = U64(0x9E3779B97F4A7C15)


@inlined
def splitmix(x):
    """Return one step of splitmix64 from the 64-bit word x."""
    x = U64(x + GOLDEN)
    x = U64((x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9))
    x = U64((x ^ (x >> U64(27))) * U64(0x94D049BB133111EB))
    return U64(x ^ (x >> U64(31)))


@compiled
def seed(state, chains, item):
    """Seed every lane for one item, such as a document: the same chain word and item, the same draws.

    chains (L,) uint64 names the chains; item is a non-negative integer.
    """
    for lane in range(state.shape[1]):
        word = splitmix(U64(chains[lane] ^ splitmix(U64(item))))
        for half in range(2):
            word = splitmix(word)
            state[2 * half, lane] = U32(word & U64(0xFFFFFFFF))
            state[2 * half + 1, lane] = U32(word >> U64(32))


@inlined
def uniform(state):
    """Return the next uniform of a generator with a single lane, as a multiple of 2**-24 in [0, 1)."""
    s0, s1, s2, s3 = state[0, 0], state[1, 0], state[2, 0], state[3, 0]
    result = np.int32(U32(s0 + s3) >> U32(8)) * 2.0**-24
    t = U32(s1 << U32(9))
    s2 = U32(s2 ^ s0)
    s3 = U32(s3 ^ s1)
    state[1, 0] = U32(s1 ^ s2)
    state[0, 0] = U32(s0 ^ s3)
    state[2, 0] = U32(s2 ^ t)
    state[3, 0] = U32(U32(s3 << U32(11)) | U32(s3 >> U32(21)))
    return result


@inlined
def uniforms(state):
    """Return the next uniform of each of sixteen lanes, a float32 vector, in [0, 1)."""
    s0, s1, s2, s3 = load(state, 0), load(state, 1), load(state, 2), load(state, 3)
    result = as_floats((s0 + s3) >> 8 & 0xFFFFFF) * 2.0**-24  # a shift keeps the sign
    t = s1 << 9
    s2 = s2 ^ s0
    s3 = s3 ^ s1
    store(state, 1, s1 ^ s2)
    store(state, 0, s0 ^ s3)
    store(state, 2, s2 ^ t)
    store(state, 3, (s3 << 11) | (s3 >> 21 & 0x7FF))
    return result


@inlined
def fine_uniform(state):
    """Return a multiple of 2**-48 in [0, 1), from two draws: for choices among many unequal parts."""
    coarse = uniform(state)
    return coarse + uniform(state) * 2.0**-24
