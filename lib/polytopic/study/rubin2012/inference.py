"""Fast and proper inference of Dependency-LDA side by side (Rubin et al. 2012, 3.5.1), by sweep and by second; and
what the last step of fast inference gives, the prior's new weight (B.2).

One trained model predicts the same unseen documents in both ways. Accuracy comes from chains that are cut off after
a number of sweeps, one sample each, so that it shows how far they have come. Costs are measured, and never cached.
"""

import functools
import itertools
import time

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import unseen
from polytopic.models.chains import Run
from polytopic.models.proper import ProperSampler, proper_prior
from polytopic.models.unseen import mean_of_halves, prior_through_topics
from polytopic.streams import document_names
from polytopic.study.corpora import halves
from polytopic.study.rubin2012 import systems
from polytopic.study.store import experiment

FAST, PAPER = "fast", "proper, M = 1000"  # the paper's number of label tokens
EQ_12 = ", Eq. 12"
RESCALED, AS_SAMPLED = "rescaled", "as sampled"
TIMED_DOCUMENTS, TIMED_SWEEPS, REPEATS = 40, (2, 10), 3
CORPORA = ("yahoo_health_rubin", "eurlex57k")

# 3.5.1 has 1,000 label tokens; how many chains and sweeps it does not say. 0 label tokens are fast inference.
SCALES = {
    name: {"repeat": range(repeats)}
    | dict(zip(("trained", "documents", "n_chains", "sweeps", "n_label_tokens"), given, strict=True))
    for name, repeats, *given in (
        ("quick", 3, "quick", 25, 4, [1, 4, 16, 64], [0, 10, 100, 1000]),
        ("medium", 5, "quick", 100, 8, [2**n for n in range(9)], [0, 10, 100, 1000]),
        ("paper", 5, "paper", 1000, 60, [2**n for n in range(9)], [0, 100, 1000]),
    )
}
COST_SCALES = {
    name: {"ways": tuple(one["n_label_tokens"]), "trained": one["trained"], "documents": one["documents"]}
    for name, one in SCALES.items()
}


@experiment("rubin2012", SCALES, "inference", CORPORA)
def curves(corpus, *, repeat, sweeps, n_label_tokens, n_chains, documents, trained, seed):
    """Return how well chains score split 0 that are cut off after some sweeps, with 0 or more label tokens.

    Columns: inference, pivot, cutoff, measure, value. inference is "fast", or "proper, M = 1000" for that many label
    tokens, scored by Eq. 1; with ", Eq. 12" at its end the same samples are scored as fast inference's are, by theta'
    and phi'. The model and the documents are the same in every repeat, the k-th of which predicts with seed + k.
    """
    model, X, truth, train_labels = opened(corpus, trained, documents, seed)
    schedule, rows = unseen.Schedule(sweeps, 1, 1, n_chains), []
    for inference, scores in scored(model, X, n_label_tokens, schedule, seed + repeat).items():
        for pivot in metrics.PIVOTS:
            measures = metrics.evaluate(truth, scores, pivot, train_labels)
            rows += [(inference, pivot, *cell, float(value)) for cell, value in measures.items()]
    return pd.DataFrame(rows, columns=["inference", "pivot", "cutoff", "measure", "value"])


@experiment("rubin2012", COST_SCALES, "inference-costs", CORPORA, timed=True)
def costs(corpus, *, ways, documents, trained, seed):
    """Return what a sweep costs: columns inference, words, microseconds, low, high, times_fast.

    Microseconds of one core a document and chain, the median of a few repeats with the least and the most; words is
    the mean length of the documents, a few of those that are predicted. A repeat takes the difference between a long
    and a short run of each kind, one kind after the other. times_fast is the ratio to fast inference's.
    """
    model, X, *_ = opened(corpus, trained, documents, seed)
    X = X[:TIMED_DOCUMENTS]
    sweeps, found = TIMED_SWEEPS[1] - TIMED_SWEEPS[0], {n_label_tokens: [] for n_label_tokens in ways}
    for repeat in range(REPEATS + 1):
        for n_label_tokens, times in found.items():
            short, long = (_seconds(model, n_label_tokens, X, n, seed) for n in TIMED_SWEEPS)
            if repeat > 0:  # the first compiles
                times.append(1e6 * (long - short) / sweeps / X.shape[0])
    words = X.sum() / X.shape[0]
    rows = [(name_of(way), words, np.median(one), min(one), max(one)) for way, one in found.items()]
    table = pd.DataFrame(rows, columns=["inference", "words", "microseconds", "low", "high"])
    return table.assign(times_fast=table["microseconds"] / np.median(found[0]))


