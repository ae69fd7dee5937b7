"""The training documents' log-likelihood over sweeps (Papanikolaou et al., 4.3.2, figures 3 and 4)."""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import topic_chains
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.lda import Responsibilities, phi_of, training_sums
from polytopic.streams import word64
from polytopic.study import store
from polytopic.study.papanikolaou.words import NAMES, read_words, word_tokens

PRIOR = 0.1  # of theta per topic and of phi per word
CONVERGENCE = {
    "quick": {"run": range(1), "topics": [20, 100], "n_sweeps": 20, "documents": 800},
    "medium": {"run": range(5), "topics": [50, 200], "n_sweeps": 50, "documents": 1200},
    "paper": {"run": range(5), "topics": [50, 100, 200, 300, 500], "n_sweeps": 50, "documents": 4750},
}
BLENDING = {
    "quick": {"run": range(1), "topics": [100], "n_sweeps": 30, "switches": (4, 10, 20), "documents": 800},
    "medium": {"run": range(5), "topics": [200], "n_sweeps": 50, "switches": (5, 10, 20, 30), "documents": 1200},
    "paper": {"run": range(5), "topics": [300], "n_sweeps": 50, "switches": (5, 10, 20, 30), "documents": 4750},
}  # fmt: skip


def curves(corpus, *, run, topics, n_sweeps, documents, switches=(), seed):
    """Return the log-likelihood per token over sweeps: columns model, sweep, value.

    CGS and CGS_p are the same chain, theta read in two ways; CVB0 starts at random, and after each sweep of
    ``switches`` another one takes over the chain's state.
    """
    X = word_tokens(corpus, documents)[0]
    alpha, n_tokens = np.full(topics, PRIOR), X.sum()
    rows, carried = [], {}
    chain = topic_chains.Chain(X, topics, alpha, PRIOR, word64(seed, "convergence", topics, run))
    variational = Responsibilities(X, alpha, PRIOR, word64(seed, "convergence", "cvb0", topics, run))
    for sweep in range(1, n_sweeps + 1):
        z = chain.advance(1).assignments()
        phi = phi_of(X, z, topics, alpha, PRIOR)
        sums = training_sums(X, z, phi, alpha)
        for name in ("cgs", "cgs_p"):
            recipe = ESTIMATORS[name]
            theta = distribution(getattr(sums, recipe.summed), alpha, recipe.adds_prior)
            rows.append((NAMES[name], sweep, metrics.log_likelihood(X, theta, phi) / n_tokens))
        states = {"CVB0": variational} | {f"CVB0 after {switch}": state for switch, state in carried.items()}
        for name, state in states.items():
            state.sweep()
            fit = metrics.log_likelihood(X, state.theta(), state.phi())
            rows.append((name, sweep, fit / n_tokens))
        if sweep in switches:
            carried[sweep] = Responsibilities(X, alpha, PRIOR, z=z)
    return pd.DataFrame(rows, columns=["model", "sweep", "value"])


STORED = {"corpora": ("debtags", "reuters21578"), "reads": read_words, "cost": lambda topics, **rest: topics}
convergence = store.experiment("papanikolaou", CONVERGENCE, "convergence", **STORED)(curves)
blending = store.experiment("papanikolaou", BLENDING, "blending", **STORED)(curves)
