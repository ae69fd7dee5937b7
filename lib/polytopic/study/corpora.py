"""What a corpus is like: its statistics, label frequencies and labels per document.

Most corpora have to be fetched first, so that what they are like is surveyed once and stored with the study.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.datasets import catalogue, load_corpus
from polytopic.streams import stream
from polytopic.study import store
from polytopic.study.printed import beside, half_unit, reported, spelled_as
from polytopic.study.store import PLACE, Result, experiment

PER_LABEL = [f"{mean}_label_frequency" for mean in ("mean", "median", "mode")]
MEDIANS = {"frequency": "median_label_frequency", "labels": "median_labels_per_document"}
# ours that are a part of a paper's corpus, and the statistics of the whole that the part must have as well:
# of EUR-Lex 99 documents of 100, of RCV1 one of 27, so that its labels have fewer documents
PARTS = {
    "eurlex-labelsets": ("eurlex", ["cardinality", *PER_LABEL, "median_labels_per_document"]),
    "rcv1-subsets": ("rcv1", ["median_labels_per_document"]),
}
SCALE = "paper"  # the only one: a corpus is counted whole
AGAIN = "eurlex-years"  # the documents of another corpus, which are counted there
COLUMNS = {
    None: ["statistic", "value"],
    "label_frequencies": ["frequency", "labels"],
    "labels_per_document": ["labels", "documents"],
}


def halves(corpus, split, most=None, seed=0):
    """Return the training and the test part of a split, each of at most so many documents drawn at random."""
    parts = corpus.split(split)
    return parts if most is None else sample(corpus, most, most, split, seed).split(0)


def sample(corpus="debtags", n_train=500, n_test=300, split=0, seed=0):
    """Return a Corpus of some documents of one split: n_train and n_test of them, or all if there are fewer."""
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    first, second = (
        np.asarray(documents)[np.sort(stream(seed, "sample", part).permutation(len(documents))[:n])]
        for part, documents, n in zip(("train", "test"), corpus.splits[split], (n_train, n_test), strict=True)
    )
    splits = ((np.arange(first.size), first.size + np.arange(second.size)),)
    return replace(corpus.select([*first, *second]), splits=splits, name=f"{corpus.name}-{first.size}")


def dataset_statistics(corpus, split=0):
    """Return the statistics of Rubin et al. (2012), table 4, and Papanikolaou et al., table 4.

    Columns: corpus, statistic, value. Documents without labels and labels that no document has are left out of every
    statistic, as the papers do, and counted in ``unlabelled_documents`` and ``unused_labels``. The mode is the
    commonest label frequency, the smallest of several, and missing where no two labels share one (the dash in Rubin's
    table). Those that begin with ``train_`` or ``test_`` are of one split, and absent where there is none;
    ``train_length`` is in word tokens.

    Raises ValueError when no document has a label.
    """
    labels = sparse.csr_matrix(corpus.labels).sorted_indices()
    if not labels.nnz:
        raise ValueError(f"no document of {corpus.name} has a label: its label statistics are undefined")
    labelled, values = labels.getnnz(axis=1) > 0, _label_statistics(labels)
    if len(corpus.splits):
        train, test = (np.asarray(side)[labelled[side]] for side in corpus.splits[split])
        of_training, words = _label_statistics(labels[train]), sparse.csr_matrix(corpus.counts)[train]
        values |= {
            "train_documents": len(train),
            "test_documents": len(test),
            "train_length": words.sum() / len(train),
            "train_labels": of_training["labels"],
            "train_cardinality": of_training["cardinality"],
            "train_label_frequency": of_training["mean_label_frequency"],
            "train_word_types": int((words.getnnz(axis=0) > 0).sum()),
        }
    return pd.DataFrame({"corpus": corpus.name, "statistic": values.keys(), "value": values.values()})


def _label_statistics(labels):
    sizes, frequencies = labels.getnnz(axis=1), labels.getnnz(axis=0)
    documents, used = int((sizes > 0).sum()), frequencies[frequencies > 0]
    bounds = zip(labels.indptr[:-1][sizes > 0], labels.indptr[1:][sizes > 0], strict=True)
    sets = Counter(labels.indices[a:b].tobytes() for a, b in bounds)
    shared, times = np.unique(used, return_counts=True)
    cardinality = used.sum() / documents
    return {
        "labels": len(used),
        "documents": documents,
        "cardinality": cardinality,
        "density": cardinality / len(used),
        "mean_label_frequency": used.mean(),
        "median_label_frequency": np.median(used),
        "mode_label_frequency": shared[times.argmax()] if times.max() > 1 else np.nan,
        "distinct_labelsets": len(sets),
        "labelset_frequency": documents / len(sets),
        "unique_labelset_proportion": sum(times == 1 for times in sets.values()) / documents,
        "unlabelled_documents": int((sizes == 0).sum()),
        "unused_labels": int((frequencies == 0).sum()),
    }


def statistics_beside_paper(statistics, paper, item="table 4"):
    """Return ``dataset_statistics`` of one or several corpora beside the paper's, in the paper's order.

    Columns: corpus, statistic, ours, paper, difference and agrees: counts are exact, so that by ``printed.RULE`` ours
    has to round to the digits in print. A corpus that the paper does not have gives no rows, and one of PARTS those
    of the statistics named there.
    """
    theirs, on = _in_print(statistics["corpus"], paper, item), ["corpus", "statistic"]
    table = beside(theirs[on].merge(statistics.assign(mean=statistics["value"], se=0.0)), theirs, on)
    return table.rename(columns={"mean": "ours"})[[*on, "ours", "paper", "difference", "agrees"]]


def medians_beside_paper(tally, paper="rubin2012", item="section 1.1"):
    """Return the medians of ``label_frequencies`` or ``labels_per_document`` beside those that the paper prints.

    Columns: corpus, ours, paper and agrees (ours rounds to the digits in print); both missing where none is printed.
    """
    of, count = tally.columns[1:3]
    theirs = _in_print(tally["corpus"], paper, item).query("statistic == @MEDIANS[@of]")
    each = tally.loc[tally.index.repeat(tally[count].astype(int))]
    table = each.groupby("corpus", sort=False)[of].median().rename("ours").reset_index()
    table = table.merge(theirs[["corpus", "value", "decimals"]], "left").rename(columns={"value": "paper"})
    agrees = (table["ours"] - table["paper"]).abs() <= half_unit(table.pop("decimals"))
    return table.assign(agrees=agrees.astype("boolean").where(table["paper"].notna()))


def _in_print(corpora, paper, item):
    """Return a paper's printed statistics with our names of corpora, those of PARTS too."""
    theirs = reported(paper, item)
    parts = [
        theirs[(theirs["corpus"] == whole) & theirs["statistic"].isin(shared)].assign(corpus=part)
        for part, (whole, shared) in PARTS.items()
    ]
    return spelled_as(corpora, pd.concat([theirs, *parts], ignore_index=True))


