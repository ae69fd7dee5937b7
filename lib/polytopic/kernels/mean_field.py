"""Labels of unseen documents by a few passes of mean field, without a random number (Rubin et al. 2012, 3.5.1).

Every distinct word of a document has a distribution over labels, in the place of samples, as in CVB0 (Asuncion et al.
2009); the document's topics move by EM steps on the expected labels. A word's likelihood has a part for the labels on
which training put the word, and a part that smoothing makes the same for all words: a pass goes over the first word
by word and over the second once. Labels stand by rank, from the one with most words on. A word's labels up to some
rank, where they are dense, are its front, with a value for every rank; the others are its list. Values are float32;
sums over many labels go on in float64.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled, inlined
from polytopic.kernels.simd import (
    LANES,
    add_at,
    gather_at,
    head,
    load,
    prefetch,
    spread,
    store,
    sum_of,
    where,
)

BLOCK = 64 * LANES  # terms of a sum over labels that are added up in float32, before float64 takes over
CHUNK = 16 * LANES  # ranks of fronts that all words go through while their weights are in the cache
LEAST = 1e-30  # for a weight where alpha is 0, so that its product with a likelihood is a number yet
AHEAD = 2  # words by which a list is asked of memory before it is read
GROUP = 16  # words whose lists are weighed before they are added, so that none waits for its mass


class Model(NamedTuple):
    """The likelihood of word w under the label of rank c is in its front or list, or even_c.

    phi'_tc is value of (t, c) + smooth_t. P is C, rounded up to a whole number of lanes, and of chunks where there is
    more than one. A front takes a whole number of chunks, a list of lanes: behind its end are zeros, each for another
    rank.
    """

    label: np.ndarray  # (P,) int32  the label of each rank; behind the last one, the rank
    front_ptr: np.ndarray  # (W + 1,) int64  where the words' fronts start
    front: np.ndarray  # (front_ptr[W],) float32  likelihood, but 0 where training did not put the word
    list_ptr: np.ndarray  # (W + 1,) int64  where the words' lists start
    ranks: np.ndarray  # (list_ptr[W],) uint16, or uint32  of the labels that a word has behind its front
    likelihood: np.ndarray  # (list_ptr[W],) float32
    beyond: np.ndarray  # (list_ptr[W],) float32  likelihood - even_c
    even: np.ndarray  # (P,) float32, 0 behind the last label
    topic_ptr: np.ndarray  # (T + 1,) int64
    topic_ranks: np.ndarray  # (F + LANES - 1,) uint32  with room to read LANES from any entry on
    values: np.ndarray  # (F + LANES - 1,) float32
    smooth: np.ndarray  # (T,) float64
    through: np.ndarray  # (P,) float32  the labels' probabilities under even topics, positive
    mass: np.ndarray  # (W,) float64  the words' masses under even topics, less that of the even part
    eta: float
    alpha: float  # per label
    gamma: float  # per topic


class Scratch(NamedTuple):
    """Workspace for one document at a time.

    Shares are R times the word's mass: first those on all fronts' first chunk, word by word, then on the next one and
    so on, and behind them those on the lists.
    """

    shares: np.ndarray  # (most entries of a document,) float32  0 where training did not put the word
    beyond: np.ndarray  # (GROUP * most entries of a list,) float32  a group's shares, less the even part
    mass: np.ndarray  # (most words of a document,) float64  the words' masses, less that of the even part
    per_mass: np.ndarray  # (most words of a document,) float64  1 / mass
    times: np.ndarray  # (most words of a document,) float32  the words' counts, each over its mass
    present: np.ndarray  # (most words of a document,) int64  the words whose fronts have the present chunk
    n: np.ndarray  # (P,) float32  expected tokens by label
    added: np.ndarray  # (P,) float32  what fronts and lists add to them
    weight: np.ndarray  # (P,) float32  expected tokens and prior
    even: np.ndarray  # (P,) float32  even_c times that
    through: np.ndarray  # (P,) float32  sum over t of theta_t phi'_tc
    per_through: np.ndarray  # (P,) float32  n / through
    theta: np.ndarray  # (T,) float64


@compiled
def set_sizes(ptr, ranks, n_ranks, cost, n_front, n_listed):
    """Set how many ranks each word's front and entries its list take (W,), so that they cost least together.

    Word w is on the labels of ranks[ptr[w]:ptr[w + 1]], in their order. A rank of a front costs so many times what an
    entry of a list does.
    """
    step = min(CHUNK, n_ranks)
    for w in range(n_front.size):
        most, n_front[w], n_listed[w] = 0.0, 0, ptr[w + 1] - ptr[w]
        for e in range(ptr[w], ptr[w + 1]):
            size = (ranks[e] // step + 1) * step
            spared = e + 1 - ptr[w] - cost * size
            if spared > most:
                most, n_front[w], n_listed[w] = spared, size, ptr[w + 1] - e - 1


@compiled
def set_entries(ptr, ranks, likelihood, even, fronts, lists):
    """Set the entries of fronts and lists, which are those of a Model, from each word's labels, as for ``set_sizes``.

    likelihood (E,) and even (C,) are float64.
    """
    (front_ptr, front), (list_ptr, listed, of_lists, beyond) = fronts, lists
    for w in range(ptr.size - 1):
        start, place = front_ptr[w], list_ptr[w]
        for e in range(ptr[w], ptr[w + 1]):
            rank = ranks[e]
            if rank < front_ptr[w + 1] - start:
                front[start + rank] = likelihood[e]
            else:
                listed[place] = rank
                of_lists[place] = likelihood[e]
                beyond[place] = likelihood[e] - even[rank]
                place += 1


@compiled
def set_masses(ptr, ranks, likelihood, even, prior, mass):
    """Set the masses (W,) of a Model under a prior (C,), float64 like likelihood and even."""
    for w in range(mass.size):
        mass[w] = 0.0
        for e in range(ptr[w], ptr[w + 1]):
            mass[w] += (likelihood[e] - even[ranks[e]]) * prior[ranks[e]]


@compiled
def predict(ptr, words, counts, model, n_passes, work, scores):
    """Add to the rows of scores (D, C) the mean of the documents' shares of labels and of their priors, each to 1.

    The distinct words of document d are words[ptr[d]:ptr[d + 1]], counts (float64) how often they are there. R starts
    under the prior of even topics. A pass renews theta, then the prior, then R. A document without words gets the
    prior of even topics.
    """
    n_labels = scores.shape[1]
    for d in range(ptr.size - 1):
        length = settle(ptr[d], ptr[d + 1], words, counts, model, n_passes, work)
        tokens = through = 0.0
        for c in range(0, work.n.size, LANES):
            tokens += sum_of(load(work.n, c))
            through += sum_of(head(load(work.through, c), np.int32(n_labels - c)))
        of_prior = model.eta * through + model.alpha * n_labels
        by_prior, by_tokens = (0.5 / of_prior, 0.5 / tokens) if length > 0 else (1.0 / of_prior, 0.0)
        for c in range(n_labels):
            scores[d, model.label[c]] += by_prior * prior(c, model, work) + by_tokens * work.n[c]


@inlined
def prior(c, model, work):
    """Return alpha'_c (Eq. 12) of the label with that rank."""
    return model.eta * work.through[c] + model.alpha


