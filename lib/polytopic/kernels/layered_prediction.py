"""Labels of unseen documents by Fast-Dep.-LLDA and its reversed model (Burkhardt & Kramer 2018, 4.4, 4.5), one chain.

What is fixed falls into a part where a label has tokens of the word and a part that smoothing makes the same for all
words: a draw looks at the first one label by label and finds its way in the second by bisection.
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import allocating, compiled, inlined
from polytopic.kernels.documents import last_sweep, sample_after
from polytopic.kernels.layered import chosen
from polytopic.kernels.weighing import first_above

S1, S1_BY_TOKEN, S2, S2_RESCORED, TOPICS = range(5)  # the last: theta' by S1's sampler


class Model(NamedTuple):
    """phi_cw = value of (c, w) + even_c and phi'_tc of one chain, over the C labels seen in training."""

    word_ptr: np.ndarray  # (W + 1,) int64  where a word's labels stand
    labels: np.ndarray  # (E,) int32
    values: np.ndarray  # (E,) float64  n_wc / (n_c + W beta_w)
    even: np.ndarray  # (C,) float64  beta_w / (n_c + W beta_w)
    even_sums: np.ndarray  # (C,) float64  running sums of even
    topics: np.ndarray  # (T, C) float64  phi'
    topic_sums: np.ndarray  # (T, C) float64  running sums of even_c phi'_tc
    alpha: np.ndarray  # (T,) float64  prior of a document's topics
    base: np.ndarray  # (C,) float64  sum over t of alpha_t phi'_tc


class Scratch(NamedTuple):
    """Workspace for one document at a time; n_dc is zero between documents."""

    z: np.ndarray  # (longest document,) int32  label of each token
    t: np.ndarray  # (longest document,) int32  topic of each token
    inverse: np.ndarray  # (longest document,) float64  1 / the mass of each token's distribution
    n_dt: np.ndarray  # (T,) float64
    n_dc: np.ndarray  # (C,) float64
    cumulative: np.ndarray  # (most topics or labels of a word,) float64
    prior: np.ndarray  # (C,) float64  alpha_c of S2
    prior_sums: np.ndarray  # (C,) float64  running sums of even_c alpha_c
    by_topic: np.ndarray  # (T,) float64  weights with which phi' enters the smoothed part of S1's sum


@allocating
def predict(documents, model, kind, schedule, chain, random, work, scores):
    """Sample every document and set the rows of scores (D, C), zeros before, to its distribution over labels.

    kind is one of S1, S1_BY_TOKEN, S2 and S2_RESCORED, or TOPICS for one over topics (D, T); chain (1,) uint64 names
    the chain's random numbers, which are a document's own. A document without tokens gets the prior.
    """
    for d in range(documents.ptr.size - 1):
        words = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        total = scores[d]
        if words.size > 0:
            generator.seed(random, chain, documents.names[d])
            work.by_topic[:] = 0.0
            start(words, model, random, work)
            for step in range(1, last_sweep(schedule) + 1):
                sweep_topics(words, model, random, work)
                if kind == S2:
                    set_prior(words.size, model, work)
                    sweep_labels_under_prior(words, model, random, work)
                else:
                    sweep_labels(words, model, random, work)
                if sample_after(step, schedule) >= 0:
                    if kind == TOPICS:
                        total += work.n_dt + model.alpha
                    elif kind in (S1, S1_BY_TOKEN):
                        add_through_topics(words, model, kind == S1_BY_TOKEN, work, total)
                    else:
                        if kind == S2_RESCORED:
                            set_prior(words.size, model, work)
                        add_under_prior(words, model, work, total)
            for k in range(work.by_topic.size):
                if work.by_topic[k] > 0:
                    total += work.by_topic[k] * model.topics[k] * model.even
            work.n_dc[work.z[: words.size]] = 0.0
        else:
            total += model.alpha if kind == TOPICS else model.base
        total /= total.sum()


@compiled
def start(words, model, random, work):
    """Draw topics evenly and labels by the words alone."""
    work.n_dt[:], work.prior[:] = 0.0, 1.0
    for i in range(words.size):
        work.t[i] = int(generator.fine_uniform(random) * work.n_dt.size)
        work.n_dt[work.t[i]] += 1
        work.z[i] = _draw_label(words[i], work.prior, model.even_sums, model, random, work)
        work.n_dc[work.z[i]] += 1


