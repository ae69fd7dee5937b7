"""Named streams of random numbers: the same seed and purpose give the same draws, whatever runs beside them."""

import zlib

import numpy as np


def seed_sequence(seed, *purpose):
    """Return the SeedSequence for one purpose, such as ``("words", "chain", 3)``.

    ``seed`` is a non-negative integer or None; None draws fresh entropy, so nothing can be repeated. The purpose is
    hashed part by part: neighbouring chains share no part of their streams, which ``seed + chain`` does not promise.
    """
    key = tuple(zlib.crc32(str(part).encode()) for part in purpose)
    return np.random.SeedSequence(seed, spawn_key=key)


def stream(seed, *purpose):
    """Return the NumPy generator for one purpose."""
    return np.random.default_rng(seed_sequence(seed, *purpose))


def word64(seed, *purpose):
    """Return one 64-bit integer for one purpose, from which a kernel seeds its own generator."""
    return seed_sequence(seed, *purpose).generate_state(1, np.uint64)[0]
