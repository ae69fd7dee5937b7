"""The protocol of Tai & Lin, its experiments on a tiny corpus, and the rules of bringing results together."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.models import M5P, PLST, PartialBinaryRelevance
from polytopic.models.label_space import PenalisedRidge, codes
from polytopic.study import store
from polytopic.study.tai2012 import experiments, protocol, rare_labels, tables

EVERY = [one for one in store.EXPERIMENTS.values() if one.paper == "tai2012"]


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A corpus of 150 documents, 12 words, the last one rare, and 6 labels named "tiny", and an empty cache."""
    rng = np.random.default_rng(0)
    words = rng.poisson(1.0, (150, 12))
    words[:, 11] *= np.arange(150) % 6 == 0
    labels = words[:, :6] + rng.integers(0, 2, (150, 6)) > 2
    monkeypatch.setenv(paths.CACHE, str(tmp_path))
    splits = [(np.arange(100), np.arange(100, 150))]
    return Corpus(sparse.csr_matrix(words), sparse.csr_matrix(labels), name="tiny", splits=splits)


def test_partitions_are_tenths_that_repeat():
    train, test = protocol.rows_of(593, 3)
    assert len(test) == 59 and len(train) == 534
    assert np.array_equal(np.sort(np.r_[train, test]), np.arange(593))
    assert np.array_equal(test, protocol.rows_of(593, 3)[1])
    assert not np.array_equal(test, protocol.rows_of(593, 4)[1])
    few, same = protocol.rows_of(593, 3, most_documents=100)
    assert len(few) == 100 and np.isin(few, train).all() and np.array_equal(same, test)
    assert few.max() > 400  # not the first hundred


def test_one_ridge_serves_every_code(tiny):
    """What follows from the joint solution is what each estimator finds by itself, the intercept penalised hard."""
    data = protocol.Data(tiny, 0)
    predict = protocol.ridge_for_all(data, PenalisedRidge(20.0))
    members = {
        "PLST": PLST(3),
        "PLST-Origin": PLST(3, shift=False),
        "PBR": PartialBinaryRelevance(3),
        "PBR-Mean": PartialBinaryRelevance(3, shift=True),
    }
    for name, model in members.items():
        alone = model.set_params(regressor=PenalisedRidge(20.0)).fit(data.X, data.Y)
        code = data.code(name, 3)
        points = code.decode(predict(code))
        np.testing.assert_allclose(points, alone.decision_function(data.X_test), atol=1e-9)
    Y = tiny.labels.toarray()
    Y[:, 0] = ~Y[:, 0]  # most documents have it, so that CS-BestVertex learns whether it is missing
    data = protocol.Data(Corpus(tiny.counts, sparse.csr_matrix(Y), name="tiny", splits=tiny.splits), 0)
    predict = protocol.ridge_for_all(data, PenalisedRidge(20.0))
    for name in ("CS", "CS-BestVertex"):
        code = data.code(name, 5)
        assert code.flipped.any() == (name == "CS-BestVertex")
        targets = code.encode(data.Y)
        alone = PenalisedRidge(20.0).fit(data.X, targets).predict(data.X_test)
        np.testing.assert_allclose(predict(code), alone, atol=1e-9)
        if code.flipped.any():  # what the penalised intercept takes shows
            without_constant = code.encode(PenalisedRidge(20.0).fit(data.X, data.Y).predict(data.X_test))
            assert np.abs(without_constant - alone).max() > 1e-3


def test_a_partition_measures_everything(tiny):
    table = experiments.ridge(tiny, partition=0)
    assert set(table["model"]) == {*protocol.MODELS, protocol.EMPTY}
    data = protocol.Data(tiny, 0)
    model = PLST(2).fit(data.X, data.Y)
    row = table[(table["model"] == "PLST") & (table["n_dimensions"] == 2)]
    assert row["hamming_loss"].item() == pytest.approx((model.predict(data.X_test) != data.truth).mean())
    empty = table[table["model"] == protocol.EMPTY]
    assert empty["hamming_loss"].item() == pytest.approx(data.truth.mean())
    ideal = experiments.ideal(tiny, partition=0, models=("PLST", "PBR"))
    whole = ideal[ideal["n_dimensions"] == 6]
    assert (whole["hamming_loss"] == 0).all() and np.allclose(whole["encoding_error"], 0)
    bounded = ideal[ideal["model"] != protocol.EMPTY]
    assert (bounded["hamming_loss"] <= bounded["encoding_error"] + 1e-12).all()


def test_every_dimension_is_what_the_curve_says(tiny):
    table = experiments.ridge(tiny, partition=1, models=("PLST", "PBR"))
    losses = experiments.every_dimension(tiny, partition=1).set_index("n_dimensions")
    curve = table[table["model"] == "PLST"].set_index("n_dimensions")["hamming_loss"]
    for m in curve.index:
        assert losses.loc[m, "hamming_loss"] == pytest.approx(curve[m])
    pbr = table[(table["model"] == "PBR") & (table["n_dimensions"] == 6)]
    assert losses["full_loss"].to_numpy() == pytest.approx(pbr["hamming_loss"].item())
    empty = table.loc[table["model"] == protocol.EMPTY, "hamming_loss"].item()
    assert losses["empty_loss"].to_numpy() == pytest.approx(empty)


