"""The bounded sampler: its draws have the exact distribution, and it visits the exact posterior."""

import importlib
from collections import Counter

import numpy as np
import pytest

from polytopic import paths
from polytopic.kernels import generator
from reference import enumeration

PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]])
ALPHA = np.array([0.1, 0.2, 0.6, 0.05])


@pytest.fixture
def bounded(monkeypatch):
    monkeypatch.syspath_prepend(str(paths.checkout() / "benchmarks"))
    return importlib.import_module("_bounded")


@pytest.mark.parametrize("counts", [[0, 3, 1, 0], [5, 0, 0, 0], [0, 0, 0, 0]])
@pytest.mark.parametrize("w", [0, 2])
def test_a_grid_of_uniforms_falls_on_topics_in_proportion(bounded, counts, w):
    n, phi = np.array(counts, float), np.ascontiguousarray(PHI.T)
    order = np.argsort(-n, kind="stable")
    exact = phi[w] * (n + ALPHA)
    grid, found, looked = 20_000, np.zeros(4), 0
    for g in range(grid):
        squares = ((n + ALPHA) ** 2).sum()
        u, cumulative = (g + 0.5) / grid, np.zeros(4)
        k, seen = bounded.draw(u, w, phi, (phi[w] ** 2).sum(), ALPHA, squares, n, order, cumulative)
        found[k] += 1
        looked += seen
    assert np.abs(found / grid - exact / exact.sum()).max() < 5 / grid
    first_bound_only = np.sqrt(((n + ALPHA) ** 2).sum() * (phi[w] ** 2).sum())
    assert first_bound_only > 1.02 * exact.sum()  # what shares of the first bound would be off by
    assert looked < 4 * grid


def test_the_posterior_is_visited(bounded):
    words, phi = np.array([0, 2, 2, 1], np.int32), np.ascontiguousarray(PHI.T)
    exact = enumeration.label_posterior(list(words), PHI, ALPHA)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([5], np.uint64), 0)
    z, n = np.zeros(4, np.int32), np.array([4.0, 0, 0, 0])
    order, rank, cumulative = np.arange(4), np.arange(4), np.zeros(4)
    squares, seen = bounded.norms(phi), Counter()
    for _ in range(60_000):
        bounded.sweep(0, 4, words, phi, squares, ALPHA, z, n, order, rank, cumulative, random)
        seen[tuple(z.tolist())] += 1
    assert enumeration.total_variation(exact, seen) < 0.03  # 0.015 when right
    wrong = enumeration.label_posterior(list(words), PHI, np.full(4, ALPHA.mean()))
    assert enumeration.total_variation(wrong, seen) > 0.1  # 0.49: a flat prior
    np.testing.assert_array_equal(n, np.bincount(z, minlength=4))
    np.testing.assert_array_equal(order[rank], np.arange(4))
    assert (np.diff(n[order]) <= 0).all()
