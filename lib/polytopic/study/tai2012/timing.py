"""Table 4 of Tai & Lin (2012): what full binary relevance, PLST and CS cost, regressors one by one and jointly."""

import time

import numpy as np
import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.models.label_space import PenalisedRidge, codes
from polytopic.study.tai2012.protocol import Data

REPEATS = 1
SOLVED_ALONE = 2  # regressors that are timed one by one; the rest cost the same


def measure(corpus, n_dimensions, seed=0, repeats=REPEATS, **limits):
    """Return seconds on partition 0, the median of repeats: columns corpus, model, n_dimensions, step, way,
    seconds.

    Steps: "encode" (finding the code, SVD included, and encoding the training labels), "regression" (fit and
    predict), "decode". way is "one by one", every regressor solved with its own factorisation as in the paper, or
    "jointly", one factorisation for all outputs. One by one, a few regressors are timed and the time is multiplied:
    ridge costs the same whatever the target. BR has as many regressors as labels, PLST and CS ``n_dimensions``.
    limits are those of ``protocol.Data``.
    """
    data = Data(load_corpus(corpus), 0, seed, **limits)
    n_labels = data.Y.shape[1]
    rows = []
    for model, m in (("PBR", n_labels), ("PLST", n_dimensions), ("CS", n_dimensions)):
        for _ in range(repeats):
            rows += [(model, m, *row) for row in _steps(data, model, m)]
    frame = pd.DataFrame(rows, columns=["model", "n_dimensions", "step", "way", "seconds"])
    frame = (
        frame.groupby(["model", "n_dimensions", "step", "way"], sort=False)["seconds"].median().reset_index()
    )
    return frame.assign(model=frame["model"].replace("PBR", "BR"), corpus=corpus)[
        ["corpus", "model", "n_dimensions", "step", "way", "seconds"]
    ]


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
    return PenalisedRidge().fit(data.X, targets).predict(data.X_test)


def _timed(work, *arguments):
    start = time.perf_counter()
    result = work(*arguments)
    return result, time.perf_counter() - start
