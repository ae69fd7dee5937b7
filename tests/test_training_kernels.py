"""Training samplers: counts, compiled against interpreted, and exact enumeration of tiny corpora."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from polytopic.kernels import generator, labelled, topics
from polytopic.models.chains import _by_word
from reference import enumeration

# Five tokens: documents, words, and the documents' labels. Deliberately lopsided.
DOCS, WORDS = [0, 0, 1, 1, 1], [0, 1, 0, 2, 2]
LABEL_SETS = [(0, 1), (1, 2)]


def one_lane(seed):
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([seed], np.uint64), 0)
    return random


def labelled_tokens():
    X = sparse.coo_matrix((np.ones(5, int), (DOCS, WORDS)), shape=(2, 3)).tocsr()
    Y = sparse.csr_matrix(np.array([[1, 1, 0], [0, 1, 1]], bool))
    return _by_word(X, Y)


def labelled_chain(tokens, seed, n_sweeps, eta=1.4, beta=0.3, sweep=labelled.sweep):
    random = one_lane(seed)
    z = np.zeros(tokens.docs.size, np.int16)
    labelled.start(tokens, z, random)
    state = labelled.init(tokens, z)
    row, cumulative = np.zeros(tokens.n_labels), np.zeros(3)
    for _ in range(n_sweeps):
        sweep(tokens, state, eta, beta, random, row, cumulative)
        yield state
    assert not row.any()


def token_labels(tokens, state):
    return tuple(int(c) for c in tokens.labels[tokens.label_ptr[tokens.docs] + state.z])


def test_labelled_counts_follow_from_assignments():
    tokens = labelled_tokens()
    for state in labelled_chain(tokens, 1, 20):
        rebuilt = labelled.init(tokens, state.z)
        np.testing.assert_array_equal(state.n_dc, rebuilt.n_dc)
        np.testing.assert_array_equal(state.n_c, rebuilt.n_c)


def test_labelled_visits_match_the_exact_posterior():
    tokens = labelled_tokens()
    words = np.repeat(np.arange(3), np.diff(tokens.word_ptr))
    seen = Counter(token_labels(tokens, state) for state in labelled_chain(tokens, 7, 100_000))
    exact = enumeration.labelled_posterior(tokens.docs, words, LABEL_SETS, 3, eta=1.4, beta=0.3)
    assert enumeration.total_variation(exact, seen) < 0.015  # 0.005 when right
    wrong = enumeration.labelled_posterior(tokens.docs, words, LABEL_SETS, 3, eta=2.8, beta=0.3)
    assert enumeration.total_variation(wrong, seen) > 0.05  # 0.11: eta per label instead of per document


def test_labelled_compiled_and_interpreted_agree_bit_for_bit():
    tokens = labelled_tokens()
    compiled = [state.z.copy() for state in labelled_chain(tokens, 3, 50)]
    plain = [state.z.copy() for state in labelled_chain(tokens, 3, 50, sweep=labelled.sweep.py_func)]
    np.testing.assert_array_equal(compiled, plain)


def test_tokens_of_single_label_documents_stay():
    X = sparse.csr_matrix(np.array([[2, 1], [1, 3]]))
    Y = sparse.csr_matrix(np.array([[1, 0], [0, 1]], bool))
    tokens = _by_word(X, Y)
    *_, state = labelled_chain(tokens, 0, 5)
    assert state.n_c.tolist() == [3, 4]


def topic_chain(seed, n_sweeps, gamma=0.5, beta=0.3, sweep=topics.sweep):
    tokens = topics.Tokens(np.array([0, 2, 5]), np.array(WORDS, np.int32), 3)
    random = one_lane(seed)
    z = np.zeros(5, np.int32)
    topics.start(z, 2, random)
    state = topics.init(tokens, z, 2)
    for _ in range(n_sweeps):
        sweep(tokens, state, gamma, beta, random, np.zeros(2))
        yield tokens, state


def test_topic_counts_follow_from_assignments():
    for tokens, state in topic_chain(1, 20):
        rebuilt = topics.init(tokens, state.z, 2)
        for held, expected in zip(state, rebuilt, strict=True):
            np.testing.assert_array_equal(held, expected)


def test_topic_visits_match_the_exact_posterior():
    seen = Counter(tuple(map(int, state.z)) for _, state in topic_chain(5, 100_000))
    exact = enumeration.lda_posterior(DOCS, WORDS, 2, 3, 2, gamma=0.5, beta=0.3)
    assert enumeration.total_variation(exact, seen) < 0.015  # 0.007 when right
    wrong = enumeration.lda_posterior(DOCS, WORDS, 2, 3, 2, gamma=0.25, beta=0.3)
    assert enumeration.total_variation(wrong, seen) > 0.05  # 0.15: gamma as a sum instead of per topic


@pytest.mark.parametrize("seed", [0, 9])
def test_topics_compiled_and_interpreted_agree_bit_for_bit(seed):
    compiled = [state.z.copy() for _, state in topic_chain(seed, 50)]
    plain = [state.z.copy() for _, state in topic_chain(seed, 50, sweep=topics.sweep.py_func)]
    np.testing.assert_array_equal(compiled, plain)


def test_uniforms_are_uniform_and_streams_differ():
    draws = np.array(
        [[generator.uniform(random) for _ in range(2000)] for random in map(one_lane, range(20))]
    )
    assert draws.min() >= 0 and draws.max() < 1
    assert (
        abs(draws.mean() - 0.5) < 0.006
    )  # 4 standard errors, 0.0008 when right; 0.5 off for a stuck generator
    correlation = np.corrcoef(draws)[np.triu_indices(20, 1)]
    assert (
        np.abs(correlation).max() < 0.1
    )  # 4.5 standard errors, 0.06 when right; 1 when two chains share a stream
