"""How checks of printed numbers enter the register of claims.

A check returns ``cases``, or yields several frames of them. It says what its docstring says, up to an empty line:

    @relation("hypercube sparsity", "table 2", MUST_HOLD, NUMBER)
    def hypercube_sparsity():
        \"\"\"It is the number of distinct label sets over 2^K.\"\"\"
"""

from functools import partial, wraps

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.claims import BETWEEN, CLAIM, CLAIMS, MUST_HOLD, PRINTED, Claim

__all__ = ["BEARINGS", "BETWEEN", "CLAIM", "MUST_HOLD", "NUMBER", "VERDICT", "WORD", "Relations"]

BEARINGS = VERDICT, NUMBER, WORD = ("a verdict", "a number", "a word")
NOTEBOOK = "audit/printed_numbers"


class Relations:
    """Enters the relations of one paper, whose names begin with it.

    ``results(**part)`` returns a part of the numbers that ``better`` compares. ``bearing`` is what a broken relation
    touches: a verdict between methods, a number that others compare with, or a word.
    """

    def __init__(self, paper, results=None):
        self.paper, self.results = paper, results

    def __call__(self, name, where, kind=CLAIM, bearing=VERDICT, paper=None):
        """Return the decorator that enters a check and joins what it yields; ``paper`` where it is of another one."""

        def enter(check):
            says = " ".join(check.__doc__.partition("\n\n")[0].split())
            whole = wraps(check)(lambda: _joined(check()))
            return self._enter(name, where, says, kind, bearing, paper)(whole)

        return enter

    def better(self, name, where, says, firsts, seconds, bearing=VERDICT, **part):
        """Enter the claim that each of some models is better than each of others, as printed."""
        self._enter(name, where, says, CLAIM, bearing)(partial(self._compared, firsts, seconds, part))

    def _enter(self, name, where, says, kind, bearing, paper=None):
        name = f"{self.paper}: {name}"

        def add(check):
            CLAIMS.append(
                Claim(paper or self.paper, says, where, PRINTED, NOTEBOOK, check, "", kind, name, bearing)
            )
            return check

        return add

    def _compared(self, firsts, seconds, part):
        return cases.beats(self.results(**part), firsts, seconds)


def _joined(found):
    return found if isinstance(found, pd.DataFrame) else pd.concat(found, ignore_index=True)
