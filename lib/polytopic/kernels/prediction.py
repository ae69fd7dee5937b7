"""Labels of unseen documents, with the label-word distributions fixed (Rubin et al. 2012, Eq. 8, 10, 12).

Sixteen chains go through a document side by side (see ``lanes``). Every chain and document has its own random
numbers, so that a prediction depends neither on the documents beside it nor on how the work was shared out.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import lanes
from polytopic.kernels.compiling import compiled
from polytopic.kernels.documents import WARM_UP, Streams, last_sweep, sample_after, seed

LANES = lanes.LANES


class Prior(NamedTuple):
    """The weights of alpha' (Eq. 12): eta (theta' . phi') + alpha for each label."""

    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Totals(NamedTuple):
    """Sums over chains and samples, a row a document; or each chain's samples apart, in rows of their own.

    The rows of a document follow one another, and so do those of a chain. Kernels add to them.
    """

    labels: np.ndarray  # (D, C) int32    tokens on each label; apart (D chains samples, C)
    topics: np.ndarray  # (D, S, T) float64  theta', by set of topics


class Scratch(NamedTuple):
    """Workspace for one document at a time."""

    z: np.ndarray  # (longest document, LANES) int32  label of each token
    z_topic: np.ndarray  # (longest document, LANES) int32  topic of each token
    n_c: np.ndarray  # (C, LANES) float32
    n_t: np.ndarray  # (T, LANES) float32
    alpha: np.ndarray  # (C, LANES) float32  alpha'
    gamma: np.ndarray  # (T, LANES) float32
    label_sums: np.ndarray  # (C, LANES) float32
    topic_sums: np.ndarray  # (T, LANES) float32
    topic_likelihood: np.ndarray  # (T, LANES) float32
    u: np.ndarray  # (LANES,) float32
    drawn: np.ndarray  # (LANES,) int32


def scratch(longest, n_labels, n_topics):
    """Return the workspace for documents of at most ``longest`` tokens."""

    def floats(rows):
        return np.zeros((rows, LANES), np.float32)

    def places():
        return np.zeros((max(longest, 1), LANES), np.int32)

    labels = [floats(n_labels) for _ in range(3)]
    topics = [floats(n_topics) for _ in range(4)]
    n_c, alpha, label_sums = labels
    n_t, gamma, topic_sums, likelihood = topics
    u, drawn = np.zeros(LANES, np.float32), np.zeros(LANES, np.int32)
    return Scratch(places(), places(), n_c, n_t, alpha, gamma, label_sums, topic_sums, likelihood, u, drawn)


@njit(cache=True, nogil=True)
def predict(documents, phi, phi_topics, sets, prior, schedule, chains, work, totals):
    """Sample every document and add up what the chains' samples hold.

    phi (W, C) and phi_topics (T, C, LANES) are float32 distributions over words and over labels, the latter
    chain by chain; sets (LANES,) says to which set of topics a chain's theta' belongs; chains (2, LANES) uint64
    name the chains' label and topic streams. One set with one topic is Prior-LDA; prior.eta = 0 is Flat-LDA.
    """
    n_labels, n_topics = phi.shape[1], phi_topics.shape[0]
    streams = Streams(np.zeros((4, LANES), np.uint32), np.zeros((4, LANES), np.uint32))
    work.gamma[:] = np.float32(prior.gamma)
    for d in range(documents.ptr.size - 1):
        words = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        seed(streams, chains, 0, documents.first + d)
        work.alpha[:] = np.float32(prior.eta / n_labels + prior.alpha)
        _start(work.z, work.n_c, words.size, streams.labels, work.u)
        for _ in range(WARM_UP):
            sweep_labels(words, phi, work, streams.labels)
        if n_topics > 1:
            _start(work.z_topic, work.n_t, words.size, streams.topics, work.u)
            for _ in range(WARM_UP):
                sweep_topics(words.size, phi_topics, work, streams.topics)
        else:
            work.n_t[:] = np.float32(words.size)
        for step in range(1, last_sweep(schedule) + 1):
            if n_topics > 1 and step > 1:
                sweep_topics(words.size, phi_topics, work, streams.topics)
            if n_topics > 1 or step == 1:
                set_prior(words.size, phi_topics, prior, work)
            sweep_labels(words, phi, work, streams.labels)
            sample = sample_after(step, schedule)
            if sample >= 0:
                _add_sample(d, sample, documents, sets, prior, schedule, work, totals)


