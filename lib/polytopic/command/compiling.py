"""Compiling the samplers once, before several processes would each do it for themselves."""

import os
import subprocess
import sys
from pathlib import Path

MARK = "compiled"
CHAINS = {"n_chains": 2, "n_sweeps": 2, "n_test_chains": 1, "burn_in": 2, "n_samples": 2}
FEW_LABELS, MANY_LABELS = 4, 400  # for each of which models read unseen documents by another sampler
TOPICS = {"n_topics": 2, "n_topic_chains": 1, "n_topic_sweeps": 2}


def compile_once(variables):
    """Compile the samplers into the folder that the variables name, unless that was done; say that it takes time.

    Where it fails or is interrupted, whoever needs a sampler compiles it.
    """
    mark = Path(variables["NUMBA_CACHE_DIR"]) / MARK
    if mark.is_file():
        return
    print("Compiling the samplers, once for this machine: about a minute", flush=True)
    command = [sys.executable, "-m", __name__]
    if subprocess.call(command, env=os.environ | variables, stderr=subprocess.DEVNULL) == 0:
        mark.touch()


def main():
    """Fit and apply tiny models: whatever is compiled on the way stays on disk. Several processes share the work.

    The last part comes after the first has compiled what both need.
    """
    from joblib import Parallel, delayed

    parts = (_fast, _topics, _rest, _proper)
    Parallel(n_jobs=min(len(parts), os.cpu_count() or 1))(delayed(part)() for part in parts)


def _apply(models, n_labels=FEW_LABELS):
    """Fit models to documents drawn by chance, and apply them; return the documents."""
    import numpy as np
    from scipy import sparse

    rng = np.random.default_rng(0)
    X, Y = sparse.csr_matrix(rng.poisson(1.0, (8, 12))), sparse.csr_matrix(rng.random((8, n_labels)) < 0.6)
    for model in models:
        model.fit(X, Y).decision_function(X)
    return X


def _fast():
    from polytopic.models import DependencyLDA, FlatLDA

    for n_labels in (FEW_LABELS, MANY_LABELS):
        _apply(
            [FlatLDA(**CHAINS, random_state=0), DependencyLDA(**CHAINS, **TOPICS, random_state=0)], n_labels
        )


def _proper():
    from polytopic.models import DependencyLDA

    _apply([DependencyLDA(**CHAINS, **TOPICS, inference="proper", random_state=0)])


def _topics():
    from polytopic.models import LDA

    X = _apply([])
    for method in ("cgs", "cvb0"):
        LDA(n_topics=3, method=method, n_sweeps=2, random_state=0).fit(X).transform(X)


def _rest():
    from polytopic.models import M5P, PMM, CompressiveSensing

    X = _apply([PMM(order=1), PMM(order=2), CompressiveSensing()]).toarray().astype(float)
    M5P().fit(X, X[:, 0]).predict(X)


if __name__ == "__main__":
    main()
