"""The files of stored results: for each experiment, corpus, scale and seed, tidy csv files and what made their units.

The rows of all units lie in one csv, the units' further tables in one each, arrays in an npz for each unit, and what
made the units in a json. Values are written so that reading gives the very same numbers back.
"""

import io
import json
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from filelock import FileLock
from joblib import hash as digest_of

import polytopic
from polytopic import paths
from polytopic.files import write_whole

PLACE = ["corpus", "scale", "seed"]
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


def stored(which):
    """Return a Stored for each corpus, scale and seed of which results are stored, in the order of their names."""
    heads = [_head(path) for path in sorted(_folder(which).glob("*.json"))]
    return [Stored(which, head["corpus"], head["scale"], head["seed"]) for head in heads]


class Stored:
    """The files in ``data/results`` of one experiment, corpus, scale and seed."""

    def __init__(self, which, corpus, scale, seed):
        self.which, self.corpus, self.scale, self.seed = which, corpus, scale, seed

    @property
    def made(self):
        """What made each unit: mappings with unit, settings, notes, version and code."""
        path = self._path(".json")
        return _head(path)["units"] if path.is_file() else []

    def table(self, name=None):
        """Return the rows of all units, or a further table of theirs, with the columns of ``collect``; or None."""
        path = self._path(f".{name}.csv" if name else ".csv")
        if not path.is_file():
            return None
        frame = _from_csv(path.read_text(encoding="utf-8"))
        return frame.assign(**{column: getattr(self, column) for column in PLACE})[
            [*PLACE, *(column for column in frame if column not in PLACE)]
        ]

    def units(self, digest):
        """Return {unit's key: Kept}. Raises OtherContent where they are of another content of the corpus."""
        if not self.made:
            return {}
        head = _head(self._path(".json"))
        if head["digest"] != digest:
            raise OtherContent(
                f"{self._path('.json')} is of another content of {self.corpus} (digest {head['digest'][:12]}, here "
                f"{digest[:12]}): move it away, or give your corpus another name"
            )
        tables = {name: self._by_unit(self.table(name)) for name in [None, *head["tables"]]}
        found = {}
        for made in head["units"]:
            key = json.dumps(list(made["unit"].values()))
            own = {name: by_unit.get(key) for name, by_unit in tables.items()}
            rows = own.pop(None)
            rows = pd.DataFrame() if rows is None else rows
            further = {name: frame for name, frame in own.items() if frame is not None}
            found[key] = Kept(rows, further, self._arrays(key), made["notes"])
        return found

    def add(self, unit, kept, digest, force=False):
        """Store one unit; one that is stored already stays as it is, unless ``force``.

        A file that cannot be written (a full disk) loses nothing: the unit stays in the cache, with a warning.
        """
        locks = paths.cache() / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with FileLock(locks / f"{digest_of(str(self._path('.json')))}.lock"):
            try:
                self._add(unit, kept, digest, force)
            except OSError as error:
                warnings.warn(f"a result was computed but could not be stored: {error}", stacklevel=3)

    def _add(self, unit, kept, digest, force):
        key = self.which.key(unit)
        others = [made for made in self.made if json.dumps(list(made["unit"].values())) != key]
        if len(others) < len(self.made) and not force:
            return
        made = {
            "unit": {axis: plain(unit[axis]) for axis in self.which.axes},
            "settings": plain({name: value for name, value in unit.items() if name not in self.which.axes}),
            "notes": plain(kept.notes),
            "version": polytopic.__version__,
            "code": self.which.code,
            "made": time.strftime("%Y-%m", time.gmtime()),
        }
        tables = {None: kept.rows, **kept.tables}
        for name, frame in tables.items():
            own = with_place(frame, self.which, unit, self.corpus, self.scale, self.seed).drop(columns=PLACE)
            before = self.table(name)
            rest = (
                []
                if before is None
                else [part for k, part in self._by_unit(before, whole=True).items() if k != key]
            )
            write_whole(self._path(f".{name}.csv" if name else ".csv"), _as_csv(together([*rest, own])))
        if kept.arrays:
            content = io.BytesIO()
            np.savez_compressed(content, **kept.arrays)
            write_whole(self._path(f"/{digest_of(key)[:16]}.npz"), content.getvalue())
        head = {
            "experiment": self.which.full_name,
            **{column: getattr(self, column) for column in PLACE},
            "digest": digest,
            "tables": sorted({*kept.tables, *(_head(self._path(".json"))["tables"] if self.made else [])}),
        }
        write_whole(self._path(".json"), _as_json(head, [*others, made]))

    def _by_unit(self, frame, whole=False):
        """Return {unit's key: its rows}, without the columns of place and axes, or with the axes if ``whole``."""
        axes = self.which.axes
        if frame is None:
            return {}
        frame = frame.drop(columns=[*PLACE])
        if not axes:
            return {"[]": frame}
        own = frame if whole else frame.drop(columns=axes)
        values = {str(made["unit"][axis]): made["unit"][axis] for made in self.made for axis in axes}
        keys = frame[axes].astype(str).map(values.get).agg(lambda row: json.dumps(list(row)), axis=1)
        return {key: part.reset_index(drop=True) for key, part in own.groupby(keys, sort=False)}

    def _arrays(self, key):
        path = self._path(f"/{digest_of(key)[:16]}.npz")
        if not path.is_file():
            return {}
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    def _path(self, ending):
        return _folder(self.which) / f"{self.corpus}-{self.scale}-seed{self.seed}{ending}"


def plain(value):
    return json.loads(json.dumps(value, default=_as_plain))


def _as_plain(value):
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else list(value)


def with_place(rows, which, unit, corpus, scale, seed):
    front = dict(zip(PLACE, (corpus, scale, seed), strict=True)) | {axis: unit[axis] for axis in which.axes}
    frame = rows.assign(**front)
    return frame[[*front, *(column for column in frame if column not in front)]]


def together(frames):
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=PLACE)


def _folder(which):
    return paths.results() / which.paper / which.name


def _head(path):
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
        head["units"], head["digest"], head["tables"]
    except (json.JSONDecodeError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is not whole ({error}): take it from the repository again, or delete it with its csv files and "
            "its results are computed again"
        ) from error
    return head


def _as_json(head, units):
    """Return JSON with a unit a line, so that it diffs well."""
    lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in units)
    start = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    return f'{start},\n "units": [\n{lines}\n ]\n}}\n'


def _as_csv(frame):
    return frame.to_csv(index=False, na_rep=MISSING, lineterminator="\n")


def _from_csv(text):
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[MISSING])
