"""What Rubin et al. (2012) claim of their main results, case by case on the stored results.

Of the paper's own corpora its two Yahoo! sets are available, with its splits. Its power-law corpora are not; debtags
and the titles of EU acts stand for them, and where they have a single split, significance is not shown. Where the
paper counts measures, so do we; where it says significant, a case is one measure and its 95 % interval over splits.
"""

from functools import partial
from itertools import product

import pandas as pd

from polytopic.metrics import PIVOTS
from polytopic.study import bins, result_tables
from polytopic.study.claims import NO_CASES, agree, beats, cases, enter, page
from polytopic.study.rubin2012 import relative, results
from polytopic.study.rubin2012.linear import ALONE, TODAY
from polytopic.study.rubin2012.systems import PAPER_FIVE

__all__ = ["page"]
PLACE = ["corpus", "scale"]
DEPENDENCY, PRIOR, FLAT, TUNED, VANILLA = PAPER_FIVE
SIMPLER, SVMS = [PRIOR, FLAT], [TUNED, VANILLA]
ARTS, HEALTH = YAHOO = ["yahoo_arts_rubin", "yahoo_health_rubin"]
POWER_LAW = ["debtags", "eurlex-titles"]
EVERY = [*YAHOO, *POWER_LAW]
WHOLE_RANKING = ["auc_pr", "auc_roc", "average_precision", "ranking_loss", "margin"]
TOP, MACRO, F1 = ["one_error", "is_error"], ["macro_f1"], ["macro_f1", "micro_f1"]
LEVEL, RARE = 0.05, 5  # of the tests by label frequency; documents in training below which a label is rare
# Shares of measures: "on all", "all but one" of 13 and of 6, "almost all cases" and "nearly every", "on most"
ALL, ALL_BUT_ONE, FIVE_OF_SIX, ALMOST_ALL, MOST = 1, 12 / 13, 5 / 6, 0.8, 0.501


def shown(corpora, pivot, models=PAPER_FIVE, measures=None):
    """Return the stored results of the measures of figures 6 and 7, or 10 and 11, or of some of them."""
    rows = results.stored(corpora, models)
    kept = pd.MultiIndex.from_frame(rows[["cutoff", "measure"]]).isin(result_tables.SHOWN)
    if measures:
        kept &= rows["measure"].isin(measures)
    return rows[kept & rows["pivot"].isin([pivot] if pivot else PIVOTS)]


def scaled(table, rows):
    """Return a table with the scale that rows have of each corpus."""
    scale = rows.drop_duplicates("corpus").set_index("corpus")["scale"]
    return table.assign(scale=table["corpus"].map(scale))


def surely(corpora, pivot, firsts, seconds, measures=None):
    """Return a case for each measure: the first's lead over the second and its 95 % interval over splits."""
    rows = shown(corpora, pivot, [*firsts, *seconds], measures)
    return beats(rows, firsts, seconds, [*PLACE, "pivot", "cutoff", "measure"], ["split"])


def counted(share, corpora, pivot, first, seconds, measures=None):
    """Return a case for each corpus: on how many measures the first's mean is ahead, said to be a share at least."""
    found = []
    for second in seconds:
        rows = shown(corpora, pivot, [first, second], measures)
        won = scaled(result_tables.orderings(rows, [(first, second)], paper=None), rows)
        told = f"measures on which {first} is ahead of {second}, of " + won["of"].astype(str)
        found.append(cases(won, told, won["wins"], won["wins"] / won["of"] >= share))
    return pd.concat(found, ignore_index=True)


def by_corpus(values, case, holds):
    """Return a case for each corpus of a Series of values by corpus and scale."""
    table = values.rename("value").reset_index()
    return cases(table, case, table["value"], holds.to_numpy())


def cells(pivot, measures=None):
    """Return means over splits, a row per corpus, scale and measure and a column per model."""
    rows = shown(EVERY, pivot, measures=measures).astype({"value": float})
    return rows.pivot_table("value", [*PLACE, "cutoff", "measure"], "model", aggfunc="mean", sort=False)


def of(corpora, table):
    return table[table.index.isin(corpora, level="corpus")]


