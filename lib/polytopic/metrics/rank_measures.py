"""The seven measures of a ranking."""

import numpy as np

from polytopic.metrics.ranks import rank_positives

RANKING_MEASURES = (
    "auc_roc",
    "auc_pr",
    "average_precision",
    "one_error",
    "is_error",
    "margin",
    "ranking_loss",
)


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
        raise ValueError(
            f"truth has no positive, so no {ranked.pivot} is left to average over: check the test labels"
        )


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
