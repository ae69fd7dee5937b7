"""What is computed for Tai & Lin (2012): a unit is one random partition of a corpus, or a whole corpus."""

import time
from itertools import product

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import M5P
from polytopic.models.label_space import CalibratedLabelRanking, PenalisedRidge, choose_dimensions, codes
from polytopic.study.store import experiment
from polytopic.study.tai2012.protocol import MAIN_MODELS, MODELS, Data, hamming_loss, measure, ridge_for_all

PAPER = "tai2012"
SETS = ("delicious", "corel5k", "yeast", "emotions")  # the paper's, but for mediamill, which can't be had
RANKED = ("yeast", "emotions")  # those with few enough labels to compare them pair by pair
ALL = {}
LIMITS = {"quick": {"most_labels": 200, "most_features": 500}, "paper": ALL}  # of ``protocol.Data``
QUICK = {"partition": range(2), "limits": LIMITS["quick"]}
WHOLE = {"partition": range(20)}
SCALES = {"quick": QUICK, "paper": WHOLE}
FEW = {"partition": range(2), "limits": {"most_labels": 12, "most_features": 300}}
OF_TREES = LIMITS["quick"] | {"most_documents": 500}
TREES = {"quick": {"partition": range(2), "limits": OF_TREES}, "paper": WHOLE}
LABEL_RANKING = "Label ranking"
REPEATS = 5  # of what is timed
SOLVED_ALONE = 2  # regressors that are timed one by one; the rest cost the same


@experiment(PAPER, SCALES, corpora=SETS)
def ridge(corpus, *, partition, models=MODELS, most_dimensions=None, limits=ALL, seed=0):
    """Return the columns of ``protocol.measure``; ``limits`` are those of Data."""
    data = Data(corpus, partition, seed, **limits)
    return measure(data, "ridge", ridge_for_all(data), models, most_dimensions)


@experiment(PAPER, SCALES, corpora=SETS)
def ideal(corpus, *, partition, models=MAIN_MODELS, limits=ALL, seed=0):
    """Return what ``ridge`` does of the learner that knows the test labels' codes."""
    data = Data(corpus, partition, seed, **limits)
    return measure(data, "ideal", lambda code: code.encode(data.truth), models)


@experiment(PAPER, TREES, corpora=SETS)
def m5p(corpus, *, partition, models=MAIN_MODELS, most_dimensions=None, limits=ALL, seed=0):
    """Return what ``ridge`` does of model trees, up to as many dimensions as the corpus's treatment grows."""
    data = Data(corpus, partition, seed, **limits)
    most = data.treatment.most_trees if most_dimensions is None else most_dimensions
    return measure(data, "m5p", lambda code: _predicted(M5P(), data, code.encode(data.Y)), models, most)


@experiment(PAPER, TREES, corpora=SETS)
def trees(corpus, *, partition, n_dimensions=10, limits=ALL, seed=0):
    """Return what M5P's trees of PLST's first directions are like, a row: n_dimensions, n_features, n_dividing (those
    that leave more than a fifth of the training documents on either side), n_leaves (mean), n_single (of one leaf).
    """
    data = Data(corpus, partition, seed, **limits)
    model = M5P().fit(data.X, data.code("PLST", n_dimensions).encode(data.Y))
    leaves = [tree.n_leaves for tree in model.trees_]
    n_least, in_order = int(model.least_share * len(data.X)) + 1, np.sort(data.X, axis=0)
    n_dividing = int((in_order[n_least - 1] < in_order[-n_least]).sum())
    row = (len(leaves), data.X.shape[1], n_dividing, float(np.mean(leaves)), leaves.count(1))
    return pd.DataFrame([row], columns=["n_dimensions", "n_features", "n_dividing", "n_leaves", "n_single"])


@experiment(PAPER, {"quick": QUICK, "paper": WHOLE | {"most_dimensions": 300}}, corpora=SETS)
def every_dimension(corpus, *, partition, most_dimensions=None, limits=ALL, seed=0):
    """Return PLST's Hamming loss with ridge at every number of dimensions: columns n_dimensions, hamming_loss,
    full_loss (BR's), empty_loss (that of no label at all).
    """
    data = Data(corpus, partition, seed, **limits)
    predict, code, full = ridge_for_all(data), data.code("PLST", most_dimensions), data.code("PBR")
    points, losses = np.tile(code.reference, (len(data.truth), 1)), []
    for along, direction in zip(predict(code).T, code.projection, strict=True):
        points += np.outer(along, direction)
        losses.append(hamming_loss(data, points))
    full_loss = hamming_loss(data, full.decode(predict(full)))
    frame = pd.DataFrame({"n_dimensions": np.arange(1, len(losses) + 1), "hamming_loss": losses})
    return frame.assign(full_loss=full_loss, empty_loss=float(data.truth.mean()))


@experiment(PAPER, SCALES, corpora=SETS)
def draws(corpus, *, partition, n_dimensions=None, n_draws=None, limits=ALL, seed=0):
    """Return CS's Hamming loss under draws of Hadamard rows that are the same for all partitions, each with and
    without the all-ones row: columns n_dimensions, draw, has_ones_row, hamming_loss, empty_loss (of no label at all).
    M* and the number of draws are those of the corpus's treatment unless told otherwise.
    """
    data = Data(corpus, partition, seed, **limits)
    predict, m, rows = ridge_for_all(data), n_dimensions or data.star, []
    for draw in range(n_draws or data.treatment.n_draws):
        for ones_row in (True, False):
            code = data.code("CS", m, ones_row, draw)
            rows.append((m, draw, ones_row, hamming_loss(data, code.decode(predict(code)))))
    columns = ["n_dimensions", "draw", "has_ones_row", "hamming_loss"]
    return pd.DataFrame(rows, columns=columns).assign(empty_loss=float(data.truth.mean()))


