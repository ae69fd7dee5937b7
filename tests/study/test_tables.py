"""Tables: hand-worked cases for means, ties, bins and tests, and the papers' own tables made again."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from polytopic.corpus import Corpus
from polytopic.study import bins, corpora, looks, result_tables
from polytopic.study.printed import reported

REPORTED = reported("rubin2012")


def rows(
    value, corpus="toy", model="Flat-LDA", split=0, pivot="document", cutoff="", measure="auc_roc", seed=0
):
    return {
        "corpus": corpus, "model": model, "split": split, "seed": seed, "scale": "quick", "pivot": pivot,
        "cutoff": cutoff, "measure": measure, "value": value,
    }  # fmt: skip


def scores(entries, models=("Dependency-LDA", "Tuned SVM"), corpus="toy"):
    """Return label_scores from entries (split, label, training frequency, one value per model)."""
    found = [
        (model, split, label, frequency, value)
        for split, label, frequency, *values in entries
        for model, value in zip(models, values, strict=True)
    ]
    columns = ["model", "split", "label", "train_frequency", "average_precision"]
    return pd.DataFrame(found, columns=columns).assign(corpus=corpus, seed=0, scale="quick", test_frequency=1)


def paper_with(change, corpora=("yahoo_arts_rubin",), splits=(0,)):
    """Return results that are the paper's own numbers, changed by ``change(row, split)``."""
    kept = REPORTED[REPORTED["corpus"].isin(corpora)]
    frames = [
        kept.assign(
            split=split, seed=0, scale="paper", value=[change(row, split) for row in kept.itertuples()]
        )
        for split in splits
    ]
    return pd.concat(frames, ignore_index=True)


def test_best_values_are_marked_in_their_direction_with_ties():
    entries = [
        (0.7001, "Flat-LDA", "auc_roc"),
        (0.7004, "Prior-LDA", "auc_roc"),
        (0.6, "Tuned SVM", "auc_roc"),
        (30.0, "Flat-LDA", "ranking_loss"),
        (29.0, "Prior-LDA", "ranking_loss"),
        (3.0, "Flat-LDA", "one_error"),
    ]
    frame = pd.DataFrame([rows(value, model=model, measure=measure) for value, model, measure in entries])
    text = result_tables.starred(frame, "document").rename(columns=lambda name: name[:-2])
    assert text["AUC ROC"].tolist() == ["0.700*", "0.700*", "0.600"]  # both print .700
    assert text["Rnk-Loss"].tolist() == ["29.00*", "30.00", "–"]  # the lower, and not the missing
    assert text["Margin"].tolist() == ["–"] * 3 and not text["One-Err"].str.contains("[*]").any()


def test_beside_paper_finds_exactly_what_was_changed():
    def change(row, split):
        shift = 0.05 if (row.model, row.measure, row.pivot) == ("Flat-LDA", "auc_pr", "label") else 0
        return row.value * (1 + 0.001 * split) + shift

    table = result_tables.beside_paper(paper_with(change, splits=(-1, 0, 1)))
    assert len(table) == 130
    (worst,) = table[~table["agrees"]].to_dict("records")
    assert (worst["model"], worst["pivot"], worst["measure"]) == ("Flat-LDA", "label", "auc_pr")
    assert worst["difference"] == pytest.approx(0.05, rel=1e-9)
    assert worst["paper"] == 0.328
    counts = result_tables.agreement_table(table)
    assert counts.index.tolist() == list(looks.OF_RUBIN)
    assert counts["yahoo_arts_rubin", "label"].tolist() == ["13 of 13"] * 2 + ["12 of 13"] + ["13 of 13"] * 2


def test_best_counts_collapse_auc_and_credit_ties():
    frame = pd.DataFrame(
        [
            rows(value, model=model, measure=measure)
            for model, values in {
                "Flat-LDA": [0.9001, 10.0, 30.02],
                "Prior-LDA": [0.9004, 9.9, 30.04],
                "Tuned SVM": [0.8, 20.0, 29.0],
            }.items()
            for measure, value in zip(("auc_roc", "ranking_loss", "one_error"), values, strict=True)
        ]
    )

    counts = result_tables.best_counts(frame).set_index("model")["best"].to_dict()
    assert counts == {"Flat-LDA": 1, "Prior-LDA": 1, "Tuned SVM": 1}  # .900 and .900
    assert result_tables.best_counts(frame)["of"].tolist() == [2, 2, 2]  # ranking loss is not counted again


def toy_corpus(**changes):
    """Five documents; label sets {0, 1}, {0}, {0, 1}, {2}, {}; label 3 has no document."""
    labels = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    counts = np.array([[2, 0, 1], [0, 0, 3], [1, 1, 1], [0, 4, 0], [1, 0, 0]])
    given = {"counts": counts, "labels": labels, "splits": (([0, 1, 4], [2, 3]),), "name": "toy"}
    return Corpus(**(given | changes))


