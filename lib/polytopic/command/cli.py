"""The command ``polytopic``: list, figures, data, lab, bench, test."""

import argparse
import difflib
import os
import subprocess
import sys
from contextlib import contextmanager

from polytopic import __version__

HANDED_ON = ("lab", "test")
NEWS_SETTINGS = '{"fetchNews": "false", "checkForUpdates": false}\n'


class Refusal(Exception):
    """The command cannot be carried out as given; the message says why."""


@contextmanager
def refusing():
    """Turn a ValueError about what the user named into a Refusal."""
    try:
        yield
    except ValueError as mistake:
        raise Refusal(str(mistake)) from None


def main(arguments=None):
    """Run one command. Returns its status: 0 done, 1 something failed, 2 wrong usage, 130 interrupted."""
    parser, commands = build_parsers()
    try:
        options = parse(parser, commands, sys.argv[1:] if arguments is None else list(arguments))
        return options.run(options)
    except Refusal as refusal:
        print(f"polytopic: {refusal}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        if missing.name.partition(".")[0] == "polytopic":
            raise
        print(
            f"polytopic: this command needs {missing.name}: pip install 'polytopic[study]'", file=sys.stderr
        )
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted. What was finished stays; the same command goes on from there.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def build_parsers():
    """Return the whole parser, and the parsers of the commands by name."""
    parser = argparse.ArgumentParser(
        "polytopic", description="The study of multi-label topic models.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"polytopic {__version__}")
    parser.set_defaults(run=lambda options: parser.print_help() or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name, run, summary):
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
        )
        command.set_defaults(run=run)
        return command

    add("list", run_list, "show the corpora, notebooks and models, and which notebooks are fresh")
    _add_figures_options(
        add("figures", run_figures, "run notebooks that are not fresh, and write their figures")
    )
    data = add("data", run_data, "download, check and describe corpora")
    data.add_argument("names", nargs="*", metavar="NAME", help="corpora; without a name, a table of all")
    lab = add("lab", run_lab, "open the notebooks in JupyterLab")
    lab.add_argument("rest", nargs="*", metavar="ARGUMENT", help="handed on to JupyterLab")
    bench = add("bench", run_bench, "run benchmarks")
    bench.add_argument("names", nargs="*", metavar="NAME", help="scripts in benchmarks; without a name, all")
    bench.add_argument(
        "--quick",
        action="store_true",
        help="small sizes, to see that the scripts run: the figures mean nothing",
    )
    test = add("test", run_test, "run the tests, and the notebooks as tests")
    test.add_argument("rest", nargs="*", metavar="ARGUMENT", help="handed on to pytest")
    return parser, commands.choices


def _add_figures_options(figures):
    figures.add_argument(
        "names", nargs="*", metavar="NAME", help="notebooks (rubin2012/fig_06) or folders (rubin2012)"
    )
    figures.add_argument("--corpus", metavar="NAME", help="use this corpus instead of the notebooks' own")
    figures.add_argument(
        "--scale", choices=("quick", "paper"), default="quick", help="chains and sweeps (default: quick)"
    )
    figures.add_argument("--seed", type=int, metavar="N", help="use this seed")
    figures.add_argument(
        "--splits", type=whole_numbers, metavar="LIST", help="use these splits: 0,1,2 or 0-4"
    )
    figures.add_argument(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE",
        help="set any other parameter that the notebooks have; VALUE as in YAML: 5, 0.1, [1, 2], text",
    )  # fmt: skip
    figures.add_argument("--force", action="store_true", help="run what is fresh, too")
    figures.add_argument("--dry-run", action="store_true", help="only say what would run")
    figures.add_argument("--why", action="store_true", help="say for each notebook why it is due")
    figures.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="run N notebooks at once (default: 1)"
    )
    figures.add_argument("--dask", metavar="ADDRESS", help="send the experiments to this Dask scheduler")
    figures.add_argument(
        "--keep-outputs",
        action="store_true",
        help="write the outputs of standard runs back into the notebooks",
    )


