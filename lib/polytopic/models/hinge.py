"""One linear SVM per label, sixteen trained at a time: the minima of LIBLINEAR, for thousands of labels."""

from functools import cache
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from polytopic.kernels import hinge
from polytopic.kernels.simd import LANES, aligned_zeros
from polytopic.models.ridge import with_ones
from polytopic.streams import stream

MOST_PASSES = 1000  # over all documents, by either solver
STILL = 0.1  # of the tolerance: the slope up to which a dual variable is left where it is
MOST_INNER = 10  # sweeps over what moves, between two sweeps over all documents


class Trained(NamedTuple):
    """The SVMs of n labels."""

    labels: np.ndarray  # (n,) which
    weights: np.ndarray  # (n, W) float32
    intercept: np.ndarray  # (n,)
    n_iter: np.ndarray  # (n,) passes of the solver
    positive_weight: np.ndarray | float  # (n,), or of all
    cost: np.ndarray | float


def train(features, labels, varied, rule):
    """Yield the Trained of up to sixteen of the varied labels after the other, by the seeded BinaryRelevanceSVM rule.

    features is (D, W) CSR, labels (D, C) CSC; varied are the labels that some but not all documents have. Labels of
    like frequency are trained together, for they take about as many sweeps; a label's SVM depends on itself alone.
    Documents are put in an order drawn once, and each sweep takes stretches of sixteen in an order of its own, the
    same for all labels. After a sweep over all documents up to ten go over those alone that it moved, until they are
    done.
    """
    n_documents = features.shape[0]
    features = with_ones(features) if rule.fit_intercept else features
    order = stream(rule.random_state, "hinge", "documents").permutation(n_documents)
    documents, labels = _documents(features[order]), labels.tocsr()[order].tocsc()
    varied = varied[np.argsort(-labels.getnnz(axis=0)[varied], kind="stable")]
    stretches = cache(
        lambda *names: stream(rule.random_state, "hinge", *names).permutation(
            -(-n_documents // hinge.STRETCH)
        )
    )
    blocks = (varied[first : first + LANES] for first in range(0, varied.size, LANES))
    return Parallel(n_jobs=rule.n_jobs, return_as="generator", prefer="threads")(
        delayed(_train_block)(documents, features.shape[1], labels[:, block], block, rule, stretches)
        for block in blocks
    )


def _documents(features):
    ptr, words = features.indptr.astype(np.int64), features.indices.astype(np.int32)
    squares = np.asarray(features.multiply(features).sum(axis=1), dtype=np.float32).ravel()
    return hinge.Documents(ptr, words, features.data.astype(np.float32), squares)


def _train_block(documents, n_words, labels, block, rule, stretches):
    n_documents = documents.squares.size
    signs = np.full((n_documents, LANES), -1, np.float32)
    signs[:, : block.size][labels.toarray() != 0] = 1
    dual, moved = aligned_zeros((n_documents, LANES)), aligned_zeros((n_documents, LANES), np.int32)
    svms = hinge.Machines(signs, dual, moved, aligned_zeros((n_words, LANES)))
    n_iter = descend(documents, svms, block.size, rule, stretches)
    weights = svms.weights.T[: block.size]
    intercept = weights[:, -1].copy() if rule.fit_intercept else np.zeros(block.size, np.float32)
    weights = weights[:, :-1] if rule.fit_intercept else weights
    return Trained(block, weights, intercept, n_iter, 1.0, rule.C)


def descend(documents, svms, n_lanes, rule, stretches):
    """Train the first n_lanes SVMs in place; return the sweeps over all documents that each took.

    stretches(outer, inner) is the order of a sweep.
    """
    on, n_iter = np.zeros((1, LANES), np.int32), np.full(LANES, MOST_PASSES)
    on[0, :n_lanes] = 1
    reach = np.empty((2, LANES), np.float32)
    how = np.float32(0.5 / rule.C), np.float32(STILL * rule.tol)
    for outer in range(MOST_PASSES):
        hinge.sweep(stretches(outer, 0), documents, svms, *how, True, on, reach)
        done = (on[0] == 1) & (reach[1] - reach[0] <= rule.tol)
        n_iter[done], on[0, done] = outer + 1, 0
        inner = on.copy()
        for again in range(1, MOST_INNER + 1):
            if not inner.any():
                break
            hinge.sweep(stretches(outer, again), documents, svms, *how, False, inner, reach)
            inner[0, reach[1] - reach[0] <= rule.tol] = 0
        if not on.any():
            break
    return n_iter[:n_lanes]
