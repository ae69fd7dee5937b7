"""From the rows of trials to Ueda & Saito's tables 1 and 2, with the paper's numbers beside ours.

Rows are those of ``units.run``. A score is one of its columns in percent, "f1" unless said otherwise.
"""

import zlib

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler
from scipy import stats

from polytopic.study.printed import half_unit, reported
from polytopic.study.ueda2002.units import METHODS, READINGS, REDUCED, SCALES, WHOLE

PAPER = "ueda2002"
TRIALS = 5  # of the paper
SIZES = SCALES["paper"]["sizes"]
ITEMS = dict(zip(SIZES, ("table 1", "table 2"), strict=True))
SCORES = ("f1", "f1_at_least_one", "micro_f1", "macro_f1")
PAIRS = (("PMM1", "SVM"), ("PMM1", "NB"), ("PMM1", "kNN"), ("PMM1", "NN"), ("PMM1", "PMM2"))
LEAD_COLUMNS = ["pair", "item", "corpus", "difference", "standard_error", "t", "p", "trials"]


def means(rows, score="f1"):
    """Return mean and sd over trials: columns problem, vocabulary, size, method, mean, sd, trials.

    sd has n - 1 and is missing for a single trial. vocabulary is "whole" or "reduced". Problems come by vocabulary,
    then by name; sizes fall; methods are in the paper's order.
    """
    _check_score(score)
    over = rows.groupby(["problem", "size", "method"])[score]
    table = over.agg(mean="mean", sd="std", trials="size").reset_index()
    table.insert(1, "vocabulary", np.where(table["problem"].isin(REDUCED), "reduced", "whole"))
    order = [*METHODS, *READINGS]
    keys = table.assign(
        place=table["method"].map(order.index),
        reduced=table["vocabulary"] == "reduced",
        falling=-table["size"],
    )
    keys = keys.sort_values(["falling", "reduced", "problem", "place"])
    return table.loc[keys.index].reset_index(drop=True)


def beside_paper(rows, score="f1"):
    """Return our means beside the paper's: columns item, problem, vocabulary, method, ours, sd, trials, paper,
    paper_sd, difference (ours - paper), allowed and within.

    ``allowed`` is two standard errors of the difference of two means over trials, from both deviations, and half a
    unit of the last digit in print; ``within`` says whether the difference is no larger. The pages are not the
    paper's: trials are drawn anew from the same problems. Readings of a method stand beside the method in print.
    With a single trial ``allowed`` and ``within`` are missing.
    """
    ours = means(rows, score).rename(columns={"mean": "ours"})
    ours["item"] = ours["size"].map(ITEMS)
    ours["model"] = [READINGS.get(method, (method,))[0] for method in ours["method"]]
    theirs = reported(PAPER)[["item", "corpus", "model", "value", "sd", "decimals"]]
    theirs = theirs.rename(columns={"corpus": "problem", "value": "paper", "sd": "paper_sd"})
    theirs = theirs.astype({"paper_sd": float})
    table = ours.merge(theirs, on=["item", "problem", "model"])
    table["difference"] = table["ours"] - table["paper"]
    error = np.sqrt(table["sd"] ** 2 / table["trials"] + table["paper_sd"] ** 2 / TRIALS)
    table["allowed"] = 2 * error + half_unit(table["decimals"])
    table["within"] = (table["difference"].abs() <= table["allowed"]).astype("boolean")
    table["within"] = table["within"].mask(table["allowed"].isna())
    columns = ["item", "problem", "vocabulary", "method", "ours", "sd", "trials", "paper", "paper_sd"]
    return table[[*columns, "difference", "allowed", "within"]]


