"""Flat-LDA, Prior-LDA and Dependency-LDA (Rubin, Chambers, Smyth & Steyvers 2012)."""

import numbers

import numpy as np
from joblib import Memory
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from polytopic.models import chains, proper, reading, unseen
from polytopic.models.estimators import ESTIMATORS, check_estimator, distribution
from polytopic.validation import check_count, check_counts, check_labels, check_not_negative, check_positive

BLOCK_CELLS = 1 << 22  # scores that are held at a time, besides what decision_function returns


class LabelledLDA(BaseEstimator):
    """What the three models share: label-word distributions phi, and sampling with phi fixed.

    A subclass says which topics over labels it uses (``_topic_counts``) and how much they weigh (``eta``).
    """

    def fit(self, X, Y):
        """Learn the label-word distributions, and the topics over labels where the model has them.

        X (D, W): word counts, dense or sparse. Y (D, C): 0/1 or bool, dense or sparse.
        Documents without words or without labels are left out. A label without a training document, or whose
        documents have no words, keeps its column and is never predicted: its score is 0.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for settings out of range, and when no document has both words and a label.
        """
        self._check_settings()
        X = check_counts(X)
        Y = check_labels(Y, X.shape[0])
        self.n_features_in_ = X.shape[1]
        self.n_labels_ = Y.shape[1]
        usable = (np.diff(X.indptr) > 0) & (np.diff(Y.indptr) > 0)
        if not usable.any():
            raise ValueError(
                "no training document has both words and a label: there is nothing to learn from"
            )
        X, Y = X[usable], Y[usable]
        self.seen_labels_ = np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())
        Y = sparse.csr_matrix(Y[:, self.seen_labels_])
        Y.sort_indices()
        self.seed_ = _seed(self.random_state)
        run = self._run()
        self.label_word_counts_ = self._word_counts(X, Y, run)
        self.topic_label_counts_ = self._topic_counts(Y, run)
        return self

    def decision_function(self, X, estimator=None):
        """Return each document's distribution over labels, (D, C) float64; each row sums to 1.

        It is the mean of two distributions, each averaged over all chains and samples: the share of the
        document's tokens on each label, and the prior alpha' (B.2: the prior's total weight is set to the
        document's length). With an estimator, a name of ``models.estimators.ESTIMATORS``, it is theta by that
        estimator instead, averaged likewise, the prior being alpha' (Papanikolaou et al., Eq. 3 and 5 to 7); these
        chains are the sparse sampler's, kept in memory like the others; proper inference has none. Words that
        training never saw are dropped, as the authors do. A document without known words gets the prior alone.
        Labels without training documents score 0.

        The random numbers of a document are named by the seed, the chain and the document's row: the scores do
        not depend on n_jobs, on the joblib backend or on the documents that follow.

        Raises ValueError where fit would, when X has another number of words and for an unknown estimator;
        NotFittedError before fit.
        """
        X = self._check_unseen(X)
        scores = np.zeros((X.shape[0], self.n_labels_))
        blocks = self._score_blocks(X) if estimator is None else self._estimate_blocks(X, estimator)
        for rows, block in blocks:
            scores[rows, self.seen_labels_] = block
        return scores

    def sample_scores(self, X):
        """Return what each sample alone scores, (n_test_chains, n_samples, D, C) float64.

        Their mean over chains and samples is ``decision_function``; their spread says how far that can be trusted.
        All are held at a time, so give it some documents. Errors as there.
        """
        X = self._check_unseen(X)
        model = self._model()
        schedule = self._schedule()
        phi_topics = model.sparse_topic_labels()
        scores = np.zeros((self.n_test_chains, self.n_samples, X.shape[0], self.n_labels_))
        for chain, sample, tokens, theta in unseen.predict_samples(X, model, schedule, self.seed_):
            scores[chain, sample][:, self.seen_labels_] = _scores(model, phi_topics, tokens, theta)
        return scores

    def top_labels(self, X, k):
        """Return the k labels with the highest scores for each document, (D, k) int64, and these scores, (D, k).

        They are columns of Y in order of falling scores, equal ones in order of the columns, and the scores are
        those of ``decision_function``, of which only a block of documents is held at a time: for label sets too
        large for a whole table. Documents as for ``decision_function``; so are the errors raised, and ValueError
        when k is not in 1..C.
        """
        X = self._check_unseen(X)
        check_count(k=k)
        if k > self.n_labels_:
            raise ValueError(f"k={k} is more than the {self.n_labels_} labels of the fitted model")
        labels, scores = np.zeros((X.shape[0], k), np.int64), np.zeros((X.shape[0], k))
        for rows, block in self._score_blocks(X):
            labels[rows], scores[rows] = _best(block, self.seen_labels_, self.n_labels_, k)
        return labels, scores

    def _check_unseen(self, X):
        check_is_fitted(self)
        self._check_settings()
        X = check_counts(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} words, but the model was fitted on {self.n_features_in_}: "
                "map unseen documents to the training vocabulary"
            )
        return _drop_unknown_words(X, self.label_word_counts_)

    def _score_blocks(self, X):
        """Yield (rows, scores (n, C_seen) float64) for a few documents after the other."""
        model = self._model()
        phi_topics = model.sparse_topic_labels()
        n_rows = max(1, BLOCK_CELLS // self.seen_labels_.size)
        for rows, tokens, theta in unseen.predict(X, model, self._schedule(), self.seed_, self._run()):
            for a in range(0, theta.shape[0], n_rows):
                some = slice(a, min(a + n_rows, theta.shape[0]))
                scores = _scores(model, phi_topics, tokens[some], theta[some])
                yield slice(rows.start + a, rows.start + some.stop), scores

    def _schedule(self):
        return unseen.Schedule(self.burn_in, self.n_samples, self.lag, self.n_test_chains)

    def _estimate_blocks(self, X, estimator):
        """Yield (rows, theta (n, C_seen) float64) for a few documents after the other."""
        check_estimator(estimator)
        recipe = ESTIMATORS[estimator]
        for rows, prior, tables in reading.sums(
            X, self._model(), self._schedule(), self.seed_, [recipe.summed], self._run()
        ):
            yield rows, distribution(tables[recipe.summed], prior, recipe.adds_prior)

    def label_word_distributions(self):
        """Return phi (C, W) float64 (Eq. 3): counts pooled over the chains, smoothed once.

        Each row sums to 1; those of labels without training documents are zeros.
        """
        check_is_fitted(self)
        phi = np.zeros((self.n_labels_, self.n_features_in_))
        phi[self.seen_labels_] = self._model().label_words()
        return phi

    def topic_label_distributions(self):
        """Return phi' over all C labels, one (T, C) float64 array per topic chain (Eq. 6).

        Each row sums to 1; columns of labels without training documents are zeros.
        """
        check_is_fitted(self)
        every = [np.zeros((counts.shape[0], self.n_labels_)) for counts in self.topic_label_counts_]
        for phi, seen in zip(every, self._model().topic_labels(), strict=True):
            phi[:, self.seen_labels_] = seen
        return every

    def _model(self):
        n_labels, n_topics = self.seen_labels_.size, self.topic_label_counts_[0].shape[0]
        return unseen.Model(
            self.label_word_counts_,
            self.n_chains * self.beta_w,
            self.topic_label_counts_,
            self._beta_c(),
            float(self._eta()),
            self.alpha_sum / n_labels,
            self._gamma_sum() / n_topics,
        )

    def _check_settings(self):
        check_positive(train_eta=self.train_eta, beta_w=self.beta_w)
        check_not_negative(alpha_sum=self.alpha_sum, eta=self._eta())
        if self.alpha_sum + self._eta() <= 0:
            raise ValueError("alpha_sum and eta are both 0: the prior over labels needs some weight")
        check_count(
            n_chains=self.n_chains,
            n_test_chains=self.n_test_chains,
            n_samples=self.n_samples,
            lag=self.lag,
            burn_in=self.burn_in,
        )
        check_count(minimum=0, n_sweeps=self.n_sweeps)

    def _run(self):
        memory = Memory(self.memory, verbose=0) if isinstance(self.memory, str) else self.memory
        return chains.Run(self.n_jobs, memory, self.verbose)

    def _word_counts(self, X, Y, run):
        """Return the words' tokens on each label, (C, W) CSR, pooled over chains; Y has the labels seen alone."""
        return chains.train_label_words(
            X, Y, self.train_eta, self.beta_w, self.n_chains, self.n_sweeps, self.seed_, run
        ).T.tocsr()

    def _topic_counts(self, Y, run):
        """Flat-LDA and Prior-LDA have one topic, whose counts are the label frequencies."""
        return [sparse.csr_matrix(Y.sum(axis=0), dtype=np.int64)]

    def _eta(self):
        return self.eta

    def _beta_c(self):
        return self.beta_c

    def _gamma_sum(self):
        return 1.0


class FlatLDA(LabelledLDA):
    """Flat-LDA, also known as Labeled LDA: at test time every label has the same prior weight (3.1).

    alpha_sum: prior weight of a test document in all (Table 6: 180 on power-law corpora, 100 on Yahoo).
    beta_w: smoothing per word. train_eta: prior weight of a training document, shared by its labels.
    n_chains, n_sweeps: chains for phi, each one sample after n_sweeps. n_test_chains, burn_in, n_samples, lag:
    chains at test time, each n_samples samples lag sweeps apart, the first after burn_in sweeps.
    random_state: int, RandomState or None. n_jobs: as in joblib; the scores are the same for any number.
    memory: joblib.Memory or folder that keeps finished chains. verbose: above 0 shows progress.

    Learned: label_word_counts_ (C_seen, W) CSR, pooled over chains; seen_labels_ (C_seen,) their columns in Y.
    """

    def __init__(
        self,
        alpha_sum=180.0,
        beta_w=0.01,
        train_eta=50.0,
        n_chains=48,
        n_sweeps=100,
        n_test_chains=60,
        burn_in=50,
        n_samples=15,
        lag=5,
        random_state=None,
        n_jobs=None,
        memory=None,
        verbose=0,
    ):
        self.alpha_sum = alpha_sum
        self.beta_w = beta_w
        self.train_eta = train_eta
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_test_chains = n_test_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.lag = lag
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def _eta(self):
        return 0.0

    def _beta_c(self):
        return 1.0


class PriorLDA(LabelledLDA):
    """Prior-LDA: at test time a label's prior weight follows its frequency in training (3.2).

    alpha'_c = eta phi'_c + alpha_sum / C, the form of Eq. 1 as the number of label tokens goes to infinity, with
    phi' the label frequencies smoothed by beta_c. Table 6: eta 150, alpha_sum 30, beta_c 1 on power-law corpora;
    70, 30, 10 on Yahoo. With eta = 0 it is Flat-LDA. The other settings are those of FlatLDA.
    """

    def __init__(
        self,
        eta=150.0,
        alpha_sum=30.0,
        beta_c=1.0,
        beta_w=0.01,
        train_eta=50.0,
        n_chains=48,
        n_sweeps=100,
        n_test_chains=60,
        burn_in=50,
        n_samples=15,
        lag=5,
        random_state=None,
        n_jobs=None,
        memory=None,
        verbose=0,
    ):
        self.eta = eta
        self.alpha_sum = alpha_sum
        self.beta_c = beta_c
        self.beta_w = beta_w
        self.train_eta = train_eta
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_test_chains = n_test_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.lag = lag
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def _check_settings(self):
        super()._check_settings()
        check_positive(beta_c=self.beta_c)


class DependencyLDA(LabelledLDA):
    """Dependency-LDA: topics over labels carry which labels go together (3.3).

    inference="fast" (3.5.1): a test document's label assignments stand in for its label tokens, and the prior
    alpha' = eta theta' phi' + alpha_sum / C (Eq. 12) is renewed in every sweep. The n_test_chains chains are dealt
    in turn over the n_topic_chains sets of topics.

    inference="proper" (3.5): n_label_tokens label tokens M are sampled (Eq. 9), and the prior is
    alpha'_c = eta n_c / M + alpha_sum / C (Eq. 1), with n_c those on label c. A sweep is a pass of 3.5: words, label
    tokens, their topics, label tokens. The scores are those of B.2 with this alpha', averaged over the samples, in
    place of Eq. 12's: 3.5 has it so. A document without words gets the prior's mean, for which nothing is sampled.
    The paper has no start for these chains: words start as in fast inference; then topics are drawn evenly, label
    tokens by Eq. 9 given the labels of the words and the tokens before, and topics again, twice. Topics weigh
    gamma_sum / T each, whatever M. There is no estimator=, which reads the chains of fast inference, and alpha_sum
    must be above 0: with 0, a label on which no label token is could hold no word.

    n_topics, gamma (per topic), beta_c (per label), n_topic_chains, n_topic_sweeps: training of the topics.
    gamma_sum: prior weight of the topics in a test document. Defaults are Table 6's for power-law corpora; Yahoo
    has n_topics 20, beta_c 1, gamma_sum 1, eta 100, alpha_sum 1. With one topic it is Prior-LDA. The other
    settings are those of FlatLDA.

    Learned besides: topic_label_counts_, one (T, C_seen) CSR per topic chain.
    """

    def __init__(
        self,
        n_topics=200,
        inference="fast",
        n_label_tokens=1000,
        eta=150.0,
        alpha_sum=30.0,
        gamma=0.01,
        gamma_sum=10.0,
        beta_c=0.01,
        beta_w=0.01,
        train_eta=50.0,
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
        self.inference = inference
        self.n_label_tokens = n_label_tokens
        self.eta = eta
        self.alpha_sum = alpha_sum
        self.gamma = gamma
        self.gamma_sum = gamma_sum
        self.beta_c = beta_c
        self.beta_w = beta_w
        self.train_eta = train_eta
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

    def _check_settings(self):
        super()._check_settings()
        check_positive(beta_c=self.beta_c, gamma=self.gamma, gamma_sum=self.gamma_sum)
        check_count(n_topics=self.n_topics, n_topic_chains=self.n_topic_chains)
        check_count(minimum=0, n_topic_sweeps=self.n_topic_sweeps)
        check_count(n_label_tokens=self.n_label_tokens)
        if self.inference not in ("fast", "proper"):
            raise ValueError(f"inference={self.inference!r} is not available: use 'fast' or 'proper'")
        if self.inference == "proper" and self.alpha_sum == 0:
            raise ValueError(
                "alpha_sum must be positive for inference='proper': with 0, a label on which no label token is "
                "could hold no word, and the chain would hardly move"
            )

    def _score_blocks(self, X):
        if self.inference == "fast":
            yield from super()._score_blocks(X)
            return
        model, schedule = self._model(), self._schedule()
        n_rows = max(1, BLOCK_CELLS // self.seen_labels_.size)
        samples = proper.predict(X, model, self.n_label_tokens, schedule, self.seed_, self._run())
        for rows, words, tokens, _ in samples:
            for a in range(0, words.shape[0], n_rows):
                some = slice(a, min(a + n_rows, words.shape[0]))
                prior = proper.prior(words[some], tokens[some], model, self.n_label_tokens, schedule)
                yield slice(rows.start + a, rows.start + some.stop), mean_of_halves(words[some], prior)

    def _estimate_blocks(self, X, estimator):
        if self.inference != "fast":
            raise ValueError(
                f"estimator={estimator!r} is for inference='fast', whose chains it reads: leave it out"
            )
        yield from super()._estimate_blocks(X, estimator)

    def sample_scores(self, X):
        if self.inference != "fast":
            raise ValueError("sample_scores reads the samples of inference='fast'; set that first")
        return super().sample_scores(X)

    def _topic_counts(self, Y, run):
        return chains.train_topics(
            Y,
            self.n_topics,
            self.gamma,
            self.beta_c,
            self.n_topic_chains,
            self.n_topic_sweeps,
            self.seed_,
            run,
        )

    def _gamma_sum(self):
        return self.gamma_sum


def _scores(model, phi_topics, tokens, theta):
    """Return the scores (n, C) of label tokens (n, C) CSR and theta' (n, S, T), both added up over samples."""
    return mean_of_halves(tokens, prior_through_topics(theta, model, phi_topics))


def _seed(random_state):
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _drop_unknown_words(X, label_word_counts):
    known = np.asarray(label_word_counts.sum(axis=0)).ravel() > 0
    X = sparse.csr_matrix(X.multiply(known))
    X.eliminate_zeros()
    X.sort_indices()
    return X.astype(np.int32)


def _best(block, columns, n_columns, k):
    """Return the k best of n_columns labels by row, ties by column; block (n, C_seen) is at columns, others are 0."""
    n_candidates = min(k, block.shape[1])
    if n_candidates < block.shape[1]:
        least = np.partition(block, -n_candidates, axis=1)[:, -n_candidates, None]
    else:
        least = np.full((block.shape[0], 1), -np.inf)
    labels, scores = np.zeros((block.shape[0], k), np.int64), np.zeros((block.shape[0], k))
    unseen_columns = np.setdiff1d(np.arange(min(n_columns, columns.size + k)), columns)
    for d in range(block.shape[0]):
        found = np.flatnonzero(block[d] >= least[d])
        found = found[np.argsort(-block[d, found], kind="stable")][:k]
        rest = unseen_columns[: k - found.size]
        labels[d] = np.concatenate([columns[found], rest])
        scores[d, : found.size] = block[d, found]
    return labels, scores


def prior_through_topics(theta, model, phi_topics):
    """Return the sum of alpha' (Eq. 12) over the samples, (n, C), from that of theta', (n, S, T)."""
    prior = np.full((theta.shape[0], phi_topics[0][0].shape[1]), model.alpha)
    prior *= theta.sum(axis=(1, 2))[:, None]
    for (value, smooth), share in zip(phi_topics, np.moveaxis(theta, 1, 0), strict=True):
        prior += model.eta * ((value.T @ share.T).T + (share @ smooth)[:, None])
    return prior


def mean_of_halves(tokens, prior):
    """Return the mean of the two distributions of B.2: tokens (n, C) CSR and prior (n, C), each to 1 by row."""
    prior = _rows_to_one(prior)
    return (prior + _rows_to_one(tokens.toarray(), fallback=prior)) / 2


def _rows_to_one(table, fallback=0.0):
    """Return the rows divided by their sums; a row of zeros becomes the fallback's."""
    total = table.sum(axis=1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1), fallback)
