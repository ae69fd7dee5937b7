"""The trials of Ueda & Saito (2002): a method on one seeded draw of training and test pages is a unit."""

import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from polytopic.models import PMM
from polytopic.streams import stream, word64
from polytopic.study.store import Result, experiment
from polytopic.study.ueda2002 import baselines
from polytopic.validation import check_name

# Ueda & Saito's problems: six as they were, five of which only the most frequent words are at hand.
WHOLE = tuple(f"yahoo_{name}" for name in ("arts", "business", "education", "health", "reference", "science"))
REDUCED = tuple(
    f"yahoo5k_{name}" for name in ("computers", "entertainment", "recreation", "social", "society")
)

METHODS = {
    "NB": (baselines.NaiveBayes, {}),
    "SVM": (baselines.GridSVM, {"tuning": "label"}),
    "kNN": (baselines.CosineNeighbours, {}),
    "NN": (baselines.NeuralNetwork, {}),
    "PMM1": (PMM, {"order": 1}),
    "PMM2": (PMM, {"order": 2}),
}
ON_COUNTS = "SVM, plain counts"  # the reduced problems know theirs up to a factor of each page
# Other ways of tuning: the method that each one is a reading of, and its settings.
READINGS = {
    "SVM, one setting": ("SVM", {"tuning": "all"}),
    "SVM, untuned": ("SVM", {"tuning": None}),
    ON_COUNTS: ("SVM", {"by_length": False}),
    "kNN, one neighbour": ("kNN", {"counts": (1,), "thresholds": (0.0,)}),
    "NN, one half": ("NN", {"thresholds": (0.5,)}),
    "PMM1, xi 1.1": ("PMM1", {"xi": 1.1}),
    "PMM1, xi 4": ("PMM1", {"xi": 4.0}),
    "PMM1, xi 40": ("PMM1", {"xi": 40.0}),
}
SCALES = {
    "quick": {"trial": range(2), "size": [400, 100], "method": [*METHODS], "largest": 400, "n_test": 500},
    "paper": {
        "trial": range(5), "size": [2000, 500], "method": [*METHODS, *READINGS], "largest": 2000, "n_test": 3000,
    },
}  # fmt: skip


@experiment(
    "ueda2002",
    SCALES,
    corpora=(*WHOLE, *REDUCED),
    fits=lambda corpus, method, **_: method != ON_COUNTS or corpus not in REDUCED,
)
def trials(corpus, *, trial, size, method, largest, n_test, seed):
    """Return the scores of one method on one trial: columns measure and value.

    f1 is the mean over test pages of F, 0 where nothing is right, and f1_at_least_one the same where the highest
    score counts if none is above 0; both in percent. micro_f1 and macro_f1 are over the corpus's labels, 0 for an
    empty one. empty is the share of pages without a decision, predicted the number of labels a page; fit_seconds and
    test_seconds are of processor time. The notes hold the estimator's parameters and what it chose in training.
    """
    train, test = draw(corpus, trial, size, largest, n_test, seed)
    X, Y, truth = corpus.counts[train], corpus.labels[train], corpus.labels[test].toarray()
    model = build(method, trial, seed)
    parameters = {name: value for name, value in model.get_params().items() if name != "random_state"}
    times = [time.process_time()]
    model.fit(X, Y)
    times.append(time.process_time())
    decided = model.predict(corpus.counts[test]).toarray()
    times.append(time.process_time())
    filled, alone = decided.copy(), np.flatnonzero(~decided.any(axis=1))
    if alone.size:
        filled[alone, model.decision_function(corpus.counts[test])[alone].argmax(axis=1)] = True
    f1 = partial(f1_score, truth, zero_division=0)
    values = {
        "f1": round(100 * f1(decided, average="samples"), 4),
        "f1_at_least_one": round(100 * f1(filled, average="samples"), 4),
        "micro_f1": round(f1(decided, average="micro"), 6),
        "macro_f1": round(f1(decided, average="macro"), 6),
        "empty": round(len(alone) / len(decided), 6),
        "predicted": round(float(decided.sum(axis=1).mean()), 4),
        "fit_seconds": round(times[1] - times[0], 3),
        "test_seconds": round(times[2] - times[1], 3),
    }
    rows = pd.DataFrame(values.items(), columns=["measure", "value"])
    return Result(rows, notes={"parameters": parameters, "chosen": chosen(model)})


def draw(corpus, trial, size, largest, n_test, seed=0):
    """Return (training rows, test rows) of one trial, each sorted.

    The test pages of a trial are the same for every size, and fewer training pages are a part of more: what differs
    between sizes is nothing but the number of pages. Raises ValueError for a corpus with too few documents.
    """
    if corpus.n_documents < n_test + largest:
        raise ValueError(
            f"{corpus.name} has {corpus.n_documents} documents, a trial takes {n_test} for test and "
            f"{largest} for training: choose a larger corpus or a smaller scale"
        )
    order = stream(seed, "trial", corpus.name, trial).permutation(corpus.n_documents)
    return np.sort(order[n_test : n_test + size]), np.sort(order[:n_test])


def build(method, trial=0, seed=0):
    """Return the estimator, not fitted, of a method or of a reading of one; ValueError for another name."""
    check_name("method", method, METHODS | READINGS)
    of, changes = READINGS.get(method, (method, {}))
    estimator, settings = METHODS[of]
    model = estimator(**(settings | changes))
    if "random_state" in model.get_params():
        model.set_params(random_state=int(word64(seed, "method", method, trial) % (1 << 31)))
    return model


def chosen(model):
    """Return what was tuned in training, as plain numbers."""
    names = ("C_", "J_", "k_", "threshold_", "penalty_", "n_iter_")
    found = {name.rstrip("_"): getattr(model, name) for name in names if hasattr(model, name)}
    return {name: np.asarray(value, float).tolist() for name, value in found.items()}
