"""What topics over labels look like, for one number of topics or several (Rubin et al. 2012, table 2 and note 23).

A label table is CSR bool, documents by labels; learned topics are counts of label tokens (T, C), topics by labels.
"""

import numpy as np
import pandas as pd

from polytopic import metrics
from polytopic.models import chains as model_chains
from polytopic.study import store
from polytopic.study.rubin2012 import systems
from polytopic.study.rubin2012.descriptions import nearest, top, top_table
from polytopic.study.store import Result, experiment
from polytopic.validation import check_name

COUNTS = [50, 100, 200, 400, 1000]  # of topics, as in note 23
SHARES = (0.017, 0.024, 0.016)  # of the label tokens, which table 2's topics have
CORPORA = ("eurlex-labelsets",)
SCALES = systems.scales(split=0, n_topics=COUNTS, rare=25)


@experiment("rubin2012", SCALES, "topics-by-number", CORPORA)
def by_number(corpus, *, n_topics, chains, split, rare, seed):
    """Return ``measure`` of topics learned with a number of topics: a row for each chain, its number in ``chain``."""
    Y, held_out, _ = halves(corpus, split)
    rows = [measure(counts, Y, held_out, rare) for counts in train(Y, n_topics, chains, seed)]
    return pd.DataFrame(rows).rename_axis("chain").reset_index()


@experiment("rubin2012", systems.scales(split=0, n_topics=200, shares=SHARES), "topic-examples", CORPORA)
def examples(corpus, *, n_topics, chains, split, shares, seed):
    """Return ``describe`` of the first chain's topics nearest to some shares; a note says how many there are."""
    Y, _, label_names = halves(corpus, split)
    n_topics = min(n_topics, Y.shape[1])
    counts = train(Y, n_topics, chains, seed)[0]
    examples = nearest(counts.sum(axis=1) / counts.sum(), shares)
    table = describe(counts, examples, label_names, pseudocount(Y, n_topics))
    return Result(table, notes={"n_topics": n_topics})


def halves(corpus, split=0):
    """Return the label tables of the training and the test documents, and the labels' names.

    Only labels with a training document, and documents with labels. A corpus without splits gets a seeded one, with
    nine tenths of its documents to train on, as in the ten-fold splits of the paper's EUR-Lex.
    """
    if not corpus.splits:
        corpus = corpus.with_splits(n_splits=split + 1, train_fraction=0.9)
    parts = corpus.split(split)
    seen = np.flatnonzero(parts[0].label_frequencies)
    tables = [part.labels[np.diff(part.labels.indptr) > 0][:, seen] for part in parts]
    return *tables, [corpus.label_names[label] for label in seen]


def train(Y, n_topics, scale="quick", seed=0):
    """Return the counts of each chain's topics, learned as for Dependency-LDA: one topic, one row.

    Y (D, C) is the label table. gamma is the paper's .01, beta_c is ``pseudocount``. Chains are kept in the cache.
    Raises ValueError for an unknown scale and for fewer than one topic.
    """
    check_name("scale", scale, systems.CHAINS)
    if n_topics < 1:
        raise ValueError(f"n_topics must be at least 1, got {n_topics}")
    chains, run = systems.CHAINS[scale]["topics"], model_chains.Run(None, store.memory(), verbose=1)
    lengths = chains["n_topic_chains"], chains["n_topic_sweeps"]
    given = Y.sorted_indices(), n_topics, 0.01, pseudocount(Y, n_topics), *lengths, seed, run
    return [counts.toarray() for counts in model_chains.train_topics(*given)]


def pseudocount(Y, n_topics):
    """Return beta_c for a label table: a tenth of its label tokens, shared out over topics and labels (B.1)."""
    return Y.nnz / 10 / n_topics / Y.shape[1]


def describe(counts, topics, label_names, beta, n=10):
    """Return the most probable labels of some topics: columns topic, share, place, label, value.

    share is the topic's part of all label tokens, value the label's smoothed probability (Eq. 6); beta is the
    pseudocount of a label. Ties keep the columns' order; labels without a token on a topic are left out.
    """
    table = top_table(counts[topics], n)
    topic, names = np.array(topics)[table["row"]], np.array(label_names, object)[table["column"]]
    sizes = counts.sum(axis=1)[topic]
    probability = (table["value"] + beta) / (sizes + beta * counts.shape[1])
    found = {"topic": topic, "share": sizes / counts.sum(), "place": table["place"]}
    return pd.DataFrame(found | {"label": names, "value": probability})


def measure(counts, Y, held_out, rare=25, n=10, alike=0.5, pairs_of=5):
    """Return what note 23 says of topics, in numbers, as a mapping.

    Y is the label table that the topics were learned from and held_out another. Topics without a token are left out.
    Rare labels have fewer than ``rare`` documents in Y (the note: 25).

    used           topics with a token
    rare_places    share of rare labels in the topics' top ``n`` places
    rare_shown     share of the rare labels that are in the top n of some topic
    repeated       share of topics that share at least ``alike`` of their probability with another topic: the sum
                   over labels of the smaller of the two, without smoothing
    median_size    label tokens of the median topic: at most so many documents can have one on it
    smallest_size  label tokens of the smallest topic
    coherence      ``coherence`` in held_out of each topic's first ``pairs_of`` labels
    dealt          the same where place i of every topic is taken from the topic i places further on
    """
    counts = counts[counts.any(axis=1)]
    sizes, is_rare = counts.sum(axis=1), Y.getnnz(axis=0) < rare
    tops = [top(own, n) for own in counts]
    places = np.concatenate(tops)
    first = [own[:pairs_of] for own in tops]
    return {
        "used": len(sizes),
        "rare_places": is_rare[places].mean(),
        "rare_shown": is_rare[np.unique(places)].sum() / max(1, is_rare.sum()),
        "repeated": float((_shared(counts * (1 / sizes[:, None])) >= alike).mean()),
        "median_size": float(np.median(sizes)),
        "smallest_size": int(sizes.min()),
        "coherence": coherence(first, held_out),
        "dealt": coherence(_dealt(first), held_out),
    }


def _shared(phi):
    """Return the largest probability that each topic shares with another one, (T,)."""
    overlaps = (np.minimum(phi[:, own > 0], own[own > 0]).sum(axis=1) for own in phi)
    return np.array([np.delete(overlap, t).max(initial=0) for t, overlap in enumerate(overlaps)])


def _dealt(tops):
    """Return the lists with place i of each taken from the list i places further on, as far as it reaches."""
    dealt = []
    for t, own in enumerate(tops):
        others = (tops[(t + place) % len(tops)] for place in range(len(own)))
        dealt.append([other[place] for place, other in enumerate(others) if place < len(other)])
    return dealt


def coherence(tops, Y):
    """Return the mean ``metrics.npmi`` of the pairs of labels within the lists, all pairs alike; NaN without a pair.

    Y (D, C) are the documents to judge by. A label twice in a list and labels without a document are left out.
    """
    frequency = Y.getnnz(axis=0)
    lists = [[label for label in dict.fromkeys(own) if frequency[label]] for own in tops]
    pairs = [len(own) * (len(own) - 1) / 2 for own in lists]
    return float(np.average(np.nan_to_num(metrics.npmi(lists, Y)), weights=pairs)) if any(pairs) else np.nan
