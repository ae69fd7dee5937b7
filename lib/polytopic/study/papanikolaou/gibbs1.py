"""Gibbs1: topics of unseen documents beside those of a model that saw them (4.2.2, figures 1, 5 and 6)."""

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic import metrics
from polytopic.models import LDA, topic_chains
from polytopic.models.estimators import distribution
from polytopic.models.lda import phi_of
from polytopic.streams import stream, word64
from polytopic.study import store
from polytopic.study.papanikolaou.words import NAMES, read_words, seed_of, word_tokens
from polytopic.study.stored import Kept

ADDED, DROPPED = "prior added", "prior dropped"  # how model F is read
READINGS = ["cgs", "cgs_z", "cgs_p", "cgs_p_z", "cgs_rb"]
SHOWN_TOPICS, SHOWN_WORDS = 2, 15  # as in figure 1
SCALES = {
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
    scales=SCALES,
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
    for name, theta in zip(READINGS, model.estimates(test, READINGS), strict=True):
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
