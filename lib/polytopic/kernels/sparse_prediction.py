"""Labels of unseen documents among thousands, exactly, at a cost that hardly grows with their number.

p(c), proportional to phi_wc (n_c + alpha'_c) (Rubin et al. 2012, Eq. 8), falls into parts that are cheap to draw
from:

    phi_wc n_c         the labels that the document holds now, from their profiles over its words
    phi_wc alpha_c     what of the prior is the same in every document: alias tables
    phi_wc eta (theta' . phi')_c    Dependency-LDA: a topic, then a label given both (``topic_prior``)

All parts are exact; only float32 rounding (of values and of partial sums) is lost.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import fixed_prior, generator, lanes, profiles, sparse_reading, sums, topic_prior
from polytopic.kernels.compiling import compiled, inlined

LANES = lanes.LANES
WARM_UP = 2  # sweeps under the flat prior, and over the topics, before the alternation starts


class Held(NamedTuple):
    """The labels that hold tokens of the present document, in no order that matters but the same in every run."""

    label: np.ndarray  # (H,) int32
    profile: np.ndarray  # (H + LANES,) int32  where the label's profile starts
    count: np.ndarray  # (H + LANES,) float32  n_c
    where: np.ndarray  # (C,) profiles.WHERE  the label's place here, and its profile's row; or -1
    size: np.ndarray  # [labels held]
    product: np.ndarray  # (H + LANES,) float32
    sums: np.ndarray  # (LANES,) float32


class Workspace(NamedTuple):
    """What one document at a time needs."""

    words: profiles.Words
    z: np.ndarray  # (N,) int32  label of each token
    held: Held
    own: profiles.OwnLists
    profiles: profiles.Profiles
    topics: topic_prior.Assignments
    tables: topic_prior.Tables


@njit(cache=True, nogil=True)
def predict(
    documents, n_entries, first, last, phi, fixed, warm, topics, schedule, chains, work, output, readings
):
    """Sample documents first to last with every chain; return (status, next document).

    fixed and warm are the FixedPrior, flat where there are topics, in the loop and in the first sweeps; chains
    (2, n_chains) uint64 name the chains' label and topic streams; n_entries (D,) is the number of non-zero counts
    of each document's words: where the workspace has room for them they are sorted. The sums go to the output, and
    those of the conditional distributions to it and to the readings, if these are for so many documents. A status
    other than DONE says what is too small: call again, from the document returned, with more room.
    """
    random = np.zeros((4, 1), np.uint32)
    random_topics = np.zeros((4, 1), np.uint32)
    reads, n_rows = readings.word_ptr.size > 0, output.topics.shape[0] // (documents.ptr.size - 1)
    for d in range(first, last):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        n_unique = profiles.open_words(tokens, work.words)
        topic_prior.forget_tables(work.tables)
        is_sorted = n_entries[d] <= work.own.entries.size
        if is_sorted:
            profiles.sort_lists(n_unique, phi, work.words, work.own)
        output.topics[d * n_rows : (d + 1) * n_rows] = 0.0
        if reads:
            sparse_reading.open_document(d, tokens.size, n_unique, work.words, readings)
        n_touched, status = 0, sums.DONE
        for k in range(chains.shape[1]):
            generator.seed(random, chains[0, k : k + 1], documents.first + d)
            generator.seed(random_topics, chains[1, k : k + 1], documents.first + d)
            enough, n_touched = _run_chain(
                d,
                k,
                n_rows,
                tokens,
                n_unique,
                is_sorted,
                phi,
                fixed,
                warm,
                topics,
                schedule,
                random,
                random_topics,
                work,
                output,
                readings,
                n_touched,
            )
            let_go(work.held)
            if not enough:
                status = sums.PROFILES_FULL
                break
        profiles.forget_all(work.profiles)
        profiles.close_words(n_unique, work.words)
        if n_rows == 1:
            if status == sums.DONE and output.ptr[d] + n_touched > output.labels.size:
                status = sums.OUTPUT_FULL
            sums.flush(d, n_touched, status, output)
        if status != sums.DONE:
            return status, d
    return sums.DONE, last


@compiled
def _run_chain(
    d,
    k,
    n_rows,
    tokens,
    n_unique,
    is_sorted,
    phi,
    fixed,
    warm,
    topics,
    schedule,
    random,
    random_topics,
    work,
    output,
    readings,
    n_touched,
):
    n_topics, labels = topics.smooth.size, work.z[: tokens.size]
    start(n_unique, labels, work)
    for _ in range(1 + WARM_UP):
        if not sweep(tokens, n_unique, is_sorted, phi, warm, topics, random, work):
            return False, n_touched
    if n_topics > 0:
        topic_prior.start(tokens.size, topics, random_topics, work.topics)
        for _ in range(WARM_UP):
            topic_prior.sweep(labels, topics, random_topics, work.topics)
    for step in range(1, schedule.burn_in + (schedule.n_samples - 1) * schedule.lag + 1):
        if n_topics > 0:
            if step > 1:
                topic_prior.sweep(labels, topics, random_topics, work.topics)
            topic_prior.set_prior(tokens.size, work.words.unique[:n_unique], topics, work.topics)
        if not sweep(tokens, n_unique, is_sorted, phi, fixed, topics, random, work):
            return False, n_touched
        since = step - schedule.burn_in
        if since >= 0 and since % schedule.lag == 0:
            place = k * schedule.n_samples + since // schedule.lag
            n_touched = _add_sample(d, place, n_rows, n_topics, work, output, n_touched)
            if readings.word_ptr.size > 0:
                sparse_reading.read(d, tokens.size, n_unique, fixed, n_topics, work, output, readings)
    return True, n_touched


@compiled
def start(n_unique, labels, work):
    """Take every token off its label: the first sweep puts each where the ones before it make it likely."""
    labels[:] = -1
    work.topics.part[:n_unique] = 0.0


@compiled
def sweep(tokens, n_unique, is_sorted, phi, fixed, topics, random, work):
    """Resample the label of every token once (Eq. 8). False if there is no room for another label's profile."""
    held = work.held
    for i in range(tokens.size):
        w, place = tokens[i], work.words.place[i]
        if work.z[i] >= 0:
            _take(held.where[work.z[i]]["held"], held)
        n = held.size[0]
        lanes.weigh_at(work.profiles.phi, place, held.profile, held.count, 0, n, held.product, held.sums)
        used = np.float64(held.sums[LANES - 1])
        through_fixed = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        x = generator.fine_uniform(random) * (used + through_fixed + work.topics.part[place])
        if x < used:
            k = lanes.choose(x, n, held.product, held.sums)
        else:
            if x < used + through_fixed or topics.smooth.size == 0:
                c = fixed_prior.draw(w, fixed, random)
            else:
                c = topic_prior.draw(
                    w,
                    place,
                    n_unique,
                    is_sorted,
                    phi,
                    fixed,
                    topics,
                    work.own,
                    work.tables,
                    random,
                    work.topics,
                )
            k = place_of(c, n_unique, is_sorted, phi, work)
            if k < 0:
                return False
        held.count[k] += np.float32(1)
        work.z[i] = held.label[k]
    return True


