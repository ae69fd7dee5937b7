"""A model to keep and to hand on: with its vectoriser, the names of words and labels, and where it comes from."""

import math
import numbers
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from polytopic.models import SCVB, LearnedDependencyLDA, persistence
from polytopic.models.classifier import RankingClassifier
from polytopic.models.labelled_lda import LabelledLDA
from polytopic.models.layered_lda import Layered
from polytopic.models.persistence import DamagedModel
from polytopic.practice.explanation import explain
from polytopic.validation import check_count, check_share, is_missing

__all__ = ["DamagedModel", "Labeller", "load"]
SHARES = LabelledLDA, Layered, LearnedDependencyLDA, SCVB  # models whose scores are shares of a document


@dataclass(frozen=True)
class Labeller:
    """A fitted model with its vectoriser and the names of words and labels: texts in, names of labels out.

    ``model`` is any of the library's estimators, the hybrid included, fitted to counts of the words ``vocabulary``
    (W,) and labels ``label_names`` (C,). ``vectorizer``, a scikit-learn vectoriser or None, counts the words of
    texts; without one, counts are handed in. ``corpus`` says what the model learned from: name, digest, documents.
    """

    model: object
    vocabulary: tuple
    label_names: tuple
    vectorizer: object = None
    corpus: dict = field(default_factory=dict)

    @classmethod
    def of(cls, model, corpus, vectorizer=None):
        """Return the Labeller of a model that was fitted to (part of) a Corpus.

        Raises NotFittedError before fit, ValueError where the model, the vectoriser and the corpus have different
        numbers of words.
        """
        check_is_fitted(model)
        known = {"the model": getattr(model, "n_features_in_", corpus.n_words)}
        if vectorizer is not None:
            known["the vectorizer"] = len(vectorizer.get_feature_names_out())
        for whose, n in known.items():
            if n != corpus.n_words:
                differ = f"{whose} has {n} words and {corpus.name} {corpus.n_words}"
                raise ValueError(f"{differ}: are they of one kind?")
        facts = {"name": corpus.name, "digest": corpus.digest, "documents": corpus.n_documents}
        return cls(model, corpus.vocabulary, corpus.label_names, vectorizer, facts)

    def suggest(self, documents, k=5, probabilities=False):
        """Return the k likeliest labels of each document, best first: a list of lists of (label, score).

        documents are texts (any sequence or iterator), where there is a vectoriser, or counts (D, W). Scores are the
        model's, or on request probabilities. Ties keep the order of the labels, those of probabilities that of the
        scores. Raises ValueError for texts without a vectoriser, for what is no text, by its place and never by its
        content, and for probabilities of a model that has none.
        """
        check_count(k=k)
        self.check_probabilities(probabilities)
        return [
            [(self.label_names[label], float(score)) for label, score in zip(*row, strict=True)]
            for row in zip(*self._best(self.counts(documents), k, probabilities), strict=True)
        ]

    def confidences(self, documents, k=5):
        """Return the k likeliest labels of each document as ``suggest`` does, with scores between 0 and 1.

        The score is ``predict_proba`` where the model has it. Where its scores are shares of a document, it is how
        likely the label is among as many labels as a training document has on average, each drawn by the shares. Of
        other models it is the logistic function of the score, which says no more than the order.

        A document without a known word has no suggestion. Raises as ``suggest``.
        """
        counts = self.counts(documents)
        has_words = np.asarray(counts.sum(axis=1)).ravel() > 0
        rows = self.suggest(counts, k, hasattr(self.model, "predict_proba"))
        return [
            [(label, self._confidence(score)) for label, score in row] if known else []
            for row, known in zip(rows, has_words, strict=True)
        ]

    def _confidence(self, score):
        if hasattr(self.model, "predict_proba"):
            return score
        if not isinstance(self.model, SHARES):
            return float(expit(score))
        return 1.0 if score >= 1 else -math.expm1(self.model.cardinality_ * math.log1p(-score))

    def explain(self, documents, k=5):
        """Return why each document has its k likeliest labels, as ``Explanations``: notebooks colour them.

        For each label there are the words that raise and lower its score; for each word of a text where it stands,
        and to which of these labels it adds most. Of a topic model that is where its chains have put the tokens, of a
        linear model what each word adds to the score, of a hybrid also what each parent adds
        (``models.explanations``). Raises ValueError as ``suggest``, and for a model that explains nothing.
        """
        check_count(k=k)
        if not hasattr(self.model, "explain"):
            raise ValueError(
                f"{type(self.model).__name__} does not explain its labels by words: topic models such as "
                "DependencyLDA, BinaryRelevanceSVM, BinaryRelevanceRidge and HybridClassifier do"
            )
        X, texts = self._read(documents)
        return explain(self, X, texts, self._best(X, k)[0])

    def _best(self, X, k, probabilities=False):
        """Return the k likeliest labels of each document and their scores, both (D, k)."""
        labels, scores = self.model.top_labels(X, min(k, len(self.label_names)))
        return labels, self.model.probabilities(scores) if probabilities else scores

    def decide(self, documents, cutoff=None):
        """Return the labels that each document is given, best first: lists of (label, score or probability).

        With a cutoff, from 0 to 1, they are those with at least that probability; without one those of the
        model's ``predict``, with their scores (``rule`` names them). Scores for all labels are kept of a block of
        documents only. Raises ValueError as ``suggest``, and for a cutoff outside 0 to 1.
        """
        X, found = self.counts(documents), []
        if cutoff is not None:
            check_share(cutoff=cutoff)
            self.check_probabilities()
        for rows, scores in self.model.score_blocks(X):
            taken = self.decisions(_safe_indexing(X, rows), scores, cutoff)
            for row, own in zip(scores, taken, strict=True):
                best = np.flatnonzero(own)
                best = best[np.argsort(-row[best], kind="stable")]
                values = row[best] if cutoff is None else self.model.probabilities(row[best])
                found.append([(self.label_names[c], float(v)) for c, v in zip(best, values, strict=True)])
        return found

    def decisions(self, X, scores, cutoff=None):
        """Return which labels ``decide`` takes of counts X (n, W) with the model's scores (n, C), (n, C) bool."""
        if cutoff is None:
            return self.model.decisions(X, scores)
        return self.model.probabilities(scores) >= cutoff

    def rule(self, cutoff=None):
        """Return in words which labels ``decide`` takes."""
        name = type(self.model).__name__
        if cutoff is not None:
            return f"those with a probability of {cutoff:g} or more, by {name}.predict_proba"
        how = ", the first ones, as many as a training document has on average"
        return f"those of {name}.predict{how if isinstance(self.model, RankingClassifier) else ''}"

    def check_probabilities(self, wanted=True):
        """Raise ValueError where probabilities are wanted of a model that gives none."""
        if wanted and not hasattr(self.model, "predict_proba"):
            raise ValueError(f"{type(self.model).__name__} gives no probabilities: HybridClassifier does")

    def counts(self, documents):
        """Return the word counts (D, W) of texts; counts stay as they are. Raises ValueError as ``suggest``."""
        return self._read(documents)[0]

    def _read(self, documents):
        """Return the counts of documents, and their texts, None where they are counts."""
        documents, are_texts = _documents(documents)
        if not are_texts:
            return documents, None
        if self.vectorizer is None:
            raise ValueError(
                "this model was kept without a vectorizer: hand in counts (D, W) of its vocabulary"
            )
        return self.vectorizer.transform(documents), documents

    def save(self, folder):
        """Write the model into a folder: model.json and arrays.npz, plain data. One that is there is replaced.

        Whoever finds model.json finds the arrays that belong to it. Raises Unpackable, with nothing written, for a
        model that holds anything but data; OSError for a full disk, with what was there left as it was.
        """
        persistence.write(
            folder,
            {"model": self.model, "vectorizer": self.vectorizer},
            kind="labeller",
            **{"class": type(self.model).__name__},
            corpus=self.corpus,
            vocabulary=list(self.vocabulary),
            label_names=list(self.label_names),
        )

    @classmethod
    def load(cls, folder):
        """Return the Labeller that ``save`` wrote into a folder. Nothing in the files is executed.

        Raises as ``polytopic.load``, and ValueError for a model that was saved by itself, without names.
        """
        found = load(folder)
        if not isinstance(found, cls):
            raise ValueError(
                f"{folder} holds a {type(found).__name__} by itself, without the names of words and labels: "
                f"polytopic.load reads it; to label texts by name, keep it with Labeller.of(model, corpus).save"
            )
        return found


