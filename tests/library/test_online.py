"""SCVB and SCVB-Dependency: beside dense tables, in special cases, on a stream that grows, and interrupted."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from test_settings import lines_of

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.kernels import online
from polytopic.models import SCVB, SCVBDependency
from polytopic.models import online as models
from reference.corpora import labelled
from reference.online import Dense

models.STEPS |= {
    "quick": ((1, 4, 0.7), (1, 2, 0.9), (1, 3, 0.6)),  # which each change much
    "large": ((0.9, 1, 0.001), (0.9, 1, 0.001), (1, 3, 0.6)),
    "mean": ((1, 2, 1.0),) * 3,
}
SHORT = {"n_passes": 2, "minibatch": 7, "steps": "quick"}
MODELS = [SCVB(**SHORT), SCVBDependency(3, random_state=4, **SHORT)]
both = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@pytest.fixture(scope="module")
def corpus():
    """Return X (60, 30) and Y (60, 6), dense."""
    X, Y = labelled()
    return X.toarray(), Y.toarray()


def started(model, X, Y):
    """Return a model that knows the columns and has learned nothing."""
    return clone(model).partial_fit(X[:0], Y[:0])


def topics_of(model):
    """Return N^phi' (C, T)."""
    state = model.state_
    return state.scales[online.TOPICS] * state.topics[: model.n_labels_]


def words_of(model):
    """Return N^phi (W, C)."""
    table, cells = np.zeros((model.n_features_in_, model.n_labels_)), model.state_.cells
    used = cells.keys != online.FREE
    table[np.divmod(cells.keys[used], 1 << online.LABEL_BITS)] = cells.values[used]
    return model.state_.scales[online.WORDS] * table


def twin(model, X, Y, **changes):
    """Return the Dense tables after what ``model.fit`` does."""
    start = topics_of(started(model, X, Y)) if isinstance(model, SCVBDependency) else None
    settings = {"eta_w": model.eta_w, "eta_y": model.eta_y, "alpha": model.alpha, "burn_in": model.burn_in}
    dense = Dense((X.shape[1], Y.shape[1]), models.STEPS[model.steps], start, **settings | changes)
    for _ in range(model.n_passes):
        for first in range(0, len(X), model.minibatch):
            rows = slice(first, first + model.minibatch)
            dense.learn(X[rows], Y[rows], len(X))
    return dense


# The sparse update is the dense one


@both
@pytest.mark.parametrize("burn_in", [0, 2])
def test_lazy_updates_are_the_dense_ones(model, burn_in, corpus):
    model = clone(model).set_params(burn_in=burn_in)
    fitted, dense = clone(model).fit(*corpus), twin(model, *corpus)
    np.testing.assert_allclose(words_of(fitted), dense.n_wc, rtol=1e-10, atol=1e-10)  # wrong ones: see below
    np.testing.assert_allclose(fitted.label_word_distributions(), dense.phi().T, rtol=1e-10)
    np.testing.assert_allclose(fitted.decision_function(corpus[0]), dense.predict(corpus[0]), rtol=1e-9)
    if isinstance(model, SCVBDependency):
        np.testing.assert_allclose(topics_of(fitted), dense.n_ct, rtol=1e-10)
        np.testing.assert_allclose(fitted.topic_label_distributions(), dense.phi_topics().T, rtol=1e-10)


FAULTS = "only what occurs decays", "totals take all", "steps never fall", "theta starts at one token each"


@pytest.mark.parametrize(
    ("model", "wrong"), [*itertools.product(MODELS, FAULTS), (MODELS[1], "C_j of labels")]
)
def test_faults_are_seen(model, wrong, corpus):
    """The largest relative gap between scores, above within 1e-9, is .1 and more for each fault."""
    scores = clone(model).fit(*corpus).decision_function(corpus[0])
    assert np.abs(twin(model, *corpus, wrong=wrong).predict(corpus[0]) / scores - 1).max() > 0.1


