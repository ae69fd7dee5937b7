"""How label sets become points in a space of fewer dimensions, and how points become label sets again.

A label set is a vertex y of the hypercube {0, 1}^C. A code encodes vertices as M numbers and decodes M numbers, true
or predicted, as a point near the hypercube; rounding that point (``vertices``) gives a vertex again. Every code has
``encode(Y)``, ``decode(H)`` and ``prefix(m)``, the code made of its first m dimensions, where that makes sense.

The functions of this module learn a code from training labels Y, (D, C), sparse or dense.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import hadamard
from sklearn.cluster import KMeans

from polytopic.models.label_space.pursuit import cosamp

EXACT_UP_TO = 2000  # labels for which the (C, C) covariance is taken apart exactly
SHARED = 1e-9  # of the largest: eigenvalues, or entries of a direction, no further apart count as equal
ROUNDING = 1e-9  # of a coordinate: no further from 1/2 it counts as 1/2
OVERSAMPLING = 20
N_ITER = 7


def vertices(points):
    """Return the label sets nearest to the points, (D, C) bool; a coordinate of 1/2 rounds up.

    So does one that is 1/2 but for rounding errors, as the mean of a leaf half of whose documents have the label.

    Tai & Lin (2012), Eq. 2.
    """
    return np.asarray(points) >= 0.5 - ROUNDING


class FlatCode(NamedTuple):
    """Projection onto a flat: h = P (y - o), decoded as o + P^T h. Tai & Lin (2012), algorithm 8."""

    reference: np.ndarray  # o, (C,)
    projection: np.ndarray  # P, (M, C), orthonormal rows

    def encode(self, Y):
        return _product(Y, self.projection) - self.projection @ self.reference

    def decode(self, H):
        return self.reference + H @ self.projection

    def prefix(self, m):
        return self._replace(projection=self.projection[:m])


class AxisCode(NamedTuple):
    """Projection onto some labels' own axes; the others stand where ``rest`` says.

    FlatCode with rows of the unit matrix. The reference of a projected label is 1/2, so that its regressor learns
    -1/2 and +1/2; that of the others is ``rest``.
    """

    rest: np.ndarray  # (C,)
    labels: np.ndarray  # (M,) columns of Y

    def encode(self, Y):
        chosen = Y[:, self.labels]
        return (chosen.toarray() if sparse.issparse(chosen) else np.asarray(chosen)) - 0.5

    def decode(self, H):
        points = np.tile(self.rest, (len(H), 1))
        points[:, self.labels] = 0.5 + H
        return points

    def prefix(self, m):
        return self._replace(labels=self.labels[:m])


class MeasurementCode(NamedTuple):
    """Linear measurements of a sparse vertex, h = A (y xor f), decoded by CoSaMP. Tai & Lin (2012), algorithm 4."""

    projection: np.ndarray  # A, (M, C), entries +-1
    sparsity: int
    flipped: np.ndarray  # f, (C,) bool: labels that count by their absence

    def encode(self, Y):
        sign = np.where(self.flipped, -1.0, 1.0)
        return _product(Y, self.projection * sign) + self.projection @ self.flipped

    def decode(self, H):
        """Return vertices as 0.0 and 1.0: a coefficient above 1/2 is a label, and CoSaMP keeps no finer order.

        One of 1/2 but for rounding errors, as two equal columns that share a label's weight have, is none.
        """
        present = cosamp(self.projection, H, self.sparsity) > 0.5 + ROUNDING
        return (present ^ self.flipped).astype(np.float64)

    def prefix(self, m):
        return self._replace(projection=self.projection[:m])


class ClusterCode(NamedTuple):
    """Membership in one of M clusters of vertices, decoded through the clusters' centres.

    With ``soft`` a prediction is taken as a distribution over clusters (negative values cut off, the rest brought
    to sum 1) and decoded as the mean of the centres: generalised topic modelling, Tai & Lin (2012), algorithm 5.
    Without, the largest entry, the first of several, names the one centre: label powerset, algorithm 1, where every
    vertex of the training set is a cluster of its own.
    """

    centres: np.ndarray  # (M, C)
    soft: bool

    def encode(self, Y):
        """Return each vertex's membership, 1 for the nearest centre (the first of several) and 0 elsewhere."""
        distance = (self.centres**2).sum(axis=1) - 2 * _product(Y, self.centres)
        return np.eye(len(self.centres))[distance.argmin(axis=1)]

    def decode(self, H):
        if not self.soft:
            return self.centres[np.asarray(H).argmax(axis=1)]
        shares = np.maximum(H, 0.0)
        shares[shares.sum(axis=1) == 0] = 1.0
        return (shares / shares.sum(axis=1, keepdims=True)) @ self.centres


def principal(Y, n_dimensions, shift=True, rng=None):
    """Return the FlatCode of the first principal directions of the labels: PLST, Tai & Lin (2012), algorithm 9.

    The reference point is the mean vertex, or the origin without ``shift`` (PLST-Origin). Up to 2,000 labels the
    directions are exact, from the (C, C) covariance; above that they come from a randomised SVD of the sparse
    labels, which ``rng`` seeds, and the mean is taken off without making them dense. Each direction's sign is such
    that its largest entry is positive, the first of several. Exact directions that share an eigenvalue, as those of
    rare labels do, are any rotation of each other: they are turned towards one label's axis after the other, so that
    the code hangs neither on the processor nor on the number of threads.
    """
    labels = sparse.csr_matrix(Y, dtype=np.float64)
    n_documents, n_labels = labels.shape
    reference = np.asarray(labels.mean(axis=0)).ravel() if shift else np.zeros(n_labels)
    if n_labels <= EXACT_UP_TO:
        second = (labels.T @ labels).toarray() - n_documents * np.outer(reference, reference)
        values, vectors = np.linalg.eigh(second)
        directions = _settled(values[::-1], vectors[:, ::-1].T)[:n_dimensions]
    else:
        directions = _randomised(labels, reference, n_dimensions, rng)
    signs = [np.sign(direction[_first_largest(np.abs(direction))]) for direction in directions]
    return FlatCode(reference, directions * np.array(signs)[:, None])


