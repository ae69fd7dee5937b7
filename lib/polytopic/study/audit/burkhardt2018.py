"""Burkhardt and Kramer (2018): relations among their tables, and their prose against them."""

import pandas as pd

from polytopic.study.audit.cases import NUMBER, WORD, Relations, beats, beyond, equal
from polytopic.study.audit.numbers import Number, exact, formula, partner, ranks, rounded, rows_of, signs
from polytopic.study.claims import BETWEEN, MUST_HOLD

PAPER = "burkhardt2018"
DEPENDENCY, S1, S2, BR = "Dep.-LLDA", "Fast-Dep.-LLDA S1", "Fast-Dep.-LLDA S2", "BR(SVM)"
EXTREME = ["PD Sparse", "FastXML"]
TOPIC = [DEPENDENCY, S1, S2]
RANKING = ["micro_auc", "macro_auc", "rank_one_error"]  # section 5.2
OTHER_BINARY = ["micro_f1", "micro_precision", "micro_recall", "hamming_loss"]
relation = Relations(PAPER)


def beside(measure):
    """Return the rows of a measure, and those of Micro-precision and Micro-recall in the same order."""
    rows = rows_of(PAPER, measure=measure)
    others = (rows_of(PAPER, measure=name) for name in ("micro_precision", "micro_recall"))
    return rows, *(partner(rows, other, ["item", "corpus", "model"]) for other in others)


def beside_median(rows, number, measure):
    """Return cases of numbers that should be their corpus's median over both tables."""
    middle = Number(*(part.groupby(rows["corpus"]).transform("median") for part in number))
    return equal(rows, middle, number, measure=measure)


@relation("F from precision and recall", "tables 5, 6; Eq. 23", MUST_HOLD, NUMBER)
def f_from_precision_and_recall():
    """Micro-F is the harmonic mean of Micro-precision and Micro-recall."""
    rows, *others = beside("micro_f1")
    return equal(rows, formula(lambda p, r: 2 * p * r / (p + r), *others))


@relation("one number of predicted labels", "tables 5, 6; section 5.1", MUST_HOLD)
def predicted_labels():
    """The number of labels is predicted once for all classifiers, so precision / recall is one ratio per corpus.

    Precision over recall is true over predicted labels, the same for all classifiers that predict as many.

    Each is held against the median of its corpus over both tables.
    """
    rows, *others = beside("micro_f1")
    return beside_median(rows, formula(lambda p, r: p / r, *others), "precision / recall")


@relation("Hamming loss from precision and recall", "tables 4, 5, 6", MUST_HOLD, NUMBER)
def hamming_from_precision_and_recall():
    """Hamming loss follows from precision, recall, the number of labels and cardinality, where test documents have
    the cardinality of the whole corpus.

    Wrong labels are those missed and those predicted in vain: c (1 + R / P - 2 R) of L to a document.
    """
    rows, precision, recall = beside("hamming_loss")
    table = {name: rows_of(PAPER, "table 4", statistic=name) for name in ("cardinality", "labels")}
    of_corpus = {name: block.set_index("corpus") for name, block in table.items()}
    known = rounded(of_corpus["cardinality"]), exact(of_corpus["labels"]["value"])
    known = (Number(*(rows["corpus"].map(part) for part in number)) for number in known)
    return equal(rows, formula(lambda p, r, c, n: c * (1 + r / p - 2 * r) / n, precision, recall, *known))


def labels_on():
    """Return the rows of Hamming loss, and the share of labels that are on, which they and their others imply."""
    rows, *others = beside("hamming_loss")
    return rows, formula(lambda loss, p, r: loss / (1 + r / p - 2 * r), rows, *others)


@relation("one test set", "tables 5, 6", MUST_HOLD)
def one_test_set():
    """Hamming loss, precision and recall imply one share of labels that are on, per corpus."""
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
    table = rows_of(PAPER, "table 4").pivot(index="corpus", columns="statistic", values="value")
    frame = pd.DataFrame(sides).mul(table["labels"], axis=0).assign(table_4=table["cardinality"])
    return frame.assign(possible=frame["table_4"].between(frame["low"], frame["high"])).reset_index()


