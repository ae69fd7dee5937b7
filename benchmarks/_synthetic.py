"""Synthetic corpora and models of any size, from the models' own generative process, in little memory.

Word frequencies follow Zipf's law and label frequencies a power law. A label's own words are never stored: a hash of
the label and a rank picks them from the vocabulary, and ranks fall off geometrically, as where a Dirichlet process
breaks its stick. Topics prefer labels in the same way.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.kernels import generator
from polytopic.kernels.compiling import allocating
from polytopic.models import unseen
from polytopic.streams import stream, word64

CARDINALITY = 5.4  # labels of a document
COMMON = 0.45  # share of a label's tokens that are words as all labels use them
OWN_WORDS = 20.0  # mean rank of the others among the label's own words
OWN_LABELS = 30.0  # the same for the labels of a topic
BY_TOPIC = 0.7  # share of a document's labels that its topic chooses
FEWEST_TOKENS = 30  # of a label in ``label_word_counts``
BLOCK = 10_000  # documents that are drawn together
KINDS = ("Flat-LDA", "Prior-LDA", "Dependency-LDA")


class Truth(NamedTuple):
    """What documents are drawn from."""

    labels: np.ndarray  # (C,) running total of the labels' frequencies
    words: np.ndarray  # (W,) running total of the words' frequencies
    preferred: np.ndarray  # (W,) running total of how often a word is among a label's own
    n_topics: int
    names: np.ndarray  # (2,) uint64, from which the labels' words and the topics' labels are hashed
    seed: int


def truth(n_labels, n_words=20_000, n_topics=None, seed=0):
    """Return the Truth for C labels and W words; without n_topics there are a hundred, or one to forty labels."""
    labels = stream(seed, "synthetic", "order").permutation((np.arange(n_labels) + 20.0) ** -1.0)
    words = (np.arange(n_words) + 6.0) ** -1.0
    preferred = (np.arange(n_words) + 200.0) ** -0.7
    names = np.array([word64(seed, "synthetic", what) for what in ("words", "labels")], np.uint64)
    n_topics = n_topics or max(100, n_labels // 40)
    running = (np.cumsum(weights) for weights in (labels, words, preferred))
    return Truth(*(total / total[-1] for total in running), n_topics, names, seed)


def corpus(truth, n_documents, length, cardinality=CARDINALITY, purpose="train"):
    """Return counts, CSR (D, W) int32, and labels, CSR (D, C) bool, ``cardinality`` a document and one at least.

    Every document has ``length`` tokens. A block of documents depends on its number and on purpose alone.
    """
    counts, labels = [], []
    for number, first in enumerate(range(0, n_documents, BLOCK)):
        random = stream(truth.seed, "synthetic", purpose, number)
        labels.append(_label_sets(truth, min(BLOCK, n_documents - first), cardinality, random))
        counts.append(_words(truth, labels[-1], length, random))
    return sparse.vstack(counts, format="csr"), sparse.vstack(labels, format="csr")


def _label_sets(truth, n_documents, cardinality, random):
    """Draw label sets; who has drawn the same label twice draws again, and after thirty rounds has one fewer."""
    n_labels = truth.labels.size
    sizes = np.minimum(1 + random.poisson(cardinality - 1, n_documents), n_labels)
    topics = random.integers(truth.n_topics, size=n_documents)
    chosen = np.zeros(0, np.int64)
    for _ in range(30):
        missing = sizes - np.bincount(chosen // n_labels, minlength=n_documents)
        if not missing.any():
            break
        rows = np.repeat(np.arange(n_documents), missing)
        anyhow = np.searchsorted(truth.labels, random.random(rows.size), side="right")
        own = pick(topics[rows], _ranks(rows.size, OWN_LABELS, random), truth.names[1], truth.labels)
        drawn = np.where(random.random(rows.size) < BY_TOPIC, own, np.minimum(anyhow, n_labels - 1))
        chosen = np.unique(np.concatenate([chosen, rows * n_labels + drawn]))
    return _counted(*np.divmod(chosen, n_labels), (n_documents, n_labels)).astype(bool)


def _words(truth, labels, length, random):
    """Draw each document's shares of its labels, a label for each token and a word for each label."""
    n_documents, sizes = labels.shape[0], np.diff(labels.indptr)
    weights = np.cumsum(random.gamma(1.5, size=labels.indices.size))
    before = np.concatenate([[0.0], weights])[labels.indptr]
    rows = np.repeat(np.arange(n_documents), length)
    target = before[rows] + random.random(rows.size) * np.diff(before)[rows]
    places = np.searchsorted(weights, target, side="right")
    places = np.clip(places, labels.indptr[rows], labels.indptr[rows] + sizes[rows] - 1)
    return _counted(rows, _word_of(truth, labels.indices[places], random), (n_documents, truth.words.size))


