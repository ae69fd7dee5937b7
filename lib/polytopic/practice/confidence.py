"""Suggestions of a Labeller for programs that average or cut scores, which must lie between 0 and 1."""

import numpy as np
from scipy.special import expit

from polytopic.models import SCVB, LearnedDependencyLDA
from polytopic.models.labelled_lda import LabelledLDA
from polytopic.models.layered_lda import Layered

SHARES = LabelledLDA, Layered, LearnedDependencyLDA, SCVB  # models whose scores are shares of a document


def suggestions(labeller, documents, k):
    """Return the k best labels of each document, as ``Labeller.suggest`` does, with scores between 0 and 1.

    Their order is the model's. Where the model has ``predict_proba`` the score is that. Where its scores are shares
    of a document, it is how likely the label is among as many labels as a training document has on average, each
    drawn by the shares. Of other models it is the logistic function of the score, which says no more than the order.

    A document without a word that the model knows has no suggestion: nothing is known of it. Raises as
    ``Labeller.suggest``.
    """
    counts, model = labeller.counts(documents), labeller.model
    has_words = np.asarray(counts.sum(axis=1)).ravel() > 0
    found = labeller.suggest(counts, k, hasattr(model, "predict_proba"))
    names = [[label for label, _ in own] for own in found]
    scores = [confidences(model, [score for _, score in own]) for own in found]
    return [
        list(zip(own, map(float, of_own), strict=True)) if known else []
        for own, of_own, known in zip(names, scores, has_words, strict=True)
    ]


def confidences(model, scores):
    """Return the scores that ``suggestions`` gives for those of the model, an array of any shape."""
    scores = np.asarray(scores, float)
    if hasattr(model, "predict_proba"):
        return scores
    if isinstance(model, SHARES):
        with np.errstate(divide="ignore"):
            return -np.expm1(model.cardinality_ * np.log1p(-np.minimum(scores, 1.0)))
    return expit(scores)
