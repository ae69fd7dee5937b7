"""The five papers' printed numbers against each other, and what the papers say against their own numbers.

A relation is something that must hold among printed numbers, or that a paper says of its own. Its words are a row of
``data/reported/audit_claims.csv``; its check stands under its name in ``CHECKS`` of the paper's module, and gives one
row per case, see ``audit.cases``. Nothing here needs a corpus: all numbers come from ``printed.reported``.
"""
