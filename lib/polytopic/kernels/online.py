"""Stochastic collapsed variational Bayes over labels and their topics, by minibatches (Burkhardt & Kramer 2018).

Expected counts are kept as a number times a common scale. The decay of an update, N := (1 - rho) N + rho N^, is a
change of the scale alone, and N^ adds to the cells of the minibatch's own words and labels: so an update costs what
its tokens cost, not words times labels. A scale that gets small is made larger again by a power of two, which
changes no bit of a count. Counts by word and label are kept for the pairs that have occurred, in an open-addressed
table.

What is compiled here for a minibatch is one call: whatever interrupts Python leaves all of the update or nothing.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled, inlined

SMALLEST, LIFT = 2.0**-200, 2.0**200  # a scale below it is lifted
N_WORDS, N_LABELS, MINIBATCHES, DOCUMENTS, GIVEN, POSITIVES, N_CELLS = range(7)  # places of State.seen
WORDS, TOPICS, START = range(3)  # places of State.scales
DOCUMENT = 2  # the third of the steps, after WORDS and TOPICS
LABEL_BITS = 32  # of a cell's key: the word stands above them
FREE = -1
U64 = np.uint64


class Minibatch(NamedTuple):
    """Documents; the distinct words of document d lie in ptr[d]:ptr[d + 1], its labels in label_ptr likewise."""

    ptr: np.ndarray  # (D + 1,)
    words: np.ndarray  # (P,) int32
    counts: np.ndarray  # (P,) int32  tokens of each pair
    label_ptr: np.ndarray  # (D + 1,)
    labels: np.ndarray  # (M,) int32
    cells: np.ndarray  # (sum over documents of pairs times labels,) int64  where N^phi has a word and a label


class Cells(NamedTuple):
    """Numbers by word and label; a key is the word << LABEL_BITS | the label, or FREE. A is a power of two."""

    keys: np.ndarray  # (A,) int64
    values: np.ndarray  # (A,) float64


class State(NamedTuple):
    """Expected counts, without their scales. Arrays by word and label may have room for more. Kernels change it."""

    cells: Cells  # N^phi
    known: np.ndarray  # (W,) bool  words that have been learned
    label_totals: np.ndarray  # (C,) float64  N^Z
    topics: np.ndarray  # (C, T) float64  N^phi'
    topic_totals: np.ndarray  # (T,) float64  N^Z'
    scales: np.ndarray  # (3,) float64  of the first two; of the last two; of what a new label starts with
    seen: (
        np.ndarray
    )  # (7,) int64  words, labels, minibatches, documents, labels not only announced, positives, cells


class Rates(NamedTuple):
    """What an update depends on besides counts."""

    eta_w: float
    eta_y: float
    alpha: float
    burn_in: int
    steps: np.ndarray  # (3, 3) float64  s, tau, kappa of phi, of phi' and of theta'
    n_documents: int  # in the corpus; 0: those seen so far
    new: bool  # whether the documents are seen for the first time


class Work(NamedTuple):
    """Scratch for one minibatch."""

    by_word: np.ndarray  # (sum over documents of pairs times labels,) float64  tokens of a pair on each label
    by_topic: np.ndarray  # (M, T) float64  lambda^T of each label
    mean: np.ndarray  # (n,) float64  N^theta of a document, n the most labels of a document, or T
    row: np.ndarray  # (2 n,) float64  a token's distribution; and sums or factors


def empty_state(n_topics):
    """Return the State of a model that has seen nothing; without topics n_topics is 0."""
    tables = np.zeros(0), np.zeros((0, n_topics)), np.zeros(n_topics)
    return State(_free(0), np.zeros(0, bool), *tables, np.ones(3), np.zeros(7, np.int64))


def with_room(state, n_words, n_labels, n_new=0):
    """Return the state with place for this number of words, labels and new cells, in larger arrays where needed."""
    cells, n_cells = state.cells, int(state.seen[N_CELLS]) + n_new
    if 4 * n_cells > 3 * cells.keys.size:
        cells = _free(1 << (2 * n_cells - 1).bit_length())
        _move(state.cells, cells)
    tables = (state.known, n_words), (state.label_totals, n_labels), (state.topics, n_labels)
    return State(cells, *(_grown(table, n) for table, n in tables), *state[4:])


def _free(n_cells):
    return Cells(np.full(n_cells, FREE, np.int64), np.zeros(n_cells))


def _grown(array, n):
    """Return the array if it has n rows, else a longer one with zeros behind: constant time a row, on average."""
    if len(array) >= n:
        return array
    wider = np.zeros((max(n, 2 * len(array)), *array.shape[1:]), array.dtype)
    wider[: len(array)] = array
    return wider


@compiled
def _move(cells, wider):
    for i in range(cells.keys.size):
        if cells.keys[i] != FREE:
            place = _find(wider.keys, cells.keys[i])
            wider.keys[place], wider.values[place] = cells.keys[i], cells.values[i]


@inlined
def _find(keys, key):
    """Return the place of the key, or the free one where it would be put."""
    mask = keys.size - 1
    place = np.int64(generator.splitmix(U64(key))) & mask
    while keys[place] != key and keys[place] != FREE:
        place = (place + 1) & mask
    return place


@inlined
def step(steps, which, t):
    """Return rho = s / (tau + t)^kappa."""
    return steps[which, 0] / (steps[which, 1] + t) ** steps[which, 2]


@compiled
def widen(state, n_words, n_labels, name):
    """Take in words and labels up to these numbers, for which there is room.

    A label starts with one token, spread over the topics by shares from a flat Dirichlet distribution, drawn by the
    hash of the 64-bit word ``name`` and the label, less what has decayed since, as if it had always been here.
    """
    n_topics = state.topics.shape[1]
    for c in range(state.seen[N_LABELS], n_labels if n_topics > 0 else 0):
        word = generator.splitmix(U64(name ^ generator.splitmix(U64(c))))
        total = 0.0
        for k in range(n_topics):
            word = generator.splitmix(word)
            state.topics[c, k] = -np.log((np.int64(word >> U64(11)) + 0.5) * 2.0**-53)
            total += state.topics[c, k]
        for k in range(n_topics):
            state.topics[c, k] *= state.scales[START] / total
            state.topic_totals[k] += state.topics[c, k]
    state.seen[N_WORDS], state.seen[N_LABELS] = n_words, n_labels


@compiled
def place_cells(batch, state):
    """Fill batch.cells; new pairs, for which there is room, get a cell of value 0."""
    keys, e = state.cells.keys, 0
    for d in range(batch.ptr.size - 1):
        for p in range(batch.ptr[d], batch.ptr[d + 1]):
            for j in range(batch.label_ptr[d], batch.label_ptr[d + 1]):
                key = np.int64(batch.words[p]) << LABEL_BITS | batch.labels[j]
                place = _find(keys, key)
                state.seen[N_CELLS] += keys[place] == FREE
                keys[place] = key
                batch.cells[e] = place
                e += 1


@compiled
def learn_labels(batch, state, rates, work):
    """Update the expected counts by one minibatch, labels in the place of topics (Foulds et al. 2013)."""
    e = 0
    for d in range(batch.ptr.size - 1):
        labels, n = batch.labels[batch.label_ptr[d] : batch.label_ptr[d + 1]], 0
        m = labels.size
        for p in range(batch.ptr[d], batch.ptr[d + 1]):
            n += batch.counts[p]
        work.mean[:m] = 0.0
        for _ in range(rates.burn_in + 1):
            i, at = 0, e
            for p in range(batch.ptr[d], batch.ptr[d + 1]):
                tokens, factor = work.by_word[at : at + m], work.row[m : 2 * m]
                _word_factor(batch.cells[at : at + m], labels, state, rates, factor)
                tokens[:] = 0.0
                for _ in range(batch.counts[p]):
                    share(factor, m, rates.alpha, work)
                    follow(work, m, step(rates.steps, DOCUMENT, i), n)
                    for j in range(m):
                        tokens[j] += work.row[j]
                    i += 1
                at += m
        e = at
    _take_words(batch, state, rates, work)
    _count(batch, state, rates)


@compiled
def learn_with_topics(batch, state, rates, work):
    """Update the expected counts by one minibatch (Algorithm 2): words by labels, and labels by topics."""
    e = 0
    for d in range(batch.ptr.size - 1):
        labels = batch.labels[batch.label_ptr[d] : batch.label_ptr[d + 1]]
        for p in range(batch.ptr[d], batch.ptr[d + 1]):
            tokens = work.by_word[e : e + labels.size]
            total = _word_factor(batch.cells[e : e + labels.size], labels, state, rates, tokens)
            for j in range(labels.size):
                tokens[j] *= batch.counts[p] / total
            e += labels.size
        _topic_shares(batch, d, state, rates, work)
    _take_words(batch, state, rates, work)
    _take_topics(batch, state, rates, work)
    _count(batch, state, rates)


@compiled
def _word_factor(cells, labels, state, rates, factor):
    """Write lambda^W of a word (Eq. 14) for each of the labels, not normalised; return the sum."""
    scale, smooth, total = state.scales[WORDS], rates.eta_w * state.seen[N_WORDS], 0.0
    for j in range(labels.size):
        count, total_c = scale * state.cells.values[cells[j]], scale * state.label_totals[labels[j]]
        factor[j] = (count + rates.eta_w) / (total_c + smooth)
        total += factor[j]
    return total


@compiled
def _topic_shares(batch, d, state, rates, work):
    """Write lambda^T (Eq. 15) of the labels of document d, its N^theta' following label by label (Eq. 16).

    C_j is the document's word tokens, which its labels stand for.
    """
    n_topics, n = state.topics.shape[1], batch.label_ptr[d + 1] - batch.label_ptr[d]
    scale, smooth = state.scales[TOPICS], rates.eta_y * state.seen[N_LABELS]
    factor = work.row[n_topics : 2 * n_topics]
    work.mean[:n_topics] = 0.0
    n_words = 0
    for p in range(batch.ptr[d], batch.ptr[d + 1]):
        n_words += batch.counts[p]
    for turn in range(rates.burn_in + 1):
        for i in range(n):
            j = batch.label_ptr[d] + i
            counts = state.topics[batch.labels[j]]
            for k in range(n_topics):
                factor[k] = (scale * counts[k] + rates.eta_y) / (scale * state.topic_totals[k] + smooth)
            share(factor, n_topics, rates.alpha, work)
            follow(work, n_topics, step(rates.steps, DOCUMENT, i), n_words)
            if turn == rates.burn_in:
                for k in range(n_topics):
                    work.by_topic[j, k] = work.row[k]


@inlined
def share(factor, n, alpha, work):
    """Set the row to factor (mean + alpha), normalised."""
    total = 0.0
    for k in range(n):
        work.row[k] = factor[k] * (work.mean[k] + alpha)
        total += work.row[k]
    for k in range(n):
        work.row[k] /= total


@inlined
def follow(work, n, rho, n_tokens):
    """Move the document's expected counts towards the row (Eq. 16)."""
    for k in range(n):
        work.mean[k] = (1 - rho) * work.mean[k] + rho * n_tokens * work.row[k]


