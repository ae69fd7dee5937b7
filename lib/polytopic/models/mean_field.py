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
DENSE_SHARE = 1 / 4  # of the labels: words on more get a row, of at most 1.4 times the memory


def predict(X, models, n_labels, n_passes, run):
    """Yield (rows, scores (n, C) float64) for one block of documents after the other.

    X (D, W) CSR counts, models the ``tables`` of the sets of topics. The scores are the means over these.
    """
    unit = run.cached(_scores, ignore=["X", "model"])
    key, parts, n_sets = run.key(X, models), list(unseen.blocks(X, BLOCK_TOKENS)), len(models)
    shared = [share(of_set) for of_set in models]
    rows = (X if last - first == X.shape[0] else X[first:last] for first, last in parts)
    calls = (
        delayed(unit)(some, of_set, n_labels, key, n_passes, first, k)
        for (first, _), some in zip(parts, rows, strict=True)
        for k, of_set in enumerate(shared)
    )
    results = run.each(calls, len(parts) * n_sets, "prediction")
    for first, last in parts:
        scores = next(results)
        if n_sets > 1:
            scores = sum((next(results) for _ in range(1, n_sets)), start=scores) / n_sets
        yield slice(first, last), scores


def tables(model, power):
    """Return a ``kernels.mean_field.Model`` for each set of topics of an ``unseen.Model``.

    The likelihood of a word counts with the power.
    """
    of_words, even = sparse_tables.smoothed(model.label_word_counts, model.beta)
    words = _words(of_words.tocsc(), even, power)
    weights = float(model.eta), float(model.alpha), float(model.gamma)
    return [kernel.Model(*words, *_topics(*of_topics), *weights) for of_topics in model.sparse_topic_labels()]


def _words(of_words, even, power):
    ptr, labels, values = topic_chains.arrays(of_words, float)
    likelihood = (values + even[labels]) ** power
    even = even**power
    beyond = (likelihood - even[labels]).astype(np.float32)
    likelihood = likelihood.astype(np.float32)
    sizes = np.diff(ptr)
    wide = sizes > even.size * DENSE_SHARE
    rows = aligned_zeros((np.count_nonzero(wide), padded(even.size)))
    row = np.where(wide, np.cumsum(wide) - 1, -1).astype(np.int32)
    for w in np.flatnonzero(wide):
        own = slice(ptr[w], ptr[w + 1])
        rows[row[w], labels[own]] = likelihood[own]
    listed = np.repeat(~wide, sizes)
    word_ptr = np.concatenate([[0], np.cumsum(np.where(wide, 0, sizes))])
    of_lists = (_entries(each[listed]) for each in (labels.view(np.uint32), likelihood, beyond))
    return row, rows.ravel(), word_ptr, *of_lists, _of_labels(even)


def _topics(value, smooth):
    ptr, labels, values = topic_chains.arrays(value, float)
    n_topics = smooth.size
    through = (value.sum(axis=0).A1 + smooth.sum()) / n_topics if n_topics else np.ones(value.shape[1])
    return ptr, _entries(labels.astype(np.uint32)), _entries(values), smooth, _of_labels(through, 1.0)


def _entries(values):
    """Return labels, or numbers as float32, with room to read whole vectors of lanes from any of them on."""
    return np.pad(values if values.dtype == np.uint32 else values.astype(np.float32), (0, LANES - 1))


def _of_labels(values, behind=0.0):
    """Return the values in a whole number of lanes, filled up with the one behind."""
    room = padded(values.size) - values.size
    return np.pad(values.astype(np.float32), (0, room), constant_values=behind)


def _scores(X, model, n_labels, key, n_passes, first, number, code):
    ptr, words, counts = topic_chains.arrays(X, float)
    scores = np.zeros((X.shape[0], n_labels))
    kernel.predict(ptr, words, counts, model, n_passes, _kept.enough(model, ptr, words), scores)
    return scores


def list_sizes(model, words):
    """Return how many entries words (U,) have, on a list or in a row, and the room for them, both (U,) int64."""
    of_row = model.even.size
    sizes = np.where(model.row[words] >= 0, of_row, model.word_ptr[words + 1] - model.word_ptr[words])
    return sizes, padded(sizes)


def starts(model, words, rooms):
    """Return where the entries of a document's words (U,) start in a Scratch, which have the given rooms, (U,)."""
    order, first = np.argsort(model.row[words] < 0, kind="stable"), np.zeros(words.size, np.int64)
    first[order] = np.cumsum(rooms[order]) - rooms[order]
    return first


def scratch(model, ptr, words):
    """Return the Scratch for any of the documents with distinct words words[ptr[d]:ptr[d + 1]]."""
    return _scratch(model, *_sizes(model, ptr, words))


def _sizes(model, ptr, words):
    """Return how many entries, most on a list, words and words with rows at a time those documents take."""
    in_row, (_, rooms) = model.row[words] >= 0, list_sizes(model, words)
    ends = np.concatenate([[0], np.cumsum(rooms)])[ptr]
    n_entries, n_words = (int(np.diff(each).max(initial=0)) for each in (ends, ptr))
    longest = int(rooms[~in_row].max(initial=0))
    return n_entries, longest, n_words, min(kernel.GROUP, np.count_nonzero(in_row))


def _scratch(model, n_entries, longest, n_words, n_grouped):
    n_labels = model.even.size
    return kernel.Scratch(
        aligned_zeros(n_entries),
        aligned_zeros(longest),
        np.zeros(kernel.GROUP, np.int64),
        aligned_zeros(kernel.GROUP),
        np.zeros(kernel.GROUP),
        aligned_zeros(n_grouped * n_labels),
        np.zeros(n_words),
        *aligned_zeros((6, n_labels)),
        np.zeros(model.smooth.size),
    )


class _Kept(threading.local):
    """The Scratch of a thread's last call, which spares the next one waiting for memory from the system."""

    scratch, shape, sizes = None, (), ()

    def enough(self, model, ptr, words):
        """Return a Scratch for those documents: the one that is kept, if it has the model's shape and their size."""
        shape, sizes = (model.even.size, model.smooth.size), _sizes(model, ptr, words)
        if self.shape != shape or np.less(self.sizes, sizes).any():
            made = _scratch(model, *sizes)
            if sum(part.nbytes for part in made) > MOST_KEPT:
                return made
            self.scratch, self.shape, self.sizes = made, shape, sizes
        # The first pass takes 0 times the shares that are there: what is not finite would outlast its call.
        self.scratch.shares[:] = 0.0
        return self.scratch


_kept = _Kept()
