"""The files of stored results: for each experiment, corpus, scale and seed, tidy csv files and what made their units.

The rows of all units lie in one csv, the units' further tables in one each, arrays in an npz for each unit, and what
made the units in a json. Values are written so that reading gives the very same numbers back.
"""

import io
import json
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from filelock import FileLock
from joblib import hash as digest_of

import polytopic
from polytopic import paths
from polytopic.datasets.source_files import check_archive
from polytopic.files import write_whole

PLACE = ["corpus", "scale", "seed"]
UNSTORED = "a result was computed but could not be stored"
MISSING = "nan"  # how csv files spell a missing number; an empty cell is an empty text


class OtherContent(ValueError):
    """What is stored is of another content of the corpus of that name."""


@dataclass(frozen=True)
class Kept:
    """What a unit gives: rows, and maybe further tables by name, arrays by name, and notes on what was chosen.

    Rows and tables are frames. Notes are plain numbers, texts, lists and mappings.
    """

    rows: pd.DataFrame
    tables: dict = field(default_factory=dict)
    arrays: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Stored:
    """The files in ``data/results`` of one experiment, corpus, scale and seed."""

    which: Any
    corpus: str
    scale: str
    seed: int

    @property
    def place(self):
        return {name: getattr(self, name) for name in PLACE}

    @property
    def made(self):
        """What made each unit: mappings with unit, settings, notes, version and code (None where not recorded)."""
        return self._head["units"]

    @property
    def keys(self):
        """{unit's key: what made it} of all that is stored."""
        return {key_of(made["unit"].values()): made for made in self.made}

    def table(self, name=None):
        """Return the rows of all units, or a further table of theirs, with the columns of ``collect``; or None."""
        path = self._csv(name)
        if not path.is_file():
            return None
        with _reading(path):
            frame = pd.read_csv(path, keep_default_na=False, na_values=[MISSING])
            front = [*PLACE, *self.which.axes]  # an axis that the file lacks is a fault of the file
            return frame.assign(**self.place)[[*front, *(name for name in frame if name not in front)]]

    def units(self, digest):
        """Return {unit's key: Kept}. Raises OtherContent where they are of another content of the corpus."""
        head = self._head
        if head["units"] and head["digest"] != digest:
            raise OtherContent(
                f"{self._path('.json')} is of another content of {self.corpus} (digest {head['digest'][:12]}, here "
                f"{digest[:12]}): move it away, or give your corpus another name"
            )
        front = [*PLACE, *self.which.axes]
        tables = {name: self._units_of(name) for name in [None, *head["tables"]]}
        found = {}
        for key, made in self.keys.items():
            own = {name: parts[key].drop(columns=front) for name, parts in tables.items() if key in parts}
            arrays = {}
            if self._npz(key).is_file():
                with _reading(self._npz(key)):
                    check_archive(self._npz(key))
                    with np.load(self._npz(key), allow_pickle=False) as kept:
                        arrays = dict(kept)
            found[key] = Kept(own.pop(None, pd.DataFrame()), own, arrays, made["notes"])
        return found

    def add(self, unit, kept, digest, force=False):
        """Store one unit; one that is stored already stays as it is, unless ``force``.

        A file that cannot be written (a full disk) loses nothing: the unit stays in the cache, with a warning.
        """
        with locked(str(self._path(".json"))):
            try:
                if force or self.which.key(unit) not in self.keys:
                    self._write(unit, kept, digest)
            except OSError as error:
                warnings.warn(f"{UNSTORED}: {error}", stacklevel=3)

    def _write(self, unit, kept, digest):
        key, axes = self.which.key(unit), self.which.axes
        for name, frame in {None: kept.rows, **kept.tables}.items():
            parts = self._units_of(name)
            parts.pop(key, None)
            table = together([*parts.values(), self.placed(frame, unit)]).drop(columns=PLACE)
            write_whole(self._csv(name), table.to_csv(index=False, na_rep=MISSING, lineterminator="\n"))
        if kept.arrays:
            content = io.BytesIO()
            np.savez_compressed(content, **kept.arrays)
            write_whole(self._npz(key), content.getvalue())
        made = {
            "unit": {axis: plain(unit[axis]) for axis in axes},
            "settings": plain({name: value for name, value in unit.items() if name not in axes}),
            "notes": plain(kept.notes),
            "version": polytopic.__version__,
            "code": self.which.code,
            "made": time.strftime("%Y-%m", time.gmtime()),
        }
        others = [one for other, one in self.keys.items() if other != key]
        tables = sorted({*kept.tables, *self._head["tables"]})
        head = {"experiment": self.which.full_name, **self.place, "digest": digest, "tables": tables}
        start = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
        lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in [*others, made])
        write_whole(self._path(".json"), f'{start},\n "units": [\n{lines}\n ]\n}}\n')

    def placed(self, frame, unit):
        """Return a frame of one unit with the columns of place and axes in front."""
        front = self.place | {axis: unit[axis] for axis in self.which.axes}
        return frame.assign(**front)[[*front, *(column for column in frame if column not in front)]]

    def _units_of(self, name):
        """Return {unit's key: its rows} of the rows, or of a further table, in their order; {} without one.

        Rows of a unit that the head does not name, left by a process killed between two files, count for nothing.
        """
        frame, axes = self.table(name), self.which.axes
        if frame is None or not axes:
            return {} if frame is None else {key_of([]): frame}
        spelled = {tuple(str(made["unit"][axis]) for axis in axes): key for key, made in self.keys.items()}
        rows = frame[axes].astype(str).itertuples(index=False, name=None)
        keys = pd.Series(map(spelled.get, rows), frame.index, dtype=object)
        return {key: part.reset_index(drop=True) for key, part in frame.groupby(keys, sort=False)}

    @property
    def _head(self):
        path, axes = self._path(".json"), set(self.which.axes)
        head = _read_head(path) if path.is_file() else {"units": [], "tables": []}
        others = [set(made["unit"]) for made in head["units"] if set(made["unit"]) != axes]
        if others:
            raise ValueError(
                f"{path} holds units by {', '.join(sorted(others[0]))}, and {self.which.full_name} is now by "
                f"{', '.join(sorted(axes))}: delete it with its csv files, and its results are computed again"
            )
        return head

    def _csv(self, table):
        return self._path(f".{table}.csv" if table else ".csv")

    def _npz(self, key):
        return self._path(f"/{digest_of(key)[:16]}.npz")

    def _path(self, ending):
        return paths.results() / self.which.full_name / f"{self.corpus}-{self.scale}-seed{self.seed}{ending}"


