"""The estimators of theta, token by token from the formulas, and CVB0 over single tokens."""

import numpy as np


def one_sample(words, z, phi, alpha):
    """Return {estimator: theta (T,)} of one document in one state; phi (T, W)."""
    n_topics, n = len(alpha), np.bincount(z, minlength=len(alpha)).astype(float)
    kept, left_out, no_prior = np.zeros((3, n_topics))
    for w, own in zip(words, z, strict=True):
        without = n - np.eye(n_topics)[own]
        for total, weights in ((kept, n + alpha), (left_out, without + alpha), (no_prior, n)):
            p = phi[:, w] * weights
            total += p / p.sum()
    sums = {
        "cgs": n + alpha,
        "cgs_z": n,
        "cgs_p": kept,
        "cgs_p_z": no_prior,
        "cgs_rb": left_out + alpha,
        "cgs_p_prior": kept + alpha,
        "cgs_rb_z": left_out,
    }
    return {name: total / total.sum() for name, total in sums.items()}


def expectation(words, posterior, phi, alpha):
    """Return {estimator: mean theta} over {state: probability}, each estimator's own exact expectation."""
    total = {}
    for z, p in posterior.items():
        for name, theta in one_sample(words, z, phi, alpha).items():
            total[name] = total.get(name, 0) + p * theta
    return total


def cvb0_update(gamma, docs, words, i, n_documents, n_words, alpha, beta):
    """Return the responsibilities of token i by CVB0's update, from those of all tokens, gamma (N, T)."""
    others = np.arange(len(docs)) != i
    n_wt, n_dt = np.zeros((n_words, gamma.shape[1])), np.zeros((n_documents, gamma.shape[1]))
    np.add.at(n_wt, np.asarray(words)[others], gamma[others])
    np.add.at(n_dt, np.asarray(docs)[others], gamma[others])
    p = (n_wt[words[i]] + beta) / (n_wt.sum(axis=0) + n_words * beta) * (n_dt[docs[i]] + alpha)
    return p / p.sum()


def fixed_point(words, phi, alpha, gamma, n_passes=2000):
    """Return the responsibilities (N, T) of one document's tokens after many passes with phi (T, W) fixed."""
    gamma = gamma.copy()
    for _ in range(n_passes):
        for i, w in enumerate(words):
            p = phi[:, w] * (gamma.sum(axis=0) - gamma[i] + alpha)
            gamma[i] = p / p.sum()
    return gamma


def phi_p(ptr, words, z, n_words, alpha, beta):
    """Return phi (T, W) of the journal version from one training state, token by token."""
    n_topics = len(alpha)
    n_wt, table = np.zeros((n_words, n_topics)), np.zeros((n_words, n_topics))
    np.add.at(n_wt, (words, z), 1)
    for a, b in zip(ptr[:-1], ptr[1:], strict=True):
        n = np.bincount(z[a:b], minlength=n_topics)
        for i in range(a, b):
            without = n - np.eye(n_topics)[z[i]]
            p = (n_wt[words[i]] + beta) / (n_wt.sum(axis=0) + n_words * beta) * (without + alpha)
            table[words[i]] += p / p.sum()
    return ((table + beta) / (table + beta).sum(axis=0)).T
