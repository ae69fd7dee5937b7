"""Dependency-LDA whose settings come from its training documents."""

from functools import reduce
from typing import NamedTuple

import numpy as np
from joblib import delayed
from joblib import hash as digest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.utils.validation import check_is_fitted

from polytopic.models import chains, hyperparameters, settings, topic_chains
from polytopic.models.classifier import CountsOnly, RankingClassifier
from polytopic.models.labelled_lda import DependencyLDA
from polytopic.models.selection import hold_out
from polytopic.models.settings import all_or_nothing, configured, each, setting
from polytopic.streams import stream, word64
from polytopic.validation import check_count, check_counts, check_labels, check_share

WEIGHTS = (0.5, 2.0, 8.0, 32.0)  # that are tried for the prior over labels, in mean document lengths
TOPICS = (20, 50, 100, 200)
ROUNDS = 5  # of sampling and fitting in turn
CHAINS = 4  # whose label words are fitted at a time
START = {"train_eta": 50.0, "beta_w": 0.01, "gamma": 0.01}  # Rubin et al. (2012), table 6
LARGEST_PART = 1000  # documents held out at most
OTHERS = {  # what may be better than a fixed point, from the values so far
    "train_eta": lambda values: {"train_eta": START["train_eta"]},
    "beta_w": lambda values: {"beta_w": START["beta_w"]},
    "gamma_sum": lambda values: {"gamma_sum": values["n_topics"] * values["gamma"]},
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

    @property
    def value(self):
        return (self.by_document + self.by_label) / 2


@configured
class LearnedDependencyLDA(
    CountsOnly,
    RankingClassifier,
    settings.TrainingChains,
    settings.TopicChains,
    settings.PredictionChains,
    settings.Running,
    BaseEstimator,
):
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

    Attributes
    ----------
    settings_ : dict
        What DependencyLDA is given.
    model_ : DependencyLDA
        The model with these settings, trained on all documents.
    topic_priors_ : list of TopicPriors
        One for each number of topics.
    trials_ : list of Trial
        What was tried on the documents held out, in order.
    seed_ : int
        The seed that random_state stood for.
    """

    n_topics: tuple = setting(
        TOPICS,
        "Candidates; but for the first, those above the number of labels are left out.",
        each(check_count),
        positional=True,
    )
    label_words: sparse.spmatrix | np.ndarray | None = setting(
        None, "What is known of labels' words before any document, as DependencyLDA has it."
    )
    held_out: float = setting(
        0.2,
        "Share of the documents that are held out, at most 1000 of them; 0 holds out none, and takes the first "
        "n_topics and eta and alpha_sum of the likelihood.",
        check_share,
    )

    @all_or_nothing
    def fit(self, X, Y=None):
        """Learn the settings from X (D, W) counts and Y (D, C) labels, then train the model on all of them.

        Raises ValueError where DependencyLDA does, for candidates out of range, and where too few documents are left.
        """
        self.learn_settings(X, Y)
        self.model_ = self._model(self.settings_).fit(X, Y)
        return self

    @all_or_nothing
    def learn_settings(self, X, Y):
        """Return settings_, a mapping for DependencyLDA, learned from X and Y: ``fit`` without training the model."""
        X = check_counts(X)
        Y = check_labels(Y, X.shape[0])
        settings.check_size(X)
        self.seed_ = settings.seed_of(self.random_state)
        learning, held_out = self._parts(X, Y)
        run = self._run()
        seen = np.flatnonzero(Y[learning].getnnz(axis=0))
        counts, labels = X[learning], Y[learning][:, seen].sorted_indices()
        documents, words = self._fitted_words(counts, labels, run)
        first, *others = self.n_topics
        sizes = [first, *(t for t in others if t <= seen.size and self.held_out)]
        self.topic_priors_ = [self._topic_priors(labels, documents, t, run) for t in sizes]
        words_per_label = counts.sum() / labels.nnz
        candidates = [
            {**words, **one._asdict(), "gamma_sum": float(one.n_topics * one.gamma * words_per_label)}
            for one in self.topic_priors_
        ]
        self.trials_, self.settings_ = [], candidates[0]
        if self.held_out:
            given = settings.check_label_words(X, Y, label_words=self.label_words)[seen]
            trials = _Trials(self, counts, labels, given, X[held_out], Y[held_out][:, seen], run)
            self.settings_ = _best_settings(trials, candidates)
            self.trials_ = trials.done
        return self.settings_

    def decision_function(self, X, estimator=None):
        """Return the scores of DependencyLDA with the learned settings, (D, C); see there."""
        check_is_fitted(self, "model_")
        return self.model_.decision_function(X, estimator)

    def score_blocks(self, X):
        return self.model_.score_blocks(X)

    def explain(self, X, labels=None, top=None):
        """Return which labels each document's tokens were given to; see DependencyLDA."""
        check_is_fitted(self, "model_")
        return self.model_.explain(X, labels, top)

    @property
    def n_labels_(self):
        """Labels, C."""
        return self.model_.n_labels_

    @property
    def cardinality_(self):
        """Labels of a training document, on average."""
        return self.model_.cardinality_

    @property
    def n_features_in_(self):
        """Words, W."""
        return self.model_.n_features_in_

    def _check_together(self):
        if self.held_out == 1:
            raise ValueError(f"held_out must be a share, from 0 to below 1, got {self.held_out!r}")

    def _model(self, learned):
        """Return DependencyLDA with the learned settings, otherwise this estimator's, not fitted."""
        same = set(DependencyLDA().get_params()) & set(self.get_params()) - set(learned)
        given = {name: getattr(self, name) for name in same} | {"random_state": self.seed_}
        return DependencyLDA(**given, **learned)

    def _parts(self, X, Y):
        """Return the rows to learn from and the rows held out, of the documents with words and labels."""
        usable = np.flatnonzero((X.getnnz(axis=1) > 0) & (Y.getnnz(axis=1) > 0))
        n_held_out = min(int(round(self.held_out * usable.size)), LARGEST_PART)
        if usable.size - n_held_out < 2 or (self.held_out and n_held_out < 1):
            raise ValueError(
                f"{usable.size} of n_samples = {X.shape[0]} documents have words and labels, of which "
                f"held_out={self.held_out} leaves too few"
            )
        return hold_out(usable, n_held_out, stream(self.seed_, "held out"))

    def _fitted_words(self, X, Y, run):
        """Return the tokens of each document on its labels, (D, C) CSR, and {train_eta, beta_w}."""
        even, n_chains = 1 / Y.getnnz(axis=1), min(self.n_chains, CHAINS)
        train_eta, beta_w = START["train_eta"], START["beta_w"]
        for r in range(ROUNDS):
            seed = int(word64(self.seed_, "fixed points", r) >> np.uint64(33))
            by_chain = chains.label_counts(X, Y, train_eta, beta_w, n_chains, self.n_sweeps, seed, run)
            words = sparse.vstack([counts.label_words for counts in by_chain], format="csr")
            documents = sparse.vstack([counts.document_labels for counts in by_chain], format="csr")
            shares = np.repeat(np.tile(even, len(by_chain)), documents.getnnz(axis=1))
            beta_w = _fitted(words, hyperparameters.symmetric(words))[0]
            train_eta = _fitted(documents, hyperparameters.Bases(shares[:, None], np.ones((1, 1))))[0]
        return by_chain[0].document_labels, {"train_eta": train_eta, "beta_w": beta_w}

    def _topic_priors(self, Y, documents, n_topics, run):
        unit = run.cached(_topic_priors, ignore=["Y", "documents"])
        name, sweeps = word64(self.seed_, "fixed points", "topics"), max(1, self.n_topic_sweeps // ROUNDS)
        call = delayed(unit)(Y, documents, digest((Y, documents)), n_topics, sweeps, name)
        return next(iter(run.each([call], 1, f"priors of {n_topics} topics")))


class _Trials:
    """Dependency-LDA trained on some documents under several settings, each judged on the documents held out.

    done: a Trial for each call. Label words are trained once for each train_eta and topics once for each number.
    """

    def __init__(self, learner, X, Y, given, X_held_out, Y_held_out, run):
        self.learner, self.X, self.Y, self.given, self.run = learner, X, Y, given, run
        self.X_held_out, self.Y_held_out = X_held_out, Y_held_out
        self.length = X.sum() / X.shape[0]
        self.words, self.topics, self.done = {}, {}, []

    def __call__(self, tried, values, weight):
        """Return the Trial of the settings, and these with eta and alpha_sum brought to the weight."""
        scale = weight * self.length / (values["eta"] + values["alpha_sum"])
        values = values | {part: float(scale * values[part]) for part in ("eta", "alpha_sum")}
        scores = self._trained(values).decision_function(self.X_held_out)
        others = [values[name] for name in OTHERS]
        precisions = _precisions(self.Y_held_out, scores)
        self.done.append(Trial(tried, values["n_topics"], float(weight), *others, *precisions))
        return self.done[-1], values

    def _trained(self, values):
        model, X, Y = self.learner._model(values), self.X, self.Y
        model.seed_, model.n_labels_ = model.random_state, Y.shape[1]
        model.seen_labels_ = np.arange(Y.shape[1])
        if model.train_eta not in self.words:
            self.words[model.train_eta] = model._train_words(X, Y, self.given, self.run)
        if model.n_topics not in self.topics:
            self.topics[model.n_topics] = model._train_topics(Y, self.run)
        return model._take(self.words[model.train_eta], self.topics[model.n_topics])


def _best_settings(trials, candidates):
    """Return the settings that are best on the documents held out: with the most topics first, then fewer."""
    most, taken = candidates[-1], []
    best, values = _first_best(trials("weight", most, weight) for weight in WEIGHTS)
    for name, other in OTHERS.items():
        before = values
        changed = trials(name, values | other(values), best.weight)
        best, values = _first_best([(best, values), changed])
        taken += [other] if values is not before else []
    fewer = [reduce(lambda changed, other: changed | other(changed), taken, c) for c in candidates[:-1]]
    return _first_best([*(trials("n_topics", c, best.weight) for c in fewer), (best, values)])[1]


def _first_best(trials_and_settings):
    """Return the first pair of a Trial and its settings whose value is the highest."""
    return max(trials_and_settings, key=lambda pair: pair[0].value)


def _topic_priors(Y, documents, key, n_topics, n_sweeps, name, code):
    """Return the TopicPriors of label sets Y (D, C) and the words' tokens on them, documents (D, C)."""
    gamma, beta_c, start = START["gamma"], Y.nnz / 10 / Y.shape[1] / n_topics, None
    for _ in range(ROUNDS):
        chain = topic_chains.Chain(Y, n_topics, gamma, beta_c, name, start=start).advance(n_sweeps)
        start, counts = chain.assignments(), chain.counts()
        topic_labels = counts.item_topics.T.tocsr()
        if Y.getnnz(axis=1).max() > 1:  # of single labels every gamma is as likely
            gamma = _fitted(counts.document_topics, hyperparameters.symmetric(counts.document_topics))[0]
        beta_c = _fitted(topic_labels, hyperparameters.symmetric(topic_labels))[0]
    by_topics = topic_chains.predicted_shares(counts, gamma, beta_c, documents)
    bases = np.stack([by_topics, np.full(documents.nnz, 1 / Y.shape[1])], axis=1)
    eta, alpha_sum = _fitted(documents, hyperparameters.Bases(bases, np.ones((1, 2))))
    return TopicPriors(n_topics, gamma, beta_c, eta, alpha_sum)


def _fitted(counts, bases):
    return [float(weight) for weight in hyperparameters.fit_weights(counts, bases).weights]


def _precisions(truth, scores):
    """Return the mean average precision by document and by label, over those with a positive."""
    means = []
    for positive, ranked in ((truth.toarray(), scores), (truth.toarray().T, scores.T)):
        kept = positive.any(axis=1)
        means.append(float(label_ranking_average_precision_score(positive[kept], ranked[kept])))
    return means
