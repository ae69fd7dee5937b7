"""Exact distributions of tiny models, by listing every assignment."""

import itertools

import numpy as np
from scipy.special import gammaln


def normalised(log_weights):
    weights = np.exp(np.array(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def label_posterior(words, phi, alpha):
    """Return {z: p(z | words)} for one document with phi (C, W) and alpha' (C,) fixed (Rubin et al. 2012, Eq. 8)."""
    n_labels = phi.shape[0]
    states = list(itertools.product(range(n_labels), repeat=len(words)))
    log_joint = [
        gammaln(np.bincount(z, minlength=n_labels) + alpha).sum() + np.log(phi[list(z), words]).sum()
        for z in states
    ]
    return dict(zip(states, normalised(log_joint), strict=True))


def topic_posterior(labels, phi_topics, gamma):
    """Return {z': p(z' | labels)} for one document with phi' (T, C) and gamma (T,) fixed (Eq. 10)."""
    return label_posterior(labels, phi_topics, gamma)


def label_token_posterior(words, phi, phi_topics, eta, alpha, gamma, n_label_tokens):
    """Return {(z, c, z'): p(z, c, z' | words)} for one document: labels of its words, label tokens and their topics.

    phi (C, W), phi' (T, C); eta, alpha per label and gamma per topic are numbers (Rubin et al. 2012, Eq. 1 and 16).
    """
    n_topics, n_labels = phi_topics.shape
    labels = list(itertools.product(range(n_labels), repeat=len(words)))
    tokens = list(itertools.product(range(n_labels), repeat=n_label_tokens))
    topics = list(itertools.product(range(n_topics), repeat=n_label_tokens))

    def log_words(z, c):
        prior = eta * np.bincount(c, minlength=n_labels) / n_label_tokens + alpha
        ratios = gammaln(np.bincount(z, minlength=n_labels) + prior) - gammaln(prior)
        return ratios.sum() + np.log(phi[list(z), words]).sum()

    def log_tokens(c, t):
        held = gammaln(np.bincount(t, minlength=n_topics) + gamma).sum()
        return held + np.log(phi_topics[list(t), list(c)]).sum()

    of_words = {(z, c): log_words(z, c) for z in labels for c in tokens}
    of_tokens = {(c, t): log_tokens(c, t) for c in tokens for t in topics}
    states = list(itertools.product(labels, tokens, topics))
    log_joint = [of_words[z, c] + of_tokens[c, t] for z, c, t in states]
    return dict(zip(states, normalised(log_joint), strict=True))


def labelled_posterior(docs, words, label_sets, n_words, eta, beta):
    """Return {labels of the tokens: probability} in training, over all that the label sets allow (Eq. 2).

    docs and words (N,) describe the tokens; eta is a document's whole prior weight, shared by its labels; beta is a
    number, or (C, W).
    """
    n_labels = max(max(labels) for labels in label_sets) + 1
    prior = np.broadcast_to(beta, (n_labels, n_words)).T
    states = list(itertools.product(*(label_sets[d] for d in docs)))

    def log_joint(z):
        n_dc = np.zeros((len(label_sets), n_labels))
        n_wc = np.zeros((n_words, n_labels))
        np.add.at(n_dc, (docs, z), 1)
        np.add.at(n_wc, (words, z), 1)
        documents = sum(
            gammaln(n_dc[d, list(labels)] + eta / len(labels)).sum() for d, labels in enumerate(label_sets)
        )
        return documents + gammaln(n_wc + prior).sum() - gammaln((n_wc + prior).sum(0)).sum()

    return dict(zip(states, normalised([log_joint(z) for z in states]), strict=True))


def lda_posterior(docs, items, n_documents, n_items, n_topics, gamma, beta):
    """Return {topics of the tokens: probability} of unsupervised LDA over every assignment (Eq. 5).

    gamma is per topic, a number or (T,).
    """
    states = list(itertools.product(range(n_topics), repeat=len(docs)))

    def log_joint(z):
        n_dt = np.zeros((n_documents, n_topics))
        n_wt = np.zeros((n_items, n_topics))
        np.add.at(n_dt, (docs, z), 1)
        np.add.at(n_wt, (items, z), 1)
        words = gammaln(n_wt + beta).sum() - gammaln(n_wt.sum(0) + beta * n_items).sum()
        return gammaln(n_dt + gamma).sum() + words

    return dict(zip(states, normalised([log_joint(z) for z in states]), strict=True))


def total_variation(exact, visits):
    """Return the distance between {state: probability} and {state: number of visits}."""
    n = sum(visits.values())
    return sum(abs(visits.get(state, 0) / n - p) for state, p in exact.items()) / 2
