"""What is computed of the topic models of tables 5 and 6 (Burkhardt & Kramer 2018, sections 4.5 and 5.5.1)."""

import numpy as np

from polytopic.models import DependencyLDA, FastDependencyLDA
from polytopic.study.burkhardt2018.protocol import (
    CHAINED,
    DEPENDENCY,
    LASSO,
    N_TOPICS,
    experiment,
    measures,
    numbers_of_labels,
    parts,
    seed_of,
    told,
)

OF_DEPENDENCY = {"eta": 100.0, "alpha_sum": 30.0, "gamma_sum": 10.0, "beta_w": 0.01, "beta_c": 0.01}  # 5.4.1
ESTIMATOR = "cgs_rb_z"  # of Dep.-LLDA: the mean of Eq. 1 over the tokens, the token itself left out (4.5)


# Tables 5 and 6


def chain(model, n_sweeps, burn_in, n_samples, seed, n_topics=N_TOPICS):
    """Return a topic model, not fitted, that trains one chain and samples documents with another."""
    own = {"n_chains": 1, "n_sweeps": n_sweeps, "n_test_chains": 1, "lag": 1, "random_state": seed}
    own |= {"burn_in": burn_in, "n_samples": n_samples}
    if model == DEPENDENCY:
        return DependencyLDA(n_topics, n_topic_chains=1, n_topic_sweeps=n_sweeps, **OF_DEPENDENCY, **own)
    return FastDependencyLDA(n_topics, prediction=model[-2:].lower(), **own)


def scores(fitted, X):
    """Return the scores (D, C) of a fitted model; those of Dep.-LLDA by ESTIMATOR."""
    if isinstance(fitted, DependencyLDA):
        return fitted.decision_function(X, estimator=ESTIMATOR)
    return fitted.decision_function(X)


CHAINS = {
    "quick": {"run": range(1), "model": CHAINED, "n_chains": 3, "n_sweeps": 20, "burn_in": 11, "n_samples": 10,
              "documents": 400},
    "medium": {"run": range(1), "model": CHAINED, "n_chains": 10, "n_sweeps": 50, "burn_in": 51, "n_samples": 50},
    "paper": {"run": range(3), "model": CHAINED, "n_chains": 10, "n_sweeps": 100, "burn_in": 101, "n_samples": 100},
}  # fmt: skip


@experiment(CHAINS, name="chains")
def topic_models(corpus, *, run, model, n_chains, n_sweeps, burn_in, n_samples, documents=None, seed):
    """Return the measures of one topic model: columns chain, measure, value, and the table of ``protocol.told``.

    Chains 1, 2 and so on have each trained a model of their own; chain 0 is the mean of their scores.
    """
    train, test = parts(corpus, documents, seed)
    key = seed_of(seed, "chains", model, run)
    n_labels = numbers_of_labels(corpus, documents, seed)
    wanted, rows = n_labels[LASSO].to_numpy(), []
    total = np.zeros(test.labels.shape)
    for number in range(1, n_chains + 1):
        one = chain(model, n_sweeps, burn_in, n_samples, seed_of(key, number))
        scored = scores(one.fit(train.counts, train.labels), test.counts)
        rows += [(number, *found) for found in measures(test.labels, scored, wanted).items()]
        total += scored
    total /= n_chains
    rows += [(0, *found) for found in measures(test.labels, total, wanted).items()]
    return told(rows, test.labels, total, n_labels)
