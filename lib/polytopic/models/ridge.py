"""Ridge regression on every label: the plain linear model that label rankings are to be measured against."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from polytopic.models import settings
from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.label_space.ridge import with_ones
from polytopic.models.ridge_systems import solved
from polytopic.models.settings import configured, setting
from polytopic.models.weighting import Weighted, chosen
from polytopic.validation import check_positive, check_values


@configured
class BinaryRelevanceRidge(MultiLabelClassifier, settings.Seeded, Weighted, BaseEstimator):
    """One ridge regression for each label, of 1 where a document has it and 0 where not, on weighed words.

    The words of a document are weighed by TF-IDF and brought to unit length, unless ``normalize`` says otherwise; a
    further word that is always 1 carries the intercept and is penalised like the others. Up to 16,000 documents or
    words, whichever are fewer, all labels share one factorisation; beyond that, 64 labels at a time are solved by
    conjugate gradients, each up to 1e-4 of its right-hand side.

    Attributes
    ----------
    coef_ : (W, C) float32
        Dense: 4 W bytes a label.
    intercept_ : (C,) float32
        What a document without words scores.
    seen_ : (C,) bool
        Whether a label has a training document.
    alpha_ : float
        The penalty that was used.
    """

    alpha: float = setting(1.0, "Penalty.", check_positive, positional=True)
    candidates: tuple | None = setting(
        None,
        """Penalties to choose from in place of ``alpha``: the one with the best sum of the average precisions by
        document and by label, over three folds of the training documents.""",
        settings.unless_none(settings.each(check_positive)),
    )
    verbose: int = setting(0, "Above 0 shows progress.")

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from X (D, W), finite numbers, and Y (D, C), 0/1 or bool, dense or sparse; return self.

        Raises ValueError for other entries, for Y of another length, without documents, for settings out of range,
        and for negative X where words are weighed by TF-IDF.
        """
        X, Y = settings.check_features(X, Y)
        seed = settings.seed_of(self.random_state)
        (_, self.n_features_in_), self.n_labels_ = X.shape, Y.shape[1]
        self.seen_ = Y.getnnz(axis=0) > 0
        self.alpha_ = self.alpha
        X = self._weigh(X)
        if self.candidates is not None:
            self.alpha_ = chosen(self.candidates, self._scored, X, Y, seed)
        weights = solved(with_ones(X), Y, [self.alpha_], self.verbose)[0]
        self.coef_, self.intercept_ = weights[:-1], weights[-1]
        return self

    def decisions(self, X, scores):
        """Return the labels whose predictions, the scores (n, C), are .5 or more, (n, C) bool."""
        return scores >= 0.5

    def decision_function(self, X):
        """Return the predictions for X (D, W), (D, C) float32, about 1 where a label is there and 0 where not.

        A label without training documents gets its document's lowest score. Raises ValueError for X of another number
        of words or entries that are not finite; NotFittedError before fit.
        """
        X = settings.check_unseen(self, X, check_values)
        scores = self._weighed(X).astype(np.float32) @ self.coef_ + self.intercept_
        if self.seen_.any() and scores.size:
            scores[:, ~self.seen_] = scores[:, self.seen_].min(axis=1, keepdims=True)
        return scores

    def label_words(self, label):
        """Return a label's weights of words, (W,). Raises NotFittedError, and IndexError for another label."""
        check_is_fitted(self)
        return self.coef_[:, label]

    def word_labels(self, word):
        """Return a word's weights for labels, (C,). Raises NotFittedError, and IndexError for another word."""
        check_is_fitted(self)
        return self.coef_[word]

    def _bases(self, scores):
        """Return what is added to the words' parts, for each document's scores (D, C)."""
        return np.where(self.seen_, self.intercept_, scores).astype(float)

    def _weights_of(self, words):
        """Return the weights of some words, (u, C)."""
        return self.coef_[words]

    def _scored(self, X, Y, others):
        """Yield the scores of others by each candidate."""
        others = with_ones(others).astype(np.float32)
        for weights in solved(with_ones(X), Y, self.candidates):
            yield others @ weights