def load(folder):
    """Return what was saved in a folder: a Labeller, or a model by itself. Nothing in the files is executed.

    Raises FileNotFoundError where there is none; DamagedModel for files that are cut short or altered, naming the
    one; ValueError for a model of a newer version of the library and for a class that is not known.
    """
    head, found = persistence.read(folder)
    try:
        if head["kind"] == "model":
            return found["model"]
        names = tuple(head["vocabulary"]), tuple(head["label_names"])
        return Labeller(found["model"], *names, found["vectorizer"], head["corpus"])
    except (KeyError, TypeError) as error:
        raise DamagedModel(f"{folder} lacks a part of a model ({error!r}): copy it again") from error


def _documents(documents):
    """Return texts as a list and True, or a table of counts and False. Raises ValueError for anything else."""
    if isinstance(documents, str):
        raise ValueError("documents is one text: put it into a list")
    if isinstance(documents, (bytes, Mapping, Set)) or not np.iterable(documents):
        raise ValueError(
            f"documents is of type {type(documents).__name__}: give a list of texts, or counts (D, W)"
        )
    if getattr(documents, "ndim", 1) > 1:
        cells = np.empty(0) if sparse.issparse(documents) else np.asarray(documents)
        if cells.dtype.kind in "OUT" and any(isinstance(one, str) for one in cells.flat):
            raise ValueError("documents is a table of texts: give one column of it")
        return documents, False
    documents = list(documents)
    if documents and _is_number(documents[0]) and not any(isinstance(one, str) for one in documents):
        return documents, False
    for place, one in enumerate(documents):
        if not isinstance(one, str):
            fault = "missing" if is_missing(one) else f"of type {type(one).__name__}, which is no text"
            raise ValueError(
                f"text {place} is {fault}: leave it out, or give '' in its place (counted from 0)"
            )
    return documents, True


def _is_number(value):
    """Return whether a value is a number that is not missing, or the first one of a row of numbers."""
    while isinstance(value, (list, tuple, np.ndarray)) and len(value):
        value = value[0]
    return isinstance(value, (numbers.Number, np.bool_)) and not is_missing(value)
