"""Samplers broken on purpose: the checks that pass the right ones notice every one of these.

Each breakage changes a statement or two of a kernel or of a twin. Two checks are put to each, as in test_exactness.py
and test_geweke.py: the chi-square p-value of draws, from exact starts, against exact enumeration; and the largest
z-score of Geweke's test. Whole chains of Dependency-LDA have those of test_fast_inference.py. The comment at each
gives both as measured, and those of the right samplers likewise.

Which of the two notices depends on the mistake. Counting a token among its own neighbours, say, mostly slows a chain
down, and moves what it ends on only a little.
"""

import functools

import numpy as np
import pytest
import test_fast_inference
import test_geweke as geweke_tests

from polytopic.kernels import (
    labelled,
    lda_dense,
    lda_tree,
    phi_cache,
    prediction,
    sparse_prediction,
    topic_prior,
)
from reference import agreement, breakages, enumeration, geweke, samplers, twins

pytestmark = pytest.mark.slow

SURE, CERTAIN = 1e-4, 1e-6  # what p a right sampler exceeds, and what p of a broken one does not

TRAINED = ([0, 0, 0, 1, 1, 1], [0, 1, 0, 0, 1, 1], [(0, 1, 2), (1, 2)], 3, 1.4, 0.3)
TOPICS = ([0, 0, 1, 1, 1], [0, 1, 0, 2, 2], 3, 2, 0.5, 0.3)
COUNTS, ALPHA, WORDS = geweke_tests.COUNTS, geweke_tests.PRIOR, [0, 3, 3, 1, 4]
BETA = BETA_C = 1.0  # smoothing so heavy that no part of the sparse sampler is rare
MANY = 10 * np.eye(3, dtype=int)[np.arange(12) % 3]  # counts of labels with little in common
TIGHT = samplers.Room(4, 256)


def p_value(step, exact, words, n, sweeps):
    rng = np.random.default_rng(1)
    after = step(np.tile(words, (n, 1)), agreement.starts(exact, n, rng), 1, sweeps)
    return agreement.fit(exact, after)[0]


def z_score(joint, step, n_steps, copies):
    return np.abs(geweke.z_scores(joint, step, n_steps, 1, copies=copies)).max()


def training(kernel=labelled, source=None):
    docs, words, *settings = TRAINED
    exact = enumeration.labelled_posterior(docs, words, *settings)
    make, n, steps = (
        (functools.partial(samplers.labelled_training, kernel=kernel), 4000, 500)
        if source is None
        else (source.labelled_training, 1000, 60)
    )
    p = p_value(make(docs, *settings), exact, words, n, 10)
    whole = geweke_tests.TRAINING
    step = make(geweke_tests.DOCS, geweke_tests.LABEL_SETS, *settings[1:])
    return p, z_score(whole, step, steps, 50)


def training_with_names(kernel=labelled):
    docs, words, label_sets, n_words, eta, _ = TRAINED
    beta = geweke_tests.NAMES
    exact = enumeration.labelled_posterior(docs, words, label_sets, n_words, eta, beta)
    make = functools.partial(samplers.labelled_training, kernel=kernel)
    p = p_value(make(docs, label_sets, n_words, eta, beta), exact, words, 4000, 10)
    given = geweke_tests.DOCS, geweke_tests.LABEL_SETS, geweke_tests.N_WORDS, eta, geweke_tests.NAMES
    return p, z_score(geweke.labelled(*given), make(*given), 500, 50)


def topic_training(kernel, kind, n=3000, n_steps=150):
    docs, items, n_items, n_topics, gamma, beta = TOPICS
    exact = enumeration.lda_posterior(docs, items, 2, n_items, n_topics, gamma, beta)
    step = samplers.topic_training(docs, n_items, n_topics, gamma, beta, kind, kernel)
    joint = geweke.topics(docs, n_items, n_topics, gamma, beta)
    return p_value(step, exact, items, n, 5), z_score(joint, step, n_steps, 20)


def dense_topics(kernel=None):
    return topic_training(kernel, "dense")


def tree_topics(kernel=None):
    return topic_training(kernel, "tree")


