"""What fitted models know of words, labels and topics, by their columns, whichever model it is."""

from typing import NamedTuple

import numpy as np

from polytopic.validation import check_count


class Topic(NamedTuple):
    """A topic over labels: its number, its share of the tokens of the label asked for, and its own labels."""

    number: int
    share: float
    labels: list


def parts(model):
    """Return {name: model} of what has weights of words for labels: a hybrid's parents, or else the model itself."""
    if hasattr(model, "parents_"):
        known = zip(model.names_, model.parents_, strict=True)
    else:
        known = [(type(model).__name__, model)]
    known = ((name, getattr(one, "model_", one)) for name, one in known)
    return {name: one for name, one in known if hasattr(one, "label_words") or _has_table(one)}


def label_words(model, label):
    """Return a label's weights of words, (W,)."""
    return model.label_words(label) if not _has_table(model) else model.label_word_distributions()[label]


def word_labels(model, word):
    """Return a word's weights for labels, (C,): of a model with nothing but phi, the labels' shares of it."""
    if not _has_table(model):
        return model.word_labels(word)
    column = model.label_word_distributions()[:, word]
    return column / column.sum()


def first(values, k):
    """Return the places of the k largest of some values, the largest first, of equal ones the first."""
    check_count(k=k)
    return np.argsort(-values, kind="stable")[:k]


def with_topics(model):
    """Return the names of the ``parts`` that have more than one topic over labels."""
    return [name for name, one in parts(model).items() if _tables(one) and _tables(one)[0].shape[0] > 1]


def topics(model, label, k, n_labels, chain):
    """Return the Topics of a label in one chain, at most k, their labels as columns of Y.

    Raises ValueError for a chain that is not there.
    """
    check_count(k=k, n_labels=n_labels)
    tables = _tables(model)
    if chain not in range(len(tables)):
        raise ValueError(f"chain must be from 0 to {len(tables) - 1}, got {chain!r}")
    table, seen = tables[chain], model.seen_labels_
    column = table[:, np.flatnonzero(seen == label)].toarray().sum(axis=1)
    found = []
    for t in first(column, k):
        if column[t] > 0:
            own = table[[t]].toarray()[0]
            labels = [int(seen[c]) for c in first(own, n_labels) if own[c] > 0]
            found.append(Topic(int(t), float(column[t] / column.sum()), labels))
    return found


def _has_table(model):
    return hasattr(model, "label_word_distributions") and not hasattr(model, "label_words")


def _tables(model):
    """Return the tokens of topics on labels of each chain, (T, C_seen) CSR."""
    if hasattr(model, "topic_label_counts_"):
        return model.topic_label_counts_
    return [counts.topic_labels for counts in getattr(model, "counts_", ())]
