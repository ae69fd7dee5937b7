"""Programs of others for thousands of labels, as estimators: label trees of Omikuji and of napkinXC.

They are optional (the extra ``peers``) and read training documents from files, in a folder of their own
while they train. They rank only the labels that their search reaches; all others share the lowest score.
"""

import importlib
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer

from polytopic.models.settings import check_training


class Peer(BaseEstimator):
    """A program of others on TF-IDF. ``module`` is what it needs; it has ``_train`` and ``_reached``."""

    def fit(self, X, Y):
        """Train on counts X (D, W) and labels Y (D, C)."""
        try:
            importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            missing = f"{self.module} is not installed: pip install {self.module}, or polytopic with the extra peers"
            raise ModuleNotFoundError(missing) from error
        X, Y = check_training(X, Y)
        self.tfidf_, self.n_labels_ = TfidfTransformer(sublinear_tf=True).fit(X), Y.shape[1]
        self.model_ = self._train(self.tfidf_.transform(X), Y)
        return self

    def decision_function(self, X):
        """Return the scores (D, C) float64; 0 for labels that were not reached."""
        scores = np.zeros((X.shape[0], self.n_labels_))
        for i, pairs in enumerate(self._reached(self.tfidf_.transform(X))):
            for label, score in pairs:
                scores[i, label] = score
        return scores


class Omikuji(Peer):
    """Trees of label clusters with linear classifiers at their nodes, as Omikuji trains them.

    kind "parabel" takes its defaults: three balanced binary trees (Prabhu et al. 2018). "bonsai" takes those of its
    shallow trees: 100 clusters a node, not balanced, depth 3 (Khandagale et al. 2020). n_reached labels get a score
    of their own, from a beam of as many nodes.
    """

    module = "omikuji"

    def __init__(self, kind="parabel", n_reached=100, beam_size=50):
        self.kind = kind
        self.n_reached = n_reached
        self.beam_size = beam_size

    def _train(self, X, Y):
        from omikuji import Model

        settings = Model.default_hyper_param()
        if self.kind == "bonsai":
            settings.cluster_balanced, settings.cluster_k, settings.max_depth = False, 100, 3
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "train.txt"
            _write(file, X, Y)
            return Model.train_on_data(str(file), settings, n_threads=1)

    def _reached(self, X):
        for i in range(X.shape[0]):
            row = X[[i]]
            pairs = list(zip(map(int, row.indices), map(float, row.data), strict=True))
            yield self.model_.predict(pairs, beam_size=self.beam_size, top_k=self.n_reached)


class NapkinXC(Peer):
    """A probabilistic label tree as napkinXC trains it by default (Jasinska-Kobus et al. 2020)."""

    module = "napkinxc"

    def __init__(self, n_reached=100, random_state=0):
        self.n_reached = n_reached
        self.random_state = random_state

    def _train(self, X, Y):
        from napkinxc.models import PLT

        self.folder_ = tempfile.TemporaryDirectory()
        model = PLT(self.folder_.name, seed=self.random_state, threads=1)
        labels = np.split(Y.indices.astype(int), Y.indptr[1:-1])
        model.fit(X, [own.tolist() for own in labels])
        return model

    def _reached(self, X):
        return self.model_.predict_proba(X, top_k=self.n_reached)


def _write(file, X, Y):
    """Write documents in the form of the Extreme Classification Repository."""
    with open(file, "w", encoding="ascii") as lines:
        lines.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for i in range(X.shape[0]):
            words, own = slice(*X.indptr[i : i + 2]), slice(*Y.indptr[i : i + 2])
            labels = ",".join(map(str, Y.indices[own]))
            pairs = zip(X.indices[words], X.data[words], strict=True)
            lines.write(f"{labels} {' '.join(f'{j}:{value:.6g}' for j, value in pairs)}\n")
