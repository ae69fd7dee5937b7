"""Small corpora that several test modules fit models to, and how long their chains are."""

import numpy as np
from scipy import sparse

SHORT = {
    "n_chains": 3,
    "n_sweeps": 10,
    "n_test_chains": 18,
    "burn_in": 4,
    "n_samples": 3,
    "lag": 2,
    "random_state": 5,
}


def labelled(n_documents=60, n_words=30, n_labels=6, seed=0):
    """Documents of six labels, each with words of its own; the first label is common and the last rare."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_documents, n_labels)) < np.linspace(0.6, 0.1, n_labels)
    Y[np.arange(n_documents), rng.integers(0, n_labels, n_documents)] = True
    phi = np.full((n_labels, n_words), 0.1)
    for c in range(n_labels):
        phi[c, c * 5 : c * 5 + 5] = 4
    rates = Y @ phi
    X = rng.poisson(12 * rates / rates.sum(axis=1, keepdims=True))
    X[:, 0] += X.sum(axis=1) == 0
    return sparse.csr_matrix(X), sparse.csr_matrix(Y)


def mixed(n_documents=60, n_words=25, n_labels=5, seed=0, length=15):
    """Documents of up to four of five labels, each label with words of its own, the first label common."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_documents, n_labels)) < np.linspace(0.6, 0.15, n_labels)
    Y[np.arange(n_documents), rng.integers(0, n_labels, n_documents)] = True
    Y[Y.all(axis=1), 0] = False
    phi = np.full((n_labels, n_words), 0.2)
    for c in range(n_labels):
        phi[c, c * 4 : c * 4 + 5] = 4
    lean = Y * rng.uniform(0.3, 1.0, n_labels)  # some labels prevail, which alpha should notice
    rates = lean @ phi
    X = rng.poisson(length * rates / rates.sum(axis=1, keepdims=True))
    X[:, 0] += X.sum(axis=1) == 0
    return X, Y


def own_words(n_documents, n_labels, *, share, base, rate, n_common=0, seed=0):
    """Return X and Y, dense: two words of its own for each label, and words of none; each document has a label."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_documents, n_labels)) < share
    Y[np.arange(n_documents), rng.integers(0, n_labels, n_documents)] = True
    own = np.hstack([np.repeat(Y, 2, axis=1), np.zeros((n_documents, n_common), bool)])
    return rng.poisson(base + rate * own), Y
