"""Mean field for unseen documents, shared out as blocks of documents by sets of topics (``kernels.mean_field``)."""

import threading

import numpy as np
from joblib import delayed

from polytopic.kernels import mean_field as kernel
from polytopic.kernels.simd import LANES, aligned_zeros, padded
from polytopic.models import sparse_tables, topic_chains, unseen

BLOCK_TOKENS = 1 << 14, 1 << 16  # tokens in one unit of work, at least and at most
MOST_KEPT = 1 << 24  # bytes of scratch that a thread keeps from one call to the next
LEAST_MASS = 1e-34  # of a word under the prior, so that float32 holds its labels' shares


def predict(X, models, n_labels, n_passes, run):
    """Yield (rows, scores (n, C) float64) for one block of documents after the other.

    X (D, W) CSR counts, models the ``tables`` of the sets of topics. The scores are the means over these. Raise
    ValueError where the settings are so extreme that float32 cannot hold them.
    """
    _check_masses(X, models)
    unit = run.cached(_scores, ignore=["ptr", "words", "counts", "model"])
    key, parts, n_sets = run.key(X, models), list(unseen.blocks(X, BLOCK_TOKENS)), len(models)
    documents = topic_chains.arrays(X, X.dtype)
    calls = (
        delayed(unit)(*_some(first, last, *documents), of_set, n_labels, key, n_passes, first, k)
        for first, last in parts
        for k, of_set in enumerate(models)
    )
    results = run.each(calls, len(parts) * n_sets, "prediction")
    for first, last in parts:
        scores = next(results)
        if n_sets > 1:
            scores = sum((next(results) for _ in range(1, n_sets)), start=scores) / n_sets
        yield slice(first, last), scores


def _check_masses(X, models):
    """Raise ValueError where float32 cannot hold a word's likelihoods times the prior, or the prior."""
    for model in models:
        prior = model.eta * model.through.astype(float) + model.alpha
        masses = model.mass[X.indices] + model.even @ prior
        if prior.max() > 1 / LEAST_MASS:
            raise ValueError("the prior over labels leaves float32: take a smaller alpha_sum or eta")
        if masses.min(initial=1.0) < LEAST_MASS:
            raise ValueError(
                f"word {X.indices[masses.argmin()]} (column of X) is so unlikely under every label that mean field "
                "leaves float32: take a smaller word_power, or a larger alpha_sum, eta or beta_w"
            )


def _some(first, last, ptr, words, counts):
    """Return pointers, words and counts of the documents from first to last alone."""
    few = slice(ptr[first], ptr[last])
    return ptr[first : last + 1] - ptr[first], words[few], counts[few]


def tables(model, power):
    """Return a ``kernels.mean_field.Model`` for each set of topics of an ``unseen.Model``.

    The likelihood of a word counts with the power.
    """
    of_words, even = sparse_tables.smoothed(model.label_word_counts, model.beta)
    ptr, labels, likelihood = topic_chains.arrays(of_words.tocsc(), float)
    likelihood, even = (likelihood + even[labels]) ** power, even**power
    of_entry, words = np.repeat(np.arange(ptr.size - 1), np.diff(ptr)), _words(ptr, labels, likelihood, even)
    models = []
    for value, smooth in model.sparse_topic_labels():
        of_topics = _topics(value, smooth)
        prior = model.eta * of_topics[-1][: even.size].astype(float) + model.alpha
        mass = np.bincount(of_entry, (likelihood - even[labels]) * prior[labels], minlength=ptr.size - 1)
        models.append(
            kernel.Model(*words, *of_topics, mass, *map(float, (model.eta, model.alpha, model.gamma)))
        )
    return models


def _words(ptr, labels, likelihood, even):
    """Return what a Model has of the words: word w is on labels[ptr[w]:ptr[w + 1]], with these likelihoods."""
    sizes = np.diff(ptr)
    starts = np.concatenate([[0], np.cumsum(padded(sizes))])
    places = np.repeat(starts[:-1] - ptr[:-1], sizes) + np.arange(labels.size)
    table = (np.arange(starts[-1]) % LANES).astype(np.uint32), *aligned_zeros((2, starts[-1]))
    for column, values in zip(table, (labels, likelihood, likelihood - even[labels]), strict=True):
        column[places] = values
    return starts, *table, _of_labels(even)


def _topics(value, smooth):
    ptr, labels, values = topic_chains.arrays(value, float)
    n_topics = smooth.size
    through = (value.sum(axis=0).A1 + smooth.sum()) / n_topics if n_topics else np.ones(value.shape[1])
    behind = (0, LANES - 1)  # room to read whole vectors from any entry on
    entries = np.pad(labels.astype(np.uint32), behind), np.pad(values.astype(np.float32), behind)
    return ptr, *entries, smooth, _of_labels(through, 1.0)


def _of_labels(values, behind=0.0):
    """Return the values, filled up with the one behind to a whole number of lanes."""
    room = padded(values.size) - values.size
    return np.pad(values.astype(np.float32), (0, room), constant_values=behind)


def _scores(ptr, words, counts, model, n_labels, key, n_passes, first, number, code):
    scores = np.zeros((ptr.size - 1, n_labels))
    work = _kept.enough(model, ptr, words)
    kernel.predict(ptr, words, counts.astype(float), model, n_passes, work, scores)
    if not np.isfinite(scores).all():
        raise ValueError(
            "mean field leaves float32: take settings of the priors and a word_power nearer to the defaults"
        )
    return scores


def entries(model, words):
    """Return (ptr (U + 1,), labels, likelihood) of the lists of words (U,), one after the other."""
    sizes = model.ptr[words + 1] - model.ptr[words]
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(model.ptr[words] - ptr[:-1], sizes) + np.arange(ptr[-1])
    return ptr, model.labels[places], model.likelihood[places]


def scratch(model, ptr, words):
    """Return the Scratch for any of the documents with distinct words words[ptr[d]:ptr[d + 1]]."""
    return _scratch(model, *_most(model, ptr, words))


def _most(model, ptr, words):
    """Return how many entries and words those documents have at most, and entries their lists."""
    sizes = model.ptr[words + 1] - model.ptr[words]
    ends = np.concatenate([[0], np.cumsum(sizes)])[ptr]
    n_entries, n_words = (int(np.diff(each).max(initial=0)) for each in (ends, ptr))
    return n_entries, int(sizes.max(initial=0)), n_words


def _scratch(model, n_entries, most_of_list, n_words):
    lists = aligned_zeros(n_entries), aligned_zeros(most_of_list), np.zeros(n_words)
    return kernel.Scratch(*lists, *aligned_zeros((6, model.even.size)), np.zeros(model.smooth.size))


class _Kept(threading.local):
    """The Scratch of a thread's last call, which spares the next one waiting for memory from the system."""

    scratch, shape, sizes = None, (), ()

    def enough(self, model, ptr, words):
        """Return a Scratch for those documents: the one that is kept, if it has the model's shape and their size."""
        shape, sizes = (model.even.size, model.smooth.size), _most(model, ptr, words)
        if self.shape != shape or np.less(self.sizes, sizes).any():
            made = _scratch(model, *sizes)
            if sum(part.nbytes for part in made) > MOST_KEPT:
                return made
            self.scratch, self.shape, self.sizes = made, shape, sizes
        return self.scratch


_kept = _Kept()
