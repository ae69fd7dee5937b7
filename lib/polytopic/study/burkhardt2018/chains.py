"""What is computed of chains: the topic models of tables 5 and 6, greedy training (figure 7), the number of topics.

Burkhardt & Kramer (2018), sections 4.2, 5.4.1 and 5.5.1.
"""

import numpy as np
import pandas as pd

from polytopic import metrics
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


# Figure 7: greedy and non-greedy training

GREEDY = {True: "greedy", False: "not greedy"}
LAYERS = {
    "quick": {"run": range(2), "greedy": [True, False], "sweeps": (1, 5, 20), "n_samples": 5, "documents": 300},
    "medium": {"run": range(3), "greedy": [True, False], "sweeps": (1, 2, 5, 10, 20, 50), "n_samples": 20,
               "documents": 4000},
    "paper": {"run": range(5), "greedy": [True, False], "sweeps": (1, 2, 5, 10, 20, 50, 100, 200), "n_samples": 50},
}  # fmt: skip


@experiment(LAYERS, cost=lambda sweeps, **rest: max(sweeps))
def layers(corpus, *, run, greedy, sweeps, n_samples, n_topics=N_TOPICS, documents=None, seed):
    """Return what one chain knows after some sweeps: columns training, sweep, measure, value.

    Measures: log_likelihood (of one half of each test document's words, the other half observed, per token), and
    after the last sweep the AUCs by S2.
    """
    train, test = parts(corpus, documents, seed)
    key = seed_of(seed, "layers", run)
    observed, scored = metrics.halves(test.counts, key)
    model = FastDependencyLDA(
        n_topics,
        greedy=greedy,
        n_chains=1,
        n_test_chains=1,
        burn_in=n_samples + 1,
        n_samples=n_samples,
        random_state=key,
    )
    rows = []
    for sweep, fitted in zip(sweeps, model.after_sweeps(train.counts, train.labels, sweeps), strict=True):
        rows.append((GREEDY[greedy], sweep, "log_likelihood", fitted.log_likelihood(scored, observed)))
    areas = metrics.areas(test.labels, fitted.decision_function(test.counts))
    rows += [(GREEDY[greedy], sweeps[-1], *one) for one in areas.items()]
    return pd.DataFrame(rows, columns=["training", "sweep", "measure", "value"])


# The number of topics

HDP = "HDP"
TOPICS = {
    "quick": {"run": range(1), "n_topics": [20, 50, HDP], "most": 60, "n_sweeps": 20, "n_samples": 5,
              "documents": 300},
    "medium": {"run": range(3), "n_topics": [20, 50, 100, 200, HDP], "most": 300, "n_sweeps": 50, "n_samples": 20,
               "documents": 4000},
    "paper": {"run": range(5), "n_topics": [20, 50, 100, 200, HDP], "most": 300, "n_sweeps": 200, "n_samples": 50},
}  # fmt: skip


@experiment(TOPICS, cost=lambda n_topics, most, **rest: most if n_topics == HDP else n_topics)
def topics(corpus, *, run, n_topics, most, n_sweeps, n_samples, documents=None, seed):
    """Return what a number of topics brings: columns measure, value.

    With HDP the number comes from the data, ``most`` at the most. Measures: log_likelihood (as in ``layers``),
    average_precision (by document), micro_auc, macro_auc, topics_used (that hold a token).
    """
    train, test = parts(corpus, documents, seed)
    key = seed_of(seed, "topics", run)
    given = {"n_topics": most, "topics": "hdp"} if n_topics == HDP else {"n_topics": n_topics}
    model = FastDependencyLDA(
        **given, n_chains=1, n_sweeps=n_sweeps, n_test_chains=1, burn_in=n_samples + 1, n_samples=n_samples,
        random_state=key,
    ).fit(train.counts, train.labels)  # fmt: skip
    scored = model.decision_function(test.counts)
    found = {
        "log_likelihood": model.log_likelihood(*metrics.halves(test.counts, key)[::-1]),
        "average_precision": metrics.ranking(test.labels, scored)["average_precision"],
        **metrics.areas(test.labels, scored),
        "topics_used": float(np.mean(model.n_topics_used_)),
    }
    return pd.DataFrame(found.items(), columns=["measure", "value"])
