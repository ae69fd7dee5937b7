"""Areas under the ROC curve with ties counted half, over all pairs of a document and a label or label by label."""

import numpy as np

from polytopic.metrics.thresholds import score_blocks
from polytopic.validation import check_labels


def areas(truth, scores):
    """Return micro_auc and macro_auc, in [0, 1], as a mapping.

    truth is (D, C) bool and scores (D, C) real, larger meaning more likely, both dense or sparse (absent scores 0).
    An area is the share of pairs of a positive and a negative in the right order, a tie counting half. Micro pools
    the entries of all documents and labels; macro averages over the labels that have both a positive and a negative
    document. The numbers of pairs are counted exactly, in blocks of a few MB.

    Raises ValueError for shapes that differ, scores that are not finite, and where no label has both a positive and a
    negative. Burkhardt & Kramer (2018), section 5.2.
    """
    truth = check_labels(truth, name="truth").tocsc()
    if truth.shape != np.shape(scores):
        raise ValueError(
            f"truth has shape {truth.shape}, scores {np.shape(scores)}: both are (documents, labels)"
        )
    n_documents, n_positive = truth.shape[0], truth.getnnz(axis=0).astype(np.int64)
    both = (n_positive > 0) & (n_positive < n_documents)
    if not both.any():
        raise ValueError("no label has both a positive and a negative document: no area is defined")
    pooled = np.sort(np.concatenate([own for _, _, own in _by_label(truth, scores)]))
    ahead = sum(_twice_ahead(block.ravel(), pooled) for _, block in score_blocks(scores, "label"))
    of_labels = np.full(truth.shape[1], np.nan)
    for c, row, own in _by_label(truth, scores):
        if both[c]:
            pairs = n_positive[c] * (n_documents - n_positive[c])
            of_labels[c] = (_twice_ahead(row, own) - n_positive[c] ** 2) / (2 * pairs)
    n_pooled = int(n_positive.sum())
    pairs = n_pooled * (truth.shape[0] * truth.shape[1] - n_pooled)
    return {
        "micro_auc": float((ahead - n_pooled**2) / (2 * pairs)),
        "macro_auc": float(of_labels[both].mean()),
    }


def _by_label(truth, scores):
    """Yield (label, scores of all documents, scores of its positives) of one label after the other."""
    for start, block in score_blocks(scores, "label"):
        for c, row in enumerate(block, start):
            yield c, row, row[truth.indices[truth.indptr[c] : truth.indptr[c + 1]]]


def _twice_ahead(entries, positives):
    """Return twice the number of entries below each positive, ties half, summed; of the positives' own it is n^2."""
    in_order = np.sort(entries)
    below = np.searchsorted(in_order, positives, side="left").sum(dtype=np.int64)
    return int(below + np.searchsorted(in_order, positives, side="right").sum(dtype=np.int64))
