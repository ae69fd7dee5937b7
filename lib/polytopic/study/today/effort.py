"""How well unseen documents are labelled for the CPU time it takes: chains, samples, mean field, online models."""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import (
    SCVB,
    BinaryRelevanceSVM,
    DependencyLDA,
    FastDependencyLDA,
    FlatLDA,
    SCVBDependency,
)
from polytopic.models.estimators import RAO_BLACKWELL
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.streams import stream
from polytopic.study.corpora import halves
from polytopic.study.store import Result, experiment
from polytopic.study.timing import timed
from polytopic.study.today.comparison import FEW, LAYERED, LINEAR_MODELS, MEAN_FIELD, TOPICS

PROTOCOL = "papers' protocol"
PAPER = {"n_chains": 48, "n_sweeps": 100, "n_topic_chains": 10, "n_topic_sweeps": 500}
TRAINED = FEW | TOPICS
MORE_TOPICS = TRAINED | {"n_topic_chains": 8}


def _chains(n, samples, burn_in, lag=3):
    return {"n_test_chains": n, "n_samples": samples, "burn_in": burn_in, "lag": lag}


OF_PAPER = _chains(60, 15, 50, 5)
LINEAR, FLAT = "TF-IDF SVM, cost 1", "Flat-LDA, mean field"
WAYS = {  # settings of Dependency-LDA
    PROTOCOL: PAPER | OF_PAPER,
    "papers' training, mean field": PAPER | MEAN_FIELD,
    "60 chains of 15 samples": TRAINED | OF_PAPER,
    "60 chains of 15 samples, 8 sets of topics": MORE_TOPICS | OF_PAPER,
    "64 chains of 4 samples": TRAINED | _chains(64, 4, 15),
    "64 chains of 4 samples, 8 sets of topics": MORE_TOPICS | _chains(64, 4, 15),
    "64 chains of 4 samples, expected": TRAINED | _chains(64, 4, 15),
    "64 chains of 1 sample": TRAINED | _chains(64, 1, 8),
    "32 chains of 1 sample": TRAINED | _chains(32, 1, 8),
    "32 chains of 1 sample, expected": TRAINED | _chains(32, 1, 8),
    "16 chains of 1 sample, expected": TRAINED | _chains(16, 1, 8),
    "16 chains of 1 sample, 8 sets of topics, expected": MORE_TOPICS | _chains(16, 1, 8),
    "16 chains of 4 samples": TRAINED | _chains(16, 4, 15),
    "16 chains of 4 samples, burn-in 5": TRAINED | _chains(16, 4, 5),
    "4 chains of 16 samples": TRAINED | _chains(4, 16, 15),
    "1 chain of 64 samples": TRAINED | _chains(1, 64, 15),
    "mean field, 1 pass": TRAINED | MEAN_FIELD | {"n_passes": 1},
    "mean field, 2 passes": TRAINED | MEAN_FIELD | {"n_passes": 2},
    "mean field, 4 passes": TRAINED | MEAN_FIELD,
    "mean field, 4 passes, 8 sets of topics": MORE_TOPICS | MEAN_FIELD,
    "mean field, 8 passes": TRAINED | MEAN_FIELD | {"n_passes": 8},
    "mean field, 4 passes, power 1": TRAINED | MEAN_FIELD | {"word_power": 1.0},
    "mean field, 8 passes, power .8": TRAINED | MEAN_FIELD | {"n_passes": 8, "word_power": 0.8},
    "mean field, 16 passes, power 1": TRAINED | MEAN_FIELD | {"n_passes": 16, "word_power": 1.0},
}
EXPECTED = [way for way in WAYS if way.endswith(", expected")]  # the others have the papers' own score
OTHERS = {
    FLAT: lambda seed: FlatLDA(**FEW, **MEAN_FIELD, random_state=seed),
    "SCVB": lambda seed: SCVB(),
    "SCVB-Dep., 1 pass": lambda seed: SCVBDependency(n_passes=1, steps="paper", random_state=seed),
    "SCVB-Dep., 10 passes": lambda seed: SCVBDependency(steps="paper", random_state=seed),
    "Fast-Dep.-LLDA S2": lambda seed: FastDependencyLDA(**LAYERED, random_state=seed),
    LINEAR: lambda seed: BinaryRelevanceSVM(**LINEAR_MODELS, random_state=seed),
}
ALL = [*WAYS, *OTHERS]
QUICK = [
    *("60 chains of 15 samples", "64 chains of 1 sample", "16 chains of 1 sample, expected"),
    *("16 chains of 4 samples", "1 chain of 64 samples"),
    *("mean field, 1 pass", "mean field, 4 passes", "SCVB-Dep., 10 passes", LINEAR),
]
SCALES = {
    "quick": {"way": QUICK, "documents": 300, "tested": 150},
    "paper": {"way": ALL, "documents": None, "tested": 2000},
}
CORPORA = "debtags", "bibtex", "eurlex-titles", "tibkat-en"
MEASURES = {
    ("document", "average_precision"): "AP by document",
    ("label", "average_precision"): "AP by label",
    ("document", "auc_roc"): "AUC by document",
}
TIMES = {"fit_seconds": "CPU s of training", "test_seconds": "CPU s of prediction"}


@experiment("today", SCALES, corpora=CORPORA, timed=True)
def effort(corpus, *, way, documents, tested, seed):
    """Train in one way on split 0 and label at most ``tested`` documents: measures, and CPU seconds of one thread.

    Columns: measure, value. The measures are those of MEASURES, over labels with a training document, and TIMES. All
    that is timed was compiled before.
    """
    train, test = halves(corpus, 0, documents, seed)
    test = test.select(np.sort(stream(seed, "effort", "tested").permutation(test.n_documents)[:tested]))
    few = slice(0, 60)
    how = {"estimator": RAO_BLACKWELL} if way in EXPECTED else {}
    timed(_model(way, train, seed), train.counts[few], train.labels[few], test.counts[:3], **how)
    scores, *seconds = timed(_model(way, train, seed), train.counts, train.labels, test.counts, **how)
    seen = np.flatnonzero(train.label_frequencies)
    ranked = {
        pivot: metrics.ranking(test.labels[:, seen], scores[:, seen], pivot) for pivot in metrics.PIVOTS
    }
    found = {name: ranked[pivot][measure] for (pivot, measure), name in MEASURES.items()}
    found |= dict(zip(TIMES, seconds, strict=True))
    notes = {"documents": {"train": train.n_documents, "test": test.n_documents}}
    return Result(pd.DataFrame(found.items(), columns=["measure", "value"]), notes=notes)


def _model(way, train, seed):
    if way in OTHERS:
        return OTHERS[way](seed)
    prior = priors_by_rule(train.counts, train.labels)[DependencyLDA]
    return DependencyLDA(**prior, **WAYS[way], random_state=seed)
