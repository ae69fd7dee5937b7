"""Labels of unseen documents among thousands, exactly, at a cost that hardly grows with their number.

phi_wc = value_wc + smooth_c, with value the word's own share, zero for most labels, and smooth what beta_W adds.
So p(c), proportional to phi_wc (n_c + alpha'_c), falls into parts that are each cheap to draw from:

    value_wc n_c       the labels that the document uses now, in slots: a small matrix of its words by its labels
    smooth_c n_c       the same labels, and a running total
    phi_wc alpha_c     what of the prior does not change in the document: alias tables
    phi_wc eta (theta' . phi')_c    Dependency-LDA: a topic by theta'_t (phi . phi')_wt, then a label given both

The last part is what makes the cost of the dependency model independent of the number of labels: its mass
factorises through the topics. All parts are exact; only float32 rounding (of values and of partial sums) is lost.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import alias, generator, lanes

LANES = lanes.LANES
WARM_UP = 2
ROOM_FOR_IDLE = 32  # slots without tokens that are kept before the slots are packed

DONE, SLOTS_FULL, OUTPUT_FULL = 0, 1, 2


class Phi(NamedTuple):
    """The label-word distributions, (value_wc + smooth_c), by word and by label; both lists are sorted."""

    word_ptr: np.ndarray  # (W + 1,)
    word_labels: np.ndarray  # (nnz,) int32
    word_values: np.ndarray  # (nnz,) float32
    label_ptr: np.ndarray  # (C + 1,)
    label_words: np.ndarray  # (nnz,) int32
    label_values: np.ndarray  # (nnz,) float32
    smooth: np.ndarray  # (C,) float64
    dense_row: np.ndarray  # (W,) int32  row of ``dense`` for a word on many labels, else -1
    dense: np.ndarray  # (H, C) float32


class FixedPrior(NamedTuple):
    """scale * alpha_c: what of the prior is the same in every document, as alias tables over phi_wc alpha_c."""

    scale: float
    word_mass: np.ndarray  # (W,) sum of value_wc alpha_c
    keep: np.ndarray  # (nnz,) float32, beside Phi.word_labels
    other: np.ndarray  # (nnz,) int32
    shared_mass: float  # sum of smooth_c alpha_c
    shared_keep: np.ndarray  # (C,)
    shared_other: np.ndarray  # (C,)


class Topics(NamedTuple):
    """phi'_tc = value_tc + smooth_t for one set of topics, and its products with phi. No topics: T = 0."""

    smooth: np.ndarray  # (T,) float64
    topic_ptr: np.ndarray  # (T + 1,)
    topic_labels: np.ndarray  # (nnz',) int32, sorted within a topic
    topic_values: np.ndarray  # (nnz',) float32
    topic_keep: np.ndarray  # (nnz',) float32  alias tables over smooth_c value_tc
    topic_other: np.ndarray  # (nnz',) int32
    topic_mass: np.ndarray  # (T,) float64  sum of smooth_c value_tc
    label_ptr: np.ndarray  # (C + 1,)
    label_topics: np.ndarray  # (nnz',) int32
    label_values: np.ndarray  # (nnz',) float32
    joint: np.ndarray  # (W, T padded to LANES) float32  sum over c of value_wc value_tc
    mass: np.ndarray  # (W, T padded to LANES) float32  sum over c of phi_wc phi'_tc
    word_mass: np.ndarray  # (W,) float64  sum of value_wc
    word_keep: np.ndarray  # (nnz,) float32  alias tables over value_wc
    word_other: np.ndarray  # (nnz,) int32
    shared_mass: float  # sum of smooth_c
    shared_keep: np.ndarray  # (C,) float32  alias table over smooth_c
    shared_other: np.ndarray  # (C,) int32
    eta: float
    gamma: float  # per topic


