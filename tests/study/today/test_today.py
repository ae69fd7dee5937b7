"""The room of today: gains and their intervals, the tables, naive Bayes by hand, peers where they are installed."""

import builtins
import itertools
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from polytopic import metrics, paths
from polytopic.models import BinaryRelevanceSVM, DependencyLDA
from polytopic.study import corpora, store
from polytopic.study.printed import reported
from polytopic.study.today import comparison, drawing, effort, hybrid, indexing, measured, rare_labels
from polytopic.study.today.comparison import SYSTEMS, Watched
from polytopic.study.today.peers import NapkinXC, Omikuji


def drawn(n_documents=400, n_labels=12, seed=0):
    """Return truth and two models' scores, the second noisier."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-2, 2, (n_documents, n_labels))
    truth = sparse.csr_matrix(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)))
    return truth, odds + rng.normal(0, 1, odds.shape), odds + rng.normal(0, 2, odds.shape)


def test_parts_make_the_measures():
    truth, scores, _ = drawn()
    rows = measured.rows(measured.parts(truth, scores, truth)).set_index(["pivot", "measure", "k"])["value"]
    for pivot in metrics.PIVOTS:
        whole = metrics.ranking(truth, scores, pivot)
        assert rows[pivot, "average_precision", ""] == pytest.approx(whole["average_precision"])
    top = metrics.top(truth, scores, (1, 5), truth)
    for name, values in top.items():
        assert [rows["document", name, k] for k in "15"] == pytest.approx(values)
    assert rows["document", "ndcg", ""] == pytest.approx(metrics.top(truth, scores, (None,))["ndcg"][0])


def test_intervals_are_those_of_paired_means():
    """Of a plain mean the percentiles are near the normal interval of the paired differences."""
    truth, first, second = drawn()
    one, other = (measured.parts(truth, scores, truth) for scores in (first, second))
    found = measured.gains(one, other, seed=0).set_index(["pivot", "measure", "k"])
    key = "document", "average_precision", ""
    difference = one[key][0] - other[key][0]
    reach = 1.96 * stats.sem(difference)
    row = found.loc[key]
    assert row["gain"] == pytest.approx(difference.mean())
    assert row["low"] == pytest.approx(difference.mean() - reach, abs=reach / 6)
    assert row["high"] == pytest.approx(difference.mean() + reach, abs=reach / 6)
    pd.testing.assert_frame_equal(measured.gains(one, other, seed=0), measured.gains(one, other, seed=0))
    assert (measured.gains(one, one, seed=0)[["gain", "low", "high"]] == 0).all(axis=None)


@pytest.fixture(scope="module")
def of_hybrid():
    sample = corpora.sample("debtags", 200, 100)
    return [store.collect(hybrid.hybrid, sample, table=table) for table in (None, "gains")]


def test_the_hybrid_is_beside_each_parent(of_hybrid):
    rows, gains = of_hybrid
    assert rows["model"].nunique() == 5 and gains["model"].nunique() == 4
    values = rows.set_index(["model", "pivot", "measure", "k"])["value"]
    for one in gains.itertuples():
        place = one.pivot, one.measure, one.k
        assert one.gain == pytest.approx(values[hybrid.NAME, *place] - values[one.model, *place])
        assert one.low <= one.gain <= one.high
    best = hybrid.over_best_parent(gains, rows)
    assert len(best) == len(measured.JUDGED)
    for one in best.itertuples():
        place = next(key for key, name in measured.JUDGED.items() if name == one.measure)
        parents = [values[name, *place] for name in gains["model"].unique()]
        assert one.gain == pytest.approx(values[hybrid.NAME, *place] - max(parents))
    assert hybrid.summary(best).shape == (1, 12)
    assert hybrid.verdicts(best)[["ahead", "level", "behind"]].to_numpy().sum() == 4


def test_verdicts_are_read_off_intervals():
    assert hybrid.verdict(0.1, 0.01, 0.2) == "ahead"
    assert hybrid.verdict(0.1, -0.01, 0.2) == "level"
    assert hybrid.verdict(-0.1, -0.2, -0.01) == "behind"


def test_where_the_stored_hybrid_is_behind():
    """On four stored splits alone an interval of a gain over the best parent is below 0."""
    best = hybrid.over_best_parent(store.read(hybrid.hybrid, table="gains"), store.read(hybrid.hybrid))
    if best.empty:
        pytest.skip("nothing is stored")
    assert best["corpus"].nunique() >= 5
    behind = best[best["high"] < 0]
    assert behind[["corpus", "split", "measure"]].to_numpy().tolist() == [
        ["eurlex-titles", 0, "PSP@5"],
        ["eurlex-titles", 2, "PSP@5"],
        ["reuters21578", 3, "AP by label"],
        ["yahoo5k_entertainment", 0, "P@5"],
    ]


def test_naive_bayes_by_hand():
    X = sparse.csr_matrix([[2, 0], [0, 1], [1, 1]])
    Y = sparse.csr_matrix([[1], [0], [0]]).astype(bool)
    with_label, others = np.array([3, 1]) / 4, np.array([2, 3]) / 5
    share = 1.5 / 4
    expected = np.log(with_label / others) @ [1, 2] + np.log(share / (1 - share))
    assert rare_labels._log_odds(X, Y, sparse.csr_matrix([[1, 2]]))[0, 0] == pytest.approx(expected)


def test_a_second_linear_model_reads_the_scores_of_the_first():
    """A label that goes with two others, and has no words of its own, follows from their scores."""
    random = np.random.default_rng(0)
    Y = random.random((400, 6)) < 0.3
    Y[:, 5] = Y[:, 0] & Y[:, 1]
    X = sparse.csr_matrix(random.poisson(0.1 + 2.0 * Y[:, :5]))
    Y = sparse.csr_matrix(Y)
    found = rare_labels._stacked(X[:300], Y[:300], X[300:], 0)
    assert found.shape == (100, 6)
    truth = Y[300:].toarray()
    assert metrics.ranking(truth, found, "label")["average_precision"] > 0.7  # .85 here, .3 by chance


def test_variants_differ_from_the_base_as_they_say():
    sample = corpora.sample("debtags", 240, 60)
    wanted = [rare_labels.BASE, "expected tokens, not shares", rare_labels.BAYES]
    rows = store.collect(rare_labels.rare_labels, sample, variant=wanted)
    wide = rows.set_index(["variant", "pivot", "measure"])["value"]
    base, tokens = wide[rare_labels.BASE], wide["expected tokens, not shares"]
    assert tokens["document"].equals(
        base["document"]
    )  # a document's own length changes no order of its labels
    assert not tokens["label"].equals(base["label"])
    kept = store.collect(rare_labels.rare_labels, sample, variant=wanted, table="kept")
    assert set(kept["variant"]) == {rare_labels.BASE, "expected tokens, not shares"}
    found = rare_labels.kept_table(kept)
    assert (found["share"] > 0).all()
    table = rare_labels.verdicts(rows)
    assert table.loc["expected tokens, not shares", "AP by document"].tolist() == [0, 0, 0, 0]
    assert len(rare_labels.questions()) == len(rare_labels.VARIANTS)


def test_places_are_judged_by_corpus():
    ranks = {"a": (1, 2), "b": (3, 3), "c": (5, 4)}  # of the base and of the linear model
    rows = [
        (corpus, 2, name, rank)
        for corpus, both in ranks.items()
        for name, rank in zip((rare_labels.BASE, rare_labels.LINEAR), both, strict=True)
    ]
    found = rare_labels.places_judged(pd.DataFrame(rows, columns=["corpus", "place", "variant", "rank"]))
    assert found.loc[2].to_dict() == {"better": 1, "level": 1, "worse": 1}


def test_what_is_missing_is_named():
    first, *others = SYSTEMS
    rows = pd.DataFrame({"corpus": "bibtex", "model": others})
    found = comparison.missing(rows).set_index("corpus")["model"]
    assert found["bibtex"] == first and found["tibkat-en"] == comparison.ALL
    assert len(comparison.missing(rows.iloc[:0])) == len(comparison.CORPORA)


def test_what_systems_reach_and_cost_on_several_corpora_together():
    chosen = comparison.CORPORA[:2]
    shown = [("document", name, k) for name, k in comparison.COLUMNS]
    shown += [("document", name, "") for name in ("average_precision", "auc_roc", "ndcg")]
    shown += [("label", "average_precision", "")]
    corpora_of = {
        "Flat-LDA": [*chosen, "tibkat-en"],
        "FastXML": [*chosen, "tibkat-en"],
        "SCVB": [chosen[0], "tibkat-en"],
    }
    precision = {"Flat-LDA": [0.5, 0.3, 0.4], "FastXML": [0.6, 0.4, 0.1], "SCVB": [0.9, 0.9]}
    cells, made = [], []
    for model, names in corpora_of.items():
        for corpus, value in zip(names, precision[model], strict=True):
            cells += [(corpus, model, *measure, value) for measure in shown]
            seconds = {"fit": 2.0, "predict": 1.0, "wall": 9.0}
            made.append(
                {"corpus": corpus, "unit": {"model": model}, "notes": {"seconds": seconds, "peak_gb": 1.0}}
            )
    rows = pd.DataFrame(cells, columns=["corpus", "model", "pivot", "measure", "k", "value"])
    rows.attrs["made"] = made
    found = comparison.choice(rows)
    assert found["AP by document"].to_dict() == pytest.approx(
        {
            ("2 small corpora", "FastXML"): 50.0,
            ("2 small corpora", "Flat-LDA"): 40.0,
            ("TIBKAT, English", "SCVB"): 90.0,
            ("TIBKAT, English", "Flat-LDA"): 40.0,
            ("TIBKAT, English", "FastXML"): 10.0,
        }
    )
    assert found["CPU s"].tolist() == [6.0, 6.0, 3.0, 3.0, 3.0]
    assert measured.frontier(found, "group").index.tolist() == [
        ("2 small corpora", "FastXML"),
        ("TIBKAT, English", "SCVB"),
    ]


def test_no_name_covers_a_mark_or_another_name():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([["a"], [f"model {n}" for n in range(25)]], names=["group", "model"])
    found = pd.DataFrame({"AP by document": rng.random(25), "CPU s": 10 ** rng.random(25)}, index)
    (ax,) = drawing.plot_choice(found, measured.frontier(found, "group"))
    figure = ax.figure
    figure.draw_without_rendering()
    names = [text.get_window_extent() for text in ax.texts]
    marks = ax.transData.transform(found[["CPU s", "AP by document"]].to_numpy())
    assert not any(one.overlaps(other) for one, other in itertools.combinations(names, 2))
    assert not any(name.contains(*mark) for name in names for mark in marks)
    plt.close(figure)


def test_subjects_are_measured_by_group():
    sample = corpora.sample("debtags", 150, 90)
    kinds = ["Book", "Thesis"] * 120
    grouped = indexing.Grouped(sample, {"type": kinds})
    rows = store.collect(indexing.indexing, grouped, model=["TF-IDF SVM, cost 1"])
    table = indexing.table(rows).droplevel(["corpus", "model"])
    train, test = sample.split(0)
    model = BinaryRelevanceSVM(normalize="tfidf", random_state=0).fit(train.counts, train.labels)
    scores = model.decision_function(test.counts)
    whole = metrics.top(test.labels, scores, (5,))
    assert table.loc[("all", "all"), "F1@5"] == pytest.approx(whole["f1"][0], abs=5e-5)
    book = np.flatnonzero(np.array(kinds)[sample.splits[0][1]] == "Book")
    own = metrics.top(test.labels[book], scores[book], (5,))
    assert table.loc[("type", "Book"), "P@5"] == pytest.approx(own["precision"][0], abs=5e-5)
    assert table.loc["type", "records"].sum() == table.loc[("all", "all"), "records"]


@pytest.mark.real_data
def test_records_of_the_mirror_have_types_and_languages():
    if not os.environ.get(paths.MIRROR):
        pytest.skip(f"{paths.MIRROR} is not set")
    grouped = indexing.read_grouped("tibkat")
    assert set(grouped.groups["language"]) == {"en", "de"}
    assert len(grouped.groups["type"]) == grouped.corpus.n_documents
    assert indexing.read_grouped("debtags").groups == {}


def test_published_rows_are_beside_ours():
    printed = reported("xcrepository")
    first = printed[(printed["k"] == 1) | (printed["k"].astype(str) == "1")]
    wide = first.pivot_table("value", ["corpus", "model"], "measure").astype(float)
    assert (
        wide["precision"] - wide["ndcg"]
    ).abs().max() < 0.3  # one and the same at k = 1; ProXML's differ in print
    sample = corpora.sample("debtags", 120, 60)
    rows = store.collect(comparison.comparison, sample, model=["PLST, up to 500 dimensions"]).assign(
        corpus="bibtex"
    )
    both = comparison.beside_repository(rows, "bibtex")
    assert (
        both.loc["here"].index.tolist() == ["PLST, up to 500 dimensions"]
        and "CPLST" in both.loc["printed"].index
    )
    assert indexing.published().loc[("MLLM", "en"), "NDCG"] == pytest.approx(0.418)


def test_memory_is_watched():
    with Watched() as watched:
        held = np.ones(30_000_000)
    assert watched.most > held.nbytes


@pytest.mark.parametrize("peer", [Omikuji(), Omikuji("bonsai"), NapkinXC()], ids=str)
def test_peers_rank_labels(peer):
    pytest.importorskip("omikuji" if isinstance(peer, Omikuji) else "napkinxc")
    rng = np.random.default_rng(0)
    Y = rng.random((300, 6)) < 0.3
    X = rng.poisson(0.1 + 2 * np.repeat(Y, 3, axis=1))
    scores = peer.fit(X[:200], Y[:200]).decision_function(sparse.csr_matrix(X[200:]))
    assert scores.shape == (100, 6)
    assert metrics.ranking(Y[200:], scores)["average_precision"] > 0.8


def test_a_peer_that_is_missing_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.split(".")[0] in ("omikuji", "napkinxc"):
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    for peer in (Omikuji(), NapkinXC()):
        with pytest.raises(ModuleNotFoundError, match="pip install"):
            peer.fit(np.ones((4, 3), int), np.eye(4, 2) > 0)
    assert set(comparison.PEERS) < set(SYSTEMS)


def test_what_the_default_chains_lose_beside_the_papers_protocol():
    """And what mean field loses."""
    rows = store.read(effort.effort)
    if rows.empty:
        pytest.skip("nothing is stored")
    ours = DependencyLDA().get_params()
    default = effort.WAYS["32 chains of 1 sample"]
    assert {name: ours[name] for name in default if name != "lag"} == {
        name: value for name, value in default.items() if name != "lag"
    }
    above, share = (
        effort.table(rows)[column].unstack("way")
        for column in ("AP above the protocol's", "share of its time")
    )
    chains, field, between, full = (
        above[way].round(2).to_dict()
        for way in (
            *("32 chains of 1 sample", "mean field, 4 passes"),
            *("mean field, 8 passes, power .8", "mean field, 16 passes, power 1"),
        )
    )
    assert above["32 chains of 1 sample"]["debtags"] > -effort.NEAR
    assert chains == {"debtags": 0, "bibtex": -0.01, "tibkat-en": -0.02, "eurlex-titles": -0.03}
    assert (1 / share["32 chains of 1 sample"]).round().to_dict() == {
        "debtags": 19,
        "bibtex": 21,
        "tibkat-en": 10,
        "eurlex-titles": 14,
    }
    plain, expected = (
        effort.table(rows).xs(way, level="way")
        for way in ("32 chains of 1 sample", "32 chains of 1 sample, expected")
    )
    gains = (expected - plain)[["AP by document", "AP by label"]].agg(["min", "max"]).round(3)
    assert gains["AP by document"].tolist() == [0.003, 0.005]
    assert gains["AP by label"].tolist() == [0.003, 0.02]
    dearer = expected["share of its time"] / plain["share of its time"] - 1
    assert (dearer.min().round(2), dearer.max().round(1)) == (0.18, 0.4)
    assert field == {"debtags": 0.01, "tibkat-en": -0.01, "eurlex-titles": -0.03, "bibtex": -0.09}
    assert min(between.values()) == -0.02
    assert full == {"debtags": -0.05, "tibkat-en": 0, "eurlex-titles": -0.03, "bibtex": 0}
    assert (1 / share["mean field, 4 passes"]).min().round() == 18


def test_ways_are_compared_with_the_protocol_of_their_corpus():
    ways = [effort.PROTOCOL, "mean field, 4 passes"]
    values = {"a": ((0.5, 90.0, 10.0), (0.498, 1.0, 1.0)), "b": ((0.6, 10.0, 10.0), (0.5, 1.0, 1.0))}
    rows = [
        (corpus, way, name, value)
        for corpus, both in values.items()
        for way, own in zip(ways, both, strict=True)
        for name, value in zip(("AP by document", *effort.TIMES), own, strict=True)
    ]
    rows += [(corpus, way, name, 0.0) for corpus in values for way in ways for name in effort.MEASURES.values()
             if name != "AP by document"]  # fmt: skip
    rows = pd.DataFrame(rows, columns=["corpus", "way", "measure", "value"])
    found = effort.table(rows)["share of its time"]
    assert found["a", "mean field, 4 passes"] == pytest.approx(0.02)
    assert found["b", "mean field, 4 passes"] == pytest.approx(0.1)
    beside = effort.side_by_side(rows)
    assert beside.index.tolist() == ways
    assert beside["share of its time"].loc["mean field, 4 passes"].to_dict() == pytest.approx(
        {"a": 0.02, "b": 0.1}
    )
    assert effort.cheapest(rows)["way"].to_dict() == {"a": "mean field, 4 passes", "b": effort.PROTOCOL}


def test_the_frontier_keeps_what_nothing_quicker_reaches():
    values = {
        "a": {
            effort.PROTOCOL: (0.6, 90.0),
            "mean field, 1 pass": (0.4, 1.0),
            "SCVB": (0.39, 2.0),
            effort.LINEAR: (0.9, 0.1),
        },
        "b": {"SCVB": (0.4, 1.0), "mean field, 1 pass": (0.4, 2.0), effort.PROTOCOL: (0.3, 9.0)},
    }
    rows = [
        (corpus, way, measure, value)
        for corpus, ways in values.items()
        for way, (quality, seconds) in ways.items()
        for measure, value in {
            **dict.fromkeys(effort.MEASURES.values(), quality), "fit_seconds": seconds, "test_seconds": 0.0,
        }.items()
    ]  # fmt: skip
    found = effort.frontier(pd.DataFrame(rows, columns=["corpus", "way", "measure", "value"]))
    assert list(zip(found.index, found["way"], strict=True)) == [
        ("a", "mean field, 1 pass"),
        ("a", effort.PROTOCOL),
        ("b", "SCVB"),
    ]
    assert found["CPU s"].tolist() == [1.0, 90.0, 1.0]


def test_the_svm_is_beside_the_best_topic_model_and_the_ways_that_sample():
    values = {effort.LINEAR: (0.7, 2.0), effort.PROTOCOL: (0.6, 90.0), "4 chains of 16 samples": (0.5, 1.0),
              "mean field, 1 pass": (0.65, 0.5)}  # fmt: skip
    rows = [
        ("a", way, measure, value)
        for way, (quality, seconds) in values.items()
        for measure, value in {
            **dict.fromkeys(effort.MEASURES.values(), quality), "fit_seconds": seconds, "test_seconds": 0.0,
        }.items()
    ]  # fmt: skip
    (one,) = effort.beside_the_svm(
        pd.DataFrame(rows, columns=["corpus", "way", "measure", "value"])
    ).itertuples(index=False)
    assert one[:2] == pytest.approx((0.05, 0.05)) and one[2:] == (2, 1)
    assert set(effort.KIND_OF) == set(effort.ALL) and set(effort.KIND_OF.values()) == set(drawing.WAYS)


def test_peers_stand_beside_the_hybrid_s_own_line():
    """And not beside the best of all ours, chosen by test measures."""
    best = {"FastXML": 0.9, comparison.HYBRID: 0.6, "Omikuji, Bonsai": 0.5, "Omikuji, Parabel": 0.4}
    shown = [("document", name, k) for name, k in comparison.COLUMNS]
    shown += [("document", "ndcg", ""), ("document", "auc_roc", "")]
    shown += [(pivot, "average_precision", "") for pivot in metrics.PIVOTS]
    rows = [("bibtex", model, *measure, value) for model, value in best.items() for measure in shown]
    found = comparison.beside_peers(
        pd.DataFrame(rows, columns=["corpus", "model", "pivot", "measure", "k", "value"])
    )
    assert found["difference"].tolist() == pytest.approx([10, 10, 10])
    assert set(found["peer"]) == {"Omikuji, Bonsai"} and set(found["best of ours"]) == {"FastXML"}


def test_the_quick_scale_runs_every_kind_of_way():
    sample = corpora.sample("debtags", 120, 30)
    ways = ["mean field, 1 pass", "SCVB-Dep., 1 pass", effort.LINEAR]
    table = effort.table(store.collect(effort.effort, sample, way=ways, tested=20))
    assert table.index.get_level_values("way").tolist() == ways
    assert table["AP by document"].between(0.1, 1).all()
