"""The trials of Ueda & Saito (2002): several methods on seeded draws of training and test pages.

``python -m polytopic.study.ueda2002`` computes those that are not stored; ``stored`` reads them.
"""

from polytopic.study.ueda2002 import label_sets, parameter_space
from polytopic.study.ueda2002.outcomes import (
    agreement,
    beside_paper,
    extent,
    growth,
    growth_verdict,
    lead_summary,
    leads,
    leads_beside_paper,
    mark_best,
    means,
    overview,
    papers_leads,
    table,
    tuning,
    verdict,
)
from polytopic.study.ueda2002.units import (
    METHODS,
    READINGS,
    REDUCED,
    SCALES,
    WHOLE,
    build,
    draw,
    run,
    stored,
)

__all__ = [
    "METHODS",
    "READINGS",
    "REDUCED",
    "SCALES",
    "WHOLE",
    "agreement",
    "beside_paper",
    "build",
    "draw",
    "extent",
    "growth",
    "growth_verdict",
    "label_sets",
    "lead_summary",
    "leads",
    "leads_beside_paper",
    "mark_best",
    "means",
    "overview",
    "papers_leads",
    "parameter_space",
    "run",
    "stored",
    "table",
    "tuning",
    "verdict",
]
