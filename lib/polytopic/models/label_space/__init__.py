"""Label sets as vertices of a hypercube: Tai & Lin's (2012) family of transformations, one frame for all."""

from polytopic.models.label_space.dimensions import Choice, choose_dimensions, compare_rules
from polytopic.models.label_space.pursuit import cosamp
from polytopic.models.label_space.ridge import CalibratedLabelRanking, PenalisedRidge
from polytopic.models.label_space.transformation import (
    PLST,
    CompressiveSensing,
    GeneralisedTopicModel,
    LabelPowerset,
    LabelSpaceTransformation,
    PartialBinaryRelevance,
)

__all__ = [
    "PLST",
    "CalibratedLabelRanking",
    "Choice",
    "CompressiveSensing",
    "GeneralisedTopicModel",
    "LabelPowerset",
    "LabelSpaceTransformation",
    "PartialBinaryRelevance",
    "PenalisedRidge",
    "choose_dimensions",
    "compare_rules",
    "cosamp",
]