def parse(parser, commands, arguments):
    """Return the options. Raises Refusal, with suggestions, for an unknown command or option."""
    command = arguments[0] if arguments else ""
    if command in HANDED_ON and not {"-h", "--help"} & set(arguments[1:2]):
        return argparse.Namespace(run=commands[command].get_default("run"), rest=arguments[1:])
    if command and not command.startswith("-") and command not in commands:
        raise Refusal(f"there is no command {command!r}{suggestion(command, commands)}")
    options, rest = parser.parse_known_args(arguments)
    if rest:
        known = commands[command]._option_string_actions if command in commands else []
        raise Refusal(f"{command} has no option {rest[0]!r}{suggestion(rest[0].partition('=')[0], known)}")
    return options


def suggestion(word, known):
    near = difflib.get_close_matches(word, list(known), n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(known)}"


def whole_numbers(text):
    """Return the numbers of a list such as ``0,1,2`` or ``0-4``."""
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def run_list(options):
    from polytopic import models
    from polytopic.datasets import catalogue

    print("Corpora")
    _print_corpora()
    print("\nModels")
    for name in models.__all__:
        print(f"  {name:30} {(getattr(models, name).__doc__ or '').strip().partition(chr(10))[0]}")
    try:
        from polytopic.command import notebooks, runner
        from polytopic.study.rubin2012 import experiments
    except ModuleNotFoundError as missing:
        print(f"\nThe study's commands need {missing.name}: pip install 'polytopic[study]'")
        return 0
    print("\nStored results at the papers' scale")
    counts = {name: _result_count(experiments.stored(name)) for name in catalogue.names()}
    for name, count in counts.items():
        if count:
            print(f"  {name:22} {count}")
    if not any(counts.values()):
        print("  none")
    print("\nNotebooks (at quick scale)")
    found = notebooks.find()
    for run in runner.plan(found):
        print(f"  {run.name:30} {runner.staleness(run) or 'fresh':30} {run.notebook.title}")
    if not found:
        print(f"  none in {_notebooks_folder()}")
    return 0


def _result_count(measures):
    """Return how many results a table of measures comes from."""
    return len(measures[["model", "split", "seed"]].drop_duplicates())


def _print_corpora():
    from polytopic.datasets import catalogue

    for name, row in catalogue.entries().items():
        documents, words, labels = (row.get(part, "?") for part in ("documents", "words", "labels"))
        size = f"{documents:>7} documents {words:>6} words {labels:>5} labels"
        print(f"  {name:22} {size}  {'at hand' if row['at_hand'] else 'to fetch'}")


def _notebooks_folder():
    from polytopic import paths

    return paths.notebooks()


def run_figures(options):
    from polytopic.command import gallery, notebooks, runner
    from polytopic.command.progress import Progress

    found = notebooks.find()
    if not found:
        raise Refusal(
            f"there are no notebooks in {_notebooks_folder()}; POLYTOPIC_HOME names the study's folder"
        )
    with refusing():
        chosen = notebooks.select(options.names, found)
        given = given_parameters(options, chosen)
        runs = runner.plan(chosen, options.scale, given)
    _print_unchanged(chosen, given)
    reasons = {run.name: "forced" if options.force else runner.staleness(run) for run in runs}
    due = [run for run in runs if reasons[run.name]]
    _print_plan(runs, due, reasons, options)
    if options.dry_run:
        return 0
    failed = (
        runner.execute(due, Progress(due, options.jobs), max(1, options.jobs), options.dask) if due else 0
    )
    if options.keep_outputs:
        for name, reason in runner.keep_outputs(runs).items():
            print(f"{name}: its outputs are not kept, run it again ({reason})")
    pages = [gallery.write(folder, found) for folder in dict.fromkeys(run.figures for run in runs)]
    if failed:
        print(f"{failed} of {len(due)} failed")
    print(f"The figures: {' '.join(map(str, pages))}")
    return 1 if failed else 0


def given_parameters(options, chosen):
    """Return {name: value} of the parameters that the user named. Raises ValueError for a wrong one."""
    from polytopic.command import notebooks

    given = {}
    if options.corpus is not None:
        from polytopic.datasets.catalogue import canonical

        given["corpus"] = canonical(options.corpus)
    named = {"seed": options.seed, "splits": options.splits}
    given |= {name: value for name, value in named.items() if value is not None}
    for text in options.parameter:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"-p wants NAME=VALUE, and {text!r} has no '='")
        given[name] = _yaml_value(value)
        notebooks.check(name, given[name], chosen)
    return given


def _yaml_value(text):
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{text!r} is not a value in YAML: {error}") from None


