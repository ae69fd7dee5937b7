"""The command ``results``: what the study has stored, what is missing, what other code made, and computing it."""

import os
import sys
import threading
import time
import warnings
from contextlib import nullcontext

from joblib import parallel_config

import polytopic
from polytopic import paths
from polytopic.command.arguments import Refusal, check_checkout, check_dask, refusing
from polytopic.command.progress import duration
from polytopic.datasets import DamagedFile, MissingCorpus
from polytopic.datasets.catalogue import canonical
from polytopic.files import forget_drafts
from polytopic.study import store
from polytopic.study.store import UNSTORED, OtherContent, Place, plain
from polytopic.validation import check_name


def run(options):
    """Show the overview, or compute what is named and missing. Returns 0, or 1 where something could not be had."""
    check_checkout("data")
    if not (options.name or options.corpus or options.scale):
        if options.force or options.units or options.minutes:
            raise Refusal("name an experiment, as in PAPER/EXPERIMENT; without a name, all are only shown")
        print_overview(options.why)
        return 0
    if options.dask:
        check_dask(options.dask)
        os.environ[store.DASK] = options.dask
    store.load()
    with refusing():
        batches = chosen(options)
    for batch in batches:
        batch.announce(options.why)
    if options.dry_run:
        print(f"{sum(len(batch.due) for batch in batches)} units to compute")
        return 0
    return compute(batches, options)


def print_overview(why=False):
    """Print what is stored at each place, what the columns mean, and each unit's reason if asked."""
    store.load()
    table = store.overview()
    if table.empty:
        print("No experiment of a larger scale than quick is known.")
        return
    headings = {"other_code": "by other code", "no_code": "code not recorded"}
    print(table.rename(columns=headings).to_string(index=False))
    sums = table[["stored", "missing", "other_code", "no_code"]].sum()
    print(
        f"{sums.stored} units are stored, {sums.missing} missing, {sums.other_code} made by other code than today's, "
        f"{sums.no_code} by code that was not recorded."
    )
    for row in table.itertuples() if why else ():
        Batch(Place(store.EXPERIMENTS[row.experiment], row.corpus, row.scale, row.seed)).announce(why)


def chosen(options):
    """Return a Batch for each experiment and corpus that the options mean. Raises ValueError for an unknown name."""
    experiments, batches = named(options.name), []
    if options.scale:
        check_name(
            "scale", options.scale, dict.fromkeys(scale for one in experiments for scale in one.scales)
        )
    for which in experiments:
        scale, corpora = options.scale or list(which.scales)[-1], which.corpora
        if options.corpus:
            corpora = [options.corpus if options.corpus in which.corpora else canonical(options.corpus)]
        for corpus in corpora if scale in which.scales else ():
            batches.append(Batch(Place(which, corpus, scale, options.seed), options.units, options.force))
    return batches


def named(name):
    """Return the experiments that a name means: all without one, a paper's, or the one of that full or last name."""
    every = list(store.EXPERIMENTS.values())
    meant = [which for which in every if not name or name.rstrip("/") in (which.paper, which.full_name)]
    meant = meant or [which for which in every if which.name == name]
    if not meant:
        known = [part for one in every for part in (one.paper, one.full_name)]
        check_name("experiment or paper", name, dict.fromkeys(known))
    if name and len({which.paper for which in meant}) > 1:
        raise ValueError(f"{name!r} means several: {', '.join(which.full_name for which in meant)}")
    return meant


