"""The methods that Ueda & Saito (2002) compare their models with, through scikit-learn.

Each decides on every label: ``decision_function(X)`` is (D, C) and a label is predicted where it is above 0, so a
document may get no label. A label that no training document has scores below 0 everywhere, one that all have above.
What the paper tunes without saying how is tuned here on a third of the training documents, held out by the seed.
"""

import itertools
import warnings

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from polytopic.models import settings
from polytopic.models.settings import configured, each, setting
from polytopic.streams import stream, word64
from polytopic.validation import check_count, check_counts, check_labels, check_not_negative, check_positive

THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


class _Baseline(BaseEstimator):
    """What the four share: checks on the way in, decisions on the way out."""

    @settings.all_or_nothing
    def fit(self, X, Y):
        """Train on word counts X (D, W) and labels Y (D, C), dense or sparse.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for fewer than three documents, and for settings out of range.
        """
        settings.check_settings(self)
        X = check_counts(X)
        labels = check_labels(Y, X.shape[0]).toarray()
        if X.shape[0] < 3:
            raise ValueError(f"X has {X.shape[0]} documents: give three or more, one of them is held out")
        self.n_features_in_ = X.shape[1]
        frequency = labels.sum(axis=0)
        self.learned_labels_ = np.flatnonzero((frequency > 0) & (frequency < len(labels)))
        self.constant_ = np.where(frequency == len(labels), 1.0, -1.0)
        self._fit(X, labels[:, self.learned_labels_])
        return self

    def decision_function(self, X):
        """Return scores (D, C) float64; above 0 the label is predicted. Raises ValueError where fit would, or when X
        has another number of words; NotFittedError before fit.
        """
        check_is_fitted(self)
        X = check_counts(X)
        settings.check_width(X, self.n_features_in_)
        scores = np.tile(self.constant_, (X.shape[0], 1))
        if self.learned_labels_.size and X.shape[0]:
            scores[:, self.learned_labels_] = self._scores(X)
        return scores

    def predict(self, X):
        """Return the decisions, (D, C) CSR of bool; a document may have none. Errors as in decision_function."""
        return sparse.csr_matrix(self.decision_function(X) > 0)


@configured
class NaiveBayes(_Baseline):
    """One multinomial naive Bayes classifier per label; the score is the log of the ratio of the two posteriors."""

    alpha: float = setting(1.0, "Added to each word's count.", check_positive)

    def _fit(self, X, labels):
        self.classifiers_ = [MultinomialNB(alpha=self.alpha).fit(X, column) for column in labels.T]

    def _scores(self, X):
        both = [one.predict_joint_log_proba(X) for one in self.classifiers_]
        return np.column_stack([log[:, 1] - log[:, 0] for log in both])


