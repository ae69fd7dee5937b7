"""What a corpus is: word counts, labels, their names, and the splits into training and test documents."""

import hashlib
import json
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from polytopic.streams import stream
from polytopic.validation import check_count, check_counts, check_labels, check_values

LEAST_PART = 4  # letters of a part of a compound


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Word counts of documents with their labels, names and splits, checked when it is made.

    ``counts`` is (D, W), canonical CSR of int32; with ``real_valued=True`` it holds any finite numbers
    as float64. ``labels`` is (D, C), canonical CSR of bool. ``vocabulary`` and ``label_names`` are tuples
    of W and C distinct strings; left out, words and labels are numbered from 1. ``splits`` is a tuple of
    pairs (training rows, test rows), each row in at most one of the two; ``split_names`` may name them.

    Documents without words, documents without labels and labels without documents are kept.

    Raises ValueError, naming the place and the remedy, for counts that are not counts, for parts of
    different length, for repeated names, and for splits that overlap or leave the corpus.
    """

    counts: sparse.csr_matrix
    labels: sparse.csr_matrix
    vocabulary: tuple = None
    label_names: tuple = None
    splits: tuple = ()
    name: str = "corpus"
    split_names: tuple = ()
    real_valued: bool = False

    def __post_init__(self):
        counts = (check_values if self.real_valued else check_counts)(self.counts, "counts")
        labels = check_labels(self.labels, counts.shape[0], "labels")
        splits = tuple(_check_split(i, pair, counts.shape[0]) for i, pair in enumerate(self.splits))
        split_names = tuple(self.split_names)
        self.__dict__.update(  # the fields are frozen for everyone else
            counts=counts,
            labels=labels,
            vocabulary=_names(self.vocabulary, counts.shape[1], "vocabulary", "columns of counts"),
            label_names=_names(self.label_names, labels.shape[1], "label_names", "columns of labels"),
            splits=splits,
            split_names=split_names and _names(split_names, len(splits), "split_names", "splits"),
        )

    @property
    def n_documents(self):
        return self.counts.shape[0]

    @property
    def n_words(self):
        return self.counts.shape[1]

    @property
    def n_labels(self):
        return self.labels.shape[1]

    @property
    def label_frequencies(self):
        """The number of documents of each label, shape (C,)."""
        return self.labels.getnnz(axis=0)

    @cached_property
    def digest(self):
        """SHA-256, in hexadecimal, of everything but the corpus's name."""
        content = hashlib.sha256()
        for matrix in (self.counts, self.labels):
            content.update(f"{matrix.shape}{matrix.dtype}".encode())
            for part in (matrix.indptr, matrix.indices):
                content.update(part.astype("<i8"))
            content.update(matrix.data.astype(matrix.dtype.newbyteorder("<")))
        halves = sum(self.splits, ())
        names = [self.vocabulary, self.label_names, self.split_names, [len(rows) for rows in halves]]
        content.update(json.dumps(names).encode())
        for rows in halves:
            content.update(rows.astype("<i8"))
        return content.hexdigest()

    def split(self, i):
        """Return (train, test), the two corpora of split ``i``, a number from 0 or one of ``split_names``.

        Both keep every word and every label. Raises ValueError for a split that is not there.
        """
        train, test = self.splits[self._split_number(i)]
        return self.select(train), self.select(test)

    def name_counts(self, vectorizer=None):
        """Return how often the labels' names have each word, (C, W) CSR int32; see the function ``name_counts``."""
        return name_counts(self.label_names, self.vocabulary, vectorizer)

    def select(self, rows):
        """Return the corpus of these documents, in the order of ``rows``, without splits."""
        rows, chosen = np.asarray(rows), object.__new__(Corpus)
        chosen.__dict__.update({field: getattr(self, field) for field in self.__dataclass_fields__})
        chosen.__dict__.update(counts=self.counts[rows], labels=self.labels[rows], splits=(), split_names=())
        return chosen

    def with_splits(self, n_splits=5, train_fraction=0.4, seed=0, groups=None):
        """Return the same corpus with seeded splits in place of its own; see ``make_splits``."""
        splits = make_splits(self.labels, n_splits, train_fraction, seed, groups, self.name)
        return replace(self, splits=splits, split_names=())

    def _split_number(self, i):
        if isinstance(i, str) and i in self.split_names:
            return self.split_names.index(i)
        if isinstance(i, numbers.Integral) and not isinstance(i, bool) and 0 <= i < len(self.splits):
            return int(i)
        if not self.splits:
            raise ValueError(
                f"{self.name} has no splits; make seeded ones with corpus.with_splits(seed=0), "
                "or hand your own index arrays to Corpus(..., splits=[(train, test)])"
            )
        last = len(self.splits) - 1
        named = f", by name {', '.join(self.split_names)}" if self.split_names else ""
        raise ValueError(f"{self.name} has no split {i!r}: it has {last + 1}, numbered 0 to {last}{named}")

    def __repr__(self):
        kind = "real values" if self.real_valued else f"{int(self.counts.sum()):,} tokens"
        return (
            f"<Corpus {self.name}: {self.n_documents:,} documents, {self.n_words:,} words, {kind}, "
            f"{self.n_labels:,} labels, {len(self.splits)} splits>"
        )


