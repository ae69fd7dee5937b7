"""Mean field for unseen documents, shared out as blocks of documents by sets of topics (``kernels.mean_field``)."""

import numpy as np
from joblib import delayed
from scipy import sparse

from polytopic.kernels import mean_field as kernel
from polytopic.kernels.simd import LANES, aligned_zeros, padded
from polytopic.models import sparse_tables, topic_chains, unseen

BLOCK_TOKENS = 1 << 14, 1 << 16  # tokens in one unit of work, at least and at most
CHUNK_CELLS = 1 << 22  # of a table of words by labels that is held at a time
LEAST_MASS = 1e-34  # of a word under the prior, so that float32 holds its labels' shares


class MeanField(unseen.Predictor):
    """Without sampling, by expected tokens."""

    def __init__(self, model, word_power, n_passes):
        super().__init__(model)
        self.tables, self.n_passes = tables(model, word_power), n_passes

    def blocks(self, X, seed, run, names):
        return predict(X, self.tables, self.model.label_word_counts.shape[0], self.n_passes, run)

    def attributions(self, X, seed, run, names, keep):
        for rows, scores in self.blocks(X, seed, run, names):
            for d, of_document in zip(range(rows.start, rows.stop), scores, strict=True):
                yield *self._attribution(X[d], lambda parts, d=d: keep(d, parts)), of_document

    def _attribution(self, document, keep):
        """Return the words' distributions over labels after the last pass and the prior, means over sets of topics.

        keep takes some rows of the first, (u, C) CSR, and returns what is wanted of them. The results are (U, C) CSR,
        and (C,); rows sum to 1 before keep, and (C,) does.
        """
        found = [_settled(document, model, self.n_passes) for model in self.tables]
        n_labels = self.model.label_word_counts.shape[0]
        step, parts = max(1, CHUNK_CELLS // n_labels), [sparse.csr_matrix((0, n_labels))]
        for first in range(0, document.nnz, step):
            some = slice(first, first + step)
            dense = sum(
                beyond[some].toarray() + np.outer(per_mass[some], even) for beyond, per_mass, even, _ in found
            )
            parts.append(keep(sparse.csr_matrix(dense[:, :n_labels] / len(found))))
        prior = sum(prior[:n_labels] / prior[:n_labels].sum() for *_, prior in found) / len(found)
        return sparse.vstack(parts, format="csr"), prior


def _settled(document, model, n_passes):
    """Return R as (on the words' lists less the even part (U, P) CSR, 1 / mass (U,), even (P,)); and the prior."""
    ptr, words, counts = topic_chains.arrays(document, float)
    work = scratch(model, ptr, words)
    kernel.settle(0, words.size, words, counts, model, n_passes, work)
    sizes, even = model.ptr[words + 1] - model.ptr[words], work.even.astype(float)
    lists = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(model.ptr[words] - lists[:-1], sizes) + np.arange(lists[-1])
    labels, is_listed = model.labels[places], model.likelihood[places] != 0
    beyond = np.where(is_listed, work.shares[: labels.size] - even[labels], 0.0)
    beyond = sparse.csr_matrix((beyond, labels, lists), shape=(words.size, even.size))
    per_mass = 1 / (beyond.sum(axis=1).A1 + even.sum())
    beyond.data *= np.repeat(per_mass, sizes)
    return beyond, per_mass, even, model.eta * work.through.astype(float) + model.alpha


def predict(X, models, n_labels, n_passes, run):
    """Yield (rows, scores (n, C) float64) for one block of documents after the other.

    X (D, W) CSR counts, models the ``tables`` of the sets of topics. The scores are the means over these. Raise
    ValueError where the settings are so extreme that float32 cannot hold them.
    """
    _check_masses(X, models)
    unit = run.cached(_scores, ignore=["ptr", "words", "counts", "model"])
    key, parts, n_sets = run.key(X, models), list(unseen.blocks(X, n_labels, BLOCK_TOKENS)), len(models)
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
    kernel.predict(ptr, words, counts.astype(float), model, n_passes, scratch(model, ptr, words), scores)
    if not np.isfinite(scores).all():
        raise ValueError(
            "mean field leaves float32: take settings of the priors and a word_power nearer to the defaults"
        )
    return scores


def scratch(model, ptr, words):
    """Return the Scratch for any of the documents with distinct words words[ptr[d]:ptr[d + 1]]."""
    sizes = model.ptr[words + 1] - model.ptr[words]
    n_entries = np.diff(np.append(0, np.cumsum(sizes))[ptr]).max(initial=0)
    of_words = (
        aligned_zeros(n_entries),
        aligned_zeros(sizes.max(initial=0)),
        np.zeros(np.diff(ptr).max(initial=0)),
    )
    return kernel.Scratch(*of_words, *aligned_zeros((6, model.even.size)), np.zeros(model.smooth.size))