@compiled
def settle(first, last, words, counts, model, n_passes, work):
    """Go through the passes over the document words[first:last], and return its length; work holds the outcome."""
    length = 0.0
    for i in range(first, last):
        length += counts[i]
    for c in range(0, work.n.size, LANES):
        store(work.through, c, load(model.through, c))
        store(work.n, c, spread(np.float32(0)))
    if length > 0:
        work.theta[:] = 1.0 / max(1, work.theta.size)
        set_first_shares(first, last, words, counts, model, work)
        stored = model.eta != 0.0
        for _ in range(n_passes):
            if work.theta.size > 1:
                set_topics(length, model, work)
                set_through(model, work)
            set_shares(first, last, words, counts, stored, model, work)
            stored = True
    return length


@compiled
def set_through(model, work):
    """Set the labels' probabilities through the topics."""
    even = 0.0
    for t in range(work.theta.size):
        even += work.theta[t] * model.smooth[t]
    for c in range(0, work.through.size, LANES):
        store(work.through, c, spread(np.float32(even)))
    for t in range(work.theta.size):
        share = np.float32(work.theta[t])
        for e in range(model.topic_ptr[t], model.topic_ptr[t + 1]):
            work.through[model.topic_ranks[e]] += share * model.values[e]


@compiled
def set_topics(length, model, work):
    """Move theta by an EM step on the expected tokens by label, with gamma per topic."""
    total = 0.0
    for block in range(0, work.n.size, BLOCK):
        subtotal = spread(np.float32(0))
        for c in range(block, min(block + BLOCK, work.n.size), LANES):
            ratio = load(work.n, c) / load(work.through, c)
            store(work.per_through, c, ratio)
            subtotal = subtotal + ratio
        total += sum_of(subtotal)
    for t in range(work.theta.size):
        mass, end = model.smooth[t] * total, model.topic_ptr[t + 1]
        for block in range(model.topic_ptr[t], end, BLOCK):
            subtotal = spread(np.float32(0))
            for e in range(block, min(block + BLOCK, end), LANES):
                ratio = gather_at(work.per_through, model.topic_ranks, e)
                subtotal = subtotal + head(ratio * load(model.values, e), np.int32(end - e))
            mass += sum_of(subtotal)
        work.theta[t] = (work.theta[t] * mass + model.gamma) / (length + work.theta.size * model.gamma)