def test_dataset_statistics_by_hand():
    table = corpora.dataset_statistics(toy_corpus()).set_index("statistic")["value"]
    assert table.to_dict() == {
        "labels": 3, "documents": 4, "cardinality": 6 / 4, "density": 6 / 4 / 3, "mean_label_frequency": 2,
        "median_label_frequency": 2,
        "mode_label_frequency": pytest.approx(np.nan, nan_ok=True),  # frequencies 3, 2, 1
        "distinct_labelsets": 3, "labelset_frequency": 4 / 3, "unique_labelset_proportion": 2 / 4,
        "unlabelled_documents": 1, "unused_labels": 1,
        "train_documents": 2, "test_documents": 2, "train_length": 3, "train_labels": 2,
        "train_cardinality": 3 / 2, "train_label_frequency": 3 / 2, "train_word_types": 2,
    }  # fmt: skip


def test_mode_is_the_smallest_of_the_commonest():
    labels = np.zeros((6, 8), bool)  # three labels without a document, which must not make the mode 0
    for label, frequency in enumerate((5, 2, 2, 4, 4)):
        labels[:frequency, label] = True
    corpus = toy_corpus(counts=np.ones((6, 1), int), labels=labels, splits=())
    table = corpora.dataset_statistics(corpus).set_index("statistic")["value"]
    assert table["mode_label_frequency"] == 2
    assert "train_documents" not in table


def test_a_part_of_a_paper_s_corpus_is_compared_where_a_part_can_be():
    """EUR-Lex's label sets were left out of every comparison, since the paper calls the whole by another name."""
    names = ["labels", "documents", "cardinality", "median_label_frequency"]
    ours = pd.DataFrame({"corpus": "eurlex-labelsets", "statistic": names, "value": [3976, 19577, 5.317, 6]})
    table = corpora.statistics_beside_paper(ours, "rubin2012").set_index("statistic")
    assert table["agrees"].to_dict() == {"cardinality": True, "median_label_frequency": True}


@pytest.mark.parametrize(
    ("frequencies", "ends"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [2, 4, 6, 8, 10]),
        ([1, 1, 1, 1, 1, 2, 3, 4, 5, 6], [1, 2, 4, 6]),  # half have frequency 1: two bins merge
        ([1, 1, 1, 2, 2, 2, 2, 2, 2, 9], [1, 2, 9]),
        ([3, 3, 3], [3]),
        ([5], [5]),
        ([1, 2], [1, 2]),
        ([7, 1, 4, 4, 4, 9, 2], [2, 4, 7, 9]),
    ],
)
def test_bins_never_part_equal_frequencies(frequencies, ends):
    assert bins.bin_ends(frequencies).tolist() == ends


@pytest.mark.parametrize("size", [3, 15, 35, 47])
def test_bin_ends_are_quantiles(size):
    """An end is the smallest frequency that at least k/5 of the items do not exceed, in exact arithmetic."""
    frequencies = np.random.default_rng(size).integers(1, 12, size)
    expected = {min(f for f in frequencies if 5 * np.sum(frequencies <= f) >= k * size) for k in range(1, 6)}
    assert bins.bin_ends(frequencies).tolist() == sorted(expected)


def test_quintiles_by_hand():
    """Four items of frequency 1 in two splits fill two fifths; means are over labels and splits together."""
    entries = [
        (0, "a", 1, 0.2, 0.1), (0, "b", 1, 0.4, 0.3), (1, "a", 1, 0.6, 0.2), (1, "b", 1, 0.8, 0.2),
        (0, "c", 5, 0.5, 0.5), (0, "d", 6, 0.7, 0.9), (0, "e", 8, 0.7, 0.7), (1, "f", 9, 0.1, 0.7),
        (1, "c", 10, 0.3, 0.4), (1, "d", 20, 0.9, 0.8),
    ]  # fmt: skip
    table = bins.quintiles(scores(entries))
    first = table[table["model"] == "Dependency-LDA"]
    assert first[["bin", "low", "high", "items"]].to_numpy().tolist() == [
        [1, 1, 1, 4],
        [2, 5, 6, 2],
        [3, 8, 9, 2],
        [4, 10, 20, 2],
    ]
    np.testing.assert_allclose(first["average_precision"], [0.5, 0.6, 0.4, 0.6], rtol=1e-12)
    second = table[table["model"] == "Tuned SVM"]["average_precision"]
    np.testing.assert_allclose(second, [0.2, 0.7, 0.7, 0.6], rtol=1e-12)


