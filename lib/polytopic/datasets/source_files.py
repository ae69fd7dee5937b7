"""The files that corpora are read from: found by checksum, unpacked within bounds, named where they are at fault."""

import bz2
import csv
import gzip
import hashlib
import io
import lzma
import math
import os
import warnings
import zipfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pooch
import requests

from polytopic import paths

ADDRESS_TIMEOUT = 30
MOST = "POLYTOPIC_MOST_BYTES"
USUAL = 1_000_000_000  # bytes of one file, unpacked, that are read without being told to
FREE = 16_000_000  # bytes that any file may unpack to
RATIO = 200  # times its size that a file may unpack to: tables of counts reach 20, those of R 157
PART = 1 << 18
FEW_COLUMNS, MOST_COLUMNS = 1_000_000, 10_000_000
ENDINGS = ".gz", ".bz2", ".xz", ".zip"
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class MissingCorpus(FileNotFoundError):
    """A corpus, or a file of it, is not at hand."""


class DamagedFile(ValueError):
    """A file is cut short, altered, or not in its format."""


class TooLarge(ValueError):
    """A compressed file holds more than is read unless one says so."""


# Public files, each with a checksum


class Source(NamedTuple):
    """One public file: the corpus it belongs to, its place in a mirror folder, address, checksum and size."""

    dataset: str
    file: str
    url: str
    sha256: str
    bytes: int


