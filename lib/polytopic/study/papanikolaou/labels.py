"""Prior-LDA's estimators cut off by a MetaLabeler (Papanikolaou et al., section 5)."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from joblib import hash as digest_of
from scipy import sparse

from polytopic import metrics
from polytopic.kernels import cvb0, topic_samples
from polytopic.kernels.documents import Documents, Schedule
from polytopic.metrics import thresholds
from polytopic.models import MetaLabeler, topic_chains
from polytopic.models.chains import Run, mean_label_words
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.lda import pairs_of
from polytopic.models.settings import check_training
from polytopic.streams import document_names, word64
from polytopic.study import store
from polytopic.study.papanikolaou.experiments import FACTORS, NAMES

TRAIN_WEIGHT, TEST_WEIGHT, FLAT_WEIGHT = 50.0, 50.0, 30.0  # Eq. 12 and 13
BETA = 0.01
MOST_PASSES, TOLERANCE = 50, 1e-4
BLOCK = 250  # test documents that are decided on together, and kept
SHOWN = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "cvb0", "hybrid"]
SMALL = {"n_chains": 8, "train_samples": 2, "burn_in": 30, "lag": 3}
PAPER = {"n_chains": 30, "train_samples": 30, "burn_in": 50, "lag": 5, "documents": None}
LABELS = {
    "quick": SMALL | {"chains": (1, 5), "n_samples": 10, "documents": 300},
    "paper": PAPER | {"chains": (1, 5), "n_samples": 20},
}
LEAD = {
    "quick": SMALL | {"run": range(2), "samples": (1, 5, 20), "documents": 150},
    "paper": PAPER | {"run": range(5), "samples": (1, 5, 20, 100)},
}


class Problem(NamedTuple):
    """What predicting labels takes: labelled test documents, phi and alpha of Eq. 13, over the labels seen."""

    test: sparse.csr_matrix  # (D, W)      words that training knows
    truth: sparse.csr_matrix  # (D, C)
    n_labels: np.ndarray  # (D,)      by the MetaLabeler
    phi: np.ndarray  # (W, C)
    alpha: np.ndarray  # (C,)
    names: np.ndarray  # (D,)      of the documents' random numbers


@store.experiment(
    "papanikolaou", scales=LABELS, corpora=("debtags", "delicious", "eurlex-titles", "bills-109", "eurlex57k")
)
def labels(corpus, *, chains, n_chains, train_samples, burn_in, n_samples, lag, documents, seed):
    """Return Micro- and Macro-F1 of Prior-LDA's estimators with a MetaLabeler (5.3, tables 5 and 6).

    Columns: model, chains, empty, measure, value, sd. phi is the mean of train_samples samples of each of n_chains
    training chains; CVB0 runs over that phi, each chain from another random start. The prior is Eq. 13 at test; in
    training it is Eq. 12 for a document with as many labels as the mean. One chain is the mean over the chains taken
    alone, and sd is over them. Ties between labels go by their columns. F1 is over all training labels; ``empty``
    says what a label without a test document and without a decision counts, "one" being the authors' convention. The
    test documents are the first ``documents`` of the labelled ones, or all.
    """
    problem = _prior_lda(corpus, Schedule(burn_in, train_samples, lag, n_chains), documents, seed)
    rows, schedule = [], Schedule(burn_in, n_samples, lag, 1)
    for (name, averaged, _), decisions in _decisions(problem, schedule, chains, seed):
        for empty in ("zero", "one"):
            values = metrics.decided(problem.truth, decisions, "label", empty)
            rows += [(NAMES[name], averaged, empty, measure, value) for measure, value in values.items()]
    by = ["model", "chains", "empty", "measure"]
    values = pd.DataFrame(rows, columns=[*by, "value"]).groupby(by, sort=False)["value"]
    return values.agg(value="mean", sd="std").reset_index()


@store.experiment("papanikolaou", scales=LEAD, corpora=("debtags", "delicious"))
def lead_labels(corpus, *, run, samples, n_chains, train_samples, burn_in, lag, documents, seed):
    """Return the F1 of labels by what an estimator sums up, whether it adds the prior, and the samples it averages:
    columns estimator, summed, prior, samples, measure, value. A run is a chain; fewer samples are its first ones. As
    ``labels``, a label without a test document and without a decision counting 0.
    """
    problem = _prior_lda(corpus, Schedule(burn_in, train_samples, lag, n_chains), documents, seed)
    rows = []
    for n_samples in samples:
        sums, _ = _sample(problem, Schedule(burn_in, n_samples, lag, 1), run, seed)
        for name, factors in FACTORS.items():
            theta = _theta(name, sums._asdict(), 1, n_samples, problem.alpha)
            decisions = thresholds.top_n(theta, problem.n_labels, "document")
            values = metrics.decided(problem.truth, decisions, "label", "zero")
            rows += [(name, *factors, n_samples, measure, value) for measure, value in values.items()]
    return pd.DataFrame(rows, columns=["estimator", "summed", "prior", "samples", "measure", "value"])


def _prior_lda(corpus, schedule, documents, seed):
    """Return the Problem of a corpus's first split, with phi from the chains and samples of the schedule."""
    train, test = corpus.split(0)
    labelled = np.flatnonzero(test.labels.getnnz(axis=1))[:documents]
    words, of_words = check_training(train.counts, train.labels)
    frequency = of_words.getnnz(axis=0)
    seen = np.flatnonzero(frequency)
    eta = TRAIN_WEIGHT * of_words.nnz / of_words.shape[0] / train.n_labels
    run = Run(None, store.memory(), verbose=1)
    phi = mean_label_words(words, of_words[:, seen].sorted_indices(), eta, BETA, schedule, seed, run)
    X = sparse.csr_matrix(test.counts[labelled].multiply(words.getnnz(axis=0) > 0)).astype(np.int32)
    X.eliminate_zeros()
    X.sort_indices()
    truth = test.labels[labelled][:, seen]
    n_labels = MetaLabeler().fit(train.counts, train.labels).predict(X)
    n_labels = thresholds.check_item_counts(n_labels, *truth.shape, "document")
    alpha = TEST_WEIGHT * frequency[seen] / frequency.sum() + FLAT_WEIGHT / seen.size
    return Problem(X, truth, n_labels, phi, alpha, document_names(X))


