"""Weights of Dirichlet priors from counts, by fixed-point iteration.

A group of counts n_g over K categories is a multinomial draw whose parameter was drawn from a Dirichlet. What is
learned are the weights w of its prior a_gk = sum over b of w_b m_gkb, with B known bases m. One base of ones is the
symmetric prior, a base for each category the asymmetric one. With two bases it is the prior of Rubin et al. (2012),
Eq. 1 and 12: eta times the document's own distribution over labels, and alpha times the even one.

The step is that of Minka (2000), "Estimating a Dirichlet distribution", Eq. 55; Jensen's inequality for the sum over
bases carries it to any number of them. It is lengthened on the log scale as long as that pays (Salakhutdinov & Roweis
2003, "Adaptive overrelaxed bound optimization methods"). The likelihood never falls.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import digamma, gammaln

LEAST, MOST = 1e-6, 1e6  # of a group's whole prior weight, on average
NOTHING = 1e-12  # of the largest weight: what is less is on its way to 0
LONGER = 1.5  # factor of a step's length after a success


class Bases(NamedTuple):
    """The known part of a prior, where it is needed.

    at_counts (nnz, B), dense or CSR: m at the non-zero counts, in their order. totals (G, B), or (1, B) where all
    groups are alike: m summed over a group's categories.
    """

    at_counts: np.ndarray
    totals: np.ndarray


class Learned(NamedTuple):
    """What ``fit_weights`` returns; log_likelihoods (steps + 1,) begins at the start and never falls."""

    weights: np.ndarray  # (B,)
    log_likelihoods: np.ndarray
    converged: bool


def symmetric(counts):
    """Return the Bases of a prior that is the same for all categories of counts (G, K) CSR."""
    return Bases(np.ones((counts.nnz, 1)), np.full((1, 1), float(counts.shape[1])))


def asymmetric(counts):
    """Return the Bases of a prior with a weight for each category of counts (G, K) CSR, alike in all groups."""
    one_hot = (np.ones(counts.nnz), counts.indices, np.arange(counts.nnz + 1))
    return Bases(sparse.csr_matrix(one_hot, (counts.nnz, counts.shape[1])), np.ones((1, counts.shape[1])))


def fit_weights(counts, bases, tol=1e-6, max_steps=1000):
    """Return the Learned weights under which counts (G, K) are likeliest.

    counts is CSR without explicit zeros. Groups of fewer than two tokens say nothing of the weights. The steps begin
    with equal weights that come to 1 in the mean group, and end when a plain step would change no weight by more than
    tol times the largest; then ``converged`` is True. A weight whose best value is 0 is returned as 0.

    Groups that spread no wider than multinomial draws are the likelier the larger the weights, without end, and
    groups that hold one category each the smaller: a whole weight, on average, that would leave 1e-6 to 1e6 stops
    there, not converged.

    Raises ValueError where no group has two tokens.
    """
    sizes = np.asarray(counts.sum(axis=1), dtype=float).ravel()
    if not (sizes >= 2).any():
        raise ValueError("no group has two tokens: one token a group says nothing of the prior's weight")
    weights = np.full(bases.totals.shape[1], 1 / bases.totals.sum(axis=1).mean())
    likelihoods, reach, converged = [log_likelihood(counts, bases, weights)], 1.0, False
    while len(likelihoods) <= max_steps and not converged:
        ratio = _ratio(counts, bases, sizes, weights)
        converged = bool(np.abs(weights * (ratio - 1)).max() <= tol * weights.max())
        moved = weights * ratio**reach
        reached = log_likelihood(counts, bases, moved) if reach > 1 else -np.inf
        if reached < likelihoods[-1]:
            reach, moved = 1.0, weights * ratio
            reached = log_likelihood(counts, bases, moved)
        mean = float((bases.totals @ moved).mean())
        if not LEAST <= mean <= MOST:
            weights = moved * np.clip(mean, LEAST, MOST) / mean
            break
        weights, reach = moved, reach * LONGER
        likelihoods.append(reached)
    weights = np.where(weights > NOTHING * weights.max(), weights, 0.0)
    return Learned(weights, np.array(likelihoods), converged)


def log_likelihood(counts, bases, weights):
    """Return the log probability of tokens that make up counts (G, K), in any one order, given the prior's weights.

    A weight of 0 is allowed where no count needs it; else the result is -inf.
    """
    sizes = np.asarray(counts.sum(axis=1), dtype=float).ravel()
    prior, whole = bases.at_counts @ weights, bases.totals @ weights
    if (prior <= 0).any():
        return -np.inf
    gained = gammaln(counts.data + prior) - gammaln(prior)
    lost = gammaln(sizes + whole) - gammaln(whole)
    return float(gained.sum() - lost[sizes > 0].sum())


def _ratio(counts, bases, sizes, weights):
    """Return what a plain step multiplies each weight by, (B,): 1 at the likeliest weights that are not 0."""
    prior, whole = bases.at_counts @ weights, bases.totals @ weights
    gained = bases.at_counts.T @ (digamma(counts.data + prior) - digamma(prior))
    lost = digamma(sizes + whole) - digamma(whole)
    one_row = bases.totals.shape[0] == 1
    return gained / (bases.totals[0] * lost.sum() if one_row else bases.totals.T @ lost)
