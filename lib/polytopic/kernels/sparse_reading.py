"""The sums of the tokens' conditional distributions over thousands of labels, from the sparse counts.

A token of word w has p(c) = phi_wc (n_c + alpha_c) / Z_w, the same for every token of the word while its own count is
kept. Summed over the document it is (n_c + alpha_c) sum_w v_w phi_wc, with v_w the word's tokens over Z_w. Of the two
parts n_c has only the active labels now, from their rows; and alpha_c, being the same in every sample, can wait
until the samples' v_w are added up. So a sample costs the active labels times the distinct words, and nothing grows
with the number of labels. Where the prior goes through topics, what is added up is v_w theta'_t.

With the own count left out, Z_w - phi_wl stands in place of Z_w for a token on label l, and its label loses
phi_wl / (Z_w - phi_wl). Papanikolaou et al., Eq. 6 and 7; Rubin et al. (2012), Eq. 8 and 12.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels.compiling import compiled


class Readings(NamedTuple):
    """Sums over chains and samples by word, in order of the document's tokens, and room for one sample.

    ``by_label`` is what the counts n_c contribute: kept, left out, no prior on the last axis. ``share`` is v_w, and
    ``topic_share`` its products with theta' where there are topics: kept, left out on the second axis.
    The last five are for each distinct word of the present document.
    """

    by_label: np.ndarray  # (D, C, 3) float64
    word_ptr: np.ndarray  # (D + 1,)  distinct words of each document
    words: np.ndarray  # (U in all,) int32
    share: np.ndarray  # (U in all, 2) float64
    topic_share: np.ndarray  # (U in all, 2, T) float64
    n_tokens: np.ndarray  # (U,) float64
    total: np.ndarray  # (U,) float64  Z_w
    by_counts: np.ndarray  # (U,) float64  the part of Z_w that the counts make
    kept: np.ndarray  # (U,) float64  v_w
    left_out: np.ndarray  # (U,) float64


@compiled
def open_document(document, words, readings):
    """Count the document's words and forget what was read of it before; words is a phi_cache.Words."""
    base = readings.word_ptr[document.number]
    readings.by_label[document.number] = 0.0
    for place in range(document.n_unique):
        readings.n_tokens[place] = 0.0
        readings.words[base + place] = words.unique[place]
        readings.share[base + place] = 0.0
        readings.topic_share[base + place] = 0.0
    for i in range(document.tokens.size):
        readings.n_tokens[words.place[i]] += 1.0


@compiled
def read(document, fixed, work, readings):
    """Add up what the present state says."""
    active, phi, n_unique = work.active, work.cache.phi, document.n_unique
    by_label = readings.by_label[document.number]
    for place in range(n_unique):
        readings.by_counts[place] = 0.0
        readings.left_out[place] = 0.0
    for k in range(active.size[0]):
        start, count = active.start[k], np.float64(active.count[k])
        for place in range(n_unique):
            readings.by_counts[place] += np.float64(phi[start + place]) * count
    base = readings.word_ptr[document.number]
    for place in range(n_unique):
        w = work.words.unique[place]
        through_fixed = fixed.scale * (fixed.word_mass[w] + fixed.shared_mass)
        readings.total[place] = readings.by_counts[place] + through_fixed + work.topics.part[place]
        readings.kept[place] = readings.n_tokens[place] / readings.total[place]
    for i in range(document.tokens.size):
        place, c = work.words.place[i], work.z[i]
        value = np.float64(phi[active.start[active.where[c]["active"]] + place])
        left_out = 1.0 / (readings.total[place] - value)
        readings.left_out[place] += left_out
        by_label[c, 1] -= value * left_out
    for k in range(active.size[0]):
        c, start, count = active.label[k], active.start[k], np.float64(active.count[k])
        kept, left_out, no_prior = 0.0, 0.0, 0.0
        for place in range(n_unique):
            value = np.float64(phi[start + place])
            kept += value * readings.kept[place]
            left_out += value * readings.left_out[place]
            no_prior += value * readings.n_tokens[place] / readings.by_counts[place]
        by_label[c, 0] += count * kept
        by_label[c, 1] += count * left_out
        by_label[c, 2] += count * no_prior
    for place in range(n_unique):
        readings.share[base + place, 0] += readings.kept[place]
        readings.share[base + place, 1] += readings.left_out[place]
        for t in range(readings.topic_share.shape[2]):
            theta = np.float64(work.topics.theta[t])
            readings.topic_share[base + place, 0, t] += readings.kept[place] * theta
            readings.topic_share[base + place, 1, t] += readings.left_out[place] * theta


class Rows(NamedTuple):
    """A probability of row r and column c is value + smooth: of r in ``Through.phi``, of c in ``Through.topics``."""

    ptr: np.ndarray  # (R + 1,)  where the rows' values stand
    columns: np.ndarray  # (nnz,)
    values: np.ndarray  # (nnz,) float64
    smooth: np.ndarray  # float64


class Through(NamedTuple):
    """phi_wc = value_wc + smooth_c by word and phi'_tc = value_ct + smooth_t by label."""

    phi: Rows  # R = W, smooth (C,)
    topics: Rows  # R = C, smooth (T,)


@compiled
def add_through_topics(readings, which, through, eta, of_topics, table):
    """Add to each document's row of table (D, C) eta times the sum over w and t of topic_share_wt phi_wc phi'_tc.

    ``which`` is the place on the second axis of topic_share; of_topics (T,) float64 is scratch.
    """
    phi, topics, share = through.phi, through.topics, readings.topic_share
    n_topics = topics.smooth.size
    for d in range(table.shape[0]):
        of_smooth = 0.0  # sum over w and t of topic_share_wt smooth_t
        of_topics[:] = 0.0
        for i in range(readings.word_ptr[d], readings.word_ptr[d + 1]):
            of_word = 0.0
            for t in range(n_topics):
                of_word += share[i, which, t] * topics.smooth[t]
                of_topics[t] += share[i, which, t]
            of_smooth += of_word
            w = readings.words[i]
            for e in range(phi.ptr[w], phi.ptr[w + 1]):
                c, total = phi.columns[e], of_word
                for f in range(topics.ptr[c], topics.ptr[c + 1]):
                    total += share[i, which, topics.columns[f]] * topics.values[f]
                table[d, c] += eta * phi.values[e] * total
        for c in range(table.shape[1]):
            total = of_smooth
            for f in range(topics.ptr[c], topics.ptr[c + 1]):
                total += of_topics[topics.columns[f]] * topics.values[f]
            table[d, c] += eta * phi.smooth[c] * total
