"""What the benchmarks measured, read back: every aim beside its value."""

import io

import numpy as np
import pandas as pd

from polytopic import paths

AIMS = "_aims"
MEMORY, RANDOM, REST = "memory", "random numbers", "arithmetic and branches"
SWEEP = "a whole sweep"  # of a sparse sampler, and its steps
HELD, DRAW, OTHERS = "choosing among the labels held", "drawing from the prior", "the rest"
TOPICS, WORDS = "topics of all tokens", "the words' prior"
ALONE = "random numbers alone"  # jobs on several threads that share nothing
CHASE = "dependent loads"
SETTLING = "sweeps"  # against what ``settling`` has its times
TRIAD, DOT, ADD = "triad", "vector product", "dependent additions"
DEFAULT, OTHER = "default", "other"  # sizes of a run
REMEDY = 'Fewer test chains or `inference="mean_field"` are the remedy.'  # where sampling misses them
LATENCY_AIMS = {600: 20, 5000: 100}  # milliseconds for one document, by the number of labels


def folder(quick=False):
    """Return the folder of the benchmarks' results; those of quick runs, which mean nothing, lie elsewhere."""
    return paths.cache() / "benchmarks" if quick else paths.root() / "benchmarks" / "results"


def read(name, results=None):
    """Return the table that benchmark ``name`` wrote, with the machine's facts and the settings in ``attrs``.

    results: the folder, that of the study without it. Raises ValueError, saying how to make it, if it is not there.
    """
    path = (results or folder()) / f"{name}.csv"
    if not path.is_file():
        raise ValueError(f"{path} is missing: make it with `polytopic bench {name.removesuffix(AIMS)}`")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = [line[2:].strip().partition(": ") for line in lines if line.startswith("# ")]
    table = pd.read_csv(io.StringIO("".join(line for line in lines if not line.startswith("# "))))
    table.attrs.update({key: value for key, _, value in head})
    return table


def aims(results=None, questions=None):
    """Return every aim beside what was measured: the columns of benchmarks/aims.csv, value, low, high, sizes, met.

    The aims are all or those of some questions (names of benchmarks). Their columns: question, quantity, sense, aim.
    A value is missing and met None where nothing was measured; low and high are quartiles over the repeats; sizes is
    OTHER where they were not the benchmark's own.
    """
    table = pd.read_csv(paths.root() / "benchmarks" / "aims.csv")
    if questions is not None:
        table = table[table["question"].isin(list(questions))]
    numbers = ["value", "low", "high"]
    found = [pd.DataFrame(columns=["question", "quantity", *numbers, "sizes"])]
    for question in table["question"].unique():
        if ((results or folder()) / f"{question}{AIMS}.csv").is_file():
            lines = read(f"{question}{AIMS}", results)
            found.append(lines.assign(question=question, sizes=lines.attrs.get("sizes", DEFAULT)))
    measured = pd.concat(found)[list(found[0])].astype(dict.fromkeys(numbers, float))
    table = table.merge(measured, how="left", on=["question", "quantity"])
    above, below = table["value"] >= table["aim"], table["value"] <= table["aim"]
    reached = above.where(table["sense"] == "at least", below).astype(object)
    return table.assign(met=reached.where(table["value"].notna(), None))


def latency_text(results=None):
    """Return what one document takes, as a sentence and a table in Markdown, from the benchmark latency."""
    table = read("latency", results)
    facts, missed = table.attrs, table[table["ms"] > table["aim_ms"]]
    why = " Those sample: each chain costs its sweeps, for one document as for each of a thousand. " + REMEDY
    why = why if len(missed) and missed["model"].str.contains("sampling").all() else ""
    aims = ", ".join(f"{of:g} ms at {n:,} labels" for n, of in LATENCY_AIMS.items())
    rows = [
        f"| {row.model} | {row.labels:,} | {row.ms:.0f} | {row.ms_95:.0f} | {row.naive_ms:.0f} | "
        f"{'missed' if row.ms > row.aim_ms else 'met'} |"
        for row in table.itertuples()
    ]
    return "\n".join(
        [
            f"Milliseconds of one core ({facts['cpu']}) for a document of {facts['length']} words, with the settings "
            f"that models have by default. The aim, {aims}, is missed by {len(missed)} of {len(table)}.{why}",
            "",
            "| model | labels | median | 95th percentile | median, tables made anew | aim |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def aims_table(aims):
    """Return ``aims`` for display: question, quantity, aim, value, low, high, met ("met", "MISSED", "not measured").

    What was measured at other sizes than the benchmark's own is "at other sizes" besides.
    """
    met = aims["met"].map({True: "met", False: "MISSED"}).fillna("not measured")
    met += np.where(aims["sizes"] == OTHER, f", at {OTHER} sizes", "")
    shown = aims[["question", "quantity", "aim", "value", "low", "high"]]
    return shown.assign(aim=aims["sense"] + " " + aims["aim"].map("{:g}".format), met=met)


def aims_text(aims):
    """Return ``aims_table`` as lines to print, and how many aims are met."""
    if aims.empty:
        return "No aims."
    met, measured = int(aims["met"].eq(True).sum()), int(aims["value"].notna().sum())
    table = aims_table(aims).round(3).to_string(index=False, na_rep="")
    return f"{table}\n{met} of {measured} measured aims are met, {len(aims)} aims in all."