@compiled
def set_first_shares(first, last, words, counts, model, work):
    """Set R and the expected tokens under the prior of even topics, for which the words' masses are known.

    Where that prior is flat, with eta = 0, R is the likelihood times alpha over the mass, and is not stored.
    """
    mass_of_even = set_weights(model, work)
    times_even = 0.0
    for i in range(first, last):
        times_even += set_mass(i, first, mass_of_even + model.mass[words[i]], counts, work)
    place = begin_fronts(words[first:last], model, work)
    for i in range(first, last):
        begin_list(words[i], words[min(i + AHEAD, last - 1)], place, work.times[i - first], model, work)
        place += model.list_ptr[words[i] + 1] - model.list_ptr[words[i]]
    set_expected(times_even, work)


@compiled
def set_shares(first, last, words, counts, stored, model, work):
    """Renew R and the expected tokens: R_wc is in proportion to the likelihood times (n_c - R_wc + alpha'_c).

    What a word has on labels of neither its front nor its list, a matter of smoothing, is not taken out of n_c.
    ``stored`` says whether the last pass has stored its shares.
    """
    mass_of_even = set_weights(model, work)
    place, times_even = weigh_fronts(words[first:last], stored, model, work), 0.0
    for group in range(first, last, GROUP):
        end, held = min(group + GROUP, last), 0
        for i in range(group, end):
            w, following = words[i], words[min(i + AHEAD, last - 1)]
            former = scale(i - first, stored, model, work)
            work.mass[i - first] += weigh_list(w, following, place, held, former, stored, model, work)
            place += model.list_ptr[w + 1] - model.list_ptr[w]
            held += model.list_ptr[w + 1] - model.list_ptr[w]
        for i in range(group, end):
            times_even += set_mass(i, first, mass_of_even + work.mass[i - first], counts, work)
        held = 0
        for i in range(group, end):
            held = add_list(words[i], held, work.times[i - first], model, work)
    add_fronts(words[first:last], model, work)
    set_expected(times_even, work)


@inlined
def set_mass(i, first, mass, counts, work):
    """Set what follows from the mass of the document's word i; return its count over the mass."""
    work.per_mass[i - first] = 1.0 / mass
    times = counts[i] * work.per_mass[i - first]
    work.times[i - first] = np.float32(times)
    return times


@inlined
def set_expected(times_even, work):
    """Set the expected tokens from what fronts and lists add, and the even part so many times."""
    for c in range(0, work.n.size, LANES):
        n = load(work.added, c) + load(work.even, c) * np.float32(times_even)
        store(work.n, c, where(n <= np.float32(0), spread(np.float32(0)), n))