@inlined
def _draw_label(w, topic, sums, model, random, work):
    """Draw a label by phi_cw times topic (C,), sums (C,) being those of even_c times topic."""
    first, n, mass = model.word_ptr[w], model.word_ptr[w + 1] - model.word_ptr[w], 0.0
    for j in range(n):
        mass += model.values[first + j] * topic[model.labels[first + j]]
        work.cumulative[j] = mass
    x = generator.fine_uniform(random) * (mass + sums[-1])
    if x < mass:
        return np.int64(model.labels[first + chosen(x, work.cumulative, n)])
    return first_above(sums, x - mass)


@compiled
def sweep_topics(words, model, random, work):
    """Resample every token's topic: phi'_tc (n_dt + alpha_t), c the token's label (Eq. 8 with phi' fixed)."""
    for i in range(words.size):
        c = work.z[i]
        work.n_dt[work.t[i]] -= 1
        mass = 0.0
        for k in range(work.n_dt.size):
            mass += model.topics[k, c] * (work.n_dt[k] + model.alpha[k])
            work.cumulative[k] = mass
        work.t[i] = chosen(generator.fine_uniform(random) * mass, work.cumulative, work.n_dt.size)
        work.n_dt[work.t[i]] += 1


@compiled
def sweep_labels(words, model, random, work):
    """Resample every token's label: phi_cw phi'_tc, t the token's topic (Eq. 7 with phi and phi' fixed)."""
    for i in range(words.size):
        topic, sums = model.topics[work.t[i]], model.topic_sums[work.t[i]]
        work.n_dc[work.z[i]] -= 1
        work.z[i] = _draw_label(words[i], topic, sums, model, random, work)
        work.n_dc[work.z[i]] += 1


@compiled
def set_prior(n_tokens, model, work):
    """Set alpha_c to N_d sum over t of theta'_t phi'_tc, theta' from the topics' counts (4.5, S2)."""
    work.prior[:] = 0.0
    total = 0.0
    for k in range(work.n_dt.size):
        total += model.alpha[k]
        if work.n_dt[k] > 0:
            for c in range(work.prior.size):
                work.prior[c] += work.n_dt[k] * model.topics[k, c]
    scale, mass = n_tokens / (n_tokens + total), 0.0
    for c in range(work.prior.size):
        work.prior[c] = scale * (work.prior[c] + model.base[c])
        mass += model.even[c] * work.prior[c]
        work.prior_sums[c] = mass


@compiled
def sweep_labels_under_prior(words, model, random, work):
    """Resample every token's label: phi_cw (n_dc + alpha_c), the token left out."""
    of_tokens = 0.0
    for i in range(words.size):
        of_tokens += model.even[work.z[i]]
    for i in range(words.size):
        of_tokens -= model.even[work.z[i]]
        work.n_dc[work.z[i]] -= 1
        first, n = model.word_ptr[words[i]], model.word_ptr[words[i] + 1] - model.word_ptr[words[i]]
        mass = _weigh_labels(first, n, model, work)
        x = generator.fine_uniform(random) * (mass + of_tokens + work.prior_sums[-1]) - mass
        if x < 0:
            c = model.labels[first + chosen(x + mass, work.cumulative, n)]
        elif x < of_tokens:
            c = _of_another(i, x, words.size, model, work)
        else:
            c = first_above(work.prior_sums, x - of_tokens)
        work.z[i] = c
        work.n_dc[c] += 1
        of_tokens += model.even[c]


@inlined
def _weigh_labels(first, n, model, work):
    """Return the mass of a word's own labels, value (n_dc + alpha_c), with running sums in work.cumulative."""
    mass = 0.0
    for j in range(n):
        c = model.labels[first + j]
        mass += model.values[first + j] * (work.n_dc[c] + work.prior[c])
        work.cumulative[j] = mass
    return mass


@inlined
def _of_another(i, x, n_tokens, model, work):
    """Return the label of the token, other than i, at which the running sum of even_c exceeds x."""
    c = work.z[0]
    for j in range(n_tokens):
        if j != i:
            c = work.z[j]
            x -= model.even[c]
            if x < 0:
                break
    return c


