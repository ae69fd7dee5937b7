"""How near two sets of topic distributions are: divergence, and the topics that hold most of the mass."""

import numpy as np
from scipy.special import rel_entr

MASS = 0.8


def js_divergence(first, second):
    """Return the Jensen-Shannon divergence of each row, (D,), in nats: 0 for equal rows, ln 2 at most.

    first and second (D, T) hold distributions by row. Papanikolaou et al., section 4.2.2 (the divergence, not its
    square root, which is the distance).
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    mean = (first + second) / 2
    return (rel_entr(first, mean) + rel_entr(second, mean)).sum(axis=1) / 2


def leading_topics(theta, mass=MASS):
    """Return the fewest topics of each row that hold this share of it, (D, T) bool; ties keep index order.

    The paper asks for a cumulative probability of .8 and writes at most .8, which is no topic at all where one has
    more; here the topic that reaches it is the last one taken.
    """
    theta = np.asarray(theta, float)
    order = np.argsort(-theta, axis=1, kind="stable")
    before = np.cumsum(np.take_along_axis(theta, order, axis=1), axis=1)
    before -= np.take_along_axis(theta, order, axis=1)
    chosen = np.zeros(theta.shape, bool)
    np.put_along_axis(chosen, order, before < mass - 1e-12, axis=1)
    return chosen


def leading_topics_f1(truth, found, mass=MASS):
    """Return the F1 of each document's leading topics in ``found`` against those in ``truth``, both (D, T); (D,)."""
    true, taken = leading_topics(truth, mass), leading_topics(found, mass)
    return 2 * (true & taken).sum(axis=1) / (true.sum(axis=1) + taken.sum(axis=1))
