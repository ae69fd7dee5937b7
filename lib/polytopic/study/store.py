"""One store for all that the study computes: a unit is computed once, stored if it is large, and read back.

An experiment is a decorated function that computes one unit, from a corpus and keyword arguments to a frame. What
a scale gives as a list or a range is an axis of the experiment, anything else a setting:

    @experiment("tai2012", scales={"quick": {"number": range(2)}, "paper": {"number": range(20)}})
    def partitions(corpus, *, number, regressor="ridge", seed): ...

    store.collect(partitions, "debtags")                 computes what is missing, reads the rest
    store.read(partitions)                               reads what is stored, computes nothing

A finished unit is kept in the cache under a key of all that it depends on: the corpus's content, the arguments, the
seed and ``source.digest`` of the code. Units of larger scales than "quick" also go into ``data/results``, a folder
for each experiment of a paper: the rows of all units of a corpus, scale and seed in one csv, their further tables in
one each, arrays in an npz for each unit, and what made the units in a json. Values are written so that reading gives
the very same numbers back. Storing adds a unit or leaves what is there; nothing but ``force`` replaces one.
"""

import contextlib
import importlib
import inspect
import io
import itertools
import json
import math
import os
import pkgutil
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
import psutil
from filelock import FileLock
from joblib import Memory, Parallel, delayed, parallel_config
from joblib import hash as digest_of
from tqdm.auto import tqdm

import polytopic
from polytopic import paths, source
from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.datasets.source_files import check_archive
from polytopic.files import write_whole
from polytopic.validation import check_count, check_name

AXIS = list | range
QUICK = "quick"  # the scale whose units are kept in the cache alone
PLACE = ["corpus", "scale", "seed"]
DASK = "POLYTOPIC_DASK"
APART = (
    "polytopic.datasets",
    "polytopic.models.persistence",
    "polytopic.source",
)  # no result depends on them
CACHE_LIMIT = 4_000_000_000  # bytes of finished units that are kept
BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left"
UNSTORED = "a result was computed but could not be stored"
MISSING = "nan"  # how csv files spell a missing number; an empty cell is an empty text
EXPERIMENTS = {}
READ = {}  # {where: the Place} of the stored results that this process has read


@dataclass(frozen=True, eq=False)
class Experiment:
    """A function that computes one unit, and the scales at which it does; made by ``experiment``."""

    paper: str
    name: str
    function: Callable
    scales: dict
    corpora: tuple
    reads: Callable = load_corpus
    fits: Callable = lambda corpus, **unit: True
    timed: bool = False

    def __call__(self, corpus, **arguments):
        return self.function(corpus, **arguments)

    @property
    def full_name(self):
        return f"{self.paper}/{self.name}"

    @cached_property
    def axes(self):
        """The names of the arguments that tell the units of one scale apart, in the function's order."""
        given = [pair for scale in self.scales.values() for pair in scale.items()]
        listed = {name for name, value in given if isinstance(value, AXIS)}
        return [name for name in self.arguments if name in listed]

    @cached_property
    def arguments(self):
        """The names of what the function takes besides a corpus and a seed."""
        return [name for name in inspect.signature(self.function).parameters if name != "seed"][1:]

    @property
    def code(self):
        """The digest of the code that a unit reaches, but for that which stores and that which reads corpora.

        A corpus's own content is in the key.
        """
        return source.digest(*self.behind, apart=(__name__, *APART))

    @property
    def behind(self):
        """What a unit reaches, for ``source.reached``: its function, and what gives or is the corpus handed to it."""
        return self.function, self.reads, Corpus

    def units(self, scale, **changes):
        """Return the keyword arguments of each unit of a scale, ``changes`` standing in for the scale's own values.

        Raises ValueError for an unknown scale, an argument that the function does not take, and an axis without a
        value.
        """
        check_name("scale", str(scale), self.scales)
        for name in changes:
            check_name(f"argument of {self.full_name}", name, self.arguments)
        given = self.scales[scale] | changes
        settings = {name: value for name, value in given.items() if name not in self.axes}
        values = [one if isinstance(one, AXIS) else [one] for one in (given[axis] for axis in self.axes)]
        for axis in [axis for axis, own in zip(self.axes, values, strict=True) if not own]:
            raise ValueError(f"{axis} of {self.full_name} has no value: name at least one")
        return [dict(zip(self.axes, place, strict=True)) | settings for place in itertools.product(*values)]

    def key(self, unit):
        """Return what tells a unit from the others of its scale, as text."""
        return key_of(unit[axis] for axis in self.axes)


