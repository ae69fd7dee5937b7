"""What several papers share: corpora of one name that are not the same, settings that are said to be, formulas.

Formulas as they are printed are held against the quantities that they are printed for, on examples of a few counts.
"""

import numpy as np
import pandas as pd

from polytopic.study.audit.cases import Number, equal, number, one, partner, partners, rows_of

RUBIN, PAPANIKOLAOU, BURKHARDT, TAI = "rubin2012", "papanikolaou", "burkhardt2018", "tai2012"
SOURCES = {
    RUBIN: ["table 4", "appendix A.1", "appendix A.2"],
    PAPANIKOLAOU: ["table 4", "section 5.1.4"],
    BURKHARDT: ["table 4"],
    TAI: ["table 2"],
}
AS_ONE = {f"train_{name}": name for name in ("labels", "cardinality", "word_types")}
AS_ONE |= {"train_length": "mean_length", "documents_downloaded": "documents"}
COUNTED = ["train_documents", "test_documents", *AS_ONE.values()]
HITS, FALSE_ALARMS, MISSES = np.array([8, 1]), np.array([2, 0]), np.array([2, 3])  # of two labels
RANKING = np.array([1, 1, 0, 0, 0, 0, 1])  # relevant or not, best first
COUNTS, ALPHA = np.array([[3, 1], [0, 4]]), 0.1  # documents x topics


def same_corpus():
    """Each later paper's number is set beside the first paper's that has it for a corpus of that name."""
    cell = ["corpus", "statistic"]
    rows = pd.concat([rows_of(paper, items) for paper, items in SOURCES.items()], ignore_index=True)
    rows = rows.assign(statistic=rows["statistic"].replace(AS_ONE))
    rows = rows[(rows["corpus"] != "") & rows["statistic"].isin(COUNTED)]
    first = rows.drop_duplicates(cell)
    later = rows[rows["paper"] != partner(rows, first, cell)["paper"]]
    known = partner(later, first, cell)
    counts = Number(known["value"], number(known).half.where(known["decimals"] > 0, 0.0))
    return equal(later, counts, model="against " + known["paper"] + ", " + known["item"])


def same_method():
    later = [("Prior-LDA", rows_of(PAPANIKOLAOU, model="CGS", chains=chains)) for chains in ("1", "5")]
    for model, rows in [*later, ("Dependency-LDA", rows_of(BURKHARDT, model="Dep.-LLDA"))]:
        known = rows_of(RUBIN, "figure 11", cutoff="proportional", model=model)
        rows, known = partners(rows.assign(pivot="", cutoff=""), known, ["corpus", "measure"])
        yield equal(rows, known, model=f"{model}, against {RUBIN}, figure 11")


def settings_taken_over():
    """Section 5.4.1 is set beside each corpus's settings of Dependency-LDA in Rubin's table 6."""
    said = rows_of(BURKHARDT, "section 5.4.1").drop(columns="corpus")
    said = said.assign(parameter=said["parameter"].replace({"beta": "beta_w", "beta_y": "beta_c"}))
    theirs = rows_of(RUBIN, "table 6", model="Dependency-LDA")[["corpus", "phase", "parameter", "value"]]
    both = said.merge(theirs, on=["phase", "parameter"], suffixes=("", "_rubin"))
    return equal(both, both["value_rubin"], both["value"], measure=both["phase"] + " " + both["parameter"])


def macro_f1_without_two():
    """Precision and recall are 1."""
    precision = recall = np.ones(2)
    printed = np.mean(precision * recall / (precision + recall))
    return one(BURKHARDT, "equation 26", printed, 2 * printed, measure="Macro-F1 of perfect predictions")


def micro_f1_as_weighted_mean():
    """It is set beside Eq. 10 from summed counts."""
    f1 = 2 * HITS / (2 * HITS + FALSE_ALARMS + MISSES)
    weighted = np.average(f1, weights=HITS + MISSES)
    summed = 2 * HITS.sum() / (2 * HITS + FALSE_ALARMS + MISSES).sum()
    return one(PAPANIKOLAOU, "section 5.2", weighted, summed, measure="Micro-F1 of two labels")


def theta_over_documents():
    """Eq. 3 divides by a sum over documents."""
    smoothed = COUNTS + ALPHA
    total = (smoothed / smoothed.sum(axis=0)).sum(axis=1)
    for d, found in enumerate(total, 1):
        yield one(PAPANIKOLAOU, "equation 3", found, 1, measure=f"sum of theta, document {d}")


def break_even_or_best():
    """F1 where it is best, and where precision equals recall, on one ranking."""
    cut = np.arange(1, len(RANKING) + 1)
    f1 = 2 * np.cumsum(RANKING) / (cut + RANKING.sum())
    return one(RUBIN, "section 5.5", f1.max(), f1[RANKING.sum() - 1], measure="F1 at BEP")
