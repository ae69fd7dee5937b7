"""Ueda and Saito (2002): their prose against their two tables."""

from polytopic.study.audit.cases import NUMBER, VERDICT, beats, beyond, relations
from polytopic.study.audit.numbers import rows_of
from polytopic.study.claims import BETWEEN, CLAIM

PAPER = "ueda2002"
PMMS, SVM, KNN, NB = ["PMM1", "PMM2"], ["SVM"], ["kNN"], ["NB"]


def more_documents_help():
    many, few = (rows_of(PAPER, item) for item in ("table 1", "table 2"))
    both = many.merge(few, on=["corpus", "model"], suffixes=("", "_few"))
    return beyond(both, both["value_few"], model=both["model"] + ", 2000 over 500")


says = {}
says[BETWEEN, NUMBER] = {
    "more documents help (tables 1, 2): With 2000 training documents every method is better than with "
    "500.": more_documents_help,
}
says[CLAIM, VERDICT] = {
    "PMMs over kNN (section 4.2): With 2000 and with 500 pages PMMs significantly outperform kNN.": lambda: (
        beats(rows_of(PAPER), PMMS, KNN)
    ),
    "PMMs over SVMs (section 4.2): SVMs are inferior to PMMs in almost all problems.": lambda: beats(
        rows_of(PAPER), PMMS, SVM
    ),
    "PMM1 over PMM2 (section 4.2): PMM1 is better than PMM2, so fixed shares seem sufficient.": lambda: beats(
        rows_of(PAPER), PMMS[:1], PMMS[1:]
    ),
    "kNN over SVMs with few documents (section 4.2): With 500 training pages kNN is similar to SVMs or slightly "
    "better.": lambda: beats(rows_of(PAPER, "table 2"), KNN, SVM),
    "SVMs over naive Bayes (section 4.2): SVMs with tuned parameters are rather better than NB.": lambda: (
        beats(rows_of(PAPER), SVM, NB)
    ),
}
RELATIONS = relations(PAPER, says)
