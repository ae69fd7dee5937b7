"""Whether chains agree, and how many independent draws theirs are worth.

Gelman et al. (2013), "Bayesian data analysis", 11.4 and 11.5; Vehtari et al. (2021), "Rank-normalization, folding,
and localization", 3.1 and 3.2, without rank-normalization: the scores judged here are shares, whose moments exist.
"""

import numpy as np


def split_rhat(draws):
    """Return R-hat of draws (M chains, N draws, ...), an array of the remaining shape; 1 where all chains agree.

    Every chain counts as two, its halves, so that a trend within a chain shows too; of an odd number of draws the
    middle one is left out. Draws that never vary give NaN, those that vary between half-chains only infinity. Raises
    ValueError for fewer than four draws a chain.
    """
    halves = _halves(draws)
    within, whole = _variances(halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(whole / within)


def effective_sample_size(draws):
    """Return how many independent draws have the variance of the mean of draws (M chains, N draws, ...).

    Autocorrelations are summed in pairs as long as these are positive, and made to fall (Geyer 1992). Draws that
    alternate are worth more than their number, at most M N log10(M N) here. Draws that never vary give NaN. Raises
    ValueError for fewer than four draws a chain.
    """
    halves = _halves(draws)
    n_chains, n_draws = halves.shape[:2]
    within, whole = _variances(halves)
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n_draws, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, 2 * n_draws, axis=1)[:, :n_draws].mean(axis=0) / n_draws
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - covariance * n_draws / (n_draws - 1)) / whole
    correlation[0] = np.where(np.isnan(correlation[0]), np.nan, 1.0)
    even = n_draws - n_draws % 2
    pairs = correlation[0:even:2] + correlation[1:even:2]
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    total = n_chains * n_draws
    time = np.maximum(2 * falling.sum(axis=0) - 1, 1 / np.log10(total))
    return np.where(np.isnan(correlation[0]), np.nan, total / time)


def _halves(draws):
    draws = np.asarray(draws, dtype=float)
    if draws.ndim < 2 or draws.shape[1] < 4:
        raise ValueError(f"draws must be (chains, four draws or more, ...), got shape {draws.shape}")
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _variances(halves):
    """Return the mean variance within chains, and the variance of a draw estimated from within and between."""
    n_draws = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    return within, within * (n_draws - 1) / n_draws + halves.mean(axis=1).var(axis=0, ddof=1)
