"""What a first compilation says."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from polytopic.kernels import generator
for name in range(2):
    generator.seed(np.zeros((4, 1), np.uint32), np.array([name], np.uint64), 0)
"""


@pytest.fixture
def told(tmp_path):
    """A function that compiles in a process of its own and returns what that says."""

    def compile_here(**variables):
        kept = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
        settings = kept | {"NUMBA_CACHE_DIR": str(tmp_path)} | variables
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=settings, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stderr

    return compile_here


def test_a_first_compilation_says_once_that_it_is_one(told):
    """A first fit took minutes, and a bar stood at nothing."""
    first = told()
    assert first.count("compiling the samplers") == 1 and first.count("\n") == 1
    assert told() == ""


def test_it_says_nothing_where_progress_is_not_wanted(told):
    assert told(TQDM_DISABLE="1") == ""
