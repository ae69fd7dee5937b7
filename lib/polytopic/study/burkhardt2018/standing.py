"""How well classifiers of the study rank labels, and the CPU time that they take: the seconds behind two claims."""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.metrics.thresholds import top_n
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
from polytopic.study.burkhardt2018.protocol import experiment, parts, seed_of
from polytopic.study.timing import timed

TOP = 5  # labels of P@5
SAMPLED = {"n_chains": 8, "n_sweeps": 50, "n_test_chains": 16, "burn_in": 40, "n_samples": 10, "lag": 5}
TOPIC_CHAINS = {"n_topics": 100, "n_topic_chains": 2, "n_topic_sweeps": 200}
LAYERED = {"n_chains": 4, "n_sweeps": 50, "n_test_chains": 4, "burn_in": 51, "n_samples": 50}
SYSTEMS = {  # made with a seed, or without where nothing is drawn
    "Flat-LDA": lambda seed: FlatLDA(**SAMPLED, random_state=seed),
    "Prior-LDA": lambda seed: PriorLDA(**SAMPLED, random_state=seed),
    "Dependency-LDA": lambda seed: DependencyLDA(**SAMPLED, **TOPIC_CHAINS, random_state=seed),
    "Fast-Dep.-LLDA S1": lambda seed: FastDependencyLDA(**LAYERED, prediction="s1", random_state=seed),
    "Fast-Dep.-LLDA S2": lambda seed: FastDependencyLDA(**LAYERED, prediction="s2", random_state=seed),
    "S1 by token": lambda seed: FastDependencyLDA(**LAYERED, prediction="s1_by_token", random_state=seed),
    "S2 rescored": lambda seed: FastDependencyLDA(**LAYERED, prediction="s2_rescored", random_state=seed),
    "SCVB": lambda seed: SCVB(n_passes=20, steps="program"),
    "SCVB-Dep.": lambda seed: SCVBDependency(n_passes=20, steps="program", random_state=seed),
    "Author-topic": lambda seed: AuthorTopicLDA(100, n_sweeps=100, n_test_chains=4, burn_in=21, n_samples=20,
                                                random_state=seed),
    "PMM1": lambda seed: PMM(order=1),
    "Tuned SVM": lambda seed: BinaryRelevanceSVM("positive_weight", random_state=seed),
    "Vanilla SVM": lambda seed: BinaryRelevanceSVM(random_state=seed),
    "BR(SVM)": lambda seed: BinaryRelevanceSVM("C", normalize="tfidf", random_state=seed),
    "SVM, tf-idf": lambda seed: BinaryRelevanceSVM(normalize="tfidf", random_state=seed),
    "PLST": lambda seed: PLST(),
    "FastXML": lambda seed: FastXML(random_state=seed),
    "PD Sparse": lambda seed: PDSparse(random_state=seed),
    "Label frequencies": None,
}  # fmt: skip
STANDING = {
    "quick": {"model": ["Prior-LDA", "Fast-Dep.-LLDA S1", "SCVB-Dep.", "SVM, tf-idf", "Label frequencies"],
              "documents": 300},
    "paper": {"model": list(SYSTEMS)},
}  # fmt: skip


@experiment(STANDING, corpora=("debtags", "eurlex-titles"), timed=True)
def standing(corpus, *, model, documents=None, seed):
    """Return how well one classifier ranks and what it takes: columns measure, value.

    Measures: micro_auc, macro_auc, average_precision (by document), precision_at_5 (over documents with a label),
    fit_seconds and test_seconds: CPU time of one thread, compiled before.
    """
    train, test = parts(corpus, documents, seed)
    if SYSTEMS[model] is None:
        scored, seconds = (
            np.broadcast_to(train.label_frequencies.astype(float), test.labels.shape),
            (0.0, 0.0),
        )
    else:
        few, key = slice(0, 60), seed_of(seed, "standing")
        timed(SYSTEMS[model](key), train.counts[few], train.labels[few], test.counts[:3])
        scored, *seconds = timed(SYSTEMS[model](key), train.counts, train.labels, test.counts)
    labelled = np.flatnonzero(test.labels.getnnz(axis=1))
    hits = test.labels.multiply(top_n(scored, TOP, "document")).tocsr()[labelled].nnz
    found = {
        **metrics.areas(test.labels, scored),
        "average_precision": metrics.ranking(test.labels, scored)["average_precision"],
        "precision_at_5": hits / (TOP * len(labelled)),
        "fit_seconds": seconds[0],
        "test_seconds": seconds[1],
    }
    return pd.DataFrame(found.items(), columns=["measure", "value"])
