"""The .mat files of Rubin et al. (2012): one train/test split per file, as lists of tokens."""

import os

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets.matlab import read_matlab
from polytopic.datasets.source_files import check_width, listed, reading

PARTS = "widx", "wdidx", "cidx", "cdidx"


def read_rubin(files, name="corpus"):
    """Return the Corpus of one or more splits of the same documents.

    Each file holds ``traindata`` and ``testdata``, each with ``widx``/``wdidx`` (word and document of every
    token) and ``cidx``/``cdidx`` (label and document of every label), numbered from 1, beside the names
    ``wlabels`` and ``clabels``. The documents are kept once, in the first file's order, training documents
    first; the other files become splits by matching documents on words, counts and labels. ``wlabels`` ends
    with the last word of the training half: words beyond it have their number for a name.

    Raises DamagedFile for a file that cannot be read or lacks a part, TooLarge, ValueError when a file
    holds other documents than the first, or documents that cannot be told apart.
    """
    files = listed(files)
    first, *others = parts = [_read_split(file) for file in files]
    rows = {key: i for i, key in enumerate(_row_keys(first))}
    if others and len(rows) < first.n_documents:
        raise ValueError(f"{files[0]} has documents exactly alike: its splits cannot be matched by content")
    vocabulary = max((part.vocabulary for part in parts), key=len)
    first.counts.resize(first.n_documents, len(vocabulary))
    splits = [*first.splits, *(_matched(*pair, rows) for pair in zip(files[1:], others, strict=True))]
    with reading(*files):
        return Corpus(first.counts, first.labels, vocabulary, first.label_names, splits, name)


def _read_split(file):
    """Return the Corpus of a file, whose training documents come first."""
    with reading(file):
        content, size = read_matlab(file), os.path.getsize(file)
        halves = [_numbered(content[half], size) for half in ("traindata", "testdata")]
        vocabulary = _all_names(content["wlabels"], [half["widx"] for half in halves])
        label_names = _all_names(content["clabels"], [half["cidx"] for half in halves])
        halves = [_read_half(half, len(vocabulary), len(label_names)) for half in halves]
        counts, labels = (sparse.vstack(tables, format="csr") for tables in zip(*halves, strict=True))
        split = np.split(np.arange(counts.shape[0]), [halves[0][0].shape[0]])
        return Corpus(counts, labels, vocabulary, label_names, [split])


def _numbered(half, size):
    """Return {part: its numbers, int64, from 1}. Raises ValueError for what is no number of a word or document."""
    found = {}
    for part in PARTS:
        numbers = half[part]
        if not isinstance(numbers, np.ndarray):
            raise ValueError(f"{part} is no list of numbers")
        wrong = ~((numbers >= 1) & (numbers < np.inf) & (numbers == np.floor(numbers)))
        if wrong.any():
            raise ValueError(f"{part} has {numbers[wrong][0]}, and should number from 1")
        check_width(numbers.max(initial=0), size, f"numbers in {part}")
        found[part] = numbers.astype(np.int64)
    return found


def _all_names(names, numbers):
    names = [str(one) for one in ([names] if isinstance(names, str) else names)]
    return names + [str(i) for i in range(len(names) + 1, max(np.max(one, initial=0) for one in numbers) + 1)]


def _read_half(half, n_words, n_labels):
    words, word_docs, labels, label_docs = (half[part] - 1 for part in PARTS)
    n_documents = max(word_docs.max(initial=-1), label_docs.max(initial=-1)) + 1
    return (
        _count(word_docs, words, (n_documents, n_words), np.int32),
        _count(label_docs, labels, (n_documents, n_labels), np.uint8),
    )


def _count(rows, columns, shape, dtype):
    return sparse.csr_matrix((np.ones(len(rows), dtype), (rows, columns)), shape=shape)


def _row_keys(corpus):
    counts, labels = corpus.counts, corpus.labels
    for i in range(corpus.n_documents):
        words, tags = slice(*counts.indptr[i : i + 2]), slice(*labels.indptr[i : i + 2])
        yield counts.indices[words].tobytes(), counts.data[words].tobytes(), labels.indices[tags].tobytes()


def _matched(file, part, rows):
    """Return the split of a file in the numbers that the first file's documents have, {key of a row: its number}."""
    found = [rows.get(key) for key in _row_keys(part)]
    if None in found or len(set(found)) < len(rows):
        raise ValueError(f"{file} does not hold the same documents as the first file: read it by itself")
    return tuple(np.array(found)[half] for half in part.splits[0])
