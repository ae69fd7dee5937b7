"""Prediction with phi fixed, made ready for timing: the samplers of the library and the textbook's."""

import _textbook_prediction as textbook
import numpy as np

from polytopic.kernels import generator, prediction, profiles, sparse_prediction, topic_prior
from polytopic.models import sparse_tables, unseen
from polytopic.streams import word64

CHAINS = 16  # as many as the samplers take at a time


def tokens(X):
    """Return (ptr, words) of counts (D, W) CSR: the words of document d are words[ptr[d]:ptr[d + 1]]."""
    ptr = np.concatenate([[0], np.cumsum(X.data, dtype=np.int64)])[X.indptr]
    return ptr, np.repeat(X.indices, X.data).astype(np.int32)


def library(model, X, n_sweeps, n_chains, kind=None, seed=0):
    """Return a function that samples X with n_chains chains of n_sweeps sweeps, its token updates, and its sampler.

    The tables are made here, once. The warm-up sweeps count among the token updates of a call.
    """
    own = unseen.sampler(model, unseen.Schedule(n_sweeps, 1, 1, n_chains), kind)
    ptr, words = tokens(X)

    def run():
        for group in own.groups:
            own.run(ptr, words, 0, tuple(group), seed)

    return run, words.size * (n_sweeps + prediction.WARM_UP) * n_chains, own


def by_the_textbook(model, X, n_sweeps, seed=0):
    """Return a function that samples X with one chain of the textbook's loop, and its token updates."""
    ptr, words = tokens(X)
    n_labels = model.label_word_counts.shape[0]
    phi = np.ascontiguousarray(model.label_words().T)
    phi_topics = np.ascontiguousarray(model.topic_labels()[0].T)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([word64(seed, "textbook")], np.uint64), 0)
    held = np.zeros((X.shape[0], n_labels), np.int64)
    fixed = np.full(n_labels, float(model.alpha))

    def run():
        textbook.predict(
            ptr, words, phi, phi_topics, fixed, float(model.eta), float(model.gamma), n_sweeps, random, held
        )

    return run, words.size * (n_sweeps + textbook.WARM_UP)


def traffic(sampler, X, n_sweeps=30, seed=0):
    """Return how many labels a document of X holds at a time, and how many new ones a token brings in with a sweep.

    Means over the second half of n_sweeps sweeps of one chain of the sparse sampler.
    """
    ptr, words = tokens(X)
    topics = sampler.topics[0]
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([word64(seed, "traffic")], np.uint64), 0)
    held, new = [], []
    for a, b in zip(ptr, ptr[1:], strict=False):
        document = words[a:b]
        work = sparse_tables.workspace(
            sampler.phi, topics.smooth.size, document.size, unseen.FIRST_PROFILES, 0, 0
        )
        labels, before = work.z[: document.size], set()
        n_unique = profiles.open_words(document, work.words)
        sparse_prediction.start(n_unique, labels, work)
        sweep = (document, n_unique, False, sampler.phi)
        sparse_prediction.sweep(*sweep, sampler.warm, topics, random, work)
        if topics.smooth.size:
            topic_prior.start(document.size, topics, random, work.topics)
        for step in range(n_sweeps):
            if topics.smooth.size:
                topic_prior.sweep(labels, topics, random, work.topics)
                topic_prior.set_prior(document.size, work.words.unique[:n_unique], topics, work.topics)
            sparse_prediction.sweep(*sweep, sampler.fixed, topics, random, work)
            now = set(labels.tolist())
            if step >= n_sweeps // 2:
                held.append(len(now))
                new.append(len(now - before) / document.size)
            before = now
    return float(np.mean(held)), float(np.mean(new))


def n_bytes(thing):
    """Return the bytes of all arrays that an object holds, directly or within lists, dicts, tuples and objects.

    What several names share counts once.
    """
    return sum(array.nbytes for array in _arrays(thing, {}).values())


def _arrays(thing, found):
    if isinstance(thing, np.ndarray):
        whole = thing
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        found[id(whole)] = whole
    elif isinstance(thing, dict):
        for part in thing.values():
            _arrays(part, found)
    elif isinstance(thing, list | tuple):
        for part in thing:
            _arrays(part, found)
    elif hasattr(thing, "__dict__"):
        _arrays(vars(thing), found)
    return found
