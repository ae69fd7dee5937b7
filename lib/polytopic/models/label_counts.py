"""How many labels a document has, by the Lasso (Burkhardt & Kramer 2018, section 5.1)."""

import warnings

import numpy as np
from numpy.random import RandomState
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV

from polytopic.models import settings
from polytopic.models.classifier import CountsOnly
from polytopic.models.settings import configured, setting
from polytopic.streams import stream
from polytopic.validation import check_count, check_counts, check_labels


@configured
class LabelCountLasso(CountsOnly, settings.Seeded, BaseEstimator):
    """A Lasso on the word counts predicts the number of labels, its penalty chosen by cross-validation.

    The paper says no more than that: 10,000 training documents, parameters by cross-validation, the number rounded to
    the nearest integer. Chosen here: plain counts, five folds in random order, scikit-learn's path of a hundred
    penalties, halves rounded up, and no number below 0 or above that of the labels.

    Attributes
    ----------
    regression_ : scikit-learn's LassoCV
        Its ``alpha_`` is the penalty, its ``coef_`` (W,) the words' weights.
    n_labels_ : int
        Columns of Y, C.
    n_features_in_ : int
        Words, W.
    """

    max_documents: int = setting(
        10_000, "Training documents, drawn at random where there are more.", check_count
    )
    n_folds: int = setting(5, "Folds of the cross-validation.", check_count)
    random_state: int | RandomState | None = setting(0)

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from word counts X (D, W) and labels Y (D, C), dense or sparse; return self.

        Documents without words or labels count like the others. Raises ValueError for other entries and lengths, and
        for fewer documents than folds.
        """
        X = check_counts(X)
        labels = check_labels(Y, X.shape[0])
        if X.shape[0] < self.n_folds:
            raise ValueError(
                f"n_samples = {X.shape[0]} documents are fewer than n_folds={self.n_folds}: lower n_folds"
            )
        seed = settings.seed_of(self.random_state)
        drawn = stream(seed, "label counts").permutation(X.shape[0])[: self.max_documents]
        self.n_features_in_, self.n_labels_ = X.shape[1], labels.shape[1]
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ConvergenceWarning
            )  # of penalties far smaller than the one that is taken
            lasso = LassoCV(cv=self.n_folds, random_state=seed % 2**32)
            self.regression_ = lasso.fit(X[drawn].astype(float).tocsc(), labels.getnnz(axis=1)[drawn])
        return self

    def predict(self, X):
        """Return the number of labels of each document, (D,) int64; errors as in ``fit``."""
        X = settings.check_unseen(self, X)
        real = self.regression_.predict(X.astype(float))
        return np.clip(np.floor(real + 0.5), 0, self.n_labels_).astype(np.int64)