@experiment(PAPER, {"quick": FEW, "paper": WHOLE}, corpora=RANKED)
def label_ranking(corpus, *, partition, limits=ALL, seed=0):
    """Return calibrated label ranking's measures, a row as in ``ridge``; n_dimensions is the number of pairs."""
    data = Data(corpus, partition, seed, **limits)
    model = CalibratedLabelRanking().fit(data.X, data.Y)
    votes = model.decision_function(data.X_test)
    row = {"regressor": "ridge", "model": LABEL_RANKING, "n_dimensions": len(model.pairs_)}
    return pd.DataFrame([row | metrics.vertex_measures(data.truth, votes, cutoff=0.5)])


@experiment(PAPER, SCALES, corpora=SETS)
def choices(corpus, *, partition, rules=("spectrum", "bound", "loss"), limits=ALL, seed=0):
    """Return what each rule chooses for PLST on the training part: columns rule, n_dimensions, hamming_loss (test, at
    the choice), full_loss (test, BR).
    """
    data = Data(corpus, partition, seed, **limits)
    losses = every_dimension(corpus, partition=partition, limits=limits, seed=seed)
    chosen = choose_dimensions(data.X, data.Y, random_state=seed).n_dimensions
    at = losses.iloc[[chosen[rule] - 1 for rule in rules]].drop(columns="empty_loss")
    return pd.DataFrame({"rule": [*rules]} | at.to_dict("list"))


def held_out(corpus, seed=0, **limits):
    """Return {"curve": Theorem 1's terms and the loss at every M, held out; "chosen": what each rule takes} on the
    training part of partition 0 of a corpus, limits as for ``protocol.Data``.
    """
    data = Data(corpus, 0, seed, **limits)
    known = choose_dimensions(data.X, data.Y, random_state=seed)
    parts = {"prediction_error": known.prediction_error, "encoding_error": known.encoding_error}
    parts |= {"bound": sum(parts.values()), "hamming_loss": known.loss, "empty_loss": float(data.Y.mean())}
    chosen = pd.Series(known.n_dimensions, name="n_dimensions").rename_axis("rule").reset_index()
    return {"curve": pd.DataFrame(parts).rename_axis("n_dimensions").reset_index(), "chosen": chosen}


@experiment(PAPER, {"quick": {}, "paper": {}}, corpora=SETS)
def statistics(corpus):
    """Return table 2 of a corpus: columns statistic, value; hypercube sparsity is distinct label sets / 2^labels."""
    labels = corpus.labels.toarray()
    distinct, sizes = len(np.unique(np.packbits(labels, axis=1), axis=0)), labels.sum(axis=1)
    power = np.log10(distinct) - corpus.n_labels * np.log10(2)
    values = {
        "documents": corpus.n_documents,
        "labels": corpus.n_labels,
        "cardinality": sizes.mean(),
        "distinct_labelsets": distinct,
        "hypercube_sparsity": float(f"{10 ** (power % 1):.6f}e{int(np.floor(power))}"),
        "largest_labelset": sizes.max(),
    }
    return pd.Series(values, dtype=float, name="value").rename_axis("statistic").reset_index()


@experiment(PAPER, {"quick": {"limits": LIMITS["quick"]}, "paper": {}}, corpora=SETS, timed=True)
def times(corpus, *, n_dimensions=None, limits=ALL, seed=0):
    """Return CPU seconds on partition 0, of each of REPEATS runs: repeat, model, n_dimensions, step, way, seconds.

    Steps: "encode" (finding the code, SVD included, and encoding the training labels), "regression" (fit and
    predict), "decode". way is "jointly", one factorisation for all outputs, or "one by one" as in the paper, where a
    few regressors are timed and the time is multiplied, for ridge costs the same whatever the target. BR has as many
    regressors as labels, PLST and CS ``n_dimensions``, by default the paper's M*. A run before them, in which
    programs are loaded and compiled, does not count.
    """
    data = Data(corpus, 0, seed, **limits)
    rows = []
    for repeat, model in product(range(-1, REPEATS), ("BR", "PLST", "CS")):
        m = data.Y.shape[1] if model == "BR" else n_dimensions or data.star
        code, learning = _timed(data.code, "PBR" if model == "BR" else model, m)
        targets, encoding = _timed(code.encode, data.Y)
        predicted, jointly = _timed(_predicted, PenalisedRidge(), data, targets)
        first = targets.T[:SOLVED_ALONE]
        alone = np.mean([_timed(_predicted, PenalisedRidge(), data, one)[1] for one in first])
        _, decoding = _timed(lambda code, points: codes.vertices(code.decode(points)), code, predicted)
        rows += [
            (repeat, model, m, "encode", "both", learning + encoding),
            (repeat, model, m, "regression", "jointly", jointly),
            (repeat, model, m, "regression", "one by one", alone * m),
            (repeat, model, m, "decode", "both", decoding),
        ]
    columns = ["repeat", "model", "n_dimensions", "step", "way", "seconds"]
    return pd.DataFrame(rows, columns=columns).query("repeat >= 0").reset_index(drop=True)


def _predicted(model, data, targets):
    return model.fit(data.X, targets).predict(data.X_test).reshape(len(data.X_test), -1)


def _timed(work, *arguments):
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start
