"""Label sets as vertices of a hypercube: Tai & Lin's (2012) family of transformations, one frame for all."""

from polytopic.models.label_space.dimensions import choose_dimensions, compare_rules
from polytopic.models.label_space.ridge import CalibratedLabelRanking, PenalisedRidge

__all__ = ["CalibratedLabelRanking", "PenalisedRidge", "choose_dimensions", "compare_rules"]
