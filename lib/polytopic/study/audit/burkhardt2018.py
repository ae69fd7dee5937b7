"""Burkhardt and Kramer (2018): relations that need a formula, and their ranks and marks of tests."""

from polytopic.study.audit import cases
from polytopic.study.audit.cases import Number, better, equal, formula, number, partner, rows_of

PAPER = "burkhardt2018"
DEPENDENCY, S2 = "Dep.-LLDA", "Fast-Dep.-LLDA S2"


def beside(measure):
    """Return the rows of a measure, and those of Micro-precision and Micro-recall in the same order."""
    rows, cell = rows_of(PAPER), ["item", "corpus", "model", "measure"]
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
    by = cases.by_corpus(rows_of(PAPER, "table 4"))
    of_corpus = number(by["cardinality"]), number(by["labels"]["value"])
    known = (Number(*(rows["corpus"].map(part) for part in one)) for one in of_corpus)
    return equal(rows, formula(lambda p, r, c, n: c * (1 + r / p - 2 * r) / n, precision, recall, *known))


def labels_on():
    """Return the rows of Hamming loss, and the share of labels that are on, which they and their others imply."""
    rows, *others = beside("hamming_loss")
    return rows, formula(lambda loss, p, r: loss / (1 + r / p - 2 * r), rows, *others)


def one_test_set():
    return beside_median(*labels_on(), "labels that are on")


def ranks_in_order():
    """Equal values may have their ranks in any order."""
    rows = rows_of(PAPER)
    low, high = (cases.ranks(rows, ["item", "corpus", "measure"], side) for side in ("min", "max"))
    return equal(rows, Number((low + high) / 2, (high - low) / 2), rows["rank"].astype(int))


def average_of_printed_ranks():
    rows = rows_of(PAPER)
    return cases.average_ranks(rows, rows["rank"].astype(float))


def average_of_ordered_ranks():
    """Where values are equal the printed ranks are kept."""
    found = ranks_in_order()
    return cases.average_ranks(rows_of(PAPER), found["printed"].where(found["holds"], found["implied"]))


def marks_of_two_tests():
    """One test is named in the text, two are marked in table 6: how many stars, how many circles."""
    rows = rows_of(PAPER, item="table 6").query("wilcoxon != ''")
    return equal(rows, rows["t_test"].astype(int), rows["wilcoxon"].astype(int))


def better_and_marked():
    rows = rows_of(PAPER, item="table 6", measure=["micro_auc", "macro_auc"])
    ours = rows[rows["model"] == S2]
    found = better(ours, partner(ours, rows, ["corpus", "model", "measure"], model=DEPENDENCY))
    marked = ours["t_test"].astype(int).to_numpy() > 0
    return found.assign(holds=found["holds"] & marked, model=f"{S2} over {DEPENDENCY}")
