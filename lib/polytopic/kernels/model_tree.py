"""Growing a regression tree from features that were sorted once, and thinning a node's linear model."""

import numpy as np

from polytopic.kernels.compiling import allocating

TIE = 1e-8  # of a node's spread: reductions that lie no further apart are equal, and smaller ones are none
CLOSE = 1e-6  # of the target's spread: standardised coefficients that lie no further apart are equal
LEVEL = 1e-8  # of documents' mean square about the node's mean: a variance no larger than this share of it is none


@allocating
def grow(columns, y, order, power, least_share, least_split, least_spread):
    """Grow a binary tree by reduction of spread, and return its nodes in the order in which they were made.

    columns is (W, D), the features one after the other, y (D,), order (W, D) the documents in rising order of each
    feature; order is rearranged, so that every node holds a stretch of it. The spread of documents is the variance of
    y to the power ``power``: 1/2 makes it the standard deviation. A node of n documents is split where the spread
    falls most, weighted by documents, between different values and with more than ``least_share`` * n documents, at
    least two, on either side. It is a leaf if it has fewer than ``least_split`` documents, a standard deviation below
    ``least_spread``, or no such place.

    Ties: of the places whose reduction is the largest but for TIE of the node's spread, the one of the lowest
    feature, and there of the lowest threshold. A variance that is zero but for rounding counts as zero (LEVEL): to
    the fifth root rounding of 1e-17 would weigh as much as 4e-4. Rounding elsewhere, by another order of the
    documents or another processor, then leaves the tree as it is.

    Returns feature (-1 for a leaf), threshold (at most goes left), left, right, start, stop: (nodes,) each; the
    documents of a node are order[0, start:stop].
    """
    n_features, n_documents = order.shape
    most = 2 * n_documents
    feature, left, right = np.full(most, -1), np.full(most, -1), np.full(most, -1)
    threshold, start, stop = np.zeros(most), np.zeros(most, np.int64), np.zeros(most, np.int64)
    stop[0] = n_documents
    goes_left = np.zeros(n_documents, np.bool_)
    buffer, gains = np.empty(n_documents, order.dtype), np.empty(n_features)
    n_nodes, node = 1, 0
    while node < n_nodes:
        first, last = start[node], stop[node]
        n = last - first
        total, square = 0.0, 0.0
        for d in order[0, first:last]:
            total += y[d]
        mean = total / n
        for d in order[0, first:last]:
            square += (y[d] - mean) ** 2
        edge = max(1, int(least_share * n)) + 1
        if n >= max(least_split, 2 * edge) and np.sqrt(square / n) >= (1 - TIE) * least_spread:
            tie = TIE * (square / n) ** power
            for f in range(n_features):
                row = order[f, first:last]
                gains[f] = _reduction(columns[f], y, row, mean, square, power, edge, np.inf)[0]
            if gains.max() > tie:
                enough = gains.max() - tie
                f = np.argmax(gains >= enough)
                row, column = order[f, first:last], columns[f]
                place = _reduction(column, y, row, mean, square, power, edge, enough)[1]
                feature[node] = f
                threshold[node] = (column[row[place]] + column[row[place + 1]]) / 2
                for i in range(n):
                    goes_left[row[i]] = i <= place
                for g in range(n_features):
                    _partition(order[g, first:last], goes_left, buffer)
                left[node], right[node] = n_nodes, n_nodes + 1
                start[n_nodes], stop[n_nodes] = first, first + place + 1
                start[n_nodes + 1], stop[n_nodes + 1] = stop[n_nodes], last
                n_nodes += 2
        node += 1
    return (
        feature[:n_nodes], threshold[:n_nodes], left[:n_nodes], right[:n_nodes], start[:n_nodes], stop[:n_nodes],
    )  # fmt: skip


@allocating
def _reduction(column, y, row, mean, square, power, edge, enough):
    """Return the largest reduction of spread at the places of one feature, 0 if there is none, and its place.

    It is the first that reaches ``enough``, where one does. row holds the node's documents in the feature's order,
    mean and square their targets' mean and the sum of squares about it.
    """
    n = len(row)
    best_gain, best_place = 0.0, -1
    if column[row[edge - 1]] == column[row[n - edge]]:  # as between all documents where the node may be split
        return best_gain, best_place
    whole = (square / n) ** power
    sum_left, square_left = 0.0, 0.0
    for i in range(n - edge):
        value = y[row[i]] - mean
        sum_left += value
        square_left += value * value
        n_left, n_right = i + 1, n - i - 1
        if n_left < edge or column[row[i]] == column[row[i + 1]]:
            continue
        spread_left = _spread(sum_left / n_left, square_left / n_left, power)
        spread_right = _spread(sum_left / n_right, (square - square_left) / n_right, power)
        gain = whole - (n_left * spread_left + n_right * spread_right) / n
        if gain > best_gain:
            best_gain, best_place = gain, i
            if gain >= enough:
                break
    return best_gain, best_place


@allocating
def _spread(mean, mean_square, power):
    variance = mean_square - mean * mean
    return variance**power if variance > LEVEL * mean_square else 0.0


@allocating
def _partition(row, goes_left, buffer):
    """Bring those that go left to the front of the row, keeping the order on both sides."""
    n_left, n_right = 0, 0
    for d in row:
        if goes_left[d]:
            row[n_left] = d
            n_left += 1
        else:
            buffer[n_right] = d
            n_right += 1
    row[n_left:] = buffer[:n_right]


@allocating
def thin(inverse, slope, square, n_documents, spread):
    """Leave features out of a linear model as long as Akaike's criterion falls; return (kept, slope, square).

    inverse (A, A) is that of the standardised features' products, slope (A,) their coefficients, square the sum of
    squared residuals; inverse and slope are overwritten, square is returned as it is in the end, kept is (A,), bool.
    Each step leaves out the feature whose coefficient is the smallest, the first of those within CLOSE of the
    target's ``spread``. The criterion of k parameters, the constant among them, is square (n - K) / (square of
    all) + 2 k, where all features make K parameters. So every feature goes if there are no more documents than
    parameters. What raises the sum of squares by less than TIE of that about the mean counts as nothing.
    """
    n_features = len(slope)
    kept = np.ones(n_features, np.bool_)
    free = n_documents - n_features - 1
    allowed = 2 * square / free + TIE * n_documents * spread**2 if free > 0 else np.inf
    for _ in range(n_features):
        j = -1
        for k in range(n_features):
            if kept[k] and (j < 0 or abs(slope[k]) < abs(slope[j]) - CLOSE * spread):
                j = k
        rise = slope[j] ** 2 / inverse[j, j]  # of the sum of squares, without feature j
        if rise >= allowed:
            break
        kept[j] = False
        square += rise
        step = slope[j] / inverse[j, j]
        for k in range(n_features):
            if kept[k]:
                slope[k] -= step * inverse[k, j]
                inverse[k] -= inverse[k, j] / inverse[j, j] * inverse[j]
        slope[j] = 0.0
    return kept, slope, square


@allocating
def leaves(X, feature, threshold, left, right):
    """Return the leaf of each row of X, (D,)."""
    found = np.zeros(len(X), np.int64)
    for d in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[d, feature[node]] <= threshold[node] else right[node]
        found[d] = node
    return found
