"""Dependency-LDA whose settings come from its training documents."""

from functools import reduce
from typing import NamedTuple

import numpy as np
from joblib import Memory, delayed
from joblib import hash as digest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.utils.validation import check_is_fitted

from polytopic.models import chains, hyperparameters, topic_chains
from polytopic.models.labelled_lda import DependencyLDA, _seed
from polytopic.streams import stream, word64
from polytopic.validation import check_count, check_counts, check_labels, check_positive

WEIGHTS = (0.5, 2.0, 8.0, 32.0)  # of the prior over labels, in mean document lengths
TOPICS = (20, 50, 100, 200)
ROUNDS = 5  # of sampling and fitting in turn
CHAINS = 4  # whose label words are fitted at a time
START = {"train_eta": 50.0, "beta_w": 0.01, "gamma": 0.01}  # Rubin et al. (2012), table 6
LARGEST_PART = 1000  # documents held out at most
OTHERS = {  # what may be better than a fixed point, from the settings so far
    "train_eta": lambda settings: {"train_eta": START["train_eta"]},
    "beta_w": lambda settings: {"beta_w": START["beta_w"]},
    "gamma_sum": lambda settings: {"gamma_sum": settings["n_topics"] * settings["gamma"]},
}


class TopicPriors(NamedTuple):
    """Fixed points for one number of topics; eta and alpha_sum are those of the likelihood."""

    n_topics: int
    gamma: float
    beta_c: float
    eta: float
    alpha_sum: float


class Trial(NamedTuple):
    """Settings that were tried, and the mean average precision that they have on the documents held out."""

    tried: str  # the setting that this trial is about
    n_topics: int
    weight: float  # of the prior over labels, in mean document lengths
    train_eta: float
    beta_w: float
    gamma_sum: float
    by_document: float
    by_label: float


