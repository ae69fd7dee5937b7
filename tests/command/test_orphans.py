"""Workers that compute end with the command, even if it is killed."""

import os
import subprocess
import sys
import time

import psutil
import pytest

COMMAND = """
import os, pathlib, time
from argparse import Namespace
from joblib import Parallel, delayed
from polytopic.command.results import _workers

def task(_):
    (pathlib.Path({folder!r}) / str(os.getpid())).touch()
    time.sleep(3600)

with _workers(Namespace(jobs=2, dask=None)):
    Parallel(n_jobs=2)(delayed(task)(number) for number in range(2))
"""
SECONDS = 900  # a busy machine takes half a minute for the import alone


@pytest.mark.skipif(os.name == "nt", reason="Windows tells the same parent for ever")
def test_workers_end_with_a_killed_command(tmp_path):
    """joblib's own would sleep on for an hour."""
    parent = subprocess.Popen([sys.executable, "-c", COMMAND.format(folder=str(tmp_path))])
    deadline = time.monotonic() + SECONDS
    while len(list(tmp_path.iterdir())) < 2:
        assert parent.poll() is None and time.monotonic() < deadline, "the workers did not begin"
        time.sleep(0.1)
    workers = [psutil.Process(int(path.name)) for path in tmp_path.iterdir()]
    others = psutil.Process(parent.pid).children(recursive=True)
    parent.kill()
    parent.wait()
    assert not psutil.wait_procs({*workers, *others}, timeout=120)[1]
