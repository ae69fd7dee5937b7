"""Which labels each token of an unseen document has: the samplers' chains, their assignments written out.

Every chain is that of ``prediction``, ``sparse_prediction`` or ``label_tokens``, draw for draw: the sweeps, the order
of the random numbers and the sums are theirs, and the assignments of each sample are copied besides.
"""

import numpy as np

from polytopic.kernels import (
    label_tokens,
    prediction,
    profiles,
    sparse_prediction,
    sums,
    topic_prior,
)
from polytopic.kernels.compiling import allocating, compiled, embedded
from polytopic.kernels.documents import WARM_UP, Streams, last_sweep, sample_after, seed


@allocating
def sample_dense(documents, phi, phi_topics, sets, prior, schedule, chains, work, totals, labels):
    """Do what ``prediction.predict`` does, and write the label of each token in each sample.

    labels (n_chains * n_samples, N) int32 has the samples of a chain one after the other.
    """
    n_labels, n_topics = phi.shape[1], phi_topics.shape[0]
    width = prediction.LANES
    streams = Streams(np.zeros((4, width), np.uint32), np.zeros((4, width), np.uint32))
    for d in range(documents.ptr.size - 1):
        first, last = documents.ptr[d], documents.ptr[d + 1]
        words = documents.words[first:last]
        seed(streams, chains, 0, documents.names[d])
        work.alpha[:] = np.float32(prior.eta / n_labels + prior.alpha)
        prediction._start(work.z, work.n_c, words.size, streams.labels)
        for _ in range(WARM_UP):
            prediction.sweep_labels(words, phi, work, streams.labels)
        if n_topics > 1:
            prediction._start(work.z_topic, work.n_t, words.size, streams.topics)
            for _ in range(WARM_UP):
                prediction.sweep_topics(words.size, phi_topics, prior.gamma, work, streams.topics)
        else:
            work.n_t[:] = np.float32(words.size)
        for step in range(1, last_sweep(schedule) + 1):
            if n_topics > 1 and step > 1:
                prediction.sweep_topics(words.size, phi_topics, prior.gamma, work, streams.topics)
            if n_topics > 1 or step == 1:
                prediction.set_prior(words.size, phi_topics, prior, work)
            prediction.sweep_labels(words, phi, work, streams.labels)
            sample = sample_after(step, schedule)
            if sample >= 0:
                prediction._add_sample(d, sample, documents, sets, prior, schedule, work, totals)
                for lane in range(schedule.n_chains):
                    for i in range(words.size):
                        labels[lane * schedule.n_samples + sample, first + i] = work.z[i, lane]


@compiled
def sample_sparse(documents, n_entries, first, model, schedule, chains, work, output, labels):
    """Do what ``sparse_prediction.predict`` does, without readings, and write the label of each token in each sample.

    labels as for ``sample_dense``.
    """
    for d in range(first, documents.ptr.size - 1):
        start, end = documents.ptr[d], documents.ptr[d + 1]
        is_sorted = n_entries[d] <= work.lists.entries.size
        document = profiles.open_document(d, documents.words[start:end], is_sorted, model.phi, work)
        topic_prior.forget_tables(work.tables)
        output.topics[d] = 0.0
        status = sums.DONE
        for k in range(chains.shape[1]):
            seed(work.streams, chains, k, documents.names[d])
            enough = _run_sparse(k, document, model, schedule, work, output, labels[:, start:end])
            sparse_prediction.let_go(work.held)
            if not enough:
                status = sums.PROFILES_FULL
                break
        profiles.close_document(document, work)
        if status == sums.DONE and not sums.has_room(d, output):
            status = sums.OUTPUT_FULL
        sums.flush(d, status, output)
        if status != sums.DONE:
            return status, d
    return sums.DONE, documents.ptr.size - 1


@embedded
def _run_sparse(k, document, model, schedule, work, output, labels):
    topics, streams, n_tokens = model.topics, work.streams, document.tokens.size
    z, has_topics = work.z[:n_tokens], topics.smooth.size > 0
    sparse_prediction.start(document, work)
    for step in range(-WARM_UP, last_sweep(schedule) + 1):
        if step == 1 and has_topics:
            topic_prior.start(n_tokens, topics, streams.topics, work.topics)
        if step >= 1 and has_topics:
            sparse_prediction.sweep_topics(WARM_UP if step == 1 else 1, document, topics, work)
        fixed = model.fixed if step >= 1 else model.warm
        if not sparse_prediction.sweep(document, fixed, model, streams.labels, work):
            return False
        sample = sample_after(step, schedule)
        if step >= 1 and sample >= 0:
            row = k * schedule.n_samples + sample
            sparse_prediction._add_sample(row, document, work, output)
            _copy(z, labels[row])
    return True


@compiled
def sample_proper(documents, first, model, schedule, chains, work, outputs, labels):
    """Do what ``label_tokens.predict`` does, and write the label of each word's token in each sample.

    labels as for ``sample_dense``.
    """
    for d in range(first, documents.ptr.size - 1):
        start, end = documents.ptr[d], documents.ptr[d + 1]
        tokens = documents.words[start:end]
        document = profiles.open_document(d, tokens, True, model.words.phi, work.labels)
        outputs.words.topics[d] = 0.0
        status = sums.DONE
        for k in range(chains.shape[1] if tokens.size > 0 else 0):
            seed(work.labels.streams, chains, k, documents.names[d])
            enough = _run_proper(k, document, model, schedule, work, outputs, labels[:, start:end])
            label_tokens._clear(tokens.size, work)
            if not enough:
                status = sums.PROFILES_FULL
                break
        profiles.close_document(document, work.labels)
        if status == sums.DONE and not (sums.has_room(d, outputs.words) and sums.has_room(d, outputs.tokens)):
            status = sums.OUTPUT_FULL
        sums.flush(d, status, outputs.words)
        sums.flush(d, status, outputs.tokens)
        if status != sums.DONE:
            return status, d
    return sums.DONE, documents.ptr.size - 1


@compiled
def _run_proper(k, document, model, schedule, work, outputs, labels):
    z, c, topics = work.labels.z[: document.tokens.size], work.state.c, model.topics
    streams = work.labels.streams
    sparse_prediction.start(document, work.labels)
    for _ in range(1 + WARM_UP):
        if not sparse_prediction.sweep(document, model.words.warm, model.words, streams.labels, work.labels):
            z[:] = -1
            return False
    label_tokens.count(z, 1, work.state.n_words)
    topic_prior.start(c.size, topics, streams.topics, work.topics)
    label_tokens.hold(z, topics, work)
    label_tokens.sweep(model, streams.labels, work)
    label_tokens.sweep_topics(WARM_UP, topics, streams.topics, work)
    for step in range(1, last_sweep(schedule) + 1):
        if not label_tokens.sweep_words(document, model.words, streams.labels, work):
            return False
        label_tokens.hold(z, topics, work)
        label_tokens.sweep(model, streams.labels, work)
        label_tokens.sweep_topics(1, topics, streams.topics, work)
        label_tokens.sweep(model, streams.labels, work)
        sample = sample_after(step, schedule)
        if sample >= 0:
            label_tokens._add(z, outputs.words)
            label_tokens._add(c, outputs.tokens)
            for t in range(topics.smooth.size):
                theta = topic_prior.theta(t, c.size, topics, work.topics)
                outputs.words.topics[document.number, t] += theta
            _copy(z, labels[k * schedule.n_samples + sample])
    return True


@compiled
def _copy(z, row):
    for i in range(z.size):
        row[i] = z[i]
