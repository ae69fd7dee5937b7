"""Burkhardt and Kramer (2018): relations among their tables, and their prose against them."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import BETWEEN, MUST_HOLD, NUMBER, WORD, Relations
from polytopic.study.printed import reported

PAPER = "burkhardt2018"
DEPENDENCY, S1, S2, BR = "Dep.-LLDA", "Fast-Dep.-LLDA S1", "Fast-Dep.-LLDA S2", "BR(SVM)"
EXTREME = ["PD Sparse", "FastXML"]
TOPIC = [DEPENDENCY, S1, S2]
RANKING = ["micro_auc", "macro_auc", "rank_one_error"]  # section 5.2
ROW = ["item", "corpus", "measure"]


def results(item=None, measures=None, corpora=None):
    """Return tables 5 and 6, or a part of them."""
    rows = reported(PAPER)
    for column, wanted in (("item", item and [item]), ("measure", measures), ("corpus", corpora)):
        rows = rows[rows[column].isin(wanted)] if wanted else rows
    return rows


relation = Relations(PAPER, results)


def beside(measure):
    """Return the rows of a measure, and those of Micro-precision and Micro-recall in the same order."""
    rows = results(measures=[measure])
    cell = ["item", "corpus", "model"]
    keys = pd.MultiIndex.from_frame(rows[cell])
    others = (
        results(measures=[name]).set_index(cell).loc[keys] for name in ("micro_precision", "micro_recall")
    )
    return rows, *(cases.rounded(other.set_index(rows.index)) for other in others)


@relation("F from precision and recall", "tables 5, 6; Eq. 23", MUST_HOLD, NUMBER)
def f_from_precision_and_recall():
    """Micro-F is the harmonic mean of Micro-precision and Micro-recall."""
    rows, precision, recall = beside("micro_f1")
    implied = cases.formula(lambda p, r: 2 * p * r / (p + r), precision, recall)
    return cases.equal(cases.place(rows), cases.rounded(rows), implied)


@relation("one number of predicted labels", "tables 5, 6; section 5.1", MUST_HOLD)
def predicted_labels():
    """The number of labels is predicted once for all classifiers, so precision / recall is one ratio per corpus.

    Precision over recall is true over predicted labels, the same for all classifiers that predict as many.

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


@relation("Hamming loss from precision and recall", "tables 4, 5, 6", MUST_HOLD, NUMBER)
def hamming_from_precision_and_recall():
    """Hamming loss follows from precision, recall, the number of labels and cardinality, where test documents have
    the cardinality of the whole corpus.

    Wrong labels are those missed and those predicted in vain: c (1 + R / P - 2 R) of L to a document.
    """
    rows, precision, recall = beside("hamming_loss")
    implied = cases.formula(
        lambda p, r, cardinality, labels: cardinality * (1 + r / p - 2 * r) / labels,
        precision, recall, *(statistic(name, rows["corpus"]) for name in ("cardinality", "labels")),
    )  # fmt: skip
    return cases.equal(cases.place(rows), cases.rounded(rows), implied)


@relation("one test set", "tables 5, 6", MUST_HOLD)
def one_test_set():
    """Hamming loss, precision and recall imply one share of labels that are on, per corpus."""
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


@relation("ranks in order", "tables 5, 6", MUST_HOLD, NUMBER)
def ranks_in_order():
    """The ranks in brackets follow the values beside them.

    Printed ranks against the order of the printed values; equal values may have their ranks in any order.
    """
    rows = results()
    low, high = (cases.ranks(rows, ROW, side) for side in ("min", "max"))
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


@relation("averages of the printed ranks", "tables 5, 6", MUST_HOLD, NUMBER)
def average_of_printed_ranks():
    """The average ranks are the means of the ranks in print."""
    return average_ranks(lambda rows: rows["rank"].astype(float))


@relation("averages of the ranks in order", "tables 5, 6", MUST_HOLD)
def average_of_ordered_ranks():
    """The average ranks are the means of the ranks that the values have.

    The ranks that the values give; where values are equal the printed ranks are kept.
    """
    return average_ranks(_ordered)


def _ordered(rows):
    found = ranks_in_order().set_axis(rows.index)
    return found["printed"].where(found["holds"], found["implied"])


@relation("one test or two", "section 5.5.1, table 6", bearing=WORD)
def marks_of_two_tests():
    """Significance is that of a t-test; the marks of the other test agree with it.

    One test is named in the text, two are marked in table 6: how many stars, how many circles.
    """
    rows = results("table 6").query("wilcoxon != ''")
    counts = [cases.exact(rows[test].astype(int)) for test in ("wilcoxon", "t_test")]
    return cases.equal(cases.place(rows), *counts)


@relation("S2 significantly better on AUC", "section 5.5.1")
def better_and_marked():
    """S2 is better than Dep.-LLDA on both AUCs, and marked so."""
    rows = results("table 6", ["micro_auc", "macro_auc"])
    marked = rows[rows["model"] == S2].set_index(["corpus", "measure"])["t_test"].astype(int)
    found = cases.beats(rows, [S2], [DEPENDENCY])
    keys = pd.MultiIndex.from_frame(found[["corpus", "measure"]])
    return found.assign(holds=found["holds"] & (marked.loc[keys] > 0).to_numpy())


@relation("ten chains over one", "tables 5, 6", BETWEEN, NUMBER)
def ten_chains_over_one():
    """Averaged over ten chains a topic model is no worse than on one."""
    cell = ["corpus", "model", "measure"]
    many, single = results("table 5"), results("table 6").set_index(cell)
    many = many[many["model"].isin(TOPIC)]
    other = single.loc[pd.MultiIndex.from_frame(many[cell]), "value"].set_axis(many.index)
    places, is_up = cases.place(many), cases.signs(many) > 0
    return cases.beyond(places, cases.exact(many["value"]), cases.exact(other), is_up, ties=True)


relation.better("S2 over S1", "section 5.5.1", "In both tables evaluation S2 is superior to S1.", [S2],
                [S1])  # fmt: skip
relation.better("rankings over BR", "sections 6, 7; 5.2 names three measures",
                "The topic models rank better than BR with SVMs.", TOPIC, [BR], item="table 5",
                measures=RANKING)  # fmt: skip
relation.better("rankings over Dep.-LLDA", "section 7; 5.2 names three measures",
                "Fast-Dep.-LLDA ranks better than Dep.-LLDA (S2, its better evaluation).", [S2], [DEPENDENCY],
                measures=RANKING)  # fmt: skip
relation.better("Macro-F over BR", "section 5.5.1",
                "On the two corpora other than Amazon the topic models have the better Macro-F.", TOPIC, [BR],
                item="table 5", measures=["macro_f1"], corpora=["eurlex", "ohsumed"])  # fmt: skip
relation.better("BR on the other binary measures", "section 5.5.1",
                "BR is best on every binary measure but Macro-F.", [BR], [*EXTREME, *TOPIC], item="table 5",
                measures=["micro_f1", "micro_precision", "micro_recall", "hamming_loss"])  # fmt: skip
