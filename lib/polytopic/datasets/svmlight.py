"""The svmlight format with several labels per row, of LIBSVM and the extreme classification repository."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.source_files import DamagedFile, at_line, check_width, listed, opened, reading
from polytopic.datasets.tokens import label_table

LARGEST_LABEL = 2**53
MARK = b"\xef\xbb\xbf"  # of byte order
SIZES = re.compile(rb"\d+(\s+\d+){1,2}")
QUERY = re.compile(rb"qid:\S*")
PAIRS = re.compile(rb"(?:\d{1,15}:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?: +|$))*+")
BLANK = [], np.empty(0, np.int64), np.empty(0)  # the labels, words and values of a blank line


class Part(NamedTuple):
    """The rows of a file."""

    sizes: tuple  # (words, labels) or (columns,) as its first line says; without one ()
    lines: list  # their line numbers
    labels: list  # a list of numbers for each
    words: list  # an array of numbers for each
    values: list  # of these words


def read_svmlight(files, name="corpus"):
    """Return the Corpus of one file, or of a training and a test file, which then make split 0.

    A row is ``label,label word:value word:value``; a row may have no labels, or no words. Words may stand in any
    order; values of a word that a row has twice are added up; ``qid:`` and what follows # is left out. In the
    extreme classification repository's form the first line says how many documents, words and labels there are, and
    words and labels are numbered from 0; a line that is blank is a document there if they are as many with it.
    Without that line words are numbered from 1, or from 0 if a word 0 occurs, and the labels are the numbers that
    occur. Names are the file's numbers. Files may be packed (.gz, .bz2, .xz).

    The repository's other form has two files, ``NAME_Xf.txt`` and ``NAME_Y.txt``, for words and labels: the first
    line of each tells of rows and columns, and a row is ``column:value column:value``, with the value 1 for a label.
    Give two such files, or four for training and test, the training's before the test's.

    Raises DamagedFile, which names the line, for a row of another form, a label that is no whole number of 0 or more,
    sizes that are not those of the first line, a file without documents or with more words than ``check_width``
    allows; TooLarge; ValueError when no row has a label, when
    not all files have a first line of sizes, or when training and test have different numbers of words or labels.
    """
    files = listed(files)
    parts = [_read(file) for file in files]
    if any(len(part.sizes) == 1 for part in parts):
        parts = _joined(files, parts)
    if len(parts) not in (1, 2):
        raise ValueError(f"give one svmlight file, or a training and a test file, got {len(files)}")
    sizes = parts[0].sizes
    if sizes != parts[-1].sizes:
        raise ValueError(
            f"{files[0]} and {files[-1]} have different numbers of words and labels: {sizes}, {parts[-1].sizes}"
        )
    if not sizes and not any(row for part in parts for row in part.labels):
        raise ValueError(
            f"{', '.join(map(str, files))}: no row has a label. Words and labels that are in files of their own "
            "(trn_X_Xf.txt and trn_X_Y.txt) have a first line, ROWS COLUMNS"
        )
    words, values, labels = ([one for part in parts for one in part[i]] for i in (3, 4, 2))
    ends = np.cumsum([0, *map(len, words)])
    words, values = np.concatenate(words), np.concatenate(values)
    start = 0 if sizes or (words == 0).any() else 1
    width = sizes[0] if sizes else words.max(initial=start - 1) + 1 - start
    with reading(*files):
        counts = sparse.csr_matrix((values, words - start, ends), (len(labels), width))
        counts.sum_duplicates()
        known = range(sizes[1]) if sizes else sorted({int(label) for row in labels for label in row})
        first, real = len(parts[0].lines), is_real_valued(counts)
        splits = [(np.arange(first), np.arange(first, len(labels)))] if len(parts) == 2 else ()
        names = range(start, start + width), known
        return Corpus(counts, label_table(labels, known), *names, splits, name, real_valued=real)


def _read(file):
    """Return the Part of a file."""
    sizes, rows = [], []
    with opened(file) as (content, size):
        for number, line in enumerate(content, 1):
            line = (line.removeprefix(MARK) if number == 1 else line).strip()
            if number == 1 and SIZES.fullmatch(line):
                sizes = [int(field) for field in line.split()]
                for n, what in zip(sizes, ("documents", "words", "labels"), strict=False):
                    check_width(n, size, what)
            elif line and not line.startswith(b"#"):
                with at_line(file, number):
                    rows.append((number, *_row(line, sizes[1:], size)))
            elif not line and len(rows) < sum(sizes[:1]):
                rows.append((number, *BLANK))
        if sizes:
            rows = _counted(rows, sizes[0])
        if not rows:
            raise ValueError("there is no document in it")
        return Part(tuple(sizes[1:]), *map(list, zip(*rows, strict=True)))


def _row(line, sizes, size):
    """Return the labels, words and values of a row; sizes are of its file's first line, size is in bytes.

    Raises ValueError for the first word or label that the format or the first line does not allow.
    """
    line = line.partition(b"#")[0].replace(b"\t", b" ")
    colon = line.find(b":")
    cut = len(line) if colon < 0 else line.rfind(b" ", 0, colon) + 1
    pairs = QUERY.sub(b"", line[cut:], count=1).strip()
    end = PAIRS.match(pairs).end()
    if end < len(pairs):
        raise ValueError(
            f"{_first(pairs[end:])} is no number with its value, as 3:1 is (labels come first, and have no weights)"
        )
    words, values = np.array(pairs.replace(b":", b" ").split(), np.float64).reshape(-1, 2).T
    fields = line[:cut].replace(b",", b" ")
    try:
        labels = [float(label) for label in fields.split()]
    except ValueError:
        raise ValueError(
            f"{_first(fields)} is no label: svmlight's rows begin with whole numbers from 0"
        ) from None
    n_labels, known = LARGEST_LABEL, "labels are whole numbers from 0: number them anew"
    largest = int(words.max(initial=-1))
    if not sizes:
        check_width(largest, size, "words")
    elif largest >= sizes[0]:
        raise ValueError(
            f"there is a word {largest}, but its first line says {sizes[0]}, numbered from 0: if they are numbered "
            "from 1, leave its first line out"
        )
    elif len(sizes) == 1:
        n_labels, known = 0, "after a first line of two numbers rows have a number with its value, as 3:1"
    else:
        n_labels, known = sizes[1], f"its first line says {sizes[1]} labels, from 0"
    for label in labels:
        if not 0 <= label < n_labels or label != int(label):
            raise ValueError(f"there is a label {label:g}, but {known}")
    return labels, words.astype(np.int64), values


def _first(fields):
    return repr(fields.split()[0].decode(errors="replace")[:40])


def _counted(rows, n):
    """Return n rows: the first ones where all others are blank, else those that are not blank."""
    full = [i for i, (_, labels, words, _) in enumerate(rows) if labels or len(words)]
    if n <= len(rows) and max(full, default=0) < n:
        return rows[:n]
    if len(full) != n:
        raise ValueError(f"its first line says {n} documents, but it has {len(full)}")
    return [rows[i] for i in full]


def _joined(files, parts):
    """Return the Parts of words with the labels from the files beside theirs, in the files' order."""
    pairs = {}
    for file, part in zip(files, parts, strict=True):
        name, _, kind = str(Path(file).with_name(Path(file).name.split(".")[0])).rpartition("_")
        pairs.setdefault(name, {})[kind.lower()] = file, part
    are_pairs = 2 * len(pairs) == len(parts) and all(pair.keys() == {"xf", "y"} for pair in pairs.values())
    if not are_pairs or any(len(part.sizes) != 1 for part in parts):
        raise ValueError(
            f"{', '.join(map(str, files))}: a first line of two numbers is that of a file of words, or of labels, "
            "alone. Give both, named alike but for the end: as trn_X_Xf.txt and trn_X_Y.txt"
        )
    joined = []
    for pair in pairs.values():
        (file, words), (label_file, labels) = pair["xf"], pair["y"]
        n, n_labelled = len(words.lines), len(labels.lines)
        if n != n_labelled:
            raise ValueError(f"{file} and {label_file} have {n} and {n_labelled} documents")
        for line, values in zip(labels.lines, labels.values, strict=True):
            for value in values[values != 1]:
                raise DamagedFile(
                    f"{label_file}, line {line}: the value of a label is {value:g}, and should be 1"
                )
        own = [row.tolist() for row in labels.words]
        joined.append(words._replace(sizes=words.sizes + labels.sizes, labels=own))
    return joined
