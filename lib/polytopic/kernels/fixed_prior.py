"""The part of a label's prior that is the same in every document, drawn from alias tables over phi_wc alpha_c."""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import alias, generator
from polytopic.kernels.compiling import inlined


class FixedPrior(NamedTuple):
    """scale * alpha_c, times phi_wc = value_wc + smooth_c."""

    scale: float
    word_ptr: np.ndarray  # (W + 1,)
    word_cells: np.ndarray  # (nnz,) alias.CELL  labels of each word, weighted by value_wc alpha_c
    word_mass: np.ndarray  # (W,)  sum of value_wc alpha_c
    shared_cells: np.ndarray  # (C,) alias.CELL  labels, weighted by smooth_c alpha_c
    shared_mass: float  # sum of smooth_c alpha_c


@inlined
def draw(w, fixed, random):
    """Draw a label by phi_wc alpha_c."""
    x = generator.fine_uniform(random) * (fixed.word_mass[w] + fixed.shared_mass)
    u = generator.fine_uniform(random)
    if x < fixed.word_mass[w]:
        return alias.draw(fixed.word_ptr[w], fixed.word_ptr[w + 1], fixed.word_cells, u)
    return alias.draw(0, fixed.shared_cells.size, fixed.shared_cells, u)
