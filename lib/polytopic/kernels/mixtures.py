"""Parametric mixture models (Ueda & Saito 2002): sums over non-zero counts, and the search for label sets.

A label set y has the word distribution phi(y) = sum of shares_c theta_c over its labels c. In PMM1 shares are equal;
in PMM2 they are (2 / k^2) sum over m in y of alpha_cm for a set of k labels (Eq. 4, sorted by theta_c), where
alpha_cm + alpha_mc = 1 and alpha_cc = 1/2. With every alpha at 1/2 PMM2 is PMM1: one set of kernels serves both.

theta is kept where a word and a label meet in some training document, its cells; elsewhere a label has one floor.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import allocating, compiled, inlined

_BITS = 900.0  # a product of numbers >= 1 stays below 2**_BITS, far from the largest double


class Documents(NamedTuple):
    """Training documents; entry e is a word of a document, and has a cell for each of its document's labels."""

    ptr: np.ndarray  # (D + 1,)  entries of document d are ptr[d]:ptr[d + 1]
    counts: np.ndarray  # (nnz,) float64
    label_ptr: np.ndarray  # (D + 1,)
    cell_ptr: np.ndarray  # (D + 1,)  cells of document d, entry after entry, labels in order
    cells: np.ndarray  # (sum of entries times labels,)


class Pairs(NamedTuple):
    """The ordered pairs of labels that some document has both of, a label with itself among them."""

    cells: np.ndarray  # (sum of squared label-set sizes,)  pair (l, m) of document d, l before m
    ptr: np.ndarray  # (D + 1,)  where the pairs of document d begin
    mirror: np.ndarray  # (P,)  the place of (m, l) for each (l, m)


class Model(NamedTuple):
    """What prediction needs: theta by word, floors, and by how much alpha differs from 1/2."""

    word_ptr: np.ndarray  # (W + 1,)
    word_labels: np.ndarray  # (cells,)
    theta: np.ndarray  # (cells,)
    floor: np.ndarray  # (C,)
    bias_ptr: np.ndarray  # (C + 1,)
    bias_labels: np.ndarray  # (biased pairs,)
    bias: np.ndarray  # (biased pairs,)  alpha_lm - 1/2 in row l, column m


class Search(NamedTuple):
    """Working space for one document at a time; lengths are those of the longest document."""

    local: np.ndarray  # (types, C)  theta of the document's words
    count: np.ndarray  # (types,)
    least: np.ndarray  # (types,)  smallest theta of the word
    most: np.ndarray  # (types,)  largest theta of the word
    plain: np.ndarray  # (types,)  sum of theta over the set
    weighted: np.ndarray  # (types,)  sum of theta over the set, label c times strength[c]
    members: np.ndarray  # (C,) int64
    strength: np.ndarray  # (C,)  sum of alpha_cm over m in the set, for every label c
    gain: np.ndarray  # (C,)  log-likelihoods, as far as they are added up
    product: np.ndarray  # (C,)  of ratios whose logarithm is still to be added
    ratio: np.ndarray  # (C,)  a word's share in a set with each label, over a share that is no larger


@allocating
def place_pairs(ptr, words, label_ptr, labels, word_ptr, word_labels, places):
    """Fill places, document by document and word by word: where label c stands among the sorted labels of word w."""
    place = 0
    for d in range(ptr.size - 1):
        for entry in range(ptr[d], ptr[d + 1]):
            first, end = word_ptr[words[entry]], word_ptr[words[entry] + 1]
            for j in range(label_ptr[d], label_ptr[d + 1]):
                places[place] = first + np.searchsorted(word_labels[first:end], labels[j])
                place += 1


@compiled
def expect(documents, theta, shares, expected, responsibility):
    """Return the log-likelihood of all counts, and add up who is responsible for them (Eq. 9 and 18).

    shares: of each label of each document, summing to 1 in a document. On return ``expected`` holds the counts
    expected of each cell, and ``responsibility`` those of each label of each document.
    """
    expected[:] = 0.0
    responsibility[:] = 0.0
    likelihood = 0.0
    for d in range(documents.ptr.size - 1):
        first, last = documents.label_ptr[d], documents.label_ptr[d + 1]
        cell_of_first = documents.cell_ptr[d] - first
        for entry in range(documents.ptr[d], documents.ptr[d + 1]):
            total, count = 0.0, documents.counts[entry]
            for j in range(first, last):
                total += shares[j] * theta[documents.cells[cell_of_first + j]]
            likelihood += count * np.log(total)
            for j in range(first, last):
                cell = documents.cells[cell_of_first + j]
                part = shares[j] * theta[cell] * (count / total)
                expected[cell] += part
                responsibility[j] += part
            cell_of_first += last - first
    return likelihood


