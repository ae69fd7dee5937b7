"""One linear SVM per label, sixteen trained at a time: the minima of LIBLINEAR, for thousands of labels."""

from functools import cache
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from polytopic.kernels import hinge
from polytopic.kernels.simd import LANES, aligned_zeros
from polytopic.models.label_space.ridge import with_ones
from polytopic.streams import stream

STILL = 0.1  # of the tolerance: the slope up to which a dual variable is left where it is
MOST_INNER = 10  # sweeps over what moves, between two sweeps over all documents


class Rule(NamedTuple):
    """How SVMs are trained."""

    cost: float
    tol: float  # between the lowest and the highest projected slope of a sweep, where an SVM is done
    max_iter: int  # sweeps over all documents
    fit_intercept: bool
    seed: int


class Trained(NamedTuple):
    """The SVMs of n labels."""

    labels: np.ndarray  # (n,) which
    weights: np.ndarray  # (n, W) float32
    intercept: np.ndarray  # (n,) float32
    n_iter: np.ndarray  # (n,) sweeps over all documents


def train(features, labels, rule, n_jobs=None, verbose=False):
    """Yield the Trained of up to sixteen labels after the other: features (D, W) CSR, labels (D, C) CSC.

    Labels that no document has, or all have, are left out. Labels of like frequency are trained together, for they
    take about as many sweeps; a label's SVM depends on itself alone. Documents are put in an order drawn once,
    and each sweep takes stretches of sixteen in an order of its own, the same for all labels. After a sweep over all
    documents up to ten go over those alone that it moved, until they are done.
    """
    n_documents = features.shape[0]
    features = with_ones(features) if rule.fit_intercept else features
    order = stream(rule.seed, "hinge", "documents").permutation(n_documents)
    documents, labels = _documents(features[order]), labels.tocsr()[order].tocsc()
    frequencies = labels.getnnz(axis=0)
    some = np.flatnonzero((frequencies > 0) & (frequencies < n_documents))
    some = some[np.argsort(-frequencies[some], kind="stable")]
    stretches = cache(
        lambda *names: stream(rule.seed, "hinge", *names).permutation(-(-n_documents // hinge.STRETCH))
    )
    blocks = [some[first : first + LANES] for first in range(0, some.size, LANES)]
    calls = (
        delayed(_block)(documents, features.shape[1], labels[:, block], block, rule, stretches)
        for block in blocks
    )
    with tqdm(total=some.size, desc="SVM", unit="label", disable=not verbose) as progress:
        for trained in Parallel(n_jobs=n_jobs, return_as="generator", prefer="threads")(calls):
            yield trained
            progress.update(trained.labels.size)


def _documents(features):
    ptr, words = features.indptr.astype(np.int64), features.indices.astype(np.int32)
    squares = np.asarray(features.multiply(features).sum(axis=1), dtype=np.float32).ravel()
    return hinge.Documents(ptr, words, features.data.astype(np.float32), squares)


def _block(documents, n_words, labels, block, rule, stretches):
    n_documents = documents.squares.size
    signs = np.full((n_documents, LANES), -1, np.float32)
    signs[:, : block.size][labels.toarray() != 0] = 1
    dual, moved = aligned_zeros((n_documents, LANES)), aligned_zeros((n_documents, LANES), np.int32)
    machines = hinge.Machines(signs, dual, moved, aligned_zeros((n_words, LANES)))
    n_iter = descend(documents, machines, block.size, rule, stretches)
    weights = machines.weights.T[: block.size]
    intercept = weights[:, -1].copy() if rule.fit_intercept else np.zeros(block.size, np.float32)
    return Trained(block, weights[:, :-1] if rule.fit_intercept else weights, intercept, n_iter)


def descend(documents, machines, n_lanes, rule, stretches):
    """Train the first n_lanes SVMs in place; return the sweeps over all documents that each took.

    stretches(outer, inner) is the order of a sweep.
    """
    on, n_iter = np.zeros((1, LANES), np.int32), np.full(LANES, rule.max_iter)
    on[0, :n_lanes] = 1
    reach = np.empty((2, LANES), np.float32)
    how = np.float32(0.5 / rule.cost), np.float32(STILL * rule.tol)
    for outer in range(rule.max_iter):
        hinge.sweep(stretches(outer, 0), documents, machines, *how, True, on, reach)
        done = (on[0] == 1) & (reach[1] - reach[0] <= rule.tol)
        n_iter[done], on[0, done] = outer + 1, 0
        inner = on.copy()
        for again in range(1, MOST_INNER + 1):
            if not inner.any():
                break
            hinge.sweep(stretches(outer, again), documents, machines, *how, False, inner, reach)
            inner[0, reach[1] - reach[0] <= rule.tol] = 0
        if not on.any():
            break
    return n_iter[:n_lanes]
