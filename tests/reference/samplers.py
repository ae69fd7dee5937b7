"""The samplers behind one face, so that every check can be put to any of them, and to a broken one.

A sampler is a function ``step(words, z, seed, n=1)``: words and z (R, N) are R corpora of N tokens each, of the
same shape and independent of each other; it returns the labels (or topics) after n sweeps, (R, N). The kernels'
own arrays are known here and in the kernels' own tests, nowhere else.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.kernels import generator, labelled, prediction, sparse_prediction, weighing
from polytopic.models import chains, reading, sparse_tables, topic_chains, unseen
from polytopic.models.proper import ProperSampler

LANES = prediction.LANES
TOPIC_SAMPLERS = tuple(topic_chains.SAMPLERS)


class Room(NamedTuple):
    """What the sparse sampler has room for: phi of labels, and a document's own lists."""

    labels: int
    entries: int  # 0: the lists of the labels are read


PLENTY = Room(64, 256)


def one_lane(seed, item=0):
    """Return a generator with one lane."""
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([seed], np.uint64), item)
    return random


def labelled_training(docs, label_sets, n_words, eta, beta, kernel=labelled):
    """Return the step of training with label sets; the R corpora are sampled as one, with labels of their own.

    Corpus r is read from lane r modulo LANES; the lanes all start from the same assignments. beta is a number, or
    (C, W): what is beyond its least are the pseudo-counts of words with labels.
    """
    n_labels = max(max(labels) for labels in label_sets) + 1
    least = float(np.min(beta))
    label_words = np.broadcast_to(beta, (n_labels, n_words)) - least
    n_documents, docs = len(label_sets), np.asarray(docs)
    sizes = np.array([len(labels) for labels in label_sets])

    def together(words):
        """Return the kernel's tokens, and which of the (R, N) tokens move, in the kernel's order."""
        places = np.add.outer(np.arange(len(words)) * n_documents, docs).ravel()
        ones = (np.ones(words.size, int), (places, words.ravel()))
        X = sparse.coo_matrix(ones, shape=(len(words) * n_documents, n_words)).tocsr()
        flat = np.concatenate([np.array(labels) for labels in label_sets])
        indices = np.add.outer(np.arange(len(words)) * n_labels, flat).ravel()
        ptr = np.concatenate([[0], np.cumsum(np.tile(sizes, len(words)))])
        Y = sparse.csr_matrix(
            (np.ones(indices.size, bool), indices, ptr), shape=(X.shape[0], len(words) * n_labels)
        )
        rank = np.argsort(np.argsort(np.tile(sizes, len(words)), kind="stable"))
        order = np.lexsort((rank[places], words.ravel()))
        given = sparse.csr_matrix(np.tile(label_words, (len(words), 1)))
        return chains.labelled_tokens(X, Y, given), order[sizes[docs[order % docs.size]] > 1]

    def step(words, z, seed, n=1):
        tokens, order = together(words)
        if not order.size:
            return z.copy()
        rows = order // docs.size
        first = tokens.label_ptr[np.repeat(tokens.docs, tokens.counts)]
        last = tokens.label_ptr[np.repeat(tokens.docs, tokens.counts) + 1]
        own = rows * n_labels + z.ravel()[order]
        position = [
            np.flatnonzero(tokens.labels[a:b] == c)[0] for a, b, c in zip(first, last, own, strict=True)
        ]
        state = kernel.init(tokens, np.repeat(np.array(position, np.uint8)[:, None], LANES, axis=1))
        random = _lane_generators(seed, 0)
        for _ in range(n):
            kernel.sweep(tokens, state, eta, least, random)
        after = z.copy()
        labels = tokens.labels[first + state.z[np.arange(order.size), rows % LANES]]
        after[rows, order % docs.size] = labels - rows * n_labels
        return after

    return step


def topic_training(docs, n_items, n_topics, gamma, beta, kind="dense", kernel=None):
    """Return the step of LDA by one of its samplers; ``docs`` must not decrease. A kernel takes its kind's place."""

    def step(items, z, seed, n=1):
        after = np.empty(z.shape, int)
        for r, (row, start) in enumerate(zip(items, z, strict=True)):
            ones = (np.ones(row.size, int), (docs, row))
            X = sparse.coo_matrix(ones, shape=(max(docs) + 1, n_items)).tocsr()
            order = np.lexsort((row, docs))
            name = seed ^ (r << 40)
            with _in_place(topic_chains.SAMPLERS, kind, kernel):
                chain = topic_chains.Chain(
                    X, n_topics, gamma, beta, name, kind, start[order].astype(np.uint16)
                )
                after[r, order] = chain.advance(n).assignments()
        return after

    return step


