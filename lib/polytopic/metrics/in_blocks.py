"""Rankings and decisions of scores that come a few documents at a time: no table of documents by labels is held."""

import numpy as np
from scipy import sparse

from polytopic.metrics.binary_measures import averages
from polytopic.metrics.rank_measures import Ranking, rank_positives
from polytopic.metrics.thresholds import PIVOTS
from polytopic.validation import check_labels


def rank_blocks(truth, first, again):
    """Return {pivot: Ranking} of the positives of truth (D, C): those of ``rank_positives`` for all scores.

    first and again each yield (rows, scores (n, C)), rows a slice, for all documents in their order, and the same
    scores. There are two since a label's positive must be scored before the documents above it can be counted. Beside
    a block, memory grows with the positives. Ties and errors as for ``rank_positives``.
    """
    truth, parts, own = check_labels(truth, name="truth"), [], []
    for rows, scores in first:
        some = truth[rows]
        parts.append(rank_positives(some, scores))
        own.append(scores[np.repeat(np.arange(some.shape[0]), np.diff(some.indptr)), some.indices])
    ranks, entries = (np.concatenate([getattr(one, name) for one in parts]) for name in ("ranks", "entries"))
    by_document = Ranking(ranks, entries, truth.indptr.astype(np.intp), truth.shape[1], "document")
    return {"document": by_document, "label": _by_label(truth, again, np.concatenate(own))}


def _by_label(truth, blocks, values):
    """Return the Ranking by label; values (N,) are the scores of the positives, in the order of truth's entries."""
    order = np.argsort(truth.indices, kind="stable")
    documents = np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))[order]
    values, ranks = values[order], np.ones(order.size, np.intp)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(truth.indices, minlength=truth.shape[1]))])
    occurring = np.flatnonzero(np.diff(ptr))
    for rows, scores in blocks:
        for c, column in zip(occurring, np.ascontiguousarray(scores[:, occurring].T), strict=True):
            own = slice(ptr[c], ptr[c + 1])
            ranks[own] += _before(column, values[own], documents[own] - rows.start)
    by_rank = np.lexsort((ranks, truth.indices[order]))
    return Ranking(ranks[by_rank], documents[by_rank], ptr, truth.shape[0], "label")


def _before(column, values, places):
    """Return how many of a column's entries stand before each value: are above it, or level and at a lower place."""
    rising = np.sort(column)
    before = column.size - np.searchsorted(rising, values, side="right")
    level = column.size - np.searchsorted(rising, values, side="left") - before
    before += np.where(places >= column.size, level, 0)
    for i in np.flatnonzero((places > 0) & (places < column.size) & (level > 1)):
        before[i] += np.count_nonzero(column[: places[i]] == values[i])
    return before


class Decided:
    """Counts of decisions that come a few documents at a time, for ``metrics.decided`` of all of them."""

    def __init__(self, truth):
        self._truth = truth
        self._true = [truth.getnnz(axis=axis) for axis in (1, 0)]
        self._taken, self._hits = ([np.zeros(n, np.intp) for n in truth.shape] for _ in range(2))

    def add(self, rows, taken):
        """Count the decisions (n, C) bool on the documents of a slice."""
        hits = self._truth[rows].multiply(sparse.csr_matrix(taken))
        self._taken[0][rows], self._hits[0][rows] = taken.sum(axis=1), hits.getnnz(axis=1)
        self._taken[1] += taken.sum(axis=0)
        self._hits[1] += hits.getnnz(axis=0)

    def measures(self):
        """Return {pivot: {measure: value}}, macro_f1 and micro_f1 as ``decided`` has them."""
        found = (averages(*one, "zero") for one in zip(self._true, self._taken, self._hits, strict=True))
        return {
            pivot: {name: one[name] for name in ("macro_f1", "micro_f1")}
            for pivot, one in zip(PIVOTS, found, strict=True)
        }
