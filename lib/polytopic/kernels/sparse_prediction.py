"""Labels of unseen documents among thousands, exactly, at a cost that hardly grows with their number.

p(c), proportional to phi_wc (n_c + alpha'_c) (Rubin et al. 2012, Eq. 8), has parts that are cheap to draw from:

    phi_wc n_c         the labels that the document holds now, from their phi over its words, cached
    phi_wc alpha_c     what of the prior is the same in every document: alias tables
    phi_wc eta (theta' . phi')_c    Dependency-LDA: a topic, then a label given both (``topic_prior``)

All parts are exact; only float32 rounding (of values and of partial sums) is lost.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, phi_cache, sparse_reading, topic_prior
from polytopic.kernels.compiling import compiled, embedded, inlined
from polytopic.kernels.documents import WARM_UP, Streams, last_sweep, sample_after, seed, write_labels
from polytopic.kernels.simd import LANES, load, spread, store


class Model(NamedTuple):
    """phi and the parts of the prior, of which the fixed one is flat where there are topics."""

    phi: phi_cache.Phi
    fixed: topic_prior.FixedPrior  # in the loop
    warm: topic_prior.FixedPrior  # in the first sweeps: the same but for its scale
    topics: topic_prior.Topics


class Active(NamedTuple):
    """The labels that have tokens in the present document: at the start of a sweep those with most tokens first."""

    label: np.ndarray  # (H padded to LANES,) int32
    start: np.ndarray  # (H padded to LANES,) int32  where the label's row of the cache starts
    count: np.ndarray  # (H padded to LANES,) float32  n_c
    where: np.ndarray  # (C,) phi_cache.WHERE  the label's place here, and its row of the cache; or -1
    size: np.ndarray  # [active labels]
    first: np.ndarray  # (H padded to LANES,) int32  scratch: where the label's tokens go in their order
    mass: np.ndarray  # (U padded to STEP,) float32  sum over c of phi_wc n_c for each distinct word


class Workspace(NamedTuple):
    """What one document at a time needs."""

    words: phi_cache.Words
    z: np.ndarray  # (N,) int32  label of each token
    active: Active
    lists: phi_cache.Lists
    cache: phi_cache.PhiCache
    drawn: topic_prior.Drawn
    topics: topic_prior.Assignments
    pairs: topic_prior.Pairs
    streams: Streams  # of one chain


@compiled
def predict(documents, n_entries, first, model, schedule, chains, work, theta, labels, readings):
    """Sample the documents from number ``first`` on with every chain; return the number of the next one.

    chains (2, n_chains) uint64 name the chains' streams for labels and topics; n_entries (D,) is the number of
    non-zero counts of each document's words: where the workspace has room for them they are sorted. theta (D, T), or
    with a row for each sample, and labels (n_chains n_samples, N) are those of ``prediction.predict``. The sums of
    the conditional distributions go to the readings, unless these are None. Where a document is left, there is too
    little room in the cache: call again with more, from that document.
    """
    n_rows = theta.shape[0] // max(1, documents.ptr.size - 1)
    for d in range(first, documents.ptr.size - 1):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        is_sorted = n_entries[d] <= work.lists.entries.size
        document = phi_cache.open_document(d, tokens, is_sorted, model.phi, work)
        of_document = labels[:, documents.ptr[d] : documents.ptr[d + 1]]
        own_theta = theta[d * n_rows : (d + 1) * n_rows]
        own_theta[:] = 0.0
        if readings is not None:
            sparse_reading.open_document(document, work.words, readings)
        enough = True
        for k in range(chains.shape[1]):
            seed(work.streams, chains, k, documents.names[d])
            enough = _run_chain(k, document, model, schedule, work, own_theta, of_document, readings)
            deactivate(work.active)
            if not enough:
                break
        phi_cache.close_document(document, work)
        topic_prior.forget_pairs(document.n_unique, work.pairs)
        if not enough:
            return d
    return documents.ptr.size - 1


@embedded
def _run_chain(k, document, model, schedule, work, theta, labels, readings):
    """Sample the document with chain k; False if there is no room for the labels' phi.

    The labels come first, under the flat prior, then topics given those labels; from there on the halves take turns.
    """
    topics, streams, n_tokens = model.topics, work.streams, document.tokens.size
    has_topics = topics.smooth.size > 0
    start(document, work)
    for step in range(-WARM_UP, last_sweep(schedule) + 1):
        if step == 1 and has_topics:
            topic_prior.start(n_tokens, topics, streams.topics, work.topics)
        if step >= 1 and has_topics:
            sweep_topics(WARM_UP if step == 1 else 1, document, topics, work)
        fixed = model.fixed if step >= 1 else model.warm
        if not sweep(document, fixed, model, streams.labels, work):
            return False
        sample = sample_after(step, schedule)
        if step >= 1 and sample >= 0:
            number = k * schedule.n_samples + sample
            write_labels(work.z, number, labels)
            for t in range(theta.shape[1]):
                theta[number % theta.shape[0], t] += work.topics.theta[t]
            if readings is not None:
                sparse_reading.read(document, model.fixed, work, readings)
    return True


@compiled
def start(document, work):
    """Take every token off its label: the first sweep puts each where the ones before it make it likely."""
    work.z[: document.tokens.size] = -1
    work.topics.part[: document.n_unique] = 0.0
    work.drawn.left[: document.n_unique] = 0


@compiled
def sweep_topics(times, document, topics, work):
    """Resample the topic of every token, ``times`` times (Eq. 10), and renew the prior that follows (Eq. 12)."""
    labels = work.z[: document.tokens.size]
    order = work.topics.order[: labels.size]
    _put_in_order(labels, work.active, order)
    for _ in range(times):
        topic_prior.sweep(labels, order, topics, work.streams.topics, work.topics)
    topic_prior.set_prior(labels.size, work.words.unique[: document.n_unique], topics, work.topics)


@compiled
def _put_in_order(labels, active, order):
    """Set order to the tokens, those of a label one after the other: the labels as they come first."""
    for k in range(active.size[0]):
        active.first[k] = -1
    n = 0
    for i in range(labels.size):
        k = active.where[labels[i]]["active"]
        place, count = active.first[k], int(active.count[k])
        is_first = place < 0
        place = n if is_first else place
        n += count if is_first else 0
        order[place] = i
        active.first[k] = place + 1


@embedded
def sweep(document, fixed, model, random, work):
    """Resample the label of every token once (Eq. 8). False if there is no room for another label's phi.

    fixed is the model's FixedPrior, or its warm one. The words' masses over the active labels are summed at the start
    and follow every token that changes its label, so that a draw looks at labels only until it has found its own: at
    the token's present one, which many keep, and then at those with most tokens first. Where tokens come word by
    word, the masses of words that are done with are left as they are.
    """
    active, has_topics, n_unique = work.active, model.topics.smooth.size > 0, document.n_unique
    _sort(active)
    _weigh(n_unique, active, work.cache.phi)
    for i in range(document.tokens.size):
        w, place, old = document.tokens[i], work.words.place[i], work.z[i]
        used, stays, former = np.float64(active.mass[place]), 0.0, -1
        if old >= 0:
            former = active.where[old]["active"]
            value = work.cache.phi[active.start[former] + place]
            stays = np.float64((active.count[former] - np.float32(1)) * value)
            used = max(used - np.float64(value), stays)
        through_fixed = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        x = generator.fine_uniform(random) * (used + through_fixed + work.topics.part[place])
        if x < stays:
            continue
        first = place // phi_cache.STEP * phi_cache.STEP if document.word_by_word else 0
        if old >= 0:
            _add(np.float32(-1), active.start[former], first, n_unique, active.mass, work.cache.phi)
            former = _take(former, active)
        k = _choose(x - stays, place, former, active, work.cache.phi) if x < used else -1
        if k < 0:
            c = -1
            if x >= used + through_fixed and has_topics:
                c = topic_prior.draw(i, document, model, random, work)
            if c < 0:
                c = topic_prior.draw_fixed(w, place, fixed, work.drawn, random)
            k = place_of(c, document, model.phi, work)
            if k < 0:
                return False
        _add(np.float32(1), active.start[k], first, n_unique, active.mass, work.cache.phi)
        active.count[k] += np.float32(1)
        work.z[i] = active.label[k]
    return True


@compiled
def _sort(active):
    """Bring the labels with most tokens to the front; of those with as many, the first stays first."""
    for k in range(1, active.size[0]):
        label, start, count = active.label[k], active.start[k], active.count[k]
        j = k
        while j > 0 and active.count[j - 1] < count:
            active.label[j], active.start[j] = active.label[j - 1], active.start[j - 1]
            active.count[j] = active.count[j - 1]
            active.where[active.label[j]]["active"] = j
            j -= 1
        active.label[j], active.start[j], active.count[j] = label, start, count
        active.where[label]["active"] = j


@compiled
def _weigh(n_unique, active, phi):
    """Set the words' masses from the counts."""
    for place in range(0, n_unique, phi_cache.STEP):
        left, right = spread(np.float32(0)), spread(np.float32(0))
        for k in range(active.size[0]):
            start, count = active.start[k] + place, active.count[k]
            left = left + load(phi, start) * count
            right = right + load(phi, start + LANES) * count
        store(active.mass, place, left)
        store(active.mass, place + LANES, right)


