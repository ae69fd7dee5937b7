"""Ueda and Saito (2002): their prose against their two tables."""

import pandas as pd
from scipy import stats

from polytopic.study.audit import cases
from polytopic.study.audit.relation import Relation
from polytopic.study.printed import reported

PAPER = "ueda2002"
PMMS, SVM, KNN, NB = ["PMM1", "PMM2"], "SVM", "kNN", "NB"
HIGHER = {"f1": True}
TRIALS = 5


def results(item=None):
    """Return tables 1 and 2, or one of them; ``sd`` is over the trials."""
    rows = reported(PAPER)
    return rows[rows["item"] == item] if item else rows


def beats(rows, firsts, seconds):
    pairs = [(first, second) for first in firsts for second in seconds]
    return pd.concat([cases.beats(rows, *pair, HIGHER) for pair in pairs], ignore_index=True)


def more_documents_help():
    few, many = (results(item).reset_index(drop=True) for item in ("table 2", "table 1"))
    both = many.merge(few, on=["corpus", "model"], suffixes=("", "_few"))
    places = cases.place(both, model=both["model"] + ", 2000 over 500")
    return cases.beyond(places, cases.exact(both["value"]), cases.exact(both["value_few"]))


def differences(first, second):
    """Return how far one model's mean is above another's on each problem, with Welch's t from the printed deviations.

    Columns: pair, item, corpus, difference, standard_error, t, p (two-sided). The five trials share their data sets,
    so that a paired test would be the sharper one; what is printed does not allow it.
    """
    rows = results().astype({"sd": float})
    mean, sd = (
        rows.pivot(index=["item", "corpus"], columns="model", values=name) for name in ("value", "sd")
    )
    both = [column for model in (first, second) for column in (mean[model], sd[model], TRIALS)]
    t, p = stats.ttest_ind_from_stats(*both, equal_var=False)
    error = ((sd[first] ** 2 + sd[second] ** 2) / TRIALS) ** 0.5
    columns = {"pair": f"{first} over {second}", "difference": mean[first] - mean[second]}
    table = pd.DataFrame(columns | {"standard_error": error, "t": t, "p": p}, index=mean.index)
    return table.reset_index()[["pair", "item", "corpus", "difference", "standard_error", "t", "p"]]


RELATIONS = (
    Relation("ueda2002: PMMs over kNN", "claim", "a verdict", "section 4.2",
             "With 2000 and with 500 training documents PMMs significantly outperform kNN.",
             lambda: beats(results(), PMMS, [KNN])),
    Relation("ueda2002: PMMs over SVMs", "claim", "a verdict", "section 4.2",
             "SVMs are inferior to PMMs in almost all problems.", lambda: beats(results(), PMMS, [SVM])),
    Relation("ueda2002: PMM1 over PMM2", "claim", "a verdict", "section 4.2",
             "PMM1 is better than PMM2, so fixed shares seem sufficient.",
             lambda: beats(results(), ["PMM1"], ["PMM2"])),
    Relation("ueda2002: kNN over SVMs with few documents", "claim", "a verdict", "section 4.2",
             "With 500 training documents kNN is similar to SVMs or slightly better.",
             lambda: beats(results("table 2"), [KNN], [SVM])),
    Relation("ueda2002: SVMs over naive Bayes", "claim", "a verdict", "section 4.2",
             "SVMs with tuned parameters are rather better than naive Bayes.", lambda: beats(results(), [SVM], [NB])),
    Relation("ueda2002: more documents help", "between", "a number", "tables 1, 2",
             "With 2000 training documents every method is better than with 500.", more_documents_help),
)  # fmt: skip
