"""The frame of Tai & Lin (2012), algorithm 7: encode the label sets, regress on the codes, decode the predictions."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from polytopic.models.label_space import codes
from polytopic.models.label_space.dimensions import choose_dimensions
from polytopic.models.label_space.regressors import PenalisedRidge
from polytopic.streams import stream
from polytopic.validation import check_count, check_indices, check_labels


class LabelSpaceTransformation(ClassifierMixin, BaseEstimator):
    """What the members of the family share; a member says which code it learns, in ``_learn``.

    regressor: any scikit-learn regressor, None for ``PenalisedRidge()``; one that takes a single output is fitted
    output by output. After ``fit``: ``code_`` and ``regressor_``.
    """

    def fit(self, X, Y):
        """Fit to features X (D, W), sparse or dense, and labels Y (D, C).

        Raises ValueError for Y that is not 0 and 1 or of another length, X that is not finite, and settings out of
        range.
        """
        features = _check_features(X)
        labels = check_labels(Y, features.shape[0])
        if not labels.shape[0] or not labels.shape[1]:
            raise ValueError(f"Y has shape {labels.shape}: give at least one document and one label")
        self.n_features_in_ = features.shape[1]
        self.code_ = self._learn(features, labels)
        self.regressor_ = _multi_output(self.regressor).fit(features, self.code_.encode(labels))
        return self

    def decision_function(self, X):
        """Return the decoded points, (D, C): near 1 where a label is likely, near 0 where not."""
        check_is_fitted(self)
        features = _check_features(X)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {features.shape[1]} features, the model was fitted with {self.n_features_in_}"
            )
        predicted = np.asarray(self.regressor_.predict(features))
        return self.code_.decode(predicted.reshape(features.shape[0], -1))

    def predict(self, X):
        """Return the label sets nearest to the points, (D, C) bool."""
        return codes.vertices(self.decision_function(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _dimensions(self, labels):
        """Return ``n_dimensions`` for these labels, all of them if it is None."""
        if self.n_dimensions is None:
            return labels.shape[1]
        check_count(n_dimensions=self.n_dimensions)
        if self.n_dimensions > labels.shape[1]:
            raise ValueError(
                f"n_dimensions must be at most the number of labels, {labels.shape[1]}, got {self.n_dimensions}"
            )
        return self.n_dimensions


class PLST(LabelSpaceTransformation):
    """Principal label space transformation: regress on the labels' first principal directions.

    n_dimensions: how many; None takes all, "spectrum", "bound" and "loss" let ``choose_dimensions`` choose by that
    rule. shift False passes the directions through the origin instead of the mean vertex (PLST-Origin).

    Tai & Lin (2012), algorithm 9 and section 4.4.
    """

    def __init__(self, n_dimensions=None, shift=True, regressor=None, random_state=None):
        self.n_dimensions = n_dimensions
        self.shift = shift
        self.regressor = regressor
        self.random_state = random_state

    def _learn(self, features, labels):
        rng = stream(self.random_state, "label space", "svd")
        if isinstance(self.n_dimensions, str):
            regressor = _multi_output(self.regressor)
            chosen = choose_dimensions(
                features, labels, self.n_dimensions, regressor, self.shift, self.random_state
            )
            return codes.principal(labels, chosen.n_dimensions, self.shift, rng)
        return codes.principal(labels, self._dimensions(labels), self.shift, rng)


class PartialBinaryRelevance(LabelSpaceTransformation):
    """A regressor for each of the most frequent labels; the others are never predicted.

    n_dimensions: for how many labels; None, for all, is binary relevance. shift True lets the others stand at their
    mean instead of 0 (PBR-Mean). Tai & Lin (2012), section 3.2 and 4.4; their program keeps random labels.
    """

    def __init__(self, n_dimensions=None, shift=False, regressor=None):
        self.n_dimensions = n_dimensions
        self.shift = shift
        self.regressor = regressor

    def _learn(self, features, labels):
        return codes.frequent(labels, self._dimensions(labels), self.shift)


class CompressiveSensing(LabelSpaceTransformation):
    """Regress on random linear measurements of the label sets and decode them by CoSaMP.

    n_dimensions: measurements, rows of a Hadamard matrix; None takes as many as labels. sparsity: labels that a
    document has at most, None for the most in training. best_vertex True counts labels that most documents have by
    their absence (CS-BestVertex). Scores are 0 and 1 only. Tai & Lin (2012), algorithm 4 and section 4.4.
    """

    def __init__(
        self, n_dimensions=None, sparsity=None, best_vertex=False, regressor=None, random_state=None
    ):
        self.n_dimensions = n_dimensions
        self.sparsity = sparsity
        self.best_vertex = best_vertex
        self.regressor = regressor
        self.random_state = random_state

    def _learn(self, features, labels):
        if self.sparsity is not None:
            check_count(sparsity=self.sparsity)
        rng = stream(self.random_state, "label space", "hadamard")
        return codes.measured(labels, self._dimensions(labels), rng, self.sparsity, self.best_vertex)


class LabelPowerset(LabelSpaceTransformation):
    """One class per label set that occurs in training; the class with the largest prediction wins.

    The classifier of Tai & Lin (2012), algorithm 1, is here a regressor on the classes' indicators, as everywhere in
    the frame.
    """

    def __init__(self, regressor=None):
        self.regressor = regressor

    def _learn(self, features, labels):
        return codes.occupied(labels)


class GeneralisedTopicModel(LabelSpaceTransformation):
    """Clusters of label sets; documents are mixtures of clusters, a prediction the mean of their centres.

    n_topics: clusters, by k-means. Tai & Lin (2012), algorithm 5.
    """

    def __init__(self, n_topics=10, regressor=None, random_state=None):
        self.n_topics = n_topics
        self.regressor = regressor
        self.random_state = random_state

    def _learn(self, features, labels):
        check_count(n_topics=self.n_topics)
        if self.n_topics > labels.shape[0]:
            raise ValueError(f"n_topics must be at most the {labels.shape[0]} documents, got {self.n_topics}")
        rng = stream(self.random_state, "label space", "clusters")
        return codes.clustered(labels, self.n_topics, int(rng.integers(1 << 31)))


def _multi_output(regressor):
    regressor = PenalisedRidge() if regressor is None else clone(regressor)
    return regressor if get_tags(regressor).target_tags.multi_output else MultiOutputRegressor(regressor)


def _check_features(X):
    features = sparse.csr_matrix(check_indices(X)) if sparse.issparse(X) else np.asarray(X)
    if features.ndim != 2:
        raise ValueError(f"X must have two dimensions (documents, features), got shape {features.shape}")
    values = features.data if sparse.issparse(features) else features
    if values.dtype.kind not in "buif":
        raise ValueError(f"X must hold real numbers, got dtype {values.dtype}")
    if not np.isfinite(values).all():
        raise ValueError("X has values that are not finite: replace or drop them")
    return features
