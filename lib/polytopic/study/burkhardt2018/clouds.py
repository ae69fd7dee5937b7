"""Words of labels, labels of topics, and both of the reversed model's topics, as clouds show them.

Burkhardt & Kramer (2018), figures 1 to 4 and 10.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from polytopic import metrics
from polytopic.models import AuthorTopicLDA, SCVBDependency
from polytopic.study.burkhardt2018.protocol import N_TOPICS, experiment, parts, seed_of
from polytopic.study.store import Result

TERMS = 30  # that a cloud shows
OF_LABELS, OF_TOPICS = "words of labels", "labels of topics"
REVERSED_WORDS, REVERSED_LABELS = "words of reversed topics", "labels of reversed topics"
N_TERMS = {OF_LABELS: TERMS, OF_TOPICS: TERMS, REVERSED_WORDS: TERMS, REVERSED_LABELS: 10}
LARGEST = 12  # clouds of a kind
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
    label's size is its training documents, a topic's the tokens that it holds. The models know all words, of which
    the ``informative`` ones are shown. Table "apart": steps, value, the mean JS divergence between two topics of
    SCVB-Dep. Table "coherence": kind, clouds, value, the mean over clouds of the normalised pointwise mutual
    information of the first words, in the test documents.
    """
    train, test = parts(corpus, documents, seed)
    key, given = seed_of(seed, "clouds"), (train.counts, train.labels)
    words, labels = np.array(train.vocabulary, object), np.array(train.label_names, object)
    shown = informative(words)
    topics = np.array([f"topic {number}" for number in range(1, n_topics + 1)], object)
    models = {
        steps: SCVBDependency(n_topics, n_passes=passes, steps=steps, random_state=key).fit(*given)
        for steps in ("paper", "program")
    }
    online = models["program"]
    reversed_model = AuthorTopicLDA(n_topics, n_chains=1, n_sweeps=sweeps, random_state=key).fit(*given)
    n_tokens = reversed_model.counts_[0].topic_labels.sum(axis=1).A1
    of_labels = online.label_word_distributions()[:, shown]
    kinds = {
        OF_LABELS: (of_labels, train.label_frequencies, labels, words[shown]),
        OF_TOPICS: (online.topic_label_distributions(), online.state_.topic_totals, topics, labels),
        REVERSED_WORDS: (reversed_model.topic_word_distributions()[:, shown], n_tokens, topics, words[shown]),
        REVERSED_LABELS: (reversed_model.topic_label_shares(), n_tokens, topics, labels),
    }
    rows = [(kind, *row) for kind, of_kind in kinds.items() for row in _first(*of_kind, N_TERMS[kind])]
    others = {
        "apart": pd.DataFrame(
            [(steps, apart(model.topic_label_distributions())) for steps, model in models.items()],
            columns=["steps", "value"],
        ),
        "coherence": coherence(
            {kind: kinds[kind][0] for kind in (OF_LABELS, REVERSED_WORDS)}, test.counts[:, shown]
        ),
    }
    return Result(pd.DataFrame(rows, columns=["kind", "cloud", "place", "term", "weight"]), others)


def _first(distributions, sizes, clouds, terms, n):
    """Yield (cloud, place, term, weight) of the n first terms of the largest clouds; ties keep their order."""
    for cloud in np.argsort(-np.asarray(sizes), kind="stable")[:LARGEST]:
        own = distributions[cloud]
        for place, term in enumerate(np.argsort(-own, kind="stable")[:n], 1):
            yield clouds[cloud], place, terms[term], own[term]


def informative(words):
    """Return which words to show (W,) bool: not scikit-learn's English stop words, numbers, one or two letters.

    Where that leaves none, as in a corpus whose words are numbered, it is all.
    """
    found = [len(w) > 2 and not w.isdigit() and w.lower() not in ENGLISH_STOP_WORDS for w in words]
    return np.array(found) if any(found) else np.ones(len(words), bool)


def apart(distributions):
    """Return the mean Jensen-Shannon divergence between two rows, in nats: 0 if all are alike, ln 2 at the most."""
    pairs = np.array(list(combinations(range(len(distributions)), 2)))
    return float(metrics.js_divergence(distributions[pairs[:, 0]], distributions[pairs[:, 1]]).mean())


def coherence(kinds, X):
    """Return the coherence of the first words of each kind of cloud in documents X (D, W): kind, clouds, value.

    It is the mean ``metrics.npmi`` of a cloud's PLACES first words, over the clouds that have two words of X.
    """
    rows = []
    for kind, distributions in kinds.items():
        leading = metrics.leading_words(distributions, PLACES)
        leading = [words[own[words] > 0] for own, words in zip(distributions, leading, strict=True)]
        values = metrics.npmi(leading, X)
        rows.append((kind, np.count_nonzero(~np.isnan(values)), np.nanmean(values)))
    return pd.DataFrame(rows, columns=["kind", "clouds", "value"])


def largest(described, kind, n):
    """Return the rows of the n largest clouds of a kind; "TAG_" before names, which debtags has, is left out."""
    own = described[described["kind"] == kind]
    own = own[own["cloud"].isin(own["cloud"].unique()[:n])].reset_index(drop=True)
    return own.assign(**{name: own[name].str.removeprefix("TAG_") for name in ("cloud", "term")})
