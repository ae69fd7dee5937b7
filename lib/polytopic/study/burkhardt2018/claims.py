"""What Burkhardt & Kramer (2018) claim of their models, which wait for these to be part of the study.

What their printed numbers say of their prose is judged already: see ``study.audit.burkhardt2018``.
"""

from polytopic.study.claims import enter

enter("burkhardt2018", {})
