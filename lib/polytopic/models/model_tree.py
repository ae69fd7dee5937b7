"""M5P: a regression tree with a linear model in every node, after Wang & Witten (1997)."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from polytopic.kernels import model_tree as kernel
from polytopic.models.settings import all_or_nothing, check_settings, configured, setting
from polytopic.validation import check_count, check_indices, check_not_negative, check_positive

RIDGE = 1e-9  # of the diagonal: features that depend on each other do not stop a node's regression
LARGE = 1.5  # a standardised coefficient above this tells of features that depend on each other
TIE = kernel.TIE  # of the spread of the targets: what is closer than that is equal
EXACT = 1e-5  # of the spread of the targets: an error below this cannot be improved on
HOPELESS = 10.0  # what a model's error is multiplied by when it has as many parameters as documents


class Tree(NamedTuple):
    """A pruned tree whose leaves hold the smoothed linear models; fields as in ``kernels.model_tree.grow``."""

    feature: np.ndarray  # (nodes,), -1 for a leaf
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    weights: np.ndarray  # (nodes, W + 1), the last one the intercept; zero but for leaves

    @property
    def n_leaves(self):
        """Number of leaves that can be reached."""
        reached, waiting = 0, [0]
        while waiting:
            node = waiting.pop()
            if self.feature[node] < 0:
                reached += 1
            else:
                waiting += [self.left[node], self.right[node]]
        return reached


@configured
class M5P(RegressorMixin, BaseEstimator):
    """Model tree M5'. Each output has a tree of its own.

    1. Grow: split where the spread of the target falls most. The spread is the variance to the power
       ``spread_power``; each side keeps more than ``least_share`` of the node's documents, and two at least. Leaves
       have fewer than ``least_split`` documents or a standard deviation below ``least_spread`` times that of all.
    2. Fit: every inner node gets a linear model in the features that its subtree tests. First the feature with the
       largest standardised coefficient goes, as long as that exceeds 1.5: it depends on others. Then the one with the
       smallest goes, the first of equal ones, as long as Akaike's criterion falls: as long as it raises the sum of
       squared residuals by less than twice their variance under all features that were left. A node with no more
       documents than parameters keeps its mean.
    3. Prune from the leaves up: a subtree gives way to its node's model unless its estimated error is smaller: the
       root mean squared residual times (n + penalty * v) / (n - v) for n documents and v parameters, those of the
       subtree being its leaves' and one for each split.
    4. Smooth: on the way up from a leaf a prediction p becomes (n p + smoothing q) / (n + smoothing), where n counts
       the documents of the lower node and q is the upper node's prediction.

    Rounding decides nothing: among places to split that are equal but for rounding the lowest feature and the lowest
    threshold is taken, among standardised coefficients within a millionth of each other the first, and what a target
    varies, a feature matters or a subtree gains by less than a hundred millionth counts as nothing. The order of the
    documents and the last bits of y leave the tree as it is.

    Defaults are Weka's: a fifth root of the variance, a fifth of the documents on either side, penalty 2. Where no
    two splits are equally good the tree and, to seven digits, the predictions are those of Weka 3.9.7. Where some
    are, Weka lets rounding choose (to the fifth root, 1e-17 weighs as much as 4e-4), and a small node's choice
    changes which features the models above it may use: on the first four directions of emotions' labels, full of
    ties, the root mean squared test errors are .45, .51, .36 and .35, and Weka's .50, .54, .36 and .34. Weka also
    takes feature values that lie closer than 1e-6 for equal; here only equal values are.

    Wang & Witten (1997) take the standard deviation: spread_power=0.5, least_share=0, penalty=1. Sparse features
    are made dense; missing values and nominal features are not handled.

    Attributes
    ----------
    trees_ : list of Tree, one per output.
    """

    spread_power: float = setting(0.2, "Power of the variance that is the spread.", check_positive)
    least_share: float = setting(0.2, "Share of documents on each side of a split.", check_not_negative)
    least_split: int = setting(4, "Fewest documents to split.", partial(check_count, minimum=2))
    least_spread: float = setting(0.05, "Least deviation to split, to that of all.", check_not_negative)
    penalty: float = setting(2.0, "Documents that a parameter counts for in pruning.", check_not_negative)
    smoothing: float = setting(15.0, "Documents that an upper node counts for.", check_not_negative)

    @all_or_nothing
    def fit(self, X, y):
        """Fit to X (D, W), dense or sparse, and y (D,) or (D, M).

        ValueError for settings out of range, numbers that are not finite, and tables of different length. A target
        without variation gets one leaf, a feature without variation no part.
        """
        check_settings(self)
        X, y = validate_data(
            self, _dense(X), y, multi_output=True, y_numeric=True, dtype=np.float64, order="C"
        )
        targets = np.asarray(y, np.float64)
        self.is_single_ = targets.ndim == 1
        order = np.argsort(X, axis=0, kind="stable").T.astype(np.int32)
        columns = np.ascontiguousarray(X.T)
        self.trees_ = [self._tree(X, columns, y, order.copy()) for y in targets.reshape(len(X), -1).T]
        return self

    def predict(self, X):
        """Return the predictions, (D,) or (D, M) as y was."""
        check_is_fitted(self)
        X = validate_data(self, _dense(X), dtype=np.float64, order="C", reset=False)
        predicted = np.column_stack([_predict(tree, X) for tree in self.trees_])
        return predicted[:, 0] if self.is_single_ else predicted

    def _tree(self, X, columns, y, order):
        y = np.ascontiguousarray(y)
        spread = y.std()
        least_spread = max(self.least_spread * spread, TIE * np.abs(y).max())
        grown = kernel.grow(
            columns, y, order, self.spread_power, self.least_share, self.least_split, least_spread
        )
        feature, threshold, left, right, start, stop = grown
        weights = np.zeros((len(feature), X.shape[1] + 1))
        squares, n_parameters = np.zeros(len(feature)), np.zeros(len(feature), np.int64)
        tested = [frozenset()] * len(feature)
        for node in range(len(feature))[::-1]:  # children were made after their parents
            rows = order[0, start[node] : stop[node]]
            below = [left[node], right[node]] if feature[node] >= 0 else []
            if below:
                tested[node] = frozenset({feature[node]}).union(*(tested[child] for child in below))
            attributes = np.array(sorted(tested[node]), np.int64)
            weights[node], of_node, n_node = self._model(X[rows], y[rows], attributes)
            of_subtree, n_subtree = squares[below].sum(), n_parameters[below].sum() + 1
            subtree_error = self._estimated(of_subtree, n_subtree, len(rows))
            node_error = self._estimated(of_node, n_node, len(rows))
            if below and subtree_error < node_error - TIE * spread and node_error >= EXACT * spread:
                squares[node], n_parameters[node] = of_subtree, n_subtree
            else:
                feature[node], squares[node], n_parameters[node] = -1, of_node, n_node
        return Tree(
            feature, threshold, left, right, self._smooth(weights, feature, left, right, stop - start)
        )

    def _model(self, X, y, attributes):
        """Return (weights, sum of squared residuals, number of parameters) of a node's linear model."""
        weights = np.zeros(X.shape[1] + 1)
        if not len(attributes):
            weights[-1] = y.mean()
            return weights, ((y - weights[-1]) ** 2).sum(), 1
        inside = X[:, attributes]
        centre, scale = inside.mean(axis=0), inside.std(axis=0)
        varies = scale > 0
        attributes, centre, scale = attributes[varies], centre[varies], scale[varies]
        table, spread = (inside[:, varies] - centre) / scale, y.std()
        inverse, slope, used = _independent(table, y - y.mean(), spread)
        square = ((y - y.mean() - table[:, used] @ slope) ** 2).sum()
        remaining, slope, square = kernel.thin(inverse, slope, square, len(y), spread)
        used = used[remaining]
        weights[attributes[used]] = slope[remaining] / scale[used]
        weights[-1] = y.mean() - weights[attributes] @ centre
        return weights, square, len(used) + 1

    def _estimated(self, square, n_parameters, n):
        """Return the error on new documents that a sum of squares over n documents makes likely."""
        factor = (n + self.penalty * n_parameters) / (n - n_parameters) if n > n_parameters else HOPELESS
        return np.sqrt(square / n) * factor

    def _smooth(self, weights, feature, left, right, sizes):
        """Return the leaves' models blended with those of all nodes above them, (nodes, W + 1)."""
        smoothed = np.zeros_like(weights)
        waiting = [[0]]
        while waiting:
            path = waiting.pop()
            node = path[-1]
            if feature[node] >= 0:
                waiting += [[*path, left[node]], [*path, right[node]]]
                continue
            blend = weights[node]
            for lower, upper in zip(path[:0:-1], path[-2::-1], strict=True):
                blend = (sizes[lower] * blend + self.smoothing * weights[upper]) / (
                    sizes[lower] + self.smoothing
                )
            smoothed[node] = blend
        return smoothed


def _independent(table, y, spread):
    """Return (inverse, slope, used) of the regression on those standardised features that depend on no others.

    used (A,) holds their columns of the table: the feature with the largest coefficient, the first of those within
    CLOSE of the spread, is left out for as long as that exceeds LARGE spreads. inverse is (A, A), slope (A,).
    """
    products = table.T @ table + RIDGE * len(table) * np.eye(table.shape[1])
    with_y = table.T @ y
    used = np.arange(table.shape[1])
    while True:
        inverse = np.linalg.inv(products[np.ix_(used, used)])
        slope = inverse @ with_y[used]
        size = np.abs(slope)
        if not len(used) or size.max() <= (LARGE + kernel.CLOSE) * spread:
            return inverse, slope, used
        used = np.delete(used, np.argmax(size >= size.max() - kernel.CLOSE * spread))


def _predict(tree, X):
    at = tree.weights[kernel.leaves(X, tree.feature, tree.threshold, tree.left, tree.right)]
    return (X * at[:, :-1]).sum(axis=1) + at[:, -1]


def _dense(X):
    return check_indices(X).toarray() if sparse.issparse(X) else X
