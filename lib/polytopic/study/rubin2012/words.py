"""Which words a label is described by, and whose words they are (Rubin et al. 2012, section 1.2, figure 3, table 1).

Compared are an SVM's weights, Labeled-LDA's probabilities, and the plain counts of the words in a label's training
documents, which are what Labeled-LDA starts from before it explains anything away.
"""

import functools
import re
from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.corpus import Corpus
from polytopic.study import bins
from polytopic.study.rubin2012 import systems
from polytopic.study.rubin2012.descriptions import nearest, top, top_table
from polytopic.study.store import Result, experiment

LDA, COUNTS, SVM = "Labeled-LDA", "Word counts", "Vanilla SVM"
METHODS = (SVM, COUNTS, LDA)
KINDS = ["own", "borrowed", "general", "peculiar"]
BY_NUMBER, BY_WEIGHT = "number", "weight"
FREQUENCIES = (285, 176, 24, 11, 1)  # training documents of the labels in table 1
NAME_WORD = re.compile(r"[^\W\d_][\w+-]*")


class Described(NamedTuple):
    """A split of a corpus and, by method, the weights (len(labels), W) that describe some of its labels."""

    train: Corpus
    test: Corpus
    labels: np.ndarray  # their columns
    weights: dict


SCALES = systems.scales(split=range(1), rare=5, frequent=20, n_words=10, lift=2.0, support=3)
CORPORA = "debtags", "eurlex57k"


@experiment("rubin2012", SCALES, corpora=CORPORA)
def kinds_of_words(corpus, *, split, chains, rare, frequent, n_words, lift, support, seed):
    """Judge whose words the top words of every rare label are, by each method.

    Rows are ``shares`` of the words' number and weight, told apart by the column ``of``. The table "example" is
    ``kinds`` of the label of ``example``, empty where there is none.
    """
    described = describe(corpus, METHODS, rare, split, chains, seed)
    found = kinds(described, n_words, frequent, lift, support)
    rows = [shares(found).assign(of=BY_NUMBER), shares(found, weighted=True).assign(of=BY_WEIGHT)]
    label = example(described.train, described.test, described.labels, frequent)
    return Result(pd.concat(rows, ignore_index=True), {"example": found[found["label"] == label]})


@experiment("rubin2012", systems.scales(split=range(1), frequencies=FREQUENCIES, n_words=8), corpora=CORPORA)
def names_among_words(corpus, *, split, chains, frequencies, n_words, seed):
    """Count how often a label's own name is among its top words: rows ``named``, by plain counts and Labeled-LDA.

    The table "words" holds Labeled-LDA's top words of the labels nearest in frequency to some frequencies: columns
    name, training, place, word, value.
    """
    described = describe(corpus, (COUNTS, LDA), None, split, chains, seed)
    places = nearest(described.train.label_frequencies[described.labels], frequencies)
    weights = {LDA: described.weights[LDA][places]}
    words = top_words(described._replace(labels=described.labels[places], weights=weights), n_words)
    words = words.rename(columns={"weight": "value"})[["name", "training", "place", "word", "value"]]
    return Result(named(described, n_words), {"words": words})


@functools.lru_cache(maxsize=1)
def describe(corpus, methods=METHODS, rare=None, split=0, scale="quick", seed=0):
    """Return the Described labels with 1 to ``rare`` training documents (or more if None) of a split, by each method.

    Labeled-LDA is trained on all labels, as for the main results; an SVM for the labels asked for, since it treats
    each on its own. Weights are probabilities, margins' weights and numbers of tokens. The last result is kept.
    Raises ValueError for an unknown method, scale or split, and for a corpus of real values or without words.
    """
    train, test = systems.counted(corpus).split(split)
    frequency = train.label_frequencies
    labels = np.flatnonzero((frequency > 0) & (frequency <= (np.inf if rare is None else rare)))
    weights = {method: _weights(method, train, labels, scale, seed) for method in methods}
    return Described(train, test, labels, weights)


def _weights(method, train, labels, scale, seed):
    if method == COUNTS:
        return (train.labels[:, labels].T.astype(np.int64) @ train.counts).toarray()
    system = "Flat-LDA" if method == LDA else method
    model = systems.build(system, train.name, train, scale, seed, verbose=1)
    if method == LDA:
        return model.fit(train.counts, train.labels).label_word_distributions()[labels]
    return model.fit(train.counts, train.labels[:, labels]).coef_


def partners(train, label, frequent=20):
    """Return the columns of the other labels of a label's training documents with ``frequent`` training documents."""
    rows = train.labels[:, [label]].nonzero()[0]
    beside = np.setdiff1d(train.labels[rows].indices, [label])
    return beside[train.label_frequencies[beside] >= frequent]


def top_words(described, n_words):
    """Return the top words of the described labels, label by label and method by method.

    Columns: label (column), name, training (documents with the label), method, place (from 1), column (of the word),
    word, weight. Only words of positive weight; ties keep the vocabulary's order.
    """
    tables = [top_table(own, n_words).assign(method=method) for method, own in described.weights.items()]
    table = pd.concat(tables).sort_values("row", kind="stable", ignore_index=True)
    labels, train = described.labels[table["row"]], described.train
    names, words = (np.array(own, object) for own in (train.label_names, train.vocabulary))
    found = {"label": labels, "name": names[labels], "training": train.label_frequencies[labels]}
    found |= {name: table[name] for name in ("method", "place", "column")}
    return pd.DataFrame(found | {"word": words[table["column"]], "weight": table["value"]})


