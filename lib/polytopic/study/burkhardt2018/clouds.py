"""Words of labels, labels of topics, and both of the reversed model's topics, as clouds show them.

Burkhardt & Kramer (2018), figures 1 to 4 and 10.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from polytopic.metrics import js_divergence
from polytopic.models import AuthorTopicLDA, SCVBDependency
from polytopic.study.burkhardt2018.protocol import N_TOPICS, experiment, parts, seed_of
from polytopic.study.stored import Kept

TERMS = 30  # that a cloud shows
OF_LABELS, OF_TOPICS = "words of labels", "labels of topics"
REVERSED_WORDS, REVERSED_LABELS = "words of reversed topics", "labels of reversed topics"
SHOWN = {OF_LABELS: TERMS, OF_TOPICS: TERMS, REVERSED_WORDS: TERMS, REVERSED_LABELS: 10}
KEPT = 12  # clouds of a kind
PLACES = 10  # terms whose coherence is counted
CLOUDS = {
    "quick": {"passes": 5, "sweeps": 30, "n_topics": 20, "documents": 1000},
    "paper": {"passes": 100, "sweeps": 200, "n_topics": N_TOPICS},
}


@experiment(CLOUDS, corpora=("debtags", "bibtex", "delicious"))
def described(corpus, *, passes, sweeps, n_topics, documents=None, seed):
    """Return the first terms of the largest labels and topics: columns kind, cloud, place, term, weight.

    OF_LABELS and OF_TOPICS are of SCVB-Dep. after so many passes with the program's steps, REVERSED_WORDS and
    REVERSED_LABELS of the author-topic model after so many sweeps of one chain. weight is the term's probability; a
    label's size is its training documents, a topic's the tokens that it holds. The models know all words; those that
    say nothing are not shown, see ``telling``. Table "apart": steps, value, the mean JS divergence between two topics
    of SCVB-Dep. Table "coherence": kind, clouds, value, the mean over clouds of the normalised pointwise mutual
    information of the first words, in the test documents.
    """
    train, test = parts(corpus, documents, seed)
    key, given = seed_of(seed, "clouds"), (train.counts, train.labels)
    words, labels = np.array(train.vocabulary, object), np.array(train.label_names, object)
    kept = telling(words)
    topics = np.array([f"topic {number}" for number in range(1, n_topics + 1)], object)
    models = {
        steps: SCVBDependency(n_topics, n_passes=passes, steps=steps, random_state=key).fit(*given)
        for steps in ("paper", "program")
    }
    online = models["program"]
    turned = AuthorTopicLDA(n_topics, n_chains=1, n_sweeps=sweeps, random_state=key).fit(*given)
    held = turned.counts_[0].topic_labels.sum(axis=1).A1
    of_labels = online.label_word_distributions()[:, kept]
    kinds = {
        OF_LABELS: (of_labels, train.label_frequencies, labels, words[kept]),
        OF_TOPICS: (online.topic_label_distributions(), online.state_.topic_totals, topics, labels),
        REVERSED_WORDS: (turned.topic_word_distributions()[:, kept], held, topics, words[kept]),
        REVERSED_LABELS: (turned.topic_label_shares(), held, topics, labels),
    }
    rows = [(kind, *row) for kind, of_kind in kinds.items() for row in _first(*of_kind, SHOWN[kind])]
    told = {
        "apart": pd.DataFrame(
            [(steps, apart(model.topic_label_distributions())) for steps, model in models.items()],
            columns=["steps", "value"],
        ),
        "coherence": coherence(
            {kind: kinds[kind][0] for kind in (OF_LABELS, REVERSED_WORDS)}, test.counts[:, kept]
        ),
    }
    return Kept(pd.DataFrame(rows, columns=["kind", "cloud", "place", "term", "weight"]), told)


def _first(distributions, sizes, clouds, terms, n):
    """Yield (cloud, place, term, weight) of the n first terms of the KEPT largest clouds; ties keep their order."""
    for cloud in np.argsort(-np.asarray(sizes), kind="stable")[:KEPT]:
        own = distributions[cloud]
        for place, term in enumerate(np.argsort(-own, kind="stable")[:n], 1):
            yield clouds[cloud], place, terms[term], own[term]


def telling(words):
    """Return which words to show (W,) bool: not scikit-learn's English stop words, numbers, one or two letters."""
    return np.array([len(w) > 2 and not w.isdigit() and w.lower() not in ENGLISH_STOP_WORDS for w in words])


def apart(distributions):
    """Return the mean Jensen-Shannon divergence between two rows, in nats: 0 if all are alike, ln 2 at the most."""
    pairs = np.array(list(combinations(range(len(distributions)), 2)))
    return float(js_divergence(distributions[pairs[:, 0]], distributions[pairs[:, 1]]).mean())


def coherence(kinds, X):
    """Return the coherence of the first words of each kind of cloud in documents X (D, W): kind, clouds, value.

    It is normalised pointwise mutual information, averaged over pairs of a cloud's PLACES first words, then over
    clouds; two words that never meet have -1. Words that no document has, and then clouds with fewer than two
    others, are left out.
    """
    held = (X > 0).astype(np.float64).tocsc()
    share = held.getnnz(axis=0) / X.shape[0]
    rows = []
    for kind, distributions in kinds.items():
        values = []
        for own in distributions:
            first = np.argsort(-own, kind="stable")[:PLACES]
            first = first[(share[first] > 0) & (own[first] > 0)]
            if first.size > 1:
                both = (held[:, first].T @ held[:, first]).toarray() / X.shape[0]
                a, b = np.triu_indices(first.size, 1)
                values.append(_npmi(both[a, b], share[first[a]], share[first[b]]).mean())
        rows.append((kind, len(values), float(np.mean(values))))
    return pd.DataFrame(rows, columns=["kind", "clouds", "value"])


def _npmi(both, one, other):
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(both / (one * other)) / -np.log(both)
    return np.where(both == 0, -1.0, np.where(both == 1, 1.0, value))


def largest(described, kind, shown):
    """Return the rows of the ``shown`` largest clouds of a kind, for people: "TAG_" before names is left out."""
    own = described[described["kind"] == kind]
    return _bare(own[own["cloud"].isin(own["cloud"].unique()[:shown])]).reset_index(drop=True)


def pairs(described, shown):
    """Return the words and the labels of the ``shown`` largest reversed topics, one cloud after the other."""
    kinds = {REVERSED_WORDS: "words", REVERSED_LABELS: "labels"}
    own = _bare(described[described["kind"].isin(kinds)])
    topics = list(own["cloud"].unique()[:shown])
    own = own[own["cloud"].isin(topics)].assign(topic=lambda table: table["cloud"].map(topics.index))
    own = own.sort_values(["topic", "kind", "place"], kind="stable")
    return own.assign(cloud=own["kind"].map(kinds) + " of " + own["cloud"]).drop(columns="topic")


def _bare(table):
    return table.assign(**{name: table[name].str.removeprefix("TAG_") for name in ("cloud", "term")})


def wide(table, n):
    """Return the n first terms of each cloud with their probabilities: a row a place, a column a cloud."""
    first = table[table["place"] <= n]
    text = first["term"] + " " + first["weight"].map("{:.3f}".format)
    columns = list(dict.fromkeys(first["cloud"]))
    return first.assign(text=text).pivot(index="place", columns="cloud", values="text")[columns].fillna("")