def experiment(paper, scales, name=None, corpora=("debtags",), **how):
    """Return the decorator that makes a function an Experiment and enters it into EXPERIMENTS.

    scales maps names to arguments, the smallest scale first. corpora are those whose results belong to the study.
    ``how`` holds any of these:

    - ``reads(name)``: gives what the function takes first, which must have a ``name`` and a ``digest``.
    - ``fits(corpus, **unit)``: False where the corpus of that name has not what the unit needs.
    - timed: True where rows are times, so that nothing is kept in the cache.
    """

    def enter(function):
        own = name or function.__name__.replace("_", "-")
        made = Experiment(paper, own, function, scales, tuple(corpora), **how)
        EXPERIMENTS[made.full_name] = made
        return made

    return enter


class OtherContent(ValueError):
    """What is stored is of another content of the corpus of that name."""


@dataclass(frozen=True)
class Result:
    """What a unit gives: rows, and maybe further tables by name, arrays by name, and notes on what was chosen.

    Rows and tables are frames. Notes are plain numbers, texts, lists and mappings. seconds are the processor's, of
    all threads and worker processes; whoever computes a unit notes them.
    """

    rows: pd.DataFrame
    tables: dict = field(default_factory=dict)
    arrays: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)
    seconds: float | None = None


@dataclass(frozen=True)
class Place:
    """The files in ``data/results`` of one experiment, corpus, scale and seed."""

    which: Experiment
    corpus: str
    scale: str
    seed: int

    @property
    def place(self):
        return {name: getattr(self, name) for name in PLACE}

    @property
    def front(self):
        """The first columns of every table."""
        return [*PLACE, *self.which.axes]

    @property
    def keys(self):
        """{unit's key: what made it}: unit, settings, notes, version, code and seconds (None if not recorded).

        "again" is what other code had made it before, each time that it was computed again, with ``compared``.
        """
        return {key_of(made["unit"].values()): made for made in self._head["units"]}

    @property
    def drawn(self):
        """The keys of the units that an audit computes again: one in ten of those that other code made, rounded up.

        A digest of place and unit is their lot, so that they stay the same while they are computed again.
        """
        code = self.which.code
        made = [key for key, one in self.keys.items() if one["again"] or one["code"] != code]
        lots = {key: digest_of(key_of([self.which.full_name, *self.place.values(), key])) for key in made}
        return sorted(made, key=lots.get)[: math.ceil(len(made) / 10)]

    @property
    def owed(self):
        """The units of the scale that fit the corpus."""
        return [unit for unit in self.which.units(self.scale) if self.which.fits(self.corpus, **unit)]

    def missing(self, found):
        """Return how many of those are stored neither here nor at a larger scale, given the experiment's places."""
        scales = list(self.which.scales)
        there = {
            key
            for other in found
            if (other.corpus, other.seed) == (self.corpus, self.seed)
            and scales.index(other.scale) >= scales.index(self.scale)
            for key in other.keys
        }
        return sum(self.which.key(unit) not in there for unit in self.owed)

    def table(self, name=None):
        """Return the rows of all units, or a further table of theirs, with the columns of ``collect``; or None."""
        path = self._csv(name)
        if not path.is_file():
            return None
        with _reading(path):
            frame = pd.read_csv(path, keep_default_na=False, na_values=[MISSING]).assign(**self.place)
            return _with_front(frame, self.front)  # an axis that the file lacks is a fault of the file

    def units(self, digest):
        """Return {unit's key: Result}. Raises OtherContent where they are of another content of the corpus."""
        head = self._head
        if head["units"] and head["digest"] != digest:
            raise OtherContent(
                f"{self._path('.json')} is of another content of {self.corpus} (digest {head['digest'][:12]}, here "
                f"{digest[:12]}): move it away, or give your corpus another name"
            )
        tables = {name: self._units_of(name) for name in [None, *head["tables"]]}
        found = {}
        for key, made in self.keys.items():
            own = {
                name: parts[key].drop(columns=self.front) for name, parts in tables.items() if key in parts
            }
            arrays, path = {}, self._npz(key)
            if path.is_file():
                with _reading(path):
                    check_archive(path)
                    with np.load(path, allow_pickle=False) as content:
                        arrays = dict(content)
            found[key] = Result(own.pop(None, pd.DataFrame()), own, arrays, made["notes"])
        return found

    def add(self, unit, result, digest, force=False):
        """Store one unit; one that is stored already stays as it is, unless ``force``.

        A file that cannot be written (a full disk) loses nothing: the unit stays in the cache, with a warning.
        """
        with locked(str(self._path(".json"))):
            try:
                if force or self.which.key(unit) not in self.keys:
                    self._write(unit, result, digest)
            except OSError as error:
                warnings.warn(f"{UNSTORED}: {error}", stacklevel=3)

    def _write(self, unit, result, digest):
        key, axes, earlier = self.which.key(unit), self.which.axes, {}
        for name, frame in {None: result.rows, **result.tables}.items():
            parts = self._units_of(name)
            earlier[name] = parts.get(key)
            table = together(self._ordered(parts | {key: self.placed(frame, unit)})).drop(columns=PLACE)
            write_whole(self._csv(name), table.to_csv(index=False, na_rep=MISSING, lineterminator="\n"))
        if result.arrays:
            content = io.BytesIO()
            np.savez_compressed(content, **result.arrays)
            write_whole(self._npz(key), content.getvalue())
        made = {
            "unit": {axis: plain(unit[axis]) for axis in axes},
            "settings": plain({name: value for name, value in unit.items() if name not in axes}),
            "notes": plain(result.notes),
            "version": polytopic.__version__,
            "code": self.which.code,
            "made": time.strftime("%Y-%m", time.gmtime()),
            "seconds": result.seconds,
        }
        if before := self.keys.get(key):
            both = (earlier[None], self._units_of(None).get(key))
            own = [pd.DataFrame() if one is None else one.drop(columns=self.front) for one in both]
            again = {name: before[name] for name in ("version", "code", "made")} | compared(*own)
            made["again"] = before["again"] + [again] * (before["code"] != made["code"])
        units = self._ordered(self.keys | {key: made})
        tables = sorted({*result.tables, *self._head["tables"]})
        head = {"experiment": self.which.full_name, **self.place, "digest": digest, "tables": tables}
        start = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
        lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in units)
        write_whole(self._path(".json"), f'{start},\n "units": [\n{lines}\n ]\n}}\n')

    def _ordered(self, by_unit):
        """Return the values of {unit's key: value} in the order of the scale's units; units of none come last."""
        order = {self.which.key(unit): number for number, unit in enumerate(self.which.units(self.scale))}
        return [by_unit[key] for key in sorted(by_unit, key=lambda key: order.get(key, len(order)))]

    def placed(self, frame, unit):
        """Return a frame of one unit with the columns of place and axes in front."""
        own = frame.assign(**self.place, **{axis: unit[axis] for axis in self.which.axes})
        return _with_front(own, self.front)

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
        for other in (set(made["unit"]) for made in head["units"] if set(made["unit"]) != axes):
            raise ValueError(
                f"{path} holds units by {', '.join(sorted(other))}, and {self.which.full_name} is now by "
                f"{', '.join(sorted(axes))}: delete it with its csv files, and its results are computed again"
            )
        return head

    def _csv(self, table):
        return self._path(f".{table}.csv" if table else ".csv")

    def _npz(self, key):
        return self._path(f"/{digest_of(key)[:16]}.npz")

    def _path(self, ending):
        return paths.results() / self.which.full_name / f"{self.corpus}-{self.scale}-seed{self.seed}{ending}"


