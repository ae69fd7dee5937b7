"""FastXML, trees that part documents by how their labels rank (Prabhu & Varma 2014)."""

from typing import NamedTuple

import numpy as np
from joblib import delayed
from joblib import hash as digest
from scipy import sparse
from sklearn.base import BaseEstimator

from polytopic.kernels import fastxml as kernel
from polytopic.models import settings
from polytopic.models.classifier import RankingClassifier
from polytopic.models.ridge import with_ones
from polytopic.models.settings import configured, setting
from polytopic.streams import stream
from polytopic.validation import check_count, check_values

MOST_IN_LEAF = 100  # labels that a leaf keeps
LEAF_SIZE = 10  # documents of a node that is parted no more
COST = 1.0  # in the logistic regressions, of documents of a side that held all
TOLERANCE, MOST_PASSES = 0.01, 100  # where they stop, against their start


class Tree(NamedTuple):
    """A tree of N nodes and L leaves; a document goes to children[n, 1] where its weights sum to more than 0."""

    weights: sparse.csr_matrix  # (N, W + 1), the last column for the bias; rows of leaves are empty
    children: np.ndarray  # (N, 2) int32, -1 at leaves
    leaf: np.ndarray  # (N,) int32  the leaf's row, -1 at others
    labels: sparse.csr_matrix  # (L, C) float64  share of the leaf's documents that have each label


@configured
class FastXML(RankingClassifier, settings.Running, BaseEstimator):
    """Trees that split the documents in two at each node so that the labels of either half rank well (FastXML).

    A node starts from fair random sides. Documents then move to the side whose ranking of labels has the larger nDCG
    for them, over all labels with discounts 1 / log2(1 + rank); a document to which both are the same stays. When the
    mean nDCG grows by less than 1e-6 a logistic regression with an L1 penalty is fitted to the sides, with a feature
    that is always 1; the loss of a document costs 1 over the share of its side, so that both sides weigh alike.
    The sign of its margin parts the documents. A node of at most ten documents, or one that does not part, becomes a
    leaf, which keeps the shares of its hundred most frequent labels. The score is the mean over trees.

    Settings are those of the authors' program, which Burkhardt & Kramer (2018) took as they are.

    Attributes
    ----------
    trees_ : list of Tree
        The nodes' weights, and the leaves' shares of labels.
    """

    n_trees: int = setting(50, "Trees.", check_count, positional=True)

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Grow the trees on X (D, W), finite numbers, and Y (D, C), 0/1 or bool, dense or sparse; return self.

        Documents without labels take part and have no side that they like. Raises ValueError for other entries, for Y
        of another length, without documents, and for settings out of range.
        """
        X, Y = settings.check_features(X, Y)
        self.n_features_in_, self.n_labels_ = X.shape[1], Y.shape[1]
        self.cardinality_ = Y.nnz / Y.shape[0]
        seed, run = settings.seed_of(self.random_state), self._run()
        unit, data = run.cached(_grow, ignore=["X", "Y"]), (with_ones(X), Y, digest((X, Y)))
        calls = (delayed(unit)(*data, (seed, "fastxml", k)) for k in range(self.n_trees))
        self.trees_ = list(run.each(calls, self.n_trees, "trees"))
        return self

    def decision_function(self, X):
        """Return the mean over trees of the label shares in each document's leaf, (D, C) float64, in [0, 1].

        Raises ValueError for X of another number of words or entries that are not finite; NotFittedError before fit.
        """
        X = settings.check_unseen(self, X, check_values)
        X, total = with_ones(X), sparse.csr_matrix((X.shape[0], self.n_labels_))
        for tree in self.trees_:
            total = total + tree.labels[tree.leaf[_leaves(tree, X)]]
        return total.toarray() / len(self.trees_)


def _grow(X, Y, key, name, code):
    """Return the Tree of one name, a seed and a purpose; X has the column of the bias."""
    none, nodes, leaves, waiting = sparse.csr_matrix((1, X.shape[1])), [], [], [np.arange(X.shape[0])]
    for documents in waiting:  # to which children are added
        weights, sides = None, None
        if len(documents) > LEAF_SIZE:
            start = stream(*name, len(nodes)).integers(0, 2, len(documents)).astype(np.int8) * 2 - 1
            weights, sides = _split(X[documents], Y[documents], start)
        if sides is None or sides.all() or not sides.any():
            nodes.append((none, (-1, -1), len(leaves)))
            leaves.append(_shares(Y[documents]))
        else:
            nodes.append((weights, (len(waiting), len(waiting) + 1), -1))
            waiting += [documents[~sides], documents[sides]]
    weights, children, leaf = zip(*nodes, strict=True)
    arrays = np.array(children, np.int32), np.array(leaf, np.int32)
    return Tree(sparse.vstack(weights, "csr"), *arrays, sparse.vstack(leaves, "csr"))


def _split(X, Y, side):
    """Return (weights (1, W + 1) CSR, whether each document goes to the positive side) of a node.

    Where one side is empty already there are no weights.
    """
    part(Y, side)
    share = (side > 0).mean()
    if share in (0, 1):
        return None, side > 0
    costs = COST / np.where(side > 0, share, 1 - share)
    columns = X.tocsc()
    used = np.flatnonzero(np.diff(columns.indptr))
    ptr = columns.indptr[np.append(used, columns.shape[1])].astype(np.int64)
    found, margins = np.zeros(used.size), np.zeros(X.shape[0])
    given = columns.indices, columns.data, side, costs, TOLERANCE, MOST_PASSES
    kernel.l1_logistic(ptr, *given, found, margins, np.zeros(used.size))
    kept = np.flatnonzero(found)
    own = sparse.csr_matrix((found[kept], used[kept], [0, kept.size]), shape=(1, X.shape[1]))
    return own, (X @ own.T).toarray().ravel() > 0


def part(Y, side):
    """Move documents between the sides (D,) int8 by nDCG, in place; Y (D, C) CSR. See ``kernels.fastxml.part``."""
    names, labels = np.unique(Y.indices, return_inverse=True)
    sizes = np.diff(Y.indptr)
    discounts = 1 / np.log2(2 + np.arange(names.size))
    best = np.concatenate([[0.0], np.cumsum(discounts)])[sizes]
    ideal = np.divide(1, best, out=np.zeros(best.size), where=best > 0)
    kernel.part(Y.indptr.astype(np.int64), labels.astype(np.int32), names.size, ideal, discounts, side)


def _shares(Y):
    """Return the shares (1, C) CSR of documents that have each of the most frequent labels; ties by the columns."""
    counts = Y.getnnz(axis=0)
    first = np.argsort(-counts, kind="stable")[:MOST_IN_LEAF]
    first = np.sort(first[counts[first] > 0])
    return sparse.csr_matrix((counts[first] / Y.shape[0], first, [0, first.size]), shape=(1, Y.shape[1]))


def _leaves(tree, X):
    """Return the node (D,) in which each document ends."""
    nodes = np.zeros(X.shape[0], np.int32)
    moving = np.flatnonzero(tree.leaf[nodes] < 0)
    while moving.size:
        at = nodes[moving]
        margins = X[moving].multiply(tree.weights[at]).sum(axis=1).A1
        nodes[moving] = tree.children[at, (margins > 0).astype(int)]
        moving = moving[tree.leaf[nodes[moving]] < 0]
    return nodes