@compiled
def _add(n_tokens, start, first, n_unique, mass, phi):
    """Add a number of tokens on the label whose row starts there to the masses of the words from ``first`` on."""
    for place in range(first, n_unique, LANES):
        store(mass, place, load(mass, place) + load(phi, start + place) * n_tokens)


@inlined
def _choose(x, place, former, active, phi):
    """Return the place of the label at which the running sum of phi_wc n_c exceeds x, that at ``former`` left out.

    Rounding may leave the sum short of x: then it is the last label with mass, or -1 where there is none.
    """
    for k in range(active.size[0]):
        if k != former:
            mass = np.float64(active.count[k] * phi[active.start[k] + place])
            if x < mass:
                return k
            x -= mass
    k = active.size[0] - 1
    while k >= 0 and not active.count[k] * phi[active.start[k] + place] > 0:
        k -= 1
    return k


@inlined
def _take(k, active):
    """Take a token off the label at place k and return k; -1 if it was the last, and the place goes to another."""
    active.count[k] -= np.float32(1)
    if active.count[k] > 0:
        return k
    last = active.size[0] - 1
    active.where[active.label[k]]["active"] = -1
    if k < last:
        active.label[k] = active.label[last]
        active.start[k] = active.start[last]
        active.count[k] = active.count[last]
        active.where[active.label[k]]["active"] = k
    active.size[0] = last
    return -1


@inlined
def place_of(c, document, phi, work):
    """Return label c's place among the active ones, giving it one if it has none; -1 if there is no room."""
    active = work.active
    k = active.where[c]["active"]
    if k >= 0:
        return k
    if not phi_cache.has_room(c, work.cache):
        if 2 * active.size[0] > work.cache.label.size:
            return -1
        phi_cache.keep_active(document.stride, work.cache)
        for k in range(active.size[0]):
            active.start[k] = active.where[active.label[k]]["row"] * document.stride
    row = phi_cache.row_of(c, document, phi, work)
    k = active.size[0]
    active.size[0] += 1
    active.label[k], active.count[k] = c, np.float32(0)
    active.start[k] = row * document.stride
    active.where[c]["active"] = k
    return k


@compiled
def deactivate(active):
    """Take every label off."""
    for k in range(active.size[0]):
        active.where[active.label[k]]["active"] = -1
    active.size[0] = 0