@compiled
def set_shares(documents, pairs, alpha, shares):
    """Fill the shares of each label of each document: (2 / k^2) times the sum of alpha_lm over its labels m."""
    for d in range(documents.ptr.size - 1):
        first, last = documents.label_ptr[d], documents.label_ptr[d + 1]
        pair, size = pairs.ptr[d], last - first
        for j in range(first, last):
            shares[j] = 2.0 * _sum_of_pairs(alpha, pairs, pair, size) / (size * size)
            pair += size


@compiled
def expect_pairs(documents, pairs, alpha, responsibility, expected):
    """Add up half of the counts that each alpha_lm is responsible for: the sums in the numerator of Eq. 17."""
    expected[:] = 0.0
    for d in range(documents.ptr.size - 1):
        first, last = documents.label_ptr[d], documents.label_ptr[d + 1]
        pair, size = pairs.ptr[d], last - first
        for j in range(first, last):
            total = _sum_of_pairs(alpha, pairs, pair, size)
            for cell in pairs.cells[pair : pair + size]:
                expected[cell] += responsibility[j] * alpha[cell] / (2.0 * total)
            pair += size


@inlined
def _sum_of_pairs(alpha, pairs, first, size):
    total = 0.0
    for cell in pairs.cells[first : first + size]:
        total += alpha[cell]
    return total


def search_space(model, ptr):
    """Return working space for the documents that lie in ptr[d]:ptr[d + 1]."""
    n_types, n_labels = max(1, int(np.diff(ptr).max(initial=0))), model.floor.size
    local, by_type, by_label = np.empty((n_types, n_labels)), np.empty((5, n_types)), np.empty((4, n_labels))
    return Search(local, *by_type, np.empty(n_labels, np.int64), *by_label)


@compiled
def _load(d, model, ptr, words, counts, space):
    """Write theta of document d's words into the working space, and return their number."""
    n_types = ptr[d + 1] - ptr[d]
    for i in range(n_types):
        word, theta = words[ptr[d] + i], space.local[i]
        space.count[i] = counts[ptr[d] + i]
        for c in range(theta.size):
            theta[c] = model.floor[c]
        for cell in range(model.word_ptr[word], model.word_ptr[word + 1]):
            theta[model.word_labels[cell]] = model.theta[cell]
        space.least[i], space.most[i] = np.inf, 0.0
        for value in theta:
            space.least[i] = min(space.least[i], value)
            space.most[i] = max(space.most[i], value)
    return n_types


@inlined
def _flush(space):
    """Move the products into the gains."""
    for c in range(space.gain.size):
        space.gain[c] += np.log(space.product[c])
        space.product[c] = 1.0


@inlined
def _multiply(space, count, bits, highest):
    """Multiply the products by space.ratio, count times; return the bits that they may have taken.

    Factors are 1 or more, and at most ``highest``. Logarithms are taken of products, not of factors.
    """
    n_labels = space.gain.size
    each = np.log2(highest)
    if count * each > 60.0:
        for c in range(n_labels):
            space.gain[c] += count * np.log(space.ratio[c])
        return bits
    if bits + count * each > _BITS:
        _flush(space)
        bits = 0.0
    for _ in range(int(count)):
        for c in range(n_labels):
            space.product[c] *= space.ratio[c]
    return bits + count * each


@compiled
def _scores_of_one(space, n_types):
    """Fill space.gain with the log-likelihood of every set of one label."""
    n_labels = space.gain.size
    space.gain[:] = 0.0
    space.product[:] = 1.0
    bits, offset = 0.0, 0.0
    for i in range(n_types):
        inverse = 1.0 / space.least[i]
        for c in range(n_labels):
            space.ratio[c] = space.local[i, c] * inverse
        bits = _multiply(space, space.count[i], bits, space.most[i] * inverse)
        offset += space.count[i] * np.log(space.least[i])
    _flush(space)
    for c in range(n_labels):
        space.gain[c] += offset


@compiled
def _start_set(model, space, n_types, size):
    """Prepare the working space for the set of the first ``size`` members, at least one; return its score."""
    n_labels = space.gain.size
    for c in range(n_labels):
        space.strength[c] = 0.5 * size
    for j in range(size):
        member = space.members[j]
        for pair in range(model.bias_ptr[member], model.bias_ptr[member + 1]):
            space.strength[model.bias_labels[pair]] -= model.bias[pair]
    score, total = 0.0, 0.0
    for i in range(n_types):
        plain, weighted = 0.0, 0.0
        for j in range(size):
            member = space.members[j]
            plain += space.local[i, member]
            weighted += space.strength[member] * space.local[i, member]
        space.plain[i] = plain
        space.weighted[i] = weighted
        score += space.count[i] * np.log(weighted)
        total += space.count[i]
    return score + total * np.log(2.0 / (size * size))