@both
def test_lifting_a_scale_changes_no_bit(model, corpus):
    """Steps of .9 take the scales to 1e-120 and beyond, where they are lifted."""
    model = clone(model).set_params(steps="large", n_passes=60, minibatch=30)
    fitted, dense = clone(model).fit(*corpus), twin(model, *corpus)
    assert 0.1 ** (2 * 60) < online.SMALLEST < fitted.state_.scales[:2].min()
    np.testing.assert_allclose(words_of(fitted), dense.n_wc, rtol=1e-9)
    np.testing.assert_allclose(fitted.decision_function(corpus[0]), dense.predict(corpus[0]), rtol=1e-9)


def test_the_table_is_a_dictionary():
    """Twenty thousand draws over few words and many labels, through tables that are too small again and again."""
    rng = np.random.default_rng(1)
    pairs = np.stack([rng.geometric(0.1, 20_000) % 50, rng.integers(0, 3_000, 20_000)], axis=1)
    state, known, sizes = online.empty_state(0), {}, set()
    for number, (w, c) in enumerate(pairs.astype(np.int32)):
        state = online.with_room(state, 50, 3_000, 1)
        one = np.array([0, 1], np.int32)
        batch = online.Minibatch(one, np.array([w]), one[1:], one, np.array([c]), np.zeros(1, np.int64))
        online.place_cells(batch, state)
        state.cells.values[batch.cells] += number
        known[w, c] = known.get((w, c), 0) + number
        sizes.add(state.cells.keys.size)
    used = state.cells.keys != online.FREE
    words, labels = np.divmod(state.cells.keys[used], 1 << online.LABEL_BITS)
    assert dict(zip(zip(words, labels, strict=True), state.cells.values[used], strict=True)) == known
    assert state.seen[online.N_CELLS] == len(known) > 0.3 * state.cells.keys.size and len(sizes) > 10


# Special cases


def test_a_document_by_hand():
    """Two labels, two topics, one word twice: Algorithm 1's four updates, written out."""
    model = SCVBDependency(2, steps="mean", random_state=3, n_passes=1, eta_w=0.5, eta_y=0.5, alpha=0.25)
    model.fit([[3, 1], [0, 2]], [[1, 0], [0, 1]])
    # one minibatch of both documents, rho = 1/2, C / |M| = 1: N^phi is half the counts
    phi_word = np.array([(1.5 + 0.5) / (2 + 1), (0 + 0.5) / (1 + 1)])
    np.testing.assert_allclose(model.label_word_distributions()[:, 0], phi_word)
    joint = phi_word[:, None] * model.topic_label_distributions().T
    theta, in_last_pass = np.zeros(2), np.zeros(2)
    for update in range(4):
        lambdas = joint * (theta + 0.25) / (joint * (theta + 0.25)).sum()
        rho = (1 / 2, 1 / 3)[update % 2]
        theta = (1 - rho) * theta + rho * 2 * lambdas.sum(axis=0)
        in_last_pass += lambdas.sum(axis=1) * (update >= 2)
    np.testing.assert_allclose(model.decision_function([[2, 0]])[0], in_last_pass / 2)


@both
def test_one_label_a_document_counts(model, corpus):
    """With rho = 1 / (t + 2), N is the mean over minibatches and an empty one: n / (n + 1) times the counts."""
    X = corpus[0]
    Y = np.eye(5, dtype=bool)[np.arange(60) % 5]
    model = clone(model).set_params(steps="mean", n_passes=1, minibatch=15).fit(X, Y)
    np.testing.assert_allclose(words_of(model), X.T @ Y * 4 / 5, atol=1e-12)
    if isinstance(model, SCVBDependency):
        start = 1 / 5  # of the one token that a label starts with
        np.testing.assert_allclose(topics_of(model).sum(axis=1), 12 * 4 / 5 + start)


