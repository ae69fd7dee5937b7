"""Checks on what users hand in, with errors that name the place and the remedy."""

import difflib
import numbers

import numpy as np
from scipy import sparse


def check_counts(X, name="X"):
    """Return X as a canonical CSR matrix of int32 word counts, shape (D, W), without explicit zeros.

    X may be dense or any scipy sparse format. Duplicate entries are added up. X itself is left alone.

    Raises ValueError for NaN, infinite, negative or fractional entries, naming the first one, and for
    counts above 2**31 - 1.
    """
    matrix = _matrix(X, name)
    values = matrix.data
    if values.dtype.kind not in "buif":
        raise ValueError(f"{name} must hold numbers, got dtype {values.dtype}; count the words first")
    if values.dtype.kind == "f":
        _refuse(matrix, ~np.isfinite(values), name, "is not finite", "replace or drop it")
    _refuse(matrix, values < 0, name, "is negative", "word counts are 0 or more")
    if values.dtype.kind == "f":
        _refuse(
            matrix,
            values != np.floor(values),
            name,
            "is fractional",
            "topic models need word counts; TF-IDF or other weights only suit the linear models",
        )
    _refuse(
        matrix,
        values > np.iinfo(np.int32).max,
        name,
        "does not fit 32 bits",
        "check how the words were counted",
    )
    counts = sparse.csr_matrix((values.astype(np.int32), matrix.indices, matrix.indptr), shape=matrix.shape)
    counts.eliminate_zeros()
    return counts


def check_labels(Y, n_documents=None, name="Y"):
    """Return Y as a canonical CSR matrix of bool, shape (D, C); non-zero means that the document has the label.

    Raises ValueError for entries other than 0 and 1 (or False and True), and when Y does not have
    ``n_documents`` rows.
    """
    matrix = _matrix(Y, name)
    if matrix.data.dtype != bool:
        _refuse(matrix, ~np.isin(matrix.data, (0, 1)), name, "is neither 0 nor 1", "a label is there or not")
    if n_documents is not None and matrix.shape[0] != n_documents:
        raise ValueError(
            f"X has {n_documents} documents but {name} has {matrix.shape[0]}: give one row of labels per document"
        )
    labels = sparse.csr_matrix((matrix.data != 0, matrix.indices, matrix.indptr), shape=matrix.shape)
    labels.eliminate_zeros()
    return labels


def check_positive(**settings):
    """Raise ValueError unless every keyword's value is a finite number above zero."""
    for name, value in settings.items():
        if not _is_number(value) or not np.isfinite(value) or value <= 0:
            raise ValueError(f"{name} must be a number above 0, got {value!r}")


def check_not_negative(**settings):
    """Raise ValueError unless every keyword's value is a finite number, 0 or more."""
    for name, value in settings.items():
        if not _is_number(value) or not np.isfinite(value) or value < 0:
            raise ValueError(f"{name} must be a number of 0 or more, got {value!r}")


def check_count(minimum=1, **settings):
    """Raise ValueError unless every keyword's value is an integer of at least ``minimum``."""
    for name, value in settings.items():
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < minimum:
            raise ValueError(f"{name} must be an integer of {minimum} or more, got {value!r}")


def check_name(kind, name, known):
    """Raise ValueError unless name is among the known ones, with the nearest as a suggestion."""
    if name in known:
        return
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"unknown {kind} {name!r}{hint} There are: {', '.join(map(repr, known))}")


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _matrix(given, name):
    if sparse.issparse(given):
        matrix = sparse.csr_matrix(given, copy=True)
    else:
        array = np.asarray(given)
        if array.ndim != 2:
            raise ValueError(f"{name} must have two dimensions (documents, columns), got shape {array.shape}")
        if array.dtype.kind not in "buif":
            raise ValueError(f"{name} must hold numbers, got dtype {array.dtype}")
        matrix = sparse.csr_matrix(array)
    matrix.sum_duplicates()
    return matrix


def _refuse(matrix, bad, name, fault, remedy):
    if not bad.any():
        return
    place = int(np.flatnonzero(bad)[0])
    row = int(np.searchsorted(matrix.indptr, place, side="right") - 1)
    column = int(matrix.indices[place])
    raise ValueError(
        f"{name}[{row}, {column}] = {matrix.data[place]} {fault} ({int(bad.sum())} such entries): {remedy}"
    )
