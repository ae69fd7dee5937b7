"""The plain folder layout: X.npz, Y.npz and, as far as there, splits.npz, labels.txt.gz and vocab.txt.gz."""

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.fetching import DamagedFile, MissingCorpus

DAMAGE = (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, ValueError, KeyError, OSError, zlib.error)


def read_converted(folder, name=None):
    """Return the Corpus in ``folder``.

    X.npz and Y.npz are scipy sparse matrices, (D, W) and (D, C); without X.npz the corpus has labels but no
    words. splits.npz holds pairs of row numbers, named ``train_0``/``test_0`` and so on, or ``NAME_train``/
    ``NAME_test``; a named pair that repeats a numbered one gives it its name. labels.txt.gz and vocab.txt.gz
    hold one name per line, of which only the part before a tab counts.

    Raises MissingCorpus without Y.npz, DamagedFile for a file that cannot be read.
    """
    folder = Path(folder)
    labels = _matrix(folder / "Y.npz")
    wordless = sparse.csr_matrix((labels.shape[0], 0))
    counts = _matrix(folder / "X.npz") if (folder / "X.npz").exists() else wordless
    splits = _splits(folder / "splits.npz")
    return Corpus(
        counts=counts,
        labels=labels,
        vocabulary=_lines(folder / "vocab.txt.gz"),
        label_names=_lines(folder / "labels.txt.gz"),
        splits=tuple(splits.values()),
        split_names=tuple(splits) if any(not key.isdigit() for key in splits) else (),
        name=name or folder.name,
        real_valued=is_real_valued(counts),
    )


def write_converted(corpus, folder):
    """Write ``corpus`` into ``folder`` in the layout that ``read_converted`` reads."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sparse.save_npz(folder / "X.npz", _compact(corpus.counts))
    sparse.save_npz(folder / "Y.npz", _compact(corpus.labels.astype(np.uint8)))
    for file, names in (("vocab.txt.gz", corpus.vocabulary), ("labels.txt.gz", corpus.label_names)):
        with open(folder / file, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            packed.write("".join(f"{one}\n" for one in names).encode())
    if corpus.splits:
        np.savez_compressed(folder / "splits.npz", **_split_arrays(corpus))


def _split_arrays(corpus):
    arrays = {}
    for i, halves in enumerate(corpus.splits):
        keys = ("train_{}", "test_{}") if not corpus.split_names else ("{}_train", "{}_test")
        for key, rows in zip(keys, halves, strict=True):
            arrays[key.format(corpus.split_names[i] if corpus.split_names else i)] = rows.astype(np.int32)
    return arrays


def _compact(matrix):
    """Return the matrix with the narrowest integers that hold it, which is what makes the files small."""
    if matrix.dtype.kind == "i" and matrix.nnz and matrix.data.max() < 256:
        return matrix.astype(np.uint8)
    return matrix


def _matrix(file):
    if not file.exists():
        raise MissingCorpus(f"{file.parent} is not a corpus folder: it has no {file.name}")
    return _whole(file, lambda: sparse.csr_matrix(sparse.load_npz(_content(file))))


def _content(file):
    """Return the whole file in memory: NumPy leaves a damaged file open."""
    return io.BytesIO(file.read_bytes())


def _lines(file):
    if not file.exists():
        return None
    text = _whole(file, lambda: gzip.decompress(file.read_bytes()).decode())
    return [line.split("\t")[0] for line in text.splitlines()]


def _splits(file):
    """Return {number or name: (train, test)}, numbered splits first."""
    if not file.exists():
        return {}
    rows = _whole(file, lambda: _arrays(file))
    keys = sorted(rows, key=lambda key: not key.startswith("train_"))
    pairs = {}
    for key in keys:
        if match := re.fullmatch(r"train_(\d+)|(\w+)_train", key):
            partner = f"test_{match[1]}" if match[1] else f"{match[2]}_test"
            if partner not in rows:
                raise DamagedFile(f"{file} has {key} but no {partner}: write both halves of every split")
            pairs[match[1] or match[2]] = rows[key], rows[partner]
    return _named(pairs)


def _arrays(file):
    with np.load(_content(file), allow_pickle=False) as stored:
        return dict(stored)


def _named(pairs):
    """Return the pairs with a numbered one under its name where a named one repeats it."""
    named = {key: pair for key, pair in pairs.items() if not key.isdigit()}
    result = {}
    for key, pair in pairs.items():
        twin = next((name for name, other in named.items() if key.isdigit() and _same(pair, other)), key)
        result.setdefault(twin, pair)
    return result


def _same(pair, other):
    return all(np.array_equal(a, b) for a, b in zip(pair, other, strict=True))


def _whole(file, read):
    try:
        return read()
    except DAMAGE as error:
        raise DamagedFile(
            f"{file} cannot be read ({error}): it is cut short or damaged; copy it anew"
        ) from error
