"""A generative and a discriminative model combined, or one model calibrated, on scores from outside of training."""

from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import gen_batches
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted
from tqdm.auto import tqdm

from polytopic.models.classifier import CountsOnly, MultiLabelClassifier
from polytopic.models.explanations import HybridParts, keep_of
from polytopic.models.labelled_lda import DependencyLDA, priors_by_rule, trains_alike
from polytopic.models.selection import chosen_weights, weighted
from polytopic.models.settings import (
    Running,
    all_or_nothing,
    check_label_words,
    check_size,
    check_training,
    check_unseen,
    configured,
    seed_of,
    setting,
    unless_none,
)
from polytopic.models.svm import BinaryRelevanceSVM
from polytopic.streams import document_names, stream
from polytopic.validation import check_count, check_counts, check_labels, check_values

FOLDS, FEW_DOCUMENTS, FOLDS_OF_MANY = 5, 5000, 3  # folds up to that number of documents, and beyond
# Few features and many cells: Newton's steps come to the optimum, whatever the rounding, where others stop before it.
TO_THE_END = {"solver": "newton-cholesky", "tol": 1e-8, "max_iter": 1000}
MOST_CELLS = 400_000  # pairs of a document and a label that the combiner learns from
SAME = 1e-9  # the deviation of a label's scores up to which they are taken for one value
LEAST_POSITIVES = 50  # pairs: for labels rarer than that many of them the regression would only extrapolate
NEVER = -700.0  # log odds of labels without training documents and names
FLOOR = 1e-6  # of scores that are shares, before their logarithm
MOST_KNOWN = 1000  # training documents by whose scores the labels' scores are standardised
RANKED_CELLS = 1 << 22  # scores of one parent, in all folds, by which the weights of the sum are chosen
BLOCK_CELLS = 1 << 20
TELLING = 10  # different words, from which documents that are equal are taken for copies
SCORED_CELLS = 1 << 24  # scores of one parent that are held at a time
COSTS, POWERS = (0.1, 1.0), (0.7, 1.0)  # of the parents by default
SVMS = {"normalize": "tfidf", "solver": "together", "smallest": 0.01}
CHAINS = {"n_chains": 8, "n_sweeps": 50, "n_topic_chains": 2, "n_topic_sweeps": 100}  # of their topic models


class Trained(NamedTuple):
    """Parents trained on the same documents, and what they say of m of these."""

    parents: list
    without: np.ndarray  # (m, C) bool  which of the known documents do not have which labels
    known: list  # of each parent (m, C) float64
    counts: np.ndarray  # (C,) documents of each label
    n_documents: int


class Cells(NamedTuple):
    """Pairs of a document and a label, scored by models that have not seen the document."""

    features: np.ndarray  # (n, 3 P + 1) float64 of P parents
    truth: np.ndarray  # (n,) bool
    weights: np.ndarray  # (n,) float64  how many pairs each stands for


class Rates(NamedTuple):
    """The log odds for given label frequencies: base + sum over features of by_feature times (feature - its mean)."""

    base: np.ndarray  # (C,)
    by_feature: np.ndarray  # (P, 3, C)  score, distance from the document's highest, standard score
    means: np.ndarray  # (P, 3)  over the pairs that the regression learned from


