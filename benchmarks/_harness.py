"""What all benchmarks share: paired timing, ratios pair by pair, peers, and results with the machine's facts.

A script asks one question. It times named callables in turn, over and over in one run, so that whatever slows the
machine down slows all of them, and compares them pair by pair. Run it by ``polytopic bench NAME``, or itself, with
sizes of your own: ``python benchmarks/NAME.py --help``.
"""

import argparse
import gc
import importlib
import importlib.metadata
import os
import platform
import re
import resource
import shutil
import sys
import time
from pathlib import Path

from polytopic.command import runner

os.environ.update(runner.environment() | os.environ)  # before matplotlib

import _aims
import llvmlite
import matplotlib
import numba
import numpy as np
import pandas as pd
import psutil
from matplotlib.ticker import NullFormatter

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import polytopic
from polytopic import paths
from polytopic.files import write_whole
from polytopic.study.looks import INK
from polytopic.study.plots import explain, plain_numbers, styles

MALLET_HOME = "MALLET_HOME"
QUARTILES = {"low": 0.25, "median": 0.5, "high": 0.75}
_versions = {}  # of the peers in this run
_absent = []


# Sizes


def arguments(summary, quick, **sizes):
    """Return the script's options: one for each size, from its default; --quick takes ``quick`` for defaults.

    A size's default may be a number, a text or a tuple of numbers, given on the command line as 1,2,3. Besides
    there are --repeats (default 5, quick 2), --seed and --results, the folder for what is written: without it that
    of the study, or one for trial runs with --quick, whose figures mean nothing. ``standard`` of the result tells
    whether all sizes are the defaults.
    """
    defaults = {"repeats": 5, "seed": 0} | sizes
    small = {"repeats": 2} | quick
    parser = argparse.ArgumentParser(description=summary.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--results", type=Path, help="folder for the csv and the picture")
    for name, default in defaults.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=_kind(default), help=f"default {_plain(default)}"
        )
    options = parser.parse_args()
    for name, default in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, small.get(name, default) if options.quick else default)
    options.results = options.results or folder(options.quick)
    options.standard = all(getattr(options, name) == default for name, default in sizes.items())
    options.settings = {name: _plain(getattr(options, name)) for name in defaults}
    return options


def folder(quick=False):
    """Return the folder of the benchmarks' results; those of quick runs, which mean nothing, lie elsewhere."""
    return paths.cache() / "benchmarks" if quick else paths.root() / "benchmarks" / "results"


def _kind(default):
    if isinstance(default, tuple):
        return lambda text: tuple(type(default[0])(part) for part in text.split(","))
    return type(default)


def _plain(value):
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


# Timing


def interleave(callables, repeats, units=1):
    """Time named callables in turn; return a frame of name, repeat, cpu, wall and ns.

    callables: {name: function without arguments}. units: what one call gets through, such as tokens times sweeps,
    one number or {name: number}; ns is CPU time per unit. cpu and wall are seconds per call, cpu that of the whole
    process with its threads. Every callable is called once before, which compiles it. The order moves on by one
    from repeat to repeat.
    """
    names = list(callables)
    for name in names:
        callables[name]()
    rows = []
    for repeat in range(repeats):
        for place in range(len(names)):
            name = names[(place + repeat) % len(names)]
            cpu, wall = timed(callables[name])
            per = units[name] if isinstance(units, dict) else units
            rows.append({"name": name, "repeat": repeat, "cpu": cpu, "wall": wall, "ns": cpu / per * 1e9})
    return pd.DataFrame(rows)


def timed(function):
    """Call function once; return its seconds of CPU time, all threads together, and of wall time."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return time.process_time() - cpu, time.perf_counter() - wall


def peak_memory():
    """Return the largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def of_children():
    """Return the CPU seconds of all processes that this one has started and waited for, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quartiles(times, column="ns", by=("name",)):
    """Return median and quartiles of a column of ``interleave`` for each name, or each group of ``by``."""
    groups = times.groupby(list(by), sort=False)[column]
    table = pd.DataFrame({name: groups.quantile(level) for name, level in QUARTILES.items()})
    return table.assign(repeats=groups.size()).reset_index()


def ratios(times, base, column="ns", by=()):
    """Return how many times what ``base`` takes each other name takes, repeat by repeat: median and quartiles.

    times is a frame of ``interleave``, or several put together that differ in the columns ``by``. A name's ratio is
    missing where base was not timed.
    """
    keys = [*by, "repeat"]
    own = times[times["name"] == base].set_index(keys)[column].rename("base")
    paired = times[times["name"] != base].join(own, on=keys)
    paired["ratio"] = paired[column] / paired["base"]
    return quartiles(paired.dropna(subset="ratio"), "ratio", (*by, "name")).assign(over=base)


def measured(quantity, row):
    """Return one line for ``save``: a quantity of ``aims.csv`` and its value, from a row of ratios or quartiles."""
    return {"quantity": quantity, "value": row["median"], "low": row["low"], "high": row["high"]}


# Peers


def peer(name):
    """Return the module of a peer and note its version; None, with a line that says so, if it is not installed."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return _missing(name, "it is not installed")
    _versions[name] = _version(name, module)
    return module


