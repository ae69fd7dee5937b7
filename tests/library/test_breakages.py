"""Every breakage of test_broken_samplers.py still has the statements that it breaks: said at once, without a draw."""

import pytest
from test_broken_samplers import CASES, TWINS

from reference import breakages, twins


@pytest.mark.parametrize("case", CASES)
def test_a_breakage_finds_what_it_breaks(case):
    _, module, changes = CASES[case]
    breakages.broken(module, *changes)


@pytest.mark.parametrize("mistake", TWINS)
def test_a_breakage_of_a_twin_finds_what_it_breaks(mistake):
    breakages.broken(twins, *TWINS[mistake])
