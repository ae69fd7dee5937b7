"""Unsupervised LDA by collapsed Gibbs sampling or by CVB0, and its predictions for unseen documents."""

import numpy as np
from joblib import hash as digest
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import gen_batches
from tqdm.auto import tqdm

from polytopic.kernels import cvb0, topic_samples
from polytopic.kernels.documents import Documents, Schedule
from polytopic.models import settings, topic_chains
from polytopic.models.chains import Run
from polytopic.models.classifier import CountsOnly
from polytopic.models.estimators import ESTIMATORS, distribution
from polytopic.models.settings import configured, setting
from polytopic.streams import document_names, word64
from polytopic.validation import check_count, check_counts, check_not_negative, check_one_of, check_positive

VARIATIONAL = ("cvb0", "hybrid")  # estimators of ``transform`` that are no reading of a sample
DOCUMENTS_A_STEP = 100


@configured
class LDA(
    CountsOnly,
    settings.PredictionChains,
    settings.Seeded,
    settings.Kept,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """LDA of words, trained by collapsed Gibbs sampling (``method="cgs"``) or by CVB0 (``method="cvb0"``).

    The defaults are those of Papanikolaou et al., section 4.3.1: one chain of 50 sweeps, one sample.

    Memory: training by sampling grows with the tokens and with W x T; CVB0 keeps T float32 for each distinct pair of
    document and word besides, and D x T and W x T float64. ``transform`` keeps D x T.

    Attributes
    ----------
    components_ : (T, W) float64
        phi; rows sum to 1.
    n_sweeps_ : int
        Sweeps done.
    assignments_ : (N,) uint16
        The last state's topics of all tokens, in order of documents and of words within each; only of method="cgs".
    n_features_in_ : int
        Words, W.
    seed_ : int
        The seed that random_state stood for.
    """

    n_topics: int = setting(100, "Topics, T.", check_count, positional=True)
    method: str = setting("cgs", '"cgs" or "cvb0".', settings.one_of("cgs", "cvb0"))
    alpha: float = setting(0.1, "Prior of theta, per topic.", check_positive)
    beta_w: float = setting(0.1, "Prior of phi, per word.", check_positive)
    n_sweeps: int = setting(500, "Sweeps of training over all tokens.", settings.check_whole)
    tolerance: float = setting(
        0.0,
        """CVB0 stops before when a sweep moves a token's responsibilities by less than this on average, in total
        variation; 0 never stops.""",
        check_not_negative,
    )
    phi_estimator: str = setting(
        "cgs",
        """"cgs" smooths the last state's counts (Eq. 2), "cgs_p" its tokens' conditional distributions instead
        (journal version of Papanikolaou et al., 2017); CVB0 has the first only.""",
        settings.one_of("cgs", "cgs_p"),
    )
    n_test_chains: int = setting(1)
    burn_in: int = setting(50)
    n_samples: int = setting(1)
    lag: int = setting(5)
    n_passes: int = setting(50, "The most passes of CVB0 over an unseen document.", check_count)

    @settings.all_or_nothing
    def fit(self, X, y=None):
        """Learn the topics of X (D, W), word counts, dense or sparse; y is ignored.

        Raises ValueError for counts that are negative, fractional or not finite, for settings out of range, and when
        no document has a word.
        """
        X = check_counts(X)
        settings.check_size(X)
        if X.nnz == 0:
            raise ValueError("no training document has a word: there is nothing to learn from")
        X.sort_indices()
        self.n_features_in_ = X.shape[1]
        self.seed_ = settings.seed_of(self.random_state)
        run = Run(None, settings.memory_of(self.memory))
        train = run.cached(_sampled if self.method == "cgs" else _responsible, ignore=["X", "verbose"])
        given = (self.n_topics, float(self.alpha), float(self.beta_w), self.n_sweeps)
        if self.method == "cgs":
            self.assignments_ = train(X, digest(X), *given, word64(self.seed_, "lda", "chain"), self.verbose)
            self.n_sweeps_ = self.n_sweeps
            z, alpha = self.assignments_, np.full(self.n_topics, float(self.alpha))
            self.components_ = phi_of(X, z, self.n_topics, alpha, self.beta_w, self.phi_estimator)
        else:
            name = word64(self.seed_, "cvb0", "start")
            n_wt, self.n_sweeps_ = train(X, digest(X), *given, self.tolerance, name, self.verbose)
            self.components_ = _smoothed(n_wt, self.beta_w)
        return self

    def transform(self, X, estimator=None):
        """Return theta (D, T) float64 of unseen documents, phi fixed; rows sum to 1.

        estimator: a name of ``models.estimators.ESTIMATORS``, each from the very same samples; "cvb0": CVB0 with phi
        fixed from a random start; or "hybrid": CVB0 from where the chains end. None takes "cgs" or "cvb0", as the
        model was trained. A document without words gets the prior, alpha's own distribution. The random numbers of
        a document are named by the seed, the chain and ``streams``.

        Raises ValueError where fit would, for another number of words or an unknown estimator; NotFittedError before
        fit.
        """
        return self.estimates(X, [estimator or self.method])[0]

    @property
    def _n_features_out(self):
        """The number of topics, for the names of the table that ``set_output`` may ask for."""
        return len(self.components_)

    def estimates(self, X, estimators):
        """Return theta (len(estimators), D, T) by several estimators, all from one run of the chains."""
        settings.check_settings(self)
        for estimator in estimators:
            check_one_of([*ESTIMATORS, *VARIATIONAL], estimator=estimator)
        X = settings.check_unseen(self, X)
        if not X.shape[0]:
            return np.zeros((len(estimators), 0, len(self.components_)))
        X.sort_indices()
        sampled = any(estimator != "cvb0" for estimator in estimators)
        sums, states = self._sample(X, estimators) if sampled else (None, None)
        return np.stack([self._theta(X, estimator, sums, states) for estimator in estimators])

    def _theta(self, X, estimator, sums, states):
        alpha = self._alpha()
        if estimator in VARIATIONAL:
            n_dt = self._passes(X, states if estimator == "hybrid" else None)
            return distribution(n_dt / self.n_test_chains, alpha, adds_prior=True)
        recipe = ESTIMATORS[estimator]
        n_samples = self.n_test_chains * self.n_samples
        return distribution(getattr(sums, recipe.summed) / n_samples, alpha, recipe.adds_prior)

    def _sample(self, X, estimators):
        (ptr, words, _), phi = topic_chains.by_document(X), np.ascontiguousarray(self.components_.T)
        alpha, chains = self._alpha(), self._chains()
        schedule = Schedule(self.burn_in, self.n_samples, self.lag, self.n_test_chains)
        conditionals = any(ESTIMATORS[e].summed != "assigned" for e in estimators if e in ESTIMATORS)
        sums = topic_samples.sums(X.shape[0], alpha.size)
        states, names = np.zeros((self.n_test_chains, words.size), np.int32), document_names(X, self.streams)
        steps = list(gen_batches(X.shape[0], DOCUMENTS_A_STEP))
        for rows in tqdm(steps, desc="documents", disable=not self.verbose):
            some = Documents(ptr[rows.start : rows.stop + 1], words, names[rows])
            totals = topic_samples.Sums(*(table[rows] for table in sums))
            topic_samples.sample(some, phi, alpha, schedule, chains, conditionals, totals, states)
        return sums, states

    def _passes(self, X, states):
        totals = np.zeros((X.shape[0], len(self.components_)))
        phi, limits = np.ascontiguousarray(self.components_.T), (self.n_passes, float(self.tolerance))
        start = np.zeros((self.n_test_chains, 1), np.int32) if states is None else states
        given = pairs_of(X, self.streams), phi, self._alpha(), *limits, self._chains()
        cvb0.predict(*given, start, states is not None, totals)
        return totals

    def _chains(self):
        names = [word64(self.seed_, "lda", "test", k) for k in range(self.n_test_chains)]
        return np.array(names, np.uint64)

    def _alpha(self):
        return np.full(len(self.components_), float(self.alpha))

    def _check_together(self):
        if self.method == "cvb0" and self.phi_estimator != "cgs":
            raise ValueError("phi_estimator='cgs_p' reads a sample, and CVB0 draws none: leave it at 'cgs'")


def phi_of(X, z, n_topics, alpha, beta, phi_estimator="cgs"):
    """Return phi (T, W), whose rows sum to 1, of the state z (N,) of X (D, W) CSR, by "cgs" (Eq. 2) or "cgs_p"."""
    documents = _documents(X)
    n_wt = np.zeros((X.shape[1], n_topics))
    np.add.at(n_wt, (documents.words, z), 1)
    if phi_estimator == "cgs_p":
        phi = np.ascontiguousarray(_smoothed(n_wt, beta).T)
        n_wt = topic_samples.conditional_word_counts(documents, z.astype(np.int32), phi, alpha)
    return _smoothed(n_wt, beta)


def training_sums(X, z, phi, alpha):
    """Return the Sums of one state z (N,) of the documents X (D, W) CSR themselves, phi (T, W), alpha (T,)."""
    sums = topic_samples.sums(X.shape[0], alpha.size)
    z = np.asarray(z, np.int32)
    topic_samples.read_states(_documents(X), np.ascontiguousarray(phi.T), alpha, z, sums)
    return sums


class Responsibilities:
    """CVB0 over X (D, W) CSR, sweep by sweep. alpha (T,) per topic, beta per word.

    Starts at random, named by the 64-bit word ``name``, or from the state z (N,) of a sampler. ``state`` is
    ``kernels.cvb0``'s, with gamma a row for each non-zero count.
    """

    def __init__(self, X, alpha, beta, name=0, z=None):
        self.alpha, self.beta = alpha, float(beta)
        self._pairs, self._row = pairs_of(X), np.zeros(alpha.size)
        if z is None:
            name = np.array([name], np.uint64)
            self.state = cvb0.start(self._pairs, X.shape[1], alpha.size, name)
        else:
            phi = np.ascontiguousarray(phi_of(X, z, alpha.size, alpha, beta).T)
            z = np.asarray(z, np.int32)
            self.state = cvb0.start_from_samples(self._pairs, X.shape[1], phi, alpha, z)

    def sweep(self):
        """Update every pair once; return how far a token's responsibilities moved on average."""
        return cvb0.sweep(self._pairs, self.state, self.alpha, self.beta, self._row)

    def phi(self):
        """Return phi (T, W); rows sum to 1."""
        return _smoothed(self.state.n_wt, self.beta)

    def theta(self):
        """Return theta (D, T); rows sum to 1."""
        return distribution(self.state.n_dt, self.alpha, adds_prior=True)


def pairs_of(X, streams="row"):
    """Return the Pairs of X (D, W) CSR with sorted indices; their random numbers are named as ``streams`` says."""
    return cvb0.Pairs(*topic_chains.arrays(X), document_names(X, streams))


def _documents(X):
    tokens = topic_chains.by_document(X)
    return Documents(tokens.ptr, tokens.items, document_names(X, "row"))


def _sampled(X, key, n_topics, alpha, beta, n_sweeps, name, verbose, code):
    chain = topic_chains.Chain(X, n_topics, alpha, beta, name)
    for _ in tqdm(range(n_sweeps), desc="sweeps", disable=not verbose):
        chain.advance(1)
    return chain.assignments()


def _responsible(X, key, n_topics, alpha, beta, n_sweeps, tolerance, name, verbose, code):
    passes = Responsibilities(X, np.full(n_topics, alpha), beta, name)
    for done in tqdm(range(1, n_sweeps + 1), desc="sweeps", disable=not verbose):
        if passes.sweep() < tolerance:
            return passes.state.n_wt, done
    return passes.state.n_wt, n_sweeps


def _smoothed(n_wt, beta):
    """Return phi (T, W) from tokens of words on topics (W, T)."""
    phi = n_wt.T + beta
    return phi / phi.sum(axis=1, keepdims=True)
