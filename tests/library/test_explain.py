"""Why a document has its scores: against exact enumeration, the scores themselves, and what else could be said."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from polytopic.models import (
    BinaryRelevanceRidge,
    BinaryRelevanceSVM,
    DependencyLDA,
    FlatLDA,
    HybridClassifier,
    LearnedDependencyLDA,
    PriorLDA,
    unseen,
)
from reference import enumeration, samplers, transitions, twins
from reference.corpora import SHORT
from reference.corpora import labelled as corpus

WORDS = [0, 1, 1, 2]
COUNTS = np.array([[4, 0, 1], [0, 3, 0], [2, 1, 2]])  # (C, W)
TOPIC_COUNTS = np.array([[9, 0, 1], [0, 9, 2]])  # (T, C)
BETA, BETA_C, ETA, ALPHA, GAMMA = 0.3, 0.1, 4.0, 0.05, 1.0
PHI, PHI_TOPICS = samplers.smoothed(COUNTS, BETA), samplers.smoothed(TOPIC_COUNTS, BETA_C)
COPIES = 60  # of the document, each with random numbers of its own
CHAINS = {"n_test_chains": 18, "burn_in": 20, "n_samples": 40, "lag": 5}
CLOSE = 0.01  # of shares, each from 43,000 samples that are nearly independent
TOPICS = {"n_topics": 3, "n_topic_chains": 2, "n_topic_sweeps": 10, "gamma_sum": 1.0}


def with_counts(model, topic_counts):
    """Return the model as it would be after training with these counts."""
    model.set_params(n_chains=1, beta_w=BETA, alpha_sum=3 * ALPHA, random_state=1, streams="row", **CHAINS)
    model.seed_, model.n_labels_, model.seen_labels_ = 1, 3, np.arange(3)
    return model._take(sparse.csr_matrix(COUNTS), [sparse.csr_matrix(topic_counts)])


def by_word(exact, labels_of=lambda state: state):
    """Return how likely the tokens of each word are on each label, (W, C), from {state: probability}."""
    shares = np.zeros((3, 3))
    for state, p in exact.items():
        np.add.at(shares, (WORDS, list(labels_of(state))), p)
    return shares / np.bincount(WORDS)[:, None]


def prior_lda():
    model = with_counts(PriorLDA(eta=ETA, beta_c=BETA_C), TOPIC_COUNTS[:1])
    alpha = ETA * PHI_TOPICS[0] + ALPHA
    return model, by_word(enumeration.label_posterior(WORDS, PHI, alpha)), alpha


def fast_inference():
    given = {"n_topics": 2, "eta": ETA, "beta_c": BETA_C, "gamma_sum": 2 * GAMMA}
    model = with_counts(DependencyLDA(**given), TOPIC_COUNTS)
    states, matrix = transitions.fast_inference(WORDS, PHI, PHI_TOPICS, ETA, ALPHA, GAMMA)
    exact = dict(zip(states, transitions.stationary(matrix), strict=True))
    return model, by_word(exact, lambda state: state[0]), ETA * PHI_TOPICS.mean(axis=0) + ALPHA


def proper_inference():
    given = {"n_topics": 2, "eta": ETA, "beta_c": BETA_C, "gamma_sum": 2 * GAMMA}
    given |= {"inference": "proper", "n_label_tokens": 2}
    model = with_counts(DependencyLDA(**given), TOPIC_COUNTS)
    exact = enumeration.label_token_posterior(WORDS, PHI, PHI_TOPICS, ETA, ALPHA, GAMMA, 2)
    return model, by_word(exact, lambda state: state[0]), ETA * PHI_TOPICS.mean(axis=0) + ALPHA


@pytest.fixture
def kind(request, monkeypatch):
    """Let the dense or the sparse sampler run, whatever the number of labels."""
    monkeypatch.setattr(unseen, "SPARSE_FROM", 1 if request.param == "sparse" else 10**6)
    return request.param


both_kinds = pytest.mark.parametrize("kind", ["dense", "sparse"], indirect=True)


@both_kinds
@pytest.mark.parametrize("case", [prior_lda, fast_inference, proper_inference])
def test_shares_are_those_of_exact_enumeration(case, kind):
    """.003 to .006 when right.

    Where phi times the prior's mean, or phi times the document's scores, is taken for a word's distribution, it
    misses by .12 or more and by .07 or more; where all words have the document's mean, by .27 or more.
    """
    model, exact, alpha = case()
    X = np.tile(np.bincount(WORDS), (COPIES, 1))
    found = np.mean([one.shares.toarray() for one in model.explain(X)], axis=0)
    assert np.abs(found - exact).max() < CLOSE
    whole = np.tile(np.bincount(WORDS) @ exact / len(WORDS), (3, 1))
    for weights in (alpha, model.decision_function(X).mean(axis=0)):
        given = PHI.T * weights / (PHI.T * weights).sum(axis=1, keepdims=True)
        assert np.abs(given - exact).max() > 5 * CLOSE
    assert np.abs(whole - exact).max() > 20 * CLOSE


MODELS = {
    "flat": FlatLDA(alpha_sum=5.0, **SHORT),
    "prior": PriorLDA(eta=4.0, alpha_sum=1.0, **SHORT),
    "topics": DependencyLDA(eta=4.0, alpha_sum=1.0, **TOPICS, **SHORT),
    "mean field": DependencyLDA(eta=4.0, alpha_sum=1.0, inference="mean_field", **TOPICS, **SHORT),
    "mean field, flat": FlatLDA(alpha_sum=5.0, inference="mean_field", **SHORT),
    "proper": DependencyLDA(eta=4.0, alpha_sum=1.0, inference="proper", n_label_tokens=50, **TOPICS, **SHORT),
}
every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def data():
    X, Y = (table.toarray() for table in corpus())
    Y[:, 1] = False  # a label without training documents
    X[:40, 2] = 0  # a word that training never saw
    X[40, 2], X[41] = 3, 0
    return X[:40], Y[:40], X[40:]


@both_kinds
@every_model
def test_they_are_read_off_what_gives_the_scores(name, data, kind):
    """The same chains, bit for bit, and the two halves of the scores; mean field's are sums in single precision."""
    X, Y, others = data
    atol = 1e-6 if "mean field" in name else 1e-12
    model = clone(MODELS[name]).fit(X, Y)
    scores, known = model.decision_function(others), X.any(axis=0)
    for one, own, document in zip(model.explain(others), scores, others, strict=True):
        np.testing.assert_array_equal(one.scores, own)
        np.testing.assert_array_equal(one.words, np.flatnonzero(document * known))
        np.testing.assert_array_equal(one.counts, document[one.words])
        np.testing.assert_allclose(one.shares.sum(axis=1).A1, 1, atol=1e-12)
        np.testing.assert_allclose(one.base + one.parts.sum(axis=0).A1, own, atol=atol)
        assert not one.shares[:, 1].nnz and one.prior[1] == 0
        if one.words.size:
            mean = one.counts @ one.shares.toarray() / one.counts.sum()
            np.testing.assert_allclose(mean, 2 * own - one.prior, atol=atol)


