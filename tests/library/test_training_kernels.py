"""Training samplers: counts, compiled against interpreted, streams; exact enumeration is in test_exactness.py."""

import numpy as np
import pytest
from scipy import sparse

from polytopic.kernels import generator, labelled
from polytopic.models.chains import labelled_tokens
from reference import samplers
from reference.interpreting import interpreted


def sixteen_lanes(seed):
    random = np.zeros((4, labelled.LANES), np.uint32)
    generator.seed(random, np.arange(100 * seed, 100 * seed + labelled.LANES, dtype=np.uint64), 0)
    return random


def labelled_chains(tokens, seed, n_sweeps, eta=1.4, beta=0.3, sweep=labelled.sweep):
    random = sixteen_lanes(seed)
    state = labelled.start(tokens, random)
    for _ in range(n_sweeps):
        sweep(tokens, state, eta, beta, random)
        yield state
    assert not state.n_wc.any()


def token_places(tokens):
    """Return the document and the word of every token that moves."""
    words = np.repeat(np.arange(tokens.pair_ptr.size - 1), np.diff(tokens.pair_ptr))
    return np.repeat(tokens.docs, tokens.counts), np.repeat(words, tokens.counts)


def token_labels(tokens, state):
    """Return the label of every token that moves, lane by lane: (N, LANES)."""
    docs, _ = token_places(tokens)
    return tokens.labels[tokens.label_ptr[docs][:, None] + state.z]


def random_tokens(seed=0, n_documents=40, n_words=15, n_labels=9):
    """Documents of one to seven labels, with words that come more than once and labels without documents."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_matrix(rng.poisson(0.7, (n_documents, n_words)))
    Y = np.zeros((n_documents, n_labels), bool)
    for d in range(n_documents):
        Y[d, rng.choice(n_labels - 1, rng.integers(1, 8), replace=False)] = True
    return X, sparse.csr_matrix(Y)


def test_labelled_counts_follow_from_assignments():
    X, Y = random_tokens()
    tokens = labelled_tokens(X, Y)
    docs, _ = token_places(tokens)
    several = np.asarray(Y.sum(axis=1)).ravel() > 1
    settled = np.asarray(X.sum(axis=1)).ravel()[~several] @ Y[~several].toarray()
    for state in labelled_chains(tokens, 1, 20):
        labels = token_labels(tokens, state)
        for lane in range(labelled.LANES):
            n_c = np.bincount(labels[:, lane], minlength=tokens.n_labels) + settled
            places = tokens.label_ptr[docs] + state.z[:, lane]
            np.testing.assert_array_equal(state.n_c[:, lane], n_c)
            np.testing.assert_array_equal(
                state.n_dc[:, lane], np.bincount(places, minlength=tokens.labels.size)
            )
    assert (labels != labels[:, :1]).any()


@pytest.mark.parametrize("n_chains", [1, 5, 16])
def test_labelled_pool_adds_up_the_chains_that_count(n_chains):
    X, Y = random_tokens()
    tokens = labelled_tokens(X, Y)
    *_, state = labelled_chains(tokens, 2, 3)
    ptr, labels, counts = labelled.pool(tokens, state.z[:, :n_chains])
    expected = np.zeros((X.shape[1], Y.shape[1]), int)
    one = np.asarray(Y.sum(axis=1)).ravel() == 1
    expected += n_chains * (X[one].T @ Y[one].astype(int)).toarray()
    _, words = token_places(tokens)
    for lane in range(n_chains):
        np.add.at(expected, (words, token_labels(tokens, state)[:, lane]), 1)
    pooled = sparse.csr_matrix((counts, labels, ptr), shape=expected.shape)
    assert pooled.nnz == np.count_nonzero(expected)
    np.testing.assert_array_equal(pooled.toarray(), expected)


def test_labelled_compiled_and_interpreted_agree_bit_for_bit():
    tokens = labelled_tokens(*random_tokens())
    compiled = [state.z.copy() for state in labelled_chains(tokens, 3, 5)]
    with interpreted(labelled, generator):
        plain = [state.z.copy() for state in labelled_chains(tokens, 3, 5, sweep=labelled.sweep)]
    np.testing.assert_array_equal(compiled, plain)


def test_a_labelled_chain_does_not_depend_on_its_lane_or_the_chains_beside_it():
    tokens = labelled_tokens(*random_tokens())
    *_, together = labelled_chains(tokens, 4, 5)
    random = sixteen_lanes(8)
    random[:, 2] = sixteen_lanes(4)[:, 11]
    state = labelled.start(tokens, random)
    for _ in range(5):
        labelled.sweep(tokens, state, 1.4, 0.3, random)
    np.testing.assert_array_equal(state.z[:, 2], together.z[:, 11])
    assert (state.z[:, 3] != together.z[:, 12]).any()


@pytest.mark.parametrize(("n_labels", "size"), [(2, 1), (256, 1), (257, 2)])
@pytest.mark.parametrize("longest", [900, 200_000])
def test_long_label_lists_and_documents_are_kept_in_larger_numbers(n_labels, size, longest):
    """With two labels a document of 900 tokens outgrows bytes on each, and one of 200,000 outgrows two bytes."""
    Y = sparse.csr_matrix(np.ones((2, n_labels), bool))
    tokens = labelled_tokens(sparse.csr_matrix(np.array([[longest, 50], [60, 900]])), Y)
    *_, state = labelled_chains(tokens, 0, 3)
    assert state.z.dtype.itemsize == size
    assert state.z.max() == n_labels - 1
    assert (state.n_dc.sum(axis=0, dtype=int) == longest + 50 + 60 + 900).all()
    places = tokens.label_ptr[token_places(tokens)[0]] + state.z[:, 0]
    np.testing.assert_array_equal(state.n_dc[:, 0], np.bincount(places, minlength=tokens.labels.size))


def test_uniforms_are_uniform_and_streams_differ():
    draws = np.array(
        [[generator.uniform(random) for _ in range(2000)] for random in map(samplers.one_lane, range(20))]
    )
    assert draws.min() >= 0 and draws.max() < 1
    assert (
        abs(draws.mean() - 0.5) < 0.006
    )  # 4 standard errors, 0.0008 when right; 0.5 off for a stuck generator
    correlation = np.corrcoef(draws)[np.triu_indices(20, 1)]
    assert (
        np.abs(correlation).max() < 0.1
    )  # 4.5 standard errors, 0.06 when right; 1 when two chains share a stream
