"""Experiments on labels: Prior-LDA's estimators cut off by a MetaLabeler (Papanikolaou et al., section 5)."""

from collections import defaultdict

import numpy as np
import pandas as pd
from joblib import hash as digest
from scipy import sparse

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.kernels import cvb0, topic_samples
from polytopic.kernels.documents import Documents, Schedule
from polytopic.metrics import thresholds
from polytopic.models import MetaLabeler, PriorLDA, topic_chains
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.lda import pairs_of
from polytopic.streams import word64
from polytopic.study import store
from polytopic.study.papanikolaou import units
from polytopic.study.papanikolaou.factors import FACTORS, LEAD_COLUMNS, NAMES
from polytopic.study.papanikolaou.scales import plain, settings_of

TRAIN_WEIGHT, TEST_WEIGHT, FLAT_WEIGHT = 50.0, 50.0, 30.0  # Eq. 12 and 13
MOST_PASSES, TOLERANCE = 50, 1e-4
MANY_LABELS = 2000
BLOCK = 250  # test documents that are one unit of work
SHOWN = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "cvb0", "hybrid"]


def labels(corpus="debtags", scale="quick", seed=0):
    """Return Micro- and Macro-F1 of Prior-LDA's estimators with a MetaLabeler: columns corpus, scale, model,
    chains, empty, measure, value, sd (5.3, tables 5 and 6).

    phi pools the last states of the training chains; CVB0 runs over that phi, each chain from another random start.
    The prior is Eq. 13 at test; in training it is Eq. 12 for a document with as many labels as the mean. One chain is
    the mean over the chains taken alone, and sd is over them. Ties between labels go by their columns. F1 is over all
    training labels; ``empty`` says what a label without a test document and without a decision counts, "one" being
    the authors' convention. Where the scale takes a part of the labelled test documents, it is the first ones.
    """
    settings = settings_of("labels", scale)
    given = (corpus, plain(settings), seed)
    rows = units.one(_labels_unit, given, digest((given, load_corpus(corpus).digest)))
    table = pd.DataFrame(rows, columns=["model", "chains", "empty", "measure", "value", "sd"])
    table.insert(0, "scale", scale)
    table.insert(0, "corpus", corpus)
    return units.keep("labels", corpus, scale, seed, settings, table)


def _labels_unit(corpus, settings, seed):
    settings = dict(settings)
    problem = _prior_lda(corpus, settings, settings["documents_of_many_labels"], seed)
    n_documents, n_labels = problem["test_labels"].shape
    sizes = MetaLabeler().fit(problem["train"], problem["train_labels"]).predict(problem["test"])
    timing, most = [settings[name] for name in ("burn_in", "n_samples", "lag")], settings["chains"]
    key = digest((problem["phi"], problem["alpha"], problem["test"], sizes, timing, most, seed))
    calls = [
        units.Call(
            _decisions_unit,
            (problem, sizes, timing, most, seed, first),
            int(problem["test"][first : first + BLOCK].sum()),
            digest((key, first, BLOCK)),
        )
        for first in range(0, n_documents, BLOCK)
    ]
    decided = defaultdict(list)
    for block in units.each(calls, f"Prior-LDA, {corpus}"):
        for place, columns in block.items():
            decided[place].append(columns)
    sizes = thresholds.check_item_counts(sizes, n_documents, n_labels, "document")
    ptr, found = np.concatenate([[0], np.cumsum(sizes)]), []
    for (name, chains, _), columns in decided.items():
        columns = np.concatenate(columns)
        decisions = sparse.csr_matrix((np.ones(columns.size, bool), columns, ptr), (n_documents, n_labels))
        for empty in ("zero", "one"):
            values = metrics.decided(problem["test_labels"], decisions, "label", empty)
            found += [(NAMES[name], chains, empty, measure, value) for measure, value in values.items()]
    by = ["model", "chains", "empty", "measure"]
    table = pd.DataFrame(found, columns=[*by, "value"]).groupby(by, sort=False)["value"].agg(["mean", "std"])
    return table.reset_index().to_numpy(object).tolist()


def _decisions_unit(problem, sizes, timing, most, seed, first):
    """Return {(estimator, chains averaged, last chain): columns of the labels decided on} of a block of documents.

    The columns are those of the documents one after the other, as many each as ``sizes`` says.
    """
    rows = slice(first, first + BLOCK)
    here = problem | {"test": problem["test"][rows]}
    sums, found = None, {}
    for chain in range(max(most)):
        own, states = _sample(here, timing, chain, seed, first)
        tables = own._asdict() | {
            "cvb0": _passes(here, chain, seed, None, first),
            "hybrid": _passes(here, chain, seed, states, first),
        }
        sums = tables if sums is None else {name: sums[name] + tables[name] for name in sums}
        averaged = {1: tables, chain + 1: sums} if chain + 1 in most else {1: tables}
        for n_chains, summed in averaged.items():
            for name in SHOWN:
                theta = _theta(name, summed, n_chains, timing[1], problem["alpha"])
                chosen = thresholds.top_n(theta, sizes[rows], "document").indices
                found[name, n_chains, chain] = chosen.astype(np.int32)
    return found