def reproduced(item, pivot, models=PAPER_FIVE):
    """Return a case for each number that a figure, or all four, print for the Yahoo! sets and some models."""
    table = result_tables.beside_paper(shown(YAHOO, pivot, models), item=item).assign(scale="paper")
    return agree(table.assign(case=table[["model", "cutoff", "measure"]].agg(" ".join, axis=1)), "case")


def by_frequency(sign, second=TUNED):
    """Return a case for each bin: Dependency-LDA's lead over the second, open unless p < LEVEL.

    sign is 1 for rare labels, where it is said to lead, -1 for the most frequent, where it is said to be behind.
    """
    rows = results.stored(POWER_LAW, [DEPENDENCY, second], table="labels", whole=True)
    if rows.empty:
        return NO_CASES
    tests = scaled(bins.quintile_tests(rows, DEPENDENCY, second=second), rows)
    tests = tests[tests["high"] < RARE if sign > 0 else ~tests["corpus"].duplicated(keep="last")]
    low, high = (tests[end].map("{:g}".format) for end in ("low", "high"))
    holds = (sign * tests["difference"] > 0).astype("boolean").where(tests["p"] < LEVEL)
    case = "labels with " + low + " to " + high + " training documents"
    return cases(tests, case, tests["difference"], holds)


def leads_in_best():
    """Return on how many measures more than tuned SVMs Dependency-LDA is best, a column per pivot (figure 13)."""
    rows = shown(EVERY, None)
    counts = scaled(result_tables.best_counts(rows), rows)
    best = counts.groupby([*PLACE, "model", "pivot"], sort=False)["best"].sum().unstack(["model", "pivot"])
    return best[DEPENDENCY] - best[TUNED]


def lead_overall(corpora, low, high):
    """Return cases of figure 13's totals: Dependency-LDA's lead over tuned SVMs said to lie between two numbers."""
    lead = of(corpora, leads_in_best().sum(axis=1))
    return by_corpus(lead, "measures more than tuned SVMs", lead.between(low, high))


def trends(statistic, firsts, seconds, sign):
    """Yield a case for each measure of figures 8 and 9: Kendall's tau of a lead with a statistic of the corpora."""
    found = relative.results_at_hand()
    centred, on = relative.centred(found, statistic, PAPER_FIVE), ", ".join(dict.fromkeys(found["corpus"]))
    for first, second in product(firsts, seconds):
        tau = relative.trend(centred, first, second).dropna(subset="tau").assign(corpus=on)
        case = f"{first} over {second}, " + tau["cutoff"] + " " + tau["measure"]
        yield cases(tau, case, tau["tau"], sign * tau["tau"] > 0)


def prior_and_flat_are_close():
    wide = cells("document")
    gap = (wide[PRIOR] - wide[FLAT]).abs()
    closer = gap < wide[SIMPLER].sub(wide[DEPENDENCY], axis=0).abs().min(axis=1)
    shares = closer.groupby(level=PLACE, sort=False).mean()
    return by_corpus(shares, "share of measures", shares >= ALMOST_ALL)


def gains_by_label():
    wide = cells("label", [*WHOLE_RANKING[:3], *F1])
    gains = (wide[DEPENDENCY] - wide[SIMPLER].max(axis=1)).groupby(level=PLACE, sort=False).mean()
    large = of(POWER_LAW, gains)
    return by_corpus(large, "mean gain over the better of the two", large > 1.5 * of(YAHOO, gains).max())


def suited_to_documents():
    lead = leads_in_best()
    more = lead["document"] - lead["label"]
    return by_corpus(more, "lead in measures won, by document more than by label", more > 0)


def beside_ji():
    table = relative.standing("figure 15", results.stored(YAHOO), [DEPENDENCY])
    wanted = pd.Series({(ARTS, "macro_f1"): 6, (HEALTH, "micro_f1"): 0})
    said = wanted.reindex(pd.MultiIndex.from_frame(table[["corpus", "measure"]])).to_numpy()
    table = table.assign(scale="paper", said=said).dropna(subset="said")
    value, said = table["ours"], table["said"]
    return cases(table, "methods below in " + table["measure"], value, value == said, said, said)


# By document, by label, overall and beside other publications, and the settings

