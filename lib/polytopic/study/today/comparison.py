"""Models of this library and programs of others for thousands of labels, by the measures of that field."""

import time
from functools import partial

import numpy as np
import pandas as pd

from polytopic.datasets import catalogue
from polytopic.models import (
    PLST,
    SCVB,
    BinaryRelevanceRidge,
    BinaryRelevanceSVM,
    DependencyLDA,
    FastDependencyLDA,
    FastXML,
    FlatLDA,
    HybridClassifier,
    PDSparse,
    PriorLDA,
    SCVBDependency,
)
from polytopic.models.labelled_lda import priors_by_rule
from polytopic.study.corpora import halves
from polytopic.study.looks import displayed
from polytopic.study.store import Result, experiment, read
from polytopic.study.timing import PeakMemory
from polytopic.study.today import measured
from polytopic.study.today.peers import NapkinXC, Omikuji

FEW = {"n_chains": 8, "n_sweeps": 50}  # chains and sweeps of topic models: few, as thousands of labels allow
TOPICS = {"n_topic_chains": 2, "n_topic_sweeps": 100}
SAMPLED = {"n_test_chains": 8, "burn_in": 15, "n_samples": 4, "lag": 3}
LAYERED = {"n_chains": 4, "n_sweeps": 50, "n_test_chains": 4, "burn_in": 51, "n_samples": 50}
MEAN_FIELD = {"inference": "mean_field"}
LINEAR_MODELS = {"normalize": "tfidf", "solver": "together", "smallest": 0.01}
SHARED = MEAN_FIELD | {"word_sharing": 0.2}


def _topic_model(kind, how, train, seed):
    prior = priors_by_rule(train.counts, train.labels)[kind]
    topics = TOPICS if kind is DependencyLDA else {}
    return kind(**prior, **FEW, **topics, **how, random_state=seed)


def _plain(kind, settings, train, seed):
    return kind(**settings, random_state=seed)


SYSTEMS = {  # made from training documents and a seed
    "Flat-LDA": partial(_topic_model, FlatLDA, SAMPLED),
    "Prior-LDA": partial(_topic_model, PriorLDA, SAMPLED),
    "Dependency-LDA": partial(_topic_model, DependencyLDA, SAMPLED),
    "Flat-LDA, mean field": partial(_topic_model, FlatLDA, MEAN_FIELD),
    "Prior-LDA, mean field": partial(_topic_model, PriorLDA, MEAN_FIELD),
    "Dependency-LDA, mean field": partial(_topic_model, DependencyLDA, MEAN_FIELD),
    "Flat-LDA, words shared": partial(_topic_model, FlatLDA, SHARED),
    "Dependency-LDA, words shared": partial(_topic_model, DependencyLDA, SHARED),
    "Fast-Dep.-LLDA S2": partial(_plain, FastDependencyLDA, LAYERED),
    "SCVB": lambda train, seed: SCVB(),
    "SCVB-Dep.": partial(_plain, SCVBDependency, {"steps": "paper"}),
    "TF-IDF SVM, cost 1": partial(_plain, BinaryRelevanceSVM, LINEAR_MODELS),
    "TF-IDF ridge, penalty 1": partial(_plain, BinaryRelevanceRidge, {}),
    "Default hybrid": partial(_plain, HybridClassifier, {}),
    "PLST, up to 500 dimensions": lambda train, seed: PLST(min(MOST_DIMENSIONS, train.n_labels)),
    "FastXML": partial(_plain, FastXML, {}),
    "PD-Sparse": partial(_plain, PDSparse, {}),
    "Omikuji, Parabel": lambda train, seed: Omikuji(),
    "Omikuji, Bonsai": lambda train, seed: Omikuji("bonsai"),
    "napkinXC, label tree": partial(_plain, NapkinXC, {}),
}
PEERS = ["Omikuji, Parabel", "Omikuji, Bonsai", "napkinXC, label tree"]
CORPORA = (
    *("bibtex", "delicious", "debtags", "stackex-cooking", "eurlex-titles", "tibkat-en"),
    *("bills-109", "eurlex57k"),
)
SCALES = {
    "quick": {
        "split": range(1),
        "model": ["Dependency-LDA, mean field", "TF-IDF SVM, cost 1", "Default hybrid"],
        "documents": 500,
    },
    "paper": {"split": range(1), "model": list(SYSTEMS), "documents": None},
}
TIMED = [
    *("TF-IDF SVM, cost 1", "TF-IDF ridge, penalty 1", "PLST, up to 500 dimensions"),
    *("Flat-LDA, mean field", "Dependency-LDA, mean field", "Dependency-LDA", "SCVB-Dep.", "FastXML"),
    *("Omikuji, Parabel", "Default hybrid"),
]
TIMED_ON = ["debtags", "eurlex-titles", "tibkat-en", "eurlex57k"]
COLUMNS = [(name, k) for name in ("precision", "ndcg", "ps_precision") for k in (1, 3, 5)]
SHORT = {"precision": "P", "ndcg": "nDCG", "ps_precision": "PSP"}
MOST_DIMENSIONS = 500