class Batch:
    """The units asked for of one place, and those to be computed: {place in the scale's order: unit}.

    Units that the corpus has not what it takes for are left out.
    """

    def __init__(self, place, numbers=None, force=False):
        self.place, self.which, self.made = place, place.which, place.keys
        every = dict(enumerate(self.which.units(place.scale)))
        if numbers and max(numbers) >= len(every):
            raise ValueError(
                f"{self.which.full_name} has units 0 to {len(every) - 1} at {place.scale} scale, no {max(numbers)}"
            )
        self.units = {n: every[n] for n in numbers or every if self.which.fits(place.corpus, **every[n])}
        self.due = {n: unit for n, unit in self.units.items() if force or self._made(unit) is None}

    @property
    def name(self):
        return f"{self.which.full_name}, {self.place.corpus}, {self.place.scale}, seed {self.place.seed}"

    def announce(self, why):
        """Say what there is and what goes, and for each unit why it is due or what made it, if asked."""
        replaced = [unit for unit in self.due.values() if self._made(unit)]
        held = len(self.units) - len(self.due) + len(replaced)
        if self.place.scale == store.QUICK:
            print(f"{self.name}: {len(self.units)} units, which are kept in the cache alone")
        else:
            print(f"{self.name}: {held} of {len(self.units)} units are stored, {len(self.due)} to compute")
        if replaced:
            print("  to be replaced: " + "; ".join(map(self._spelled, replaced)))
        for unit in self.units.values() if why else ():
            print(f"  {self._spelled(unit)}: {self.reason(unit)}")

    def reason(self, unit):
        """Return why a unit is due, or how what is stored differs from what would be computed today."""
        made = self._made(unit)
        if made is None:
            return "not stored"
        then = made["settings"] | {"version": made["version"], "code": made["code"] or "not recorded"}
        now = plain({name: value for name, value in unit.items() if name not in self.which.axes})
        now |= {"version": polytopic.__version__, "code": self.which.code}
        names = [name for name in sorted(then.keys() | now.keys()) if then.get(name) != now.get(name)]
        changed = "; ".join(f"{name} {then.get(name)} then, {now.get(name)} now" for name in names)
        return f"stored, made otherwise: {changed}" if changed else "stored, made by this code"

    def _made(self, unit):
        return self.made.get(self.which.key(unit))

    def _spelled(self, unit):
        return ", ".join(f"{axis}={plain(unit[axis])!r}" for axis in self.which.axes) or "its only unit"


def compute(batches, options):
    """Compute batch after batch, and end by one line.

    Returns 1 where a corpus is not at hand, or a result could not be stored.
    """
    forget_drafts(paths.results())
    began = time.monotonic()
    until = began + 60 * options.minutes if options.minutes else None
    waiting = [batch for batch in batches if batch.due]
    done, failed = 0, 0
    for number, batch in enumerate(waiting, 1):
        print(f"[{number}/{len(waiting)}] {batch.name}: {len(batch.due)} units", flush=True)
        place = (batch.which, batch.place.corpus, batch.place.scale, batch.place.seed)
        how = {"numbers": list(batch.due), "jobs": options.jobs, "force": options.force, "until": until}
        try:
            with _workers(options), warnings.catch_warnings(record=True) as warned:
                done += len(store.units(*place, **how))
        except (MissingCorpus, DamagedFile, OtherContent) as problem:
            print(f"{batch.name}: {problem}", file=sys.stderr)
            failed = 1
            continue
        unstored = [str(one.message) for one in warned if str(one.message).startswith(UNSTORED)]
        for one in warned:
            if str(one.message) not in unstored:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        if unstored:
            kept = "It stays in the cache, from which the same command stores it"
            print(f"{batch.name}: {unstored[0]}. {kept}", file=sys.stderr)
            failed = 1
    total, there = (
        sum(len(batch.due) for batch in waiting),
        sum(len(one.units) - len(one.due) for one in batches),
    )
    quick = all(batch.place.scale == store.QUICK for batch in batches)
    folder = "" if quick else f": {paths.results()}"
    took = duration(time.monotonic() - began)
    print(f"{done} units done in {took}, {there} were there, {total - done} missing{folder}")
    return failed


def _workers(options):
    """Return a context in which processes that compute units end with this one, even if it is killed."""
    if options.jobs == 1 or options.dask:
        return nullcontext()
    return parallel_config("loky", initializer=end_with, initargs=(os.getpid(),))


def end_with(parent):
    """End this process soon after its parent, which joblib's workers outlive until their task is done."""

    def watch():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    if os.name != "nt":  # Windows tells the same parent for ever
        threading.Thread(target=watch, daemon=True).start()
