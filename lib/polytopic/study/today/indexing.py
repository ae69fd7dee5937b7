"""Subject indexing as libraries judge it: the first five subjects of a record, by its language and type."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic import metrics, paths
from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.datasets.tibkat import read_records, read_tibkat
from polytopic.study.store import Result, experiment
from polytopic.study.today.comparison import SYSTEMS

RECORDS = "POLYTOPIC_TIBKAT"  # a folder with a copy of the repository
IN_MIRROR = "sciknoworg+subject-indexing-dataset"
LANGUAGES = {"tibkat": ("en", "de"), "tibkat-en": ("en",), "tibkat-de": ("de",)}
MEASURES = [("precision", 5), ("recall", 5), ("f1", 5), ("ndcg", None)]
NAMES = {"precision": "P@5", "recall": "R@5", "f1": "F1@5", "ndcg": "NDCG"}
ALL = "all"
SCALES = {
    "quick": {"model": ["Dependency-LDA, mean field", "TF-IDF SVM, cost 1", "Default hybrid"], "most": 300},
    "paper": {
        "model": [
            "Dependency-LDA, mean field",
            "Flat-LDA, words shared",
            "TF-IDF SVM, cost 1",
            "Default hybrid",
            "Omikuji, Bonsai",
            "napkinXC, label tree",
        ],
        "most": None,
    },
}


class Grouped(NamedTuple):
    """A corpus, and of each document the groups that it belongs to: a list of texts for each way of grouping."""

    corpus: Corpus
    groups: dict

    @property
    def name(self):
        return self.corpus.name

    @property
    def digest(self):
        return self.corpus.digest


def read_grouped(name):
    """Return the Grouped corpus of a name: library records by language and type, any other corpus as a whole.

    Records are read from the folder that POLYTOPIC_TIBKAT names, else from the mirror, which may hold a part of them.
    Raises MissingCorpus where there are none.
    """
    if name not in LANGUAGES:
        return Grouped(load_corpus(name), {})
    folder = os.environ.get(RECORDS) or Path(os.environ.get(paths.MIRROR, "")) / IN_MIRROR
    languages = LANGUAGES[name]
    records = list(read_records(folder, languages=languages))
    groups = {"type": [record.kind for record in records]}
    if len(languages) > 1:
        groups["language"] = [record.language for record in records]
    return Grouped(read_tibkat(folder, name, languages=languages), groups)


@experiment("today", SCALES, corpora=("tibkat-en",), reads=read_grouped)
def indexing(grouped, *, model, most, seed):
    """Train one system on the first half of split 0, and measure the first five labels of each document of the other.

    Rows: grouping, group, measure, k, value, records. Every label of a document counts, those that no training
    document has too: nobody can find them. k is "" for the whole ranking.
    """
    train_rows, test_rows = (rows[:most] for rows in grouped.corpus.splits[0])
    train, test = (grouped.corpus.select(rows) for rows in (train_rows, test_rows))
    system = SYSTEMS[model](train, seed).fit(train.counts, train.labels)
    ranked = metrics.rank_positives(test.labels, system.decision_function(test.counts))
    groups = {ALL: [ALL] * len(test_rows)}
    groups |= {way: np.array(of_all)[test_rows] for way, of_all in grouped.groups.items()}
    parts = {(name, k): metrics.top_parts(ranked, k)[name] for name, k in MEASURES}
    rows = []
    for way, values in groups.items():
        kept = np.asarray(values)[ranked.kept]
        for group in np.unique(kept):
            own = kept == group
            for (name, k), (reached, possible) in parts.items():
                value = reached[own].sum() / possible[own].sum()
                rows.append((way, group, name, "" if k is None else k, value, own.sum()))
    columns = ["grouping", "group", "measure", "k", "value", "records"]
    return Result(pd.DataFrame(rows, columns=columns))


def table(rows):
    """Return the measures, a row for each corpus, grouping, group and model, and the number of records."""
    if rows.empty:
        return pd.DataFrame(columns=list(NAMES.values()))
    keys = ["corpus", "grouping", "group", "model"]
    wide = rows.pivot_table("value", keys, "measure", sort=False)[list(NAMES)].rename(columns=NAMES)
    return wide.assign(records=rows.groupby(keys, sort=False)["records"].first()).round(4)
