"""Tables put into sentences, so that what a notebook says of its numbers cannot go stale.

Every function takes a frame from ``experiments`` or ``tables`` and returns text, each finding from a new line. An
empty frame gives a line that says so.
"""

import textwrap

from polytopic.study import result_tables

LEVEL = 0.05
WIDTH = 112


def extent(results, corpora, models=result_tables.MODEL_ORDER):
    """Say which of the models' results there are on each of the corpora, at which scale, on how many splits."""
    kept = results[results["model"].isin(models)]
    return _page(f"{corpus}{_held(kept[kept['corpus'] == corpus], models)}." for corpus in corpora)


def _held(results, models):
    splits = {
        model: results.loc[results["model"] == model, "split"].nunique()
        for model in result_tables.in_order(results["model"])
    }
    if not splits:
        return ": nothing is stored"
    held = [f"{_and(_of(splits, n))} on {_counted(n, 'split')}" for n in sorted(set(splits.values()))[::-1]]
    missing = [model for model in models if model not in splits]
    told = "; ".join(held + ([f"nothing is stored of {_and(missing)}"] if missing else []))
    return f", {_and(list(results['scale'].unique()))} scale: {told}"


def _of(splits, number):
    return [model for model, count in splits.items() if count == number]


def quintiles(tests, level=LEVEL):
    """Say of ``bins.quintile_tests`` where the first model is above the second; * marks p < level."""
    if tests.empty:
        return "There are no two models to compare."
    by = ["corpus", "first", "second"]
    return _page(_across(*key, block, level) for key, block in tests.groupby(by, sort=False))


def _across(corpus, first, second, block, level):
    sides = [("above", block["difference"] > 0), ("below", block["difference"] < 0)]
    told = [f"{side} at {_bins(block[here], level)}" for side, here in sides if here.any()]
    if not told:
        return f"{corpus}: {first} and {second} are level in every bin."
    return f"{corpus}: {first} against {second} is {'; '.join(told)} training documents."


def _bins(block, level):
    ranges = [_ranged(row.low, row.high) + ("*" if row.p < level else "") for row in block.itertuples()]
    return _and(ranges)


def _page(findings):
    """Join the findings, each from a new line, and the lines of a long one indented."""
    return "\n".join(
        textwrap.fill(one, WIDTH, subsequent_indent="    ", break_on_hyphens=False) for one in findings
    )


def _and(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _counted(number, noun):
    return f"{number} {noun}" + ("s" if str(number) != "1" else "")


def _ranged(low, high):
    return f"{low:g}" + (f"–{high:g}" if high > low else "")
