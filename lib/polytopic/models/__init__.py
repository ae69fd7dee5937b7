"""The study's models, as scikit-learn estimators."""

from polytopic.models.fastxml import FastXML
from polytopic.models.hybrid import HybridClassifier, with_names
from polytopic.models.label_counts import LabelCountLasso, MetaLabeler
from polytopic.models.label_space.pursuit import cosamp
from polytopic.models.label_space.ranking import CalibratedLabelRanking
from polytopic.models.label_space.transformation import (
    PLST,
    CompressiveSensing,
    GeneralisedTopicModel,
    LabelPowerset,
    PartialBinaryRelevance,
)
from polytopic.models.labelled_lda import DependencyLDA, FlatLDA, PriorLDA
from polytopic.models.layered_lda import AuthorTopicLDA, FastDependencyLDA
from polytopic.models.lda import LDA
from polytopic.models.learned_lda import LearnedDependencyLDA
from polytopic.models.model_tree import M5P
from polytopic.models.online import SCVB, SCVBDependency
from polytopic.models.pd_sparse import PDSparse
from polytopic.models.pmm import PMM
from polytopic.models.ridge import BinaryRelevanceRidge
from polytopic.models.svm import BinaryRelevanceSVM

__all__ = [
    "LDA",
    "M5P",
    "PLST",
    "PMM",
    "SCVB",
    "AuthorTopicLDA",
    "BinaryRelevanceRidge",
    "BinaryRelevanceSVM",
    "CalibratedLabelRanking",
    "CompressiveSensing",
    "DependencyLDA",
    "FastDependencyLDA",
    "FastXML",
    "FlatLDA",
    "GeneralisedTopicModel",
    "HybridClassifier",
    "LabelCountLasso",
    "LabelPowerset",
    "LearnedDependencyLDA",
    "MetaLabeler",
    "PDSparse",
    "PartialBinaryRelevance",
    "PriorLDA",
    "SCVBDependency",
    "cosamp",
    "with_names",
]