def _version(name, module):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return getattr(module, "__version__", "unknown")


def mallet():
    """Return the path of MALLET's command: in $MALLET_HOME/bin or on the PATH. None, and a line, without it."""
    home = os.environ.get(MALLET_HOME)
    found = shutil.which("mallet", path=str(Path(home) / "bin") if home else None)
    if found is None:
        return _missing("MALLET", f"no 'mallet' on the PATH or in ${MALLET_HOME}/bin")
    _versions["MALLET"] = _mallet_version(Path(found).resolve().parents[1])
    return found


def _mallet_version(home):
    """Return the version that a jar of MALLET is named after, or else what its sources say."""
    jars, sources = sorted(home.glob("**/mallet-[0-9]*.jar")), home / "pom.xml"
    if jars:
        return jars[0].stem.removeprefix("mallet-")
    told = re.search("<version>(.+?)</version>", sources.read_text("utf-8")) if sources.is_file() else None
    return told[1] if told else "unknown"


def _missing(name, why):
    _absent.append(name)
    print(f"  {name} is left out: {why}", flush=True)
    return None


# Results


def facts():
    """Return what a result depends on besides the program: {name: text}."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "polytopic": polytopic.__version__,
        **_versions,
        **dict.fromkeys(_absent, "not at hand"),
    }


def _cpu():
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = (line.partition(":") for line in cpuinfo.read_text(encoding="utf-8").splitlines())
        named = [value.strip() for key, _, value in lines if key.strip() == "model name"]
        if named:
            return named[0]
    return platform.processor() or platform.machine()


def save(name, frame, axes, options, values=()):
    """Write name.csv and name.png, and name_aims.csv with ``values``, lines as ``measured`` makes them.

    Each csv begins with the machine's facts and the run's settings, as comments; floats have six digits. Prints
    the frame and names the folder.
    """
    sizes = {"sizes": _aims.DEFAULT if options.standard else _aims.OTHER}
    head = "".join(f"# {key}: {value}\n" for key, value in {**facts(), **sizes, **options.settings}.items())
    table = frame.to_csv(index=False, float_format="%.6g")
    write_whole(options.results / f"{name}.csv", head + table)
    lines = pd.DataFrame(list(values), columns=["quantity", "value", "low", "high"])
    write_whole(
        options.results / f"{name}{_aims.AIMS}.csv", head + lines.to_csv(index=False, float_format="%.6g")
    )
    figure = np.ravel(np.array(axes, dtype=object))[0].figure
    picture = options.results / f"{name}.png"
    figure.savefig(picture.with_suffix(".part"), format="png", metadata={"Software": None})
    os.replace(picture.with_suffix(".part"), picture)
    plt.close(figure)
    with pd.option_context("display.width", 140, "display.max_columns", None, "display.max_rows", 200):
        print(frame.to_string(index=False, float_format="{:.4g}".format))
    print(f"  {options.results / name}.csv, .png", flush=True)


# Pictures


def plot_costs(ax, table, x, by="name", **changes):
    """Draw medians with their quartiles against column x, a line for each value of ``by``, on logarithmic axes.

    table has the columns low, median and high. changes go to matplotlib's errorbar, such as linestyle; label=None
    leaves the lines out of the legend.
    """
    look = styles(dict.fromkeys(table[by]))
    for name, rows in table.groupby(by, sort=False):
        spread = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
        ax.errorbar(rows[x], rows["median"], spread, **{"label": name, **look[name], **changes})
    explain(ax, "medians, whiskers: quartiles")
    return plain_numbers(ax)


def plot_bars(ax, table, by="name"):
    """Draw medians with their quartiles as bars, one for each value of ``by``, on a logarithmic axis."""
    rows = table.iloc[::-1]
    spread = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
    ax.barh(rows[by], rows["median"], xerr=spread, color="#56B4E9", ecolor=INK)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    return ax


def new_axes(*, across=1, width=6.4, height=4.0):
    """Return the axes of a new figure: one, or an array of ``across`` side by side."""
    return plt.subplots(1, across, figsize=(width * across, height))[1]


if __name__ == "__main__":
    sys.exit("this is no benchmark: see `polytopic bench --help`")
