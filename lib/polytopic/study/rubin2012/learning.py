"""Settings learned from training data: their fixed points, and the forms of their priors."""

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.models import chains as training
from polytopic.models import hyperparameters, topic_chains
from polytopic.streams import word64
from polytopic.study.corpora import halves
from polytopic.study.rubin2012 import systems
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
    tokens = training.label_counts(*once, training.Run())[0].document_labels
    chain = topic_chains.Chain(Y, model.n_topics, model.gamma, model.beta_c, topics)
    counts = chain.advance(model.n_topic_sweeps).counts()
    by_topics = topic_chains.predicted_shares(counts, model.gamma, model.beta_c, tokens)
    even, known = np.full(tokens.nnz, 1 / tokens.shape[1]), frequency[frequency > 0]
    shared, found = (known / known.sum())[tokens.indices], []
    parts = {"even": [even], "frequencies": [shared, even], "topics": [by_topics, even]}
    forms = {  # at the non-zero cells of ``tokens``
        form: hyperparameters.Bases(np.stack(own, axis=1), np.ones((1, len(own))))
        for form, own in parts.items()
    } | {"free": hyperparameters.asymmetric(tokens)}
    for form, name in FORMS.items():
        learned = hyperparameters.fit_weights(tokens, forms[form], tol=1e-5)
        per_token = learned.log_likelihoods[-1] / tokens.sum()
        found.append((name, learned.weights.size, float(learned.weights.sum()), per_token))
    return pd.DataFrame(found, columns=["form", "weights", "whole", "log_likelihood"])
