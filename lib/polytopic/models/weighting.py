"""How linear models weigh words, and what each word adds to their scores."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from polytopic.models import settings
from polytopic.models.explanations import LinearParts, keep_of
from polytopic.models.settings import configured, setting
from polytopic.validation import check_values

NORMS = {"sum": "l1", "l2": "l2"}
RECIPES = {  # of scikit-learn's TfidfTransformer
    "log": {"sublinear_tf": True, "use_idf": False},
    "idf": {"sublinear_tf": False},
    "tfidf": {"sublinear_tf": True},
}


@configured
class Weighted:
    """What a linear model does with a document's words before it looks at them, and what it says of them.

    The model has ``_word_weights``, (W, C), and ``_bases``, what is added to the words' parts of given scores (D, C).

    Attributes
    ----------
    tfidf_ : scikit-learn's TfidfTransformer
        The weights of words; only where ``normalize`` is "log", "idf" or "tfidf".
    """

    normalize: str | None = setting(
        "tfidf",
        """"sum" divides a document by the sum of its absolute values, "l2" by its Euclidean length. "log" takes
        1 + ln count, "idf" count (1 + ln((1 + D) / (1 + df))), df counted in training, and "tfidf" both; then they
        divide by the length. None takes X as it is. A document without words stays 0 and scores the intercept.""",
        settings.one_of(None, *NORMS, *RECIPES),
    )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.normalize in RECIPES
        return tags

    def explain(self, X, labels=None, top=None):
        """Return what each word adds to each document's scores: a list of ``explanations.LinearParts``.

        By default for all labels. labels (D, k), columns of Y for each document, and top, of each word the number of
        labels to which it adds most or from which it takes most, limit that. Raises as ``decision_function`` does,
        and ValueError for other labels and top.
        """
        scores = self.decision_function(X)
        X = settings.check_unseen(self, X, check_values)
        keep, features = keep_of(labels, top, scores.shape), self._weighed(X)
        found = []
        for d, (base, of_document) in enumerate(zip(self._bases(scores), scores.astype(float), strict=True)):
            own = slice(*X.indptr[d : d + 2])
            weights = sparse.csr_matrix(self._word_weights()[X.indices[own]], dtype=np.float64)
            parts = keep(d, sparse.csr_matrix(weights.multiply(features.data[own, None])))
            found.append(
                LinearParts(X.indices[own], X.data[own], sparse.csr_matrix(parts), base, of_document)
            )
        return found

    def words_of(self, label):
        """Return a label's weights of words, (W,). Raises NotFittedError, and IndexError for another label."""
        check_is_fitted(self)
        return dense(self._word_weights()[:, [range(self.n_labels_)[label]]])[:, 0]

    def labels_of(self, word):
        """Return a word's weights for labels, (C,). Raises NotFittedError, and IndexError for another word."""
        check_is_fitted(self)
        return dense(self._word_weights()[[range(self.n_features_in_)[word]]])[0]

    def _weigh(self, features):
        """Learn the weights of words from training features (D, W) CSR; return these, weighed."""
        if self.normalize in RECIPES:
            self.tfidf_ = TfidfTransformer(**RECIPES[self.normalize]).fit(features)
        return self._weighed(features)

    def _weighed(self, features):
        if self.normalize is None or features.shape[0] == 0:
            return features
        if self.normalize in RECIPES:
            if (features.data < 0).any():
                raise ValueError(
                    f"Negative values in data: {self.normalize!r} needs counts; use 'sum', 'l2' or None"
                )
            return self.tfidf_.transform(features)
        return normalize(features, NORMS[self.normalize])


def dense(table):
    """Return a sparse table as an array, an array as it is."""
    return table.toarray() if sparse.issparse(table) else table
