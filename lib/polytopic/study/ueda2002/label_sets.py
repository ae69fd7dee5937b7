"""Sets of labels under PMMs: the greedy search beside trying all sets, and what a mixture in parameter space is."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from polytopic.models import PMM
from polytopic.streams import stream
from polytopic.validation import check_name

SEARCHES = ("greedy", "exhaustive")


def restricted(corpus, labels):
    """Return the corpus of some labels, and of the documents that have any of them; splits are kept.

    labels is a number, the most frequent ones then, of equals the first; or a list of names. They keep their order
    in the corpus. Raises ValueError for an unknown name, for no name, and for more labels than there are.
    """
    if isinstance(labels, int):
        if not 0 < labels <= corpus.n_labels:
            raise ValueError(f"{corpus.name} has {corpus.n_labels} labels: choose 1 to as many, not {labels}")
        columns = np.sort(np.argsort(-corpus.label_frequencies, kind="stable")[:labels])
    elif not labels:
        raise ValueError(
            f"{corpus.name} has none of the labels asked for: choose others, in the notebook's parameters"
        )
    else:
        columns = np.sort(columns_of(corpus, labels))
    names, labels = tuple(corpus.label_names[c] for c in columns), corpus.labels[:, columns]
    kept = labels.getnnz(axis=1) > 0
    place = np.cumsum(kept) - 1
    splits = tuple(tuple(place[side[kept[side]]] for side in pair) for pair in corpus.splits)
    return replace(corpus, counts=corpus.counts[kept], labels=labels[kept], label_names=names, splits=splits)


def columns_of(corpus, names):
    """Return the columns of labels by their names; ValueError for one that the corpus does not have."""
    for name in names:
        check_name("label", name, corpus.label_names)
    return [corpus.label_names.index(name) for name in names]


def compare(corpus, split=0, documents=None):
    """Return (table, sizes) of both searches on the test documents of a split of a corpus with few labels.

    documents: how many of them, the first ones; None for all. table has a row per model: documents, same (percent of
    documents for which the greedy set is the best one), worst (largest loss in log-likelihood, nats), f1_greedy,
    f1_exhaustive (mean F, percent), labels_true, labels_greedy, labels_exhaustive (a document), seconds_greedy,
    seconds_exhaustive. sizes has the columns panel (the model), kind ("true", "greedy", "exhaustive"), labels and
    share, of documents with so many labels. Raises ValueError for more labels than an exhaustive search takes.
    """
    train, test = corpus.split(split)
    test = test.select(np.arange(test.n_documents)[:documents])
    truth, found, sizes = test.labels.toarray(), [], []
    for order in (1, 2):
        model = PMM(order).fit(train.counts, train.labels)
        sets, seconds, likelihood = {"true": truth}, {}, {}
        for search in SEARCHES:
            model.set_params(search=search).predict(test.counts[:1])  # compiles
            start = time.process_time()
            sets[search] = model.predict(test.counts).toarray()
            seconds[search] = time.process_time() - start
            likelihood[search] = model.log_likelihood(test.counts, sets[search])
        loss = likelihood["exhaustive"] - likelihood["greedy"]
        same, worst = 100 * (loss < 1e-9).mean(), loss.max()
        row = {"model": f"PMM{order}", "documents": len(truth), "same": same, "worst": worst}
        for name in SEARCHES:
            row[f"f1_{name}"] = 100 * f1_score(truth, sets[name], average="samples", zero_division=0)
        row |= {f"labels_{name}": one.sum(axis=1).mean() for name, one in sets.items()}
        found.append(row | {f"seconds_{name}": value for name, value in seconds.items()})
        for kind, one in sets.items():
            tally = np.bincount(one.sum(axis=1), minlength=2)
            sizes += [(f"PMM{order}", kind, n, tally[n] / len(one)) for n in range(1, len(tally))]
    return pd.DataFrame(found), pd.DataFrame(sizes, columns=["panel", "kind", "labels", "share"])


def fitted(corpus):
    """Return {1: PMM1, 2: PMM2} fitted to a corpus, all of its documents."""
    return {order: PMM(order).fit(corpus.counts, corpus.labels) for order in (1, 2)}


def pair_words(models, corpus, first, second, n=8):
    """Return the words that tell two labels apart most, and how often the set of both has them.

    Columns: tells (the label), word, then probabilities in percent: in the first label and in the second (theta of
    PMM1), in the set of both by PMM1 and by PMM2 (phi of each model's own theta), and observed (share of the words
    of documents that have these two labels and no other; NaN if there is none). For each label the n words with the
    largest lead of its theta over the other's. Raises ValueError for a label that the corpus does not have.
    """
    columns = columns_of(corpus, (first, second))
    theta = models[1].label_word_distributions()[columns]
    both = np.isin(np.arange(corpus.n_labels), columns)[None]
    phi = [models[order].set_distributions(both)[0] for order in (1, 2)]
    chosen = corpus.counts[_exactly(corpus, columns)].sum(axis=0).A1
    observed = chosen / (chosen.sum() or np.nan)
    rows = [
        (name, corpus.vocabulary[w], *(100 * one[w] for one in (*theta, *phi, observed)))
        for name, words in zip((first, second), _telling(theta, n), strict=True)
        for w in words
    ]
    return pd.DataFrame(rows, columns=["tells", "word", first, second, "PMM1", "PMM2", "observed"])


def shares(models, corpus, first, second):
    """Return (share of the first label in the set of both by PMM2, alpha of first over second). PMM1's share is one
    half; PMM2's is (1 + 2 alpha) / 4, between one and three quarters.
    """
    a, b = columns_of(corpus, (first, second))
    alpha = float(models[2].pair_shares()[a, b])
    return (1 + 2 * alpha) / 4, alpha


def places(models, corpus, first, second, n=40, documents=150, least_words=1, seed=0):
    """Return points of a plane whose axes are the shares of the n words that tell either label most.

    Columns: panel, kind, x, y. Panel "model" has the distributions of the two labels, "first" and "second", and of
    the set of both, "even" by PMM1 and "fitted" by PMM2. "a mixture of distributions" and "a mixture of parameters"
    are documents drawn by the seed, as long as the corpus's of both labels, each from one label's distribution or
    from the one half-way. The last panel has the corpus's own: at most ``documents`` with each label alone, and with
    these two and no other. None has fewer than ``least_words`` words. x and y are linear in the distribution, so a
    mixture of two lies on the segment between them. Raises ValueError as ``pair_words``, and if no document has both
    labels alone.
    """
    columns = columns_of(corpus, (first, second))
    theta = models[1].label_word_distributions()[columns]
    axes = np.column_stack([np.isin(np.arange(corpus.n_words), words) for words in _telling(theta, n)])
    share = shares(models, corpus, first, second)[0]
    points = np.array([theta[0], theta[1], theta.mean(axis=0), share * theta[0] + (1 - share) * theta[1]])
    clouds = [("model", ["first", "second", "even", "fitted"], points)]
    rng = stream(seed, "parameter space", first, second)
    both = _exactly(corpus, columns)
    sizes = corpus.counts.sum(axis=1).A1
    lengths = sizes[both][sizes[both] >= least_words]
    if not lengths.size:
        raise ValueError(
            f"no document of {corpus.name} of {least_words} words or more has just {first} and {second}: "
            "choose two others, or fewer words"
        )
    drawn = rng.choice(lengths, documents)
    first_alone, second_alone = (_exactly(corpus, [column]) for column in columns)
    kinds = {f"{first} alone": first_alone, f"{second} alone": second_alone, "both": both}
    sides = rng.integers(0, 2, documents)
    own = np.array([*kinds])[sides]
    clouds.append(("a mixture of distributions", own, rng.multinomial(drawn, theta[sides])))
    clouds.append(("a mixture of parameters", "both", rng.multinomial(drawn, theta.mean(axis=0))))
    for kind, rows in kinds.items():
        chosen = np.sort(rng.permutation(rows[sizes[rows] >= least_words])[:documents])
        clouds.append((f"documents of {corpus.name}", kind, corpus.counts[chosen]))
    found = []
    for panel, kind, counts in clouds:
        x, y = (counts @ axes / np.maximum(1, np.asarray(counts.sum(axis=1)).reshape(-1, 1))).T
        found.append(pd.DataFrame({"panel": panel, "kind": kind, "x": x, "y": y}))
    return pd.concat(found, ignore_index=True)


def spread(table):
    """Return, by panel and kind of ``places``, the number of points, their mean x and y and standard deviations."""
    groups = table[table["panel"] != "model"].groupby(["panel", "kind"], sort=False)
    spreads = {"sd_x": ("x", "std"), "sd_y": ("y", "std")}
    return groups.agg(points=("x", "size"), x=("x", "mean"), y=("y", "mean"), **spreads)


def _exactly(corpus, columns):
    """Return the documents whose labels are these and no other."""
    own, all_labels = corpus.labels[:, columns].getnnz(axis=1), corpus.labels.getnnz(axis=1)
    return np.flatnonzero((own == len(columns)) & (all_labels == len(columns)))


def _telling(theta, n):
    """Return the n words with the largest lead of each of two distributions over the other, largest first."""
    lead = theta[0] - theta[1]
    return [np.argsort(-lead, kind="stable")[:n], np.argsort(lead, kind="stable")[:n]]
