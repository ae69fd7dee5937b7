"""Word by word or document by document: another order of the same conditional distributions, one posterior.

The matrix of a whole sweep over every assignment of a tiny corpus, from Eq. 2 alone: exact, no draws. The kernels'
own draws are held against the same posterior in test_exactness.py.
"""

import itertools

import numpy as np
import pytest

from reference import enumeration

DOCS, WORDS = [0, 0, 0, 1, 1], [0, 1, 0, 0, 1]
LABEL_SETS, N_WORDS, ETA, BETA = [(0, 1), (1, 2)], 2, 1.4, 0.3
N = len(DOCS)
BY_DOCUMENT = [[i] for i in range(N)]
BY_WORD = [[i] for w in range(N_WORDS) for i in range(N) if WORDS[i] == w]
AT_ONCE = [[i for i in range(N) if WORDS[i] == w] for w in range(N_WORDS)]


def conditional(state, i):
    """Return {label: probability} of token i given the labels of all others (Eq. 2)."""
    others = [j for j in range(N) if j != i]

    def weight(c):
        word = sum(state[j] == c and WORDS[j] == WORDS[i] for j in others) + BETA
        label = sum(state[j] == c for j in others) + N_WORDS * BETA
        own = sum(state[j] == c and DOCS[j] == DOCS[i] for j in others) + ETA / len(LABEL_SETS[DOCS[i]])
        return word / label * own

    weights = {c: weight(c) for c in LABEL_SETS[DOCS[i]]}
    return {c: value / sum(weights.values()) for c, value in weights.items()}


def sweep_matrix(states, blocks):
    """Return P (S, S) of a sweep; a block's tokens are drawn side by side, each given the others as they were."""
    whole = np.eye(len(states))
    for block in blocks:
        step = np.zeros_like(whole)
        for a, state in enumerate(states):
            chances = [conditional(state, i) for i in block]
            for chosen in itertools.product(*chances):
                after = list(state)
                for i, c in zip(block, chosen, strict=True):
                    after[i] = c
                p = np.prod([chance[c] for chance, c in zip(chances, chosen, strict=True)])
                step[a, states.index(tuple(after))] += p
        whole = whole @ step
    return whole


@pytest.fixture(scope="module")
def posterior():
    return enumeration.labelled_posterior(DOCS, WORDS, LABEL_SETS, N_WORDS, ETA, BETA)


def gap(posterior, blocks):
    """Return the total variation between the posterior and itself after one sweep, and the sweep's matrix."""
    p = np.array(list(posterior.values()))
    matrix = sweep_matrix(list(posterior), blocks)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    return np.abs(p @ matrix - p).sum() / 2, matrix


@pytest.mark.parametrize("blocks", [BY_DOCUMENT, BY_WORD], ids=["document by document", "word by word"])
def test_a_sweep_in_either_order_keeps_the_posterior_and_no_other(posterior, blocks):
    moved, matrix = gap(posterior, blocks)
    assert moved < 1e-12  # 2e-16 when right; 0.19 with a word's tokens at once, below
    assert np.sort(np.abs(np.linalg.eigvals(matrix)))[-2] < 0.99  # 0.39 and 0.40; 1 where a sweep keeps two


def test_the_orders_are_two_samplers(posterior):
    matrices = [gap(posterior, blocks)[1] for blocks in (BY_DOCUMENT, BY_WORD)]
    assert np.abs(matrices[0] - matrices[1]).max() > 0.01  # 0.053; 0 were the two orders the same


def test_the_tokens_of_a_word_cannot_be_drawn_at_once(posterior):
    assert gap(posterior, AT_ONCE)[0] > 0.01  # 0.19; 0 were it allowed
