"""Which words a label is described by, and whose words they are (Rubin et al. 2012, section 1.2, figure 3, table 1).

Three descriptions of a label are compared: an SVM's weights, Labeled-LDA's probabilities, and the plain
counts of the words in the label's training documents, which are what Labeled-LDA starts from before it
explains anything away.
"""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse, stats

from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.study import store
from polytopic.study.bins import bin_ends
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import experiments
from polytopic.validation import check_name

LDA, COUNTS, SVM, TUNED = "Labeled-LDA", "Word counts", "Vanilla SVM", "Tuned SVM"
METHODS = (SVM, COUNTS, LDA)
KINDS = ("own", "borrowed", "general", "peculiar")
NAME_WORD = re.compile(r"[^\W\d_][\w+-]*")


class Described(NamedTuple):
    """A split of a corpus and, by method, the weights (len(labels), W) that describe some of its labels."""

    train: Corpus
    test: Corpus
    labels: np.ndarray  # their columns
    weights: dict


def training_frequencies(train):
    """Return the number of training documents of each label, (C,)."""
    return np.asarray(train.labels.sum(axis=0)).ravel().astype(int)


def rare_labels(train, rare=5):
    """Return the columns of the labels with 1 to ``rare`` training documents."""
    frequency = training_frequencies(train)
    return np.flatnonzero((frequency > 0) & (frequency <= rare))


def describe(corpus="debtags", labels=None, methods=METHODS, split=0, scale="quick", seed=0, n_jobs=None):
    """Return the Described labels (columns; all with a training document if None) of one split, by each method.

    Labeled-LDA is trained as the experiments train it, on all labels, and its chains are kept in the same
    cache; an SVM is trained for the labels asked for, since it treats each on its own. Weights are
    probabilities, margins' weights and numbers of tokens. Raises ValueError for an unknown method, scale,
    split or corpus, for a label without a training document, and for a corpus of real values or without
    words.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    known = dict.fromkeys((*METHODS, TUNED))
    for method in methods:
        check_name("method", method, known)
    if corpus.real_valued or not corpus.n_words:
        raise ValueError(f"{corpus.name} has no word counts: choose a corpus that has them")
    train, test = corpus.split(split)
    frequency = training_frequencies(train)
    labels = np.flatnonzero(frequency) if labels is None else np.asarray(labels, int)
    if (frequency[labels] == 0).any():
        name = corpus.label_names[labels[frequency[labels] == 0][0]]
        raise ValueError(f"the label {name} has no training document in split {split}: leave it out")
    return Described(
        train,
        test,
        labels,
        {method: _weights(method, train, labels, scale, seed, n_jobs) for method in methods},
    )


def _weights(method, train, labels, scale, seed, n_jobs):
    if method == COUNTS:
        return (train.labels[:, labels].T.astype(np.int64) @ train.counts).toarray()
    how = {"n_jobs": n_jobs, "memory": store.memory(), "verbose": 1}
    model = experiments.build("Flat-LDA" if method == LDA else method, train.name, train, scale, seed, **how)
    if method == LDA:
        return model.fit(train.counts, train.labels).label_word_distributions()[labels]
    return model.fit(train.counts, train.labels[:, labels]).coef_


def top_words(weights, n):
    """Return the columns of the n largest positive weights of a vector, largest first.

    Ties keep the columns' order; where fewer than n are positive, fewer are returned.
    """
    weights = np.asarray(weights)
    order = np.argsort(-weights, kind="stable")[:n]
    return order[weights[order] > 0]


def belonging(presence, labels, lift=2.0, support=3):
    """Return which words belong to which labels, (C, W) bool.

    presence (D, W) and labels (D, C) are sparse and say which document has which word and which label. A word
    belongs to a label if at least ``support`` documents have both and the share of documents with the word is
    at least ``lift`` times as large with the label as without. A label that all documents have, or none, has
    no words.
    """
    of_label, of_word, both = _together(presence, labels)
    others = presence.shape[0] - of_label
    return (both >= support) & (both * others >= lift * (of_word - both) * of_label) & (others > 0)


def _together(presence, labels):
    """Return the documents of each label (C, 1) and of each word (1, W), and those that have both (C, W)."""
    presence, labels = (sparse.csr_matrix(table).astype(np.int64) for table in (presence, labels))
    of_label, of_word = (np.asarray(table.sum(axis=0)).ravel() for table in (labels, presence))
    return of_label[:, None], of_word[None], (labels.T @ presence).toarray()


def partners(train, label, frequent=20):
    """Return the columns of the other labels of a label's training documents with ``frequent`` training documents."""
    rows = train.labels[:, [label]].nonzero()[0]
    beside = np.unique(train.labels[rows].indices)
    beside = beside[beside != label]
    return beside[training_frequencies(train)[beside] >= frequent]


