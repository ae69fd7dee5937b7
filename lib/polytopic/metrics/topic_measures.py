"""How topic distributions are judged (Papanikolaou et al., 4.2): by perplexity, divergence and leading topics.

Perplexity is by document completion: half of a document's tokens is observed, the other half is scored.
"""

import numpy as np
from scipy import sparse
from scipy.special import rel_entr

from polytopic.streams import stream
from polytopic.validation import check_counts

BLOCK_CELLS = 1 << 22
MASS = 0.8


def halves(X, seed=0):
    """Return (observed, scored), CSR int32 counts that add up to X (D, W): half of each document's tokens each.

    Word counts have lost the tokens' order, so the halves are drawn without replacement, by the seed; of an odd
    number of tokens the observed half has the one more. Papanikolaou et al. (4.2.1) take the first half in reading
    order. What a document draws depends on the documents before it.
    """
    X = check_counts(X)
    X.sort_indices()
    rng = stream(seed, "completion", "halves")
    documents = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    of_token = np.repeat(np.arange(X.nnz), X.data)
    document = documents[of_token]
    lengths = np.bincount(document, minlength=X.shape[0])
    order = np.lexsort((rng.random(of_token.size), document))
    place = np.arange(of_token.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    seen = order[place < np.repeat((lengths + 1) // 2, lengths)]
    counts = np.bincount(of_token[seen], minlength=X.nnz).astype(np.int32)
    observed = sparse.csr_matrix((counts, X.indices.copy(), X.indptr.copy()), shape=X.shape)
    scored = sparse.csr_matrix((X.data - counts, X.indices.copy(), X.indptr.copy()), shape=X.shape)
    for half in (observed, scored):
        half.eliminate_zeros()
    return observed, scored


def log_likelihood(X, theta, phi):
    """Return the sum over tokens of log sum_k theta_dk phi_kw (Eq. 8), in nats.

    X (D, W) counts, theta (D, T) and phi (T, W) whose rows sum to 1. A word that no topic of its document gives a
    probability makes it -inf. Papanikolaou et al., section 4.2.1.
    """
    X = check_counts(X)
    theta, by_word = np.asarray(theta, float), np.ascontiguousarray(np.asarray(phi, float).T)
    if theta.shape[0] != X.shape[0] or by_word.shape != (X.shape[1], theta.shape[1]):
        shapes = f"X {X.shape}, theta {theta.shape} and phi {by_word.T.shape}"
        raise ValueError(f"{shapes} do not fit: give (D, W), (D, T) and (T, W)")
    documents = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    step, total = max(1, BLOCK_CELLS // max(1, theta.shape[1])), 0.0
    with np.errstate(divide="ignore"):
        for a in range(0, X.nnz, step):
            here = slice(a, a + step)
            mixed = np.einsum("ij,ij->i", theta[documents[here]], by_word[X.indices[here]])
            total += (X.data[here] * np.log(mixed)).sum()
    return float(total)


def perplexity(X, theta, phi):
    """Return exp(-log likelihood / tokens) of the tokens of X (Eq. 9): those scored, and no others, are counted.

    Raises ValueError when X has no tokens. For completion, X is the scored half and theta saw the observed one.
    """
    X = check_counts(X)
    n_tokens = X.data.sum()
    if n_tokens == 0:
        raise ValueError("there are no tokens to score: every document is empty")
    return float(np.exp(-log_likelihood(X, theta, phi) / n_tokens))


def js_divergence(first, second):
    """Return the Jensen-Shannon divergence of each row, (D,), in nats: 0 for equal rows, ln 2 at most.

    first and second (D, T) hold distributions by row. Papanikolaou et al., section 4.2.2 (the divergence, not its
    square root, which is the distance).
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    mean = (first + second) / 2
    return (rel_entr(first, mean) + rel_entr(second, mean)).sum(axis=1) / 2


def leading_topics(theta, mass=MASS):
    """Return the fewest topics of each row that hold this share of it, (D, T) bool; ties keep index order.

    The paper asks for a cumulative probability of .8 and writes at most .8, which is no topic at all where one has
    more; here the topic that reaches it is the last one taken.
    """
    theta = np.asarray(theta, float)
    order = np.argsort(-theta, axis=1, kind="stable")
    ordered = np.take_along_axis(theta, order, axis=1)
    before = np.cumsum(ordered, axis=1) - ordered
    chosen = np.zeros(theta.shape, bool)
    np.put_along_axis(chosen, order, before < mass - 1e-12, axis=1)
    return chosen


def leading_topics_f1(truth, found, mass=MASS):
    """Return the F1 of each document's leading topics in ``found`` against those in ``truth``, both (D, T); (D,)."""
    true, taken = leading_topics(truth, mass), leading_topics(found, mass)
    return 2 * (true & taken).sum(axis=1) / (true.sum(axis=1) + taken.sum(axis=1))
