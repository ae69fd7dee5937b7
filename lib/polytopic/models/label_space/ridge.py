"""Ridge regression as Tai & Lin use it, and calibrated label ranking on it."""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.utils import check_X_y
from threadpoolctl import threadpool_limits

from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.ridge_systems import by_gradients
from polytopic.models.settings import (
    all_or_nothing,
    check_size,
    check_unseen,
    configured,
    setting,
)
from polytopic.validation import check_indices, check_labels, check_not_negative, check_positive, check_values

HEAVIEST = 40_000  # features that conjugate gradients start from, factorised in single precision: 6.4 GB


@configured
class PenalisedRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Ridge regression whose intercept is penalised like any other weight: a column of ones among the features.

    All outputs are solved together. Features are taken as they are, without scaling. With alpha = 0
    and features that depend on each other scikit-learn's solver falls back on the SVD.

    Tai & Lin (2012), section 4: alpha = .01 (their lambda); the penalised intercept is their program's.

    Attributes
    ----------
    ridge_ : scikit-learn's Ridge
        Fitted to the features and a column of ones.
    n_features_in_ : int
        Features, W.
    """

    alpha: float = setting(0.01, "Strength of the penalty.", check_not_negative, positional=True)
    solver: str = setting(
        "cholesky",
        """"cholesky" or another of scikit-learn's: exact, a table of features by features in double precision; or
        "gradients", for sparse features and alpha above 0: to 1e-4 of the right-hand side, from a table in single
        precision of all features, or of the 40,000 with the largest sums of squares (6.4 GB).""",
    )

    @all_or_nothing
    def fit(self, X, Y=None):
        """Fit to features X (D, W), sparse or dense, and targets Y (D,) or (D, M); return self.

        Raises ValueError for settings out of range, NaN and infinities, tables of different length, and a sparse X
        whose index arrays point outside it; numpy.linalg.LinAlgError where alpha is too small for "gradients".
        """
        self.n_features_in_ = X.shape[1]
        X, Y = with_ones(X), np.asarray(Y)
        if self.solver != "gradients":
            self.ridge_ = Ridge(alpha=self.alpha, fit_intercept=False, solver=self.solver).fit(X, Y)
            return self
        check_positive(alpha=self.alpha)
        X, targets = check_X_y(
            sparse.csr_matrix(X), Y, accept_sparse="csr", multi_output=True, y_numeric=True
        )
        with threadpool_limits(1):  # so that the number of threads changes no bit
            weights = by_gradients(X, targets.reshape(len(targets), -1), self.alpha, HEAVIEST)
        self.ridge_ = Ridge(alpha=self.alpha, fit_intercept=False)
        self.ridge_.coef_, self.ridge_.intercept_ = weights.T.reshape(*Y.shape[1:], -1), 0.0
        return self

    def predict(self, X):
        """Return the predictions for X (D, W), sparse or dense: (D,) or (D, M) float64, as Y was.

        Raises ValueError for another number of features and values that are not finite, NotFittedError before fit.
        """
        X = check_unseen(self, X, lambda X: X, "features")
        return self.ridge_.predict(with_ones(X))


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
        """Fit to X (D, W) and Y (D, C); ValueError for anything else."""
        features = with_ones(check_values(X).toarray())
        check_size(features[:, 1:])
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


def with_ones(X):
    """Return features X (D, W), sparse or dense, with a last column of ones."""
    ones = np.ones((X.shape[0], 1))
    if sparse.issparse(X):
        return sparse.hstack([check_indices(X).astype(np.float64), ones], format="csr")
    return np.hstack([np.asarray(X, np.float64), ones])
