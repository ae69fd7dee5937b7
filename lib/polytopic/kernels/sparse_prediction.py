"""Labels of unseen documents among thousands, exactly, at a cost that hardly grows with their number.

p(c), proportional to phi_wc (n_c + alpha'_c) (Rubin et al. 2012, Eq. 8), has parts that are cheap to draw from:

    phi_wc n_c         the labels that the document holds now, from their profiles over its words
    phi_wc alpha_c     what of the prior is the same in every document: alias tables
    phi_wc eta (theta' . phi')_c    Dependency-LDA: a topic, then a label given both (``topic_prior``)

All parts are exact; only float32 rounding (of values and of partial sums) is lost.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator, profiles, sparse_reading, sums, topic_prior
from polytopic.kernels.compiling import compiled, embedded, inlined
from polytopic.kernels.documents import WARM_UP, Streams, last_sweep, sample_after, seed
from polytopic.kernels.simd import LANES, load, prefetch, spread, store

ASK_FROM = 20_000  # labels: with fewer, the core's own cache has what is asked for, and asking takes longer
LATER, SOON = 3, 1  # tokens by which a label's places are asked for ahead, and then its list
LINES = 4  # cache lines of a list that are asked for


class Model(NamedTuple):
    """phi and the parts of the prior, of which the fixed one is flat where there are topics."""

    phi: profiles.Phi
    fixed: topic_prior.FixedPrior  # in the loop
    warm: topic_prior.FixedPrior  # in the first sweeps: the same but for its scale
    topics: topic_prior.Topics


class InOrder(NamedTuple):
    """Scratch for ``_sort_many``: the labels held as they are to follow, and how many hold so many tokens."""

    label: np.ndarray  # (H padded to LANES,) int32
    profile: np.ndarray  # (H padded to LANES,) int32
    count: np.ndarray  # (H padded to LANES,) float32
    tally: np.ndarray  # (longest document + 1,) int32  of which a document uses those up to its own length


class Held(NamedTuple):
    """The labels that hold tokens of the present document: at the start of a sweep those with most tokens first."""

    label: np.ndarray  # (H padded to LANES,) int32
    profile: np.ndarray  # (H padded to LANES,) int32  where the label's profile starts
    count: np.ndarray  # (H padded to LANES,) float32  n_c
    where: np.ndarray  # (C,) profiles.WHERE  the label's place here, and its profile's row; or -1
    size: np.ndarray  # [labels held]
    first: np.ndarray  # (H padded to LANES,) int32  scratch: where the label's tokens go in their order
    mass: np.ndarray  # (U padded to STEP,) float32  sum over c of phi_wc n_c for each distinct word
    in_order: InOrder


class Workspace(NamedTuple):
    """What one document at a time needs."""

    words: profiles.Words
    z: np.ndarray  # (N,) int32  label of each token
    held: Held
    lists: profiles.Lists
    profiles: profiles.Profiles
    drawn: topic_prior.Drawn
    topics: topic_prior.Assignments
    tables: topic_prior.Tables
    streams: Streams  # of one chain


@compiled
def predict(documents, n_entries, first, model, schedule, chains, work, output, readings):
    """Sample the documents from number ``first`` on with every chain; return (status, next document).

    chains (2, n_chains) uint64 name the chains' streams for labels and topics; n_entries (D,) is the number of
    non-zero counts of each document's words: where the workspace has room for them they are sorted. The sums go to
    the output, and those of the conditional distributions to it and to the readings, unless these are None. A status
    other than DONE says what is too small: call again with more room, from that document.
    """
    for d in range(first, documents.ptr.size - 1):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        is_sorted = n_entries[d] <= work.lists.entries.size
        document = profiles.open_document(d, tokens, is_sorted, model.phi, work)
        topic_prior.forget_tables(work.tables)
        output.topics[d * output.n_rows : (d + 1) * output.n_rows] = 0.0
        if readings is not None:
            sparse_reading.open_document(document, work.words, readings)
        status = sums.DONE
        for k in range(chains.shape[1]):
            seed(work.streams, chains, k, documents.names[d])
            enough = _run_chain(k, document, model, schedule, work, output, readings)
            let_go(work.held)
            if not enough:
                status = sums.PROFILES_FULL
                break
        profiles.close_document(document, work)
        if output.n_rows == 1:
            if status == sums.DONE and not sums.has_room(d, output):
                status = sums.OUTPUT_FULL
            sums.flush(d, status, output)
        if status != sums.DONE:
            return status, d
    return sums.DONE, documents.ptr.size - 1


@embedded
def _run_chain(k, document, model, schedule, work, output, readings):
    """Sample the document with chain k; False if there is no room for the labels' profiles.

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
            _add_sample(k * schedule.n_samples + sample, document, work, output)
            if readings is not None:
                sparse_reading.read(document, model.fixed, work, output, readings)
    return True


@compiled
def start(document, work):
    """Take every token off its label: the first sweep puts each where the ones before it make it likely."""
    work.z[: document.tokens.size] = -1
    work.topics.part[: document.n_unique] = 0.0
    work.drawn.left[: document.n_unique] = 0


