"""Tai & Lin's (2012) protocol: random partitions into nine tenths and one tenth, every code at many dimensions."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models.label_space import PenalisedRidge, codes
from polytopic.streams import stream
from polytopic.validation import check_count

MODELS = ("PLST", "PLST-Origin", "PBR", "PBR-Mean", "CS", "CS-BestVertex")
MAIN_MODELS = ("PLST", "PBR", "CS")
EMPTY = "Empty"  # the prediction of no label at all
SHARES = (0.002, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


class Treatment(NamedTuple):
    """How a corpus is taken: the defaults are those of a corpus that the paper does not have."""

    dimensions: tuple = ()  # at which everything is measured; those nearest to SHARES of the labels if empty
    star: int | None = None  # the paper's M*; a tenth of the labels if None
    all_features: bool = False  # keep every feature, whatever the limit
    covered: float = 0.95  # share of all documents whose label sets CoSaMP can hold
    n_draws: int = 10  # of Hadamard rows
    most_trees: int | None = 10  # dimensions up to which model trees are grown


PAPER_SETS = {
    "delicious": Treatment((1, 10, 25, 50, 100, 129, 200, 300, 400, 500, 750, 983), 129, True, 1.0, 10, 50),
    "corel5k": Treatment((1, 4, 8, 16, 24, 32, 48, 64, 100, 150, 250, 374), 16, True, 1.0, 20, None),
    "mediamill": Treatment((1, 3, 5, 8, 11, 15, 20, 30, 50, 75, 101), 11, True, 1.0, 10, None),
    "yeast": Treatment(tuple(range(1, 15)), 4, True, 1.0, 50, None),
    "emotions": Treatment(tuple(range(1, 7)), 2, True, 1.0, 50, None),
}
STARS = {name: how.star for name, how in PAPER_SETS.items()}


def rows_of(n_documents, partition, seed=0, most_documents=None):
    """Return (train, test), the sorted rows of one random partition into nine tenths and one tenth, which depends on
    its number, the seed and the number of documents. most_documents keeps that many random training documents.
    """
    check_count(minimum=0, partition=partition)
    order = stream(seed, "partition", n_documents, partition).permutation(n_documents)
    n_test = max(1, round(0.1 * n_documents))
    return np.sort(order[n_test:][:most_documents]), np.sort(order[:n_test])


class Data:
    """One partition of a corpus as arrays: X and Y of training and test, and how dimensions run.

    most_labels keeps the commonest labels, most_features the features in most training documents (of the paper's own
    sets always all), most_documents that many training documents. The sparsity of CoSaMP is the label-set size that
    the treatment's share of the documents does not exceed: the largest one of the paper's sets.
    """

    def __init__(self, corpus, partition, seed=0, most_labels=None, most_features=1000, most_documents=None):
        self.treatment = how = PAPER_SETS.get(corpus.name, Treatment())
        train, test = rows_of(corpus.n_documents, partition, seed, most_documents)
        labels = corpus.labels.toarray()
        if most_labels:
            labels = labels[:, np.argsort(-labels.sum(axis=0), kind="stable")[:most_labels]]
        counts = corpus.counts
        if most_features is not None and not how.all_features and corpus.n_words > most_features:
            in_documents = (counts[train] > 0).getnnz(axis=0)
            counts = counts[:, np.sort(np.argsort(-in_documents, kind="stable")[:most_features])]
        features, n_labels = counts.toarray().astype(np.float64), labels.shape[1]
        self.corpus, self.partition, self.seed = corpus.name, partition, seed
        self.X, self.Y, self.X_test, self.truth = features[train], labels[train], features[test], labels[test]
        self.best_vertex = 2 * self.Y.sum(axis=0) > len(self.Y)
        sizes = ((labels ^ vertex).sum(axis=1) for vertex in (False, self.best_vertex))
        self.sparsity, self.moved_sparsity = (max(1, int(np.quantile(one, how.covered))) for one in sizes)
        near = sorted({max(1, round(share * n_labels)) for share in SHARES})
        self.dimensions = how.dimensions if how.dimensions[-1:] == (n_labels,) else tuple(near)
        self.star = how.star or max(1, n_labels // 10)

    def code(self, model, n_dimensions=None, ones_row=None, draw=None):
        """Return the code of a model by its name, with all dimensions if n_dimensions is None. CS draws its rows for
        each partition anew, unless ``draw`` numbers a draw that is the same for all partitions.
        """
        most = self.Y.shape[1] if n_dimensions is None else n_dimensions
        purpose = (self.partition, 0) if draw is None else ("kept", draw)
        rng = stream(self.seed, "hadamard", self.corpus, *purpose)
        if model.startswith("PLST"):
            return codes.principal(self.Y, most, shift=model == "PLST", rng=rng)
        if model.startswith("PBR"):
            return codes.frequent(self.Y, most, shift=model == "PBR-Mean")
        is_moved = model == "CS-BestVertex" and bool(self.best_vertex.any())
        sparsity = self.moved_sparsity if is_moved else self.sparsity
        return codes.measured(self.Y, most, rng, sparsity, is_moved, ones_row)


def ridge_for_all(data, regressor=None):
    """Return the function that gives the ridge predictions of any code for the test documents, (D, M).

    Ridge is linear in its targets and every code here is affine in the labels, so that one regression on the labels
    and on a constant serves all: code.encode(labels) less what the penalised intercept takes from the constant.
    """
    targets = np.hstack([data.Y, np.ones((len(data.Y), 1))])
    predicted = (regressor or PenalisedRidge()).fit(data.X, targets).predict(data.X_test)
    labels, constant = predicted[:, :-1], predicted[:, -1:]
    nothing = np.zeros((1, labels.shape[1]))
    return lambda code: code.encode(labels) + (constant - 1) * code.encode(nothing)


def measure(data, regressor, predict, models, most_dimensions=None):
    """Return the measures of models at the numbers of dimensions of a partition, one row each.

    Columns: regressor (its name), model, n_dimensions, has_ones_row (CS: whether the all-ones row is among the
    measurements), sparsity, the measures of ``metrics.vertex_measures`` (of the variants of section 4.4 Hamming loss
    only), encoding_error (flats: Theorem 1's second term, 4/K of the mean squared distance). The last row, model
    EMPTY, predicts no label. ``predict`` takes a code and returns the predicted codes of the test documents.
    """
    shown = [m for m in data.dimensions if most_dimensions is None or m <= most_dimensions]
    truth, rows = data.truth, []
    for model in models:
        if model == "CS-BestVertex" and "CS" in models and not data.best_vertex.any():  # the same code
            rows += [row | {"model": model} for row in rows if row["model"] == "CS"]
            continue
        code = data.code(model, shown[-1])
        predicted, true = predict(code), code.encode(truth)
        for m in shown:
            part = code.prefix(m)
            points = part.decode(predicted[:, :m])
            row = {"model": model, "n_dimensions": m, "has_ones_row": None, "sparsity": None}
            if model in MAIN_MODELS:
                row |= metrics.vertex_measures(truth, points)
            else:
                row["hamming_loss"] = hamming_loss(data, points)
            if isinstance(part, codes.MeasurementCode):
                row["has_ones_row"] = bool((part.projection == 1).all(axis=1).any())
                row["sparsity"] = part.sparsity
            else:
                row["encoding_error"] = 4 * float(((truth - part.decode(true[:, :m])) ** 2).mean())
            rows.append(row)
    nothing = {"model": EMPTY, "n_dimensions": 0} | metrics.vertex_measures(truth, np.zeros(truth.shape))
    table = pd.DataFrame([*rows, nothing])
    table.insert(0, "regressor", regressor)
    return table


def hamming_loss(data, points):
    """Return the share of the test documents' labels that points, (D, C), round to wrongly."""
    return float((codes.vertices(points) != data.truth).mean())