class Slots(NamedTuple):
    """The labels that the present document uses or has just used."""

    value: np.ndarray  # (longest number of distinct words, S) float32  value_wc
    count: np.ndarray  # (S,) float32  n_c
    label: np.ndarray  # (S,) int32
    of_label: np.ndarray  # (C,) int32  slot of a label, or -1
    moved: np.ndarray  # (S,) int32
    size: np.ndarray  # [slots in use, slots with tokens]


class Document(NamedTuple):
    """The present document and its assignments."""

    unique: np.ndarray  # (U,) int32  its distinct words
    place: np.ndarray  # (N,) int32  each token's word, as a place in ``unique``
    local: np.ndarray  # (W,) int32  a word's place in ``unique``, or -1
    z: np.ndarray  # (N,) int32  slot of each token
    z_topic: np.ndarray  # (N,) int32
    n_t: np.ndarray  # (T padded,) float32
    theta: np.ndarray  # (T padded,) float32
    topic_part: np.ndarray  # (U,) float64  mass of the topics' part for each distinct word
    sums: np.ndarray  # (LANES,) float32


class Pairs(NamedTuple):
    """Labels given a word and a topic, value_wc value_tc, found once for a document and kept."""

    start: np.ndarray  # (U * T,) int32  where the pair's labels start, or -1
    length: np.ndarray  # (U * T,) int32
    labels: np.ndarray  # (room,) int32
    cumulative: np.ndarray  # (room,) float64
    used: np.ndarray  # [entries in use]


class Output(NamedTuple):
    """Sums over chains and samples: label tokens as a ragged array by document, theta' dense."""

    ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (room,) int32
    counts: np.ndarray  # (room,) int32
    topics: np.ndarray  # (D, T) float64
    tally: np.ndarray  # (C,) int32  zeros
    touched: np.ndarray  # (C,) int32


@njit(cache=True, nogil=True)
def predict(
    documents, first, last, phi, fixed, warm, topics, schedule, chains, document, slots, pairs, output
):
    """Sample documents first to last with every chain; return (status, next document).

    fixed and warm are the FixedPrior in the loop and in the first sweeps; chains (2, n_chains) uint64 name the
    chains' label and topic streams. A status other than DONE says what is too small: call again, from the document
    returned, with more room.
    """
    random = np.zeros((4, 1), np.uint32)
    random_topics = np.zeros((4, 1), np.uint32)
    for d in range(first, last):
        words = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        n_unique = _open_document(words, document)
        n_touched = 0
        output.topics[d] = 0.0
        status = DONE
        for k in range(chains.shape[1]):
            generator.seed(random, chains[0, k : k + 1], documents.first + d)
            generator.seed(random_topics, chains[1, k : k + 1], documents.first + d)
            _clear(pairs, n_unique, topics.smooth.size)
            status, n_touched = _run_chain(
                d,
                words,
                n_unique,
                phi,
                fixed,
                warm,
                topics,
                schedule,
                random,
                random_topics,
                document,
                slots,
                pairs,
                output,
                n_touched,
            )
            _empty(slots)
            if status != DONE:
                break
        _close_document(n_unique, document)
        if status == DONE and output.ptr[d] + n_touched > output.labels.size:
            status = OUTPUT_FULL
        _flush(d, n_touched, status, output)
        if status != DONE:
            return status, d
    return DONE, last