def stored(which):
    """Return a Stored for each corpus, scale and seed of which results are stored, in the order of their names."""
    heads = [_read_head(path) for path in sorted((paths.results() / which.full_name).glob("*.json"))]
    return [Stored(which, *(head[name] for name in PLACE)) for head in heads]


def key_of(values):
    """Return the values of a unit's axes as one text, which tells it from the others of its scale."""
    return json.dumps(plain(list(values)))


def plain(value):
    """Return a value as JSON gives it back: arrays, ranges and tuples as lists."""
    own = json.dumps(value, default=lambda one: one.tolist() if hasattr(one, "tolist") else list(one))
    return json.loads(own)


def together(frames, axes=()):
    """Return frames as one, their rows numbered anew; without any, no row, with the columns of place and axes."""
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*PLACE, *axes])


def locked(what):
    """Return a lock between processes, named after what it guards."""
    locks = paths.cache() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    return FileLock(locks / f"{digest_of(what)}.lock")


def _read_head(path):
    with _reading(path):
        head = json.loads(path.read_text(encoding="utf-8"))
        head["digest"], [str(name) for name in head["tables"]]
        for made in head["units"]:  # KeyError where one is missing
            key_of(made["unit"].values()), made["notes"], made["version"], made["code"]
        return head


@contextmanager
def _reading(path):
    """Turn whatever goes wrong while reading a file into a ValueError that names it and the remedy."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{path} is not whole ({type(error).__name__}: {error}): take it from the repository again, or delete it "
            "with the files beside it and its results are computed again"
        ) from error