@contextlib.contextmanager
def _in_place(table, name, value):
    kept = table[name]
    table[name] = value or kept
    yield
    table[name] = kept


def smoothed(counts, beta):
    """Return the distributions that counts smoothed by beta stand for, row by row."""
    return (counts + beta) / (counts + beta).sum(axis=1, keepdims=True)


def _in_lanes(z, n_items, lane_seed, item, place, count):
    """Seat one document's tokens in all lanes alike and return the lanes' generators."""
    place[: z.size] = z[:, None]
    count[:] = np.bincount(z, minlength=n_items)[:, None]
    return _lane_generators(lane_seed, item)


def _lane_generators(seed, item):
    random = np.zeros((4, LANES), np.uint32)
    generator.seed(random, np.arange(LANES, dtype=np.uint64) ^ np.uint64(seed), item)
    return random


def dense_labels(counts, beta, alpha, kernel=prediction):
    """Return the step for the labels of a document given alpha' (C,); row r is drawn in lane r modulo LANES."""
    phi = np.ascontiguousarray(smoothed(counts, beta).T, dtype=np.float32)

    def step(words, z, seed, n=1):
        work = kernel.scratch(words.shape[1], len(alpha), 1)
        work.alpha[:] = np.float32(alpha)[:, None]
        after = np.empty(z.shape, int)
        for r, (row, start) in enumerate(zip(words.astype(np.int32), z, strict=True)):
            random = _in_lanes(start, len(alpha), seed, r, work.z, work.n_c)
            for _ in range(n):
                kernel.sweep_labels(row, phi, work, random)
            after[r] = work.z[: row.size, r % LANES]
        return after

    return step


def dense_topics(topic_counts, beta, gamma, kernel=prediction):
    """Return the step for the topics of a document's label tokens."""
    phi = smoothed(topic_counts, beta)
    by_lane = np.ascontiguousarray(np.repeat(phi[:, :, None], LANES, axis=2), dtype=np.float32)

    def step(labels, z, seed, n=1):
        work = kernel.scratch(labels.shape[1], phi.shape[1], phi.shape[0])
        after = np.empty(z.shape, int)
        for r, (row, start) in enumerate(zip(labels, z, strict=True)):
            work.z[: row.size] = row[:, None]
            random = _in_lanes(start, phi.shape[0], seed, r, work.z_topic, work.n_t)
            for _ in range(n):
                kernel.sweep_topics(row.size, by_lane, gamma, work, random)
            after[r] = work.z_topic[: row.size, r % LANES]
        return after

    return step


def sparse_labels(counts, beta, alpha, kernel=sparse_prediction, room=PLENTY):
    """Return the step for the labels of a document given alpha' (C,), all of it in the fixed part of the prior."""
    phi = sparse_tables.phi_tables(sparse.csr_matrix(counts), beta)
    fixed = sparse_tables.fixed_prior(phi, alpha)
    return _sparse_step(phi, fixed, sparse_tables.no_topics(phi, fixed), (), kernel, room)


def sparse_labels_through_topics(
    counts, beta, topic_counts, beta_c, theta, eta, alpha, kernel=sparse_prediction, room=PLENTY
):
    """Return the step for the labels of a document given theta' (T,): alpha' is eta theta' phi' + alpha."""
    phi = sparse_tables.phi_tables(sparse.csr_matrix(counts), beta)
    flat = sparse_tables.fixed_prior(phi, np.ones(len(counts)))
    topics = _topic_tables(phi, flat, topic_counts, beta_c, eta, 1.0)
    return _sparse_step(phi, flat._replace(scale=float(alpha)), topics, theta, kernel, room)


def _topic_tables(phi, flat, topic_counts, beta_c, eta, gamma):
    smooth = beta_c / (topic_counts + beta_c).sum(axis=1)
    value = sparse.csr_matrix(smoothed(topic_counts, beta_c) - smooth[:, None])
    return sparse_tables.topic_tables(phi, flat, value, smooth, eta, gamma)


def _sparse_step(phi, fixed, topics, theta, kernel, room):
    phi_cache, model = kernel.phi_cache, sparse_prediction.Model(phi, fixed, fixed, topics)

    def step(words, z, seed, n=1):
        work = sparse_tables.workspace(phi, topics.smooth.size, words.shape[1], room.labels, room.entries)
        work.topics.theta[: len(theta)] = theta
        labels, after = work.z[: words.shape[1]], np.empty(z.shape, int)
        for r, (row, start) in enumerate(zip(words.astype(np.int32), z, strict=True)):
            random = one_lane(seed, r)
            document = phi_cache.open_document(0, row, room.entries > 0, phi, work)
            kernel.start(document, work)
            for i, c in enumerate(start):
                work.active.count[kernel.place_of(c, document, phi, work)] += np.float32(1)
                labels[i] = c
            for place in range(document.n_unique):
                mass = topics.mass[work.words.unique[place]] @ work.topics.theta[: topics.mass.shape[1]]
                work.topics.part[place] = topics.eta * mass
            for _ in range(n):
                assert kernel.sweep(document, fixed, model, random, work)
            after[r] = labels
            kernel.deactivate(work.active)
            phi_cache.close_document(document, work)
            kernel.topic_prior.forget_pairs(document.n_unique, work.pairs)
        return after

    return step


