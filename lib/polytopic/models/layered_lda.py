"""Fast-Dep.-LLDA and its reversed model (Burkhardt & Kramer 2018)."""

from copy import copy

import numpy as np
from joblib import delayed
from joblib import hash as digest
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from polytopic.kernels import layered_prediction as kernel
from polytopic.kernels.documents import Documents
from polytopic.models import layers, settings, topic_chains, unseen
from polytopic.models.classifier import CountsOnly, RankingClassifier
from polytopic.models.settings import configured, setting
from polytopic.streams import document_names, word64
from polytopic.validation import check_count, check_positive

PREDICTIONS = {
    "s1": kernel.S1,
    "s1_by_token": kernel.S1_BY_TOKEN,
    "s2": kernel.S2,
    "s2_rescored": kernel.S2_RESCORED,
}
CONCENTRATION = 10.0  # of the topics' weights, with an hdp: more spreads them
BLOCK = 1 << 22  # word probabilities that are held at a time


@configured
class Layered(
    CountsOnly,
    settings.TrainingChains,
    settings.PredictionChains,
    settings.Running,
    RankingClassifier,
    BaseEstimator,
):
    """What the two models share: a model of its own for each chain, and scores that are the mean over chains.

    Attributes
    ----------
    counts_ : list of layers.Counts
        One for each chain, over the labels seen in training.
    seen_labels_ : (C_seen,) int64
        The columns of Y that have a training document with words.
    n_topics_used_ : (n_chains,) int64
        The topics that have a token.
    seed_ : int
        The seed that random_state stood for.
    """

    n_chains: int = setting(10, "Training chains, each a model of its own.")
    n_sweeps: int = setting(100)
    n_test_chains: int = setting(10)
    burn_in: int = setting(101)
    n_samples: int = setting(100)
    lag: int = setting(1)

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Train a model in each chain; return self.

        X (D, W): word counts, dense or sparse. Y (D, C): 0/1 or bool, dense or sparse. Documents without words or
        without labels are left out. A label without a training document keeps its column and scores 0.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for settings out of range, and when no document has both words and a label.
        """
        X, Y = self._seen(X, Y)
        run = self._run()
        unit = run.cached(_trained, ignore=["X", "Y"])
        given = X, Y, digest((X, Y)), type(self), self._training(), self.n_sweeps
        calls = (delayed(unit)(*given, (self.seed_, "layers", k)) for k in range(self.n_chains))
        return self._take(list(run.each(calls, self.n_chains, "chains")))

    def _seen(self, X, Y):
        """Return the checked documents with the labels that occur in them."""
        X, Y = settings.check_training(X, Y)
        self.n_labels_, self.n_features_in_ = Y.shape[1], X.shape[1]
        self.seed_ = settings.seed_of(self.random_state)
        self.seen_labels_, self.cardinality_ = np.flatnonzero(Y.getnnz(axis=0)), Y.nnz / Y.shape[0]
        return X, Y[:, self.seen_labels_]

    def _take(self, counts):
        """Become the model of the chains' Counts; return it."""
        self.counts_ = counts
        self.n_topics_used_ = np.array([np.count_nonzero(one.topic_labels.getnnz(axis=1)) for one in counts])
        return self

    def decision_function(self, X):
        """Return each document's distribution over labels, (D, C) float64; each row sums to 1.

        The mean over ``n_test_chains`` chains, of which chain k samples with the model of training chain k modulo
        ``n_chains``. Words that training never saw are dropped. A document without known words gets the prior. Labels
        without training documents score 0. The random numbers of a document are named by the seed, the chain and
        ``streams``: scores depend neither on n_jobs nor, by default, on the documents beside it.

        Raises ValueError where fit would and when X has another number of words; NotFittedError before fit.
        """
        X = self._unseen(X)
        return self._gathered(self._blocks(X), X.shape[0])

    def score_blocks(self, X):
        return self._blocks(self._unseen(X))

    def _blocks(self, X):
        """Yield (rows, scores (n, C)) for a few of the documents that ``_unseen`` returns after the other."""
        run, parts = self._run(), list(unseen.blocks(X))
        models = [self._model(counts) for counts in self.counts_]
        unit = run.cached(_predicted, ignore=["model", "ptr", "words"])
        schedule = unseen.Schedule(self.burn_in, self.n_samples, self.lag, 1)
        names = document_names(X, self.streams)
        key = run.key(X, models, schedule)
        calls = (
            delayed(unit)(
                self._sampled, models[k % self.n_chains], *unseen.tokens(X[first:last]), names[first:last], schedule,
                word64(self.seed_, "test", k), key,
            )
            for first, last in parts
            for k in range(self.n_test_chains)
        )  # fmt: skip
        results = run.each(calls, len(parts) * self.n_test_chains, "prediction")
        for first, last in parts:
            total = sum(next(results) for _ in range(self.n_test_chains))
            yield slice(first, last), self._widened(total / self.n_test_chains)

    def _unseen(self, X):
        settings.check_settings(self)
        X = settings.check_unseen(self, X)
        known = self.counts_[0].above_words.getnnz(axis=0) > 0
        X = X.multiply(known).tocsr()
        X.eliminate_zeros()
        X.sort_indices()
        return X.astype(np.int32)

    def _widened(self, of_seen):
        """Return a table with columns for all labels, zeros for those that training never saw."""
        table = np.zeros((len(of_seen), self.n_labels_))
        table[:, self.seen_labels_] = of_seen
        return table


