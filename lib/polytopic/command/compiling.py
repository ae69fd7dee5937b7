"""Compiling the samplers: tiny models are fitted and applied, and whatever is compiled on the way stays on disk."""

import os

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from polytopic.models import LDA, M5P, PMM, CompressiveSensing, DependencyLDA, FlatLDA

CHAINS = {"n_chains": 2, "n_sweeps": 2, "n_test_chains": 1, "burn_in": 2, "n_samples": 2, "random_state": 0}
TOPICS = {"n_topics": 2, "n_topic_chains": 1, "n_topic_sweeps": 2}
FEW_LABELS, MANY_LABELS = 4, 400  # for each of which models read unseen documents by another sampler
FLAT, DEPENDENCY = FlatLDA(**CHAINS), DependencyLDA(**CHAINS, **TOPICS)
PROPER = DependencyLDA(**CHAINS, **TOPICS, inference="proper")
PARTS = [  # (model, labels) for each process; the last comes after the first has compiled what both need
    [(model, n_labels) for n_labels in (FEW_LABELS, MANY_LABELS) for model in (FLAT, DEPENDENCY)],
    [(LDA(n_topics=3, method=method, n_sweeps=2, random_state=0), 0) for method in ("cgs", "cvb0")],
    [(model, FEW_LABELS) for model in (PMM(order=1), PMM(order=2), CompressiveSensing())] + [(M5P(), 0)],
    [(PROPER, FEW_LABELS)],
]


def compile_part(part):
    """Fit each model to random documents and apply it; those of words alone, and trees, take no labels."""
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.poisson(1.0, (8, 12)))
    for model, n_labels in part:
        if isinstance(model, M5P):
            values = X.toarray().astype(float)
            model.fit(values, values[:, 0]).predict(values)
        elif n_labels:
            model.fit(X, sparse.csr_matrix(rng.random((8, n_labels)) < 0.6)).decision_function(X)
        else:
            model.fit(X).transform(X)


if __name__ == "__main__":
    Parallel(n_jobs=min(len(PARTS), os.cpu_count() or 1))(delayed(compile_part)(part) for part in PARTS)
