"""Hyper-parameters as the paper prints them, beside those that the experiments use (Rubin et al. 2012, table 6)."""

import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import systems

PHASES = ("phi", "topics", "test")
NAMES = {("phi", "eta"): "train_eta"}  # of the models' settings that are not called as in table 6


def printed():
    """Return table 6 with its names put right: rows (corpus, model), columns (phase, parameter), "" for a dash."""
    rows, places = reported("rubin2012", "table 6"), (["corpus", "model"], ["phase", "parameter"])
    wide = rows.pivot(index=places[0], columns=places[1], values="printed")
    index, columns = (list(rows[two].drop_duplicates().itertuples(index=False, name=None)) for two in places)
    return wide.loc[index, sorted(columns, key=lambda column: PHASES.index(column[0]))].fillna("")


def used(corpora, split=0):
    """Return what the experiments use for some corpora, laid out as ``printed``: numbers as they are, "" where none.

    Raises ValueError for an unknown corpus, and for one without splits or word counts.
    """
    columns, rows = printed().columns, {}
    for corpus in corpora:
        corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
        if corpus.real_valued or not corpus.n_words:
            raise ValueError(f"{corpus.name} has no word counts: the topic models can't be trained on it")
        train, _ = corpus.split(split)
        for model in systems.prior_settings(corpus.name, train):
            settings = systems.build(model, corpus.name, train).get_params() | {"alpha": 0.0}
            if model == "Prior-LDA":
                settings["n_topics"] = 1
            rows[corpus.name, model] = [settings.get(NAMES.get(column, column[1])) for column in columns]
    index = pd.MultiIndex.from_tuples(rows, names=["corpus", "model"])
    return pd.DataFrame(rows.values(), index, columns, dtype=float)


def weights(corpus, split=0):
    """Return what the rules of appendix B.1 come to on a corpus, as a mapping of numbers.

    pseudocounts: all topics' beta_c, over the label tokens (the rule: a tenth); prior: the weight of the
    prior on theta at test, over the mean length of a training document.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, _ = corpus.split(split)
    settings = systems.prior_settings(corpus.name, train)
    labels = int((train.labels.getnnz(axis=0) > 0).sum())
    length = float(train.counts.sum()) / train.n_documents
    one = settings["Dependency-LDA"]
    return {
        "pseudocounts": float(one["beta_c"] * one["n_topics"] * labels / train.labels.nnz),
        "prior": (one["eta"] + one["alpha_sum"]) / length,
    }
