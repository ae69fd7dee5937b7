"""A full disk and a read-only one: every command that writes says in one line what it could not write, and where.

Permissions do not stop the system's administrator, so a small file system is mounted for these tests alone.
"""

import json
import os
import subprocess
import sys

import pytest

PYTHON = [sys.executable, "-c"]
COMMANDS = {
    "import": ["import", "{base}/tags.csv", "--to", "{disk}/corpus"],
    "fit": [
        "fit",
        "{base}/tags",
        "--model",
        "FlatLDA",
        "-p",
        "n_chains=1",
        "-p",
        "n_sweeps=2",
        "--to",
        "{disk}/model",
    ],
    "predict": ["predict", "{base}/model", "{base}/tags.csv", "--to", "{disk}/labels.csv"],
    "explain": ["explain", "{base}/model", "{base}/tags.csv", "--to", "{disk}/why.html"],
    "results": ["results", "demo2000"],
    "figures": ["figures", "demo2000/fig_1"],
}
SCRIPT = """
import contextlib, io, json, os, subprocess, sys
from pathlib import Path

import numpy as np
import pandas as pd

mode, base, disk, commands = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=True)
os.mkdir(f"{disk}/data")
os.environ |= {
    "POLYTOPIC_CACHE": f"{base}/cache", "POLYTOPIC_RUNS": f"{disk}/runs", "POLYTOPIC_FIGURES": f"{disk}/figures"
}

from polytopic.command import cli, results, runner
from polytopic.corpus import Corpus
from polytopic.study import store

runner.compile_once = lambda: None
store.EXPERIMENTS.clear()
store.load = lambda: None
read = lambda name: Corpus(np.eye(4, dtype=int), np.eye(4, dtype=bool), name=name)
enter = store.experiment("demo2000", {"paper": {"number": range(2)}}, "ones", ("tiny",), reads=read)
enter(lambda corpus, *, number: pd.DataFrame({"value": [number]}))


def said(arguments):
    os.environ["POLYTOPIC_HOME"] = disk if arguments[0] == "results" else base
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(arguments)
    return status, err.getvalue()


cli.main(["import", f"{base}/tags.csv", "--to", f"{base}/tags"])
cli.main([one.replace(f"{disk}/model", f"{base}/model") for one in commands["fit"]])
if mode == "read-only":
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
else:
    with contextlib.suppress(OSError), open(f"{disk}/filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(512))
found = {name: said(arguments) for name, arguments in commands.items()}
drafts = [path.name for path in Path(disk).rglob(".*.part")]
if mode == "full":
    os.unlink(f"{disk}/filler")
    again = {name: said(arguments)[0] for name, arguments in commands.items() if name != "figures"}
else:
    again = {}
print("FOUND", json.dumps([found, again, drafts]))
"""


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """The command line by which a process has its own file systems; skips where none can be mounted."""
    folder = tmp_path_factory.mktemp("disk")
    for flags in (["-m"], ["-r", "-m"]):
        line = ["unshare", *flags, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
        try:
            ended = subprocess.run(line, capture_output=True, check=False)
        except FileNotFoundError:
            break
        if ended.returncode == 0:
            return ["unshare", *flags]
    pytest.skip("no small file system can be mounted here")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "reason"), [("full", "No space left on device"), ("read-only", "Read-only file system")]
)
def test_what_cannot_be_written_is_told_in_one_line(apart, tmp_path, write_notebook, mode, reason):
    """A full disk was told without a name, for Python's error on writing has none."""
    base, disk = tmp_path / "base", tmp_path / "disk"
    disk.mkdir()
    write_notebook(
        base / "notebooks" / "demo2000" / "fig_1.ipynb", ("md", "# One"), ("parameters", "seed = 0")
    )
    (base / "notebooks" / "params").mkdir()
    (base / "notebooks" / "params" / "quick.yaml").write_text("scale: quick\n")
    (base / "tags.csv").write_text("text,labels\n" + "a red car,red\na green car,green\n" * 6)
    commands = {
        name: [part.format(base=base, disk=disk) for part in parts] for name, parts in COMMANDS.items()
    }
    line = [*apart, *PYTHON, SCRIPT, mode, str(base), str(disk), json.dumps(commands)]
    ended = subprocess.run(line, capture_output=True, text=True, env=os.environ, check=False)
    assert ended.returncode == 0, ended.stderr
    told = next(one for one in ended.stdout.splitlines() if one.startswith("FOUND "))
    found, again, drafts = json.loads(told.removeprefix("FOUND "))
    for name, (status, message) in found.items():
        last = message.splitlines()[-1]
        begins = (
            "demo2000/ones, tiny, paper, seed 0: a result was computed"
            if name == "results"
            else "polytopic: cannot write "
        )
        assert status == 1 and last.startswith(begins), (name, message)
        assert reason in last and str(disk) in last and "Traceback" not in message, (name, message)
    assert set(again.values()) <= {0}, again  # with room again, the same commands end well
    assert not drafts
