"""What topics over labels look like, for one number of topics or several (Rubin et al. 2012, table 2 and note 23)."""

import itertools

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.models import chains as model_chains
from polytopic.study import store
from polytopic.study.rubin2012 import systems
from polytopic.study.rubin2012.descriptions import nearest, top
from polytopic.study.store import experiment
from polytopic.study.stored import Kept
from polytopic.validation import check_name

GAMMA = 0.01
TRAIN_SHARE = 0.9  # of a corpus without splits, as in the ten-fold splits of the paper's EUR-Lex
COUNTS = [50, 100, 200, 400, 1000]  # of topics, as in note 23
SHARES = (0.017, 0.024, 0.016)  # of the label tokens, which table 2's topics have
CORPORA = ("eurlex-labelsets",)
MEASURES = ("rare_places", "rare_shown", "repeated", "median_size", "smallest_size", "coherence", "dealt")


@experiment(
    "rubin2012",
    systems.scales(split=0, n_topics=COUNTS, rare=25),
    "topics-by-number",
    CORPORA,
    cost=lambda n_topics, **_: n_topics,
)
def by_number(corpus, *, n_topics, chains, split, rare, seed):
    """Return ``measure`` of topics learned with a number of topics: a row for each chain, its number in ``chain``."""
    train_labels, held_out = halves(corpus, split)
    learned = train(train_labels, n_topics, chains, seed)
    rows = [measure(counts, train_labels, held_out, rare) for counts in learned]
    return pd.DataFrame(rows).rename_axis("chain").reset_index()


@experiment("rubin2012", systems.scales(split=0, n_topics=200, shares=SHARES), "topic-examples", CORPORA)
def examples(corpus, *, n_topics, chains, split, shares, seed):
    """Return ``describe`` of the first chain's topics nearest to some shares of the label tokens.

    n_topics is cut to the number of labels, and a note says to how many.
    """
    train_labels, _ = halves(corpus, split)
    n_topics = min(n_topics, np.count_nonzero(train_labels.getnnz(axis=0)))
    counts = train(train_labels, n_topics, chains, seed)[0]
    chosen = nearest(shares_of(counts), shares)
    table = describe(counts, chosen, corpus.label_names, pseudocount(train_labels, n_topics))
    return Kept(table, notes={"n_topics": n_topics})


def halves(corpus, split=0):
    """Return the label tables (D, C) of the training and the test documents, those without labels left out.

    A corpus without splits gets a seeded one, with nine tenths of its documents to train on.
    """
    if not corpus.splits:
        corpus = corpus.with_splits(n_splits=split + 1, train_fraction=TRAIN_SHARE)
    return [one.labels[np.diff(one.labels.indptr) > 0] for one in corpus.split(split)]


def train(Y, n_topics, scale="quick", seed=0):
    """Return the label tokens (T, C) of each chain's topics, learned as for Dependency-LDA: one topic, one row.

    Y (D, C) CSR bool. gamma is the paper's .01; beta_c is such that all topics' pseudocounts come to a tenth
    of the label tokens whatever the number of topics (B.1). Chains are kept in the cache. Raises ValueError
    for an unknown scale and for fewer than one topic.
    """
    check_name("scale", scale, systems.CHAINS)
    if n_topics < 1:
        raise ValueError(f"n_topics must be at least 1, got {n_topics}")
    seen = np.flatnonzero(Y.getnnz(axis=0))
    labels = sparse.csr_matrix(Y[:, seen])
    labels.sort_indices()
    settings = systems.CHAINS[scale]["topics"]
    found = model_chains.train_topics(
        labels,
        n_topics,
        GAMMA,
        pseudocount(labels, n_topics),
        settings["n_topic_chains"],
        settings["n_topic_sweeps"],
        seed,
        model_chains.Run(None, store.memory(), verbose=1),
    )
    back = sparse.identity(Y.shape[1], np.int64, "csr")[seen]
    return [sparse.csr_matrix(counts @ back) for counts in found]


def pseudocount(Y, n_topics):
    """Return beta_c for a label table: a tenth of its label tokens, shared out over topics and labels (B.1)."""
    used = np.count_nonzero(np.asarray(Y.sum(axis=0)).ravel())
    return Y.nnz / 10 / n_topics / used


def top_labels(counts, n=10):
    """Return the labels (columns) with most tokens in each topic, a list of arrays of at most n.

    counts (T, C) CSR. Ties keep the columns' order; labels without a token are left out.
    """
    return [top(row, n) for row in counts.toarray()]


def shares_of(counts):
    """Return each topic's part of all label tokens, (T,), of counts (T, C)."""
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    return sizes / sizes.sum()


