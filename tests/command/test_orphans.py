"""What ends with a command: workers that compute, even if it is killed, and what it does at a request to end."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from polytopic.command import runner

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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_signals_mean_afterwards_what_they_meant_before():
    """A handler that stays is inherited by forked workers, whose pool then may wait for them for ever."""
    names = signal.SIGTERM, signal.SIGHUP
    before = [signal.signal(name, signal.SIG_DFL) for name in names]
    try:
        with pytest.raises(SystemExit) as ended, runner._unwinding_at_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        assert ended.value.code == 128 + signal.SIGTERM
        assert [signal.getsignal(name) for name in names] == [signal.SIG_DFL] * 2
    finally:
        for name, own in zip(names, before, strict=True):
            signal.signal(name, own)
