"""Least squares on a handful of columns, one system per document."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def solve_supports(gram, products, supports, sizes, tolerance):
    """Solve gram[S, S] b = products[d, S] for every document d, S = supports[d, :sizes[d]], by Cholesky.

    gram is (K, K), products (D, K), supports (D, P), sizes (D,). Returns the coefficients (D, P), zero beyond
    sizes[d], and whether each system could be solved, (D,) bool: not so where a pivot falls to ``tolerance``
    or below, which means that columns depend on each other.
    """
    n_documents, width = supports.shape
    coefficients = np.zeros((n_documents, width))
    solved = np.ones(n_documents, np.bool_)
    factor = np.empty((width, width))
    for d in range(n_documents):
        n = sizes[d]
        for i in range(n):
            for j in range(i + 1):
                total = gram[supports[d, i], supports[d, j]]
                for m in range(j):
                    total -= factor[i, m] * factor[j, m]
                if i > j:
                    factor[i, j] = total / factor[j, j]
                elif total > tolerance:
                    factor[i, i] = np.sqrt(total)
                else:
                    solved[d] = False
                    break
            if not solved[d]:
                break
        if not solved[d]:
            continue
        b = coefficients[d]
        for i in range(n):
            total = products[d, supports[d, i]]
            for m in range(i):
                total -= factor[i, m] * b[m]
            b[i] = total / factor[i, i]
        for i in range(n - 1, -1, -1):
            total = b[i]
            for m in range(i + 1, n):
                total -= factor[m, i] * b[m]
            b[i] = total / factor[i, i]
    return coefficients, solved
