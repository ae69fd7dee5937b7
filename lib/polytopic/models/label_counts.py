"""How many labels a document has: a regression of their number on the words."""

import warnings

import numpy as np
from numpy.random import RandomState
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVR

from polytopic.models import settings
from polytopic.models.classifier import CountsOnly
from polytopic.models.settings import configured, setting
from polytopic.streams import stream
from polytopic.validation import check_counts, check_labels

MOST_DOCUMENTS = 10_000  # that the Lasso learns from
N_FOLDS = 5  # of its cross-validation


@configured
class LabelCounter(CountsOnly, settings.Seeded, BaseEstimator):
    """What the regressions share; each fits its own pipeline in ``_regress``. Predictions are rounded, halves up.

    Attributes
    ----------
    n_labels_ : int
        Columns of Y, C.
    n_features_in_ : int
        Words, W.
    """

    random_state: int | RandomState | None = setting(0)
    least = 0  # labels of a document

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from word counts X (D, W) and labels Y (D, C), dense or sparse; return self.

        Documents without words or labels count like the others. Raises ValueError for other entries and lengths, and
        for too few documents.
        """
        X = check_counts(X)
        labels = check_labels(Y, X.shape[0])
        self.n_features_in_, self.n_labels_ = X.shape[1], labels.shape[1]
        seed = settings.seed_of(self.random_state)
        self.regression_ = self._regress(X.astype(float), labels.getnnz(axis=1), seed)
        return self

    def predict(self, X):
        """Return the number of labels of each document, (D,) int64; errors as in ``fit``."""
        X = settings.check_unseen(self, X).astype(float)
        real = self.regression_.predict(X)
        return np.clip(np.floor(real + 0.5), self.least, self.n_labels_).astype(np.int64)


@configured
class LabelCountLasso(LabelCounter):
    """A Lasso on the word counts predicts the number of labels, its penalty chosen by cross-validation.

    Burkhardt & Kramer (2018), section 5.1, say no more than that: 10,000 training documents, parameters by
    cross-validation, the number rounded to the nearest integer. Chosen here: plain counts, five folds in random
    order, and scikit-learn's path of a hundred penalties. Of more documents 10,000 are drawn at random.

    Attributes
    ----------
    regression_ : scikit-learn's LassoCV
        Its ``alpha_`` is the penalty, its ``coef_`` (W,) the words' weights.
    """

    def _regress(self, X, sizes, seed):
        if X.shape[0] < N_FOLDS:
            raise ValueError(f"n_samples = {X.shape[0]} documents are too few for {N_FOLDS} folds")
        drawn = stream(seed, "label counts").permutation(X.shape[0])[:MOST_DOCUMENTS]
        with warnings.catch_warnings():
            # of penalties far smaller than the one that is taken
            warnings.simplefilter("ignore", ConvergenceWarning)
            return LassoCV(cv=N_FOLDS, random_state=seed % 2**32).fit(X[drawn].tocsc(), sizes[drawn])


@configured
class MetaLabeler(LabelCounter):
    """Linear support vector regression, with L2 loss, of the number of labels: 1 or more (Tang et al. 2009).

    It is on (1 + ln tf) idf of unit length, at cost 1. Papanikolaou et al., section 5.3, name a linear regression of
    LIBLINEAR without its settings; these give their numbers on Delicious.

    Attributes
    ----------
    regression_ : scikit-learn pipeline
        A TfidfTransformer of the words, and a LinearSVR of the number of labels.
    """

    least = 1

    def _regress(self, X, sizes, seed):
        regression = LinearSVR(loss="squared_epsilon_insensitive", dual=False, random_state=seed % 2**32)
        return make_pipeline(TfidfTransformer(sublinear_tf=True), regression).fit(X, sizes)