@configured
class FastDependencyLDA(Layered):
    """Fast-Dep.-LLDA: every word token has a label of its document, and every such label a topic (4.1, 4.2, 4.5)."""

    n_topics: int = setting(100, "Topics over labels; with an hdp, the most.", check_count, positional=True)
    greedy: bool = setting(
        True, "Whether labels are drawn by the words alone in training (Eq. 9), or by Eq. 7."
    )
    prediction: str = setting(
        "s2",
        """"s1": the mean over a document's tokens of phi_cw phi'_tc (n_dt + alpha_t), t the token's present topic,
        summed over the samples and then brought to 1 (4.5). "s1_by_token" brings each token's to 1 first.

        "s2": labels are drawn by phi_cw (n_dc + alpha_c) with alpha = N_d theta' phi' renewed in each sweep, and
        scored by the mean of these distributions, each to 1, the token left out (4.5). "s2_rescored" scores so as
        well, but draws as S1 does: the authors' program.""",
        settings.one_of(*PREDICTIONS),
    )
    topics: str = setting(
        "fixed",
        """"fixed": all topics have the same weight in a document's prior. "hdp": topics have weights of their own,
        drawn with the chain, and those that nothing needs lose theirs: a hierarchical Dirichlet process cut off at
        n_topics. Where ``n_topics_used_`` comes near n_topics, raise n_topics.""",
        settings.one_of("fixed", "hdp"),
    )
    gamma_sum: float = setting(
        30.0, "Prior of a document's topics, over all (the paper's alpha).", check_positive
    )
    beta_w: float = setting(0.01, "Smoothing of phi, per word.", check_positive)
    beta_c: float = setting(
        0.01, "Smoothing of phi', per label (the paper's beta_y; its program has another).", check_positive
    )

    def after_sweeps(self, X, Y, sweeps):
        """Yield the model that ``fit`` gives with n_sweeps, for each of some numbers of sweeps in rising order.

        Each is fitted and stays as it is. Chains go on one after the other. Raises as ``fit``, and ValueError where
        the numbers fall.
        """
        settings.check_settings(self)
        sweeps = list(sweeps)
        if sweeps != sorted(sweeps) or (sweeps and sweeps[0] < 0):
            raise ValueError(f"sweeps must rise from 0 or more, got {sweeps}")
        base = copy(self)
        X, Y = base._seen(X, Y)
        trained = [
            _chain(type(self), X, Y, self._training(), (base.seed_, "layers", k))
            for k in range(self.n_chains)
        ]
        done = 0
        for upto in sweeps:
            fitted = copy(base).set_params(n_sweeps=upto)
            yield fitted._take([chain.advance(upto - done).counts() for chain in trained])
            done = upto

    def log_likelihood(self, X, given=None):
        """Return the log-likelihood per token of documents X (D, W), in nats: the mean over their known words.

        A word's probability is sum over c and t of phi_cw phi'_tc theta'_t, averaged over the test chains; theta' is
        estimated by S1's sampler on the documents ``given`` (D, W), such as the other halves of these; by default on
        X itself, which favours models that adapt. Words that training never saw are left out. Raises as
        ``decision_function``, and ValueError without known words.
        """
        X, given = self._unseen(X), self._unseen(X if given is None else given)
        if X.nnz == 0:
            raise ValueError("X has no word that training saw: it has no likelihood")
        schedule = unseen.Schedule(self.burn_in, self.n_samples, self.lag, 1)
        likelihood = np.zeros(X.nnz)
        for k in range(self.n_test_chains):
            model = self._model(self.counts_[k % self.n_chains])
            name = word64(self.seed_, "likelihood", k)
            tokens = unseen.tokens(given)
            theta = _predicted(
                kernel.TOPICS, model, *tokens, document_names(given), schedule, name, None, None
            )
            words = model.topics @ self._label_words(self.counts_[k % self.n_chains])
            for rows in gen_batches(X.shape[0], max(1, BLOCK // X.shape[1])):
                some = X[rows]
                at = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr)), some.indices
                likelihood[X.indptr[rows.start] : X.indptr[rows.stop]] += (theta[rows] @ words)[at]
        return float((X.data * np.log(likelihood / self.n_test_chains)).sum() / X.data.sum())

    def label_word_distributions(self):
        """Return phi (C, W) float64, the mean over chains; rows sum to 1, or are 0 without training documents."""
        check_is_fitted(self, "counts_")
        mean = sum(map(self._label_words, self.counts_)) / len(self.counts_)
        return np.ascontiguousarray(self._widened(mean.T).T)

    def topic_label_distributions(self):
        """Return phi' over all C labels, one (T, C) float64 array per chain; rows sum to 1."""
        check_is_fitted(self, "counts_")
        return [self._widened(self._topic_labels(counts)) for counts in self.counts_]

    def _training(self):
        prior = self.gamma_sum, self.beta_w, self.beta_c
        return {
            "n_topics": self.n_topics, "prior": prior, "greedy": self.greedy,
            "concentration": CONCENTRATION if self.topics == "hdp" else None,
        }  # fmt: skip

    def _label_words(self, counts):
        table = counts.above_words.toarray() + self.beta_w
        return table / table.sum(axis=1, keepdims=True)

    def _topic_labels(self, counts):
        table = counts.topic_labels.toarray() + self.beta_c
        return table / table.sum(axis=1, keepdims=True)

    def _model(self, counts):
        by_word = counts.above_words.tocsc()
        sizes = counts.above_words.sum(axis=1).A1 + by_word.shape[1] * self.beta_w
        even, topics = self.beta_w / sizes, self._topic_labels(counts)
        alpha = self.gamma_sum * counts.weights
        word_ptr, labels, _ = topic_chains.arrays(by_word)
        sums = np.cumsum(even), topics, np.cumsum(topics * even, axis=1)
        values = by_word.data / sizes[by_word.indices]
        return kernel.Model(word_ptr, labels, values, even, *sums, alpha, alpha @ topics)

    @property
    def _sampled(self):
        return PREDICTIONS[self.prediction]


