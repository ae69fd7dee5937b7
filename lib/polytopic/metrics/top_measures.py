"""What the first k entries of a ranking hold, as the field of thousands of labels counts it.

With a weight for each label these measures speak of rare labels as well: a hit counts by the inverse of the label's
propensity, an estimate of how likely a label is given where it belongs (Jain, Prabhu & Varma 2016).
"""

from functools import partial

import numpy as np

from polytopic.metrics.rank_measures import check_any_positive, rank_positives
from polytopic.metrics.thresholds import PIVOTS
from polytopic.validation import check_count, check_labels, check_not_negative, check_one_of

A, B = 0.55, 1.5


def top(truth, scores, ks=(1, 3, 5), train_labels=None, pivot="document", *, a=A, b=B):
    """Return measures of the first k entries of each item, {name: list of a float for each of ks}.

    truth is (D, C) bool and scores (D, C) real, both dense or sparse. With pivot "document" every document ranks the
    labels, with "label" every label ranks the documents. Ties keep index order. Items without a positive are left
    out; all else is a mean over items, in [0, 1]. A k of None stands for the whole ranking.

    - precision: hits among the first k, over k, also where there are fewer entries.
    - recall: hits over the item's positives.
    - f1: twice the hits over k plus the positives.
    - r_precision: hits over k, or over the item's positives if they are fewer (RP@k of Chalkidis et al. 2019).
    - ndcg: the sum of 1 / log2(1 + rank) over the hits, over that of the best ranking.

    With train_labels (D_train, C), labels that the scores were learned from, and ``inverse_propensities`` of these
    with a and b:

    - ps_precision: the sum of the hits' weights, over items, divided by the same sum of the best ranking, which has
      an item's positives of the largest weights first.
    - ps_recall: the same with each item's sums over its number of positives.
    - ps_ndcg: the same with weights times 1 / log2(1 + rank), each item's sums over the best without weights.

    Raises ValueError where no item has a positive, for shapes that differ, for scores that are not finite, for a k
    that is not 1 or more, for ks that are no series or have no k, and for train_labels of another number of labels.
    """
    check_one_of(PIVOTS, pivot=pivot)
    ks = _checked(ks)
    ranked = rank_positives(truth, scores, pivot)
    weights = None
    if train_labels is not None:
        given = inverse_propensities(train_labels, a, b)
        n_labels = ranked.length if pivot == "document" else ranked.n_positive.size
        if given.size != n_labels:
            raise ValueError(
                f"train_labels has {given.size} labels but truth has {n_labels}: they are the same ones"
            )
        weights = given[ranked.entries] if pivot == "document" else np.repeat(given, ranked.n_positive)
    return top_of(ranked, ks, weights)


def _checked(ks):
    """Return ks as a tuple. Raises ValueError unless it is a series of one k or more, each None or 1 or more."""
    if isinstance(ks, str) or not np.iterable(ks):
        raise ValueError(
            f"ks must be a series such as (1, 3, 5), got {ks!r}: for a single rank write ({ks},)"
        )
    ks = tuple(ks)
    if not ks:
        raise ValueError("ks names no rank: write some, such as (1, 3, 5), or (None,) for the whole ranking")
    for k in ks:
        if k is not None:
            check_count(k=k)
    return ks


def inverse_propensities(train_labels, a=A, b=B):
    """Return the weight of each label, (C,) float64: 1 + c (n + b)^-a for n training documents of D.

    c is (log D - 1) (b + 1)^a. train_labels is (D, C) bool, dense or sparse. The defaults are those of the Extreme
    Classification Repository, which takes a .5 and b .4 for Wikipedia, .6 and 2.6 for Amazon.

    Raises ValueError for fewer than three documents, for which c is not positive, and for a or b out of range.
    Jain, Prabhu & Varma (2016), section 4.
    """
    check_not_negative(a=a, b=b)
    labels = check_labels(train_labels, name="train_labels")
    n = labels.shape[0]
    if n < 3:
        raise ValueError(f"train_labels has {n} documents: propensities need three or more")
    c = (np.log(n) - 1) * (b + 1) ** a
    return 1 + c * (labels.getnnz(axis=0) + b) ** -a


def top_of(ranked, ks, weights=None):
    """Return the measures of ``top`` of a Ranking; weights are of its positives, in the order of its ranks."""
    found = {}
    for k in ks:
        for name, (reached, possible) in top_parts(ranked, k, weights).items():
            found.setdefault(name, []).append(float(reached.sum() / possible.sum()))
    return found


def top_parts(ranked, k, weights=None):
    """Return the parts of the measures of ``top`` for one k, {name: (reached, possible)}.

    Both are arrays (N,) over the N items of a Ranking that have a positive, in their order: a measure is the sum of
    the first over that of the second, which is 1 where a measure is a plain mean. Resampling items resamples both.
    """
    check_any_positive(ranked)
    item = np.repeat(np.cumsum(ranked.kept) - 1, ranked.n_positive)
    size = ranked.n_positive[ranked.kept]
    per_item = partial(np.bincount, item, minlength=size.size)
    place = np.arange(item.size) - np.repeat(ranked.ptr[:-1], ranked.n_positive)  # in the best ranking
    discounts = 1 / np.log2(np.arange(2, ranked.length + 2))
    gain, ideal = discounts[ranked.ranks - 1], np.append(0.0, np.cumsum(discounts))
    most = ranked.length if k is None else k
    hit, ones = ranked.ranks <= most, np.ones(size.size)
    hits, reach = per_item(weights=hit), ideal[np.minimum(size, most)]
    parts = {
        "precision": (hits / most, ones),
        "recall": (hits / size, ones),
        "f1": (2 * hits / (most + size), ones),
        "r_precision": (hits / np.minimum(size, most), ones),
        "ndcg": (per_item(weights=hit * gain) / reach, ones),
    }
    if weights is not None:
        best = weights[np.lexsort((-weights, item))]
        own, most_of = hit * weights, (place < most) * best
        sums, best_sums = per_item(weights=own), per_item(weights=most_of)
        discounted, best_discounted = (
            per_item(weights=own * gain),
            per_item(weights=most_of * discounts[place]),
        )
        parts |= {
            "ps_precision": (sums, best_sums),
            "ps_recall": (sums / size, best_sums / size),
            "ps_ndcg": (discounted / reach, best_discounted / reach),
        }
    return parts
