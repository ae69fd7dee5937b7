"""The command ``polytopic``: its commands, what each takes, and what is said when one cannot be carried out."""

import argparse
import errno
import inspect
import os
import shutil
import subprocess
import sys

from polytopic import __version__
from polytopic.command.arguments import (
    Refusal,
    at_least,
    check_checkout,
    lengths,
    minutes,
    number_or_share,
    pattern,
    refusing,
    share_or,
    whole_numbers,
)

HANDED_ON = ("annif", "lab", "test")
EXTRAS = {"tornado": "serve", "annif": "annif"}  # by what is missing; else it is the study's
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
        if missing.name.partition(".")[0] == "polytopic":
            raise
        extra = EXTRAS.get(missing.name.partition(".")[0], "study")
        problem, status = f"this command needs {missing.name}: pip install 'polytopic[{extra}]'", 2
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
    parser = argparse.ArgumentParser(
        "polytopic", description="The study of multi-label topic models.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"polytopic {__version__}")
    parser.set_defaults(run=lambda options: parser.print_help() or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for run, taken in COMMANDS.items():
        summary = run.__doc__.partition("\n")[0]
        name = run.__name__.removeprefix("run_")
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.set_defaults(run=run)
        for names, how in taken:
            command.add_argument(*names, **how)
    return parser, commands.choices


def taking(*names, **how):
    return names, how


def flag(name, text):
    return taking(name, action="store_true", help=text)


def parse(arguments):
    """Return the options. Raises Refusal, with suggestions, for an unknown command or option."""
    parser, commands = build_parsers()
    command = arguments[0] if arguments else ""
    if command in HANDED_ON and not {"-h", "--help"} & set(arguments[1:2]):
        return argparse.Namespace(run=commands[command].get_default("run"), rest=arguments[1:])
    if command and not command.startswith("-"):
        _check_name("command", command, commands)
    options, rest = parser.parse_known_args(arguments)
    if rest:
        known = commands[command]._option_string_actions if command in commands else ()
        _check_name(f"option of {command or 'polytopic'}", rest[0].partition("=")[0], known)
    return options


def _check_name(kind, name, known):
    from polytopic.validation import check_name

    with refusing():
        check_name(kind, name, known)


def run_list(options):
    """Show the corpora, notebooks and models, and which notebooks are fresh."""
    from polytopic import models, paths

    print("Corpora")
    _print_corpora()
    print("\nModels")
    for name in models.__all__:
        if inspect.isclass(getattr(models, name)):
            print(f"  {name:30} {inspect.getdoc(getattr(models, name)).splitlines()[0]}")
    try:
        from polytopic.command import notebooks, results, runner
        from polytopic.study import store
    except ModuleNotFoundError as missing:
        print(f"\nThe study's commands need {missing.name}: pip install 'polytopic[study]'")
        return 0
    found = notebooks.find()
    if not found:
        print(f"\nThe study's notebooks lie in its checkout; there are none in {paths.notebooks()}")
        return 0
    print("\nStored results")
    store.load()
    results.print_overview()
    print("\nNotebooks (at quick scale)")
    for run in runner.plan(found):
        print(f"  {run.name:30} {runner.staleness(run) or 'fresh':30} {run.notebook.title}")
    return 0


def _print_corpora():
    from polytopic.datasets import catalogue

    for name, facts in catalogue.entries().items():
        sizes = " ".join(f"{facts.get(part, '?'):>7} {part}" for part in ("documents", "words", "labels"))
        to_get = "to fetch" if facts.get("how") == "download" else "not at hand"
        print(f"  {name:22} {sizes}  {'at hand' if facts['at_hand'] else to_get}")


def run_figures(options):
    """Run notebooks that are not fresh, and write their figures."""
    from polytopic.command import figures

    return figures.run(options)


def run_results(options):
    """Show what results are stored and what is missing, or compute it."""
    from polytopic.command import results

    return results.run(options)


def run_data(options):
    """Download, check and describe corpora."""
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


def run_import(options):
    """Make a corpus of a table of texts (CSV, TSV, JSON lines, parquet), or of svmlight or ARFF files."""
    from polytopic.command import importing

    return importing.run(options)


def run_fit(options):
    """Train a model on a corpus and keep it in a folder."""
    from polytopic.command import labelling

    return labelling.run_fit(options)


def run_predict(options):
    """Label texts by a model that was kept: a table, a text a line, or standard input."""
    from polytopic.command import predicting

    return predicting.run(options)


def run_explain(options):
    """Say why texts have their labels: the words that speak for each, as coloured pages or as a table."""
    from polytopic.command import explaining

    return explaining.run(options)


def run_evaluate(options):
    """Say how well a kept model ranks the labels of a corpus."""
    from polytopic.command import labelling

    return labelling.run_evaluate(options)


def run_serve(options):
    """Answer over HTTP with the labels of a model that was kept."""
    from polytopic.command import serving

    return serving.run(options)


def run_annif(options):
    """Run a command of Annif, with this library's backend and analyzer known to it."""
    from polytopic import annif

    return annif.main(options.rest)


def run_site(options):
    """Make the study's pages, which need no server, and check their links."""
    from polytopic.command import site

    check_checkout("docs")
    return site.run(options)


def run_lab(options):
    """Open the notebooks in JupyterLab."""
    from polytopic import paths
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
    """Run benchmarks."""
    from polytopic import paths
    from polytopic.command import runner
    from polytopic.study import speed

    folder = paths.root() / "benchmarks"
    scripts = {path.stem: path for path in sorted(folder.glob("*.py")) if not path.stem.startswith("_")}
    chosen = [name.removesuffix(".py") for name in options.names] or list(scripts)
    for name in chosen:
        _check_name("benchmark", name, scripts)
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
        print(speed.aims_text(speed.aims(speed.folder(options.quick), measured)))
    if failed:
        print(f"Failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def run_test(options):
    """Run the tests, and the notebooks as tests, but for what is proved already.

    Becomes pytest. Without further arguments, what tests/evidence.json proves at the code as it is, is skipped.
    """
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


MANY = {"nargs": "*", "metavar": "NAME"}
REST = {"nargs": "*", "metavar": "ARGUMENT"}
READING = [
    taking("--text", nargs="+", default=["text"], metavar="COLUMN", help="the texts' column, or several to join"),
    taking("--delimiter", metavar="SIGN", help="what parts the columns of a CSV file (default: found out)"),
    taking("--encoding", metavar="NAME", help="such as cp1252 (default: UTF-8, or what a mark at the front says)"),
]  # fmt: skip
COMMANDS = {
    run_list: [],
    run_figures: [
        taking("names", **MANY, help="notebooks (rubin2012/fig_06) or folders (rubin2012)"),
        taking("--corpus", metavar="NAME", help="use this corpus instead of the notebooks' own"),
        taking("--scale", choices=("quick", "paper"), default="quick", help="chains and sweeps (default: quick)"),
        taking("--seed", type=at_least(0), metavar="N", help="use this seed"),
        taking("--splits", type=whole_numbers, metavar="LIST", help="use these splits: 0,1,2 or 0-4"),
        taking(
            "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE",
            help="set any other parameter that the notebooks have; VALUE as in YAML: 5, 0.1, [1, 2], text",
        ),
        flag("--force", "run what is fresh, too"),
        flag("--dry-run", "only say what would run"),
        flag("--why", "say for each notebook why it is due"),
        taking(
            "-j", "--jobs", type=at_least(1), metavar="N",
            help="run N notebooks at once (default: one for each core, as far as the memory goes)",
        ),
        taking("--dask", metavar="ADDRESS", help="send the experiments to this Dask scheduler"),
        flag("--keep-outputs", "write the outputs of standard runs back into the notebooks"),
    ],
    run_results: [
        taking(
            "name", nargs="?", metavar="PAPER[/EXPERIMENT]",
            help="compute what is missing of these; without, a table",
        ),
        taking("--corpus", metavar="NAME", help="on this corpus (default: those of the experiment)"),
        taking("--scale", metavar="NAME", help="at this scale (default: the experiment's largest)"),
        taking("--seed", type=at_least(0), default=0, metavar="N", help="with this seed (default: 0)"),
        taking("--units", type=whole_numbers, metavar="LIST", help="only these, by their place in order: 0-19"),
        taking("--minutes", type=minutes, metavar="N", help="begin no unit after so many minutes"),
        flag("--why", "say of each unit why it is due, or what made it"),
        flag("--force", "replace what is stored, and say what goes"),
        flag("--dry-run", "only say what would be computed"),
        taking("-j", "--jobs", type=at_least(1), default=1, metavar="N", help="N units at once (default: 1)"),
        taking("--dask", metavar="ADDRESS", help="send the units to this Dask scheduler"),
    ],
    run_data: [
        taking("names", **MANY, help="corpora; without a name, a table of all"),
        flag("--table", "print the table of data/README.md"),
    ],
    run_import: [
        taking("files", nargs="+", metavar="FILE", help="a table of texts; svmlight, XMC; ARFF with its label XML"),
        *READING,
        taking(
            "--labels", nargs="+", default=["labels"], metavar="COLUMN",
            help="the labels' column, or several with a label each",
        ),
        taking("--separator", default=";", metavar="SIGN", help="what parts the labels of a cell (default: ;)"),
        taking(
            "--format", choices=("table", "fasttext", "annif", "svmlight", "xmc", "mulan"),
            help="instead of going by the ending and the first lines",
        ),
        taking("--subjects", metavar="FILE", help="names of labels: lines of <address>, tab, name"),
        taking(
            "--min-df", type=number_or_share, metavar="N",
            help="least number of texts that a word is in, or their share, such as 0.01 (default: 2)",
        ),
        taking("--max-df", type=number_or_share, metavar="N", help="largest such number, or share"),
        taking("--stop-words", metavar="FILE", help="words to leave out: a file of them, or 'english'"),
        taking("--token-pattern", type=pattern, metavar="REGEX", help=r"what a word is (default: \b\w\w+\b)"),
        taking(
            "--ngrams", dest="ngram_range", type=lengths, metavar="RANGE",
            help="words in a phrase: 1-2 for words and pairs (default: 1)",
        ),
        taking("--name", metavar="NAME", help="what to call the corpus (default: as the file)"),
        taking("--to", metavar="FOLDER", help="where to (default: NAME in $POLYTOPIC_CORPORA, or in ./corpora)"),
        taking("--splits", type=at_least(0), default=5, metavar="N", help="seeded splits to make (default: 5)"),
        flag("--force", "replace a corpus that is there"),
    ],
    run_fit: [
        taking("corpus", metavar="CORPUS", help="a corpus by name, or its folder"),
        taking("--model", default="HybridClassifier", metavar="CLASS", help="default: HybridClassifier"),
        taking(
            "-p", "--parameter", action="append", default=[], metavar="NAME=VALUE",
            help="a setting of the model; VALUE as in JSON or Python: 5, 0.1, [1, 2], text",
        ),
        taking("--split", type=at_least(0), metavar="N", help="learn from the training part of this split only"),
        taking("--to", required=True, metavar="FOLDER", help="where to keep the model"),
        flag("--force", "replace a model that is there"),
    ],
    run_predict: [
        taking("model", metavar="MODEL", help="the folder of a kept model"),
        taking("file", metavar="FILE", help="a table, a .txt file with a text a line, or - for standard input"),
        *READING,
        taking("--top", type=at_least(1), metavar="K", help="most labels of a text (default: 5, with --cutoff all)"),
        taking(
            "--cutoff", type=share_or("model"), metavar="P",
            help="labels with a probability of P or more; 'model': those that the model's own predict takes",
        ),
        flag("--probabilities", "calibrated probabilities in place of scores"),
        taking("--format", choices=("csv", "jsonl"), help="of standard output (default: csv)"),
        taking("--to", metavar="FILE", help="a .csv or .jsonl file; interrupted, the same command goes on"),
        flag("--force", "begin anew, whatever an interrupted run has left"),
    ],
    run_explain: [
        taking("model", metavar="MODEL", help="the folder of a kept model"),
        taking("file", metavar="FILE", help="a table, a .txt file with a text a line, or - for standard input"),
        *READING,
        taking("--top", type=at_least(1), default=5, metavar="K", help="labels of a text (default: 5)"),
        taking(
            "--to", metavar="FILE",
            help="a .html, .jsonl or .csv file (else CSV to standard output); interrupted, the same command goes on",
        ),
        flag("--force", "begin anew, whatever an interrupted run has left"),
    ],
    run_evaluate: [
        taking("model", metavar="MODEL", help="the folder of a kept model"),
        taking("corpus", metavar="CORPUS", help="a corpus by name, or its folder"),
        taking("--split", type=at_least(0), metavar="N", help="judge by the test part of this split only"),
        taking("--cutoff", type=share_or(), metavar="P", help="judge labels with a probability of P or more, too"),
    ],
    run_serve: [
        taking("model", metavar="MODEL", help="the folder of a kept model"),
        taking("--host", default="127.0.0.1", help="whose requests are taken (default: this computer's alone)"),
        taking(
            "--host-name", action="append", default=[], metavar="NAME",
            help="a further name by which requests ask for it, as a proxy's; may be given several times",
        ),
        taking("--port", type=at_least(0), default=8765, metavar="N", help="default: 8765; 0 takes a free one"),
        taking(
            "--max-bytes", type=at_least(1), default=1_000_000, metavar="N",
            help="of a request's body (default: 1000000)",
        ),
        taking("--threads", type=at_least(1), default=1, metavar="N", help="each with a copy of the model (1)"),
        taking("--subjects", metavar="FILE", help="addresses of labels: lines of <address>, tab, name"),
    ],
    run_annif: [taking("rest", **REST, help="handed on to Annif")],
    run_site: [taking("folder", nargs="?", metavar="FOLDER", help="where to (default: runs/site)")],
    run_lab: [taking("rest", **REST, help="handed on to JupyterLab")],
    run_bench: [
        taking("names", **MANY, help="scripts in benchmarks; without a name, all"),
        flag("--quick", "small sizes, to see that the scripts run: the figures mean nothing"),
    ],
    run_test: [
        flag("--all", "run what is proved at the code as it is, too"),
        flag("--record", "note what passes as proved, in tests/evidence.json"),
        taking("rest", **REST, help="handed on to pytest, which then skips nothing"),
    ],
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
