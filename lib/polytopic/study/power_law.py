"""The power law nearest to measured points."""

import numpy as np


def power(x, y, counts=None):
    """Return scale and exponent of the law y = scale x ** exponent that is nearest to two positive points or more.

    Nearest is meant in the squares of logarithms, weighted by the counts that points rest on, if there are any.
    """
    weights = None if counts is None else np.sqrt(counts)
    exponent, scale = np.polyfit(np.log(x), np.log(y), 1, w=weights)
    return np.exp(scale), exponent