def table(rows, size, score="f1", beside=True, methods=tuple(METHODS)):
    """Return table 1 or 2 as text: a row per problem and line, a column per method, "mean (sd)" as printed.

    Lines are ours and, with ``beside`` and where the paper has the problem, paper. Problems of the reduced vocabulary
    stand below the others and are marked. The best mean of a line, as rounded, has a star.
    """
    chosen = rows[(rows["size"] == size) & rows["method"].isin(methods)]
    ours = means(chosen, score).assign(line="ours")
    parts = [ours]
    if beside and size in ITEMS:
        compared = beside_paper(chosen, score)
        compared = compared.drop(columns=["ours", "sd"]).rename(columns={"paper": "mean", "paper_sd": "sd"})
        parts.append(compared[compared["method"].isin(METHODS)].assign(line="paper"))
    long = pd.concat(parts, ignore_index=True)
    by = ["vocabulary", "problem", "line"]
    best = long.groupby(by)["mean"].transform(lambda line: line.round(1).max())
    long["text"] = [
        f"{row.mean:.1f}{'' if pd.isna(row.sd) else f' ({row.sd:.1f})'}{'*' if round(row.mean, 1) == top else ''}"
        for row, top in zip(long[["mean", "sd"]].itertuples(), best, strict=True)
    ]
    wide = long.pivot(index=by, columns="method", values="text")
    problems = ours[["vocabulary", "problem"]].drop_duplicates()
    lines = list(dict.fromkeys(long["line"]))
    index = [(*problem, line) for problem in problems.itertuples(index=False) for line in lines]
    wide = wide.reindex([key for key in index if key in wide.index])
    wide = wide.rename_axis(columns=None)[list(dict.fromkeys(ours["method"]))]
    return wide.fillna("–")


def mark_best(text, caption=None):
    """Return a pandas Styler of a ``table``, bold where it has stars, and without them.

    Its HTML ids come from what it prints, so that the same table always gives the same bytes.
    """
    uuid = f"{zlib.crc32(text.to_csv().encode()):08x}"
    bold = text.map(lambda cell: "font-weight: bold" if cell.endswith("*") else "")
    styler = Styler(text.map(lambda cell: cell.rstrip("*")), uuid=uuid, cell_ids=False, caption=caption)
    return styler.apply(lambda _: bold, axis=None)


def leads(rows, pairs=PAIRS, score="f1"):
    """Return how far one method is ahead of another on each problem, trial by trial.

    Columns: pair ("PMM1 over SVM"), item ("table 1" for 2000 training pages, "table 2" for 500, else the number),
    corpus, difference (mean over trials), standard_error, t, p (paired t-test over trials, two-sided), trials. Two
    methods in a trial have the same training and test pages. With fewer than two trials the last are missing. A
    score other than "f1" is compared for both methods alike.
    """
    _check_score(score)
    wide = rows.pivot(index=["size", "problem", "trial"], columns="method", values=score)
    found = []
    for first, second in pairs:
        if not {first, second} <= set(wide.columns):
            continue
        gains = (wide[first] - wide[second]).dropna()
        by_problem = sorted(gains.groupby(level=["size", "problem"]), key=lambda one: (-one[0][0], one[0][1]))
        for (size, problem), gain in by_problem:
            error, t, p = _paired_test(gain)
            name = f"{first} over {second}"
            found.append(
                (name, ITEMS.get(size, f"{size} pages"), problem, gain.mean(), error, t, p, len(gain))
            )
    return pd.DataFrame(found, columns=LEAD_COLUMNS)


def papers_leads(pairs=PAIRS):
    """Return the paper's differences of means in the columns pair, item, corpus and difference.

    A reading of a method stands for the method in print.
    """
    rows = reported(PAPER)
    wide = rows.pivot(index=["item", "corpus"], columns="model", values="value")
    parts = []
    for first, second in pairs:
        a, b = (READINGS.get(name, (name,))[0] for name in (first, second))
        difference = (wide[a] - wide[b]).rename("difference").reset_index()
        parts.append(difference.assign(pair=f"{first} over {second}"))
    return pd.concat(parts, ignore_index=True)[["pair", "item", "corpus", "difference"]]


