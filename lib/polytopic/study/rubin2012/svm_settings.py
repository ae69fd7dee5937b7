"""Hyper-parameters as the paper prints them, beside those that the experiments use (Rubin et al. 2012, table 6)."""

import pandas as pd

from polytopic.datasets import load_corpus
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import systems

PHASES = ("phi", "topics", "test")


def printed(item="table 6"):
    """Return table 6 with its names put right: rows (corpus, model), columns (phase, parameter), "" for a dash."""
    rows = reported("rubin2012", item)
    columns = list(dict.fromkeys(zip(rows["phase"], rows["parameter"], strict=True)))
    columns.sort(key=lambda column: PHASES.index(column[0]))
    wide = rows.pivot(index=["corpus", "model"], columns=["phase", "parameter"], values="printed")
    index = list(dict.fromkeys(zip(rows["corpus"], rows["model"], strict=True)))
    return wide.loc[index, columns].fillna("")


def used(corpora, split=0):
    """Return what the experiments use for some corpora, laid out as ``printed``: numbers as they are, "" where none.

    Raises ValueError for an unknown corpus, and for one without splits or word counts.
    """
    rows = []
    for corpus in corpora:
        corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
        if corpus.real_valued or not corpus.n_words:
            raise ValueError(f"{corpus.name} has no word counts: the topic models can't be trained on it")
        train, _ = corpus.split(split)
        for model in systems.prior_settings(corpus.name, train):
            estimator = systems.build(model, corpus.name, train)
            rows += [(corpus.name, model, *one) for one in _settings(estimator, model)]
    table = pd.DataFrame(rows, columns=["corpus", "model", "phase", "parameter", "value"])
    wide = table.pivot(index=["corpus", "model"], columns=["phase", "parameter"], values="value")
    index = list(dict.fromkeys(zip(table["corpus"], table["model"], strict=True)))
    return wide.reindex(
        index=pd.MultiIndex.from_tuples(index, names=["corpus", "model"]), columns=printed().columns
    )


def _settings(estimator, model):
    """Yield (phase, parameter, value) of one model under the names of table 6."""
    values = estimator.get_params()
    yield "phi", "eta", values["train_eta"]
    yield "phi", "alpha", 0.0
    yield "phi", "beta_w", values["beta_w"]
    if model == "Dependency-LDA":
        yield from (("topics", name, values[name]) for name in ("n_topics", "beta_c", "gamma"))
        yield "test", "gamma_sum", values["gamma_sum"]
    elif model == "Prior-LDA":
        yield "topics", "n_topics", 1
        yield "topics", "beta_c", values["beta_c"]
    if "eta" in values:
        yield "test", "eta", values["eta"]
    yield "test", "alpha_sum", values["alpha_sum"]


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
