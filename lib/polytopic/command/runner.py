"""Running notebooks: which runs a command means, which of them are up to date, and the runs themselves.

A run is one notebook with one set of parameters, executed by papermill in a process of its own. It leaves
the executed notebook, its log, and a record of everything that it depended on, below ``runs``.
"""

import atexit
import functools
import gc
import hashlib
import json
import os
import re
import runpy
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import yaml

from polytopic import paths, source
from polytopic.command import notebooks
from polytopic.command.progress import Progress
from polytopic.files import forget_drafts, write_whole

STANDARD = "debtags-quick"
CODE = "the code that it reaches"
COMPILED = "compiled"  # marks a folder of compiled functions that holds all of them
POLL_SECONDS = 0.1
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # small matrices: further threads mostly wait, at full load
PAPERMILL = [sys.executable, "-m", __spec__.name, "papermill"]  # until its standard input is closed
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KERNEL_SETTINGS = """c = get_config()  # noqa: F821
c.IPKernelApp.log_level = 40
c.HistoryManager.enabled = False
c.InteractiveShellApp.exec_lines = [
    "__import__('pandas').set_option('display.max_colwidth', None)",
    "__import__('atexit').register(__import__('gc').freeze)",
]
"""


@dataclass(frozen=True)
class Run:
    """One notebook, the parameters handed to it, its folder below ``runs``, and the folder that it draws into."""

    notebook: notebooks.Notebook
    parameters: dict
    variant: str
    figures: Path

    @property
    def name(self):
        return self.notebook.name

    @property
    def reads_verdicts(self):
        """Whether it shows what other pages leave of the claims that they judge."""
        return "polytopic.study.findings" in self.notebook.reached

    @property
    def output(self):
        return paths.runs() / self.variant / f"{self.name}.ipynb"

    @property
    def log(self):
        return self.output.with_suffix(".log")

    @property
    def done(self):
        return self.output.with_suffix(".done")

    @property
    def record(self):
        """What the last finished run left: ``inputs``, ``seconds``, ``figures``; empty when there is none."""
        try:
            return json.loads(self.done.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}


def plan(chosen, scale="quick", given=None):
    """Return the Runs of the chosen notebooks at this scale, ``given`` holding parameters named by the user.

    A notebook is handed those parameters that it declares with another default. The run of the quick scale alone is
    the standard one and draws into ``figures``; any other draws into a folder below ``runs`` with a name such as
    ``yeast-paper`` or ``debtags-quick-seed-3``.
    """
    scales = [paths.notebooks() / "params" / f"{name}.yaml" for name in ("quick", scale)]
    quick, settings = [yaml.safe_load(path.read_text(encoding="utf-8")) or {} for path in scales]
    named = dict(sorted((given or {}).items()))
    settings |= named
    parts = [named.pop("corpus", "debtags"), scale]
    for name, value in named.items():
        parts += [name, "+".join(map(str, value)) if isinstance(value, list) else str(value)]
    variant, runs = re.sub(r"[^\w.+-]+", "_", "-".join(parts)), []
    for notebook in chosen:
        usual, handed = (
            {name: value for name, value in some.items() if value != notebook.parameters.get(name, value)}
            for some in (quick, settings)
        )
        if handed == usual:
            runs.append(Run(notebook, handed, STANDARD, paths.figures()))
        else:
            runs.append(Run(notebook, handed, variant, paths.runs() / variant / "figures"))
    return runs


def inputs(run):
    """Return a checksum for each thing that the run's result depends on, by name; parameters as they are."""
    root = paths.root()
    files = (path for path in source.ROOT.rglob("*") if path.parent.name != "__pycache__")
    resources = [path for path in files if path.suffix != ".py"]
    found = {
        "the notebook": run.notebook.digest,
        CODE: source.digests(run.notebook.reached),
        "what the package holds besides code": content_digest(source.ROOT, resources),
        "requirements.lock": content_digest(root, [root / "requirements.lock"]),
        "data": data_digest(run.notebook),
        "parameters": run.notebook.parameters | run.parameters,
        "the figures folder": os.path.relpath(run.figures, root),
    }
    if "benchmarks" in run.notebook.code:
        found["the benchmarks"] = content_digest(root, (root / "benchmarks").rglob("*.csv"))
    if run.reads_verdicts:
        found["the verdicts"] = content_digest(root, (root / "figures").glob("*_claims.json"))
    return found


