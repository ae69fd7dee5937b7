"""Mean field for unseen documents, shared out as blocks of documents by sets of topics (``kernels.mean_field``)."""

import threading

import numpy as np
from joblib import delayed

from polytopic.kernels import mean_field as kernel
from polytopic.kernels.simd import LANES, aligned_zeros, padded
from polytopic.models import sparse_tables, topic_chains, unseen
from polytopic.models.sharing import share

BLOCK_TOKENS = 1 << 14, 1 << 16  # tokens in one unit of work, at least and at most
MOST_KEPT = 1 << 24  # bytes of scratch that a thread keeps from one call to the next
LEAST_MASS = 1e-34  # of a word under the prior, so that float32 holds its labels' shares
COST_OF_RANK = (
    0.3  # of a front, where that of a list's entry is 1; fronts then take a third more memory at most
)


def predict(X, models, n_labels, n_passes, run):
    """Yield (rows, scores (n, C) float64) for one block of documents after the other.

    X (D, W) CSR counts, models the ``tables`` of the sets of topics. The scores are the means over these. Raise
    ValueError where the settings are so extreme that float32 cannot hold them.
    """
    _check_masses(X, models)
    unit = run.cached(_scores, ignore=["ptr", "words", "counts", "model"])
    key, parts, n_sets = run.key(X, models), list(unseen.blocks(X, BLOCK_TOKENS)), len(models)
    shared, documents = [share(of_set) for of_set in models], topic_chains.arrays(X, X.dtype)
    calls = (
        delayed(unit)(*_some(first, last, *documents), of_set, n_labels, key, n_passes, first, k)
        for first, last in parts
        for k, of_set in enumerate(shared)
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
    order = np.argsort(-np.diff(of_words.indptr), kind="stable")
    of_words, even = of_words[order].tocsc(), even[order]
    ptr, ranks, likelihood = topic_chains.arrays(of_words, float)
    likelihood += even[ranks]
    np.power(likelihood, power, out=likelihood)
    even **= power
    words = _words(ptr, ranks, likelihood, even)
    label = np.concatenate([order, np.arange(order.size, _n_ranks(order.size))]).astype(np.int32)
    models = []
    for value, smooth in model.sparse_topic_labels():
        of_topics, mass = _topics(value[:, order], smooth), np.zeros(ptr.size - 1)
        prior = model.eta * of_topics[-1][: order.size].astype(float) + model.alpha
        kernel.set_masses(ptr, ranks, likelihood, even, prior, mass)
        weights = float(model.eta), float(model.alpha), float(model.gamma)
        models.append(kernel.Model(label, *words, *of_topics, mass, *weights))
    return models


def _words(ptr, ranks, likelihood, even):
    """Return what a Model has of the words, which are as for ``kernels.mean_field.set_entries``."""
    n_ranks, n_words = _n_ranks(even.size), ptr.size - 1
    n_front, n_listed = np.zeros((2, n_words), np.int64)
    kernel.set_sizes(ptr, ranks, n_ranks, COST_OF_RANK, n_front, n_listed)
    front_ptr, list_ptr = (np.concatenate([[0], np.cumsum(each)]) for each in (n_front, padded(n_listed)))
    lanes = (np.arange(list_ptr[-1]) % LANES).astype(_rank_type(n_ranks))
    fronts = front_ptr, aligned_zeros(front_ptr[-1])
    lists = list_ptr, lanes, aligned_zeros(lanes.size), aligned_zeros(lanes.size)
    kernel.set_entries(ptr, ranks, likelihood, even, fronts, lists)
    return *fronts, *lists, _of_labels(even)


def _topics(value, smooth):
    ptr, ranks, values = topic_chains.arrays(value, float)
    n_topics = smooth.size
    through = (value.sum(axis=0).A1 + smooth.sum()) / n_topics if n_topics else np.ones(value.shape[1])
    return ptr, _entries(ranks.astype(np.uint32)), _entries(values), smooth, _of_labels(through, 1.0)


def _entries(values):
    """Return labels, or numbers as float32, with room to read whole vectors of lanes from any of them on."""
    return np.pad(values if values.dtype == np.uint32 else values.astype(np.float32), (0, LANES - 1))


def _of_labels(values, behind=0.0):
    """Return the values, filled up with the one behind to as many as there are ranks."""
    room = _n_ranks(values.size) - values.size
    return np.pad(values.astype(np.float32), (0, room), constant_values=behind)


def _n_ranks(n_labels):
    """Return P of a ``kernels.mean_field.Model``."""
    return padded(n_labels, LANES if n_labels <= kernel.CHUNK else kernel.CHUNK)


def _rank_type(n_ranks):
    """Return the type of ranks on lists: the shorter ones, the less is read in each pass."""
    return np.result_type(np.uint16, np.min_scalar_type(n_ranks - 1))


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
    """Return (ptr (U + 1,), ranks, likelihood, places in a Scratch's shares) of one document's words (U,)."""
    of_fronts, of_lists = _sizes(model, words)
    ranks, listed = _within(of_fronts), np.repeat(model.list_ptr[words], of_lists) + _within(of_lists)
    word = np.repeat(np.arange(words.size), of_fronts)
    in_chunks = np.zeros(ranks.size, np.int64)
    in_chunks[np.lexsort((ranks, word, ranks // min(kernel.CHUNK, model.even.size)))] = np.arange(ranks.size)
    order = np.argsort(np.concatenate([word, np.repeat(np.arange(words.size), of_lists)]), kind="stable")
    likelihood = model.front[np.repeat(model.front_ptr[words], of_fronts) + ranks], model.likelihood[listed]
    found = (
        np.concatenate([ranks, model.ranks[listed]]),
        np.concatenate(likelihood),
        np.concatenate([in_chunks, ranks.size + np.arange(listed.size)]),
    )
    return np.concatenate([[0], np.cumsum(of_fronts + of_lists)]), *(each[order] for each in found)


def _within(sizes):
    """Return 0, 1 and so on for each of the sizes, one after the other."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def scratch(model, ptr, words):
    """Return the Scratch for any of the documents with distinct words words[ptr[d]:ptr[d + 1]]."""
    return _scratch(model, *_most(model, ptr, words))


def _sizes(model, words):
    """Return how many ranks the words' fronts and lists take, each (U,) int64."""
    return tuple(each.take(words + 1) - each.take(words) for each in (model.front_ptr, model.list_ptr))


def _most(model, ptr, words):
    """Return how many entries and words those documents have at most, and entries their lists."""
    of_fronts, of_lists = _sizes(model, words)
    ends = np.concatenate([[0], np.cumsum(of_fronts + of_lists)])[ptr]
    n_entries, n_words = (int(np.diff(each).max(initial=0)) for each in (ends, ptr))
    return n_entries, int(of_lists.max(initial=0)), n_words


def _scratch(model, n_entries, most_of_list, n_words):
    n_ranks = model.even.size
    return kernel.Scratch(
        aligned_zeros(n_entries),
        aligned_zeros(kernel.GROUP * most_of_list),
        *np.zeros((2, n_words)),
        np.zeros(n_words, np.float32),
        np.zeros(n_words, np.int64),
        *aligned_zeros((6, n_ranks)),
        np.zeros(model.smooth.size),
    )


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
