"""What tests of commands share: signals mean afterwards what they meant before."""

import signal

import pytest


@pytest.fixture(autouse=True)
def signals_as_before():
    """Take back what a command that runs within the test does at a request to end; forked workers inherit it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, own in before.items():
        signal.signal(number, own)
