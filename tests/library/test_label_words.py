"""What is known of a label before its first document: pseudo-counts in topic models, names in the hybrid."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

import polytopic
from polytopic.corpus import Corpus, name_counts
from polytopic.models import (
    BinaryRelevanceSVM,
    DependencyLDA,
    FlatLDA,
    HybridClassifier,
    LearnedDependencyLDA,
    PriorLDA,
    hybrid,
    with_names,
)

N_LABELS, N_WORDS = 9, 30
FEW = {"n_chains": 3, "n_sweeps": 15, "n_test_chains": 4, "random_state": 1}


def documents(n=120, seed=0):
    """Return X and Y: labels own three words each, and the last two labels have no document."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, N_LABELS)) < 0.25
    Y[:, -2:] = False
    Y[np.arange(n), rng.integers(0, N_LABELS - 2, n)] = True
    rates = np.repeat(Y, 3, axis=1) * 1.0
    return rng.poisson(np.hstack([rates, np.full((n, N_WORDS - 3 * N_LABELS), 0.5)])), Y


def names(weight=1):
    """Return the table of labels that are each called by their own three words, but for the last one."""
    table = np.zeros((N_LABELS, N_WORDS), type(weight))
    for c in range(N_LABELS - 1):
        table[c, 3 * c : 3 * c + 3] = weight
    return table


@pytest.mark.parametrize("kind", [FlatLDA, PriorLDA, DependencyLDA])
def test_pseudo_counts_of_zero_change_no_bit(kind):
    X, Y = documents()
    plain = kind(**FEW).fit(X, Y)
    for zeros in (np.zeros((N_LABELS, N_WORDS)), sparse.csr_matrix((N_LABELS, N_WORDS))):
        given = kind(label_words=zeros, **FEW).fit(X, Y)
        assert (given.label_word_counts_ != plain.label_word_counts_).nnz == 0
        np.testing.assert_array_equal(given.decision_function(X), plain.decision_function(X))


def test_whole_pseudo_counts_are_tokens_of_documents_with_that_label_alone():
    """Tokens of such documents never move: the chains draw the same, and phi has the same counts."""
    X, Y = documents()
    given = FlatLDA(label_words=names(2), **FEW).fit(X, Y)
    stacked = FlatLDA(**FEW).fit(*with_names(X, Y, names(2)))
    np.testing.assert_array_equal(given.seen_labels_, stacked.seen_labels_)
    np.testing.assert_array_equal(given.label_word_counts_.toarray(), stacked.label_word_counts_.toarray())
    np.testing.assert_array_equal(given.decision_function(X), stacked.decision_function(X))
    later = FlatLDA(**FEW).fit(X, Y).label_word_counts_.toarray() + 3 * names(2)[: N_LABELS - 2]
    assert (later != given.label_word_counts_[: N_LABELS - 2].toarray()).any()  # added after training alone


@pytest.mark.parametrize("inference", ["fast", "proper", "mean_field"])
def test_a_label_without_documents_is_found_by_its_words(inference):
    X, Y = documents()
    model = DependencyLDA(4, label_words=names(0.5), inference=inference, **FEW).fit(X, Y)
    unused = N_LABELS - 2
    of_unused = np.zeros((1, N_WORDS), int)
    of_unused[0, 3 * unused : 3 * unused + 3] = 4
    scores = model.decision_function(of_unused)[0]
    assert scores.argmax() == unused and scores[-1] == 0
    expected = (names(0.5)[unused] + model.beta_w) / (1.5 + N_WORDS * model.beta_w)
    np.testing.assert_allclose(model.words_of(unused), expected, rtol=1e-12)
    assert not model.words_of(unused + 1).any()
    plain = DependencyLDA(4, inference=inference, **FEW).fit(X, Y)
    assert plain.decision_function(of_unused)[0, unused] == 0


def test_pseudo_counts_are_kept_and_copied_with_the_model(tmp_path):
    X, Y = documents()
    model = clone(DependencyLDA(4, label_words=sparse.csr_matrix(names(0.5)), **FEW)).fit(X, Y)
    model.save(tmp_path / "model")
    loaded = polytopic.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.label_words.toarray(), names(0.5))


