"""Parametric mixture models (Ueda & Saito 2002): the words of a document are mixed from those of its labels."""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from polytopic.kernels import mixtures
from polytopic.models import settings, topic_chains
from polytopic.models.classifier import CountsOnly, MultiLabelClassifier
from polytopic.models.settings import configured, setting
from polytopic.validation import check_count, check_labels, check_not_negative, check_positive

check_above_one = partial(check_positive, bound=1)
MOST_EXHAUSTIVE = 16  # labels of an exhaustive search: 65,535 sets a document


@configured
class PMM(CountsOnly, MultiLabelClassifier, BaseEstimator):
    """Parametric mixture model of the first or second order, PMM1 or PMM2.

    A document with the labels y has words from phi(y), a mixture of its labels' distributions theta_c. PMM1 mixes
    them evenly; PMM2 learns for each pair of labels which of the two prevails (alpha_lm, Eq. 4). Both are fitted by
    EM to the maximum of the posterior. That of PMM1 has one maximum; PMM2 may have several, and is started from
    alpha = 1/2, which is PMM1, and words that belong to their labels in equal parts. The paper names no start: it and
    the stopping rule are this study's.

    Attributes
    ----------
    label_word_counts_ : (C_seen, W) CSR
        The counts that EM expects of each label, without the prior's.
    pair_bias_ : (C_seen, C_seen) CSR
        alpha_lm - 1/2 in row l and column m; empty for PMM1.
    seen_labels_ : (C_seen,) int64
        The columns of Y that have a training document with words, the most frequent first.
    objectives_ : list of float
        The objective (Eq. 6) at the start and after each step.
    n_iter_ : int
        Steps taken.
    xi_ : float
        The prior xi that it was trained with.
    """

    order: int = setting(1, "1 or 2.", settings.one_of(1, 2), positional=True)
    xi: float = setting(
        2.0,
        """Dirichlet prior of theta, above 1: xi - 1 is what is added to the count of each word, and at 1 an unseen
        word would be impossible. The paper has 2, which is Laplace's smoothing.""",
        check_above_one,
    )
    zeta: float = setting(2.0, "Dirichlet prior of alpha, above 1; the paper has 2.", check_above_one)
    tol: float = setting(1e-6, "Relative rise of the objective at which EM stops.", check_not_negative)
    max_iter: int = setting(500, "The most steps of EM.", check_count)
    search: str = setting(
        "greedy",
        """How ``predict`` looks for the likeliest label set: "greedy" (section 3.3) or "exhaustive", all 2^C - 1 sets
        of up to sixteen labels.""",
        settings.one_of("greedy", "exhaustive"),
    )

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn theta, and alpha for PMM2, from word counts X (D, W) and labels Y (D, C), dense or sparse.

        Documents without words or without labels are left out. A label without a training document keeps its
        column and is never predicted. Every word of X counts as one of the vocabulary, seen in training or not.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for settings out of range, and when no document has both words and a label.
        """
        X, Y = settings.check_training(X, Y)
        self.n_features_in_, self.n_labels_ = X.shape[1], Y.shape[1]
        frequency = Y.getnnz(axis=0)
        self.seen_labels_ = np.argsort(-frequency, kind="stable")[: np.count_nonzero(frequency)]
        self._learn(_Training(X, Y[:, self.seen_labels_].sorted_indices()))
        return self

    def predict(self, X):
        """Return the label set found for each document, (D, C) CSR of bool; each has at least one label.

        It is sought by the likelihood of the words alone, all sets being equally likely beforehand (section 3.3).
        Of labels that do equally well, as all do for a document without words, the one with the most training
        documents is taken, then the one that comes first in Y. A word that training never saw has the same
        small probability under equally long labels; it is not dropped.

        Raises ValueError where fit would, when X has another number of words, and for an exhaustive search among
        more than sixteen labels; NotFittedError before fit.
        """
        X, n_labels = self._check_unseen(X), self.seen_labels_.size
        exhaustive = self.search == "exhaustive"
        if exhaustive and n_labels > MOST_EXHAUSTIVE:
            raise ValueError(
                f"an exhaustive search among {n_labels} labels would visit 2**{n_labels} sets a document: "
                f"choose search='greedy', or at most {MOST_EXHAUSTIVE} labels"
            )
        find = mixtures.exhaustive_sets if exhaustive else mixtures.greedy_sets
        member = np.zeros((X.shape[0], n_labels), bool)
        self._search(find, X, member)
        predicted = np.zeros((X.shape[0], self.n_labels_), bool)
        predicted[:, self.seen_labels_] = member
        return sparse.csr_matrix(predicted)

    def decisions(self, X, scores):
        """Return what ``predict`` does, as a table (n, C) of bool: the search does not go by scores."""
        return self.predict(X).toarray()

    def decision_function(self, X):
        """Return how much likelier each document's words are with each label than without it, (D, C) float64.

        The score of a label is the log of a ratio: the likelihood under the best label set seen that has the label,
        over that under the best one seen that has not. Seen are the greedy set and all sets that differ from it by
        one label added, left out or exchanged. Labels of the greedy set score above 0 and others at most 0, unless
        leaving out or exchanging one label improves on the greedy set. Scores are in nats per word of the document,
        so that documents of different length can be ranked for a label (held-out training documents of debtags gave
        a mean AUC by label of .68 so, and .60 with nats per document); a document without words has 0 everywhere.
        The paper only decides and does not rank: this is the study's extension.

        A label without training documents scores one less than the least other. With a single label, which
        every document then has, the score is 0. Errors as in ``predict``, but for those of the
        exhaustive search, which is not made.
        """
        X = self._check_unseen(X)
        seen = np.zeros((X.shape[0], self.seen_labels_.size))
        self._search(mixtures.label_scores, X, seen)
        seen /= np.maximum(1, X.sum(axis=1).A1[:, None])
        scores = np.repeat(seen.min(axis=1, keepdims=True) - 1, self.n_labels_, axis=1)
        scores[:, self.seen_labels_] = seen
        return scores

    def log_likelihood(self, X, Y):
        """Return log P(x | y) of each document under its own labels, (D,), without the multinomial coefficient.

        Labels that training never saw are ignored; a document without any other label has -inf.
        """
        X = self._check_unseen(X)
        Y = check_labels(Y, X.shape[0])
        settings.check_width(Y, self.n_labels_, "labels", "Y")
        member = Y[:, self.seen_labels_].toarray()
        scores = np.zeros(X.shape[0])
        self._search(mixtures.set_scores, X, member, scores)
        return scores

    def label_word_distributions(self):
        """Return theta (C, W) float64, each row summing to 1; rows of labels without training documents are 0."""
        check_is_fitted(self)
        theta = np.zeros((self.n_labels_, self.n_features_in_))
        counts = self.label_word_counts_.toarray() + (self.xi_ - 1)
        theta[self.seen_labels_] = counts / counts.sum(axis=1, keepdims=True)
        return theta

    def pair_shares(self):
        """Return alpha (C, C) float64: alpha + alpha.T is 1, and 1/2 stands where no document has both labels."""
        check_is_fitted(self)
        alpha = np.full((self.n_labels_, self.n_labels_), 0.5)
        alpha[np.ix_(self.seen_labels_, self.seen_labels_)] += self.pair_bias_.toarray()
        return alpha

    def set_distributions(self, Y):
        """Return phi(y) (n, W) float64, the word distribution of each label set, a row of Y (n, C) (Eq. 2 and 4).

        Raises ValueError for a set without a label that training has seen.
        """
        theta, alpha = self.label_word_distributions(), self.pair_shares()
        member = check_labels(Y).toarray().astype(float)
        settings.check_width(member, self.n_labels_, "labels", "Y")
        member[:, np.setdiff1d(np.arange(self.n_labels_), self.seen_labels_)] = 0
        size = member.sum(axis=1, keepdims=True)
        if not size.all():
            raise ValueError(f"row {int(np.argmin(size))} of Y has no label that training has seen")
        return (2 / size**2 * member * (member @ alpha.T)) @ theta

    def _check_unseen(self, X):
        settings.check_settings(self)
        return settings.check_unseen(self, X).astype(np.float64)

    def _learn(self, training):
        """Run EM until its rise ends; the model is the one that the last objective is of."""
        weights, alpha = np.ones(training.counts.size), np.full(training.together.nnz, 0.5)
        training.expect(weights, alpha)
        self.objectives_, before, rise = [], -np.inf, np.inf
        while True:
            counts = training.counts.copy()
            theta, floor = training.theta(self.xi)
            log_prior = self._log_prior(training, theta, floor, alpha)
            self.objectives_.append(training.expect(theta, alpha) + log_prior)
            rise, before = self.objectives_[-1] - before, self.objectives_[-1]
            if rise <= self.tol * abs(before) or len(self.objectives_) > self.max_iter:
                break
            if self.order == 2:
                alpha = training.alpha(alpha, self.zeta)
        self.n_iter_, self.xi_ = len(self.objectives_) - 1, self.xi
        self.label_word_counts_ = _filled(training.met, counts).T.tocsr()
        self.pair_bias_ = _filled(training.together, alpha - 0.5)
        self.pair_bias_.eliminate_zeros()

    def _log_prior(self, training, theta, floor, alpha):
        """Return the second and, for PMM2, the third term of Eq. 6, over all words and all pairs.

        theta (cells,), and floor (C,) for the words that a label never met, are of one step.
        """
        n_words, n_labels = training.met.shape
        unmet = n_words - np.bincount(training.met.indices, minlength=n_labels)
        value = (self.xi - 1) * (np.log(theta).sum() + unmet @ np.log(floor))
        if self.order == 2:
            value += (self.zeta - 1) * (np.log(alpha).sum() + (n_labels**2 - alpha.size) * np.log(0.5))
        return value

    def _search(self, kernel, X, *results):
        model = self._model()
        kernel(model, X.indptr, X.indices, X.data, mixtures.search_space(model, X.indptr), *results)

    def _model(self):
        words, bias = self.label_word_counts_.T.tocsr(), self.pair_bias_
        totals = self.label_word_counts_.sum(axis=1).A1 + self.n_features_in_ * (self.xi_ - 1)
        theta, floor = (words.data + self.xi_ - 1) / totals[words.indices], (self.xi_ - 1) / totals
        return mixtures.Model(words.indptr, words.indices, theta, floor, bias.indptr, bias.indices, bias.data)


class _Training:
    """The documents laid out for the kernels, and the counts that the latest expectation gave.

    X (D, W) counts and Y (D, C) labels, CSR with sorted indices, no row empty and no label without a document. A cell
    is a word that a document of the label has, a pair two labels of one document: the entries of ``met`` (W, C) and
    ``together`` (C, C).
    """

    def __init__(self, X, Y):
        self.met, ptr, cells = topic_chains.meetings(X, Y)
        self.documents = mixtures.Documents(X.indptr, X.data.astype(np.float64), Y.indptr, ptr, cells)
        self.together, ptr, cells = topic_chains.meetings(Y, Y)
        self.counts = np.zeros(self.met.nnz)
        self._weight, self._shares = np.zeros(Y.nnz), np.zeros(Y.nnz)
        mirror = _filled(self.together, np.arange(self.together.nnz)).T.tocsr().sorted_indices()
        self.pairs = mixtures.Pairs(cells, ptr, mirror.data)

    def expect(self, theta, alpha):
        """Return the log-likelihood, and renew the counts."""
        mixtures.set_shares(self.documents, self.pairs, alpha, self._shares)
        return mixtures.expect(self.documents, theta, self._shares, self.counts, self._weight)

    def theta(self, xi):
        """Return theta of each cell (Eq. 16 and 21), and of a word that no document of the label has, (C,)."""
        (n_words, n_labels), labels = self.met.shape, self.met.indices
        totals = np.bincount(labels, self.counts, minlength=n_labels) + n_words * (xi - 1)
        return (self.counts + xi - 1) / totals[labels], (xi - 1) / totals

    def alpha(self, alpha, zeta):
        """Return alpha of each pair of labels that meet (Eq. 17)."""
        expected = np.zeros(alpha.size)
        mixtures.expect_pairs(self.documents, self.pairs, alpha, self._weight, expected)
        both = expected + expected[self.pairs.mirror]
        return (expected + (zeta - 1) / 2) / (both + zeta - 1)


def _filled(table, values):
    """Return a CSR table with other values in its places."""
    return sparse.csr_matrix((values, table.indices.copy(), table.indptr.copy()), table.shape)