def test_one_topic_is_scvb_without_theta():
    """With a large alpha SCVB knows no theta, and with labels equally frequent in every minibatch phi' is flat.

    With alpha = 0.1 scores of SCVB are .5 apart from it.
    """
    X, Y = labelled()[0], np.array([np.roll(np.arange(6) < 2, d) for d in range(60)])
    flat = SCVB(alpha=1e12, **SHORT | {"minibatch": 12}).fit(X, Y)
    one = SCVBDependency(1, random_state=0, **SHORT | {"minibatch": 12}).fit(X, Y)
    np.testing.assert_allclose(words_of(one), words_of(flat), rtol=1e-9)
    expected = flat.decision_function(X)
    np.testing.assert_allclose(one.decision_function(X), expected, rtol=1e-9)
    assert np.abs(flat.set_params(alpha=0.1).decision_function(X) - expected).max() > 0.1


# A stream


@both
def test_fit_is_a_sequence_of_partial_fits(model, corpus):
    X, Y = corpus
    model = clone(model).set_params(n_documents=60)
    parts = clone(model)
    for first, last in [(0, 14), (14, 49), (49, 60)] * 2:
        parts.partial_fit(sparse.csc_matrix(X[first:last]), sparse.coo_matrix(Y[first:last]))
    whole = clone(model).fit(X, Y)
    assert parts.n_minibatches_ == whole.n_minibatches_ == 18
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))
    never_reset = clone(model).set_params(n_passes=1).fit(X, Y)
    never_reset.state_.seen[online.MINIBATCHES] = 0
    never_reset.partial_fit(X, Y)
    assert np.abs(never_reset.decision_function(X) - whole.decision_function(X)).max() > 0.01


@both
def test_a_stream_has_as_many_documents_as_were_seen(model, corpus):
    X, Y = corpus
    start = topics_of(started(model, X, Y)) if isinstance(model, SCVBDependency) else None
    dense, streamed = Dense((30, 6), models.STEPS["quick"], start), clone(model)
    for first in range(0, 60, 7):
        dense.learn(X[first : first + 7], Y[first : first + 7], min(first + 7, 60))
        streamed.partial_fit(X[first : first + 7], Y[first : first + 7])
    np.testing.assert_allclose(words_of(streamed), dense.n_wc, rtol=1e-10, atol=1e-10)


@both
def test_passes_show_no_new_documents(model, corpus):
    """After two passes over sixty documents a stream goes on from sixty; from 120, N^ would be nearly double."""
    X, Y = corpus
    given = clone(model).fit(X, Y).set_params(n_documents=67).partial_fit(X[:7], Y[:7])
    found = clone(model).fit(X, Y).partial_fit(X[:7], Y[:7])
    np.testing.assert_array_equal(words_of(found), words_of(given))


def grow(model, X, Y, order, labels=None, chunk=7):
    """Return a model fed with documents in an order, told at each step of the columns that have occurred."""
    model, widest = clone(model), [0, 0]
    for first in range(0, len(order), chunk):
        given = [table[order[first : first + chunk]] for table in (X, Y)]
        widest = [max(n, 1 + np.flatnonzero(t.any(axis=0))[-1]) for n, t in zip(widest, given, strict=True)]
        model.partial_fit(given[0][:, : widest[0]], given[1][:, : widest[1]], labels=labels)
    return model


def late(Y):
    """Return an order in which documents with the last two labels come last."""
    return np.argsort(Y[:, 4:].any(axis=1), kind="stable")


