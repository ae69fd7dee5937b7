"""Burkhardt and Kramer (2018): relations among their tables, and their prose against them."""

from functools import partial

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.cases import Number, equal, formula, number, partner

PAPER = "burkhardt2018"
DEPENDENCY, S1, S2, BR = "Dep.-LLDA", "Fast-Dep.-LLDA S1", "Fast-Dep.-LLDA S2", "BR(SVM)"
EXTREME = ["PD Sparse", "FastXML"]
TOPIC = [DEPENDENCY, S1, S2]
RANKING = ["micro_auc", "macro_auc", "rank_one_error"]  # section 5.2
BINARY = ["micro_f1", "micro_precision", "micro_recall", "hamming_loss"]

results = partial(cases.rows_of, PAPER)  # tables 5 and 6, or a part of them


def beats(firsts, seconds, **wanted):
    return cases.beats(results(**wanted), firsts, seconds)


def beside(measure):
    """Return the rows of a measure, and those of Micro-precision and Micro-recall in the same order."""
    rows, cell = results(), ["item", "corpus", "model", "measure"]
    kept = rows[rows["measure"] == measure]
    return kept, *(partner(kept, rows, cell, measure=name) for name in ("micro_precision", "micro_recall"))


def beside_median(rows, number, measure):
    """Return cases of numbers that should be their corpus's median over both tables."""
    middle = Number(*(part.groupby(rows["corpus"]).transform("median") for part in number))
    return equal(rows, middle, number, measure=measure)


def f_from_precision_and_recall():
    rows, *others = beside("micro_f1")
    return equal(rows, formula(lambda p, r: 2 * p * r / (p + r), *others))


def predicted_labels():
    """Precision over recall is true over predicted labels, the same for all classifiers that predict as many."""
    rows, *others = beside("micro_f1")
    return beside_median(rows, formula(lambda p, r: p / r, *others), "precision / recall")


def hamming_from_precision_and_recall():
    """Wrong labels are those missed and those predicted in vain: c (1 + R / P - 2 R) of L to a document."""
    rows, precision, recall = beside("hamming_loss")
    by = cases.by_corpus(results("table 4"))
    of_corpus = number(by["cardinality"]), number(by["labels"]["value"])
    known = (Number(*(rows["corpus"].map(part) for part in one)) for one in of_corpus)
    return equal(rows, formula(lambda p, r, c, n: c * (1 + r / p - 2 * r) / n, precision, recall, *known))


def labels_on():
    """Return the rows of Hamming loss, and the share of labels that are on, which they and their others imply."""
    rows, *others = beside("hamming_loss")
    return rows, formula(lambda loss, p, r: loss / (1 + r / p - 2 * r), rows, *others)


def one_test_set():
    return beside_median(*labels_on(), "labels that are on")


def test_cardinality():
    """Return the labels per test document that the classifiers' rows leave possible, beside table 4's.

    Columns: corpus, low, high, table_4, possible. A row of a classifier that agrees with its corpus's median in
    ``one_test_set`` allows what rounding does; low and high bound what all of them allow.
    """
    rows, density = labels_on()
    agrees = one_test_set()["holds"].to_numpy()
    corpus = rows["corpus"][agrees]
    sides = {
        "low": (density.value - density.half)[agrees].groupby(corpus).max(),
        "high": (density.value + density.half)[agrees].groupby(corpus).min(),
    }
    table = results("table 4").pivot(index="corpus", columns="statistic", values="value")
    frame = pd.DataFrame(sides).mul(table["labels"], axis=0).assign(table_4=table["cardinality"])
    return frame.assign(possible=frame["table_4"].between(frame["low"], frame["high"])).reset_index()


def ranks_in_order():
    """Equal values may have their ranks in any order."""
    rows = results()
    low, high = (cases.ranks(rows, ["item", "corpus", "measure"], side) for side in ("min", "max"))
    return equal(rows, Number((low + high) / 2, (high - low) / 2), rows["rank"].astype(int))


def average_of_ordered_ranks():
    """Where values are equal the printed ranks are kept."""
    found = ranks_in_order()
    return cases.average_ranks(results(), found["printed"].where(found["holds"], found["implied"]))


def marks_of_two_tests():
    """One test is named in the text, two are marked in table 6: how many stars, how many circles."""
    rows = results(item="table 6").query("wilcoxon != ''")
    return equal(rows, rows["t_test"].astype(int), rows["wilcoxon"].astype(int))


def better_and_marked():
    rows = results(item="table 6", measure=["micro_auc", "macro_auc"])
    found = cases.beats(rows, S2, DEPENDENCY)
    marked = partner(found, rows[rows["model"] == S2], ["corpus", "measure"])["t_test"].astype(int) > 0
    return found.assign(holds=found["holds"] & marked)


CHECKS = {
    "F from precision and recall": f_from_precision_and_recall,
    "Hamming loss from precision and recall": hamming_from_precision_and_recall,
    "ranks in order": ranks_in_order,
    "averages of the printed ranks": lambda: cases.average_ranks(results(), results()["rank"].astype(float)),
    "one number of predicted labels": predicted_labels,
    "one test set": one_test_set,
    "averages of the ranks in order": average_of_ordered_ranks,
    "one test or two": marks_of_two_tests,
    "ten chains over one": lambda: cases.against(
        partial(cases.beyond, ties=True), results(item="table 5", model=TOPIC), results(), item="table 6"
    ),
    "S2 significantly better on AUC": better_and_marked,
    "S2 over S1": lambda: beats(S2, S1),
    "Macro-F over BR": lambda: beats(
        TOPIC, BR, item="table 5", measure="macro_f1", corpus=["eurlex", "ohsumed"]
    ),
    "BR on the other binary measures": lambda: beats(BR, [*EXTREME, *TOPIC], item="table 5", measure=BINARY),
    "rankings over BR": lambda: beats(TOPIC, BR, item="table 5", measure=RANKING),
    "rankings over Dep.-LLDA": lambda: beats(S2, DEPENDENCY, measure=RANKING),
}
