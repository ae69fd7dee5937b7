"""How long do linear support vector machines take per label: LIBLINEAR, one at a time, and sixteen together?

Documents are synthetic, of the labels' and words' frequencies of ``_synthetic``, weighed by TF-IDF, on
which machines hardly have to work for a label's words. Labels are evenly spread from the most frequent to the rarest.
Both solvers stop at the same tolerance; what they reached is in the table: the objective over the best of a strict
run, minus 1. About three minutes on one core.
"""

import _harness as harness
import _synthetic as synthetic
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from polytopic.models import BinaryRelevanceSVM

OURS, THEIRS = "together", "LIBLINEAR"
CHECKED = 8  # labels whose objective is looked at


def main():
    options = harness.arguments(
        __doc__,
        quick={"documents": 500, "words": 1_000, "labels": 200, "trained": 16},
        documents=20_000, words=30_000, labels=10_000, length=70, cardinality=3.0, trained=128, tol=0.01, cost=1.0,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, options.words, seed=options.seed)
    counts, labels = synthetic.corpus(truth, options.documents, options.length, options.cardinality, "train")
    X = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    frequencies = np.asarray(labels.sum(axis=0)).ravel()
    ranked = np.argsort(-frequencies, kind="stable")[: np.count_nonzero(frequencies)]
    some = ranked[np.linspace(0, ranked.size - 1, options.trained).astype(int)]
    Y = sparse.csr_matrix(labels)[:, some]
    solvers = {OURS: "together", THEIRS: "liblinear"}
    models = {
        name: BinaryRelevanceSVM(
            C=options.cost, normalize=None, tol=options.tol, random_state=options.seed, solver=solver
        )
        for name, solver in solvers.items()
    }
    times = harness.interleave(
        {name: lambda model=model: model.fit(X, Y) for name, model in models.items()},
        options.repeats,
        some.size,
    )
    reached = [{"name": name, "part": "reached", **_reached(model, X, Y)} for name, model in models.items()]
    table = pd.concat([harness.quartiles(times).assign(part="time"), pd.DataFrame(reached)])
    (ratio,) = harness.ratios(times, OURS).to_dict("records")
    harness.save(
        "linear_machines", table, _draw(times), options, [harness.measured("speed over LIBLINEAR", ratio)]
    )


def _reached(model, X, Y):
    """Return the objective over the best, minus 1: median and largest of CHECKED labels."""
    over = []
    for c in np.linspace(0, Y.shape[1] - 1, CHECKED).astype(int):
        positive = Y[:, c].toarray().ravel() > 0
        best = LinearSVC(C=model.C, tol=1e-6, dual=False, max_iter=10_000).fit(X, positive)
        found, least = (
            _objective(X, positive, weights, intercept, model.C)
            for weights, intercept in [
                (model.coef_[c], model.intercept_[c]),
                (best.coef_[0], best.intercept_[0]),
            ]
        )
        over.append(found / least - 1)
    return {"over_median": np.median(over), "over_most": max(over)}


def _objective(X, positive, weights, intercept, cost):
    weights = np.asarray(weights, dtype=float)
    slack = np.maximum(0, 1 - np.where(positive, 1, -1) * (X @ weights + intercept))
    return (weights @ weights + intercept**2) / 2 + cost * (slack @ slack)


def _draw(times):
    axes = harness.new_axes(width=4.6, height=2.4)
    harness.plot_bars(axes, harness.quartiles(times.assign(ns=times["ns"] / 1e6)))
    axes.set_xlabel("Milliseconds per label")
    return axes


if __name__ == "__main__":
    main()
