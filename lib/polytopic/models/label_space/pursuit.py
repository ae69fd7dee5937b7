"""CoSaMP: the sparse vector behind a few linear measurements, for many documents at once."""

import numpy as np

from polytopic.kernels.pursuit import solve_supports
from polytopic.validation import check_count

BLOCK = 4_000_000  # entries of a block of documents by columns
TIE = 1e-9  # of the largest size, over all columns: what tells the first of equal columns from the last
SINGULAR = 1e-9  # a pivot at or below this share of the largest squared column length counts as zero


def cosamp(A, measurements, sparsity, n_passes=None):
    """Return the sparse vectors whose measurements A @ x come near the given ones, (D, K).

    A is (M, K); measurements is (D, M), or (M,) for a single vector, which gives (K,). Each row of the result has
    at most ``sparsity`` entries other than zero. There are exactly ``n_passes`` passes, ``sparsity`` of them if
    None: no residual is small enough to stop at. A pass takes the 2 * sparsity columns that agree best with the
    residual, joins them with the present support, solves least squares on both (by pseudo-inverse where columns
    depend on each other), and keeps the ``sparsity`` largest coefficients as they are, without another fit.

    A document whose vector does not change in a pass will never change again and is left out of later passes.
    Among entries that are equal to a billionth of the largest the first columns are taken. With few rows of +-1 such
    ties do occur, columns being the same on all of them, so that another correct decoder can differ in a few rows.

    Raises ValueError for shapes that do not fit, values that are not finite, and a sparsity outside 1..K.

    Needell & Tropp (2009), with the fixed number of passes of Tai & Lin's program.
    """
    A = np.asarray(A, dtype=np.float64)
    given = np.asarray(measurements, dtype=np.float64)
    if A.ndim != 2 or given.ndim not in (1, 2) or given.shape[-1] != A.shape[0]:
        raise ValueError(
            f"A must be (M, K) and measurements (D, M), got shapes {A.shape} and {given.shape}: "
            "one measurement per row of A"
        )
    if not (np.isfinite(A).all() and np.isfinite(given).all()):
        raise ValueError("A and measurements must be finite: replace or drop NaN and infinities")
    check_count(sparsity=sparsity, **({} if n_passes is None else {"n_passes": n_passes}))
    if sparsity > A.shape[1]:
        raise ValueError(f"sparsity must be at most the {A.shape[1]} columns of A, got {sparsity}")
    rows = np.atleast_2d(given)
    found = np.zeros((len(rows), A.shape[1]))
    gram = A.T @ A
    step = max(1, BLOCK // A.shape[1])
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        _pursue(A, gram, rows[block], found[block], sparsity, sparsity if n_passes is None else n_passes)
    return found if given.ndim == 2 else found[0]


def _pursue(A, gram, measurements, found, sparsity, n_passes):
    """Carry out the passes on one block; ``found`` (D, K) is changed in place."""
    correlations = measurements @ A
    going = np.arange(len(measurements))
    for _ in range(n_passes):
        before = found[going]
        residual = correlations[going] - before @ gram
        supports, sizes = _joined(residual, before, sparsity)
        coefficients = _least_squares(A, gram, measurements[going], correlations[going], supports, sizes)
        after = _largest(supports, coefficients, sparsity, A.shape[1])
        found[going] = after
        going = going[(after != before).any(axis=1)]
        if not len(going):
            break


def _joined(residual, before, sparsity):
    """Return the columns that a pass fits, (D, P), in rising order, and how many they are in each row."""
    n_columns = residual.shape[1]
    chosen = before != 0
    n_candidates = min(2 * sparsity, n_columns)
    best = _firsts(residual, n_candidates)
    np.put_along_axis(chosen, best, True, axis=1)
    sizes = chosen.sum(axis=1)
    supports = np.argsort(~chosen, axis=1, kind="stable")[:, : sizes.max()]
    return supports, sizes


def _least_squares(A, gram, measurements, correlations, supports, sizes):
    """Return the least-squares coefficients of each row's columns, of smallest norm where there are several."""
    tolerance = SINGULAR * gram.diagonal().max()
    coefficients, solved = solve_supports(gram, correlations, supports, sizes, tolerance)
    for size in np.unique(sizes[~solved]):
        rows = np.flatnonzero(~solved & (sizes == size))
        columns = supports[rows, :size]
        if size > len(A):  # the smaller of the two matrices whose pseudo-inverse gives that of the columns
            chosen = np.swapaxes(A.T[columns], 1, 2)
            inverse = _pseudo_inverse(chosen @ np.swapaxes(chosen, 1, 2))
            fitted = np.swapaxes(chosen, 1, 2) @ (inverse @ measurements[rows, :, None])
        else:
            inverse = _pseudo_inverse(gram[columns[:, :, None], columns[:, None, :]])
            fitted = inverse @ np.take_along_axis(correlations[rows], columns, axis=1)[:, :, None]
        coefficients[rows, :size] = fitted[:, :, 0]
    return coefficients


def _pseudo_inverse(matrices):
    return np.linalg.pinv(matrices, rcond=SINGULAR, hermitian=True)


def _largest(supports, coefficients, sparsity, n_columns):
    kept = np.zeros((len(supports), n_columns))
    n_kept = min(sparsity, supports.shape[1])
    largest = _firsts(coefficients, n_kept)
    columns = np.take_along_axis(supports, largest, axis=1)
    np.put_along_axis(kept, columns, np.take_along_axis(coefficients, largest, axis=1), axis=1)
    return kept


def _firsts(values, n):
    """Return the places of the n largest absolute values of each row, the first of equal ones, in no order."""
    sizes = np.abs(values)
    handicap = TIE * sizes.max(axis=1, keepdims=True) * np.linspace(0, 1, sizes.shape[1])
    return np.argpartition(handicap - sizes, n - 1, axis=1)[:, :n]
