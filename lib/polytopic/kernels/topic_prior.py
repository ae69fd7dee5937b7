"""A label's prior in two parts, without a loop over the labels: alpha_c, and eta (theta' . phi')_c, through topics.

The first is drawn from alias tables over phi_wc alpha_c. For the second, phi'_tc = value_tc + smooth_t, and phi_wc =
value_wc + smooth_c, so that their product summed over all labels is a number per word and topic, made once. A draw
takes a topic by theta'_t (phi . phi')_wt, then a label given both.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import alias, generator, weighing
from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import (
    LANES,
    first_set,
    gather,
    head,
    load,
    store,
    sum_of,
)

AHEAD = 8  # labels of a word that are drawn at once


class FixedPrior(NamedTuple):
    """The part that is the same in every document, scale * alpha_c, times phi_wc = value_wc + smooth_c."""

    scale: float
    word_ptr: np.ndarray  # (W + 1,)
    word_cells: np.ndarray  # (nnz,) alias.CELL  labels of each word, weighted by value_wc alpha_c
    word_mass: np.ndarray  # (W,)  sum of value_wc alpha_c
    shared_cells: np.ndarray  # (C,) alias.CELL  labels, weighted by smooth_c alpha_c
    shared_mass: float  # sum of smooth_c alpha_c


class Drawn(NamedTuple):
    """Labels drawn from the fixed prior for each distinct word, some at once: so that memory is waited for once."""

    label: np.ndarray  # (U * AHEAD,) int32
    left: np.ndarray  # (U,) int32  how many of the word's are not used yet
    of_word: np.ndarray  # (AHEAD,) bool  scratch: whether one is drawn from the word's own labels
    cell: np.ndarray  # (AHEAD,) int64  scratch: where it falls in an alias table
    rest: np.ndarray  # (AHEAD,) float64  scratch: what picks an item there


class Topics(NamedTuple):
    """phi'_tc = value_tc + smooth_t for one set of topics, and its products with phi. No topics: T = 0."""

    smooth: np.ndarray  # (T,) float64
    weight: np.ndarray  # (T padded,) float32  the same, in proportion
    topic_ptr: np.ndarray  # (T + 1,)
    topic_labels: np.ndarray  # (nnz' + LANES,) int32, sorted within a topic
    topic_values: np.ndarray  # (nnz',) float32
    topic_cells: np.ndarray  # (nnz',) alias.CELL  labels of each topic, weighted by smooth_c value_tc
    topic_mass: np.ndarray  # (T,) float64  sum of smooth_c value_tc
    label_ptr: np.ndarray  # (C + 1,)
    label_topics: np.ndarray  # (nnz' + LANES,) int32
    label_values: np.ndarray  # (nnz' + LANES,) float32
    mass: np.ndarray  # (W, T padded to LANES) float32  sum over c of phi_wc phi'_tc
    eta: float
    gamma: float  # per topic
    even: float  # gamma times the sum of smooth_t


class Assignments(NamedTuple):
    """The topics of the present document's tokens, and what follows from them."""

    z: np.ndarray  # (N,) int32
    order: np.ndarray  # (N,) int32  the tokens, those of a label one after the other
    n_t: np.ndarray  # (T,) int64
    weight: np.ndarray  # (T padded,) float32  n_t + gamma
    theta: np.ndarray  # (T padded,) float32
    part: np.ndarray  # (U,) float64  mass of the topics' part of the prior for each distinct word
    product: np.ndarray  # (T padded,) float32


class Pairs(NamedTuple):
    """The labels that a word of the present document and a topic both have, listed when they are first needed."""

    first: np.ndarray  # (U, T) int32  where the pair's list starts, or -1
    end: np.ndarray  # (U, T) int32
    labels: np.ndarray  # (room,) int32
    totals: np.ndarray  # (room,) float32  running totals of value_wc value_tc
    used: np.ndarray  # [entries in use]


@inlined
def draw_fixed(w, place, fixed, drawn, random):
    """Draw a label by phi_wc alpha_c for the distinct word w at this place: one of AHEAD made at once."""
    if drawn.left[place] == 0:
        for k in range(AHEAD):
            x = generator.fine_uniform(random) * (fixed.word_mass[w] + fixed.shared_mass)
            u = generator.fine_uniform(random)
            drawn.of_word[k] = x < fixed.word_mass[w]
            if drawn.of_word[k]:
                drawn.cell[k], drawn.rest[k] = alias.find(fixed.word_ptr[w], fixed.word_ptr[w + 1], u)
            else:
                drawn.cell[k], drawn.rest[k] = alias.find(0, fixed.shared_cells.size, u)
        for k in range(AHEAD):
            if drawn.of_word[k]:
                c = alias.item_of(fixed.word_cells[drawn.cell[k]], drawn.rest[k])
            else:
                c = alias.item_of(fixed.shared_cells[drawn.cell[k]], drawn.rest[k])
            drawn.label[place * AHEAD + k] = c
        drawn.left[place] = AHEAD
    drawn.left[place] -= 1
    return drawn.label[place * AHEAD + drawn.left[place]]


