"""One store for all that the study computes: a unit is computed once, stored if it is large, and read back.

An experiment is a decorated function that computes one unit, from a corpus and keyword arguments to a frame. What
a scale gives as a list or a range is an axis of the experiment, anything else a setting:

    @experiment("tai2012", scales={"quick": {"number": range(2)}, "paper": {"number": range(20)}})
    def partitions(corpus, *, number, regressor="ridge", seed): ...

    store.collect(partitions, "debtags")                 computes what is missing, reads the rest
    store.read(partitions)                               reads what is stored, computes nothing

A finished unit is kept in the cache under a key of all that it depends on: the corpus's content, the arguments, the
seed and ``source.digest`` of the code. Units of larger scales than "quick" also go into ``data/results``, a folder
for each experiment of a paper. Storing adds a unit or leaves what is there; nothing but ``force`` replaces one.
"""

import contextlib
import importlib
import inspect
import itertools
import os
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
from joblib import Memory, Parallel, delayed, parallel_config
from tqdm.auto import tqdm

from polytopic import paths, source
from polytopic.datasets import load_corpus
from polytopic.study.stored import PLACE, Kept, Stored, key_of, locked, plain, stored, together
from polytopic.validation import check_count, check_name

AXIS = list | range
QUICK = "quick"  # the scale whose units are kept in the cache alone
DASK = "POLYTOPIC_DASK"
APART = (
    "polytopic.study.stored",
    "polytopic.datasets",
    "polytopic.models.persistence",
)  # no result depends on them
CACHE_LIMIT = 4_000_000_000  # bytes of finished units that are kept
BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left"
EXPERIMENTS = {}


@dataclass(frozen=True, eq=False)
class Experiment:
    """A function that computes one unit, and the scales at which it does; made by ``experiment``."""

    paper: str
    name: str
    function: Callable
    scales: dict
    corpora: tuple
    reads: Callable = load_corpus
    cost: Callable = lambda **unit: 1.0
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
        """The digest of the code behind a unit, but for that which stores and that which reads corpora.

        A corpus's own content is in the key.
        """
        return source.digest(self.function, apart=(__name__, *APART))

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
    - ``cost(**unit)``: about proportional to a unit's time, to predict how long the rest will take.
    - ``fits(corpus, **unit)``: False where the corpus of that name has not what the unit needs.
    - timed: True where rows are times, so that nothing is kept in the cache.
    """

    def enter(function):
        own = name or function.__name__.replace("_", "-")
        made = Experiment(paper, own, function, scales, tuple(corpora), **how)
        EXPERIMENTS[made.full_name] = made
        return made

    return enter


def collect(which, corpus="debtags", scale=QUICK, seed=0, *, table=None, **how):
    """Return the rows of all units of a scale on one corpus as one frame, or one of their further tables.

    Columns: corpus, scale, seed, the axes, and the unit's own. ``how`` and errors are those of ``units``.
    """
    found = units(which, corpus, scale, seed, **how)
    place = Stored(which, corpus if isinstance(corpus, str) else corpus.name, scale, seed)
    frames = [({None: kept.rows, **kept.tables}.get(table), unit) for unit, kept in found]
    return together([place.placed(frame, unit) for frame, unit in frames if frame is not None], which.axes)


def units(
    which, corpus="debtags", scale=QUICK, seed=0, *, jobs=1, force=False, until=None, numbers=None, **changes
):
    """Return (arguments, Kept) of each unit of a scale on one corpus, computing those neither stored nor kept.

    ``changes`` stand in for the scale's axes and settings; units with other settings than the scale's own are kept in
    the cache alone. ``jobs`` units go on at once, each finished one is kept at once, and an interrupted call goes on
    where it stopped. No unit is begun after the time.monotonic() ``until``. ``numbers`` picks units by their place in
    the scale's order. Stored units are read whatever code made them; ``force`` computes anew and replaces them.

    corpus is a name or what ``which.reads`` gives. Raises ValueError for what is neither, an unknown scale or
    argument, a seed that is no integer from 0 up, and where the stored results are of another content of the corpus.
    """
    check_count(0, seed=seed)
    given = which.reads(corpus) if isinstance(corpus, str) else corpus
    if not hasattr(given, "digest"):
        raise ValueError(
            f"a corpus is named by a text, got {given!r}: papermill takes a text by -r corpus NAME"
        )
    wanted = which.units(scale, **changes)
    if numbers is not None:
        wanted = [wanted[number] for number in numbers]
    own = which.scales[scale]
    others = any(plain(changes[name]) != plain(own.get(name)) for name in set(changes) - set(which.axes))
    stores = scale != QUICK and not others
    place = Stored(which, given.name, scale, seed)
    results = place.units(given.digest) if stores and not force else {}
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
    every, places = stored(which), []
    for corpus in dict.fromkeys(one.corpus for one in every) if corpora is None else corpora:
        here = [one for one in every if one.corpus == corpus]
        largest = max((one.scale for one in here), key=list(which.scales).index, default=None)
        places += [one for one in here if one.scale == (scale or largest)]
    tables = (one.table(table) for one in places)
    frame = together([one for one in tables if one is not None], which.axes)
    frame.attrs["made"] = Made(one.place | made for one in places for made in one.made)
    return frame


class Made(list):
    """What made the units of a frame. pandas copies a frame's attrs in every step, which took most of the time."""

    def __deepcopy__(self, memo):
        return self


