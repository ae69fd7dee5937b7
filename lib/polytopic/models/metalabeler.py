"""How many labels a document has, foretold by a regression over its words (MetaLabeler, Tang et al. 2009)."""

import numpy as np
from numpy.random import RandomState
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVR
from sklearn.utils.validation import check_is_fitted

from polytopic.models import settings
from polytopic.models.settings import configured, setting
from polytopic.validation import check_counts, check_labels, check_positive


@configured
class MetaLabeler(settings.Seeded, BaseEstimator):
    """Linear support vector regression of the number of labels, L2 loss, on (1 + ln tf) idf of unit length.

    The target is the number of labels itself. Predictions are rounded half up and at least 1. Papanikolaou et al.,
    section 5.3, name a linear regression of LIBLINEAR without its settings; these are the ones under which their
    numbers on Delicious come out.

    Attributes
    ----------
    weighting_, regression_ : scikit-learn's, of the words and of the number of labels.
    """

    C: float = setting(1.0, "Cost.", check_positive, positional=True)
    random_state: int | RandomState | None = setting(0)

    @settings.all_or_nothing
    def fit(self, X, Y):
        """Learn from word counts X (D, W) and labels Y (D, C); ValueError for anything else."""
        settings.check_settings(self)
        X = check_counts(X)
        sizes = check_labels(Y, X.shape[0]).getnnz(axis=1)
        self.n_features_in_ = X.shape[1]
        self.weighting_ = TfidfTransformer(sublinear_tf=True).fit(X)
        seed = settings.seed_of(self.random_state) % 2**32
        self.regression_ = LinearSVR(
            loss="squared_epsilon_insensitive", dual=False, C=self.C, random_state=seed
        )
        self.regression_.fit(self.weighting_.transform(X), sizes)
        return self

    def predict(self, X):
        """Return the number of labels of each document, (D,) int64, 1 or more; errors as in ``fit``."""
        check_is_fitted(self)
        X = check_counts(X)
        settings.check_width(X, self.n_features_in_)
        real = self.regression_.predict(self.weighting_.transform(X))
        return np.maximum(np.floor(real + 0.5), 1).astype(np.int64)