def _word_of(truth, labels, random):
    common = np.searchsorted(truth.words, random.random(labels.size), side="right")
    own = pick(labels, _ranks(labels.size, OWN_WORDS, random), truth.names[0], truth.preferred)
    return np.where(random.random(labels.size) < COMMON, np.minimum(common, truth.words.size - 1), own)


def _counted(rows, columns, shape):
    """Return how often each pair occurs, CSR int32."""
    keys, counts = np.unique(rows * shape[1] + columns, return_counts=True)
    rows, columns = np.divmod(keys, shape[1])
    ptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return sparse.csr_matrix((counts.astype(np.int32), columns.astype(np.int32), ptr), shape=shape)


def _ranks(n, mean, random):
    return (-mean * np.log1p(-random.random(n))).astype(np.int64)


@allocating
def pick(parents, ranks, name, cumulative):
    """Return for each parent and rank (n,) the item that their hash picks by the running totals ``cumulative``.

    name: uint64, of which the hashes are made; totals end in 1.
    """
    items = np.empty(parents.size, np.int64)
    for i in range(parents.size):
        word = generator.splitmix(name ^ generator.splitmix(np.uint64(parents[i])))
        word = generator.splitmix(word ^ generator.splitmix(np.uint64(ranks[i])))
        u = np.int64(word >> np.uint64(11)) * 2.0**-53
        items[i] = min(np.searchsorted(cumulative, u, side="right"), cumulative.size - 1)
    return items


# Fitted models, drawn instead of trained


def label_word_counts(truth, tokens_per_label=600, size=4_000):
    """Return the words of training tokens on each label, CSR (C, W) int64: what pooled chains would hold.

    By frequency, tokens_per_label on average, FEWEST_TOKENS at least; ``size`` labels are drawn together.
    """
    n_labels = truth.labels.size
    share = np.diff(truth.labels, prepend=0.0)
    n_c = np.maximum(FEWEST_TOKENS, share * tokens_per_label * n_labels).astype(np.int64)
    parts = []
    for number, first in enumerate(range(0, n_labels, size)):
        random = stream(truth.seed, "synthetic", "counts", number)
        own = np.repeat(np.arange(first, min(first + size, n_labels)), n_c[first : first + size])
        shape = (min(size, n_labels - first), truth.words.size)
        parts.append(_counted(own - first, _word_of(truth, own, random), shape))
    return sparse.vstack(parts, format="csr").astype(np.int64)


def topic_label_counts(truth, n_topics):
    """Return the label tokens of each of T topics, (T, C) CSR int64: 85 in 100 on the topic's own labels."""
    n_labels = truth.labels.size
    random = stream(truth.seed, "synthetic", "topics")
    topics = random.integers(n_topics, size=max(20 * n_labels, 40_000))
    breadth = max(8, 2 * n_labels // n_topics)
    own = pick(topics, random.integers(breadth, size=topics.size), truth.names[1], truth.labels)
    anyhow = np.searchsorted(truth.labels, random.random(topics.size), side="right")
    labels = np.where(random.random(topics.size) < 0.85, own, np.minimum(anyhow, n_labels - 1))
    return _counted(topics, labels, (n_topics, n_labels)).astype(np.int64)


def model(kind, truth, n_topics=200, label_words=None, flat_weight=180.0):
    """Return the unseen.Model of one of KINDS, with the paper's priors.

    label_words: the result of ``label_word_counts``, where several models are to share it. flat_weight: the weight
    of Flat-LDA's prior in all, which says how many tokens leave the document's labels in a sweep.
    """
    label_words = label_word_counts(truth) if label_words is None else label_words
    counts, beta_c, gamma = sparse.csr_matrix(label_words.sum(axis=1).T), 1.0, 1.0
    if kind == "Dependency-LDA":
        counts, beta_c, gamma = topic_label_counts(truth, n_topics), 0.01, 10.0 / n_topics
    eta, alpha_sum = (0.0, flat_weight) if kind == "Flat-LDA" else (150.0, 30.0)
    return unseen.Model(label_words, 0.01, [counts], beta_c, eta, alpha_sum / truth.labels.size, gamma)
