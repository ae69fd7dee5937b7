"""Where the positives of every item stand in its ranking, and the seven measures that follow from that."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.metrics.thresholds import PIVOTS, score_blocks
from polytopic.validation import check_labels, check_one_of

RANKING_MEASURES = "auc_roc", "auc_pr", "average_precision", "one_error", "is_error", "margin", "ranking_loss"

_COUNTED = 32  # up to this many positives, counting the entries above each beats sorting the item


class Ranking(NamedTuple):
    """Ranks of the positives, item by item; the top rank is 1.

    The positives of item i stand at ranks[ptr[i]:ptr[i + 1]], in ascending order, and are its entries of these
    places: labels of a document, or documents of a label.
    """

    ranks: np.ndarray  # (number of positives,)
    entries: np.ndarray  # (number of positives,)
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
        raise ValueError(f"truth has shape {labels.shape}, scores {shape}: both are (documents, labels)")
    by_item = labels.T.tocsr() if pivot == "label" else labels
    by_item.sort_indices()
    ranks, entries = np.empty((2, by_item.nnz), dtype=np.intp)
    ptr = by_item.indptr.astype(np.intp)
    for start, block in score_blocks(scores, pivot):
        for i, row in enumerate(block, start):
            own = slice(ptr[i], ptr[i + 1])
            ranks[own], entries[own] = _ranks(row, by_item.indices[own])
    return Ranking(ranks, entries, ptr, by_item.shape[1], pivot)


def _ranks(row, positives):
    """Return (ranks in ascending order, the positives in that order) of an item."""
    if len(positives) <= _COUNTED:
        count = np.count_nonzero
        ahead = [count(row[:i] >= row[i]) + count(row[i + 1 :] > row[i]) for i in positives]
        ranks = np.array(ahead, dtype=np.intp) + 1
        order = np.argsort(ranks)
        return ranks[order], positives[order]
    positive = np.zeros(len(row), dtype=bool)
    positive[positives] = True
    order = np.argsort(-row, kind="stable")
    places = np.flatnonzero(positive[order])
    return places + 1, order[places]


def ranking(truth, scores, pivot="document"):
    """Return the ranking measures, averaged over the items that have a positive.

    truth is (D, C) bool and scores (D, C) real, both dense or sparse. With pivot "document" every document
    ranks the labels, with "label" every label ranks the documents. Ties keep index order and get no half
    credit; items without a positive are left out.

    - auc_roc: share of (positive, negative) pairs in the right order, in [0, 1].
    - auc_pr: area under the precision-recall curve with one point per rank, linear in recall; before the
      first hit, precision is that of the first hit. In [0, 1].
    - average_precision: mean over the positives of the precision at their rank, in [0, 1].
    - one_error: items whose top entry is a negative, in percent.
    - is_error: items with a negative above a positive, in percent.
    - margin: rank of the last positive minus rank of the first negative; 0 for a perfect item. The paper's
      text gives a range of 1 to C, its printed tables need the 0, its authors' program gives -1.
    - ranking_loss: 100 (1 - auc_roc), in percent.

    An item whose entries are all positive is perfect. Raises ValueError where no item has a positive, where
    shapes differ and where a score is not finite.

    Rubin et al. (2012), section 5.3. scikit-learn differs on ties (label_ranking_loss,
    average_precision_score) and counts items without positives (label_ranking_average_precision_score);
    its precision-recall curve starts at precision 0 where the top entry is a negative.
    """
    return average_measures(rank_positives(truth, scores, pivot))


def ranking_per_item(truth, scores, pivot="document"):
    """Return the measures of ``ranking`` item by item: arrays of D values for documents, C for labels.

    one_error and is_error are 0 or 100. Items without a positive are NaN.
    """
    ranked = rank_positives(truth, scores, pivot)
    measures = {}
    for name, values in kept_measures(ranked).items():
        measures[name] = np.full(len(ranked.kept), np.nan)
        measures[name][ranked.kept] = values
    return measures


def average_measures(ranked):
    """Return the measures of a Ranking, averaged over the items that have a positive."""
    check_any_positive(ranked)
    return {name: float(values.mean()) for name, values in kept_measures(ranked).items()}


def check_any_positive(ranked):
    """Raise ValueError where no item of a Ranking has a positive."""
    if not ranked.kept.any():
        raise ValueError(f"truth has no positive: no {ranked.pivot} is left to average; check the labels")


def kept_measures(ranked):
    """Return the measures of each item that has a positive, as arrays of one value per such item."""
    starts = ranked.ptr[:-1][ranked.kept]
    n_positive = ranked.n_positive[ranked.kept]
    size = np.repeat(n_positive, n_positive)
    rank = ranked.ranks
    hits = np.arange(1, len(rank) + 1) - np.repeat(starts, n_positive)  # positives down to this one

    def per_item(values):
        dtype = np.intp if values.dtype.kind in "bi" else float
        return np.add.reduceat(values, starts, dtype=dtype) if len(starts) else np.empty(0)

    pairs = n_positive * (ranked.length - n_positive)
    wrong = per_item(rank - hits)
    auc_roc = 1 - wrong / np.maximum(pairs, 1)
    leading = per_item(rank == hits)
    last = n_positive + (rank - hits)[starts + n_positive - 1]
    return {
        "auc_roc": auc_roc,
        "auc_pr": per_item((hits / rank + _precision_above(rank, hits)) / (2 * size)),
        "average_precision": per_item(hits / rank) / n_positive,
        "one_error": 100.0 * (leading == 0),
        "is_error": 100.0 * (leading < n_positive),
        "margin": np.maximum(last - leading - 1, 0).astype(float),
        "ranking_loss": 100 * (1 - auc_roc),
    }


def _precision_above(rank, hits):
    """Return the precision one rank above each positive; above the first one, that at the first one."""
    return np.where(hits == 1, 1 / rank, (hits - 1) / np.maximum(rank - 1, 1))
