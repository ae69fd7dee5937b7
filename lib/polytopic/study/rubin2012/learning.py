"""Settings learned from training data: their fixed points, the forms of their priors, and what models have chosen."""

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.models import chains as training
from polytopic.models import hyperparameters, topic_chains
from polytopic.models.learned_lda import Trial
from polytopic.streams import word64
from polytopic.study.corpora import halves
from polytopic.study.rubin2012 import results, systems
from polytopic.study.store import experiment

SETTINGS = ("train_eta", "beta_w", "n_topics", "gamma", "beta_c", "eta", "alpha_sum", "gamma_sum")
FORMS = {
    "even": "one weight for all labels",
    "frequencies": "eta by label frequency, alpha even",
    "free": "one weight for each label",
    "topics": "eta by the document's topics, alpha even",
}
SCALES = systems.scales(split=range(1), most=systems.MOST)
LEARNED = systems.of_kind("learned")


@experiment("rubin2012", SCALES, corpora=())
def fixed_points(corpus, *, split, chains, most, seed):
    """Return the settings of Dependency-LDA by hand and by their likelihood: columns setting, hand_set, fixed_point.

    The fixed points are those of ``LearnedDependencyLDA`` with held_out=0, for the hand-set number of topics.
    """
    train, _ = halves(corpus, split, most, seed)
    given = corpus.name, train, chains, seed
    by_hand = systems.build("Dependency-LDA", *given).get_params()
    fixed = systems.build("Dependency-LDA, fixed points", *given)
    learned = fixed.learn_settings(train.counts, train.labels)
    rows = [(name, by_hand[name], learned[name]) for name in SETTINGS]
    return pd.DataFrame(rows, columns=["setting", "hand_set", "fixed_point"])


@experiment("rubin2012", SCALES, corpora=())
def forms_of_alpha(corpus, *, split, chains, most, seed):
    """Return how well forms of alpha' predict which labels the training documents' tokens are on.

    Columns: form, weights (how many are learned), whole (weight of the prior in all), log_likelihood per token, by
    ``hyperparameters.fit_weights``. The tokens are one training chain's, by hand-set train_eta and beta_w; topics are
    one chain's, by hand-set gamma and beta_c, and know the document's labels. A document has to have two labels.
    """
    train, _ = halves(corpus, split, most, seed)
    model = systems.build("Dependency-LDA", corpus.name, train, chains, seed)
    frequency = train.label_frequencies
    rows = (train.labels.getnnz(axis=1) > 1) & (train.counts.getnnz(axis=1) > 0)
    X, Y = train.counts[rows], sparse.csr_matrix(train.labels[rows][:, frequency > 0]).sorted_indices()
    words, topics = (word64(seed, "forms of alpha", part) for part in ("words", "topics"))
    once = X, Y, model.train_eta, model.beta_w, 1, model.n_sweeps, int(words >> np.uint64(33))
    held = training.label_counts(*once, training.Run())[0].document_labels
    chain = topic_chains.Chain(Y, model.n_topics, model.gamma, model.beta_c, topics)
    counts = chain.advance(model.n_topic_sweeps).counts()
    by_topics = topic_chains.foretold(counts, model.gamma, model.beta_c, held)
    even, known = np.full(held.nnz, 1 / held.shape[1]), frequency[frequency > 0]
    shared, found = (known / known.sum())[held.indices], []
    parts = {"even": [even], "frequencies": [shared, even], "topics": [by_topics, even]}
    forms = {  # at the non-zero cells of ``held``
        form: hyperparameters.Bases(np.stack(own, axis=1), np.ones((1, len(own))))
        for form, own in parts.items()
    } | {"free": hyperparameters.asymmetric(held)}
    for form, told in FORMS.items():
        learned = hyperparameters.fit_weights(held, forms[form], tol=1e-5)
        per_token = learned.log_likelihoods[-1] / held.sum()
        found.append((told, learned.weights.size, float(learned.weights.sum()), per_token))
    return pd.DataFrame(found, columns=["form", "weights", "whole", "log_likelihood"])


def chosen(corpora):
    """Return what models have learned, from the stored results: two frames, settings and trials.

    Settings: corpus, scale, model, split, setting, value, hand-set ones of Dependency-LDA included. Trials on
    documents held out: corpus, scale, model, split and the fields of ``models.learned_lda.Trial``. A corpus without
    hand-set and learned ones at one scale is left out, and either frame may be empty.
    """
    both = results.stored(corpora, ["Dependency-LDA", "Learned Dependency-LDA"], whole=True)
    there, place, rows = both["corpus"].unique(), ["corpus", "scale", "model", "split"], []
    for made in results.stored(there, ["Dependency-LDA", *LEARNED]).attrs["made"]:
        settings = made["notes"].get("learned", made["notes"]["settings"])
        where = [(made | made["unit"])[name] for name in place]
        if "eta" in settings:
            rows += [(*where, name, value) for name, value in settings.items() if name in SETTINGS]
    trials = results.stored(there, LEARNED, table="trials").reindex(columns=[*place, *Trial._fields])
    return pd.DataFrame(rows, columns=[*place, "setting", "value"]), trials


def settings_table(settings):
    """Return the settings of ``chosen``, means over splits to three digits: columns are (corpus, model)."""
    if settings.empty:
        return pd.DataFrame()
    wide = settings.pivot_table("value", "setting", ["corpus", "model"], aggfunc="mean", sort=False)
    return wide.map(lambda value: f"{value:.3g}").rename_axis(columns=[None, None])


def trial_curves(trials):
    """Return what weights change of ``chosen``'s trials: corpus, split, weight, model (by which pivot), value.

    value is the average precision less that of the least weight, on the same split.
    """
    by = ["corpus", "split", "weight"]
    long = trials[trials["tried"] == "weight"].melt(by, ["by_document", "by_label"], "model")
    first = long.sort_values("weight").groupby(["corpus", "split", "model"])["value"].transform("first")
    return long.assign(model=long["model"].str.replace("_", " "), value=long["value"] - first)
