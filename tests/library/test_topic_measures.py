"""Measures of theta and of decisions by hand, and how many labels a MetaLabeler predicts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from polytopic import metrics
from polytopic.models import MetaLabeler


def test_js_divergence_by_hand():
    found = metrics.js_divergence([[1, 0], [0.5, 0.5], [1, 0]], [[0, 1], [0.5, 0.5], [0.5, 0.5]])
    mixed = (np.log(4 / 3) + 0.5 * np.log(2 / 3) + 0.5 * np.log(2)) / 2
    np.testing.assert_allclose(found, [np.log(2), 0, mixed])


def test_leading_topics_take_the_one_that_reaches_the_mass():
    theta = [[0.5, 0.3, 0.2], [0.9, 0.05, 0.05], [0.25, 0.25, 0.5], [0.4, 0.2, 0.4]]
    expected = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 1]]
    np.testing.assert_array_equal(metrics.leading_topics(theta), np.array(expected, bool))


def test_leading_topics_f1_by_hand():
    assert metrics.leading_topics_f1([[0.5, 0.3, 0.2]], [[0.1, 0.85, 0.05]])[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize("pivot", ["label", "document"])
def test_decided_agrees_with_scikit_learn(pivot):
    rng = np.random.default_rng(0)
    truth, decisions = (rng.random((2, 40, 9)) < 0.3).astype(int)
    truth[:, 3] = decisions[:, 3] = 0
    truth[:, 4] = 0
    first, second = (truth, decisions) if pivot == "label" else (truth.T, decisions.T)
    for empty, value in (("zero", 0), ("one", 1)):
        found = metrics.decided(truth, sparse.csr_matrix(decisions), pivot, empty)
        assert found["macro_f1"] == pytest.approx(
            f1_score(first, second, average="macro", zero_division=value)
        )
        assert found["micro_f1"] == pytest.approx(f1_score(truth, decisions, average="micro"))


def test_empty_labels_count_as_their_name_says():
    truth, decisions = [[1, 0, 0]], [[1, 0, 1]]
    macro = {one: metrics.decided(truth, decisions, empty=one)["macro_f1"] for one in metrics.EMPTY}
    assert macro == {"exclude": 1.0, "zero": pytest.approx(1 / 3), "one": pytest.approx(2 / 3)}
    with pytest.raises(ValueError, match="empty must be one of"):
        metrics.decided(truth, decisions, empty="none")
    with pytest.raises(ValueError, match="differ in shape"):
        metrics.decided(truth, [[1, 0]])


def test_metalabeler_rounds_half_up_and_predicts_one_at_least():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 6, 300)
    X = np.column_stack([np.ones(300, int), *(rng.poisson(4 * (sizes == k)) for k in range(1, 6))])
    Y = (np.arange(6) < sizes[:, None]).astype(int)
    model = MetaLabeler().fit(X, Y)
    assert (model.predict(X) == sizes).mean() > 0.6  # 0.2 by chance
    model.regression_[-1].coef_[:] = 0
    for bias, expected in ((2.5, 3), (2.49, 2), (-4.0, 1)):
        model.regression_[-1].intercept_ = bias
        assert (model.predict(X) == expected).all()
