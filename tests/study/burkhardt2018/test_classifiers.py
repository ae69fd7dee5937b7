"""The measures of section 5.2 spelled out, numbers of labels, and what tables make of the results."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.study import claims, store
from polytopic.study.burkhardt2018 import protocol, standing, tables
from polytopic.study.burkhardt2018.protocol import DEPENDENCY, S1, S2, SHOWN

RANDOM = np.random.default_rng(0)


def spelled_out(truth, scores, n_labels):
    """Return the measures by loops over documents and labels."""
    n_documents, n_all = truth.shape
    decided = np.zeros(truth.shape, bool)
    for d in range(n_documents):
        order = sorted(range(n_all), key=lambda c: (-scores[d, c], c))
        decided[d, order[: n_labels[d]]] = True
    tp, fp, fn = (truth & decided).sum(0), (~truth & decided).sum(0), (truth & ~decided).sum(0)
    precision, recall = tp.sum() / (tp + fp).sum(), tp.sum() / (tp + fn).sum()
    f = [2 * a / (2 * a + b + c) if a else 0.0 for a, b, c in zip(tp, fp, fn, strict=True)]
    first = [truth[d, np.argmax(scores[d])] for d in range(n_documents) if truth[d].any()]
    return {
        "micro_f1": 2 * precision * recall / (precision + recall),
        "macro_f1": np.mean(f),
        "micro_precision": precision,
        "micro_recall": recall,
        "hamming_loss": np.mean(truth != decided),
        "rank_one_error": 1 - np.mean(first),
    }


def test_measures_are_those_of_section_5_2():
    truth = RANDOM.random((60, 9)) < 0.2
    truth[:, 4], truth[7] = False, False  # a label without positives, a document without labels
    scores = np.round(RANDOM.random(truth.shape) + 0.5 * truth, 1)  # with ties
    n_labels = RANDOM.integers(0, 5, 60)
    found = protocol.measures(sparse.csr_matrix(truth), scores, n_labels)
    assert list(found) == SHOWN
    for name, value in spelled_out(truth, scores, n_labels).items():
        # F over labels with positives alone would be off by .05
        assert found[name] == pytest.approx(value, abs=1e-12), name


def test_parts_are_drawn_by_the_seed():
    corpus = load_corpus("debtags")
    one, again, other = (protocol.parts(corpus, 50, seed)[0].counts for seed in (0, 0, 1))
    assert one.shape[0] == 50 and (one != again).nnz == 0 and (one != other).nnz > 0
    assert protocol.parts(corpus)[0].n_documents == len(corpus.splits[0][0])


def test_statistics_count_what_occurs():
    counts = sparse.csr_matrix([[2, 0, 1], [0, 0, 3]])
    labels = sparse.csr_matrix([[1, 0, 1], [1, 0, 0]], dtype=bool)
    found = protocol.statistics(Corpus(counts, labels)).set_index("statistic")["value"]
    assert found.to_dict() == {
        "labels": 2, "word_types": 2, "documents": 2, "cardinality": 1.5, "mean_length": 3,
    }  # fmt: skip


def results(n_chains=6):
    """Return rows like those of ``tables.stored`` for two corpora: S2 ahead of Dep.-LLDA by .1, S1 behind by .05."""
    rows = []
    for corpus, level in (("a", 0.6), ("b", 0.7)):
        for model, gap in ((DEPENDENCY, 0.0), (S1, -0.05), (S2, 0.1)):
            for chain in range(n_chains + 1):
                for measure in SHOWN:
                    noise = 0.001 * np.sin(10 * chain + len(model))
                    rows.append((corpus, "paper", 0, 0, model, chain, measure, level + gap + noise))
    return pd.DataFrame(
        rows, columns=["corpus", "scale", "seed", "run", "model", "chain", "measure", "value"]
    )


def test_marks_say_what_the_tests_say():
    frame = results()
    found = tables.marked(tables.of_one_chain(frame))
    one = found[(found["corpus"] == "a") & (found["measure"] == "micro_auc") & (found["first"] == S2)].iloc[0]
    chains = frame[(frame["corpus"] == "a") & (frame["measure"] == "micro_auc") & (frame["chain"] > 0)]
    sides = [chains[chains["model"] == model]["value"].to_numpy() for model in (S2, DEPENDENCY)]
    t, wilcoxon = stats.ttest_rel(*sides).pvalue, stats.wilcoxon(sides[0] - sides[1]).pvalue
    assert one.p == pytest.approx(t) and one.wilcoxon_p == pytest.approx(wilcoxon)
    assert one.t_test == 2 and one.wilcoxon == 1  # six chains in one direction: p of 1/32
    text = tables.table_6(frame)
    assert text.loc[("Micro AUC ↑", "a"), S2].endswith("*°° (1)") and "*" not in text[DEPENDENCY].to_string()


def test_ranks_follow_the_better_side():
    text = tables.table_5(results())
    assert text.loc[("Micro AUC ↑", tables.AVERAGE), S2] == "1.00"
    assert text.loc[("Hamming loss ↓", tables.AVERAGE), S2] == "3.00"
    assert text.loc[("Micro-F1 ↑", "b"), S1].endswith("(3)")
    beside = tables.ranks_beside_paper(results(), "table 6").set_index(["measure", "model"])
    assert beside.loc[("micro_auc", S2), "ours"] == 1 and beside.loc[("micro_auc", S2), "paper"] == 1.3333
    assert tables.beside_paper(results(), "table 5").empty  # none of the paper's corpora


def test_numbers_on_the_paper_s_corpora_stand_beside_print():
    frame = results().replace({"corpus": {"a": "EURLEX"}})
    found = tables.beside_paper(frame, "table 6")
    assert set(found["corpus"]) == {"EURLEX"} and len(found) == 24
    row = found[(found["model"] == S2) & (found["measure"] == "micro_auc")].iloc[0]
    assert row.paper == 0.9348 and row.difference == pytest.approx(row["mean"] - 0.9348)


def test_cut_offs_are_beside_the_true_number():
    rows = [
        ("a", "paper", "m", "micro_f1", cutoff, run, value)
        for run, values in enumerate(((0.5, 0.7), (0.6, 0.9)))
        for cutoff, value in zip((protocol.LASSO, protocol.TRUE), values, strict=True)
    ]
    columns = ["corpus", "scale", "model", "measure", "cutoff", "run", "value"]
    (one,) = tables.losses(pd.DataFrame(rows, columns=columns)).itertuples()
    assert one.cutoff == protocol.LASSO and one.mean == pytest.approx(-0.25)
    assert one.half == pytest.approx(stats.t.ppf(0.975, 1) * 0.05)  # of -.2 and -.3


def of_claim(name):
    claims.load()
    (one,) = (one for one in claims.CLAIMS if (one.paper, one.name) == ("burkhardt2018", name))
    return one.cases()


def test_prediction_is_compared_by_the_sweep():
    """Dependency-LDA was timed with 1,360 sweeps a document and S1 with 400: seconds alone made S1 win everywhere."""
    found = of_claim("time of S1 and S2")
    if found.empty:
        pytest.skip("nothing is stored")
    spent = store.read(standing.standing).query("measure == 'test_seconds'")
    spent = spent.set_index(["corpus", "model"])["value"]
    for one in found[found["case"].str.contains("over S1")].itertuples():
        seconds = spent[one.corpus, "Dependency-LDA"] / 1360, spent[one.corpus, S1] / 400
        assert one.value == pytest.approx(seconds[0] / seconds[1])


def test_no_numbers_count_twice():
    """Where the median is the mean, the cases of one are those of the other."""
    found = of_claim("a predicted number")
    if found.empty:
        pytest.skip("nothing is stored")
    assert not found["case"].str.contains(protocol.FREQUENCIES).any()
    what = found["case"].str.partition(", ")[2]
    assert (
        not found.assign(what=what, value=found["value"].round(12))
        .duplicated(["corpus", "what", "value"])
        .any()
    )


def test_extreme_classifiers_meet_each_other_classifier():
    found = of_claim("extreme classifiers")
    if found.empty:
        pytest.skip("nothing is stored")
    pairs = found["case"].str.partition(", ")[0]
    assert pairs.nunique() == 8 and (found["holds"] == (found["value"] > 0)).all()
