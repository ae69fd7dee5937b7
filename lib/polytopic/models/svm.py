"""Linear SVMs, one for each label, which know nothing of each other."""

import threading
import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from polytopic.models import hinge, settings
from polytopic.models.classifier import MultiLabelClassifier, prepared
from polytopic.models.selection import N_FOLDS, choose, hold_out
from polytopic.models.settings import configured, setting
from polytopic.models.weighting import Weighted
from polytopic.streams import stream, word64
from polytopic.validation import check_not_negative, check_positive, check_values

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
    ``solver="together"``, some twelve times as fast with 10,000 labels, with ``smallest`` at .01, which keeps few
    weights: 7 % of them on the 4,341 labels of EU titles.

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
        .03 downwards. Candidates, and labels for which 1,000 passes do not do, are trained by LIBLINEAR's
        primal solver (``-s 2``), which has the same minimum.""",
        check_positive,
    )
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
        (n_documents, self.n_features_in_), self.n_labels_ = features.shape, labels.shape[1]
        features = self._weigh(features)
        rule = clone(self).set_params(random_state=settings.seed_of(self.random_state))
        if self.tuning == "shared_C":
            costs = COSTS if self.candidates is None else self.candidates
            cost = choose(costs, partial(_scores, rule, costs), features, labels.tocsr(), rule.random_state)
            rule.set_params(tuning=None, C=cost)
        counts = labels.getnnz(axis=0)
        self.intercept_ = np.where(counts == n_documents, 1.0, -1.0)
        self.positive_weight_, self.C_ = np.ones(self.n_labels_), np.full(self.n_labels_, float(rule.C))
        self.n_iter_ = np.zeros(self.n_labels_, dtype=np.int32)
        varied = np.flatnonzero((counts > 0) & (counts < n_documents))
        is_sparse, shape = self.smallest > 0, (self.n_labels_, self.n_features_in_)
        none = sparse.csr_matrix((1, shape[1]), dtype=np.float32)
        coef = [none] * shape[0] if is_sparse else np.zeros(shape, dtype=np.float32)
        train = hinge.train if self.solver == "together" else _train
        with tqdm(total=varied.size, desc="SVM", unit="label", disable=not self.verbose) as progress:
            for some in train(features, labels, varied, rule):
                places = some.labels
                self.intercept_[places], self.n_iter_[places] = some.intercept, some.n_iter
                self.positive_weight_[places], self.C_[places] = some.positive_weight, some.cost
                for c, weights in zip(places, some.weights, strict=True):
                    large = np.abs(weights) > self.smallest
                    coef[c] = sparse.csr_matrix(np.where(large, weights, 0)) if is_sparse else weights
                progress.update(places.size)
        self.coef_ = sparse.vstack(coef, format="csr") if is_sparse else coef
        stopped = int((self.n_iter_ >= hinge.MOST_PASSES).sum())
        if stopped:
            warnings.warn(
                f"the solver stopped after {hinge.MOST_PASSES} passes in {stopped} of {self.n_labels_} labels: "
                "raise tol, lower C, or normalize the documents",
                ConvergenceWarning,
                stacklevel=3,  # the caller of fit
            )
        return self

    def decision_function(self, X):
        """Return the scores of X, (D, W): the signed margins, (D, C) float64.

        Raises NotFittedError before ``fit`` and ValueError for another number of words or values that are not finite.
        """
        features = self._weighed(_narrow(settings.check_unseen(self, X, check_values)))
        scores = np.empty((features.shape[0], self.n_labels_))
        if sparse.issparse(self.coef_):
            by_word = prepared(self, lambda: self.coef_.T.tocsr().astype(np.float64), None, self.coef_)
            for rows in gen_batches(max(1, len(scores)), max(1, _CELLS_SCORED // self.n_labels_)):
                scores[rows] = (features[rows] @ by_word).toarray() + self.intercept_
            return scores
        for some in gen_batches(max(1, self.n_labels_), _LABELS_SCORED):
            weights = np.ascontiguousarray(self.coef_[some].T, dtype=np.float64)
            scores[:, some] = features @ weights + self.intercept_[some]
        return scores

    def _bases(self, scores):
        return np.broadcast_to(self.intercept_, scores.shape)

    def _word_weights(self):
        return self.coef_.T


def _scores(rule, costs, features, labels, others):
    """Yield the scores of other documents for each cost of all labels, by SVMs like the seeded ``rule``."""
    for cost in costs:
        model = clone(rule).set_params(tuning=None, C=cost, candidates=None, normalize=None, verbose=False)
        yield model.fit(features, labels).decision_function(others)


def hold_out_of_each(positive, rng):
    """Return (training documents, held-out documents) of a label: 10 % of each class is held out.

    positive is (D,) bool. 10 % is rounded half up and is at least one document; the only document of a
    class stands in both sets. Rubin et al. (2012), section 5.1.
    """
    parts = []
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        rest, held_out = hold_out(members, max(1, (members.size + 5) // 10), rng)
        parts.append((rest if members.size > 1 else members, held_out))
    return tuple(np.sort(np.concatenate(part)) for part in zip(*parts, strict=True))


def stratified_folds(positive, rng):
    """Return the fold, 0 to 2, of each document: each class is spread as evenly as it goes.

    positive is (D,) bool.
    """
    folds = np.empty(len(positive), dtype=np.intp)
    drawn = np.concatenate([rng.permutation(np.flatnonzero(part)) for part in (positive, ~positive)])
    folds[drawn] = np.arange(len(drawn)) % N_FOLDS
    return folds


def _train(features, labels, varied, rule):
    """Return or yield the hinge.Trained of groups of the varied labels, one label after the other by LIBLINEAR."""
    size = max(1, min(64, -(-varied.size // (16 * effective_n_jobs(rule.n_jobs)))))
    groups = (varied[start : start + size] for start in range(0, varied.size, size))
    return_as = "generator" if rule.verbose else "list"  # some backends only have lists
    return Parallel(n_jobs=rule.n_jobs, return_as=return_as, prefer="processes")(
        delayed(_train_group)(features, labels[:, some], some, rule) for some in groups
    )


def _train_group(features, labels, some, rule):
    with config_context(assume_finite=True, skip_parameter_validation=True), threadpool_limits(1):
        positives = labels.toarray().T
        trained = [_train_label(features, own, c, rule) for own, c in zip(positives, some, strict=True)]
    return hinge.Trained(some, *map(np.array, zip(*trained, strict=True)))


def _train_label(features, positive, c, rule):
    """Return (weights (W,), intercept, passes of the solver, weight of the positives, cost) of label c.

    The solver is the dual one that the papers used; where it does not converge, as with huge weights and costs, the
    primal one takes over.
    """
    weight, cost = (1.0, rule.C) if rule.tuning is None else _best(features, positive, rule, c)
    how = {"dual": True, "tol": rule.tol, "max_iter": hinge.MOST_PASSES}
    seed = int(word64(rule.random_state, "svm", "solver", c) % (1 << 31))
    model = _fit(features, positive, weight, cost, rule, random_state=seed, **how)
    if model.n_iter_ >= hinge.MOST_PASSES:
        model = _fit_primal(features, positive, weight, cost, rule, hinge.MOST_PASSES)
    intercept = float(np.ravel(model.intercept_)[0])
    return model.coef_[0].astype(np.float32), intercept, model.n_iter_, weight, cost


def _best(features, positive, rule, c):
    """Return the first (weight of the positives, cost) with the most correct predictions outside of training."""
    if rule.tuning == "C":
        folds = stratified_folds(positive, stream(rule.random_state, "svm", "folds", c))
        parts = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(N_FOLDS)]
        costs = map(float, COSTS if rule.candidates is None else rule.candidates)
        costs = sorted(costs, key=lambda cost: (round(abs(np.log10(cost)), 9), cost))
        candidates = [(1.0, cost) for cost in costs]
    else:
        parts = [hold_out_of_each(positive, stream(rule.random_state, "svm", "hold-out", c))]
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
    model = _fit_primal(features, positive, weight, cost, rule, _TRIAL_STEPS)
    return int(((unseen @ model.coef_[0] + model.intercept_ > 0) == expected).sum())


def _fit_primal(features, positive, weight, cost, rule, max_iter):
    """Return the SVM of one label, or of one candidate, by the primal solver.

    Its minimum is the same. It needs a third of the dual solver's time over all candidates, less where
    positives are rare and weigh much, and it draws nothing. Its tolerance is relative to the gradient at 0,
    which grows with the weight of the positives.
    """
    tol = 0.01 / min(100.0, max(1.0, weight * cost))
    return _fit(
        features, positive, weight, cost, rule, dual=False, tol=tol, max_iter=max_iter, random_state=0
    )


def _fit(features, positive, weight, cost, rule, **solver):
    model = LinearSVC(C=cost, class_weight={1: weight}, fit_intercept=rule.fit_intercept, **solver)
    with _SOLVER, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # told once for all labels, at the end of fit
        return model.fit(features, positive.astype(np.int8))


def _narrow(features):
    """Return CSR float64 with 32-bit indices, which LIBLINEAR needs."""
    if features.nnz > np.iinfo(np.int32).max:
        raise ValueError(f"X has {features.nnz} entries, too many for LIBLINEAR: train on fewer documents")
    features.indices, features.indptr = features.indices.astype(np.int32), features.indptr.astype(np.int32)
    return features
