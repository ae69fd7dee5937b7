"""SCVB and SCVB-Dependency: beside dense tables, in special cases, on a stream that grows, and interrupted."""

import numpy as np
import pytest
from sklearn.base import clone

from polytopic.kernels import online, word_labels
from polytopic.models import SCVB, SCVBDependency
from polytopic.models.online import Step, Steps
from reference.corpora import labelled
from reference.online import Dense

QUICK = Steps(Step(1, 4, 0.7), Step(1, 2, 0.9), Step(1, 3, 0.6))  # steps that each change much
SHORT = {"n_passes": 2, "minibatch": 7, "steps": QUICK}
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
    for w in range(len(table)):
        own = slice(cells.first[w], cells.first[w] + cells.room[w])
        held = cells.labels[own] != word_labels.NONE
        table[w, cells.labels[own][held]] = cells.values[own][held]
    return model.state_.scales[online.WORDS] * table


def twin(model, X, Y, **changes):
    """Return the Dense tables after what ``model.fit`` does."""
    start = topics_of(started(model, X, Y)) if isinstance(model, SCVBDependency) else None
    settings = {"eta_w": model.eta_w, "eta_y": model.eta_y, "alpha": model.alpha, "burn_in": model.burn_in}
    dense = Dense((X.shape[1], Y.shape[1]), model.steps, start, **settings | changes)
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


@both
@pytest.mark.parametrize(
    "wrong",
    ["only what occurs decays", "totals take all", "steps never fall", "theta starts at one token each"],
)
def test_faults_are_seen(model, wrong, corpus):
    """The largest relative gap between scores, above within 1e-9, is .02 and more for each fault."""
    scores = clone(model).fit(*corpus).decision_function(corpus[0])
    print(np.abs(twin(model, *corpus, wrong=wrong).predict(corpus[0]) / scores - 1).max())
    assert np.abs(twin(model, *corpus, wrong=wrong).predict(corpus[0]) / scores - 1).max() > 0.02


@both
def test_lifting_a_scale_changes_no_bit(model, corpus):
    """Steps of .9 take the scales to 1e-120 and beyond, where they are lifted."""
    steps = QUICK._replace(words=Step(0.9, 1, 0.001), topics=Step(0.9, 1, 0.001))
    model = clone(model).set_params(steps=steps, n_passes=60, minibatch=30)
    fitted, dense = clone(model).fit(*corpus), twin(model, *corpus)
    assert 0.1 ** (2 * 60) < online.SMALLEST < fitted.state_.scales[:2].min()
    np.testing.assert_allclose(words_of(fitted), dense.n_wc, rtol=1e-9)
    np.testing.assert_allclose(fitted.decision_function(corpus[0]), dense.predict(corpus[0]), rtol=1e-9)


def test_the_table_is_a_dictionary():
    """Twenty thousand draws over few words and many labels, through a store that is too small again and again."""
    rng = np.random.default_rng(1)
    pairs = np.stack([rng.geometric(0.1, 20_000) % 50, rng.integers(0, 3_000, 20_000)], axis=1)
    table, known = word_labels.empty(50, 1), {}
    for number, (w, c) in enumerate(pairs):
        while not word_labels.insert(table, w, c):
            table = word_labels.with_room(table, 50, 2 * table.labels.size)
        table.values[word_labels.cell(table, w, c)] += number
        known[w, c] = known.get((w, c), 0) + number
    assert table.used.sum() == len(known)
    assert all(table.values[word_labels.cell(table, w, c)] == value for (w, c), value in known.items())
    assert table.spare[word_labels.END] < 4 * len(known)  # of the blocks left behind none is lost: 6 without


# Special cases


def test_a_document_by_hand():
    """Two labels, two topics, one word twice: Algorithm 1's four updates, written out."""
    steps = Steps(Step(1, 2, 1.0), Step(1, 2, 1.0), Step(1, 2, 1.0))
    model = SCVBDependency(2, steps=steps, random_state=3, n_passes=1, eta_w=0.5, eta_y=0.5, alpha=0.25)
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
    mean = Step(1, 2, 1.0)
    model = clone(model).set_params(steps=Steps(mean, mean, mean), n_passes=1, minibatch=15).fit(X, Y)
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


@both
def test_documents_of_a_minibatch_have_no_order(model, corpus):
    """Only between minibatches does the order matter: there it moves scores by up to .05 and more."""
    X, Y = corpus
    model = clone(model).set_params(minibatch=15, n_passes=1)
    order = np.arange(60).reshape(4, 15)[:, ::-1].ravel()
    expected = clone(model).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(
        clone(model).fit(X[order], Y[order]).decision_function(X), expected, rtol=1e-10
    )
    elsewhere = clone(model).fit(X[::-1], Y[::-1]).decision_function(X)
    assert np.abs(elsewhere - expected).max() > 0.01
