"""Flat-LDA, Prior-LDA and Dependency-LDA (Rubin, Chambers, Smyth & Steyvers 2012)."""

from dataclasses import fields

import numpy as np
from joblib import hash as digest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from polytopic.models import chains, explanations, mean_field, proper, reading, settings, topic_chains, unseen
from polytopic.models.classifier import CountsOnly, RankingClassifier, prepared
from polytopic.models.estimators import ESTIMATORS, RAO_BLACKWELL, distribution, expected_score
from polytopic.models.settings import configured, setting
from polytopic.streams import document_names
from polytopic.validation import (
    check_count,
    check_not_negative,
    check_one_of,
    check_positive,
    check_share,
)

AT_TEST = {"inference", "n_passes", "word_power", "n_label_tokens"}
AT_TEST |= {field.name for field in fields(settings.PredictionChains)}
PREDICTORS = {"fast": unseen.Fast, "proper": proper.Proper, "mean_field": mean_field.MeanField}
MOST_KEPT = 1 << 23  # scores of the last documents, up to which they are kept


@configured
class LabelledLDA(
    CountsOnly,
    RankingClassifier,
    settings.TrainingChains,
    settings.PredictionChains,
    settings.Running,
    BaseEstimator,
):
    """What the three models share: label-word distributions phi, and sampling with phi fixed.

    A subclass says which topics over labels it has (``_train_topics``), and which weights are settings of the prior
    alpha' of an unseen document over labels.

    Attributes
    ----------
    label_word_counts_ : (C_seen, W) CSR
        Pooled over chains; with word_sharing, those of whole documents mixed in; label_words n_chains times beside.
    seen_labels_ : (C_seen,) int64
        The columns of Y that have a training document with words, or words in label_words.
    topic_label_counts_ : list of (T, C_seen) CSR
        One for each chain over the labels' topics; without topics one (1, C_seen), the labels' frequencies.
    smoothing_ : (float, float)
        What is added to each of these two counts: beta_w times n_chains, and beta_c.
    seed_ : int
        The seed that random_state stood for.
    """

    alpha_sum: float = setting(30.0, "Weight of alpha''s even part, in all.", check_not_negative)
    beta_w: float = setting(0.01, "Smoothing of phi, per word.", check_positive)
    train_eta: float = setting(50.0, "Prior of a training document, over all its labels.", check_positive)
    label_words: sparse.spmatrix | np.ndarray | None = setting(
        None,
        """What is known of labels' words before any document, (C, W) pseudo-counts of 0 or more, sparse or dense: of
        names (``Corpus.name_counts``), of seed words, of another corpus. The prior of phi is beta_w plus these, in
        training and at test. A label without a training document has phi by its words alone. None has none.""",
    )
    word_sharing: float = setting(
        0.0,
        """Share of a label's word counts, from 0 to 1, that come from all words of its documents, in place of those
        that training gave to it and to none of their other labels. The paper has none. On folds of the training
        documents of debtags, bibtex, delicious, stackex-cooking and Yahoo! Health, with mean field, .2 raised average
        precision by label on all five, by .008 to .024, and changed that by document by -.002 to .024; 1 was worse
        than .2 by document on all five.""",
        check_share,
    )
    inference: str = setting(
        "fast",
        """How unseen documents are labelled. "fast": by sampling (3.5.1), in n_test_chains chains. Among fewer than
        350 labels these run sixteen side by side, and fewer chains take as long.

        "mean_field": without sampling, in a twentieth to a seventieth of the time of sixteen short chains; no
        paper has it. Every word has a distribution over labels, in proportion to phi to the power ``word_power``
        times the expected tokens on a label, its own left out, plus alpha'. It starts from the prior, and is
        renewed in ``n_passes`` passes over the document, as are theta', by EM steps, and alpha' (Eq. 12). With
        8 or 10 passes for 4 it was worse by label on four of seven corpora, and by document on two.""",
        settings.one_of("fast", "mean_field"),
    )
    n_passes: int = setting(4, "Passes of mean field after its start.", check_count)
    word_power: float = setting(
        0.7,
        """Exponent of the words' likelihoods in mean field. The words of a document are no independent witnesses:
        less than 1 makes them count for fewer. .7 was best on debtags and stackex-cooking, 1 on bibtex; 1 was
        better than .7 on EU titles, and by document on tibkat-en. The more passes, the less
        a high power gains.""",
        check_positive,
    )
    eta, beta_c, gamma_sum = 0.0, 1.0, 1.0  # where they are no settings

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn the label-word distributions, and the topics over labels where the model has them.

        X (D, W): word counts, dense or sparse. Y (D, C): 0/1 or bool, dense or sparse.
        Documents without words or without labels are left out. A label without a training document, or whose
        documents have no words, keeps its column; unless it has words in label_words, it is never predicted: its
        score is 0.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for settings out of range, for label_words of another shape than labels by words,
        and when no document has both words and a label.
        """
        X, Y = settings.check_training(X, Y)
        self.n_labels_, self.seed_ = Y.shape[1], settings.seed_of(self.random_state)
        given = settings.check_label_words(X, Y, label_words=self.label_words)
        self.seen_labels_ = np.flatnonzero(Y.getnnz(axis=0) + given.getnnz(axis=1))
        self.cardinality_ = Y.nnz / Y.shape[0]
        Y, run = Y[:, self.seen_labels_].sorted_indices(), self._run()
        return self._take(self._train_words(X, Y, given[self.seen_labels_], run), self._train_topics(Y, run))

    def decision_function(self, X, estimator=None):
        """Return each document's distribution over labels, (D, C) float64; each row sums to 1.

        It is the mean of two distributions, each averaged over all chains and samples: the share of the
        document's tokens on each label, and the prior alpha' (B.2: the prior's total weight is set to the
        document's length). With estimator="rao_blackwell" each token counts for every label by the probability that
        it had of being drawn there, the other tokens' labels given, instead of for the one that was drawn: a score of
        the same expectation, for more time. With a name of ``models.estimators.ESTIMATORS`` it is theta by that
        estimator instead, averaged likewise, the prior being alpha' (Papanikolaou et al., Eq. 3 and 5 to 7). These
        chains are the sparse sampler's, kept in memory like the others; other inference has none. Mean field has the
        mean of the expected tokens and alpha' after its last pass, averaged over the sets of topics. Words that
        training never saw are dropped, as the authors do. A document without known words gets the prior alone.
        Labels without training documents score 0.

        The random numbers of a document are named by the seed, the chain and ``streams``: the scores do not depend
        on n_jobs, on the joblib backend or, by default, on the other documents and their order. What training has
        smoothed stays; the prior over labels and the chains' schedule are those of the present settings.

        Raises ValueError where fit would, when X has another number of words and for an unknown estimator;
        NotFittedError before fit.
        """
        X = self.check_unseen(X)
        scores = np.zeros((X.shape[0], self.n_labels_))
        blocks = self._blocks_of_seen(X) if estimator is None else self._estimate_blocks(X, estimator)
        for rows, block in blocks:
            scores[rows, self.seen_labels_] = block
        if estimator is None and scores.size <= MOST_KEPT:
            self._predictor().last = self._name(X), scores[:, self.seen_labels_]
        return scores

    def sample_scores(self, X):
        """Return what each sample alone scores, (n_test_chains, n_samples, D, C) float64.

        Their mean over chains and samples is ``decision_function``; their spread says how far that can be trusted.
        All are held at a time, so give it some documents. Errors as there, and ValueError but for
        ``inference="fast"``.
        """
        if self.inference != "fast":
            raise ValueError("sample_scores reads the samples of inference='fast'; set that first")
        X = self.check_unseen(X)
        scores = np.zeros((self.n_test_chains, self.n_samples, X.shape[0], self.n_labels_))
        for chain, sample, of_seen in self._predictor().samples(X, self.seed_, self._names(X)):
            scores[chain, sample][:, self.seen_labels_] = of_seen
        return scores

    def score_blocks(self, X):
        """Where ``decision_function`` has just scored these documents nothing is computed again."""
        X = self.check_unseen(X)
        name, last = self._predictor().last
        known = [(slice(0, len(last)), last)] if name == self._name(X) else self._blocks_of_seen(X)
        for rows, block in known:
            yield rows, self._widened(block)

    def explain(self, X, labels=None, top=None):
        """Return which labels each document's tokens were given to: a list of ``explanations.TokenLabels``.

        It is read off what gives the scores. With inference="fast" and "proper" a word's distribution over labels is
        how often its tokens were on each, over all chains and samples: the mean over the tokens is the words' half of
        ``decision_function``, exactly. With "mean_field" it is the word's distribution after the last pass, averaged
        over the sets of topics. It attributes tokens, and is no account of causes: see ``explanations.TokenLabels``.

        By default all is kept, and a document's words may each have some share on each label. For thousands of
        labels name what to keep: labels (D, k), columns of Y for each document, as ``top_labels`` returns them, and
        top, the number of labels with the largest shares of each word besides. The words of a document are those that
        training knew. Documents as in ``decision_function``; so are errors, and ValueError for other labels and top.
        """
        X = self.check_unseen(X)
        keep = explanations.keep_of(labels, top, (X.shape[0], self.n_labels_)).among(self.seen_labels_)
        found = self._predictor().attributions(X, self.seed_, self._run(), self._names(X), keep)
        words = [topic_chains.arrays(document)[1:] for document in X]
        return [
            explanations.TokenLabels(*own, self._placed(shares), *self._widened([prior, scores]))
            for own, (shares, prior, scores) in zip(words, found, strict=True)
        ]

    def _placed(self, of_seen):
        """Return a CSR table of the labels seen in training as one of all labels."""
        given = of_seen.data, self.seen_labels_[of_seen.indices], of_seen.indptr
        return sparse.csr_matrix(given, shape=(of_seen.shape[0], self.n_labels_))

    def label_word_distributions(self):
        """Return phi (C, W) float64 (Eq. 3): counts pooled over the chains, smoothed once.

        Each row sums to 1; those of labels without training documents are zeros.
        """
        check_is_fitted(self)
        return np.ascontiguousarray(self._widened(self.unseen_model().label_words().T).T)

    def words_of(self, label):
        """Return a label's distribution over words, (W,) float64: a row of ``label_word_distributions``.

        Raises NotFittedError before fit, IndexError for a label that is no column of Y.
        """
        check_is_fitted(self)
        row = np.flatnonzero(self.seen_labels_ == range(self.n_labels_)[label])
        if not row.size:
            return np.zeros(self.n_features_in_)
        smoothed = self.label_word_counts_[row].toarray()[0] + self.smoothing_[0]
        return smoothed / smoothed.sum()

    def labels_of(self, word):
        """Return the shares of labels in the tokens and pseudo-counts that training had of a word, (C,) float64.

        They sum to 1; of a word that training never saw they are zeros. Raises NotFittedError before fit, IndexError
        for a word that is no column of X.
        """
        check_is_fitted(self)
        counts = self.label_word_counts_[:, range(self.n_features_in_)[word]].toarray().T
        return self._widened(counts / max(counts.sum(), np.finfo(float).tiny))[0]

    def topic_label_distributions(self):
        """Return phi' over all C labels, one (T, C) float64 array per topic chain (Eq. 6).

        Each row sums to 1; columns of labels without training documents are zeros.
        """
        check_is_fitted(self)
        return [self._widened(of_seen) for of_seen in self.unseen_model().topic_labels()]

    def check_unseen(self, X):
        """Return the documents X (D, W) for the samplers: CSR int32, sorted, without words that training never saw.

        Raises as ``decision_function`` does.
        """
        settings.check_settings(self)
        X = settings.check_unseen(self, X)
        X = X.multiply(self._predictor().known).tocsr()
        X.eliminate_zeros()
        X.sort_indices()
        return X.astype(np.int32)

    def unseen_model(self):
        """Return the ``unseen.Model`` over the labels seen in training; its prior is that of the present settings."""
        topics, (beta_w, beta_c) = self.topic_label_counts_, self.smoothing_
        n_topics, n_labels = topics[0].shape
        alpha, gamma = self.alpha_sum / n_labels, self.gamma_sum / n_topics
        return unseen.Model(self.label_word_counts_, beta_w, topics, beta_c, float(self.eta), alpha, gamma)

    def _widened(self, of_seen):
        """Return a table of the labels seen in training with columns for all labels, zeros for the others."""
        table = np.zeros((len(of_seen), self.n_labels_))
        table[:, self.seen_labels_] = of_seen
        return table

    def _predictor(self):
        """Return the predictor of the present settings, kept as long as these and the counts are the same."""
        given = (
            (float(self.word_power), self.n_passes) if self.inference == "mean_field" else (self._schedule(),)
        )
        if self.inference == "proper":
            given += (self.n_label_tokens,)
        settings = (self.inference, given, self.alpha_sum, self.eta, self.gamma_sum, self.smoothing_)

        def make():
            return PREDICTORS[self.inference](self.unseen_model(), *given)

        return prepared(self, make, settings, self.label_word_counts_, *self.topic_label_counts_)

    def _blocks_of_seen(self, X):
        """Yield (rows, scores (n, C_seen) float64) for a few documents after the other."""
        return self._predictor().blocks(X, self.seed_, self._run(), self._names(X))

    def _estimate_blocks(self, X, estimator):
        """Yield (rows, scores (n, C_seen) float64) by the estimator for a few documents after the other."""
        if self.inference != "fast":
            raise ValueError(f"estimator={estimator!r} is for inference='fast' and its chains: leave it out")
        check_one_of([RAO_BLACKWELL, *ESTIMATORS], estimator=estimator)
        summed, adds_prior = ESTIMATORS.get(estimator, ("left_out", None))
        for rows, prior, tables in reading.sums(
            X, self.unseen_model(), self._schedule(), self.seed_, [summed], self._run(), self._names(X)
        ):
            if estimator == RAO_BLACKWELL:
                yield rows, expected_score(tables[summed], prior)
            else:
                yield rows, distribution(tables[summed], prior, adds_prior)

    def _check_together(self):
        if self.alpha_sum + self.eta <= 0:
            raise ValueError("alpha_sum and eta are both 0: the prior over labels needs some weight")

    def _schedule(self):
        return unseen.Schedule(self.burn_in, self.n_samples, self.lag, self.n_test_chains)

    def _name(self, X):
        """Return what tells these documents from others."""
        return self.streams, document_names(X).tobytes()

    def _names(self, X):
        return document_names(X, self.streams)

    def _train_words(self, X, Y, given, run):
        """Return the tokens of each label on each word, (C, W) CSR, pooled over the chains, with its given words."""
        chain = self.train_eta, self.beta_w, self.n_chains, self.n_sweeps, self.seed_
        counts = chains.train_label_words(X, Y, *chain, run, given).T.tocsr()
        if self.word_sharing != 0:
            whole = sparse.csr_matrix(Y.T.astype(float) @ X)
            counts = (1 - self.word_sharing) * counts + self.word_sharing * self.n_chains * whole
        return counts + self.n_chains * given if given.nnz else counts

    def _train_topics(self, Y, run):
        """Flat-LDA and Prior-LDA have one topic, whose counts are the label frequencies."""
        return [sparse.csr_matrix(Y.sum(axis=0), dtype=np.int64)]

    def _take(self, label_word_counts, topic_label_counts):
        """Become the model with these counts; return it."""
        self.n_features_in_ = label_word_counts.shape[1]
        self.label_word_counts_, self.topic_label_counts_ = label_word_counts, topic_label_counts
        self.smoothing_ = self.n_chains * self.beta_w, self.beta_c
        return self


@configured
class FlatLDA(LabelledLDA):
    """Flat-LDA, also known as Labeled LDA: at test time every label has the same prior weight (3.1).

    alpha'_c = alpha_sum / C. Table 6 has alpha_sum 180 on power-law corpora and 100 on Yahoo.
    """

    alpha_sum: float = setting(180.0, positional=True)


@configured
class PriorLDA(LabelledLDA):
    """Prior-LDA: at test time a label's prior weight follows its frequency in training (3.2).

    alpha'_c = eta phi'_c + alpha_sum / C, the form of Eq. 1 as the number of label tokens goes to infinity, with
    phi' the label frequencies smoothed by beta_c. Table 6: eta 150, alpha_sum 30, beta_c 1 on power-law corpora;
    70, 30, 10 on Yahoo. With eta = 0 it is Flat-LDA.
    """

    eta: float = setting(150.0, "Weight of the part of alpha' that follows phi'.", check_not_negative)
    beta_c: float = setting(1.0, "Smoothing of phi', per label.", check_positive)


@configured
class DependencyLDA(settings.TopicChains, LabelledLDA):
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

    Defaults are Table 6's for power-law corpora; Yahoo has n_topics 20, beta_c 1, gamma_sum 1, eta 100, alpha_sum 1.
    With one topic it is Prior-LDA.
    """

    n_topics: int = setting(200, "Topics over labels, T.", check_count, positional=True)
    inference: str = setting("fast", check=settings.one_of("fast", "proper", "mean_field"))
    n_label_tokens: int = setting(1000, "Label tokens M of proper inference.", check_count)
    eta: float = setting(150.0, "Weight of the part of alpha' that follows the topics.", check_not_negative)
    gamma: float = setting(0.01, "Prior of a training label set, per topic.", check_positive)
    gamma_sum: float = setting(10.0, "Prior of an unseen document's topics, over all.", check_positive)
    beta_c: float = setting(0.01, "Smoothing of phi', per label.", check_positive)

    def _check_together(self):
        super()._check_together()
        if self.inference == "proper" and self.alpha_sum == 0:
            raise ValueError(
                "alpha_sum must be positive for inference='proper': with 0, a label on which no label token is "
                "could hold no word, and the chain would hardly move"
            )

    def _train_topics(self, Y, run):
        given = self.n_topics, self.gamma, self.beta_c, self.n_topic_chains, self.n_topic_sweeps, self.seed_
        return chains.train_topics(Y, *given, run)


def priors_by_rule(X, Y):
    """Return {class: settings} of the priors for training documents X (D, W) and Y (D, C), CSR, by appendix B.1.

    T = 200 topics, or as many as labels; beta_c so that all topics' pseudocounts come to a tenth of the label tokens;
    the weight of the prior on theta half the documents' mean length, as on the paper's Yahoo sets, five sixths of it
    eta and one sixth alpha_sum, and gamma_sum a third of alpha_sum, as on its power-law sets.
    """
    n_labels = int((Y.getnnz(axis=0) > 0).sum())
    n_topics, pseudocounts = min(200, n_labels), Y.nnz / 10 / n_labels
    weight = float(X.sum()) / X.shape[0] / 2
    shared = {"eta": weight * 5 / 6, "alpha_sum": weight / 6}
    topics = {"n_topics": n_topics, "beta_c": pseudocounts / n_topics, "gamma_sum": weight / 18}
    return {
        DependencyLDA: topics | shared,
        PriorLDA: {"beta_c": pseudocounts} | shared,
        FlatLDA: {"alpha_sum": weight},
    }


def trains_alike(one, other):
    """Return True if both models, seeded by numbers, learn the same parameters from the same documents."""
    if type(one) is not type(other) or not isinstance(one, LabelledLDA) or one.random_state is None:
        return False
    params = one.get_params(deep=False), other.get_params(deep=False)
    given = [digest(params[k].pop("label_words")) for k in range(2)]
    same = (params[0][name] == params[1][name] for name in params[0].keys() - AT_TEST)
    return given[0] == given[1] and all(same)
