"""Dependency-LDA's proper inference for unseen documents: chains over words, label tokens and topics (3.5).

Every chain is a unit of its set of topics, shared out as those of fast inference are (``unseen``).
"""

import numpy as np
from scipy.special import gammaln

from polytopic.kernels import label_tokens, sparse_prediction
from polytopic.kernels.documents import Documents
from polytopic.models import sparse_tables, unseen

LARGEST = 80.0  # logarithm of a ratio of Eq. 9: float32 ends at 88


def predict(X, model, n_label_tokens, schedule, seed, run, names=None):
    """Return an iterator over (rows, words, label tokens, theta' sums), one block of documents after the other.

    As ``unseen.predict``, with the label tokens (rows, C) CSR besides; a document without words has zeros everywhere.
    Raise ValueError where a document is so long, for so few label tokens, that ratios of Eq. 9 outgrow float32.
    """
    return sampled(X, model, Proper(model, n_label_tokens, schedule), seed, run, names)


def sampled(X, model, sampler, seed, run, names=None):
    """Return what ``predict`` does, by a Proper that is there already."""
    check_lengths(X, model, sampler.n_label_tokens)
    key = run.key(X, model, sampler.schedule, seed, names, "proper", sampler.n_label_tokens)
    return unseen.added_up(X, model, sampler, key, seed, run, names)


def check_lengths(X, model, n_label_tokens):
    """Raise ValueError where a document is so long, for so few label tokens, that ratios of Eq. 9 outgrow float32."""
    longest = int(X.sum(axis=1).max()) if X.shape[0] else 0
    without, with_one = model.alpha, model.alpha + model.eta / n_label_tokens
    largest = gammaln(longest + with_one) - gammaln(with_one) - gammaln(longest + without) + gammaln(without)
    if largest > LARGEST:
        raise ValueError(
            f"n_label_tokens={n_label_tokens} is too few for eta={model.eta:g} and a document of {longest} words: "
            f"one label token would change the likelihood of the words' labels by a factor of e^{largest:.0f}. "
            "Use more label tokens, or a smaller eta"
        )


def prior(words, tokens, model, n_label_tokens, schedule):
    """Return the sum of alpha' (Eq. 1) over the samples, (n, C), from what ``predict`` yields.

    A document without words gets the mean over the chains of what its prior is expected to be: no topic is preferred.
    """
    n_samples = schedule.n_chains * schedule.n_samples
    total = model.eta / n_label_tokens * tokens.toarray() + model.alpha * n_samples
    empty = np.asarray(words.sum(axis=1)).ravel() == 0
    if empty.any():
        even = [value.mean(axis=0) + smooth.mean() for value, smooth in model.sparse_topic_labels()]
        used = [np.asarray(even[k % len(even)]).ravel() for k in range(schedule.n_chains)]
        total[empty] = n_samples * (model.eta * np.mean(used, axis=0) + model.alpha)
    return total


class Proper:
    """Groups of chains that use the same set of topics."""

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
