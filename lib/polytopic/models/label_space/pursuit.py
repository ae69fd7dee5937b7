"""CoSaMP: the sparse vector behind a few linear measurements, for many documents at once."""

import numpy as np

from polytopic.kernels import pursuit as kernel
from polytopic.validation import check_count

BLOCK = 4_000_000  # entries of a block of documents by columns
TIE = 1e-9  # of the largest size: what tells the first of equal columns from the last, and counts as zero
SINGULAR = 1e-9  # a pivot or an eigenvalue at or below this share of the largest counts as zero


def cosamp(A, measurements, sparsity, n_passes=None):
    """Return the sparse vectors whose measurements A @ x come near the given ones, (D, K).

    A is (M, K); measurements is (D, M), or (M,) for a single vector, which gives (K,). Each row of the result has at
    most ``sparsity`` entries other than zero. There are exactly ``n_passes`` passes, ``sparsity`` of them if None: no
    residual is small enough to stop at but one that is zero. A pass takes the 2 * sparsity columns that agree best
    with the residual, joins them with the present support, solves least squares on both (by pseudo-inverse where
    columns depend on each other), and keeps the ``sparsity`` largest coefficients as they are, without another fit.

    A document whose vector does not change in a pass will never change again and is left out of later passes, as is
    one whose vector explains its measurements, to a billionth: what is left then is rounding, and the columns that
    agree with that say nothing. Among entries that are equal to a billionth of the largest the first columns are
    taken. With few rows of +-1 such ties do occur, columns being the same on all of them, so that another correct
    decoder can differ in a few rows.

    Raises ValueError for shapes that do not fit, values that are not finite, and a sparsity outside 1..K.

    Needell & Tropp (2009), with the fixed number of passes of Tai & Lin's program.
    """
    A = np.asarray(A, dtype=np.float64)
    given = np.asarray(measurements, dtype=np.float64)
    if A.ndim != 2 or given.ndim not in (1, 2) or given.shape[-1] != A.shape[0]:
        raise ValueError(f"A {A.shape} and measurements {given.shape}: give one measurement per row of A")
    if not (np.isfinite(A).all() and np.isfinite(given).all()):
        raise ValueError("A and measurements must be finite: replace or drop NaN and infinities")
    check_count(sparsity=sparsity, **({} if n_passes is None else {"n_passes": n_passes}))
    if sparsity > A.shape[1]:
        raise ValueError(f"sparsity must be at most the {A.shape[1]} columns of A, got {sparsity}")
    rows = np.atleast_2d(given)
    vectors = np.zeros((len(rows), A.shape[1]))
    gram = A.T @ A
    step = max(1, BLOCK // A.shape[1])
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        _pursue(A, gram, rows[block], vectors[block], sparsity, sparsity if n_passes is None else n_passes)
    return vectors if given.ndim == 2 else vectors[0]


def _pursue(A, gram, measurements, vectors, sparsity, n_passes):
    """Carry out the passes on one block; ``vectors`` (D, K) is changed in place."""
    products = measurements @ A
    noise = TIE * np.abs(products).max(axis=1)
    columns = np.zeros((len(products), sparsity), np.int64)
    values = np.zeros(columns.shape)
    going = np.arange(len(products))
    for _ in range(n_passes):
        residual = kernel.residuals(products[going], gram, columns[going], values[going])
        unexplained = np.abs(residual).max(axis=1) > noise[going]
        going, residual = going[unexplained], residual[unexplained]
        if not len(going):
            break
        candidates = _firsts(residual, min(2 * sparsity, len(gram)))
        supports, sizes = kernel.join(columns[going], values[going], candidates, len(gram))
        coefficients = _least_squares(A, gram, measurements[going], products[going], supports, sizes)
        largest = np.sort(_firsts(coefficients, sparsity), axis=1)
        before = columns[going], values[going]
        columns[going] = np.take_along_axis(supports, largest, axis=1)
        values[going] = np.take_along_axis(coefficients, largest, axis=1)
        going = going[((columns[going] != before[0]) | (values[going] != before[1])).any(axis=1)]
    np.put_along_axis(vectors, columns, values, axis=1)


def _least_squares(A, gram, measurements, products, supports, sizes):
    """Return the least-squares coefficients of each row's columns, of smallest norm where there are several.

    Coefficients that are zero but for rounding are zero.
    """
    coefficients, solved = kernel.solve(A.T.copy(), gram, measurements, products, supports, sizes, SINGULAR)
    for size in np.unique(sizes[~solved]):
        rows = np.flatnonzero(~solved & (sizes == size))
        columns = supports[rows, :size]
        if size > len(A):  # the smaller of the two matrices whose pseudo-inverse gives that of the columns
            chosen = np.swapaxes(A.T[columns], 1, 2)
            inverse = _pseudo_inverse(chosen @ np.swapaxes(chosen, 1, 2))
            fitted = np.swapaxes(chosen, 1, 2) @ (inverse @ measurements[rows, :, None])
        else:
            inverse = _pseudo_inverse(gram[columns[:, :, None], columns[:, None, :]])
            fitted = inverse @ np.take_along_axis(products[rows], columns, axis=1)[:, :, None]
        coefficients[rows, :size] = fitted[:, :, 0]
    sizes_of = np.abs(coefficients)
    return np.where(sizes_of > TIE * sizes_of.max(axis=1, keepdims=True), coefficients, 0.0)


def _pseudo_inverse(matrices):
    return np.linalg.pinv(matrices, rcond=SINGULAR, hermitian=True)


def _firsts(values, n):
    """Return the places of the n largest absolute values of each row, the first of equal ones, in no order."""
    sizes = np.abs(values)
    handicap = TIE * sizes.max(axis=1, keepdims=True) * np.linspace(0, 1, sizes.shape[1])
    return np.argpartition(handicap - sizes, n - 1, axis=1)[:, :n]
