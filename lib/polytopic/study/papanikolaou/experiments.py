"""What is computed of words: document completion, the likelihood of training documents, and Gibbs1 (section 4)."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from polytopic import metrics
from polytopic.models import LDA, topic_chains
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.lda import Responsibilities, phi_of, training_sums
from polytopic.streams import stream, word64
from polytopic.study import store
from polytopic.study.papanikolaou.words import FACTORS, NAMES, read_words, seed_of, word_tokens
from polytopic.study.stored import Kept

# Document completion: half of each unseen document is observed, the other half scored (4.3.1, figure 2)

COMPLETED = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "hybrid", "cvb0"]
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
    for name, theta in zip(COMPLETED, model.estimates(observed, COMPLETED), strict=True):
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


# The training documents' log-likelihood over sweeps (4.3.2, figures 3 and 4)

PRIOR = 0.1  # of theta per topic and of phi per word
CONVERGENCE = {
    "quick": {"run": range(1), "topics": [20, 100], "n_sweeps": 20, "documents": 800},
    "medium": {"run": range(5), "topics": [50, 200], "n_sweeps": 50, "documents": 1200},
    "paper": {"run": range(5), "topics": [50, 100, 200, 300, 500], "n_sweeps": 50, "documents": 4750},
}
BLENDING = {
    "quick": {"run": range(1), "topics": [100], "n_sweeps": 30, "switches": (4, 10, 20), "documents": 800},
    "medium": {"run": range(5), "topics": [200], "n_sweeps": 50, "switches": (5, 10, 20, 30), "documents": 1200},
    "paper": {"run": range(5), "topics": [300], "n_sweeps": 50, "switches": (5, 10, 20, 30), "documents": 4750},
}  # fmt: skip


def curves(corpus, *, run, topics, n_sweeps, documents, switches=(), seed):
    """Return the log-likelihood per token over sweeps: columns model, sweep, value.

    CGS and CGS_p are the same chain, theta read in two ways; CVB0 starts at random, and after each sweep of
    ``switches`` another one takes over the chain's state.
    """
    X = word_tokens(corpus, documents)[0]
    alpha, n_tokens = np.full(topics, PRIOR), X.sum()
    rows, carried = [], {}
    chain = topic_chains.Chain(X, topics, alpha, PRIOR, word64(seed, "convergence", topics, run))
    variational = Responsibilities(X, alpha, PRIOR, word64(seed, "convergence", "cvb0", topics, run))
    for sweep in range(1, n_sweeps + 1):
        z = chain.advance(1).assignments()
        phi = phi_of(X, z, topics, alpha, PRIOR)
        sums = training_sums(X, z, phi, alpha)
        for name in ("cgs", "cgs_p"):
            recipe = ESTIMATORS[name]
            theta = distribution(getattr(sums, recipe.summed), alpha, recipe.adds_prior)
            rows.append((NAMES[name], sweep, metrics.log_likelihood(X, theta, phi) / n_tokens))
        states = {"CVB0": variational} | {f"CVB0 after {switch}": state for switch, state in carried.items()}
        for name, state in states.items():
            state.sweep()
            fit = metrics.log_likelihood(X, state.theta(), state.phi())
            rows.append((name, sweep, fit / n_tokens))
        if sweep in switches:
            carried[sweep] = Responsibilities(X, alpha, PRIOR, z=z)
    return pd.DataFrame(rows, columns=["model", "sweep", "value"])


STORED = {"corpora": ("debtags", "reuters21578"), "reads": read_words, "cost": lambda topics, **rest: topics}
convergence = store.experiment("papanikolaou", CONVERGENCE, "convergence", **STORED)(curves)
blending = store.experiment("papanikolaou", BLENDING, "blending", **STORED)(curves)


# Topics of unseen documents beside those of a model that saw them (4.2.2, figures 1, 5 and 6)

ADDED, DROPPED = "prior added", "prior dropped"  # how model F is read
INFERRED = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb"]
SHOWN_TOPICS, SHOWN_WORDS = 2, 15  # as in figure 1
GIBBS1 = {
    "quick": {"run": range(2), "topics": [10, 40], "n_sweeps": 100, "later": 80, "burn_in": 20, "documents": 1000},
    "medium": {
        "run": range(5), "topics": [20, 50, 100], "n_sweeps": 200, "later": 200, "burn_in": 100,
        "documents": 2000,
    },
    "paper": {
        "run": range(5), "topics": [20, 50, 75, 100, 200, 300, 500], "n_sweeps": 5000, "later": 2600,
        "burn_in": 100,
    },
}  # fmt: skip


@store.experiment(
    "papanikolaou",
    scales=GIBBS1,
    corpora=("debtags", "debtags-labels", "reuters21578"),
    reads=read_words,
    cost=lambda n_sweeps, later, topics, **rest: 300 * (n_sweeps + later) + topics * later,
)
def gibbs1(corpus, *, run, topics, n_sweeps, later, burn_in, lag=5, documents=None, seed):
    """Return JS-divergence and Macro-F1 of the leading topics: columns model, benchmark, measure, value.

    The benchmark is theta of the test documents in model F, averaged over samples: with the prior added (Eq. 3), and
    with the prior dropped. Table "topics": figure 1, ``_side_by_side``.
    """
    train, test, vocabulary = word_tokens(corpus, documents)
    key = seed_of(seed, "gibbs1", run)
    timing = {"n_sweeps": n_sweeps, "burn_in": burn_in, "n_samples": (later - burn_in) // lag + 1, "lag": lag}
    model = LDA(topics, alpha=0.5 / topics, beta_w=0.01, random_state=key, **timing).fit(train)
    counted, final = _final_model(model, train, test, key)
    rows = []
    for name, theta in zip(INFERRED, model.estimates(test, INFERRED), strict=True):
        for one in (ADDED, DROPPED):
            benchmark = distribution(counted, np.full(topics, model.alpha), adds_prior=one == ADDED)
            measures = {"js_divergence": metrics.js_divergence, "macro_f1": metrics.leading_topics_f1}
            rows += [(NAMES[name], one, told, by(benchmark, theta).mean()) for told, by in measures.items()]
    columns = ["model", "benchmark", "measure", "value"]
    return Kept(pd.DataFrame(rows, columns=columns), {"topics": _side_by_side(model, final, vocabulary)})


def _final_model(model, train, test, key):
    """Go on from the model's chain with the test documents added: their tokens by topic (D, T), the mean over the
    samples, and phi (T, W) of the last state.
    """
    both = sparse.csr_matrix(sparse.vstack([train, test]))
    drawn = stream(key, "test topics").integers(0, model.n_topics, int(test.sum()))
    start = np.concatenate([model.assignments_, drawn.astype(np.uint16)])
    name = word64(key, "final")
    chain = topic_chains.Chain(both, model.n_topics, model.alpha, model.beta_w, name, start=start)
    chain.advance(model.burn_in)
    counted = np.zeros((test.shape[0], model.n_topics))
    for sample in range(model.n_samples):
        counted += chain.counts().document_topics[train.shape[0] :].toarray()
        if sample + 1 < model.n_samples:
            chain.advance(model.lag)
    alpha = np.full(model.n_topics, model.alpha)
    return counted / model.n_samples, phi_of(both, chain.assignments(), model.n_topics, alpha, model.beta_w)


def _side_by_side(model, final, vocabulary):
    """Return the top words of topics in I and in F side by side (figure 1): columns topic, place, word_i, p_i,
    word_f, p_f. They are the topics with the most tokens.
    """
    sizes = np.bincount(model.assignments_, minlength=model.n_topics)
    rows = []
    for topic in np.argsort(-sizes, kind="stable")[:SHOWN_TOPICS]:
        first, last = model.components_[topic], final[topic]
        order = (np.argsort(-phi, kind="stable")[:SHOWN_WORDS] for phi in (first, last))
        for place, (w, v) in enumerate(zip(*order, strict=True), 1):
            rows.append((int(topic), place, vocabulary[w], first[w], vocabulary[v], last[v]))
    return pd.DataFrame(rows, columns=["topic", "place", "word_i", "p_i", "word_f", "p_f"])
