"""What one entry of the audit is."""

from collections.abc import Callable
from typing import NamedTuple

BEARINGS = ("a verdict", "a number", "a word")


class Relation(NamedTuple):
    """One thing that printed numbers must satisfy, or that a paper says of its own.

    ``kind`` is "must hold" for arithmetic, "claim" for what the prose says, "between" for numbers of several
    papers. ``bearing`` is what a broken one touches: a verdict between methods, a number that others compare
    with, or a word. ``check`` takes nothing and returns ``cases``.
    """

    name: str
    kind: str
    bearing: str
    where: str
    says: str
    check: Callable
