"""The command ``results``: what the study has stored, what is missing, what other code made, and computing it."""

import os
import sys
import threading
import time
import warnings
from contextlib import nullcontext
from functools import cached_property

from joblib import parallel_config

import polytopic
from polytopic import paths
from polytopic.command.arguments import Refusal, check_checkout, check_dask, refusing
from polytopic.command.progress import duration
from polytopic.datasets import DamagedFile, MissingCorpus, catalogue
from polytopic.files import forget_drafts
from polytopic.study import store
from polytopic.study.store import UNSTORED, OtherContent, Place, plain
from polytopic.validation import check_name


def run(options):
    """Show the overview, or compute what is named and missing. Returns 0, or 1 where something could not be had."""
    check_checkout("data")
    if options.audit and (options.all or options.units or options.force):
        raise Refusal("--audit draws its units itself: name it without --all, --units and --force")
    if not (options.name or options.corpus or options.scale or options.all or options.audit):
        if options.force or options.units or options.minutes:
            raise Refusal("name an experiment, as in PAPER/EXPERIMENT, or --all; without, all are only shown")
        print_overview(options.why)
        return 0
    if options.dask:
        check_dask(options.dask)
        os.environ[store.DASK] = options.dask
    store.load()
    with refusing():
        batches = batches_of(options)
    for batch in batches:
        batch.announce(options.why)
    if options.dry_run:
        costs = [batch.seconds for batch in batches if batch.due]
        known = sum(seconds for seconds in costs if seconds is not None)
        due = sum(len(batch.due) for batch in batches)
        print(
            f"{due} units to compute, some {duration(known)} of one core by the costs of those stored"
            + (f" and what {costs.count(None)} of the lines above do not know" if None in costs else "")
        )
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
    shown = table.drop(columns=["drawn", "again", "as_before"]).rename(columns=headings)
    print(shown.to_string(index=False))
    sums = table[["stored", "missing", "other_code", "no_code", "audited"]].sum()
    print(
        f"{sums.stored} units are stored, {sums.missing} missing, {sums.other_code} made by other code than today's, "
        f"{sums.no_code} by code that was not recorded; of both {sums.audited} are audited: one in ten, drawn, came "
        "out as before."
    )
    for row in table.itertuples() if why else ():
        Batch(Place(store.EXPERIMENTS[row.experiment], row.corpus, row.scale, row.seed)).announce(why)


def batches_of(options):
    """Return a Batch for each place that the options mean. Raises ValueError for an unknown name.

    With --all and --audit the cheapest units come first, and those whose cost nobody knows last.
    """
    experiments, renew = experiments_of(options.name), options.all or options.audit
    if options.scale:
        scales = dict.fromkeys(scale for one in experiments for scale in one.scales)
        check_name("scale", options.scale, scales)
    batches = [
        Batch(place, options.units, options.force, renew, options.audit)
        for which in experiments
        for place in places_of(which, options)
    ]
    return sorted(batches, key=Batch.rank) if renew else batches


def places_of(which, options):
    """Return the places of an experiment that the options mean; to audit, all that are stored."""
    corpora, stored = which.corpora, store.places(which)
    if options.all or options.audit:
        corpora = list(dict.fromkeys([*corpora, *(one.corpus for one in stored)]))
    if options.corpus:
        corpora = [options.corpus if options.corpus in which.corpora else catalogue.canonical(options.corpus)]
    if options.audit:
        return [one for one in stored if one.corpus in corpora and options.scale in (None, one.scale)]
    scale = options.scale or list(which.scales)[-1]
    return [Place(which, corpus, scale, options.seed) for corpus in corpora if scale in which.scales]


def experiments_of(name):
    """Return the experiments that a name means: all without one, a paper's, or the one of that full or last name."""
    every = list(store.EXPERIMENTS.values())
    meant = [which for which in every if not name or name.rstrip("/") in (which.paper, which.full_name)]
    meant = meant or [which for which in every if which.name == name]
    if not meant:
        known = dict.fromkeys(part for one in every for part in (one.paper, one.full_name))
        same = [one for one in known if one.startswith(name.partition("/")[0] + "/")]
        check_name("experiment or paper", name, same or known)
    if name and len({which.paper for which in meant}) > 1:
        raise ValueError(f"{name!r} means several: {', '.join(which.full_name for which in meant)}")
    return meant


