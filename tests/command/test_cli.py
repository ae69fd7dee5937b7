"""The command line, on a small study of its own."""

import argparse
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest

import polytopic
from polytopic import paths, source
from polytopic.command import cli, notebooks, runner
from polytopic.files import write_whole
from polytopic.kernels import compiling
from polytopic.study import claims, store

DRAW = """
import os, pathlib
folder = pathlib.Path(os.environ["POLYTOPIC_FIGURES"])
folder.mkdir(parents=True, exist_ok=True)
_ = [(folder / f"demo2000_fig_1{ending}").write_text(f"seed {seed}") for ending in (".png", ".json")]
seed
"""


@pytest.fixture
def study(tmp_path, monkeypatch, draw_by):
    """A study of two notebooks, which the command line finds through POLYTOPIC_HOME. Nothing is compiled for it."""
    store.load()  # the papers' claims are read where they are, whichever test comes first
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setattr(compiling, "folder", lambda: tmp_path)
    (tmp_path / runner.COMPILED).touch()
    for scale in ("quick", "paper"):
        write(tmp_path / "notebooks" / "params" / f"{scale}.yaml", f"scale: {scale}\n")
    draw_by("seed", "00_start_here", title="# Start")
    settings = "corpus = 'debtags'\nscale = 'quick'\nseed = 0\nsplits = [0]"
    draw_by(DRAW, parameters=settings, title="# Demo (2000), figure 1: a <line>")
    return tmp_path


@pytest.fixture
def draw_by(tmp_path, write_notebook):
    """A function that writes a notebook of one cell of code, and returns its path."""

    def write_it(code, name="demo2000/fig_1", parameters="seed = 0", title="# One"):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        return write_notebook(path, ("md", title), ("parameters", parameters), ("code", code))

    return write_it


def write(path, text="1"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def told(capsys, *arguments, status=0):
    """Return what the command line prints for these arguments."""
    assert cli.main(arguments) == status
    printed = capsys.readouterr()
    return printed.out + printed.err


def plan(names=(), scale="quick", **given):
    return runner.plan(notebooks.select(names, notebooks.find()), scale, given)


def pretend_finished(runs):
    """Leave what finished runs leave, without running them."""
    for run in runs:
        run.output.parent.mkdir(parents=True, exist_ok=True)
        run.output.write_text(json.dumps(run.notebook.content))
        write_whole(run.done, json.dumps({"inputs": runner.inputs(run), "seconds": 30.0, "figures": []}))


def refused(capsys, *arguments):
    """Return the message with which the command line refuses these arguments."""
    return told(capsys, *arguments, status=2)


# Names


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["figurs"], "figures"),
        (["figures", "demo2000/fig_2"], "demo2000/fig_1"),
        (["figures", "fig1"], "fig_1"),
        (["figures", "--corpus", "delicous"], "delicious"),
        (["figures", "-p", "sed=1"], "seed"),
        (["figures", "--sede", "1"], "--seed"),
        (["data", "delicous"], "delicious"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(study, capsys, arguments, meant):
    message = refused(capsys, *arguments)
    assert arguments[-1].partition("=")[0] in message or arguments[1] in message
    assert f"did you mean {meant}" in message.replace("'", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("figures --scale papr", "paper"),
        ("figures --splits 5-1", "'5-1' runs backwards: write 1-5"),
        ("figures --splits 0-9999999999", "more than 10,000 numbers"),
        ("figures --seed -3", "'-3' is no whole number from 0 up"),
        ("results --units 1,1", "names a number twice"),
        ("results --minutes 0", "no number of minutes above 0"),
    ],
)
def test_values_that_mean_nothing_are_refused(capsys, arguments, message):
    """5-1 passed with empty figures, and a range of ten thousand million filled the memory."""
    with pytest.raises(SystemExit) as ending:
        cli.main(arguments.split())
    assert ending.value.code == 2 and message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["--splits", "3-9"], "debtags has splits 0 to 4, and no split 5, 6, 7, 8, 9"),
        (["--splits", "5", "--corpus", "Yahoo-Arts-Rubin"], "yahoo_arts_rubin has splits 0 to 4"),
        (["-p", "splits=[-1]"], "no split -1"),
        (["--splits", "0", "--corpus", "yahoo_arts"], "yahoo_arts has no splits"),
        (["-p", "seed=-3"], "seed must be an integer of 0 or more, got -3"),
        (["-p", "seed=null"], "is by default 0; None is of another kind"),
    ],
)
def test_what_a_corpus_has_not_is_refused_before_anything_runs(study, capsys, values, message):
    """They failed after half a minute inside of a notebook."""
    assert message in refused(capsys, "figures", "--dry-run", *values)