def dense_labels(kernel=prediction):
    step = samplers.dense_labels(COUNTS, BETA, ALPHA, kernel=kernel)
    return labels(step, ALPHA, 20_000, 1000)


def sparse_labels(kernel=sparse_prediction):
    step = samplers.sparse_labels(COUNTS, BETA, ALPHA, kernel=kernel)
    return labels(step, ALPHA, 8000, 100, words=[0, 3, 1])


def sparse_labels_of_more_words(kernel=sparse_prediction):
    step = samplers.sparse_labels(COUNTS, BETA, ALPHA, kernel=kernel)
    return labels(step, ALPHA, 40_000, 100, words=[0, 3, 1, 0, 3])


def sparse_labels_in_little_room(kernel=sparse_prediction):
    """Room for the phi of four of twelve labels: dropped and filled in again."""
    alpha = np.linspace(0.1, 0.3, len(MANY))
    step = samplers.sparse_labels(MANY, 0.3, alpha, kernel=kernel, room=TIGHT)
    return labels(step, alpha, 10_000, 100, 0.3, MANY, [0, 1, 2])


def through_topics(kernel=sparse_prediction):
    theta, weight, floor = geweke_tests.THETA, geweke_tests.WEIGHT, 0.01
    alpha = weight * theta @ samplers.smoothed(geweke_tests.TOPIC_COUNTS, BETA_C) + floor
    step = samplers.sparse_labels_through_topics(
        COUNTS, BETA, geweke_tests.TOPIC_COUNTS, BETA_C, theta, weight, floor, kernel
    )
    return labels(step, alpha, 12_000, 100)


def through_pairs(kernel=sparse_prediction):
    """Little smoothing, so that most labels that come from topics are drawn by word and topic."""
    theta, weight, floor = geweke_tests.THETA, geweke_tests.WEIGHT, 0.01
    counts, topic_counts = COUNTS + 1, geweke_tests.TOPIC_COUNTS + 1
    alpha = weight * theta @ samplers.smoothed(topic_counts, 0.1) + floor
    step = samplers.sparse_labels_through_topics(
        counts, 0.1, topic_counts, 0.1, theta, weight, floor, kernel=kernel
    )
    return labels(step, alpha, 3000, 100, 0.1, counts, [0, 3, 1])


def with_module(module, *changes):
    """Return the sparse sampler with changes in one of its modules."""
    name = module.__name__.rpartition(".")[2]
    return breakages.broken(sparse_prediction, **{name: breakages.broken(module, *changes)})


def labels(step, alpha, n, n_steps, beta=BETA, counts=COUNTS, words=WORDS):
    phi = samplers.smoothed(counts, beta)
    exact = enumeration.label_posterior(words, phi, alpha)
    joint = geweke.prediction(len(words), phi, alpha)
    return p_value(step, exact, words, n, 5), z_score(joint, step, n_steps, 20)


def topics_of_labels(kernel=sparse_prediction):
    phi, gamma = samplers.smoothed(geweke_tests.TOPIC_COUNTS, BETA_C), 0.4
    step = samplers.sparse_topics(geweke_tests.TOPIC_COUNTS, BETA_C, gamma, kernel=kernel)
    exact = enumeration.topic_posterior([0, 2, 2, 1], phi, np.full(3, gamma))
    joint = geweke.prediction(4, phi, np.full(3, gamma))
    return p_value(step, exact, [0, 2, 2, 1], 12_000, 5), z_score(joint, step, 100, 20)


def topics_of_one_label(kernel=sparse_prediction):
    """Five tokens of a label that has every topic, three times as likely in one as in the next."""
    counts, gamma = np.array([[9, 1], [3, 2], [1, 8]]), 0.4
    phi, tokens = samplers.smoothed(counts, BETA_C), [0] * 5
    step = samplers.sparse_topics(counts, BETA_C, gamma, kernel=kernel)
    exact = enumeration.topic_posterior(tokens, phi, np.full(3, gamma))
    return p_value(step, exact, tokens, 40_000, 20), 0.0