@compiled
def sweep_labels(words, phi, work, random):
    """Resample the label of every token once: p(c) is proportional to phi_wc (n_c + alpha'_c) (Eq. 8)."""
    for i in range(words.size):
        lanes.move(work.n_c, work.z[i], np.float32(-1))
        lanes.cumulate(phi[words[i]], work.n_c, work.alpha, work.label_sums)
        _draw(i, work.z, work.label_sums, work, random)
        lanes.move(work.n_c, work.z[i], np.float32(1))


@compiled
def sweep_topics(n_tokens, phi_topics, work, random):
    """Resample the topic of every token once, its label taken as a label token: phi'_tc (n_t + gamma) (Eq. 10)."""
    for i in range(n_tokens):
        lanes.move(work.n_t, work.z_topic[i], np.float32(-1))
        lanes.pick(phi_topics, work.z[i], work.topic_likelihood)
        lanes.cumulate(work.topic_likelihood, work.n_t, work.gamma, work.topic_sums)
        _draw(i, work.z_topic, work.topic_sums, work, random)
        lanes.move(work.n_t, work.z_topic[i], np.float32(1))


@compiled
def set_prior(n_tokens, phi_topics, prior, work):
    """Set alpha'_c to eta sum_t theta'_t phi'_tc + alpha, with theta' from the topics' counts (Eq. 7, 12)."""
    n_topics = phi_topics.shape[0]
    weight = np.float32(prior.eta / (n_tokens + n_topics * prior.gamma))
    work.alpha[:] = np.float32(prior.alpha)
    for t in range(n_topics):
        for lane in range(LANES):
            work.u[lane] = weight * (work.n_t[t, lane] + work.gamma[t, lane])
        lanes.add_scaled(work.u, phi_topics[t], work.alpha)


@compiled
def _start(z, count, n_tokens, random, u):
    count[:] = np.float32(0)
    for i in range(n_tokens):
        lanes.fill(random, u)
        for lane in range(LANES):
            z[i, lane] = int(u[lane] * count.shape[0])
        lanes.move(count, z[i], np.float32(1))


@compiled
def _draw(i, z, sums, work, random):
    last = sums.shape[0] - 1
    lanes.fill(random, work.u)
    for lane in range(LANES):
        work.u[lane] *= sums[last, lane]
    lanes.locate(sums, work.u, work.drawn)
    for lane in range(LANES):
        k = work.drawn[lane]
        if k > last:  # the product rounded up to the total: take the last item with mass
            k = last
            while k > 0 and sums[k, lane] == sums[k - 1, lane]:
                k -= 1
        z[i, lane] = k


@compiled
def _add_sample(d, sample, documents, sets, prior, schedule, work, totals):
    n_tokens, n_topics = documents.ptr[d + 1] - documents.ptr[d], work.n_t.shape[0]
    n_rows = totals.labels.shape[0] // (documents.ptr.size - 1)
    for lane in range(schedule.n_chains):
        row = d * n_rows + (lane * schedule.n_samples + sample) % n_rows
        for i in range(n_tokens):
            totals.labels[row, work.z[i, lane]] += 1
        for t in range(n_topics):
            theta = (np.float64(work.n_t[t, lane]) + prior.gamma) / (n_tokens + n_topics * prior.gamma)
            totals.topics[row, sets[lane], t] += theta