SEVERAL = shutil.Error([("a", "b", f"[Errno 28] {os.strerror(errno.ENOSPC)}: 'a' -> 'b'")])


@pytest.mark.parametrize("error", [OSError(errno.EROFS, os.strerror(errno.EROFS)), SEVERAL])
def test_a_folder_that_takes_nothing_is_told_in_one_line(study, capsys, monkeypatch, error):
    def full(path, content):
        raise error

    monkeypatch.setattr(runner, "write_whole", full)
    assert cli.main(["figures", "fig_1"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("polytopic: cannot write") and message.count("\n") == 1
    assert os.strerror(errno.EROFS if error.errno else errno.ENOSPC) in message and paths.RUNS in message


# Plans


def test_standard_runs_draw_into_figures_and_others_elsewhere(study):
    standard = plan()
    assert {run.variant for run in standard} == {"debtags-quick"}
    assert {run.figures for run in standard} == {study / "figures"}
    assert [run.parameters for run in standard] == [{}, {}]
    start, figure = plan(scale="paper", corpus="yeast", splits=[0, 1])
    assert start.variant == "debtags-quick"
    assert figure.variant == "yeast-paper-splits-0+1"
    assert figure.figures == study / "runs" / "yeast-paper-splits-0+1" / "figures"
    assert figure.parameters == {"corpus": "yeast", "scale": "paper", "splits": [0, 1]}
    assert plan(corpus="debtags", seed=0, splits=[0]) == standard


def test_a_dry_run_says_what_would_run_and_how_long_and_does_nothing(study, capsys):
    pretend_finished(plan(["00_start_here"]))
    before = sorted(study.rglob("*"))
    text = told(capsys, "figures", "--dry-run", "--why", "--seed", "0")
    assert "1 of 2 notebooks to run, 1 up to date" in text
    assert "it has no finished run" in text and "seed=0" in text
    assert "In all about 1 min 0 s" in told(capsys, "figures", "--dry-run", "--force", "-j", "1")
    assert sorted(study.rglob("*")) == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda study, run: None, ""),
        (lambda study, run: edit(run.notebook.path, '"seed = 0"', '"seed = 1"'), "the notebook, seed 0 -> 1"),
        (lambda study, run: edit(run.notebook.path, '"outputs": []', '"outputs": [{}]'), ""),
        (lambda study, run: (study / "requirements.lock").write_text("numpy"), "requirements.lock"),
        (lambda study, run: (study / "data" / "reported").mkdir(parents=True), ""),
        (lambda study, run: write(study / "data" / "reported" / "rubin.csv"), "data"),
        (lambda study, run: run.output.unlink(), "no finished run"),
        (lambda study, run: run.done.write_text("{"), "no finished run"),
    ],
)
def test_a_run_is_due_when_something_it_depends_on_changes(study, change, reason):
    pretend_finished(plan(["00_start_here"]))
    change(study, plan(["00_start_here"])[0])
    (again,) = plan(["00_start_here"])
    assert reason in runner.staleness(again)
    assert bool(reason) == bool(runner.staleness(again))


def test_a_change_of_code_makes_those_due_that_reach_it(study, monkeypatch, draw_by):
    """Any byte of the library made all notebooks due."""
    package = study / "lib" / "polytopic"
    for name, text in {"study/one.py": "STEP = 1", "study/two.py": "STEP = 1", "a.mplstyle": ""}.items():
        write(package / name, text)
    monkeypatch.setattr(source, "ROOT", package)
    draw_by("from polytopic.study.one import STEP\nprint(STEP)")
    pretend_finished(plan())
    write(package / "study" / "two.py", "STEP = 2")
    write(package / "study" / "one.py", "STEP = 1  # and no more")
    write(package / "study" / "__pycache__" / "one.double-3.py311.1.nbc", "compiled")
    assert [runner.staleness(run) for run in plan()] == ["", ""]
    write(package / "study" / "one.py", "STEP = 2")
    assert [runner.staleness(run) for run in plan()] == ["", "changed: polytopic.study.one"]
    write(package / "a.mplstyle", "font.size: 9")
    assert "what the package holds besides code" in runner.staleness(plan()[0])


