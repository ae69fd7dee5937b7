"""The corpus checks itself, splits itself, and knows its content by a digest."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from polytopic.corpus import Corpus, make_splits, near_duplicates
from polytopic.validation import check_counts

COUNTS = [[2, 0, 1], [0, 3, 0], [0, 0, 0], [1, 1, 0]]
LABELS = [[1, 0], [0, 1], [1, 1], [0, 0]]


def corpus(**changes):
    parts = {"counts": COUNTS, "labels": LABELS, "splits": [([0, 1], [2, 3])], "name": "tiny"}
    return Corpus(**{**parts, **changes})


def test_parts_are_canonical_and_typed():
    one = corpus()
    assert (one.n_documents, one.n_words, one.n_labels) == (4, 3, 2)
    assert one.counts.dtype == np.int32 and one.labels.dtype == bool
    assert one.counts.has_canonical_format and one.counts.nnz == 5
    assert one.vocabulary == ("1", "2", "3") and one.label_names == ("1", "2")


def test_label_frequencies_count_documents():
    assert corpus().label_frequencies.tolist() == [2, 2]
    assert corpus().split(0)[0].label_frequencies.tolist() == [1, 1]
    assert corpus(labels=sparse.csr_matrix((4, 3))).label_frequencies.tolist() == [0, 0, 0]


def test_split_returns_rows_in_the_given_order():
    train, test = corpus(splits=[([3, 0], [2])]).split(0)
    assert train.counts.toarray().tolist() == [COUNTS[3], COUNTS[0]]
    assert test.labels.toarray().tolist() == [[True, True]]
    assert (train.n_words, train.n_labels, train.splits) == (3, 2, ())


def test_split_by_name():
    named = corpus(splits=[([0], [1]), ([2], [3])], split_names=["first", "second"])
    assert named.split("second")[1].counts.toarray().tolist() == [COUNTS[3]]
    with pytest.raises(
        ValueError, match="no split 'third': it has 2, numbered 0 to 1, by name first, second"
    ):
        named.split("third")


@pytest.mark.parametrize("i", [1, -1, "0", 0.0, None])
def test_unknown_split_says_how_many_there_are(i):
    with pytest.raises(ValueError, match="tiny has no split .*: it has 1, numbered 0 to 0"):
        corpus().split(i)


def test_corpus_without_splits_says_how_to_make_them():
    with pytest.raises(ValueError, match=r"tiny has no splits; make seeded ones with corpus.with_splits"):
        corpus(splits=()).split(0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": [[1, -2, 0]] * 4}, r"counts\[0, 1\] = -2 is negative"),
        ({"counts": [[1, 0.5, 0]] * 4}, r"counts\[0, 1\] = 0.5 is fractional"),
        ({"counts": [[1, np.nan, 0]] * 4}, r"counts\[0, 1\] = nan is not finite"),
        ({"counts": [[1, np.inf, 0]] * 4, "real_valued": True}, r"counts\[0, 1\] = inf is not finite"),
        ({"labels": LABELS[:3]}, "X has 4 documents but labels has 3"),
        ({"labels": [[2, 0]] * 4}, r"labels\[0, 0\] = 2 is neither 0 nor 1"),
        ({"vocabulary": ["a", "b"]}, "vocabulary has 2 names for 3 columns of counts"),
        ({"label_names": ["a", "a"]}, "label_names names 'a' more than once"),
        ({"splits": [([0, 1], [1, 2])]}, "split 0 has 1 documents on both sides, the first is row 1"),
        ({"splits": [([0], [1]), ([0], [4])]}, "split 1 names row 4, but the corpus has rows 0 to 3"),
        ({"splits": [([-1], [1])]}, "split 0 names row -1"),
        ({"splits": [([0, 0], [1])]}, "split 0 names a row twice"),
        ({"splits": [([0.0], [1])]}, "split 0 must hold row numbers"),
        ({"splits": [[0]]}, "split 0 must be a pair"),
        ({"split_names": ["a", "b"]}, "split_names has 2 names for 1 splits"),
    ],
)
def test_bad_parts_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        corpus(**changes)


def test_real_values_are_kept_as_such_and_no_counts():
    real = corpus(counts=[[-1.5, 0, 1]] * 4, real_valued=True)
    assert real.counts.dtype == np.float64 and real.counts[0, 0] == -1.5
    assert real.split(0)[0].real_valued
    with pytest.raises(ValueError, match="is negative"):
        check_counts(real.counts)


def test_the_callers_matrix_is_left_alone():
    given_counts = sparse.csr_matrix(np.array([[0, 1], [2, 0]]))
    one = Corpus(given_counts, np.ones((2, 1)))
    one.counts.data[:] = 9
    assert given_counts.data.tolist() == [1, 2]


def test_digest_follows_content_and_not_the_name():
    same = corpus(counts=sparse.coo_matrix(np.array(COUNTS, float)), name="other")
    assert corpus().digest == same.digest
    changes = [
        {"counts": np.array(COUNTS) * 2},
        {"counts": np.array(COUNTS, float), "real_valued": True},
        {"labels": 1 - np.array(LABELS)},
        {"vocabulary": ["a", "b", "c"]},
        {"label_names": ["a", "b"]},
        {"splits": [([0, 1, 2], [3])]},
        {"splits": [([1, 0], [2, 3])]},
        {"splits": ()},
    ]
    digests = {corpus().digest} | {corpus(**change).digest for change in changes}
    assert len(digests) == 1 + len(changes)


def test_digest_is_the_same_on_every_machine():
    assert corpus().digest == "330b55e4c943c759cf9fda82f3c8032cf13ae10feb324607ee72cdafd1cbb91d"


def test_pickle_keeps_the_corpus():
    again = pickle.loads(pickle.dumps(corpus()))
    assert again.digest == corpus().digest and again.name == "tiny"


def test_repr_is_one_line_of_figures():
    assert repr(corpus()) == "<Corpus tiny: 4 documents, 3 words, 8 tokens, 2 labels, 1 splits>"


def some_labels(n_documents=200, n_labels=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n_documents, n_labels)) < rng.random(n_labels) ** 4


def test_every_label_that_occurs_is_seen_in_training():
    labels = some_labels()
    for train, test in make_splits(labels, seed=3):
        assert set(train) | set(test) == set(range(200)) and not set(train) & set(test)
        assert not (labels[test].any(axis=0) & ~labels[train].any(axis=0)).any()


def test_only_documents_with_an_unseen_label_move():
    """All labels occur in every document, so nothing needs to move and the share is exact."""
    (train, test), *_ = make_splits(np.ones((50, 3)), n_splits=2, train_fraction=0.4)
    assert (len(train), len(test)) == (20, 30)
    own = np.eye(50)  # one label of its own per document: all must move
    assert [len(test) for _, test in make_splits(own)] == [0] * 5


def test_splits_follow_seed_name_and_number():
    labels = some_labels()
    draws = [make_splits(labels, 2, seed=s, name=n)[i] for s in (0, 1) for n in ("a", "b") for i in (0, 1)]
    assert len({train.tobytes() for train, _ in draws}) == 8
    again = make_splits(labels, 7, seed=1, name="b")[1]
    assert np.array_equal(again[0], draws[-1][0])  # more splits leave the earlier ones alone


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 40))
def test_groups_stay_on_one_side(seed, n_groups):
    groups = np.random.default_rng(seed).integers(n_groups, size=200)
    labels = some_labels(seed=seed)
    for train, test in make_splits(labels, 2, seed=seed, groups=groups):
        assert not set(groups[train]) & set(groups[test])
        assert not (labels[test].any(axis=0) & ~labels[train].any(axis=0)).any()


def test_groups_may_be_named_and_must_match_in_length():
    (train, test), *_ = make_splits(np.ones((4, 1)), groups=["a", "b", "a", "b"], train_fraction=0.5)
    assert sorted([train.tolist(), test.tolist()]) == [[0, 2], [1, 3]]
    with pytest.raises(ValueError, match="groups has 3 values for 4 documents"):
        make_splits(np.ones((4, 1)), groups=[0, 1, 2])


@pytest.mark.parametrize("share", [0, 1, -0.1, float("nan")])
def test_train_fraction_must_leave_something(share):
    with pytest.raises(ValueError, match="train_fraction must lie between 0 and 1"):
        make_splits(np.ones((4, 1)), train_fraction=share)


def test_with_splits_replaces_the_splits():
    again = corpus(labels=np.ones((4, 1)), split_names=["own"]).with_splits(3, 0.5, seed=1)
    assert len(again.splits) == 3 and again.split_names == () and again.name == "tiny"


def test_near_duplicates_by_hand():
    counts = np.zeros((7, 20), int)
    counts[0, :10] = 1
    counts[1, :10] = 5  # the same set as row 0, other counts
    counts[2, :9] = 1  # 9 of 10 with row 0
    counts[3, :8] = 1  # 8 of 9 with row 2: under nine tenths
    counts[4, 1:11] = 1  # 9 of 11 with row 0
    counts[5, 12:14] = 1  # rows 5 and 6: no words in common with the rest, one of three with each other
    counts[6, 13:15] = 1
    group = near_duplicates(counts, 0.9)
    assert group[0] == group[1] == group[2]
    assert len({group[0], group[3], group[4], group[5], group[6]}) == 5
    assert len(set(near_duplicates(counts, 0.8))) == 3  # 3 and 4 join the first by 8 of 9 and 9 of 11


def test_near_duplicates_join_in_chains():
    counts = np.tri(12, 30, 18, dtype=int)  # row i has words 0 to i + 18: neighbours share 19 of 20 and so on
    assert len(set(near_duplicates(counts, 0.95))) == 1
    assert len(set(near_duplicates(counts[[0, 4]], 0.95))) == 2  # ends of the chain alone: 19 of 23


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([0.5, 2 / 3, 0.75, 0.8, 0.9, 1.0]))
def test_near_duplicates_find_every_pair(seed, overlap):
    """Against all pairs one by one; a prefix one word too short loses pairs in about half of the examples."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, size=(8, 10))[rng.integers(8, size=30)] ^ (rng.random((30, 10)) < 0.08)
    shared = counts @ counts.T
    union = counts.sum(1)[:, None] + counts.sum(1) - shared
    pairs = sparse.csr_matrix(shared >= overlap * union - 1e-9)
    expected = sparse.csgraph.connected_components(pairs, directed=False)[1]
    group = near_duplicates(counts, overlap)
    assert np.array_equal(group[:, None] == group, expected[:, None] == expected)


@pytest.mark.parametrize("overlap", [0, 1.1])
def test_near_duplicates_need_a_share(overlap):
    with pytest.raises(ValueError, match="overlap must be above 0 and at most 1"):
        near_duplicates(np.ones((2, 2)), overlap)
