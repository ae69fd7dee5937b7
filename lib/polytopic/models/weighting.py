"""How linear models weigh words, and how they choose between settings on training documents."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import KFold

from polytopic.metrics import ranking
from polytopic.models import settings
from polytopic.models.explanations import LinearParts, keep_of
from polytopic.models.settings import configured, setting
from polytopic.validation import check_values

N_FOLDS = 3
RECIPES = {  # of scikit-learn's TfidfTransformer
    "log": {"sublinear_tf": True, "use_idf": False},
    "idf": {"sublinear_tf": False},
    "tfidf": {"sublinear_tf": True},
}


@configured
class Weighted:
    """What a linear model does with a document's words before it looks at them.

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
        settings.one_of(None, "sum", "l2", *RECIPES),
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
            weights = sparse.csr_matrix(self._weights_of(X.indices[own]), dtype=np.float64)
            parts = keep(d, sparse.csr_matrix(weights.multiply(features.data[own, None])))
            found.append(
                LinearParts(X.indices[own], X.data[own], sparse.csr_matrix(parts), base, of_document)
            )
        return found

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
        sums = self.normalize == "sum"
        size = abs(features).sum(axis=1).A1 if sums else np.sqrt(features.power(2).sum(axis=1).A1)
        scaled = features.copy()
        scaled.data /= np.repeat(size, np.diff(features.indptr))
        return scaled


def chosen(candidates, scored, features, labels, seed):
    """Return the candidate whose scores have the best average precision outside of training; of several the first.

    That is the mean of those by document and by label, over three folds of documents. scored(features, labels,
    others) yields the scores of others (n, C) by each candidate trained on features and labels. A label without a
    document on both sides of a fold does not count there. Raises ValueError where that leaves none.
    """
    candidates = list(candidates)
    if len(candidates) == 1:
        return candidates[0]
    total, folds = np.zeros(len(candidates)), KFold(N_FOLDS, shuffle=True, random_state=seed % 2**32)
    n_used = 0
    for rest, own in folds.split(features) if features.shape[0] >= N_FOLDS else ():
        seen = np.flatnonzero(labels[rest].getnnz(axis=0))
        truth = labels[own][:, seen]
        if truth.nnz == 0:
            continue
        n_used += 1
        for k, scores in enumerate(scored(features[rest], labels[rest][:, seen], features[own])):
            pivots = (ranking(truth, scores, pivot)["average_precision"] for pivot in ("document", "label"))
            total[k] += sum(pivots)
    if n_used == 0:
        raise ValueError(
            "no label has documents in two folds: give one value instead of several to choose from"
        )
    return candidates[int(np.argmax(total))]
