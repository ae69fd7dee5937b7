"""The command ``polytopic``: its commands, what each takes, and what is said when one cannot be carried out."""

import argparse
import errno
import inspect
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module

from polytopic import __version__, paths
from polytopic.command.arguments import Refusal, at_least, check_checkout, minutes, refusing, whole_numbers
from polytopic.practice import commands as practice

NO_ROOM = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM)
ELSEWHERE = "POLYTOPIC_RUNS, POLYTOPIC_FIGURES and POLYTOPIC_CACHE name other folders for what is written"
NO_NEWS = '{"fetchNews": "false", "checkForUpdates": false}\n'


def main(arguments=None):
    """Run one command. Returns its status: 0 done, 1 something failed, 2 wrong usage, 130 interrupted.

    Results are printed as UTF-8 whatever the terminal says; what a terminal cannot show of a message is spelled out.
    """
    for stream, encoding in ((sys.stdout, "utf-8"), (sys.stderr, None)):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        options = parse(sys.argv[1:] if arguments is None else list(arguments))
        return options.run(options)
    except Refusal as refusal:
        problem, status = refusal, 2
    except ModuleNotFoundError as missing:
        name = (missing.name or "").partition(".")[0]  # none where the library says itself what is missing
        if name == "polytopic":
            raise
        extra = practice.EXTRAS.get(name, "study")
        remedy = f"this command needs {missing.name}: pip install 'polytopic[{extra}]'"
        problem, status = str(missing) if "pip install" in str(missing) else remedy, 2
    except KeyboardInterrupt:
        print("\nInterrupted. What was finished stays; the same command goes on from there.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        reason = _no_room(error)
        if not reason:
            raise
        where = f" {error.filename}" if error.filename else ""
        problem, status = f"cannot write{where}: {reason}. {ELSEWHERE}", 1
    print(f"polytopic: {problem}", file=sys.stderr)
    return status


def _no_room(error):
    """Return in words why nothing can be written, or "" for another fault; shutil has many files' reasons in one."""
    if error.errno in NO_ROOM:
        return error.strerror or str(error)
    reasons = map(os.strerror, NO_ROOM) if isinstance(error, shutil.Error) else ()
    return next((reason for reason in reasons if reason in str(error)), "")


def build_parsers():
    """Return the whole parser, and the parsers of the commands by name."""
    about = "The study of multi-label topic models."
    parser = argparse.ArgumentParser("polytopic", description=about, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"polytopic {__version__}")
    parser.set_defaults(run=lambda options: parser.print_help() or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, summary, add_arguments, run in (*COMMANDS, *practice.COMMANDS):
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.set_defaults(run=run)
        add_arguments(command)
    return parser, commands.choices


def parse(arguments):
    """Return the options. Raises Refusal, with suggestions, for an unknown command or option.

    What follows a command that hands its arguments on, those named ``rest``, is not looked at.
    """
    parser, commands = build_parsers()
    name = arguments[0] if arguments else ""
    command = commands.get(name)
    hands_on = command and any(action.dest == "rest" for action in command._actions)
    if hands_on and not {"-h", "--help"} & set(arguments[1:2]):
        return argparse.Namespace(run=command.get_default("run"), rest=arguments[1:])
    if name and not name.startswith("-"):
        check_name("command", name, commands)
    options, rest = parser.parse_known_args(arguments)
    if rest:
        known = command._option_string_actions if command else ()
        check_name(f"option of {name or 'polytopic'}", rest[0].partition("=")[0], known)
    return options


def check_name(kind, name, known):
    """Raise Refusal for a name that is not known, with the nearest one."""
    if name not in known:
        from polytopic import validation

        with refusing():
            validation.check_name(kind, name, known)


def module(name):
    """Return what runs the command of a module of this package, imported when it is called."""
    return lambda options: import_module(f"polytopic.command.{name}").run(options)


def run_list(options):
    """Show the corpora, notebooks and models, and which notebooks are up to date."""
    from polytopic import models

    print("Corpora")
    _print_corpora()
    print("\nModels")
    for name in models.__all__:
        if inspect.isclass(getattr(models, name)):
            print(f"  {name:30} {inspect.getdoc(getattr(models, name)).splitlines()[0]}")
    try:
        from polytopic.command import notebooks, results, runner
    except ModuleNotFoundError as missing:
        print(f"\nThe study's commands need {missing.name}: pip install 'polytopic[study]'")
        return 0
    found = notebooks.find()
    if not found:
        print(f"\nThe study's notebooks lie in its checkout; there are none in {paths.notebooks()}")
        return 0
    print("\nStored results")
    results.print_overview()
    print("\nNotebooks (at quick scale)")
    for run in runner.plan(found):
        print(f"  {run.name:30} {runner.staleness(run) or 'up to date':30} {run.notebook.title}")
    return 0


def _print_corpora():
    from polytopic.datasets import catalogue

    for name, facts in catalogue.entries().items():
        sizes = " ".join(f"{facts.get(part, '?'):>7} {part}" for part in ("documents", "words", "labels"))
        to_get = "to fetch" if facts.get("how") == "download" else "not at hand"
        print(f"  {name:22} {sizes}  {'at hand' if facts['at_hand'] else to_get}")


def run_data(options):
    """Download, check and describe corpora; return 1 where one cannot be had."""
    from polytopic import datasets
    from polytopic.datasets.catalogue import canonical, catalogue_table, describe

    if options.table:
        print(catalogue_table(), end="")
    elif not options.names:
        _print_corpora()
    with refusing():
        names = [canonical(name) for name in options.names]
    failed = 0
    for name in names:
        try:
            figures = describe(datasets.load_corpus(name)).items()
            print(f"{name}: {', '.join(f'{key} {value}' for key, value in figures)}")
        except (datasets.MissingCorpus, datasets.DamagedFile) as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            failed = 1
    return failed


def run_claims(options):
    """Show the papers' claims with their verdicts, as lines for people or as JSON for programs."""
    from polytopic.study import claims

    check_checkout("data")
    if options.paper:
        check_name("paper", options.paper, claims.PAPERS)
    if options.json:
        print(json.dumps(claims.as_records(options.paper), indent=1, ensure_ascii=False))
    else:
        print(claims.Page(claims.register(options.paper, kind=claims.CLAIM)))
    return 0


def run_site(options):
    """Run the script that builds the site, which lies in the checkout's docs."""
    check_checkout("docs")
    folder = options.folder or paths.runs() / "site"
    command = [sys.executable, str(paths.root() / "docs" / "build.py"), str(folder)]
    return subprocess.call([*command, "--pdf"] if options.pdf else command)


def run_lab(options):
    """Become JupyterLab, at the first notebook, without news."""
    from polytopic.command import notebooks
    from polytopic.files import write_whole

    check_checkout("notebooks")
    settings = paths.cache() / "lab"
    news = settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    if not news.is_file():
        write_whole(news, NO_NEWS)
    start = next(iter(notebooks.find()), None)
    place = f"/lab/tree/notebooks/{start.name}.ipynb" if start else "/lab"
    command = ["jupyterlab", f"--ServerApp.root_dir={paths.root()}", f"--LabApp.default_url={place}"]
    variables = {"JUPYTERLAB_SETTINGS_DIR": str(settings), "POLYTOPIC_HOME": str(paths.root())}
    return become(command + options.rest, variables)


def run_bench(options):
    """Run benchmarks, each in a process of its own, and set what they measured beside the aims."""
    from polytopic.command import runner

    folder = paths.root() / "benchmarks"
    scripts = {path.stem: path for path in sorted(folder.glob("*.py")) if not path.stem.startswith("_")}
    chosen = [name.removesuffix(".py") for name in options.names] or list(scripts)
    for name in chosen:
        check_name("benchmark", name, scripts)
    if not scripts:
        print(f"There are no benchmarks in {folder} yet.")
        return 0
    failed, quick = [], ["--quick"] if options.quick else []
    for name in chosen:
        print(f"{name}:", flush=True)
        command = [sys.executable, str(scripts[name]), *quick]
        if subprocess.call(command, cwd=paths.root(), env=os.environ | runner.environment()):
            failed.append(name)
    if (folder / "aims.csv").is_file():
        small = ", at sizes too small to mean anything:" if options.quick else ""
        print(f"Aims beside what this run measured{small}")
        measured = [name for name in chosen if name not in failed]
        results = paths.cache() / "benchmarks" if options.quick else folder / "results"
        command = [sys.executable, str(folder / "_aims.py"), "--results", str(results), *measured]
        sys.stdout.flush()
        subprocess.check_call(command, cwd=paths.root(), env=os.environ | runner.environment())
    if failed:
        print(f"Failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def run_test(options):
    """Become pytest. Without further arguments, what tests/evidence.json proves at the code as it is, is skipped."""
    from polytopic.command import runner

    check_checkout("tests")
    given = [argument for argument in options.rest if argument not in ("--all", "--record")]
    record = "--record" in options.rest
    if record and given:
        raise Refusal("--record notes what a whole run proves, so nothing but --all goes with it")
    runner.compile_once()
    use = not given and "--all" not in options.rest
    settings = {"POLYTOPIC_CHECK_FIGURES": "1", "TQDM_DISABLE": "1"} | runner.ONE_THREAD
    settings["POLYTOPIC_EVIDENCE"] = "+".join(["use"] * use + ["record"] * record)
    return become(["pytest", "-n", "2", *given], settings)


def become(command, variables):
    """Become ``python -m command ...`` in the study's folder; on Windows, run it and return its status."""
    from polytopic.command import runner

    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    line, settings = [sys.executable, "-m", *command], inherited | runner.environment() | variables
    os.chdir(paths.root())
    sys.stdout.flush()
    if os.name == "nt":
        return subprocess.call(line, env=settings)
    return os.execve(line[0], line, settings)


def figures(parser):
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="notebooks (rubin2012/fig_06) or folders (rubin2012)")
    add("--corpus", metavar="NAME", help="use this corpus instead of the notebooks' own")
    add("--scale", choices=("quick", "paper"), default="quick", help="chains and sweeps (default: quick)")
    add("--seed", type=at_least(0), metavar="N", help="use this seed")
    add("--splits", type=whole_numbers, metavar="LIST", help="use these splits: 0,1,2 or 0-4")
    add(
        "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE",
        help="set any other parameter that the notebooks have; VALUE as in YAML: 5, 0.1, [1, 2], text",
    )  # fmt: skip
    add("--force", action="store_true", help="run what is up to date, too")
    add("--dry-run", action="store_true", help="only say what would run")
    add("--why", action="store_true", help="say for each notebook why it is due")
    add(
        "-j", "--jobs", type=at_least(1), metavar="N",
        help="run N notebooks at once (default: one for each core, as far as the memory goes)",
    )  # fmt: skip
    add("--dask", metavar="ADDRESS", help="send the experiments to this Dask scheduler")
    add("--keep-outputs", action="store_true", help="write outputs of standard runs back into the notebooks")


def results(parser):
    add = parser.add_argument
    add(
        "name", nargs="?", metavar="PAPER[/EXPERIMENT]",
        help="compute what is missing of these; without, a table",
    )  # fmt: skip
    add("--all", action="store_true", help="also what other code made, of all papers if none is named")
    add("--audit", action="store_true", help="of what other code made, one in ten that are drawn for it")
    add("--corpus", metavar="NAME", help="on this corpus (default: those of the experiment)")
    add("--scale", metavar="NAME", help="at this scale (default: the experiment's largest)")
    add("--seed", type=at_least(0), default=0, metavar="N", help="with this seed (default: 0)")
    add("--units", type=whole_numbers, metavar="LIST", help="only these, by their place in order: 0-19")
    add("--minutes", type=minutes, metavar="N", help="begin no unit after N minutes")
    add("--why", action="store_true", help="say of each unit why it is due, or what made it")
    add("--force", action="store_true", help="replace what is stored, and say what goes")
    add("--dry-run", action="store_true", help="only say what would be computed")
    add("-j", "--jobs", type=at_least(1), default=1, metavar="N", help="N units at once (default: 1)")
    add("--dask", metavar="ADDRESS", help="send the units to this Dask scheduler")


def data(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="corpora; without a name, a table of all")
    parser.add_argument("--table", action="store_true", help="print the table of data/README.md")


def claims(parser):
    parser.add_argument("paper", nargs="?", metavar="PAPER", help="of this paper alone")
    parser.add_argument(
        "--json", action="store_true", help="as JSON: command, evidence, digest, cases and verdict"
    )


def site(parser):
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="where to (default: runs/site)")
    parser.add_argument("--pdf", action="store_true", help="print the article instead, which needs LaTeX")


def lab(parser):
    parser.add_argument("rest", nargs="*", metavar="ARGUMENT", help="handed on to JupyterLab")


def bench(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="scripts in benchmarks; without a name, all")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that the scripts run")


def test(parser):
    parser.add_argument("--all", action="store_true", help="run what is proved at the code as it is, too")
    parser.add_argument("--record", action="store_true", help="note what passes in tests/evidence.json")
    handed_on = "handed on to pytest, which then skips nothing"
    parser.add_argument("rest", nargs="*", metavar="ARGUMENT", help=handed_on)


COMMANDS = [
    ("list", "Show the corpora, notebooks and models, and which notebooks are up to date.", lambda _: None, run_list),
    ("figures", "Run notebooks that are not up to date, and write their figures.", figures, module("figures")),
    ("results", "Show what results are stored and what is missing, or compute it.", results, module("results")),
    ("data", "Download, check and describe corpora.", data, run_data),
    ("claims", "Show what the papers claim, and the verdicts.", claims, run_claims),
    ("site", "Make the study's pages, which need no server, and check their links.", site, run_site),
    ("lab", "Open the notebooks in JupyterLab.", lab, run_lab),
    ("bench", "Run benchmarks.", bench, run_bench),
    ("test", "Run the tests, and the notebooks as tests, but for what passed with the same code.", test, run_test),
]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