@experiment("today", SCALES, corpora=CORPORA)
def comparison(corpus, *, split, model, documents, seed):
    """Train one system on one side of a split and measure its scores of the other.

    Rows: pivot, measure, k, value, as of ``measured.parts``. Only labels with a training document count. The notes
    have CPU seconds of training and of prediction, the number of cores that they had, and the most memory that the
    process held meanwhile, in GB, the corpus and the measures' own included.
    """
    train, test = halves(corpus, split, documents, seed)
    with PeakMemory() as memory:
        start, wall = time.process_time(), time.perf_counter()
        system = SYSTEMS[model](train, seed).fit(train.counts, train.labels)
        trained = time.process_time()
        scores = system.decision_function(test.counts)
        seconds = {"fit": trained - start, "predict": time.process_time() - trained}
        seconds["wall"] = time.perf_counter() - wall
    seen = np.flatnonzero(train.label_frequencies)
    known = train.labels[:, seen]
    rows = measured.rows(measured.parts(test.labels[:, seen], scores[:, seen], known))
    notes = {
        "seconds": {part: round(value, 1) for part, value in seconds.items()},
        "peak_gb": round(memory.most / 1e9, 2),
        "documents": {"train": train.n_documents, "test": test.n_documents},
    }
    return Result(rows, notes=notes)


def table(rows):
    """Return the measures in percent, a row for each corpus and model: COLUMNS, average precisions and AUC."""
    if rows.empty:
        return pd.DataFrame(columns=[f"{SHORT[name]}@{k}" for name, k in COLUMNS])
    values = rows.assign(value=100 * rows["value"], k=rows["k"].astype(str))
    wide = values.pivot_table("value", ["corpus", "model"], ["pivot", "measure", "k"], sort=False)
    found = {f"{SHORT[name]}@{k}": wide["document", name, str(k)] for name, k in COLUMNS}
    found["nDCG"] = wide["document", "ndcg", ""]
    for pivot in ("document", "label"):
        found[f"AP by {pivot}"] = wide[pivot, "average_precision", ""]
    found["AUC by document"] = wide["document", "auc_roc", ""]
    table = pd.DataFrame(found)
    order = [(corpus, name) for corpus in table.index.unique("corpus") for name in SYSTEMS]
    return table.loc[[place for place in order if place in table.index]].round(2)


def costs(made):
    """Return what each unit took: CPU seconds of training and prediction, and GB, from ``attrs["made"]``."""
    rows = [
        (one["corpus"], one["unit"]["model"], one["notes"]["seconds"], one["notes"]["peak_gb"])
        for one in made
    ]
    columns = ["fit, CPU s", "predict, CPU s", "wall s", "peak GB"]
    values = [[*map(seconds.get, ("fit", "predict", "wall")), most] for *_, seconds, most in rows]
    index = pd.MultiIndex.from_tuples([row[:2] for row in rows], names=["corpus", "model"])
    return pd.DataFrame(values, index, columns)


def how_long():
    """Return what one split took, as text: training + prediction in CPU seconds, and GB; models by corpora."""
    stored = read(comparison)
    found, made = costs(stored.attrs["made"]), catalogue.facts()
    columns, sizes = {}, {(one["corpus"]): one["notes"]["documents"] for one in stored.attrs["made"]}
    for name in [name for name in TIMED_ON if name in sizes]:
        own, fact = found.loc[name], made[name]
        train, test = (f"{sizes[name][part]:,}" for part in ("train", "test"))
        words = f"{fact['tokens'] / fact['documents']:.0f}"
        head = f"{displayed(name)}: {train} + {test} documents of {words} words, {fact['labels']:,} labels"
        spelled = own.apply(
            lambda row: f"{row['fit, CPU s']:,.0f} + {row['predict, CPU s']:,.0f} s, {row['peak GB']:.1f} GB",
            axis=1,
        )
        columns[head] = spelled.reindex(TIMED).fillna("–")
    return pd.DataFrame(columns)
