"""What made the paper's SVMs weak: from its recipe to today's, one change at a time."""

from polytopic.metrics import MEASURES
from polytopic.study import bins
from polytopic.study.looks import displayed
from polytopic.study.rubin2012 import results

STEPS = {  # a linear model, and the one of which it changes one thing
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
BESIDE = ["Dependency-LDA", "Dependency-LDA, mean field", "Hybrid, SVMs alone", "Default hybrid"]
MODELS = ["Vanilla SVM", *STEPS, *BESIDE]
SHORT = ["Vanilla SVM", "Tuned SVM", "Dependency-LDA", "Vanilla SVM, TF-IDF", "Default hybrid"]
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


def in_short(corpora):
    """Return the finding in lines of a Markdown table, from the stored results: SHORT on some corpora.

    Means over all splits that are stored of these systems; how many stands in a column.
    """
    columns = ["splits", "AP by document", "AUC by document", "AP by label", "of the rarest fifth"]
    lines = ["| | " + " | ".join(columns) + " |", "|" + "---|" * (1 + len(columns))]
    for corpus in corpora:
        measures, scores = (results.stored(corpus, SHORT, table=table) for table in (None, "labels"))
        table = systems_table(measures, scores).loc[corpus].iloc[:, [0, 1, 3, 4]]
        for name, row in table.reindex([one for one in SHORT if one in table.index]).iterrows():
            cells = [f"{displayed(corpus)}, {name}", measures["split"].nunique(), *map("{:.3f}".format, row)]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines
