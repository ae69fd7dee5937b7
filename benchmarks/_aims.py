"""Every aim of the benchmarks beside what they measured: ``python benchmarks/_aims.py [--results FOLDER] NAMES``."""

import argparse
import re
from pathlib import Path

import numpy as np
import pandas as pd

from polytopic import paths

AIMS = "_aims"
DEFAULT, OTHER = "default", "other"  # sizes of a run


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=paths.root() / "benchmarks" / "results")
    parser.add_argument("questions", nargs="*", help="names of benchmarks")
    options = parser.parse_args()
    print(aims_text(aims(options.results, options.questions)))


def read(path):
    """Return the table that a benchmark wrote, with the machine's facts and the settings in ``attrs``."""
    table = pd.read_csv(path, comment="#")
    table.attrs.update(re.findall(r"^# (.+?): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return table


def aims(results, questions):
    """Return the aims of some questions beside what was measured.

    Columns: those of aims.csv, value, low, high, sizes, met. A value is missing and met None where nothing was
    measured; low and high are quartiles over the repeats; sizes is OTHER where they were not the benchmark's own.
    """
    table = pd.read_csv(paths.root() / "benchmarks" / "aims.csv")
    table = table[table["question"].isin(list(questions))]
    numbers = ["value", "low", "high"]
    found = [pd.DataFrame(columns=["question", "quantity", *numbers, "sizes"])]
    for question in table["question"].unique():
        path = results / f"{question}{AIMS}.csv"
        if path.is_file():
            lines = read(path)
            found.append(lines.assign(question=question, sizes=lines.attrs.get("sizes", DEFAULT)))
    measured = pd.concat(found)[list(found[0])].astype(dict.fromkeys(numbers, float))
    table = table.merge(measured, how="left", on=["question", "quantity"])
    above, below = table["value"] >= table["aim"], table["value"] <= table["aim"]
    reached = above.where(table["sense"] == "at least", below).astype(object)
    return table.assign(met=reached.where(table["value"].notna(), None))


def aims_text(aims):
    """Return ``aims`` as lines to print, and how many aims are met."""
    if aims.empty:
        return "No aims."
    verdict = aims["met"].map({True: "met", False: "MISSED"}).fillna("not measured")
    verdict += np.where(aims["sizes"] == OTHER, f", at {OTHER} sizes", "")
    shown = aims[["question", "quantity", "aim", "value", "low", "high"]].round(3)
    shown = shown.assign(aim=aims["sense"] + " " + aims["aim"].map("{:g}".format), met=verdict)
    met, measured = int(aims["met"].eq(True).sum()), int(aims["value"].notna().sum())
    table = shown.to_string(index=False, na_rep="")
    return f"{table}\n{met} of {measured} measured aims are met, {len(aims)} aims in all."


if __name__ == "__main__":
    main()
