"""Measures of rankings and of binary predictions, by document or by label.

Rubin et al. (2012), sections 5.3 to 5.5. Everything follows from the ranks of the positives, so an item's
scores are ranked once and never sorted in full where a count will do.
"""

from polytopic.metrics.areas import areas
from polytopic.metrics.binary_measures import BINARY_MEASURES, EMPTY, binary, decided, evaluate
from polytopic.metrics.coherence import leading_words, npmi
from polytopic.metrics.convergence import effective_sample_size, split_rhat
from polytopic.metrics.measures import MEASURES, Measure
from polytopic.metrics.rank_measures import (
    RANKING_MEASURES,
    Ranking,
    rank_positives,
    ranking,
    ranking_per_item,
)
from polytopic.metrics.thresholds import CUTOFFS, PIVOTS
from polytopic.metrics.top_measures import inverse_propensities, top, top_of, top_parts
from polytopic.metrics.topic_measures import (
    halves,
    js_divergence,
    leading_topics,
    leading_topics_f1,
    log_likelihood,
    perplexity,
)
from polytopic.metrics.vertex_measures import VERTEX_MEASURES, vertex_measures

__all__ = [
    "BINARY_MEASURES",
    "CUTOFFS",
    "EMPTY",
    "MEASURES",
    "PIVOTS",
    "RANKING_MEASURES",
    "VERTEX_MEASURES",
    "Measure",
    "Ranking",
    "areas",
    "binary",
    "decided",
    "effective_sample_size",
    "evaluate",
    "halves",
    "inverse_propensities",
    "js_divergence",
    "leading_topics",
    "leading_topics_f1",
    "leading_words",
    "log_likelihood",
    "npmi",
    "perplexity",
    "rank_positives",
    "ranking",
    "ranking_per_item",
    "split_rhat",
    "top",
    "top_of",
    "top_parts",
    "vertex_measures",
]
