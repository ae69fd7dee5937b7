"""Ridge regression: many targets at once, with a penalised intercept, and the linear model of each label on it."""

import warnings

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_X_y, gen_batches
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from polytopic.models import settings
from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.selection import choose
from polytopic.models.settings import configured, setting
from polytopic.models.weighting import Weighted, dense
from polytopic.validation import check_indices, check_positive, check_values

MOST_FACTORISED = 16_000  # documents or words, whichever are fewer, up to which the system is factorised
BLOCK_CELLS = 1 << 24  # of right-hand sides that are held at a time
TOGETHER = 64  # targets that go through the documents together in conjugate gradients
HEAVIEST = 2000  # words whose own system is the preconditioner
HEAVIEST_PENALISED = 40_000  # of PenalisedRidge, whose alpha is small: 6.4 GB
ENOUGH = 1e-4  # of a right-hand side: the residual at which conjugate gradients stop
LOST = 1e-6  # of the diagonal, by a factorisation in single precision
MOST_STEPS = 1000


def with_ones(X):
    """Return features X (D, W), sparse or dense, with a last column of ones."""
    ones = np.ones((X.shape[0], 1))
    if sparse.issparse(X):
        return sparse.hstack([check_indices(X).astype(np.float64), ones], format="csr")
    return np.hstack([np.asarray(X, np.float64), ones])


def solve(X, Y, alphas, dtype=np.float32, heaviest=None, verbose=0):
    """Return the weights (W, C) for each penalty: (X'X + alpha)^-1 X'Y, for X (D, W) and Y (D, C), sparse or dense.

    Up to 16,000 documents or words, whichever are fewer, by one factorisation for all targets; beyond that by
    conjugate gradients in the precision of ``dtype``, each target up to 1e-4 of its right-hand side. The more words
    are ``heaviest``, the fewer steps these take: their own system, factorised in single precision, is the
    preconditioner.
    """
    with threadpool_limits(1):  # so that the number of threads changes no bit
        if min(X.shape) <= MOST_FACTORISED:
            return _by_factors(X, Y, alphas, dtype, verbose)
        X, heaviest = sparse.csr_matrix(X, dtype=dtype), heaviest or HEAVIEST
        return [_by_gradients(X, Y, alpha, heaviest, verbose) for alpha in alphas]


def _by_factors(X, Y, alphas, dtype, verbose):
    """Solve among the documents where they are fewer than the words, else among the words."""
    few = X.shape[0] < X.shape[1]
    matrix = dense(X @ X.T if few else X.T @ X)
    diagonal, found = matrix.diagonal().copy(), []
    for alpha in alphas:
        np.fill_diagonal(matrix, diagonal + alpha)
        factor = cho_factor(matrix, lower=True)
        weights = np.empty((X.shape[1], Y.shape[1]), dtype)
        for some in _batches(Y, BLOCK_CELLS // len(matrix), verbose):
            targets = Y[:, some].astype(float)
            if few:
                weights[:, some] = X.T @ cho_solve(factor, dense(targets))
            else:
                weights[:, some] = cho_solve(factor, dense(X.T @ targets))
        found.append(weights)
    return found


def _by_gradients(X, Y, alpha, heaviest, verbose):
    """Solve for some targets at a time, each scaled to a right-hand side of length 1, as one large system."""
    alpha, transposed = X.dtype.type(alpha), X.T.tocsr()
    weights, n_open = np.empty((X.shape[1], Y.shape[1]), X.dtype), 0
    diagonal = np.asarray(X.multiply(X).sum(axis=0), X.dtype).ravel() + alpha
    heavy = np.argsort(-diagonal, kind="stable")[:heaviest]
    single = X[:, heavy].astype(np.float32)
    moments = (single.T @ single).toarray(order="F")
    np.fill_diagonal(moments, diagonal[heavy] * (1 + LOST))
    factor = cho_factor(moments, lower=True, overwrite_a=True, check_finite=False)

    def times(x):
        x = x.reshape(len(weights), -1)
        return (transposed @ (X @ x) + alpha * x).ravel()

    def precondition(x):
        x = x.reshape(len(weights), -1)
        near = x / diagonal[:, None]
        near[heavy] = cho_solve(factor, x[heavy].astype(np.float32), check_finite=False)
        return near.ravel()

    for some in _batches(Y, TOGETHER, verbose):
        right = dense(transposed @ Y[:, some].astype(X.dtype))
        length = np.linalg.norm(right, axis=0)
        right /= np.where(length > 0, length, 1)
        system, near = (LinearOperator(2 * (right.size,), f, dtype=X.dtype) for f in (times, precondition))
        enough = ENOUGH / np.sqrt(right.shape[1])
        found, is_open = cg(system, right.ravel(), rtol=enough, maxiter=MOST_STEPS, M=near)
        weights[:, some] = found.reshape(right.shape) * length
        n_open += right.shape[1] * bool(is_open)
    if n_open:
        warnings.warn(
            f"ridge: {n_open} columns of Y are not solved after {MOST_STEPS} steps: try a larger alpha, or"
            " other weights of the words (normalize)",
            ConvergenceWarning,
            stacklevel=2,
        )
    return weights


def _batches(Y, most, verbose):
    """Return slices of a limited number of targets; shows progress."""
    slices = list(gen_batches(Y.shape[1], max(1, most))) if Y.shape[1] else []
    return tqdm(slices, desc="ridge", unit="block", disable=not verbose)


@configured
class PenalisedRidge(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Ridge regression whose intercept is penalised like any other weight: a column of ones among the features.

    All outputs are solved together. Features are taken as they are, without scaling.

    Tai & Lin (2012), section 4: alpha = .01 (their lambda); the penalised intercept is their program's.

    Attributes
    ----------
    coef_ : (W + 1,) or (W + 1, M) float64
        Weights of the features, and the intercept last.
    n_features_in_ : int
        Features, W.
    """

    alpha: float = setting(0.01, "Strength of the penalty.", check_positive, positional=True)

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Fit to features X (D, W), sparse or dense, and targets Y (D,) or (D, M); return self.

        Raises ValueError for settings out of range, NaN and infinities, tables of different length, and a sparse X
        whose index arrays point outside it.
        """
        self.n_features_in_ = X.shape[1]
        X, Y = check_X_y(with_ones(X), Y, accept_sparse="csr", multi_output=True, y_numeric=True)
        weights = solve(X, Y.reshape(len(Y), -1), [self.alpha], np.float64, HEAVIEST_PENALISED)[0]
        self.coef_ = weights.reshape(-1, *Y.shape[1:])
        return self

    def predict(self, X):
        """Return the predictions for X (D, W), sparse or dense: (D,) or (D, M) float64, as Y was.

        Raises ValueError for another number of features and values that are not finite, NotFittedError before fit.
        """
        X = settings.check_unseen(self, X, lambda X: X, "features")
        return check_array(with_ones(X), accept_sparse="csr") @ self.coef_


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
            self.alpha_ = choose(self.candidates, self._scored, X, Y, seed)
        weights = solve(with_ones(X), Y, [self.alpha_], verbose=self.verbose)[0]
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

    def _bases(self, scores):
        return np.where(self.seen_, self.intercept_, scores).astype(float)

    def _word_weights(self):
        return self.coef_

    def _scored(self, X, Y, others):
        """Yield the scores of others by each candidate."""
        others = with_ones(others).astype(np.float32)
        for weights in solve(with_ones(X), Y, self.candidates):
            yield others @ weights
