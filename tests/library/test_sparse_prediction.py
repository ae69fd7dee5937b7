"""The sparse sampler: its counts, its dense twin, and every way its workspace can run out."""

import io
from functools import partial

import numpy as np
import pytest
from scipy import sparse, stats

from polytopic.kernels import (
    alias,
    generator,
    phi_cache,
    sparse_prediction,
    topic_prior,
    weighing,
)
from polytopic.kernels.simd import LANES
from polytopic.models import proper, reading, settings, sparse_tables, unseen
from reference.interpreting import interpreted

N_LABELS, N_WORDS, N_TOPICS, BETA = 4, 5, 3, 0.3
WORDS = np.array([0, 3, 3, 1], np.int32)


def counts(seed=0):
    """Counts (C, W) with many zeros; word 4 is on no label at all."""
    rng = np.random.default_rng(seed)
    table = rng.poisson(rng.gamma(0.4, 5, size=(N_LABELS, N_WORDS)))
    table[:, 0] += 1
    table[:, 4] = 0
    return table


def smoothed(table, by):
    return (table + by) / (table + by).sum(axis=1, keepdims=True)


def tables(table=None):
    return sparse_tables.phi_tables(sparse.csr_matrix(counts() if table is None else table), BETA)


def dense(phi):
    """Return a Phi as (C, W)."""
    lists = phi.entries["value"], phi.entries["item"], phi.labels["start"]
    return phi.labels["smooth"][:-1, None] + sparse.csr_matrix(lists, shape=(N_LABELS, N_WORDS)).toarray()


def topic_tables(phi, topic_counts, beta_c, eta, gamma):
    flat = sparse_tables.fixed_prior(phi, np.ones(phi.labels.size - 1))
    value, smooth = sparse_tables.smoothed(topic_counts, beta_c)
    return sparse_tables.topic_tables(phi, flat, value, smooth, eta, gamma)


def sweeps(n, phi, fixed, topics, words=WORDS, theta=None, seed=5, is_sorted=True):
    """Yield the labels of the tokens after each sweep with the prior held where it is."""
    work = sparse_tables.workspace(phi, topics.smooth.size, words.size, 16, 64)
    document = phi_cache.open_document(0, words, True, phi, work)._replace(is_sorted=is_sorted)
    model = sparse_prediction.Model(phi, fixed, fixed, topics)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([seed], np.uint64), 1)
    labels, of_words = work.z[: words.size], dense(phi)[:, work.words.unique[: document.n_unique]]
    sparse_prediction.start(document, work)
    if theta is not None:
        work.topics.theta[: theta.size] = theta
        for place in range(document.n_unique):
            mass = topics.mass[work.words.unique[place]] @ work.topics.theta[: topics.mass.shape[1]]
            work.topics.part[place] = topics.eta * mass
    for _ in range(n):
        assert sparse_prediction.sweep(document, fixed, model, random, work)
        held = np.bincount(labels, minlength=phi.labels.size - 1)
        used = work.active.label[: work.active.size[0]]
        np.testing.assert_array_equal(held[used], work.active.count[: work.active.size[0]])
        np.testing.assert_array_equal(np.flatnonzero(held), np.sort(used))
        mass = held @ of_words
        np.testing.assert_allclose(
            work.active.mass[: document.n_unique], mass, rtol=1e-5
        )  # 5e-7 when right; not moved with a token: .2 in the median sweep
        yield tuple(map(int, labels))


