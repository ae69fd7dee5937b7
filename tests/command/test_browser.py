"""JupyterLab in a real browser: notebooks are opened, changed and run as a reader would."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from polytopic import paths
from polytopic.datasets import load_corpus, write_converted

ROOT = paths.checkout()
SECONDS = 900  # a busy machine takes its time; a free one needs about one of them in ten
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("PyQt6") is None
        or importlib.util.find_spec("PyQt6.QtWebEngineCore") is None,
        reason="no browser at hand: pip install PyQt6-WebEngine",
    ),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server on a copy of the notebooks, and a corpus of the reader's own, named mine."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    train, test = load_corpus("debtags").split(0)
    mine = train.select(np.arange(0, train.n_documents, 12)).with_splits(n_splits=2, train_fraction=0.6)
    write_converted(mine, folder / "corpora" / "mine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.port={port}", "--allow-root"]
    command += ["--IdentityProvider.token=here", f"--ServerApp.root_dir={folder}", "--expose-app-in-browser"]
    own = {"JUPYTER_CONFIG_DIR": folder / "config", "JUPYTERLAB_WORKSPACES_DIR": folder / "workspaces"}
    own |= {
        "POLYTOPIC_CORPORA": folder / "corpora",
        "POLYTOPIC_RUNS": folder / "runs",
        "POLYTOPIC_HOME": ROOT,
    }
    variables = os.environ | {name: str(value) for name, value in own.items()}
    server = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/api?token=here", timeout=5).read()
                break
            except OSError:
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.mark.parametrize(
    ("name", "changes", "shown"),
    [
        ("00_start_here", {}, "pictures"),
        ("03_explorer", {"interactive": "True"}, "widgets"),
        ("rubin2012/fig_12", {"corpus": '"mine"'}, "pictures"),
    ],
)
def test_a_notebook_runs_in_the_browser(lab, name, changes, shown):
    url = f"{lab}/lab/workspaces/{name.replace('/', '-')}/tree/notebooks/{name}.ipynb?token=here"
    driver = [
        sys.executable,
        str(Path(__file__).with_name("browser.py")),
        url,
        json.dumps(changes),
        str(SECONDS),
    ]
    done = subprocess.run(driver, capture_output=True, text=True, timeout=SECONDS + 60, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, f"the browser said nothing: {done.stderr[-2000:]}"
    told = json.loads(lines[-1])
    assert told["errors"] == []
    assert told["run"] == told["cells"] and told[shown] > 0
