"""Measures of predicted label sets and of the points that they were rounded from, as Tai & Lin (2012) take them.

All are fractions from 0 to 1. Rankings count a tie half, unlike ``polytopic.metrics.ranking``.
"""

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from polytopic.metrics.binary_measures import averages
from polytopic.validation import check_indices

# Points that differ by less are tied: labels without training documents differ by rounding errors only.
DECIMALS = 9
MACRO = "macro_f1", "macro_precision", "macro_recall"
VERTEX_MEASURES = ("hamming_loss", "misordered_pairs", "macro_auc", *MACRO)


def vertex_measures(truth, points, cutoff=0.5):
    """Return {measure: value} of points (D, C), larger meaning more likely, against truth (D, C) bool.

    Labels with a point at ``cutoff`` or above, to nine decimals, are predicted.

    - hamming_loss: share of the D x C entries that are wrong;
    - misordered_pairs, the paper's ranking loss: share of a document's pairs (true label, other label) in the wrong
      order, a tie counting half, averaged over the documents that have both kinds;
    - macro_auc: the same of a label's pairs of documents in the right order, over the labels that have both kinds;
    - macro_f1, macro_precision, macro_recall: averages over all labels; 0/0 is 0, so that a label without truth and
      without prediction adds 0.

    Points that agree to nine decimals are tied. A mean over nothing is NaN. Raises ValueError where shapes differ or
    a point is not finite.

    Tai & Lin (2012), sections 2, 4.2.
    """
    truth = check_indices(truth, "truth").toarray() if sparse.issparse(truth) else np.asarray(truth)
    truth = truth.astype(bool)
    points = np.asarray(points, dtype=np.float64)
    if truth.shape != points.shape:
        raise ValueError(f"truth is {truth.shape} and points {points.shape}: both are (documents, labels)")
    if not np.isfinite(points).all():
        raise ValueError("points must be finite: replace or drop NaN and infinities")
    predicted = points >= cutoff - 10.0**-DECIMALS
    macro = averages(*(part.sum(axis=0) for part in (truth, predicted, predicted & truth)), "zero")
    return {
        "hamming_loss": float((predicted != truth).mean()) if truth.size else np.nan,
        "misordered_pairs": 1 - _pairs_in_order(truth, points),
        "macro_auc": _pairs_in_order(truth.T, points.T),
    } | {name: macro[name] for name in MACRO}


def _pairs_in_order(truth, points):
    """Return the mean over rows of the share of (positive, negative) pairs in the right order, ties half."""
    positives = truth.sum(axis=1)
    negatives = truth.shape[1] - positives
    kept = (positives > 0) & (negatives > 0)
    if not kept.any():
        return np.nan
    ranks = rankdata(np.round(points[kept], DECIMALS), method="average", axis=1)
    above = (ranks * truth[kept]).sum(axis=1) - positives[kept] * (positives[kept] + 1) / 2
    return float((above / (positives[kept] * negatives[kept])).mean())
