"""Burkhardt and Kramer (2018): relations among their tables, and their prose against them."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import Relation
from polytopic.study.printed import reported

PAPER = "burkhardt2018"
DEPENDENCY, S1, S2, BR = "Dep.-LLDA", "Fast-Dep.-LLDA S1", "Fast-Dep.-LLDA S2", "BR(SVM)"
EXTREME = ["PD Sparse", "FastXML"]
TOPIC = [DEPENDENCY, S1, S2]
RANKING = ["micro_auc", "macro_auc", "rank_one_error"]  # section 5.2
LOWER = ["hamming_loss", "rank_one_error"]
HIGHER = {
    measure: measure not in LOWER
    for measure in [*RANKING, "micro_f1", "macro_f1", "micro_precision", "micro_recall", "hamming_loss"]
}
ROW = ["item", "corpus", "measure"]


def results(item=None, measures=None, corpora=None):
    """Return tables 5 and 6, or a part of them."""
    rows = reported(PAPER)
    for column, wanted in (("item", item and [item]), ("measure", measures), ("corpus", corpora)):
        rows = rows[rows[column].isin(wanted)] if wanted else rows
    return rows


def beats(rows, firsts, seconds):
    pairs = [(first, second) for first in firsts for second in seconds]
    return pd.concat([cases.beats(rows, *pair, HIGHER) for pair in pairs], ignore_index=True)


def beside(measure):
    """Return the rows of a measure, and those of Micro-precision and Micro-recall in the same order."""
    rows = results(measures=[measure])
    cell = ["item", "corpus", "model"]
    keys = pd.MultiIndex.from_frame(rows[cell])
    others = (
        results(measures=[name]).set_index(cell).loc[keys] for name in ("micro_precision", "micro_recall")
    )
    return rows, *(cases.rounded(other.set_index(rows.index)) for other in others)


def f_from_precision_and_recall():
    rows, precision, recall = beside("micro_f1")
    implied = cases.formula(lambda p, r: 2 * p * r / (p + r), precision, recall)
    return cases.equal(cases.place(rows), cases.rounded(rows), implied)


def predicted_labels():
    """Precision over recall is true over predicted labels, the same for all classifiers that predict as many.

    Each is held against the median of its corpus over both tables.
    """
    rows, precision, recall = beside("micro_f1")
    ratio = cases.formula(lambda p, r: p / r, precision, recall)
    middle = ratio.value.groupby(rows["corpus"]).transform("median")
    spread = ratio.half.groupby(rows["corpus"]).transform("median")
    return cases.equal(cases.place(rows, measure="precision / recall"), ratio, cases.Number(middle, spread))


def statistic(name, corpora):
    rows = reported(PAPER, "table 4").query("statistic == @name").set_index("corpus")
    known = cases.exact(rows["value"]) if name == "labels" else cases.rounded(rows)
    return cases.Number(*(corpora.map(values) for values in known))


def hamming_from_precision_and_recall():
    """Wrong labels are those missed and those predicted in vain: c (1 + R / P - 2 R) of L to a document."""
    rows, precision, recall = beside("hamming_loss")
    implied = cases.formula(
        lambda p, r, cardinality, labels: cardinality * (1 + r / p - 2 * r) / labels,
        precision, recall, *(statistic(name, rows["corpus"]) for name in ("cardinality", "labels")),
    )  # fmt: skip
    return cases.equal(cases.place(rows), cases.rounded(rows), implied)


def one_test_set():
    """The share of labels that are on, from Hamming loss, precision and recall, against its corpus's median."""
    rows, precision, recall = beside("hamming_loss")
    density = cases.formula(
        lambda loss, p, r: loss / (1 + r / p - 2 * r), cases.rounded(rows), precision, recall
    )
    middle = density.value.groupby(rows["corpus"]).transform("median")
    spread = density.half.groupby(rows["corpus"]).transform("median")
    return cases.equal(cases.place(rows, measure="labels that are on"), density, cases.Number(middle, spread))


def test_cardinality():
    """Return the labels per test document that the classifiers' rows leave possible, beside table 4's.

    Columns: corpus, low, high, table_4, possible. A row of a classifier that agrees with its corpus's median in
    ``one_test_set`` allows what rounding does; low and high bound what all of them allow.
    """
    rows, precision, recall = beside("hamming_loss")
    density = cases.formula(
        lambda loss, p, r: loss / (1 + r / p - 2 * r), cases.rounded(rows), precision, recall
    )
    agrees = one_test_set()["holds"].to_numpy()
    corpus = rows["corpus"][agrees]
    sides = {
        "low": (density.value - density.half)[agrees].groupby(corpus).max(),
        "high": (density.value + density.half)[agrees].groupby(corpus).min(),
    }
    table = reported(PAPER, "table 4").pivot(index="corpus", columns="statistic", values="value")
    frame = pd.DataFrame(sides).mul(table["labels"], axis=0).assign(table_4=table["cardinality"])
    return frame.assign(possible=frame["table_4"].between(frame["low"], frame["high"])).reset_index()


def ranks_in_order():
    """Printed ranks against the order of the printed values; equal values may have their ranks in any order."""
    rows = results()
    signed = rows["value"].where(rows["measure"].map(HIGHER), -rows["value"])
    order = signed.groupby([rows[name] for name in ROW])
    low, high = order.rank(method="min", ascending=False), order.rank(method="max", ascending=False)
    implied = cases.Number((low + high) / 2, (high - low) / 2)
    return cases.equal(cases.place(rows), cases.exact(rows["rank"].astype(int)), implied)


