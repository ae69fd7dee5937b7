"""What the corpora are like, counted once and kept with the study: most of them have to be fetched first.

A survey is a file in ``data/results/surveys``, made from one corpus and named after it.
"""

import json
import math

import pandas as pd

from polytopic import paths
from polytopic.datasets import catalogue, load_corpus
from polytopic.files import write_whole
from polytopic.study import corpora

TALLIES = {"label_frequencies": corpora.label_frequencies, "labels_per_document": corpora.labels_per_document}


def survey(corpus, split=0):
    """Return the survey of a corpus: name, digest, statistics, and two tallies as pairs of columns.

    The statistics are ``corpora.dataset_statistics``, those of one split among them where the corpus has any;
    the mean document length is left out where words are real values. Tallies are over all documents.
    """
    statistics = corpora.dataset_statistics(corpus, split).set_index("statistic")["value"]
    if corpus.real_valued or not corpus.n_words:
        statistics = statistics.drop(["train_length", "train_word_types"], errors="ignore")
    tallies = {name: tally(corpus).drop(columns="corpus").to_dict("list") for name, tally in TALLIES.items()}
    values = {name: _plain(value) for name, value in statistics.items()}
    return {"corpus": corpus.name, "digest": corpus.digest, "statistics": values, **tallies}


def renew(names=None):
    """Survey these corpora, or all known ones at hand, write the files, and return their names."""
    if names is None:
        names = [name for name in catalogue.facts() if catalogue.at_hand(name)]
    surveyed = [survey(load_corpus(name)) for name in names]
    for one in surveyed:
        write_whole(_folder() / f"{one['corpus']}.json", _as_json(one))
    return [one["corpus"] for one in surveyed]


def stored():
    """Return the stored surveys by corpus, in rising order of the median label frequency, then of names."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(_folder().glob("*.json"))]
    found.sort(key=lambda one: one["statistics"]["median_label_frequency"])
    return {one["corpus"]: one for one in found}


def statistics():
    """Return the stored ``corpora.dataset_statistics`` of all surveyed corpora."""
    rows = [(name, *pair) for name, one in stored().items() for pair in one["statistics"].items()]
    return pd.DataFrame(rows, columns=["corpus", "statistic", "value"]).astype({"value": float})


def label_frequencies():
    """Return the stored ``corpora.label_frequencies`` of all surveyed corpora."""
    return _tallies("label_frequencies", ["frequency", "labels"])


def labels_per_document():
    """Return the stored ``corpora.labels_per_document`` of all surveyed corpora."""
    return _tallies("labels_per_document", ["labels", "documents"])


def _tallies(name, columns):
    frames = [pd.DataFrame(one[name]).assign(corpus=corpus) for corpus, one in stored().items()]
    return pd.concat(frames or [pd.DataFrame(columns=columns)], ignore_index=True).reindex(
        columns=["corpus", *columns]
    )


def _folder():
    return paths.results() / "surveys"


def _plain(value):
    value = float(value)
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else value


def _as_json(one):
    """Return JSON with a statistic a line and a column of a tally a line."""
    lines = [f' "{name}": {json.dumps(one[name])}' for name in ("corpus", "digest")]
    for name in ("statistics", *TALLIES):
        inside = ",\n".join(f'  "{key}": {json.dumps(value)}' for key, value in one[name].items())
        lines.append(f' "{name}": {{\n{inside}\n }}')
    return "{\n" + ",\n".join(lines) + "\n}\n"