def data_digest(notebook):
    """Return a checksum of the printed numbers, claims and stored results that a notebook may rest on.

    Those of a paper count only where the notebook or the code that it reaches mentions that paper.
    """
    papers = {room.parent.name for room in (source.ROOT / "study").glob("*/__init__.py")}
    mentioned = source.mentioned(sorted(papers), notebook.reached)
    others = {paper for paper in papers - mentioned if paper not in notebook.code}
    entries = [*paths.reported().glob("*"), *paths.results().glob("*")]
    kept = [entry for entry in entries if entry.name.partition("_")[0] not in others]
    return content_digest(paths.data(), [path for entry in kept for path in (entry, *entry.rglob("*"))])


def content_digest(base, files):
    """Return a checksum of files: where below ``base``, and what is in them."""
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file()):
        state = path.stat()
        content = _content(path, state.st_size, state.st_mtime_ns)
        digest.update(f"{path.relative_to(base).as_posix()} {state.st_size} {content}\n".encode())
    return digest.hexdigest()


@functools.lru_cache(maxsize=4096)
def _content(path, size, changed):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def staleness(run):
    """Return why the run is due, in a few words, or "" when its last result still holds."""
    record = run.record
    if not record or not run.output.is_file():
        return "it has no finished run"
    before, changed = record["inputs"], []
    for name, now in inputs(run).items():
        then = before.get(name)
        if now != then and isinstance(now, dict) and then:
            keys = [key for key in sorted(then.keys() | now.keys()) if then.get(key) != now.get(key)]
            values = [f"{key} {then.get(key)!r} -> {now.get(key)!r}" for key in keys]
            changed += keys if name == CODE else values
        elif now != then:
            changed.append(name)
    if changed:
        return "changed: " + ", ".join(changed)
    gone = [name for name in record["figures"] if not (run.figures / name).is_file()]
    return "missing: " + ", ".join(gone) if gone else ""


def environment():
    """Return the variables that notebooks, tests and benchmarks run under, and make the folders they name.

    The environment's own kernel wins over a user's. Kernels start without the user's startup files and the warning
    about unencrypted sockets, show texts in tables whole, and skip garbage collection at exit. matplotlib ignores the
    user's settings, and keeps its list of fonts in the cache.
    """
    cache = paths.cache()
    kernel = cache / "ipython" / "profile_default" / "ipython_kernel_config.py"
    if not kernel.is_file() or kernel.read_text(encoding="utf-8") != KERNEL_SETTINGS:
        write_whole(kernel, KERNEL_SETTINGS)
    return {
        "IPYTHONDIR": str(kernel.parents[1]),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        "PYTHONHASHSEED": "0",
    }


def compile_once():
    """Compile the samplers unless that was done; where it fails, whoever needs a sampler compiles it."""
    from polytopic.kernels import compiling

    mark = compiling.folder() / COMPILED
    if mark.is_file():
        return
    print("Compiling the samplers, once for this machine: about a minute", flush=True)
    command = [sys.executable, "-m", "polytopic.command.compiling"]
    if subprocess.call(command, env=os.environ | environment(), stderr=subprocess.DEVNULL) == 0:
        mark.touch()