@pytest.mark.parametrize("word_by_word", [True, False])
def test_the_masses_of_words_done_with_are_not_needed(word_by_word):
    """The labels are those of a sampler that keeps every word's mass, in documents whose words take several lanes."""
    rng = np.random.default_rng(4)
    phi = tables(rng.poisson(rng.gamma(0.4, 5, size=(30, 60))) + (rng.random((30, 60)) < 0.1))
    fixed = sparse_tables.fixed_prior(phi, np.ones(30))
    model = sparse_prediction.Model(phi, fixed, fixed, sparse_tables.no_topics(phi, fixed))
    words = rng.permutation(60)[:40].astype(np.int32)
    words = np.repeat(words, 2) if word_by_word else np.tile(words, 2)

    def labels(keeps_all):
        work = sparse_tables.workspace(phi, 0, words.size, 64, 2_000)
        document = phi_cache.open_document(0, words, True, phi, work)
        assert document.word_by_word == word_by_word
        if keeps_all:
            document = document._replace(word_by_word=False)
        random = np.zeros((4, 1), np.uint32)
        generator.seed(random, np.array([5], np.uint64), 1)
        sparse_prediction.start(document, work)
        for _ in range(50):
            assert sparse_prediction.sweep(document, fixed, model, random, work)
        if keeps_all:
            held, of_words = work.active, np.arange(document.n_unique)
            rows = work.cache.phi[held.start[: held.size[0], None] + of_words]
            mass = held.count[: held.size[0]] @ rows
            np.testing.assert_allclose(
                held.mass[: document.n_unique], mass, rtol=1e-5
            )  # not added beyond LANES: .9
        return work.z[: words.size].tolist()

    assert labels(keeps_all=False) == labels(keeps_all=True)


@pytest.mark.parametrize(
    "words", [WORDS, np.array([4, 4, 0, 1], np.int32)], ids=["usual", "a word without label"]
)
@pytest.mark.parametrize("is_sorted", [True, False], ids=["own lists", "labels' lists"])
@pytest.mark.parametrize("n_topics", [0, N_TOPICS])
def test_counts_and_masses_follow_from_assignments(n_topics, is_sorted, words):
    """Draws are compared with the exact posterior in test_exactness.py and test_whole_predictions.py."""
    phi, theta = tables(), None
    fixed = sparse_tables.fixed_prior(phi, np.array([0.3, 0.9, 0.1, 0.5]))
    topics = sparse_tables.no_topics(phi, fixed)
    if n_topics:
        topic_counts = np.random.default_rng(2).poisson(3, size=(n_topics, N_LABELS))
        topics, theta = topic_tables(phi, topic_counts, 0.2, 2.0, 0.3), np.array([0.6, 0.3, 0.1])
    assert len(set(sweeps(500, phi, fixed, topics, words, theta, is_sorted=is_sorted))) > 20


def many_labels(n_labels=300, n_words=60, n_topics=5, seed=1):
    rng = np.random.default_rng(seed)
    table = rng.poisson(rng.gamma(0.05, 20, size=(n_labels, n_words)))
    table[np.arange(n_labels), rng.integers(0, n_words, n_labels)] += 1
    topic_counts = [rng.poisson(rng.gamma(0.1, 5, size=(n_topics, n_labels))) for _ in range(2)]
    X = rng.poisson(0.4, size=(6, n_words))
    X[3] = 0
    return sparse.csr_matrix(table), topic_counts, sparse.csr_matrix(X)


def on_labels(ptr, drawn, sampler):
    return unseen.count_labels(ptr, drawn[0], sampler.n_labels).toarray()


def group_means(sampler, X):
    """Return the label tokens of a group of sixteen chains on average, and the standard error over groups."""
    ptr, words = unseen.tokens(X)
    groups = [group[k : k + 16] for group in sampler.groups for k in range(0, len(group), 16)]
    held = np.array(
        [
            on_labels(
                ptr, sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), group, 3), sampler
            )
            for group in groups
        ]
    )
    return held.mean(axis=0), held.std(axis=0, ddof=1) / np.sqrt(len(held))


@pytest.mark.parametrize("n", [1, LANES, LANES + 1, 3 * LANES - 2])
def test_a_topic_is_chosen_where_the_running_sum_passes_x(n):
    """With the own one left out, wherever it is; where x is beyond the sum, it is the last one with mass."""
    rng = np.random.default_rng(n)
    product = np.zeros(3 * LANES, np.float32)
    product[:n] = rng.random(n) * (rng.random(n) < 0.7)
    for own in range(-1, n):
        others = np.where(np.arange(n) == own, 0, product[:n].astype(float))
        ends = np.cumsum(others)
        has_mass = np.flatnonzero(others)
        for k in has_mass:
            assert topic_prior._choose(ends[k] - others[k] / 2, own, n, product) == k
        last = has_mass[-1] if has_mass.size else own
        assert topic_prior._choose(1e9, own, n, product) == last