@configured
class AuthorTopicLDA(Layered):
    """Fast-Dep.-LLDA turned round: a label is a distribution over topics, a topic one over words (4.4).

    Trained greedily (Eq. 21, 22) it is the author-topic model, whose authors are the labels. It is there to describe
    a corpus more than to classify; an unseen document's labels are drawn by Eq. 8 in place of Eq. 22, from all, which
    takes time for each of them. Topics of different chains have nothing in common.
    """

    n_topics: int = setting(100, "Topics.", check_count, positional=True)
    alpha_sum: float = setting(30.0, "Prior of an unseen document's labels, over all.", check_positive)
    beta_w: float = setting(0.01, "Smoothing of topics, per word.", check_positive)
    beta_c: float = setting(0.01, "Smoothing of labels, per topic.", check_positive)
    n_chains: int = setting(1)

    def topic_word_distributions(self, chain=0):
        """Return the words of each topic of a training chain, (T, W) float64; rows sum to 1."""
        check_is_fitted(self, "counts_")
        table = self.counts_[chain].above_words.toarray() + self.beta_w
        return table / table.sum(axis=1, keepdims=True)

    def label_topic_distributions(self, chain=0):
        """Return the topics of each label, (C, T) float64; rows sum to 1, those of labels never seen are zeros."""
        check_is_fitted(self, "counts_")
        return np.ascontiguousarray(self._widened(self._label_topics(self.counts_[chain])).T)

    def topic_label_shares(self, chain=0):
        """Return how a topic's tokens fall to labels, (T, C) float64; each row sums to 1, or to 0 without tokens."""
        check_is_fitted(self, "counts_")
        table = self.counts_[chain].topic_labels.toarray().astype(float)
        total = table.sum(axis=1, keepdims=True)
        return self._widened(np.divide(table, total, out=np.zeros_like(table), where=total > 0))

    def _training(self):
        return {"n_topics": self.n_topics, "prior": (self.beta_w, self.beta_c)}

    def _label_topics(self, counts):
        """Return phi'_ct as (T, C)."""
        table = counts.topic_labels.toarray() + self.beta_c
        return table / table.sum(axis=0)

    def _model(self, counts):
        words = counts.above_words.toarray() + self.beta_w
        phi = np.ascontiguousarray((words / words.sum(axis=1, keepdims=True)).T)
        return phi, self._label_topics(counts), self.alpha_sum / counts.topic_labels.shape[1]

    _sampled = None


