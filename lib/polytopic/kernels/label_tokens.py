"""Label tokens of unseen documents: the proper inference of Dependency-LDA (Rubin et al. 2012, 3.5 and Appendix C).

A document has word tokens with labels z, M label tokens c and their topics z'. The prior of its words follows the
label tokens, alpha'_c = (eta / M) n_c + alpha (Eq. 1). A pass is z (Eq. 8), c (Eq. 9), z' (Eq. 10), c again.

Eq. 9 weighs a label token's label by phi'_tc and by how much likelier the words' labels are with it: by

    r_c = G(n_c + 1) / G(n_c),    G(n) = Gamma(N_c + alpha + (eta / M) n) / Gamma(alpha + (eta / M) n)
        = product over j < N_c of 1 + (eta / M) / (alpha + (eta / M) n_c + j)

with n_c the other label tokens on c and N_c the document's words on c. Without words r_c is 1, with words it is more:
a draw is one from phi'_t, from alias tables, or one from phi'_tc (r_c - 1) over the few labels that hold words. A
label token that moves changes the ratios of two labels; as a ratio depends on n_c and N_c alone, it is looked up in a
table that is filled as far as it is needed, each entry from the one before it.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import alias, generator, profiles, sparse_prediction, sums, topic_prior, weighing
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


class Holders(NamedTuple):
    """The labels that hold words while the label tokens are drawn."""

    label: np.ndarray  # (H,) int32
    place: np.ndarray  # (C,) int32  the label's place here, or -1
    size: np.ndarray  # [labels]
    excess: np.ndarray  # (H padded to LANES,) float32  r_c - 1
    phi: np.ndarray  # (T, H padded) float32  phi'_tc
    product: np.ndarray  # (H padded,) float32


class Workspace(NamedTuple):
    """What one document at a time needs."""

    state: State
    holders: Holders
    ratios: Ratios
    labels: sparse_prediction.Workspace  # of the words, without topics
    topics: topic_prior.Assignments  # of the label tokens


class Outputs(NamedTuple):
    """The sums of both kinds of tokens; theta' goes with the words."""

    words: sums.Output
    tokens: sums.Output


@compiled
def predict(documents, first, model, schedule, chains, work, outputs, labels):
    """Sample the documents from number ``first`` on with every chain; return (status, next document).

    chains, labels and status are those of ``sparse_prediction.predict``; one stream is for both kinds of tokens.
    Documents without words are left out.
    """
    for d in range(first, documents.ptr.size - 1):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        document = profiles.open_document(d, tokens, True, model.words.phi, work.labels)
        outputs.words.topics[d] = 0.0
        status = sums.DONE
        for k in range(chains.shape[1] if tokens.size > 0 else 0):
            seed(work.labels.streams, chains, k, documents.names[d])
            of_document = labels[:, documents.ptr[d] : documents.ptr[d + 1]]
            enough = _run_chain(k, document, model, schedule, work, outputs, of_document)
            _clear(tokens.size, work)
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


@embedded
def _run_chain(k, document, model, schedule, work, outputs, labels):
    """Sample the document with chain k; False if there is no room for the labels' profiles.

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
    hold(z, topics, work)
    sweep(model, streams.labels, work)
    sweep_topics(WARM_UP, topics, streams.topics, work)
    for step in range(1, last_sweep(schedule) + 1):
        if not sweep_words(document, model.words, streams.labels, work):
            return False
        hold(z, topics, work)
        sweep(model, streams.labels, work)
        sweep_topics(1, topics, streams.topics, work)
        sweep(model, streams.labels, work)
        sample = sample_after(step, schedule)
        if sample >= 0:
            _add(z, outputs.words)
            _add(c, outputs.tokens)
            for t in range(topics.smooth.size):
                theta = topic_prior.theta(t, c.size, topics, work.topics)
                outputs.words.topics[document.number, t] += theta
            write_labels(z, k * schedule.n_samples + sample, labels)
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
    state, holders, z_topic = work.state, work.holders, work.topics.z
    n = holders.size[0]
    for i in range(state.c.size):
        if state.c[i] >= 0:
            _move(state.c[i], -1, work)
        t = z_topic[i]
        before = weighing.multiply(holders.phi[t], holders.excess, n, holders.product)
        through_words = weighing.whole(before)
        even = model.topics.smooth[t] * holders.place.size
        x = generator.fine_uniform(random) * (through_words + model.mass[t] + even)
        if x < through_words:
            c = holders.label[weighing.choose(x, n, holders.product, before)]
        elif x < through_words + model.mass[t]:
            first, last = model.topics.topic_ptr[t], model.topics.topic_ptr[t + 1]
            c = alias.draw(first, last, model.cells, generator.fine_uniform(random))
        else:
            c = np.int32(generator.fine_uniform(random) * holders.place.size)
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
    place = work.holders.place[c]
    if place >= 0:
        work.holders.excess[place] = ratio(work.state.n_tokens[c], work.state.n_words[c], work.ratios) - 1.0


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
def hold(z, topics, work):
    """List the labels that hold words, with their phi' and ratios."""
    holders = work.holders
    _release(holders)
    for i in range(z.size):
        if holders.place[z[i]] < 0:
            holders.place[z[i]] = holders.size[0]
            holders.label[holders.size[0]] = z[i]
            holders.size[0] += 1
    n = holders.size[0]
    for t in range(topics.smooth.size):
        holders.phi[t, :n] = topics.smooth[t]
    for k in range(n):
        c = holders.label[k]
        for q in range(topics.label_ptr[c], topics.label_ptr[c + 1]):
            holders.phi[topics.label_topics[q], k] += topics.label_values[q]
        holders.excess[k] = ratio(work.state.n_tokens[c], work.state.n_words[c], work.ratios) - 1.0


@compiled
def _release(holders):
    for k in range(holders.size[0]):
        holders.place[holders.label[k]] = -1
        holders.excess[k] = 0.0
    holders.size[0] = 0


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
    _release(work.holders)
    count(work.labels.z[:n_words], -1, work.state.n_words)
    count(work.state.c, -1, work.state.n_tokens)
    work.state.c[:] = -1


@compiled
def _add(labels, output):
    """Add the labels of one sample to the document's tally."""
    for i in range(labels.size):
        sums.add(labels[i], 1.0, output)