@both
@pytest.mark.parametrize(
    ("eta", "labels", "tolerance"),
    [(1e-9, 6, 1e-6), (0.01, 6, 0.005), (0.01, None, 0.06)],
    ids=["without smoothing", "smoothed", "number of labels unknown"],
)
def test_columns_that_come_late_are_as_if_they_had_been_there(model, eta, labels, tolerance, corpus):
    """But for smoothing, over fewer columns, and for the token that a label starts with: 1e-10, 6e-4 and .05."""
    X, Y = corpus[0], corpus[1][:, np.argsort(-corpus[1].sum(axis=0))]
    weights = {"eta_w": eta, "eta_y": eta}
    model = clone(model).set_params(**{name: weights[name] for name in weights if name in model.get_params()})
    padded = started(model, X, Y)
    for first in range(0, 60, 7):
        rows = late(Y)[first : first + 7]
        padded.partial_fit(X[rows], Y[rows])
    grown = grow(model, X, Y, late(Y), labels)
    gap = np.abs(grown.decision_function(X) - padded.decision_function(X)).max()
    assert grown.n_labels_ == 6 and gap < tolerance


def test_a_label_that_comes_late_starts_as_if_it_had_been_there(corpus):
    """Its one token has decayed to .07 by then; were the decay forgotten, it would be 1."""
    X, Y = corpus
    padded = clone(MODELS[1]).partial_fit(X, Y, labels=8)
    late = clone(MODELS[1]).partial_fit(X, Y).partial_fit(X[:0], Y[:0], labels=8)
    np.testing.assert_allclose(topics_of(late)[6:], topics_of(padded)[6:], rtol=1e-12)
    assert (topics_of(late)[6:].sum(axis=1) < 0.5).all()
    np.testing.assert_allclose(late.state_.topic_totals * late.state_.scales[1], topics_of(late).sum(axis=0))


def test_a_new_label_costs_constant_time_on_average():
    """A thousand labels, one after the other: arrays are made anew ten times, not a thousand."""
    model, made = SCVBDependency(2, random_state=0), set()
    for c in range(1000):
        model.partial_fit([[1]], np.eye(1, c + 1, c))
        made.add(model.state_.topics.shape[0])
    assert model.n_labels_ == 1000 and len(made) <= 11
    assert model.state_.cells.keys.size == 2048  # 1000 pairs, of which a table of 1024 would be too full


def test_memory_is_that_of_the_pairs(corpus):
    """Twelve thousand words by a thousand labels, of which a hundredth occur together."""
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(
        (np.ones(40_000), (np.repeat(np.arange(2000), 20), rng.integers(0, 12_000, 40_000)))
    )
    Y = sparse.csr_matrix(
        (np.ones(6000), (np.repeat(np.arange(2000), 3), rng.integers(0, 1000, 6000)))
    ).astype(bool)
    state = SCVBDependency(2, n_passes=1, random_state=0).fit(X, Y).state_
    pairs = (X.T @ Y.astype(int)).nnz
    assert state.seen[online.N_CELLS] == pairs
    assert state.cells.keys.size < 4 * pairs


# Carrying out


@both
def test_an_interrupted_partial_fit_is_as_after_the_last_whole_minibatch(model, corpus):
    """Interrupted at thirty places on the way; what is left to learn then leads to the same bits."""
    X, Y = corpus
    model = clone(model).set_params(n_documents=60)
    by_minibatch, step = [], clone(model).partial_fit(X[:0], Y[:0])
    for first in range(0, 70, 7):
        by_minibatch.append(step.decision_function(X))
        step.partial_fit(X[first : first + 7], Y[first : first + 7])
    n_lines, stopped = lines_of(clone(model).partial_fit, X, Y), set()
    for at in np.linspace(1, n_lines - 1, 30).astype(int):
        part = clone(model)
        with pytest.raises(KeyboardInterrupt):
            lines_of(part.partial_fit, X, Y, at)
        done = part.n_minibatches_ if hasattr(part, "state_") else 0
        stopped.add(done)
        if done:
            np.testing.assert_allclose(part.decision_function(X), by_minibatch[done], rtol=1e-12)
        part.partial_fit(X[7 * done :], Y[7 * done :])
        np.testing.assert_array_equal(part.decision_function(X), step.decision_function(X))
    assert len(stopped) > 5


