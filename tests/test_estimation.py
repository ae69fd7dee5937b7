"""The pieces of the experiments on Papanikolaou et al.: measures by hand, word selection, and what is stored."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from polytopic import estimation, metrics, paths
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
    model.regression_.coef_[:] = 0
    for bias, expected in ((2.5, 3), (2.49, 2), (-4.0, 1)):
        model.regression_.intercept_ = bias
        assert (model.predict(X) == expected).all()


def test_word_tokens_of_debtags_and_of_its_labels():
    train, test, words = estimation.word_tokens("debtags", 200)
    assert train.shape[0] <= 200 and test.shape[0] <= 20 and train.shape[1] == test.shape[1] == len(words)
    assert (np.diff(train.indptr) > 0).all() and (np.asarray(train.sum(axis=0)).ravel() > 0).all()
    tags, _, names = estimation.word_tokens("debtags-labels", 200)
    assert tags.max() == 1 and any("::" in name for name in names)


@pytest.mark.real_data
def test_reuters_is_the_papers_selection(real_data):
    train, test, words = estimation.word_tokens("reuters21578")
    assert train.shape[0] <= 10_000 and test.shape[0] <= 1000
    uses = np.asarray(train.sum(axis=0) + test.sum(axis=0)).ravel()
    assert uses.min() == estimation.LEAST and uses.max() <= estimation.MOST
    assert abs(train.sum() / 10_000 - 49.68) < 2  # the paper's mean length; 74.5 without its word rule


def test_tables_above_quick_scale_are_stored_and_read_back(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    tiny = {"n_samples": [1, 2], "runs": 1, "n_topics": 3, "n_sweeps": 3, "documents": 60}
    monkeypatch.setitem(estimation.SCALES, "medium", {"lead_completion": tiny})
    assert estimation.stored("lead_completion").empty
    table = estimation.lead_completion("debtags", "medium")
    again = estimation.stored("lead_completion", ["debtags"])
    assert list(again.columns) == list(table.columns) and len(again) == len(table) == 2 * 6
    np.testing.assert_allclose(again["value"], table["value"], rtol=1e-6)
    assert estimation.stored("lead_completion", ["another"]).empty
    with pytest.raises(ValueError, match="unknown scale"):
        estimation.perplexity("debtags", "large")