@compiled
def add_through_topics(words, model, by_token, work, total):
    """Add S1's sum over tokens, phi_cw phi'_tc (n_dt + alpha_t), the token left out of n_dt: what a word's own labels
    have to total, the weights of the rest to by_topic. by_token: each token's distribution counts as one, so that
    n_dt + alpha_t cancels.
    """
    for i in range(words.size):
        first, last = model.word_ptr[words[i]], model.word_ptr[words[i] + 1]
        k = work.t[i]
        topic, weight = model.topics[k], work.n_dt[k] - 1 + model.alpha[k]
        if by_token:
            mass = model.topic_sums[k, -1]
            for e in range(first, last):
                mass += model.values[e] * topic[model.labels[e]]
            weight = 1 / mass
        for e in range(first, last):
            total[model.labels[e]] += weight * model.values[e] * topic[model.labels[e]]
        work.by_topic[k] += weight


@compiled
def add_under_prior(words, model, work, total):
    """Add S2's sum over tokens: each one's distribution, phi_cw (n_dc + alpha_c), the token left out, to 1."""
    of_tokens, of_all = 0.0, 0.0
    for i in range(words.size):
        of_tokens += model.even[work.z[i]]
    for i in range(words.size):
        first, n = model.word_ptr[words[i]], model.word_ptr[words[i] + 1] - model.word_ptr[words[i]]
        work.n_dc[work.z[i]] -= 1
        mass = _weigh_labels(first, n, model, work)
        inverse = 1 / (mass + of_tokens - model.even[work.z[i]] + work.prior_sums[-1])
        for j in range(n):
            c = model.labels[first + j]
            total[c] += inverse * model.values[first + j] * (work.n_dc[c] + work.prior[c])
        work.n_dc[work.z[i]] += 1
        work.inverse[i] = inverse
        of_all += inverse
    for i in range(words.size):
        total[work.z[i]] += model.even[work.z[i]] * (of_all - work.inverse[i])
    for c in range(total.size):
        total[c] += of_all * model.even[c] * work.prior[c]


@allocating
def predict_reversed(documents, phi, label_topics, alpha, schedule, chain, random, work, scores):
    """Sample every document by the reversed model, and set the rows of scores (D, C), zeros before, to its labels.

    phi (W, T) and label_topics (T, C) are topics over words and labels over topics, alpha is per label. A token's
    label has the weight phi'_ct (n_dc + alpha), its topic phi_wt phi'_ct; what is averaged is the first, the token
    left out (Eq. 8 in place of Eq. 22). A document without tokens gets the same score for every label.
    """
    n_topics, n_labels = label_topics.shape
    for d in range(documents.ptr.size - 1):
        words = documents.words[documents.ptr[d] : documents.ptr[d + 1]]
        if words.size == 0:
            scores[d, :] = 1 / n_labels
            continue
        generator.seed(random, chain, documents.names[d])
        for i in range(words.size):
            work.z[i] = int(generator.fine_uniform(random) * n_labels)
            work.n_dc[work.z[i]] += 1
            mass = 0.0
            for k in range(n_topics):
                mass += phi[words[i], k]
                work.cumulative[k] = mass
            work.t[i] = chosen(generator.fine_uniform(random) * mass, work.cumulative, n_topics)
        for step in range(1, last_sweep(schedule) + 1):
            taken = sample_after(step, schedule) >= 0
            for i in range(words.size):
                work.n_dc[work.z[i]] -= 1
                topic, mass = label_topics[work.t[i]], 0.0
                for c in range(n_labels):
                    mass += topic[c] * (work.n_dc[c] + alpha)
                    work.prior_sums[c] = mass
                if taken:
                    for c in range(n_labels):
                        scores[d, c] += topic[c] * (work.n_dc[c] + alpha) / mass
                work.z[i] = first_above(work.prior_sums, generator.fine_uniform(random) * mass)
                work.n_dc[work.z[i]] += 1
            for i in range(words.size):
                mass = 0.0
                for k in range(n_topics):
                    mass += phi[words[i], k] * label_topics[k, work.z[i]]
                    work.cumulative[k] = mass
                work.t[i] = chosen(generator.fine_uniform(random) * mass, work.cumulative, n_topics)
        work.n_dc[work.z[: words.size]] = 0.0
        scores[d] /= scores[d].sum()