@compiled
def sweep_topics(times, document, topics, work):
    """Resample the topic of every token so many times (Eq. 10), and renew the prior that follows (Eq. 12)."""
    labels = work.z[: document.tokens.size]
    order = work.topics.order[: labels.size]
    asks = work.held.where.size >= ASK_FROM
    if asks:
        topic_prior.ask_for_starts(work.held, topics)
    _put_in_order(labels, work.held, order)
    if asks:
        topic_prior.ask_for_topics(work.held, topics)
    for _ in range(times):
        topic_prior.sweep(labels, order, topics, work.streams.topics, work.topics)
    topic_prior.set_prior(labels.size, work.words.unique[: document.n_unique], topics, work.topics)


@compiled
def _put_in_order(labels, held, order):
    """Set order to the tokens, those of a label one after the other: the labels as they come first."""
    for k in range(held.size[0]):
        held.first[k] = -1
    n = 0
    for i in range(labels.size):
        k = held.where[labels[i]]["held"]
        place, count = held.first[k], int(held.count[k])
        is_first = place < 0
        place = n if is_first else place
        n += count if is_first else 0
        order[place] = i
        held.first[k] = place + 1


@embedded
def sweep(document, fixed, model, random, work):
    """Resample the label of every token once (Eq. 8). False if there is no room for another label's profile.

    fixed is the model's FixedPrior, or its warm one. The words' masses over the labels held are summed at the start
    and follow every token that changes its label, so that a draw looks at labels only until it has found its own: at
    the token's present one, which many keep, and then at those with most tokens first. Where tokens come word by
    word, the masses of words that are done with are left as they are.
    """
    held, has_topics, n_unique = work.held, model.topics.smooth.size > 0, document.n_unique
    asks = document.is_sorted and held.where.size >= ASK_FROM
    _sort(held, document.tokens.size)
    _weigh(n_unique, held, work.profiles.phi)
    for i in range(document.tokens.size):
        if asks and not has_topics:
            _ask_ahead(i, document.tokens.size - 1, model.phi, work)
        w, place, old = document.tokens[i], work.words.place[i], work.z[i]
        used, stays, former, before = np.float64(held.mass[place]), 0.0, -1, -1
        if old >= 0:
            former = held.where[old]["held"]
            before = held.profile[former]
            value = work.profiles.phi[before + place]
            stays = np.float64((held.count[former] - np.float32(1)) * value)
            used = max(used - np.float64(value), stays)
        through_fixed = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        x = generator.fine_uniform(random) * (used + through_fixed + work.topics.part[place])
        if x < stays:
            continue
        first = place // profiles.STEP * profiles.STEP if document.word_by_word else 0
        if old >= 0:
            former = _take(former, held)
        k = _choose(x - stays, place, former, held, work.profiles.phi) if x < used else -1
        if k < 0:
            c = -1
            if x >= used + through_fixed and has_topics:
                c = topic_prior.draw(i, document, model, random, work)
                if asks and c >= 0:
                    prefetch(model.phi.labels, np.int64(c))
                    _ask_for_first_lines(c, work.lists)
            if c < 0:
                c = topic_prior.draw_fixed(w, place, fixed, work.drawn, random)
            if old >= 0 and not profiles.has_room(c, work.profiles):
                _add(np.float32(-1), before, first, n_unique, held.mass, work.profiles.phi)
                before = -1  # that profile may go
            k = place_of(c, document, model.phi, work)
            if k < 0:
                return False
        if before < 0:
            _add(np.float32(1), held.profile[k], first, n_unique, held.mass, work.profiles.phi)
        else:
            _move(before, held.profile[k], first, n_unique, held.mass, work.profiles.phi)
        held.count[k] += np.float32(1)
        work.z[i] = held.label[k]
    return True


@inlined
def _ask_ahead(i, last, phi, work):
    """Ask memory for what ``place_of`` reads of the labels that the fixed prior has ready for the tokens after i.

    A label is known LATER tokens before it may be drawn; where its list starts is there SOON before.
    """
    c = topic_prior.following(work.words.place[min(i + LATER, last)], work.drawn)
    prefetch(work.held.where, c)
    prefetch(phi.labels, c)
    prefetch(work.lists.ptr, c)
    c = topic_prior.following(work.words.place[min(i + SOON, last)], work.drawn)
    _ask_for_first_lines(c, work.lists)


@inlined
def _ask_for_first_lines(c, lists):
    """Ask memory for the first LINES cache lines of label c's entries."""
    for line in range(LINES):
        prefetch(lists.entries, np.int64(lists.ptr[c]) + line * profiles.LINE)


@compiled
def _sort(held, n_tokens):
    """Bring the labels with most tokens to the front; of those with as many, the first stays first."""
    if held.size[0] > LANES:
        _sort_many(held, n_tokens)
        return
    for k in range(1, held.size[0]):
        label, profile, count = held.label[k], held.profile[k], held.count[k]
        j = k
        while j > 0 and held.count[j - 1] < count:
            held.label[j], held.profile[j] = held.label[j - 1], held.profile[j - 1]
            held.count[j] = held.count[j - 1]
            held.where[held.label[j]]["held"] = j
            j -= 1
        held.label[j], held.profile[j], held.count[j] = label, profile, count
        held.where[label]["held"] = j


