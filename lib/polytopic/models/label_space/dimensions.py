"""How many dimensions PLST needs, chosen from the training data: what Tai & Lin (2012) leave to future work."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from polytopic.models.label_space import codes
from polytopic.models.ridge import PenalisedRidge
from polytopic.models.selection import hold_out
from polytopic.streams import stream
from polytopic.validation import check_indices

RULES = ("spectrum", "bound", "loss")
SHARE_KEPT = 0.9
SHARE_HELD = 0.1


class Choices(NamedTuple):
    """The choice of each rule, and for every number of dimensions from 0 to C what was known of it, (C + 1,) each."""

    n_dimensions: dict  # {rule: number}
    encoding_error: np.ndarray  # Theorem 1's second term: 4/C of the squared distance to the flat, held out
    prediction_error: np.ndarray  # its first term
    loss: np.ndarray  # held-out Hamming loss
    kept: np.ndarray  # share of the training labels' variance that the directions keep


def choose_dimensions(X, Y, regressor=None, shift=True, random_state=0):
    """Return the Choices of PLST's number of dimensions for X (D, W) and Y (D, C), by three rules.

    A tenth of the documents is held out; the directions and one regression on all of them are those of the others.

    - "spectrum": the fewest that keep nine tenths of the labels' variance.
    - "bound": the fewest whose Theorem 1 bound is within one standard error of the smallest, held out.
    - "loss": the fewest whose Hamming loss is within one standard error of that of all dimensions, held out. It is
      the paper's rule for M* asked of training documents.

    Standard errors are of the mean over held-out documents of the difference to the best (or to the full) choice.
    The predictions for M directions are the regressor's first M outputs. Never fewer than one is chosen.
    """
    labels = sparse.csr_matrix(check_indices(Y, "Y"), dtype=np.float64)
    n_documents, n_labels = labels.shape
    n_held_out = max(1, round(SHARE_HELD * n_documents))
    seen, held_out = hold_out(n_documents, n_held_out, stream(random_state, "label space", "held out"))
    features = sparse.csr_matrix(check_indices(X)) if sparse.issparse(X) else np.asarray(X)
    code = codes.principal(labels[seen], n_labels, shift, stream(random_state, "label space", "choice"))
    regressor = PenalisedRidge() if regressor is None else clone(regressor)
    targets = code.encode(labels[seen])
    predicted = regressor.fit(features[seen], targets).predict(features[held_out])
    predicted, truth = np.asarray(predicted).reshape(n_held_out, -1), labels[held_out].toarray()
    (prediction, encoding), losses = _theorem_1(code, truth, predicted), _losses(code, truth, predicted)
    variance = (targets**2).sum(axis=0)
    kept = np.r_[0.0, variance.cumsum() / variance.sum()] if variance.sum() else np.ones(n_labels + 1)
    bound = prediction + encoding
    chosen = {
        "spectrum": int(np.argmax(kept >= SHARE_KEPT - 1e-12)),
        "bound": _fewest_as_good(bound, bound.mean(axis=1).argmin()),
        "loss": _fewest_as_good(losses, n_labels),
    }
    chosen = {rule: max(1, n_dimensions) for rule, n_dimensions in chosen.items()}
    return Choices(chosen, *(part.mean(axis=1) for part in (encoding, prediction, losses)), kept)


def _theorem_1(code, truth, predicted):
    """Return the bound's two terms for every M and held-out document, (C + 1, D) each."""
    scale = 4 / truth.shape[1]
    true = code.encode(truth)
    nothing = np.zeros((1, len(truth)))
    prediction = np.vstack([nothing, ((predicted - true) ** 2).T.cumsum(axis=0)])
    whole = ((truth - code.reference) ** 2).sum(axis=1)
    encoding = whole - np.vstack([nothing, (true**2).T.cumsum(axis=0)])
    return scale * prediction, scale * np.maximum(encoding, 0.0)


def _losses(code, truth, predicted):
    points = np.tile(code.reference, (len(truth), 1))
    losses = [(codes.vertices(points) != truth).mean(axis=1)]
    for m, direction in enumerate(code.projection):
        points += np.outer(predicted[:, m], direction)
        losses.append((codes.vertices(points) != truth).mean(axis=1))
    return np.array(losses)


def _fewest_as_good(values, standard):
    """Return the first row whose mean exceeds that of the standard row by no more than a standard error."""
    excess = values - values[standard]
    spread = excess.std(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(values))
    return int(np.argmax(excess.mean(axis=1) <= spread / np.sqrt(values.shape[1])))