def collect(which, corpus="debtags", scale=QUICK, seed=0, *, table=None, **how):
    """Return the rows of all units of a scale on one corpus as one frame, or one of their further tables.

    Columns: corpus, scale, seed, the axes, and the unit's own. ``how`` and errors are those of ``units``.
    """
    found = units(which, corpus, scale, seed, **how)
    place = Place(which, corpus if isinstance(corpus, str) else corpus.name, scale, seed)
    frames = [
        place.placed(result.rows if table is None else result.tables[table], unit)
        for unit, result in found
        if table is None or table in result.tables
    ]
    return together(frames, which.axes)


def units(
    which, corpus="debtags", scale=QUICK, seed=0, *, jobs=1, force=False, until=None, only=None, **changes
):
    """Return (arguments, Result) of each unit of a scale on one corpus, computing those neither stored nor cached.

    ``changes`` stand in for the scale's axes and settings; units with other settings than the scale's own are kept in
    the cache alone. ``jobs`` units go on at once, each finished one is kept at once, and an interrupted call goes on
    where it stopped. No unit is begun after the time.monotonic() ``until``. ``only`` lists units to take in place
    of the scale's. Stored units are read whatever code made them; ``force`` computes anew and replaces them.

    corpus is a name or what ``which.reads`` gives. Raises ValueError for what is neither, an unknown scale or
    argument, a seed that is no integer from 0 up, and where the stored results are of another content of the corpus.
    """
    check_count(0, seed=seed)
    given = which.reads(corpus) if isinstance(corpus, str) else corpus
    if not hasattr(given, "digest"):
        raise ValueError(
            f"a corpus is named by a text, got {given!r}: papermill takes a text by -r corpus NAME"
        )
    wanted = which.units(scale, **changes) if only is None else only
    own = which.scales[scale]
    others = any(plain(changes[name]) != plain(own.get(name)) for name in set(changes) - set(which.axes))
    stores = scale != QUICK and not others
    place = Place(which, given.name, scale, seed)
    results = place.units(given.digest) if stores and not force else {}
    if stores:
        READ[which.full_name, *place.place.values()] = place
    due = [unit for unit in wanted if which.key(unit) not in results]
    for unit, result in _computed(which, given, seed, due, jobs, until, force) if due else ():
        results[which.key(unit)] = result
        if stores:
            place.add(unit, result, given.digest, force)
    return [(unit, results[which.key(unit)]) for unit in wanted if which.key(unit) in results]


