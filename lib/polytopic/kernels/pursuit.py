"""The inner steps of CoSaMP: sparse vectors of many documents, each with columns of its own."""

import numpy as np

from polytopic.kernels.compiling import allocating


@allocating
def residuals(products, gram, columns, values):
    """Return products - x @ gram, (D, K), where x holds values (D, P) in columns (D, P). gram is (K, K)."""
    left = products.copy()
    for d in range(len(left)):
        for p in range(columns.shape[1]):
            value, row = values[d, p], gram[columns[d, p]]
            if value != 0:
                for c in range(len(row)):
                    left[d, c] -= value * row[c]
    return left


@allocating
def join(columns, values, candidates, n_columns):
    """Return the columns whose value is not zero and the candidates (D, P), each once and in rising order.

    They are the first sizes[d] of row d of the first array returned, (D, at most all of them); the rest is 0. The
    second is sizes, (D,).
    """
    n_documents = len(columns)
    width = min(n_columns, columns.shape[1] + candidates.shape[1])
    supports = np.zeros((n_documents, width), np.int64)
    sizes = np.zeros(n_documents, np.int64)
    is_in = np.zeros(n_columns, np.bool_)
    for d in range(n_documents):
        is_in[:] = False
        for p in range(columns.shape[1]):
            if values[d, p] != 0:
                is_in[columns[d, p]] = True
        for p in range(candidates.shape[1]):
            is_in[candidates[d, p]] = True
        found = np.flatnonzero(is_in)
        sizes[d] = found.size
        supports[d, : found.size] = found
    return supports[:, : sizes.max()], sizes


@allocating
def solve(columns, gram, measurements, products, supports, sizes, tolerance):
    """Fit every document's measurements by its own columns S = supports[d, :sizes[d]], by Cholesky.

    columns (K, M) are the columns of A, as rows, and gram their inner products, (K, K); measurements (D, M), products
    (D, K) their inner products with the columns. With no more columns than measurements the normal equations are
    solved; with more of them the coefficients of smallest norm among those that fit exactly. Returns the coefficients
    (D, P), zero beyond sizes[d], and whether each system could be solved, (D,) bool: not so where a pivot falls
    to ``tolerance`` of the largest diagonal entry or below, which means that columns, or rows of A on these columns,
    depend on each other.
    """
    n_documents, width = supports.shape
    n_rows = columns.shape[1]
    coefficients = np.zeros((n_documents, width))
    solved = np.ones(n_documents, np.bool_)
    work = np.empty((width, width))
    b = np.empty(width)
    for d in range(n_documents):
        support = supports[d, : sizes[d]]
        n = min(len(support), n_rows)
        if len(support) <= n_rows:
            for i in range(n):
                b[i] = products[d, support[i]]
                for j in range(i, n):
                    work[i, j] = gram[support[i], support[j]]
        else:
            work[:n, :n] = 0.0
            b[:n] = measurements[d]
            for c in support:
                column = columns[c]
                for i in range(n):
                    for j in range(i, n):
                        work[i, j] += column[i] * column[j]
        if not _factorise(work, n, tolerance):
            solved[d] = False
            continue
        _substitute(work, n, b)
        for p in range(len(support)):
            if len(support) <= n_rows:
                coefficients[d, p] = b[p]
            else:
                for i in range(n):
                    coefficients[d, p] += columns[support[p], i] * b[i]
    return coefficients, solved


@allocating
def _factorise(matrix, n, tolerance):
    """Put U with U'U = matrix[:n, :n] in its upper half, and tell whether all pivots were large enough."""
    largest = 0.0
    for j in range(n):
        largest = max(largest, matrix[j, j])
    for j in range(n):
        if not matrix[j, j] > tolerance * largest:
            return False
        pivot = np.sqrt(matrix[j, j])
        for i in range(j, n):
            matrix[j, i] /= pivot
        for i in range(j + 1, n):
            share = matrix[j, i]
            for k in range(i, n):
                matrix[i, k] -= share * matrix[j, k]
    return True


@allocating
def _substitute(U, n, b):
    """Solve U'U x = b in place of b[:n]."""
    for i in range(n):
        b[i] /= U[i, i]
        for k in range(i + 1, n):
            b[k] -= b[i] * U[i, k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= U[i, k] * b[k]
        b[i] /= U[i, i]
