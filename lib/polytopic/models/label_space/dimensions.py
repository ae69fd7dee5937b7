"""How many dimensions PLST needs, chosen from the training data: what Tai & Lin (2012) leave to future work."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from polytopic.models.label_space import codes
from polytopic.models.label_space.ridge import PenalisedRidge
from polytopic.streams import stream
from polytopic.validation import check_indices, check_one_of

RULES = ("spectrum", "bound", "loss")
SHARE_KEPT = 0.9
SHARE_HELD = 0.1


class Choice(NamedTuple):
    """A chosen number of dimensions, and for every number from 0 to C what was known of it, (C + 1,) each."""

    n_dimensions: int
    encoding_error: np.ndarray  # Theorem 1's second term: 4/C of the squared distance to the flat, held out
    prediction_error: np.ndarray  # its first term
    loss: np.ndarray  # held-out Hamming loss
    kept: np.ndarray  # share of the training labels' variance that the directions keep


def choose_dimensions(X, Y, rule="bound", regressor=None, shift=True, random_state=0):
    """Return the Choice of PLST's number of dimensions for X (D, W) and Y (D, C), by one of three rules.

    - "spectrum": the fewest that keep nine tenths of the labels' variance; no document is held out for it.
    - "bound": the fewest whose Theorem 1 bound is within one standard error of the smallest, on a held-out tenth.
    - "loss": the fewest whose Hamming loss is within one standard error of that of all dimensions, on that tenth.
      It is the paper's rule for M* asked of training documents.

    Standard errors are of the mean over held-out documents of the difference to the best (or to the full) choice.
    A regressor is fitted once, to all directions: the predictions for M of them are its first M outputs. Never more
    than that is chosen, never fewer than one. Raises ValueError for an unknown rule.
    """
    return compare_rules(X, Y, (rule,), regressor, shift, random_state)[rule]


def compare_rules(X, Y, rules=RULES, regressor=None, shift=True, random_state=0):
    """Return {rule: Choice} as ``choose_dimensions`` has them, from one regression for all rules."""
    for rule in rules:
        check_one_of(RULES, rule=rule)
    labels = sparse.csr_matrix(check_indices(Y, "Y"), dtype=np.float64)
    order = stream(random_state, "label space", "held out").permutation(labels.shape[0])
    n_held_out = max(1, round(SHARE_HELD * len(order)))
    held_out, seen = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    features = sparse.csr_matrix(check_indices(X)) if sparse.issparse(X) else np.asarray(X)
    n_labels = labels.shape[1]
    code = codes.principal(labels[seen], n_labels, shift, stream(random_state, "label space", "choice"))
    regressor = PenalisedRidge() if regressor is None else clone(regressor)
    predicted = regressor.fit(features[seen], code.encode(labels[seen])).predict(features[held_out])
    predicted, truth = np.asarray(predicted).reshape(n_held_out, -1), labels[held_out].toarray()
    bound_parts, losses = _theorem_1(code, truth, predicted), _losses(code, truth, predicted)
    variance = (code.encode(labels[seen]) ** 2).sum(axis=0)
    kept = np.r_[0.0, variance.cumsum() / variance.sum()] if variance.sum() else np.ones(n_labels + 1)
    bound = bound_parts[0] + bound_parts[1]
    chosen = {
        "spectrum": int(np.argmax(kept >= SHARE_KEPT - 1e-12)),
        "bound": _fewest_as_good(bound, bound.mean(axis=1).argmin()),
        "loss": _fewest_as_good(losses, n_labels),
    }
    prediction, encoding = (part.mean(axis=1) for part in bound_parts)
    known = encoding, prediction, losses.mean(axis=1), kept
    return {rule: Choice(max(1, chosen[rule]), *known) for rule in rules}


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