@functools.lru_cache(maxsize=1)
def opened(corpus, trained, documents, seed):
    """Open up a model trained on split 0 with the chains of a scale, for the first of the test documents.

    Returns the ``unseen.Model``, the documents' counts (D, W) of words that it knows, their labels that were seen in
    training, and those of the training documents.
    """
    train, test = corpus.split(0)
    fitted = systems.build("Dependency-LDA", corpus.name, train, trained, seed, verbose=1)
    fitted.fit(train.counts, train.labels)
    X, seen = fitted.check_unseen(test.counts[:documents]), fitted.seen_labels_
    return fitted.unseen_model(), X, test.labels[:documents, seen], train.labels[:, seen]


def scored(model, X, n_label_tokens, schedule, seed):
    """Return {inference: scores (D, C)}, as the estimator's; n_label_tokens is 0 for fast inference."""
    run, phi_topics, name = Run(), model.sparse_topic_labels(), name_of(n_label_tokens)
    names = document_names(X)
    if n_label_tokens == 0:
        samples = unseen.predict(X, unseen.sampler(model, schedule), seed, run, names)
        parts = ((words, prior_through_topics(theta, model, phi_topics)) for _, words, theta in samples)
        return {name: np.vstack([mean_of_halves(*both) for both in parts])}
    found = {name: [], name + EQ_12: []}
    sampler = ProperSampler(model, schedule, n_label_tokens)
    for _, words, tokens, theta in unseen.predict(X, sampler, seed, run, names):
        by_tokens = proper_prior(words, tokens, model, sampler)
        through = prior_through_topics(theta, model, phi_topics)
        by_topics = np.where(through.sum(axis=1, keepdims=True) > 0, through, by_tokens)
        found[name].append(mean_of_halves(words, by_tokens))
        found[name + EQ_12].append(mean_of_halves(words, by_topics))
    return {name: np.vstack(parts) for name, parts in found.items()}


def name_of(n_label_tokens):
    """Return the name in frames of inference with a number of label tokens."""
    return f"proper, M = {n_label_tokens}" if n_label_tokens else FAST


@experiment(
    "rubin2012",
    {"quick": {"split": range(1), "chains": "quick"}, "paper": {"split": range(5), "chains": "paper"}},
    corpora=("yahoo_arts_rubin", "yahoo_health_rubin", "debtags", "eurlex-papers"),
)
def rescaling(corpus, *, split, chains, seed):
    """Return how well the same samples rank with the final prior's weight at the document's length (B.2) and without.

    Columns: prior (RESCALED or AS_SAMPLED), pivot, cutoff, measure, value. AS_SAMPLED is the mean of theta over the
    samples, the prior alpha' with its own weight.
    """
    train, test = halves(corpus, split, systems.MOST.get(chains), seed)
    fitted = systems.build("Dependency-LDA", corpus.name, train, chains, seed, verbose=1)
    fitted.fit(train.counts, train.labels)
    model, X, seen = fitted.unseen_model(), fitted.check_unseen(test.counts), fitted.seen_labels_
    schedule = unseen.Schedule(fitted.burn_in, fitted.n_samples, fitted.lag, fitted.n_test_chains)
    phi_topics, scores = model.sparse_topic_labels(), {RESCALED: [], AS_SAMPLED: []}
    sampler, names = unseen.sampler(model, schedule), document_names(X)
    for _, words, theta in unseen.predict(X, sampler, seed, Run(), names):
        prior = prior_through_topics(theta, model, phi_topics)
        scores[RESCALED].append(mean_of_halves(words, prior))
        both = words.toarray() + prior
        scores[AS_SAMPLED].append(both / both.sum(axis=1, keepdims=True))
    rows = []
    for (name, parts), pivot in itertools.product(scores.items(), metrics.PIVOTS):
        measures = metrics.evaluate(test.labels[:, seen], np.vstack(parts), pivot, train.labels[:, seen])
        rows += [(name, pivot, *cell, float(value)) for cell, value in measures.items()]
    return pd.DataFrame(rows, columns=["prior", "pivot", "cutoff", "measure", "value"])


def _seconds(model, n_label_tokens, X, n_sweeps, seed):
    if n_label_tokens:
        sampler = ProperSampler(model, unseen.Schedule(n_sweeps, 1, 1, 1), n_label_tokens)
    else:
        sampler = unseen.sampler(model, unseen.Schedule(n_sweeps, 1, 1, unseen.LANES))
    (ptr, words), group = unseen.tokens(X), tuple(sampler.groups[0])
    start = time.thread_time()
    sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), group, seed)
    return (time.thread_time() - start) / len(group)