def describe(counts, topics, label_names, beta, n=10):
    """Return the most probable labels of some topics: columns topic, share, place, label, value.

    share is the topic's part of all label tokens, value the label's smoothed probability (Eq. 6) over the
    labels that have a token in any topic; beta is the pseudocount of a label.
    """
    used, shares, rows = np.count_nonzero(counts.sum(axis=0)), shares_of(counts), []
    for topic, own in zip(topics, counts[topics].toarray(), strict=True):
        probability = (own + beta) / (own.sum() + beta * used)
        for place, label in enumerate(top(own, n), 1):
            rows.append((int(topic), shares[topic], place, label_names[label], float(probability[label])))
    return pd.DataFrame(rows, columns=["topic", "share", "place", "label", "value"])


# Note 23


def measure(counts, Y, held_out, rare=25, n=10, alike=0.5, pairs_of=5):
    """Return what note 23 says of topics, in numbers, as a mapping of MEASURES.

    counts (T, C) are label tokens, Y (D, C) the documents that they were learned from and held_out (E, C)
    others. Topics without a token are left out, whose number is ``n_topics`` less ``used``. Rare labels have
    fewer than ``rare`` training documents (the note: 25).

    rare_places    share of rare labels in the topics' top ``n`` places
    rare_shown     share of the rare labels that are in the top n of some topic
    repeated       share of topics that share at least ``alike`` of their probability with another topic
    median_size    label tokens of the median topic: at most so many documents can have one on it
    smallest_size  label tokens of the smallest topic
    coherence      mean normalised pointwise mutual information (Bouma 2009) in held-out documents of the pairs
                   among a topic's first ``pairs_of`` labels, -1 for a pair that never meets
    dealt          the same where place i of every topic is taken from the topic i places further on

    Shared probability is the sum over labels of the smaller of the two, without smoothing.
    """
    sizes, frequency = (np.asarray(table).ravel() for table in (counts.sum(axis=1), Y.sum(axis=0)))
    counts, sizes = sparse.csr_matrix(counts[sizes > 0]), sizes[sizes > 0]
    is_rare = (frequency > 0) & (frequency < rare)
    tops = top_labels(counts, n)
    places = np.concatenate(tops)
    rare_top = np.unique(places[is_rare[places]])
    first = [own[:pairs_of] for own in tops]
    return {
        "used": len(sizes),
        "rare_places": is_rare[places].mean(),
        "rare_shown": rare_top.size / max(1, is_rare.sum()),
        "repeated": float((_nearest(counts) >= alike).mean()),
        "median_size": float(np.median(sizes)),
        "smallest_size": int(sizes.min()),
        "coherence": coherence(first, held_out),
        "dealt": coherence(_dealt(first), held_out),
    }


def _nearest(counts):
    """Return the largest probability that each topic shares with another one, (T,)."""
    phi = counts.multiply(1 / counts.sum(axis=1)).toarray()
    shared = np.zeros(len(phi))
    for t, own in enumerate(phi):
        labels = np.flatnonzero(own)
        overlap = np.minimum(phi[:, labels], own[labels]).sum(axis=1)
        overlap[t] = 0
        shared[t] = overlap.max(initial=0)
    return shared


def _dealt(tops):
    """Return the lists with place i of each taken from the list i places further on, as far as it reaches."""
    dealt = []
    for t in range(len(tops)):
        others = (tops[(t + place) % len(tops)] for place in range(len(tops[t])))
        dealt.append([own[place] for place, own in enumerate(others) if place < len(own)])
    return dealt


def coherence(tops, Y):
    """Return the mean normalised pointwise mutual information of the pairs within each list, over all pairs.

    Y (D, C) are the documents to judge by. A pair that never meets counts -1, two labels that are always
    together, and in all documents, 1; a label twice in a list and labels without a document are left out. NaN
    without a pair.
    """
    Y = sparse.csc_matrix(Y).astype(np.int64)
    frequency, total = np.asarray(Y.sum(axis=0)).ravel(), Y.shape[0]
    used = [dict.fromkeys(label for label in own if frequency[label]) for own in tops]
    pairs = np.array([pair for own in used for pair in itertools.combinations(own, 2)], int)
    if not pairs.size:
        return np.nan
    both = np.asarray(sparse.csr_matrix(Y.T @ Y)[tuple(pairs.T)]).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(both * total / frequency[pairs].prod(axis=1)) / -np.log(both / total)
    return float(np.select([both == 0, both == total], [-1.0, 1.0], information).mean())


def mean_by_number(table, by=("n_topics",), measures=("used", *MEASURES)):
    """Return ``by_number`` averaged over chains: a row per number of topics, with the number of chains."""
    grouped = table.groupby(list(by))
    return grouped[list(measures)].mean().assign(chains=grouped.size()).reset_index()


def coherences(*tables):
    """Return the coherence of ``by_number`` beside that of dealt labels: a row per corpus and number of topics."""
    together = pd.concat([table for table in tables if len(table)], ignore_index=True)
    return mean_by_number(together, ["corpus", "scale", "n_topics"], ["coherence", "dealt"])
