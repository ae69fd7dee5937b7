"""The two samplers of LDA: counts, compiled against interpreted, and single draws."""

import numpy as np
import pytest
from scipy import sparse, stats

from polytopic.kernels import alias, generator, topics, weighing
from polytopic.models import chains, topic_chains
from polytopic.streams import word64
from reference.interpreting import interpreted

SAMPLERS = list(topic_chains.SAMPLERS)


def corpus(seed=0, n_documents=12, n_items=20, length=30):
    """Documents of very different lengths, one of them empty, one item without tokens."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 2 * length, n_documents)
    lengths[3] = 0
    rows = [np.bincount(rng.geometric(0.2, n), minlength=n_items + 1)[:n_items] for n in lengths]
    table = np.array(rows)
    table[:, 5] = 0
    return sparse.csr_matrix(table)


def chain(X, n_topics, sampler, alpha=0.1, beta=0.05, name=1):
    return topic_chains.Chain(X, n_topics, alpha, beta, name, sampler)


def assert_follow(held, expected):
    """Compare what two states have of counts; a document's topics are listed in any order."""
    for own, other in zip(held, expected, strict=True):
        if isinstance(own, tuple):
            np.testing.assert_array_equal(own.length, other.length)
        else:
            np.testing.assert_array_equal(own, other)


def document_topics(state, tokens):
    """Return documents by topics as the lists have them."""
    lists, dense = state.lists, np.zeros((tokens.doc_ptr.size - 1, state.n_t.size), int)
    for d, (first, n) in enumerate(zip(tokens.doc_ptr, lists.length, strict=False)):
        entries = lists.entries[first : first + n]
        np.add.at(dense[d], entries & ((1 << lists.bits) - 1), entries >> lists.bits)
    return dense


@pytest.mark.parametrize("n_topics", [1, 2, 16, 40, 300])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_counts_follow_from_assignments(sampler, n_topics):
    X = corpus()
    own = chain(X, n_topics, sampler)
    for _ in range(10):
        own.advance(3)
        state, counts = own._state, own.counts()
        assert_follow(state, own._kernel.init(own._tokens, state.z, n_topics))
        np.testing.assert_array_equal(counts.item_topics.sum(axis=1).A1, X.sum(axis=0).A1)
        np.testing.assert_array_equal(counts.document_topics.sum(axis=1).A1, X.sum(axis=1).A1)
        if sampler == "dense":
            np.testing.assert_array_equal(counts.item_topics.toarray(), state.n_wt[:, :n_topics])
        else:
            np.testing.assert_array_equal(
                counts.document_topics.toarray(), document_topics(state, own._tokens)
            )
            assert not own._work.row.any()


@pytest.mark.parametrize("n_topics", [2, 16, 40, 300])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_compiled_and_interpreted_agree_bit_for_bit(sampler, n_topics):
    X, alpha = corpus(), np.linspace(0.02, 0.4, n_topics)
    kernel = topic_chains.SAMPLERS[sampler]
    states = []
    for modules in ((), (alias, generator, kernel, topics, weighing)):
        with interpreted(*modules):
            states.append(chain(X, n_topics, sampler, alpha, name=4).advance(4)._state)
    compiled, plain = states
    np.testing.assert_array_equal(compiled.z, plain.z)
    np.testing.assert_array_equal(compiled.n_t, plain.n_t)


def conditional(X, z, d, w, alpha, beta):
    """Return p(topic of a token of word w in document d | all others), from a table of every count."""
    t, n_topics = z[0], alpha.size
    tokens = topic_chains.by_document(X)
    docs, items = topic_chains.pairs(tokens)
    n_dt = np.bincount(z[docs == d], minlength=n_topics).astype(float)
    n_wt = np.bincount(z[items == w], minlength=n_topics).astype(float)
    n_t = np.bincount(z, minlength=n_topics).astype(float)
    for count in (n_dt, n_wt, n_t):
        count[t] -= 1
    weights = (n_dt + alpha) * (n_wt + beta) / (n_t + beta * X.shape[1])
    return weights / weights.sum()


@pytest.mark.parametrize("n_topics", [16, 17, 50, 600])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_draw_follows_the_conditional_distribution(sampler, n_topics):
    """The first token of both orders, drawn over and over with the others held: every lane, block and branch."""
    rng = np.random.default_rng(8)
    table = rng.poisson(1.5, size=(6, 40))
    table[0, 0] = 4
    X, alpha, beta = sparse.csr_matrix(table), rng.permutation(np.linspace(0.05, 0.9, n_topics)), 0.2
    kernel = topic_chains.SAMPLERS[sampler]
    by_document = topic_chains.by_document(X)
    start = rng.integers(n_topics, size=by_document.items.size)
    expected = conditional(X, start, 0, 0, alpha, beta)
    tokens, order = by_document, np.arange(start.size)
    if sampler != "dense":
        tokens, order = topic_chains.by_item(X), np.argsort(by_document.items, kind="stable")
    work = kernel.workspace(tokens, alpha)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([3], np.uint64), 0)
    drawn = np.zeros(20_000, int)
    for i in range(drawn.size):
        z = start.copy()
        state = kernel.init(tokens, z[order], n_topics)
        kernel.sweep(tokens, state, alpha, beta, random, work)
        drawn[i] = state.z[0]
    cells = np.minimum(
        np.argsort(np.argsort(-expected)), 99
    )  # the rarest together, for enough draws in each cell
    seen = np.bincount(cells[drawn])
    held = np.bincount(cells, weights=expected) * drawn.size
    wrong = conditional(X, start, 0, 0, np.full(n_topics, alpha.mean()), beta)
    otherwise = np.bincount(cells, weights=wrong) * drawn.size
    assert stats.chisquare(seen, held).pvalue > 0.001  # 0.07 to 0.93 when right
    assert stats.chisquare(seen, otherwise).pvalue < 1e-6  # 1e-25 and less: the same alpha for every topic


