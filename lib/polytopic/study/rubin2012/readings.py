"""Cases of what Rubin et al. (2012) claim of their main results, from the stored ones, for several pages.

Of the paper's own corpora its two Yahoo! sets are available, with its splits, and 44 of 100 documents of its EUR-Lex.
EURLEX57K has more documents of that kind. What is said of power-law corpora is judged on these two where all systems
that it needs are stored of them; debtags and the titles of EU acts stand for them elsewhere, and beside them. A case
is one measure of one corpus: where the paper says significant, by its 95 % interval over splits, else by the means.

What is said of tuned SVMs is judged twice: with the SVM that section 5.1 describes, and with the tuned weight on both
classes. The second reading agrees with most of what is printed, which is how it was found, on the same Yahoo! sets.
"""

import json
from itertools import product

import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.metrics import PIVOTS
from polytopic.metrics.rank_measures import kept_measures
from polytopic.study import bins, claims, result_tables, store
from polytopic.study.rubin2012 import results
from polytopic.study.rubin2012.systems import BOTH_WEIGHTS, PAPER_FIVE

PLACE = ["corpus", "scale"]
TUNED = "Tuned SVM"
YAHOO, EURLEX = ["yahoo_arts_rubin", "yahoo_health_rubin"], "eurlex-papers"
OWN, POWER_LAW = [*YAHOO, EURLEX], [EURLEX, "eurlex57k"]
STAND_INS = ["debtags", "eurlex-titles"]
RARE = 5  # training documents, below which a label is rare


def other(models):
    """Return models, one or a list, with the tuned SVM of both weights in the place of the one described."""
    if isinstance(models, list | tuple):
        return [other(one) for one in models]
    return BOTH_WEIGHTS if models == TUNED else models


def twice(check, *arguments):
    """Return the cases of a check about tuned SVMs by both readings: as called, and with ``other`` arguments."""
    first, second = claims.together(check(*arguments)), claims.together(check(*map(other, arguments)))
    return [first.assign(reading=""), second.assign(reading="both weights")]


def selected(corpora, pivot, models=PAPER_FIVE, measures=None):
    """Return the stored results of the measures of figures 6 and 7, or 10 and 11, or of some of them.

    Of the corpora that have all of the models.
    """
    rows = results.stored(corpora, models, whole=True)
    kept = pd.MultiIndex.from_frame(rows[["cutoff", "measure"]]).isin(result_tables.SHOWN)
    if measures:
        kept &= rows["measure"].isin(measures)
    return rows[kept & rows["pivot"].isin([pivot] if pivot else PIVOTS)]


def scaled(table, rows):
    """Return a table with the scale that rows have of each corpus."""
    scale = rows.drop_duplicates("corpus").set_index("corpus")["scale"]
    return table.assign(scale=table["corpus"].map(scale))


def significant(corpora, pivot, firsts, seconds, measures=None):
    """Return a case for each measure: the first's lead over the second and its 95 % interval over their splits."""
    over = [*PLACE, "pivot", "cutoff", "measure"]
    pairs = [(first, second) for first, second in product(firsts, seconds) if first != second]
    return claims.together(
        claims.beats(selected(corpora, pivot, pair, measures), *pair, over, ["split"]) for pair in pairs
    )


def significant_on_one_split(corpus, pivot, first, seconds):
    """Return a case for each ranking measure: the lead over each second, with a 95 % interval over the test items.

    Items are the test documents, or labels, of the corpus's first split at the paper's scale. Without a unit of the
    systems there are no cases; KeyError for a unit whose ranks are not kept in ``data/results``.
    """
    units, parts = store.Place(results.results, corpus, "paper", 0).units(load_corpus(corpus).digest), []
    for key, unit in units.items():
        split, model = json.loads(key)
        if split == 0 and model in (first, *seconds):
            ranked, _ = results.rankings(unit.arrays)[pivot]
            wide = pd.DataFrame(kept_measures(ranked)).rename_axis("item").reset_index()
            parts.append(wide.melt("item", var_name="measure").assign(model=model))
    if not parts:
        return claims.NO_CASES
    rows = pd.concat(parts).assign(corpus=corpus, scale="paper", pivot=pivot)
    return claims.beats(rows, first, seconds, [*PLACE, "pivot", "measure"], ["item"])


def reproduced(item, pivot, models=PAPER_FIVE):
    """Return a case for each number that a figure, or all four, print for the Yahoo! sets and some models."""
    rows = selected(YAHOO, pivot, models).replace({"model": {BOTH_WEIGHTS: TUNED}})
    table = result_tables.beside_paper(rows, item)
    case = table[["model", "cutoff", "measure"]].agg(" ".join, axis=1)
    return claims.agree(table.assign(scale="paper", case=case), "case")


def by_frequency(sign, second=TUNED):
    """Return a case for each fifth of the labels: Dependency-LDA's lead over the second, open unless significant.

    sign is 1 for fifths of rare labels, where it is said to lead, -1 for the most frequent, where it is behind.
    """
    rows = results.stored(POWER_LAW, ["Dependency-LDA", second], table="labels", whole=True)
    if rows.empty:
        return claims.NO_CASES
    tests = scaled(bins.quintile_tests(rows, "Dependency-LDA", second=second), rows)
    tests = tests[tests["high"] < RARE if sign > 0 else ~tests["corpus"].duplicated(keep="last")]
    low, high = (tests[end].map("{:g}".format) for end in ("low", "high"))
    holds = (sign * tests["difference"] > 0).astype("boolean").where(tests["p"] < bins.LEVEL)
    case = "labels with " + low + " to " + high + " training documents"
    return claims.cases(tests, case, tests["difference"], holds)