def test_data_of_a_paper_makes_those_due_that_mention_it(study, monkeypatch, draw_by):
    """Stored results of one paper made the notebooks of all papers due."""
    package, data = study / "lib" / "polytopic", study / "data"
    for paper in ("demo2000", "other2001"):
        write(package / "study" / paper / "__init__.py", "")
    write(
        package / "study" / "demo2000" / "sweeps.py",
        "from polytopic.study.printed import OTHER\nSWEEPS = OTHER",
    )
    write(package / "study" / "printed.py", "OTHER = ''")
    monkeypatch.setattr(source, "ROOT", package)
    draw_by("from polytopic.study.demo2000 import sweeps\nprint(sweeps.SWEEPS)")
    pretend_finished(plan())
    write(data / "reported" / "other2001_results.csv")
    write(data / "reported" / "other2001_claims.csv")
    write(data / "results" / "other2001" / "sizes" / "tiny.csv")
    assert [runner.staleness(run) for run in plan()] == ["", ""]
    write(data / "results" / "demo2000" / "sizes" / "tiny.csv")
    assert [runner.staleness(run) for run in plan()] == ["", "changed: data"]
    write(package / "study" / "printed.py", "OTHER = 'other2001'")
    pretend_finished(plan())
    write(data / "reported" / "other2001_prose.csv")
    assert [runner.staleness(run) for run in plan()] == ["", "changed: data"]
    write(data / "reported" / "no_papers_own.csv")
    assert [runner.staleness(run) for run in plan()] == ["changed: data"] * 2


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# Runs


def test_figures_runs_what_is_due_and_writes_the_gallery(study, capsys):
    text, figures = told(capsys, "figures", "-j", "2"), study / "figures"
    assert "[2/2]" in text and text.rstrip().endswith(str(figures / "index.html"))
    assert (figures / "demo2000_fig_1.png").read_text() == "seed 0"
    page = (figures / "index.html").read_text()
    assert 'src="demo2000_fig_1.png"' in page and 'href="../notebooks/demo2000/fig_1.ipynb"' in page
    assert "a &lt;line&gt;" in page
    assert all(run.record["seconds"] > 0 for run in plan())

    assert "0 of 2 notebooks to run, 2 up to date" in told(capsys, "figures")
    (figures / "demo2000_fig_1.png").unlink()
    assert runner.staleness(plan(["fig_1"])[0]) == "missing: demo2000_fig_1.png"

    told(capsys, "figures", "fig_1", "--seed", "4", "--force", "--keep-outputs")
    variant = study / "runs" / "debtags-quick-seed-4" / "figures"
    assert (variant / "demo2000_fig_1.png").read_text() == "seed 4"
    assert "<title>polytopic: figures: debtags-quick-seed-4<" in (variant / "index.html").read_text()
    assert not plan(["fig_1"])[0].notebook.content["cells"][2]["outputs"]
    assert not list(study.rglob("*.part"))


