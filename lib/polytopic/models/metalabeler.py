"""How many labels a document has, foretold by a regression over its words (MetaLabeler, Tang et al. 2009)."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVR
from sklearn.utils.validation import check_is_fitted

from polytopic.validation import check_counts, check_labels


class MetaLabeler(BaseEstimator):
    """Linear support vector regression of the number of labels, L2 loss, on (1 + ln tf) idf of unit length.

    C: cost. The target is the number of labels itself. Predictions are rounded half up and at least 1.
    Papanikolaou et al., section 5.3, name a linear regression of LIBLINEAR without its settings; these are the ones
    under which their numbers on Delicious come out. random_state: of the solver's order of coordinates.
    """

    def __init__(self, C=1.0, random_state=0):
        self.C = C
        self.random_state = random_state

    def fit(self, X, Y):
        """Learn from word counts X (D, W) and labels Y (D, C); ValueError for anything else."""
        X = check_counts(X)
        sizes = np.diff(check_labels(Y, X.shape[0]).indptr)
        self.weighting_ = TfidfTransformer(sublinear_tf=True).fit(X)
        self.regression_ = LinearSVR(
            loss="squared_epsilon_insensitive", dual=False, C=self.C, random_state=self.random_state
        )
        self.regression_.fit(self.weighting_.transform(X), sizes)
        return self

    def predict(self, X):
        """Return the number of labels of each document, (D,) int64, 1 or more."""
        check_is_fitted(self)
        real = self.regression_.predict(self.weighting_.transform(check_counts(X)))
        return np.maximum(np.floor(real + 0.5), 1).astype(np.int64)
