"""The study's models, as scikit-learn estimators."""

from polytopic.models.labelled_lda import DependencyLDA, FlatLDA, PriorLDA
from polytopic.models.pmm import PMM
from polytopic.models.svm import BinaryRelevanceSVM

__all__ = ["BinaryRelevanceSVM", "DependencyLDA", "FlatLDA", "PMM", "PriorLDA"]
