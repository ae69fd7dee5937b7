"""Programs of others for thousands of labels, as estimators: label trees of Omikuji and of napkinXC.

They are optional (the extra ``peers``) and read training documents from files, in a folder of their own
while they train. They rank only the labels that their search reaches; all others share the lowest score.
"""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer

from polytopic.models.settings import check_training

MISSING = "{} is not installed: pip install {}, or polytopic with the extra peers"


class Omikuji(BaseEstimator):
    """Trees of label clusters with linear classifiers at their nodes, on TF-IDF, as Omikuji trains them.

    kind "parabel" takes its defaults: three balanced binary trees (Prabhu et al. 2018). "bonsai" takes those of its
    shallow trees: 100 clusters a node, not balanced, depth 3 (Khandagale et al. 2020). n_reached labels get a score
    of their own, from a beam of so many nodes.
    """

    def __init__(self, kind="parabel", n_reached=100, beam_size=50):
        self.kind = kind
        self.n_reached = n_reached
        self.beam_size = beam_size

    def fit(self, X, Y):
        """Train on counts X (D, W) and labels Y (D, C)."""
        try:
            import omikuji
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(MISSING.format("Omikuji", "omikuji")) from error
        X, Y = check_training(X, Y)
        self.tfidf_, self.n_labels_ = TfidfTransformer(sublinear_tf=True).fit(X), Y.shape[1]
        settings = omikuji.Model.default_hyper_param()
        if self.kind == "bonsai":
            settings.cluster_balanced, settings.cluster_k, settings.max_depth = False, 100, 3
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "train.txt"
            _write(file, self.tfidf_.transform(X), Y)
            self.model_ = omikuji.Model.train_on_data(str(file), settings, n_threads=1)
        return self

    def decision_function(self, X):
        """Return the scores (D, C) float64; 0 for labels that were not reached."""
        scores = np.zeros((X.shape[0], self.n_labels_))
        weighed = self.tfidf_.transform(X)
        for i in range(X.shape[0]):
            row = weighed[[i]]
            pairs = list(zip(map(int, row.indices), map(float, row.data), strict=True))
            found = self.model_.predict(pairs, beam_size=self.beam_size, top_k=self.n_reached)
            for label, score in found:
                scores[i, label] = score
        return scores


class NapkinXC(BaseEstimator):
    """A probabilistic label tree as napkinXC trains it by default, on TF-IDF (Jasinska-Kobus et al. 2020)."""

    def __init__(self, n_reached=100, random_state=0):
        self.n_reached = n_reached
        self.random_state = random_state

    def fit(self, X, Y):
        """Train on counts X (D, W) and labels Y (D, C)."""
        try:
            from napkinxc.models import PLT
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(MISSING.format("napkinXC", "napkinxc")) from error
        X, Y = check_training(X, Y)
        self.tfidf_, self.n_labels_ = TfidfTransformer(sublinear_tf=True).fit(X), Y.shape[1]
        self.folder_ = tempfile.TemporaryDirectory()
        self.model_ = PLT(self.folder_.name, seed=self.random_state, threads=1)
        labels = np.split(Y.indices.astype(int), Y.indptr[1:-1])
        self.model_.fit(self.tfidf_.transform(X), [own.tolist() for own in labels])
        return self

    def decision_function(self, X):
        """Return the probabilities (D, C) float64; 0 for labels that were not reached."""
        scores = np.zeros((X.shape[0], self.n_labels_))
        found = self.model_.predict_proba(self.tfidf_.transform(X), top_k=self.n_reached)
        for i, pairs in enumerate(found):
            for label, score in pairs:
                scores[i, label] = score
        return scores


def _write(file, X, Y):
    """Write documents in the form of the Extreme Classification Repository."""
    with open(file, "w", encoding="ascii") as lines:
        lines.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for i in range(X.shape[0]):
            words, own = slice(*X.indptr[i : i + 2]), slice(*Y.indptr[i : i + 2])
            labels = ",".join(map(str, Y.indices[own]))
            pairs = zip(X.indices[words], X.data[words], strict=True)
            lines.write(f"{labels} {' '.join(f'{j}:{value:.6g}' for j, value in pairs)}\n")