def variables(run, jobs, dask):
    """Return the whole environment of a run, one of ``jobs`` at once."""
    callers = ("MPLBACKEND", "POLYTOPIC_CHECK_FIGURES")
    inherited = {name: value for name, value in os.environ.items() if name not in callers}
    own = {"POLYTOPIC_HOME": str(paths.root()), "POLYTOPIC_FIGURES": str(run.figures), "TQDM_DISABLE": "1"}
    if jobs > 1:
        own["LOKY_MAX_CPU_COUNT"] = str(max(1, (os.cpu_count() or 1) // jobs))
    if dask:
        own["POLYTOPIC_DASK"] = dask
    return ONE_THREAD | inherited | environment() | own


def forget_killed_runs():
    """Delete the unfinished notebooks, figures and files of runs whose process was killed."""
    for folder in (paths.runs(), paths.figures(), paths.results()):
        forget_drafts(folder)
    for part in paths.runs().rglob("*.ipynb.*.part"):
        process = part.name.split(".")[-2]
        if process.isdecimal() and not psutil.pid_exists(int(process)):
            part.unlink(missing_ok=True)


class Execution:
    """A run on its way: papermill in a process that ends, with all it started, when its standard input is closed.

    The system closes it however this process ends. papermill would end its kernel, but not joblib's workers.
    """

    def __init__(self, run, jobs=1, dask=None):
        self.run, self.inputs, self.began = run, inputs(run), time.monotonic()
        self.part = run.output.with_name(f"{run.output.name}.{os.getpid()}.part")
        self.part.parent.mkdir(parents=True, exist_ok=True)
        command = [*PAPERMILL, str(run.notebook.path), str(self.part), "-k", "python3"]
        command += ["-y", json.dumps(run.parameters), "--cwd", str(paths.root())]
        with open(run.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*command, "--no-progress-bar", "--log-output"], stdin=subprocess.PIPE, stdout=log,
                stderr=subprocess.STDOUT, env=variables(run, jobs, dask), start_new_session=True,
            )  # fmt: skip

    def finish(self):
        """Keep what the ended process left. Returns seconds, and "" for a success, else where and how it failed.

        A run at the papers' scale stores results, so the data is recorded as it leaves them.
        """
        run, seconds = self.run, round(time.monotonic() - self.began, 1)
        self.process.stdin.close()
        run.done.unlink(missing_ok=True)
        if self.part.is_file():
            self.part.replace(run.output)
        if self.process.returncode:
            return seconds, f"{failure(run.log)}\n(the whole run: {run.output}, {run.log.name})"
        files = sorted(path.name for path in run.figures.glob("*") if path.suffix != ".part")
        figures = [name for name in files if run.notebook.draws(name)]
        after = self.inputs | {"data": data_digest(run.notebook)}
        write_whole(run.done, json.dumps({"inputs": after, "seconds": seconds, "figures": figures}, indent=1))
        return seconds, ""

    def stop(self):
        """End the process, its kernel and their workers, and forget what it wrote so far."""
        self.process.stdin.close()
        self.process.wait()
        self.part.unlink(missing_ok=True)


def end_with_standard_input():
    """Wait until standard input is closed, then kill all that this process has started, and itself."""
    os.read(0, 1)
    for process in [*psutil.Process().children(recursive=True), psutil.Process()]:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def keep_outputs(runs):
    """Write the outputs of finished standard runs into the notebooks that they come from.

    What differs between two runs of the same notebook stays out: times, paths, states of widgets. Returns {name: why}
    of the standard runs whose outputs are not kept: those that failed, or that something changed under.
    """
    standard = [run for run in runs if run.variant == STANDARD]
    left = {run.name: staleness(run) for run in standard}
    for run in standard:
        if not left[run.name]:
            write_whole(run.notebook.path, _clean(notebooks.read(run.output)))
    return {name: reason for name, reason in left.items() if reason}


def _clean(executed):
    """Return an executed notebook as text, without what papermill added, warnings and progress bars."""
    cells = [cell for cell in executed["cells"] if notebooks.INJECTED not in notebooks.tags(cell)]
    for cell in cells:
        tags = notebooks.tags(cell)
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] == "code":
            cell["outputs"] = [
                output
                for output in cell["outputs"]
                if output.get("name") != "stderr" and "widget" not in " ".join(output.get("data", {}))
            ]
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    clean = executed | {"cells": cells, "metadata": metadata}
    return json.dumps(clean, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def failure(log, lines=8):
    """Return in which cell papermill met an error, where it says so, and the last lines of its log."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
    cells = re.findall(r'^Exception encountered at "(In \[\d+\])"', text, re.MULTILINE)
    return "\n".join([*(f"cell {cell}" for cell in cells), *text.splitlines()[-lines:]])


def execute(runs, jobs=1, dask=None):
    """Execute the runs, ``jobs`` at once, show how far they are, and return how many failed.

    Runs of one paper share results and would wait for each other, so they begin together only where nothing else is
    left. Pages that read the verdicts of others come last. An interruption keeps what is finished.
    """
    waiting, going, failed, progress = list(runs), [], 0, Progress(runs)
    try:
        while waiting or going:
            while waiting and len(going) < jobs:
                busy = {execution.run.notebook.folder for execution in going}
                run = min(waiting, key=lambda run: (run.reads_verdicts, run.notebook.folder in busy))
                waiting.remove(run)
                progress.begin(run)
                going.append(Execution(run, jobs, dask))
            time.sleep(POLL_SECONDS)
            for execution in [one for one in going if one.process.poll() is not None]:
                going.remove(execution)
                seconds, problem = execution.finish()
                failed += bool(problem)
                progress.end(execution.run, seconds, problem)
    finally:
        progress.bar.close()
        for execution in going:
            execution.stop()
    return failed


if __name__ == "__main__":
    threading.Thread(target=end_with_standard_input, daemon=True).start()
    sys.modules["rfc3987_syntax"] = None  # jsonschema would build a grammar that no notebook needs
    atexit.register(gc.freeze)  # what is alive when it ends need not be looked through
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