def average_ranks(ranks):
    rows = results()
    mean = ranks(rows).groupby([rows["item"], rows["model"], rows["measure"]]).mean()
    printed = pd.concat([reported(PAPER, item) for item in ("table 5", "table 6")], ignore_index=True)
    printed = printed.dropna(subset="ranked_by")
    keys = pd.MultiIndex.from_frame(printed[["item", "model", "ranked_by"]])
    places = cases.place(printed, measure="average rank, " + printed["ranked_by"])
    implied = pd.Series(mean.loc[keys].to_numpy(), printed.index)
    return cases.equal(places, cases.rounded(printed), cases.exact(implied))


def average_of_printed_ranks():
    return average_ranks(lambda rows: rows["rank"].astype(float))


def average_of_ordered_ranks():
    """The ranks that the values give; where values are equal the printed ranks are kept."""
    return average_ranks(_ordered)


def _ordered(rows):
    found = ranks_in_order().set_axis(rows.index)
    return found["printed"].where(found["holds"], found["implied"])


def marks_of_two_tests():
    """One test is named in the text, two are marked in table 6: how many stars, how many circles."""
    rows = results("table 6").query("wilcoxon != ''")
    counts = [cases.exact(rows[test].astype(int)) for test in ("wilcoxon", "t_test")]
    return cases.equal(cases.place(rows), *counts)


def better_and_marked():
    rows = results("table 6", ["micro_auc", "macro_auc"])
    marked = rows[rows["model"] == S2].set_index(["corpus", "measure"])["t_test"].astype(int)
    found = cases.beats(rows, S2, DEPENDENCY, HIGHER)
    keys = pd.MultiIndex.from_frame(found[["corpus", "measure"]])
    return found.assign(holds=found["holds"] & (marked.loc[keys] > 0).to_numpy())


def ten_chains_over_one():
    cell = ["corpus", "model", "measure"]
    many, single = results("table 5"), results("table 6").set_index(cell)
    many = many[many["model"].isin(TOPIC)]
    other = single.loc[pd.MultiIndex.from_frame(many[cell]), "value"].set_axis(many.index)
    up = many["measure"].map(HIGHER)
    return cases.beyond(cases.place(many), cases.exact(many["value"]), cases.exact(other), up, ties=True)


RELATIONS = (
    Relation("burkhardt2018: F from precision and recall", "must hold", "a number", "tables 5, 6; Eq. 23",
             "Micro-F is the harmonic mean of Micro-precision and Micro-recall.", f_from_precision_and_recall),
    Relation("burkhardt2018: one number of predicted labels", "must hold", "a verdict", "tables 5, 6; section 5.1",
             "The number of labels is predicted once for all classifiers, so precision / recall is one ratio per "
             "corpus.", predicted_labels),
    Relation("burkhardt2018: one test set", "must hold", "a verdict", "tables 5, 6",
             "Hamming loss, precision and recall imply one share of labels that are on, per corpus.", one_test_set),
    Relation("burkhardt2018: Hamming loss from precision and recall", "must hold", "a number", "tables 4, 5, 6",
             "It follows from precision, recall, cardinality and the number of labels, where the test documents have "
             "the cardinality of the whole corpus.", hamming_from_precision_and_recall),
    Relation("burkhardt2018: ranks in order", "must hold", "a number", "tables 5, 6",
             "The ranks in brackets follow the values beside them.", ranks_in_order),
    Relation("burkhardt2018: averages of the printed ranks", "must hold", "a number", "tables 5, 6",
             "The average ranks are the means of the ranks in print.", average_of_printed_ranks),
    Relation("burkhardt2018: averages of the ranks in order", "must hold", "a verdict", "tables 5, 6",
             "The average ranks are the means of the ranks that the values have.", average_of_ordered_ranks),
    Relation("burkhardt2018: S2 over S1", "claim", "a verdict", "section 5.5.1",
             "In both tables evaluation S2 is superior to S1.", lambda: beats(results(), [S2], [S1])),
    Relation("burkhardt2018: rankings over BR", "claim", "a verdict", "sections 6, 7; 5.2 names three measures",
             "The topic models rank better than BR with SVMs.",
             lambda: beats(results("table 5", RANKING), TOPIC, [BR])),
    Relation("burkhardt2018: rankings over Dep.-LLDA", "claim", "a verdict", "section 7; 5.2 names three measures",
             "Fast-Dep.-LLDA ranks better than Dep.-LLDA (S2, its better evaluation).",
             lambda: beats(results(measures=RANKING), [S2], [DEPENDENCY])),
    Relation("burkhardt2018: Macro-F over BR", "claim", "a verdict", "section 5.5.1",
             "On the two corpora other than Amazon the topic models have the better Macro-F.",
             lambda: beats(results("table 5", ["macro_f1"], ["eurlex", "ohsumed"]), TOPIC, [BR])),
    Relation("burkhardt2018: BR on the other binary measures", "claim", "a verdict", "section 5.5.1",
             "BR is best on every binary measure but Macro-F.",
             lambda: beats(results("table 5", ["micro_f1", "micro_precision", "micro_recall", "hamming_loss"]),
                           [BR], [*EXTREME, *TOPIC])),
    Relation("burkhardt2018: S2 significantly better on AUC", "claim", "a verdict", "section 5.5.1",
             "S2 is better than Dep.-LLDA on both AUCs, and marked so.", better_and_marked),
    Relation("burkhardt2018: one test or two", "claim", "a word", "section 5.5.1, table 6",
             "Significance is that of a t-test; the marks of the other test agree with it.", marks_of_two_tests),
    Relation("burkhardt2018: ten chains over one", "between", "a number", "tables 5, 6",
             "Averaged over ten chains a topic model is no worse than on one.", ten_chains_over_one),
)  # fmt: skip
