"""Checks on what users hand in, with errors that name the place and the remedy."""

import difflib
import numbers
from decimal import Decimal

import numpy as np
from scipy import sparse

ANEW = ": its index arrays are damaged; make the matrix anew from its rows, columns and values"

MOST_LISTED = 100  # names in a message

REAL = numbers.Real, Decimal, np.bool_  # what an array of objects may hold

FROM_TEXT = ": scikit-learn's CountVectorizer makes counts of texts, its MultiLabelBinarizer a label table"


class NoNumber(ValueError, TypeError):
    """An entry of a table is of a type that is no number; a TypeError too, as scikit-learn has it."""


def check_counts(X, name="X"):
    """Return X as a canonical CSR matrix of int32 word counts, shape (D, W), without explicit zeros.

    X may be dense or any scipy sparse format. Duplicate entries are added up. X itself is left alone.

    Raises ValueError for NaN, infinite, negative or fractional entries, naming the first one, for counts
    above 2**31 - 1, for a sparse matrix whose index arrays point outside it, and for what is no table of numbers:
    texts, label sets, dates, missing entries. No message holds a text.
    """
    matrix = _matrix(X, name)
    values = matrix.data
    weights = (
        "hand in counts, as CountVectorizer makes them. Topic models need word counts, HybridClassifier weighs them "
        "itself, and only the linear models take TF-IDF or other weights"
    )
    if values.dtype.kind == "f":
        _refuse_infinite(matrix, name)
    _refuse(matrix, values < 0, name, "is negative", "Negative values in data are no word counts")
    if values.dtype.kind == "f":
        _refuse(matrix, values != np.floor(values), name, "is fractional", weights)
    large = values > np.iinfo(np.int32).max
    _refuse(matrix, large, name, "does not fit 32 bits", "check how the words were counted")
    return _with_values(matrix, values.astype(np.int32))


def check_values(X, name="X"):
    """Return X as a canonical CSR matrix of float64, shape (D, W), without explicit zeros.

    What ``check_counts`` says of formats and duplicates holds here; any finite number will do.
    """
    matrix = _matrix(X, name, np.float64)
    _refuse_infinite(matrix, name)
    matrix.eliminate_zeros()
    return matrix


def check_labels(Y, n_documents=None, name="Y"):
    """Return Y as a canonical CSR matrix of bool, shape (D, C); non-zero means that the document has the label.

    Raises ValueError for entries other than 0 and 1 (or False and True), when Y does not have
    ``n_documents`` rows, and for a sparse matrix whose index arrays point outside it.
    """
    if Y is None:
        raise ValueError(
            "this estimator requires y to be passed, but the target y is None: give a table of labels (documents, "
            f"labels) for {name}, as scikit-learn's MultiLabelBinarizer makes"
        )
    matrix = _matrix(Y, name)
    if matrix.data.dtype != bool:
        _refuse(
            matrix,
            ~np.isin(matrix.data, (0, 1)),
            name,
            "is neither 0 nor 1",
            "Unknown label type: a label is there, 1, or not, 0",
        )
    if n_documents is not None and matrix.shape[0] != n_documents:
        raise ValueError(
            f"X has {n_documents} documents but {name} has {matrix.shape[0]}: give one row of labels per document"
        )
    return _with_values(matrix, matrix.data != 0)


def check_indices(matrix, name="X"):
    """Return a matrix as it is; raise ValueError if it is a scipy sparse one with entries outside its shape.

    scipy's constructors and ``load_npz`` do not look, and its conversions, like compiled code, would read and
    write outside the arrays. The error names the first entry or pointer at fault.
    """
    kind = matrix.format if sparse.issparse(matrix) and matrix.ndim == 2 else None
    if kind == "coo":
        if not len(matrix.row) == len(matrix.col) == len(matrix.data):
            raise ValueError(f"{name} has rows, columns and values of different number{ANEW}")
        outside = _outside(matrix.row, matrix.shape[0]) | _outside(matrix.col, matrix.shape[1])
        _refuse_places(outside, lambda i: (matrix.row[i], matrix.col[i]), matrix.shape, name)
    elif kind in ("csr", "csc", "bsr"):
        height, width = matrix.blocksize if kind == "bsr" else (1, 1)
        shape = matrix.shape[0] // height, matrix.shape[1] // width
        name = f"{name}'s block " if kind == "bsr" else name
        turn = -1 if kind == "csc" else 1
        along, across = shape[::turn]
        _check_pointers(matrix, along, name)
        outside = _outside(matrix.indices[: matrix.indptr[-1]], across)
        _refuse_places(outside, lambda i: (_row_of(matrix, i), matrix.indices[i])[::turn], shape, name)
    return matrix


def check_positive(bound=0, **settings):
    """Raise ValueError unless every keyword's value is a finite number above the bound."""
    for name, value in settings.items():
        if not _is_finite(value) or value <= bound:
            raise ValueError(f"{name} must be a number above {bound}, got {value!r}")


def check_not_negative(**settings):
    """Raise ValueError unless every keyword's value is a finite number, 0 or more."""
    for name, value in settings.items():
        if not _is_finite(value) or value < 0:
            raise ValueError(f"{name} must be a number of 0 or more, got {value!r}")


def check_share(**settings):
    """Raise ValueError unless every keyword's value is a number from 0 to 1."""
    for name, value in settings.items():
        if not _is_finite(value) or not 0 <= value <= 1:
            raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")


def check_count(minimum=1, **settings):
    """Raise ValueError unless every keyword's value is an integer of at least ``minimum``."""
    for name, value in settings.items():
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < minimum:
            raise ValueError(f"{name} must be an integer of {minimum} or more, got {value!r}")


