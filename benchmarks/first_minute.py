"""What does the first use cost: compiling for a first fit and prediction, the import, a notebook that does little?

Each is a process of its own, and counts the CPU seconds of all that it starts. A first fit and prediction of
DependencyLDA finds an empty folder for compiled functions: with few labels, for the sampler that goes over all of
them, and with hundreds, for the sparse one. The same with the functions on disk is what remains. An import has its
bytecode at hand. The notebook fits and applies a tiny model, as ``polytopic figures`` runs notebooks, with all that
it needs compiled before; an empty one stands beside it, and the same two by papermill's own command, which also makes
a grammar that no notebook needs.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import _harness as harness
import pandas as pd

from polytopic.command import runner

FEW, MANY = "first fit and prediction, few labels", "first fit and prediction, many labels"
IMPORT, NOTEBOOK = "import polytopic.models", "a trivial notebook"
FIT = """
import time
import numpy as np
from polytopic.models import DependencyLDA
rng = np.random.default_rng(0)
X, Y = rng.poisson(1.0, ({labels}, 50)), np.eye({labels}, dtype=int)
settings = dict(n_topics=10, n_chains=1, n_sweeps=2, n_topic_chains=1, n_topic_sweeps=2, n_test_chains=1, burn_in=2)
model = DependencyLDA(**settings, n_samples=1, random_state=0)
before = time.process_time()
model.fit(X, Y).decision_function(X[:5])
print(time.process_time() - before)
"""
IMPORTING = """
import time
before = time.process_time()
import {module}
print(time.process_time() - before)
"""


def main():
    options = harness.arguments(__doc__, quick={"labels": 205}, labels=400)
    times = []
    for repeat in range(options.repeats):
        times += [{"name": name, "repeat": repeat, "cpu": seconds} for name, seconds in _all(options)]
    table = harness.quartiles(pd.DataFrame(times), "cpu").assign(unit="s")
    values = [
        harness.measured(f"{row['name']}: CPU seconds", row)
        for row in table.to_dict("records")
        if row["name"] in (FEW, MANY, IMPORT, NOTEBOOK)
    ]
    harness.save("first_minute", table, _draw(table), options, values)


def _all(options):
    """Yield (name, CPU seconds) of everything once."""
    with tempfile.TemporaryDirectory() as folder:
        for name, labels in ((FEW, 20), (MANY, options.labels)):
            compiled = {"NUMBA_CACHE_DIR": str(Path(folder) / str(labels))}
            yield name, _told(FIT.format(labels=labels), compiled)
            yield f"{name}, compiled".replace("first ", ""), _told(FIT.format(labels=labels), compiled)
        yield IMPORT, _told(IMPORTING.format(module="polytopic.models"))
        yield "import of numba and scikit-learn alone", _told(IMPORTING.format(module="numba, sklearn.base"))
        compiled = {"NUMBA_CACHE_DIR": str(Path(folder) / "20")}
        for by, command in {
            "": runner.PAPERMILL,
            ", by papermill itself": [sys.executable, "-m", "papermill"],
        }.items():
            yield NOTEBOOK + by, _of_notebook(command, FIT.format(labels=20), Path(folder), compiled)
            yield f"an empty notebook{by}", _of_notebook(command, "", Path(folder), compiled)


def _told(script, variables=None):
    """Return the number that a script prints."""
    environment = os.environ | {"TQDM_DISABLE": "1"} | (variables or {})
    return float(subprocess.check_output([sys.executable, "-c", script], env=environment, text=True))


def _of_notebook(command, source, folder, variables):
    """Return the CPU seconds of a command that executes a notebook, and of the kernel that it starts."""
    cell = {"cell_type": "code", "execution_count": None, "id": "cell", "metadata": {}, "outputs": []}
    kernel = {"kernelspec": runner.KERNEL}
    content = {"cells": [cell | {"source": source}], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path = folder / "notebook.ipynb"
    path.write_text(json.dumps(content), encoding="utf-8")
    command = [*command, "--no-progress-bar", str(path), str(folder / "done.ipynb")]
    environment = os.environ | runner.ONE_THREAD | {"TQDM_DISABLE": "1"} | variables
    before = harness.of_children()
    ways = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": environment}
    with subprocess.Popen(command, **ways) as process:
        if process.wait():
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return harness.of_children() - before


def _draw(table):
    axes = harness.plot_bars(harness.new_axes(width=7.0), table)
    axes.set_xlabel("CPU seconds")
    return axes


if __name__ == "__main__":
    main()
