"""The pieces of the experiments on Papanikolaou et al.: measures by hand, word selection, and what is stored."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from polytopic import metrics, paths
from polytopic.models import MetaLabeler
from polytopic.study import papanikolaou as estimation
from polytopic.study.papanikolaou import __main__, decisions, units


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


TINY = {
    "chains": [1, 2],
    "n_chains": 2,
    "n_sweeps": 3,
    "burn_in": 3,
    "n_samples": 2,
    "lag": 1,
    "documents": 40,
    "documents_of_many_labels": 20,
}


class Bar:
    """What a progress bar is told."""

    made = []

    def __init__(self, total, initial, **how):
        self.total, self.initial, self.steps, self.how = total, initial, [], how
        self.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def update(self, step):
        self.steps.append(step)


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr(Bar, "made", [])
    monkeypatch.setattr(units, "tqdm", Bar)
    return Bar.made


def weighed(name, failing, log):
    log.append(name)
    if name in failing:
        raise KeyboardInterrupt
    return name.upper()


def test_progress_goes_by_cost_and_what_is_kept_costs_nothing(bars):
    """Were units counted, three of four would be done after a tenth of the time."""
    failing, log = ["d"], []
    costs = {"a": 1.0, "b": 2.0, "c": 2.0, "d": 45.0}
    calls = [units.Call(weighed, (name, failing, log), cost, key=name) for name, cost in costs.items()]
    with pytest.raises(KeyboardInterrupt):
        list(units.each(calls, "made up"))
    assert (bars[0].total, bars[0].initial, bars[0].steps) == (50, 0, [1, 2, 2])
    assert bars[0].how["smoothing"] == 0  # the time left goes by all that is done, not by the last units
    failing.clear(), log.clear()
    assert list(units.each(calls, "made up")) == ["A", "B", "C", "D"]
    assert log == ["d"]
    assert (bars[1].total, bars[1].initial, bars[1].steps) == (50, 5, [0, 0, 0, 45])


def test_labels_do_not_depend_on_how_the_documents_are_shared_out(monkeypatch, bars):
    monkeypatch.setitem(estimation.SCALES["quick"], "labels", TINY)
    whole = estimation.labels("debtags")
    assert len(bars[-1].steps) == 1
    assert set(whole["chains"]) == {1, 2} and len(whole) == 7 * 2 * 2 * 2
    monkeypatch.setattr(decisions, "BLOCK", 15)
    monkeypatch.setattr(units, "one", lambda function, arguments, key: function(*arguments))
    blocks = estimation.labels("debtags")
    assert len(bars[-1].steps) == 3
    assert blocks.equals(whole)


def test_interrupted_labels_find_their_blocks_again(monkeypatch, bars):
    monkeypatch.setitem(estimation.SCALES["quick"], "labels", TINY | {"n_samples": 3})
    monkeypatch.setattr(decisions, "BLOCK", 10)
    original, begun = decisions._decisions_unit, []

    def _decisions_unit(*arguments):
        begun.append(arguments[-1])
        if begun == [0, 10, 20]:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(decisions, "_decisions_unit", _decisions_unit)
    with pytest.raises(KeyboardInterrupt):
        estimation.labels("debtags")
    estimation.labels("debtags")
    assert begun == [0, 10, 20, 20, 30]
    estimation.labels("debtags")
    assert len(begun) == 5


def test_many_labels_take_fewer_documents(monkeypatch, bars):
    monkeypatch.setattr(decisions, "BLOCK", 10)
    monkeypatch.setitem(estimation.SCALES["quick"], "labels", TINY)
    estimation.labels("debtags", seed=1)
    monkeypatch.setattr(decisions, "MANY_LABELS", 500)  # debtags has 597
    estimation.labels("debtags", seed=2)
    assert [len(bar.steps) for bar in bars] == [4, 2]


def test_the_command_computes_and_stores(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    tiny = {"topics": [3], "runs": 2, "n_sweeps": 2, "documents": 60}
    monkeypatch.setitem(estimation.SCALES, "medium", {"convergence": tiny})
    assert __main__.main(["convergence", "debtags", "debtags-labels"]) == 0
    assert "convergence on debtags-labels, medium scale: 12 values" in capsys.readouterr().out
    found = estimation.stored("convergence")
    assert list(found["corpus"].unique()) == ["debtags-labels", "debtags"] and found["run"].nunique() == 2
    first, second = (found.query("run == @run and corpus == 'debtags'")["value"].tolist() for run in (0, 1))
    assert first != second
    assert "debtags-labels, medium scale, seed 0" in estimation.say_stored("convergence")
    with pytest.raises(ValueError, match="runs must be in 1..2 at medium scale, got 3"):
        __main__.main(["convergence", "debtags", "--runs", "3"])
    __main__.main(["convergence", "debtags", "--runs", "1"])
    fewer = estimation.stored("convergence", ["debtags"])
    assert fewer["value"].tolist() == first and "runs 1" in estimation.say_stored("convergence")
    with pytest.raises(SystemExit):
        __main__.main(["labels", "debtags", "--runs", "1"])


def test_the_benchmarks_prior_decides_between_readings_that_add_it_and_that_drop_it(monkeypatch, bars):
    """Labels as words make short documents, where half a token weighs. Seeds 0 to 2: 0.027 to 0.029 between
    benchmarks; 0 if both were read alike, and negative if they were exchanged.
    """
    short = {
        "topics": [20],
        "runs": 1,
        "n_sweeps": 60,
        "later": 100,
        "burn_in": 20,
        "lag": 2,
        "documents": 600,
    }
    monkeypatch.setitem(estimation.SCALES, "quick", {"gibbs1": short})
    table = estimation.gibbs1("debtags-labels").query("measure == 'js_divergence'")
    gap = table.pivot(index="benchmark", columns="model", values="value").eval("CGS_z - CGS")
    assert gap["prior added"] > 0.015 and gap["prior added"] - gap["prior dropped"] > 0.015


def test_word_statistics_are_those_of_the_documents_that_keep_words(bars):
    train, test, words = estimation.word_tokens("debtags-labels")
    values = estimation.word_statistics("debtags-labels").set_index("statistic")["value"]
    assert values["train_documents"] == train.shape[0] and values["test_documents"] == test.shape[0] == 1000
    assert values["train_length"] == pytest.approx(train.sum() / train.shape[0])
    assert values["train_word_types"] == len(words) == 597
