"""The plain folder layout: X.npz, Y.npz and, as far as there, splits.npz, labels.txt.gz and vocab.txt.gz."""

import gzip
import io
import re
from pathlib import Path

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.source_files import (
    DamagedFile,
    MissingCorpus,
    check_archive,
    check_width,
    opened,
    reading,
)
from polytopic.files import write_together
from polytopic.validation import check_indices

UNWRITABLE = re.compile("[\t\n\r\ud800-\udfff]")
MOST_SHAPE = 1000  # bytes of an array of two numbers with its header
NUMBERED = re.compile(r"train_(\d+)", re.ASCII)
NAMED = re.compile(r"(\w+)_train")


def read_converted(folder, name=None):
    """Return the Corpus in ``folder``.

    X.npz and Y.npz are scipy sparse matrices, (D, W) and (D, C); without X.npz the corpus has labels but no words.
    splits.npz holds pairs of row numbers, named ``train_0``/``test_0`` and so on, or ``NAME_train``/ ``NAME_test``; a
    named pair that repeats a numbered one gives it its name. labels.txt.gz and vocab.txt.gz hold one name per line,
    of which only the part before a tab counts. Values that are not counts make the corpus real-valued.

    Raises MissingCorpus without Y.npz, DamagedFile for a file that cannot be read, for a matrix with entries outside
    its shape, and for files that do not belong together; TooLarge.
    """
    folder = Path(folder)
    labels = _matrix(folder / "Y.npz")
    wordless = sparse.csr_matrix((labels.shape[0], 0))
    counts = _matrix(folder / "X.npz") if (folder / "X.npz").exists() else wordless
    splits = _splits(folder / "splits.npz")
    vocabulary = _lines(folder / "vocab.txt.gz", counts.shape[1])
    label_names = _lines(folder / "labels.txt.gz", labels.shape[1])
    with reading(folder):
        halves, named = tuple(splits.values()), any(not key.isdigit() for key in splits)
        corpus = counts, labels, vocabulary, label_names, halves, name or folder.name
        return Corpus(*corpus, tuple(splits) if named else (), is_real_valued(counts))


def write_converted(corpus, folder):
    """Write ``corpus`` into ``folder`` in the layout that ``read_converted`` reads, in place of one that is there.

    A folder's splits go when the corpus has none; files that are no part of the layout stay. A failure, such as a
    full disk, leaves what was there. An interruption leaves that, the new corpus, or a folder without Y.npz, which is
    no corpus: never parts of two.

    Raises ValueError, with nothing written, for names that the layout cannot hold: words and labels with a tab, a
    line break or half a character, and splits whose names are not letters, digits and underscores or are numbers.
    """
    contents = {
        "X.npz": _packed(sparse.save_npz, _compact(corpus.counts)),
        "Y.npz": _packed(sparse.save_npz, corpus.labels.astype(np.uint8)),
        "vocab.txt.gz": _packed_names(corpus.vocabulary, "vocabulary"),
        "labels.txt.gz": _packed_names(corpus.label_names, "label_names"),
        "splits.npz": _packed(np.savez_compressed, **_split_arrays(corpus)) if corpus.splits else None,
    }
    write_together(folder, contents, key="Y.npz")


def _packed(save, *arrays, **named):
    content = io.BytesIO()
    save(content, *arrays, **named)
    return content.getvalue()


def _packed_names(names, field):
    for name in names:
        if UNWRITABLE.search(name):
            raise ValueError(
                f"{field} has {name!r}, which a folder cannot hold: it has one name per line, in UTF-8, up to a tab. "
                "Replace tabs, line breaks and lone surrogates"
            )
    text = "".join(f"{one}\n" for one in names)
    coding = "utf-8-sig" if text.startswith("\ufeff") else "utf-8"  # a mark at the front is no part of a name
    return gzip.compress(text.encode(coding), mtime=0)


def _split_arrays(corpus):
    for name in corpus.split_names:
        if not re.fullmatch(r"\w+", name) or name.isdigit():
            raise ValueError(
                f"split_names has {name!r}, which a folder cannot hold: use letters, digits and underscores, and not "
                "digits alone"
            )
    train, test = ("{}_train", "{}_test") if corpus.split_names else ("train_{}", "test_{}")
    arrays = {}
    for name, halves in zip(corpus.split_names or range(len(corpus.splits)), corpus.splits, strict=True):
        arrays |= {train.format(name): halves[0], test.format(name): halves[1]}
    return {name: rows.astype(np.int32) for name, rows in arrays.items()}


def _compact(matrix):
    """Return the matrix with the narrowest integers that hold it, which is what makes the files small."""
    if matrix.dtype.kind == "i" and matrix.nnz and matrix.data.max() < 256:
        return matrix.astype(np.uint8)
    return matrix


def _matrix(file):
    if not file.exists():
        raise MissingCorpus(f"{file.parent} is not a corpus folder: it has no {file.name}")
    with reading(file):
        size = check_archive(file)
        content = io.BytesIO(file.read_bytes())  # NumPy leaves a damaged file open
        with np.load(content, allow_pickle=False) as arrays:  # its shape alone: the rest may be long
            n_bytes = arrays.zip.getinfo("shape.npy").file_size
            if n_bytes > MOST_SHAPE:
                raise ValueError(f"its shape has {n_bytes:,} bytes, and is to be two numbers")
            for n, what in zip(arrays["shape"], ("rows", "columns"), strict=True):
                check_width(n, size, what)
        content.seek(0)
        return sparse.csr_matrix(check_indices(sparse.load_npz(content), file.stem))


def _lines(file, n):
    """Return the names in a file, None without it. Raises DamagedFile unless there are n, before they are made."""
    if not file.exists():
        return None
    with opened(file) as (content, _):
        text = content.read()
        found = text.count(b"\n") + (text[-1:] not in (b"", b"\n"))
        if found != n:
            raise ValueError(f"it has {found:,} names for {n:,} columns: give one for each")
        lines = text.decode("utf-8-sig").split("\n")[:n]
        return [line.partition("\t")[0].removesuffix("\r") for line in lines]


def _splits(file):
    """Return {number or name: (train, test)}, numbered splits first."""
    if not file.exists():
        return {}
    with reading(file):
        check_archive(file)
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
            rows = dict(stored)
    pairs = {}
    for rule, partner in ((NUMBERED, "test_{}"), (NAMED, "{}_test")):
        for match in filter(None, map(rule.fullmatch, rows)):
            other = partner.format(match[1])
            if other not in rows:
                raise DamagedFile(f"{file} has {match[0]} but no {other}: write both halves of every split")
            pairs[match[1]] = rows[match[0]], rows[other]
    return _named(pairs)


def _named(pairs):
    """Return the pairs with a numbered one under its name where a named one repeats it."""
    named = {key: pair for key, pair in pairs.items() if not key.isdigit()}
    result = {}
    for key, pair in pairs.items():
        twins = (name for name in named if key.isdigit() and all(map(np.array_equal, pair, named[name])))
        result.setdefault(next(twins, key), pair)
    return result
