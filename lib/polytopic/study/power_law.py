"""The power law nearest to measured points."""

import numpy as np


def power(x, y):
    """Return scale and exponent of the law y = scale x ** exponent that is nearest to two positive points or more.

    Nearest is meant in the squares of logarithms.
    """
    exponent, scale = np.polyfit(np.log(x), np.log(y), 1)
    return np.exp(scale), exponent
