"""A model to keep and to hand on: with its vectoriser, the names of words and labels, and where it comes from."""

import math
import numbers
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

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
from polytopic.validation import check_count, check_name, check_share, is_missing

__all__ = ["DamagedModel", "Labeller", "load"]
SHARES = LabelledLDA, Layered, LearnedDependencyLDA, SCVB  # models whose scores are shares of a document


class Topic(NamedTuple):
    """A topic over labels: its number, its share of the tokens of the label asked for, and its own labels."""

    number: int
    share: float
    labels: list


@dataclass(frozen=True)
class Labeller:
    """A fitted model of the library, with what is needed to label texts and to say by whom they were labelled.

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
        for whose, n_words in known.items():
            if n_words != corpus.n_words:
                raise ValueError(
                    f"{whose} has {n_words} words and {corpus.name} {corpus.n_words}: are they of one kind?"
                )
        facts = {"name": corpus.name, "digest": corpus.digest, "documents": corpus.n_documents}
        return cls(model, corpus.vocabulary, corpus.label_names, vectorizer, facts)

    def suggest(self, documents, k=5, probabilities=False):
        """Return the k likeliest labels of each document, best first: a list of lists of (label, score).

        documents are texts, where there is a vectoriser, or counts (D, W). Texts may be a list, a tuple, a column of
        a table, an array or an iterator. Scores are the model's, or probabilities where it gives any; fewer labels
        than k are all returned. Ties keep the order of the labels, those of probabilities that of the scores. Raises
        ValueError for texts without a vectoriser, for a text that is missing or is no text, by its place from 0 and
        never by its content, and for probabilities of a model that has none.
        """
        check_count(k=k)
        self.check_probabilities(probabilities)
        return [
            [(self.label_names[label], float(score)) for label, score in zip(*row, strict=True)]
            for row in zip(*self._best(self.counts(documents), k, probabilities), strict=True)
        ]

    def confidences(self, documents, k=5):
        """Return the k likeliest labels of each document as ``suggest`` does, with scores between 0 and 1.

        Programs that average or cut scores need these. The order is the model's. Where the model has
        ``predict_proba`` the score is that. Where its scores are shares of a document, it is how likely the label is
        among as many labels as a training document has on average, each drawn by the shares. Of other models it is
        the logistic function of the score, which says no more than the order.

        A document without a word that the model knows has no suggestion: nothing is known of it. Raises as
        ``suggest``.
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

        documents and k are as in ``suggest``. For each label there are the words that speak for it and against it;
        for each word of a text where it stands, and for which of these labels it speaks most. Words that the
        vectoriser drops have no part in it. Of a topic model that is where its chains have put the tokens, of a
        linear model what each word adds to the score; of a hybrid also what each parent adds
        (``models.explanations``). Raises ValueError as ``suggest``, and for a model that cannot say.
        """
        check_count(k=k)
        if not hasattr(self.model, "explain"):
            raise ValueError(
                f"{type(self.model).__name__} cannot say which words speak for a label: topic models such as "
                "DependencyLDA, BinaryRelevanceSVM, BinaryRelevanceRidge and HybridClassifier can"
            )
        X, texts = self._read(documents)
        return explain(self, X, texts, self._best(X, k)[0])

    @property
    def parts(self):
        """The names of what has weights of words for labels: a hybrid's parents, or the model's class."""
        return tuple(self._parts())

    def words_of_label(self, label, k=10, part=None):
        """Return the k words that speak most for a label, best first: a list of (word, weight).

        The weight is, of a topic model, the word's share of the label's distribution over words; of a linear model
        the word's weight. part is one of ``parts``, None the first of them. Raises ValueError for a name that is not
        known, with the nearest one, and for a model without weights of words.
        """
        model, place = self._part(part), self._label(label)
        weights = model.label_words(place) if hasattr(model, "label_words") else _phi(model)[place]
        return [(self.vocabulary[w], float(weights[w])) for w in _first(weights, k)]

    def labels_of_word(self, word, k=10, part=None):
        """Return the k labels that a word speaks most for, best first: a list of (label, weight).

        The weight is, of a topic model, the label's share of the tokens that training had of the word; of a linear
        model the word's weight for the label. Labels that it does not speak for are left out. part and errors as in
        ``words_of_label``.
        """
        check_name("word", word, self.vocabulary)
        model, w = self._part(part), self.vocabulary.index(word)
        if hasattr(model, "word_labels"):
            weights = model.word_labels(w)
        else:
            weights = _phi(model)[:, w] / _phi(model)[:, w].sum()
        return [(self.label_names[c], float(weights[c])) for c in _first(weights, k) if weights[c] > 0]

    def topics_of_label(self, label, k=5, n_labels=8, part=None, chain=0):
        """Return the topics that a label goes with, most of its tokens first: a list of Topic.

        A topic is of one chain, and says which labels go together there; its labels are the n_labels with the most
        tokens. At most k topics, those without a token of the label left out. part as in ``words_of_label``, None the
        first that has topics. Raises ValueError as there, for a model without topics and for an unknown chain.
        """
        models = {name: one for name, one in self._parts().items() if _topic_labels(one)}
        if not models:
            raise ValueError(f"{type(self.model).__name__} has no topics over labels: DependencyLDA has")
        part = next(iter(models)) if part is None else part
        check_name("part with topics", part, models)
        check_count(n_labels=n_labels)
        chains, seen, place = _topic_labels(models[part]), models[part].seen_labels_, self._label(label)
        if chain not in range(len(chains)):
            raise ValueError(f"chain must be from 0 to {len(chains) - 1}, got {chain!r}")
        tokens, topics = chains[chain][:, np.flatnonzero(seen == place)].toarray().sum(axis=1), []
        for t in _first(tokens, k):
            if tokens[t] > 0:
                own = chains[chain][[t]].toarray()[0]
                names = [self.label_names[seen[c]] for c in _first(own, n_labels) if own[c] > 0]
                topics.append(Topic(int(t), float(tokens[t] / tokens.sum()), names))
        return topics

    def _label(self, name):
        check_name("label", name, self.label_names)
        return self.label_names.index(name)

    def _parts(self):
        """Return {name: model} of what has weights of words for labels."""
        named = [(type(self.model).__name__, self.model)]
        if hasattr(self.model, "parents_"):
            named = zip(self.model.names_, self.model.parents_, strict=True)
        named = {name: getattr(one, "model_", one) for name, one in named}
        known = ("label_words", "label_word_distributions")
        return {name: one for name, one in named.items() if any(hasattr(one, how) for how in known)}

    def _part(self, name):
        known = self._parts()
        if not known:
            raise ValueError(
                f"{type(self.model).__name__} has no weights of words for labels that could be shown"
            )
        name = next(iter(known)) if name is None else name
        check_name("part", name, known)
        return known[name]

    def _best(self, X, k, probabilities=False):
        """Return the k likeliest labels of each document and their scores, both (D, k)."""
        labels, scores = self.model.top_labels(X, min(k, len(self.label_names)))
        return labels, self.model.probabilities(scores) if probabilities else scores

    def decide(self, documents, cutoff=None):
        """Return the labels that each document is given, best first: lists of (label, score or probability).

        With a cutoff, from 0 to 1, they are those with at least that probability; without one those of the
        model's ``predict``, with their scores (``rule`` says which that are). A document may get none. Scores for all
        labels are held of a block of documents only. documents are as in ``suggest``; raises ValueError as that, and
        for a cutoff outside 0 to 1.
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
        """Return the counts of documents, and their texts, None where counts were given."""
        given, are_texts = _documents(documents)
        if not are_texts:
            return given, None
        if self.vectorizer is None:
            raise ValueError(
                "this model was kept without a vectorizer: hand in counts (D, W) of its vocabulary"
            )
        return self.vectorizer.transform(given), given

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

        Raises FileNotFoundError where there is none; DamagedModel for files that are cut short or altered, naming
        the one; ValueError for a model of a newer version of the library, for a class that is not known, and for a
        model that was saved by itself, without names.
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


