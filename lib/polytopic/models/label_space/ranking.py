"""Calibrated label ranking on ridge regression."""

import os

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator

from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.ridge import with_ones
from polytopic.models.settings import all_or_nothing, check_size, check_unseen, configured, setting
from polytopic.validation import check_labels, check_positive, check_values


@configured
class CalibratedLabelRanking(MultiLabelClassifier, BaseEstimator):
    """Pairwise ridge regressions vote on the labels; a virtual label's votes are the threshold.

    The regressor of labels i and j learns +1 from documents with i alone and -1 from those with j alone; that of i
    and the virtual label learns +1 or -1 from all documents. A pair gives one vote to the winner, half to each on a
    tie of exactly 0. Ridge as in ``PenalisedRidge``: ones among the features, penalised.

    No pair goes through the documents with its own weights. With S_i the second moments of the documents with label
    i and S_ij of those with both, a pair's normal equations have the matrix S_i + S_j - 2 S_ij + alpha I and the
    right-hand side X^T y_i - X^T y_j, since documents with both cancel; the virtual label's pairs all share one
    factorisation. Memory: one (W, W) matrix per label.

    Fürnkranz et al. (2008); on ridge as in Tai & Lin (2012), figure 5.

    Attributes
    ----------
    weights_ : (pairs, W + 1) float64
        Of the features and the column of ones.
    pairs_ : (pairs, 2) int64
        The labels of each pair; label C is the virtual one.
    """

    alpha: float = setting(0.01, "Strength of the penalty.", check_positive, positional=True)

    @all_or_nothing
    def fit(self, X, Y=None):
        """Fit to X (D, W) and Y (D, C); ValueError for anything else, and for more than the machine's memory."""
        features = with_ones(check_values(X).toarray())
        check_size(features[:, 1:])
        labels = check_labels(Y, len(features)).toarray()
        n_labels, width = labels.shape[1], features.shape[1]
        _check_memory(n_labels, width)
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
        self.n_features_in_, self.n_labels_ = width - 1, n_labels
        return self

    def votes(self, X):
        """Return the votes of all labels and, in the last column, of the virtual one, (D, C + 1)."""
        features = with_ones(check_unseen(self, X, check_values, "features").toarray())
        first = (np.sign(features @ self.weights_.T) + 1) / 2
        votes = np.zeros((len(features), self.n_labels_ + 1))
        np.add.at(votes.T, self.pairs_[:, 0], first.T)
        np.add.at(votes.T, self.pairs_[:, 1], 1 - first.T)
        return votes

    def decision_function(self, X):
        """Return each label's votes less the virtual label's, (D, C); above 0 means that the label is predicted."""
        votes = self.votes(X)
        return votes[:, :-1] - votes[:, -1:]

    def decisions(self, X, scores):
        """Return the labels with more votes than the virtual one, whose scores (n, C) are above 0: (n, C) bool."""
        return scores > 0


def _check_memory(n_labels, width):
    """Raise ValueError where second moments and weights need more memory than there is, and the process would die."""
    needed = 8 * (n_labels * width**2 + n_labels * (n_labels + 1) // 2 * width)
    there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else np.inf
    if needed > there_is:
        raise ValueError(
            f"pairs of {n_labels:,} labels over {width - 1:,} features need {needed / 1e9:,.0f} GB, and the machine "
            f"has {there_is / 1e9:,.0f} GB: take fewer features or labels, or PLST, which has one regression a label"
        )
