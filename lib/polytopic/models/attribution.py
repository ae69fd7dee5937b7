"""Which labels a topic model gives the tokens of unseen documents: by its chains' samples, or by mean field."""

import numpy as np
from scipy import sparse

from polytopic.kernels.mean_field import settle
from polytopic.models import mean_field, topic_chains

CHUNK_CELLS = 1 << 22  # of a table of words by labels that is held at a time


class Assigned:
    """A sampler of unseen documents that also says how often each of their distinct words was on each label.

    Chains, draws and sums are those of the sampler itself.
    """

    def __init__(self, sampler, n_labels):
        self.sampler, self.n_labels, self.groups = sampler, n_labels, sampler.groups

    def run(self, ptr, words, names, group, seed):
        """Return what the sampler does, and the sums of tokens over samples, (U, C) CSR int64.

        U are the distinct words of all documents, a document after the other, each in order of the words.
        """
        labels = np.zeros((len(group) * self.sampler.schedule.n_samples, words.size), np.int32)
        found = self.sampler.run(ptr, words, names, group, seed, labels=labels)
        return *found, on_labels(ptr, words, labels, self.n_labels)


def on_labels(ptr, words, labels, n_labels):
    """Return how many samples have a token of each distinct word on each label, (U, C) CSR int64.

    labels (samples, N) int32; words (N,) int32 are sorted within each document.
    """
    is_new = np.ones(words.size, bool)
    is_new[1:] = words[1:] != words[:-1]
    is_new[ptr[:-1][ptr[:-1] < words.size]] = True
    places = np.cumsum(is_new) - 1
    ones = np.ones(labels.size, np.int64), (np.tile(places, len(labels)), labels.ravel())
    return sparse.coo_matrix(ones, shape=(np.count_nonzero(is_new), n_labels)).tocsr()


def mean_field_shares(words, counts, models, n_labels, n_passes, keep):
    """Return the words' distributions over labels after the last pass, and the prior's, averaged over the models.

    words and counts describe one document; models are ``models.mean_field.tables`` over n_labels labels. keep takes
    some rows of the first, (u, C) CSR, and returns what is wanted of them. The results are (U, C) CSR, whose
    rows sum to 1 before keep, and (C,), which sums to 1.
    """
    found = [_by_one(words, counts.astype(float), model, n_labels, n_passes) for model in models]
    prior = sum(one[-1] for one in found) / len(models)
    step, parts = max(1, CHUNK_CELLS // prior.size), []
    for first in range(0, words.size, step):
        some = slice(first, first + step)
        dense = sum(
            of_lists[some].toarray() + np.outer(per_mass[some], even) for of_lists, per_mass, even, _ in found
        )
        parts.append(keep(sparse.csr_matrix(dense / len(models))))
    empty = sparse.csr_matrix((0, prior.size))
    return sparse.vstack([empty, *parts], format="csr"), prior


def _by_one(words, counts, model, n_labels, n_passes):
    """Return R as (on the words' lists less the even part (U, C) CSR, 1 / mass (U,), even (C,)), and the prior."""
    work = mean_field.scratch(model, np.array([0, words.size]), words)
    settle(0, words.size, words, counts, model, n_passes, work)
    ptr, labels, likelihood = mean_field.entries(model, words)
    even, through = work.even.astype(float), work.through[:n_labels].astype(float)
    beyond = np.where(likelihood != 0, work.shares[: labels.size] - even[labels], 0.0)
    of_lists = sparse.csr_matrix((beyond, labels, ptr), shape=(words.size, even.size))
    per_mass = 1 / (of_lists.sum(axis=1).A1 + even.sum())
    of_lists.data *= np.repeat(per_mass, np.diff(ptr))
    prior = model.eta * through + model.alpha
    return of_lists[:, :n_labels], per_mass, even[:n_labels], prior / prior.sum()


def words_of(X):
    """Yield (words int32, counts) of each row of X (D, W) CSR."""
    ptr, words, counts = topic_chains.arrays(X)
    for first, last in zip(ptr[:-1], ptr[1:], strict=True):
        yield words[first:last], counts[first:last]