def power_laws(frequencies):
    """Return the power law nearest to each corpus's ``label_frequencies``: labels = factor * documents ** exponent.

    It is fitted by least squares of logarithms to the mean number of labels per frequency in 1, 2-3, 4-7, 8-15 and so
    on, each weighted by its labels: most high frequencies have no label, and no logarithm. Columns: corpus, factor,
    exponent, near (the share of labels in ranges whose mean is within a factor of 2 of the law).
    """
    found = []
    for corpus, rows in frequencies.groupby("corpus", sort=False):
        labels = rows["labels"].groupby(2 ** np.floor(np.log2(rows["frequency"])).astype(int)).sum()
        middle, mean = np.sqrt(labels.index * (2 * labels.index - 1)), labels / labels.index
        exponent, scale = np.polyfit(np.log(middle), np.log(mean), 1, w=np.sqrt(labels))
        factor = np.exp(scale)
        near = (np.log2(mean / (factor * middle**exponent)).abs() <= 1) @ labels / labels.sum()
        found.append((corpus, factor, exponent, near))
    return pd.DataFrame(found, columns=["corpus", "factor", "exponent", "near"])


def statistics_table(statistics, paper="rubin2012", item="table 4"):
    """Return ``dataset_statistics`` as text: a row per corpus, the paper's columns with the paper's decimals.

    A statistic that a corpus lacks is a dash. ``statistics`` may be the paper's own, from ``reported``.
    """
    theirs = reported(paper, item)
    fullest = theirs["corpus"].value_counts(sort=False).idxmax()
    decimals, corpora = theirs.groupby("statistic")["decimals"].max(), statistics["corpus"].unique()
    wide = statistics.astype({"value": float}).pivot(index="corpus", columns="statistic", values="value")
    wide = wide.reindex(index=corpora, columns=theirs.loc[theirs["corpus"] == fullest, "statistic"])
    text = wide.apply(lambda own: own.map(f"{{:,.{decimals[own.name]}f}}".format).where(own.notna(), "–"))
    return text.rename(columns=lambda name: name.replace("_", " ")).rename_axis(columns=None)