@inlined
def set_weights(model, work):
    """Set the labels' weights under alpha' (Eq. 12), and those times even_c; return the sum of these."""
    eta, alpha, total = np.float32(model.eta), np.float32(model.alpha), 0.0
    for block in range(0, work.n.size, BLOCK):
        subtotal = spread(np.float32(0))
        for c in range(block, min(block + BLOCK, work.n.size), LANES):
            weight = load(work.n, c) + load(work.through, c) * eta + alpha
            even = load(model.even, c) * weight
            store(work.weight, c, weight)
            store(work.even, c, even)
            store(work.added, c, spread(np.float32(0)))
            subtotal = subtotal + even
        total += sum_of(subtotal)
    return total


@inlined
def begin_fronts(words, model, work):
    """Set the first shares of the fronts, and add what exceeds the even part; return the place behind them."""
    step, none = min(CHUNK, work.n.size), spread(np.float32(0))
    place, rank, n = 0, 0, find_fronts(words, model, work)
    while n > 0:
        for k in range(n):
            i = work.present[k]
            start, times = model.front_ptr[words[i]] + rank, work.times[i]
            ahead = model.front_ptr[words[work.present[min(k + 1, n - 1)]]] + rank
            for c in range(0, step, LANES):
                prefetch(model.front, ahead + c)
                likelihood = load(model.front, start + c)
                shares = likelihood * load(work.weight, rank + c)
                beyond = where(likelihood == np.float32(0), none, shares - load(work.even, rank + c))
                if model.eta != 0.0:
                    store(work.shares, place + c, shares)
                store(work.added, rank + c, load(work.added, rank + c) + beyond * times)
            place += step
        rank += step
        n = keep_fronts(n, rank, words, model, work)
    return place


@inlined
def begin_list(w, following, place, times, model, work):
    """Do for the word's list what ``begin_fronts`` does for fronts, so many times, from the place on.

    A following word's list is asked for meanwhile.
    """
    start, end, ahead = model.list_ptr[w], model.list_ptr[w + 1], model.list_ptr[following]
    if model.eta == 0.0:
        for e in range(start, end, LANES):
            ask(ahead + e - start, model)
            add_at(work.added, model.ranks, e, model.beyond, e, times * np.float32(model.alpha))
    else:
        for e in range(start, end, LANES):
            ask(ahead + e - start, model)
            weight = gather_at(work.weight, model.ranks, e)
            store(work.shares, place + e - start, load(model.likelihood, e) * weight)
            store(work.beyond, e - start, load(model.beyond, e) * weight)
            add_at(work.added, model.ranks, e, work.beyond, e - start, times)


@inlined
def weigh_fronts(words, stored, model, work):
    """Set R times its mass on the fronts, and by how much the mass exceeds the even part; return the place behind.

    n_c - R_wc + alpha'_c is alpha or more; where rounding leaves less, it is alpha. So shares on labels are never 0.
    """
    step, none = min(CHUNK, work.n.size), spread(np.float32(0))
    least = spread(np.float32(max(model.alpha, LEAST)))
    place, rank, n = 0, 0, find_fronts(words, model, work)
    work.mass[: words.size] = 0.0
    while n > 0:
        for k in range(n):
            i, subtotal = work.present[k], none
            former, start = scale(i, stored, model, work), model.front_ptr[words[i]] + rank
            ahead = model.front_ptr[words[work.present[min(k + 1, n - 1)]]] + rank
            for c in range(0, step, LANES):
                prefetch(model.front, ahead + c)
                likelihood = load(model.front, start + c)
                own = (load(work.shares, place + c) if stored else likelihood) * former
                weight = load(work.weight, rank + c) - own
                shares = likelihood * where(weight <= least, least, weight)
                store(work.shares, place + c, shares)
                subtotal = subtotal + where(
                    likelihood == np.float32(0), none, shares - load(work.even, rank + c)
                )
            work.mass[i] += sum_of(subtotal)
            place += step
        rank += step
        n = keep_fronts(n, rank, words, model, work)
    return place