def test_memory_of_the_tree_follows_the_tokens():
    """Many short documents and many topics: documents by topics would take 160 MB, items by topics 32 MB."""
    rng = np.random.default_rng(1)
    X = sparse.csr_matrix(rng.random((4_000, 800)) < 0.005)
    own = chain(X, 10_000, "tree").advance(1)

    def size(part):
        return sum(map(size, part)) if isinstance(part, tuple) else getattr(part, "nbytes", 0)

    held = size((own._tokens, own._state, own._work))
    expected = 10 * X.sum() + 19 * 10_000 + 12 * X.shape[0] + 8 * X.shape[1]
    assert abs(held - expected) < 10_000  # 4,500 when right; 60,000 with one more int32 a token


@pytest.mark.parametrize(
    ("n_items", "n_topics", "expected"),
    [
        (22_000, 64, "dense"),
        (22_000, 100, "tree"),
        (200_000, 64, "tree"),
        (2_000, 100, "dense"),
        (4_000, 200, "tree"),
        (3, 1, "dense"),
    ],
)
def test_the_cheapest_sampler_depends_on_sizes_alone(n_items, n_topics, expected):
    assert topic_chains.cheapest(n_items, n_topics) == expected
    X = sparse.csr_matrix(([1], ([0], [0])), shape=(1, n_items))
    assert chain(X, n_topics, None).sampler == expected


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_chain_goes_on_from_assignments(sampler):
    X = corpus()
    own = chain(X, 7, sampler).advance(3)
    for other in SAMPLERS:
        again = topic_chains.Chain(X, 7, 0.1, 0.05, 9, other, start=own.assignments())
        for held, expected in zip(again.counts(), own.counts(), strict=True):
            assert (held != expected).nnz == 0


def test_unsorted_rows_are_read_in_order_of_items():
    X = corpus()
    turned = sparse.csr_matrix((X.data.copy(), X.indices.copy(), X.indptr), shape=X.shape)
    for a, b in zip(X.indptr, X.indptr[1:], strict=False):
        turned.indices[a:b], turned.data[a:b] = X.indices[a:b][::-1], X.data[a:b][::-1]
    turned.has_sorted_indices = False
    for sampler in SAMPLERS:
        z = chain(X, 5, sampler).advance(2).assignments()
        np.testing.assert_array_equal(z, chain(turned, 5, sampler).advance(2).assignments())


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_topic_chains_are_the_same_for_any_number_of_threads(sampler):
    Y = corpus() > 0
    alone, shared = (
        [
            chain.toarray()
            for chain in chains.train_topics(Y, 4, 0.1, 0.05, 3, 5, 0, chains.Run(n_jobs), sampler)
        ]
        for n_jobs in (1, 2)
    )
    for own, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(own.sum(axis=0), Y.sum(axis=0).A1)
    assert (alone[0] != alone[1]).any()
    first = topic_chains.Chain(Y, 4, 0.1, 0.05, word64(0, "topics", "chain", 0), sampler).advance(5)
    np.testing.assert_array_equal(first.counts().item_topics.T.toarray(), alone[0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampler": "alias"}, "sampler must be one of dense, tree, got 'alias'"),
        ({"n_topics": 0}, "n_topics must be in 1..65536, got 0"),
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"alpha": np.ones(3)}, "one per topic"),
        ({"beta": 0.0}, "beta a positive number"),
    ],
)
def test_what_a_chain_cannot_be_is_refused(changes, message):
    settings = {"n_topics": 2, "alpha": 0.5, "beta": 0.1, "name": 0, "sampler": None} | changes
    with pytest.raises(ValueError, match=message):
        topic_chains.Chain(corpus(), **settings)


def test_a_document_that_outgrows_its_list_is_refused():
    tokens = topics.ByItem(np.array([0, 2**15]), np.zeros(2**15, np.int32), np.array([0, 2**15]))
    with pytest.raises(ValueError, match="use the dense sampler"):
        topics.lists_of(tokens, np.zeros(2**15, np.int32), 2**16)
    topics.lists_of(tokens, np.zeros(2**15, np.int32), 2**15)
