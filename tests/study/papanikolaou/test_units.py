"""The experiments on Papanikolaou et al.: what they count, what they keep, and what is stored of them."""

import numpy as np
import pandas as pd
import pytest

from polytopic.datasets import load_corpus
from polytopic.study import store
from polytopic.study.papanikolaou import experiments, labels

EXPERIMENTS = [one for one in store.EXPERIMENTS.values() if one.paper == "papanikolaou"]
TINY = {
    "chains": (1, 2),
    "n_chains": 2,
    "train_samples": 2,
    "burn_in": 3,
    "n_samples": 2,
    "lag": 1,
    "seed": 0,
}
TINY |= {"documents": 40}


@pytest.mark.parametrize("which", EXPERIMENTS, ids=lambda which: which.name)
def test_what_is_stored_is_whole(which):
    """Every place that there is has all units of its scale; corpora that are still owed have none."""
    found, places = store.read(which), store.overview([which])
    assert set(found["corpus"]) <= set(which.corpora) and len(found)
    assert places.loc[places["stored"] > 0, "missing"].eq(0).all()
    assert found.drop(columns="sd", errors="ignore").notna().all(axis=None)


@pytest.mark.real_data
def test_reuters_is_the_papers_selection(real_data):
    train, test, _ = experiments.word_tokens(load_corpus("reuters21578"))
    assert train.shape[0] <= 10_000 and test.shape[0] <= 1000
    uses = np.asarray(train.sum(axis=0) + test.sum(axis=0)).ravel()
    assert uses.min() == experiments.LEAST and uses.max() <= experiments.MOST
    assert abs(train.sum() / 10_000 - 49.68) < 2  # the paper's mean length; 74.5 without its word rule


def test_word_statistics_are_those_of_the_documents_that_keep_words():
    train, test, vocabulary = experiments.word_tokens(experiments.read_words("debtags-labels"))
    values = store.collect(experiments.word_statistics, "debtags-labels").set_index("statistic")["value"]
    assert values["train_documents"] == train.shape[0] and values["test_documents"] == test.shape[0] == 1000
    assert values["train_length"] == pytest.approx(train.sum() / train.shape[0])
    assert values["train_word_types"] == len(vocabulary) == 597
    few, fewer, _ = experiments.word_tokens(load_corpus("debtags"), 200)
    assert few.shape[0] <= 200 and fewer.shape[0] <= 20 and few.shape[1] == fewer.shape[1]
    assert (np.diff(few.indptr) > 0).all() and (np.asarray(few.sum(axis=0)).ravel() > 0).all()


def test_labels_do_not_depend_on_how_the_documents_are_shared_out(monkeypatch):
    whole = labels.labels(load_corpus("debtags"), **TINY)
    assert set(whole["chains"]) == {1, 2} and len(whole) == 7 * 2 * 2 * 2
    monkeypatch.setattr(labels, "BLOCK", 15)
    pd.testing.assert_frame_equal(labels.labels(load_corpus("debtags"), **TINY), whole)


def test_interrupted_labels_find_their_blocks_again(monkeypatch):
    monkeypatch.setattr(labels, "BLOCK", 10)
    original, begun = labels._sample, []

    def sample(problem, schedule, chain, seed):
        begun.append(problem.names[0])
        if len(begun) == 3:
            raise KeyboardInterrupt
        return original(problem, schedule, chain, seed)

    monkeypatch.setattr(labels, "_sample", sample)
    settings = TINY | {"n_samples": 3, "chains": (1,)}
    with pytest.raises(KeyboardInterrupt):
        labels.labels(load_corpus("debtags"), **settings)
    labels.labels(load_corpus("debtags"), **settings)
    labels.labels(load_corpus("debtags"), **settings)
    assert len(begun) == 5 and begun[3] == begun[2] and len(set(begun)) == 4


def test_the_benchmarks_prior_decides_between_readings_that_add_it_and_that_drop_it():
    """Labels as words make short documents, where half a token weighs. Seeds 0 to 2: 0.027 to 0.029 between
    benchmarks; 0 if both were read alike, and negative if they were exchanged.
    """
    short = {"topics": 20, "run": 0, "n_sweeps": 60, "later": 100, "burn_in": 20, "lag": 2, "documents": 600}
    found = experiments.gibbs1(experiments.read_words("debtags-labels"), **short, seed=0)
    table = found.rows.query("measure == 'js_divergence'")
    gap = table.pivot(index="benchmark", columns="model", values="value").eval("CGS_z - CGS")
    assert gap[experiments.ADDED] > 0.015 and gap[experiments.ADDED] - gap[experiments.DROPPED] > 0.015
    assert len(found.tables["topics"]) == experiments.SHOWN_TOPICS * experiments.SHOWN_WORDS


def test_a_blend_starts_where_its_switch_is():
    """CVB0 takes over after a switch: its curve begins with the sweep that follows, near the chain's own reading."""
    X = experiments.read_words("debtags-labels")
    frame = experiments.blending(X, run=0, topics=5, n_sweeps=6, switches=(3,), documents=100, seed=0)
    values = frame.pivot(index="sweep", columns="model", values="value")
    assert values["CVB0 after 3"].first_valid_index() == 4
    assert abs(values.loc[4, "CVB0 after 3"] - values.loc[3, "CGS_p"]) < 0.2  # 0.04; from a random start 0.41


def test_completion_tells_nine_readings_of_the_same_halves():
    settings = {"run": 0, "topics": 5, "n_sweeps": 5, "cvb0_sweeps": 5, "documents": 200}
    found = experiments.perplexity(experiments.read_words("debtags-labels"), **settings, seed=0)
    values = found.set_index("model")["perplexity"]
    assert len(values) == 9 and values.between(50, 100).all()  # 57 to 86; 288 if every word were as likely
    assert values["CGS_rb"] < values["CGS"] < values["CGS_z"]
