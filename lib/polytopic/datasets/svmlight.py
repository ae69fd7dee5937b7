"""The svmlight format with several labels per row, of LIBSVM and the extreme classification repository."""

import bz2
import gzip
import io
from itertools import islice
from pathlib import Path

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.fetching import listed, reading
from polytopic.datasets.tokens import label_table
from polytopic.datasets.widths import check_width
from polytopic.unpacking import check_stream

OPENERS = {".gz": gzip.open, ".bz2": bz2.open}
LARGEST_LABEL = 2**53


def read_svmlight(files, name="corpus"):
    """Return the Corpus of one file, or of a training and a test file, which then make split 0.

    A row is ``label,label word:value word:value``; a row may have no labels, or no words. In the repository's
    form the first line says how many documents, words and labels there are, and words and labels are numbered
    from 0. Without that line words are numbered from 1 and the labels are the numbers that occur. Names are
    the file's numbers. Plain, .gz and .bz2 files are read.

    Raises DamagedFile for a file that cannot be read, is empty, does not have the sizes of its first line, has a
    label that is no whole number of 0 or more, or more words than ``check_width`` allows; TooLarge for one that
    unpacks to more than ``unpacking.most``; ValueError when only one of two files has that first line, or when the
    two have different numbers of words or labels.
    """
    files = listed(files)
    if len(files) not in (1, 2):
        raise ValueError(f"give one svmlight file, or a training and a test file, got {len(files)}")
    parts = [_read(file) for file in files]
    sizes = [sizes for sizes, _, _ in parts]
    if sizes[0] != sizes[-1]:
        raise ValueError(
            f"{files[0]} and {files[1]} have different numbers of words and labels: {sizes[0]}, {sizes[1]}"
        )
    rows = [row for _, _, rows in parts for row in rows]
    known = range(sizes[0][1]) if sizes[0] else sorted({int(label) for row in rows for label in row})
    width = max(matrix.shape[1] for _, matrix, _ in parts)
    for _, matrix, _ in parts:
        matrix.resize(matrix.shape[0], width)
    counts = sparse.vstack([matrix for _, matrix, _ in parts], format="csr")
    first = parts[0][1].shape[0]
    splits = [(np.arange(first), np.arange(first, counts.shape[0]))] if len(files) == 2 else ()
    with reading(*files):
        labels, vocabulary = label_table(rows, known), sizes[0] and range(sizes[0][0])
        real = is_real_valued(counts)
        return Corpus(counts, labels, vocabulary, known, splits, name, real_valued=real)


def _read(file):
    """Return ((words, labels) of the first line or None, the counts, a tuple of labels per row)."""
    from sklearn.datasets import load_svmlight_file

    with reading(file):
        unpacked = check_stream(file)
    with reading(file), _open(file) as content:
        sizes, rest = _first_line(content, unpacked)
        counts, labels = load_svmlight_file(
            rest, n_features=sizes and sizes[1], multilabel=True, zero_based=sizes is not None
        )
        if sizes and counts.shape[0] != sizes[0]:
            raise ValueError(f"its first line says {sizes[0]} documents, but it has {counts.shape[0]}")
        if not counts.shape[0]:
            raise ValueError("there is no document in it")
        _check_words(file, sizes, counts, unpacked)
        _check_labels(file, sizes, labels)
    return sizes and tuple(sizes[1:]), counts, labels


def _open(file):
    return OPENERS.get(Path(file).suffix, open)(file, "rb")


def _check_words(file, sizes, counts, unpacked):
    try:
        check_width(counts.shape[1], unpacked, "words")
    except ValueError as error:
        row = np.searchsorted(counts.indptr, counts.indices.argmax(), side="right") - 1
        raise ValueError(f"{_line(file, sizes, row)}: {error}") from None


def _check_labels(file, sizes, rows):
    """Raise ValueError for the first label that is no whole number, or none of the labels of the first line."""
    labels = np.array([label for row in rows for label in row])
    most = sizes[2] if sizes else LARGEST_LABEL
    wrong = np.flatnonzero(~((labels >= 0) & (labels < most) & (labels == np.floor(labels))))
    if len(wrong):
        row = np.searchsorted(np.cumsum([len(one) for one in rows]), wrong[0], side="right")
        known = f"first line says {most} labels, from 0" if sizes else "labels are whole numbers from 0"
        raise ValueError(f"{_line(file, sizes, row)}: there is a label {labels[wrong[0]]:g}, but its {known}")


def _line(file, sizes, row):
    """Return "line N" for the place of a row; lines that are empty or a comment hold none."""
    with _open(file) as content:
        full = (number for number, line in enumerate(content, 1) if line.partition(b"#")[0].strip())
        return f"line {next(islice(full, row + bool(sizes), None))}"


def _first_line(content, unpacked):
    start = content.readline()
    fields = start.split()
    if len(fields) == 3 and all(field.isdigit() for field in fields):
        sizes = [int(field) for field in fields]
        for n, what in zip(sizes[1:], ("words", "labels"), strict=True):
            check_width(n, unpacked, what)
        return sizes, content
    return None, io.BytesIO(start + content.read())