@pytest.mark.parametrize("n_sets", [0, 2])
def test_the_sparse_sampler_agrees_with_the_dense_one(n_sets):
    """Whole runs, the feedback through topics included: means over 1,600 chains in units of their standard errors."""
    table, topic_counts, X = many_labels(n_labels=40)
    if n_sets == 0:
        topic_counts = [np.asarray(table.sum(axis=1)).T]
    schedule = unseen.Schedule(8, 1, 1, 1600)
    model = unseen.Model(table, BETA, topic_counts, 0.1, 20.0, 0.01, 0.3)

    def gaps(other):
        (dense, dense_error), (thin, thin_error) = (
            group_means(sampler, X)
            for sampler in (unseen.Dense(model, schedule), unseen.Sparse(other, schedule))
        )
        np.testing.assert_array_equal(dense.sum(axis=1).round(9), thin.sum(axis=1).round(9))
        common = dense + thin > 1
        return (dense - thin)[common] / np.hypot(dense_error, thin_error)[common]

    assert gaps(model).std() < 1.25  # 0.9 and 1.03 when right
    assert gaps(model._replace(eta=10.0)).std() > 2  # 3.2 and 2.4: eta halved in one of the two


def test_compiled_and_interpreted_agree_bit_for_bit():
    table, topic_counts, X = many_labels(n_labels=24, n_words=20)
    model = unseen.Model(table, BETA, topic_counts, 0.1, 20.0, 0.2, 0.3)
    sampler = unseen.Sparse(model, unseen.Schedule(3, 2, 2, 2))
    ptr, words = unseen.tokens(X[:3])
    compiled = sampler.run(ptr, words, np.arange(7, ptr.size + 6, dtype=np.uint64), (1,), 3)
    with interpreted(sparse_prediction, topic_prior, phi_cache, weighing, generator, alias):
        plain = sampler.run(ptr, words, np.arange(7, ptr.size + 6, dtype=np.uint64), (1,), 3)
    np.testing.assert_array_equal(compiled[0], plain[0])
    np.testing.assert_array_equal(compiled[2], plain[2])


LITTLE = {
    "phi": (unseen, "FIRST_CACHED", dict.fromkeys(unseen.FIRST_CACHED, 8)),  # then a document starts again
    "pairs": (sparse_tables, "ROOM_FOR_PAIRS", 1),  # room for one list of all labels: then all lists make way
}


@pytest.mark.parametrize("room", LITTLE)
def test_more_room_changes_nothing(room, monkeypatch):
    table, topic_counts, X = many_labels()
    model = unseen.Model(table, BETA, topic_counts, 0.1, 40.0, 0.2, 0.3)
    sampler = unseen.Sparse(model, unseen.Schedule(3, 4, 2, 4))
    ptr, words = unseen.tokens(X)
    roomy = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0, 2), 3)
    monkeypatch.setattr(*LITTLE[room])
    tight = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0, 2), 3)
    np.testing.assert_array_equal(roomy[0], tight[0])
    np.testing.assert_array_equal(roomy[2], tight[2])


@pytest.mark.parametrize("setting", ["ROOM_FOR_LISTS", "sweeps_per_entry"])
def test_where_values_are_read_from_changes_nothing(setting, monkeypatch):
    """Lists sorted for the document save time, and the draws are the same without them."""
    table, topic_counts, X = many_labels()
    model = unseen.Model(table, BETA, topic_counts, 0.1, 40.0, 0.2, 0.3)
    sampler = unseen.Sparse(model, unseen.Schedule(30, 4, 2, 8))
    ptr, words = unseen.tokens(X)
    monkeypatch.setattr(sampler, "sweeps_per_entry", 0)
    quick = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0, 2, 4, 6), 3)
    if setting == "ROOM_FOR_LISTS":
        monkeypatch.setattr(unseen, setting, 0)
    else:
        monkeypatch.setattr(sampler, setting, np.inf)
    plain = sampler.run(ptr, words, np.arange(ptr.size - 1, dtype=np.uint64), (0, 2, 4, 6), 3)
    np.testing.assert_array_equal(quick[0], plain[0])
    np.testing.assert_array_equal(quick[2], plain[2])


