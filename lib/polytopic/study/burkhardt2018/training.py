"""What training brings: greedy against full training (figure 7), and the number of topics.

Burkhardt & Kramer (2018), sections 4.2 and 5.4.1.
"""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import FastDependencyLDA
from polytopic.study.burkhardt2018.protocol import N_TOPICS, experiment, parts, seed_of

# Figure 7: greedy and non-greedy training

GREEDY = {True: "greedy", False: "not greedy"}
LAYERS = {
    "quick": {"run": range(2), "greedy": [True, False], "sweeps": (1, 5, 20), "n_samples": 5, "documents": 300},
    "paper": {"run": range(5), "greedy": [True, False], "sweeps": (1, 2, 5, 10, 20, 50, 100, 200), "n_samples": 50},
}  # fmt: skip


@experiment(LAYERS)
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

HDP, HELD = "HDP", 0.99
TOPICS = {
    "quick": {"run": range(1), "n_topics": [20, 50, HDP], "most": 60, "n_sweeps": 20, "n_samples": 5,
              "documents": 300},
    "paper": {"run": range(5), "n_topics": [20, 50, 100, 200, HDP], "most": 300, "n_sweeps": 200, "n_samples": 50},
}  # fmt: skip


@experiment(TOPICS)
def topics(corpus, *, run, n_topics, most, n_sweeps, n_samples, documents=None, seed):
    """Return what a number of topics brings: columns measure, value.

    With HDP the number comes from the data, ``most`` at the most. Measures: log_likelihood (as in ``layers``),
    average_precision (by document), micro_auc, macro_auc, topics_used (the largest that hold HELD of the tokens).
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
        "topics_used": used(model.counts_[0].topic_labels.sum(axis=1).A1),
    }
    return pd.DataFrame(found.items(), columns=["measure", "value"])


def used(tokens):
    """Return how many of the largest topics hold the share HELD of all tokens (T,)."""
    held = np.cumsum(np.sort(tokens)[::-1])
    return int(np.searchsorted(held, HELD * held[-1]) + 1)
