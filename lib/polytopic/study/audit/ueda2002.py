"""Ueda and Saito (2002): their prose against their two tables."""

from polytopic.study.audit import cases
from polytopic.study.audit.relation import BETWEEN, NUMBER, Relations
from polytopic.study.printed import reported

PAPER = "ueda2002"
PMMS, SVM, KNN, NB = ["PMM1", "PMM2"], "SVM", "kNN", "NB"


def results(item=None):
    """Return tables 1 and 2, or one of them; ``sd`` is over the trials."""
    rows = reported(PAPER)
    return rows[rows["item"] == item] if item else rows


relation = Relations(PAPER, results)


@relation("more documents help", "tables 1, 2", BETWEEN, NUMBER)
def more_documents_help():
    """With 2000 training documents every method is better than with 500."""
    few, many = (results(item).reset_index(drop=True) for item in ("table 2", "table 1"))
    both = many.merge(few, on=["corpus", "model"], suffixes=("", "_few"))
    places = cases.place(both, model=both["model"] + ", 2000 over 500")
    return cases.beyond(places, cases.exact(both["value"]), cases.exact(both["value_few"]))


relation.better("PMMs over kNN", "section 4.2",
                "With 2000 and with 500 pages PMMs significantly outperform kNN.", PMMS, [KNN])  # fmt: skip
relation.better("PMMs over SVMs", "section 4.2", "SVMs are inferior to PMMs in almost all problems.", PMMS,
                [SVM])  # fmt: skip
relation.better("PMM1 over PMM2", "section 4.2", "PMM1 is better than PMM2, so fixed shares seem sufficient.",
                ['PMM1'], ['PMM2'])  # fmt: skip
relation.better("kNN over SVMs with few documents", "section 4.2",
                "With 500 training pages kNN is similar to SVMs or slightly better.", [KNN], [SVM],
                item="table 2")  # fmt: skip
relation.better("SVMs over naive Bayes", "section 4.2", "SVMs with tuned parameters are rather better than NB.",
                [SVM], [NB])  # fmt: skip