def whole(kind, kernel):
    """Whole chains of Dependency-LDA, against the distribution that their exact matrix leaves unchanged."""
    exact, rows = test_fast_inference.exact(kind), test_fast_inference.visits(kind, kernel)
    return agreement.fit(exact, rows)[0], test_fast_inference.products(exact, rows)


def dense_whole(kernel=prediction):
    return whole("dense", kernel)


def sparse_whole(kernel=sparse_prediction):
    return whole("sparse", kernel)


RIGHT = (
    training,  # p 0.078, z 3.4
    training_with_names,  # p 0.85, z 1.3
    dense_topics,  # p 0.77, z 0.8
    tree_topics,  # p 0.16, z 2.2
    dense_labels,  # p 0.028, z 2.5
    sparse_labels,  # p 0.093, z 1.8
    sparse_labels_of_more_words,  # p 0.11, z 2.7
    sparse_labels_in_little_room,  # p 0.046, z 1.9
    through_topics,  # p 0.29, z 1.1
    through_pairs,  # p 0.14, z 1.9
    topics_of_labels,  # p 0.19, z 1.3
    topics_of_one_label,  # p 0.2
    dense_whole,  # p 0.13, z 1.2
    sparse_whole,  # p 0.22, z 1.9
)


@pytest.mark.parametrize("evidence", RIGHT)
def test_nothing_is_noticed_about_a_right_sampler(evidence):
    p, z = evidence()
    assert p > SURE and z < geweke_tests.NOTICED


