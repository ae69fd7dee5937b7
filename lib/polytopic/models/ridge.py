"""Ridge regression on every label: the plain linear model that label rankings are to be measured against."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from polytopic.models import settings
from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.label_space.ridge import with_ones
from polytopic.models.settings import configured, setting
from polytopic.models.weighting import Weighted, chosen
from polytopic.validation import check_positive, check_values

MOST_FACTORISED = (
    16_000  # documents or words, whichever are fewer, up to which the system is solved by factorisation
)
BLOCK_CELLS = 1 << 24  # of right-hand sides, or scores, that are held at a time
STEPS_ENOUGH = 1e-3  # where the conjugate gradients stop, against the right-hand side


@configured
class BinaryRelevanceRidge(MultiLabelClassifier, settings.Seeded, Weighted, BaseEstimator):
    """One ridge regression for each label, of 1 where a document has it and 0 where not, on weighed words.

    The words of a document are weighed by TF-IDF and brought to unit length, unless ``normalize`` says otherwise; a
    further word that is always 1 carries the intercept and is penalised like the others. Up to 16,000 documents or
    words, whichever are fewer, all labels share one factorisation; beyond that every label is solved by conjugate
    gradients up to 1e-3 of its right-hand side.

    Attributes
    ----------
    coef_ : (W, C) float32, dense: 4 W bytes per label.
    intercept_ : (C,) float32.
    seen_ : (C,) bool, whether a label has a training document.
    alpha_ : the penalty that was used.
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
        weights = _solved(with_ones(X), Y, [self.alpha_], self.verbose)[0]
        self.coef_, self.intercept_ = weights[:-1], weights[-1]
        return self

    def predict(self, X):
        """Return the labels whose predictions are .5 or more, (D, C) bool. Raises as ``decision_function`` does."""
        return self.decision_function(X) >= 0.5

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
        for weights in _solved(with_ones(X), Y, self.candidates):
            yield others @ weights


def _solved(X, Y, alphas, verbose=0):
    """Return the weights (W, C) float32 for each penalty: (X'X + alpha)^-1 X'Y."""
    with threadpool_limits(1):  # so that the number of threads changes no bit
        if min(X.shape) <= MOST_FACTORISED:
            return _by_factors(X, Y, alphas, verbose)
        return [_by_gradients(X, Y, alpha, verbose) for alpha in alphas]


def _by_factors(X, Y, alphas, verbose):
    """Solve among the documents where they are fewer than the words, else among the words."""
    few = X.shape[0] < X.shape[1]
    matrix = (X @ X.T if few else X.T @ X).toarray()
    diagonal, found = matrix.diagonal().copy(), []
    for alpha in alphas:
        np.fill_diagonal(matrix, diagonal + alpha)
        factor = cho_factor(matrix, lower=True)
        weights = np.empty((X.shape[1], Y.shape[1]), np.float32)
        for some in _batches(Y, len(matrix), verbose):
            targets = Y[:, some].astype(float)
            if few:
                weights[:, some] = X.T @ cho_solve(factor, targets.toarray())
            else:
                weights[:, some] = cho_solve(factor, (X.T @ targets).toarray())
        found.append(weights)
    return found


def _by_gradients(X, Y, alpha, verbose):
    weights = np.empty((X.shape[1], Y.shape[1]), np.float32)
    ridge = Ridge(alpha, fit_intercept=False, solver="sparse_cg", tol=STEPS_ENOUGH)
    for some in _batches(Y, X.shape[0], verbose):
        weights[:, some] = ridge.fit(X, Y[:, some].toarray().astype(float)).coef_.T.reshape(X.shape[1], -1)
    return weights


def _batches(Y, length, verbose):
    """Return slices of the labels, of so few right-hand sides of a length at a time; shows progress."""
    slices = list(gen_batches(Y.shape[1], max(1, BLOCK_CELLS // length))) if Y.shape[1] else []
    return tqdm(slices, desc="ridge", unit="block", disable=not verbose)