def _chain(of, X, Y, training, name):
    """Return the chain, not advanced, of a class of models."""
    return (layers.ReversedChain if of is AuthorTopicLDA else layers.Chain)(X, Y, name=name, **training)


def _trained(X, Y, key, of, training, n_sweeps, name, code):
    return _chain(of, X, Y, training, name).advance(n_sweeps).counts()


def _predicted(kind, model, ptr, words, names, schedule, name, key, code):
    """Return the scores (D, C) of a block of documents by one chain, or theta' (D, T)."""
    documents, chain = Documents(ptr, words, names), np.array([name], np.uint64)
    of_layers, longest = isinstance(model, kernel.Model), max(1, int(np.diff(ptr).max(initial=0)))
    n_topics, n_labels = (model.topics if of_layers else model[1]).shape
    most = max(n_topics, int(np.diff(model.word_ptr).max(initial=0)) if of_layers else 0)
    of_tokens = np.zeros(longest, np.int32), np.zeros(longest, np.int32), np.zeros(longest)
    sizes = n_topics, n_labels, most, n_labels, n_labels, n_topics
    random, work = np.zeros((4, 1), np.uint32), kernel.Scratch(*of_tokens, *map(np.zeros, sizes))
    scores = np.zeros((ptr.size - 1, n_topics if kind == kernel.TOPICS else n_labels))
    if of_layers:
        kernel.predict(documents, model, kind, schedule, chain, random, work, scores)
    else:
        kernel.predict_reversed(documents, *model, schedule, chain, random, work, scores)
    return scores
