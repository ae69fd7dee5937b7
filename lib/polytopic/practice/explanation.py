"""Why a document has its labels, in names: for each label the words that speak for it, and where they stand."""

from dataclasses import asdict, dataclass

import numpy as np

from polytopic.files import write_whole
from polytopic.models.explanations import HybridParts, TokenLabels
from polytopic.practice import coloured_text
from polytopic.practice.spans import spans_of

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
    """One of the document's best labels: score = base + the parts of all words, but for a hybrid.

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
    """A word of the document, coloured for the label to which it adds most of those listed, or for none.

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

    kind is "tokens" for topic models, "linear" for linear machines and "hybrid" for a HybridClassifier; text is None
    for a document that was handed in as counts, and where the places of its words are not known.
    """

    model: str
    kind: str
    text: str | None
    labels: tuple
    words: tuple

    def as_json(self):
        """Return plain data: mappings, lists, texts and numbers."""
        return _plain(asdict(self))


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


def explained(labeller, X, texts, best):
    """Return the Explanations of documents: counts X (D, W), their texts, or None, and their labels best (D, k)."""
    found = labeller.model.explain(X, best)
    texts = [None] * len(found) if texts is None else texts
    return Explanations(
        _explained(labeller, one, text, own) for one, text, own in zip(found, texts, best, strict=True)
    )


def _explained(labeller, one, text, best):
    kind = (
        "tokens" if isinstance(one, TokenLabels) else "hybrid" if isinstance(one, HybridParts) else "linear"
    )
    parts = one.parts[:, best].toarray()
    shares = one.shares[:, best].toarray() if kind == "tokens" else None
    labels = tuple(
        _label(labeller, one, c, parts[:, place], None if shares is None else shares[:, place])
        for place, c in enumerate(best)
    )
    places = None if text is None else spans_of(labeller.vectorizer, text)
    strengths = shares if kind == "tokens" else parts / max(parts.max(initial=0.0), np.finfo(float).tiny)
    words = tuple(
        _mark(labeller.vocabulary[w], w, count, strength, places)
        for w, count, strength in zip(one.words, one.counts, strengths, strict=True)
    )
    shown = text if places is not None else None
    return Explained(type(labeller.model).__name__, kind, shown, labels, words)


def _label(labeller, one, c, parts, shares):
    name, given = labeller.label_names[c], (float(one.scores[c]), float(one.base[c]))
    words, against = _words(labeller, one, parts, shares, 1), _words(labeller, one, parts, shares, -1)
    parents = () if not isinstance(one, HybridParts) else _parents(labeller, one, c)
    return Label(name, *given, words, against, parents)


def _words(labeller, one, parts, shares, sign):
    """Return the Words with the largest parts of a sign."""
    order = np.argsort(-sign * parts, kind="stable")[:MOST_WORDS]
    return tuple(
        Word(
            labeller.vocabulary[one.words[u]],
            _number(one.counts[u]),
            float(parts[u]),
            None if shares is None else float(shares[u]),
        )
        for u in order
        if sign * parts[u] > 0
    )


def _parents(labeller, one, c):
    found = []
    for k, (name, said) in enumerate(zip(one.names, one.parents, strict=True)):
        words = ()
        if said is not None:
            parts = said.parts[:, [c]].toarray()[:, 0]
            shares = said.shares[:, [c]].toarray()[:, 0] if isinstance(said, TokenLabels) else None
            words = _words(labeller, said, parts, shares, 1)
        numbers = one.weights[k], one.said[k, c], one.of_parents[k, c]
        found.append(Parent(name, *map(float, numbers), words))
    return tuple(found)


def _mark(word, w, count, strength, places):
    place = int(np.argmax(strength)) if strength.size else 0
    own = float(strength[place]) if strength.size else 0.0
    where = () if places is None else tuple(places.get(w, ()))
    return Mark(word, _number(count), place if own >= LEAST_SHARE else None, max(0.0, min(1.0, own)), where)


def _number(value):
    return int(value) if value == int(value) else float(value)


def _plain(value):
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