def load():
    """Import every module of the study, so that all experiments are known."""
    for module in pkgutil.walk_packages([str(source.ROOT / "study")], "polytopic.study."):
        importlib.import_module(module.name)


def overview(experiments=None):
    """Return what is stored, missing, and made by other code than today's, a row for each place.

    Columns: experiment, corpus, scale, seed, units (of the scale, that the corpus has what it takes for), stored,
    missing, other_code, no_code (what code made it was not recorded). A corpus of an experiment of which nothing is
    stored shows up at the largest scale, unless that is quick.
    """
    rows = []
    for which in EXPERIMENTS.values() if experiments is None else experiments:
        found, code = stored(which), which.code
        largest = list(which.scales)[-1]
        bare = [name for name in which.corpora if name not in {one.corpus for one in found}]
        for one in [*found, *(Stored(which, name, largest, 0) for name in bare if largest != QUICK)]:
            units = [unit for unit in which.units(one.scale) if which.fits(one.corpus, **unit)]
            keys = one.keys
            missing = sum(which.key(unit) not in keys for unit in units)
            codes = [made["code"] for made in keys.values()]
            other, none = sum(made not in (None, code) for made in codes), codes.count(None)
            rows.append((which.full_name, *one.place.values(), len(units), len(keys), missing, other, none))
    columns = ["experiment", *PLACE, "units", "stored", "missing", "other_code", "no_code"]
    return pd.DataFrame(rows, columns=columns)


def memory():
    """Return the joblib.Memory that keeps finished units and chains."""
    return Memory(paths.cache() / "chains", verbose=0)


def _computed(which, corpus, seed, due, jobs, until, force):
    """Yield (unit, Kept) of the units that are due, in order, from the cache or computed now."""
    code, given = which.code, {"seed": seed} if "seed" in inspect.signature(which.function).parameters else {}
    work = [(which.full_name, unit | given, corpus.digest, code, which.function, corpus) for unit in due]
    new = [which.timed or force or not _cached_unit().check_call_in_cache(*call) for call in work]
    costs = [which.cost(**unit) * is_new for unit, is_new in zip(due, new, strict=True)]
    bar = {"desc": f"{which.full_name}, {corpus.name}", "bar_format": BAR, "disable": not any(new)}
    with contextlib.ExitStack() as opened:
        if address := os.environ.get(DASK):
            from dask.distributed import Client

            opened.enter_context(Client(address))
            opened.enter_context(parallel_config("dask"))
        shown = opened.enter_context(tqdm(total=sum(costs), **bar))
        calls = (delayed(_compute)(corpus, call[:-1], which.timed, force, until) for call in work)
        results = Parallel(n_jobs=jobs, return_as="generator")(calls)
        for unit, cost, result in zip(due, costs, results, strict=True):
            shown.update(cost)
            if result is not None:
                yield unit, result
    with contextlib.suppress(OSError):
        memory().reduce_size(bytes_limit=CACHE_LIMIT)


def _compute(corpus, call, timed, force, until):
    """Return one unit, from the cache unless ``force``; None after ``until``. Two processes share one computation."""
    if until is not None and time.monotonic() > until:
        return None
    if timed:
        return _unit(*call, corpus)
    with locked(call[:4]):
        return _cached_unit().call(*call, corpus)[0] if force else _cached_unit()(*call, corpus)


def _cached_unit():
    return memory().cache(_unit, ignore=["function", "corpus"])


def _unit(name, arguments, digest, code, function, corpus):
    """The unit that is kept; name, digest and code belong to its key alone."""
    result = function(corpus, **arguments)
    return result if isinstance(result, Kept) else Kept(result)
