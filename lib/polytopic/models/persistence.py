"""A fitted model in a folder: model.json and arrays.npz, plain data with checksums, written whole.

Nothing in the files is executed at reading (``plain_data``). While a model is replaced, the old one or the new one is
there at every moment: the new arrays first lie beside the old ones, under a name by their checksum. Processes
that write one folder take turns, and who reads it waits until they are done.
"""

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

import polytopic
from polytopic.datasets.source_files import TooLarge, check_archive
from polytopic.files import drafted, held
from polytopic.models.plain_data import pack, unpack

MODEL, ARRAYS = "model.json", "arrays.npz"
BESIDE = "arrays-{}.npz"  # by the checksum that model.json has of them, until they get their name
FORMAT = 2  # of the files; a change of it comes with an entry in MIGRATIONS, {format: head -> head of the next one}
MIGRATIONS = {1: lambda head: head | {"format": 2, "kind": "labeller"}}
CHUNK = 1 << 22


class DamagedModel(ValueError):
    """A kept model is cut short or altered."""


def write(folder, state, **facts):
    """Write a mapping of objects, with facts for JSON, into a folder. A model that is there is replaced.

    Raises Unpackable, with nothing written, for an object that holds anything but data; OSError for a full disk, with
    what was there left as it was.
    """
    folder = Path(folder)
    tree, arrays = pack(state)
    folder.mkdir(parents=True, exist_ok=True)
    with drafted(folder / ARRAYS, lambda file: np.savez(file, **arrays)) as draft:
        head = {
            "format": FORMAT,
            "polytopic": polytopic.__version__,
            "made": time.strftime("%Y-%m-%d", time.gmtime()),
            **facts,
            "arrays": {"bytes": os.path.getsize(draft), "sha256": checksum(draft)},
            "state": tree,
        }
        head = {"checksum": digest(head)} | head
        text = json.dumps(head, ensure_ascii=False, allow_nan=False) + "\n"
        with drafted(folder / MODEL, text) as head_draft, held(folder):
            beside = _beside(folder, head)
            os.replace(draft, beside)
            os.replace(head_draft, folder / MODEL)
            os.replace(beside, folder / ARRAYS)
            for left in folder.glob(BESIDE.format("?" * 16)):  # by processes that were killed
                with suppress(OSError):
                    left.unlink()


def read(folder):
    """Return (facts, mapping of objects) as ``write`` was given them, facts with version, format and checksums.

    Raises FileNotFoundError where there is no model; DamagedModel for files that are cut short or altered, naming
    the one; TooLarge for arrays beyond ``source_files.most``; ValueError for a model of a newer
    version of the library, and for a class that is not known.
    """
    folder = Path(folder)
    with held(folder, shared=True):
        return _read_both(folder)


def _read_both(folder):
    head, path = _read_head(folder / MODEL), folder / ARRAYS
    try:
        known = head["arrays"]
        if (beside := _beside(folder, head)).is_file():
            path = beside
        if not path.is_file():
            raise DamagedModel(f"{path} is missing: the model is kept in {MODEL} and {ARRAYS} together")
        if os.path.getsize(path) != known["bytes"] or checksum(path) != known["sha256"]:
            raise DamagedModel(f"{path} is not what was written with {MODEL}: copy both files again")
        check_archive(path)
        with np.load(path, allow_pickle=False) as arrays:
            return head, unpack(head.pop("state"), arrays)
    except (DamagedModel, TooLarge):
        raise
    except MemoryError as error:
        raise TooLarge(f"{path} asks for more memory than there is ({error})") from error
    except Exception as error:
        raise DamagedModel(
            f"{path} cannot be read ({type(error).__name__}: {error}): copy both files again"
        ) from error


def checksum(path):
    """Return the SHA-256 of a file."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def digest(head):
    """Return the SHA-256 of a mapping for JSON, whatever the order of its keys."""
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _beside(folder, head):
    return folder / BESIDE.format(head["arrays"]["sha256"][:16])


def _read_head(path):
    if not path.is_file():
        raise FileNotFoundError(f"there is no model in {path.parent}: {MODEL} is missing")
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
        expected, number, version = head.pop("checksum"), head["format"], head["polytopic"]
        altered = expected != digest(head)
        while not altered and number in MIGRATIONS:
            head = MIGRATIONS[number](head)
            number = head["format"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise DamagedModel(f"{path} is not whole ({error}): copy it again") from error
    if altered:
        raise DamagedModel(f"{path} was altered: its checksum is of another content; copy it again")
    if number != FORMAT:
        raise ValueError(
            f"{path} has format {number}, written by polytopic {version}, and polytopic "
            f"{polytopic.__version__} reads {FORMAT}: use the version that wrote it, or train the model again"
        )
    return head
