"""What is computed of words: completion, the likelihood of training documents, Gibbs1 (section 4), and table 3."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.models import LDA, topic_chains
from polytopic.models.estimators import ESTIMATORS, PRINTED, distribution
from polytopic.models.lda import Responsibilities, phi_of, training_sums
from polytopic.streams import stream, word64
from polytopic.study import store
from polytopic.study.store import Result

NAMES = PRINTED | {"cgs_rb": "CGS_rb", "hybrid": "CGS then CVB0"}
FACTORS = {  # what an estimator sums up, and what becomes of the prior
    "cgs": ("topics", "added"),
    "cgs_z": ("topics", "dropped"),
    "cgs_p_prior": ("own count kept", "added"),
    "cgs_p": ("own count kept", "dropped"),
    "cgs_rb": ("own count left out", "added"),
    "cgs_rb_z": ("own count left out", "dropped"),
}
LABEL_TOKENS = "-labels"  # the ending of a corpus whose words are another corpus's labels
LEAST, MOST = 10, 1000  # uses of a word in Reuters that the paper keeps
MOST_TEST_DOCUMENTS = 1000
TOPICS = [20, 50, 75, 100, 200, 300, 500]  # of figures 2, 5 and 6


def read_words(name):
    """Return a corpus by name; one that ends in ``-labels`` has the labels of the other as its words."""
    corpus = load_corpus(name.removesuffix(LABEL_TOKENS))
    if not name.endswith(LABEL_TOKENS):
        return corpus
    counts = corpus.labels.astype(np.int32)
    return replace(corpus, counts=counts, vocabulary=corpus.label_names, name=name, real_valued=False)


def seed_of(seed, *purpose):
    """Return a seed of 31 bits for one purpose."""
    return int(word64(seed, *purpose) >> np.uint64(33))


def word_tokens(corpus, documents=None):
    """Return (train, test, vocabulary) of a corpus without its labels: CSR counts and a tuple of words.

    ``reuters21578`` is the paper's selection (4.1.2): the first 10,000 and the next 1,000 stories, words used 10 to
    1,000 times in all of them. Other corpora take their first split and 1,000 test documents at most. ``documents``
    are the number kept for training; a tenth as many are for the test. Documents without words are left out.
    """
    of_reuters = corpus.name.removesuffix(LABEL_TOKENS) == "reuters21578"
    train, test = (side.counts for side in corpus.split("first11000" if of_reuters else 0))
    n_test = MOST_TEST_DOCUMENTS if documents is None else min(MOST_TEST_DOCUMENTS, documents // 10)
    train, test = train[:documents], test[:n_test]
    uses, least, most = train.sum(axis=0).A1, 1, np.inf
    if corpus.name == "reuters21578":
        uses, least, most = uses + test.sum(axis=0).A1, LEAST, MOST
    kept = np.flatnonzero((uses >= least) & (uses <= most))
    train, test = (table[:, kept] for table in (train, test))
    train, test = (table[table.getnnz(axis=1) > 0] for table in (train, test))
    return train, test, tuple(np.array(corpus.vocabulary, object)[kept])


def on_words_and_labels(which, corpus, scale, seed):
    """Return what an experiment gives on a corpus's words and on its labels as words, one below the other."""
    names = (corpus, corpus + LABEL_TOKENS)
    return pd.concat([store.collect(which, name, scale, seed) for name in names], ignore_index=True)


CORPORA = "reuters21578", "debtags", "bills-109", "stackex-cooking"
experiment = partial(store.experiment, "papanikolaou", corpora=CORPORA, reads=read_words)


@experiment({"quick": {}, "paper": {}}, corpora=("reuters21578",))
def word_statistics(corpus):
    """Return table 3 of all that ``word_tokens`` gives, at any scale: columns statistic, value.

    Statistics: train_documents, test_documents, train_length (mean tokens), train_word_types (in training documents).
    """
    train, test, _ = word_tokens(corpus)
    values = {
        "train_documents": train.shape[0],
        "test_documents": test.shape[0],
        "train_length": train.sum() / train.shape[0],
        "train_word_types": np.count_nonzero(train.getnnz(axis=0)),
    }
    return pd.Series(values, dtype=float, name="value").rename_axis("statistic").reset_index()


# Document completion: half of each unseen document is observed, the other half scored (4.3.1, figure 2)

COMPLETED = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb", "hybrid", "cvb0"]
PERPLEXITY = {
    "quick": {"run": range(3), "topics": [10, 20, 40], "n_sweeps": 40, "cvb0_sweeps": 30, "documents": 1500},
    "paper": {"run": range(5), "topics": TOPICS, "n_sweeps": 500, "cvb0_sweeps": 500},
}
LEAD = {
    "quick": {"run": range(2), "samples": (1, 5, 20), "n_topics": 40, "n_sweeps": 60, "documents": 500},
    "paper": {"run": range(5), "samples": (1, 5, 20, 100), "n_topics": 100, "n_sweeps": 500},
}  # fmt: skip