def test_quintiles_leave_out_labels_without_training_documents():
    entries = [(0, "a", 0, 0.9, 0.9), (0, "b", 1, 0.2, 0.1), (0, "c", 2, 0.4, 0.1)]
    table = bins.quintiles(scores(entries))
    assert table["low"].min() == 1 and table["items"].sum() == 4


def test_quintile_tests_agree_with_scipy_on_labels_of_several_splits():
    rng = np.random.default_rng(1)
    entries = [(split, label, 1 + label, *rng.random(2)) for split in range(3) for label in range(10)]
    frame = scores(entries)
    table = bins.quintile_tests(frame, n_bins=2)
    assert table["pairs"].tolist() == [15, 15]
    for row, labels in zip(table.itertuples(), (range(5), range(5, 10)), strict=True):
        here = frame[frame["label"].isin(labels)]
        pairs = here.pivot(index=["split", "label"], columns="model", values="average_precision")
        gains = pairs["Dependency-LDA"] - pairs["Tuned SVM"]
        # Unpaired, p differs in the first decimal.
        assert row.p_of_pairs == pytest.approx(stats.ttest_1samp(gains, 0).pvalue, rel=1e-9)
        # Where every label has as many splits, clusters come to the same as each label's mean over its splits.
        by_label = stats.ttest_1samp(gains.groupby(level="label").mean(), 0)
        assert (row.labels, row.t, row.p) == pytest.approx((5, by_label.statistic, by_label.pvalue), rel=1e-9)


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ({"a": [0.1, 0.3], "b": [0.5, 0.7]}, (4, 2, 0.4, 12.7062 * 0.2, 2.0, 0.2952, 0.0534)),
        ({"a": [0.1], "b": [0.5, 0.7]}, (3, 2, 13 / 30, 12.7062 * 2 / 9, 1.95, 0.3017, 0.1333)),
    ],
)
def test_pairs_of_one_label_in_several_splits_are_one_cluster(gains, expected):
    """Residuals of the first: -.3, -.1, .1, .3; their sums by label -.4, .4; se sqrt(2 x .32) / 4 = .2; 1 degree
    of freedom. Taken for independent, the 4 pairs have se .129, t 3.1 and p .053. In the second the sums are -1/3
    and 1/3, and se sqrt(2 x 2/9) / 3 = 2/9; each label's mean over its splits would give a difference of .35.
    """
    entries = [(i, name, 4, 0.2 + d, 0.2) for name, own in gains.items() for i, d in enumerate(own)]
    (row,) = bins.quintile_tests(scores(entries)).to_dict("records")
    columns = ["pairs", "labels", "difference", "half_width", "t", "p", "p_of_pairs"]
    assert [row[name] for name in columns] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ([0.1], (1, 0.1, np.nan, np.nan)),
        ([0.0, 0.0, 0.0], (3, 0.0, 0.0, 1.0)),
        ([-0.25, -0.25], (2, -0.25, -np.inf, 0.0)),
    ],
)
def test_degenerate_bins_warn_of_nothing(gains, expected):
    entries = [(0, str(i), 4, 0.5 + gain, 0.5) for i, gain in enumerate(gains)]
    (row,) = bins.quintile_tests(scores(entries)).to_dict("records")
    assert (row["pairs"], row["difference"], row["t"], row["p"]) == pytest.approx(expected, nan_ok=True)


def test_only_shared_items_are_paired():
    frame = scores([(0, "a", 1, 0.2, 0.1), (0, "b", 1, 0.4, 0.1), (0, "c", 1, 0.9, 0.6)])
    frame = frame[~((frame["label"] == "c") & (frame["model"] == "Tuned SVM"))]
    (row,) = bins.quintile_tests(frame).to_dict("records")
    assert row["pairs"] == 2 and row["difference"] == pytest.approx(0.2)


def test_quintiles_refuse_what_cannot_be_binned():
    frame = scores([(0, "a", 1, 0.2, 0.1), (0, "b", 2, 0.4, 0.1)])
    assert bins.quintile_tests(frame, second="Flat-LDA").empty
    mixed = pd.concat([frame, frame.assign(train_frequency=7)])
    with pytest.raises(ValueError, match="two training frequencies in one split"):
        bins.quintiles(mixed)


def test_scores_read_beside_an_empty_frame_are_still_numbers():
    """Reading a corpus without results beside one that has some left columns of objects, which scipy refuses."""
    some = scores([(0, label, 1 + label, label / 9, 0.3) for label in range(8)])
    both = pd.concat([some.iloc[:0].astype(object), some.astype(object)])
    assert bins.quintile_tests(both, n_bins=2).equals(bins.quintile_tests(some, n_bins=2))