def _print_unchanged(chosen, given):
    for name in given:
        without = [notebook.name for notebook in chosen if name not in notebook.parameters]
        if without:
            print(f"Not changed by {name}, which they do not have: {', '.join(without)}")


def _print_plan(runs, due, reasons, options):
    from polytopic.command.progress import duration, expectation

    print(f"{len(due)} of {len(runs)} notebooks to run, {len(runs) - len(due)} fresh")
    if not (options.dry_run or options.why):
        return
    expected = expectation(due)
    for run in runs:
        seconds = expected.get(run.name)
        took = f" (about {duration(seconds)})" if seconds is not None else ""
        print(f"  {run.name}: {'run' + took if reasons[run.name] else 'fresh'}")
        if options.why and reasons[run.name]:
            print(f"    {reasons[run.name]}")
        if options.dry_run:
            values = run.notebook.parameters | run.parameters
            print(
                f"    {', '.join(f'{name}={value!r}' for name, value in values.items()) or 'no parameters'}"
            )
            print(f"    {run.output}")
    if expected:
        print(f"In all about {duration(sum(expected.values()) / max(1, options.jobs))}")


def run_data(options):
    from polytopic import datasets
    from polytopic.datasets.catalogue import canonical
    from polytopic.datasets.description import describe

    if not options.names:
        _print_corpora()
        return 0
    with refusing():
        names = [canonical(name) for name in options.names]
    failed = 0
    for name in names:
        try:
            corpus = datasets.load_corpus(name)
        except (datasets.MissingCorpus, datasets.DamagedFile) as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            failed += 1
            continue
        print(f"{name}: {', '.join(f'{key} {value}' for key, value in describe(corpus).items())}")
    return 1 if failed else 0


def run_lab(options):
    from polytopic import paths
    from polytopic.command import notebooks
    from polytopic.files import write_whole

    settings = paths.cache() / "lab"
    news = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    if not news.is_file():
        write_whole(news, NEWS_SETTINGS)
    start = next(iter(notebooks.find()), None)
    place = f"/lab/tree/notebooks/{start.name}.ipynb" if start else "/lab"
    command = ["jupyterlab", f"--ServerApp.root_dir={paths.root()}", f"--LabApp.default_url={place}"]
    return become(
        command + options.rest,
        {"JUPYTERLAB_SETTINGS_DIR": str(settings), "POLYTOPIC_HOME": str(paths.root())},
    )


def run_bench(options):
    from polytopic import paths
    from polytopic.command import notebooks, runner
    from polytopic.study import speed

    folder = paths.root() / "benchmarks"
    scripts = {path.stem: path for path in sorted(folder.glob("*.py")) if not path.stem.startswith("_")}
    for name in options.names:
        if name.removesuffix(".py") not in scripts:
            raise Refusal(str(notebooks.unknown("benchmark", name, list(scripts))))
    if not scripts:
        print(f"There are no benchmarks in {folder} yet.")
        return 0
    failed, chosen = [], [name.removesuffix(".py") for name in options.names] or list(scripts)
    for name in chosen:
        print(f"{name}:", flush=True)
        command = [sys.executable, str(scripts[name]), *(["--quick"] if options.quick else [])]
        if subprocess.call(command, cwd=paths.root(), env=os.environ | runner.environment()):
            failed.append(name)
    if (folder / "aims.csv").is_file():
        print(
            "Aims beside what this run measured" + (", at sizes too small to mean anything:" * options.quick)
        )
        print(
            speed.aims_text(speed.aims(speed.folder(options.quick), [n for n in chosen if n not in failed]))
        )
    if failed:
        print(f"Failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def run_test(options):
    from polytopic import paths

    if not (paths.root() / "tests").is_dir():
        raise Refusal(f"there are no tests in {paths.root()}; they are part of the study's checkout")
    return become(["pytest", "-n", "2", *options.rest], {"POLYTOPIC_CHECK_FIGURES": "1", "TQDM_DISABLE": "1"})


def become(module, variables):
    """Become ``python -m module ...`` in the study's folder; on Windows, run it and return its status."""
    from polytopic import paths
    from polytopic.command import runner

    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    line, settings = [sys.executable, "-m", *module], inherited | runner.environment() | variables
    os.chdir(paths.root())
    sys.stdout.flush()
    if os.name == "nt":
        return subprocess.call(line, env=settings)
    return os.execve(line[0], line, settings)


if __name__ == "__main__":
    sys.exit(main())
