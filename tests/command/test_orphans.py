"""Workers that compute end with the command, even if it is killed."""

import os
import subprocess
import sys
import time

import psutil
import pytest

COMMAND = """
import time
from argparse import Namespace
from joblib import Parallel, delayed
from polytopic.command.results import _workers

with _workers(Namespace(jobs=2, dask=None)):
    Parallel(n_jobs=2)(delayed(time.sleep)(seconds) for seconds in (0, 300))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows tells the same parent for ever")
def test_workers_end_with_a_killed_command():
    """joblib's own would sleep on for five minutes."""
    parent = subprocess.Popen([sys.executable, "-c", COMMAND])
    deadline, workers = time.monotonic() + 60, []
    while len(workers) < 4 and time.monotonic() < deadline:  # two of them, and two that track what they share
        time.sleep(0.5)
        workers = psutil.Process(parent.pid).children(recursive=True)
    time.sleep(3)
    parent.kill()
    parent.wait()
    assert len(workers) >= 2 and not psutil.wait_procs(workers, timeout=15)[1]
