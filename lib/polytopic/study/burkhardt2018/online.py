"""What is computed of models that learn as documents come: figures 8 and 9, and the EU acts year by year.

Burkhardt & Kramer (2018), sections 4.3, 5.5.2 and 5.5.3.
"""

import time
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from sklearn.base import clone

from polytopic import metrics
from polytopic.metrics.thresholds import top_n
from polytopic.models import SCVB, FastDependencyLDA, SCVBDependency
from polytopic.streams import stream
from polytopic.study.burkhardt2018.protocol import N_TOPICS, experiment, parts, seed_of
from polytopic.study.store import Result

ONLINE, PLAIN = "SCVB-Dep.", "SCVB"
PROGRAM = ", program's steps"
MODELS = {
    ONLINE: partial(SCVBDependency, N_TOPICS, steps="paper"),
    PLAIN: lambda random_state, **how: SCVB(**how),
    ONLINE + PROGRAM: partial(SCVBDependency, N_TOPICS, steps="program"),
    PLAIN + PROGRAM: lambda random_state, **how: SCVB(steps="program", **how),
}

# Figure 8: trained on a first batch, then tested on each next batch before it is trained on it

STREAMS = {
    "quick": {"order": range(2), "model": [ONLINE, PLAIN], "first": 300, "batch": 200, "passes": 10, "most": 500},
    "paper": {"order": range(10), "model": list(MODELS), "first": 1000, "batch": 1000, "passes": 100},
}  # fmt: skip


@experiment(STREAMS)
def streams(corpus, *, order, model, first, batch, passes, most=None, seed):
    """Return the AUCs of each batch before it is learnt: columns seen (documents learnt before), measure, value.

    The ``first`` documents of a random order are learnt in ``passes`` passes, each next batch in one. The updates are
    scaled to all of the order's documents from the start.
    """
    rows, key = [], seed_of(seed, "stream", order)
    documents = stream(key, "order").permutation(corpus.n_documents)[:most]
    X, Y = corpus.counts[documents], corpus.labels[documents]
    learner = MODELS[model](random_state=key, n_documents=len(documents))
    for _ in range(passes):
        learner.partial_fit(X[:first], Y[:first])
    for start in range(first, len(documents) - batch + 1, batch):
        some = slice(start, start + batch)
        found = metrics.areas(Y[some], learner.decision_function(X[some]))
        rows += [(start, *one) for one in found.items()]
        learner.partial_fit(X[some], Y[some])
    return pd.DataFrame(rows, columns=["seen", "measure", "value"])


# Figure 9: how soon training is worth its work

BATCH = "Fast-Dep.-LLDA"
CONVERGENCE = {
    "quick": {"run": range(1), "model": [BATCH, ONLINE], "sweeps": (1, 3, 10), "passes": (0.25, 1, 3), "n_samples": 5,
              "documents": 300},
    "paper": {"run": range(5), "model": [BATCH, ONLINE, ONLINE + PROGRAM], "sweeps": (1, 2, 5, 10, 20, 50, 100),
              "passes": (0.1, 0.25, 0.5, 1, 2, 5, 10, 20), "n_samples": 100},
}  # fmt: skip


@experiment(CONVERGENCE, timed=True)
def convergence(corpus, *, run, model, sweeps, passes, n_samples, documents=None, seed):
    """Return what training has brought after some work: columns progress, visits, weights, cpu_seconds, measure,
    value.

    progress is sweeps of the batch model's one chain, or passes of the online one; visits are of word tokens;
    weights are how many labels and topics have been weighed for them; cpu_seconds are of training alone, compiled
    before. Measures are the AUCs of the test documents, the batch model's by S1 as a single chain's.
    """
    train, test = parts(corpus, documents, seed)
    key, rows = seed_of(seed, "convergence", run), []
    lengths, sizes = train.counts.sum(axis=1).A1, train.labels.getnnz(axis=1)
    of_words = int((lengths * sizes).sum())
    if model == BATCH:
        of_topics = int(lengths[sizes > 0].sum()) * N_TOPICS
        given = {"n_chains": 1, "n_test_chains": 1, "burn_in": n_samples + 1, "n_samples": n_samples}
        chain = FastDependencyLDA(N_TOPICS, prediction="s1", random_state=key, **given)
        states, steps = _timed(chain.after_sweeps, train, sweeps), sweeps
    else:
        of_topics = 2 * int(sizes.sum()) * N_TOPICS  # the burn-in pass and the one that counts
        learner = MODELS[model](random_state=key, n_documents=train.n_documents)
        states, steps = _timed(partial(_after_passes, learner), train, passes), passes
    for step, (fitted, seconds) in zip(steps, states, strict=True):
        work = (step * int(lengths.sum()), step * (of_words + of_topics), seconds)
        found = metrics.areas(test.labels, fitted.decision_function(test.counts))
        rows += [(step, *work, *one) for one in found.items()]
    return pd.DataFrame(rows, columns=["progress", "visits", "weights", "cpu_seconds", "measure", "value"])


