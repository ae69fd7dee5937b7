"""Results set beside statistics of the corpora, other publications and print (Rubin et al. 2012)."""

from polytopic.comparisons import drawing, published, relative, settings

__all__ = ["drawing", "published", "relative", "settings"]
