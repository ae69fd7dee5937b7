"""Proper inference of Dependency-LDA: unseen documents by sampling label tokens besides (Rubin et al. 2012, 3.5)."""

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from polytopic.kernels import label_tokens, sparse_prediction
from polytopic.kernels.documents import Documents
from polytopic.models import sparse_tables, unseen

LARGEST = 80.0  # logarithm of a ratio of Eq. 9: float32 ends at 88


class Proper(unseen.SamplingPredictor):
    """By proper inference."""

    def __init__(self, model, schedule, n_label_tokens):
        super().__init__(model, ProperSampler(model, schedule, n_label_tokens))

    def prior(self, words, tokens, theta):
        return proper_prior(words, tokens, self.model, self.sampler)


class ProperSampler(unseen.Sampler):
    """Groups of chains that use the same set of topics, over words, label tokens and topics.

    ``run`` raises ValueError where a document is too long for so few label tokens.
    """

    def __init__(self, model, schedule, n_label_tokens):
        super().__init__(model, schedule, "proper", n_label_tokens)
        self.n_label_tokens, self.eta, self.alpha = n_label_tokens, model.eta, model.alpha
        phi = sparse_tables.phi_tables(model.label_word_counts, model.beta)
        fixed, warm = sparse_tables.flat_priors(phi, model.eta, model.alpha)
        words = sparse_prediction.Model(phi, fixed, warm, sparse_tables.no_topics(phi, fixed))
        self.models = [
            label_tokens.Model(words, *sparse_tables.topic_labels(value, smooth, model.gamma))
            for value, smooth in model.sparse_topic_labels()
        ]
        self.groups = unseen.groups_by_set(schedule.n_chains, self.n_sets)

    def run(self, ptr, words, names, group, seed):
        """Return (labels (samples, N), [set of topics], theta' sums (D, 1, T), label tokens (D, C) CSR).

        All but the last is as ``unseen.sampler`` says; a document without words has zeros everywhere.
        """
        topic_set = group[0] % self.n_sets
        model, phi = self.models[topic_set], self.models[topic_set].words.phi
        longest, chains = int(np.diff(ptr).max(initial=0)), unseen.chain_words(seed, group, len(group))
        self._check_length(longest)
        documents, schedule = Documents(ptr, words, names), self.schedule._replace(n_chains=len(group))
        room = int(unseen.entries(phi, ptr, words).max(initial=0))
        labels = np.zeros((len(group) * schedule.n_samples, words.size), np.int32)
        theta, on_labels = (
            np.zeros((ptr.size - 1, self.n_topics)),
            np.zeros((ptr.size - 1, self.n_labels), np.int32),
        )

        def workspace(n_cached):
            prior = self.n_label_tokens, self.eta, self.alpha
            return sparse_tables.label_token_workspace(
                phi, model.topics, *prior, max(1, longest), n_cached, room
            )

        def predict(done, work):
            return label_tokens.predict(
                documents, done, model, schedule, chains, work, theta, labels, on_labels
            )

        unseen.with_room(ptr.size - 1, unseen.FIRST_CACHED["topics"], predict, workspace)
        return labels, [topic_set], theta[:, None, :], sparse.csr_matrix(on_labels, dtype=np.int64)

    def _check_length(self, longest):
        """Raise ValueError where a document is so long that ratios of Eq. 9 outgrow float32."""
        without, with_one = self.alpha, self.alpha + self.eta / self.n_label_tokens
        largest = (
            gammaln(longest + with_one) - gammaln(with_one) - gammaln(longest + without) + gammaln(without)
        )
        if largest > LARGEST:
            raise ValueError(
                f"n_label_tokens={self.n_label_tokens} is too few for eta={self.eta:g} and a document of {longest} "
                f"words: one label token would change the likelihood of the words' labels by a factor of "
                f"e^{largest:.0f}. Use more label tokens, or a smaller eta"
            )


def proper_prior(words, tokens, model, sampler):
    """Return the sum of alpha' (Eq. 1) over the samples, (n, C), from what ``unseen.predict`` yields.

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
