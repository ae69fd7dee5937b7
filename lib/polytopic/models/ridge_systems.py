"""The normal equations of ridge regression for many targets: one factorisation, or conjugate gradients."""

import warnings

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

MOST_FACTORISED = (
    16_000  # documents or words, whichever are fewer, up to which the system is solved by factorisation
)
BLOCK_CELLS = 1 << 24  # of right-hand sides that are held at a time
TOGETHER = 64  # labels whose conjugate gradients go through the documents together
HEAVIEST = 2000  # words whose own system the conjugate gradients start from
ENOUGH = 1e-4  # what is left of the right-hand side where the conjugate gradients stop
LOST = 1e-6  # of the diagonal, by a factorisation in single precision
MOST_STEPS = 1000


def solved(X, Y, alphas, verbose=0):
    """Return the weights (W, C) float32 for each penalty: (X'X + alpha)^-1 X'Y, for sparse X (D, W) and Y (D, C)."""
    with threadpool_limits(1):  # so that the number of threads changes no bit
        if min(X.shape) <= MOST_FACTORISED:
            return _by_factors(X, Y, alphas, verbose)
        return [by_gradients(X.astype(np.float32), Y, alpha, HEAVIEST, verbose) for alpha in alphas]


def _by_factors(X, Y, alphas, verbose):
    """Solve among the documents where they are fewer than the words, else among the words."""
    few = X.shape[0] < X.shape[1]
    matrix = (X @ X.T if few else X.T @ X).toarray()
    diagonal, found = matrix.diagonal().copy(), []
    for alpha in alphas:
        np.fill_diagonal(matrix, diagonal + alpha)
        factor = cho_factor(matrix, lower=True)
        weights = np.empty((X.shape[1], Y.shape[1]), np.float32)
        for some in _batches(Y, BLOCK_CELLS // len(matrix), verbose):
            targets = Y[:, some].astype(float)
            if few:
                weights[:, some] = X.T @ cho_solve(factor, targets.toarray())
            else:
                weights[:, some] = cho_solve(factor, (X.T @ targets).toarray())
        found.append(weights)
    return found


def by_gradients(X, Y, alpha, heaviest, verbose=0):
    """Return the weights (W, C) for sparse X (D, W), whose precision they have, and Y (D, C), sparse or dense.

    The more words are ``heaviest``, the fewer steps: they start from these words' own system, factorised.
    """
    alpha, transposed = X.dtype.type(alpha), X.T.tocsr()
    weights, near = np.empty((X.shape[1], Y.shape[1]), X.dtype), _near_inverse(X, alpha, heaviest)
    for some in _batches(Y, TOGETHER, verbose):
        right = transposed @ Y[:, some].astype(X.dtype)
        right = right.toarray() if sparse.issparse(right) else right
        weights[:, some] = _conjugate_gradients(lambda x: transposed @ (X @ x) + alpha * x, near, right)
    return weights


def _near_inverse(X, alpha, heaviest):
    """Return a function that nearly solves the system: by factors among the heaviest words, else by its diagonal.

    The factors are of single precision, and of a diagonal that is larger by what that may lose.
    """
    diagonal = np.asarray(X.multiply(X).sum(axis=0), X.dtype).ravel() + alpha
    heavy = np.argsort(-diagonal, kind="stable")[:heaviest]
    single = X[:, heavy].astype(np.float32)
    moments = (single.T @ single).toarray(order="F")
    np.fill_diagonal(moments, diagonal[heavy] * (1 + LOST))
    factor = cho_factor(moments, lower=True, overwrite_a=True, check_finite=False)

    def solve(right):
        near = right / diagonal[:, None]
        near[heavy] = cho_solve(factor, right[heavy].astype(np.float32), check_finite=False)
        return near

    return solve


def _conjugate_gradients(times, near, right):
    """Return the solutions (W, B) of times(x) = right; near is the preconditioner.

    Each column ends where its residual is ENOUGH of its right-hand side. Warns of those that do not in MOST_STEPS.
    """
    found, open_ = np.zeros_like(right), np.flatnonzero(right.any(axis=0))
    x, rest = found[:, open_], right[:, open_]
    aims, direction = ENOUGH * np.sqrt(_products(rest, rest)), near(rest)
    weight = _products(rest, direction)
    for _ in range(MOST_STEPS if open_.size else 0):
        image = times(direction)
        step = weight / _products(direction, image)
        x, rest = x + step * direction, rest - step * image
        on = np.sqrt(_products(rest, rest)) > aims
        found[:, open_[~on]] = x[:, ~on]
        open_, aims, weight, x, rest, direction = (
            part[..., on] for part in (open_, aims, weight, x, rest, direction)
        )
        if not open_.size:
            break
        renewed = near(rest)
        former, weight = weight, _products(rest, renewed)
        direction = renewed + weight / former * direction
    if open_.size:
        found[:, open_] = x
        warnings.warn(
            f"ridge: {open_.size} columns of Y are not solved after {MOST_STEPS} steps: try a larger alpha, or"
            " other weights of the words (normalize)",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


def _products(first, second):
    """Return the inner product of each two columns, summed in double precision."""
    return np.einsum("ij,ij->j", first, second, dtype=np.float64).astype(first.dtype)


def _batches(Y, most, verbose):
    """Return slices of at most ``most`` labels; shows progress."""
    slices = list(gen_batches(Y.shape[1], max(1, most))) if Y.shape[1] else []
    return tqdm(slices, desc="ridge", unit="block", disable=not verbose)