FIGURES = {6: "document", 7: "document", 10: "label", 11: "label"}
CHECKS = {
    **{f"figure {n} reproduced": partial(reproduced, f"figure {n}", pivot) for n, pivot in FIGURES.items()},
    **{f"{svm} as described": partial(reproduced, None, None, [svm]) for svm in SVMS},
    "over both LDAs by document": partial(surely, EVERY, "document", [DEPENDENCY], SIMPLER),
    "Prior-LDA over Flat-LDA on Arts": partial(counted, ALL, [ARTS], "document", PRIOR, [FLAT]),
    "Prior- and Flat-LDA are close": prior_and_flat_are_close,
    "tuned SVMs by document": partial(surely, [*YAHOO, "rcv1-subsets"], "document", [TUNED], [VANILLA]),
    "whole rankings and their top": lambda: [
        counted(MOST, POWER_LAW, "document", VANILLA, [TUNED], ["margin", "auc_roc", "auc_pr"]),
        counted(ALL, POWER_LAW, "document", TUNED, [VANILLA], TOP),
    ],
    "over tuned SVMs by document": partial(counted, ALL_BUT_ONE, POWER_LAW, "document", DEPENDENCY, [TUNED]),
    "Yahoo rankings by document": lambda: [
        surely(YAHOO, "document", [DEPENDENCY], SVMS, WHOLE_RANKING),
        surely(YAHOO, "document", [TUNED], [DEPENDENCY], TOP),
    ],
    "Yahoo decisions by document": lambda: [
        counted(FIVE_OF_SIX, [HEALTH], "document", DEPENDENCY, [TUNED], F1),
        counted(MOST, [ARTS], "document", TUNED, [DEPENDENCY], F1),
    ],
    "the gain falls with label frequency": partial(trends, relative.MEDIAN, [DEPENDENCY, FLAT], [TUNED], -1),
    "the gain grows with cardinality": partial(trends, relative.CARDINALITY, [DEPENDENCY], SIMPLER, 1),
    "over both LDAs by label": partial(counted, ALMOST_ALL, EVERY, "label", DEPENDENCY, SIMPLER),
    "gains by label": gains_by_label,
    "tuned SVMs by label": partial(surely, [*YAHOO, "rcv1-subsets", *POWER_LAW], "label", [TUNED], [VANILLA]),
    "over tuned SVMs by label": partial(counted, MOST, POWER_LAW, "label", DEPENDENCY, [TUNED]),
    "behind tuned SVMs on Health": partial(counted, MOST, [HEALTH], "label", TUNED, [DEPENDENCY]),
    "Macro-F1 on the power law": partial(counted, ALL, POWER_LAW, "label", DEPENDENCY, SVMS, MACRO),
    "Macro-F1 on Arts": partial(surely, [ARTS], "label", [DEPENDENCY], SVMS, MACRO),
    "rare labels": partial(by_frequency, 1),
    "frequent labels": partial(by_frequency, -1),
    "best counts on the power law": partial(lead_overall, POWER_LAW, 12, 24),
    "best counts on Yahoo": partial(lead_overall, YAHOO, -4, 4),
    "suited to documents": suited_to_documents,
    "beside Ji et al.": beside_ji,
    "learned settings": partial(
        surely, EVERY, None, ["Learned Dependency-LDA"], [DEPENDENCY], ["average_precision", *F1]
    ),
    "over linear models of today by document": partial(
        surely, POWER_LAW, "document", [DEPENDENCY], TODAY, [*WHOLE_RANKING, *TOP]
    ),
    "over linear models of today by label": partial(
        surely, POWER_LAW, "label", [DEPENDENCY], TODAY, [*WHOLE_RANKING, *TOP]
    ),
    "rare labels against a linear model of today": partial(by_frequency, 1, TODAY[0]),
    "the default hybrid": partial(
        surely, EVERY, None, ["Default hybrid"], [DEPENDENCY, *TODAY, ALONE], ["average_precision"]
    ),
    "hybrid": partial(surely, EVERY, None, ["Hybrid"], [DEPENDENCY, VANILLA], ["average_precision", *MACRO]),
}
enter("rubin2012", CHECKS)
