"""The Lasso that says how many labels a document has."""

import numpy as np
import pytest

from polytopic.models import LabelCountLasso, label_counts

RANDOM = np.random.default_rng(1)


def documents(n=400, weight=2):
    """Return documents whose number of labels is one and ``weight`` for each use of the first word."""
    X = RANDOM.poisson(1.0, (n, 12))
    sizes = np.minimum(1 + weight * X[:, 0], 10)
    return X, np.arange(10) < sizes[:, None]


def test_it_finds_what_the_number_hangs_on():
    X, Y = documents()
    fitted = LabelCountLasso().fit(X[:300], Y[:300])
    wrong = np.abs(fitted.predict(X[300:]) - Y[300:].sum(axis=1))
    assert wrong.mean() < 0.5  # the mean number for all documents is off by 1.8
    assert np.argmax(np.abs(fitted.regression_.coef_)) == 0


def test_numbers_are_whole_and_within_the_labels():
    X, Y = documents()
    fitted = LabelCountLasso().fit(X, Y)
    many = np.zeros((2, 12), int)
    many[1, 0] = 1000
    found = fitted.predict(many)
    assert found.dtype == np.int64 and found[0] >= 0 and found[1] == 10


def test_a_draw_of_documents_is_the_seed_s(monkeypatch):
    monkeypatch.setattr(label_counts, "MOST_DOCUMENTS", 60)
    X, Y = documents()
    one, same, other = (LabelCountLasso(random_state=seed).fit(X, Y).regression_.coef_ for seed in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_what_is_wrong_is_named():
    X, Y = documents(4)
    with pytest.raises(ValueError, match="n_samples = 4 documents are too few for 5 folds"):
        LabelCountLasso().fit(X, Y)
