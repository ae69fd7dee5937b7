"""How good the greedy search for label sets is, where trying all sets is possible."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from polytopic.models import PMM
from polytopic.validation import check_name

SEARCHES = ("greedy", "exhaustive")


def restricted(corpus, labels):
    """Return the corpus of some labels, and of the documents that have any of them; splits are kept.

    labels is a number, the most frequent ones then, of equals the first; or a list of names. They keep their order
    in the corpus. Raises ValueError for an unknown name and for more labels than there are.
    """
    if isinstance(labels, int):
        if not 0 < labels <= corpus.n_labels:
            raise ValueError(f"{corpus.name} has {corpus.n_labels} labels: choose 1 to as many, not {labels}")
        columns = np.sort(np.argsort(-corpus.label_frequencies, kind="stable")[:labels])
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
