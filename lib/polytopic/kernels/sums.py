"""Sums over chains and samples by document and label, as a ragged array that is filled a document at a time."""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled

DONE, PROFILES_FULL, OUTPUT_FULL = 0, 1, 2  # how far a sampler got: what is too small for its next document


class Output(NamedTuple):
    """K sums for each label that a document met, the first of them its tokens on the label, and theta' dense.

    Or each chain's samples apart, D chains samples rows in the order of documents, chains and samples; then there has
    to be room for a label a token in each.
    """

    ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (room,) int32  of each document in the order in which it met them
    sums: np.ndarray  # (room, K) float64
    topics: np.ndarray  # (D, T) float64  theta'
    tally: np.ndarray  # (C, K) float64  the present document's, else zeros
    touched: np.ndarray  # (C,) int32  labels in the tally
    n_touched: np.ndarray  # [labels in the tally]
    n_rows: int  # rows of a document


@compiled
def add(c, count, output):
    """Add a number of tokens, more than none, to label c of the present document."""
    if output.tally[c, 0] == 0:
        output.touched[output.n_touched[0]] = c
        output.n_touched[0] += 1
    output.tally[c, 0] += count


@compiled
def has_room(d, output):
    """Say whether the document's tally fits behind the documents before it."""
    return output.ptr[d] + output.n_touched[0] <= output.labels.size


@compiled
def write(row, labels, counts, n, output):
    """Make n labels and their tokens a row of its own, the one after those written before."""
    first = output.ptr[row]
    for k in range(n):
        output.labels[first + k], output.sums[first + k, 0] = labels[k], counts[k]
    output.ptr[row + 1] = first + n


@compiled
def flush(d, status, output):
    """Move the document's tally to the ragged array, unless it has to be done again, and clear it."""
    first, n = output.ptr[d], output.n_touched[0]
    for j in range(n):
        c = output.touched[j]
        for kind in range(output.tally.shape[1]):
            if status == DONE:
                output.labels[first + j] = c
                output.sums[first + j, kind] = output.tally[c, kind]
            output.tally[c, kind] = 0.0
    if status == DONE:
        output.ptr[d + 1] = first + n
    output.n_touched[0] = 0