def test_trees_and_the_features_that_divide(tiny):
    data = protocol.Data(tiny, 0)
    row = experiments.trees(tiny, partition=0, n_dimensions=3).iloc[0]
    least = 0.2 * len(data.X)
    divides = [
        any(least < (column <= value).sum() < len(column) - least for value in np.unique(column))
        for column in data.X.T
    ]
    assert row["n_dividing"] == sum(divides) and row["n_features"] == len(divides)
    assert sum(divides) == 11
    assert experiments.m5p(tiny, partition=0, most_dimensions=2)["n_dimensions"].max() == 2
    trees = M5P().fit(data.X, data.code("PLST", 3).encode(data.Y)).trees_
    assert row["n_leaves"] == np.mean([tree.n_leaves for tree in trees])
    assert row["n_single"] == sum(tree.n_leaves == 1 for tree in trees)


def test_rare_labels_keep_less_of_themselves(tiny):
    """All directions keep all variance, and one keeps what the first singular value says."""
    found = store.units(rare_labels.rare_labels, tiny, dimensions=(1, 6))[0][1]
    assert set(found.rows["model"]) == {"PLST, 1", "PLST, 6", "Binary relevance, ridge"}
    kept = found.tables["kept"].set_index("n_dimensions")
    np.testing.assert_allclose(kept.loc[6, "share"], 1)
    Y = tiny.split(0)[0].labels.toarray().astype(float)
    code = codes.principal(Y, 1)
    explained = (code.encode(Y) * 1.0).T @ (Y - Y.mean(axis=0)) * code.projection
    whole = (explained / ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)).mean()
    assert (kept.loc[1, "share"] * kept.loc[1, "labels"]).sum() / 6 == pytest.approx(whole)


def results_of(losses):
    """Return results of {model: {n_dimensions: its loss on each partition}}."""
    rows = [
        ("c", "ridge", partition, model, m, loss)
        for model, at in losses.items() for m, each in at.items() for partition, loss in enumerate(each)
    ]  # fmt: skip
    columns = ["corpus", "regressor", "partition", "model", "n_dimensions", "hamming_loss"]
    return pd.DataFrame(rows, columns=columns)


def losses_of(plst, full):
    """Return losses on four partitions whose means are ``plst`` and ``full``, spread alike in both."""
    noise = np.array([-1.0, 1.0, -1.0, 1.0])
    results = results_of({"PLST": {m: loss + noise for m, loss in enumerate(plst, 1)}})
    return results.assign(full_loss=full + noise[results["partition"]])


def test_m_star_is_the_first_within_the_sum_of_errors():
    """Four partitions, deviation 2 / sqrt(3): a standard error of .577 each, so that 1.155 is the room."""
    assert tables.smallest_as_good(losses_of([5.0, 3.2, 3.1, 2.0], 2.0)) == 3
    assert tables.smallest_as_good(losses_of([0.9, 2.0], 2.0)) == 1
    assert np.isnan(tables.smallest_as_good(losses_of([9.0, 8.0], 2.0)))
    row = tables.stability(losses_of([9.0, 2.0, 2.0], 2.0)).loc["c"]
    assert row.iloc[1:].tolist() == [2] * 5


@pytest.mark.parametrize("which", EVERY, ids=lambda which: which.name)
def test_what_is_stored_is_what_its_experiment_gives(tiny, which):
    """Seven kinds of stored results had no maker: here each has the columns of what its maker gives."""
    assert len(EVERY) == 11
    stored = store.read(which)
    assert len(stored) and set(stored["corpus"]) == set(which.corpora)
    computed = store.collect(which, tiny)
    assert list(stored) == list(computed)
    missing = store.overview([which])["missing"]
    assert not missing.any()
    if "misordered_pairs" in stored:
        assert stored["misordered_pairs"].between(0, 1).sum() == stored["misordered_pairs"].notna().sum() > 0


def test_draws_differ_only_in_their_rows(tiny):
    draws = experiments.draws(tiny, partition=0, n_dimensions=3, n_draws=4)
    assert len(draws) == 8 and draws.groupby("draw")["has_ones_row"].nunique().eq(2).all()
    data, other = protocol.Data(tiny, 0), protocol.Data(tiny, 1)
    rows = [data.code("CS", 3, ones_row=False, draw=draw).projection for draw in (0, 1)]
    assert not np.array_equal(*rows)
    nested = data.code("CS", 5, draw=1).prefix(3).projection
    assert np.array_equal(nested, data.code("CS", 3, draw=1).projection)
    assert np.array_equal(nested, other.code("CS", 3, draw=1).projection)  # one draw for all partitions
    assert not np.array_equal(data.code("CS", 3).projection, other.code("CS", 3).projection)