def _timed(states, train, steps):
    """Yield (fitted model, CPU seconds of training up to it). A first run on a few documents compiles."""
    for _ in states(train.counts[:50], train.labels[:50], steps[:1]):
        pass
    seconds, start = 0.0, time.process_time()
    for fitted in states(train.counts, train.labels, steps):
        seconds += time.process_time() - start
        yield fitted, seconds
        start = time.process_time()


def _after_passes(learner, X, Y, passes):
    """Yield the learner after each number of passes over the documents, ascending; the first may be partial."""
    learner, done, n = clone(learner), 0, X.shape[0]
    for upto in passes:
        end = int(round(upto * n))
        while done < end:
            some = slice(done % n, min(n, done % n + end - done))
            learner.partial_fit(X[some], Y[some])
            done += some.stop - some.start
        yield learner


# The EU acts, a year at a time

SO_FAR = "frequencies so far"
YEARS = {
    "quick": {"model": [ONLINE, SO_FAR], "passes": 3, "most": 60},
    "paper": {"model": [ONLINE, PLAIN, ONLINE + PROGRAM, SO_FAR], "passes": 20},
}
FOUND = 10  # a label is found in a document where it is among its first ten
BEFORE = {
    "1": 1,
    "2": 2,
    "3 to 5": 5,
    "6 to 10": 10,
    "11 to 20": 20,
    "21 to 50": 50,
    "51 to 100": 100,
    "more": np.inf,
}


@experiment(YEARS, corpora=("eurlex-years",))
def years(corpus, *, model, passes, most=None, seed):
    """Return what is known of each split's documents before they are learnt: columns year, measure, value.

    Splits follow one another in time. The documents of each are scored, then learnt ``passes`` times, and only then
    come the next; words and labels that no document has had yet are no columns of what the model is given. Measures:
    documents, labels (on the year's documents), new_labels (of them never met before), new (the share of the year's
    occurrences of labels that are of these), recall (the share of the other occurrences with the label among the
    first FOUND), micro_auc over labels met before.

    Table "cohorts", of the labels met before on the year's documents: year, first (the year in which they were met),
    before (how many documents of a label were learnt before, as in BEFORE), labels (how many there are), occurrences
    and found (their sums). ``most``: documents of a year.
    """
    names = list(corpus.split_names) or [str(number) for number in range(1, len(corpus.splits) + 1)]
    batches = [corpus.splits[0][0], *(test for _, test in corpus.splits)]
    batches = [documents[:most] for documents in batches]
    ends = np.cumsum([len(documents) for documents in batches])
    X, n_words = _as_met(corpus.counts[np.concatenate(batches)], ends)
    Y, n_labels = _as_met(corpus.labels[np.concatenate(batches)], ends)
    learner = (
        None
        if model == SO_FAR
        else MODELS[model](random_state=seed_of(seed, "years"), n_documents=int(ends[-1]))
    )
    rows, cohorts = [], []
    for k, (start, end) in enumerate(pairwise([0, *ends])):
        if k > 0:
            truth, known = Y[start:end], n_labels[k - 1]
            before, here = Y[:start].getnnz(axis=0), truth.getnnz(axis=0)
            scored = np.broadcast_to(before[:known].astype(float), (end - start, known))
            if learner is not None:
                scored = learner.decision_function(X[start:end, : n_words[k - 1]])
            found = truth[:, :known].multiply(top_n(scored, FOUND, "document")).getnnz(axis=0)
            values = {
                "documents": end - start,
                "labels": np.count_nonzero(here),
                "new_labels": np.count_nonzero(here[known:]),
                "new": here[known:].sum() / here.sum(),
                "recall": found.sum() / here[:known].sum(),
                "micro_auc": metrics.areas(truth[:, :known], scored)["micro_auc"],
            }
            rows += [(names[k - 1], *one) for one in values.items()]
            met_in = np.searchsorted(n_labels, np.arange(known), side="right")
            cohorts.append(
                _by_cohort(names[k - 1], np.array(["before", *names])[met_in], before, here, found)
            )
        for _ in range(passes if learner is not None else 0):
            learner.partial_fit(X[start:end, : n_words[k]], Y[start:end, : n_labels[k]])
    table = pd.DataFrame(rows, columns=["year", "measure", "value"])
    return Result(table, {"cohorts": pd.concat(cohorts, ignore_index=True)})


def _as_met(table, ends):
    """Return a CSR table with its columns in the order of their first rows, and how many are known at each end.

    Columns that no row has are left out.
    """
    column, place = np.unique(
        table.indices, return_index=True
    )  # rows ascend: the first entry is of the first row
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))[place]
    order = np.argsort(row, kind="stable")
    return table[:, column[order]].tocsr(), np.searchsorted(np.sort(row), ends)


def _by_cohort(year, first, before, here, found):
    """Return the rows of table "cohorts" of one year, from its labels' first years, documents, occurrences and finds.

    All are by label (C,), of which those that the year lacks are left out.
    """
    known = len(first)
    group = np.array(list(BEFORE))[np.searchsorted(list(BEFORE.values()), before[:known])]
    of_labels = {"labels": 1, "occurrences": here[:known], "found": found}
    table = pd.DataFrame({"year": year, "first": first, "before": group} | of_labels)
    some = table[table["occurrences"] > 0]
    return some.groupby(["year", "first", "before"], sort=False).sum().reset_index()