def read(which, corpora=None, scale=None, table=None):
    """Return what is stored of an experiment, with the columns of ``collect``: nothing is computed, it may be empty.

    corpora: names, in the order wanted; all if None. scale None takes the largest that is stored of each corpus.
    ``table`` names one of the units' further tables. The frame's ``attrs["made"]`` lists what made each unit: corpus,
    scale, seed, unit (its axes), settings, notes, version, code.
    """
    if scale is not None:
        check_name("scale", scale, which.scales)
    every, found = places(which), []
    for corpus in dict.fromkeys(one.corpus for one in every) if corpora is None else corpora:
        here = [one for one in every if one.corpus == corpus]
        largest = max((one.scale for one in here), key=list(which.scales).index, default=None)
        found += [one for one in here if one.scale == (scale or largest)]
    READ.update({(which.full_name, *one.place.values()): one for one in found})
    tables = (one.table(table) for one in found)
    frame = together([one for one in tables if one is not None], which.axes)
    frame.attrs["made"] = Provenance(one.place | made for one in found for made in one.keys.values())
    return frame


class Provenance(list):
    """What made the units of a frame. pandas copies a frame's attrs in every step, which took most of the time."""

    def __deepcopy__(self, memo):
        return self


def rests_on():
    """Return in a sentence or two how many stored results this process has read, how many of them are of this code,
    and of which of the study's own corpora some are still to be computed.
    """
    codes = {at.which: at.which.code for at in READ.values()}
    made = [(one["code"] == codes[at.which], one) for at in READ.values() for one in at.keys.values()]
    if not made:
        return "This page reads nothing from the stored results."
    ours, months = sum(today for today, _ in made), sorted({one["made"] for today, one in made if today})
    when = f", in {' to '.join(dict.fromkeys([months[0], months[-1]]))}" if ours else ""
    others = ", ".join(sorted({one["version"] for today, one in made if not today and one["version"]}))
    rest = f" The others are by earlier code of version {others}." if ours < len(made) else ""
    results = f"{len(made):,} stored result{'s' * (len(made) > 1)}"
    missing = {at: at.missing(places(at.which)) for at in READ.values() if at.corpus in at.which.corpora}
    lacking = [
        f"{n} of {len(at.owed)} of {at.which.full_name} on {at.corpus}" for at, n in missing.items() if n
    ]
    rest += f" Not computed yet: {'; '.join(lacking)}." if lacking else ""
    return f"This page rests on {results}, of which this code made {ours:,}{when}.{rest}"


