"""Descriptions: whose words a label's top words are, what topics hold, and where a document's labels are ranked.

The corpora are small enough to count by hand.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.study.rubin2012 import descriptions, documents, topics, words

WORDS = ("suing", "nintendo", "says", "quaint")
VIDEO = 0


def corpus(texts, label_sets, names, splits, vocabulary=WORDS, name="toy"):
    """A corpus from words and labels by document, names of both given."""
    counts = [[text.split().count(word) for word in vocabulary] for text in texts]
    labels = [[one in own for one in names] for own in label_sets]
    return Corpus(
        sparse.csr_matrix(counts), sparse.csr_matrix(labels, dtype=bool), vocabulary=vocabulary,
        label_names=names, splits=splits, name=name,
    )  # fmt: skip


@pytest.fixture
def news():
    """VIDEO has one training document, beside SUITS, whose word is "suing"; "quaint" never comes again."""
    texts = [
        "suing suing nintendo says quaint", "suing says", "says",  # training
        "nintendo says", "suing says", "suing says", "suing says", "says", "says",
    ]  # fmt: skip
    sets = [("VIDEO", "SUITS"), ("SUITS",), ("OTHER",), ("VIDEO",)] + 3 * [("SUITS",)] + 2 * [("OTHER",)]
    return corpus(texts, sets, ("VIDEO", "SUITS", "OTHER"), [(range(3), range(3, 9))])


def described(news, **weights):
    train, test = news.split(0)
    weights = {name: np.array([own]) for name, own in weights.items()}
    return words.Described(train, test, np.array([VIDEO]), weights)


# Words


def test_a_word_is_borrowed_where_it_is_twice_as_common():
    """Four documents with a partner and four without; of the words' documents 2 and 1, 2 and 2, 1 and 0 are these.

    All documents have the second partner. The label has one more, with none of the words.
    """
    presence = np.zeros((9, 3), int)
    presence[[0, 1, 4], 0] = presence[[0, 1, 4, 5], 1] = presence[0, 2] = 1
    partners = sparse.csr_matrix(np.repeat([[1, 1], [0, 1]], [4, 5], axis=0))
    given = sparse.csr_matrix(presence), np.arange(9) == 8, partners
    assert words._kinds(*given, lift=2.0, support=2).tolist() == ["borrowed", "peculiar", "peculiar"]
    assert words._kinds(*given, lift=2.1, support=1).tolist() == ["peculiar", "peculiar", "borrowed"]


def test_each_kind_of_word_is_told_apart(news):
    """Of the unseen: nintendo is in VIDEO's document alone, suing in SUITS' three, says in all, quaint in none."""
    found = words.kinds(described(news, SVM=[4.0, 3.0, 2.0, 1.0]), n_words=4, frequent=2)
    assert dict(zip(found["word"], found["kind"], strict=True)) == {
        "suing": "borrowed", "nintendo": "own", "says": "general", "quaint": "peculiar",
    }  # fmt: skip
    assert found[["training", "unseen", "partners"]].drop_duplicates().values.tolist() == [[1, 1, 1]]
    assert found["place"].tolist() == [1, 2, 3, 4] and found["weight"].tolist() == [4.0, 3.0, 2.0, 1.0]


def test_signs_are_those_of_paired_differences():
    """Differences -.1 (five times), 0 and +.2: mean -.3/7; five against one by a sign test is p = 14/64."""
    pairs = [(0.4, 0.5)] * 5 + [(0.5, 0.5), (0.7, 0.5)]
    rows = [
        (label, method, share)
        for label, own in enumerate(pairs)
        for method, share in zip("ab", own, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["label", "method", "share"])
    (row,) = descriptions.sign_tests(frame, "label", "method", "share", [("a", "b"), ("a", "c")]).itertuples()
    assert (row.items, row.above, row.level, row.below) == (7, 1, 1, 5)
    assert row.difference == pytest.approx(-0.3 / 7) and row.p == pytest.approx(14 / 64)
    spread = np.std([-0.1] * 5 + [0, 0.2], ddof=1) / np.sqrt(7)
    assert row.high - row.difference == pytest.approx(2.446912 * spread)  # t of 6 degrees, 97.5 %
    (one,) = descriptions.sign_tests(
        frame[frame["label"] == 5], "label", "method", "share", [("a", "b")]
    ).itertuples()
    assert one.p == 1 and np.isnan(one.low)


def test_a_name_is_found_among_the_words_and_chance_is_the_other_labels(news):
    names = ("mail::list", "mail::imap", "role::program")
    vocabulary = ("imap", "list", "mail", "program")
    assert words.name_words(names) == [{"list"}, {"imap"}, {"role", "program"}]  # mail is in two names
    texts, sets = ["list", "mail imap", "list program"], [(names[0],), (names[1],), (names[2],)]
    train = corpus(texts, sets, names, (), vocabulary)
    weights = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 2.0]])
    one = words.Described(train, train, np.arange(3), {"LDA": weights})
    (row,) = words.named(one, n_words=2, n_bins=1).itertuples()
    assert (row.labels, row.low, row.high) == (3, 1, 1) and row.named == pytest.approx(2 / 3)
    assert row.chance == pytest.approx((1 / 2 + 0 + 0) / 3)  # list is among the words of role::program
    assert words.named(described(news, LDA=np.ones(4))).empty  # no label has a word of its name


# Topics

COUNTS = np.array([[4, 4, 0, 0], [0, 1, 3, 3], [0, 0, 2, 0], [0, 0, 0, 0]])


def test_mutual_information_by_hand():
    """Labels 0 and 1 are always together, in half of the documents; 2 is independent of them; 3 never meets 0."""
    Y = sparse.csr_matrix([[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 0]], dtype=bool)
    assert topics.coherence([[0, 1]], Y) == pytest.approx(1)
    assert topics.coherence([[0, 2]], Y) == pytest.approx(0)
    assert topics.coherence([[0, 3]], Y) == -1
    assert topics.coherence([[0, 1, 2]], Y) == pytest.approx(1 / 3)
    assert topics.coherence([[0, 1], [0, 3]], Y) == pytest.approx(0)
    assert topics.coherence([[0, 1, 2], [0, 3]], Y) == pytest.approx(0)  # all pairs alike, not all topics
    assert np.isnan(topics.coherence([[0, 0, 4]], Y))  # no pair of two labels in use


def test_note_23_in_numbers():
    """Labels 0 and 1 have 30 documents, 2 and 3 fewer than 25. Topics 1 and 2 share 3/7 of their probability."""
    frequency = [30, 30, 8, 3]
    Y = sparse.csr_matrix(np.arange(30)[:, None] < frequency)
    found = topics.measure(COUNTS, Y, Y, n=2, alike=0.4)
    assert found["used"] == 3 and found["rare_places"] == pytest.approx(3 / 5)  # [0, 1], [2, 3], [2]
    assert found["rare_shown"] == 1.0 and found["repeated"] == pytest.approx(2 / 3)
    assert found["median_size"] == 7 and found["smallest_size"] == 2
    few = topics.measure(COUNTS, Y, Y, n=1, alike=0.5)
    assert few["repeated"] == 0 and few["rare_shown"] == 0.5
    assert topics._dealt([[0, 1], [2, 3], [4]]) == [
        [0, 3],
        [2],
        [4],
    ]  # every place is kept, and topics are mixed


# Documents


@pytest.fixture
def several():
    """Two test documents are of the kind: row 1, longer, and row 0; rows 2 to 4 have no rare, two rare, too few."""
    names = ("rare", "rarer", "often", "usual", "middling")
    sets = [("rare", "often", "usual")] + 4 * [("often", "usual")] + 2 * [("middling",)] + [("rarer",)]
    sets += [
        ("rare", "often", "usual"), ("rarer", "often", "usual"), ("often", "usual"), ("rare", "rarer", "often"),
        ("rare", "often"),
    ]  # fmt: skip
    texts = ["suing"] * 8 + ["suing", "suing says"] + ["suing"] * 3
    return corpus(texts, sets, names, [(range(8), range(8, 13))])


@pytest.fixture
def predicted(several):
    train, test = several.split(0)
    scores = {
        "Flat-LDA": np.array([[0.1, 0.3, 0.2, 0.2, 0.2], [0.5, 0.1, 0.2, 0.1, 0.1]]),
        "Vanilla SVM": np.array([[-1.0, -2.0, 1.0, 1.0, 0.0], [-1.0, -0.5, 1.0, 1.0, 0.0]]),
    }
    return train, test, documents.rows_alike(train, test, rare=1, frequent=5), scores


def test_documents_are_picked_by_their_labels_alone(predicted):
    train, test, rows, _ = predicted
    assert rows.tolist() == [1, 0]
    assert documents.rows_alike(train, test, rare=1, frequent=5, at_least=2).tolist() == [1, 0, 4]
    with pytest.raises(ValueError, match="choose other bounds"):
        documents.rows_alike(train, test, rare=1, frequent=6)


def test_ranks_by_hand(predicted):
    train, test, rows, scores = predicted
    flat, svm = (documents.ranks(train, test, rows, own, rare=1, n=2) for own in scores.values())
    assert flat["rare_rank"].tolist() == [1, 1] and svm["rare_rank"].tolist() == [5, 5]
    assert flat["frequent_found"].tolist() == [0.5, 0.5] and svm["frequent_found"].tolist() == [1.0, 1.0]
    assert flat["rare_listed"].tolist() == [1, 1] and svm["rare_listed"].tolist() == [0, 0]
    true = documents.true_labels(train, test, rows[0], scores["Flat-LDA"][0]).set_index("label")
    assert true.loc[["rarer", "often", "usual"]].values.tolist() == [[1, 1], [5, 2], [5, 3]]
    ten = documents.top_ten(train, test, rows[0], scores["Flat-LDA"][0], n=3)
    assert ten["label"].tolist() == ["rarer", "often", "usual"] and ten["true"].all()  # ties keep their order