@compiled
def _scores_of_one_more(model, space, n_types, size, score):
    """Fill space.gain with the log-likelihood of the set and each further label; the set's own is ``score``.

    Those of labels that are in the set already mean nothing.
    """
    n_labels = space.gain.size
    space.gain[:] = 0.0
    space.product[:] = 1.0
    bits, total = 0.0, 0.0
    for i in range(n_types):
        inverse = 1.0 / space.weighted[i]
        without = (space.weighted[i] + 0.5 * space.plain[i]) * inverse
        for c in range(n_labels):
            space.ratio[c] = without + (space.strength[c] + 0.5) * space.local[i, c] * inverse
        for j in range(size):
            member = space.members[j]
            share = space.local[i, member] * inverse
            for pair in range(model.bias_ptr[member], model.bias_ptr[member + 1]):
                space.ratio[model.bias_labels[pair]] += model.bias[pair] * share
        highest = without + (size + 0.5) * (space.most[i] + space.plain[i]) * inverse
        bits = _multiply(space, space.count[i], bits, highest)
        total += space.count[i]
    _flush(space)
    change = score - 2.0 * total * np.log((size + 1.0) / size)
    for c in range(n_labels):
        space.gain[c] += change


@inlined
def _best_new(space, size):
    """Return the label with the highest gain outside the set, the first of several, or -1 if there is none."""
    for j in range(size):
        space.gain[space.members[j]] = -np.inf
    best = -1
    for c in range(space.gain.size):
        if space.gain[c] > -np.inf and (best < 0 or space.gain[c] > space.gain[best]):
            best = c
    return best


@compiled
def _greedy(model, space, n_types):
    """Fill space.members with the greedy set (section 3.3); return (its size, its log-likelihood).

    On return space.gain holds the log-likelihoods of the set and one more label, of none if all are in it.
    """
    _scores_of_one(space, n_types)
    best = _best_new(space, 0)
    size, score = 0, -np.inf
    while best >= 0 and space.gain[best] > score:
        score = space.gain[best]
        space.members[size] = best
        size += 1
        _start_set(model, space, n_types, size)
        _scores_of_one_more(model, space, n_types, size, score)
        best = _best_new(space, size)
    return size, score


@allocating
def greedy_sets(model, ptr, words, counts, space, member):
    """Set member (D, C) bool to the greedy label set of each document."""
    for d in range(ptr.size - 1):
        size, _ = _greedy(model, space, _load(d, model, ptr, words, counts, space))
        for j in range(size):
            member[d, space.members[j]] = True


@allocating
def set_scores(model, ptr, words, counts, space, member, scores):
    """Fill scores (D,) with the log-likelihood of each document under its label set, a row of member (D, C).

    An empty set has -inf.
    """
    for d in range(ptr.size - 1):
        n_types = _load(d, model, ptr, words, counts, space)
        size = _list_members(member[d], space)
        scores[d] = _start_set(model, space, n_types, size) if size else -np.inf


@inlined
def _list_members(member, space):
    """Make the labels of a row (C,) bool the members, and return their number."""
    size = 0
    for c in range(member.size):
        if member[c]:
            space.members[size] = c
            size += 1
    return size


@allocating
def label_scores(model, ptr, words, counts, space, scores):
    """Fill scores (D, C) with log-likelihood ratios of the best set seen with the label to the best without it.

    Seen are the greedy set and those that differ from it by one label added, left out or exchanged.
    """
    n_labels = model.floor.size
    found = np.empty(n_labels, np.int64)
    for d in range(ptr.size - 1):
        n_types = _load(d, model, ptr, words, counts, space)
        size, score = _greedy(model, space, n_types)
        scores[d] = space.gain - score
        found[:size] = space.members[:size]
        for out in range(size):
            space.members[out : size - 1] = found[out + 1 : size]
            other = -np.inf
            if size > 1:
                other = _start_set(model, space, n_types, size - 1)
                _scores_of_one_more(model, space, n_types, size - 1, other)
            else:
                _scores_of_one(space, n_types)
            for j in range(size):
                space.gain[found[j]] = -np.inf
            for c in range(n_labels):
                scores[d, c] = max(scores[d, c], space.gain[c] - score)
                other = max(other, space.gain[c])
            scores[d, found[out]] = score - other if other > -np.inf else 0.0
            space.members[:size] = found[:size]


@allocating
def exhaustive_sets(model, ptr, words, counts, space, member):
    """Set member (D, C) bool to the label set of the highest likelihood among all 2^C - 1; of several, the first.

    Sets are counted as binary numbers, label 0 being the last digit.
    """
    n_labels = model.floor.size
    among = np.zeros(n_labels, np.bool_)
    for d in range(ptr.size - 1):
        n_types = _load(d, model, ptr, words, counts, space)
        best = -np.inf
        for number in range(1, 1 << n_labels):
            for c in range(n_labels):
                among[c] = (number >> c) & 1 == 1
            score = _start_set(model, space, n_types, _list_members(among, space))
            if number == 1 or score > best:
                best = score
                member[d] = among
