"""The three ways to score unseen documents by fixed phi, each with the tables that it needs of a fitted model.

A predictor has ``known`` (W,) bool, the words that training saw, and ``blocks``, which yields (rows, scores (n, C)
float64) for a few documents after the other, over the labels seen in training. ``attributions`` yields of one
document after the other which labels its words have, (shares (U, C) CSR, prior (C,), scores (C,)), by the same
chains. A predictor holds what calls have in common, so that a single document costs its own sweeps alone, and the
scores of the last ones; threads may share it.
"""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from polytopic.models import attribution, mean_field, proper, unseen

BLOCK_CELLS = 1 << 22  # scores that are held at a time, besides what decision_function returns
MOST_KEPT = 1 << 23  # scores of the last documents, up to which they are kept


class Predictor:
    """What the three share: the ``unseen.Model`` and the words that it knows."""

    def __init__(self, model):
        self.model, self.known = model, model.label_word_counts.sum(axis=0).A1 > 0
        self.last = None, None  # what tells the last documents from others, and their scores (D, C)


class Fast(Predictor):
    """By sampling (Rubin et al. 2012, 3.5.1)."""

    def __init__(self, model, schedule):
        super().__init__(model)
        self.sampler, self.phi_topics = unseen.sampler(model, schedule), model.sparse_topic_labels()

    def blocks(self, X, seed, run, names):
        key = run.key(X, self.model, self.sampler.schedule, seed, names)
        for rows, tokens, theta in unseen.added_up(X, self.model, self.sampler, key, seed, run, names):
            for few, of_all in _few(rows, tokens.shape[1]):
                yield of_all, self._scores(tokens[few], theta[few])

    def attributions(self, X, seed, run, names, keep):
        sampler = attribution.Assigned(self.sampler, self.model.label_word_counts.shape[0])
        key = run.key(X, self.model, self.sampler.schedule, seed, names, "assigned")
        found = unseen.added_up(X, self.model, sampler, key, seed, run, names)
        for rows, tokens, assigned, theta in found:
            prior = prior_through_topics(theta, self.model, self.phi_topics)
            yield from _by_document(X[rows], rows.start, tokens, assigned, prior, keep)

    def samples(self, X, seed, names):
        """Yield (chain, sample, scores (D, C) float64) for each sample that ``blocks`` averages."""
        for chain, sample, tokens, theta in unseen.predict_samples(X, self.model, self.sampler, seed, names):
            yield chain, sample, self._scores(tokens, theta)

    def _scores(self, tokens, theta):
        return mean_of_halves(tokens, prior_through_topics(theta, self.model, self.phi_topics))


class Proper(Predictor):
    """By sampling label tokens besides (3.5)."""

    def __init__(self, model, schedule, n_label_tokens):
        super().__init__(model)
        self.sampler = proper.Proper(model, n_label_tokens, schedule)

    def blocks(self, X, seed, run, names):
        for rows, words, tokens, _ in proper.sampled(X, self.model, self.sampler, seed, run, names):
            for few, of_all in _few(rows, words.shape[1]):
                own = self.sampler.n_label_tokens, self.sampler.schedule
                yield (
                    of_all,
                    mean_of_halves(words[few], proper.prior(words[few], tokens[few], self.model, *own)),
                )

    def attributions(self, X, seed, run, names, keep):
        n_label_tokens, schedule = self.sampler.n_label_tokens, self.sampler.schedule
        proper.check_lengths(X, self.model, n_label_tokens)
        sampler = attribution.Assigned(self.sampler, self.model.label_word_counts.shape[0])
        key = run.key(X, self.model, schedule, seed, names, "proper", n_label_tokens, "assigned")
        found = unseen.added_up(X, self.model, sampler, key, seed, run, names)
        for rows, words, tokens, assigned, _ in found:
            prior = proper.prior(words, tokens, self.model, n_label_tokens, schedule)
            yield from _by_document(X[rows], rows.start, words, assigned, prior, keep)


class MeanField(Predictor):
    """Without sampling, by expected tokens."""

    def __init__(self, model, word_power, n_passes):
        super().__init__(model)
        self.tables, self.n_passes = mean_field.tables(model, word_power), n_passes

    def blocks(self, X, seed, run, names):
        return mean_field.predict(X, self.tables, self.model.label_word_counts.shape[0], self.n_passes, run)

    def attributions(self, X, seed, run, names, keep):
        for rows, scores in self.blocks(X, seed, run, names):
            own = attribution.words_of(X[rows])
            for d, of_document, (words, counts) in zip(
                range(rows.start, rows.stop), scores, own, strict=True
            ):
                shares, prior = attribution.mean_field_shares(
                    words, counts, self.tables, of_document.size, self.n_passes, partial(keep, d)
                )
                yield shares, prior, of_document


PREDICTORS = {"fast": Fast, "proper": Proper, "mean_field": MeanField}


def prior_through_topics(theta, model, phi_topics):
    """Return the sum of alpha' (Eq. 12) over the samples, (n, C), from that of theta', (n, S, T)."""
    prior = np.full((theta.shape[0], phi_topics[0][0].shape[1]), model.alpha)
    prior *= theta.sum(axis=(1, 2))[:, None]
    for (value, smooth), share in zip(phi_topics, np.moveaxis(theta, 1, 0), strict=True):
        even = (share * smooth).sum(axis=1)  # BLAS would add up one document in another order than many
        prior += model.eta * ((value.T @ share.T).T + even[:, None])
    return prior


def mean_of_halves(tokens, prior):
    """Return the mean of the two distributions of B.2: tokens (n, C) CSR and prior (n, C), each to 1 by row."""
    prior = _rows_to_one(prior)
    return (prior + _rows_to_one(tokens.toarray(), fallback=prior)) / 2


def _by_document(X, first, tokens, assigned, prior, keep):
    """Yield what ``attributions`` does of documents X, the first of which has that number, from sums over samples."""
    prior = _rows_to_one(prior)
    scores = (prior + _rows_to_one(tokens.toarray(), fallback=prior)) / 2
    shares = sparse.csr_matrix(assigned.multiply(1 / np.maximum(assigned.sum(axis=1), 1)))
    for d, of_document in enumerate(scores):
        yield keep(first + d, shares[X.indptr[d] : X.indptr[d + 1]]), prior[d], of_document


def _rows_to_one(table, fallback=0.0):
    """Return the rows divided by their sums; a row of zeros becomes the fallback's."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1), fallback)


def _few(rows, n_labels):
    """Yield (places within a block of rows, rows) of a few of them after the other."""
    for few in gen_batches(rows.stop - rows.start, max(1, BLOCK_CELLS // n_labels)):
        yield few, slice(rows.start + few.start, rows.start + few.stop)
