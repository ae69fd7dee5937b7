"""M5P: a regression tree with a linear model in every node, after Wang & Witten (1997)."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from polytopic.kernels import model_tree as kernel
from polytopic.models.classifier import Saved
from polytopic.models.settings import all_or_nothing, configured, setting
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
        return sum(1 for _ in _paths(self.feature, self.left, self.right))


@configured
class M5P(Saved, RegressorMixin, BaseEstimator):
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

    Rounding decides nothing: of places to split that are equal but for rounding the lowest feature and threshold is
    taken, of coefficients within a millionth of each other the first, and a variation, coefficient or gain below a
    hundred millionth counts as nothing.

    Defaults are Weka's. Where no two splits are equally good the tree and, to seven digits, the predictions are those
    of Weka 3.9.7. Where some are, Weka lets rounding choose: on the first four directions of emotions' labels, full
    of ties, the root mean squared test errors are .45, .51, .36 and .35, and Weka's .50, .54, .36 and .34. Weka also
    takes feature values closer than 1e-6 for equal.

    Wang & Witten (1997) take the standard deviation: spread_power=0.5, least_share=0, penalty=1. Sparse features
    are made dense; missing values and nominal features are not handled.

    Attributes
    ----------
    trees_ : list of Tree
        One for each output.
    is_single_ : bool
        Whether y had one dimension, as predictions then have.
    n_features_in_ : int
        Features, W.
    """

    spread_power: float = setting(0.2, "Power of the variance that is the spread.", check_positive)
    least_share: float = setting(0.2, "Share of documents on each side of a split.", check_not_negative)
    least_split: int = setting(4, "Fewest documents to split.", partial(check_count, minimum=2))
    least_spread: float = setting(0.05, "Least deviation to split, to that of all.", check_not_negative)
    penalty: float = setting(2.0, "Documents that a parameter counts for in pruning.", check_not_negative)
    smoothing: float = setting(15.0, "Documents that an upper node counts for.", check_not_negative)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.multi_output = True
        return tags

    @all_or_nothing
    def fit(self, X, y=None):
        """Fit to X (D, W), dense or sparse, and y (D,) or (D, M).

        ValueError for settings out of range, numbers that are not finite, and tables of different length. A target
        without variation gets one leaf, a feature without variation no part.
        """
        X, y = validate_data(self, _dense(X), y, multi_output=True, y_numeric=True, dtype=float, order="C")
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
        rule = self.spread_power, self.least_share, self.least_split, least_spread
        feature, threshold, left, right, start, stop = kernel.grow(columns, y, order, *rule)
        weights = np.zeros((len(feature), X.shape[1] + 1))
        residuals, n_parameters = np.zeros(len(feature)), np.zeros(len(feature), np.int64)
        tested = [frozenset()] * len(feature)
        for node in range(len(feature))[::-1]:  # children were made after their parents
            documents = order[0, start[node] : stop[node]]
            children = [left[node], right[node]] if feature[node] >= 0 else []
            if children:
                tested[node] = frozenset({feature[node]}).union(*(tested[child] for child in children))
            of_model = _linear_model(X[documents], y[documents], np.array(sorted(tested[node]), np.int64))
            weights[node], *of_model = of_model
            of_subtree = residuals[children].sum(), n_parameters[children].sum() + 1
            model_error = self._estimated(*of_model, len(documents))
            subtree_error = self._estimated(*of_subtree, len(documents))
            if children and subtree_error < model_error - TIE * spread and model_error >= EXACT * spread:
                residuals[node], n_parameters[node] = of_subtree
            else:
                feature[node], (residuals[node], n_parameters[node]) = -1, of_model
        leaves = self._smooth(weights, _paths(feature, left, right), stop - start)
        return Tree(feature, threshold, left, right, leaves)

    def _estimated(self, residuals, n_parameters, n):
        """Return the error on new documents that a sum of squared residuals over n documents makes likely."""
        factor = (n + self.penalty * n_parameters) / (n - n_parameters) if n > n_parameters else HOPELESS
        return np.sqrt(residuals / n) * factor

    def _smooth(self, weights, paths, sizes):
        """Return the leaves' models blended with those of all nodes above them, (nodes, W + 1)."""
        smoothed = np.zeros_like(weights)
        for path in paths:
            blend = weights[path[-1]]
            for lower, upper in zip(path[:0:-1], path[-2::-1], strict=True):
                blend = sizes[lower] * blend + self.smoothing * weights[upper]
                blend = blend / (sizes[lower] + self.smoothing)
            smoothed[path[-1]] = blend
        return smoothed


def _paths(feature, left, right):
    """Yield the nodes from the root to each leaf."""
    waiting = [[0]]
    while waiting:
        path = waiting.pop()
        if feature[path[-1]] < 0:
            yield path
        else:
            waiting += [[*path, child[path[-1]]] for child in (left, right)]


def _linear_model(X, y, features):
    """Return (weights, sum of squared residuals, number of parameters) of a node's model in some features of X."""
    weights, centred, spread = np.zeros(X.shape[1] + 1), y - y.mean(), y.std()
    if not len(features):
        weights[-1] = y.mean()
        return weights, (centred**2).sum(), 1
    inside = X[:, features]
    centre, scale = inside.mean(axis=0), inside.std(axis=0)
    varies = scale > 0
    features, centre, scale = features[varies], centre[varies], scale[varies]
    table = (inside[:, varies] - centre) / scale
    inverse, slope, used = _independent(table, centred, spread)
    residuals = ((centred - table[:, used] @ slope) ** 2).sum()
    remaining, slope, residuals = kernel.thin(inverse, slope, residuals, len(y), spread)
    used = used[remaining]
    weights[features[used]] = slope[remaining] / scale[used]
    weights[-1] = y.mean() - weights[features] @ centre
    return weights, residuals, len(used) + 1


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
