"""What made the paper's SVMs weak: from its recipe to today's, one change at a time."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import bins
from polytopic.study.looks import displayed
from polytopic.study.rubin2012 import results

PATH = {  # an SVM, and the one of which it changes one thing
    "Vanilla SVM": "",
    "Tuned SVM": "Vanilla SVM",
    "Vanilla SVM, no bias": "Vanilla SVM",
    "Vanilla SVM, chosen cost": "Vanilla SVM",
    "Vanilla SVM, unit length": "Vanilla SVM",
    "Vanilla SVM, log counts": "Vanilla SVM, unit length",
    "Vanilla SVM, idf": "Vanilla SVM, unit length",
    "Vanilla SVM, TF-IDF": "Vanilla SVM, unit length",
    "Tuned SVM, TF-IDF": "Vanilla SVM, TF-IDF",
    "TF-IDF SVM": "Vanilla SVM, TF-IDF",
    "TF-IDF ridge": "TF-IDF SVM",
}
TODAY, ALONE = ["TF-IDF SVM", "TF-IDF ridge"], "Hybrid, SVMs alone"
BESIDE = ["Dependency-LDA", "Dependency-LDA, mean field", ALONE, "Default hybrid"]
MODELS = [*PATH, *BESIDE]
DRAWN = ["Dependency-LDA", "Tuned SVM", "Vanilla SVM", "TF-IDF SVM", "Default hybrid"]
SHORT = ["Vanilla SVM", "Tuned SVM", "Dependency-LDA", "Vanilla SVM, TF-IDF", "Default hybrid"]
README = ["debtags", "yahoo_arts_rubin", "yahoo_health_rubin", "eurlex-titles"]
SHOWN = [("document", name) for name in ("average_precision", "auc_roc", "one_error")]
SHOWN += [("label", "average_precision")]


def systems_table(measures, scores):
    """Return how good systems are: a row for each corpus and system, in the order of MODELS, means over splits.

    measures and scores are ``results.measures`` and ``results.label_scores``. Columns: the measures of SHOWN, and
    average precision by label in the fifths of the labels by training documents, the rarest first.
    """
    means = measures[measures["cutoff"] == ""]
    means = means.pivot_table("value", ["corpus", "model"], ["pivot", "measure"], sort=False)[SHOWN]
    means.columns = [f"{MEASURES[name].arrow}, by {pivot}" for pivot, name in SHOWN]
    fifths = bins.quintiles(scores).pivot(index=["corpus", "model"], columns="bin", values=bins.MEASURE)
    table = means.join(fifths.add_prefix("fifth ")).rename_axis(columns=None)
    order = [(corpus, name) for corpus in means.index.unique("corpus") for name in MODELS]
    return table.loc[[place for place in order if place in table.index]].round(3)


def changes(measures):
    """Return what one change alone brings in average precision: a row a change, columns corpus and pivot.

    The gain is over the SVM of which PATH says that it changes one thing, a mean over splits.
    """
    kept = measures[(measures["cutoff"] == "") & (measures["measure"] == "average_precision")]
    wide = kept.pivot_table("value", "model", ["corpus", "pivot"], sort=False)
    pairs = [(name, base) for name, base in PATH.items() if {name, base} <= set(wide.index)]
    rows = [wide.loc[name] - wide.loc[base] for name, base in pairs]
    index = pd.MultiIndex.from_tuples([(base, name) for name, base in pairs], names=["from", "to"])
    return pd.DataFrame(rows).set_axis(index).round(3)


def largest(measures):
    """Return the change that brings most over the paper's vanilla SVM: a row a corpus and pivot, change and gain."""
    first = changes(measures).xs("Vanilla SVM", level="from").dropna(axis=1)
    return pd.DataFrame({"change": first.idxmax(), "gain": first.max()})


def on_one_scale(measures):
    """Return the AUC by document of an SVM, of two SVMs without a topic model, and of topic models: a row a corpus.

    A hybrid of SVMs learns how margins of different labels compare. The last two columns are how far the best topic
    model is above the SVM, and above that hybrid.
    """
    kept = measures[(measures["measure"] == "auc_roc") & (measures["pivot"] == "document")]
    wide = kept.pivot_table("value", "corpus", "model", sort=False)
    topics, names = BESIDE[:2], ["Vanilla SVM, TF-IDF", ALONE, *BESIDE[:2], "Default hybrid"]
    best = wide[topics].max(axis=1)
    found = wide[names].assign(**{f"best topic model over {name}": best - wide[name] for name in names[:2]})
    return found.rename_axis(columns=None).round(3)


def bins_won(tests):
    """Return in how many bins by training documents a model is ahead of another: a row a pair, a column a corpus.

    tests is ``bins.quintile_tests``, one or several put together. A cell has the bins ahead of all, and in brackets
    how many are surely ahead and surely behind, by p < bins.LEVEL.
    """
    sure, ahead = tests["p"] < bins.LEVEL, tests["difference"] > 0
    counted = tests.assign(ahead=ahead, surely=sure & ahead, behind=sure & ~ahead)
    sums = counted.groupby(["first", "second", "corpus"], sort=False)[["ahead", "surely", "behind"]].sum()
    n = counted.groupby(["first", "second", "corpus"], sort=False).size()
    cells = [f"{row.ahead} of {n[place]} ({row.surely}, {row.behind})" for place, row in sums.iterrows()]
    return pd.Series(cells, sums.index).unstack("corpus", sort=False).rename(columns=displayed)


def order_told(tests):
    """Return in sentences, one a pair of models, in how many bins of all corpora the first is ahead, and surely."""
    found = []
    for (first, second), own in tests.groupby(["first", "second"], sort=False):
        ahead, sure = own["difference"] > 0, own["p"] < bins.LEVEL
        found.append(
            f"{first} is ahead of {second} in {ahead.sum()} of {len(own)} bins, surely in {(ahead & sure).sum()}, "
            f"and surely behind in {(~ahead & sure).sum()}."
        )
    return " ".join(found)


def in_short(corpora):
    """Return the finding in lines of a Markdown table, from the stored results: SHORT on some corpora.

    Means over all splits that are stored of these systems; how many stands in a column.
    """
    columns = ["splits", "AP by document", "AUC by document", "AP by label", "of the rarest fifth"]
    found = ["| | " + " | ".join(columns) + " |", "|" + "---|" * (1 + len(columns))]
    for corpus in corpora:
        measures, scores = (results.stored(corpus, SHORT, table=table) for table in (None, "labels"))
        splits = measures["split"].nunique()
        table = systems_table(measures, scores).loc[corpus].iloc[:, [0, 1, 3, 4]]
        for name in (one for one in SHORT if one in table.index):
            values = (f"{value:.3f}" for value in table.loc[name])
            cells = [f"{displayed(corpus)}, {name}", str(splits), *values]
            found.append(f"| {' | '.join(cells)} |")
    return found