@njit(cache=True, nogil=True)
def _run_chain(
    d,
    words,
    n_unique,
    phi,
    fixed,
    warm,
    topics,
    schedule,
    random,
    random_topics,
    document,
    slots,
    pairs,
    output,
    n_touched,
):
    n_tokens, n_topics = words.size, topics.smooth.size
    document.topic_part[:n_unique] = 0.0
    if not _start(words, n_unique, phi, random, document, slots):
        return SLOTS_FULL, n_touched
    for _ in range(WARM_UP):
        if not sweep_labels(words, n_unique, phi, warm, topics, random, document, slots, pairs):
            return SLOTS_FULL, n_touched
    if n_topics > 0:
        _start_topics(n_tokens, n_topics, random_topics, document)
        for _ in range(WARM_UP):
            sweep_topics(n_tokens, topics, random_topics, document, slots)
    for step in range(1, schedule.burn_in + (schedule.n_samples - 1) * schedule.lag + 1):
        if n_topics > 0:
            if step > 1:
                sweep_topics(n_tokens, topics, random_topics, document, slots)
            set_prior(n_tokens, n_unique, topics, document)
        if not sweep_labels(words, n_unique, phi, fixed, topics, random, document, slots, pairs):
            return SLOTS_FULL, n_touched
        since = step - schedule.burn_in
        if since >= 0 and since % schedule.lag == 0:
            n_touched = _add_sample(d, n_topics, document, slots, output, n_touched)
    return DONE, n_touched


