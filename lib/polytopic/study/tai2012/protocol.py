"""Tai & Lin's (2012) protocol: random partitions into nine tenths and one tenth, every code at many dimensions."""

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.models import M5P
from polytopic.models.label_space import CalibratedLabelRanking, PenalisedRidge, codes, compare_rules
from polytopic.streams import stream
from polytopic.validation import check_count

MODELS = ("PLST", "PLST-Origin", "PBR", "PBR-Mean", "CS", "CS-BestVertex")
MAIN_MODELS = ("PLST", "PBR", "CS")
EMPTY = "Empty"  # the prediction of no label at all
REGRESSORS = ("ridge", "m5p", "ideal")
SHARE_TEST = 0.1
PLACE = ["corpus", "regressor", "partition", "model", "n_dimensions"]

# The paper's sets: numbers of dimensions at which everything is measured. Others take DEFAULT's shares of the labels.
DIMENSIONS = {
    "delicious": (1, 10, 25, 50, 100, 129, 200, 300, 400, 500, 750, 983),
    "corel5k": (1, 4, 8, 16, 24, 32, 48, 64, 100, 150, 250, 374),
    "mediamill": (1, 3, 5, 8, 11, 15, 20, 30, 50, 75, 101),
    "yeast": tuple(range(1, 15)),
    "emotions": tuple(range(1, 7)),
}
DEFAULT = (0.002, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
PAPER_SETS = ("delicious", "corel5k", "mediamill", "yeast", "emotions")
MOST_FEATURES = 1000  # of a corpus that is not the paper's, the words in most documents
SPARSITY_COVERS = 0.95  # of such a corpus, the share of documents whose label sets CoSaMP can hold


def partition(n_documents, number, seed=0, most_documents=None):
    """Return (train, test), the sorted rows of one random partition into nine tenths and one tenth.

    Partition ``number`` depends on the seed and the number of documents alone. most_documents keeps that many random
    training documents.
    """
    order = stream(seed, "partition", n_documents, number).permutation(n_documents)
    n_test = max(1, round(SHARE_TEST * n_documents))
    return np.sort(order[n_test:][:most_documents]), np.sort(order[:n_test])


class Data:
    """One partition of a corpus as arrays: X and Y of training and test, and how dimensions run.

    Of a corpus that is not one of the paper's the words in most training documents are kept, a thousand of them, and
    the sparsity of CoSaMP is the label-set size that 95 % of all documents do not exceed, instead of the largest one.
    """

    def __init__(
        self, corpus, number, seed=0, most_labels=None, most_features=MOST_FEATURES, most_documents=None
    ):
        train, test = partition(corpus.n_documents, number, seed, most_documents)
        labels = corpus.labels.toarray()
        if most_labels:
            labels = labels[:, np.argsort(-labels.sum(axis=0), kind="stable")[:most_labels]]
        features = _features(corpus, train, most_features)
        self.corpus, self.number, self.seed = corpus.name, number, seed
        self.X, self.Y = features[train], labels[train]
        self.X_test, self.truth = features[test], labels[test]
        self.best_vertex = 2 * self.Y.sum(axis=0) > len(self.Y)
        covered = 1.0 if corpus.name in PAPER_SETS else SPARSITY_COVERS
        self.sparsity, self.moved_sparsity = (
            max(1, int(np.quantile((labels ^ vertex).sum(axis=1), covered)))
            for vertex in (False, self.best_vertex)
        )
        self.dimensions = dimensions(corpus.name, labels.shape[1])

    def code(self, model, n_dimensions=None, ones_row=None, draw=None):
        """Return the code of a model by its name, with all dimensions if n_dimensions is None.

        CS draws its rows for each partition anew, unless ``draw`` numbers a draw that is the same for all partitions.
        """
        most = self.Y.shape[1] if n_dimensions is None else n_dimensions
        purpose = (self.number, 0) if draw is None else ("kept", draw)
        rng = stream(self.seed, "hadamard", self.corpus, *purpose)
        if model.startswith("PLST"):
            return codes.principal(self.Y, most, shift=model == "PLST", rng=rng)
        if model.startswith("PBR"):
            return codes.frequent(self.Y, most, shift=model == "PBR-Mean")
        is_moved = model == "CS-BestVertex" and bool(self.best_vertex.any())
        sparsity = self.moved_sparsity if is_moved else self.sparsity
        return codes.measured(self.Y, most, rng, sparsity, is_moved, ones_row)


def dimensions(corpus, n_labels):
    """Return the numbers of dimensions at which a corpus is measured."""
    shares = {max(1, round(share * n_labels)) for share in DEFAULT}
    given = DIMENSIONS.get(corpus)
    return given if given and given[-1] == n_labels else tuple(sorted(shares))


class RidgeForAll:
    """Ridge regression on the labels themselves and on a constant, from which it follows for every code.

    Ridge is linear in its targets and every code here is affine in the labels, so that the predictions of the codes
    are combinations of these: code.encode(labels) less what the penalised intercept takes from the constant.
    """

    def __init__(self, X, Y, X_test, regressor=None):
        targets = np.hstack([Y, np.ones((len(Y), 1))])
        predicted = (regressor or PenalisedRidge()).fit(X, targets).predict(X_test)
        self.labels, self.constant = predicted[:, :-1], predicted[:, -1:]

    def codes(self, code):
        """Return the predicted codes of the test documents, (D, M)."""
        nothing = np.zeros((1, self.labels.shape[1]))
        return code.encode(self.labels) + (self.constant - 1) * code.encode(nothing)


def measure_partition(
    corpus, number, regressor="ridge", models=MODELS, seed=0, most_dimensions=None, **limits
):
    """Return the measures of every model at every number of dimensions on one partition, one row each.

    Columns: PLACE, has_ones_row (CS: whether the all-ones row is among the measurements), sparsity, the measures of
    ``metrics.vertex_measures`` (of the variants of section 4.4 Hamming loss only), encoding_error (flats: Theorem
    1's second term, 4/K of the mean squared distance). The last row, model "Empty", predicts no label.

    regressor "ideal" knows the test labels' codes. most_dimensions bounds the dimensions; most_labels and
    most_features keep the commonest labels and words only, most_documents that many training documents.
    """
    check_count(minimum=0, number=number)
    if regressor not in REGRESSORS:
        raise ValueError(f"regressor must be one of {', '.join(REGRESSORS)}, got {regressor!r}")
    data = Data(load_corpus(corpus), number, seed, **limits)
    shown = [m for m in data.dimensions if most_dimensions is None or m <= most_dimensions]
    joint = RidgeForAll(data.X, data.Y, data.X_test) if regressor == "ridge" else None
    rows = []
    for model in models:
        code = data.code(model, shown[-1])
        if model == "CS-BestVertex" and _is_at_the_origin(code, data) and "CS" in models:
            rows += [row | {"model": model} for row in rows if row["model"] == "CS"]
            continue
        predicted = joint.codes(code) if joint else _predicted(regressor, code, data)
        true = code.encode(data.truth)
        for m in shown:
            part = code.prefix(m)
            points = part.decode(predicted[:, :m])
            row = {"model": model, "n_dimensions": m} | _of_code(part)
            if model in MAIN_MODELS:
                row |= metrics.vertex_measures(data.truth, points)
            else:
                row["hamming_loss"] = float((codes.vertices(points) != data.truth).mean())
            if not model.startswith("CS"):
                row["encoding_error"] = 4 * float(((data.truth - part.decode(true[:, :m])) ** 2).mean())
            rows.append(row)
    nothing = metrics.vertex_measures(data.truth, np.zeros(data.truth.shape))
    rows.append({"model": EMPTY, "n_dimensions": 0} | nothing)
    frame = pd.DataFrame(rows).assign(corpus=corpus, regressor=regressor, partition=number)
    return frame[PLACE + [column for column in frame if column not in PLACE]]


def measure_dimensions(corpus, number, seed=0, most_dimensions=None):
    """Return PLST's Hamming loss with ridge at every number of dimensions on one partition: columns corpus,
    partition, n_dimensions, hamming_loss, full_loss (BR's), empty_loss (that of no label at all).
    """
    data = Data(load_corpus(corpus), number, seed)
    joint = RidgeForAll(data.X, data.Y, data.X_test)
    code = data.code("PLST", most_dimensions)
    predicted = joint.codes(code)
    points = np.tile(code.reference, (len(predicted), 1))
    losses = np.empty(len(code.projection))
    for m, direction in enumerate(code.projection):
        points += np.outer(predicted[:, m], direction)
        losses[m] = (codes.vertices(points) != data.truth).mean()
    full = data.code("PBR")
    relevance = codes.vertices(full.decode(joint.codes(full)))
    frame = pd.DataFrame({"n_dimensions": np.arange(1, len(losses) + 1), "hamming_loss": losses})
    frame.insert(0, "partition", number)
    frame.insert(0, "corpus", corpus)
    return frame.assign(
        full_loss=float((relevance != data.truth).mean()), empty_loss=float(data.truth.mean())
    )


def measure_draws(corpus, number, n_dimensions, n_draws, seed=0, **limits):
    """Return CS's Hamming loss on one partition under draws of Hadamard rows that are the same for all partitions,
    each with and without the all-ones row: columns corpus, partition, n_dimensions, draw, has_ones_row, hamming_loss,
    empty_loss (that of no label at all). limits are those of ``Data``.
    """
    data = Data(load_corpus(corpus), number, seed, **limits)
    joint = RidgeForAll(data.X, data.Y, data.X_test)
    rows = []
    for draw in range(n_draws):
        for ones_row in (True, False):
            code = data.code("CS", n_dimensions, ones_row, draw)
            wrong = codes.vertices(code.decode(joint.codes(code))) != data.truth
            rows.append((corpus, number, n_dimensions, draw, ones_row, float(wrong.mean())))
    columns = ["corpus", "partition", "n_dimensions", "draw", "has_ones_row", "hamming_loss"]
    return pd.DataFrame(rows, columns=columns).assign(empty_loss=float(data.truth.mean()))


def measure_label_ranking(corpus, number, seed=0, **limits):
    """Return calibrated label ranking's measures on one partition, a row as in ``measure_partition``.

    n_dimensions is the number of pairs; limits are those of ``Data``.
    """
    data = Data(load_corpus(corpus), number, seed, **limits)
    model = CalibratedLabelRanking().fit(data.X, data.Y)
    votes = model.decision_function(data.X_test)
    row = {"corpus": corpus, "regressor": "ridge", "partition": number, "model": "Label ranking"}
    row |= {"n_dimensions": len(model.pairs_)}
    return pd.DataFrame([row | metrics.vertex_measures(data.truth, votes, cutoff=0.5)])


def measure_trees(corpus, number, n_dimensions=10, seed=0, **limits):
    """Return what M5P's trees are like on one partition, a row: columns corpus, partition, n_dimensions, n_features,
    n_dividing (features by which all training documents may be divided: more than a fifth on either side), n_leaves
    (mean over the trees of PLST's first n_dimensions directions), n_single (those of the trees that are one leaf).
    """
    data = Data(load_corpus(corpus), number, seed, **limits)
    code = data.code("PLST", n_dimensions)
    model = M5P()
    leaves = [tree.n_leaves for tree in model.fit(data.X, code.encode(data.Y)).trees_]
    n_least = int(model.least_share * len(data.X)) + 1
    in_order = np.sort(data.X, axis=0)
    n_dividing = int((in_order[n_least - 1] < in_order[-n_least]).sum())
    row = (corpus, number, len(leaves), data.X.shape[1], n_dividing, float(np.mean(leaves)), leaves.count(1))
    columns = ["corpus", "partition", "n_dimensions", "n_features", "n_dividing", "n_leaves", "n_single"]
    return pd.DataFrame([row], columns=columns)


def measure_choices(corpus, number, rules=("spectrum", "bound", "loss"), seed=0):
    """Return what each rule chooses for PLST on one partition's training part, and the test losses at the choice.

    Columns: corpus, partition, rule, n_dimensions, hamming_loss (test, at the choice), full_loss (test, BR).
    """
    data = Data(load_corpus(corpus), number, seed)
    losses = measure_dimensions(corpus, number, seed)
    rows = []
    for rule, choice in compare_rules(data.X, data.Y, rules, random_state=seed).items():
        chosen = choice.n_dimensions
        rows.append(
            (corpus, number, rule, *losses.loc[chosen - 1, ["n_dimensions", "hamming_loss", "full_loss"]])
        )
    columns = ["corpus", "partition", "rule", "n_dimensions", "hamming_loss", "full_loss"]
    return pd.DataFrame(rows, columns=columns).astype({"n_dimensions": int})


def _predicted(regressor, code, data):
    """Return the codes of the test documents as a regressor predicts them, or as they are."""
    if regressor == "ideal":
        return code.encode(data.truth)
    return M5P().fit(data.X, code.encode(data.Y)).predict(data.X_test).reshape(len(data.truth), -1)


def _is_at_the_origin(code, data):
    """Tell whether the best vertex is the origin, so that CS-BestVertex is CS."""
    return not code.flipped.any() and code.sparsity == data.sparsity


def _of_code(code):
    if not isinstance(code, codes.MeasurementCode):
        return {"has_ones_row": None, "sparsity": None}
    is_ones = bool((code.projection == 1).all(axis=1).any())
    return {"has_ones_row": is_ones, "sparsity": code.sparsity}


def _features(corpus, train, most_features):
    """Return the features as a dense table; of a corpus that is not the paper's, the commonest words only."""
    if corpus.name in PAPER_SETS or corpus.n_words <= most_features:
        return corpus.counts.toarray().astype(np.float64)
    in_documents = (sparse.csr_matrix(corpus.counts[train]) > 0).sum(axis=0).A1
    kept = np.sort(np.argsort(-in_documents, kind="stable")[:most_features])
    return corpus.counts[:, kept].toarray().astype(np.float64)
