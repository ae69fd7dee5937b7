"""How well classifiers of the study rank labels, and the CPU time that they take: the seconds behind two claims."""

import numpy as np
import pandas as pd
from sklearn.base import clone

from polytopic import metrics
from polytopic.models import (
    PLST,
    PMM,
    SCVB,
    AuthorTopicLDA,
    BinaryRelevanceSVM,
    DependencyLDA,
    FastDependencyLDA,
    FastXML,
    FlatLDA,
    PDSparse,
    PriorLDA,
    SCVBDependency,
)
from polytopic.study.burkhardt2018.protocol import FREQUENCIES, experiment, parts, seed_of
from polytopic.study.timing import timed

SAMPLED = {"n_chains": 8, "n_sweeps": 50, "n_test_chains": 16, "burn_in": 40, "n_samples": 10, "lag": 5}
TOPIC_CHAINS = {"n_topics": 100, "n_topic_chains": 2, "n_topic_sweeps": 200}
LAYERED = {"n_chains": 4, "n_sweeps": 50, "n_test_chains": 4, "burn_in": 51, "n_samples": 50, "lag": 1}
PROGRAM = {"n_passes": 20, "steps": "program"}
SYSTEMS = {  # class and settings of each; a seed comes to what draws
    "Flat-LDA": (FlatLDA, SAMPLED),
    "Prior-LDA": (PriorLDA, SAMPLED),
    "Dependency-LDA": (DependencyLDA, SAMPLED | TOPIC_CHAINS),
    "Fast-Dep.-LLDA S1": (FastDependencyLDA, LAYERED | {"prediction": "s1"}),
    "Fast-Dep.-LLDA S2": (FastDependencyLDA, LAYERED | {"prediction": "s2"}),
    "S1 by token": (FastDependencyLDA, LAYERED | {"prediction": "s1_by_token"}),
    "S2 rescored": (FastDependencyLDA, LAYERED | {"prediction": "s2_rescored"}),
    "SCVB": (SCVB, PROGRAM),
    "SCVB-Dep.": (SCVBDependency, PROGRAM),
    "Author-topic": (AuthorTopicLDA, {"n_sweeps": 100, "n_test_chains": 4, "burn_in": 21, "n_samples": 20}),
    "PMM1": (PMM, {"order": 1}),
    "Tuned SVM": (BinaryRelevanceSVM, {"tuning": "positive_weight"}),
    "Vanilla SVM": (BinaryRelevanceSVM, {}),
    "BR(SVM)": (BinaryRelevanceSVM, {"tuning": "C", "normalize": "tfidf"}),
    "SVM, tf-idf": (BinaryRelevanceSVM, {"normalize": "tfidf"}),
    "PLST": (PLST, {}),
    "FastXML": (FastXML, {}),
    "PD Sparse": (PDSparse, {}),
}
STANDING = {
    "quick": {"model": ["Prior-LDA", "Fast-Dep.-LLDA S1", "SCVB-Dep.", "SVM, tf-idf", FREQUENCIES], "documents": 300},
    "paper": {"model": [*SYSTEMS, FREQUENCIES]},
}  # fmt: skip


@experiment(STANDING, corpora=("debtags", "eurlex-titles"), timed=True)
def standing(corpus, *, model, documents=None, seed):
    """Return how well one classifier ranks and what it takes: columns measure, value.

    Measures: micro_auc, macro_auc, average_precision (by document), precision_at_5 (over documents with a label),
    fit_seconds and test_seconds: CPU time of one thread, compiled before.
    """
    train, test = parts(corpus, documents, seed)
    scores, seconds = np.broadcast_to(train.label_frequencies.astype(float), test.labels.shape), (0.0, 0.0)
    if model != FREQUENCIES:
        kind, settings = SYSTEMS[model]
        learner = kind(**settings)
        if "random_state" in learner.get_params():
            learner.set_params(random_state=seed_of(seed, "standing"))
        few = slice(0, 60)
        timed(clone(learner), train.counts[few], train.labels[few], test.counts[:3])
        scores, *seconds = timed(learner, train.counts, train.labels, test.counts)
    found = {
        **metrics.areas(test.labels, scores),
        "average_precision": metrics.ranking(test.labels, scores)["average_precision"],
        "precision_at_5": metrics.top(test.labels, scores, (5,))["precision"][0],
        "fit_seconds": seconds[0],
        "test_seconds": seconds[1],
    }
    return pd.DataFrame(found.items(), columns=["measure", "value"])
