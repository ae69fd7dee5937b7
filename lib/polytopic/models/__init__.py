"""The study's models, as scikit-learn estimators."""

from polytopic.models.labelled_lda import DependencyLDA, FlatLDA, PriorLDA
from polytopic.models.lda import LDA
from polytopic.models.metalabeler import MetaLabeler
from polytopic.models.svm import BinaryRelevanceSVM

__all__ = ["LDA", "BinaryRelevanceSVM", "DependencyLDA", "FlatLDA", "MetaLabeler", "PriorLDA"]
