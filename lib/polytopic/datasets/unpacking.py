"""What compressed files may unpack to: those that are made to fill the memory are refused before they do."""

import bz2
import gzip
import io
import lzma
import math
import os
import warnings
import zipfile
from pathlib import Path

import numpy as np

MOST = "POLYTOPIC_MOST_BYTES"
USUAL = 1_000_000_000  # bytes of one file, unpacked, that are read without being told to
FREE = 16_000_000  # bytes that any file may unpack to
RATIO = 200  # times its size that a file may unpack to: tables of counts reach 20, those of R 157
PART = 1 << 18
ENDINGS = ".gz", ".bz2", ".xz", ".zip"
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class TooLarge(ValueError):
    """A compressed file holds more than is read unless one says so."""


def most(size):
    """Return to how many bytes a file of this size may unpack.

    $POLYTOPIC_MOST_BYTES, where it is set; else two hundred times the file's size, but 16 million at least and a
    thousand million at most. In any case its own size. Raises ValueError where the variable is no whole number.
    """
    told = os.environ.get(MOST)
    if told and not told.isdecimal():
        raise ValueError(f"{MOST} is {told!r}, and should be a whole number of bytes")
    return max(size, int(told) if told else min(USUAL, max(FREE, RATIO * size)))


def _the_file_in(path, mode):
    """Open the one file of a zip archive; folders, and what macOS puts beside files, do not count."""
    with zipfile.ZipFile(path) as archive:
        parts = [part for part in archive.infolist() if not part.is_dir()]
        own = [part for part in parts if not part.filename.startswith("__MACOSX/")]
        if len(own) != 1:
            raise ValueError(f"it is a zip archive of {len(own)} files: unpack it and name one of them")
        return archive.open(own[0], mode[0])


OPENERS = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open, b"PK\3\4": _the_file_in,
}  # fmt: skip


def unpacked(path):
    """Open a file for reading bytes, unpacked if its first bytes are those of gzip, bz2, xz or a zip of one file.

    ``check_stream`` comes first: this sets no bound. Raises ValueError for a zip of more files, or of none.
    """
    with open(path, "rb") as file:
        start = file.read(6)
    return next((opener for sign, opener in OPENERS.items() if start.startswith(sign)), open)(path, "rb")


def ending(path):
    """Return the last ending of a file's name in lower case, ``.csv`` of a.CSV.gz: a packer's does not count."""
    return next((one for one in reversed(Path(path).suffixes) if one.lower() not in ENDINGS), "").lower()


def check_stream(path):
    """Return how many bytes a file holds once it is unpacked, as ``unpacked`` does, or if it is not compressed.

    Unpacks it part by part and keeps nothing: what such files declare is of their last part, and can be anything in
    one that is cut short. Raises TooLarge beyond ``most``; OSError, EOFError, zlib's, lzma's or zipfile's error for
    damage; ValueError as ``unpacked``.
    """
    size = os.path.getsize(path)
    with unpacked(path) as file:
        if isinstance(file, io.BufferedReader):
            return size
        total = 0
        while part := file.read(PART):
            total = refuse_beyond(path, size, total + len(part))
        return total


def check_archive(path):
    """Return how many bytes the arrays of an npz file take, none of which is read.

    Raises TooLarge beyond ``most``; ValueError for a part that is no array, and for one whose header tells of more
    numbers than there are; zipfile.BadZipFile for a file that is no archive.
    """
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        total = refuse_beyond(path, os.path.getsize(path), sum(part.file_size for part in parts))
        for part in parts:
            with archive.open(part) as content:
                _check_array(content, part)
    return total


def bounded(path, parts):
    """Yield the parts of a file, which have ``nbytes``, one after another. Raises TooLarge beyond ``most``."""
    size, total = os.path.getsize(path), 0
    for part in parts:
        total = refuse_beyond(path, size, total + part.nbytes)
        yield part


def refuse_beyond(path, size, total):
    """Return total, the bytes that a file of this size unpacks to so far. Raises TooLarge beyond ``most``."""
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