def kinds(described, n_words=10, frequent=20, lift=2.0, support=3):
    """Return the top words of each label by each method, and whose words they are.

    Columns: label (column), name, training and unseen (documents with the label), partners (their number),
    method, place (from 1), word, weight, kind. A word's kind is judged by the test documents, which no method
    has seen, the first of these that holds:

    own        a document with the label has it, and the share of such documents is at least ``lift`` times
               that among the documents with a partner and without the label, whichever partner
    borrowed   it belongs to a partner (``belonging``) where the label is absent
    general    a document with the label has it
    peculiar   none has: only training documents do

    Partners are the frequent labels of the label's own training documents, with ``frequent`` of them or more.
    Labels without a partner or without a test document are left out.
    """
    train, test = described.train, described.test
    columns, rows = (test.counts > 0).tocsc(), []
    names, words = test.label_names, test.vocabulary
    frequency = training_frequencies(train)
    for at, label in enumerate(described.labels):
        has = test.labels[:, [label]].toarray().ravel()
        others = partners(train, label, frequent)
        if not has.any() or not others.size:
            continue
        top = {method: top_words(weights[at], n_words) for method, weights in described.weights.items()}
        chosen = np.unique(np.concatenate(list(top.values())))
        kind = _kinds(columns[:, chosen].tocsr(), has, test.labels[:, others], lift, support)
        place = dict(zip(chosen.tolist(), kind.tolist(), strict=True))
        head = int(label), names[label], int(frequency[label]), int(has.sum()), len(others)
        rows += [
            (*head, method, number, words[word], float(described.weights[method][at, word]), place[int(word)])
            for method, own in top.items()
            for number, word in enumerate(own, 1)
        ]
    columns = ["label", "name", "training", "unseen", "partners", "method", "place", "word", "weight", "kind"]
    return pd.DataFrame(rows, columns=columns)


def _kinds(presence, has, partners, lift, support):
    """Return the kinds of words (W,): presence (D, W), has (D,) whether a document has the label, partners (D, P)."""
    with_label = np.asarray(presence[has].mean(axis=0)).ravel()
    of_partner, _, both = _together(presence[~has], partners[~has])
    at_partners = (both / np.maximum(of_partner, 1)).max(axis=0)
    own = (with_label > 0) & (with_label >= lift * at_partners)
    borrowed = belonging(presence[~has], partners[~has], lift, support).any(axis=0)
    return np.select([own, borrowed, with_label > 0], KINDS[:3], KINDS[3])


def shares(kinds, weighted=False):
    """Return the share of each kind in each label's top words: columns label, name, training, method, and KINDS.

    A share is of the words, or of their weight if ``weighted``.
    """
    head = ["label", "name", "training", "method"]
    amounts = kinds.assign(amount=kinds["weight"] if weighted else 1.0)
    counted = amounts.groupby([*head, "kind"], sort=False)["amount"].sum().unstack("kind")
    counted = counted.reindex(columns=list(KINDS)).fillna(0)
    return counted.div(counted.sum(axis=1), axis=0).rename_axis(columns=None).reset_index()


def mean_shares(shares, by=("method",)):
    """Return the mean share of each kind over labels, with their number, a row for each value of ``by``."""
    grouped = shares.groupby(list(by), sort=False)
    return grouped[list(KINDS)].mean().assign(labels=grouped.size()).reset_index()


def compare(shares, first=LDA, seconds=(SVM, COUNTS)):
    """Return how often a kind has a larger share by the first method than by another, label by label.

    Columns: kind, first, second, labels, difference (mean of first - second), low and high (a 95 % interval
    of it by Student's t), more, equal, less (labels), p (two-sided sign test over the labels that differ; 1
    if none does). With one label the interval is missing. A method without shares gives no rows.
    """
    rows = []
    for kind in KINDS:
        wide = shares.pivot(index="label", columns="method", values=kind)
        for second in (name for name in seconds if {first, name} <= set(wide.columns)):
            gain = (wide[first] - wide[second]).dropna().round(12).to_numpy()
            more, less = int((gain > 0).sum()), int((gain < 0).sum())
            half = stats.sem(gain) * stats.t.ppf(0.975, len(gain) - 1) if len(gain) > 1 else np.nan
            p = stats.binomtest(more, more + less).pvalue if more + less else 1.0
            mean = gain.mean()
            counts = more, len(gain) - more - less, less
            rows.append((kind, first, second, len(gain), mean, mean - half, mean + half, *counts, p))
    columns = ["kind", "first", "second", "labels", "difference", "low", "high", "more", "equal", "less", "p"]
    return pd.DataFrame(rows, columns=columns)


