"""Formulas as they are printed against the quantities that they are printed for, on examples of a few counts."""

import numpy as np

from polytopic.study.audit import cases
from polytopic.study.audit.relation import MUST_HOLD, NUMBER, WORD, Relations

HITS, FALSE_ALARMS, MISSES = np.array([8, 1]), np.array([2, 0]), np.array([2, 3])  # of two labels
RANKING = np.array([1, 1, 0, 0, 0, 0, 1])  # relevant or not, best first
COUNTS, ALPHA = np.array([[3, 1], [0, 4]]), 0.1  # documents x topics


relation = Relations("definitions")


@relation("Macro-F1 of Burkhardt & Kramer", "Burkhardt Eq. 26", MUST_HOLD, NUMBER, paper="burkhardt2018")
def macro_f1_without_two():
    """A perfect classifier has Macro-F1 1.

    Eq. 26 for a classifier without a mistake: precision and recall are 1.
    """
    precision = recall = np.ones(2)
    printed = np.mean(precision * recall / (precision + recall))
    meant = np.mean(2 * precision * recall / (precision + recall))
    return cases.one(
        "burkhardt2018", "equation 26", printed, meant, measure="Macro-F1 of perfect predictions"
    )


@relation(
    "Micro-F1 of Papanikolaou et al.", "Papanikolaou section 5.2, Eq. 10", bearing=WORD, paper="papanikolaou"
)
def micro_f1_as_weighted_mean():
    """Micro-F1 is the labels' mean F1 weighted by frequency.

    The F1 of each label weighted by its frequency, against Eq. 10 from summed counts.
    """
    f1 = 2 * HITS / (2 * HITS + FALSE_ALARMS + MISSES)
    weighted = np.average(f1, weights=HITS + MISSES)
    summed = 2 * HITS.sum() / (2 * HITS + FALSE_ALARMS + MISSES).sum()
    return cases.one("papanikolaou", "section 5.2", weighted, summed, measure="Micro-F1 of two labels")


@relation(
    "theta of Papanikolaou et al.", "Papanikolaou Eq. 3 (so 1, 4 to 7)", MUST_HOLD, WORD, paper="papanikolaou"
)
def theta_over_documents():
    """A document's distribution over topics sums to 1.

    Eq. 3 divides by a sum over documents; what it gives a document should sum to 1 over its topics.
    """
    smoothed = COUNTS + ALPHA
    total = (smoothed / smoothed.sum(axis=0)).sum(axis=1)
    for d, found in enumerate(total, 1):
        yield cases.one("papanikolaou", "equation 3", found, 1, measure=f"sum of theta, document {d}")


@relation("break-even point of Rubin et al.", "Rubin section 5.5", bearing=WORD, paper="rubin2012")
def break_even_or_best():
    """The cutoff that optimises F1 is the one at which precision and recall are equal.

    BEP is said to optimise F1, and to be where precision equals recall: F1 at the two places of one ranking.
    """
    cut = np.arange(1, len(RANKING) + 1)
    f1 = 2 * np.cumsum(RANKING) / (cut + RANKING.sum())
    return cases.one("rubin2012", "section 5.5", f1.max(), f1[RANKING.sum() - 1], measure="F1 at BEP")