@compiled
def start(n_tokens, topics, random, work):
    """Put every token on a topic drawn uniformly; work: Assignments."""
    n_topics = topics.smooth.size
    work.n_t[:] = 0
    for i in range(n_tokens):
        t = int(generator.fine_uniform(random) * n_topics)
        work.z[i] = t
        work.n_t[t] += 1
    for t in range(n_topics):
        work.weight[t] = work.n_t[t] + topics.gamma


@compiled
def sweep(labels, order, topics, random, work):
    """Resample the topic of every token once, its label taken as a label token: phi'_tc (n_t + gamma) (Eq. 10).

    order names the tokens, those of a label one after the other, so that its topics are weighed once for all of them.
    phi'_tc has few values besides its smoothing, so the label's topics, the document's and the rest are three parts.
    Most tokens keep their topic: it comes first, and nothing changes then.
    """
    present = 0.0
    for i in range(labels.size):
        present += topics.smooth[work.z[i]]
    c, a, n, total = -1, 0, 0, 0.0
    for j in range(order.size):
        i = order[j]
        if labels[i] != c:
            c = labels[i]
            a, n = topics.label_ptr[c], topics.label_ptr[c + 1] - topics.label_ptr[c]
            total = _weigh(a, n, topics, work)
        t = work.z[i]
        own, value, stays = _place(t, a, n, topics), 0.0, 0.0
        if own >= 0:
            value = np.float64(topics.label_values[a + own])
            stays = value * (np.float64(work.weight[t]) - 1.0)
        valued, others = max(total - value, stays), present - topics.smooth[t]
        x = generator.fine_uniform(random) * (valued + others + topics.even)
        if x < stays:
            continue
        _count(t, -1, topics, work)
        if x < valued:
            k = _choose(x - stays, own, n, work.product)
            chosen = topics.label_topics[a + k]
            _count(chosen, 1, topics, work)
            total += _weigh_again(own, a, topics, work) + _weigh_again(k, a, topics, work)
        else:
            chosen = _draw_topic(topics.weight, work.weight, work, random)
            _count(chosen, 1, topics, work)
            total = _weigh(a, n, topics, work)
        present = others + topics.smooth[chosen]
        work.z[i] = chosen


@inlined
def _weigh(a, n, topics, work):
    """Set the products of n topics of a label, value_tc (n_t + gamma), and return their sum."""
    total = 0.0
    for k in range(0, n, LANES):
        products = load(topics.label_values, a + k) * gather(work.weight, load(topics.label_topics, a + k))
        products = head(products, np.int32(n - k))
        store(work.product, k, products)
        total += sum_of(products)
    return total


@inlined
def _weigh_again(k, a, topics, work):
    """Set product k of a label once more and return how much it grew: 0 if k is -1."""
    if k < 0:
        return 0.0
    before = work.product[k]
    work.product[k] = topics.label_values[a + k] * work.weight[topics.label_topics[a + k]]
    return np.float64(work.product[k]) - np.float64(before)


@inlined
def _place(t, a, n, topics):
    """Return the place of topic t among the n of a label, or -1."""
    for k in range(0, n, LANES):
        place = k + first_set(load(topics.label_topics, a + k) == t)
        if place < min(k + LANES, n):
            return place
    return -1


@inlined
def _choose(x, own, n, product):
    """Return the place at which the running sum of the products, ``own`` left out, exceeds x; else their last.

    Behind the last product there are zeros, up to a whole number of lanes.
    """
    for block in range(0, n, LANES):
        mass = sum_of(load(product, block))
        if block <= own < block + LANES:
            mass -= np.float64(product[own])
        if x < mass:
            for k in range(block, block + LANES):
                if k != own:
                    if x < product[k]:
                        return k
                    x -= np.float64(product[k])
        else:
            x -= mass
    last = n - 1
    while last >= 0 and (last == own or not product[last] > 0):
        last -= 1
    return last if last >= 0 else own


@inlined
def _count(t, step, topics, work):
    work.n_t[t] += step
    work.weight[t] = work.n_t[t] + topics.gamma