def test_labels_of_a_word_and_a_topic_are_found_from_either_list():
    """Of 20 pairs of lists, short and long: those in both, with the running total of the products."""
    rng = np.random.default_rng(11)
    for sizes in [(3, 200), (40, 60), (1, 16), (17, 33)] * 5:
        labels = [np.sort(rng.choice(250, n, replace=False)).astype(np.int32) for n in sizes]
        values = [rng.random(n).astype(np.float32) for n in sizes]
        both, *places = np.intersect1d(*labels, return_indices=True)
        totals = np.cumsum(values[0][places[0]] * values[1][places[1]], dtype=np.float32)
        few, many = (
            (np.pad(of, (5, LANES), constant_values=-1), np.pad(value, (5, LANES)), 5, 5 + of.size)
            for of, value in zip(labels, values, strict=True)
        )
        for one, other in ((few, many), (many, few)):
            pairs = topic_prior.Pairs(
                None, None, np.zeros(250, np.int32), np.zeros(250, np.float32), np.array([2])
            )
            topic_prior._meet(*one, *other, pairs)
            np.testing.assert_array_equal(pairs.labels[2 : pairs.used[0]], both)
            np.testing.assert_array_equal(pairs.totals[2 : pairs.used[0]], totals)


@pytest.mark.parametrize("kind", ["dense", "sparse", "proper", "reading"])
def test_the_progress_bar_comes_to_its_end(kind, monkeypatch):
    table, topic_counts, X = many_labels(n_labels=24, n_words=20)
    model, schedule = (
        unseen.Model(table, BETA, topic_counts, 0.1, 20.0, 0.2, 0.3),
        unseen.Schedule(2, 1, 1, 4),
    )
    shown = io.StringIO()
    monkeypatch.setattr(settings, "tqdm", partial(settings.tqdm, disable=False, file=shown))
    monkeypatch.setattr(unseen, "BLOCK_TOKENS", (8, 8))
    monkeypatch.setattr(unseen, "SPARSE_FROM", 1 if kind == "sparse" else 10**6)
    run = settings.Run(verbose=1)
    predict = {
        "proper": partial(unseen.predict, X, proper.ProperSampler(model, schedule, 40), 3, run),
        "reading": partial(reading.sums, X, model, schedule, 3, ["kept"], run),
    }
    for rows, *_ in predict.get(kind, partial(unseen.predict, X, unseen.sampler(model, schedule), 3, run))():
        assert rows.stop == X.shape[0] or "100%" not in shown.getvalue()
    last = shown.getvalue().rstrip().split("\r")[-1]
    assert last.startswith("prediction: 100%")


def test_alias_tables_hold_their_weights():
    weights = np.concatenate([np.random.default_rng(0).gamma(0.2, size=7), [0, 0], [3.0], [0, 1, 0]])
    ptr = np.array([0, 7, 9, 10, 13])
    items = np.arange(13, dtype=np.int32)
    cells = np.zeros(weights.size, alias.CELL)
    totals = alias.build(ptr, items, weights, cells)
    np.testing.assert_allclose(totals, np.add.reduceat(weights, ptr[:-1]))
    for a, b, total in zip(ptr, ptr[1:], totals, strict=False):
        if total > 0:
            row, p = cells[a:b], np.zeros(13)
            np.add.at(p, row["item"], row["keep"] / (b - a))
            np.add.at(p, row["other"], (1 - row["keep"]) / (b - a))
            np.testing.assert_allclose(p[a:b], weights[a:b] / total, atol=1e-6)


def test_alias_draws_follow_the_weights():
    weights = np.array([0.1, 0.0, 2.0, 0.7])
    cells = np.zeros(4, alias.CELL)
    alias.build(np.array([0, 4]), np.arange(4, dtype=np.int32), weights, cells)
    draws = [alias.draw(0, 4, cells, u) for u in np.random.default_rng(1).random(20_000)]
    seen = np.bincount(draws, minlength=4)
    assert seen[1] == 0
    expected = 20_000 * weights / weights.sum()
    assert stats.chisquare(seen[[0, 2, 3]], expected[[0, 2, 3]]).pvalue > 1e-3  # 0 for even draws
