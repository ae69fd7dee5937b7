"""Named streams of random numbers: the same seed and purpose give the same draws, whatever runs beside them."""

import numbers
import zlib

import numpy as np


def seed_sequence(seed, *purpose):
    """Return the SeedSequence for one purpose, such as ``("words", "chain", 3)``.

    ``seed`` is a non-negative integer or None; None draws fresh entropy, so nothing can be repeated. The purpose is
    hashed part by part: neighbouring chains share no part of their streams, which ``seed + chain`` does not promise.
    Raises ValueError for another seed.
    """
    if seed is not None and (not isinstance(seed, numbers.Integral) or isinstance(seed, bool) or seed < 0):
        raise ValueError(f"seed must be an integer of 0 or more, or None, got {seed!r}")
    key = tuple(zlib.crc32(str(part).encode()) for part in purpose)
    return np.random.SeedSequence(seed, spawn_key=key)


def stream(seed, *purpose):
    """Return the NumPy generator for one purpose."""
    return np.random.default_rng(seed_sequence(seed, *purpose))


def word64(seed, *purpose):
    """Return one 64-bit integer for one purpose, from which a kernel seeds its own generator."""
    return seed_sequence(seed, *purpose).generate_state(1, np.uint64)[0]


def document_names(X, by="content"):
    """Return the names (D,) uint64 of the random numbers of documents X (D, W), CSR without explicit zeros.

    By "content" a document's name is a hash of its words and their counts: it draws the same numbers in whatever
    batch, order or company it comes, and so do documents that are equal. By "row" it is the row's number: equal
    documents draw numbers of their own. The hash is a sum over the entries, modulo 2**64, so their
    order does not matter.
    """
    if by == "row":
        return np.arange(X.shape[0], dtype=np.uint64)
    entries = _mixed(_mixed(X.indices.astype(np.uint64)) ^ X.data.astype(np.uint64))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries)])
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


def _mixed(x):
    """Return the finaliser of splitmix64 (Steele, Lea & Flood 2014) of 64-bit words, modulo 2**64 throughout."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
