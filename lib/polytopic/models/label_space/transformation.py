"""The frame of Tai & Lin (2012), algorithm 7: encode the label sets, regress on the codes, decode the predictions."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags

from polytopic.models import settings
from polytopic.models.classifier import MultiLabelClassifier
from polytopic.models.label_space import codes
from polytopic.models.label_space.dimensions import RULES, choose_dimensions
from polytopic.models.ridge import PenalisedRidge
from polytopic.models.settings import configured, setting
from polytopic.streams import stream
from polytopic.validation import check_count, check_labels, check_one_of, check_values


@configured
class LabelSpaceTransformation(MultiLabelClassifier, BaseEstimator):
    """What the members of the family share; a member says which code it learns, in ``_learn``.

    Attributes
    ----------
    code_ : a code of label_space.codes
        Encodes and decodes the label sets.
    regressor_ : estimator
        Fitted to the encoded label sets.
    """

    regressor: BaseEstimator | None = setting(
        None,
        "Any scikit-learn regressor, None for ``PenalisedRidge()``; one that takes a single output is fitted output "
        "by output.",
    )

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Fit to features X (D, W), sparse or dense, and labels Y (D, C).

        Raises ValueError for Y not of 0 and 1 or of another length, X that is not finite, and settings out of range.
        """
        features = _check_features(X)
        settings.check_size(features)
        labels = check_labels(Y, features.shape[0])
        if not labels.shape[1]:
            raise ValueError(f"Y has shape {labels.shape}: give at least one document and one label")
        self.n_features_in_, self.n_labels_ = features.shape[1], labels.shape[1]
        self.code_ = self._learn(features, labels)
        self.regressor_ = _multi_output(self.regressor).fit(features, self.code_.encode(labels))
        return self

    def decision_function(self, X):
        """Return the decoded points, (D, C): near 1 where a label is likely, near 0 where not."""
        features = settings.check_unseen(self, X, _check_features, "features")
        predicted = np.asarray(self.regressor_.predict(features))
        return self.code_.decode(predicted.reshape(features.shape[0], -1))

    def decisions(self, X, scores):
        """Return the label sets nearest to the points, the scores (n, C): (n, C) bool."""
        return codes.vertices(scores)

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


@configured
class PLST(settings.Seeded, LabelSpaceTransformation):
    """Principal label space transformation: regress on the labels' first principal directions.

    Tai & Lin (2012), algorithm 9 and section 4.4.
    """

    n_dimensions: int | str | None = setting(
        None,
        'How many; None takes all, "spectrum", "bound" and "loss" let ``choose_dimensions`` choose by that rule.',
        positional=True,
    )
    shift: bool = setting(True, "False: directions through the origin, not the mean vertex (PLST-Origin).")

    def _learn(self, features, labels):
        seed = settings.seed_of(self.random_state)
        if isinstance(self.n_dimensions, str):
            check_one_of(RULES, n_dimensions=self.n_dimensions)
            choices = choose_dimensions(features, labels, _multi_output(self.regressor), self.shift, seed)
            n_dimensions = choices.n_dimensions[self.n_dimensions]
        else:
            n_dimensions = self._dimensions(labels)
        return codes.principal(labels, n_dimensions, self.shift, stream(seed, "label space", "svd"))


@configured
class PartialBinaryRelevance(LabelSpaceTransformation):
    """A regressor for each of the most frequent labels; without ``shift`` the others are never predicted.

    Tai & Lin (2012), section 3.2 and 4.4; their program keeps random labels.
    """

    n_dimensions: int | None = setting(None, "How many labels; None, all: binary relevance.", positional=True)
    shift: bool = setting(False, "True lets the others stand at their mean instead of 0 (PBR-Mean).")

    def _learn(self, features, labels):
        return codes.frequent(labels, self._dimensions(labels), self.shift)


@configured
class CompressiveSensing(settings.Seeded, LabelSpaceTransformation):
    """Regress on random linear measurements of the label sets and decode them by CoSaMP.

    Scores are 0 and 1 only. Tai & Lin (2012), algorithm 4 and section 4.4.
    """

    n_dimensions: int | None = setting(
        None, "Measurements, rows of a Hadamard matrix; None takes as many as labels.", positional=True
    )
    sparsity: int | None = setting(
        None,
        "Labels that a document has at most, None for the most in training.",
        settings.unless_none(check_count),
        positional=True,
    )
    best_vertex: bool = setting(
        False, "True counts labels that most documents have by their absence (CS-BestVertex)."
    )

    def _learn(self, features, labels):
        rng = stream(settings.seed_of(self.random_state), "label space", "hadamard")
        return codes.measured(labels, self._dimensions(labels), rng, self.sparsity, self.best_vertex)


@configured
class LabelPowerset(LabelSpaceTransformation):
    """One class per label set that occurs in training; the class with the largest prediction wins.

    The classifier of Tai & Lin (2012), algorithm 1, is here a regressor on the classes' indicators.
    """

    def _learn(self, features, labels):
        return codes.occupied(labels)


@configured
class GeneralisedTopicModel(settings.Seeded, LabelSpaceTransformation):
    """Clusters of label sets; documents are mixtures of clusters, a prediction the mean of their centres.

    Tai & Lin (2012), algorithm 5.
    """

    n_topics: int = setting(10, "Clusters, by k-means.", check_count, positional=True)

    def _learn(self, features, labels):
        if self.n_topics > labels.shape[0]:
            raise ValueError(
                f"n_topics={self.n_topics} is more than there are documents, n_samples = {labels.shape[0]}"
            )
        rng = stream(settings.seed_of(self.random_state), "label space", "clusters")
        return codes.clustered(labels, self.n_topics, int(rng.integers(1 << 31)))


def _multi_output(regressor):
    regressor = PenalisedRidge() if regressor is None else clone(regressor)
    return regressor if get_tags(regressor).target_tags.multi_output else MultiOutputRegressor(regressor)


def _check_features(X):
    features = check_values(X)
    return features if sparse.issparse(X) else features.toarray()
