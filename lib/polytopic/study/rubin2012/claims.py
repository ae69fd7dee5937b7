"""What Rubin et al. (2012) claim of their main results, case by case on the stored results.

Of the paper's own corpora its two Yahoo! sets are available, with its splits. Its power-law corpora are not; debtags
and the titles of EU acts stand for them, and where they have a single split, significance is not shown. A case is one
measure of one corpus: where the paper says significant, by its 95 % interval over splits, else by the means.

What is said of tuned SVMs is judged twice: with the SVM that section 5.1 describes, and with the tuned weight on both
classes. The second reading agrees with most of what is printed, which is how it was found, on the same Yahoo! sets.
"""

from functools import partial
from itertools import product

import pandas as pd

from polytopic.metrics import MEASURES, PIVOTS
from polytopic.study import bins, result_tables
from polytopic.study.claims import NO_CASES, agree, beats, cases, enter, page, so
from polytopic.study.looks import displayed
from polytopic.study.rubin2012 import relative, results
from polytopic.study.rubin2012.linear import ALONE, TODAY
from polytopic.study.rubin2012.systems import BOTH_WEIGHTS, PAPER_FIVE

__all__ = ["page", "so"]
PLACE = ["corpus", "scale"]
DEPENDENCY, PRIOR, FLAT, TUNED, VANILLA = PAPER_FIVE
SIMPLER = [PRIOR, FLAT]
ARTS, HEALTH = YAHOO = ["yahoo_arts_rubin", "yahoo_health_rubin"]
POWER_LAW = ["debtags", "eurlex-titles"]
EVERY = [*YAHOO, *POWER_LAW]
WHOLE_RANKING = ["auc_pr", "auc_roc", "average_precision", "ranking_loss", "margin"]
TOP, MACRO, F1 = ["one_error", "is_error"], ["macro_f1"], ["macro_f1", "micro_f1"]
LEVEL, RARE = 0.05, 5  # of the tests by label frequency; documents in training below which a label is rare


def twice(check):
    """Return a check of a claim about tuned SVMs: its cases by both readings, of which ``check`` takes the name."""

    def read():
        for tuned, reading in ((TUNED, ""), (BOTH_WEIGHTS, "both weights")):
            found = check(tuned)
            for one in [found] if isinstance(found, pd.DataFrame) else found:
                yield one.assign(reading=reading)

    return lambda: [one for one in read() if len(one)] or NO_CASES


def shown(corpora, pivot, models=PAPER_FIVE, measures=None):
    """Return the stored results of the measures of figures 6 and 7, or 10 and 11, or of some of them."""
    rows = results.stored(corpora, models, whole=BOTH_WEIGHTS in models)
    kept = pd.MultiIndex.from_frame(rows[["cutoff", "measure"]]).isin(result_tables.SHOWN)
    if measures:
        kept &= rows["measure"].isin(measures)
    return rows[kept & rows["pivot"].isin([pivot] if pivot else PIVOTS)]


def scaled(table, rows):
    """Return a table with the scale that rows have of each corpus."""
    scale = rows.drop_duplicates("corpus").set_index("corpus")["scale"]
    return table.assign(scale=table["corpus"].map(scale))


def surely(corpora, pivot, firsts, seconds, measures=None):
    """Return a case for each measure: the first's lead over the second and its 95 % interval over their splits."""
    over = [*PLACE, "pivot", "cutoff", "measure"]
    pairs = [(first, second) for first, second in product(firsts, seconds) if first != second]
    found = [beats(shown(corpora, pivot, pair, measures), *pair, over, ["split"]) for pair in pairs]
    return pd.concat(found, ignore_index=True)


def ahead(corpora, pivot, first, seconds, measures=None):
    """Return a case for each corpus and measure: how much better the first's mean over splits is, open if level."""
    rows = shown(corpora, pivot, [first, *seconds], measures)
    if rows.empty:
        return NO_CASES
    wide = means(rows).reset_index()
    sign = wide["measure"].map(lambda name: MEASURES[name].sign)
    found = []
    for second in seconds:
        gap = sign * (wide[first] - wide[second])
        told = f"{first} over {second} " + wide["cutoff"] + " " + wide["measure"]
        found.append(cases(wide, told, gap, (gap > 0).astype("boolean").mask(gap == 0)))
    return pd.concat(found, ignore_index=True)


def means(rows):
    """Return means over splits, a row per corpus, scale, pivot, cutoff and measure and a column per model."""
    rows = rows.astype({"value": float})
    return rows.pivot_table(
        "value", [*PLACE, "pivot", "cutoff", "measure"], "model", aggfunc="mean", sort=False
    )


def with_tuned(tuned):
    """Return the paper's five systems, with this reading of the tuned SVM."""
    return [tuned if name == TUNED else name for name in PAPER_FIVE]


def by_corpus(values, case, holds):
    """Return a case for each corpus of a Series of values by corpus and scale."""
    table = values.rename("value").reset_index()
    return cases(table, case, table["value"], holds.to_numpy())


def of(corpora, table):
    return table[table.index.isin(corpora, level="corpus")]


def reproduced(item, pivot, models=PAPER_FIVE):
    """Return a case for each number that a figure, or all four, print for the Yahoo! sets and some models."""
    rows = shown(YAHOO, pivot, models).replace({"model": {BOTH_WEIGHTS: TUNED}})
    table = result_tables.beside_paper(rows, item=item).assign(scale="paper")
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


