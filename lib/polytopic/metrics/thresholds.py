"""From scores to decisions: how many predictions an item gets, and which entries they are.

An item is a document (its entries are the labels) or a label (its entries are the documents), by the
``pivot``. Every rule here takes the N highest entries of an item, for some N: ties keep index order,
so that the same scores always give the same decisions.

Rubin et al. (2012), section 5.5.
"""

import numpy as np
from scipy import sparse

from polytopic.validation import check_indices, check_labels, check_one_of

PIVOTS = ("document", "label")
CUTOFFS = ("proportional", "calibrated", "bep")

_BLOCK_ENTRIES = 1 << 21  # scores copied at a time: 16 MB as float64


def proportional_counts(train_labels, n_documents, pivot):
    """Return how many positives to expect of each item, judged by the training labels.

    train_labels is (D_train, C); n_documents is the number of documents to decide on. The result has
    n_documents integers for documents, C for labels.

    A document gets the median number of labels of a training document. Where the median falls half-way
    between two integers it is rounded up, which the paper leaves open. A label gets its number of
    training documents times n_documents / D_train, rounded up; in integers, since a floating-point
    product can end just above the exact value and be rounded one too far.

    Raises ValueError for training labels without rows. Rubin et al. (2012), PROPORTIONAL.
    """
    check_one_of(PIVOTS, pivot=pivot)
    labels = check_labels(train_labels, name="train_labels")
    n_train = labels.shape[0]
    if n_train == 0:
        raise ValueError("train_labels has no rows: give the labels that the model was trained on")
    if pivot == "label":
        return -(-np.bincount(labels.indices, minlength=labels.shape[1]) * n_documents // n_train)
    per_document = np.sort(np.diff(labels.indptr))
    twice_median = int(per_document[(n_train - 1) // 2]) + int(per_document[n_train // 2])
    return np.full(n_documents, (twice_median + 1) // 2)


def best_f1_cutoff(ranks, ptr):
    """Return the N of each item whose N highest entries have the best F1; of several, the smallest.

    ranks[ptr[i]:ptr[i + 1]] are the ranks of item i's positives in ascending order, the top rank being 1
    (see ``polytopic.metrics.rank_positives``). Only the rank of a positive can be best, since further
    entries lower F1 until the next hit. An item without positives gets 0.

    Rubin et al. (2012), BEP. They also describe it as the point where precision equals recall; that
    point is the CALIBRATED cut-off, and their printed values are those of the best F1.
    """
    n_positive = np.diff(ptr)
    counts = np.zeros(len(n_positive), dtype=np.intp)
    kept = n_positive > 0
    if not kept.any():
        return counts
    starts, sizes = ptr[:-1][kept], n_positive[kept]
    hits = np.arange(1, len(ranks) + 1) - np.repeat(starts, sizes)
    f1 = 2 * hits / (ranks + np.repeat(sizes, sizes))  # equal fractions give equal quotients
    best = np.repeat(np.maximum.reduceat(f1, starts), sizes)
    counts[kept] = np.minimum.reduceat(np.where(f1 == best, ranks, np.iinfo(np.intp).max), starts)
    return counts


def top_n(scores, n, pivot):
    """Return the decisions, (D, C) bool CSR, that take the n highest entries of each item.

    scores is (D, C), dense or sparse, absent entries of a sparse matrix scoring 0. n is one integer or
    one per item; more than an item has entries takes them all. Ties keep index order.

    Raises ValueError for negative or fractional n, one of the wrong length, and scores that are not finite.
    """
    check_one_of(PIVOTS, pivot=pivot)
    n_items, length = _items(scores, pivot)
    counts = check_item_counts(n, n_items, length, pivot)
    chosen = [np.empty(0, dtype=np.intp)]
    for start, block in score_blocks(scores, pivot):
        chosen.extend(_first(row, counts[item]) for item, row in enumerate(block, start))
    ptr = np.concatenate([[0], np.cumsum(counts)])
    entries = np.concatenate(chosen)
    decisions = sparse.csr_matrix((np.ones(len(entries), dtype=bool), entries, ptr), shape=(n_items, length))
    return decisions.T.tocsr() if pivot == "label" else decisions


def _first(row, n):
    """Return the places of the n highest entries of a row in order of the index, ties by the index."""
    if n == 0:
        return np.empty(0, dtype=np.intp)
    least = np.partition(row, row.size - n)[row.size - n]
    above, level = np.flatnonzero(row > least), np.flatnonzero(row == least)
    return np.sort(np.concatenate([above, level[: n - above.size]]))


def check_item_counts(n, n_items, length, pivot):
    """Return n, one integer or one per item, as n_items integers of at most ``length``."""
    counts = np.asarray(n)
    if counts.ndim == 0:
        counts = np.full(n_items, counts)
    if counts.shape != (n_items,):
        raise ValueError(f"give one number of predictions or {n_items}, one per {pivot}, got {counts.shape}")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError(f"numbers of predictions must be integers of 0 or more, got {n!r}")
    return np.minimum(counts, length).astype(np.intp)


def score_blocks(scores, pivot):
    """Yield (start, block): the scores of items start, start + 1, ... as contiguous rows, a few MB at a time.

    Floating-point scores keep their precision, others become float64. Raises ValueError for scores that
    are not two-dimensional and for the first that is not finite.
    """
    matrix = _score_matrix(scores)
    n_items, length = _items(matrix, pivot)
    if sparse.issparse(matrix):
        matrix = matrix.tocsc() if pivot == "label" else matrix.tocsr()
    step = max(1, _BLOCK_ENTRIES // max(1, length))
    for start in range(0, n_items, step):
        stop = start + step
        block = matrix[:, start:stop].T if pivot == "label" else matrix[start:stop]
        block = block.toarray() if sparse.issparse(block) else block
        block = np.ascontiguousarray(block, dtype=None if block.dtype.kind == "f" else np.float64)
        _check_finite(block, start, pivot)
        yield start, block


def _score_matrix(scores):
    matrix = check_indices(scores, "scores") if sparse.issparse(scores) else np.asarray(scores)
    if matrix.ndim != 2:
        raise ValueError(f"scores must have two dimensions (documents, labels), got shape {matrix.shape}")
    if matrix.dtype.kind not in "buif":
        raise ValueError(f"scores must hold real numbers, got dtype {matrix.dtype}")
    return matrix


def _items(scores, pivot):
    n_documents, n_labels = scores.shape if sparse.issparse(scores) else np.shape(scores)
    return (n_labels, n_documents) if pivot == "label" else (n_documents, n_labels)


def _check_finite(block, start, pivot):
    finite = np.isfinite(block)
    if finite.all():
        return
    item, entry = np.argwhere(~finite)[0]
    row, column = (entry, start + item) if pivot == "label" else (start + item, entry)
    raise ValueError(f"scores[{row}, {column}] = {block[item, entry]} is not finite: score every label")