# by evidence and module: {mistake: pairs of a pattern and what comes instead}, with the p and z that each gives
KERNELS = {
    (training, labelled): {
        "eta for every label": ("eta / A", "eta"),  # p 8.9e-146, z 56.2
        "beta once, not W times":
            ("beta * A + tokens.prior_sums[c]", "beta + tokens.prior_sums[c]"),  # p 5.7e-208, z 45.7
        "own count left in": ("A = B == C", "A = B == -1"),  # p 0.00011, z 7.8
        "own count left in with the document":
            ("load(state.n_dc, A) - B", "load(state.n_dc, A)"),  # p 1.4e-75, z 9.3
        "labels' totals never moved": ("store(state.n_c, *A)", ""),  # p 0, z 30.4
        "the last word's counts left in": ("_clear_word(*A)", ""),  # p 0, z 49.6
    },
    (training_with_names, labelled): {
        "no pseudo-counts of the present word": ("state.prior[tokens.prior_labels[A], 0] += B", ""),  # p 0, z 70.3
        "those of words before left in": ("state.prior[tokens.prior_labels[A], 0] = beta", ""),  # p 0, z 49.9
        "a label's pseudo-counts not in its sum": ("beta * A + tokens.prior_sums[c]", "beta * A"),  # p 0, z 47.0
    },
    (dense_topics, lda_dense): {
        "alpha twice": ("work.n_dt[A] + alpha[A]", "work.n_dt[A] + 2 * alpha[A]"),  # p 4e-47, z 10.9
        "beta once, not C times": ("beta * tokens.n_items", "beta"),  # p 5.9e-27, z 19.3
        "own count left in":
            ("_move(A, B, -1, *C); D = _draw(*E)", "D = _draw(*E); _move(A, B, -1, *C)"),  # p 6.6e-15, z 2.4
        "stale weights": ("A[B] += step; _weigh_topic(*C)", "A[B] += step"),  # p 4.5e-40, z 8.5
    },
    (tree_topics, lda_tree): {
        "own count left in": (
            "(work.row[A] - 1 + beta) / (state.n_t[A] - 1 + B)", "(work.row[A] + beta) / (state.n_t[A] + B)",
        ),  # p 1.6e-208, z 7.3
        "sums not brought up to date": ("work.root[0] += A", ""),  # p 0, z 206.8
    },
    (dense_labels, prediction): {
        "own count left in": (
            "_count(work.z, A, -1, B); *C; _draw(*D)", "*C; _count(work.z, A, -1, B); _draw(*D)",
        ),  # p 2.6e-16, z 3.8
        "the first word for all": ("phi[words[A]]", "phi[words[0]]"),  # p 0, z 5.9
        "counts in place of alpha'": (
            "load(work.n_c, A) + load(work.alpha, A)", "load(work.n_c, A) + load(work.n_c, A)",
        ),  # p 0, z 331.7
    },
    (sparse_labels, sparse_prediction): {
        "own count left in": (
            "active.count[former] - np.float32(1)", "active.count[former]",
            "max(used - A, stays)", "max(used, stays)",
        ),  # p 3.3e-10, z 1.2
        "no token taken off the masses": ("_add(np.float32(-1), *A)", ""),  # p 3.5e-98, z 6.9
        "none put on them": ("_add(np.float32(1), *A)", ""),  # p 2.4e-104, z 6.6
        "the first word's phi for all": (
            "document.tokens[A], work.words.place[A], *B", "document.tokens[A], 0, *B",
        ),  # p 0, z 1.9
        "the prior twice": ("fixed.scale", "(2 * fixed.scale)"),  # p 1.2e-141, z 12.4
        "the prior's smoothing forgotten":
            ("fixed.word_mass[A] + fixed.shared_mass", "fixed.word_mass[A]"),  # p 8e-117, z 9.0
    },
    (sparse_labels_of_more_words, sparse_prediction): {
        "tokens lost with the place":
            ("active.count[k] = active.count[last]", "active.count[k] = np.float32(1)"),  # p 0, z 2.5
        "masses left as they were":
            ("_add(np.float32(-1), *A)", "", "_add(np.float32(1), *A)", ""),  # p 3e-51, z 1.5
        "labels in order without their rows":
            ("active.label[j], active.start[j] = A, B", "active.label[j] = A"),  # p 5.3e-44, z 1.8
        "labels in order without their tokens": ("active.count[j] = active.count[j - 1]", ""),  # p 1.5e-217, z 5.7
    },
    (sparse_labels, phi_cache): {
        "no smoothing in the cache":
            ("spread(smooth)", "spread(np.float32(0))"),  # p 6e-193, z 5.9
    },
    (sparse_labels_in_little_room, sparse_prediction): {
        "old places of rows": ("active.start[A] = B['row'] * C", ""),  # p 0, z 1.8
    },
    (sparse_labels_in_little_room, phi_cache): {
        "rows not moved": ("cache.phi[A] = cache.phi[B]", ""),  # p 0, z 1.2
    },
    (sparse_labels_of_more_words, topic_prior): {
        "the first word's labels for all":
            ("place * AHEAD + drawn.left[place]", "drawn.left[place]"),  # p 0, z 9.3
        "a label used more than once": (
            "for k in range(AHEAD):\n    if drawn.of_word[k]: *A\n    else: *B\n    drawn.label[C] = c",
            "for k in range(1):\n    if drawn.of_word[k]: *A\n    else: *B\n    drawn.label[C] = c",
            "place * AHEAD + drawn.left[place]", "place * AHEAD",
        ),  # p 0, z 3.8
    },
    (through_topics, sparse_prediction): {
        "no topics": ("A + work.topics.part[B]", "A"),  # p 0, z 111.3
    },
    (through_topics, topic_prior): {
        "one topic for all": ("A = _draw_topic(topics.mass[B], *C)", "A = 0"),  # p 0, z 9.9
        "no label by word and topic": ("x >= topic + even", "x < 0"),  # p 4.7e-18, z 5.1
        "no label by the topic alone": ("x < topic", "x < 0"),  # p 1.3e-182, z 6.0
        "no label by the word alone": (
            "x >= topic + even", "x >= topic", "x - topic - even", "x - topic",
        ),  # p 0, z 5.5
    },
    (through_pairs, topic_prior): {
        "the first word's labels for all": (
            "w, place = document.tokens[i], work.words.place[i]", "w, place = document.tokens[i], 0",
        ),  # p 1.2e-101, z 1.3
        "the first label of a pair for all": ("while low < high: *A", ""),  # p 0, z 107.7
    },
    (topics_of_labels, topic_prior): {
        "own count left in": (
            "np.float64(work.weight[t]) - 1.0", "np.float64(work.weight[t])",
            "total - value", "total", "present - topics.smooth[t]", "present",
        ),  # p 1.9e-52, z 3.6
        "own count left in where the label does not matter": (
            "_count(t, -1, *A)\nif x < valued: *B\nelse:\n    chosen = C\n    *D",
            "if x < valued: _count(t, -1, *A); *B\nelse:\n    chosen = C\n    _count(t, -1, *A)\n    *D",
        ),  # p 1.9e-29, z 2.0
        "no smoothing for topics in use": ("valued + others + topics.even", "valued + topics.even"),  # p 0, z 9.3
        "topics chosen and not counted":
            ("chosen = _draw_topic(*A); _count(chosen, 1, *B)", "chosen = _draw_topic(*A)"),  # p 0, z 6.2
        "the own topic among the others":
            ("if block <= own < block + LANES: *A", "", "if k != own: *A", "if True: *A"),  # p 4.7e-97, z 3.1
        "topics of the next label weighed with the label's":
            ("products = head(products, np.int32(n - k))", ""),  # p 0, z 9.1
        "a topic of the next label taken for the label's": ("min(k + LANES, n)", "k + LANES"),  # p 0, z 8.3
    },
    (topics_of_one_label, topic_prior): {
        "weighed once for all": ("total += _weigh_again(own, *A) + _weigh_again(k, *B)", ""),  # p 0
        "the products weighed, their sum left as it was": (
            "total += _weigh_again(own, *A) + _weigh_again(k, *B)",
            "_weigh_again(own, *A) + _weigh_again(k, *B)",
        ),  # p 0
    },
    (dense_whole, prediction): {
        "the prior renewed before the topics": (
            "if A: sweep_topics(*B)\nif C: set_prior(*D)", "if C: set_prior(*D)\nif A: sweep_topics(*B)",
        ),  # p 0, z 35.0
        "theta' over N + gamma of one topic":
            ("prior.eta / (n_tokens + A * B)", "prior.eta / (n_tokens + B)"),  # p 2.1e-96, z 8.9
    },
    (sparse_whole, sparse_prediction): {
        "the prior renewed before the topics": (
            "for A in B: topic_prior.sweep(*C)\ntopic_prior.set_prior(*D)",
            "topic_prior.set_prior(*D)\nfor A in B: topic_prior.sweep(*C)",
        ),  # p 0, z 20.9
    },
    (sparse_whole, topic_prior): {
        "theta' over N + gamma of one topic":
            ("1 / (n_tokens + A * topics.gamma)", "1 / (n_tokens + topics.gamma)"),  # p 1.3e-70, z 9.0
    },
}  # fmt: skip
CASES = {
    f"{evidence.__name__}: {mistake}": (evidence, module, changes)
    for (evidence, module), mistakes in KERNELS.items()
    for mistake, changes in mistakes.items()
}