@configured
class GridSVM(settings.Seeded, _Baseline):
    """One linear SVM with hinge loss per label, its cost C and the weight J of its positives chosen on held-out data.

    Documents are divided by their length in words, as in the paper, unless ``by_length`` is false, and by one number
    for all, the root mean square of their Euclidean lengths in training: so C = 1 is about what SVMlight takes if not
    told otherwise. After the choice every label is trained again on all documents.

    Attributes
    ----------
    C_, J_ : (C,), what each label was trained with; 1 for labels that all documents or none have.
    """

    tuning: str | None = setting(
        "label",
        '"label" chooses C and J of each label by its F1 on the held-out third; a label without a positive on both '
        'sides takes the pair that is best for all. "all" chooses one pair by the mean F over held-out documents. '
        "None takes C = J = 1. Of several equally good pairs it is the one nearest to C = J = 1 by the sum of the "
        "logarithms' sizes, then the first in the grid.",
        settings.one_of(None, "label", "all"),
    )
    by_length: bool = setting(True, "Whether documents are divided by their length in words.")
    costs: tuple = setting((0.1, 1.0, 10.0), "The grid of C.", each(check_positive))
    weights: tuple = setting((1.0, 3.0, 10.0, 30.0), "The grid of J.", each(check_positive))
    tol: float = setting(0.1, "LIBLINEAR's rule for stopping.", check_positive)
    max_iter: int = setting(1000, "The most passes of LIBLINEAR.", check_count)
    random_state: int = setting(0)

    def _fit(self, X, labels):
        features = self._divided(X)
        self.scale_ = 1 / np.sqrt(features.power(2).sum(axis=1).mean()) if features.nnz else 1.0
        features = features * self.scale_
        grid = itertools.product(self.costs, self.weights)
        pairs = sorted(grid, key=lambda pair: np.abs(np.log(pair)).sum().round(9))
        chosen = self._choose(features, labels, pairs)
        self.C_, self.J_ = np.ones((2, self.constant_.size))
        self.C_[self.learned_labels_], self.J_[self.learned_labels_] = np.reshape(chosen, (-1, 2)).T
        self.coef_, self.intercept_ = self._train(features, labels, chosen)

    def _choose(self, features, labels, pairs):
        n_labels = labels.shape[1]
        if self.tuning is None or not n_labels:
            return [(1.0, 1.0)] * n_labels
        train, held = _held_out(len(labels), self.random_state)
        truth, seen = labels[held], labels[train]
        decided = []
        for pair in pairs:
            coef, intercept = self._train(features[train], seen, [pair] * n_labels)
            decided.append(features[held] @ coef.T + intercept > 0)
        best_of_all = np.argmax([_f1(truth, one, axis=1).mean() for one in decided])
        best = np.argmax([_f1(truth, one, axis=0) for one in decided], axis=0)
        can_tell = (self.tuning == "label") & truth.any(axis=0) & seen.any(axis=0) & ~seen.all(axis=0)
        return [pairs[place] for place in np.where(can_tell, best, best_of_all)]

    def _train(self, features, labels, chosen):
        coef, intercept = np.zeros((labels.shape[1], features.shape[1])), np.zeros(labels.shape[1])
        with config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the primal problem is nearly solved by then
            for c, (cost, weight) in enumerate(chosen):
                column = labels[:, c]
                if column.all() or not column.any():
                    intercept[c] = 1.0 if column.all() else -1.0
                    continue
                svm = LinearSVC(
                    loss="hinge", dual=True, C=cost, class_weight={1: weight}, tol=self.tol,
                    max_iter=self.max_iter, random_state=int(word64(self.random_state, "svm", c) % (1 << 31)),
                ).fit(features, column.astype(np.int8))  # fmt: skip
                coef[c], intercept[c] = svm.coef_[0], svm.intercept_[0]
        return coef, intercept

    def _scores(self, X):
        return self._divided(X) * self.scale_ @ self.coef_.T + self.intercept_

    def _divided(self, X):
        return normalize(X.astype(np.float64), "l1") if self.by_length else X.astype(np.float64)


@configured
class CosineNeighbours(settings.Seeded, _Baseline):
    """The k nearest training documents by the cosine of their word counts vote, each with its cosine.

    The score is a label's share of the votes less the threshold. k and the threshold are those with the best mean F
    over the held-out third; of several the smaller k, then the smaller threshold. A document without a neighbour at
    a cosine above 0 gets no label. Equally near neighbours come in the order of training.
    """

    counts: tuple = setting((1, 3, 5, 10, 20, 30, 50, 100), "The grid of k.", each(check_count))
    thresholds: tuple = setting(THRESHOLDS, "The grid of the threshold.", each(check_not_negative))
    random_state: int = setting(0)

    def _fit(self, X, labels):
        self.X_, self.labels_ = X, labels
        counts, thresholds = sorted(self.counts), sorted(self.thresholds)
        self.k_, self.threshold_ = counts[0], thresholds[0]
        if not labels.shape[1] or len(counts) * len(thresholds) == 1:
            return
        train, held = _held_out(len(labels), self.random_state)
        votes = _votes(X[held], X[train], labels[train], counts)
        self.k_, self.threshold_ = _best(labels[held], votes, thresholds)

    def _scores(self, X):
        return _votes(X, self.X_, self.labels_, [self.k_])[self.k_] - self.threshold_