class LearnedDependencyLDA(BaseEstimator):
    """Dependency-LDA with every setting learned from the training documents; no test document is looked at.

    1. train_eta and beta_w, gamma and beta_c: fixed points of their likelihood (``models.hyperparameters``), sampling
       and fitting in turn, on the training documents less those held out.
    2. How the prior alpha' is shared between eta and alpha_sum: the fixed point of Eq. 12 for the tokens that the
       documents' own labels have. gamma_sum: T gamma, for as many times more tokens as a document has words than
       labels, since at test words stand in for label tokens.
    3. The whole weight of alpha', eta + alpha_sum; then whether train_eta and beta_w are the fixed points or the
       paper's 50 and .01, and whether gamma_sum is as above or T gamma; then the number of topics. Each in its turn
       is what has the best mean of average precision by document and by label on the documents held out; of equals
       the first. The likelihood can't say: it knows how a document's tokens are spread over labels that are given,
       not which labels it has.

    Then the model is trained on all documents.

    n_topics: candidates; those above the number of labels are left out, but for the first. weights: candidates of the
    prior's weight, in mean document lengths. held_out: share of the documents that are held out, at most 1000 of
    them; 0 holds out none, and takes the first n_topics and eta and alpha_sum of the likelihood. The other settings
    are those of DependencyLDA.

    Learned: settings_, what DependencyLDA is given; model_, that model; topic_priors_, a TopicPriors for each number
    of topics; trials_, a list of Trial.
    """

    def __init__(
        self,
        n_topics=TOPICS,
        weights=WEIGHTS,
        held_out=0.2,
        n_chains=48,
        n_sweeps=100,
        n_topic_chains=10,
        n_topic_sweeps=500,
        n_test_chains=60,
        burn_in=50,
        n_samples=15,
        lag=5,
        random_state=None,
        n_jobs=None,
        memory=None,
        verbose=0,
    ):
        self.n_topics = n_topics
        self.weights = weights
        self.held_out = held_out
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_topic_chains = n_topic_chains
        self.n_topic_sweeps = n_topic_sweeps
        self.n_test_chains = n_test_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.lag = lag
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def fit(self, X, Y):
        """Learn the settings from X (D, W) counts and Y (D, C) labels, then train the model on all of them.

        Raises ValueError where DependencyLDA does, for candidates out of range, and where holding out leaves too few
        documents to learn from.
        """
        self.model_ = self._model(self.learn_settings(X, Y)).fit(X, Y)
        return self

    def learn_settings(self, X, Y):
        """Return settings_, a mapping for DependencyLDA, learned from X and Y: ``fit`` without training the model."""
        self._check_settings()
        X = check_counts(X)
        Y = check_labels(Y, X.shape[0])
        self.seed_ = _seed(self.random_state)
        learning, held = self._parts(X, Y)
        run = chains.Run(self.n_jobs, self._memory(), self.verbose)
        counts, labels, documents, words = self._labelled(X[learning], Y[learning], run)
        sizes = list(self.n_topics)[:1] + [t for t in list(self.n_topics)[1:] if t <= labels.shape[1]]
        sizes = sizes if self.held_out else sizes[:1]
        self.topic_priors_ = [self._topic_priors(counts, labels, documents, t, run) for t in sizes]
        words_per_label = counts.sum() / labels.nnz
        length = counts.sum() / counts.shape[0]
        candidates = [self._settings(words, priors, words_per_label) for priors in self.topic_priors_]
        self.trials_ = []
        self.settings_ = candidates[0]
        if self.held_out:
            self.settings_ = self._choose(X, Y, learning, held, candidates, length, run)
        return self.settings_

    def decision_function(self, X, estimator=None):
        """Return the scores of DependencyLDA with the learned settings, (D, C); see there."""
        check_is_fitted(self, "model_")
        return self.model_.decision_function(X, estimator)

    def top_labels(self, X, k):
        """Return the k labels with the highest scores for each document, and these; see DependencyLDA."""
        check_is_fitted(self, "model_")
        return self.model_.top_labels(X, k)

    def _check_settings(self):
        if len(self.n_topics) == 0 or len(self.weights) == 0:
            raise ValueError("n_topics and weights need a candidate each")
        for n_topics in self.n_topics:
            check_count(n_topics=n_topics)
        for weight in self.weights:
            check_positive(weights=weight)
        if not 0 <= self.held_out < 1:
            raise ValueError(
                f"held_out must be a share of the documents, from 0 to below 1, got {self.held_out!r}"
            )

    def _memory(self):
        return Memory(self.memory, verbose=0) if isinstance(self.memory, str) else self.memory

    def _parts(self, X, Y):
        """Return the rows to learn from and the rows held out, of the documents with words and labels."""
        usable = np.flatnonzero((np.diff(X.indptr) > 0) & (np.diff(Y.indptr) > 0))
        n_held = min(int(round(self.held_out * usable.size)), LARGEST_PART)
        if usable.size - n_held < 2 or (self.held_out and n_held < 1):
            raise ValueError(
                f"{usable.size} documents have words and labels, of which held_out={self.held_out} leaves too few"
            )
        order = stream(self.seed_, "held out").permutation(usable)
        return np.sort(order[n_held:]), np.sort(order[:n_held])

    def _labelled(self, X, Y, run):
        """Return X and Y of the labels seen, tokens of each document on its labels, and {train_eta, beta_w}."""
        Y = sparse.csr_matrix(Y[:, np.flatnonzero(Y.getnnz(axis=0))])
        Y.sort_indices()
        own = 1 / np.diff(Y.indptr)
        train_eta, beta_w = START["train_eta"], START["beta_w"]
        for r in range(ROUNDS):
            seed = int(word64(self.seed_, "fixed points", r) >> np.uint64(33))
            found = chains.label_counts(
                X, Y, train_eta, beta_w, min(self.n_chains, CHAINS), self.n_sweeps, seed, run
            )
            words = sparse.csr_matrix(sparse.vstack([one.label_words for one in found]))
            documents = sparse.csr_matrix(sparse.vstack([one.document_labels for one in found]))
            rows = np.repeat(np.tile(own, len(found)), np.diff(documents.indptr))
            beta_w = _fitted(words, hyperparameters.symmetric(words))[0]
            train_eta = _fitted(documents, hyperparameters.Bases(rows[:, None], np.ones((1, 1))))[0]
        return X, Y, found[0].document_labels, {"train_eta": train_eta, "beta_w": beta_w}

    def _topic_priors(self, X, Y, documents, n_topics, run):
        unit = run.cached(_topic_priors, ignore=["Y", "documents"])
        name, sweeps = word64(self.seed_, "fixed points", "topics"), max(1, self.n_topic_sweeps // ROUNDS)
        call = delayed(unit)(Y, documents, digest((Y, documents)), n_topics, sweeps, name, run.version)
        return next(iter(run.each([call], 1, f"priors of {n_topics} topics")))

    def _settings(self, words, priors, words_per_label):
        """Return the settings of DependencyLDA by the fixed points alone."""
        return {
            **words,
            "n_topics": priors.n_topics,
            "gamma": priors.gamma,
            "beta_c": priors.beta_c,
            "gamma_sum": float(priors.n_topics * priors.gamma * words_per_label),
            "eta": priors.eta,
            "alpha_sum": priors.alpha_sum,
        }

    def _choose(self, X, Y, learning, held, candidates, length, run):
        """Return the settings that are best on the documents held out: with the most topics first, then fewer."""
        model = self._model(candidates[-1]).fit(X[learning], Y[learning])
        labels = Y[learning][:, model.seen_labels_].sorted_indices()
        words = {model.train_eta: model.label_word_counts_}
        topics = {model.n_topics: model.topic_label_counts_}

        def tried(name, settings, weight):
            whole = weight * length / (settings["eta"] + settings["alpha_sum"])
            settings = settings | {part: float(whole * settings[part]) for part in ("eta", "alpha_sum")}
            model.set_params(**settings)
            if model.train_eta not in words:
                words[model.train_eta] = model._word_counts(X[learning], labels, run)
            if model.n_topics not in topics:
                topics[model.n_topics] = model._topic_counts(labels, run)
            model.label_word_counts_ = words[model.train_eta]
            model.topic_label_counts_ = topics[model.n_topics]
            scores = model.decision_function(X[held])[:, model.seen_labels_]
            found = _precisions(Y[held][:, model.seen_labels_], scores)
            own = [settings[part] for part in OTHERS]
            self.trials_.append(Trial(name, settings["n_topics"], float(weight), *own, *found))
            return sum(found) / 2, weight, settings

        most, taken = candidates[-1], []
        best = _first_best(tried("weight", most, weight) for weight in self.weights)
        for name, other in OTHERS.items():
            _, weight, settings = best
            best = _first_best([best, tried(name, settings | other(settings), weight)])
            taken += [other] if best[2] is not settings else []
        fewer = [reduce(lambda own, other: own | other(own), taken, own) for own in candidates[:-1]]
        return _first_best([*(tried("n_topics", own, best[1]) for own in fewer), best])[2]

    def _model(self, settings):
        same = set(DependencyLDA().get_params()) & set(self.get_params()) - set(settings)
        given = {name: getattr(self, name) for name in same}
        return DependencyLDA(**(given | settings | {"random_state": self.seed_}))


def _topic_priors(Y, documents, key, n_topics, n_sweeps, name, version):
    """Return the TopicPriors of label sets Y (D, C) and the words' tokens on them, documents (D, C)."""
    gamma, beta_c, start = START["gamma"], Y.nnz / 10 / Y.shape[1] / n_topics, None
    for _ in range(ROUNDS):
        chain = topic_chains.Chain(Y, n_topics, gamma, beta_c, name, start=start).advance(n_sweeps)
        start, counts = chain.assignments(), chain.counts()
        topic_labels = counts.item_topics.T.tocsr()
        gamma = _fitted(counts.document_topics, hyperparameters.symmetric(counts.document_topics))[0]
        beta_c = _fitted(topic_labels, hyperparameters.symmetric(topic_labels))[0]
    by_topics = topic_chains.foretold(counts, gamma, beta_c, documents)
    bases = np.stack([by_topics, np.full(documents.nnz, 1 / Y.shape[1])], axis=1)
    eta, alpha_sum = _fitted(documents, hyperparameters.Bases(bases, np.ones((1, 2))))
    return TopicPriors(n_topics, gamma, beta_c, eta, alpha_sum)


def _first_best(tried):
    """Return the first of those with the highest value, which each of them begins with."""
    return max(tried, key=lambda one: one[0])


def _fitted(counts, bases):
    return [float(weight) for weight in hyperparameters.fit_weights(counts, bases).weights]


def _precisions(truth, scores):
    """Return the mean average precision by document and by label, over those with a positive."""
    truth = truth.toarray()
    return tuple(
        float(label_ranking_average_precision_score(own[own.any(axis=1)], rank[own.any(axis=1)]))
        for own, rank in ((truth, scores), (truth.T, scores.T))
    )