def frequent(Y, n_dimensions, shift=False):
    """Return the AxisCode of the labels with most documents: partial binary relevance; all labels give the full one.

    The other labels stand at 0, or at their mean with ``shift`` (PBR-Mean). Labels of equal frequency come in the
    order of their columns. Regressors learn -1/2 and +1/2, not 0 and 1: the paper's numbers come from labels of
    that kind, and with a penalised intercept it makes a small difference.
    """
    frequency = np.asarray(sparse.csr_matrix(Y).sum(axis=0)).ravel()
    most_frequent = np.argsort(-frequency, kind="stable")[:n_dimensions]
    return AxisCode(frequency / Y.shape[0] if shift else np.zeros(Y.shape[1]), most_frequent)


def measured(Y, n_dimensions, rng, sparsity=None, best_vertex=False, ones_row=None):
    """Return the MeasurementCode of random rows of a Hadamard matrix: compressive sensing, CS.

    The matrix has 2^ceil(log2 C) rows; its first C columns are used, and ``n_dimensions`` different rows, which
    ``rng`` draws: the rows for fewer dimensions are the first of those for more. ``ones_row`` True puts the row that
    holds nothing but ones first, False leaves it out, None leaves it to chance. With ``best_vertex`` labels that most
    documents have count by their absence (CS-BestVertex). sparsity None is the largest label set in Y, counted after
    that.
    """
    labels = sparse.csr_matrix(Y, dtype=np.float64)
    n_documents, n_labels = labels.shape
    matrix = hadamard(1 << max(1, int(np.ceil(np.log2(n_labels)))))
    rows = rng.permutation(len(matrix))
    if ones_row is not None:
        rows = rows[rows != 0]
        rows = np.r_[0, rows] if ones_row else rows
    frequency = np.asarray(labels.sum(axis=0)).ravel()
    flipped = (2 * frequency > n_documents) if best_vertex else np.zeros(n_labels, bool)
    if sparsity is None:
        sizes = _product(labels, np.where(flipped, -1.0, 1.0)[None]) + flipped.sum()
        sparsity = max(1, int(sizes.max()))
    projection = matrix[rows[:n_dimensions], :n_labels].astype(np.float64)
    return MeasurementCode(projection, min(sparsity, n_labels), flipped)


def occupied(Y):
    """Return the ClusterCode of the occupied vertices, in the order of their first document: label powerset."""
    labels = sparse.csr_matrix(Y).toarray().astype(bool)
    first = np.unique(np.packbits(labels, axis=1), axis=0, return_index=True)[1]
    return ClusterCode(labels[np.sort(first)].astype(np.float64), soft=False)


def clustered(Y, n_clusters, seed=None):
    """Return the ClusterCode of ``n_clusters`` k-means clusters of the vertices: generalised topic modelling.

    k-means is the plainest of the clusterings that algorithm 5 allows; a vertex belongs to one cluster only.
    """
    labels = sparse.csr_matrix(Y, dtype=np.float64).toarray()
    centres = KMeans(n_clusters, n_init=1, random_state=seed).fit(labels).cluster_centers_
    return ClusterCode(centres, soft=True)


def _settled(values, directions):
    """Return the directions, those that share an eigenvalue turned so that rounding does not choose among them.

    Any rotation within such a group is as good. The one taken: the first direction is what the group holds of one
    label's axis, the second what the remainder holds of another's, and so on, each time of the label of which most
    is held, the first of several. values fall; directions (C, C) are rows.
    """
    ends = np.flatnonzero(np.diff(values) < -SHARED * np.abs(values).max()) + 1
    settled = directions.copy()
    for group in np.split(settled, ends):
        for k in range(len(group) - 1):
            rest = group[k:]
            # the mirror of Householder's reflection, which moves all of the label into the first row
            mirror = rest[:, _first_largest((rest**2).sum(axis=0))].copy()
            mirror[0] += np.copysign(np.linalg.norm(mirror), mirror[0])
            rest -= np.outer(2 / (mirror @ mirror) * mirror, mirror @ rest)
    return settled


def _first_largest(sizes):
    """Return the place of the largest of sizes (C,), the first of those that are equal but for rounding."""
    return int(np.flatnonzero(sizes >= (1 - SHARED) * sizes.max())[0])


def _randomised(labels, mean, n_dimensions, rng):
    """Return the first directions of the labels less their mean (Halko et al. 2011), which are never made dense."""
    seed = None if rng is None else int(rng.integers(1 << 31))
    basis = np.random.default_rng(seed).standard_normal((labels.shape[1], n_dimensions + OVERSAMPLING))
    for _ in range(N_ITER):
        projected = labels @ basis - mean @ basis
        basis = np.linalg.qr(labels.T @ projected - np.outer(mean, projected.sum(axis=0)))[0]
    projected = labels @ basis - mean @ basis
    return np.linalg.svd(projected, full_matrices=False)[2][:n_dimensions] @ basis.T


def _product(Y, rows):
    """Return Y @ rows.T, dense."""
    return np.asarray((sparse.csr_matrix(Y) if sparse.issparse(Y) else np.asarray(Y, float)) @ rows.T)