@cache
def sources(table):
    """Return {corpus name: tuple of its Sources, in order} from a table such as sources.csv."""
    found = {}
    with open(table, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            source = Source(**{**row, "bytes": int(row["bytes"])})
            found[source.dataset] = (*found.get(source.dataset, ()), source)
    return found


def at_hand(source):
    """Return whether the file lies in the mirror or among the downloads, judged by its size alone."""
    return any(place.is_file() and place.stat().st_size == source.bytes for place in _places(source))


def fetch(source):
    """Return the path of the file, which has the right checksum.

    Looks in the folder $POLYTOPIC_MIRROR, then in ``downloads`` of the cache, then downloads it there.

    Raises DamagedFile when a file in the mirror or in the cache has another checksum, MissingCorpus when
    there is none and it cannot be had from its address either.
    """
    for place in _places(source):
        if place.is_file():
            _verify(place, source)
            return place
    try:
        checked, downloader = f"sha256:{source.sha256}", pooch.HTTPDownloader(timeout=ADDRESS_TIMEOUT)
        pooch.retrieve(source.url, checked, place.name, place.parent, downloader=downloader)
    except (requests.RequestException, OSError, ValueError) as error:
        mirror = os.environ.get(paths.MIRROR) or "not set"
        raise MissingCorpus(
            f"{source.dataset} is not at hand and could not be downloaded ({_reason(error)}).\n"
            f"  missing: {Path(source.file).name}, {source.bytes:,} bytes\n"
            f"  from:    {source.url}\n"
            f"  sha256:  {source.sha256}\n"
            f"  put it:  {place}\n"
            f"  or in a mirror folder named by {paths.MIRROR} ({mirror}), as {source.file}"
        ) from error
    return place


def _places(source):
    mirror = os.environ.get(paths.MIRROR)
    downloads = paths.cache() / "downloads"
    return [Path(folder) / source.file for folder in (mirror, downloads) if folder]


def _verify(place, source):
    with open(place, "rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != source.sha256:
        size = place.stat().st_size
        sizes = f"it holds {size:,} bytes instead of {source.bytes:,}"
        fault = "its content differs" if size == source.bytes else sizes
        raise DamagedFile(
            f"{place} is not the file that {source.dataset} is read from: {fault} (sha256 {found}, expected "
            f"{source.sha256}). Delete it and run again, or put the file from {source.url} in its place"
        )


def _reason(error):
    if isinstance(error, requests.HTTPError):
        return str(error)
    if isinstance(error, requests.RequestException):
        return "the address cannot be reached"
    if isinstance(error, ValueError):
        return "the download has the wrong checksum"
    return f"{type(error).__name__}: {error}"


# Files as a reader gets them


def listed(files):
    """Return the paths as a list; a path that stands alone is a list of one."""
    return [files] if isinstance(files, (str, os.PathLike)) else list(files)


def single(files, kind):
    """Return the only one of the paths. Raises ValueError, saying which kind of file is wanted, for more or none."""
    files = listed(files)
    if len(files) != 1:
        raise ValueError(f"give one {kind}, got {[str(file) for file in files]}")
    return files[0]


@contextmanager
def reading(*files):
    """Turn whatever goes wrong while parsing the files into a DamagedFile that names them and the remedy.

    What the files ask for and the memory does not have is a TooLarge.
    """
    named = os.fspath(files[0]) + (f" (with {len(files) - 1} more)" if len(files) > 1 else "")
    try:
        yield
    except (MissingCorpus, DamagedFile, TooLarge):
        raise
    except MemoryError as error:
        raise TooLarge(
            f"{named} asks for more memory than there is ({error}). It is damaged, or too large to be read here"
        ) from error
    except FileNotFoundError as error:
        raise MissingCorpus(f"there is no file {named}") from error
    except Exception as error:
        raise DamagedFile(
            f"{named} cannot be read as a corpus ({type(error).__name__}: {error}). "
            "It is cut short, damaged or in another format: fetch it again, or check which reader it needs"
        ) from error


@contextmanager
def at_line(file, number):
    """Turn a ValueError, the reason why a line cannot be read, into a DamagedFile that names file and line."""
    try:
        yield
    except ValueError as error:
        raise DamagedFile(f"{file}, line {number}: {error}") from None


@contextmanager
def opened(path):
    """Hand out what ``unpacked`` does, and how many bytes it holds, within ``reading`` and after ``check_stream``."""
    with reading(path):
        size = check_stream(path)
        with unpacked(path) as content:
            yield content, size


# What compressed files may unpack to: those that are made to fill the memory are refused before they do


def most(size):
    """Return to how many bytes a file of this size may unpack.

    $POLYTOPIC_MOST_BYTES, where it is set; else two hundred times the file's size, but 16 million at least and a
    thousand million at most. In any case its own size. Raises ValueError where the variable is no whole number.
    """
    told = os.environ.get(MOST)
    if told and not told.isdecimal():
        raise ValueError(f"{MOST} is {told!r}, and should be a whole number of bytes")
    return max(size, int(told) if told else min(USUAL, max(FREE, RATIO * size)))


def refuse_beyond(path, size, total):
    """Return total, the bytes that a file of this size unpacks to so far. Raises TooLarge beyond ``most``."""
    if total > most(size):
        raise TooLarge(
            f"{os.fspath(path)} has {size:,} bytes and unpacks to {total:,} or more, but {most(size):,} is the most "
            f"that is read of it. If you trust the file, set {MOST} to as many bytes as it may take"
        )
    return total


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
    size, total = os.path.getsize(path), 0
    with unpacked(path) as file:
        if isinstance(file, io.BufferedReader):
            return size
        while part := file.read(PART):
            total = refuse_beyond(path, size, total + len(part))
    return total


def check_archive(path):
    """Return how many bytes the arrays of an npz file take, none of which is read.

    Raises TooLarge beyond ``most``; ValueError for a part that is no array, and for one whose header tells of more
    numbers than there are; zipfile.BadZipFile for a file that is no archive.
    """
    with zipfile.ZipFile(path) as archive, warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy's guesses about headers that it would not write
        parts = archive.infolist()
        total = refuse_beyond(path, os.path.getsize(path), sum(part.file_size for part in parts))
        for part in parts:
            with archive.open(part) as content:
                version = np.lib.format.read_magic(content)
                if version not in HEADERS:
                    raise ValueError(f"{part.filename} is of a kind that is not known: {version}")
                shape, _, dtype = HEADERS[version](content)
                told, left = math.prod(shape) * max(dtype.itemsize, 1), part.file_size - content.tell()
            if min(shape, default=0) < 0 or told > left:
                raise ValueError(f"{part.filename} tells of {told:,} bytes, and has {left:,}")
    return total


def check_width(n, size, what):
    """Raise ValueError for more than a million columns where there are more than bytes, or more than ten million.

    Each column gets a name, so that a few bytes could fill the memory. n counts columns, or rows that cost memory
    without an entry; size is of the file, unpacked, in bytes; ``what`` says what the columns are.
    """
    limit = max(FEW_COLUMNS, min(MOST_COLUMNS, size))
    if n > limit:
        raise ValueError(f"it tells of {n:,} {what}, and {limit:,} is the most for a file of {size:,} bytes")