def _phi(model):
    """Return the labels' distributions over words (C, W)."""
    return model.label_word_distributions()


def _topic_labels(model):
    """Return the tokens of topics on labels, a (T, C_seen) CSR for each chain; none where there is one topic."""
    chains = getattr(model, "topic_label_counts_", None)
    if chains is None:
        chains = [counts.topic_labels for counts in getattr(model, "counts_", ())]
    return chains if len(chains) and chains[0].shape[0] > 1 else []


def _first(values, k):
    """Return the places of the k largest of some values, the largest first, of equal ones the first."""
    check_count(k=k)
    return np.argsort(-values, kind="stable")[:k]


def _documents(given):
    """Return texts as a list and True, or a table of counts and False. Raises ValueError for anything else."""
    if isinstance(given, str):
        raise ValueError("documents is one text: put it into a list")
    if isinstance(given, (bytes, Mapping, Set)) or not np.iterable(given):
        raise ValueError(
            f"documents is of type {type(given).__name__}: give a list of texts, or counts (D, W)"
        )
    if getattr(given, "ndim", 1) > 1:
        cells = np.empty(0) if sparse.issparse(given) else np.asarray(given)
        if cells.dtype.kind in "OUT" and any(isinstance(one, str) for one in cells.flat):
            raise ValueError("documents is a table of texts: give one column of it")
        return given, False
    given = list(given)
    if given and _is_number(given[0]) and not any(isinstance(one, str) for one in given):
        return given, False
    for place, one in enumerate(given):
        if not isinstance(one, str):
            fault = "missing" if is_missing(one) else f"of type {type(one).__name__}, which is no text"
            raise ValueError(
                f"text {place} is {fault}: leave it out, or give '' in its place (counted from 0)"
            )
    return given, True


def _is_number(value):
    """Return whether a value is a number that is not missing, or the first one of a row of numbers."""
    while isinstance(value, (list, tuple, np.ndarray)) and len(value):
        value = value[0]
    return isinstance(value, (numbers.Number, np.bool_)) and not is_missing(value)
