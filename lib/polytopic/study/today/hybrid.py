"""The default hybrid against each of its parents, on the same documents."""

import numpy as np
import pandas as pd

from polytopic.datasets import catalogue
from polytopic.models import HybridClassifier
from polytopic.study.corpora import halves
from polytopic.study.store import Result, experiment
from polytopic.study.timing import timed
from polytopic.study.today import measured

NAME = "Default hybrid"
CORPORA = (
    *("debtags", "bibtex", "delicious", "eurlex-titles", "yahoo_arts_rubin", "yahoo_health_rubin"),
    *("reuters21578", "corel5k", "yahoo5k_social", "stackex-cooking", "stackex-cs", "stackex-chemistry"),
    *("bills-109", "eurlex57k"),
)
SCALES = {
    "quick": {"split": range(1), "documents": 300},
    "paper": {"split": range(5), "documents": None},
}


def _fits(corpus, *, split, **others):
    known = catalogue.facts().get(corpus)
    return not known or split < known["splits"]


@experiment("today", SCALES, corpora=CORPORA, fits=_fits)
def hybrid(corpus, *, split, documents, seed):
    """Train the default hybrid on one side of a split, and measure it and its parents on the other.

    Rows: model, pivot, measure, k, value. The table "gains" has how far the hybrid is above each parent: model (the
    parent), and the columns of ``measured.gains``. Only labels with a training document count. The notes have the
    weights of the sum and CPU seconds of one thread.
    """
    train, test = halves(corpus, split, documents, seed)
    model = HybridClassifier(random_state=seed)
    scores, *spent = timed(model, train.counts, train.labels, test.counts)
    seconds = dict(zip(("fit", "predict"), spent, strict=True))
    seen = np.flatnonzero(train.label_frequencies)
    truth, known = test.labels[:, seen], train.labels[:, seen]
    found = {NAME: measured.parts(truth, scores[:, seen], known)}
    for name, parent in zip(model.names_, model.parents_, strict=True):
        found[name] = measured.parts(truth, np.asarray(parent.decision_function(test.counts))[:, seen], known)
    tables = [measured.gains(found[NAME], found[name], seed).assign(model=name) for name in model.names_]
    rows = pd.concat([measured.rows(parts).assign(model=name) for name, parts in found.items()])
    notes = {
        "seconds": {part: round(value, 1) for part, value in seconds.items()},
        "weights": dict(zip([*model.names_, "regression"], map(float, model.weights_), strict=True)),
        "documents": {"train": train.n_documents, "test": test.n_documents},
    }
    return Result(_first(rows), {"gains": _first(pd.concat(tables))}, notes=notes)


def weights_table(made):
    """Return the weights of the sum and CPU seconds, means over splits, by corpus, from ``attrs["made"]``."""
    rows = [
        {"corpus": one["corpus"], **one["notes"]["weights"]}
        | {f"{part}, CPU s": value for part, value in one["notes"]["seconds"].items()}
        for one in made
    ]
    return pd.DataFrame(rows).groupby("corpus", sort=False).mean() if rows else pd.DataFrame()


def _first(frame):
    return frame[["model", *frame.columns.drop("model")]].reset_index(drop=True)
