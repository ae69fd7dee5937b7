"""Label sets as vertices of a hypercube: Tai & Lin's (2012) family of transformations, one frame for all."""

from polytopic.models.label_space.dimensions import choose_dimensions
from polytopic.models.label_space.ranking import CalibratedLabelRanking
from polytopic.models.ridge import PenalisedRidge

__all__ = ["CalibratedLabelRanking", "PenalisedRidge", "choose_dimensions"]