def check_one_of(known, **settings):
    """Raise ValueError unless every keyword's value is one of the known ones, of which none is a bool."""
    for name, value in settings.items():
        if isinstance(value, bool) or value not in known:
            raise ValueError(f"{name} must be one of {', '.join(map(str, known))}, got {value!r}")


def is_missing(value):
    """Return whether a value is None, NaN, or what pandas has in place of a missing entry."""
    return not isinstance(value, str) and str(value) in ("None", "nan", "NaT", "<NA>")


def check_name(kind, name, known):
    """Raise ValueError unless name is among the known ones; it suggests the nearest, and lists up to a hundred."""
    if name in known:
        return
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    raise ValueError(
        f"unknown {kind} {name!r}{hint} There are: {', '.join(map(repr, known[:MOST_LISTED]))}{more}"
    )


def _is_finite(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and np.isfinite(value)


def _matrix(given, name, dtype=None):
    """Return a matrix of any kind as a canonical CSR copy, duplicates added up in 64 bits."""
    if sparse.issparse(given):
        if given.ndim == 2 and given.format in ("dia", "dok", "lil"):
            given = given.tocsr()
        _check_kind(given, name)
        check_indices(given, name)
        canonical = given.format == "csr" and given.has_canonical_format
        if given.dtype.kind in "iu" and not canonical:
            dtype = dtype or np.int64
        matrix = sparse.csr_matrix(given.astype(dtype or given.dtype, copy=False), copy=True)
    else:
        if np.ma.is_masked(given):
            raise ValueError(f"{name} is an array with masked entries: fill them, as by {name}.filled(0)")
        try:
            given = np.asarray(given)
        except ValueError as error:
            raise ValueError(f"{name} must be a table, but its rows differ in length{FROM_TEXT}") from error
        if given.dtype == object:
            given = _numbers(given, name)
        if given.dtype == np.float16:  # scipy has no such matrices
            given = given.astype(np.float32)
        _check_kind(given, name)
        matrix = sparse.csr_matrix(given, dtype=dtype)
    matrix.prune()
    matrix.sum_duplicates()
    return matrix


def _numbers(objects, name):
    """Return an array of objects as float64. Raises NoNumber for the first that is missing or is no real number."""
    for kind in dict.fromkeys(map(type, objects.flat)):
        if not issubclass(kind, REAL):
            place, entry = next(one for one in np.ndenumerate(objects) if type(one[1]) is kind)
            where = f"{name}[{', '.join(map(str, place))}]" if place else name
            if is_missing(entry):
                raise NoNumber(f"{where} is missing: fill it, as by {name}.fillna(0), or leave its row out")
            raise NoNumber(
                f"{where} is a {kind.__name__}: each entry of this argument must be neither a string nor a list, but "
                f"a number{FROM_TEXT}"
            )
    try:
        return objects.astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} must hold real numbers that fit 64 bits") from None


def _check_kind(given, name):
    if given.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {given.dtype}")
    if given.dtype.kind not in "buif":
        raise ValueError(f"{name} must hold real numbers, got dtype {given.dtype}{FROM_TEXT}")
    if given.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions (documents, columns), got shape {given.shape}. Reshape your data: one "
            f"document is a table of one row{FROM_TEXT}"
        )


def _check_pointers(matrix, n, name):
    """Raise ValueError unless n + 1 pointers start at 0, never fall, and stay within the stored entries."""
    pointers, entries = matrix.indptr, min(len(matrix.indices), len(matrix.data))
    for part in ("indices", "indptr"):
        found = getattr(matrix, part)
        if found.dtype.kind != "i" or found.ndim != 1:
            raise ValueError(
                f"{name}.{part} must be one row of integers, got {found.dtype} of {found.shape}{ANEW}"
            )
    if len(pointers) != n + 1:
        raise ValueError(f"{name}.indptr has {len(pointers)} pointers for {n} rows or columns{ANEW}")
    wrong = (pointers < 0) | (pointers > entries) | (np.diff(pointers, prepend=0) < 0)
    wrong[0] |= pointers[0] != 0
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        least, most = (int(pointers[i - 1]), entries) if i else (0, 0)
        raise ValueError(
            f"{name}.indptr[{i}] = {pointers[i]} must lie between {least} and {most}, with {entries} entries "
            f"stored{ANEW}"
        )


def _outside(indices, n):
    return (indices < 0) | (indices >= n)


def _refuse_places(outside, place, shape, name):
    """Raise ValueError where an entry is outside; ``place(first)`` is the row and the column of the first."""
    if outside.any():
        row, column = place(int(np.flatnonzero(outside)[0]))
        raise ValueError(
            f"{name}[{row}, {column}] lies outside the shape {shape[0]} x {shape[1]} "
            f"({int(outside.sum())} such entries){ANEW}"
        )


def _row_of(matrix, entry):
    return int(np.searchsorted(matrix.indptr, entry, side="right") - 1)


def _with_values(matrix, values):
    result = sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)
    result.eliminate_zeros()
    return result


def _refuse_infinite(matrix, name):
    _refuse(matrix, ~np.isfinite(matrix.data), name, "is not finite", "replace or drop NaN and infinity")


def _refuse(matrix, bad, name, fault, remedy):
    if not bad.any():
        return
    place = int(np.flatnonzero(bad)[0])
    where = f"{name}[{_row_of(matrix, place)}, {matrix.indices[place]}]"
    raise ValueError(f"{where} = {matrix.data[place]} {fault} ({int(bad.sum())} such entries): {remedy}")
