"""All measures of one set of scores, ranked once."""

from polytopic.metrics.binary_measures import cutoff_counts, cutoff_measures
from polytopic.metrics.rank_measures import average_measures
from polytopic.metrics.ranks import rank_positives
from polytopic.metrics.thresholds import CUTOFFS


def evaluate(truth, scores, pivot="document", train_labels=None, cutoffs=CUTOFFS, empty="exclude"):
    """Return {(cutoff, measure): value} for the ranking measures, with cutoff "", and those of every cut-off.

    The values are those of ``ranking`` and ``binary``, which document the arguments and the errors raised.
    """
    ranked = rank_positives(truth, scores, pivot)
    values = {("", measure): value for measure, value in average_measures(ranked).items()}
    for cutoff in cutoffs:
        measures = cutoff_measures(ranked, cutoff_counts(ranked, cutoff, train_labels), empty)
        values.update({(cutoff, measure): value for measure, value in measures.items()})
    return values
