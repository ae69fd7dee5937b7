"""Finding a public source file by checksum: in the mirror, among the downloads, else from its address."""

import csv
import hashlib
import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pooch
import requests

from polytopic import paths
from polytopic.datasets.unpacking import TooLarge

ADDRESS_TIMEOUT = 30


class MissingCorpus(FileNotFoundError):
    """A corpus, or a file of it, is not at hand."""


class DamagedFile(ValueError):
    """A file is cut short, altered, or not in its format."""


@dataclass(frozen=True)
class Source:
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
            found.setdefault(row["dataset"], []).append(Source(**{**row, "bytes": int(row["bytes"])}))
    return {name: tuple(rows) for name, rows in found.items()}


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
    return _download(source, _downloads() / source.file)


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
    try:
        yield
    except (MissingCorpus, DamagedFile, TooLarge):
        raise
    except MemoryError as error:
        raise TooLarge(
            f"{_named(files)} asks for more memory than there is ({error}). It is damaged, or too large to be read "
            "here"
        ) from error
    except FileNotFoundError as error:
        raise MissingCorpus(f"there is no file {_named(files)}") from error
    except Exception as error:
        raise DamagedFile(
            f"{_named(files)} cannot be read as a corpus ({type(error).__name__}: {error}). "
            "It is cut short, damaged or in another format: fetch it again, or check which reader it needs"
        ) from error


def _named(files):
    more = f" (with {len(files) - 1} more)" if len(files) > 1 else ""
    return f"{os.fspath(files[0])}{more}"


def _places(source):
    mirror = os.environ.get(paths.MIRROR)
    return ([Path(mirror) / source.file] if mirror else []) + [_downloads() / source.file]


def _downloads():
    return paths.cache() / "downloads"


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


def _download(source, place):
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


def _reason(error):
    if isinstance(error, requests.HTTPError):
        return str(error)
    if isinstance(error, requests.RequestException):
        return "the address cannot be reached"
    if isinstance(error, ValueError):
        return "the download has the wrong checksum"
    return f"{type(error).__name__}: {error}"
