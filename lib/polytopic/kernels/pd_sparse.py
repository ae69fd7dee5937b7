"""PD-Sparse: block-coordinate Frank-Wolfe steps over the labels that a document has come across (Yen et al. 2016)."""

import numpy as np

from polytopic.kernels.compiling import allocating, compiled, inlined

HALVINGS = 60  # of the interval in which a threshold lies: it is found to rounding


@allocating
def sweep(order, X, Y, squares, penalty, cost, dual, active, n_active, sums, margins, work):
    """Renew the dual variables of every document in an order once.

    X and Y are (ptr, indices, values) and (ptr, indices) of documents; squares (D,) are |x|^2. The labels that a
    document has come across are active[d, :n_active[d]], with dual[d] beside: 0 and more for a label that it lacks, 0
    and less for one that it has; either side sums to at most ``cost``. sums (W, C) are -X'alpha, and the weights are
    these shrunk by the penalty. margins (C,) and work (2, room) are scratch.
    """
    for d in order:
        first, last = X[0][d], X[0][d + 1]
        own = Y[1][Y[0][d] : Y[0][d + 1]]
        if squares[d] == 0 or own.size == 0 or own.size == margins.size:
            continue
        margins[:] = 0.0
        for e in range(first, last):
            _add(margins, X[2][e], sums[X[1][e]], penalty)
        n = _come_across(d, own, margins, active, dual, n_active)
        for a in range(n):  # a gradient step of length 1 / |x|^2, back to the feasible set below
            c = active[d, a]
            lacks = 0.0 if _within(c, own) else 1.0
            work[0, a] = dual[d, a] + (margins[c] + lacks) / squares[d]
            work[1, a] = lacks
        onto_feasible(work[0, :n], work[1, :n], cost)
        kept = 0
        for a in range(n):
            c, change = active[d, a], work[0, a] - dual[d, a]
            if change != 0:
                for e in range(first, last):
                    sums[X[1][e], c] -= X[2][e] * change
            if work[0, a] != 0:
                active[d, kept], dual[d, kept] = c, work[0, a]
                kept += 1
        n_active[d] = kept


@inlined
def _add(margins, count, sums, penalty):
    for c in range(margins.size):
        margins[c] += count * shrunk(sums[c], penalty)


@inlined
def shrunk(value, penalty):
    """Return the value moved towards 0 by the penalty, and no farther."""
    return max(value - penalty, 0.0) + min(value + penalty, 0.0)


@inlined
def _within(c, own):
    place = np.searchsorted(own, c)
    return place < own.size and own[place] == c


@inlined
def _come_across(d, own, margins, active, dual, n_active):
    """Take in the label that ranks highest of those that the document lacks, and lowest of those it has.

    Return how many labels it has come across; new ones have dual variables of 0. Ties go to the first label.
    """
    lowest, highest, passed = np.int64(own[0]), np.int64(-1), 0
    for i in range(1, own.size):
        if margins[own[i]] < margins[lowest]:
            lowest = np.int64(own[i])
    for c in range(margins.size):
        if passed < own.size and own[passed] == c:
            passed += 1
        elif highest < 0 or margins[c] > margins[highest]:
            highest = np.int64(c)
    n = n_active[d]
    for c in (lowest, highest):
        known = False
        for a in range(n):
            known = known or active[d, a] == c
        if not known:
            active[d, n], dual[d, n] = c, 0.0
            n += 1
    return n


@compiled
def onto_feasible(values, lacks, cost):
    """Project values in place to the nearest feasible point.

    Where lacks is 1 they are 0 and more, where it is 0 they are 0 and less, and both sides have the same sum, at most
    ``cost``. Below the cost one threshold lowers the first side and raises the other until they meet; at it each side
    has a threshold of its own.
    """
    most = 0.0
    for a in range(values.size):
        most = max(most, abs(values[a]))
    low, high = -most, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _over(values, lacks, 1.0, middle) > _over(values, lacks, 0.0, -middle):
            low = middle
        else:
            high = middle
    threshold, other = (low + high) / 2, -(low + high) / 2
    if _over(values, lacks, 1.0, threshold) > cost:
        threshold, other = _of_sum(values, lacks, 1.0, cost, most), _of_sum(values, lacks, 0.0, cost, most)
    for a in range(values.size):
        if lacks[a] == 1:
            values[a] = max(values[a] - threshold, 0.0)
        else:
            values[a] = -max(-values[a] - other, 0.0)


@inlined
def _over(values, lacks, side, threshold):
    """Return by how much the values of a side exceed a threshold, those of the labels that are there turned round."""
    total = 0.0
    for a in range(values.size):
        if lacks[a] == side:
            total += max((values[a] if side == 1 else -values[a]) - threshold, 0.0)
    return total


@inlined
def _of_sum(values, lacks, side, cost, most):
    """Return the threshold that the values of a side exceed by the cost in all."""
    low, high = -most - cost, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _over(values, lacks, side, middle) > cost:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@allocating
def losses(X, Y, sums, penalty, margins):
    """Return the sum over documents of max(0, 1 + z_n - z_p), for the sums of ``sweep``: see ``models.PDSparse``."""
    total = 0.0
    for d in range(X[0].size - 1):
        own = Y[1][Y[0][d] : Y[0][d + 1]]
        if own.size == 0 or own.size == margins.size:
            continue
        margins[:] = 0.0
        for e in range(X[0][d], X[0][d + 1]):
            _add(margins, X[2][e], sums[X[1][e]], penalty)
        lowest = margins[own].min()
        margins[own] = -np.inf
        total += max(0.0, 1 + margins.max() - lowest)
    return total
