"""Prediction with phi fixed, made ready for timing: the samplers of the library and the textbook's."""

from copy import copy

import _textbook_prediction as textbook
import numpy as np
from numba import njit

from polytopic.kernels import documents, generator, profiles, sparse_prediction, topic_prior
from polytopic.models import sparse_tables, unseen
from polytopic.streams import word64

CHAINS = 16  # as many as the samplers take at a time


def library(model, X, n_sweeps, n_chains, kind=None, seed=0):
    """Return a function that samples X with n_chains chains of n_sweeps sweeps, its token updates, and its sampler.

    The tables are made here, once. The warm-up sweeps count among the token updates of a call.
    """
    sampler = unseen.sampler(model, unseen.Schedule(n_sweeps, 1, 1, n_chains), kind)
    return _run(sampler, X, seed), int(X.sum()) * (n_sweeps + documents.WARM_UP) * n_chains, sampler


def longer(sampler, X, n_sweeps, seed=0):
    """Return a function that samples X with so many sweeps of the same chains, from the sampler's own tables.

    What pays for a document's lists to be sorted is the sampler's own number of sweeps, so that all sort the same.
    """
    other = copy(sampler)
    other.schedule = sampler.schedule._replace(burn_in=n_sweeps)
    return _run(other, X, seed)


def _run(sampler, X, seed):
    ptr, words = unseen.tokens(X)

    def run():
        for group in sampler.groups:
            sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), tuple(group), seed)

    return run


def by_the_textbook(model, X, n_sweeps, seed=0):
    """Return a function that samples X with one chain of the textbook's loop, and its token updates."""
    ptr, words = unseen.tokens(X)
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


class State:
    """One document after some sweeps of one chain of the sparse sampler, ready for more."""

    def __init__(self, sampler, words, n_sweeps, seed=0):
        self.model = sampler.models[0]
        phi, n_topics = self.model.phi, self.model.topics.smooth.size
        self.random = np.zeros((4, 1), np.uint32)
        generator.seed(self.random, np.array([word64(seed, "state")], np.uint64), 0)
        room = int(unseen.entries(phi, np.array([0, words.size]), words)[0])
        n_tables = unseen.ROOM_FOR_TABLES if n_topics > 0 else 0
        n_profiles = unseen.first_profiles(sampler.prior, phi.labels.size - 1)
        self.work = sparse_tables.workspace(phi, n_topics, words.size, n_profiles, room, n_tables)
        self.labels = self.work.z[: words.size]
        self.document = profiles.open_document(0, words, True, phi, self.work)
        sparse_prediction.start(self.document, self.work)
        sparse_prediction.sweep(self.document, self.model.warm, self.model, self.random, self.work)
        if n_topics > 0:
            topic_prior.start(words.size, self.model.topics, self.random, self.work.topics)
        self.sweep(n_sweeps)

    def sweep(self, times=1):
        """Sweep over topics and labels."""
        _sweep(times, self.document, self.model, self.random, self.work)


@njit(cache=True)
def _sweep(times, document, model, random, work):
    for _ in range(times):
        if model.topics.smooth.size > 0:
            labels, order = work.z[: document.tokens.size], work.topics.order[: document.tokens.size]
            sparse_prediction._put_in_order(labels, work.active, order)
            topic_prior.sweep(labels, order, model.topics, random, work.topics)
            words = work.words.unique[: document.n_unique]
            topic_prior.set_prior(document.tokens.size, words, model.topics, work.topics)
        sparse_prediction.sweep(document, model.fixed, model, random, work)


def states(sampler, X, n_sweeps=30, seed=0):
    """Return the State of every document of X."""
    ptr, words = unseen.tokens(X)
    return [State(sampler, words[a:b], n_sweeps, seed) for a, b in zip(ptr, ptr[1:], strict=False)]


def traffic(sampler, X, n_sweeps=30, seed=0):
    """Return how many labels a document of X holds at a time, how many new ones a token brings in, and their topics.

    Means over the second half of n_sweeps sweeps of one chain of the sparse sampler: active labels, new ones for each
    token and sweep, and topics on which training put a label that is held; nan for a model without topics.
    """
    held, new, topics = [], [], []
    of_label = np.diff(sampler.models[0].topics.label_ptr)
    for state in states(sampler, X, n_sweeps // 2, seed):
        before = set(state.labels.tolist())
        for _ in range(n_sweeps - n_sweeps // 2):
            state.sweep()
            now = set(state.labels.tolist())
            held.append(len(now))
            new.append(len(now - before) / state.document.tokens.size)
            topics.append(of_label[sorted(now)].mean())
            before = now
    has_topics = sampler.models[0].topics.smooth.size > 0
    return float(np.mean(held)), float(np.mean(new)), float(np.mean(topics)) if has_topics else np.nan


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
