"""One unit: a problem, a number of training pages, a trial and a method give one stored row.

Rows of one problem and number of training pages lie in one file, written whole after each unit; what is stored is
not computed again. Quick results live in the cache, others in ``data/results/trials``.
"""

import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from filelock import FileLock
from sklearn.metrics import f1_score

import polytopic
from polytopic import paths
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.models import PMM
from polytopic.streams import stream, word64
from polytopic.study.ueda2002.baselines import (
    CosineNeighbours,
    GridSVM,
    NaiveBayes,
    NeuralNetwork,
    at_least_one,
)
from polytopic.validation import check_name

# Ueda & Saito's problems: six as they were, five of which only the most frequent words are at hand.
WHOLE = (
    "yahoo_arts",
    "yahoo_business",
    "yahoo_education",
    "yahoo_health",
    "yahoo_reference",
    "yahoo_science",
)
REDUCED = (
    "yahoo5k_computers",
    "yahoo5k_entertainment",
    "yahoo5k_recreation",
    "yahoo5k_social",
    "yahoo5k_society",
)

METHODS = {
    "NB": (NaiveBayes, {}),
    "SVM": (GridSVM, {"tuning": "label"}),
    "kNN": (CosineNeighbours, {}),
    "NN": (NeuralNetwork, {}),
    "PMM1": (PMM, {"order": 1}),
    "PMM2": (PMM, {"order": 2}),
}
# Other ways of tuning, computed when asked for by name: the method that each one is a reading of, and its settings.
READINGS = {
    "SVM, one setting": ("SVM", {"tuning": "all"}),
    "SVM, untuned": ("SVM", {"tuning": None}),
    "kNN, one neighbour": ("kNN", {"counts": (1,), "thresholds": (0.0,)}),
    "NN, one half": ("NN", {"thresholds": (0.5,)}),
    "PMM1, xi 1.1": ("PMM1", {"xi": 1.1}),
    "PMM1, xi 4": ("PMM1", {"xi": 4.0}),
    "PMM1, xi 40": ("PMM1", {"xi": 40.0}),
}

SCALES = {
    "quick": {"sizes": (400, 100), "test": 500, "trials": 2},
    "paper": {"sizes": (2000, 500), "test": 3000, "trials": 5},
}
COLUMNS = ["problem", "size", "trial", "method", "f1", "f1_at_least_one", "micro_f1", "macro_f1"]
IDENTITY = ["problem", "size", "trial", "method", "scale", "seed"]


def draw(corpus, size, trial, scale="paper", seed=0):
    """Return (training rows, test rows) of one trial, each sorted.

    The test pages of a trial are the same for every size, and fewer training pages are a part of more: what differs
    between sizes is nothing but the number of pages. Raises ValueError for a corpus with too few documents.
    """
    check_name("scale", scale, SCALES)
    n_test, largest = SCALES[scale]["test"], max(SCALES[scale]["sizes"])
    if corpus.n_documents < n_test + largest:
        raise ValueError(
            f"{corpus.name} has {corpus.n_documents} documents, a {scale} trial takes {n_test} for test and "
            f"{largest} for training: choose a larger corpus or a smaller scale"
        )
    order = stream(seed, "trial", corpus.name, trial).permutation(corpus.n_documents)
    return np.sort(order[n_test : n_test + size]), np.sort(order[:n_test])


def build(method, trial=0, seed=0):
    """Return the estimator, not fitted, of a method or of a reading of one."""
    check_name("method", method, METHODS | READINGS)
    of, changes = READINGS.get(method, (method, {}))
    estimator, settings = METHODS[of]
    model = estimator(**(settings | changes))
    if "random_state" in model.get_params():
        model.set_params(random_state=int(word64(seed, "method", method, trial) % (1 << 31)))
    return model


def run(
    problems="debtags", methods=tuple(METHODS), trials=None, scale="quick", seed=0, until=None, progress=None
):
    """Return the rows of the units asked for, computing and storing those that are not stored yet.

    problems, methods and trials (numbers; all of the scale if None) may each be one or several. Units come trial by
    trial, so that an interrupted run leaves whole trials. ``until`` is a time.monotonic() after which no further
    unit is begun; ``progress`` is called with each row that was computed.

    Columns: problem, size, trial, method, f1 (mean over test pages of F, 0 where nothing is right), f1_at_least_one
    (the same where the highest score counts if none is above 0), micro_f1, macro_f1 (over labels of the problem, 0
    for an empty one), all in percent; empty (share of pages without a decision), predicted (labels a page),
    fit_seconds, test_seconds, chosen (what was tuned), scale, seed, settings, digest, version.

    Raises ValueError for an unknown problem, method, scale or trial, naming what there is.
    """
    problems, methods = _several(problems), _several(methods)
    check_name("scale", scale, SCALES)
    trials = range(SCALES[scale]["trials"]) if trials is None else _several(trials)
    for method in methods:
        check_name("method", method, METHODS | READINGS)
    corpora, rows = {}, []
    for trial in trials:
        for problem in problems:
            for size in SCALES[scale]["sizes"]:
                for method in methods:
                    row = _find(problem, size, trial, method, scale, seed)
                    if row is None:
                        if until is not None and time.monotonic() > until:
                            return _frame(rows)
                        if problem not in corpora:
                            corpora = {problem: load_corpus(problem)}
                        row = _compute(corpora[problem], size, trial, method, scale, seed)
                        _keep(row)
                        if progress:
                            progress(row)
                    rows.append(row)
    return _frame(rows)