@njit(cache=True, nogil=True)
def sweep_labels(words, n_unique, phi, fixed, topics, random, document, slots, pairs):
    """Resample the label of every token once (Eq. 8). False if the slots are full: nothing is lost but the sweep."""
    smooth_mass = 0.0
    for s in range(slots.size[0]):
        smooth_mass += slots.count[s] * phi.smooth[slots.label[s]]
    for i in range(words.size):
        w, place = words[i], document.place[i]
        s = document.z[i]
        slots.count[s] -= np.float32(1)
        smooth_mass -= phi.smooth[slots.label[s]]
        if slots.count[s] == 0:
            slots.size[1] -= 1
        padded = -(-slots.size[0] // LANES) * LANES
        lanes.dot(slots.value[place], slots.count, padded, document.sums)
        used = 0.0
        for lane in range(LANES):
            used += np.float64(document.sums[lane])
        fixed_mass = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        x = generator.fine_uniform(random) * (used + smooth_mass + fixed_mass + document.topic_part[place])
        if x < used:
            s = _walk(slots.value[place], slots.count, padded, document.sums, x)
        elif x < used + smooth_mass:
            s = _walk_smooth(x - used, phi, slots)
        else:
            if x < used + smooth_mass + fixed_mass or topics.smooth.size == 0:
                c = _draw_fixed(w, phi, fixed, random)
            else:
                c = _draw_through_topic(w, place, phi, topics, document, pairs, random)
            s = slots.of_label[c]
            if s < 0:
                document.z[i] = -1
                s = _open_slot(c, words.size, n_unique, phi, document, slots)
                if s < 0:
                    return False
        if slots.count[s] == 0:
            slots.size[1] += 1
        slots.count[s] += np.float32(1)
        smooth_mass += phi.smooth[slots.label[s]]
        document.z[i] = s
    return True


@njit(cache=True, nogil=True)
def sweep_topics(n_tokens, topics, random, document, slots):
    """Resample the topic of every token once, its label taken as a label token: phi'_tc (n_t + gamma) (Eq. 10).

    phi'_tc has few values besides its smoothing, so the label's own topics, those of the document and the rest
    are three parts.
    """
    n_topics = topics.smooth.size
    even = 0.0
    for t in range(n_topics):
        even += topics.smooth[t] * topics.gamma
    present = 0.0
    for t in range(n_topics):
        present += topics.smooth[t] * document.n_t[t]
    for i in range(n_tokens):
        t = document.z_topic[i]
        document.n_t[t] -= np.float32(1)
        present -= topics.smooth[t]
        c = slots.label[document.z[i]]
        own = 0.0
        for q in range(topics.label_ptr[c], topics.label_ptr[c + 1]):
            own += topics.label_values[q] * _weight(topics.label_topics[q], topics, document)
        x = generator.fine_uniform(random) * (own + present + even)
        t = _draw_topic(x, own, c, topics, document)
        document.n_t[t] += np.float32(1)
        present += topics.smooth[t]
        document.z_topic[i] = t


@njit(cache=True, nogil=True)
def _draw_topic(x, own, c, topics, document):
    if x < own:
        last = topics.label_topics[topics.label_ptr[c]]
        for q in range(topics.label_ptr[c], topics.label_ptr[c + 1]):
            last = topics.label_topics[q]
            x -= topics.label_values[q] * _weight(last, topics, document)
            if x < 0:
                return last
        return last
    x -= own
    for t in range(topics.smooth.size):
        x -= topics.smooth[t] * _weight(t, topics, document)
        if x < 0:
            return t
    return topics.smooth.size - 1


@njit(cache=True, nogil=True)
def _weight(t, topics, document):
    return np.float64(document.n_t[t]) + topics.gamma


@njit(cache=True, nogil=True)
def set_prior(n_tokens, n_unique, topics, document):
    """Set theta' (Eq. 7) and, for every distinct word, the mass of the prior that goes through the topics."""
    n_topics = topics.smooth.size
    for t in range(n_topics):
        document.theta[t] = _weight(t, topics, document) / (n_tokens + n_topics * topics.gamma)
    for place in range(n_unique):
        lanes.dot(topics.mass[document.unique[place]], document.theta, document.theta.size, document.sums)
        mass = 0.0
        for lane in range(LANES):
            mass += np.float64(document.sums[lane])
        document.topic_part[place] = topics.eta * mass


@njit(cache=True, nogil=True)
def _draw_fixed(w, phi, fixed, random):
    own = generator.fine_uniform(random) * (fixed.word_mass[w] + fixed.shared_mass) < fixed.word_mass[w]
    if own:
        return _draw_from_word(w, phi, fixed.keep, fixed.other, random)
    return alias.draw(
        0, phi.smooth.size, fixed.shared_keep, fixed.shared_other, generator.fine_uniform(random)
    )


@njit(cache=True, nogil=True)
def _draw_from_word(w, phi, keep, other, random):
    a, b = phi.word_ptr[w], phi.word_ptr[w + 1]
    return phi.word_labels[alias.draw(a, b - a, keep, other, generator.fine_uniform(random))]


@njit(cache=True, nogil=True)
def _draw_through_topic(w, place, phi, topics, document, pairs, random):
    """Draw a topic by theta'_t mass_wt, then a label by (value_wc + smooth_c) (value_tc + smooth_t)."""
    mass, padded = topics.mass[w], document.theta.size
    lanes.dot(mass, document.theta, padded, document.sums)
    total = 0.0
    for lane in range(LANES):
        total += np.float64(document.sums[lane])
    t = _walk(mass, document.theta, padded, document.sums, generator.fine_uniform(random) * total)
    both = np.float64(topics.joint[w, t])
    word = topics.word_mass[w] * topics.smooth[t]
    topic = topics.topic_mass[t]
    x = generator.fine_uniform(random) * (both + word + topic + topics.shared_mass * topics.smooth[t])
    if x < both:
        c = _draw_pair(w, place, t, phi, topics, pairs, random)
        if c >= 0:
            return c
    elif x < both + word:
        return _draw_from_word(w, phi, topics.word_keep, topics.word_other, random)
    elif x < both + word + topic:
        a, b = topics.topic_ptr[t], topics.topic_ptr[t + 1]
        u = generator.fine_uniform(random)
        return topics.topic_labels[alias.draw(a, b - a, topics.topic_keep, topics.topic_other, u)]
    u = generator.fine_uniform(random)
    return alias.draw(0, phi.smooth.size, topics.shared_keep, topics.shared_other, u)


@njit(cache=True, nogil=True)
def _draw_pair(w, place, t, phi, topics, pairs, random):
    pair = place * topics.smooth.size + t
    if pairs.start[pair] < 0:
        _find_pair(pair, w, t, phi, topics, pairs)
    a, n = pairs.start[pair], pairs.length[pair]
    if n == 0:
        return -1
    x = generator.fine_uniform(random) * pairs.cumulative[a + n - 1]
    return pairs.labels[a + min(np.searchsorted(pairs.cumulative[a : a + n], x, side="right"), n - 1)]


@njit(cache=True, nogil=True)
def _find_pair(pair, w, t, phi, topics, pairs):
    """List the labels that word and topic share, with running totals of value_wc value_tc."""
    wa, wb = phi.word_ptr[w], phi.word_ptr[w + 1]
    ta, tb = topics.topic_ptr[t], topics.topic_ptr[t + 1]
    if pairs.used[0] + min(wb - wa, tb - ta) > pairs.labels.size:
        pairs.start[:] = -1
        pairs.used[0] = 0
    first = pairs.used[0]
    n, total = 0, 0.0
    if tb - ta <= wb - wa:
        for q in range(ta, tb):
            value = value_of(w, topics.topic_labels[q], phi)
            if value > 0:
                total += np.float64(value) * topics.topic_values[q]
                pairs.labels[first + n], pairs.cumulative[first + n] = topics.topic_labels[q], total
                n += 1
    else:
        for q in range(wa, wb):
            j = ta + np.searchsorted(topics.topic_labels[ta:tb], phi.word_labels[q])
            if j < tb and topics.topic_labels[j] == phi.word_labels[q]:
                total += np.float64(phi.word_values[q]) * topics.topic_values[j]
                pairs.labels[first + n], pairs.cumulative[first + n] = phi.word_labels[q], total
                n += 1
    pairs.start[pair], pairs.length[pair] = first, n
    pairs.used[0] += n


@njit(cache=True, nogil=True)
def value_of(w, c, phi):
    """Return value_wc: from the dense row of a word on many labels, else by bisection of its list."""
    if phi.dense_row[w] >= 0:
        return phi.dense[phi.dense_row[w], c]
    a, b = phi.word_ptr[w], phi.word_ptr[w + 1]
    j = a + np.searchsorted(phi.word_labels[a:b], c)
    if j < b and phi.word_labels[j] == c:
        return phi.word_values[j]
    return np.float32(0)


@njit(cache=True, nogil=True)
def _walk(row, weight, n, sums, x):
    """Return the item that x falls on: first the lane by the lanes' sums, then the item within the lane."""
    lane = 0
    while lane < LANES - 1 and x >= sums[lane]:
        x -= np.float64(sums[lane])
        lane += 1
    last = -1
    for k in range(lane, n, LANES):
        mass = np.float64(row[k] * weight[k])
        if mass > 0:
            last = k
            if x < mass:
                return k
            x -= mass
    if last >= 0:
        return last
    for k in range(n):  # rounding led past the end, into a lane without mass
        if row[k] * weight[k] > 0:
            last = k
    return last


@njit(cache=True, nogil=True)
def _walk_smooth(x, phi, slots):
    last = 0
    for s in range(slots.size[0]):
        if slots.count[s] > 0:
            last = s
            x -= slots.count[s] * phi.smooth[slots.label[s]]
            if x < 0:
                return s
    return last


@njit(cache=True, nogil=True)
def _open_slot(c, n_tokens, n_unique, phi, document, slots):
    """Give label c a slot and return it, packing the slots first if many are idle; -1 if there is no room.

    When to pack does not depend on the room, so neither do the draws.
    """
    if slots.size[0] >= 2 * slots.size[1] + ROOM_FOR_IDLE:
        _pack(n_tokens, n_unique, document, slots)
    if slots.size[0] >= slots.count.size:
        return -1
    s = slots.size[0]
    slots.size[0] += 1
    slots.label[s] = c
    slots.of_label[c] = s
    a, b = phi.label_ptr[c], phi.label_ptr[c + 1]
    if b - a <= 8 * n_unique:
        for place in range(n_unique):
            slots.value[place, s] = 0
        for q in range(a, b):
            place = document.local[phi.label_words[q]]
            if place >= 0:
                slots.value[place, s] = phi.label_values[q]
    else:
        for place in range(n_unique):
            slots.value[place, s] = value_of(document.unique[place], c, phi)
    return s


@njit(cache=True, nogil=True)
def _pack(n_tokens, n_unique, document, slots):
    """Drop the slots without tokens and close the gaps."""
    kept = 0
    for s in range(slots.size[0]):
        slots.moved[s] = kept if slots.count[s] > 0 else -1
        if slots.count[s] > 0:
            slots.label[kept] = slots.label[s]
            slots.count[kept] = slots.count[s]
            slots.of_label[slots.label[s]] = kept
            kept += 1
        else:
            slots.of_label[slots.label[s]] = -1
    for place in range(n_unique):
        row = slots.value[place]
        for s in range(slots.size[0]):
            if slots.moved[s] >= 0:
                row[slots.moved[s]] = row[s]
    slots.count[kept : slots.size[0]] = 0
    for i in range(n_tokens):
        if document.z[i] >= 0:
            document.z[i] = slots.moved[document.z[i]]
    slots.size[0] = kept


@njit(cache=True, nogil=True)
def _start(words, n_unique, phi, random, document, slots):
    """Put every token on a label drawn uniformly from all."""
    document.z[: words.size] = -1
    for i in range(words.size):
        c = int(generator.fine_uniform(random) * phi.smooth.size)
        s = slots.of_label[c]
        if s < 0:
            s = _open_slot(c, words.size, n_unique, phi, document, slots)
            if s < 0:
                return False
        if slots.count[s] == 0:
            slots.size[1] += 1
        slots.count[s] += np.float32(1)
        document.z[i] = s
    return True


@njit(cache=True, nogil=True)
def _start_topics(n_tokens, n_topics, random, document):
    document.n_t[:] = 0
    for i in range(n_tokens):
        t = int(generator.fine_uniform(random) * n_topics)
        document.z_topic[i] = t
        document.n_t[t] += np.float32(1)


@njit(cache=True, nogil=True)
def _open_document(words, document):
    n_unique = 0
    for i in range(words.size):
        w = words[i]
        if document.local[w] < 0:
            document.local[w] = n_unique
            document.unique[n_unique] = w
            n_unique += 1
        document.place[i] = document.local[w]
    return n_unique


@njit(cache=True, nogil=True)
def _close_document(n_unique, document):
    for place in range(n_unique):
        document.local[document.unique[place]] = -1


@njit(cache=True, nogil=True)
def _clear(pairs, n_unique, n_topics):
    pairs.start[: n_unique * n_topics] = -1
    pairs.used[0] = 0


@njit(cache=True, nogil=True)
def _empty(slots):
    for s in range(slots.size[0]):
        slots.of_label[slots.label[s]] = -1
        slots.count[s] = 0
    slots.size[:] = 0


@njit(cache=True, nogil=True)
def _add_sample(d, n_topics, document, slots, output, n_touched):
    for s in range(slots.size[0]):
        if slots.count[s] > 0:
            c = slots.label[s]
            if output.tally[c] == 0:
                output.touched[n_touched] = c
                n_touched += 1
            output.tally[c] += int(slots.count[s])
    for t in range(n_topics):
        output.topics[d, t] += document.theta[t]
    return n_touched


@njit(cache=True, nogil=True)
def _flush(d, n_touched, status, output):
    """Move the document's tally to the ragged array, unless it has to be done again, and clear it."""
    touched = np.sort(output.touched[:n_touched])
    for j in range(n_touched):
        if status == DONE:
            output.labels[output.ptr[d] + j] = touched[j]
            output.counts[output.ptr[d] + j] = output.tally[touched[j]]
        output.tally[touched[j]] = 0
    if status == DONE:
        output.ptr[d + 1] = output.ptr[d] + n_touched