@relation("ranks in order", "tables 5, 6", MUST_HOLD, NUMBER)
def ranks_in_order():
    """The ranks in brackets follow the values beside them.

    Printed ranks against the order of the printed values; equal values may have their ranks in any order.
    """
    rows = rows_of(PAPER)
    low, high = (ranks(rows, ["item", "corpus", "measure"], side) for side in ("min", "max"))
    return equal(rows, Number((low + high) / 2, (high - low) / 2), rows["rank"].astype(int))


def average_ranks(printed_ranks):
    rows = rows_of(PAPER)
    cell = ["item", "model", "measure"]
    mean = printed_ranks(rows).groupby([rows[name] for name in cell]).mean().rename("mean").reset_index()
    printed = rows_of(PAPER, ["table 5", "table 6"]).dropna(subset="ranked_by")
    implied = partner(printed.assign(measure=printed["ranked_by"]), mean, cell)["mean"]
    return equal(printed, implied, measure="average rank, " + printed["ranked_by"])


@relation("averages of the printed ranks", "tables 5, 6", MUST_HOLD, NUMBER)
def average_of_printed_ranks():
    """The average ranks are the means of the ranks in print."""
    return average_ranks(lambda rows: rows["rank"].astype(float))


@relation("averages of the ranks in order", "tables 5, 6", MUST_HOLD)
def average_of_ordered_ranks():
    """The average ranks are the means of the ranks that the values have.

    The ranks that the values give; where values are equal the printed ranks are kept.
    """

    def ordered(rows):
        found = ranks_in_order().set_axis(rows.index)
        return found["printed"].where(found["holds"], found["implied"])

    return average_ranks(ordered)


@relation("one test or two", "section 5.5.1, table 6", bearing=WORD)
def marks_of_two_tests():
    """Significance is that of a t-test; the marks of the other test agree with it.

    One test is named in the text, two are marked in table 6: how many stars, how many circles.
    """
    rows = rows_of(PAPER, item="table 6").query("wilcoxon != ''")
    return equal(rows, rows["t_test"].astype(int), rows["wilcoxon"].astype(int))


@relation("S2 significantly better on AUC", "section 5.5.1")
def better_and_marked():
    """S2 is better than Dep.-LLDA on both AUCs, and marked so."""
    rows = rows_of(PAPER, item="table 6", measure=["micro_auc", "macro_auc"])
    found = beats(rows, [S2], [DEPENDENCY])
    marked = partner(found, rows[rows["model"] == S2], ["corpus", "measure"])["t_test"].astype(int) > 0
    return found.assign(holds=found["holds"] & marked)


@relation("ten chains over one", "tables 5, 6", BETWEEN, NUMBER)
def ten_chains_over_one():
    """Averaged over ten chains a topic model is no worse than on one."""
    many, single = (rows_of(PAPER, item=item) for item in ("table 5", "table 6"))
    many = many[many["model"].isin(TOPIC)]
    one_chain = partner(many, single, ["corpus", "model", "measure"])["value"]
    return beyond(many, one_chain, higher=signs(many) > 0, ties=True)


def of_ten_chains(**wanted):
    return rows_of(PAPER, item="table 5", **wanted)


says = {}
says["section 5.5.1"] = {
    "S2 over S1: In both tables evaluation S2 is superior to S1.": lambda: beats(rows_of(PAPER), [S2], [S1]),
    "Macro-F over BR: On the two corpora other than Amazon the topic models have the better Macro-F.": lambda: (
        beats(of_ten_chains(measure="macro_f1", corpus=["eurlex", "ohsumed"]), TOPIC, [BR])
    ),
    "BR on the other binary measures: BR is best on every binary measure but Macro-F.": lambda: beats(
        of_ten_chains(measure=OTHER_BINARY), [BR], [*EXTREME, *TOPIC]
    ),
}
says["sections 6, 7; 5.2 names three measures"] = {
    "rankings over BR: The topic models rank better than BR with SVMs.": lambda: beats(
        of_ten_chains(measure=RANKING), TOPIC, [BR]
    ),
}
says["section 7; 5.2 names three measures"] = {
    "rankings over Dep.-LLDA: Fast-Dep.-LLDA ranks better than Dep.-LLDA (S2, its better evaluation).": lambda: (
        beats(rows_of(PAPER, measure=RANKING), [S2], [DEPENDENCY])
    ),
}
relation.enter(says)