def label_frequencies(corpus):
    """Return how many labels have each number of documents (Rubin 2012, figure 1; Papanikolaou, figure 7).

    Columns: corpus, frequency, labels, in rising frequency. Labels without a document are left out.
    """
    frequencies = corpus.labels.getnnz(axis=0)
    return _tally(corpus.name, frequencies[frequencies > 0], "frequency", "labels")


def labels_per_document(corpus):
    """Return how many documents have each number of labels (Rubin et al. 2012, figure 2).

    Columns: corpus, labels, documents, in rising number of labels; a row for 0 where a document has none.
    """
    return _tally(corpus.name, corpus.labels.getnnz(axis=1), "labels", "documents")


@experiment("corpora", scales={SCALE: {}}, corpora=[name for name in catalogue.facts() if name != AGAIN])
def survey(corpus):
    """Count what a corpus is like: rows ``dataset_statistics``, of split 0 among them where there are splits.

    The mean document length is left out where words are real values or missing. The tables are ``label_frequencies``
    and ``labels_per_document``, over all documents.
    """
    statistics = dataset_statistics(corpus)
    if corpus.real_valued or not corpus.n_words:
        statistics = statistics[~statistics["statistic"].isin(["train_length", "train_word_types"])]
    tables = {one.__name__: one(corpus) for one in (label_frequencies, labels_per_document)}
    tables = {name: table.drop(columns="corpus") for name, table in tables.items()}
    return Result(statistics.drop(columns="corpus"), tables)


def surveyed(table=None, names=None):
    """Return the stored statistics of all corpora, or one of ``survey``'s tables, as the functions above give them.

    The corpora are those of names, in their order, or all in rising order of the median label frequency, then of
    names. Empty where nothing is stored.
    """
    frame, statistics = (store.read(survey, table=one).drop(columns=PLACE[1:]) for one in (table, None))
    if statistics.empty:
        return pd.DataFrame(columns=["corpus", *COLUMNS[table]])
    medians = statistics[statistics["statistic"] == "median_label_frequency"].set_index("corpus")["value"]
    order = medians.sort_index().sort_values(kind="stable").index if names is None else pd.Index(names)
    frame = frame[frame["corpus"].isin(order)]
    return frame.sort_values("corpus", key=order.get_indexer, kind="stable", ignore_index=True)


def rarity(frequencies):
    """Return how rare the labels of each corpus are, from one or several ``label_frequencies``.

    Columns: corpus, labels, then least, median and most documents of a label, and the shares of labels with
    1, with fewer than 10 and with fewer than 100 documents.
    """
    each = frequencies.loc[frequencies.index.repeat(frequencies["labels"].astype(int))]
    shares = {"with 1": each["frequency"] == 1, "below 10": each["frequency"] < 10}
    each = each.assign(**shares, **{"below 100": each["frequency"] < 100})
    by = each.groupby("corpus", sort=False)
    table = by["frequency"].agg(labels="size", least="min", median="median", most="max")
    return table.join(by[["with 1", "below 10", "below 100"]].mean()).reset_index()


def _tally(name, numbers, of, count):
    values, times = np.unique(numbers, return_counts=True)
    return pd.DataFrame({"corpus": name, of: values.astype(int), count: times.astype(int)})
