"""Tables put into sentences, so that what a notebook says of its numbers cannot go stale.

Every function takes a frame from ``experiments`` or ``tables`` and returns text, each finding from a new line. An
empty frame gives a line that says so.
"""

import textwrap

import pandas as pd

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


def calibration(errors):
    """Say of ``reliability.errors`` how far each reading of the scores is off, and what calibrating saves."""
    lines = []
    for kind, block in errors.groupby("kind", sort=False):
        ranked = block.sort_values("ece")
        least, most = ranked.iloc[0], ranked.iloc[-1]
        lines.append(
            f"{kind}: the expected calibration error is {least['ece']:.4f} ({least['model']}) to {most['ece']:.4f} "
            f"({most['model']}), in the worst bin {block['worst'].max():.2f}."
        )
    wide = errors.pivot(index="model", columns="kind", values="skill")[list(errors["kind"].unique())]
    before = wide.drop(columns="calibrated").max(axis=1)
    both = wide["calibrated"][before.notna()] > before.dropna()
    lines.append(
        f"Calibrating beats the better other reading of the scores by the Brier score for {int(both.sum())} of "
        f"{_counted(len(both), 'model')}."
    )
    best = errors.loc[errors["brier"].idxmin()]
    lines.append(
        f"The lowest Brier score is that of {best['model']}, {best['kind']}: {best['brier']:.5f}, "
        f"{best['skill']:.0%} less than by the labels' frequencies alone."
    )
    return _page(lines)


def calibration_by_frequency(table, kind="calibrated"):
    """Say of ``reliability.by_frequency`` on how many models the rarest and commonest labels are overstated."""
    kept = table[table["kind"] == kind]
    lines = []
    for k, which in ((kept["bin"].min(), "rarest"), (kept["bin"].max(), "commonest")):
        rows = kept[kept["bin"] == k]
        low, high = rows["times"].min(), rows["times"].max()
        over = int((rows["times"] > 1).sum())
        documents = _ranged(rows["low"].iloc[0], rows["high"].iloc[0])
        lines.append(
            f"{kind}, the {which} labels ({_counted(documents, 'training document')}): what is said is "
            f"{low:.2f} to {high:.2f} times what holds, too much for {over} of {_counted(len(rows), 'model')}."
        )
    return _page(lines)


def chains_spread(spread, n_draws):
    """Say of ``reliability.spread`` how far chains agree, and what n_draws samples of a score are worth."""
    share = (spread["topics"] ** 2).sum() / (spread["sd"] ** 2).sum()
    above = (spread["rhat"] > 1.1).mean()
    return _page(
        [
            f"R-hat is {spread['rhat'].median():.2f} in the median, and above 1.1 in {above:.0%} of {len(spread)} "
            "pairs of a document and a label.",
            f"{n_draws} samples are worth {spread['ess'].median():.0f} independent ones in the median; the standard "
            f"error of a score is {spread['relative'].median():.0%} of it.",
            f"Differences between sets of topics are {share:.0%} of a sample's variance.",
        ]
    )


def spread_by(table, of):
    """Say of ``reliability.spread_by`` how the chains' agreement differs between the ends of a column, ``of``."""
    low, high = table.iloc[0], table.iloc[-1]
    return _page(
        [
            f"From the lowest to the highest {of}: effective samples {low['ess']:.0f} to {high['ess']:.0f}, R-hat "
            f"{low['rhat']:.2f} to {high['rhat']:.2f}, above 1.1 in {low['above']:.0%} to {high['above']:.0%}, "
            f"standard error {low['relative']:.0%} to {high['relative']:.0%} of the score."
        ]
    )


def disagreement(found, signals, level=LEVEL):
    """Say of ``reliability.associations`` whether documents that chains disagree about are predicted worse.

    signals: {name of a row: words}. A correlation counts if its p is below the level.
    """
    lines = []
    for row in found.itertuples():
        name = signals[row.signal]
        told = f"{name}: rho {row.rho:+.2f} (p = {row.p:.2g})"
        told += f", with words and labels held fixed {row.rho_size:+.2f} (p = {row.p_size:.2g})"
        if not pd.isna(row.rho_score):
            told += f", with the highest score too {row.rho_score:+.2f} (p = {row.p_score:.2g})"
        lines.append(f"{told}.")
    own = found[found["signal"] == "disagreement"].iloc[0]
    lines.append(
        f"Documents that the chains disagree about more are predicted {_way(own['rho'], own['p'], level)}; "
        f"among documents as long and with as many labels, {_way(own['rho_size'], own['p_size'], level)}; and among "
        f"those with as high a score besides, {_way(own['rho_score'], own['p_score'], level)}."
    )
    return _page(lines)


def _way(rho, p, level):
    if not p < level:
        return "neither better nor worse that could be told"
    return "worse" if rho < 0 else "better"


def costs(exponents, savings):
    """Say of ``costs.exponents`` which costs grow slower than by the paper's order, and what is won with many labels.

    savings is ``costs.savings``.
    """
    lines = []
    for verdict, name in (
        ("slower", "Slower than the paper's order"),
        ("as the paper", "As the paper's order, or not told apart from it"),
        ("faster", "Faster than the paper's order"),
    ):
        told = [
            f"{row.phase} ({row.way}) with {row.against}, {row.exponent:.2f} ({row.low:.2f} to {row.high:.2f}) for "
            f"{row.paper:.2f}"
            for row in exponents[exponents["verdict"] == verdict].itertuples()
        ]
        lines.append(f"{name}: {'; '.join(told) or 'none'}.")
    for row in savings[savings["against"] == "labels"].itertuples():
        side = (
            f"{row.times:.1f} times as fast as" if row.times >= 1 else f"{1 / row.times:.1f} times as slow as"
        )
        lines.append(f"{row.phase}, {row.x:g} labels: as used, {side} weighing all.")
    return _page(lines)


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
