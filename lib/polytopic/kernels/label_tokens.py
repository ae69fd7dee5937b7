"""Label tokens of unseen documents: the proper inference of Dependency-LDA (Rubin et al. 2012, 3.5 and Appendix C).

A document has word tokens with labels z, M label tokens c and their topics z'. The prior of its words follows the
label tokens, alpha'_c = (eta / M) n_c + alpha (Eq. 1). A pass is z (Eq. 8), c (Eq. 9), z' (Eq. 10), c again.

Eq. 9 weighs a label token's label by phi'_tc and by how much likelier the words' labels are with it: by

    r_c = G(n_c + 1) / G(n_c),    G(n) = Gamma(N_c + alpha + (eta / M) n) / Gamma(alpha + (eta / M) n)
        = product over j < N_c of 1 + (eta / M) / (alpha + (eta / M) n_c + j)

with n_c the other label tokens on c and N_c the document's words on c. Without words r_c is 1, with words it is more:
a draw is one from phi'_t, from alias tables, or one from phi'_tc (r_c - 1) over the few labels that have words. A
label token that moves changes the ratios of two labels; as a ratio depends on n_c and N_c alone, it is looked up in a
table that is filled as far as it is needed, each entry from the one before it.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import alias, generator, phi_cache, sparse_prediction, topic_prior, weighing
from polytopic.kernels.compiling import compiled, embedded, inlined
from polytopic.kernels.documents import WARM_UP, last_sweep, sample_after, seed, write_labels


class Model(NamedTuple):
    """What word tokens and label tokens are drawn from."""

    words: sparse_prediction.Model  # without topics, its priors flat: in the loop alpha
    topics: topic_prior.Topics  # what ``topic_prior.sweep`` reads; its products with phi are left out
    cells: np.ndarray  # (nnz',) alias.CELL  labels of each topic, weighted by value_tc
    mass: np.ndarray  # (T,) float64  sum over c of value_tc


class Ratios(NamedTuple):
    """r_c by label tokens and words on the label."""

    table: np.ndarray  # (M, longest document + 1) float64  table[n, N], the first column 1
    reach: np.ndarray  # (M,) int32  up to which N a row is filled
    step: float  # eta / M, what a label token adds to alpha'
    alpha: float  # per label


class State(NamedTuple):
    """The present document's label tokens, and the counts of both kinds of tokens, which are 0 between documents."""

    c: np.ndarray  # (M,) int32  label of each label token
    n_tokens: np.ndarray  # (C,) int32  n_c, label tokens on each label
    n_words: np.ndarray  # (C,) int32  N_c, words on each label
    first: np.ndarray  # (C,) int32  scratch: where the label's tokens go in their order, else -1


class Active(NamedTuple):
    """The labels that have words while the label tokens are drawn."""

    label: np.ndarray  # (H,) int32
    place: np.ndarray  # (C,) int32  the label's place here, or -1
    size: np.ndarray  # [labels]
    excess: np.ndarray  # (H padded to LANES,) float32  r_c - 1
    phi: np.ndarray  # (T, H padded) float32  phi'_tc
    product: np.ndarray  # (H padded,) float32


class Workspace(NamedTuple):
    """What one document at a time needs."""

    state: State
    active: Active
    ratios: Ratios
    labels: sparse_prediction.Workspace  # of the words, without topics
    topics: topic_prior.Assignments  # of the label tokens


@compiled
def predict(documents, first, model, schedule, chains, work, theta, labels, on_labels):
    """Sample the documents from number ``first`` on with every chain; return the number of the next one.

    All but the last is as in ``sparse_prediction.predict``, theta (D, T) being sums; one stream is for both kinds of
    tokens. on_labels (D, C) gets how many label tokens are on each label in all samples. Documents without words have
    zeros.
    """
    for d in range(first, documents.ptr.size - 1):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        document = phi_cache.open_document(d, tokens, True, model.words.phi, work.labels)
        theta[d] = 0.0
        on_labels[d] = 0
        enough = True
        for k in range(chains.shape[1] if tokens.size > 0 else 0):
            seed(work.labels.streams, chains, k, documents.names[d])
            of_document = labels[:, documents.ptr[d] : documents.ptr[d + 1]]
            enough = _run_chain(k, document, model, schedule, work, theta[d], of_document, on_labels[d])
            _clear(tokens.size, work)
            if not enough:
                break
        phi_cache.close_document(document, work.labels)
        if not enough:
            return d
    return documents.ptr.size - 1


@embedded
def _run_chain(k, document, model, schedule, work, theta, labels, on_labels):
    """Sample the document with chain k; False if there is no room for the labels' phi.

    It warms up as fast inference does: labels under the flat prior, then label tokens and their topics given these.
    """
    z, c, topics = work.labels.z[: document.tokens.size], work.state.c, model.topics
    streams = work.labels.streams
    sparse_prediction.start(document, work.labels)
    for _ in range(1 + WARM_UP):
        if not sparse_prediction.sweep(document, model.words.warm, model.words, streams.labels, work.labels):
            z[:] = -1
            return False
    count(z, 1, work.state.n_words)
    topic_prior.start(c.size, topics, streams.topics, work.topics)
    activate(z, topics, work)
    sweep(model, streams.labels, work)
    sweep_topics(WARM_UP, topics, streams.topics, work)
    for step in range(1, last_sweep(schedule) + 1):
        if not sweep_words(document, model.words, streams.labels, work):
            return False
        activate(z, topics, work)
        sweep(model, streams.labels, work)
        sweep_topics(1, topics, streams.topics, work)
        sweep(model, streams.labels, work)
        sample = sample_after(step, schedule)
        if sample >= 0:
            write_labels(z, k * schedule.n_samples + sample, labels)
            count(c, 1, on_labels)
            for t in range(topics.smooth.size):
                theta[t] += topic_prior.theta(t, c.size, topics, work.topics)
    return True