@configured
class NeuralNetwork(settings.Seeded, _Baseline):
    """A network with one hidden layer, trained on the sum of cross-entropies with a penalty on squared weights.

    Input are counts of words that training has seen. The score is the output less a threshold. Penalty and threshold
    are those of the grids with the best mean F over the held-out third, of several the first; with one of each
    nothing is held out. Trained by Adam in batches, as many steps for few documents as for many.
    """

    n_hidden: int = setting(50, "Units of the hidden layer; fixed, for the sake of time.", check_count)
    penalties: tuple = setting((0.01, 3.0), "The grid of the penalty.", each(check_not_negative))
    thresholds: tuple = setting(THRESHOLDS, "The grid of the threshold.", each(check_not_negative))
    n_steps: int = setting(120, "Steps of training.", check_count)
    batch_size: int = setting(250, "Documents in a step.", check_count)
    learning_rate: float = setting(0.003, "Adam's.", check_positive)
    random_state: int = setting(0)

    def _fit(self, X, labels):
        self.words_ = np.flatnonzero(X.getnnz(axis=0))
        self.penalty_, self.threshold_ = self.penalties[0], self.thresholds[0]
        if not labels.shape[1] or not self.words_.size:
            self.learned_labels_ = self.learned_labels_[:0]
            return
        if len(self.penalties) * len(self.thresholds) > 1:
            train, held = _held_out(len(labels), self.random_state)
            trained = {penalty: self._trained(X[train], labels[train], penalty) for penalty in self.penalties}
            n_labels = labels.shape[1]
            outputs = {penalty: self._outputs(one, X[held], n_labels) for penalty, one in trained.items()}
            self.penalty_, self.threshold_ = _best(labels[held], outputs, self.thresholds)
        self.network_ = self._trained(X, labels, self.penalty_)

    def _trained(self, X, labels, penalty):
        batch = min(self.batch_size, len(labels))
        n_epochs = -(-self.n_steps // -(-len(labels) // batch))
        network = MLPClassifier(
            (self.n_hidden,), alpha=penalty, batch_size=batch, max_iter=n_epochs, tol=0,
            learning_rate_init=self.learning_rate, n_iter_no_change=n_epochs + 1,
            random_state=int(word64(self.random_state, "network") % (1 << 31)),
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a fixed number of steps is meant
            return network.fit(X[:, self.words_].astype(np.float32), labels.astype(np.int8).squeeze())

    def _outputs(self, network, X, n_labels):
        outputs = network.predict_proba(X[:, self.words_].astype(np.float32)).astype(np.float64)
        return outputs[:, -n_labels:]  # a single label has a column for its absence, too

    def _scores(self, X):
        return self._outputs(self.network_, X, self.learned_labels_.size) - self.threshold_


def _held_out(n_documents, seed):
    """Return (documents to train on, documents held out), a third of all, rounded down and at least one."""
    drawn = stream(seed, "held out").permutation(n_documents)
    n_held = max(1, n_documents // 3)
    return np.sort(drawn[n_held:]), np.sort(drawn[:n_held])


def _best(truth, outputs, thresholds):
    """Return the key of outputs {key: (D, C)} and the threshold with the best mean F, the first of several."""
    tried = itertools.product(outputs, thresholds)
    return max(tried, key=lambda one: _f1(truth, outputs[one[0]] > one[1], axis=1).mean())


def _f1(truth, decided, axis):
    """Return F1 of each document (axis 1) or label (axis 0); 0 where nothing is right."""
    sizes = truth.sum(axis=axis) + decided.sum(axis=axis)
    return 2 * (truth & decided).sum(axis=axis) / np.maximum(1, sizes)


def _votes(X, others, labels, counts):
    """Return {k: each label's share of the cosines of the k nearest others, (D, C); 0 where all cosines are}."""
    cosines = cosine_similarity(X.astype(np.float64), others.astype(np.float64), dense_output=True)
    order, found = np.argsort(-cosines, axis=1, kind="stable"), {}
    for k in counts:
        nearest = order[:, :k]
        votes = np.take_along_axis(cosines, nearest, axis=1)
        rows = np.repeat(np.arange(len(nearest)), nearest.shape[1])
        weights = sparse.csr_matrix((votes.ravel(), (rows, nearest.ravel())), cosines.shape)
        total = votes.sum(axis=1, keepdims=True)
        found[k] = (weights @ labels.astype(np.float64)) / np.where(total > 0, total, 1)
    return found
