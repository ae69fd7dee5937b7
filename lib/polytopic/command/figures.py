"""The command ``figures``: which notebooks are meant, with which parameters, what is due, and running it."""

import os

import psutil
import yaml

from polytopic import paths
from polytopic.command import gallery, notebooks, runner
from polytopic.command.arguments import Refusal, check_checkout, check_dask, refusing
from polytopic.command.progress import duration, expectation
from polytopic.datasets import DamagedFile, MissingCorpus, catalogue, load_corpus
from polytopic.validation import check_count

BYTES_OF_A_RUN = 1_500_000_000  # what a notebook on the embedded corpus takes at most, its kernel included


def run(options):
    """Run the notebooks that are due, write the gallery, and return 1 if any of them failed, else 0."""
    check_checkout("notebooks")
    found = notebooks.find()
    if not found:
        raise Refusal(f"there are no notebooks in {paths.notebooks()}")
    with refusing():
        chosen = notebooks.select(options.names, found)
        given = given_parameters(options, chosen)
        check_splits(given, chosen)
        runs = runner.plan(chosen, options.scale, given)
    if options.dask:
        check_dask(options.dask)
    for name in given:
        without = [notebook.name for notebook in chosen if name not in notebook.parameters]
        if without:
            print(f"Not changed by {name}, which they do not have: {', '.join(without)}")
    reasons = {run.name: "forced" if options.force else runner.staleness(run) for run in runs}
    due = [run for run in runs if reasons[run.name]]
    jobs = min(options.jobs or jobs_at_once(), max(1, len(due)))
    _print_plan(runs, due, reasons, options, jobs)
    if options.dry_run:
        return 0
    failed = 0
    if due:
        runner.forget_killed_runs()
        runner.compile_once()
        failed = runner.execute(due, jobs, options.dask)
    for name, reason in runner.keep_outputs(runs).items() if options.keep_outputs else ():
        print(f"{name}: its outputs are not kept, run it again ({reason})")
    pages = [gallery.write(folder, found) for folder in dict.fromkeys(run.figures for run in runs)]
    if failed:
        print(f"{failed} of {len(due)} failed")
    print(f"The figures: {' '.join(map(str, pages))}")
    return int(failed > 0)


def jobs_at_once():
    """Return how many notebooks go on at once unless the user says: one for each core, as far as memory goes."""
    return max(1, min(os.cpu_count() or 1, psutil.virtual_memory().available // BYTES_OF_A_RUN))


def given_parameters(options, chosen):
    """Return {name: value} of the parameters that the user named. Raises ValueError for a wrong one."""
    named = {name: getattr(options, name) for name in ("corpus", "seed", "splits")}
    given = {name: value for name, value in named.items() if value is not None}
    if "corpus" in given:
        given["corpus"] = catalogue.canonical(options.corpus)
    for text in options.parameter:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"-p wants NAME=VALUE, and {text!r} has no '='")
        try:
            given[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ValueError(f"{value!r} is not a value in YAML: {error}") from None
        notebooks.check(name, given[name], chosen)
    check_count(0, seed=given.get("seed", 0))
    return given


def check_splits(given, chosen):
    """Raise ValueError where a split is asked for that a notebook's corpus has not, before anything is run."""
    asking = [notebook.parameters | given for notebook in chosen if "splits" in notebook.parameters]
    for corpus in {own.get("corpus") for own in asking if "splits" in given} - {None}:
        known = catalogue.facts().get(corpus, {}).get("splits")
        try:
            known = len(load_corpus(corpus).splits) if known is None else known
        except (MissingCorpus, DamagedFile) as problem:
            raise ValueError(str(problem)) from None
        beyond = [split for split in given["splits"] if not 0 <= split < known]
        if beyond:
            there = f"splits 0 to {known - 1}" if known else "no splits"
            raise ValueError(f"{corpus} has {there}, and no split {', '.join(map(str, beyond))}")


def _print_plan(runs, due, reasons, options, jobs):
    print(f"{len(due)} of {len(runs)} notebooks to run, {len(runs) - len(due)} up to date")
    if not (options.dry_run or options.why):
        return
    expected = expectation(due)
    for run in runs:
        took = f" (about {duration(expected[run.name])})" if run.name in expected else ""
        print(f"  {run.name}: {f'run{took}' if reasons[run.name] else 'up to date'}")
        if options.why and reasons[run.name]:
            print(f"    {reasons[run.name]}")
        if options.dry_run:
            values = (run.notebook.parameters | run.parameters).items()
            print(f"    {', '.join(f'{name}={value!r}' for name, value in values) or 'no parameters'}")
            print(f"    {run.output}")
    if expected:
        print(f"In all about {duration(sum(expected.values()) / jobs)}")
