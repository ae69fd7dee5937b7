"""Chains of unsupervised LDA side by side: sixteen share what they read of the corpus, and each takes a fraction.

They draw from the same posterior as the chains of ``topic_chains``, by random numbers of their own. The same name and
arguments mean the same bits, whatever chains run beside; a chain of that name in ``topic_chains`` has others.
"""

import numpy as np
from joblib import delayed
from joblib import hash as digest

from polytopic.kernels import lda_lanes, lda_lanes_tree
from polytopic.kernels.simd import LANES
from polytopic.models import topic_chains
from polytopic.streams import word64
from polytopic.validation import check_one_of

SAMPLERS = {"lanes": lda_lanes, "lanes_tree": lda_lanes_tree}


class Chains:
    """One to sixteen chains over a corpus X (D, W) CSR of counts or of bool, each named by a 64-bit word.

    Arguments and errors are those of ``topic_chains.Chain``, but sampler is "lanes" or "lanes_tree", by default the
    one that ``cheapest`` names, and start (chains, N) has a row for each chain. Raise ValueError for another number
    of names or of rows, too.
    """

    def __init__(self, X, n_topics, alpha, beta, names, sampler=None, start=None):
        if not 1 <= len(names) <= LANES:
            raise ValueError(f"1 to {LANES} chains run side by side, got {len(names)} names")
        self.sampler = sampler or cheapest(X, n_topics)
        check_one_of(SAMPLERS, sampler=self.sampler)
        without_documents = topic_chains.Chain(X[:0], n_topics, alpha, beta, 0, "tree")  # checks the rest
        self.alpha, self.beta = without_documents.alpha, without_documents.beta
        self._kernel, self._n_chains, self._X = SAMPLERS[self.sampler], len(names), X
        self._tokens = topic_chains.by_item(X)
        self._random = topic_chains.generators(*names, *[0] * (LANES - len(names)))
        self._state = self._kernel.init(self._tokens, self._start(start), n_topics)
        self._work = self._kernel.workspace(self._tokens, self.alpha)

    def _start(self, start):
        """Return the first topics, (N, LANES), in order of items."""
        z = np.zeros((self._tokens.docs.size, LANES), np.uint16)
        if start is None:
            lda_lanes.start(z, self.alpha.size, self._random)
            return z
        if np.shape(start) != (self._n_chains, len(z)):
            raise ValueError(f"start must be ({self._n_chains}, {len(z)}), got {np.shape(start)}")
        z[:, : self._n_chains] = np.asarray(start)[:, topic_chains.document_order(self._tokens)].T
        return z

    def advance(self, n_sweeps):
        """Sweep over all tokens n_sweeps times in every chain; return the chains."""
        for _ in range(n_sweeps):
            self._kernel.sweep(self._tokens, self._state, self.alpha, self.beta, self._random, self._work)
        return self

    def assignments(self):
        """Return the topics of all tokens, (chains, N) uint16, in order of documents and of items within each."""
        z = np.empty((self._n_chains, self._tokens.docs.size), np.uint16)
        by_item = self._kernel.topics_of(self._state)[:, : self._n_chains]
        z[:, topic_chains.document_order(self._tokens)] = by_item.T
        return z

    def counts(self):
        """Return the Counts of each chain's present state, a list."""
        given = self._X, self.alpha.size, self.alpha, self.beta, 0, "tree"
        return [topic_chains.Chain(*given, start=z).counts() for z in self.assignments()]


def cheapest(X, n_topics):
    """Return the name of the sampler that should take least time over X (D, W) CSR: "lanes" or "lanes_tree".

    Weighing all topics takes longer the more there are, the tree the longer the documents, whose topics it weighs one
    by one. Nanoseconds a token and chain: with 110 tokens a document 24 and 42 at 100 topics, 46 and 57 at 200, 115
    and 67 at 500; with 6 tokens 61 and 39 at 200. The rule is the same on every machine: a seed means the same bits.
    """
    lengths = np.asarray(X.sum(axis=1), dtype=float).ravel()
    met = lengths @ lengths / max(lengths.sum(), 1.0)  # the mean over tokens of their documents' lengths
    return "lanes" if n_topics <= 100 + 1.5 * met else "lanes_tree"


def train_topics(Y, n_topics, gamma, beta, n_chains, n_sweeps, seed, run, sampler=None):
    """Return what ``chains.train_topics`` does, from chains side by side, in groups of sixteen."""
    unit = run.cached(_topic_chains, ignore=["Y"])
    given = Y, digest(Y), n_topics, float(gamma), float(beta), n_sweeps
    groups = groups_of([word64(seed, "topics", "chain", k) for k in range(n_chains)])
    calls = (delayed(unit)(*given, names, sampler) for names in groups)
    return [counts for group in run.each(calls, len(groups), "topics") for counts in group]


def _topic_chains(Y, key, n_topics, gamma, beta, n_sweeps, names, sampler, code):
    ends = Chains(Y, n_topics, gamma, beta, names, sampler).advance(n_sweeps).counts()
    return [counts.item_topics.T.tocsr() for counts in ends]


def groups_of(names):
    """Return the names in lists of as many as run side by side."""
    return [names[k : k + LANES] for k in range(0, len(names), LANES)]
