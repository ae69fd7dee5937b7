"""Labels of unseen documents, with the label-word distributions fixed (Rubin et al. 2012, Eq. 8, 10, 12).

Sixteen chains go through a document side by side (see ``simd``). Every chain and document has its own random
numbers, so that a prediction depends neither on the documents beside it nor on how the work was shared out.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.documents import WARM_UP, Streams, last_sweep, sample_after, seed
from polytopic.kernels.simd import LANES, lane_of, load, pick, spread, store


class Prior(NamedTuple):
    """The weights of alpha' (Eq. 12): eta (theta' . phi') + alpha for each label."""

    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Scratch(NamedTuple):
    """Workspace for one document at a time."""

    z: np.ndarray  # (longest document, LANES) int32  label of each token
    z_topic: np.ndarray  # (longest document, LANES) int32  topic of each token
    n_c: np.ndarray  # (C, LANES) float32
    n_t: np.ndarray  # (T, LANES) float32
    alpha: np.ndarray  # (C, LANES) float32  alpha'
    cumulative: np.ndarray  # (C or T, LANES) float32


def scratch(longest, n_labels, n_topics):
    """Return the workspace for documents of at most ``longest`` tokens."""
    z, z_topic = (np.zeros((max(longest, 1), LANES), np.int32) for _ in range(2))
    rows = (n_labels, n_topics, n_labels, max(n_labels, n_topics))
    return Scratch(z, z_topic, *(np.zeros((n, LANES), np.float32) for n in rows))


@allocating
def predict(documents, phi, phi_topics, sets, prior, schedule, chains, work, theta, labels):
    """Sample every document with every chain.

    phi (W, C) and phi_topics (T, C, LANES) are float32 distributions over words and over labels, the latter
    chain by chain; sets (LANES,) says to which set of topics a chain's theta' belongs; chains (2, LANES) uint64
    name the chains' label and topic streams. One set with one topic is Prior-LDA; prior.eta = 0 is Flat-LDA.
    labels (n_chains n_samples, N) int32 get the label of each token in each sample, a chain after the other.
    theta (D, S, T) get the sums of theta' over chains and samples, by set of topics; or, with as many times D rows as
    there are samples, each on its own, in the order of documents, chains and samples.
    """
    n_labels, n_topics = phi.shape[1], phi_topics.shape[0]
    streams = Streams(np.zeros((4, LANES), np.uint32), np.zeros((4, LANES), np.uint32))
    for d in range(documents.ptr.size - 1):
        words = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        seed(streams, chains, 0, documents.names[d])
        work.alpha[:] = np.float32(prior.eta / n_labels + prior.alpha)
        _start(work.z, work.n_c, words.size, streams.labels)
        for _ in range(WARM_UP):
            sweep_labels(words, phi, work, streams.labels)
        if n_topics > 1:
            _start(work.z_topic, work.n_t, words.size, streams.topics)
            for _ in range(WARM_UP):
                sweep_topics(words.size, phi_topics, prior.gamma, work, streams.topics)
        else:
            work.n_t[:] = np.float32(words.size)
        for step in range(1, last_sweep(schedule) + 1):
            if n_topics > 1 and step > 1:
                sweep_topics(words.size, phi_topics, prior.gamma, work, streams.topics)
            if n_topics > 1 or step == 1:
                set_prior(words.size, phi_topics, prior, work)
            sweep_labels(words, phi, work, streams.labels)
            sample = sample_after(step, schedule)
            if sample >= 0:
                _add_sample(d, sample, documents, sets, prior, schedule, work, theta, labels)


@compiled
def sweep_labels(words, phi, work, random):
    """Resample the label of every token once: p(c) is proportional to phi_wc (n_c + alpha'_c) (Eq. 8)."""
    for i in range(words.size):
        _count(work.z, i, -1, work.n_c)
        likelihood, mass = phi[words[i]], spread(np.float32(0))
        for c in range(likelihood.size):
            mass = mass + (load(work.n_c, c) + load(work.alpha, c)) * likelihood[c]
            store(work.cumulative, c, mass)
        _draw(i, work.z, likelihood.size, mass, work.cumulative, random)
        _count(work.z, i, 1, work.n_c)


@compiled
def sweep_topics(n_tokens, phi_topics, gamma, work, random):
    """Resample the topic of every token once, its label taken as a label token: phi'_tc (n_t + gamma) (Eq. 10)."""
    for i in range(n_tokens):
        _count(work.z_topic, i, -1, work.n_t)
        label, mass = load(work.z, i), spread(np.float32(0))
        for t in range(phi_topics.shape[0]):
            mass = mass + pick(phi_topics[t], label) * (load(work.n_t, t) + np.float32(gamma))
            store(work.cumulative, t, mass)
        _draw(i, work.z_topic, phi_topics.shape[0], mass, work.cumulative, random)
        _count(work.z_topic, i, 1, work.n_t)


@compiled
def set_prior(n_tokens, phi_topics, prior, work):
    """Set alpha'_c to eta sum_t theta'_t phi'_tc + alpha, with theta' from the topics' counts (Eq. 7, 12)."""
    n_topics, n_labels, _ = phi_topics.shape
    weight = np.float32(prior.eta / (n_tokens + n_topics * prior.gamma))
    work.alpha[:] = np.float32(prior.alpha)
    for t in range(n_topics):
        theta, phi = (load(work.n_t, t) + np.float32(prior.gamma)) * weight, phi_topics[t]
        for c in range(n_labels):
            store(work.alpha, c, load(work.alpha, c) + theta * load(phi, c))


@compiled
def _start(z, count, n_tokens, random):
    count[:] = np.float32(0)
    for i in range(n_tokens):
        u = generator.uniforms(random)
        for lane in range(LANES):
            z[i, lane] = int(lane_of(u, lane) * count.shape[0])
        _count(z, i, 1, count)


@inlined
def _count(z, i, step, count):
    for lane in range(LANES):
        count[z[i, lane], lane] += np.float32(step)


@compiled
def _draw(i, z, n, mass, cumulative, random):
    target, passed = generator.uniforms(random) * mass, spread(np.int32(0))
    for k in range(n):
        passed = passed + (load(cumulative, k) <= target)
    store(z, i, passed)
    for lane in range(LANES):
        if z[i, lane] == n:  # the product rounded up to the total: take the last item with mass
            k = n - 1
            while k > 0 and cumulative[k, lane] == cumulative[k - 1, lane]:
                k -= 1
            z[i, lane] = k


@compiled
def _add_sample(d, sample, documents, sets, prior, schedule, work, theta, labels):
    n_tokens, n_topics = documents.ptr[d + 1] - documents.ptr[d], work.n_t.shape[0]
    n_rows = theta.shape[0] // (documents.ptr.size - 1)
    for lane in range(schedule.n_chains):
        number = lane * schedule.n_samples + sample
        for i in range(n_tokens):
            labels[number, documents.ptr[d] + i] = work.z[i, lane]
        for t in range(n_topics):
            share = (np.float64(work.n_t[t, lane]) + prior.gamma) / (n_tokens + n_topics * prior.gamma)
            theta[d * n_rows + number % n_rows, sets[lane], t] += share