@inlined
def _weight(batch, state, rates):
    """Return C / |M|, both counted in documents."""
    size = batch.ptr.size - 1
    return (rates.n_documents if rates.n_documents > 0 else state.seen[DOCUMENTS] + size) / size


@compiled
def _take_words(batch, state, rates, work):
    """Update N^phi and N^Z (Eq. 17, 19)."""
    rho = step(rates.steps, WORDS, state.seen[MINIBATCHES])
    state.scales[WORDS] *= 1 - rho
    if state.scales[WORDS] < SMALLEST:
        _multiply(state.cells.values, SMALLEST)
        _multiply(state.label_totals, SMALLEST)
        state.scales[WORDS] *= LIFT
    per_token, e = rho * _weight(batch, state, rates) / state.scales[WORDS], 0
    for d in range(batch.ptr.size - 1):
        for p in range(batch.ptr[d], batch.ptr[d + 1]):
            state.known[batch.words[p]] = True
            for j in range(batch.label_ptr[d], batch.label_ptr[d + 1]):
                more = per_token * work.by_word[e]
                state.cells.values[batch.cells[e]] += more
                state.label_totals[batch.labels[j]] += more
                e += 1


@compiled
def _take_topics(batch, state, rates, work):
    """Update N^phi' and N^Z' (Eq. 18, 20)."""
    rho = step(rates.steps, TOPICS, state.seen[MINIBATCHES])
    state.scales[TOPICS] *= 1 - rho
    if state.scales[TOPICS] < SMALLEST:
        for c in range(state.topics.shape[0]):
            _multiply(state.topics[c], SMALLEST)
        _multiply(state.topic_totals, SMALLEST)
        state.scales[TOPICS] *= LIFT
        state.scales[START] *= SMALLEST
    per_token = rho * _weight(batch, state, rates) / state.scales[TOPICS]
    for j in range(batch.labels.size):
        for k in range(state.topic_totals.size):
            more = per_token * work.by_topic[j, k]
            state.topics[batch.labels[j], k] += more
            state.topic_totals[k] += more


@inlined
def _multiply(array, factor):
    for i in range(array.size):
        array[i] *= factor


@inlined
def _count(batch, state, rates):
    state.seen[MINIBATCHES] += 1
    state.seen[DOCUMENTS] += batch.ptr.size - 1 if rates.new else 0
    state.seen[POSITIVES] += batch.labels.size if rates.new else 0
