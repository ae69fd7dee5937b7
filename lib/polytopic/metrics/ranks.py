"""Where the positives of every item stand in its ranking: all that the measures need of the scores."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.metrics.thresholds import PIVOTS, score_blocks
from polytopic.validation import check_labels, check_one_of

_COUNTED = 32  # up to this many positives, counting the entries above each beats sorting the item


class Ranking(NamedTuple):
    """Ranks of the positives, item by item; the top rank is 1.

    The positives of item i stand at ranks[ptr[i]:ptr[i + 1]], in ascending order.
    """

    ranks: np.ndarray  # (number of positives,)
    ptr: np.ndarray  # (n_items + 1,)
    length: int  # entries per item: labels of a document, or documents of a label
    pivot: str  # "document" or "label"

    @property
    def n_positive(self):
        """Number of positives of each item, (n_items,)."""
        return np.diff(self.ptr)

    @property
    def kept(self):
        """Whether each item has a positive, (n_items,) bool."""
        return self.n_positive > 0


def rank_positives(truth, scores, pivot="document"):
    """Return the Ranking of the positives of truth under scores.

    truth is (D, C) bool, dense or sparse; scores is (D, C), larger meaning more likely, dense or sparse
    (absent entries score 0). Scores sort descending and stably: ties keep index order. The scores are
    read in blocks, so that memory stays at a few MB beside them.

    Raises ValueError for shapes that differ and for scores that are not finite.
    """
    check_one_of(PIVOTS, pivot=pivot)
    labels = check_labels(truth, name="truth")
    shape = scores.shape if sparse.issparse(scores) else np.shape(scores)
    if labels.shape != shape:
        raise ValueError(
            f"truth has shape {labels.shape} but scores has {shape}: both are (documents, labels)"
        )
    by_item = labels.T.tocsr() if pivot == "label" else labels
    by_item.sort_indices()
    ranks = np.empty(by_item.nnz, dtype=np.intp)
    ptr = by_item.indptr.astype(np.intp)
    for start, block in score_blocks(scores, pivot):
        for i, row in enumerate(block, start):
            ranks[ptr[i] : ptr[i + 1]] = _ranks(row, by_item.indices[ptr[i] : ptr[i + 1]])
    return Ranking(ranks, ptr, by_item.shape[1], pivot)


def _ranks(row, positives):
    if len(positives) <= _COUNTED:
        count = np.count_nonzero
        ahead = [count(row[:i] >= row[i]) + count(row[i + 1 :] > row[i]) for i in positives]
        return np.sort(np.array(ahead, dtype=np.intp)) + 1
    positive = np.zeros(len(row), dtype=bool)
    positive[positives] = True
    return np.flatnonzero(positive[np.argsort(-row, kind="stable")]) + 1