@inlined
def _draw_topic(weights, shares, work, random):
    """Draw a topic by weights[t] shares[t], both padded with zeros to whole lanes."""
    before = weighing.multiply(weights, shares, weights.size, work.product)
    x = generator.fine_uniform(random) * weighing.whole(before)
    return weighing.choose(x, weights.size, work.product, before)


@compiled
def set_prior(n_tokens, unique, topics, work):
    """Set theta' (Eq. 7) and, for every distinct word, the mass of the prior that goes through the topics."""
    share = np.float32(1 / (n_tokens + topics.smooth.size * topics.gamma))
    for t in range(0, work.theta.size, LANES):
        store(work.theta, t, load(work.weight, t) * share)
    for place in range(unique.size):
        work.part[place] = topics.eta * weighing.dot(topics.mass[unique[place]], work.theta)


@inlined
def theta(t, n_tokens, topics, work):
    """Return theta' of topic t (Eq. 7)."""
    return (work.n_t[t] + topics.gamma) / (n_tokens + topics.smooth.size * topics.gamma)


@inlined
def draw(i, document, model, random, work):
    """Draw a label for token i: a topic by theta'_t mass_wt, then a label by phi_wc (value_tc + smooth_t).

    model and work are those of ``sparse_prediction``; the fixed prior is flat, alpha_c = 1. Of mass_wt, what neither
    the topic's nor the word's smoothing makes goes to labels that both have. What the topic's smoothing makes is the
    same for all labels: then the label is -1, and ``draw_fixed`` is to draw it.
    """
    w, place = document.tokens[i], work.words.place[i]
    fixed, topics = model.fixed, model.topics
    t = _draw_topic(topics.mass[w], work.topics.theta, work.topics, random)
    topic = topics.topic_mass[t]
    even = topics.smooth[t] * (fixed.word_mass[w] + fixed.shared_mass)
    x = generator.fine_uniform(random) * np.float64(topics.mass[w, t])
    if x < topic:
        u = generator.fine_uniform(random)
        return alias.draw(topics.topic_ptr[t], topics.topic_ptr[t + 1], topics.topic_cells, u)
    if x >= topic + even:
        return _draw_pair(w, place, t, model.phi, topics, x - topic - even, document.n_unique, work.pairs)
    return -1


@inlined
def _draw_pair(w, place, t, phi, topics, x, n_unique, pairs):
    """Return the label at which the running total of value_wc value_tc exceeds x, else the last; -1 if none."""
    if pairs.first[place, t] < 0:
        _list_pair(w, place, t, phi, topics, n_unique, pairs)
    low, high = pairs.first[place, t], pairs.end[place, t] - 1
    if high < low:
        return -1
    while low < high:
        middle = (low + high) // 2
        if pairs.totals[middle] > x:
            high = middle
        else:
            low = middle + 1
    return pairs.labels[low]


@compiled
def _list_pair(w, place, t, phi, topics, n_unique, pairs):
    """List the pair's labels; where there is no room, the document's other lists make way.

    Of the shorter list, the word's or the topic's, every label is looked for in the longer one.
    """
    word, word_end = phi.word_ptr[w], phi.word_ptr[w + 1]
    topic, topic_end = topics.topic_ptr[t], topics.topic_ptr[t + 1]
    if pairs.used[0] + min(word_end - word, topic_end - topic) > pairs.labels.size:
        forget_pairs(n_unique, pairs)
    of_word, of_topic = (phi.word_labels, phi.word_values), (topics.topic_labels, topics.topic_values)
    pairs.first[place, t] = pairs.used[0]
    if topic_end - topic <= word_end - word:
        _meet(*of_topic, topic, topic_end, *of_word, word, word_end, pairs)
    else:
        _meet(*of_word, word, word_end, *of_topic, topic, topic_end, pairs)
    pairs.end[place, t] = pairs.used[0]


@compiled
def _meet(labels, values, first, last, others, other_values, i, end, pairs):
    """Look for the labels from first to last among the others, i to end: where each would stand, LANES at once."""
    total = np.float32(0)
    for q in range(first, last):
        label = labels[q]
        while i + LANES < end and others[i + LANES - 1] < label:
            i += LANES
        place = i + first_set(load(others, i) == label)
        if place < min(i + LANES, end):
            total += other_values[place] * values[q]
            pairs.labels[pairs.used[0]], pairs.totals[pairs.used[0]] = label, total
            pairs.used[0] += 1


@compiled
def forget_pairs(n_unique, pairs):
    """Forget the lists of a document with that many distinct words."""
    pairs.first[:n_unique] = -1
    pairs.used[0] = 0
