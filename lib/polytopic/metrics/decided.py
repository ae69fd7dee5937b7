"""F1, precision and recall of decisions made already, whatever rule made them."""

import numpy as np

from polytopic.metrics.binary_measures import EMPTY
from polytopic.validation import check_labels


def decided(truth, decisions, pivot="label", empty="zero"):
    """Return macro_f1 and micro_f1 of decisions (D, C) against truth (D, C), bool or 0/1, dense or sparse, in [0, 1].

    Macro averages the items' own F1, micro sums the counts of all items that count. An item without a positive is
    left out (``empty="exclude"``), counts with 0 ("zero"), or with 1 where it has no decision and 0 otherwise
    ("one", as in Papanikolaou et al.). Raises ValueError for shapes that differ or another name.
    """
    if empty not in EMPTY:
        raise ValueError(f"empty must be one of {', '.join(EMPTY)}, got {empty!r}")
    truth, decisions = check_labels(truth, name="truth"), check_labels(decisions, name="decisions")
    if truth.shape != decisions.shape:
        raise ValueError(f"truth {truth.shape} and decisions {decisions.shape} differ in shape")
    axis = {"label": 0, "document": 1}[pivot]
    true, chosen, hits = (
        np.asarray(table.sum(axis=axis)).ravel().astype(float)
        for table in (truth, decisions, truth.multiply(decisions))
    )
    if empty == "exclude":
        true, chosen, hits = (counts[true > 0] for counts in (true, chosen, hits))
    whole = true + chosen
    f1 = np.where(whole > 0, 2 * hits / np.where(whole > 0, whole, 1), float(empty == "one"))
    return {
        "macro_f1": float(f1.mean()) if f1.size else 0.0,
        "micro_f1": float(2 * hits.sum() / whole.sum()) if whole.sum() else 0.0,
    }
