"""Several runs of unsupervised LDA over one corpus, as papers have them, trained side by side."""

import numpy as np
from joblib import delayed
from joblib import hash as digest
from sklearn.base import clone

from polytopic.models import lda, settings, topic_lanes
from polytopic.models.chains import Run
from polytopic.streams import word64
from polytopic.validation import check_count, check_counts


def fit_runs(model, X, n_runs, n_jobs=None):
    """Return n_runs copies of an LDA, each fitted to X (D, W) by a chain of its own; the model stays as it is.

    Run k's copy has a ``random_state`` that is drawn from the model's and k, so that it can be told from the others
    and its documents' samples are its own. Sixteen chains run side by side. Raise ValueError where ``fit`` does, and
    for method="cvb0", which has no chains.
    """
    settings.check_settings(model)
    check_count(n_runs=n_runs)
    if model.method != "cgs":
        raise ValueError(f"runs side by side are chains of method='cgs', got {model.method!r}")
    X = check_counts(X)
    settings.check_size(X)
    if X.nnz == 0:
        raise ValueError("no training document has a word: there is nothing to learn from")
    X.sort_indices()
    seed = settings.seed_of(model.random_state)
    copies = [clone(model).set_params(random_state=_seed_of_run(seed, k)) for k in range(n_runs)]
    run = Run(n_jobs, settings.memory_of(model.memory), model.verbose)
    unit = run.cached(_ends, ignore=["X"])
    given = X, digest(X), model.n_topics, float(model.alpha), float(model.beta_w), model.n_sweeps
    groups = topic_lanes.groups_of([word64(copy.random_state, "lda", "chain") for copy in copies])
    ends = run.each((delayed(unit)(*given, names) for names in groups), len(groups), "chains")
    for copy, z in zip(copies, (z for group in ends for z in group), strict=True):
        _become(copy, X, z)
    return copies


def _ends(X, key, n_topics, alpha, beta, n_sweeps, names, code):
    return topic_lanes.Chains(X, n_topics, alpha, beta, names).advance(n_sweeps).assignments()


def _become(model, X, z):
    model.n_features_in_, model.seed_, model.n_sweeps_ = X.shape[1], model.random_state, model.n_sweeps
    model.assignments_, alpha = z, np.full(model.n_topics, float(model.alpha))
    model.components_ = lda.phi_of(X, z, model.n_topics, alpha, model.beta_w, model.phi_estimator)


def _seed_of_run(seed, k):
    return int(word64(seed, "lda", "run", k) >> np.uint64(33))
