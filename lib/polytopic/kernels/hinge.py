"""Dual coordinate descent for linear machines with squared hinge loss, sixteen labels side by side.

The problem and the step are those of Hsieh et al. (ICML 2008), section 3, for L2-SVM: a document's dual variable a
of one label, never negative, moves to the minimum of its own parabola, whose slope is y w x - 1 + a / (2 C) and whose
curvature is |x|^2 + 1 / (2 C), and the weights w follow. A document's words are looked up once for sixteen
labels. Every lane does what it would do alone, so a label's machine does not depend on its neighbours.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled
from polytopic.kernels.simd import LANES, first_set, load, spread, store, where

STRETCH = 16  # documents that follow one another in memory; their stretches come in any order


class Documents(NamedTuple):
    """Documents of real numbers, in CSR form."""

    ptr: np.ndarray  # (D + 1,) int64
    words: np.ndarray  # (N,) int32
    values: np.ndarray  # (N,) float32
    squares: np.ndarray  # (D,) float32  squared lengths


class Machines(NamedTuple):
    """Sixteen machines in the making."""

    signs: np.ndarray  # (D, LANES) float32  1 where a document has the label, -1 where not
    dual: np.ndarray  # (D, LANES) float32  0 or more
    moved: np.ndarray  # (D, LANES) int32  1 where the last sweep over all documents moved the dual variable
    weights: np.ndarray  # (W, LANES) float32  the sum of dual * sign * x


@compiled
def sweep(stretches, documents, machines, slack, still, everywhere, on, reach):
    """Move every dual variable to its minimum, in the order of the stretches of documents.

    slack is 1 / (2 C). Slopes up to ``still`` in size leave a variable where it is. Unless ``everywhere``, only those
    are looked at that the last sweep everywhere moved. on (1, LANES) int32 is 1 where a machine is to move at all.
    reach (2, LANES) float32 becomes the lowest and the highest projected slope of each machine, before its moves.
    """
    zero, none, working = spread(np.float32(0)), spread(np.int32(0)), load(on, 0)
    lowest, highest = spread(np.float32(np.inf)), spread(np.float32(-np.inf))
    n_documents = documents.ptr.size - 1
    for stretch in stretches:
        for d in range(stretch * STRETCH, min((stretch + 1) * STRETCH, n_documents)):
            looked = working
            if not everywhere:
                looked = load(machines.moved, d) & working
                if first_set(looked) == LANES:
                    continue
            first, last = documents.ptr[d], documents.ptr[d + 1]
            margin = zero
            for e in range(first, last):
                margin = margin + load(machines.weights, documents.words[e]) * documents.values[e]
            sign, old = load(machines.signs, d), load(machines.dual, d)
            slope = sign * margin + old * slack - 1.0
            slope = where(
                zero <= slope, where(old <= zero, zero, slope), slope
            )  # at its bound it cannot fall
            lowest = where(looked, where(lowest <= slope, lowest, slope), lowest)
            highest = where(looked, where(slope <= highest, highest, slope), highest)
            moves = where(slope <= -still, looked, where(slope <= still, none, looked))
            if everywhere:
                store(machines.moved, d, moves)
            if first_set(moves) == LANES:
                continue
            new = old - slope / (documents.squares[d] + slack)
            change = where(moves, where(zero <= new, new, zero) - old, zero)
            store(machines.dual, d, old + change)
            change = change * sign
            for e in range(first, last):
                word = documents.words[e]
                store(machines.weights, word, load(machines.weights, word) + change * documents.values[e])
    store(reach, 0, lowest)
    store(reach, 1, highest)