@compiled
def _sort_many(held, n_tokens):
    """Do the same by whole tokens: labels with as many are counted, and each goes where those with more leave off.

    Counts beyond the document's own tokens, which label tokens may make, are taken as one: so the order does not
    depend on the documents beside it.
    """
    n, most, after = held.size[0], 0, held.in_order
    for k in range(n):
        most = max(most, min(int(held.count[k]), n_tokens))
    after.tally[: most + 1] = 0
    for k in range(n):
        after.tally[min(int(held.count[k]), n_tokens)] += 1
    place = 0
    for count in range(most, -1, -1):
        n_labels = after.tally[count]
        after.tally[count] = place
        place += n_labels
    for k in range(n):
        count = min(int(held.count[k]), n_tokens)
        place = after.tally[count]
        after.tally[count] = place + 1
        after.label[place], after.profile[place] = held.label[k], held.profile[k]
        after.count[place] = held.count[k]
        held.where[held.label[k]]["held"] = place
    for k in range(0, n, LANES):
        store(held.label, k, load(after.label, k))
        store(held.profile, k, load(after.profile, k))
        store(held.count, k, load(after.count, k))


@compiled
def _weigh(n_unique, held, phi):
    """Set the words' masses from the counts."""
    for place in range(0, n_unique, profiles.STEP):
        left, right = spread(np.float32(0)), spread(np.float32(0))
        for k in range(held.size[0]):
            start, count = held.profile[k] + place, held.count[k]
            left = left + load(phi, start) * count
            right = right + load(phi, start + LANES) * count
        store(held.mass, place, left)
        store(held.mass, place + LANES, right)


@compiled
def _add(n_tokens, start, first, n_unique, mass, phi):
    """Add so many tokens on the label whose profile starts there to the masses of the words from ``first`` on."""
    for place in range(first, n_unique, LANES):
        store(mass, place, load(mass, place) + load(phi, start + place) * n_tokens)


@compiled
def _move(before, after, first, n_unique, mass, phi):
    """Move a token between the labels whose profiles start there: the masses of the words from ``first`` on.

    first is a multiple of STEP.
    """
    for place in range(first, n_unique, profiles.STEP):
        left = load(mass, place) - load(phi, before + place)
        right = load(mass, place + LANES) - load(phi, before + place + LANES)
        store(mass, place, left + load(phi, after + place))
        store(mass, place + LANES, right + load(phi, after + place + LANES))


@inlined
def _choose(x, place, former, held, phi):
    """Return the place of the label at which the running sum of phi_wc n_c exceeds x, that at ``former`` left out.

    Rounding may leave the sum short of x: then it is the last label with mass, or -1 where there is none.
    """
    for k in range(held.size[0]):
        if k != former:
            mass = np.float64(held.count[k] * phi[held.profile[k] + place])
            if x < mass:
                return k
            x -= mass
    k = held.size[0] - 1
    while k >= 0 and not held.count[k] * phi[held.profile[k] + place] > 0:
        k -= 1
    return k


@inlined
def _take(k, held):
    """Take a token off the label at place k and return k; -1 if it was the last, and the place goes to another."""
    held.count[k] -= np.float32(1)
    if held.count[k] > 0:
        return k
    last = held.size[0] - 1
    held.where[held.label[k]]["held"] = -1
    if k < last:
        held.label[k] = held.label[last]
        held.profile[k] = held.profile[last]
        held.count[k] = held.count[last]
        held.where[held.label[k]]["held"] = k
    held.size[0] = last
    return -1


@inlined
def place_of(c, document, phi, work):
    """Return label c's place among those held, giving it one if it has none; -1 if there is no room."""
    held = work.held
    k = held.where[c]["held"]
    if k >= 0:
        return k
    if not profiles.has_room(c, work.profiles):
        if 2 * held.size[0] > work.profiles.label.size:
            return -1
        profiles.keep_held(document.stride, work.profiles)
        for k in range(held.size[0]):
            held.profile[k] = held.where[held.label[k]]["profile"] * document.stride
    row = profiles.row_of(c, document, phi, work)
    k = held.size[0]
    held.size[0] += 1
    held.label[k], held.count[k] = c, np.float32(0)
    held.profile[k] = row * document.stride
    held.where[c]["held"] = k
    return k


@compiled
def let_go(held):
    """Take every label off."""
    for k in range(held.size[0]):
        held.where[held.label[k]]["held"] = -1
    held.size[0] = 0


@compiled
def _add_sample(number, document, work, output):
    """Add the present state to the document's sums, or make it the row of this number among the document's."""
    held, row = work.held, document.number * output.n_rows + number % output.n_rows
    for t in range(output.topics.shape[1]):
        output.topics[row, t] += work.topics.theta[t]
    if output.n_rows > 1:
        sums.write(row, held.label, held.count, held.size[0], output)
    else:
        for k in range(held.size[0]):
            sums.add(held.label[k], held.count[k], output)
