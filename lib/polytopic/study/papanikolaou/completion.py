"""Document completion: half of each unseen document is observed, the other half scored (4.3.1, figure 2)."""

import pandas as pd
from sklearn.base import clone

from polytopic import metrics
from polytopic.models import LDA
from polytopic.study import store
from polytopic.study.papanikolaou.words import FACTORS, NAMES, read_words, seed_of, word_tokens

READINGS = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "hybrid", "cvb0"]
SAMPLER = 30  # topics over which a sweep of CVB0 takes about as long as one of the sampler
PERPLEXITY = {
    "quick": {"run": range(2), "topics": [10, 40], "n_sweeps": 40, "cvb0_sweeps": 30, "documents": 1500},
    "medium": {"run": range(5), "topics": [20, 50, 100], "n_sweeps": 100, "cvb0_sweeps": 100},
    "paper": {
        "run": range(5), "topics": [20, 50, 75, 100, 200, 300, 500], "n_sweeps": 500, "cvb0_sweeps": 500,
    },
}  # fmt: skip
LEAD = {
    "quick": {"run": range(2), "samples": (1, 5, 20), "n_topics": 40, "n_sweeps": 60, "documents": 1500},
    "medium": {"run": range(3), "samples": (1, 5, 20, 100), "n_topics": 100, "n_sweeps": 100, "documents": 4000},
    "paper": {"run": range(5), "samples": (1, 5, 20, 100), "n_topics": 100, "n_sweeps": 500},
}  # fmt: skip


@store.experiment(
    "papanikolaou",
    scales=PERPLEXITY,
    corpora=("debtags", "reuters21578"),
    reads=read_words,
    cost=lambda topics, n_sweeps, cvb0_sweeps, **rest: n_sweeps * SAMPLER + cvb0_sweeps * topics,
)
def perplexity(corpus, *, run, topics, n_sweeps, cvb0_sweeps, tolerance=1e-3, documents=None, seed):
    """Return the perplexity by document completion: columns model, perplexity.

    A run trains one chain and one CVB0 on the same documents, and draws the halves of the test documents anew.
    The models: the paper's four estimators and CVB0; CGS_rb; CVB0 over the chain's phi, from a random start and from
    where the chain ends ("CGS then CVB0"); and CGS_p over phi_p of the journal version. CVB0 stops before its
    ``cvb0_sweeps`` when a sweep moves a token's responsibilities by less than ``tolerance`` on average.
    """
    train, test, _ = word_tokens(corpus, documents)
    key = seed_of(seed, "completion", run)
    observed, scored = metrics.halves(test, key)
    model = LDA(topics, n_sweeps=n_sweeps, random_state=key, memory=store.memory()).fit(train)
    found = {}
    for name, theta in zip(READINGS, model.estimates(observed, READINGS), strict=True):
        shown = "CVB0 over the chain's phi" if name == "cvb0" else NAMES[name]
        found[shown] = metrics.perplexity(scored, theta, model.components_)
    dense = clone(model).set_params(phi_estimator="cgs_p").fit(train)  # the same chain, kept a line above
    theta = dense.transform(observed, estimator="cgs_p")
    found["CGS_p over phi_p"] = metrics.perplexity(scored, theta, dense.components_)
    own = LDA(topics, method="cvb0", n_sweeps=cvb0_sweeps, tolerance=tolerance, random_state=key).fit(train)
    found["CVB0"] = metrics.perplexity(scored, own.transform(observed), own.components_)
    return pd.Series(found, name="perplexity").rename_axis("model").reset_index()


@store.experiment("papanikolaou", scales=LEAD, corpora=("debtags", "reuters21578"), reads=read_words)
def lead_completion(corpus, *, run, samples, n_topics, n_sweeps, documents=None, seed):
    """Return the perplexity of completion by the factors of ``labels.lead_labels``, with the same columns."""
    train, test, _ = word_tokens(corpus, documents)
    key = seed_of(seed, "lead", run)
    observed, scored = metrics.halves(test, key)
    model = LDA(n_topics, n_sweeps=n_sweeps, random_state=key).fit(train)
    rows = []
    for n_samples in samples:
        thetas = model.set_params(n_samples=n_samples).estimates(observed, list(FACTORS))
        for name, theta in zip(FACTORS, thetas, strict=True):
            value = metrics.perplexity(scored, theta, model.components_)
            rows.append((name, *FACTORS[name], n_samples, "perplexity", value))
    return pd.DataFrame(rows, columns=["estimator", "summed", "prior", "samples", "measure", "value"])