def test_learned_settings_go_with_pseudo_counts():
    X, Y = documents()
    model = LearnedDependencyLDA((3,), label_words=names(), **FEW).fit(X, Y)
    assert model.model_.words_of(N_LABELS - 2).argmax() // 3 == N_LABELS - 2


@pytest.mark.parametrize("model", [FlatLDA(**FEW), HybridClassifier(random_state=0)])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((N_LABELS, N_WORDS - 1)), "9 labels by 29 words, the documents 9 by 30: give it a row"),
        (-names(), r"label_\w+ has a negative entry, -1"),
        (np.full((N_LABELS, N_WORDS), np.nan), "is not finite"),
        ([["cooking"]] * N_LABELS, "must hold real numbers"),
    ],
)
def test_tables_of_other_things_are_refused(model, table, message):
    setting = "label_names" if isinstance(model, HybridClassifier) else "label_words"
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(**{setting: table}).fit(*documents())


def test_a_hybrid_with_names_scores_labels_without_documents():
    X, Y = documents()
    model = HybridClassifier(label_names=names(), random_state=0).fit(X, Y)
    unused = N_LABELS - 2
    of_unused = np.zeros((1, N_WORDS), int)
    of_unused[0, 3 * unused : 3 * unused + 3] = 2
    likely = model.predict_proba(of_unused)[0]
    assert likely[unused] > likely[: N_LABELS - 2].max() and likely[-1] == 0
    np.testing.assert_array_equal(model.label_counts_[:unused], Y[:, :unused].sum(axis=0) + 1)
    (found,) = model.explain(of_unused)
    assert found.base[unused] > hybrid.NEVER and found.base[-1] == hybrid.NEVER


def test_a_hybrid_without_names_is_the_one_it_was():
    X, Y = documents()
    found = [
        HybridClassifier(label_names=table, random_state=0).fit(X, Y).decision_function(X)
        for table in (None, np.zeros((N_LABELS, N_WORDS), int))
    ]
    np.testing.assert_array_equal(*found)


def test_names_are_documents_of_their_labels_for_any_model():
    X, Y = documents()
    stacked = with_names(X, Y, names())
    assert stacked[0].shape == (128, N_WORDS) and stacked[1].shape == (128, N_LABELS)
    np.testing.assert_array_equal(stacked[1][120:].toarray(), np.eye(N_LABELS)[:-1])
    plain, named = (BinaryRelevanceSVM().fit(*given) for given in ((X, Y), stacked))
    assert not plain.words_of(N_LABELS - 2).any()
    assert named.words_of(N_LABELS - 2).argmax() // 3 == N_LABELS - 2


VOCABULARY = ("cherries", "apple", "data", "base", "warehouse", "ware", "house", "time", "2012")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Cherry", ["cherries"]),
        ("Timing", ["time"]),
        ("APPLES, apple_data", ["apple", "apple", "data"]),
        ("database; warehouses", ["data", "base", "warehouse"]),
        ("warehouse", ["warehouse"]),
        ("sometimes basement 2012", []),  # both parts have to be words; a number is none
        ("", []),
        ("(QH 301.5)", []),
    ],
)
def test_words_of_names_meet_words_of_texts(name, words):
    (row,) = name_counts([name], VOCABULARY)
    found = [VOCABULARY[w] for w, n in zip(row.indices, row.data, strict=True) for _ in range(n)]
    assert sorted(found) == sorted(words)


def test_names_are_read_as_the_texts_were():
    vectorizer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"[a-z]+").fit(["machine learning b c"])
    vocabulary = vectorizer.get_feature_names_out()
    corpus = Corpus(np.eye(len(vocabulary), dtype=int), np.eye(len(vocabulary)), vocabulary)
    corpus = Corpus(corpus.counts, corpus.labels, vocabulary, [f"c {name}" for name in vocabulary])
    table = corpus.name_counts(vectorizer)
    row = table[list(vocabulary).index("machine learning")]
    assert {vocabulary[w] for w in row.indices} == {"c", "machine", "learning", "machine learning"}
    assert not Corpus(corpus.counts, corpus.labels, vocabulary).name_counts().nnz  # labels that are numbered
