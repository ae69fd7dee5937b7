"""SCVB and SCVB-Dependency, which learn from a stream (Foulds et al. 2013; Burkhardt & Kramer 2018, 4.3)."""

from functools import partial

import numpy as np
from joblib import delayed
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted
from tqdm.auto import tqdm

from polytopic.kernels import online, online_prediction
from polytopic.models import settings
from polytopic.models.chains import Run
from polytopic.models.classifier import CountsOnly, RankingClassifier
from polytopic.models.settings import configured, setting
from polytopic.streams import word64
from polytopic.validation import check_count, check_counts, check_labels, check_one_of, check_positive

BLOCK = 256  # documents that are predicted together


# s, tau and kappa of rho = s / (tau + t)^kappa for phi, for phi' and for a document's theta', in SCVB theta: t counts
# minibatches through all passes and calls for the first two, the tokens of a pass over the document for the third.
STEPS = {
    "paper": ((10, 2000, 0.9), (10, 2000, 0.9), (1, 1000, 0.9)),
    "program": ((10, 2000, 0.9), (10, 3000, 0.9), (1, 10, 0.9)),
}


@configured
class SCVB(CountsOnly, RankingClassifier, BaseEstimator):
    """A labelled topic model learned from minibatches: a document's tokens are spread over its own labels (5.4.1).

    lambda_c is proportional to (N^phi_wc + eta_w) / (N^Z_c + W eta_w) (N^theta_c + alpha). Each minibatch moves the
    expected counts N by rho towards what it alone would give for the whole corpus, C / |M| times its own. The
    cost is that of the minibatch's tokens times their labels, the memory that of the pairs of a word and a label that
    have occurred together. Training runs on one thread; prediction shares out documents.

    Where the paper is silent. C and |M| are counted in documents, so that a token weighs the same in whatever
    minibatch; C_j is the document's tokens. N^phi starts at 0: labels are told apart by their documents, and what is
    random here would only fade. A document's N^theta starts at 0; its words come in the order of the columns, a
    word's tokens one by one. Words that no training document had are dropped from unseen ones.

    Attributes
    ----------
    state_ : kernels.online.State
        The expected counts.
    seed_ : int
        The seed that random_state stood for.
    """

    alpha: float = setting(0.1, "Prior of theta, per label.", check_positive)
    eta_w: float = setting(0.01, "Smoothing of phi, per word.", check_positive)
    n_passes: int = setting(
        10, "Passes of ``fit`` over its documents; ``partial_fit`` makes one.", check_count
    )
    burn_in: int = setting(1, "Passes over a document before the one that counts.", settings.check_whole)
    minibatch: int = setting(100, "Documents of an update, |M|.", check_count)
    steps: str = setting(
        "paper",
        """The update steps: "paper" (5.4.1), or "program", the authors', with a smaller step for phi' and a larger
        one for theta'. The paper's step of theta', about .002, leaves each topic with
        nearly all labels: a hundred topics then rank like one, and only the larger step lets them part. So with
        topics "program" is the default: on bibtex it raises average precision by document from .36 to .51.""",
        partial(check_one_of, STEPS),
    )
    n_documents: int | None = setting(
        None,
        "Documents of the whole corpus, C; None: those of X in ``fit``, those seen so far in ``partial_fit``.",
        settings.unless_none(check_count),
    )
    n_jobs: int | None = setting(
        None, "Threads of prediction, as in joblib; the bits are the same for any number."
    )
    verbose: int = setting(0, "Above 0 shows progress.")

    _learn = staticmethod(online.learn_labels)
    _n_topics, eta_y = 0, 1.0  # where they are no settings

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from X (D, W), word counts, and Y (D, C), 0/1 or bool, dense or sparse, in n_passes; return self.

        Documents come in their order, best a random one; those without words or without labels are left out.
        An interrupted fit changes nothing. With n_documents given, it is the same, bit for bit, as partial_fit of
        the documents with words and labels, pass after pass and cut anywhere between minibatches.

        Raises ValueError for counts that are negative, fractional or not finite, for Y of another length or with
        entries other than 0 and 1, for settings out of range, and when no document has both words and a label.
        """
        X, Y = settings.check_training(X, Y)
        self._start()
        self.state_.seen[online.GIVEN] = Y.shape[1]
        self._update(X, Y, self.n_documents or X.shape[0], self.n_passes)
        return self

    def partial_fit(self, X, Y, labels=None):
        """Go on learning from X (D, W) and Y (D, C) in one pass, as for ``fit``, or start with them; return self.

        Both may have more columns than before, at the right: new words and new labels, which take part as if their
        columns had been there, empty, from the first; but phi and phi' were smoothed over fewer columns till then,
        and the topics lacked what these labels start with. labels: how many columns Y will have at least, where that
        is known before; said once is enough.
        The last minibatch of a call may be a small one, and moves the counts as far as a whole one.
        Interrupted, the model is as after the last whole minibatch.

        Raises ValueError as ``fit`` does, but for no usable documents, which teach nothing; for fewer columns than
        before, and for another n_topics.
        """
        settings.check_settings(self)
        X = check_counts(X)
        Y = check_labels(Y, X.shape[0])
        settings.unless_none(check_count)(labels=labels)
        if not hasattr(self, "state_"):
            self._start()
        self._check_goes_on(X, Y)
        self.state_.seen[online.GIVEN] = Y.shape[1]
        Y.resize(Y.shape[0], max(labels or 0, Y.shape[1], self.n_labels_))
        usable = (X.getnnz(axis=1) > 0) & (Y.getnnz(axis=1) > 0)
        self._update(X[usable], Y[usable], self.n_documents or 0, 1)
        return self

    def decision_function(self, X):
        """Return the shares of each document's tokens on labels, (D, C) float64: its N^Z, normalised (4.5).

        Labels without training documents score 0. A document without known words gets what is before any word: each
        label the same, or with topics phi' averaged over them. What is learned is smoothed by the present settings.

        Raises ValueError where ``fit`` would, and for X of another number of words; NotFittedError before fit.
        """
        X = self._unseen(X)
        return self._gathered(self._blocks(X), X.shape[0])

    def score_blocks(self, X):
        return self._blocks(self._unseen(X))

    def _unseen(self, X):
        """Return the checked documents without the words that training never saw."""
        settings.check_settings(self)
        X = settings.check_unseen(self, X)
        X = X.multiply(self.state_.known[: X.shape[1]]).tocsr()
        X.eliminate_zeros()
        X.sort_indices()
        return X

    def _blocks(self, X):
        """Yield (rows, scores (n, C)) for a few of the documents that ``_unseen`` returns after the other."""
        parts, model = _batches(X, BLOCK), self._model()
        results = Run(self.n_jobs, None, self.verbose).each(
            (delayed(_predict)(model, X[rows]) for rows in parts), len(parts), "prediction"
        )
        yield from zip(parts, results, strict=True)

    def label_word_distributions(self):
        """Return phi (C, W) float64; each row sums to 1, those of labels without training documents are zeros."""
        check_is_fitted(self)
        model = self._model()
        return _by_word(model).T.toarray() + model.even[:, None]

    @property
    def n_features_in_(self):
        """Words, W: columns of X so far."""
        return self._seen(online.N_WORDS)

    @property
    def n_labels_(self):
        """Labels, C: columns of Y so far."""
        return self._seen(online.N_LABELS)

    @property
    def cardinality_(self):
        """Labels of a document seen so far, on average."""
        return self._seen(online.POSITIVES) / max(1, self._seen(online.DOCUMENTS))

    @property
    def n_minibatches_(self):
        """Updates so far; the count goes on through all passes and calls."""
        return self._seen(online.MINIBATCHES)

    def _seen(self, what):
        if not hasattr(self, "state_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return int(self.state_.seen[what])

    def _start(self):
        self.seed_ = self._seed()
        self.state_ = online.empty_state(self._n_topics)

    def _seed(self):
        return 0

    def _check_goes_on(self, X, Y):
        if self.state_.topic_totals.size != self._n_topics:
            raise ValueError(
                f"n_topics is {self._n_topics}, but the model has {self.state_.topic_totals.size}: fit it anew"
            )
        for table, name, columns in ((X, "X", "words"), (Y, "Y", "labels")):
            known = self._seen(online.N_WORDS if name == "X" else online.GIVEN)
            if table.shape[1] < known:
                raise ValueError(
                    f"{name} has {table.shape[1]} {columns}, but the model knows {known}: keep their columns, and "
                    "put new ones to the right"
                )

    def _update(self, X, Y, n_documents, n_passes):
        X.sort_indices()
        Y.sort_indices()
        self._widen(X.shape[1], Y.shape[1])
        parts = _batches(X, self.minibatch)
        with tqdm(total=len(parts) * n_passes, desc="minibatches", disable=not self.verbose) as bar:
            for number in range(n_passes):
                rates = self._rates(n_documents, number == 0)
                for rows in parts:
                    self._learn_batch(X[rows], Y[rows], rates)
                    bar.update()

    def _widen(self, n_words, n_labels):
        self.state_ = online.with_room(self.state_, n_words, n_labels)
        online.widen(self.state_, n_words, n_labels, word64(self.seed_, "online", "start"))

    def _learn_batch(self, X, Y, rates):
        sizes, n_topics = np.diff(Y.indptr), self.state_.topic_totals.size
        n_cells, most = int(np.diff(X.indptr).astype(np.int64) @ sizes), max(sizes.max(), n_topics)
        self.state_ = online.with_room(self.state_, self.n_features_in_, self.n_labels_, n_cells)
        cells = np.empty(n_cells, np.int64)
        batch = online.Minibatch(X.indptr, X.indices, X.data, Y.indptr, Y.indices, cells)
        online.place_cells(batch, self.state_)
        tables = np.empty(n_cells), np.empty((Y.nnz, n_topics)), np.empty(most), np.empty(2 * most)
        type(self)._learn(batch, self.state_, rates, online.Work(*tables))

    def _rates(self, n_documents, new):
        weights = float(self.eta_w), float(self.eta_y), float(self.alpha)
        return online.Rates(*weights, self.burn_in, np.array(STEPS[self.steps], float), n_documents, new)

    def _model(self):
        """Return the online_prediction.Model of the present counts and settings."""
        state, n_labels, n_words = self.state_, self.n_labels_, self.n_features_in_
        words, topics = state.scales[online.WORDS], state.scales[online.TOPICS]
        totals = words * state.label_totals[:n_labels]
        inverse = np.where(totals > 0, 1 / (totals + self.eta_w * n_words), 0.0)
        phi_topics = topics * state.topics[:n_labels] + self.eta_y
        phi_topics /= topics * state.topic_totals + self.eta_y * n_labels
        used = np.flatnonzero(state.cells.keys != online.FREE)
        used = used[np.argsort(state.cells.keys[used])]
        of_words, labels = np.divmod(state.cells.keys[used], 1 << online.LABEL_BITS)
        word_ptr = np.searchsorted(of_words, np.arange(n_words + 1))
        values = words * state.cells.values[used] * inverse[labels]
        tables = word_ptr, labels, values, self.eta_w * inverse, phi_topics
        rates = float(self.alpha), self.burn_in, np.array(STEPS[self.steps], float)
        return online_prediction.Model(*tables, *rates)


@configured
class SCVBDependency(SCVB):
    """SCVB-Dependency: Fast-Dependency-LLDA, learned greedily from a stream (Algorithm 2), with Algorithm 1 at test.

    In training phi learns from the words alone, lambda^W_c proportional to (N^phi_wc + eta_w) / (N^Z_c + W eta_w)
    over the document's labels (Eq. 14), and phi' from the document's labels as they are, each a token, lambda^T_k
    proportional to (N^phi'_ck + eta_y) / (N^Z'_k + C eta_y) (N^theta'_k + alpha) (Eq. 15). At test the two are
    multiplied (Eq. 13), for every label and topic.

    C_j is the document's word tokens, in training too, where the tokens of a pass are its labels (table 3); read as
    their number, topics hardly part. Where the paper is silent: C / |M| is counted in documents, for both. N^phi
    starts at 0 as in SCVB; in N^phi' each label starts with one token, spread over the topics by random shares (flat
    Dirichlet) that its number names, so that a label that comes late starts as if it had been there. Labels without
    training documents score 0.
    """

    n_topics: int = setting(100, "Topics over labels, T.", check_count, positional=True)
    eta_y: float = setting(0.01, "Smoothing of phi', per label.", check_positive)
    alpha: float = setting(0.1, "Prior of theta', per topic.", check_positive)
    steps: str = setting("program")
    random_state: int | np.random.RandomState | None = setting(None, "Seed; None for another each time.")

    _learn = staticmethod(online.learn_with_topics)

    @property
    def _n_topics(self):
        return self.n_topics

    def topic_label_distributions(self):
        """Return phi' (T, C) float64; each row sums to 1."""
        check_is_fitted(self)
        return np.ascontiguousarray(self._model().topics.T)

    def _seed(self):
        return settings.seed_of(self.random_state)


def _batches(X, size):
    return list(gen_batches(X.shape[0], size)) if X.shape[0] else []


def _predict(model, X):
    distinct, places = np.unique(X.indices, return_inverse=True)
    means = np.zeros((1, len(model.topics)))
    if model.topics.size:
        means = _by_word(model)[distinct] @ model.topics + model.even @ model.topics
    documents = online_prediction.Documents(X.indptr, places, X.data, distinct)
    return online_prediction.predict(model, documents, means)


def _by_word(model):
    return sparse.csr_matrix(
        (model.values, model.labels, model.word_ptr), (model.word_ptr.size - 1, model.even.size)
    )