def leads_beside_paper(rows, pairs=PAIRS, score="f1"):
    """Return ``leads`` on the whole problems and under them the paper's, told apart by the item: "table 1, paper".

    The paper prints means and deviations, so its t is Welch's (``t``, ``p`` and ``standard_error`` from both
    deviations over five trials); ours is paired. A reading of a method has the lead of the method in print.
    """
    parts = [leads(rows[~rows["problem"].isin(REDUCED)], pairs, score)]
    printed = reported(PAPER).astype({"sd": float})
    mean, sd = (printed.pivot(index=["item", "corpus"], columns="model", values=v) for v in ("value", "sd"))
    for first, second in pairs:
        a, b = (READINGS.get(name, (name,))[0] for name in (first, second))
        t, p = stats.ttest_ind_from_stats(mean[a], sd[a], TRIALS, mean[b], sd[b], TRIALS, equal_var=False)
        error = np.sqrt((sd[a] ** 2 + sd[b] ** 2) / TRIALS)
        columns = {"pair": f"{first} over {second}", "difference": mean[a] - mean[b]}
        one = pd.DataFrame(
            columns | {"standard_error": error, "t": t, "p": p, "trials": TRIALS}
        ).reset_index()
        parts.append(one[one["corpus"].isin(WHOLE)].assign(item=one["item"] + ", paper"))
    return pd.concat(parts, ignore_index=True)[LEAD_COLUMNS]


def lead_summary(rows, pairs=PAIRS, score="f1", level=0.05):
    """Return each lead over whole problems: columns pair, item, ours (mean over problems), ahead (problems), clear
    (of these, p < level), behind_clear (problems behind with p < level), of, p_problems (Wilcoxon's signed ranks
    over problems), paper (its mean over the same problems), paper_ahead.
    """
    ours = leads(rows[~rows["problem"].isin(REDUCED)], pairs, score)
    theirs = papers_leads(pairs).set_index(["pair", "item", "corpus"])["difference"]
    found = []
    for (pair, item), block in ours.groupby(["pair", "item"], sort=False):
        gain, clear = block["difference"], block["p"] < level
        printed = theirs.reindex(pd.MultiIndex.from_frame(block[["pair", "item", "corpus"]])).to_numpy()
        p = stats.wilcoxon(gain).pvalue if len(gain) > 1 and gain.abs().max() > 0 else np.nan
        found.append({
            "pair": pair, "item": item, "ours": gain.mean(), "ahead": int((gain > 0).sum()),
            "clear": int((clear & (gain > 0)).sum()), "behind_clear": int((clear & (gain < 0)).sum()),
            "of": len(gain), "p_problems": p, "paper": np.mean(printed), "paper_ahead": int((printed > 0).sum()),
        })  # fmt: skip
    return pd.DataFrame(found)


def growth(rows, pairs=PAIRS, score="f1"):
    """Return how much larger each lead is with the fewer training pages, over whole problems.

    Columns: pair, ours (mean over problems of the lead with few pages less that with many), growing (problems where
    it is above 0), clear (of these, p < .05 in a paired t-test over trials), of, p_problems (Wilcoxon's signed ranks
    over problems), paper, paper_growing. Trials that have both numbers of pages count.
    """
    whole = rows[~rows["problem"].isin(REDUCED)]
    wide = whole.pivot(index=["size", "problem", "trial"], columns="method", values=score)
    theirs = papers_leads(pairs).pivot(index=["pair", "corpus"], columns="item", values="difference")
    theirs = theirs["table 2"] - theirs["table 1"]
    found = []
    for first, second in pairs:
        lead = (wide[first] - wide[second]).unstack("size")
        grown = (lead[min(lead.columns)] - lead[max(lead.columns)]).dropna()
        gains = {problem: gain.to_numpy() for problem, gain in grown.groupby(level="problem")}
        mean = np.array([gain.mean() for gain in gains.values()])
        p = np.array([_paired_test(gain)[2] for gain in gains.values()])
        name = f"{first} over {second}"
        printed = theirs.reindex([(name, problem) for problem in gains]).to_numpy()
        found.append({
            "pair": name, "ours": mean.mean(), "growing": int((mean > 0).sum()),
            "clear": int(((mean > 0) & (p < 0.05)).sum()), "of": len(mean),
            "p_problems": stats.wilcoxon(mean).pvalue if len(mean) > 1 else np.nan,
            "paper": np.mean(printed), "paper_growing": int((printed > 0).sum()),
        })  # fmt: skip
    return pd.DataFrame(found)


def growth_verdict(rows, pairs=PAIRS, score="f1"):
    """Say of ``growth`` how each lead changes with fewer pages, here and in the paper."""
    lines = [
        f"{row.pair}: {row.ours:+.1f} points with the fewer pages ({row.growing} of {row.of} problems, {row.clear} "
        f"clearly); {row.paper:+.1f} in the paper ({row.paper_growing})."
        for row in growth(rows, pairs, score).itertuples()
    ]
    return "\n".join(lines)