def _theta(name, sums, n_chains, n_samples, alpha):
    summed, adds_prior = ESTIMATORS.get(name, (name, True))
    return distribution(
        sums[summed] / (n_chains * (n_samples if name in ESTIMATORS else 1)), alpha, adds_prior
    )


def _prior_lda(corpus, settings, documents_of_many_labels, seed):
    """Return a mapping of what predicting labels takes: counts, labels, phi (W, C) and alpha (C,) of Eq. 13."""
    train, test = load_corpus(corpus).split(0)
    documents = documents_of_many_labels if train.n_labels > MANY_LABELS else settings["documents"]
    labelled = np.flatnonzero(np.diff(test.labels.indptr) > 0)[:documents]
    X, Y = test.counts[labelled], test.labels[labelled]
    n_labels = train.n_labels
    cardinality = train.labels.nnz / np.count_nonzero(np.diff(train.labels.indptr))
    model = PriorLDA(
        n_chains=settings["n_chains"],
        n_sweeps=settings["n_sweeps"],
        train_eta=TRAIN_WEIGHT * cardinality / n_labels,
        beta_w=0.01,
        random_state=seed,
        memory=store.memory(),
    ).fit(train.counts, train.labels)
    seen = model.seen_labels_
    phi = model.label_word_distributions()[seen]
    known = np.asarray(model.label_word_counts_.sum(axis=0)).ravel() > 0
    X = sparse.csr_matrix(X.multiply(known)).astype(np.int32)
    X.eliminate_zeros()
    X.sort_indices()
    frequency = np.asarray(train.labels[:, seen].sum(axis=0), float).ravel()
    return {
        "train": train.counts,
        "train_labels": train.labels,
        "test": X,
        "test_labels": Y[:, seen],
        "phi": np.ascontiguousarray(phi.T),
        "alpha": TEST_WEIGHT * frequency / frequency.sum() + FLAT_WEIGHT / seen.size,
    }


def _sample(problem, timing, chain, seed, first=0):
    """Return the Sums (D, C) of one chain over the test documents, and the states that it ends in, (1, N).

    ``first`` is the number of the first document, which names its random numbers.
    """
    tokens = topic_chains.by_document(problem["test"])
    totals = topic_samples.sums(problem["test"].shape[0], problem["alpha"].size)
    states = np.zeros((1, tokens.items.size), np.int32)
    documents = Documents(tokens.ptr, tokens.items, first)
    name = np.array([word64(seed, "labels", "chain", chain)], np.uint64)
    schedule = Schedule(*timing, 1)
    topic_samples.sample(documents, problem["phi"], problem["alpha"], schedule, name, True, totals, states)
    return totals, states


def _passes(problem, chain, seed, states, first=0):
    """Return the expected label tokens (D, C) by CVB0 over the fixed phi, from a chain's states or at random."""
    X, totals = problem["test"], np.zeros((problem["test"].shape[0], problem["alpha"].size))
    passes, name = (
        np.zeros(X.shape[0], np.int64),
        np.array([word64(seed, "labels", "cvb0", chain)], np.uint64),
    )
    start = np.zeros((1, 1), np.int32) if states is None else states
    cvb0.predict(
        pairs_of(X, first),
        problem["phi"],
        problem["alpha"],
        MOST_PASSES,
        TOLERANCE,
        name,
        start,
        states is not None,
        totals,
        passes,
    )
    return totals


def lead_labels(corpus="debtags", scale="quick", seed=0):
    """Return the F1 of labels by what an estimator sums up, whether it adds the prior, and the samples it averages.

    Columns corpus, scale, estimator, summed, prior, samples, run, measure, value. A run is a chain; fewer samples
    are the first ones of the same chain. As ``labels``, with ``empty="zero"``.
    """
    settings = settings_of("lead", scale)
    content = load_corpus(corpus).digest
    calls = [
        units.Call(_lead_unit, given, key=digest((given, content)))
        for given in ((corpus, plain(settings), seed, run) for run in range(settings["runs"]))
    ]
    rows = [
        (corpus, scale, name, *FACTORS[name], n_samples, run, measure, value)
        for run, found in enumerate(units.each(calls, f"the lead on {corpus}"))
        for name, n_samples, measure, value in found
    ]
    return units.keep("lead_labels", corpus, scale, seed, settings, pd.DataFrame(rows, columns=LEAD_COLUMNS))


def _lead_unit(corpus, settings, seed, run):
    settings = dict(settings)
    problem = _prior_lda(corpus, settings, settings["documents"], seed)
    n_labels = MetaLabeler().fit(problem["train"], problem["train_labels"]).predict(problem["test"])
    rows = []
    for n_samples in settings["n_samples"]:
        sums, _ = _sample(problem, [settings["burn_in"], n_samples, settings["lag"]], run, seed)
        for name in FACTORS:
            recipe = ESTIMATORS[name]
            theta = distribution(
                getattr(sums, recipe.summed) / n_samples, problem["alpha"], recipe.adds_prior
            )
            decisions = thresholds.top_n(theta, n_labels, "document")
            values = metrics.decided(problem["test_labels"], decisions, "label", "zero")
            rows += [(name, n_samples, measure, value) for measure, value in values.items()]
    return rows
