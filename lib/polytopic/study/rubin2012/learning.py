"""Settings and combinations learned from training data: what they are, and what they gain over the hand-set ones.

``python -m polytopic.study.rubin2012.learning`` computes the stored results that the notebooks read.
"""

import argparse
from dataclasses import replace

import numpy as np
import pandas as pd
from joblib import delayed
from scipy import sparse

from polytopic.datasets import load_corpus
from polytopic.models import chains, hyperparameters, topic_chains
from polytopic.streams import stream, word64
from polytopic.study import result_tables, store
from polytopic.study.rubin2012 import experiments
from polytopic.validation import check_name

LEAD = ("Learned Dependency-LDA", "Dependency-LDA")
FORMS = {
    "even": "one weight for all labels",
    "frequencies": "eta by label frequency, alpha even",
    "free": "one weight for each label",
    "topics": "eta by the document's topics, alpha even",
}


def fixed_points(corpus="debtags", split=0, scale="quick", seed=0):
    """Return the settings of Dependency-LDA by hand and by their likelihood: columns setting, hand_set, fixed_point.

    The fixed points are those of ``LearnedDependencyLDA`` with held_out=0, for the hand-set number of topics.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, _ = corpus.split(split)
    how = {"memory": store.memory(), "verbose": 0}
    by_hand = experiments.build("Dependency-LDA", corpus.name, train, scale, seed).get_params()
    model = experiments.build("Dependency-LDA, fixed points", corpus.name, train, scale, seed, **how)
    learned = model.learn_settings(train.counts, train.labels)
    rows = [(name, by_hand[name], learned[name]) for name in experiments.SETTINGS]
    return pd.DataFrame(rows, columns=["setting", "hand_set", "fixed_point"])


def forms_of_alpha(corpus="debtags", split=0, scale="quick", seed=0):
    """Return how well forms of alpha' foretell which labels the training documents' tokens are on.

    Columns: form, weights (how many are learned), whole (weight of the prior in all), log_likelihood per token, by
    ``hyperparameters.fit_weights``. The tokens are one training chain's, by hand-set train_eta and beta_w; topics are
    one chain's, by hand-set gamma and beta_c, and know the document's labels. A document has to have two labels.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, _ = corpus.split(split)
    run = chains.Run(None, store.memory())
    model = experiments.build("Dependency-LDA", corpus.name, train, scale, seed)
    frequency = train.labels.getnnz(axis=0)
    rows = (train.labels.getnnz(axis=1) > 1) & (train.counts.getnnz(axis=1) > 0)
    X, Y = train.counts[rows], sparse.csr_matrix(train.labels[rows][:, frequency > 0])
    Y.sort_indices()
    unit = run.cached(_forms, ignore=[])
    names = [word64(seed, "forms of alpha", part) for part in ("words", "topics")]
    settings = (model.train_eta, model.beta_w, model.n_sweeps, model.n_topics, model.gamma, model.beta_c)
    call = delayed(unit)(X, Y, frequency[frequency > 0], settings, model.n_topic_sweeps, names, run.version)
    found = next(iter(run.each([call], 1, "forms of alpha'")))
    return pd.DataFrame(found, columns=["form", "weights", "whole", "log_likelihood"])


def _forms(X, Y, frequency, settings, n_topic_sweeps, names, version):
    train_eta, beta_w, n_sweeps, n_topics, gamma, beta_c = settings
    seed = int(names[0] >> np.uint64(33))
    held = chains.label_counts(X, Y, train_eta, beta_w, 1, n_sweeps, seed, chains.Run())[0].document_labels
    chain = topic_chains.Chain(Y, n_topics, gamma, beta_c, names[1]).advance(n_topic_sweeps)
    even = np.full(held.nnz, 1 / Y.shape[1])
    shared = (frequency / frequency.sum())[held.indices]
    by_topics = topic_chains.foretold(chain.counts(), gamma, beta_c, held)
    bases = {
        "even": hyperparameters.Bases(even[:, None], np.ones((1, 1))),
        "frequencies": hyperparameters.Bases(np.stack([shared, even], axis=1), np.ones((1, 2))),
        "free": hyperparameters.asymmetric(held),
        "topics": hyperparameters.Bases(np.stack([by_topics, even], axis=1), np.ones((1, 2))),
    }
    rows = []
    for form, base in bases.items():
        learned = hyperparameters.fit_weights(held, base, tol=1e-5)
        found = learned.log_likelihoods[-1] / held.sum()
        rows.append((FORMS[form], learned.weights.size, float(learned.weights.sum()), found))
    return rows


def sample(corpus="debtags", n_train=500, n_test=300, split=0, seed=0):
    """Return a Corpus of some documents of one split: n_train and n_test of them, or all if there are fewer."""
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    rows = [
        np.sort(stream(seed, "sample", part).permutation(own)[:n])
        for part, own, n in zip(("train", "test"), corpus.splits[split], (n_train, n_test), strict=True)
    ]
    sizes = [one.size for one in rows]
    return replace(
        corpus.select(np.concatenate(rows)),
        splits=((np.arange(sizes[0]), sizes[0] + np.arange(sizes[1])),),
        split_names=(),
        name=f"{corpus.name}-{sizes[0]}",
    )


def stored(corpora, models):
    """Return measures and label scores as ``experiments.stored`` and ``stored_label_scores`` do, of some models.

    On each corpus they are of the largest scale that has all the models, and of the splits that all of them have; a
    corpus without is left out.
    """
    scales = {corpus: experiments.common_scale(corpus, models) for corpus in corpora}
    kept = [(corpus, scale) for corpus, scale in scales.items() if scale]
    measured = [result_tables.of_common_splits(experiments.stored(*place, models=models)) for place in kept]
    scored = [
        result_tables.of_common_splits(experiments.stored_label_scores(*place, models=models))
        for place in kept
    ]
    empty = (
        pd.DataFrame(columns=names) for names in (experiments.MEASURE_COLUMNS, experiments.LABEL_COLUMNS)
    )
    return tuple(
        pd.concat(found, ignore_index=True) if found else none
        for found, none in zip((measured, scored), empty, strict=True)
    )


def gains(corpora, model=LEAD[0], against=LEAD[1]):
    """Return ``result_tables.gains`` of two models by ``stored``, on the splits that both have."""
    return result_tables.gains(stored(corpora, [model, against])[0], model, against)


def main(arguments=None):
    """Compute the results asked for that are not stored yet, a line for each."""
    parser = argparse.ArgumentParser(
        prog="python -m polytopic.study.rubin2012.learning", description=main.__doc__
    )
    parser.add_argument("--corpora", nargs="+", default=["debtags"])
    parser.add_argument(
        "--models", nargs="+", default=["Dependency-LDA", "Vanilla SVM", *experiments.EXTENSIONS]
    )
    parser.add_argument("--splits", nargs="+", type=int, default=[0])
    parser.add_argument("--scale", choices=list(experiments.SCALES), default="small")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=-1)
    asked = parser.parse_args(arguments)
    for model in asked.models:
        check_name("model", model, experiments.KNOWN)
    for corpus in asked.corpora:
        for split in asked.splits:
            for model in asked.models:
                experiments.run(corpus, model, split, asked.scale, asked.seed, asked.jobs)
                print(f"{corpus}, split {split}, {asked.scale} scale: {model}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
