"""Why a document has its labels, in names: the words that raise the score of each, and where they stand."""

import json
import re
from dataclasses import asdict, dataclass

import numpy as np

from polytopic.files import write_whole
from polytopic.models.explanations import HybridParts, TokenLabels
from polytopic.practice import coloured_text

MOST_WORDS = 12  # of a label that are listed
LEAST_SHARE = 0.1  # of a word's strength, below which it is not coloured


@dataclass(frozen=True)
class Word:
    """A word of the document and what it adds to a label's score.

    share, of a topic model, is that of the word's tokens which are on the label; None of other models.
    """

    word: str
    count: float
    part: float
    share: float | None


@dataclass(frozen=True)
class Parent:
    """What a parent of a hybrid says of a label: its own score, what it adds to the log odds, and its words."""

    name: str
    weight: float  # of its scores in the sum, in units of their own
    score: float
    part: float
    words: tuple


@dataclass(frozen=True)
class Label:
    """One of the document's best labels, with its score and the words that raise and lower it.

    The score is base + the parts of all words, unless the model is a hybrid.

    words have the largest positive parts, against the largest negative ones, at most twelve of each. Of a hybrid the
    score is base + the parts of the parents, and the parts of words say how fast the log odds grow with them.
    """

    label: str
    score: float
    base: float
    words: tuple
    against: tuple
    parents: tuple


@dataclass(frozen=True)
class Mark:
    """A word of the document, and the listed label to whose score it adds most, whose colour it gets.

    label is a place in the list of labels, or None. strength, 0 to 1, is its share on the label, of a topic model;
    else its part as a share of the largest part of any word for any of the labels. places are (start, end) in the
    text; a phrase has one for each of its words.
    """

    word: str
    count: float
    label: int | None
    strength: float
    places: tuple


@dataclass(frozen=True)
class Explained:
    """Why one document has its best labels.

    kind is "tokens" for topic models, "linear" for linear models and "hybrid" for a HybridClassifier; text is None
    for a document that was handed in as counts, and where the places of its words are not known.
    """

    model: str
    kind: str
    text: str | None
    labels: tuple
    words: tuple

    def as_json(self):
        """Return plain data: mappings, lists, texts and numbers; what no file can hold becomes a question mark."""
        return json.loads(json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "replace"))


class Explanations(tuple):
    """An Explained for each document, in order. In a notebook they show as coloured words."""

    __slots__ = ()

    def as_json(self):
        """Return a list of plain data, a mapping for each document."""
        return [one.as_json() for one in self]

    def to_html(self, path=None, title="Why these labels"):
        """Return a whole page, with no script and nothing from elsewhere; path is a file to write it to besides."""
        page = coloured_text.page(self, title)
        if path is not None:
            write_whole(path, page)
        return page

    def _repr_html_(self):
        return coloured_text.fragment(self)


def explain(labeller, X, texts, best):
    """Return the Explanations of documents: counts X (D, W), their texts, or None, and their labels best (D, k)."""
    explained = labeller.model.explain(X, best)
    texts = [None] * len(explained) if texts is None else texts
    return Explanations(_explained(labeller, *one) for one in zip(explained, texts, best, strict=True))


def _explained(labeller, one, text, best):
    kind = {TokenLabels: "tokens", HybridParts: "hybrid"}.get(type(one), "linear")
    parts = one.parts[:, best].toarray()
    strengths = parts / max(parts.max(initial=0.0), np.finfo(float).tiny)
    if kind == "tokens":
        strengths = one.shares[:, best].toarray()
    labels = []
    for c in best:
        numbers = float(one.scores[c]), float(one.base[c])
        parents = _parents(labeller, one, c) if kind == "hybrid" else ()
        words, against = (_words(labeller, one, c, sign) for sign in (1, -1))
        labels.append(Label(labeller.label_names[c], *numbers, words, against, parents))
    places = None if text is None else places_of(labeller.vectorizer, text)
    marks = []
    for w, count, strength in zip(one.words, one.counts, strengths, strict=True):
        label = int(np.argmax(strength))
        own = min(1.0, max(0.0, float(strength[label])))
        where = () if places is None else tuple(places.get(w, ()))
        color = label if own >= LEAST_SHARE else None
        marks.append(Mark(labeller.vocabulary[w], _number(count), color, own, where))
    shown = None if places is None else text
    return Explained(type(labeller.model).__name__, kind, shown, tuple(labels), tuple(marks))


def _words(labeller, one, c, sign):
    """Return the Words with the largest parts of a sign for a label."""
    parts = one.parts[:, [c]].toarray()[:, 0]
    shares = one.shares[:, [c]].toarray()[:, 0] if isinstance(one, TokenLabels) else None
    words = []
    for u in np.argsort(-sign * parts, kind="stable")[:MOST_WORDS]:
        if sign * parts[u] > 0:
            share = None if shares is None else float(shares[u])
            name = labeller.vocabulary[one.words[u]]
            words.append(Word(name, _number(one.counts[u]), float(parts[u]), share))
    return tuple(words)


def _parents(labeller, one, c):
    """Return what each parent of a hybrid says of a label; one that gives no explanation has no words."""
    parents = []
    for k, (name, said) in enumerate(zip(one.names, one.parents, strict=True)):
        numbers = map(float, (one.weights[k], one.said[k, c], one.of_parents[k, c]))
        parents.append(Parent(name, *numbers, () if said is None else _words(labeller, said, c, 1)))
    return tuple(parents)


def _number(value):
    return int(value) if value == int(value) else float(value)


def places_of(vectorizer, text):
    """Return {column: [(start, end), ...]}: where in the text each word of a vectoriser's vocabulary stands.

    A phrase (``ngram_range``) has a place for each of its words. Returns None where places are not known: for an
    analyser of characters, functions of one's own, and a text whose preparation does not go letter by letter.
    """
    if vectorizer.analyzer != "word" or vectorizer.tokenizer is not None:
        return None
    prepare = vectorizer.build_preprocessor()
    prepared, origin = prepare(text), [place for place, sign in enumerate(text) for _ in prepare(sign)]
    if len(origin) != len(prepared):
        return None
    stop_words = vectorizer.get_stop_words() or ()
    pattern = re.compile(vectorizer.token_pattern)
    tokens = []
    for found in pattern.finditer(prepared):
        word, (start, end) = found.group(pattern.groups), found.span(pattern.groups)
        if word and word not in stop_words:
            tokens.append((word, (origin[start], origin[end - 1] + 1)))
    places, (shortest, longest) = {}, vectorizer.ngram_range
    for n in range(shortest, longest + 1):
        for first in range(len(tokens) - n + 1):
            words, spans = zip(*tokens[first : first + n], strict=True)
            column = vectorizer.vocabulary_.get(" ".join(words))
            if column is not None:
                places.setdefault(int(column), []).extend(spans)
    return places
