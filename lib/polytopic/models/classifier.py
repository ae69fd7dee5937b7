"""What the models that label documents have as scikit-learn's classifiers."""

from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.utils import _safe_indexing, gen_batches
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from polytopic.models import persistence
from polytopic.models.settings import check_unseen, check_width
from polytopic.validation import check_count, check_counts, check_labels, check_values

BLOCK_CELLS = 1 << 22  # scores that are held at a time
_TABLES = WeakKeyDictionary()


def prepared(model, make, settings, *learned):
    """Return make(), or what it returned last for this model if settings are equal and the learned are the same.

    It lies beside the model, not in it: a copy, a pickle and a saved model come without it, and it goes when the
    model goes. settings are compared by value. learned are arrays and matrices, compared by identity: whoever changes
    one in place has to put a copy in its place.
    """
    known = _TABLES.get(model)
    if known is None or known[0] != settings or [*map(id, known[1])] != [*map(id, learned)]:
        known = settings, learned, make()
        _TABLES[model] = known
    return known[2]


class Saved:
    """``save`` and ``load`` of a model by itself; ``polytopic.Labeller`` keeps words' and labels' names."""

    def save(self, folder):
        """Write the fitted model into a folder: model.json and arrays.npz, plain data. One that is there is replaced.

        The folder of ``memory`` is not kept with it. Raises NotFittedError before fit; Unpackable, with nothing
        written, for a model that holds anything but data, such as a setting that is a function; OSError for a full
        disk, with what was there left as it was.
        """
        check_is_fitted(self)
        facts = {"kind": "model", "class": type(self).__name__}
        persistence.write(folder, {"model": self}, **facts, corpus={}, vocabulary=None, label_names=None)

    @classmethod
    def load(cls, folder):
        """Return the model that ``save``, or a Labeller's, wrote into a folder. Nothing in the files is executed.

        Raises FileNotFoundError where there is none; DamagedModel for files that are cut short or altered, naming
        the one; ValueError for a model of another class, of a newer version of the library, or of a class that is not
        known.
        """
        found = persistence.read(folder)[1]["model"]
        if not isinstance(found, cls):
            name = type(found).__name__
            raise ValueError(
                f"{folder} holds a {name}, not a {cls.__name__}: load it by {name}.load or polytopic.load"
            )
        return found


class MultiLabelClassifier(Saved, ClassifierMixin):
    """What every classifier has that has ``decision_function`` and ``n_labels_``.

    Attributes
    ----------
    n_labels_ : int
        Labels, C.
    n_features_in_ : int
        Words, W.
    """

    @property
    def classes_(self):
        """The labels (C,) int64: the columns of Y."""
        return np.arange(self.n_labels_)

    def predict(self, X):
        """Return the labels that ``decisions`` takes, (D, C) bool. Raises as ``decision_function`` does."""
        return self.decisions(X, np.asarray(self.decision_function(X)))

    def decisions(self, X, scores):
        """Return which labels are taken of documents X (n, W) with these scores (n, C), 0 or more: (n, C) bool."""
        return scores >= 0

    def top_labels(self, X, k):
        """Return the k labels with the highest scores for each document, (D, k) int64, and these scores, (D, k).

        X (D, W) is as in ``decision_function``. Labels are columns of Y by falling scores, equal scores in the order
        of the columns. Scores are those of ``decision_function``, of which only a block of documents is held at a
        time, so that no table of documents by labels is needed.

        Raises as ``decision_function`` does, and ValueError for k outside 1..C.
        """
        check_is_fitted(self)
        check_count(k=k)
        if k > self.n_labels_:
            raise ValueError(f"k={k} is more than the {self.n_labels_} labels of the fitted model")
        n_documents = _num_samples(X)
        labels, scores = np.zeros((n_documents, k), np.int64), np.zeros((n_documents, k))
        for rows, block in self.score_blocks(X):
            least = np.partition(block, -k, axis=1)[:, -k]
            for d, row in enumerate(block, rows.start):
                candidates = np.flatnonzero(row >= least[d - rows.start])
                labels[d] = candidates[np.argsort(-row[candidates], kind="stable")][:k]
                scores[d] = row[labels[d]]
        return labels, scores

    def _gathered(self, blocks, n_documents):
        """Return the table of scores, (D, C) float64, of which blocks are (rows, scores) each."""
        scores = np.zeros((n_documents, self.n_labels_))
        for rows, block in blocks:
            scores[rows] = block
        return scores

    def score_blocks(self, X):
        """Yield (rows, scores (n, C)) for a few documents after the other: ``decision_function`` without its table.

        rows are slices of X (D, W), in their order. Raises as ``decision_function`` does.
        """
        check = check_counts if isinstance(self, CountsOnly) else check_values
        n_documents = check_unseen(self, X, check).shape[0]  # all at once: an error names the row of X
        for rows in gen_batches(n_documents, max(1, BLOCK_CELLS // self.n_labels_)) if n_documents else ():
            yield rows, np.asarray(self.decision_function(_safe_indexing(X, rows)))

    def score(self, X, y, sample_weight=None):
        """Return the average precision of the labels' ranking, averaged over the documents that have a label.

        X (D, W) and y (D, C) are as X and Y in ``fit``; sample_weight (D,) weighs the documents. Of equal scores the
        negatives' rank first. Accuracy, which other classifiers have here, asks for the whole label set, and is next
        to nothing where labels are many. Raises as ``decision_function`` does, and ValueError where no document has a
        label.
        """
        check_is_fitted(self)
        truth = check_labels(y, _num_samples(X), "y")
        check_width(truth, self.n_labels_, "labels", "y")
        weights = _check_sample_weight(sample_weight, truth, ensure_non_negative=True)
        weights = np.where(truth.getnnz(axis=1) > 0, weights, 0.0)
        if not weights.any():
            raise ValueError("no document of y has a label and a weight: there is nothing to rank")
        total = 0.0
        for rows, scores in self.score_blocks(X):
            own = np.flatnonzero(weights[rows])
            weight, positive = weights[rows][own], truth[rows][own].toarray()
            if own.size:
                mean = label_ranking_average_precision_score(positive, scores[own], sample_weight=weight)
                total += mean * weight.sum()
        return float(total / weights.sum())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        tags.classifier_tags.multi_label, tags.classifier_tags.multi_class = True, False
        return tags


class RankingClassifier(MultiLabelClassifier):
    """One whose scores rank labels and have no value that parts them; it has ``cardinality_`` besides.

    Attributes
    ----------
    cardinality_ : float
        Labels of a training document, on average, of those documents that it learned from.
    """

    def decisions(self, X, scores):
        """Return which labels are taken of documents X (n, W) with these scores (n, C): the first ones, (n, C) bool.

        They are as many as a training document has on average, rounded half up, and at least 1; equal scores rank by
        their columns. ``MetaLabeler`` and ``LabelCountLasso`` learn how many labels a document has from its words.
        """
        n = min(scores.shape[1], max(1, int(self.cardinality_ + 0.5)))
        first = np.argsort(-scores, axis=1, kind="stable")[:, :n]
        taken = np.zeros(scores.shape, bool)
        np.put_along_axis(taken, first, True, axis=1)
        return taken


class CountsOnly(Saved):
    """The tags of an estimator that learns from word counts: whole numbers of 0 or more, dense or sparse."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = tags.input_tags.sparse = True
        return tags
