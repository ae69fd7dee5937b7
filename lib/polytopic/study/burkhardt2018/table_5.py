"""What is computed of the classifiers of tables 5 and 6 (Burkhardt & Kramer 2018, sections 4.5, 5.4 and 5.5.1)."""

import numpy as np

from polytopic.models import BinaryRelevanceSVM, DependencyLDA, FastDependencyLDA, FastXML, PDSparse
from polytopic.study.burkhardt2018.protocol import (
    BR,
    CHAINED,
    DEPENDENCY,
    FASTXML,
    FREQUENCIES,
    LASSO,
    N_TOPICS,
    PD_SPARSE,
    WHOLE,
    experiment,
    measures,
    numbers_of_labels,
    parts,
    seed_of,
    with_cut_offs,
)

# The topic models, of chains

OF_DEPENDENCY = {"eta": 100.0, "alpha_sum": 30.0, "gamma_sum": 10.0, "beta_w": 0.01, "beta_c": 0.01}  # 5.4.1
ESTIMATOR = "cgs_rb_z"  # of Dep.-LLDA: the mean of Eq. 1 over the tokens, the token itself left out (4.5)
CHAINS = {
    "quick": {"run": range(1), "model": CHAINED, "n_chains": 3, "n_sweeps": 20, "burn_in": 11, "n_samples": 10,
              "documents": 200},
    "paper": {"run": range(3), "model": CHAINED, "n_chains": 10, "n_sweeps": 100, "burn_in": 101, "n_samples": 100},
}  # fmt: skip


@experiment(CHAINS, name="chains")
def topic_models(corpus, *, run, model, n_chains, n_sweeps, burn_in, n_samples, documents=None, seed):
    """Return the measures of one topic model: chain, measure, value, and the table of ``protocol.with_cut_offs``.

    Chains 1, 2 and so on have each trained a model of their own; chain 0 is the mean of their scores.
    """
    train, test = parts(corpus, documents, seed)
    key = seed_of(seed, "chains", model, run)
    n_labels = numbers_of_labels(corpus, documents, seed)
    rows, total = [], np.zeros(test.labels.shape)
    for number in range(1, n_chains + 1):
        chain = one_chain(model, n_sweeps, burn_in, n_samples, seed_of(key, number))
        chain.fit(train.counts, train.labels)
        how = {"estimator": ESTIMATOR} if model == DEPENDENCY else {}
        scores = chain.decision_function(test.counts, **how)
        rows += [(number, *one) for one in measures(test.labels, scores, n_labels[LASSO]).items()]
        total += scores
    return with_cut_offs(rows, test.labels, total / n_chains, n_labels)


def one_chain(model, n_sweeps, burn_in, n_samples, seed):
    """Return a topic model, not fitted, that trains one chain and samples documents with another."""
    given = {"n_chains": 1, "n_sweeps": n_sweeps, "n_test_chains": 1, "lag": 1, "random_state": seed}
    given |= {"burn_in": burn_in, "n_samples": n_samples}
    if model == DEPENDENCY:
        return DependencyLDA(N_TOPICS, n_topic_chains=1, n_topic_sweeps=n_sweeps, **OF_DEPENDENCY, **given)
    return FastDependencyLDA(N_TOPICS, prediction=model[-2:].lower(), **given)


# The classifiers without chains

CLASSIFIERS = {
    "quick": {"run": range(1), "model": WHOLE, "n_trees": 10, "costs": (0.1, 1, 10), "documents": 200},
    "paper": {"run": range(3), "model": WHOLE, "n_trees": 50},
}


@experiment(
    CLASSIFIERS,
    fits=lambda corpus, run, model, **rest: run == 0 or model == FASTXML,
)
def classifiers(corpus, *, run, model, n_trees, costs=None, documents=None, seed):
    """Return the measures of one classifier: chain (0), measure, value, and the table of ``with_cut_offs``.

    costs are those that BR(SVM) tries, None for all of the paper's. FREQUENCIES scores all documents alike.
    """
    train, test = parts(corpus, documents, seed)
    n_labels = numbers_of_labels(corpus, documents, seed)
    key = seed_of(seed, "classifiers", model, run)
    learners = {
        BR: BinaryRelevanceSVM("C", candidates=costs, normalize="tfidf", random_state=key),
        FASTXML: FastXML(n_trees, random_state=key),
        PD_SPARSE: PDSparse(random_state=key),
    }
    if model == FREQUENCIES:
        scores = np.broadcast_to(train.label_frequencies.astype(float), test.labels.shape)
    else:
        scores = learners[model].fit(train.counts, train.labels).decision_function(test.counts)
    return with_cut_offs([], test.labels, scores, n_labels)
