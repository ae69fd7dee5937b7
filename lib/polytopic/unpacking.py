"""What compressed files may unpack to: those that are made to fill the memory are refused before they do."""

import bz2
import gzip
import lzma
import math
import os
import struct
import warnings
import zipfile
import zlib

import numpy as np

MOST = "POLYTOPIC_MOST_BYTES"
USUAL = 1_000_000_000  # bytes of one file, unpacked, that are read without being told to
FREE = 16_000_000  # bytes that any file may unpack to
RATIO = 100  # times its size that a file may unpack to: texts and tables of counts reach 20
PART = 1 << 18
OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
MATLAB_HEADER, MATLAB_5 = 128, 1
COMPRESSED, MATRIX = 15, 14  # kinds of MATLAB's elements
SPARSE, OPAQUE = 5, 17  # classes of MATLAB's tables whose bytes do not bound their cells


class TooLarge(ValueError):
    """A compressed file holds more than is read unless one says so."""


def most(size):
    """Return to how many bytes a file of this size may unpack.

    $POLYTOPIC_MOST_BYTES, where it is set; else a hundred times the file's size, but 16 million at least and a
    thousand million at most. In any case its own size. Raises ValueError where the variable is no whole number.
    """
    told = os.environ.get(MOST)
    if told and not told.isdecimal():
        raise ValueError(f"{MOST} is {told!r}, and should be a whole number of bytes")
    return max(size, int(told) if told else min(USUAL, max(FREE, RATIO * size)))


def check_stream(path):
    """Return how many bytes a file holds once it is unpacked, whether it is gzip, bz2, xz or not compressed.

    Unpacks it part by part and keeps nothing: what such files declare is of their last part, and can be anything in
    one that is cut short. Raises TooLarge beyond ``most``; OSError, EOFError, zlib's or lzma's error for damage.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        start = file.read(6)
    kind = next((kind for kind in OPENERS if start.startswith(kind)), None)
    if kind is None:
        return size
    with OPENERS[kind](path) as unpacked:
        total = 0
        while part := unpacked.read(PART):
            total = _refuse_beyond(path, size, total + len(part))
        return total


def check_archive(path):
    """Return how many bytes the arrays of an npz file take, none of which is read.

    Raises TooLarge beyond ``most``; ValueError for a part that is no array, and for one whose header tells of more
    numbers than there are; zipfile.BadZipFile for a file that is no archive.
    """
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        total = _refuse_beyond(path, os.path.getsize(path), sum(part.file_size for part in parts))
        for part in parts:
            with archive.open(part) as content:
                _check_array(content, part)
    return total


def check_matlab(path):
    """Return how many bytes the parts of a MATLAB file take once they are unpacked.

    Raises TooLarge beyond ``most``; ValueError for a table that tells of more cells than there are bytes; zlib.error
    for a damaged part. A file of another version than 5 is not compressed, or not for scipy to read.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(MATLAB_HEADER)
        order = ">" if head[126:128] == b"MI" else "<"
        if len(head) < MATLAB_HEADER or struct.unpack(f"{order}H", head[124:126])[0] >> 8 != MATLAB_5:
            return size
        total = 0
        for kind, content in _elements(memoryview(file.read()), order):
            if kind == COMPRESSED:
                room = most(size) - total
                content = memoryview(zlib.decompressobj().decompress(content, room + 1))
                (kind, content), *_ = [*_elements(content, order), (None, b"")]
            total = _refuse_beyond(path, size, total + len(content))
            if kind == MATRIX:
                _check_table(content, order)
    return total


def bounded(path, parts):
    """Yield the parts of a file, which have ``nbytes``, one after another. Raises TooLarge beyond ``most``."""
    size, total = os.path.getsize(path), 0
    for part in parts:
        total = _refuse_beyond(path, size, total + part.nbytes)
        yield part


def _refuse_beyond(path, size, total):
    if total > most(size):
        raise TooLarge(
            f"{os.fspath(path)} has {size:,} bytes and unpacks to {total:,} or more, but {most(size):,} is the most "
            f"that is read of it. If you trust the file, set {MOST} to as many bytes as it may take"
        )
    return total


def _check_array(content, part):
    """Raise ValueError unless a part of an archive is an array of as many numbers as its header tells of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy's guesses about headers that it would not write
        version = np.lib.format.read_magic(content)
        if version not in HEADERS:
            raise ValueError(f"{part.filename} is of a kind that is not known: {version}")
        shape, _, dtype = HEADERS[version](content)
    told = math.prod(shape) * max(dtype.itemsize, 1)
    if min(shape, default=0) < 0 or told > part.file_size - content.tell():
        raise ValueError(
            f"{part.filename} tells of {told:,} bytes, and has {part.file_size - content.tell():,}"
        )


def _elements(content, order):
    """Yield (kind, content) of the elements of MATLAB's format, version 5, as far as they are whole."""
    place = 0
    while place + 8 <= len(content):
        kind, size = struct.unpack_from(f"{order}II", content, place)
        start, step = place + 8, size if kind == COMPRESSED else size + -size % 8
        if kind >> 16:  # a small one: its size and its kind share four bytes
            kind, size, start, step = kind & 0xFFFF, kind >> 16, place + 4, 0
        yield kind, content[start : start + size]
        place += 8 + step


def _check_table(content, order):
    """Raise ValueError where a table, or one within it, tells of more cells than it has bytes."""
    parts = list(_elements(content, order))
    if len(parts) < 2:
        return
    (_, flags), (_, dims) = parts[:2]
    kind = struct.unpack_from(f"{order}I", flags)[0] & 0xFF if len(flags) >= 4 else None
    told = math.prod(struct.unpack(f"{order}{len(dims) // 4}i", dims[: len(dims) // 4 * 4]))
    if kind not in (SPARSE, OPAQUE) and not 0 <= told <= len(content):
        raise ValueError(f"a table tells of {told:,} cells in {len(content):,} bytes")
    for kind, inner in parts[2:]:
        if kind == MATRIX:
            _check_table(inner, order)
