"""Calibrated label ranking on ridge regression: every pair of labels, and every label against a virtual one."""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from polytopic.validation import check_indices, check_labels, check_positive


class CalibratedLabelRanking(ClassifierMixin, BaseEstimator):
    """Pairwise ridge regressions vote on the labels; a virtual label's votes are the threshold.

    The regressor of labels i and j learns +1 from documents with i alone and -1 from those with j alone; that of i
    and the virtual label learns +1 or -1 from all documents. A pair gives one vote to the winner, half to each on a
    tie of exactly 0. Ridge as in ``PenalisedRidge``: ones among the features, penalised.

    No pair goes through the documents with its own weights. With S_i the second moments of the documents with label
    i and S_ij of those with both, a pair's normal equations have the matrix S_i + S_j - 2 S_ij + alpha I and the
    right-hand side X^T y_i - X^T y_j, since documents with both cancel; the virtual label's pairs all share one
    factorisation. Memory: one (W, W) matrix per label.

    Fürnkranz et al. (2008); on ridge as in Tai & Lin (2012), figure 5.
    """

    def __init__(self, alpha=0.01):
        self.alpha = alpha

    def fit(self, X, Y):
        """Fit to X (D, W) and Y (D, C). After it: ``weights_`` (pairs, W + 1), ``pairs_`` (pairs, 2), where label C
        is the virtual one.
        """
        check_positive(alpha=self.alpha)
        features = _features(X)
        labels = check_labels(Y, len(features)).toarray()
        n_labels, width = labels.shape[1], features.shape[1]
        penalty = self.alpha * np.eye(width)
        sums = features.T @ labels
        moments = [features[column].T @ features[column] for column in labels.T]
        whole = cho_factor(features.T @ features + penalty)
        against_virtual = cho_solve(whole, 2 * sums - features.sum(axis=0)[:, None]).T
        pairs, weights = [], []
        for i in range(n_labels):
            for j in range(i + 1, n_labels):
                both = features[labels[:, i] & labels[:, j]]
                matrix = moments[i] + moments[j] - 2 * (both.T @ both) + penalty
                weights.append(cho_solve(cho_factor(matrix), sums[:, i] - sums[:, j]))
                pairs.append((i, j))
        self.pairs_ = np.array(pairs + [(i, n_labels) for i in range(n_labels)])
        self.weights_ = np.vstack([*weights, against_virtual])
        self.n_labels_ = n_labels
        return self

    def votes(self, X):
        """Return the votes of all labels and, in the last column, of the virtual one, (D, C + 1)."""
        check_is_fitted(self)
        features = _features(X)
        if features.shape[1] != self.weights_.shape[1]:
            raise ValueError(
                f"X has {features.shape[1] - 1} features, the model was fitted with {self.weights_.shape[1] - 1}"
            )
        first = (np.sign(features @ self.weights_.T) + 1) / 2
        votes = np.zeros((len(features), self.n_labels_ + 1))
        np.add.at(votes.T, self.pairs_[:, 0], first.T)
        np.add.at(votes.T, self.pairs_[:, 1], 1 - first.T)
        return votes

    def decision_function(self, X):
        """Return each label's votes less the virtual label's, (D, C); above 0 means that the label is predicted."""
        votes = self.votes(X)
        return votes[:, :-1] - votes[:, -1:]

    def predict(self, X):
        """Return the labels with more votes than the virtual one, (D, C) bool."""
        return self.decision_function(X) > 0


def _features(X):
    dense = check_indices(X).toarray() if sparse.issparse(X) else np.asarray(X)
    if dense.ndim != 2 or dense.dtype.kind not in "buif" or not np.isfinite(dense).all():
        raise ValueError("X must be a table of finite numbers, (documents, features)")
    return np.hstack([dense.astype(np.float64), np.ones((len(dense), 1))])