def sensitivity(described, settings, **others):
    """Return ``compare`` under several settings of ``kinds``, mappings that add columns of their own."""
    found = [compare(shares(kinds(described, **{**others, **one}))).assign(**one) for one in settings]
    return pd.concat(found, ignore_index=True)


def say(compared, n_words):
    """Say of ``compare`` in how many labels the first method has more or fewer top words of each kind."""
    if compared.empty:
        return "There is nothing to compare."
    return "\n".join(
        f"{row.kind} words, {row.first} against {row.second}: {n_words * row.difference:+.2f} of {n_words} on "
        f"average\n    (95 % interval {n_words * row.low:+.2f} to {n_words * row.high:+.2f}); more in {row.more}, "
        f"fewer in {row.less} of {row.labels} labels, sign test p = {row.p:.2g}."
        for row in compared.itertuples()
    )


def example(described, frequent=20):
    """Return the column of the label to show, chosen without a look at its words.

    Of the described labels that have one training document, whose other labels are all frequent, and at least
    one unseen document: the one whose training document has most words, the first of several. Raises
    ValueError if there is none, naming what to change.
    """
    train, test = described.train, described.test
    frequency, unseen = training_frequencies(train), training_frequencies(test)
    best = None
    for label in described.labels:
        (row, *more) = train.labels[:, [label]].nonzero()[0]
        beside = train.labels[row].indices
        beside = beside[beside != label]
        if more or not unseen[label] or not len(beside) or (frequency[beside] < frequent).any():
            continue
        length = int(train.counts[row].sum())
        if best is None or length > best[0]:
            best = length, int(label)
    if best is None:
        raise ValueError(
            f"no described label of {train.name} has one training document, only labels of {frequent} or more "
            "training documents beside it, and a test document: choose a smaller frequent or another split"
        )
    return best[1]


def training_document(described, label):
    """Return the labels of a label's first training document, rarest first, and its words.

    Columns: name, training (documents); and a list of the document's distinct words in the vocabulary's order.
    """
    train = described.train
    row = train.labels[:, [label]].nonzero()[0][0]
    own = np.sort(train.labels[row].indices)
    frequency = training_frequencies(train)[own]
    order = np.argsort(frequency, kind="stable")
    table = pd.DataFrame({"name": [train.label_names[c] for c in own[order]], "training": frequency[order]})
    return table, [train.vocabulary[w] for w in np.sort(train.counts[row].indices)]


# Table 1


def nearest_in_frequency(train, frequencies):
    """Return the columns of the labels whose training frequencies are nearest to the given ones, each label once.

    Ties go to the first column. Raises ValueError when there are fewer labels than frequencies.
    """
    own = training_frequencies(train).astype(float)
    left = np.where(own > 0, own, np.inf)
    if np.isfinite(left).sum() < len(frequencies):
        raise ValueError(f"{train.name} has fewer labels with training documents than {len(frequencies)}")
    chosen = []
    for frequency in frequencies:
        chosen.append(int(np.abs(left - frequency).argmin()))
        left[chosen[-1]] = np.inf
    return np.array(chosen, int)


def label_words(described, labels, n_words=8, method=LDA):
    """Return the top words of some of the described labels: columns name, training, place, word, value."""
    at = {int(label): place for place, label in enumerate(described.labels)}
    names, words = described.train.label_names, described.train.vocabulary
    frequency, rows = training_frequencies(described.train), []
    for label in labels:
        weights = described.weights[method][at[int(label)]]
        rows += [
            (names[label], int(frequency[label]), place, words[word], float(weights[word]))
            for place, word in enumerate(top_words(weights, n_words), 1)
        ]
    return pd.DataFrame(rows, columns=["name", "training", "place", "word", "value"])


def side_by_side(words, decimals=3):
    """Return ``label_words`` as text as the paper prints it: a row per place, a column per label.

    The headings are the labels with their training documents. A label with fewer words has empty cells.
    """
    heading = words["name"] + " (" + words["training"].astype(str) + ")"
    cells = words["word"] + " " + words["value"].map(lambda value: f"{value:.{decimals}f}".lstrip("0"))
    wide = words.assign(heading=heading, cell=cells).pivot(index="place", columns="heading", values="cell")
    return wide[list(dict.fromkeys(heading))].fillna("").rename_axis(index=None, columns=None)


