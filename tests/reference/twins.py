"""The samplers again, as the textbook has them: document by document, one token after the other, in float64.

Slow and obvious, sharing no line with the kernels. A twin is a function ``step(words, z, seed, n=1)`` like those of
``reference.samplers``. Training keeps Eq. 2 of Rubin et al. (2012), LDA Eq. 5, prediction Eq. 8, 9, 10 and
12.
"""

import numpy as np
from scipy.special import gammaln


def labelled_training(docs, label_sets, n_words, eta, beta, order=None):
    """Return the step of training with label sets; tokens are visited as listed, or in the given order.

    beta is a number, or (C, W).
    """
    n_labels = max(max(labels) for labels in label_sets) + 1
    prior = np.broadcast_to(beta, (n_labels, n_words)).T
    order = range(len(docs)) if order is None else order

    def sweep(words, z, n_dc, n_wc, rng):
        for i in order:
            d, w, labels = docs[i], words[i], list(label_sets[docs[i]])
            n_dc[d, z[i]] -= 1
            n_wc[w, z[i]] -= 1
            word = (n_wc[w, labels] + prior[w, labels]) / (n_wc + prior)[:, labels].sum(axis=0)
            z[i] = labels[drawn(word * (n_dc[d, labels] + eta / len(labels)), rng)]
            n_dc[d, z[i]] += 1
            n_wc[w, z[i]] += 1

    def corpus(words, z, rng, n):
        z = z.copy()
        n_dc, n_wc = np.zeros((len(label_sets), n_labels)), np.zeros((n_words, n_labels))
        np.add.at(n_dc, (docs, z), 1)
        np.add.at(n_wc, (words, z), 1)
        for _ in range(n):
            sweep(words, z, n_dc, n_wc, rng)
        return z

    return one_by_one(corpus)


def topic_training(docs, n_items, n_topics, gamma, beta):
    """Return the step of LDA: every document may use every topic, with weight gamma each."""
    everything = [tuple(range(n_topics))] * (max(docs) + 1)
    return labelled_training(docs, everything, n_items, gamma * n_topics, beta)


def prediction(phi, alpha):
    """Return the step with phi (C, W) and alpha' (C,) fixed: labels of Flat-LDA and Prior-LDA, and topics of labels.

    For the topics phi is phi' (T, C), the words are the document's labels and alpha' is gamma.
    """

    def document(words, z, rng, n):
        z, n_c = z.copy(), np.bincount(z, minlength=len(phi)).astype(float)
        for _ in range(n):
            for i, w in enumerate(words):
                n_c[z[i]] -= 1
                z[i] = drawn(phi[:, w] * (n_c + alpha), rng)
                n_c[z[i]] += 1
        return z

    return one_by_one(document)


def fast_inference(words, phi, phi_topics, eta, alpha, gamma, sweeps, rng, warm_up=2):
    """Return the labels of one document after a whole chain of Dependency-LDA's fast inference (3.5.1).

    Labels under the flat prior first, topics given those labels next, then the halves in turn: theta' from the
    topics (Eq. 7), alpha' from theta' (Eq. 12), labels, topics.
    """
    (n_topics, n_labels), n_tokens = phi_topics.shape, len(words)
    flat = prediction(phi, np.full(n_labels, eta / n_labels + alpha))
    topics = prediction(phi_topics, np.full(n_topics, gamma))
    z = rng.integers(n_labels, size=(1, n_tokens))
    z = flat(np.array([words]), z, rng, warm_up)
    z_topic = topics(z, rng.integers(n_topics, size=(1, n_tokens)), rng, warm_up)
    for number in range(sweeps):
        if number > 0:
            z_topic = topics(z, z_topic, rng)
        theta = (np.bincount(z_topic[0], minlength=n_topics) + gamma) / (n_tokens + n_topics * gamma)
        z = prediction(phi, eta * theta @ phi_topics + alpha)(np.array([words]), z, rng)
    return z[0]