def stored(scale="paper", problems=None, seed=0):
    """Return the rows that are stored for a scale, of ``run``'s columns; nothing is computed, it may be empty.

    Of rows by several versions of the library the one stored last counts. They come by trial, problem, falling size
    and method.
    """
    check_name("scale", scale, SCALES)
    found = [row for path in sorted(_folder(scale).glob("*.json")) for row in _read(path)]
    kept = [row for row in found if row["scale"] == scale and row["seed"] == seed]
    if problems is not None:
        kept = [row for row in kept if row["problem"] in problems]
    methods = [*METHODS, *READINGS]
    known = [row for row in kept if row["method"] in methods]
    known.sort(key=lambda row: (row["trial"], row["problem"], -row["size"], methods.index(row["method"])))
    return _frame(known)


def _several(one):
    return [one] if isinstance(one, (str, int)) else list(one)


def _frame(rows):
    return pd.DataFrame(rows, columns=list(rows[0])) if rows else pd.DataFrame(columns=COLUMNS)


def _compute(corpus, size, trial, method, scale, seed):
    train, test = draw(corpus, size, trial, scale, seed)
    X, Y, truth = corpus.counts[train], corpus.labels[train], corpus.labels[test].toarray()
    model = build(method, trial, seed)
    settings = {name: value for name, value in model.get_params().items() if name != "random_state"}
    times = [time.process_time()]
    model.fit(X, Y)
    times.append(time.process_time())
    decided = model.predict(corpus.counts[test]).toarray()
    times.append(time.process_time())
    filled = decided
    if not decided.any(axis=1).all():
        filled = at_least_one(model.decision_function(corpus.counts[test]))
    return {
        "problem": corpus.name,
        "size": int(size),
        "trial": int(trial),
        "method": method,
        "f1": _percent(f1_score(truth, decided, average="samples", zero_division=0)),
        "f1_at_least_one": _percent(f1_score(truth, filled, average="samples", zero_division=0)),
        "micro_f1": _percent(f1_score(truth, decided, average="micro", zero_division=0)),
        "macro_f1": _percent(f1_score(truth, decided, average="macro", zero_division=0)),
        "empty": round(float(1 - decided.any(axis=1).mean()), 6),
        "predicted": round(float(decided.sum(axis=1).mean()), 4),
        "fit_seconds": round(times[1] - times[0], 3),
        "test_seconds": round(times[2] - times[1], 3),
        "chosen": _chosen(model),
        "scale": scale,
        "seed": int(seed),
        "settings": settings,
        "digest": corpus.digest[:16],
        "version": polytopic.__version__,
    }


def _percent(share):
    return round(100 * float(share), 4)


def _chosen(model):
    """Return what was tuned in training, as plain numbers."""
    if isinstance(model, GridSVM):
        return {"C": [float(v) for v in model.C_], "J": [float(v) for v in model.J_]}
    names = [name for name in ("k_", "threshold_", "penalty_", "n_iter_") if hasattr(model, name)]
    return {name.rstrip("_"): float(getattr(model, name)) for name in names}


def _folder(scale):
    return (paths.cache() if scale == "quick" else paths.results()) / "trials"


def _path(problem, size, scale):
    return _folder(scale) / f"{problem}_{size}.json"


def _read(path):
    try:
        return json.loads(Path(path).read_text())["units"]
    except (json.JSONDecodeError, KeyError) as error:
        raise ValueError(f"{path} is not whole ({error}): delete it and it is computed again") from error


def _find(problem, size, trial, method, scale, seed):
    path = _path(problem, size, scale)
    wanted = [problem, size, trial, method, scale, seed]
    rows = _read(path) if path.is_file() else []
    settings = json.loads(json.dumps(_settings(method, trial, seed)))
    for row in reversed(rows):
        if [row[name] for name in IDENTITY] == wanted and row["settings"] == settings:
            return row
    return None


def _settings(method, trial, seed):
    model = build(method, trial, seed)
    return {name: value for name, value in model.get_params().items() if name != "random_state"}


def _keep(row):
    """Add a row to its file, in place of an earlier one of the same unit; a row a line, so that it diffs well."""
    path = _path(row["problem"], row["size"], row["scale"])
    locks = paths.cache() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with FileLock(locks / f"trials_{path.stem}.lock"):
        rows = _read(path) if path.is_file() else []
        unit = [row[name] for name in IDENTITY]
        rows = [one for one in rows if [one[name] for name in IDENTITY] != unit] + [row]
        lines = ",\n".join("  " + json.dumps(one) for one in rows)
        write_whole(path, f'{{\n "units": [\n{lines}\n ]\n}}\n')
