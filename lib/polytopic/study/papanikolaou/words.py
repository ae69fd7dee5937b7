"""What the experiments share: the names of the readings, and corpora as words, labels among them (section 4.1)."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.datasets import load_corpus
from polytopic.models.estimators import PRINTED
from polytopic.streams import word64
from polytopic.study import store

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


def word_tokens(corpus, documents=None, split=0):
    """Return (train, test, vocabulary) of a corpus without its labels: CSR counts and a tuple of words.

    ``reuters21578`` is the paper's selection (4.1.2): the first 10,000 and the next 1,000 stories, words used 10 to
    1,000 times in all of them. Other corpora take the split's training documents and the first 1,000 of its test
    documents. ``documents`` keeps the first so many of the training documents, and a tenth as many to test.
    Documents without words are left out.
    """
    of_reuters = corpus.name.removesuffix(LABEL_TOKENS) == "reuters21578"
    rows = corpus.splits[corpus.split_names.index("first11000") if of_reuters else split]
    train, test = corpus.counts[rows[0]], corpus.counts[rows[1][:MOST_TEST_DOCUMENTS]]
    if documents is not None:
        train, test = train[:documents], test[: documents // 10]
    uses = np.asarray(train.sum(axis=0)).ravel()
    kept = np.flatnonzero(uses > 0)
    if corpus.name == "reuters21578":
        uses = uses + np.asarray(test.sum(axis=0)).ravel()
        kept = np.flatnonzero((uses >= LEAST) & (uses <= MOST))
    train, test = (sparse.csr_matrix(table[:, kept]) for table in (train, test))
    train, test = (table[np.diff(table.indptr) > 0] for table in (train, test))
    return train, test, tuple(np.array(corpus.vocabulary, object)[kept])


def on_words_and_labels(which, corpus, scale, seed):
    """Return what an experiment gives on a corpus's words and on its labels as words, one below the other."""
    names = (corpus, corpus + LABEL_TOKENS)
    return pd.concat([store.collect(which, name, scale, seed) for name in names], ignore_index=True)


@store.experiment(
    "papanikolaou", scales={"quick": {}, "paper": {}}, corpora=("reuters21578",), reads=read_words
)
def word_statistics(corpus):
    """Return the statistics of table 3: columns statistic, value. All documents count, at any scale.

    Statistics: train_documents, test_documents, train_length (mean tokens) and train_word_types, words that a
    training document has, of ``word_tokens``; documents that have lost all their words are left out.
    """
    train, test, _ = word_tokens(corpus)
    values = {
        "train_documents": train.shape[0],
        "test_documents": test.shape[0],
        "train_length": train.sum() / train.shape[0],
        "train_word_types": np.count_nonzero(train.getnnz(axis=0)),
    }
    return pd.DataFrame({"statistic": [*values], "value": np.array([*values.values()], float)})
