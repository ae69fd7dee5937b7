"""What is measured of scores in this room, with what it takes to resample documents or labels."""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.metrics.rank_measures import kept_measures
from polytopic.streams import stream

KS = 1, 3, 5, 10
N_RESAMPLES = 1000
TAIL = 2.5  # percent on either side of an interval
BLOCK = 100  # resamples that are drawn at a time
JUDGED = {  # measures by which models are compared: what each is of, and its k as text
    ("document", "average_precision", ""): "AP by document",
    ("label", "average_precision", ""): "AP by label",
    ("document", "precision", "5"): "P@5",
    ("document", "ps_precision", "5"): "PSP@5",
}


def parts(truth, scores, train_labels):
    """Return {(pivot, measure, k): (reached, possible)} of everything that is measured.

    Sums of both over documents, or labels, make the measure: see ``metrics.top_parts``. k is text, "" for measures of
    the whole ranking. truth and train_labels have the labels with a training document alone.
    """
    weights = metrics.inverse_propensities(train_labels)
    found = {}
    for pivot in metrics.PIVOTS:
        ranked = metrics.rank_positives(truth, scores, pivot)
        for name in ("average_precision", "auc_roc"):
            values = kept_measures(ranked)[name]
            found[pivot, name, ""] = values, np.ones(values.size)
        if pivot == "document":
            own = weights[ranked.entries]
            for k in KS:
                of_k = metrics.top_parts(ranked, k, own)
                found |= {(pivot, name, str(k)): pair for name, pair in of_k.items()}
            found[pivot, "ndcg", ""] = metrics.top_parts(ranked, None)["ndcg"]
    return found


def rows(found):
    """Return the measures as a frame: columns pivot, measure, k, value."""
    values = [(*key, reached.sum() / possible.sum()) for key, (reached, possible) in found.items()]
    return pd.DataFrame(values, columns=["pivot", "measure", "k", "value"])


def frontier(found, by):
    """Return the rows that no other one of the same ``by`` matches in as little time, the quickest first.

    found has columns AP by document and CPU s. A row is left out where another one takes no longer and its average
    precision is no lower.
    """
    found = found.sort_values([by, "CPU s", "AP by document"], ascending=[True, True, False])
    best_before = found.groupby(by)["AP by document"].transform(lambda ap: ap.cummax().shift())
    return found[~(found["AP by document"] <= best_before)]


def gains(first, second, seed):
    """Return how far one model is above another on the measures of JUDGED, as a frame, from the ``parts`` of both.

    Columns: pivot, measure, k, gain, low, high: 95 % intervals by the percentiles of 1,000 resamples of the documents
    or labels, the same for both models.
    """
    found = []
    for key in JUDGED:
        pairs = [np.stack(one[key], axis=1) for one in (first, second)]
        both = np.hstack(pairs)
        draws = _resampled(both, stream(seed, "gains", *map(str, key)))
        gain, *_ = _gain(both.sum(axis=0)[None])
        low, high = np.percentile(_gain(draws), [TAIL, 100 - TAIL])
        found.append((*key, gain, low, high))
    return pd.DataFrame(found, columns=["pivot", "measure", "k", "gain", "low", "high"])


def _resampled(values, rng):
    """Return the sums (N_RESAMPLES, 4) of rows drawn with replacement."""
    n, sums = len(values), []
    for _ in range(N_RESAMPLES // BLOCK):
        drawn = rng.integers(0, n, (BLOCK, n))
        times = np.stack([np.bincount(one, minlength=n) for one in drawn])
        sums.append(times @ values)
    return np.concatenate(sums)


def _gain(sums):
    return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
