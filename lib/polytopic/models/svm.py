"""Linear SVMs: one per label, each blind to the others, and one for how many labels there are."""

import threading
import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.random import RandomState
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from polytopic.models import hinge, settings
from polytopic.models.classifier import CountsOnly, MultiLabelClassifier, prepared
from polytopic.models.settings import configured, setting
from polytopic.models.weighting import N_FOLDS, Weighted, chosen
from polytopic.streams import stream, word64
from polytopic.validation import (
    check_count,
    check_counts,
    check_labels,
    check_not_negative,
    check_positive,
    check_values,
)

WEIGHTS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000)
COSTS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

_LABELS_SCORED = 256  # labels whose weights are widened to float64 at a time
_CELLS_SCORED = 1 << 22  # at a time, by sparse weights
_TRIAL_STEPS = 100  # Newton steps of a candidate; only huge weights on frequent labels need more
_SOLVER = threading.Lock()  # LIBLINEAR draws from one generator per process


@configured
class BinaryRelevanceSVM(MultiLabelClassifier, settings.Seeded, Weighted, BaseEstimator):
    """One-vs-rest linear SVM with squared hinge loss, trained by LIBLINEAR's dual solver (``-s 1``).

    Every label has random numbers of its own for its hold-out, its folds and the solver. For thousands of labels take
    ``solver="together"``, some fifty times as fast there, with ``smallest`` at .01, which keeps the weights in a
    fiftieth of the memory.

    Rubin et al. (2012), section 5.1 (None, "positive_weight"); Burkhardt & Kramer (2018), section 5.4.2 ("C",
    "tfidf": they do not say which variant or score).

    Attributes
    ----------
    coef_ : (C, W) float32
        Dense: 4 W bytes a label; CSR where ``smallest`` is above 0. Rounded from float64, far below ``tol``.
    intercept_ : (C,) float64
        A label that no training document has scores -1 everywhere and one that all have +1, the margins that an SVM
        aims at; their weights are 0.
    positive_weight_ : (C,) float64
        The weight of positives that each label was trained with.
    C_ : (C,) float64
        The cost that each label was trained with.
    n_iter_ : (C,) int32
        The solver's passes in each label's last training; 0 for constant labels.
    """

    tuning: str | None = setting(
        None,
        """None: every label has cost ``C`` and weight 1 for both classes ("Vanilla SVM").

        "positive_weight": the weight of each label's positives is the one of 1, 2, 5, 10, 25, 50, 100, 250, 500,
        1000 and negatives / positives with the best accuracy on a hold-out of 10 % of its positives and 10 % of its
        negatives; of several, the one with the smallest difference from 1; then the label is trained again on all
        documents ("Tuned SVM"). Where the paper is silent: 10 % is rounded half up and is at least one document. A
        single positive stands in both sets, and so does a single negative.

        "both_weights": the same, but the number weighs both classes, so that it multiplies ``C``. No paper says so;
        it is there because Rubin et al.'s printed "Tuned SVM" is nearer to it than to their text.

        "C": the cost of each label is the one of .001, .01, ..., 1000 with the best accuracy, LIBLINEAR's own score,
        in 3-fold cross-validation. Of several, the one with the smallest ratio to 1, then the smaller. Positives and
        negatives are spread evenly over the folds; a fold whose training part has no positive is predicted negative
        (and likewise for negatives).

        "shared_C": the cost of all labels is the one of these with the best sum of the average precisions by document
        and by label, over three folds of documents.""",
        settings.one_of(None, "positive_weight", "both_weights", "C", "shared_C"),
        positional=True,
    )
    C: float = setting(1.0, "Cost of every label unless tuned.", check_positive)
    candidates: tuple | None = setting(
        None,
        "Weights or costs to try instead of the above; negatives / positives still joins the weights.",
        settings.unless_none(settings.each(check_positive)),
    )
    normalize: str | None = setting("sum")
    fit_intercept: bool = setting(
        True,
        """Whether documents get a further word that is always 1, its weight penalised like the others. The LIBLINEAR
        of the paper did so unless told otherwise, today's does not; without it the paper's values are out of reach
        (vanilla label-pivoted AUC-ROC on Yahoo Arts .60, printed .751).""",
    )
    tol: float = setting(
        0.01,
        """LIBLINEAR's stopping rule, for the last training of a label. Its own default tolerance, .1, stops early
        enough to show when labels are ranked: vanilla one-error on Yahoo Arts is 56.2 then, 55.5 printed and from
        .03 downwards. Candidates, and labels for which ``max_iter`` passes do not do, are trained by LIBLINEAR's
        primal solver (``-s 2``), which has the same minimum.""",
        check_positive,
    )
    max_iter: int = setting(1000, "The most passes of the solver.", check_count)
    solver: str = setting(
        "liblinear",
        """"liblinear": one label after the other. "together": sixteen at a time, by our own descent in the same
        variables (``kernels.hinge``) in single precision, up to the same ``tol`` and so to the same minimum; only
        where labels are not tuned each by itself.""",
        settings.one_of("liblinear", "together"),
    )
    smallest: float = setting(
        0.0,
        """Weights up to this in size are dropped after training, and what remains is kept sparsely. Babbar &
        Schölkopf (WSDM 2017) found .01 to cost no precision, with documents of unit length and C = 1.""",
        check_not_negative,
    )
    n_jobs: int | None = setting(
        None,
        """Processes for training, through joblib, or threads with "together". The result is the same, bit for bit,
        for any number and any backend; threads bring LIBLINEAR nothing, which runs one at a time in a process.""",
    )
    verbose: bool = setting(False, "Whether to show a progress bar over the labels.")

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Train on X, (D, W) real, and Y, (D, C) bool, both dense or sparse; return self.

        Raises ValueError for entries of X that are not finite, Y of another length, and unusable parameters.
        Warns once where the solver did not converge, naming the number of labels.
        """
        features, labels = settings.check_features(X, Y)
        if self.solver == "together" and self.tuning not in (None, "shared_C"):
            raise ValueError(f"tuning={self.tuning!r} trains labels one by one: it needs solver='liblinear'")
        features, labels = _narrow(features), labels.tocsc()
        n_labels = labels.shape[1]
        self.n_features_in_, self.n_labels_ = features.shape[1], n_labels
        features = self._weigh(features)
        self.intercept_, self.positive_weight_, self.C_ = np.zeros((3, n_labels))
        self.n_iter_ = np.zeros(n_labels, dtype=np.int32)
        rule = clone(self).set_params(random_state=settings.seed_of(self.random_state))
        if self.tuning == "shared_C":
            costs = COSTS if self.candidates is None else self.candidates
            cost = chosen(costs, partial(_scored, rule, costs), features, labels.tocsr(), rule.random_state)
            rule.set_params(tuning=None, C=cost)
        if self.solver == "together":
            self.coef_ = self._train_together(features, labels, rule)
        else:
            weights = _Weights(n_labels, self.n_features_in_, self.smallest)
            for c, label in enumerate(self._train(features, labels, rule)):
                own, self.intercept_[c], self.positive_weight_[c], self.C_[c], self.n_iter_[c] = label
                weights.put([c], own)
            self.coef_ = weights.all()
        self._warn_unconverged()
        return self

    def decision_function(self, X):
        """Return the scores of X, (D, W): the signed margins, (D, C) float64.

        Raises NotFittedError before ``fit`` and ValueError for another number of words or values that are not finite.
        """
        features = _narrow(settings.check_unseen(self, X, check_values))
        features = self._weighed(features)
        n_labels = self.intercept_.size
        scores = np.empty((features.shape[0], n_labels))
        if sparse.issparse(self.coef_):
            by_word = prepared(self, lambda: self.coef_.T.tocsr().astype(np.float64), None, self.coef_)
            for rows in gen_batches(max(1, len(scores)), max(1, _CELLS_SCORED // n_labels)):
                scores[rows] = (features[rows] @ by_word).toarray() + self.intercept_
            return scores
        for start in range(0, n_labels, _LABELS_SCORED):
            some = slice(start, start + _LABELS_SCORED)
            weights = np.ascontiguousarray(self.coef_[some].T, dtype=np.float64)
            scores[:, some] = features @ weights + self.intercept_[some]
        return scores

    def label_words(self, label):
        """Return a label's weights of words, (W,). Raises NotFittedError, and IndexError for another label."""
        check_is_fitted(self)
        return _dense(self.coef_[[range(self.n_labels_)[label]]])[0]

    def word_labels(self, word):
        """Return a word's weights for labels, (C,). Raises NotFittedError, and IndexError for another word."""
        check_is_fitted(self)
        return _dense(self.coef_[:, [range(self.n_features_in_)[word]]])[:, 0]

    def _bases(self, scores):
        """Return what is added to the words' parts, for each document's scores (D, C)."""
        return np.broadcast_to(self.intercept_, scores.shape)

    def _weights_of(self, words):
        """Return the weights of some words, (u, C)."""
        return self.coef_[:, words].T

    def _train(self, features, labels, rule):
        """Yield what ``_train_label`` returns of one label after the other, trained in groups."""
        n_labels = labels.shape[1]
        size = max(1, min(64, -(-n_labels // (16 * effective_n_jobs(self.n_jobs)))))
        starts = range(0, n_labels, size)
        return_as = "generator" if self.verbose else "list"  # some backends only have lists
        groups = Parallel(n_jobs=self.n_jobs, return_as=return_as, prefer="processes")(
            delayed(_train_group)(features, labels[:, start : start + size], start, rule) for start in starts
        )
        with tqdm(total=n_labels, desc="SVM", unit="label", disable=not self.verbose) as progress:
            for trained in groups:
                yield from trained
                progress.update(len(trained))

    def _train_together(self, features, labels, rule):
        """Set what belongs to labels, and return their weights."""
        how = hinge.Rule(rule.C, self.tol, self.max_iter, self.fit_intercept, rule.random_state)
        everywhere = labels.getnnz(axis=0) == features.shape[0]
        self.intercept_[:], self.positive_weight_[:], self.C_[:] = np.where(everywhere, 1, -1), 1, rule.C
        weights = _Weights(self.intercept_.size, self.n_features_in_, self.smallest)
        for some in hinge.train(features, labels, how, self.n_jobs, self.verbose):
            self.intercept_[some.labels], self.n_iter_[some.labels] = some.intercept, some.n_iter
            weights.put(some.labels, some.weights)
        return weights.all()

    def _warn_unconverged(self):
        stopped = int((self.n_iter_ >= self.max_iter).sum())
        if stopped:
            warnings.warn(
                f"the solver stopped at max_iter={self.max_iter} in {stopped} of {len(self.n_iter_)} labels: "
                "raise max_iter or tol, or normalize the documents",
                ConvergenceWarning,
                stacklevel=4,  # the caller of fit
            )


class _Weights:
    """Weights (C, W) float32 that come a few labels at a time: dense, or CSR without those up to ``smallest``."""

    def __init__(self, n_labels, n_words, smallest):
        self.shape, self.smallest, self.parts, self.order = (n_labels, n_words), smallest, [], []
        self.dense = None if smallest else np.zeros(self.shape, dtype=np.float32)

    def put(self, labels, weights):
        """Take the weights (n, W) of n labels; any other label has 0 at the end."""
        if self.dense is not None:
            self.dense[labels] = weights
        else:
            weights = np.atleast_2d(np.broadcast_to(weights, (len(labels), self.shape[1])))
            self.order.extend(labels)
            self.parts.append(sparse.csr_matrix(np.where(np.abs(weights) > self.smallest, weights, 0)))

    def all(self):
        """Return the weights of all labels."""
        if self.dense is not None:
            return self.dense
        others = np.setdiff1d(np.arange(self.shape[0]), self.order)
        rows = sparse.vstack([*self.parts, sparse.csr_matrix((others.size, self.shape[1]))], format="csr")
        return rows[np.argsort([*self.order, *others])].astype(np.float32)


@configured
class MetaLabeler(CountsOnly, settings.Seeded, BaseEstimator):
    """How many labels a document has (Tang et al. 2009): linear support vector regression of their number, L2 loss.

    It is on (1 + ln tf) idf of unit length; predictions are rounded half up and at least 1. Papanikolaou et al.,
    section 5.3, name a linear regression of LIBLINEAR without its settings; these give their numbers on Delicious.

    Attributes
    ----------
    weighting_ : scikit-learn's TfidfTransformer
        Of the words.
    regression_ : scikit-learn's LinearSVR
        Of the number of labels.
    n_features_in_ : int
        Words, W.
    """

    C: float = setting(1.0, "Cost.", check_positive, positional=True)
    random_state: int | RandomState | None = setting(0)

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from word counts X (D, W) and labels Y (D, C); ValueError for anything else."""
        X = check_counts(X)
        sizes = check_labels(Y, X.shape[0]).getnnz(axis=1)
        self.n_features_in_ = X.shape[1]
        self.weighting_ = TfidfTransformer(sublinear_tf=True).fit(X)
        seed = settings.seed_of(self.random_state) % 2**32
        machine = LinearSVR(loss="squared_epsilon_insensitive", dual=False, C=self.C, random_state=seed)
        self.regression_ = machine.fit(self.weighting_.transform(X), sizes)
        return self

    def predict(self, X):
        """Return the number of labels of each document, (D,) int64, 1 or more; errors as in ``fit``."""
        X = settings.check_unseen(self, X)
        real = self.regression_.predict(self.weighting_.transform(X))
        return np.maximum(np.floor(real + 0.5), 1).astype(np.int64)


def _scored(rule, costs, features, labels, others):
    """Yield the scores of other documents for each cost of all labels, by SVMs like the seeded ``rule``."""
    for cost in costs:
        machine = clone(rule).set_params(tuning=None, C=cost, candidates=None, normalize=None, verbose=False)
        yield machine.fit(features, labels).decision_function(others)


def _dense(table):
    return table.toarray() if sparse.issparse(table) else table


def hold_out(positive, rng):
    """Return (training documents, held-out documents) of a label: 10 % of each class is held out.

    positive is (D,) bool. 10 % is rounded half up and is at least one document; the only document of a
    class stands in both sets. Rubin et al. (2012), section 5.1.
    """
    train, held_out = [], []
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        drawn = rng.permutation(members)
        n_held_out = max(1, (len(members) + 5) // 10)
        held_out.append(drawn[:n_held_out])
        train.append(drawn[n_held_out:] if len(members) > 1 else members)
    return np.sort(np.concatenate(train)), np.sort(np.concatenate(held_out))


def stratified_folds(positive, rng):
    """Return the fold, 0 to 2, of each document: each class is spread as evenly as it goes.

    positive is (D,) bool.
    """
    folds = np.empty(len(positive), dtype=np.intp)
    drawn = np.concatenate([rng.permutation(np.flatnonzero(part)) for part in (positive, ~positive)])
    folds[drawn] = np.arange(len(drawn)) % N_FOLDS
    return folds


def _train_group(features, labels, start, rule):
    """Train all columns of labels, the first of which is label ``start``, as the seeded estimator ``rule`` says."""
    with config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        return [_train_label(features, labels, c, start + c, rule) for c in range(labels.shape[1])]


def _train_label(features, labels, column, c, rule):
    """Return (weights (W,), intercept, weight of the positives, cost, passes of the solver) of label c."""
    positive = np.zeros(features.shape[0], dtype=bool)
    positive[labels.indices[labels.indptr[column] : labels.indptr[column + 1]]] = True
    if positive.all() or not positive.any():
        return 0.0, 1.0 if positive.all() else -1.0, 1.0, rule.C, 0
    weight, cost = (1.0, rule.C) if rule.tuning is None else _best(features, positive, rule, c)
    solver_seed = int(word64(rule.random_state, "svm", "solver", c) % (1 << 31))
    machine = _solve(features, positive, weight, cost, rule, solver_seed)
    intercept = float(np.ravel(machine.intercept_)[0])
    return machine.coef_[0].astype(np.float32), intercept, weight, cost, machine.n_iter_


def _best(features, positive, rule, c):
    """Return the first (weight of the positives, cost) with the most correct predictions outside of training."""
    if rule.tuning == "C":
        folds = stratified_folds(positive, stream(rule.random_state, "svm", "folds", c))
        parts = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(N_FOLDS)]
        costs = map(float, COSTS if rule.candidates is None else rule.candidates)
        costs = sorted(costs, key=lambda cost: (round(abs(np.log10(cost)), 9), cost))
        candidates = [(1.0, cost) for cost in costs]
    else:
        parts = [hold_out(positive, stream(rule.random_state, "svm", "hold-out", c))]
        ratio = float((~positive).sum() / positive.sum())
        weights = {*map(float, WEIGHTS if rule.candidates is None else rule.candidates), ratio}
        weights = sorted(weights, key=lambda weight: (abs(weight - 1), weight))
        both = rule.tuning == "both_weights"
        candidates = [(1.0, weight * rule.C) if both else (weight, rule.C) for weight in weights]
    parts = [(features[seen], positive[seen], features[rest], positive[rest]) for seen, rest in parts]
    best, most = None, -1
    for candidate in candidates:
        correct = sum(_n_correct(*part, *candidate, rule) for part in parts)
        if correct > most:
            best, most = candidate, correct
        if most == sum(len(expected) for *_, expected in parts):
            break
    return best


def _n_correct(features, positive, unseen, expected, weight, cost, rule):
    """Return for how many unseen documents an SVM trained on the others, or their only class, is right."""
    if positive.all() or not positive.any():
        return int((expected == positive.all()).sum())
    machine = _solve_primal(features, positive, weight, cost, rule, _TRIAL_STEPS)
    return int(((unseen @ machine.coef_[0] + machine.intercept_ > 0) == expected).sum())


def _solve(features, positive, weight, cost, rule, solver_seed):
    """Return the SVM of one label, by the dual solver that the papers used.

    Where that one does not converge, as with huge weights and costs, the primal solver takes over.
    """
    solver = {"dual": True, "tol": rule.tol, "max_iter": rule.max_iter, "random_state": solver_seed}
    machine = _fit(features, positive, weight, cost, rule, **solver)
    if machine.n_iter_ < rule.max_iter:
        return machine
    return _solve_primal(features, positive, weight, cost, rule, rule.max_iter)


def _solve_primal(features, positive, weight, cost, rule, max_iter):
    """Return the SVM of one label, or of one candidate, by the primal solver.

    Its minimum is the same. It needs a third of the dual solver's time over all candidates, less where
    positives are rare and weigh much, and it draws nothing. Its tolerance is relative to the gradient at 0,
    which grows with the weight of the positives.
    """
    tol = 0.01 / min(100.0, max(1.0, weight * cost))
    solver = {"dual": False, "tol": tol, "max_iter": max_iter, "random_state": 0}
    return _fit(features, positive, weight, cost, rule, **solver)


def _fit(features, positive, weight, cost, rule, **solver):
    machine = LinearSVC(C=cost, class_weight={1: weight}, fit_intercept=rule.fit_intercept, **solver)
    with _SOLVER, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # told once for all labels, at the end of fit
        return machine.fit(features, positive.astype(np.int8))


def _narrow(features):
    """Return CSR float64 with 32-bit indices, which LIBLINEAR needs."""
    if features.nnz > np.iinfo(np.int32).max:
        raise ValueError(f"X has {features.nnz} entries, too many for LIBLINEAR: train on fewer documents")
    features.indices, features.indptr = features.indices.astype(np.int32), features.indptr.astype(np.int32)
    return features
