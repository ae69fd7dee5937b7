"""Sixteen chains of LDA side by side: counts, plain twins, exact enumeration in every lane, single draws, company."""

from collections import Counter

import numpy as np
import pytest
from numba import njit
from scipy import sparse, stats
from sklearn.base import clone
from test_lda_kernels import ALPHA, DOCS, WORDS, conditional, corpus, log_likelihood, tiny

from polytopic.kernels import generator, rows, topics
from polytopic.kernels.simd import LANES, load, spread, store
from polytopic.models import LDA, DependencyLDA, chains, lda_runs, topic_chains, topic_lanes
from polytopic.streams import word64
from reference import enumeration, lane_twins
from reference.interpreting import interpreted

SAMPLERS = list(topic_lanes.SAMPLERS)
NAMES = [word64(0, "lane", k) for k in range(LANES)]


def side_by_side(X, n_topics, sampler, alpha=0.1, beta=0.05, names=NAMES):
    return topic_lanes.Chains(X, n_topics, alpha, beta, names, sampler)


def dense(state, tokens, n_topics):
    """Return the counts of a state as tables: documents by topics by lanes, and topics by lanes."""
    n_dt = np.zeros((tokens.doc_ptr.size - 1, n_topics, LANES), int)
    if not hasattr(state, "listed"):
        return state.n_dt.reshape(n_dt.shape), state.n_t
    for d, first in enumerate(tokens.doc_ptr[:-1]):
        places = state.listed[first : first + state.n_rows[d]].astype(int)
        counts = state.counts[first : first + state.n_rows[d]]
        row, lane = np.nonzero(counts)
        places = places[row, lane]
        np.add.at(n_dt[d], (places // 256 * 16 + places % 16, lane), counts[row, lane])
    by_line = state.n_t.reshape(-1, LANES, 16)
    return n_dt, np.moveaxis(by_line, 1, 2).reshape(-1, LANES)[:n_topics]


@pytest.mark.parametrize("n_topics", [1, 2, 16, 40, 300])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_counts_follow_from_assignments(sampler, n_topics):
    X = corpus()
    own = side_by_side(X, n_topics, sampler)
    for _ in range(5):
        own.advance(3)
        z = own._kernel.topics_of(own._state)
        implied = own._kernel.init(own._tokens, z, n_topics)
        tables = zip(
            dense(own._state, own._tokens, n_topics), dense(implied, own._tokens, n_topics), strict=True
        )
        for held, expected in tables:
            np.testing.assert_array_equal(held, expected)
        for counts in own.counts():
            np.testing.assert_array_equal(counts.item_topics.sum(axis=1).A1, X.sum(axis=0).A1)
            np.testing.assert_array_equal(counts.document_topics.sum(axis=1).A1, X.sum(axis=1).A1)
    assert len({z.tobytes() for z in own.assignments()}) == (LANES if n_topics > 1 else 1)


@pytest.mark.parametrize("n_topics", [1, 2, 17, 40, 300])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_lane_agrees_with_its_plain_twin_bit_for_bit(sampler, n_topics):
    X, alpha = corpus(), np.linspace(0.02, 0.4, n_topics)
    own = side_by_side(X, n_topics, sampler, alpha)
    docs, items = topic_chains.pairs(own._tokens)
    start, random = own._kernel.topics_of(own._state).copy(), own._random.copy()
    ends = own._kernel.topics_of(own.advance(4)._state)
    twin = {"lanes": lane_twins.dense, "lanes_tree": lane_twins.tree}[sampler]
    for lane in range(LANES):
        given = docs, items, start[:, lane].astype(int), n_topics, X.shape[1], alpha, 0.05
        z = twin(lane_twins.Counts(*given, random[:, lane : lane + 1].copy()), 4)
        np.testing.assert_array_equal(ends[:, lane], z)


@pytest.mark.parametrize("n_topics", [2, 17, 40, 300])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_compiled_and_interpreted_agree_bit_for_bit(sampler, n_topics):
    X, alpha = corpus(), np.linspace(0.02, 0.4, n_topics)
    kernel = topic_lanes.SAMPLERS[sampler]
    compiled = side_by_side(X, n_topics, sampler, alpha).advance(3)
    with interpreted(generator, kernel, topics, *topic_lanes.SAMPLERS.values()):
        plain = side_by_side(X, n_topics, sampler, alpha).advance(3)
    for own, other in zip(compiled._state, plain._state, strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize("whole", [np.uint8, np.uint16, np.uint32, np.int32])
def test_compiled_rows_agree_with_their_plain_form(whole):
    def everything(flat, lines, small, floats, ints):
        places = load(small, 1)
        store(floats, 0, rows.everywhere(flat, 3))
        store(floats, 1, rows.pick_at(floats, 4, places))
        store(floats, 2, rows.take(flat, places))
        store(floats, 3, rows.take_by(flat, small, 1) + spread(rows.summed(load(floats, 5))))
        rows.put_at(floats, 9, places, load(floats, 2))
        rows.put_at(small, 2, places, places * 2)
        rows.put(lines, places, rows.take(lines, places) - 3)
        store(ints, 0, rows.pick_at(small, 0, places))

    outcomes = []
    for function in (everything, njit(everything)):
        rng = np.random.default_rng(3)
        flat, lines = rng.random(256).astype(np.float32), rng.integers(-9, 9, 256).astype(np.int32)
        small, floats = (
            rng.integers(0, 5, (7, LANES)).astype(whole),
            rng.random((14, LANES)).astype(np.float32),
        )
        ints = np.zeros((1, LANES), np.int32)
        function(flat, lines, small, floats, ints)
        outcomes.append((lines, small, floats, ints))
    for plain, compiled in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(plain, compiled)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [np.array([0.5, 0.5]), ALPHA], ids=["symmetric", "asymmetric"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_visits_match_the_exact_posterior_in_every_lane(sampler, alpha):
    own, order = side_by_side(tiny(), 2, sampler, alpha, 0.3), np.argsort(WORDS, kind="stable")
    seen, z = [Counter() for _ in range(LANES)], np.zeros((5, LANES), int)
    for _ in range(50_000):
        z[order] = own._kernel.topics_of(own.advance(1)._state)
        for lane, state in enumerate(z.T.tolist()):
            seen[lane][tuple(state)] += 1
    exact, wrong, turned = (
        enumeration.lda_posterior(DOCS, WORDS, 2, 3, 2, gamma=gamma, beta=0.3)
        for gamma in (alpha, alpha / 2, ALPHA[::-1])
    )
    for visits in seen:
        assert enumeration.total_variation(exact, visits) < 0.02
        assert enumeration.total_variation(wrong, visits) > 0.05
        assert enumeration.total_variation(turned, visits) > 0.05


@pytest.mark.parametrize("n_topics", [16, 17, 50, 600])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_draw_follows_the_conditional_distribution(sampler, n_topics):
    """The first token, drawn over and over in all lanes with the others held: every block and row of a list."""
    rng = np.random.default_rng(8)
    table = rng.poisson(1.5, size=(6, 40))
    table[0, 0] = 4
    X, alpha, beta = sparse.csr_matrix(table), rng.permutation(np.linspace(0.05, 0.9, n_topics)), 0.2
    tokens, kernel = topic_chains.by_item(X), topic_lanes.SAMPLERS[sampler]
    start = rng.integers(n_topics, size=tokens.docs.size)
    expected = conditional(X, start, 0, 0, alpha, beta)
    by_item = np.tile(start[np.argsort(topic_chains.by_document(X).items, kind="stable")], (LANES, 1)).T
    work, random = kernel.workspace(tokens, alpha), topic_chains.generators(*NAMES)
    drawn = np.zeros((1_250, LANES), int)
    for draws in drawn:
        state = kernel.init(tokens, by_item, n_topics)
        kernel.sweep(tokens, state, alpha, beta, random, work)
        draws[:] = kernel.topics_of(state)[0]
    cells = np.minimum(np.argsort(np.argsort(-expected)), 99)  # the rarest together
    wrong = conditional(X, start, 0, 0, np.full(n_topics, alpha.mean()), beta)
    seen = np.bincount(cells[drawn.ravel()])
    held, otherwise = (np.bincount(cells, weights=p) * drawn.size for p in (expected, wrong))
    assert stats.chisquare(seen, held).pvalue > 0.001
    assert stats.chisquare(seen, otherwise).pvalue < 1e-6


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_chain_is_the_same_in_any_lane_and_company(sampler):
    X = corpus()
    together = side_by_side(X, 40, sampler).advance(5).assignments()
    alone = side_by_side(X, 40, sampler, names=[NAMES[9]]).advance(5).assignments()
    turned = side_by_side(X, 40, sampler, names=NAMES[3:][::-1]).advance(5).assignments()
    np.testing.assert_array_equal(alone, together[9:10])
    np.testing.assert_array_equal(turned, together[3:][::-1])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_chains_go_on_from_assignments(sampler):
    X = corpus()
    own = side_by_side(X, 7, sampler, names=NAMES[:3]).advance(3)
    for other in SAMPLERS:
        again = topic_lanes.Chains(X, 7, 0.1, 0.05, [4, 5, 6], other, own.assignments())
        np.testing.assert_array_equal(again.assignments(), own.assignments())
    single = topic_chains.Chain(X, 7, 0.1, 0.05, 1, start=own.assignments()[1])
    for held, expected in zip(own.counts()[1], single.counts(), strict=True):
        assert (held != expected).nnz == 0


def test_long_documents_and_many_topics_take_larger_numbers():
    """A document of 300 tokens, all on the last of 5,000 topics: counts above 255 and places above 65,535."""
    X = sparse.csr_matrix([[300, 1], [0, 2]])
    start = np.full((1, 303), 4_999)
    for sampler in SAMPLERS:
        own = topic_lanes.Chains(X, 5_000, 1e-3, 0.05, NAMES[:1], sampler, start).advance(5)
        (counts,) = own.counts()
        assert counts.document_topics[0, 4_999] > 255
        assert counts.document_topics.sum() == 303
        implied = own._kernel.init(own._tokens, own._kernel.topics_of(own._state), 5_000)
        np.testing.assert_array_equal(own._state.n_t, implied.n_t)


@pytest.mark.parametrize("sampler", [None, *SAMPLERS])
def test_topic_chains_are_the_same_for_any_number_of_threads(sampler):
    Y, given = corpus() > 0, (4, 0.1, 0.05, 18, 5, 0)
    alone, shared = (
        [counts.toarray() for counts in topic_lanes.train_topics(Y, *given, chains.Run(n_jobs), sampler)]
        for n_jobs in (1, 2)
    )
    assert len(alone) == 18
    for own, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(own.sum(axis=0), Y.sum(axis=0).A1)
    assert (alone[0] != alone[17]).any()
    names = [word64(0, "topics", "chain", 17)]
    last = topic_lanes.Chains(Y, 4, 0.1, 0.05, names, sampler).advance(5)
    np.testing.assert_array_equal(last.counts()[0].item_topics.T.toarray(), alone[17])


def test_dependency_lda_takes_its_topics_from_either():
    rng = np.random.default_rng(2)
    X, Y = sparse.csr_matrix(rng.poisson(0.5, (30, 20))), sparse.csr_matrix(rng.random((30, 6)) < 0.4)
    few = {"n_chains": 1, "n_sweeps": 2, "n_topic_chains": 3, "n_topic_sweeps": 5, "random_state": 0}
    one, many = (DependencyLDA(3, side_by_side=together, **few).fit(X, Y) for together in (False, True))
    usable = Y[(Y.getnnz(axis=1) > 0) & (X.getnnz(axis=1) > 0)]
    given = usable, 3, one.gamma, one.beta_c, 3, 5, 0, chains.Run()
    for model, train in ((one, chains.train_topics), (many, topic_lanes.train_topics)):
        for own, expected in zip(model.topic_label_counts_, train(*given), strict=True):
            assert (own != expected).nnz == 0
    assert any((a != b).nnz for a, b in zip(one.topic_label_counts_, many.topic_label_counts_, strict=True))
    assert (one.label_word_counts_ != many.label_word_counts_).nnz == 0


def test_runs_of_lda_are_fitted_models_of_their_own(tmp_path):
    X, model = corpus(), LDA(5, n_sweeps=20, random_state=3, memory=tmp_path)
    runs = lda_runs.fit_runs(model, X, 17, n_jobs=2)
    again = lda_runs.fit_runs(clone(model), X, 17)
    for one, other in zip(runs, again, strict=True):
        np.testing.assert_array_equal(one.assignments_, other.assignments_)
        np.testing.assert_allclose(one.components_.sum(axis=1), 1)
        np.testing.assert_array_equal(one.transform(X[:2]), other.transform(X[:2]))
    assert len({run.assignments_.tobytes() for run in runs}) == len({run.random_state for run in runs}) == 17
    assert not hasattr(model, "components_")
    few = lda_runs.fit_runs(model.set_params(memory=None), X, 2)
    np.testing.assert_array_equal(few[1].components_, runs[1].components_)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_sweep_gains_what_one_of_a_single_chain_does(sampler):
    rng = np.random.default_rng(0)
    phi, theta = rng.dirichlet(np.full(500, 0.05), size=20), rng.dirichlet(np.full(20, 0.1), size=400)
    X = sparse.csr_matrix(np.stack([rng.multinomial(42, p) for p in theta @ phi]))

    def reached(ends):
        return np.mean([log_likelihood(counts, 0.1, 0.05) / X.sum() for counts in ends])

    single = [topic_chains.Chain(X, 20, 0.1, 0.05, k, "tree").advance(20).counts() for k in range(8)]
    many = side_by_side(X, 20, sampler)
    assert reached(single) - reached(many.advance(10).counts()) > 0.3  # 0.48 after half the sweeps
    assert abs(reached(single) - reached(many.advance(10).counts())) < 0.1  # 0.01 to 0.02


@pytest.mark.parametrize(
    ("length", "n_topics", "expected"),
    [
        (110, 100, "lanes"),
        (110, 200, "lanes"),
        (110, 500, "lanes_tree"),
        (6, 100, "lanes"),
        (6, 200, "lanes_tree"),
    ],
)
def test_the_cheapest_sampler_depends_on_sizes_alone(length, n_topics, expected):
    X = sparse.csr_matrix(np.array([[length, 0], [0, length], [0, 0]]))
    assert topic_lanes.cheapest(X, n_topics) == expected
    assert side_by_side(X, n_topics, None).sampler == expected
    assert topic_lanes.cheapest(X[2:], n_topics) in SAMPLERS


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampler": "dense"}, "sampler must be one of lanes, lanes_tree, got 'dense'"),
        ({"n_topics": 0}, "n_topics must be in 1..65536, got 0"),
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"alpha": np.ones(3)}, "one per topic"),
        ({"beta": 0.0}, "beta a positive number"),
        ({"names": []}, "1 to 16 chains run side by side, got 0 names"),
        ({"names": range(17)}, "1 to 16 chains run side by side, got 17 names"),
        ({"start": np.zeros(5, int)}, r"start must be \(1, 5\), got \(5,\)"),
    ],
)
def test_what_chains_cannot_be_is_refused(changes, message):
    settings = {"n_topics": 2, "alpha": 0.5, "beta": 0.1, "names": [0], "sampler": None} | changes
    with pytest.raises(ValueError, match=message):
        topic_lanes.Chains(tiny(), **settings)


@pytest.mark.parametrize(
    ("model", "table", "message"),
    [
        (LDA(2, method="cvb0"), corpus(), "chains of method='cgs', got 'cvb0'"),
        (LDA(2), corpus()[:0], "0 sample"),
        (LDA(2), corpus() * 0, "no training document has a word"),
        (LDA(0), corpus(), "n_topics"),
    ],
)
def test_runs_that_cannot_be_are_refused(model, table, message):
    with pytest.raises(ValueError, match=message):
        lda_runs.fit_runs(model, table, 2)
