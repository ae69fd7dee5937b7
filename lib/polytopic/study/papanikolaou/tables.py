"""Comparisons of estimators of theta that several pages make: who is ahead where, F1 of labels, what made results."""

import itertools

import numpy as np
import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import claims, compare

METHODS = ["CGS", "CGS_z", "CGS_p", "CGS_p|z"]  # the paper's four estimators
FIVE_MODELS = [*METHODS, "CVB0"]
PLACE = ["corpus", "scale"]


def settings(table):
    """Return the code and settings that made the results of ``store.read``: a column for each corpus, as text."""
    rows = [one | {"code": one["code"] or "not recorded"} | one["settings"] for one in table.attrs["made"]]
    frame = pd.DataFrame(rows).drop(
        columns=["unit", "settings", "notes", "made", "seconds", "again"], errors="ignore"
    )
    return frame.astype(str).drop_duplicates().set_index("corpus").T


def standing(table, pairs, measure, value="value"):
    """Return in how many settings the first model of each pair is ahead of the second, level and behind, as text.

    A row for each pair, a column for each corpus: "ahead/level/behind", then the mean gain, positive where the first
    is better. A setting is a number of topics; ahead is where the 95 % interval of the gain over runs lies above 0.
    """
    cells = {}
    for first, second in pairs:
        gains = compare.paired(table, first, second, [*PLACE, "topics"], ["run"], value, measure=measure)
        for corpus, rows in gains.groupby("corpus", sort=False):
            counts = "/".join(str((rows["ahead"] == side).sum()) for side in (1, 0, -1))
            cells[f"{first} over {second}", corpus] = f"{counts}, {rows['gain'].mean():+.4g}"
    return pd.Series(cells).unstack(sort=False)


def worst_cases(found, apart=r" over \S+"):
    """Return one case for those whose names differ only in what matches a pattern: it holds where all of them hold.

    Its value and bounds are the lowest. Without the second model, cases of pairs become cases of being the best.
    """
    setting = found["case"].str.replace(apart, "", regex=True)
    table = found.groupby([*PLACE, setting], sort=False)[["value", "low", "high"]].min().reset_index()
    holds = claims.sure(table["low"], table["high"])
    return claims.cases(table, table["case"], table["value"], holds, table["low"], table["high"])


def f1_differences(scores, terms, case):
    """Return cases of a sum of F1 of ``labels.labels`` that should be positive: terms map (model, chains) to a sign.

    An empty label counts 1, as with the authors. The interval is over the chains taken alone; what several chains
    give together is taken to vary no more than what one chain gives.
    """
    n = scores["chains"].max()
    cells = scores[scores["empty"] == "one"].set_index([*PLACE, "measure", "model", "chains"])
    value, sd = (cells[name].unstack(["model", "chains"], sort=False) for name in ("value", "sd"))
    gain = sum(sign * value[place] for place, sign in terms.items())
    variance = sum(sd[model, 1] ** 2 / (n if chains == 1 else 1) for model, chains in terms)
    half = compare.half_width(np.sqrt(variance), n)
    table = pd.DataFrame({"gain": gain, "low": gain - half, "high": gain + half}).reset_index()
    case = f"{case}, " + table["measure"].map(lambda measure: MEASURES[measure].heading)
    holds = claims.sure(table["low"], table["high"])
    return claims.cases(table, case, table["gain"], holds, table["low"], table["high"])


def f1_leads(scores, firsts, seconds, chains=(1, 5)):
    """Return ``f1_differences`` of every first model over every second one, with each number of chains."""
    pairs = itertools.product(firsts, seconds, chains)
    found = [f1_differences(scores, {(a, n): 1, (b, n): -1}, f"{a} over {b} by {n} MC") for a, b, n in pairs]
    return pd.concat(found, ignore_index=True)