def kinds(described, n_words=10, frequent=20, lift=2.0, support=3):
    """Return the top words of each label by each method, and whose words they are.

    Columns: label (column), name, training and unseen (documents with the label), partners (their number),
    method, place (from 1), word, weight, kind. A word's kind is judged by the test documents, which no method
    has seen, the first of these that holds:

    own        a document with the label has it, and the share of such documents is at least ``lift`` times
               that among the documents with a partner and without the label, whichever partner
    borrowed   of the documents without the label, at least ``support`` have it and a partner, the share of documents
               with it being at least ``lift`` times as large with the partner as without, if there are any without
    general    a document with the label has it
    peculiar   none has: only training documents do

    Partners are the frequent labels of the label's own training documents, with ``frequent`` of them or more.
    Labels without a partner or without a test document are left out.
    """
    train, test = described.train, described.test
    table = top_words(described, n_words)
    presence = (test.counts > 0).tocsc()
    table[["unseen", "partners"]], table["kind"] = 0, ""
    for label, rows in table.groupby("label").groups.items():
        has, beside = test.labels[:, [label]].toarray().ravel(), partners(train, label, frequent)
        if has.any() and beside.size:
            words = presence[:, table.loc[rows, "column"]].tocsr()
            table.loc[rows, ["unseen", "partners"]] = has.sum(), beside.size
            table.loc[rows, "kind"] = _kinds(words, has, test.labels[:, beside], lift, support)
    columns = ["label", "name", "training", "unseen", "partners", "method", "place", "word", "weight", "kind"]
    return table.loc[table["kind"] != "", columns].reset_index(drop=True)


def _kinds(presence, has, partners, lift, support):
    """Return the kinds of words (W,): presence (D, W), has (D,) whether a document has the label, partners (D, P)."""
    with_label = np.ravel(presence[has].mean(axis=0))
    presence, partners = (table[~has].astype(np.int64) for table in (presence, partners))
    of_word, of_partner = presence.getnnz(axis=0), partners.getnnz(axis=0)[:, None]
    both, others = (partners.T @ presence).toarray(), presence.shape[0] - of_partner
    own = (with_label > 0) & (with_label >= lift * (both / np.maximum(of_partner, 1)).max(axis=0))
    belongs = (both >= support) & (both * others >= lift * (of_word - both) * of_partner) & (others > 0)
    return np.select([own, belongs.any(axis=0), with_label > 0], KINDS[:3], KINDS[3])


def shares(kinds, weighted=False):
    """Return each kind's share of a label's top words, or of their weight: columns label to method, and KINDS."""
    head = ["label", "name", "training", "method"]
    amounts = kinds.assign(amount=kinds["weight"] if weighted else 1.0)
    counted = amounts.groupby([*head, "kind"], sort=False)["amount"].sum().unstack("kind")
    counted = counted.reindex(columns=KINDS).fillna(0)
    return counted.div(counted.sum(axis=1), axis=0).rename_axis(columns=None).reset_index()


def example(train, test, labels, frequent=20):
    """Return the column of the label to show, chosen without a look at its words; None if there is none.

    Of those with an unseen document and one training document, whose other labels are all frequent: the label whose
    training document has most words, the first of several.
    """
    known, lengths = (train.label_frequencies == 1) & (test.label_frequencies > 0), {}
    for label in np.asarray(labels)[known[labels]]:
        row = train.labels[:, [label]].nonzero()[0][0]
        if 0 < len(partners(train, label, frequent)) == train.labels[row].nnz - 1:
            lengths[int(label)] = int(train.counts[row].sum())
    return max(lengths, key=lengths.get, default=None)


def name_words(label_names):
    """Return for each label the words of its name that no other label's name has, a set, in lower case.

    Words are runs of letters, digits, + and -, beginning with a letter, and their parts between hyphens.
    """
    found = []
    for name in label_names:
        whole = NAME_WORD.findall(name.lower())
        found.append({*whole, *(part for word in whole for part in word.split("-"))})
    times = Counter(word for own in found for word in own)
    return [{word for word in own if times[word] == 1} for own in found]


def named(described, n_words=8, n_bins=5):
    """Return how often a label's own name is among its top words, in bins of training frequency.

    Only labels are counted whose name has a word of its own (``name_words``) in the vocabulary. Columns: method, bin,
    low, high, labels as ``bins.by_bin``, named (share whose top n_words have such a word), chance (the same share if
    names and top words were dealt at random: the mean over all other described labels' top words).
    """
    vocabulary = [word.lower() for word in described.train.vocabulary]
    names = name_words(described.train.label_names)
    kept = [at for at, label in enumerate(described.labels) if not names[label].isdisjoint(vocabulary)]
    if not kept:
        return pd.DataFrame(columns=["method", "bin", "low", "high", "labels", "named", "chance"])
    frequency = described.train.label_frequencies[described.labels[kept]]
    found = {}
    for method, weights in described.weights.items():
        tops = [{vocabulary[word] for word in top(row, n_words)} for row in weights]
        hits = np.array([[not own.isdisjoint(names[described.labels[at]]) for own in tops] for at in kept])
        own = hits[np.arange(len(kept)), kept]
        chance = (hits.sum(axis=1) - own) / max(1, len(tops) - 1)
        frame = pd.DataFrame({"frequency": frequency, "named": own, "chance": chance})
        found[method] = bins.by_bin(frame, "frequency", n_bins, named="mean", chance="mean")
    return pd.concat(found, names=["method"]).reset_index("method").reset_index(drop=True)
