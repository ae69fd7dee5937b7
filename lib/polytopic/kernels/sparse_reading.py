"""The sums of the tokens' conditional distributions over thousands of labels, from the sparse counts.

A token of word w has p(c) = phi_wc (n_c + alpha_c) / Z_w, the same for every token of the word while its own count is
kept. Summed over the document it is (n_c + alpha_c) sum_w v_w phi_wc, with v_w the word's tokens over Z_w. Of the two
parts n_c has only the labels held now, from their profiles; and alpha_c, being the same in every sample, can wait
until the samples' v_w are added up. So a sample costs the labels held times the distinct words, and nothing grows
with the number of labels. Where the prior goes through topics, what is added up is v_w theta'_t.

With the own count left out, Z_w - phi_wl stands in place of Z_w for a token on label l, and its label loses
phi_wl / (Z_w - phi_wl). Papanikolaou et al., Eq. 6 and 7; Rubin et al. (2012), Eq. 8 and 12.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from polytopic.kernels import generator, profiles, sparse_prediction, topic_prior
from polytopic.kernels.compiling import compiled

DONE, PROFILES_FULL, OUTPUT_FULL = (
    sparse_prediction.DONE,
    sparse_prediction.PROFILES_FULL,
    sparse_prediction.OUTPUT_FULL,
)


class Readings(NamedTuple):
    """Sums over chains and samples: by held label a ragged array of each document, by word in order of the tokens.

    ``alone`` is what the counts n_c contribute to each kind of sum; ``share`` holds v_w, summed, and its products
    with theta' where there are topics. The second axis of share is kept, left out.
    """

    ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (room,) int32
    alone: np.ndarray  # (room, 4) float64  assigned, kept, left out, no prior
    word_ptr: np.ndarray  # (D + 1,)  distinct words of each document
    words: np.ndarray  # (U in all,) int32
    share: np.ndarray  # (U in all, 2) float64
    topic_share: np.ndarray  # (U in all, 2, T) float64
    topics: np.ndarray  # (D, T) float64  theta'
    tally: np.ndarray  # (C, 4) float64  zeros
    touched: np.ndarray  # (C,) int32
    is_touched: np.ndarray  # (C,) bool  False


class Scratch(NamedTuple):
    """What one sample needs of each distinct word."""

    n_tokens: np.ndarray  # (U,) float64
    total: np.ndarray  # (U,) float64  Z_w
    by_counts: np.ndarray  # (U,) float64  the part of Z_w that the counts make
    kept: np.ndarray  # (U,) float64  v_w
    left_out: np.ndarray  # (U,) float64


def scratch(longest):
    """Return the scratch for documents of up to ``longest`` distinct words."""
    return Scratch(*(np.zeros(max(longest, 1)) for _ in Scratch._fields))


@njit(cache=True, nogil=True)
def predict(
    documents, n_entries, first, last, phi, fixed, warm, topics, schedule, chains, work, spare, readings
):
    """Sample as ``sparse_prediction.predict`` does, draw for draw, and read every sample; return (status, next).

    The arguments are that function's, with readings in place of its output; readings.word_ptr is made before.
    """
    random = np.zeros((4, 1), np.uint32)
    random_topics = np.zeros((4, 1), np.uint32)
    for d in range(first, last):
        tokens = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        n_unique = profiles.open_words(tokens, work.words)
        topic_prior.forget_tables(work.tables)
        is_sorted = n_entries[d] <= work.own.entries.size
        if is_sorted:
            profiles.sort_lists(n_unique, phi, work.words, work.own)
        open_document(d, tokens.size, n_unique, work, spare, readings)
        n_touched, status = 0, DONE
        for k in range(chains.shape[1]):
            generator.seed(random, chains[0, k : k + 1], documents.first + d)
            generator.seed(random_topics, chains[1, k : k + 1], documents.first + d)
            enough, n_touched = run_chain(
                d,
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
                spare,
                readings,
                n_touched,
            )
            sparse_prediction.let_go(work.held)
            if not enough:
                status = PROFILES_FULL
                break
        profiles.forget_all(work.profiles)
        profiles.close_words(n_unique, work.words)
        if status == DONE and readings.ptr[d] + n_touched > readings.labels.size:
            status = OUTPUT_FULL
        flush(d, n_touched, status, readings)
        if status != DONE:
            return status, d
    return DONE, last


@compiled
def open_document(d, n_tokens, n_unique, work, spare, readings):
    """Count the document's words and forget what was read of it before."""
    readings.topics[d] = 0.0
    base = readings.word_ptr[d]
    for place in range(n_unique):
        spare.n_tokens[place] = 0.0
        readings.words[base + place] = work.words.unique[place]
        readings.share[base + place] = 0.0
        readings.topic_share[base + place] = 0.0
    for i in range(n_tokens):
        spare.n_tokens[work.words.place[i]] += 1.0


