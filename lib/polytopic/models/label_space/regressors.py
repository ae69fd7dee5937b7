"""Ridge regression as Tai & Lin use it."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted

from polytopic.models.settings import all_or_nothing, check_settings, check_width, configured, setting
from polytopic.validation import check_indices, check_not_negative


@configured
class PenalisedRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Ridge regression whose intercept is penalised like any other weight: a column of ones among the features.

    All outputs are solved from one factorisation. Features are taken as they are, without scaling. With alpha = 0
    and features that depend on each other scikit-learn's solver falls back on the SVD.

    Tai & Lin (2012), section 4: alpha = .01 (their lambda); the penalised intercept is their program's.

    Attributes
    ----------
    ridge_ : scikit-learn's, fitted to the features and a column of ones.
    """

    alpha: float = setting(0.01, "Strength of the penalty.", check_not_negative, positional=True)
    solver: str = setting(
        "cholesky",
        'scikit-learn\'s: "cholesky" is exact, and its cost grows with the cube of the number of features; '
        '"sparse_cg" goes through sparse features output by output.',
    )

    @all_or_nothing
    def fit(self, X, Y):
        """Fit to X (D, W), sparse or dense, and targets Y (D,) or (D, M)."""
        check_settings(self)
        self.n_features_in_ = X.shape[1]
        self.ridge_ = Ridge(alpha=self.alpha, fit_intercept=False, solver=self.solver)
        self.ridge_.fit(_with_ones(X), np.asarray(Y))
        return self

    def predict(self, X):
        check_is_fitted(self)
        check_width(X, self.n_features_in_, "features")
        return self.ridge_.predict(_with_ones(X))


def _with_ones(X):
    ones = np.ones((X.shape[0], 1))
    if sparse.issparse(X):
        return sparse.hstack([check_indices(X).astype(np.float64), ones], format="csr")
    return np.hstack([np.asarray(X, np.float64), ones])
