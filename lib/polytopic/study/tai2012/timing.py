"""Table 4 of Tai & Lin (2012): what full binary relevance, PLST and CS cost, regressors one by one and jointly."""

import time

import numpy as np
import pandas as pd

from polytopic.models.label_space import PenalisedRidge, codes
from polytopic.study.store import experiment
from polytopic.study.tai2012.experiments import ALL, LIMITS, PAPER, SETS
from polytopic.study.tai2012.protocol import Data

SOLVED_ALONE = 2  # regressors that are timed one by one; the rest cost the same
CODES = {"BR": "PBR", "PLST": "PLST", "CS": "CS"}


@experiment(PAPER, {"quick": {"limits": LIMITS["quick"]}, "paper": {}}, corpora=SETS, timed=True)
def times(corpus, *, n_dimensions=None, limits=ALL, seed=0):
    """Return seconds on partition 0: columns model, n_dimensions, step, way, seconds.

    Steps: "encode" (finding the code, SVD included, and encoding the training labels), "regression" (fit and
    predict), "decode". way is "one by one", every regressor solved with its own factorisation as in the paper, or
    "jointly", one factorisation for all outputs. One by one, a few regressors are timed and the time is multiplied:
    ridge costs the same whatever the target. BR has as many regressors as labels, PLST and CS ``n_dimensions``, by
    default the paper's M*.
    """
    data = Data(corpus, 0, seed, **limits)
    dimensions = dict.fromkeys(CODES, n_dimensions or data.star) | {"BR": data.Y.shape[1]}
    rows = [(model, m, *row) for model, m in dimensions.items() for row in _steps(data, CODES[model], m)]
    return pd.DataFrame(rows, columns=["model", "n_dimensions", "step", "way", "seconds"])


def _steps(data, model, m):
    code, learning = _timed(data.code, model, m)
    targets, encoding = _timed(code.encode, data.Y)
    predicted, jointly = _timed(_regress, data, targets)
    alone = np.mean([_timed(_regress, data, targets[:, i % m])[1] for i in range(min(m, SOLVED_ALONE))])
    _, decoding = _timed(lambda: codes.vertices(code.decode(predicted)))
    return [
        ("encode", "both", learning + encoding),
        ("regression", "jointly", jointly),
        ("regression", "one by one", alone * m),
        ("decode", "both", decoding),
    ]


def _regress(data, targets):
    return PenalisedRidge().fit(data.X, targets).predict(data.X_test).reshape(len(data.X_test), -1)


def _timed(work, *arguments):
    start = time.perf_counter()
    result = work(*arguments)
    return result, time.perf_counter() - start
