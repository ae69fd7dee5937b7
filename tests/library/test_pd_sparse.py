"""PD-Sparse: projection against its definition, steps against a slow twin, the gap between problem and dual."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from polytopic.datasets import load_corpus
from polytopic.kernels import pd_sparse as kernel
from polytopic.metrics.thresholds import top_n
from polytopic.models import PDSparse
from polytopic.models import pd_sparse as module
from polytopic.streams import stream
from reference.corpora import own_words


def corpus(n=30):
    return own_words(n, 6, share=0.3, base=0.2, rate=1.0)


def projected(values, lacks, cost):
    """Return the nearest feasible point by a general solver."""
    signs = np.where(lacks == 1, 1.0, -1.0)
    found = minimize(
        lambda a: ((signs * a - values) ** 2).sum(),
        np.zeros(values.size), jac=lambda a: 2 * signs * (signs * a - values),
        bounds=[(0, None)] * values.size, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda a: (signs * a).sum()},
            {"type": "ineq", "fun": lambda a: cost - a[lacks == 1].sum()},
        ],
    )  # fmt: skip
    return signs * found.x


@pytest.mark.parametrize("seed", range(12))
def test_the_projection_is_the_nearest_feasible_point(seed):
    random = np.random.default_rng(seed)
    lacks = np.append(random.integers(0, 2, 5), [0, 1]).astype(float)
    values = random.normal(0, 1.5, 7)
    found = values.copy()
    kernel.onto_feasible(found, lacks, 1.0)
    assert np.allclose(found, projected(values, lacks, 1.0), atol=1e-5)
    assert (found[lacks == 1] >= 0).all() and (found[lacks == 0] <= 0).all()
    assert found.sum() == pytest.approx(0, abs=1e-12) and found[lacks == 1].sum() <= 1 + 1e-12


def slowly(X, Y, penalty, cost, n_passes, seed, wrong=None):
    """Return the weights (W, C) by dictionaries of dual variables and weights made anew for every document."""
    alpha = [{} for _ in X]
    weights = np.zeros((X.shape[1], Y.shape[1]))
    for number in range(n_passes):
        for d in stream(seed, "pd-sparse", number).permutation(len(X)):
            x, y = X[d].astype(float), Y[d]
            if not x.any() or not y.any() or y.all():
                continue
            z = x @ weights
            lowest = np.flatnonzero(y)[np.argmin(z[y])]
            highest = np.flatnonzero(~y)[np.argmax(z[~y])]
            for c in (lowest, highest):
                alpha[d].setdefault(int(c), 0.0)
            labels = list(alpha[d])
            lacks = np.array([0.0 if y[c] else 1.0 for c in labels])
            length = np.abs(x).sum() if wrong == "another length" else x @ x
            values = np.array([alpha[d][c] for c in labels]) + (z[labels] + lacks) / length
            kernel.onto_feasible(values, lacks, cost)
            alpha[d] = {c: v for c, v in zip(labels, values, strict=True) if v != 0}
            sums = np.zeros(weights.shape)
            for row, own in zip(X, alpha, strict=True):
                for c, v in own.items():
                    sums[:, c] -= v * row
            weights = np.sign(sums) * np.maximum(np.abs(sums) - penalty, 0)
    return weights


def test_steps_are_those_of_the_slow_twin():
    X, Y = corpus()
    found = PDSparse(0.2, n_passes=4, random_state=3).fit(X, Y).coef_.toarray()
    assert np.abs(found - slowly(X, Y, 0.2, 1.0, 4, 3)).max() < 1e-9
    assert np.abs(found - slowly(X, Y, 0.2, 1.0, 4, 3, "another length")).max() > 0.01
    assert np.abs(found - slowly(X, Y, 0.3, 1.0, 4, 3)).max() > 0.01


def test_problem_and_dual_meet():
    """So the solution is optimal, whatever path led there."""
    X, Y = corpus(60)
    gaps = [
        one.objective_ - one.dual_objective_
        for one in (PDSparse(n_passes=n, random_state=0).fit(X, Y) for n in (5, 200, 3000))
    ]
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-9
    assert gaps[2] < 1e-4 * PDSparse(n_passes=3000, random_state=0).fit(X, Y).objective_


def test_a_large_table_of_less_precision_changes_weights_little(monkeypatch):
    """Numbers of 16 bits would move weights by more than .001."""
    X, Y = corpus()
    exact = PDSparse(0.2, n_passes=4, random_state=3).fit(X, Y)
    monkeypatch.setattr(module, "MOST_DOUBLE", 0)
    monkeypatch.setattr(module, "BLOCK_CELLS", 13)
    rough = PDSparse(0.2, n_passes=4, random_state=3).fit(X, Y)
    assert 0 < np.abs(rough.coef_ - exact.coef_).max() < 1e-5
    assert rough.objective_ == pytest.approx(exact.objective_, rel=1e-5)


def test_edges():
    X, Y = corpus()
    X[0], Y[1], Y[2] = 0, False, True
    scores = PDSparse(random_state=0).fit(X, Y).decision_function(sparse.csr_matrix(X))
    assert scores.shape == Y.shape and (scores[0] == 0).all()
    with pytest.raises(ValueError, match="0 sample.*nothing to learn from"):
        PDSparse().fit(X[:0], Y[:0])


@pytest.mark.real_data
def test_bibtex(real_data):
    """The Extreme Classification Repository prints 61.29, 35.82 and 25.74 for the authors' program."""
    train, test = load_corpus("bibtex").split(0)
    scores = PDSparse(random_state=0).fit(train.counts, train.labels).decision_function(test.counts)
    found = [
        100 * test.labels.multiply(top_n(scores, k, "document")).nnz / (k * test.n_documents)
        for k in (1, 3, 5)
    ]
    assert found == pytest.approx([60.1, 35.8, 26.0], abs=0.5)