def load():
    """Import every module of the study, so that all experiments are known."""
    for module in pkgutil.walk_packages([str(source.ROOT / "study")], "polytopic.study."):
        importlib.import_module(module.name)


def overview(experiments=None):
    """Return what is stored, missing, and made by other code than today's, a row for each place.

    Columns: experiment, corpus, scale, seed, units (of the scale, that the corpus has what it takes for), stored,
    missing (here and at every larger scale), other_code, no_code (what code made it was not recorded), drawn (for an
    audit), again (of the drawn, those that this code has computed), as_before (with all numbers as before), audited
    (other_code and no_code where all drawn are as before). A corpus of an experiment of which nothing is stored shows
    up at the largest scale, unless that is quick.
    """
    rows = []
    for which in EXPERIMENTS.values() if experiments is None else experiments:
        found, code = places(which), which.code
        largest = list(which.scales)[-1]
        bare = [name for name in which.corpora if name not in {one.corpus for one in found}]
        for one in [*found, *(Place(which, name, largest, 0) for name in bare if largest != QUICK)]:
            keys = one.keys
            codes = [made["code"] for made in keys.values()]
            other, none = sum(made not in (None, code) for made in codes), codes.count(None)
            drawn = [keys[key] for key in one.drawn]
            again = [made["again"][-1]["equal"] for made in drawn if made["code"] == code]
            same = again.count(1)
            counts = (len(one.owed), len(keys), one.missing(found), other, none, len(drawn), len(again), same)
            audited = (other + none) * (same == len(drawn))
            rows.append((which.full_name, *one.place.values(), *counts, audited))
    columns = ["units", "stored", "missing", "other_code", "no_code", "drawn", "again", "as_before"]
    columns = ["experiment", *PLACE, *columns, "audited"]
    return pd.DataFrame(rows, columns=columns)


def memory():
    """Return the joblib.Memory that keeps finished units and chains."""
    return Memory(paths.cache() / "chains", verbose=0)


def _computed(which, corpus, seed, due, jobs, until, force):
    """Yield (unit, Result) of the units that are due, in order, from the cache or computed now."""
    code, given = which.code, {"seed": seed} if "seed" in inspect.signature(which.function).parameters else {}
    work = [(which.full_name, unit | given, corpus.digest, code, which.function, corpus) for unit in due]
    new = [which.timed or force or not _cached_unit().check_call_in_cache(*call) for call in work]
    bar = {"desc": f"{which.full_name}, {corpus.name}", "bar_format": BAR, "disable": not any(new)}
    with contextlib.ExitStack() as opened:
        if address := os.environ.get(DASK):
            from dask.distributed import Client

            opened.enter_context(Client(address))
            opened.enter_context(parallel_config("dask"))
        shown = opened.enter_context(tqdm(total=sum(new), **bar))
        calls = (delayed(_compute)(call, which.timed, force, until) for call in work)
        results = Parallel(n_jobs=jobs, return_as="generator")(calls)
        for unit, is_new, result in zip(due, new, results, strict=True):
            shown.update(is_new)
            if result is not None:
                yield unit, result
    with contextlib.suppress(OSError):
        memory().reduce_size(bytes_limit=CACHE_LIMIT)