def leads_in_best(tuned):
    """Return on how many measures more than tuned SVMs Dependency-LDA is best, a column per pivot (figure 13)."""
    rows = shown(EVERY, None, with_tuned(tuned))
    counts = scaled(result_tables.best_counts(rows), rows)
    best = counts.groupby([*PLACE, "model", "pivot"], sort=False)["best"].sum().unstack(["model", "pivot"])
    return best[DEPENDENCY] - best[tuned]


def lead_overall(corpora, low, high, tuned):
    """Return cases of figure 13's totals: Dependency-LDA's lead over tuned SVMs said to lie between two numbers."""
    lead = of(corpora, leads_in_best(tuned).sum(axis=1))
    return by_corpus(lead, "measures more than tuned SVMs", lead.between(low, high))


def trends(statistic, firsts, seconds, sign, tuned=TUNED):
    """Yield a case for each measure of figures 8 and 9: Kendall's tau of a lead with a statistic of the corpora."""
    found = relative.results_at_hand()
    if tuned == BOTH_WEIGHTS:
        found = relative.read_otherwise(found)
    centred = relative.centred(found, statistic, PAPER_FIVE)
    on = ", ".join(displayed(corpus) for corpus in dict.fromkeys(centred["corpus"]))
    for first, second in product(firsts, seconds):
        tau = relative.trend(centred, first, second).dropna(subset="tau").assign(corpus=on)
        case = f"{first} over {second}, " + tau["cutoff"] + " " + tau["measure"]
        yield cases(tau, case, tau["tau"], sign * tau["tau"] > 0)


def prior_and_flat_are_close():
    wide = means(shown(EVERY, "document")).reset_index()
    gap = (wide[PRIOR] - wide[FLAT]).abs()
    least = wide[SIMPLER].sub(wide[DEPENDENCY], axis=0).abs().min(axis=1)
    return cases(
        wide, "gap less Dependency-LDA's, " + wide["cutoff"] + " " + wide["measure"], gap - least, gap < least
    )


def gains_by_label():
    wide = means(shown(EVERY, "label", measures=[*WHOLE_RANKING[:3], *F1]))
    gains = (wide[DEPENDENCY] - wide[SIMPLER].max(axis=1)).groupby(level=PLACE, sort=False).mean()
    large = of(POWER_LAW, gains)
    return by_corpus(large, "mean gain over the better of the two", large > 1.5 * of(YAHOO, gains).max())


def suited_to_documents(tuned):
    lead = leads_in_best(tuned)
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
    **{
        f"figure {n} reproduced": twice(
            partial(lambda n, pivot, tuned: reproduced(f"figure {n}", pivot, with_tuned(tuned)), n, pivot)
        )
        for n, pivot in FIGURES.items()
    },
    "Tuned SVM as described": twice(lambda tuned: reproduced(None, None, [tuned])),
    "Vanilla SVM as described": partial(reproduced, None, None, [VANILLA]),
    "over both LDAs by document": partial(surely, EVERY, "document", [DEPENDENCY], SIMPLER),
    "Prior-LDA over Flat-LDA on Arts": partial(ahead, [ARTS], "document", PRIOR, [FLAT]),
    "Prior- and Flat-LDA are close": prior_and_flat_are_close,
    "tuned SVMs by document": twice(
        lambda tuned: surely([*YAHOO, "rcv1-subsets"], "document", [tuned], [VANILLA])
    ),
    "whole rankings and their top": lambda: [
        ahead(POWER_LAW, "document", VANILLA, [TUNED], ["margin", "auc_roc", "auc_pr"]),
        ahead(POWER_LAW, "document", TUNED, [VANILLA], TOP),
    ],
    "over tuned SVMs by document": partial(ahead, POWER_LAW, "document", DEPENDENCY, [TUNED]),
    "Yahoo rankings by document": twice(
        lambda tuned: [
            surely(YAHOO, "document", [DEPENDENCY], [tuned, VANILLA], WHOLE_RANKING),
            surely(YAHOO, "document", [tuned], [DEPENDENCY], TOP),
        ]
    ),
    "Yahoo decisions by document": twice(
        lambda tuned: [
            ahead([HEALTH], "document", DEPENDENCY, [tuned], F1),
            ahead([ARTS], "document", tuned, [DEPENDENCY], F1),
        ]
    ),
    "the gain falls with label frequency": twice(
        partial(trends, relative.MEDIAN, [DEPENDENCY, FLAT], [TUNED], -1)
    ),
    "the gain grows with cardinality": partial(trends, relative.CARDINALITY, [DEPENDENCY], SIMPLER, 1),
    "over both LDAs by label": partial(ahead, EVERY, "label", DEPENDENCY, SIMPLER),
    "gains by label": gains_by_label,
    "tuned SVMs by label": twice(
        lambda tuned: surely([*YAHOO, "rcv1-subsets", *POWER_LAW], "label", [tuned], [VANILLA])
    ),
    "over tuned SVMs by label": partial(ahead, POWER_LAW, "label", DEPENDENCY, [TUNED]),
    "behind tuned SVMs on Health": twice(lambda tuned: ahead([HEALTH], "label", tuned, [DEPENDENCY])),
    "Macro-F1 on the power law": partial(ahead, POWER_LAW, "label", DEPENDENCY, [TUNED, VANILLA], MACRO),
    "Macro-F1 on Arts": twice(lambda tuned: surely([ARTS], "label", [DEPENDENCY], [tuned, VANILLA], MACRO)),
    "rare labels": partial(by_frequency, 1),
    "frequent labels": partial(by_frequency, -1),
    "best counts on the power law": partial(lead_overall, POWER_LAW, 12, 24, TUNED),
    "best counts on Yahoo": twice(partial(lead_overall, YAHOO, -4, 4)),
    "suited to documents": twice(suited_to_documents),
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