def tuning(rows, pair=("PMM1", "SVM"), scores=("f1", "f1_at_least_one")):
    """Return the lead of the first over every reading of the second, scored in each way, over whole problems.

    Columns: against, score, item, ours, ahead, clear, behind_clear, of, as in ``lead_summary``.
    """
    first, second = pair
    against = [second, *(name for name, (of, _) in READINGS.items() if of == second)]
    parts = [
        lead_summary(rows, [(first, name)], score).assign(against=name, score=score)
        for name in against
        for score in scores
        if name in set(rows["method"])
    ]
    columns = ["against", "score", "item", "ours", "ahead", "clear", "behind_clear", "of"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def overview(rows, vocabulary=None):
    """Return, by size and method, the means over problems and trials of: f1, f1_at_least_one, micro_f1, macro_f1,
    empty (percent of pages), predicted (labels a page); and of fit_seconds and test_seconds, which are medians over
    trials, since the first of a run includes compilation.

    ``vocabulary`` is "whole", "reduced" or None for both.
    """
    if vocabulary is not None:
        rows = rows[rows["problem"].isin(REDUCED) == (vocabulary == "reduced")]
    columns, times = [*SCORES, "empty", "predicted"], ["fit_seconds", "test_seconds"]
    units = rows.groupby(["size", "method", "problem"])
    by_problem = units[columns].mean().join(units[times].median())
    table = by_problem.groupby(level=["size", "method"]).mean()
    table["empty"] *= 100
    order = [*METHODS, *READINGS]
    index = [(size, method) for size in sorted({*rows["size"]}, reverse=True) for method in order]
    return table.reindex([key for key in index if key in table.index])


def agreement(compared):
    """Return how many of the means of ``beside_paper`` agree: methods x (item, vocabulary), as "5 of 6"."""
    judged = compared.dropna(subset="within").astype({"within": int})
    counted = judged.groupby(["item", "vocabulary", "method"], sort=False)["within"].agg(["sum", "count"])
    text = counted["sum"].astype(str) + " of " + counted["count"].astype(str)
    typical = compared.groupby(["item", "vocabulary", "method"], sort=False)["difference"].mean()
    wide = (text + typical.map(", {:+.1f}".format)).unstack(["item", "vocabulary"])
    return wide.reindex(list(dict.fromkeys(compared["method"]))).rename_axis(columns=["", ""], index=None)


def extent(rows, scale="paper"):
    """Say how many trials of each number of training pages are stored, and of which problems some are missing."""
    if rows.empty:
        return "Nothing is stored."
    counted = rows.groupby(["size", "problem", "method"])["trial"].nunique()
    wanted = SCALES[scale]["trials"]
    lines = []
    for size, block in counted.groupby(level="size"):
        problems, methods = (block.index.get_level_values(name).nunique() for name in ("problem", "method"))
        held = f"{problems} problems, {methods} methods"
        full = "all" if (block == wanted).all() else f"{int((block == wanted).sum())} of {len(block)}"
        lines.append(f"{size} training pages: {held}; {full} with {wanted} trials, the fewest {block.min()}.")
    return "\n".join(lines[::-1])


def verdict(summary):
    """Say in a sentence for each pair and table of ``lead_summary`` what came out here and in the paper."""
    lines = []
    for row in summary.itertuples():
        test = "" if np.isnan(row.p_problems) else f", Wilcoxon p = {row.p_problems:.3f}"
        lines.append(
            f"{row.pair}, {row.item}: {row.ours:+.1f} here ({row.ahead} of {row.of} problems ahead, {row.clear} "
            f"clearly, {row.behind_clear} clearly behind{test}); {row.paper:+.1f} in the paper ({row.paper_ahead} "
            "ahead)."
        )
    return "\n".join(lines) or "There are no two methods to compare."


def _paired_test(gain):
    """Return (standard error, t, p) of differences by trial; missing for a single one, and t and p without spread."""
    gain = np.asarray(gain)
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
    t = gain.mean() / error if error > 0 else np.nan
    return error, t, 2 * stats.t.sf(abs(t), len(gain) - 1)


def _check_score(score):
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}, got {score!r}")