@compiled
def run_chain(
    d,
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
    spare,
    readings,
    n_touched,
):
    """Run one chain over one document, as ``sparse_prediction`` does."""
    n_topics, labels = topics.smooth.size, work.z[: tokens.size]
    sparse_prediction.start(n_unique, labels, work)
    for _ in range(1 + sparse_prediction.WARM_UP):
        if not sparse_prediction.sweep(tokens, n_unique, is_sorted, phi, warm, topics, random, work):
            return False, n_touched
    if n_topics > 0:
        topic_prior.start(tokens.size, topics, random_topics, work.topics)
        for _ in range(sparse_prediction.WARM_UP):
            topic_prior.sweep(labels, topics, random_topics, work.topics)
    for step in range(1, schedule.burn_in + (schedule.n_samples - 1) * schedule.lag + 1):
        if n_topics > 0:
            if step > 1:
                topic_prior.sweep(labels, topics, random_topics, work.topics)
            topic_prior.set_prior(tokens.size, work.words.unique[:n_unique], topics, work.topics)
        if not sparse_prediction.sweep(tokens, n_unique, is_sorted, phi, fixed, topics, random, work):
            return False, n_touched
        since = step - schedule.burn_in
        if since >= 0 and since % schedule.lag == 0:
            n_touched = read(d, tokens.size, n_unique, fixed, n_topics, work, spare, readings, n_touched)
    return True, n_touched


@compiled
def read(d, n_tokens, n_unique, fixed, n_topics, work, spare, readings, n_touched):
    """Add up what the present state says; return the number of labels met so far."""
    held, phi = work.held, work.profiles.phi
    for place in range(n_unique):
        spare.by_counts[place] = 0.0
        spare.left_out[place] = 0.0
    for k in range(held.size[0]):
        start, count = held.profile[k], np.float64(held.count[k])
        for place in range(n_unique):
            spare.by_counts[place] += np.float64(phi[start + place]) * count
    base = readings.word_ptr[d]
    for place in range(n_unique):
        w = work.words.unique[place]
        through_fixed = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        spare.total[place] = spare.by_counts[place] + through_fixed + work.topics.part[place]
        spare.kept[place] = spare.n_tokens[place] / spare.total[place]
    for i in range(n_tokens):
        place, c = work.words.place[i], work.z[i]
        own = np.float64(phi[held.profile[held.where[c]["held"]] + place])
        left_out = 1.0 / (spare.total[place] - own)
        spare.left_out[place] += left_out
        readings.tally[c, 2] -= own * left_out
    for k in range(held.size[0]):
        c, start, count = held.label[k], held.profile[k], np.float64(held.count[k])
        if not readings.is_touched[c]:
            readings.is_touched[c] = True
            readings.touched[n_touched] = c
            n_touched += 1
        kept, left_out, no_prior = 0.0, 0.0, 0.0
        for place in range(n_unique):
            value = np.float64(phi[start + place])
            kept += value * spare.kept[place]
            left_out += value * spare.left_out[place]
            no_prior += value * spare.n_tokens[place] / spare.by_counts[place]
        readings.tally[c, 0] += count
        readings.tally[c, 1] += count * kept
        readings.tally[c, 2] += count * left_out
        readings.tally[c, 3] += count * no_prior
    for place in range(n_unique):
        readings.share[base + place, 0] += spare.kept[place]
        readings.share[base + place, 1] += spare.left_out[place]
        for t in range(n_topics):
            theta = np.float64(work.topics.theta[t])
            readings.topic_share[base + place, 0, t] += spare.kept[place] * theta
            readings.topic_share[base + place, 1, t] += spare.left_out[place] * theta
    for t in range(n_topics):
        readings.topics[d, t] += work.topics.theta[t]
    return n_touched


@njit(cache=True, nogil=True)
def flush(d, n_touched, status, readings):
    """Move the document's tally to the ragged array, unless it has to be done again, and clear it."""
    touched = np.sort(readings.touched[:n_touched])
    for j in range(n_touched):
        c = touched[j]
        if status == DONE:
            readings.labels[readings.ptr[d] + j] = c
            readings.alone[readings.ptr[d] + j] = readings.tally[c]
        readings.tally[c] = 0.0
        readings.is_touched[c] = False
    if status == DONE:
        readings.ptr[d + 1] = readings.ptr[d] + n_touched
