"""Ways to estimate theta from the samples of one chain (Papanikolaou et al., Eq. 3 and 5 to 7), by name.

An estimator sums up tokens in one of four ways and adds the prior or drops it:

    name            what is summed over the tokens                                      prior added    equation
    cgs             their topics                                                        yes            3
    cgs_z           their topics                                                        no             5
    cgs_p           their conditional distributions, the token's own count kept         no             6
    cgs_p_z         the same, with the counts alone in place of counts and prior        no             7
    cgs_rb          their conditional distributions, the token's own count left out     yes            -
    cgs_p_prior     as cgs_p                                                            yes            -
    cgs_rb_z        as cgs_rb                                                           no             -

The conditional distributions are normalised for each token. cgs_rb is the Rao-Blackwellised cgs: the same expectation
and a smaller variance; it is what the authors' program of the journal version computes. The last two are no method of
the paper's: they complete the table, so that prior, own count and variance can be told apart.
"""

from typing import NamedTuple

import numpy as np


class Recipe(NamedTuple):
    """Which sums over tokens an estimator uses, a field of ``kernels.topic_samples.Sums``, and what it adds."""

    summed: str
    adds_prior: bool


ESTIMATORS = {
    "cgs": Recipe("assigned", True),
    "cgs_z": Recipe("assigned", False),
    "cgs_p": Recipe("kept", False),
    "cgs_p_z": Recipe("no_prior", False),
    "cgs_rb": Recipe("left_out", True),
    "cgs_p_prior": Recipe("kept", True),
    "cgs_rb_z": Recipe("left_out", False),
}
RAO_BLACKWELL = "rao_blackwell"  # not of theta: the papers' score of labels, from what cgs_rb_z sums
PRINTED = {"cgs": "CGS", "cgs_z": "CGS_z", "cgs_p": "CGS_p", "cgs_p_z": "CGS_p|z", "cvb0": "CVB0"}


def expected_score(summed, alpha):
    """Return Rubin et al.'s score of labels (2012, B.2), (D, C) float64, by expected tokens; rows sum to 1.

    It is the mean of the tokens' share, from the sums of "left_out" (D, C), and of the prior's, alpha (C,) or (D, C).
    A document without tokens gets the prior's own distribution.
    """
    alone = distribution(np.zeros_like(summed), alpha, adds_prior=True)
    return 0.5 * (distribution(summed, alpha, adds_prior=False) + alone)


def distribution(summed, alpha, adds_prior):
    """Return theta (D, T), whose rows sum to 1, from sums over tokens and samples (D, T), each of the same weight.

    alpha (T,) is the prior's weight on each topic, or (D, T); summed is divided by the number of samples already, so
    that a row adds up to the document's tokens. A document without tokens gets the prior's own distribution.
    """
    theta = summed + alpha if adds_prior else np.array(summed, float)
    total = theta.sum(axis=1, keepdims=True)
    prior = np.broadcast_to(alpha, theta.shape)
    return np.where(total > 0, theta, prior) / np.where(total > 0, total, prior.sum(axis=1, keepdims=True))
