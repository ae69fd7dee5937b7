"""PD-Sparse, a sparse linear model that meets only the labels that matter to a document (Yen et al. 2016)."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from tqdm.auto import tqdm

from polytopic.kernels import pd_sparse as kernel
from polytopic.models import settings, topic_chains
from polytopic.models.classifier import RankingClassifier
from polytopic.models.settings import configured, setting
from polytopic.streams import stream
from polytopic.validation import check_count, check_not_negative, check_positive, check_values

MOST_DOUBLE = 1 << 28  # cells of the table that are float64
BLOCK_CELLS = 1 << 24


@configured
class PDSparse(RankingClassifier, settings.Seeded, BaseEstimator):
    """Linear scores W'x that minimise |W|^2 / 2 + penalty |W|_1 + C sum over documents of the separation loss.

    That loss is max(0, 1 + z_n - z_p) over the label n that ranks highest of those that the document lacks and the
    label p that ranks lowest of those it has. The dual problem is solved by fully corrective block-coordinate
    Frank-Wolfe: a visit to a document takes in these two labels and moves the dual variables of all that it has come
    across so far. ``penalty`` .1 and 50 passes are the defaults of the authors' program; its page has 1.0 and 20.
    Documents without labels, or with all of them, have no loss.

    More passes bring the objective down, which is no promise for rankings.

    Attributes
    ----------
    coef_ : (W, C) CSR float64
        The weights of words.
    objective_ : float
        Of the problem.
    dual_objective_ : float
        Of its dual, below the former; they meet in the solution.
    """

    penalty: float = setting(0.1, "Weight of the L1 norm.", check_not_negative, positional=True)
    C: float = setting(1.0, "Weight of a document's loss.", check_positive)
    n_passes: int = setting(50, "Visits to every document.", check_count)
    verbose: int = setting(0, "Above 0 shows progress.")

    @settings.all_or_nothing
    def fit(self, X, Y=None):
        """Learn from X (D, W), finite numbers, and Y (D, C), 0/1 or bool, dense or sparse; return self.

        The order of documents is drawn anew for each pass. It takes a dense table of W x C numbers, float64 where
        they are up to 268 million and float32 beyond. Raises ValueError for other entries, for Y of another length,
        without documents, and for settings out of range.
        """
        X, Y = settings.check_features(X, Y)
        (n_documents, n_words), n_labels = X.shape, Y.shape[1]
        seed = settings.seed_of(self.random_state)
        words, labels = topic_chains.arrays(X, float), topic_chains.arrays(Y)[:2]
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        room = min(n_labels, 2 * self.n_passes) + 2
        dual, active = np.zeros((n_documents, room)), np.zeros((n_documents, room), np.int32)
        n_active, scratch = np.zeros(n_documents, np.int64), (np.zeros(n_labels), np.zeros((2, room)))
        sums = np.zeros((n_words, n_labels), np.float64 if n_words * n_labels <= MOST_DOUBLE else np.float32)
        for number in tqdm(range(self.n_passes), desc="passes", disable=not self.verbose):
            order = stream(seed, "pd-sparse", number).permutation(n_documents)
            kernel.sweep(
                order, words, labels, squares, float(self.penalty), float(self.C),
                dual, active, n_active, sums, *scratch,
            )  # fmt: skip
        self.n_features_in_, self.n_labels_, self.cardinality_ = n_words, n_labels, Y.nnz / n_documents
        self.coef_ = self._weights(sums)
        loss = kernel.losses(words, labels, sums, float(self.penalty), scratch[0])
        half = 0.5 * float(np.square(self.coef_.data).sum())
        self.objective_ = half + self.penalty * float(np.abs(self.coef_.data).sum()) + self.C * loss
        present = np.arange(room) < n_active[:, None]
        self.dual_objective_ = float(dual[present & (dual > 0)].sum()) - half
        return self

    def decision_function(self, X):
        """Return the scores (D, C) float64; the labels that nothing speaks for or against have 0.

        Raises ValueError for X of another number of words or entries that are not finite; NotFittedError before fit.
        """
        X = settings.check_unseen(self, X, check_values)
        return (X @ self.coef_).toarray()

    def _weights(self, sums):
        """Return the sums shrunk by the penalty, (W, C) CSR float64, made of as many words at a time as fit."""
        blocks = gen_batches(len(sums), max(1, BLOCK_CELLS // max(1, sums.shape[1])))
        parts = [sparse.csr_matrix(sums[words] * (np.abs(sums[words]) > self.penalty)) for words in blocks]
        found = sparse.vstack(parts, format="csr", dtype=float)
        found.data -= np.copysign(self.penalty, found.data)
        return found
