"""Units of work: each computed once and kept in the cache, with the time that is left; and tables that are stored.

An interrupted run finds its finished units again, bit for bit, and goes on. Larger scales than "quick" are also
stored in ``data/results/papanikolaou``, one file for each experiment and corpus.
"""

import json
import textwrap
from typing import NamedTuple

import pandas as pd
from joblib import delayed
from joblib import hash as digest
from tqdm.auto import tqdm

import polytopic
from polytopic import paths
from polytopic.files import write_whole
from polytopic.models import chains
from polytopic.study import store

FOLDER = "papanikolaou"
BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left"


class Call(NamedTuple):
    """A function's name is part of its unit's key, and so are the arguments, unless ``key`` stands for them.

    ``cost`` is about proportional to the unit's time.
    """

    function: object
    arguments: tuple
    cost: float = 1.0
    key: str | None = None


def each(calls, what):
    """Yield what each Call gives, in order, from the cache or computed now.

    The time that is left is foretold from the costs: what is done of those not in the cache, by the time it took.
    """
    run = chains.Run(None, store.memory())
    kept = run.cached(_unit, ignore=["function", "arguments"])
    units = [
        (
            call.function,
            call.arguments,
            call.function.__name__,
            call.key or digest(call.arguments),
            run.version,
        )
        for call in calls
    ]
    due = [
        0 if kept.check_call_in_cache(*unit) else call.cost for call, unit in zip(calls, units, strict=True)
    ]
    results = run.each((delayed(kept)(*unit) for unit in units), len(units), what)
    whole = sum(call.cost for call in calls)
    with tqdm(total=whole, initial=whole - sum(due), desc=what, smoothing=0, bar_format=BAR) as bar:
        for result, cost in zip(results, due, strict=True):
            bar.update(cost)
            yield result


def one(function, arguments, key=None):
    """Return what one unit gives, from the cache or computed now, without a bar of its own."""
    run = chains.Run(None, store.memory())
    kept = run.cached(_unit, ignore=["function", "arguments"])
    return kept(function, arguments, function.__name__, key or digest(arguments), run.version)


def _unit(function, arguments, name, key, version):
    return function(*arguments)


def keep(kind, corpus, scale, seed, settings, table):
    """Store a table of a larger scale than "quick", with the settings it was made with, and return it."""
    if scale != "quick":
        identity = {
            "kind": kind, "corpus": corpus, "scale": scale, "seed": seed, "version": polytopic.__version__,
            "settings": settings,
        }  # fmt: skip
        head = json.dumps(identity | {"columns": list(table.columns)}, indent=1).removesuffix("\n}")
        rows = json.loads(table.to_json(orient="values", double_precision=8))
        body = ",\n".join("  " + json.dumps(row) for row in rows)
        write_whole(_folder() / f"{kind}_{corpus}.json", f'{head},\n "rows": [\n{body}\n ]\n}}\n')
    return table


def stored(kind, corpora=None):
    """Return the stored table of one experiment, of all corpora or of those named; empty if nothing is stored."""
    tables = [_read(path) for path in sorted(_folder().glob(f"{kind}_*.json"))]
    tables = [one for one in tables if corpora is None or one["corpus"].iloc[0] in corpora]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def say_stored(kind):
    """Say with which settings each stored table of one experiment was made."""
    lines = []
    for path in sorted(_folder().glob(f"{kind}_*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        settings = ", ".join(f"{name} {value}" for name, value in found["settings"].items())
        place = f"{found['corpus']}, {found['scale']} scale, seed {found['seed']}, version {found['version']}"
        lines.append(textwrap.fill(f"{place}: {settings}.", 112, subsequent_indent="    "))
    return "\n".join(lines) or "Nothing is stored."


def _read(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return pd.DataFrame(found["rows"], columns=found["columns"])


def _folder():
    return paths.results() / FOLDER
