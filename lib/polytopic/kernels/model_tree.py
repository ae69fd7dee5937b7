"""Growing a regression tree: every split from features that were sorted once."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def grow(X, y, order, power, least_share, least_split, least_spread):
    """Grow a binary tree by reduction of spread, and return its nodes in the order in which they were made.

    X is (D, W), y (D,), order (W, D) the documents in rising order of each feature; order is rearranged, so that
    every node holds a stretch of it. The spread of documents is the variance of y to the power ``power``: 1/2 makes
    it the standard deviation. A node of n documents is split where the spread falls most, weighted by documents,
    between different values and with ``least_share`` * n documents, at least one, on either side. It is a leaf if it
    has fewer than ``least_split`` documents, a standard deviation below ``least_spread``, or no such place.

    Returns feature (-1 for a leaf), threshold (at most goes left), left, right, start, stop: (nodes,) each; the
    documents of a node are order[0, start:stop].
    """
    n_features, n_documents = order.shape
    most = 2 * n_documents
    feature, threshold = np.full(most, -1, np.int64), np.zeros(most)
    left, right = np.full(most, -1, np.int64), np.full(most, -1, np.int64)
    start, stop = np.zeros(most, np.int64), np.zeros(most, np.int64)
    stop[0] = n_documents
    goes_left = np.zeros(n_documents, np.bool_)
    buffer = np.empty(n_documents, order.dtype)
    n_nodes, node = 1, 0
    while node < n_nodes:
        a, b = start[node], stop[node]
        n = b - a
        total, square = 0.0, 0.0
        for i in range(a, b):
            total += y[order[0, i]]
        mean = total / n
        for i in range(a, b):
            square += (y[order[0, i]] - mean) ** 2
        if n >= least_split and np.sqrt(square / n) >= least_spread:
            best_gain, best_feature, best_at = 0.0, -1, -1
            whole = (square / n) ** power
            edge = max(1, int(least_share * n))
            for f in range(n_features):
                if X[order[f, a], f] == X[order[f, b - 1], f]:
                    continue
                sum_l, square_l = 0.0, 0.0
                for i in range(a, b - edge):
                    value = y[order[f, i]] - mean
                    sum_l += value
                    square_l += value * value
                    n_l = i + 1 - a
                    if n_l < edge or X[order[f, i], f] == X[order[f, i + 1], f]:
                        continue
                    n_r = n - n_l
                    var_l = max(0.0, square_l / n_l - (sum_l / n_l) ** 2)
                    var_r = max(0.0, (square - square_l) / n_r - (sum_l / n_r) ** 2)
                    gain = whole - (n_l * var_l**power + n_r * var_r**power) / n
                    if gain > best_gain + 1e-12:
                        best_gain, best_feature, best_at = gain, f, i
            if best_feature >= 0:
                f, at = best_feature, best_at
                feature[node] = f
                threshold[node] = (X[order[f, at], f] + X[order[f, at + 1], f]) / 2
                for i in range(a, b):
                    goes_left[order[f, i]] = i <= at
                for g in range(n_features):
                    _partition(order[g], a, b, goes_left, buffer)
                left[node], right[node] = n_nodes, n_nodes + 1
                start[n_nodes], stop[n_nodes] = a, at + 1
                start[n_nodes + 1], stop[n_nodes + 1] = at + 1, b
                n_nodes += 2
        node += 1
    return (
        feature[:n_nodes], threshold[:n_nodes], left[:n_nodes], right[:n_nodes], start[:n_nodes], stop[:n_nodes],
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _partition(row, a, b, goes_left, buffer):
    """Bring those that go left to the front of row[a:b], keeping the order on both sides."""
    n_left, n_right = a, 0
    for i in range(a, b):
        d = row[i]
        if goes_left[d]:
            row[n_left] = d
            n_left += 1
        else:
            buffer[n_right] = d
            n_right += 1
    for i in range(n_right):
        row[n_left + i] = buffer[i]


@njit(cache=True, nogil=True)
def leaves(X, feature, threshold, left, right):
    """Return the leaf of each row of X, (D,)."""
    found = np.zeros(len(X), np.int64)
    for d in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[d, feature[node]] <= threshold[node] else right[node]
        found[d] = node
    return found