@inlined
def weigh_list(w, following, place, held, former, stored, model, work):
    """Do for the word's list what ``weigh_fronts`` does; return by how much its mass exceeds the even part.

    The shares are from the place on, those less the even part from ``held`` on. A following word's list is asked for
    meanwhile.
    """
    start, end, ahead, total = model.list_ptr[w], model.list_ptr[w + 1], model.list_ptr[following], 0.0
    for block in range(start, end, BLOCK):
        subtotal = spread(np.float32(0))
        for e in range(block, min(block + BLOCK, end), LANES):
            here = e - start
            ask(ahead + here, model)
            weight = gather_at(work.weight, model.ranks, e)
            likelihood = load(model.likelihood, e)
            own = likelihood * ((load(work.shares, place + here) if stored else likelihood) * former)
            beyond = load(model.beyond, e) * weight - own
            store(work.shares, place + here, likelihood * weight - own)
            store(work.beyond, held + here, beyond)
            subtotal = subtotal + beyond
        total += sum_of(subtotal)
    return total


@inlined
def add_fronts(words, model, work):
    """Add what the words have on their fronts, beyond the even part, to the expected tokens, their times each.

    Four words at a time, one after the other at each rank: so what is added is read and written a quarter as often.
    """
    step = min(CHUNK, work.n.size)
    place, rank, n = 0, 0, find_fronts(words, model, work)
    while n > 0:
        for k in range(0, n, 4):
            first, second = front_of(k, n, place, step, work), front_of(k + 1, n, place, step, work)
            third, fourth = front_of(k + 2, n, place, step, work), front_of(k + 3, n, place, step, work)
            for c in range(0, step, LANES):
                even, added = load(work.even, rank + c), load(work.added, rank + c)
                added = added + beyond_even(c, first, even, work)
                added = added + beyond_even(c, second, even, work)
                added = added + beyond_even(c, third, even, work)
                added = added + beyond_even(c, fourth, even, work)
                store(work.added, rank + c, added)
        place += n * step
        rank += step
        n = keep_fronts(n, rank, words, model, work)


@inlined
def front_of(k, n, place, step, work):
    """Return where the shares of the present word k start, and its times; behind the last, that one's and 0."""
    times = work.times[work.present[min(k, n - 1)]]
    return place + min(k, n - 1) * step, times if k < n else np.float32(0)


@inlined
def beyond_even(c, front, even, work):
    """Return by how much a front's shares exceed the even part, times its times; 0 where training put no word."""
    start, times = front
    shares = load(work.shares, start + c)
    return where(shares == np.float32(0), spread(np.float32(0)), shares - even) * times


@inlined
def add_list(w, held, times, model, work):
    """Do for the word's list, held from that place on, what ``add_fronts`` does; return the place behind it."""
    start, end = model.list_ptr[w], model.list_ptr[w + 1]
    for e in range(start, end, LANES):
        add_at(work.added, model.ranks, e, work.beyond, held + e - start, times)
    return held + end - start


@inlined
def scale(i, stored, model, work):
    """Return what makes R of the last pass of the shares of the document's word i, or else of its likelihood."""
    return np.float32(work.per_mass[i] if stored else model.alpha * work.per_mass[i])


@inlined
def ask(e, model):
    """Ask memory for the entries of lists from there on."""
    prefetch(model.ranks, e)
    prefetch(model.likelihood, e)
    prefetch(model.beyond, e)


@inlined
def find_fronts(words, model, work):
    """Set which of the document's words have a front, in their order, and return how many."""
    n = 0
    for i in range(words.size):
        work.present[n] = i
        n += model.front_ptr[words[i]] < model.front_ptr[words[i] + 1]
    return n


@inlined
def keep_fronts(n, rank, words, model, work):
    """Keep those of the n present words whose fronts reach beyond the rank, and return how many."""
    kept = 0
    for k in range(n):
        i = work.present[k]
        work.present[kept] = i
        kept += model.front_ptr[words[i]] + rank < model.front_ptr[words[i] + 1]
    return kept