def mean_field(words, counts, phi, listed, phi_topics, eta, alpha, gamma, power, n_passes, fault=None):
    """Return the scores (C,) of one document by mean field; phi (C, W), listed (C, W) where training put the word.

    Faults: "own counts stay", "topics stay", "no power".
    """
    given = phi, listed, phi_topics, eta, alpha, gamma, power, n_passes, fault
    shares, prior = mean_field_shares(words, counts, *given)
    return (counts @ shares / counts.sum() + prior) / 2 if counts.sum() else prior


def mean_field_shares(words, counts, phi, listed, phi_topics, eta, alpha, gamma, power, n_passes, fault=None):
    """Return each word's distribution over labels (U, C) after the last pass, and the prior's (C,); see above."""
    likelihood = phi[:, words].T ** (1 if fault == "no power" else power)
    theta = np.full(len(phi_topics), 1 / len(phi_topics))
    prior, length = eta * theta @ phi_topics + alpha, counts.sum()
    if length == 0:
        return np.zeros((0, len(phi))), prior / prior.sum()
    own = listed[:, words].T * (fault != "own counts stay")
    shares, n = np.zeros(likelihood.shape), np.zeros(len(phi))
    for number in range(n_passes + 1):
        if number > 0 and fault != "topics stay":
            of_topics = theta[:, None] * phi_topics
            theta = (of_topics / of_topics.sum(axis=0) @ n + gamma) / (length + gamma * len(theta))
        prior = eta * theta @ phi_topics + alpha
        shares = likelihood * (n - own * shares + prior)
        shares /= shares.sum(axis=1, keepdims=True)
        n = counts @ shares
    return shares, prior / prior.sum()


def proper_inference(words, phi, phi_topics, eta, alpha, gamma, n_label_tokens, sweeps, rng, warm_up=2):
    """Return the labels of the words and of the label tokens after a whole chain of proper inference (3.5).

    Words under the flat prior; topics at random, label tokens one after the other, and topics again; then passes.
    """
    (n_topics, n_labels), step = phi_topics.shape, eta / n_label_tokens
    topics = prediction(phi_topics, np.full(n_topics, gamma))
    n_c = np.zeros(n_labels)

    def label_tokens(c, z, z_topic):
        n_words = np.bincount(z[0], minlength=n_labels)
        for i, t in enumerate(z_topic[0]):
            if c[0, i] >= 0:
                n_c[c[0, i]] -= 1
            log_ratio = [
                np.sum(gammaln(n_words + proposed) - gammaln(proposed))
                for proposed in step * (n_c + np.eye(n_labels)) + alpha
            ]
            c[0, i] = drawn(phi_topics[t] * np.exp(log_ratio - np.max(log_ratio)), rng)
            n_c[c[0, i]] += 1

    words, c = np.array([words]), np.full((1, n_label_tokens), -1)
    z = prediction(phi, np.full(n_labels, eta / n_labels + alpha))(
        words, rng.integers(n_labels, size=words.shape), rng, warm_up
    )
    z_topic = rng.integers(n_topics, size=c.shape)
    label_tokens(c, z, z_topic)
    z_topic = topics(c, z_topic, rng, warm_up)
    for _ in range(sweeps):
        z = prediction(phi, step * n_c + alpha)(words, z, rng)
        label_tokens(c, z, z_topic)
        z_topic = topics(c, z_topic, rng)
        label_tokens(c, z, z_topic)
    return z[0], c[0]


def drawn(weights, rng):
    """Return a place with probability proportional to its weight."""
    return int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))


def one_by_one(sample):
    """Return the step that calls sample(words, z, rng, n) for every row."""

    def step(words, z, seed, n=1):
        rng = np.random.default_rng(seed)
        return np.array([sample(row, start, rng, n) for row, start in zip(words, z, strict=True)])

    return step