@compiled
def sweep_words(document, model, random, work):
    """Resample the label of every word once, with the prior that the label tokens imply (Eq. 8); False without room.

    The fixed prior holds alpha; what the label tokens add to it is counted to the words of their labels.
    """
    z, active = work.labels.z[: document.tokens.size], work.labels.active
    sparse_prediction.deactivate(active)
    for labels in (z, work.state.c):
        for i in range(labels.size):
            if sparse_prediction.place_of(labels[i], document, model.phi, work.labels) < 0:
                return False
    for k in range(active.size[0]):
        c = active.label[k]
        active.count[k] = work.state.n_words[c] + work.ratios.step * work.state.n_tokens[c]
    count(z, -1, work.state.n_words)
    if not sparse_prediction.sweep(document, model.fixed, model, random, work.labels):
        z[:] = -1
        return False
    count(z, 1, work.state.n_words)
    return True


@compiled
def sweep(model, random, work):
    """Resample the label of every label token once, given its topic and the labels of the words (Eq. 9).

    The first sweep finds them without labels, -1, and puts each where those before it make it likely.
    """
    state, active, z_topic = work.state, work.active, work.topics.z
    n = active.size[0]
    for i in range(state.c.size):
        if state.c[i] >= 0:
            _move(state.c[i], -1, work)
        t = z_topic[i]
        before = weighing.multiply(active.phi[t], active.excess, n, active.product)
        through_words = weighing.whole(before)
        even = model.topics.smooth[t] * active.place.size
        x = generator.fine_uniform(random) * (through_words + model.mass[t] + even)
        if x < through_words:
            c = active.label[weighing.choose(x, n, active.product, before)]
        elif x < through_words + model.mass[t]:
            first, last = model.topics.topic_ptr[t], model.topics.topic_ptr[t + 1]
            c = alias.draw(first, last, model.cells, generator.fine_uniform(random))
        else:
            c = np.int32(generator.fine_uniform(random) * active.place.size)
        state.c[i] = c
        _move(c, 1, work)


@compiled
def sweep_topics(times, topics, random, work):
    """Resample the topic of every label token, ``times`` times (Eq. 10)."""
    _put_in_order(work.state, work.topics.order)
    for _ in range(times):
        topic_prior.sweep(work.state.c, work.topics.order, topics, random, work.topics)


@compiled
def _put_in_order(state, order):
    """Set order to the label tokens, those of a label one after the other: the labels as they come first."""
    n = 0
    for i in range(state.c.size):
        c = state.c[i]
        if state.first[c] < 0:
            state.first[c] = n
            n += state.n_tokens[c]
        order[state.first[c]] = i
        state.first[c] += 1
    for i in range(state.c.size):
        state.first[state.c[i]] = -1


@inlined
def _move(c, step, work):
    """Put a label token on label c, or take it off."""
    work.state.n_tokens[c] += step
    place = work.active.place[c]
    if place >= 0:
        work.active.excess[place] = ratio(work.state.n_tokens[c], work.state.n_words[c], work.ratios) - 1.0


@compiled
def ratio(n_tokens, n_words, ratios):
    """Return r_c for a label by its numbers of other label tokens and of words."""
    if n_tokens == ratios.reach.size:
        return 1.0  # every label token is here: none is left to be drawn
    row = ratios.table[n_tokens]
    for j in range(ratios.reach[n_tokens], n_words):
        row[j + 1] = row[j] * (1.0 + ratios.step / (ratios.alpha + ratios.step * n_tokens + j))
    ratios.reach[n_tokens] = max(ratios.reach[n_tokens], n_words)
    return row[n_words]


@compiled
def activate(z, topics, work):
    """List the labels that have words, with their phi' and ratios."""
    active = work.active
    _deactivate(active)
    for i in range(z.size):
        if active.place[z[i]] < 0:
            active.place[z[i]] = active.size[0]
            active.label[active.size[0]] = z[i]
            active.size[0] += 1
    n = active.size[0]
    for t in range(topics.smooth.size):
        active.phi[t, :n] = topics.smooth[t]
    for k in range(n):
        c = active.label[k]
        for q in range(topics.label_ptr[c], topics.label_ptr[c + 1]):
            active.phi[topics.label_topics[q], k] += topics.label_values[q]
        active.excess[k] = ratio(work.state.n_tokens[c], work.state.n_words[c], work.ratios) - 1.0


@compiled
def _deactivate(active):
    for k in range(active.size[0]):
        active.place[active.label[k]] = -1
        active.excess[k] = 0.0
    active.size[0] = 0


@compiled
def count(labels, step, total):
    """Add step to total (C,) for each of the labels, those below 0 apart."""
    for i in range(labels.size):
        if labels[i] >= 0:
            total[labels[i]] += step


@compiled
def _clear(n_words, work):
    """Leave the workspace as a chain has to find it."""
    sparse_prediction.deactivate(work.labels.active)
    _deactivate(work.active)
    count(work.labels.z[:n_words], -1, work.state.n_words)
    count(work.state.c, -1, work.state.n_tokens)
    work.state.c[:] = -1
