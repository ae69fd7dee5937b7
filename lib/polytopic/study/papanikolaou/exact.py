"""What the estimators of theta say of every document that a tiny model can write, by listing every state."""

from itertools import combinations_with_replacement, product
from math import factorial

import numpy as np
import pandas as pd
from scipy.special import gammaln

from polytopic.models.estimators import ESTIMATORS, distribution

MOST_STATES = 1_000_000


def lead(phi, alpha, length, assumed=None):
    """Return the exact errors of every estimator over all documents of ``length`` tokens that a model writes.

    phi (T, W), rows to 1, and alpha (T,) make the documents. The estimators' sampler, with phi known, believes in
    the prior ``assumed`` (T,), by default alpha itself. The truth is the posterior mean of theta under alpha, which
    no estimator can beat on average. One row per estimator, with each document weighed by its probability:

    bias        squared distance of the estimator's expectation from the truth: what many samples leave
    variance    of a single sample, summed over the topics; of S independent samples it is 1 / S of it
    loss_1      Kullback-Leibler divergence of the next word's distribution from the true one, in nats, of a sample
    loss_inf    the same for the expectation: the loss of endlessly many

    Raises ValueError for more than a million states in a document.
    """
    phi, alpha = np.asarray(phi, float), np.asarray(alpha, float)
    assumed = alpha if assumed is None else np.asarray(assumed, float)
    if len(alpha) ** length > MOST_STATES:
        raise ValueError(f"{len(alpha)} topics on {length} tokens have too many states, above {MOST_STATES}")
    states = np.array(list(product(range(len(alpha)), repeat=length)))
    own = (states[:, :, None] == np.arange(len(alpha))).astype(float)  # (S, N, T)  each token's own count
    prior, believed = np.exp(_log_prior(own, alpha)), np.exp(_log_prior(own, assumed))
    total = {name: np.zeros(4) for name in ESTIMATORS}
    for words in combinations_with_replacement(range(phi.shape[1]), length):
        likelihood = phi[states, np.array(words)].prod(axis=1)
        joint, posterior = likelihood * prior, likelihood * believed
        posterior /= posterior.sum()
        orders = factorial(length) / np.prod([factorial(n) for n in np.bincount(words)])
        by_topic = phi[:, list(words)].T
        truth = (joint[:, None] * _theta(own, by_topic, alpha)["cgs"]).sum(axis=0) / joint.sum()
        true = truth @ phi  # the next word's distribution
        for name, theta in _theta(own, by_topic, assumed).items():
            mean = posterior @ theta
            bias, variance = ((mean - truth) ** 2).sum(), posterior @ ((theta - mean) ** 2).sum(axis=1)
            single, endless = ((true * np.log(true / (one @ phi))).sum(axis=-1) for one in (theta, mean))
            total[name] += orders * joint.sum() * np.array([bias, variance, posterior @ single, endless])
    return pd.DataFrame(total, ["bias", "variance", "loss_1", "loss_inf"]).T.reset_index(names="estimator")


def _log_prior(own, alpha):
    """Return log p(z) of each state, (S,), theta integrated out; own (S, N, T) holds each token's own count."""
    n = own.sum(axis=1)
    whole = gammaln(alpha.sum()) - gammaln(alpha.sum() + own.shape[1])
    return whole + (gammaln(n + alpha) - gammaln(alpha)).sum(axis=1)


def _theta(own, likelihood, alpha):
    """Return {estimator: theta (S, T)} in every state of a document whose words have this likelihood, (N, T)."""
    n = own.sum(axis=1, keepdims=True)
    weights = {"kept": n + alpha, "left_out": n - own + alpha, "no_prior": n}
    drawn = {name: likelihood * weight for name, weight in weights.items()}
    sums = {name: (part / part.sum(axis=-1, keepdims=True)).sum(axis=1) for name, part in drawn.items()}
    sums["assigned"] = n[:, 0]
    return {name: distribution(sums[one.summed], alpha, one.adds_prior) for name, one in ESTIMATORS.items()}
