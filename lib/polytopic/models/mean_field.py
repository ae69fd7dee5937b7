"""Mean field for unseen documents, shared out as blocks of documents by sets of topics (``kernels.mean_field``)."""

import numpy as np
from joblib import delayed

from polytopic.kernels import mean_field as kernel
from polytopic.models import sparse_tables, topic_chains, unseen
from polytopic.models.sharing import share


def predict(X, models, n_passes, run):
    """Yield (rows, scores (n, C) float64) for one block of documents after the other.

    X (D, W) CSR counts, models the ``tables`` of the sets of topics. The scores are the means over these.
    """
    unit = run.cached(_scores, ignore=["X", "model"])
    key, parts, n_sets = run.key(X, models), list(unseen.blocks(X)), len(models)
    shared = [share(of_set) for of_set in models]
    calls = (
        delayed(unit)(X[first:last], of_set, key, n_passes, first, k)
        for first, last in parts
        for k, of_set in enumerate(shared)
    )
    results = run.each(calls, len(parts) * n_sets, "prediction")
    for first, last in parts:
        yield slice(first, last), sum(next(results) for _ in range(n_sets)) / n_sets


def tables(model, power):
    """Return a ``kernels.mean_field.Model`` for each set of topics of an ``unseen.Model``.

    The likelihood of a word counts with the power.
    """
    of_words, even = sparse_tables.smoothed(model.label_word_counts, model.beta)
    of_words = of_words.tocsc()
    word_ptr, labels, values = topic_chains.arrays(of_words, float)
    tempered = even**power
    likelihood = (values + even[labels]) ** power
    weights = float(model.eta), float(model.alpha), float(model.gamma)
    return [
        kernel.Model(
            word_ptr, labels, likelihood, tempered, *topic_chains.arrays(value, float), smooth, *weights
        )
        for value, smooth in model.sparse_topic_labels()
    ]


def _scores(X, model, key, n_passes, first, number, code):
    ptr, words, counts = topic_chains.arrays(X, float)
    entries = np.concatenate([[0], np.cumsum(np.diff(model.word_ptr)[words])])
    most, n_words = int(np.diff(entries[ptr]).max(initial=0)), int(np.diff(ptr).max(initial=0))
    scores = np.zeros((X.shape[0], model.even.size))
    kernel.predict(ptr, words, counts, model, n_passes, scratch(model, most, n_words), scores)
    return scores


def scratch(model, n_entries, n_words):
    """Return the Scratch for documents of up to so many distinct words, with so many labels on their lists."""
    of_words, of_labels = (np.zeros(n) for n in (n_entries, n_words)), np.zeros((5, model.even.size))
    return kernel.Scratch(*of_words, *of_labels, np.zeros(model.smooth.size))