@pytest.mark.parametrize(("evidence", "module", "changes"), CASES.values(), ids=CASES)
def test_a_broken_kernel_is_noticed(evidence, module, changes):
    within = module in (phi_cache, topic_prior)
    p, z = evidence((with_module if within else breakages.broken)(module, *changes))
    assert p < CERTAIN or z > geweke_tests.NOTICED


TWINS = {
    "eta for every label": ("eta / len(labels)", "eta"),  # p 1.1e-27, z 22.6
    "beta once, not W times":
            ("(n_wc + prior)[:, labels].sum(axis=0)", "n_wc[:, labels].sum(axis=0) + beta"),  # p 6.9e-30, z 21.1
    "own count left in":
        ("n_dc[A] -= 1; n_wc[B] -= 1; C = D", "C = D; n_dc[A] -= 1; n_wc[B] -= 1"),  # p 1.8e-08, z 4.5
}  # fmt: skip


@pytest.mark.parametrize("changes", TWINS.values(), ids=TWINS)
def test_a_broken_twin_is_noticed(changes):
    p, z = training(source=breakages.broken(twins, *changes))
    assert p < CERTAIN or z > geweke_tests.NOTICED


def test_a_breakage_that_breaks_nothing_is_refused():
    with pytest.raises(LookupError, match="0 times"):
        breakages.broken(labelled, "no_such(line)", "")
    with pytest.raises(LookupError, match="calls no old_cache"):
        breakages.broken(sparse_prediction, old_cache=phi_cache)
