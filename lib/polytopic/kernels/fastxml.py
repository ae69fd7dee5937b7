"""What a node of FastXML's trees does: it parts its documents by nDCG, and learns to tell the parts apart."""

import numpy as np

from polytopic.kernels.compiling import allocating, compiled, inlined

MOST_ROUNDS = 100
LEAST_GAIN = 1e-6  # of the mean nDCG, or the rounds end
SHRINK, SUFFICIENT, MOST_HALVINGS = 0.5, 0.01, 20  # of the line search
CURVATURE = 1e-12


@allocating
def part(ptr, labels, n_labels, ideal, discounts, side):
    """Move documents between two sides until the nDCG of the sides' rankings of labels grows no more.

    Those of document d are labels[ptr[d]:ptr[d + 1]], numbered within the node; ideal (D,) is the inverse of the best
    sum of discounts that d can have; side (D,) int8, 1 or -1, is changed in place. A side ranks labels by the sum of
    its documents' ideals, ties by number; a document goes where its labels rank higher, and stays where both sides
    are the same to it. Return the rounds.
    """
    before, of_labels = -1.0, np.zeros((2, n_labels))
    for turn in range(MOST_ROUNDS):
        score = np.zeros((2, n_labels))
        for d in range(side.size):
            for e in range(ptr[d], ptr[d + 1]):
                score[0 if side[d] > 0 else 1, labels[e]] += ideal[d]
        for half in range(2):
            of_labels[half, np.argsort(-score[half], kind="mergesort")] = discounts
        total = 0.0
        for d in range(side.size):
            gain, other = 0.0, 0.0
            for e in range(ptr[d], ptr[d + 1]):
                gain += of_labels[0, labels[e]]
                other += of_labels[1, labels[e]]
            if gain != other:
                side[d] = 1 if gain > other else -1
            total += ideal[d] * max(gain, other)
        mean = total / side.size
        if mean - before < LEAST_GAIN:
            return turn + 1
        before = mean
    return MOST_ROUNDS


@compiled
def l1_logistic(ptr, rows, values, signs, costs, tolerance, most_passes, weights, margins, violations):
    """Minimise sum_j |w_j| + sum_d cost_d log(1 + exp(-y_d w x_d)) by coordinate descent with Newton steps.

    The entries of feature j are rows and values from ptr[j] to ptr[j + 1]; signs (D,) int8 are y, costs (D,). weights
    (J,) and margins (D,), w x_d, are zero at first and hold the solution. violations (J,) is scratch. It ends when
    the violations of the optimality conditions add up to ``tolerance`` of those at the start. Return the passes.
    """
    first = 0.0
    for turn in range(most_passes):
        total = 0.0
        for j in range(weights.size):
            gradient, curvature = 0.0, CURVATURE
            for e in range(ptr[j], ptr[j + 1]):
                y, cost = signs[rows[e]], costs[rows[e]]
                wrong = 1 / (1 + np.exp(y * margins[rows[e]]))
                gradient -= cost * y * wrong * values[e]
                curvature += cost * wrong * (1 - wrong) * values[e] ** 2
            w = weights[j]
            up, down = gradient + 1, gradient - 1
            if w == 0:
                violations[j] = max(-up, down, 0.0)
            else:
                violations[j] = abs(up) if w > 0 else abs(down)
            total += violations[j]
            if up <= curvature * w:
                step = -up / curvature
            elif down >= curvature * w:
                step = -down / curvature
            else:
                step = -w
            if step != 0:
                weights[j] = _moved(
                    ptr[j], ptr[j + 1], rows, values, signs, costs, margins, w, step, gradient
                )
        if turn == 0:
            first = total
        if total <= tolerance * first:
            return turn + 1
    return most_passes


@inlined
def _moved(first, last, rows, values, signs, costs, margins, w, step, gradient):
    """Return the weight after a step that is halved until the objective falls enough; margins follow."""
    slope = gradient * step + abs(w + step) - abs(w)
    for _ in range(MOST_HALVINGS):
        change = abs(w + step) - abs(w)
        for e in range(first, last):
            y, margin = signs[rows[e]], margins[rows[e]]
            change += costs[rows[e]] * (_loss(y * (margin + step * values[e])) - _loss(y * margin))
        if change <= SUFFICIENT * slope:
            for e in range(first, last):
                margins[rows[e]] += step * values[e]
            return w + step
        step *= SHRINK
        slope *= SHRINK
    return w


@inlined
def _loss(margin):
    """Return log(1 + exp(-margin))."""
    return np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0)
