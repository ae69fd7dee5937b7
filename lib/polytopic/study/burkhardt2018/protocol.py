"""What the experiments of Burkhardt & Kramer (2018) share: names, documents, measures, numbers of labels."""

from functools import partial

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.metrics.binary_measures import averages
from polytopic.metrics.thresholds import proportional_counts, top_n
from polytopic.models import LabelCountLasso, MetaLabeler
from polytopic.streams import stream, word64
from polytopic.study import store
from polytopic.study.store import Result

PAPER = "burkhardt2018"
DEPENDENCY, S1, S2 = "Dep.-LLDA", "Fast-Dep.-LLDA S1", "Fast-Dep.-LLDA S2"
BR, FASTXML, PD_SPARSE, FREQUENCIES = "BR(SVM)", "FastXML", "PD Sparse", "Label frequencies"
CHAINED, WHOLE = [DEPENDENCY, S1, S2], [BR, FASTXML, PD_SPARSE, FREQUENCIES]
N_TOPICS = 100
CORPORA = ("bibtex", "debtags", "delicious", "eurlex-titles", "bills-109", "eurlex57k")
AREAS = ["micro_auc", "macro_auc"]
BINARY = ["micro_f1", "macro_f1", "micro_precision", "micro_recall", "hamming_loss"]
MEASURED = [*AREAS, *BINARY, "rank_one_error"]  # in the order of tables 5 and 6
CUT_OFFS = LASSO, SVR, MEAN, PROPORTIONAL, TRUE = (
    "Lasso", "MetaLabeler", "mean number", "proportional", "true number",
)  # fmt: skip

experiment = partial(store.experiment, PAPER, corpora=CORPORA)


def seed_of(seed, *purpose):
    """Return a seed of 31 bits for one purpose."""
    return int(word64(seed, *purpose) >> np.uint64(33))


def parts(corpus, documents=None, seed=0):
    """Return (train, test) of the first split, each of at most ``most`` documents drawn at random."""
    sides = corpus.split(0)
    if documents is None:
        return sides
    drawn = (stream(seed, "documents", k).permutation(side.n_documents) for k, side in enumerate(sides))
    return tuple(side.select(np.sort(rows[:documents])) for side, rows in zip(sides, drawn, strict=True))


def measures(truth, scores, n_labels):
    """Return the measures of section 5.2, a mapping; document d gets its n_labels[d] most probable labels.

    Macro measures average over all labels; of a label without positives F is 0, and the AUC leaves it out. Documents
    without labels have no rank-one error; of labels that score alike the first is taken.
    """
    labelled = np.flatnonzero(truth.getnnz(axis=1))
    first = np.asarray(truth[labelled, np.argmax(scores[labelled], axis=1)]).ravel()
    found = binary(truth, scores, n_labels) | metrics.areas(truth, scores)
    found["rank_one_error"] = float(1 - first.mean())
    return {name: found[name] for name in MEASURED}


def binary(truth, scores, n_labels):
    """Return the binary ones of ``measures``, and macro precision and recall."""
    decisions = top_n(scores, n_labels, "document")
    tables = truth, decisions, truth.multiply(decisions).tocsr()
    true, predicted, hits = (np.asarray(table.getnnz(axis=0), dtype=np.int64) for table in tables)
    wrong = (true + predicted - 2 * hits).sum() / np.prod(truth.shape)
    return averages(true, predicted, hits, "zero") | {"hamming_loss": float(wrong)}


def with_cut_offs(rows, truth, scores, n_labels):
    """Return what an experiment keeps of a classifier: rows, its measures as chain 0, and a table "cutoffs".

    rows are (chain, measure, value); scores (D, C) are the classifier's. The table has its F1 by each of
    ``cut_offs``: columns cutoff, measure (macro_f1, micro_f1), value.
    """
    whole = [(0, *one) for one in measures(truth, scores, n_labels[LASSO]).items()]
    found = {name: binary(truth, scores, n_labels[name]) for name in CUT_OFFS}
    by_cut_off = [(name, f1, own[f1]) for name, own in found.items() for f1 in ("macro_f1", "micro_f1")]
    return Result(
        pd.DataFrame(rows + whole, columns=["chain", "measure", "value"]),
        {"cutoffs": pd.DataFrame(by_cut_off, columns=["cutoff", "measure", "value"])},
    )


def numbers_of_labels(corpus, documents, seed):
    """Return ``cut_offs`` of a corpus, computed once for all classifiers."""
    return store.collect(cut_offs, corpus, "quick", seed, documents=documents)


# Table 4


@experiment({"quick": {}, "paper": {}})
def statistics(corpus):
    """Return table 4 of a whole corpus, columns statistic, value: words and labels are those that a document has."""
    values = {
        "labels": np.count_nonzero(corpus.label_frequencies),
        "word_types": np.count_nonzero(corpus.counts.getnnz(axis=0)),
        "documents": corpus.n_documents,
        "cardinality": corpus.labels.nnz / corpus.n_documents,
        "mean_length": corpus.counts.sum() / corpus.n_documents,
    }
    return pd.Series(values, dtype=float, name="value").rename_axis("statistic").reset_index()


@experiment({"quick": {"documents": 200}})
def cut_offs(corpus, *, documents=None, seed):
    """Return how many labels each test document gets: a column for each way of telling it, one row per document."""
    train, test = parts(corpus, documents, seed)
    n, given = test.n_documents, (train.counts, train.labels)
    found = {
        LASSO: LabelCountLasso(random_state=seed).fit(*given).predict(test.counts),
        SVR: MetaLabeler(random_state=seed).fit(*given).predict(test.counts),
        MEAN: np.full(n, int(round(train.labels.nnz / train.n_documents))),
        PROPORTIONAL: proportional_counts(train.labels, n, "document"),
        TRUE: test.labels.getnnz(axis=1),
    }
    return pd.DataFrame(found)
