"""Compiling the samplers: tiny models are fitted and applied, and whatever is compiled on the way stays on disk."""

import os

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from polytopic.models import LDA, M5P, PMM, CompressiveSensing, DependencyLDA, FlatLDA

CHAINS = {"n_chains": 2, "n_sweeps": 2, "n_test_chains": 1, "burn_in": 2, "n_samples": 2, "random_state": 0}
TOPICS = {"n_topics": 2, "n_topic_chains": 1, "n_topic_sweeps": 2}
FEW_LABELS, MANY_LABELS = 4, 400  # for each of which models read unseen documents by another sampler


def main():
    """Let several processes share the work; the last part comes after the first has compiled what both need."""
    parts = (_fast, _topics, _rest, _proper)
    Parallel(n_jobs=min(len(parts), os.cpu_count() or 1))(delayed(part)() for part in parts)


def _corpus(n_labels=FEW_LABELS):
    """Return counts and labels of documents drawn by chance."""
    rng = np.random.default_rng(0)
    return sparse.csr_matrix(rng.poisson(1.0, (8, 12))), sparse.csr_matrix(rng.random((8, n_labels)) < 0.6)


def _apply(model, X, Y):
    model.fit(X, Y).decision_function(X)


def _fast():
    for n_labels in (FEW_LABELS, MANY_LABELS):
        _apply(FlatLDA(**CHAINS), *_corpus(n_labels))
        _apply(DependencyLDA(**CHAINS, **TOPICS), *_corpus(n_labels))


def _proper():
    _apply(DependencyLDA(**CHAINS, **TOPICS, inference="proper"), *_corpus())


def _topics():
    X, _ = _corpus()
    for method in ("cgs", "cvb0"):
        LDA(n_topics=3, method=method, n_sweeps=2, random_state=0).fit(X).transform(X)


def _rest():
    X, Y = _corpus()
    for model in (PMM(order=1), PMM(order=2), CompressiveSensing()):
        _apply(model, X, Y)
    X = X.toarray().astype(float)
    M5P().fit(X, X[:, 0]).predict(X)


if __name__ == "__main__":
    main()
