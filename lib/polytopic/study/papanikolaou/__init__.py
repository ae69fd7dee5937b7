"""The experiments of Papanikolaou et al.: what one chain says of unseen documents, read in several ways.

Every experiment is a table put together from units, each computed once and kept in the cache, so that an interrupted
run goes on where it was. Larger scales are also stored; ``python -m polytopic.study.papanikolaou`` computes them.
"""

from polytopic.study.papanikolaou.decisions import labels, lead_labels
from polytopic.study.papanikolaou.factors import FACTORS, LEAD_COLUMNS
from polytopic.study.papanikolaou.scales import SCALES
from polytopic.study.papanikolaou.units import say_stored, stored
from polytopic.study.papanikolaou.words import (
    BENCHMARK_READINGS,
    LEAST,
    MOST,
    aligned_topics,
    blending,
    convergence,
    gibbs1,
    lead_completion,
    on_words_and_labels,
    perplexity,
    word_statistics,
    word_tokens,
)

__all__ = [
    "BENCHMARK_READINGS",
    "FACTORS",
    "LEAD_COLUMNS",
    "LEAST",
    "MOST",
    "SCALES",
    "aligned_topics",
    "blending",
    "convergence",
    "gibbs1",
    "labels",
    "lead_completion",
    "lead_labels",
    "on_words_and_labels",
    "perplexity",
    "say_stored",
    "stored",
    "word_statistics",
    "word_tokens",
]
