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

from polytopic.kernels.compiling import part


class Readings(NamedTuple):
    """Sums over chains and samples by word, in order of the document's tokens, and room for one sample.

    What the counts n_c contribute by label goes to an Output: assigned, kept, left out, no prior. Here ``share``
    holds v_w, and ``topic_share`` its products with theta' where there are topics; kept, left out on the second axis.
    The last five are for each distinct word of the present document.
    """

    word_ptr: np.ndarray  # (D + 1,)  distinct words of each document
    words: np.ndarray  # (U in all,) int32
    share: np.ndarray  # (U in all, 2) float64
    topic_share: np.ndarray  # (U in all, 2, T) float64
    n_tokens: np.ndarray  # (U,) float64
    total: np.ndarray  # (U,) float64  Z_w
    by_counts: np.ndarray  # (U,) float64  the part of Z_w that the counts make
    kept: np.ndarray  # (U,) float64  v_w
    left_out: np.ndarray  # (U,) float64


@part
def open_document(document, words, readings):
    """Count the document's words and forget what was read of it before; words is a profiles.Words."""
    base = readings.word_ptr[document.number]
    for place in range(document.n_unique):
        readings.n_tokens[place] = 0.0
        readings.words[base + place] = words.unique[place]
        readings.share[base + place] = 0.0
        readings.topic_share[base + place] = 0.0
    for i in range(document.tokens.size):
        readings.n_tokens[words.place[i]] += 1.0


@part
def read(document, fixed, work, output, readings):
    """Add up what the present state says. The output has the tokens on each label already."""
    held, phi, n_unique = work.held, work.profiles.phi, document.n_unique
    for place in range(n_unique):
        readings.by_counts[place] = 0.0
        readings.left_out[place] = 0.0
    for k in range(held.size[0]):
        start, count = held.profile[k], np.float64(held.count[k])
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
        value = np.float64(phi[held.profile[held.where[c]["held"]] + place])
        left_out = 1.0 / (readings.total[place] - value)
        readings.left_out[place] += left_out
        output.tally[c, 2] -= value * left_out
    for k in range(held.size[0]):
        c, start, count = held.label[k], held.profile[k], np.float64(held.count[k])
        kept, left_out, no_prior = 0.0, 0.0, 0.0
        for place in range(n_unique):
            value = np.float64(phi[start + place])
            kept += value * readings.kept[place]
            left_out += value * readings.left_out[place]
            no_prior += value * readings.n_tokens[place] / readings.by_counts[place]
        output.tally[c, 1] += count * kept
        output.tally[c, 2] += count * left_out
        output.tally[c, 3] += count * no_prior
    for place in range(n_unique):
        readings.share[base + place, 0] += readings.kept[place]
        readings.share[base + place, 1] += readings.left_out[place]
        for t in range(output.topics.shape[1]):
            theta = np.float64(work.topics.theta[t])
            readings.topic_share[base + place, 0, t] += readings.kept[place] * theta
            readings.topic_share[base + place, 1, t] += readings.left_out[place] * theta