class Batch:
    """The units asked for of one place, and those to be computed: {place in the scale's order: unit}.

    Units that the corpus has not what it takes for are left out. ``renew`` asks for those of the scale, and for those
    that are stored beyond it, and computes what is missing and what other code made; ``audit`` only for the drawn.
    """

    def __init__(self, place, numbers=None, force=False, renew=False, audit=False):
        self.place, self.which, self.made, self.replaces = place, place.which, place.keys, force or renew
        self.renews, self.code = renew and not force, place.which.code
        every = dict(enumerate(self.which.units(place.scale)))
        if numbers and max(numbers) >= len(every):
            known = f"{self.which.full_name} has units 0 to {len(every) - 1} at {place.scale} scale"
            raise ValueError(f"{known}, no {max(numbers)}")
        if renew and not numbers:
            every = dict(enumerate([*every.values(), *self._beyond(every)]))
        if audit:
            drawn = set(place.drawn)
            every = {n: unit for n, unit in every.items() if self.which.key(unit) in drawn}
        self.units = {n: every[n] for n in numbers or every if self.which.fits(place.corpus, **every[n])}
        self.due = {n: unit for n, unit in self.units.items() if force or self._is_due(unit, renew)}

    def _beyond(self, every):
        """Return units, with this scale's settings, that are stored of the corpus and no part of the scale."""
        known, found = {self.which.key(unit) for unit in every.values()}, {}
        (some, *_) = every.values()
        for other in store.places(self.which):
            if (other.corpus, other.seed) == (self.place.corpus, self.place.seed):
                found |= {key: some | made["unit"] for key, made in other.keys.items() if key not in known}
        return found.values()

    def cost(self, unit):
        """Seconds of one core that a unit takes: the mean of the stored ones that are most like it, or None.

        Those are of its kind and this place, else of its kind, else of this place, else all. Its kind is its model,
        or what else its axes are but the first, which counts splits or runs. Units of several corpora count in
        proportion to tokens, where these are known.
        """
        kind, here = self._kind(unit), _tokens(self.place.corpus)
        likeness = [(known["kind"] == kind, known["place"] == self.place) for known in self._known]
        most = max(likeness, default=None)
        alike = [known for known, how in zip(self._known, likeness, strict=True) if how == most]
        sized = [known for known in alike if here and known["tokens"]]
        if not sized:
            return sum(known["seconds"] for known in alike) / len(alike) if alike else None
        return here * sum(known["seconds"] for known in sized) / sum(known["tokens"] for known in sized)

    @cached_property
    def _known(self):
        """What is stored of the experiment with its seconds: place, kind, tokens of the corpus (or None), seconds."""
        return [
            {
                "place": at,
                "kind": self._kind(made["unit"]),
                "tokens": _tokens(at.corpus),
                "seconds": made["seconds"],
            }
            for at in store.places(self.which)
            for made in at.keys.values()
            if made["seconds"] is not None
        ]

    def _kind(self, unit):
        return [plain(unit.get(axis)) for axis in self.which.axes[1:] or self.which.axes]

    @cached_property
    def seconds(self):
        """Seconds of one core that the units to be computed take by ``cost``, or None."""
        costs = [self.cost(unit) for unit in self.due.values()]
        return None if None in costs else sum(costs)

    def rank(self):
        """The order of places to compute: the cheapest units first, then those whose cost nobody knows."""
        return self.seconds is None, (self.seconds or 0) / max(1, len(self.due))

    @property
    def name(self):
        return f"{self.which.full_name}, {self.place.corpus}, {self.place.scale}, seed {self.place.seed}"

    def announce(self, why):
        """Say what there is and what goes, and for each unit why it is due or what made it, if asked."""
        replaced = [unit for unit in self.due.values() if self._made(unit)]
        stored = len(self.units) - len(self.due) + len(replaced)
        if self.place.scale == store.QUICK:
            print(f"{self.name}: {len(self.units)} units, which are kept in the cache alone")
        else:
            took = f", {duration(self.seconds)} of one core" if self.due and self.seconds is not None else ""
            print(
                f"{self.name}: {stored} of {len(self.units)} units are stored, {len(self.due)} to compute{took}"
            )
        if replaced and self.renews:
            print(f"  to be replaced: {len(replaced)} that other code made")
        elif replaced:
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
        now |= {"version": polytopic.__version__, "code": self.code}
        names = [name for name in sorted(then.keys() | now.keys()) if then.get(name) != now.get(name)]
        changed = "; ".join(f"{name} {then.get(name)} then, {now.get(name)} now" for name in names)
        return f"stored, made otherwise: {changed}" if changed else "stored, made by this code"

    def _is_due(self, unit, renew):
        made = self._made(unit)
        return made is None or renew and made["code"] != self.code

    def _made(self, unit):
        return self.made.get(self.which.key(unit))

    def _spelled(self, unit):
        return ", ".join(f"{axis}={plain(unit[axis])!r}" for axis in self.which.axes) or "its only unit"


def _tokens(corpus):
    return catalogue.facts().get(corpus, {}).get("tokens")


def compute(batches, options):
    """Compute batch after batch, and end by one line.

    Returns 1 where a corpus or a program of others is not at hand, or a result could not be stored.
    """
    forget_drafts(paths.results())
    began = time.monotonic()
    until = began + 60 * options.minutes if options.minutes else None
    waiting = [batch for batch in batches if batch.due]
    done, failed = 0, 0
    for number, batch in enumerate(waiting, 1):
        print(f"[{number}/{len(waiting)}] {batch.name}: {len(batch.due)} units", flush=True)
        place = (batch.which, batch.place.corpus, batch.place.scale, batch.place.seed)
        how = {
            "only": list(batch.due.values()),
            "jobs": options.jobs,
            "force": batch.replaces,
            "until": until,
        }
        try:
            with _workers(options), warnings.catch_warnings(record=True) as warned:
                done += len(store.units(*place, **how))
        except (MissingCorpus, DamagedFile, OtherContent, ModuleNotFoundError) as problem:
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
    total = sum(len(batch.due) for batch in waiting)
    there = sum(len(batch.units) for batch in batches) - total
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
