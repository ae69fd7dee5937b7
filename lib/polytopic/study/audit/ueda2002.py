"""Ueda and Saito (2002): their prose against their two tables."""

from polytopic.study.audit.cases import beats, beyond, rows_of

PAPER = "ueda2002"
PMMS, SVM, KNN, NB = ["PMM1", "PMM2"], "SVM", "kNN", "NB"


def more_documents_help():
    many, few = (rows_of(PAPER, item) for item in ("table 1", "table 2"))
    both = many.merge(few, on=["corpus", "model"], suffixes=("", "_few"))
    return beyond(both, both["value_few"], model=both["model"] + ", 2000 over 500")


CHECKS = {
    "more documents help": more_documents_help,
    "PMMs over kNN": lambda: beats(rows_of(PAPER), PMMS, KNN),
    "PMMs over SVMs": lambda: beats(rows_of(PAPER), PMMS, SVM),
    "PMM1 over PMM2": lambda: beats(rows_of(PAPER), *PMMS),
    "kNN over SVMs with few documents": lambda: beats(rows_of(PAPER, "table 2"), KNN, SVM),
    "SVMs over naive Bayes": lambda: beats(rows_of(PAPER), SVM, NB),
}