def _decisions(problem, schedule, most, seed):
    """Yield ((estimator, chains averaged, last chain), decisions (D, C)). Finished blocks of documents are kept, so
    that an interrupted call goes on where it stopped.
    """
    run, key = Run(None, store.memory(), verbose=1), digest_of(problem)
    unit = run.cached(_block, ignore=["problem"])
    rows = [slice(first, first + BLOCK) for first in range(0, problem.test.shape[0], BLOCK)]
    calls = (delayed(unit)(problem, key, here, schedule, most, seed) for here in rows)
    blocks = list(run.each(calls, len(rows), "Prior-LDA"))
    ptr = np.concatenate([[0], np.cumsum(problem.n_labels)])
    for place in blocks[0]:
        columns = np.concatenate([block[place] for block in blocks])
        yield place, sparse.csr_matrix((np.ones(columns.size, bool), columns, ptr), problem.truth.shape)


def _block(problem, key, rows, schedule, most, seed, code):
    """Return {(estimator, chains averaged, last chain): columns of the labels decided on, document by document}."""
    problem = problem._replace(
        **{part: getattr(problem, part)[rows] for part in ("test", "n_labels", "names")}
    )
    sums, found = None, {}
    for chain in range(max(most)):
        own, states = _sample(problem, schedule, chain, seed)
        starts = {"cvb0": None, "hybrid": states}
        tables = own._asdict() | {name: _passes(problem, chain, seed, z) for name, z in starts.items()}
        sums = tables if sums is None else {name: sums[name] + tables[name] for name in sums}
        averaged = {1: tables, chain + 1: sums} if chain + 1 in most else {1: tables}
        for n_chains, summed in averaged.items():
            for name in SHOWN:
                theta = _theta(name, summed, n_chains, schedule.n_samples, problem.alpha)
                chosen = thresholds.top_n(theta, problem.n_labels, "document").indices
                found[name, n_chains, chain] = chosen.astype(np.int32)
    return found


def _theta(name, sums, n_chains, n_samples, alpha):
    summed, adds_prior = ESTIMATORS.get(name, (name, True))
    total = n_chains * (n_samples if name in ESTIMATORS else 1)
    return distribution(sums[summed] / total, alpha, adds_prior)


def _sample(problem, schedule, chain, seed):
    """Return the Sums (D, C) of one chain, and its last states, (1, N)."""
    documents = Documents(*topic_chains.by_document(problem.test)[:2], problem.names)
    totals = topic_samples.sums(problem.test.shape[0], problem.alpha.size)
    states = np.zeros((1, documents.words.size), np.int32)
    name = np.array([word64(seed, "labels", "chain", chain)], np.uint64)
    topic_samples.sample(documents, problem.phi, problem.alpha, schedule, name, True, totals, states)
    return totals, states


def _passes(problem, chain, seed, states):
    """Return the expected label tokens (D, C) by CVB0 over the fixed phi, from a chain's states or at random."""
    X = problem.test
    totals = np.zeros((X.shape[0], problem.alpha.size))
    name = np.array([word64(seed, "labels", "cvb0", chain)], np.uint64)
    start = np.zeros((1, 1), np.int32) if states is None else states
    limits = MOST_PASSES, TOLERANCE, name, start, states is not None
    cvb0.predict(pairs_of(X)._replace(names=problem.names), problem.phi, problem.alpha, *limits, totals)
    return totals