def name_counts(names, vocabulary, vectorizer=None):
    """Return how often each text, such as a label's name, has each word of a vocabulary: (C, W) CSR int32.

    What a word is says the vectoriser by which the vocabulary was made, by default scikit-learn's of words of two
    letters or more. One that the vocabulary lacks counts for its words with the same English stem, or else for those
    of what ``_`` parts it into, or else for two words of four letters or more that it is made of. Words without a
    letter count nowhere, so that a code or a number says nothing. A text without a known word has a row of zeros; of
    words of the vocabulary that differ in case alone, the last one counts.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # here, as they take a while to import
    from snowballstemmer import stemmer

    column = {word.lower(): [w] for w, word in enumerate(vocabulary)}
    stem, of_stem, words_of = (
        stemmer("english").stemWord,
        {},
        (vectorizer or CountVectorizer()).build_analyzer(),
    )
    for word, (w,) in column.items():
        of_stem.setdefault(stem(word), []).append(w)

    def known(word):
        """Return the columns that a word counts for."""
        if not any(sign.isalpha() for sign in word):
            return []
        found = column.get(word) or of_stem.get(stem(word))
        if found or "_" in word:
            return found or [w for part in word.split("_") for w in known(part)]
        halves = ((word[:k], word[k:]) for k in range(len(word) - LEAST_PART, LEAST_PART - 1, -1))
        whole = (column[one] + column[other] for one, other in halves if one in column and other in column)
        return next(whole, [])

    pairs = [
        (row, w) for row, name in enumerate(names) for word in words_of(name) for w in known(word.lower())
    ]
    rows, columns = np.array(pairs, int).reshape(-1, 2).T
    ones = np.ones(rows.size, np.int32)
    return sparse.csr_matrix((ones, (rows, columns)), shape=(len(names), len(vocabulary)))


def is_real_valued(matrix):
    """Return whether a sparse matrix holds a value that no count can have: below 0 or not whole."""
    return bool((matrix.data < 0).any() or (matrix.data != np.floor(matrix.data)).any())


def make_splits(labels, n_splits=5, train_fraction=0.4, seed=0, groups=None, name="corpus"):
    """Return ``n_splits`` pairs of sorted row numbers (train, test), drawn without replacement.

    ``labels`` is (D, C). A share ``train_fraction`` of the documents, rounded, is drawn for training; then every test
    document that has a label unseen in training moves to training. ``groups``, shape (D,), holds one value per
    document: documents of equal value always stay on the same side, so groups are drawn whole until the share is
    reached and move whole. Split ``i`` depends on ``seed``, ``name`` and ``i`` alone.

    Rubin et al. (2012), A.1 (the New York Times corpus), where groups do not occur.
    """
    labels = check_labels(labels)
    check_count(n_splits=n_splits)
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction!r}")
    group = np.arange(labels.shape[0]) if groups is None else np.unique(groups, return_inverse=True)[1]
    if len(group) != labels.shape[0]:
        raise ValueError(f"groups has {len(group)} values for {labels.shape[0]} documents: give one for each")
    rngs = [stream(seed, "split", name, i) for i in range(n_splits)]
    return tuple(_draw_split(labels, group, train_fraction, rng) for rng in rngs)


def near_duplicates(counts, overlap=0.9):
    """Return one group number per document, shape (D,), equal for near-duplicates.

    Two documents are near-duplicates when the words that they share are at least ``overlap`` of the words
    that they have together (Jaccard, counts aside), and so are all that a chain of such pairs joins.
    Documents without words form one group.

    Candidate pairs are found by their rarest words (prefix filter of Bayardo et al. 2007), which loses none.
    """
    if not 0 < overlap <= 1:
        raise ValueError(f"overlap must be above 0 and at most 1, got {overlap!r}")
    present = check_counts(counts) > 0
    keys = [present.indices[a:b].tobytes() for a, b in pairwise(present.indptr)]
    _, first, number = np.unique(np.array(keys, object), return_index=True, return_inverse=True)
    pairs = _similar(present[first], overlap)
    return connected_components(pairs, directed=False)[1][number]


def _similar(present, overlap):
    """Return the symmetric (D, D) matrix of the pairs of rows that overlap enough; rows are distinct sets."""
    rarest = np.argsort(np.argsort(present.sum(axis=0).A1, kind="stable"))
    sizes = np.diff(present.indptr)
    tolerance = 1e-9
    prefix = sizes - np.ceil(overlap * sizes - tolerance).astype(int) + 1
    order = np.lexsort((rarest[present.indices], np.repeat(np.arange(len(sizes)), sizes)))
    place = np.arange(present.nnz) - np.repeat(present.indptr[:-1], sizes)
    kept = place < np.repeat(prefix, sizes)
    rows = np.repeat(np.arange(len(sizes)), sizes)[kept]
    words = present.indices[order][kept]
    rare = sparse.csr_matrix((np.ones(len(rows), np.int32), (rows, words)), present.shape)
    a, b = sparse.triu(rare @ rare.T, k=1).nonzero()
    shared = present[a].multiply(present[b]).sum(axis=1).A1
    near = shared >= overlap * (sizes[a] + sizes[b] - shared) - tolerance
    return sparse.csr_matrix((np.ones(near.sum()), (a[near], b[near])), (len(sizes), len(sizes)))


def _draw_split(labels, group, train_fraction, rng):
    sizes = np.bincount(group)
    order = rng.permutation(len(sizes))
    before = np.cumsum(sizes[order]) - sizes[order]
    trained = np.zeros(len(sizes), bool)
    trained[order[before < round(train_fraction * len(group))]] = True
    seen = labels[trained[group]].sum(axis=0).A1 > 0
    unseen = labels @ ~seen
    trained[group[unseen]] = True
    return np.flatnonzero(trained[group]), np.flatnonzero(~trained[group])


def _names(names, n, field, of):
    if names is None:
        return tuple(str(i + 1) for i in range(n))
    names = tuple(str(one) for one in names)
    if len(names) != n:
        raise ValueError(f"{field} has {len(names)} names for {n} {of}: give one for each")
    if len(set(names)) < n:
        seen = set()
        twice = next(one for one in names if one in seen or seen.add(one))
        raise ValueError(f"{field} names {twice!r} more than once: names must differ")
    return names


def _check_split(i, pair, n_documents):
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"split {i} must be a pair (training rows, test rows)")
    train, test = (_rows(i, rows, n_documents) for rows in pair)
    shared = np.intersect1d(train, test)
    if len(shared):
        raise ValueError(f"split {i} has {len(shared)} documents on both sides, the first is row {shared[0]}")
    return train, test


def _rows(i, rows, n_documents):
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError(f"split {i} must hold row numbers, got an array of {rows.dtype}, shape {rows.shape}")
    rows = rows.astype(np.int64)
    outside = rows[(rows < 0) | (rows >= n_documents)]
    if len(outside):
        raise ValueError(f"split {i} names row {outside[0]}, but the corpus has rows 0 to {n_documents - 1}")
    if len(np.unique(rows)) < len(rows):
        raise ValueError(f"split {i} names a row twice on one side")
    return rows