@both
def test_the_bits_are_the_same_for_any_number_of_jobs(model, corpus, monkeypatch):
    model = clone(model).fit(*corpus)
    expected = model.decision_function(corpus[0])
    monkeypatch.setattr(models, "BLOCK", 8)
    for n_jobs in (1, 2, 3):
        np.testing.assert_array_equal(model.set_params(n_jobs=n_jobs).decision_function(corpus[0]), expected)


@both
def test_a_model_goes_on_after_pickling(model, corpus):
    fitted = clone(model).fit(*corpus)
    again = pickle.loads(pickle.dumps(fitted))
    answers = [one.partial_fit(*corpus).decision_function(corpus[0]) for one in (fitted, again)]
    np.testing.assert_array_equal(*answers)


# What is empty, and what is refused


@both
def test_nothing_is_known_of_words_and_labels_unseen(model, corpus):
    """A document without known words has what is before any word, a label without documents 0."""
    X, Y = np.pad(corpus[0], ((0, 0), (0, 1))), np.pad(corpus[1], ((0, 0), (0, 1)))
    model = clone(model).fit(X, Y)
    unseen = np.zeros((2, 31), int)
    unseen[1, 30] = 4
    scores = model.decision_function(unseen)
    if isinstance(model, SCVBDependency):
        prior = model.topic_label_distributions().mean(axis=0)[:6]
        np.testing.assert_allclose(scores[:, :6], [prior / prior.sum()] * 2)
    else:
        np.testing.assert_allclose(scores[:, :6], 1 / 6)
    assert (scores[:, 6] == 0).all() and (model.label_word_distributions()[6] == 0).all()
    assert (model.decision_function(X)[:, 6] == 0).all()
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 1)


@both
def test_documents_without_words_or_labels_teach_nothing(model, corpus):
    X, Y = corpus
    empty = np.zeros_like(X[:2]), np.zeros_like(Y[:2])
    more = np.vstack([empty[0], X, X[:2]]), np.vstack([Y[:2], Y, empty[1]])
    expected = clone(model).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(*more).decision_function(X), expected)
    fitted = clone(model).fit(X, Y).partial_fit(X[:2], empty[1]).partial_fit(empty[0], Y[:2])
    np.testing.assert_array_equal(fitted.decision_function(X), expected)


def test_a_model_is_not_gone_on_with_otherwise(corpus):
    X, Y = corpus
    model = clone(MODELS[1]).fit(X, Y)
    with pytest.raises(ValueError, match="X has 29 words, but the model knows 30"):
        model.partial_fit(X[:, :29], Y)
    with pytest.raises(ValueError, match="Y has 5 labels, but the model knows 6"):
        model.partial_fit(X, Y[:, :5])
    with pytest.raises(ValueError, match="labels must be an integer"):
        model.partial_fit(X, Y, labels=2.5)
    with pytest.raises(ValueError, match="n_topics is 5, but the model has 3: fit it anew"):
        model.set_params(n_topics=5).partial_fit(X, Y)
    announced = model.set_params(n_topics=3).partial_fit(X, Y, labels=9).partial_fit(X, Y)
    assert announced.n_labels_ == 9


# Real data


def areas(model, train, test):
    """Return micro and macro AUC of a model fitted to a corpus."""
    scores = model.fit(train.counts, train.labels).decision_function(test.counts)
    return np.array(list(metrics.areas(test.labels, scores).values()))


@pytest.mark.real_data
def test_bibtex(real_data):
    """The labels' frequencies alone have .66 and .5; with C_j of labels the program's steps have .883."""
    train, test = load_corpus("bibtex").split(0)
    assert areas(SCVB(), train, test) == pytest.approx([0.912, 0.907], abs=0.003)
    paper, program = (
        SCVBDependency(steps="paper", random_state=0),
        SCVBDependency(n_passes=20, random_state=0),
    )
    assert areas(paper, train, test) == pytest.approx([0.871, 0.910], abs=0.003)
    assert areas(program, train, test) == pytest.approx([0.919, 0.911], abs=0.006)
