"""The checks reach every line: the kernels' Python forms, traced over runs that are small and full of corner cases.

A compiled kernel leaves no trace, but takes the same branches: compiled and interpreted agree bit for bit
(test_training_kernels.py, test_prediction_kernel.py, test_sparse_prediction.py).
"""

import contextlib
import importlib

import numpy as np
from test_exactness import COUNTS, LABELS, TOPIC_COUNTS, TOPICS, TRAINING

from polytopic.kernels import alias, generator, weighing
from polytopic.models import DependencyLDA
from reference import branches, samplers
from reference.interpreting import interpreted

NAMES = (
    "alias documents generator label_tokens labelled lda_dense lda_tree phi_cache prediction sparse_prediction "
    "sparse_reading sums topic_prior topics weighing"
)
EVERY = [importlib.import_module(f"polytopic.kernels.{name}") for name in NAMES.split()]


@contextlib.contextmanager
def extreme_uniforms(monkeypatch, seed=0):
    """Let one uniform in three be the smallest there is and one the largest: where rounding and ties show."""
    rng = np.random.default_rng(seed)

    def draw(bits):
        return rng.choice([0.0, 1 - 2.0**-bits, rng.random()])

    with monkeypatch.context() as patch:
        patch.setattr(generator, "uniform", lambda state: draw(24))
        patch.setattr(generator, "fine_uniform", lambda state: draw(48))
        patch.setattr(generator, "uniforms", lambda state: np.float32([draw(24) for _ in state[0]]))
        yield


@contextlib.contextmanager
def uniforms_of_one(monkeypatch):
    """Let every uniform be 1, which no generator gives: sums are overrun, as rounding might overrun them."""
    with monkeypatch.context() as patch:
        patch.setattr(generator, "fine_uniform", lambda state: 1.0)
        patch.setattr(generator, "uniforms", lambda state: np.ones(state.shape[1], np.float32))
        yield


def overrun(monkeypatch):
    """Draw past the end of every sum and yield (what is drawn, what it must be)."""
    alpha = np.array([0.0, 0.2, 0.7, 0.0])
    with uniforms_of_one(monkeypatch):
        for sampler in (samplers.dense_labels, samplers.sparse_labels):
            z = sampler(COUNTS, 0.3, alpha)(np.array([[0, 3]]), np.array([[1, 1]]), 1)
            yield alpha[z].min() > 0, True
        for sampler in (samplers.dense_topics, samplers.sparse_topics):
            yield sampler(TOPIC_COUNTS, 0.2, 0.4)(np.array([[0, 3]]), np.array([[1, 1]]), 1).max(), 2
    yield from samplers.at_the_end_of_sums()


def tour(monkeypatch):
    """Run every sampler on the corner cases, a few sweeps each."""
    for docs, words, *settings in TRAINING.values():
        z = np.array([settings[0][d][0] for d in docs])
        samplers.labelled_training(docs, *settings)(np.tile(words, (3, 1)), np.tile(z, (3, 1)), 1, 5)
    for docs, items, n_items, n_topics, gamma, beta in TOPICS.values():
        for kind in samplers.TOPIC_SAMPLERS:
            step = samplers.topic_training(docs, n_items, n_topics, gamma, beta, kind)
            step(np.array([items]), np.zeros((1, len(docs)), int), 1, 5)
    long = np.zeros((1, 40), int)  # a document with more topics than lanes, of more than a branch of the tree
    for kind in samplers.TOPIC_SAMPLERS:
        samplers.topic_training(long[0], 1, 600, 0.05, 0.1, kind)(long, 15 * np.arange(40)[None], 1, 3)
    X, Y = np.array([[2, 1, 0], [0, 3, 1], [1, 0, 0]]), np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    DependencyLDA(n_topics=2, n_chains=2, n_sweeps=2, n_topic_chains=1, n_topic_sweeps=2, random_state=0).fit(
        X, Y
    )
    rng = np.random.default_rng(5)
    many = rng.poisson(rng.gamma(0.1, 8, size=(120, 12)))
    many[:20] += 1
    for own_lists in (False, True):
        samplers.with_room_for(monkeypatch, own_lists=own_lists, n_cached=1, n_pairs=1)
        for counts, alpha, words in LABELS.values():
            X = np.bincount(words, minlength=counts.shape[1])[None]
            for kind in ("dense", "sparse"):
                samplers.predicted(kind, X, counts, 0.3, 10 * np.array(alpha), 0.0, 2.0, 0.0, 0.3, 4, 1)
        X = np.bincount([0, 3, 3, 1, 4], minlength=5)[None]
        for kind in ("dense", "sparse"):
            samplers.predicted(kind, X, COUNTS, 0.3, TOPIC_COUNTS, 0.2, 2.0, 0.05, 0.3, 6, 1)
        X = np.vstack([rng.poisson(4, size=12), rng.poisson(0.7, size=12), np.eye(12, dtype=int)[3]])
        through = rng.poisson(rng.gamma(0.1, 5, size=(5, 120)))
        through[0] += 1
        samplers.predicted("sparse", X, many, 0.05, through, 0.01, 20.0, 0.01, 0.3, 30, 1, 2)
        for kind in ("dense", "sparse"):
            samplers.predicted(kind, X, many, 0.05, through, 0.01, 20.0, 0.01, 0.3, 12, 1, 2, apart=True)
        samplers.read(X, many, 0.05, through, 0.01, 20.0, 0.01, 0.3, 12, 1, 2)
        X[1] = 0
        for seed in range(3):
            samplers.properly_predicted(X, many, 0.05, through, 0.01, 20.0, 0.01, 0.3, 20, 12, seed, 2)
        samplers.properly_predicted(
            X[2:], COUNTS[:, [0, 1, 2] * 4], 0.3, TOPIC_COUNTS, 0.2, 5.0, 0.1, 0.3, 1, 4, 1
        )
    assert [weighing.first_above(np.arange(9.0), x) for x in (-1, 3, 9)] == [0, 4, 8]  # of other samplers


def test_every_branch_is_taken(monkeypatch):
    trace = branches.traced(*EVERY)
    with interpreted(*EVERY), trace:
        tour(monkeypatch)
        with extreme_uniforms(monkeypatch):
            tour(monkeypatch)
        for drawn, expected in overrun(monkeypatch):
            assert drawn == expected
    assert trace.untaken() == []


def test_an_untaken_branch_is_seen():
    """A row without weight has no alias table made."""
    trace = branches.traced(alias)
    with interpreted(alias), trace:
        alias.build(np.array([0, 1]), np.zeros(1, np.int32), np.zeros(1), np.zeros(1, alias.CELL))
    missing = trace.untaken()
    assert "build: if totals[r] > 0.0: (never true)" in missing
    assert "_build_row: n_small, n_large, heaviest = 0, 0, 0 (never reached)" in missing