@configured
class HybridClassifier(CountsOnly, MultiLabelClassifier, Running, _BaseComposition):
    """Logistic regression over the scores of several models, pooled over all labels (Rubin et al. 2012, section 7).

    Every parent scores each training document by a model that has not seen it, from five folds, or from three where
    documents are more than 5,000; copies of a document, ten different words or longer, share a fold. A pair of a
    document and a label then has, of each parent, its score, the distance from the document's highest score, and the
    standard score: the distance from the model's mean score of documents that it was trained on without the label, in
    standard deviations. Logistic regression says from these how likely the label is, each with a weight that is a
    quadratic function of the log of the label's share of the documents trained on; labels so rare that fewer than 50
    positive pairs are of their kind count as the rarest that have as many. Scores that are all 0 or more are taken
    for shares, and enter as logarithms. At the end every parent is trained on all documents.

    With thousands of labels a parent alone may rank better than this regression. So the scores of both are weighted
    and summed, greedily, as it raises average precision by document and by label outside of training
    (``selection.chosen_weights``). The sum has log odds by logistic regression on it alone (Platt 1999).

    That line says too much of the few pairs above even odds. So in ``predict_proba`` the log odds have two slopes,
    one far below 0 and one far above: beta calibration (Kull, Silva Filho & Flach 2017) with .5 kept at .5, so that
    order and decisions stay. With few training documents high probabilities are still too high, as the parents at
    the end learn from more documents than those of the folds did; more folds lessen that.

    With one parent it is that model calibrated. Without any named they are two linear SVMs on
    TF-IDF, at costs .1 and 1, trained together and without weights up to .01, and two Dependency-LDAs by mean field,
    their words at the powers .7 and 1, with priors by the rules of appendix B.1; n_jobs and memory are theirs.

    Pairs of a label that no document of the other folds has are left out. Of more than 400,000 pairs all positives
    and a weighted sample of the others are used, without bias; where a fold has more than 16
    million pairs, only some of its documents are scored. A label without training documents and without a name in
    label_names has probability 0.

    Attributes
    ----------
    parents_ : list of P estimators
        Trained on all documents.
    names_ : list of P str
        Their names.
    combiner_ : scikit-learn pipeline
        The regression.
    rarest_ : float
        The least logarithm of a label's share of the documents that the regression is asked for.
    weights_ : (P + 1,) float64
        Of the parents' scores, and of the regression's, in their sum.
    slope_ : float
        Of the log odds in that sum.
    intercept_ : float
        Log odds where the sum is 0.
    slopes_ : (2,) float64
        Of the probabilities' log odds in these, far below 0 and far above.
    label_counts_ : (C,) int64
        Training documents of each label, its name included.
    n_documents_ : int
        Training documents, names included.
    shares_ : list of P bool
        Which parents' scores are shares.
    standards_ : list of P (2, C) float64
        The labels' mean scores and their standard deviations, over up to 1,000 training documents less those with the
        label.
    """

    estimators: list | None = setting(
        None,
        "Pairs of a name and an estimator, with fit(X, Y) and decision_function(X); None for the above.",
        positional=True,
    )
    label_names: sparse.spmatrix | np.ndarray | None = setting(
        None,
        """What labels are called, as counts of words (C, W), sparse or dense (``Corpus.name_counts``). A name is one
        training document more of its label, for every parent, in each fold and at the end; a row of zeros is none.
        So a label without a training document has scores, too. None has none.""",
    )
    n_folds: int | None = setting(
        None,
        "Folds of training documents; None for five of up to 5,000 documents, and for three of more.",
        unless_none(partial(check_count, minimum=2)),
    )
    rarest_, slopes_ = -np.inf, np.ones(2)  # of models that were kept before there were any

    def get_params(self, deep=True):
        """Return the settings; with deep those of every estimator too, as name__setting."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **settings):
        """Set settings of its own, or of an estimator by name__setting; return self."""
        return self._set_params("estimators", **settings)

    @all_or_nothing
    def fit(self, X, Y=None):
        """Learn from X (D, W) counts and Y (D, C) labels.

        Raises ValueError where a parent does, for fewer documents than folds, and where no label has documents in two
        folds.
        """
        if self.estimators is not None and len(self.estimators) == 0:
            raise ValueError("estimators is empty: give at least one (name, estimator), or None")
        X = check_counts(X)
        Y = check_labels(Y, X.shape[0])
        check_size(X)
        names = check_counts(check_label_words(X, Y, label_names=self.label_names), "label_names")
        n_folds = self.n_folds or (FOLDS if X.shape[0] <= FEW_DOCUMENTS else FOLDS_OF_MANY)
        if X.shape[0] < n_folds:
            raise ValueError(f"n_samples = {X.shape[0]} documents are too few for n_folds={n_folds}")
        self.n_features_in_, self.n_labels_ = X.shape[1], Y.shape[1]
        seed = seed_of(self.random_state)
        estimators = self._default(X, Y, seed) if self.estimators is None else self.estimators
        cells, ranked = self._outside_of_training(X, Y, names, estimators, n_folds, seed)
        steps = StandardScaler(), FunctionTransformer(_by_frequency), StandardScaler()
        self.combiner_ = make_pipeline(*steps, LogisticRegression(**TO_THE_END))
        rarest = np.sort(cells.features[cells.truth, -1])[:LEAST_POSITIVES][-1]
        features = _at_least(cells.features, rarest)
        self.combiner_.fit(features, cells.truth, logisticregression__sample_weight=cells.weights)
        self.rarest_ = rarest
        self._weigh(cells, ranked)
        final = _trained(X, Y, names, estimators, seed)
        self.label_counts_, self.n_documents_ = final.counts, final.n_documents
        self.names_ = [name for name, _ in estimators]
        self.parents_, self.standards_ = final.parents, self._standards(final)
        return self

    def predict_proba(self, X):
        """Return how likely each document has each label, (D, C) float64; one that no parent has seen has 0.

        They rise with ``decision_function``, and are .5 or more where it is 0 or more.
        """
        return self.probabilities(self.decision_function(X))

    def probabilities(self, odds):
        """Return how likely labels are with these scores of ``decision_function``, an array of any shape."""
        below, above = self.slopes_
        return expit(below * odds + (above - below) * _bend(odds)) * (odds > NEVER)

    def decision_function(self, X):
        """Return the log odds of each label by the line, (D, C) float64; one that no parent has seen has -700.

        The parents score as many documents at a time as have 16 million scores.
        """
        X = check_unseen(self, X)
        return self._gathered(self._odds(X), X.shape[0])

    def score_blocks(self, X):
        return self._odds(check_unseen(self, X))

    def _odds(self, X):
        """Yield (rows, log odds (n, C)) for a few of the checked documents after the other."""
        for rows in _blocks(X.shape[0], SCORED_CELLS // max(1, self.n_labels_)):
            yield rows, self.combine(_scores(self.parents_, X[rows]))

    def combine(self, scores):
        """Return the log odds (D, C) for the parents' scores, a list of (D, C): ``decision_function`` of these."""
        check_is_fitted(self, "combiner_")
        odds = np.full(scores[0].shape, NEVER)
        seen = np.flatnonzero(self.label_counts_)
        for rows in _blocks(odds.shape[0], BLOCK_CELLS // max(1, seen.size)):
            block = [of_parent[rows] for of_parent in scores]
            parts = self._parts(block, self.standards_, self.label_counts_, self.n_documents_)
            summed = weighted(self._members([part[:, seen] for part in parts]), self.weights_)
            odds[rows, seen] = self.slope_ * summed + self.intercept_
        return odds

    def explain(self, X, labels=None, top=None):
        """Return what each parent adds to each document's log odds: a list of ``explanations.HybridParts``.

        Of parents with an ``explain`` of their own it holds what their words say, too. By default for all labels.
        labels (D, k), columns of Y for each document, says which to keep instead, and top of how many labels more a
        word's largest parts. Raises as ``decision_function`` does, and ValueError for other labels and top.
        """
        X, found = check_unseen(self, X), []
        keep, rates = keep_of(labels, top, (X.shape[0], self.n_labels_)), self._rates()
        for rows in _blocks(X.shape[0], SCORED_CELLS // max(1, self.n_labels_)):
            scores = _scores(self.parents_, X[rows])
            own = None if keep.labels is None else keep.labels[rows]
            parents = [
                _explained(one, X[rows], of_one, own, top)
                for one, of_one in zip(self.parents_, scores, strict=True)
            ]
            parts = self._parts(scores, self.standards_, self.label_counts_, self.n_documents_)
            features = np.array(parts[:-1]).reshape(len(scores), 3, *scores[0].shape)
            odds = self.combine(scores)
            for place, d in enumerate(range(rows.start, rows.stop)):
                of_parents = (features[:, :, place] - rates.means[..., None]) * rates.by_feature
                own = [of_one[place] for of_one in scores]
                said = [one and one[place] for one in parents]
                words, counts = X[d].indices, X[d].data
                by_word = keep(d, self._by_word(words, said, own, rates, keep, d))
                given = odds[place], self.names_, self.weights_, of_parents.sum(axis=1), np.array(own), said
                found.append(HybridParts(words, counts, by_word, rates.base, *given))
        return found

    def _rates(self):
        """Return the Rates of all labels; of those without training documents the log odds -700 and no rates."""
        seen, n = self.label_counts_ > 0, 3 * len(self.parents_)
        means = self.combiner_[0].mean_[:n]
        # of given frequencies the log odds are linear in the features: their value at the mean, and one step from it
        points = np.vstack([means, means + np.eye(n)])
        parts = [np.broadcast_to(column[:, None], (n + 1, seen.size)) for column in points.T]
        frequency = np.log((self.label_counts_ + 0.5) / self.n_documents_)
        members = self._members([*parts, np.broadcast_to(frequency, parts[0].shape)])
        odds = self.slope_ * weighted(members, self.weights_) + self.intercept_
        by_feature = ((odds[1:] - odds[0]) * seen).reshape(-1, 3, seen.size)
        return Rates(np.where(seen, odds[0], NEVER), by_feature, means.reshape(-1, 3))

    def _by_word(self, words, said, scores, rates, keep, d):
        """Return how fast the log odds of document d grow with what each word adds to the parents' scores, (U, C)."""
        n_labels = rates.base.size
        columns = np.arange(n_labels) if keep.labels is None else np.unique(keep.labels[d])
        total = np.zeros((words.size, columns.size))
        for k, (one, own) in enumerate(zip(said, scores, strict=True)):
            if one is None:
                continue
            parts = np.zeros((words.size, n_labels))
            parts[np.searchsorted(words, one.words)] = one.parts.toarray()
            if self.shares_[k]:
                parts = parts / np.where(own > FLOOR, own, np.inf)
            score, distance, standard = rates.by_feature[k]
            deviation = self.standards_[k][1]
            rate = score + distance + standard / np.where(deviation > SAME, deviation, np.inf)
            total += parts[:, columns] * rate[columns]
            total -= np.outer(parts[:, np.argmax(own)], distance[columns])
        table = np.zeros((words.size, n_labels))
        table[:, columns] = total
        return sparse.csr_matrix(table)

    def _default(self, X, Y, seed):
        """Return the parents that the class names, for training documents X and Y."""
        how = {"n_jobs": self.n_jobs, "random_state": seed % 2**32}
        quiet = {"verbose": self.verbose > 1}
        svms = [(f"SVM, cost {cost:g}", BinaryRelevanceSVM(C=cost, **SVMS, **how, **quiet)) for cost in COSTS]
        prior = priors_by_rule(*check_training(X, Y))[DependencyLDA]
        topics = DependencyLDA(**prior, **CHAINS, inference="mean_field", memory=self.memory, **how, **quiet)
        powers = [(f"Dependency-LDA, power {p:g}", clone(topics).set_params(word_power=p)) for p in POWERS]
        return svms + powers

    def _outside_of_training(self, X, Y, names, estimators, n_folds, seed):
        """Return Cells as scored by models that have not seen the documents, and some documents of each fold with all
        labels that the other folds have: truth (m, c) bool and 3 P + 1 features, each (m, c)."""
        most = max(1, SCORED_CELLS // max(1, Y.shape[1]))
        parts, ranked, rng = [], [], stream(seed, "hybrid", "cells")
        split = list(_folds(X, n_folds, seed))
        seen = [np.count_nonzero(Y[rest].getnnz(axis=0) + names.getnnz(axis=1)) for rest, _ in split]
        n_cells = sum(min(own.size, most) * n for (_, own), n in zip(split, seen, strict=True))
        share = min(1.0, MOST_CELLS / max(1, n_cells))
        for rest, own in tqdm(split, "folds", disable=not self.verbose):
            own = np.sort(rng.permutation(own)[:most]) if own.size > most else own
            trained = _trained(X[rest], Y[rest], names, estimators, seed)
            scores = _scores(trained.parents, X[own])
            if not parts:
                self.shares_ = [of_parent.min() >= 0 for of_parent in scores]
            truth, known = Y[own].toarray(), trained.counts > 0
            chosen = known & (truth | (rng.random(truth.shape) < share))
            of_fold = self._parts(scores, self._standards(trained), trained.counts, trained.n_documents)
            features = np.stack([part[chosen] for part in of_fold], axis=1)
            parts.append((features, truth[chosen], np.where(truth[chosen], 1.0, 1 / share)))
            n_ranked = RANKED_CELLS // (n_folds * max(1, np.count_nonzero(known)))
            few = np.sort(rng.permutation(own.size)[: max(1, n_ranked)])
            of_few = [part[np.ix_(few, known)] for part in of_fold]
            ranked.append((truth[np.ix_(few, known)], of_few))
        cells = Cells(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        if cells.truth.all() and cells.truth.size:
            raise ValueError("every document has every label: there is nothing to learn from")
        if not cells.truth.any():
            raise ValueError("no label has documents in two folds: there is nothing to learn from")
        return cells, ranked

    def _weigh(self, cells, ranked):
        """Set weights_, slope_, intercept_ and slopes_: the sum that ranks best, its log odds and their slopes."""
        self.weights_, _ = chosen_weights([(truth, self._members(parts)) for truth, parts in ranked])
        regression_alone = np.eye(self.weights_.size)[-1]
        for weights in (self.weights_, regression_alone):
            summed = weighted(self._members(list(cells.features.T)), weights)
            platt = LogisticRegression(C=np.inf, **TO_THE_END).fit(
                summed[:, None], cells.truth, sample_weight=cells.weights
            )
            self.weights_, self.slope_, self.intercept_ = weights, platt.coef_[0, 0], platt.intercept_[0]
            if self.slope_ > 0:
                break
        odds = self.slope_ * summed + self.intercept_
        bent = LogisticRegression(fit_intercept=False, **TO_THE_END).fit(
            np.stack([odds, _bend(odds)], axis=1), cells.truth, sample_weight=cells.weights
        )
        slopes = np.cumsum(bent.coef_[0])
        self.slopes_ = slopes if (slopes > 0).all() else np.ones(2)

    def _members(self, parts):
        """Return what is summed, for features of any one shape: each parent's score, and the regression's."""
        features = np.stack([part.ravel() for part in parts], axis=1)
        features, last = self.combiner_[:-1].transform(_at_least(features, self.rarest_)), self.combiner_[-1]
        # pair by pair: BLAS would add up few pairs in another order than many
        regression = np.einsum("nf,f->n", features, last.coef_[0]) + last.intercept_
        return [*parts[:-1:3], regression.reshape(parts[0].shape)]

    def _standards(self, trained):
        """Return of each parent the labels' mean scores and their deviations (2, C) over documents without them."""
        without = trained.without
        n = np.maximum(without.sum(axis=0), 1)
        standards = []
        for k, raw in enumerate(trained.known):
            scores = self._linked(raw, k)
            mean = scores.sum(axis=0, where=without) / n
            variance = np.square(scores - mean).sum(axis=0, where=without) / n
            standards.append(np.stack([mean, np.sqrt(variance)]))
        return standards

    def _parts(self, scores, standards, counts, n_documents):
        """Return the features, each (n, C), of scores by parents trained on ``n_documents`` per label."""
        parts = []
        for k, (mean, deviation) in enumerate(standards):
            score = self._linked(scores[k], k)
            standard = (score - mean) / np.where(deviation > SAME, deviation, np.inf)
            parts += [score, score - score.max(axis=1, keepdims=True), standard]
        return [*parts, np.broadcast_to(np.log((counts + 0.5) / n_documents), scores[0].shape)]

    def _linked(self, scores, k):
        return np.log(np.maximum(scores, FLOOR)) if self.shares_[k] else scores


def with_names(X, Y, label_names):
    """Return documents X (D, W) and Y (D, C), and each label's name as one document more of that label, both CSR.

    label_names (C, W) are counts of words, as of ``Corpus.name_counts``; a label without any has no document more.
    So names are there for whatever learns from documents. Raises ValueError for a table of another shape, and as
    ``check_values`` and ``check_labels`` do.
    """
    X = check_values(X)
    Y = check_labels(Y, X.shape[0])
    names = check_label_words(X, Y, label_names=label_names)
    named = np.flatnonzero(names.getnnz(axis=1))
    own = sparse.identity(Y.shape[1], bool, format="csr")[named]
    return sparse.vstack([X, names[named]], format="csr"), sparse.vstack([Y, own], format="csr")


def _folds(X, n_folds, seed):
    """Yield the documents outside of each fold, and its own; copies of a document share a fold.

    Documents of ten or more different words that are equal are copies: a model that was trained on one would know the
    other. Without copies these are scikit-learn's folds.
    """
    names = np.where(np.diff(X.indptr) < TELLING, document_names(X, "row"), document_names(X))
    _, first, copy_of = np.unique(names, return_index=True, return_inverse=True)
    if first.size < n_folds:
        raise ValueError(f"n_samples = {first.size} documents that differ are too few for n_folds={n_folds}")
    number = np.argsort(np.argsort(first))[copy_of]  # in the order of their first copies
    for _, own in KFold(n_folds, shuffle=True, random_state=seed % 2**32).split(first):
        inside = np.isin(number, own)
        yield np.flatnonzero(~inside), np.flatnonzero(inside)


def _trained(X, Y, names, estimators, seed):
    """Return the parents Trained on X and Y, and on the names as documents.

    Topic models that differ in prediction alone share their training.
    """
    parents, n_documents = [], X.shape[0]
    X, Y = with_names(X, Y, names)
    X = X.astype(np.int32)
    for _, wanted in estimators:
        alike = next((one for one in parents if trains_alike(one, wanted)), None)
        settings = wanted.get_params(deep=False)
        parents.append(copy(alike).set_params(**settings) if alike else clone(wanted).fit(X, Y))
    most = min(MOST_KNOWN, max(1, SCORED_CELLS // max(1, Y.shape[1])))
    some = np.sort(stream(seed, "hybrid", "known").permutation(n_documents)[:most])
    without = Y[some].toarray() == 0
    return Trained(parents, without, _scores(parents, X[some]), Y.getnnz(axis=0), X.shape[0])


def _bend(odds):
    """Return what is about 0 far below odds of 0, is 0 there, and grows as they do far above."""
    return np.logaddexp(0, odds) - np.log(2)


def _blocks(n, size):
    """Return slices of n rows, none where there are none."""
    return gen_batches(n, max(1, size)) if n else ()


def _scores(parents, X):
    return [np.asarray(parent.decision_function(X)) for parent in parents]


def _explained(parent, X, scores, labels, top):
    """Return a parent's explanations of X, of its own first label besides; None where it gives none."""
    if not hasattr(parent, "explain"):
        return None
    if labels is not None:
        labels = np.hstack([labels, scores.argmax(axis=1)[:, None]])
    return parent.explain(X, labels, top)


def _at_least(features, rarest):
    """Return features (n, F) with the last of them, the frequency, raised to ``rarest`` where it is below."""
    return np.hstack([features[:, :-1], np.maximum(features[:, -1:], rarest)])


def _by_frequency(features):
    """Return features (n, F), the last of them the frequency f, with all but it times f and times f squared too."""
    others, frequency = features[:, :-1], features[:, -1:]
    return np.hstack([others, frequency, others * frequency, frequency**2, others * frequency**2])