def sparse_topics(topic_counts, beta, gamma, kernel=sparse_prediction):
    """Return the step for the topics of a document's label tokens."""
    n_topics, n_labels = topic_counts.shape
    phi = sparse_tables.phi_tables(sparse.csr_matrix(np.ones((n_labels, 1))), 1.0)
    flat = sparse_tables.fixed_prior(phi, np.ones(n_labels))
    topics = _topic_tables(phi, flat, topic_counts, beta, 1.0, gamma)

    def step(labels, z, seed, n=1):
        work = sparse_tables.workspace(phi, n_topics, labels.shape[1], 1, 0).topics
        after = np.empty(z.shape, int)
        for r, (row, start) in enumerate(zip(labels.astype(np.int32), z, strict=True)):
            random = one_lane(seed, r)
            work.z[: row.size] = start
            order = np.argsort(row, kind="stable").astype(np.int32)
            work.n_t[:] = np.bincount(start, minlength=n_topics)
            work.weight[:n_topics] = work.n_t + gamma
            for _ in range(n):
                kernel.topic_prior.sweep(row, order, topics, random, work)
            after[r] = work.z[: row.size]
        return after

    return step


def predicted(
    kind, X, counts, beta, topic_counts, beta_c, eta, alpha, gamma, sweeps, seed, n_samples=1, apart=False
):
    """Return one chain's labels (D, C) from a whole run as the estimators make it, n_samples sweeps added up.

    X (D, W) counts; kind is "dense" or "sparse"; topic_counts (T, C), one row for Flat-LDA and Prior-LDA. The first
    sample is taken after ``sweeps`` sweeps. With apart every sample has a row of its own.
    """
    model = unseen.Model(
        sparse.csr_matrix(counts), beta, [np.atleast_2d(topic_counts)], beta_c, eta, alpha, gamma
    )
    sampler = unseen.sampler(model, unseen.Schedule(sweeps, n_samples, 1, 1), kind)
    ptr, words = unseen.tokens(sparse.csr_matrix(X))
    labels = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0,), seed, apart)[0]
    return _on_labels(ptr, labels, sampler, apart)


def _on_labels(ptr, labels, sampler, apart=False):
    """Return the tokens on labels, (D, C), of all samples together, or apart (D samples, C)."""
    each = [unseen.count_labels(ptr, one[None], sampler.n_labels).toarray() for one in labels]
    return np.stack(each, axis=1).reshape(-1, sampler.n_labels) if apart else np.sum(each, axis=0)


def fast_inference(
    kind, words, counts, beta, topic_counts, beta_c, eta, alpha, gamma, lag, n_samples, seed, kernel=None
):
    """Return the tokens on each label and on each topic of one document, (16 n_samples, C + T).

    Sixteen whole chains of Dependency-LDA, as the estimator runs them, sampled every ``lag`` sweeps; kind and the
    rest as for ``predicted``. A kernel takes its kind's place.
    """
    model = unseen.Model(sparse.csr_matrix(counts), beta, [topic_counts], beta_c, eta, alpha, gamma)
    name = {"dense": "prediction", "sparse": "sparse_prediction"}[kind]
    with _in_place(vars(unseen), name, kernel):
        sampler = unseen.sampler(model, unseen.Schedule(lag, n_samples, lag, LANES), kind)
        ptr = np.array([0, len(words)])
        (group,) = sampler.groups
        labels, _, theta = sampler.run(
            ptr, np.array(words, np.int32), np.zeros(1, np.uint64), tuple(group), seed, apart=True
        )
    theta = theta[:, 0] / theta.sum(axis=2)
    on_topics = theta * (len(words) + topic_counts.shape[0] * gamma) - gamma
    return np.hstack([_on_labels(ptr, labels, sampler, apart=True), np.rint(on_topics).astype(int)])