def printed_label_words(item="table 1"):
    """Return the paper's own top words as ``label_words`` has them, with a column method."""
    printed = reported("rubin2012", item)
    found = printed.dropna(subset="word").rename(columns={"label": "name", "model": "method"})
    frequency = printed[printed["word"].isna()].set_index("label")["value"]
    found = found.assign(training=found["name"].map(frequency).astype(int), place=found["place"].astype(int))
    return found[["name", "training", "method", "place", "word", "value"]].reset_index(drop=True)


def printed_lists(item="figure 3"):
    """Return the paper's lists of top words without numbers: a row per place, a column per model."""
    printed = reported("rubin2012", item).dropna(subset="word")
    wide = printed.assign(place=printed["place"].astype(int)).pivot(
        index="place", columns="model", values="word"
    )
    return wide[list(dict.fromkeys(printed["model"]))].rename_axis(index=None, columns=None)


def name_words(label_names, vocabulary):
    """Return for each label the words (columns) of its name that no other label's name has; lower case.

    Words are runs of letters, digits, + and -, beginning with a letter, and their parts between hyphens.
    Those that the vocabulary lacks are left out, so that a label may have none.
    """
    column = {}
    for number, word in enumerate(vocabulary):
        column.setdefault(word.lower(), number)
    found = []
    for name in label_names:
        whole = NAME_WORD.findall(name.lower())
        parts = [part for word in whole for part in word.split("-")]
        found.append({word for word in (*whole, *parts) if word in column})
    times = pd.Series([word for own in found for word in own], dtype=object).value_counts()
    return [np.array(sorted(column[word] for word in own if times[word] == 1), int) for own in found]


def named(described, n_words=8, n_bins=5):
    """Return how often a label's own name is among its top words, in bins of training frequency.

    Only labels are counted whose name has a word of its own (``name_words``). Columns: method, bin (from 1),
    low, high (training documents), labels, named (share whose top n_words have such a word), chance (the same
    share if names and top words were dealt at random: the mean over all other described labels' top words).

    Bins are those of ``bin_ends``: labels of one frequency stay together.
    """
    words = name_words(described.train.label_names, described.train.vocabulary)
    kept = [at for at, label in enumerate(described.labels) if words[label].size]
    columns = ["method", "bin", "low", "high", "labels", "named", "chance"]
    if not kept:
        return pd.DataFrame(columns=columns)
    frequency = training_frequencies(described.train)[described.labels[kept]]
    bins = np.searchsorted(bin_ends(frequency, n_bins), frequency) + 1
    rows = []
    for method, weights in described.weights.items():
        tops = [set(top_words(row, n_words).tolist()) for row in weights]
        hits = np.array([[not top.isdisjoint(words[described.labels[at]]) for top in tops] for at in kept])
        own = hits[np.arange(len(kept)), kept]
        chance = (hits.sum(axis=1) - own) / max(1, len(tops) - 1)
        for number in np.unique(bins):
            here = bins == number
            reach = frequency[here].min(), frequency[here].max()
            rows.append(
                (method, int(number), *map(int, reach), here.sum(), own[here].mean(), chance[here].mean())
            )
    return pd.DataFrame(rows, columns=columns)


def say_named(named):
    """Say of ``named`` how often each method's top words have the label's name, in the rarest and in the last bin."""
    lines = []
    for method, rows in named.groupby("method", sort=False):
        total = np.average(rows["named"], weights=rows["labels"])
        chance = np.average(rows["chance"], weights=rows["labels"])
        first, last = rows.iloc[0], rows.iloc[-1]
        lines.append(
            f"{method}: {total:.1%} of {rows['labels'].sum()} labels, by chance {chance:.1%}; {first['named']:.1%} "
            f"of those with {_reach(first)} training documents, {last['named']:.1%} of those with {_reach(last)}."
        )
    return "\n".join(lines) or "No label has a word of its own in its name."


def _reach(row):
    return f"{row['low']}" if row["low"] == row["high"] else f"{row['low']} to {row['high']}"


def printed_named(item="table 1"):
    """Return of each label of the paper's table whether a word of its name is on its list: columns name, named.

    A word of another label's name in the table does not count, as in ``name_words``.
    """
    printed = printed_label_words(item)
    names, vocabulary = list(dict.fromkeys(printed["name"])), list(dict.fromkeys(printed["word"]))
    words = name_words(names, vocabulary)
    rows = [
        (
            name,
            not {vocabulary[word] for word in own}.isdisjoint(printed.loc[printed["name"] == name, "word"]),
        )
        for name, own in zip(names, words, strict=True)
    ]
    return pd.DataFrame(rows, columns=["name", "named"])