def test_a_failure_is_shown_and_the_others_go_on(study, capsys, draw_by):
    draw_by("import sys\nresult = [1, 2, 3][seed + 5]", "00_start_here")
    text = told(capsys, "figures", status=1)
    shown = [
        "00_start_here failed after",
        "cell In [2]",
        "IndexError: list index out of range",
        "1 of 2 failed",
    ]
    assert [part for part in shown if part not in text] == []
    assert (study / "figures" / "demo2000_fig_1.png").is_file()
    assert runner.staleness(plan(["00_start_here"])[0])


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_an_interruption_ends_everything_and_keeps_what_is_finished(study, draw_by, number, status):
    """joblib's workers outlive a killed kernel until their task is done, and papermill outlived a killed parent."""
    mark = study / "worker"
    draw_by(
        "import os, pathlib, time\nfrom joblib import Parallel, delayed\n"
        f"mark = pathlib.Path({str(mark)!r})\n"
        "def task(i):\n    i or mark.write_text(str(os.getpid()))\n    time.sleep(300)\n"
        "_ = Parallel(2)(delayed(task)(i) for i in range(2))"
    )
    pretend_finished(plan(["00_start_here"]))
    command, pipe = [sys.executable, "-m", "polytopic.command.cli", "figures"], subprocess.PIPE
    process = subprocess.Popen(
        command, stdout=pipe, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=heed_interruptions
    )
    wait_for(lambda: mark.is_file() and mark.read_text())
    worker = int(mark.read_text())
    os.killpg(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode == status
    wait_for(lambda: not psutil.pid_exists(worker), 20)
    runner.forget_killed_runs()
    assert not list(study.rglob("*.part"))
    assert [bool(runner.staleness(run)) for run in plan()] == [False, True]


def heed_interruptions():
    """Shells let what they start in the background ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(condition, seconds=90):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.1)


# Other commands


def test_data_describes_the_corpora_that_there_are(capsys):
    assert told(capsys, "data", "Debtags").startswith("debtags: documents ")
    page = (paths.checkout() / "data" / "README.md").read_text(encoding="utf-8")
    assert told(capsys, "data", "--table") in page


def test_claims_are_told_to_people_and_to_programs(capsys):
    """A reviewer had to open each page for what a claim rests on."""
    assert "PLST has the larger macro AUC" in told(capsys, "claims", "tai2012")
    records = {(one["paper"], one["name"]): one for one in json.loads(told(capsys, "claims", "--json"))}
    one = records["tai2012", "macro AUC"]
    assert one["verdict"] == "holds" and one["cases"] == {"held": 80, "failed": 0, "open": 0}
    assert one["command"] == "polytopic figures tai2012/fig_04-05-06" and one["read"]
    cases = json.loads((paths.checkout() / one["evidence_file"]).read_text(encoding="utf-8"))["cases"]
    assert len(cases["macro AUC"]) == 80
    assert {one["verdict"] for one in records.values() if one["reason"]} <= {*claims.UNTESTED.values()}
    assert cli.main(["claims", "tai"]) == 2 and "did you mean 'tai2012'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["figures", "results", "lab", "test", "claims"])
def test_what_needs_the_checkout_says_so_elsewhere(tmp_path, monkeypatch, capsys, command):
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    assert "works in a checkout of the study" in refused(capsys, command)
    assert not list(tmp_path.iterdir())


def test_a_program_that_a_reader_lacks_is_named_with_its_remedy(monkeypatch, capsys):
    """What the library says itself names no module to Python, and the command ended in AttributeError."""

    def lacks(options):
        raise ModuleNotFoundError("rdata is not installed: pip install rdata")

    monkeypatch.setattr(cli, "parse", lambda arguments: argparse.Namespace(run=lacks))
    assert "rdata is not installed: pip install rdata" in refused(capsys, "info")


def test_bench_runs_scripts_and_ends_with_failures_and_aims(study, capfd):
    assert "no benchmarks" in told(capfd, "bench")
    write(study / "benchmarks" / "sweep.py", "import sys\nprint(sys.argv[1:])")
    write(study / "benchmarks" / "broken.py", "raise SystemExit(3)")
    write(study / "benchmarks" / "aims.csv", "question,quantity,sense,aim\nsweep,speed,at least,2\n")
    script = (paths.checkout() / "benchmarks" / "_aims.py").read_text(encoding="utf-8")
    write(study / "benchmarks" / "_aims.py", script)
    measured = "quantity,value,low,high\nspeed,3,2.5,3.5\n"
    write(study / "benchmarks" / "results" / "sweep_aims.csv", measured)
    full, quick = told(capfd, "bench", "sweep"), told(capfd, "bench", "sweep", "--quick")
    assert "[]" in full and re.search(r"3\.0 +2\.5 +3\.5 +met", full)
    assert "1 of 1 measured aims are met" in full
    assert "['--quick']" in quick and "too small" in quick and "0 of 0 measured aims" in quick
    assert "Failed: broken" in told(capfd, "bench", status=1)
    assert "did you mean 'sweep'" in refused(capfd, "bench", "sweeps")


@pytest.mark.parametrize(
    ("arguments", "evidence", "line"),
    [
        ("test -k name", "", ["pytest", "-n", "2", "-k", "name"]),
        ("test", "use", ["pytest", "-n", "2"]),
        ("test --all", "", ["pytest", "-n", "2"]),
        ("test --all --record", "record", ["pytest", "-n", "2"]),
        ("test --record", "use+record", ["pytest", "-n", "2"]),
    ],
)
def test_tests_are_handed_to_pytest(study, handed_on, arguments, evidence, line):
    (study / "tests").mkdir()
    called, variables = handed_on(arguments)
    assert called == line
    assert (variables["POLYTOPIC_CHECK_FIGURES"], variables["POLYTOPIC_EVIDENCE"]) == ("1", evidence)


@pytest.fixture
def handed_on(monkeypatch):
    """A function that returns what a command line would become: a module with its arguments, and variables."""
    monkeypatch.setattr(cli, "become", lambda line, variables: (line, variables))
    return lambda arguments: cli.main(arguments.split())


def test_version_and_help_need_nothing_heavy(capsys):
    script = (
        "import sys\nfrom polytopic.command import cli\n"
        "try:\n    cli.main(['--version'])\n"
        "finally:\n    print(sorted({'numpy', 'papermill', 'pooch'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == [f"polytopic {polytopic.__version__}", "[]"]


def test_a_run_has_the_study_and_not_the_callers_variables(study, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("POLYTOPIC_CHECK_FIGURES", "1")
    run = plan()[0]
    variables = runner.variables(run, jobs=1000, dask="tcp://cluster:8786")
    assert not {"MPLBACKEND", "POLYTOPIC_CHECK_FIGURES"} & set(variables)
    assert variables["POLYTOPIC_HOME"] == str(study)
    assert variables["POLYTOPIC_DASK"] == "tcp://cluster:8786"
    assert variables["LOKY_MAX_CPU_COUNT"] == "1"
    assert "POLYTOPIC_DASK" not in runner.variables(run, jobs=1, dask=None)
