"""NPMI: by hand, against loops over sets of documents, and figures that gensim 4.4.0 gave."""

import numpy as np
import pytest
from scipy import sparse

from polytopic import metrics
from reference import slow_metrics

A, B, C, EVERYWHERE, SELDOM, NOWHERE = range(6)
BY_HAND = np.array([[2, 1, 0, 1, 0, 0], [1, 3, 0, 1, 0, 0], [0, 0, 5, 2, 1, 0], [0, 0, 1, 1, 0, 0]])


@pytest.fixture(scope="module")
def counts():
    """Forty documents of twelve words by a formula; the last word never occurs, some never meet."""
    d, w = np.ogrid[:40, :12]
    X = ((d * d + 3 * d * w + 5 * w) % 13 < 4) * (1 + (d + w) % 3)
    X[:, 11] = 0
    X[20:, :4] = 0
    return X


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ([A, B], 1),  # always together
        ([A, C], -1),  # never
        ([A, EVERYWHERE], 0),  # independent
        ([C, SELDOM], np.log(2) / np.log(4)),  # 1/4 over 1/2 times 1/4
        ([A, B, C], (1 - 1 - 1) / 3),
        ([A, B, NOWHERE], 1),  # a word that never occurs is left out
    ],
)
def test_npmi_by_hand(topic, expected):
    assert metrics.npmi([topic], BY_HAND) == pytest.approx([expected])


def test_two_words_of_all_documents_are_independent():
    assert metrics.npmi([[0, 1]], [[1, 1], [2, 1]]) == [0]


def test_a_topic_without_pairs_has_no_coherence():
    assert np.isnan(metrics.npmi([[A], [], [A, NOWHERE]], BY_HAND)).all()


def test_definitions(counts):
    rng = np.random.default_rng(3)
    topics = [rng.permutation(12)[: rng.integers(2, 9)] for _ in range(40)]
    slowly = slow_metrics.coherences(topics, counts, slow_metrics.npmi)
    np.testing.assert_allclose(metrics.npmi(topics, sparse.csr_matrix(counts)), slowly, rtol=1e-12)


def test_gensim_agrees(counts):
    """CoherenceModel(texts=..., coherence="c_npmi", window_size=10**6) on these documents as lists of words.

    Two pairs of the third topic never meet: gensim's 1e-12 of smoothing makes an NPMI of -.87 and -.90 of these; the
    limit of -1 would move the mean by .024.
    """
    topics = [[0, 1, 2, 3, 4], [4, 5, 6, 7, 8], [9, 0, 10, 3, 6]]
    found = metrics.npmi(topics, counts, smoothing=1e-12 * len(counts))
    expected = [0.055305618702640336, -0.02642450108116586, -0.014201098917377475]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_topics_over_labels_take_labels_for_words():
    labels = sparse.csr_matrix(BY_HAND > 0)
    assert metrics.npmi([[A, B]], labels) == pytest.approx([1])


def test_leading_words_keep_the_order_of_ties():
    phi = [[0.2, 0.3, 0.2, 0.3], [0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]]
    assert metrics.leading_words(phi, 3).tolist() == [[1, 3, 0], [0, 1, 2], [3, 2, 1]]
    assert metrics.leading_words(phi, 9).shape == (3, 4)


@pytest.mark.parametrize(
    ("topics", "X", "settings", "message"),
    [
        ([[0, 6]], BY_HAND, {}, "topic 0 names word 6, but X has words 0 to 5"),
        ([[0, -1]], BY_HAND, {}, "names word -1"),
        ([[0, 1], [2, 2]], BY_HAND, {}, "topic 1 names a word twice"),
        ([["a", "b"]], BY_HAND, {}, "topic 0 must be a list of columns"),
        ([[0, 1]], BY_HAND[:0], {}, "no documents"),
        ([[0, 1]], BY_HAND / 3, {}, "is fractional"),
        ([[0, 1]], BY_HAND, {"smoothing": -1}, "smoothing must be a number"),
        ([[0, 1]], BY_HAND, {"smoothing": 1}, "smoothing must be below 1"),
    ],
)
def test_mistakes_are_named(topics, X, settings, message):
    with pytest.raises(ValueError, match=message):
        metrics.npmi(topics, X, **settings)
