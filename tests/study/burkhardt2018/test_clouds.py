"""Clouds: the largest first, none on another, all of it text."""

import numpy as np
import pytest

from polytopic.study.burkhardt2018 import clouds


def test_coherence_is_over_clouds_with_two_words():
    X = np.array([[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    kinds = {"a": np.array([[0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0], [1, 0, 0, 0]])}
    assert clouds.coherence(kinds, X).values.tolist() == [["a", 2, pytest.approx(0)]]  # of 1 and -1


def test_distance_between_topics():
    assert clouds.apart(np.array([[0.5, 0.5], [0.5, 0.5]])) == pytest.approx(0, abs=1e-12)
    assert clouds.apart(np.eye(3)) == pytest.approx(np.log(2))
