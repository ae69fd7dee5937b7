"""Precision, recall and F1 of binary predictions, taken from the top of each item's ranking or made already."""

import numpy as np

from polytopic.metrics import thresholds
from polytopic.metrics.rank_measures import average_measures, check_any_positive, rank_positives
from polytopic.metrics.thresholds import CUTOFFS, PIVOTS
from polytopic.validation import check_labels, check_one_of

BINARY_MEASURES = tuple(
    f"{mean}_{part}" for part in ("f1", "precision", "recall") for mean in ("macro", "micro")
)
EMPTY = ("exclude", "zero", "one")


def binary(truth, scores, pivot="document", cutoff="proportional", train_labels=None, empty="exclude"):
    """Return Macro- and Micro-averaged F1, precision and recall of the top N of each item, all in [0, 1].

    truth is (D, C) bool and scores (D, C) real, both dense or sparse. Ties keep index order. N is set by
    ``cutoff``, or is given as integers, one for all or one per item:

    - "proportional": the number to expect from train_labels, (D_train, C); only this one needs them
      (``polytopic.metrics.thresholds.proportional_counts``);
    - "calibrated": the true number of positives;
    - "bep": the N with the best F1, the smallest of several.

    Macro measures average the items' own, Micro measures come from counts summed over the same items. A
    quotient 0/0 is 0. What an item without a positive does is named by ``empty``:

    - "exclude": it is left out of both averages, predictions included (Rubin et al. 2012);
    - "zero": it counts, with 0 for all three (Tai & Lin 2012, MEKA);
    - "one": it counts, with 1 for all three where it has no prediction and 0 otherwise (Papanikolaou et
      al., Mulan).

    Raises ValueError where no item has a positive, "proportional" lacks train_labels, shapes differ or a
    score is not finite. Rubin et al. (2012), sections 5.4 and 5.5.
    """
    ranked = rank_positives(truth, scores, pivot)
    return cutoff_measures(ranked, cutoff_counts(ranked, cutoff, train_labels), empty)


def decided(truth, decisions, pivot="label", empty="zero"):
    """Return macro_f1 and micro_f1, in [0, 1], of decisions against truth, (D, C) each, bool or 0/1, dense or sparse.

    Whatever rule made the decisions. The pivot says whose F1 macro_f1 averages, "label" or "document"; ``empty`` as
    for ``binary``. 0/0 is 0, and so is an average over no item. Raises ValueError for shapes that differ, for entries
    other than 0 and 1, and for another pivot or ``empty``. Papanikolaou et al., section 5.2, by label.
    """
    check_one_of(EMPTY, empty=empty)
    check_one_of(PIVOTS, pivot=pivot)
    truth, decisions = check_labels(truth, name="truth"), check_labels(decisions, name="decisions")
    if truth.shape != decisions.shape:
        raise ValueError(f"truth {truth.shape} and decisions {decisions.shape} differ in shape")
    tables = truth, decisions, truth.multiply(decisions).tocsr()
    measures = averages(*(table.getnnz(axis=0 if pivot == "label" else 1) for table in tables), empty)
    return {name: measures[name] for name in ("macro_f1", "micro_f1")}


def evaluate(truth, scores, pivot="document", train_labels=None, cutoffs=CUTOFFS, empty="exclude"):
    """Return {(cutoff, measure): value} for the ranking measures, with cutoff "", and those of every cut-off.

    The scores are ranked once; the values are those of ``ranking`` and ``binary``, with their arguments and errors.
    """
    ranked = rank_positives(truth, scores, pivot)
    values = {("", measure): value for measure, value in average_measures(ranked).items()}
    for cutoff in cutoffs:
        measures = cutoff_measures(ranked, cutoff_counts(ranked, cutoff, train_labels), empty)
        values.update({(cutoff, measure): value for measure, value in measures.items()})
    return values


def cutoff_counts(ranked, cutoff, train_labels=None):
    """Return the number of predictions of each item of a Ranking, (n_items,); see ``binary``."""
    if not isinstance(cutoff, str):
        return thresholds.check_item_counts(cutoff, len(ranked.kept), ranked.length, ranked.pivot)
    if cutoff not in CUTOFFS:
        raise ValueError(f"cutoff must be one of {', '.join(CUTOFFS)} or integers, got {cutoff!r}")
    if cutoff == "calibrated":
        return ranked.n_positive
    if cutoff == "bep":
        return thresholds.best_f1_cutoff(ranked.ranks, ranked.ptr)
    return np.minimum(_expected_counts(ranked, train_labels), ranked.length)


def cutoff_measures(ranked, counts, empty="exclude"):
    """Return the measures of ``binary`` for a Ranking whose items get ``counts`` predictions each."""
    check_one_of(EMPTY, empty=empty)
    check_any_positive(ranked)
    below = np.concatenate([[0], np.cumsum(ranked.ranks <= np.repeat(counts, ranked.n_positive))])
    return averages(ranked.n_positive, counts, np.diff(below[ranked.ptr]), empty)


def averages(true, predicted, hits, empty):
    """Return the measures of ``binary`` from the positives, predictions and hits of each item, (n_items,) each."""
    if empty == "exclude":
        kept = true > 0
        true, predicted, hits = true[kept], predicted[kept], hits[kept]
    perfect = (true == 0) & (predicted == 0) & (empty == "one")
    measures = {}
    for name, part, whole in (
        ("f1", 2 * hits, predicted + true),
        ("precision", hits, predicted),
        ("recall", hits, true),
    ):
        values = np.where(perfect, 1.0, _ratio(part, whole))
        measures[f"macro_{name}"] = float(values.mean()) if values.size else 0.0
        measures[f"micro_{name}"] = float(_ratio(part.sum(), whole.sum()))
    return measures


def _expected_counts(ranked, train_labels):
    if train_labels is None:
        raise ValueError("cutoff 'proportional' needs train_labels, (documents, labels) of the training set")
    n_items = len(ranked.kept)
    n_documents, n_labels = (ranked.length, n_items) if ranked.pivot == "label" else (n_items, ranked.length)
    labels = check_labels(train_labels, name="train_labels")
    if labels.shape[1] != n_labels:
        raise ValueError(f"train_labels has {labels.shape[1]} labels but truth has {n_labels}: use the same")
    return thresholds.proportional_counts(labels, n_documents, ranked.pivot)


def _ratio(part, whole):
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
