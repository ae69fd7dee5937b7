"""How well the leading words of a topic, or of a label, go together: NPMI over whole documents.

It counts in how many documents two words stand together, however often and in whatever order. Measures with windows
of some words, such as C_v, need the order, which word counts have lost.
"""

from itertools import combinations

import numpy as np

from polytopic.validation import check_count, check_counts, check_share


def leading_words(phi, n=10):
    """Return the n likeliest words of each topic, likeliest first, (T, n) int64, all W where n is more.

    phi (T, W) holds distributions, or anything else that is larger for a word that belongs more. Ties keep the order
    of the words, and so does a topic of zeros, such as a label without training documents. Raises ValueError for n
    below 1.
    """
    check_count(n=n)
    return np.argsort(-np.asarray(phi, float), axis=1, kind="stable")[:, :n]


def npmi(topics, X, smoothing=0.0):
    """Return the normalised pointwise mutual information of each topic's words, (T,), from -1 to 1.

    topics: each topic's leading words, as columns of X, from ``leading_words`` or lists of any length. X (D, W):
    counts of the documents to judge by, dense or sparse; of topics over labels, the labels (D, C). A pair of words
    has ln(p(a, b) / p(a) p(b)) / -ln p(a, b), where p are shares of the documents; a topic has the mean of its pairs.
    1: only ever together; 0: independent, as are two words that every document has; -1: never together. A pair
    with a word that no document has says nothing and is left out; a topic without any other pair is NaN.
    ``smoothing`` is a part of a document, below 1, added to the number of those with both words.

    Bouma (2009), in the form of Röder, Both & Hinneburg (2015), whose windows are whole documents here. Their
    smoothing of the probability, 1e-12, is ``smoothing=1e-12 * D``: it comes to more than -1 where words never meet.
    Raises ValueError for X that are no counts, for documents that are none, for words that X has not, for a topic
    that names a word twice, and for a smoothing that is negative or 1 and more.
    """
    check_share(smoothing=smoothing)
    if smoothing == 1:
        raise ValueError(
            "smoothing must be below 1: with a whole document, words could meet in more than all"
        )

    X = check_counts(X)
    n_documents, n_words = X.shape
    if n_documents == 0:
        raise ValueError("X has no documents: there is nothing to judge by")
    present = (X > 0).astype(np.int64).tocsc()
    means = np.full(len(topics), np.nan)
    for t, topic in enumerate(topics):
        words = _checked(t, topic, n_words)
        both = (present[:, words].T @ present[:, words]).toarray()
        pairs = [
            _of_pair(both[i, j], both[i, i], both[j, j], n_documents, smoothing)
            for i, j in combinations(np.flatnonzero(both.diagonal()), 2)
        ]
        if pairs:
            means[t] = np.mean(pairs)
    return means


def _of_pair(both, first, second, n_documents, smoothing):
    if first == second == both == n_documents:
        return 0.0
    p = (both + smoothing) / n_documents
    return np.log(p * n_documents**2 / (first * second)) / -np.log(p) if p else -1.0


def _checked(t, topic, n_words):
    words = np.asarray(topic)
    if words.ndim != 1 or (words.size and words.dtype.kind not in "iu"):
        raise ValueError(f"topic {t} must be a list of columns of X, got {topic!r}")
    outside = words[(words < 0) | (words >= n_words)]
    if outside.size:
        raise ValueError(f"topic {t} names word {outside[0]}, but X has words 0 to {n_words - 1}")
    if np.unique(words).size < words.size:
        raise ValueError(f"topic {t} names a word twice")
    return words.astype(np.int64)