@both_kinds
@pytest.mark.parametrize("name", ["prior", "topics", "proper"])
def test_assignments_are_those_that_prediction_adds_up(name, data, kind, monkeypatch):
    """Also where the samplers run out of room again and again: the tallies are equal, number by number."""
    X, Y, others = data
    model = clone(MODELS[name]).set_params(n_test_chains=19).fit(X, Y)
    monkeypatch.setattr(unseen, "FIRST_CACHED", dict.fromkeys(unseen.FIRST_CACHED, 1))
    documents = model.check_unseen(others)
    given = documents, model.seed_, model._run(), model._names(documents)
    predictor = model._predictor()
    n_samples = 19 * model.n_samples
    scores = np.vstack([block for _, block in predictor.blocks(*given)])
    found = list(predictor.attributions(*given, keep=lambda d, parts: parts))
    np.testing.assert_array_equal(np.array([own for *_, own in found]), scores)
    counts = [documents[d].data for d in range(documents.shape[0])]
    for own, (shares, prior, score) in zip(counts, found, strict=True):
        tallies = shares.multiply(own[:, None] * n_samples).toarray()
        np.testing.assert_allclose(tallies, tallies.round(), atol=1e-6)
        if own.size:
            half = tallies.round().sum(axis=0) / (own.sum() * n_samples)
            np.testing.assert_allclose((half + prior) / 2, score, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("n_passes", [1, 4])
def test_mean_field_has_the_distributions_after_the_last_pass(data, n_passes):
    """Those of the dense twin, to 3e-8. Of a pass before, or with the words' own counts, miss by .003 and more."""
    X, Y, others = data
    model = clone(MODELS["mean field"]).set_params(n_passes=n_passes).fit(X, Y)
    for one in model.explain(others[2:6]):
        found = one.shares[:, model.seen_labels_].toarray()
        assert np.abs(found - by_twin(model, one, n_passes)).max() < 1e-6
        assert np.abs(found - by_twin(model, one, n_passes - 1)).max() > 0.003
        assert np.abs(found - by_twin(model, one, n_passes, "own counts stay")).max() > 0.003


def by_twin(model, one, n_passes, fault=None):
    """Return the words' distributions (U, C_seen) by the dense twin, the mean over the sets of topics."""
    seen = model.seen_labels_
    phi, listed = model.label_word_distributions()[seen], model.label_word_counts_.toarray() > 0
    weights = model.eta, model.alpha_sum / len(seen), model.gamma_sum / model.n_topics
    given = *weights, model.word_power, n_passes, fault
    tables = [table[:, seen] for table in model.topic_label_distributions()]
    found = [
        twins.mean_field_shares(one.words, one.counts, phi, listed, table, *given)[0] for table in tables
    ]
    return np.mean(found, axis=0)


@every_model
def test_what_is_kept_is_a_part_of_all(name, data):
    X, Y, others = data
    model = clone(MODELS[name]).fit(X, Y)
    labels = model.top_labels(others, 2)[0]
    labels[0, 1] = 1  # without training documents
    every = model.explain(others)
    for whole, few, own in zip(every, model.explain(others, labels, 1), labels, strict=True):
        shares, kept = whole.shares.toarray(), few.shares.toarray()
        np.testing.assert_array_equal(kept[:, own], shares[:, own])
        np.testing.assert_array_equal(kept[kept > 0], shares[kept > 0])
        np.testing.assert_array_equal(kept.max(axis=1), shares.max(axis=1))
        assert (few.shares.getnnz(axis=1) <= 3).all()
    assert all(one.shares.getnnz(axis=1).max(initial=0) <= 2 for one in model.explain(others, top=2))


def test_batches_jobs_and_memory_change_nothing(data, tmp_path):
    X, Y, others = data
    model = clone(MODELS["topics"]).fit(X, Y)
    every = model.explain(others)
    model.set_params(memory=tmp_path, n_jobs=2)
    for _ in range(2):
        for one, again in zip(every[2:5], model.explain(others[2:5]), strict=True):
            assert (one.shares != again.shares).nnz == 0 and np.array_equal(one.prior, again.prior)
    assert model.explain(others[:0]) == []


@every_model
def test_blocks_of_documents_change_nothing(name, data, monkeypatch):
    """Where each block's documents are counted from 0, the labels kept are those of other documents."""
    X, Y, others = data
    model = clone(MODELS[name]).fit(X, Y)
    labels = model.top_labels(others, 2)[0]
    whole = model.explain(others, labels)
    monkeypatch.setattr(unseen, "BLOCK_CELLS", 12)
    monkeypatch.setattr(unseen, "BLOCK_TOKENS", (9, 9))
    for one, again in zip(whole, clone(model).fit(X, Y).explain(others, labels), strict=True):
        np.testing.assert_allclose(again.shares.toarray(), one.shares.toarray(), atol=1e-12)


@every_model
def test_without_a_word_that_training_saw_nothing_is_attributed(name, data):
    """A block of such documents alone ended in an error of its table's dimensions."""
    X, Y, others = data
    model = clone(MODELS[name]).fit(X, Y)
    empty = np.zeros_like(others[:2])
    empty[1, 2] = 3
    for one, own in zip(model.explain(empty), model.decision_function(empty), strict=True):
        assert one.shares.shape == (0, Y.shape[1]) and not one.words.size
        np.testing.assert_allclose(one.base, own, atol=1e-12)


def test_a_model_that_learns_its_settings_explains_as_the_model_that_it_trains(data):
    X, Y, others = data
    model = LearnedDependencyLDA((2,), n_topic_chains=1, n_topic_sweeps=5, **SHORT).fit(X, Y)
    one, other = model.explain(others[:1])[0], model.model_.explain(others[:1])[0]
    np.testing.assert_array_equal(one.shares.toarray(), other.shares.toarray())


LINEAR = {
    "svm": BinaryRelevanceSVM(random_state=1),
    "svm, tf-idf": BinaryRelevanceSVM(normalize="tfidf", random_state=1),
    "svm, sparse": BinaryRelevanceSVM(solver="together", smallest=0.05, normalize="l2", random_state=1),
    "svm, bare": BinaryRelevanceSVM(normalize=None, fit_intercept=False, random_state=1),
    "ridge": BinaryRelevanceRidge(),
}
ROUNDING = {"ridge": 1e-6}  # whose weights and scores are float32


@pytest.mark.parametrize("name", LINEAR)
def test_a_word_adds_its_weight_times_its_value(name, data):
    """The parts of a machine on other weights of words, counts, miss by .05 and more."""
    X, Y, others = data
    model = clone(LINEAR[name]).fit(X, Y)
    scores, close = model.decision_function(others), ROUNDING.get(name, 1e-13)
    found = model.explain(others)
    for one, own in zip(found, scores, strict=True):
        np.testing.assert_array_equal(one.scores, own)
        np.testing.assert_allclose(one.base + one.parts.sum(axis=0).A1, own, atol=close)
    d = 3
    features = model._weighed(sparse.csr_matrix(others[[d]].astype(float))).toarray()[0]
    for w, row in zip(found[d].words, found[d].parts.toarray(), strict=True):
        np.testing.assert_allclose(row, model.labels_of(w) * features[w], rtol=1e-6, atol=1e-12)
    for c in range(Y.shape[1]):
        assert model.words_of(c)[found[d].words[0]] == model.labels_of(found[d].words[0])[c]
    labels = np.argsort(-scores, axis=1)[:, :2]
    for whole, few, own in zip(found, model.explain(others, labels), labels, strict=True):
        np.testing.assert_array_equal(few.parts.toarray()[:, own], whole.parts.toarray()[:, own])
        assert few.parts.nnz <= 2 * few.words.size


def test_label_words_and_word_labels_are_those_of_training(data):
    X, Y, _ = data
    model = clone(MODELS["prior"]).fit(X, Y)
    phi, counts = model.label_word_distributions(), model.label_word_counts_.toarray()
    for c in range(Y.shape[1]):
        np.testing.assert_allclose(model.words_of(c), phi[c], atol=1e-15)
    for w in range(X.shape[1]):
        shares = model.labels_of(w)
        np.testing.assert_allclose(shares[model.seen_labels_] * counts[:, w].sum(), counts[:, w], atol=1e-9)
    with pytest.raises(IndexError):
        model.labels_of(X.shape[1])


@pytest.fixture(scope="module")
def hybrid(data):
    X, Y, _ = data
    topics = clone(MODELS["mean field"])
    parents = [("words", BinaryRelevanceSVM(normalize="tfidf", random_state=1)), ("topics", topics)]
    return HybridClassifier(parents, n_folds=2, random_state=1).fit(X, Y)


def without_ties(hybrid):
    """Return the hybrid with a share in the sum for every parent and the regression."""
    changed = clone(hybrid)
    changed.__dict__ = dict(vars(hybrid)) | {"weights_": np.array([0.8, 0.3, 0.5])}
    return changed


def test_parents_add_up_to_the_log_odds(hybrid, data):
    """What a parent adds without its share of the regression is away by .1 and more."""
    *_, others = data
    model = without_ties(hybrid)
    scores = model.decision_function(others)
    for one, own in zip(model.explain(others), scores, strict=True):
        np.testing.assert_array_equal(one.scores, own)
        np.testing.assert_allclose(one.base + one.of_parents.sum(axis=0), own, atol=1e-10)
        assert one.base[1] == own[1] == -700 and not one.of_parents[:, 1].any()
        direct = model.slope_ * model.weights_[:2, None] * one.said
        assert np.abs(direct[0] - one.of_parents[0]).max() > 0.1


def test_a_hybrids_words_say_how_fast_the_log_odds_grow(hybrid, data):
    """By differences. Without the distance from the document's first label they are away by .01 and more."""
    *_, others = data
    model, step = without_ties(hybrid), 1e-6
    own = [parent.decision_function(others) for parent in model.parents_]
    before = model.combine(own)
    for d in (0, 3, 7):
        (one,) = model.explain(others[[d]])
        for place, w in enumerate(one.words):
            moved = [scores[[d]].copy() for scores in own]
            for said, scores in zip(one.parents, moved, strict=True):
                at = np.flatnonzero(said.words == w)
                scores[0] += step * said.parts[at].sum(axis=0).A1
            rate = (model.combine(moved)[0] - before[d]) / step
            np.testing.assert_allclose(one.parts[[place]].toarray()[0], rate, atol=1e-4)


def test_a_hybrid_keeps_what_is_asked_for_of_all_its_parents(hybrid, data):
    *_, others = data
    model = without_ties(hybrid)
    labels = np.argsort(-model.decision_function(others), axis=1)[:, :2]
    for whole, few, own in zip(model.explain(others), model.explain(others, labels), labels, strict=True):
        np.testing.assert_allclose(few.parts[:, own].toarray(), whole.parts[:, own].toarray(), atol=1e-12)
        for of_whole, of_few in zip(whole.parents, few.parents, strict=True):
            np.testing.assert_array_equal(of_few.parts[:, own].toarray(), of_whole.parts[:, own].toarray())
        assert few.parts.nnz <= 2 * few.words.size


def test_parents_that_explain_nothing_still_have_their_part(data):
    class Bare(BinaryRelevanceRidge):
        explain = property()  # as if it had none

    X, Y, others = data
    model = HybridClassifier([("bare", Bare())], n_folds=2, random_state=1).fit(X, Y)
    (one,) = model.explain(others[:1])
    assert one.parents == [None] and not one.parts.nnz and one.names == ["bare"]
    np.testing.assert_allclose(one.base + one.of_parents.sum(axis=0), one.scores, atol=1e-10)


@pytest.mark.parametrize("model", [*MODELS.values(), *LINEAR.values()], ids=[*MODELS, *LINEAR])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": [[0], [1]]}, "a row for each of the 1 documents"),
        ({"labels": [[0.5]]}, "must be whole numbers"),
        ({"labels": [[9]]}, "must be columns of Y, from 0 to"),
        ({"labels": [[-1]]}, "must be columns of Y, from 0 to"),
        ({"top": 0}, "top must be an integer of 1 or more"),
    ],
)
def test_mistakes_are_named(model, given, message, data):
    X, Y, others = data
    with pytest.raises(ValueError, match=message):
        clone(model).fit(X, Y).explain(others[:1], **given)
