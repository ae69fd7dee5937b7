"""FastLDA's sampler with phi fixed: exact draws that stop looking as soon as a bound on the rest allows it.

Topics are weighed in order of the document's counts. After each one, the mass of those not looked at is at most
|n + alpha| |phi_w|, the norms over those topics (Hoelder's inequality with p = q = 2; Porteous et al. 2008, as
Papanikolaou et al. adapt them to prediction, 5.3.1). The draws are exact, whatever the bound is worth.
"""

import numpy as np
from numba import njit

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined


@njit(cache=True, nogil=True)
def norms(phi):
    """Return the squared norm of each word's row of phi (W, T), (W,)."""
    squares = np.zeros(phi.shape[0])
    for w in range(phi.shape[0]):
        for k in range(phi.shape[1]):
            squares[w] += phi[w, k] * phi[w, k]
    return squares


@compiled
def sweep(first, last, words, phi, squares, alpha, z, n, order, rank, cumulative, random):
    """Resample the tokens first to last of a document, as ``topic_samples.sweep``; return the topics looked at.

    squares (W,) is ``norms(phi)``. order (T,) lists the topics in falling order of n, rank (T,) is its inverse.
    """
    looked, weight_squares = 0, 0.0
    for k in range(n.size):
        weight_squares += (n[k] + alpha[k]) * (n[k] + alpha[k])
    for i in range(first, last):
        weight_squares += _count(z[i], -1, alpha, n, order, rank)
        u = generator.fine_uniform(random)
        k, seen = draw(u, words[i], phi, squares[words[i]], alpha, weight_squares, n, order, cumulative)
        weight_squares += _count(k, 1, alpha, n, order, rank)
        z[i] = k
        looked += seen
    return looked


@compiled
def draw(u, w, phi, square, alpha, weight_squares, n, order, cumulative):
    """Return the topic that u in [0, 1) falls on, and how many were looked at to find it.

    Of the topics looked at so far, each owns its exact share of the present bound; when the bound shrinks, the shares
    grow, and what they gain is dealt out in proportion.
    """
    total, before, bound_before = 0.0, 0.0, 0.0
    for j in range(order.size):
        k = order[j]
        weight, before = n[k] + alpha[k], total
        total += weight * phi[w, k]
        cumulative[j] = total
        weight_squares -= weight * weight
        square -= phi[w, k] * phi[w, k]
        rest = np.sqrt(max(weight_squares, 0.0) * max(square, 0.0)) if j < order.size - 1 else 0.0
        bound = total + rest
        if u * bound < total:
            if j == 0 or u * bound >= before:
                return k, j + 1
            x = (u * bound_before - before) * bound / (bound_before - bound)
            place = 0
            while place < j and cumulative[place] <= x:
                place += 1
            return order[place], j + 1
        bound_before = bound
    return order[order.size - 1], order.size


@inlined
def _count(k, step, alpha, n, order, rank):
    """Change the count of topic k by one, keep the order, and return by how much the squared norm changes."""
    old = n[k] + alpha[k]
    n[k] += step
    place = rank[k]
    if step > 0:
        while place > 0 and n[order[place - 1]] < n[k]:
            other = order[place - 1]
            order[place], rank[other] = other, place
            place -= 1
    else:
        while place < order.size - 1 and n[order[place + 1]] > n[k]:
            other = order[place + 1]
            order[place], rank[other] = other, place
            place += 1
    order[place], rank[k] = k, place
    return (old + step) * (old + step) - old * old
