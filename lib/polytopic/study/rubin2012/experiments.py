"""Names that ``systems`` and ``results`` had before; gone when nothing asks for them any more."""

from polytopic.study.rubin2012 import results, systems
from polytopic.study.rubin2012.results import label_scores, measures
from polytopic.study.rubin2012.systems import CHAINS as SCALES
from polytopic.study.rubin2012.systems import build, prior_settings

__all__ = ["SCALES", "build", "label_scores", "measures", "prior_settings"]
MODELS = dict.fromkeys(systems.PAPER_FIVE)
OTHERS = dict.fromkeys(systems.of_kind("other paper"))
HYBRIDS = dict.fromkeys(systems.of_kind("combined"))


def stored(corpus, scale=None, others=False, table=None):
    return results.stored([corpus], [*MODELS, *(OTHERS if others else [])], scale, table)


def stored_label_scores(corpus, scale=None, others=False):
    return stored(corpus, scale, others, "labels")