def _compute(call, timed, force, until):
    """Return one unit, from the cache unless ``force``; None after ``until``. Two processes share one computation."""
    if until is not None and time.monotonic() > until:
        return None
    if timed:
        return _unit(*call)
    with locked(call[:4]):
        return _cached_unit().call(*call)[0] if force else _cached_unit()(*call)


def _cached_unit():
    return memory().cache(_unit, ignore=["function", "corpus"])


def _unit(name, arguments, digest, code, function, corpus):
    """The unit that is cached; name, digest and code belong to its key alone."""
    began = _processor_seconds()
    result = function(corpus, **arguments)
    result = result if isinstance(result, Result) else Result(result)
    return replace(result, seconds=round(_processor_seconds() - began, 1))


def _processor_seconds():
    """Return the processor's seconds of this process and of its workers, whether they go on or have ended."""
    total = sum(os.times()[:4])  # with those of children that have ended
    for worker in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            total += sum(worker.cpu_times()[:2])
    return total


def places(which):
    """Return a Place for each corpus, scale and seed of which results are stored, in the order of their names.

    Raises ValueError for results of a scale that the experiment does not have.
    """
    found = []
    for path in sorted((paths.results() / which.full_name).glob("*.json")):
        found.append(Place(which, *(_read_head(path)[name] for name in PLACE)))
        if found[-1].scale not in which.scales:
            scales = " and ".join(which.scales)
            raise ValueError(
                f"{path} holds results of a scale that {which.full_name} no longer has; it has {scales}: delete it "
                "with its csv files"
            )
    return found


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


def compared(before, after):
    """Return how the rows of a unit differ from those that other code gave, all but times: {"equal", "moved"}.

    equal is the share of the numbers of ``before`` that ``after`` has too, to six digits, in rows of the same texts;
    of rows, where there are texts alone. What is new in ``after`` counts for nothing. moved is the median of what the
    others moved by, relative to the larger value; None where none is in both.
    """
    frames = [frame[[name for name in frame if not name.endswith("seconds")]] for frame in (before, after)]
    frames = [one[~one.get("measure", pd.Series("", one.index)).str.endswith("seconds")] for one in frames]
    texts = [name for name in frames[0].select_dtypes(exclude="number") if name in frames[1]]
    numbers = [name for name in frames[0].select_dtypes("number") if name in frames[1]]
    copies = [one.groupby(texts).cumcount() if texts else range(len(one)) for one in frames]
    keyed = [
        one.assign(copy=n).set_index([*texts, "copy"])[numbers] for one, n in zip(frames, copies, strict=True)
    ]
    old, new = (one.to_numpy(float) for one in keyed[0].align(keyed[1], "inner"))
    same = np.isclose(old, new, rtol=1e-6, atol=1e-12, equal_nan=True)  # below are zeros
    moved = np.abs(new - old)[~same] / np.fmax(np.abs(old), np.abs(new))[~same]
    n_numbers = frames[0].select_dtypes("number").size
    n_same, of = (same.sum(), n_numbers) if n_numbers else (len(old), len(frames[0]))
    return {
        "equal": float(n_same / of) if of else 1.0,
        "moved": float(np.median(np.nan_to_num(moved, nan=1))) if moved.size else None,
    }


def _with_front(frame, front):
    return frame[[*front, *(name for name in frame if name not in front)]]


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
            made.setdefault("seconds", None), made.setdefault("again", [])
        return head


@contextlib.contextmanager
def _reading(path):
    """Turn whatever goes wrong while reading a file into a ValueError that names it and the remedy."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{path} is not whole ({type(error).__name__}: {error}): take it from the repository again, or delete it "
            "with the files beside it and its results are computed again"
        ) from error
