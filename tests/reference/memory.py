"""How much memory a piece of code takes."""

from contextlib import contextmanager
from pathlib import Path

import pytest

FORGET = Path("/proc/self/clear_refs")


@contextmanager
def at_most(megabytes):
    """Fail if the process grows by more. Its former peak is forgotten, where it can be: it would hide any below."""
    resource = pytest.importorskip("resource")
    if FORGET.exists():
        FORGET.write_text("5")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < megabytes * 1000