@inlined
def _take(k, held):
    """Take a token off the label at place k; a label without tokens gives its place to the last one."""
    held.count[k] -= np.float32(1)
    if held.count[k] == 0:
        last = held.size[0] - 1
        held.where[held.label[k]]["held"] = -1
        if k < last:
            held.label[k], held.profile[k], held.count[k] = (
                held.label[last],
                held.profile[last],
                held.count[last],
            )
            held.where[held.label[k]]["held"] = k
        held.size[0] = last


@compiled
def place_of(c, n_unique, is_sorted, phi, work):
    """Return label c's place among those held, giving it one if it has none; -1 if there is no room."""
    held = work.held
    k = held.where[c]["held"]
    if k >= 0:
        return k
    row = profiles.row_of(c, n_unique, is_sorted, phi, work.words, work.own, work.profiles)
    if row < 0:
        if 2 * held.size[0] > work.profiles.label.size:
            return -1
        profiles.keep_held(n_unique, work.profiles)
        for k in range(held.size[0]):
            held.profile[k] = held.where[held.label[k]]["profile"] * n_unique
        row = profiles.row_of(c, n_unique, is_sorted, phi, work.words, work.own, work.profiles)
    k = held.size[0]
    held.size[0] += 1
    held.label[k], held.count[k] = c, np.float32(0)
    held.profile[k] = row * n_unique
    held.where[c]["held"] = k
    return k


@compiled
def let_go(held):
    """Take every label off."""
    for k in range(held.size[0]):
        held.where[held.label[k]]["held"] = -1
    held.size[0] = 0


@compiled
def _add_sample(d, place, n_rows, n_topics, work, output, n_touched):
    held, row = work.held, d * n_rows + place % n_rows
    for t in range(n_topics):
        output.topics[row, t] += work.topics.theta[t]
    if n_rows > 1:
        sums.write(row, held.label, held.count, held.size[0], output)
        return n_touched
    for k in range(held.size[0]):
        n_touched = sums.add(held.label[k], held.count[k], n_touched, output)
    return n_touched
