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
from scipy.special import gammaln
from sklearn.utils import gen_batches

from polytopic.kernels import label_tokens, sparse_prediction
from polytopic.kernels.documents import Documents
from polytopic.models import attribution, mean_field, sparse_tables, unseen

BLOCK_CELLS = 1 << 22  # scores that are held at a time, besides what decision_function returns
MOST_KEPT = 1 << 23  # scores of the last documents, up to which they are kept
LARGEST = 80.0  # logarithm of a ratio of Eq. 9: float32 ends at 88


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
        self.sampler = ProperSampler(model, n_label_tokens, schedule)

    def blocks(self, X, seed, run, names):
        for rows, words, tokens, _ in sample_proper(X, self.model, self.sampler, seed, run, names):
            for few, of_all in _few(rows, words.shape[1]):
                prior = proper_prior(words[few], tokens[few], self.model, self.sampler)
                yield of_all, mean_of_halves(words[few], prior)

    def attributions(self, X, seed, run, names, keep):
        check_lengths(X, self.model, self.sampler.n_label_tokens)
        sampler = attribution.Assigned(self.sampler, self.model.label_word_counts.shape[0])
        own = self.sampler.schedule, seed, names, "proper", self.sampler.n_label_tokens, "assigned"
        found = unseen.added_up(X, self.model, sampler, run.key(X, self.model, *own), seed, run, names)
        for rows, words, tokens, assigned, _ in found:
            prior = proper_prior(words, tokens, self.model, self.sampler)
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


class ProperSampler:
    """Groups of chains that use the same set of topics, over words, label tokens and topics (3.5)."""

    def __init__(self, model, n_label_tokens, schedule):
        self.schedule, self.n_label_tokens = schedule, n_label_tokens
        self.eta, self.alpha = model.eta, model.alpha
        phi = sparse_tables.phi_tables(model.label_word_counts, model.beta)
        fixed, warm = sparse_tables.flat_priors(phi, model.eta, model.alpha)
        words = sparse_prediction.Model(phi, fixed, warm, sparse_tables.no_topics(phi, fixed))
        self.models = [
            label_tokens.Model(words, *sparse_tables.topic_labels(value, smooth, model.gamma))
            for value, smooth in model.sparse_topic_labels()
        ]
        self.groups = unseen.groups_by_set(schedule.n_chains, len(self.models))

    def run(self, ptr, words, names, group, seed, labels=unseen.NO_LABELS):
        """Return (words on labels (D, C) CSR, [set of topics], theta' sums (D, 1, T), label tokens (D, C) CSR).

        labels are filled as ``unseen.sampler`` says.
        """
        topic_set = group[0] % len(self.models)
        model = self.models[topic_set]
        phi, n_topics = model.words.phi, model.topics.smooth.size
        n_documents, n_labels = ptr.size - 1, phi.labels.size - 1
        longest, chains = (
            max(1, int(np.diff(ptr).max(initial=0))),
            unseen.chain_words(seed, group, len(group)),
        )
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        room = int(unseen.entries(phi, ptr, words).max(initial=0))
        outputs = [
            unseen.empty_output(n_documents, n_labels, width, unseen.FIRST_OUTPUT) for width in (n_topics, 0)
        ]

        def workspace(n_profiles):
            return sparse_tables.label_token_workspace(
                phi, model.topics, self.n_label_tokens, self.eta, self.alpha, longest, n_profiles, room
            )

        def predict(done, work, *outputs):
            outputs = label_tokens.Outputs(*outputs)
            return label_tokens.predict(documents, done, model, schedule, chains, work, outputs, labels)

        n_profiles = unseen.FIRST_PROFILES["topics"]
        of_words, of_tokens = unseen.in_full(n_documents, n_profiles, predict, workspace, outputs)
        return unseen.table(of_words), [topic_set], of_words.topics[:, None, :], unseen.table(of_tokens)


def check_lengths(X, model, n_label_tokens):
    """Raise ValueError where a document is so long, for so few label tokens, that ratios of Eq. 9 outgrow float32."""
    longest = int(X.sum(axis=1).max()) if X.shape[0] else 0
    eta, without = model.eta, model.alpha
    with_one = without + eta / n_label_tokens
    largest = gammaln(longest + with_one) - gammaln(with_one) - gammaln(longest + without) + gammaln(without)
    if largest > LARGEST:
        raise ValueError(
            f"n_label_tokens={n_label_tokens} is too few for eta={eta:g} and a document of {longest} words: "
            f"one label token would change the likelihood of the words' labels by a factor of e^{largest:.0f}. "
            "Use more label tokens, or a smaller eta"
        )


def proper_prior(words, tokens, model, sampler):
    """Return the sum of alpha' (Eq. 1) over the samples, (n, C), from what ``sample_proper`` yields.

    A document without words gets the mean over the chains of what its prior is expected to be: no topic is
    preferred.
    """
    n_chains = sampler.schedule.n_chains
    n_samples = n_chains * sampler.schedule.n_samples
    total = model.eta / sampler.n_label_tokens * tokens.toarray() + model.alpha * n_samples
    empty = np.asarray(words.sum(axis=1)).ravel() == 0
    if empty.any():
        even = [value.mean(axis=0) + smooth.mean() for value, smooth in model.sparse_topic_labels()]
        used = [np.asarray(even[k % len(even)]).ravel() for k in range(n_chains)]
        total[empty] = n_samples * (model.eta * np.mean(used, axis=0) + model.alpha)
    return total


def sample_proper(X, model, sampler, seed, run, names=None):
    """Return an iterator over (rows, words, label tokens, theta' sums), one block of documents after the other.

    As ``unseen.predict``, by a ProperSampler, with the label tokens (rows, C) CSR besides; a document without words
    has zeros everywhere. Raise ValueError where a document is too long for so few label tokens.
    """
    check_lengths(X, model, sampler.n_label_tokens)
    key = run.key(X, model, sampler.schedule, seed, names, "proper", sampler.n_label_tokens)
    return unseen.added_up(X, model, sampler, key, seed, run, names)


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
    """Return the mean of the two distributions of B.2: tokens (n, C) CSR and prior (n, C); rows sum to 1."""
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