def read(X, counts, beta, topic_counts, beta_c, eta, alpha, gamma, sweeps, seed, n_samples=1):
    """Return one chain's sums over tokens (D, C) by kind, from a whole run of the sparse sampler."""
    model = unseen.Model(
        sparse.csr_matrix(counts), beta, [np.atleast_2d(topic_counts)], beta_c, eta, alpha, gamma
    )
    schedule = unseen.Schedule(sweeps, n_samples, 1, 1)
    ((_, _, tables),) = reading.sums(
        sparse.csr_matrix(X), model, schedule, seed, list(reading.KINDS), chains.Run()
    )
    return tables


def properly_predicted(
    X, counts, beta, topic_counts, beta_c, eta, alpha, gamma, n_label_tokens, sweeps, seed, n_samples=1
):
    """Return one chain's words and label tokens on each label, (D, 2 C), by proper inference, as ``predicted``."""
    model = unseen.Model(
        sparse.csr_matrix(counts), beta, [np.atleast_2d(topic_counts)], beta_c, eta, alpha, gamma
    )
    sampler = ProperSampler(model, unseen.Schedule(sweeps, n_samples, 1, 1), n_label_tokens)
    ptr, words = unseen.tokens(sparse.csr_matrix(X))
    labels, _, _, on_tokens = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0,), seed)
    return np.hstack([_on_labels(ptr, labels, sampler), on_tokens.toarray()])


def with_room_for(monkeypatch, *, own_lists=None, n_cached=None, n_pairs=None):
    """Say what the sparse sampler has: sorted lists for all or for none, its first workspace, and room for pairs."""
    if n_pairs is not None:
        monkeypatch.setattr(sparse_tables, "ROOM_FOR_PAIRS", n_pairs)
    if own_lists is not None:
        monkeypatch.setattr(
            unseen, "SWEEPS_PER_ENTRY", dict.fromkeys(unseen.SWEEPS_PER_ENTRY, 0 if own_lists else np.inf)
        )
    if n_cached is not None:
        monkeypatch.setattr(unseen, "FIRST_CACHED", dict.fromkeys(unseen.FIRST_CACHED, n_cached))


def at_the_end_of_sums(kernel=sparse_prediction):
    """Yield (what is drawn, what it must be) where rounding has led past the end of a sum.

    A uniform of 1 does it, which the generator never gives; sums taken in another order could.
    """
    mass, before = np.zeros(32, np.float32), np.zeros(LANES, np.float32)
    mass[[3, 15]] = before[[3, 15]] = 1
    yield weighing.choose(1e9, 32, mass, before), 15  # the last in the last lane
    mass[15] = 0
    yield weighing.choose(1e9, 32, mass, before), 3  # none in the last lane
    yield kernel.topic_prior._choose(1e9, 15, 32, mass), 3  # the own one, without mass, left out
    mass[20] = 1
    yield kernel.topic_prior._choose(1e9, 20, 32, mass), 3
    yield kernel.topic_prior._choose(1e9, 3, 4, mass), 3  # no other has mass
    # The first out of the sum of both leaves more than the second: float64 cannot hold it.
    mass[0], mass[3] = 2.0**30, 1.5 * 2.0**-23
    yield kernel.topic_prior._choose(1.8 * 2.0**-23, 0, 4, mass), 3
    phi = sparse_tables.phi_tables(sparse.csr_matrix(np.array([[2, 0, 1], [0, 0, 3], [0, 4, 0]])), 0.3)
    flat = sparse_tables.fixed_prior(phi, np.ones(3))
    topics = _topic_tables(phi, flat, np.array([[3, 1, 0], [0, 2, 0]]), 0.2, 1.0, 0.4)
    more = topics._replace(mass=np.full_like(topics.mass, 1e9))
    model = sparse_prediction.Model(phi, flat, flat, more)
    work = sparse_tables.workspace(phi, 2, 2, 16, 8)
    document = kernel.phi_cache.open_document(0, np.array([1, 2], np.int32), True, phi, work)
    work.topics.theta[0] = 1
    active = work.active._replace(size=np.array([3]))
    active.start[:3] = 0, 2, 4
    for counts, expected in [((1, 1, 1), 2), ((1, 1, 0), 1), ((0, 0, 0), -1)]:  # the last with mass, or none
        active.count[:3] = counts
        yield kernel._choose(1e9, 1, -1, active, np.ones(6, np.float32)), expected
    active.count[:3], active.start[:3] = 0, 0

    rest = 0, phi, topics, 1e9, 2, work.pairs
    yield kernel.topic_prior._draw_pair(2, 1, *rest), 1  # the last label of word 2 and topic 0
    yield kernel.topic_prior._draw_pair(1, 0, *rest), -1  # word 1 and topic 0 share no label
    drawn = kernel.topic_prior.draw(0, document, model, one_lane(1), work)
    yield drawn, -1  # word 1: for the fixed prior
