"""Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari & Gelman 2018).

Assignments and tokens are drawn from the prior; the sampler then draws assignments given the tokens, from a start
that knows nothing. Where the prior's own draw ranks among the sampler's, on any scalar, is uniform if the sampler
draws from the posterior.
"""

import numpy as np
from scipy import stats
from scipy.special import gammaln


def ranks(joint, step, scalars, seed, copies, start, n_ranks=16, thin=6, burn_in=30):
    """Return the ranks (copies, K) in 0..n_ranks-1 of the prior's draw, for each of the K scalars.

    ``scalars(words, z)`` gives (R, K); start(R, rng) the first assignments. n_ranks - 1 draws, thin sweeps apart,
    follow burn_in sweeps. Ties are broken at random.
    """
    rng = np.random.default_rng(seed)
    truth = joint.draw_z(copies, rng)
    words = joint.draw_words(truth, rng)
    z = step(words, start(copies, rng), int(rng.integers(2**62)), burn_in)
    own = scalars(words, truth)
    below, ties = np.zeros(own.shape, int), np.zeros(own.shape, int)
    for _ in range(n_ranks - 1):
        z = step(words, z, int(rng.integers(2**62)), thin)
        drawn = scalars(words, z)
        close = np.isclose(drawn, own, rtol=1e-12, atol=1e-12)
        below += (drawn < own) & ~close
        ties += close
    return below + rng.integers(ties + 1)


def uniformity(ranks, n_ranks=16):
    """Return the p-value of each column's ranks being uniform, by chi-square."""
    return np.array([stats.chisquare(np.bincount(column, minlength=n_ranks)).pvalue for column in ranks.T])


def log_joint(docs, label_sets, n_words, eta, beta):
    """Return the function (words, z) -> log p(words, z), (R,), of training, up to a constant."""
    n_labels = max(max(labels) for labels in label_sets) + 1

    def value(words, z):
        total = np.zeros(len(z))
        for d, labels in enumerate(label_sets):
            for c in labels:
                total += gammaln((z[:, docs == d] == c).sum(axis=1) + eta / len(labels))
        for c in range(n_labels):
            total -= gammaln((z == c).sum(axis=1) + n_words * beta)
            for w in range(n_words):
                total += gammaln(((z == c) & (words == w)).sum(axis=1) + beta)
        return total

    return value