@experiment(PERPLEXITY, corpora=(*CORPORA, "debtags" + LABEL_TOKENS))
def perplexity(corpus, *, run, topics, n_sweeps, cvb0_sweeps, tolerance=1e-3, documents=None, seed):
    """Return the perplexity by document completion: columns model, perplexity.

    A run trains one chain and one CVB0 (``tolerance`` as LDA's) on the same documents, and draws the halves of the
    test documents anew. The models: the paper's four estimators and CVB0; CGS_rb; CVB0 over the chain's phi, from a
    random start and from where the chain ends ("CGS then CVB0"); and CGS_p over phi_p of the journal version.
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


@experiment(LEAD)
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
    "quick": {"run": range(1), "topics": [20, 100], "n_sweeps": 20, "documents": 300},
    "paper": {"run": range(5), "topics": [50, 100, 200, 300, 500], "n_sweeps": 50, "documents": 4750},
}
BLENDING = {
    "quick": {"run": range(1), "topics": [100], "n_sweeps": 30, "switches": (4, 10, 20), "documents": 300},
    "paper": {"run": range(5), "topics": [300], "n_sweeps": 50, "switches": (5, 10, 20, 30), "documents": 4750},
}  # fmt: skip


def curves(corpus, *, run, topics, n_sweeps, documents, switches=(), seed):
    """Return the log-likelihood per token over sweeps: columns model, sweep, value. CGS and CGS_p are the same chain,
    read in two ways; CVB0 starts at random, and after each of ``switches`` another takes over the chain's state.
    """
    X = word_tokens(corpus, documents)[0]
    alpha, n_tokens, rows = np.full(topics, PRIOR), X.sum(), []
    chain = topic_chains.Chain(X, topics, alpha, PRIOR, word64(seed, "convergence", topics, run))
    start = word64(seed, "convergence", "cvb0", topics, run)
    states = {"CVB0": Responsibilities(X, alpha, PRIOR, start)}
    for sweep in range(1, n_sweeps + 1):
        z = chain.advance(1).assignments()
        phi = phi_of(X, z, topics, alpha, PRIOR)
        sums, found = training_sums(X, z, phi, alpha), {}
        for name in ("cgs", "cgs_p"):
            recipe = ESTIMATORS[name]
            found[NAMES[name]] = distribution(getattr(sums, recipe.summed), alpha, recipe.adds_prior), phi
        for name, state in states.items():
            state.sweep()
            found[name] = state.theta(), state.phi()
        rows += [(name, sweep, metrics.log_likelihood(X, *fit) / n_tokens) for name, fit in found.items()]
        if sweep in switches:
            states[f"CVB0 after {sweep}"] = Responsibilities(X, alpha, PRIOR, z=z)
    return pd.DataFrame(rows, columns=["model", "sweep", "value"])


convergence = experiment(CONVERGENCE, "convergence")(curves)
blending = experiment(BLENDING, "blending")(curves)


# Topics of unseen documents beside those of a model that saw them (4.2.2, figures 1, 5 and 6)

ADDED, DROPPED = "prior added", "prior dropped"  # how model F is read
INFERRED = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb"]
SHOWN_TOPICS, SHOWN_WORDS = 2, 15  # as in figure 1
GIBBS1 = {
    "quick": {"run": range(3), "topics": [10, 20, 40], "n_sweeps": 100, "later": 80, "burn_in": 20,
              "documents": 1000},
    "paper": {"run": range(5), "topics": TOPICS, "n_sweeps": 5000, "later": 2600, "burn_in": 100},
}  # fmt: skip


@experiment(
    GIBBS1,
    corpora=("reuters21578", "debtags", "debtags-labels", "bills-109", "bills-109-labels"),
)
def gibbs1(corpus, *, run, topics, n_sweeps, later, burn_in, lag=5, documents=None, seed):
    """Return JS-divergence and Macro-F1 of the leading topics: columns model, benchmark, measure, value.

    The benchmark is theta of the test documents in model F, averaged over samples: with the prior added (Eq. 3), and
    with the prior dropped. Table "topics" is figure 1: columns topic, place, word_i, p_i, word_f, p_f.
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
    return Result(pd.DataFrame(rows, columns=columns), {"topics": _side_by_side(model, final, vocabulary)})


def _final_model(model, train, test, key):
    """Go on with the test documents added; return their mean tokens by topic, (D, T), and the last phi, (T, W)."""
    both = sparse.vstack([train, test], "csr")
    drawn = stream(key, "test topics").integers(0, model.n_topics, int(test.sum()))
    start, name = np.concatenate([model.assignments_, drawn.astype(np.uint16)]), word64(key, "final")
    chain = topic_chains.Chain(both, model.n_topics, model.alpha, model.beta_w, name, start=start)
    counted = np.zeros((test.shape[0], model.n_topics))
    for sample in range(model.n_samples):
        chain.advance(model.lag if sample else model.burn_in)
        counted += chain.counts().document_topics[train.shape[0] :].toarray()
    alpha = np.full(model.n_topics, model.alpha)
    return counted / model.n_samples, phi_of(both, chain.assignments(), model.n_topics, alpha, model.beta_w)


def _side_by_side(model, final, vocabulary):
    """Return the top words of the topics with the most tokens in I and in F side by side (figure 1)."""
    sizes = np.bincount(model.assignments_, minlength=model.n_topics)
    rows = []
    for topic in np.argsort(-sizes, kind="stable")[:SHOWN_TOPICS]:
        first, last = model.components_[topic], final[topic]
        order = (np.argsort(-phi, kind="stable")[:SHOWN_WORDS] for phi in (first, last))
        for place, (w, v) in enumerate(zip(*order, strict=True), 1):
            rows.append((int(topic), place, vocabulary[w], first[w], vocabulary[v], last[v]))
    return pd.DataFrame(rows, columns=["topic", "place", "word_i", "p_i", "word_f", "p_f"])
