"""A model to keep and to hand on: with its vectoriser, the names of words and labels, and where it comes from."""

import hashlib
import json
import os
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_is_fitted

import polytopic
from polytopic.files import write_whole
from polytopic.packing import pack, unpack
from polytopic.validation import check_count

MODEL, ARRAYS = "model.json", "arrays.npz"
FORMAT = 1  # of the files; a change of it comes with an entry in MIGRATIONS
MIGRATIONS = {}  # {format: what makes a head of the next one of its head}
CHUNK = 1 << 22


class DamagedModel(ValueError):
    """A kept model is cut short or altered."""


@dataclass(frozen=True)
class Labeller:
    """A fitted model of the library, with what is needed to label texts and to say by whom they were labelled.

    ``model`` is any of the library's estimators, the hybrid included, fitted to counts of the words ``vocabulary``
    (W,) and labels ``label_names`` (C,). ``vectorizer``, a scikit-learn vectoriser or None, counts the words of
    texts; without one, counts are handed in. ``corpus`` says what the model learned from: name, digest, documents.
    """

    model: object
    vocabulary: tuple
    label_names: tuple
    vectorizer: object = None
    corpus: dict = field(default_factory=dict)

    @classmethod
    def of(cls, model, corpus, vectorizer=None):
        """Return the Labeller of a model that was fitted to (part of) a Corpus.

        Raises NotFittedError before fit, ValueError where the model, the vectoriser and the corpus have different
        numbers of words.
        """
        check_is_fitted(model)
        known = {"the model": getattr(model, "n_features_in_", corpus.n_words)}
        if vectorizer is not None:
            known["the vectorizer"] = len(vectorizer.get_feature_names_out())
        for whose, n_words in known.items():
            if n_words != corpus.n_words:
                raise ValueError(
                    f"{whose} has {n_words} words and {corpus.name} {corpus.n_words}: are they of one kind?"
                )
        facts = {"name": corpus.name, "digest": corpus.digest, "documents": corpus.n_documents}
        return cls(model, corpus.vocabulary, corpus.label_names, vectorizer, facts)

    def suggest(self, documents, k=5, probabilities=False):
        """Return the k likeliest labels of each document, best first: a list of lists of (label, score).

        documents are texts, where there is a vectoriser, or counts (D, W). Scores are the model's, or probabilities
        where it gives any; fewer labels than k are all returned. Ties keep the order of the labels. Raises ValueError
        for texts without a vectoriser, and for probabilities of a model that has none.
        """
        check_count(k=k)
        if probabilities and not hasattr(self.model, "predict_proba"):
            raise ValueError(f"{type(self.model).__name__} gives no probabilities: HybridClassifier does")
        X = self.counts(documents)
        k = min(k, len(self.label_names))
        if hasattr(self.model, "top_labels") and not probabilities:
            labels, scores = self.model.top_labels(X, k)
        else:
            every = np.asarray(
                (self.model.predict_proba if probabilities else self.model.decision_function)(X)
            )
            labels = np.argsort(-every, axis=1, kind="stable")[:, :k]
            scores = np.take_along_axis(every, labels, axis=1)
        return [
            [(self.label_names[label], float(score)) for label, score in zip(*row, strict=True)]
            for row in zip(labels, scores, strict=True)
        ]

    def counts(self, documents):
        """Return the word counts (D, W) of texts; counts stay as they are. Raises ValueError as ``suggest``."""
        if isinstance(documents, str):
            raise ValueError("documents is one text: put it into a list")
        is_texts = isinstance(documents, (list, tuple)) and all(isinstance(one, str) for one in documents)
        if not is_texts:
            return documents
        if self.vectorizer is None:
            raise ValueError(
                "this model was kept without a vectorizer: hand in counts (D, W) of its vocabulary"
            )
        return self.vectorizer.transform(documents)

    def save(self, folder):
        """Write the model into a folder: model.json and arrays.npz, plain data. One that is there is replaced.

        Whoever finds model.json finds the arrays that belong to it. Raises Unpackable, with nothing written, for a
        model that holds anything but data; OSError for a full disk, with what was there left as it was.
        """
        folder = Path(folder)
        tree, arrays = pack({"model": self.model, "vectorizer": self.vectorizer})
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=f".{ARRAYS}.", suffix=".part")
        try:
            with open(handle, "wb") as file:
                np.savez(file, **arrays)
            head = {
                "format": FORMAT,
                "polytopic": polytopic.__version__,
                "made": time.strftime("%Y-%m-%d", time.gmtime()),
                "class": type(self.model).__name__,
                "corpus": self.corpus,
                "vocabulary": list(self.vocabulary),
                "label_names": list(self.label_names),
                "arrays": {"bytes": os.path.getsize(draft), "sha256": _checksum(draft)},
                "state": tree,
            }
            head = {"checksum": _digest(head)} | head
            (folder / MODEL).unlink(missing_ok=True)
            os.replace(draft, folder / ARRAYS)
        finally:
            Path(draft).unlink(missing_ok=True)
        write_whole(folder / MODEL, json.dumps(head, ensure_ascii=False, allow_nan=False) + "\n")

    @classmethod
    def load(cls, folder):
        """Return the Labeller that ``save`` wrote into a folder. Nothing in the files is executed.

        Raises FileNotFoundError where there is none; DamagedModel for files that are cut short or altered, naming
        the one; ValueError for a model of a newer version of the library, and for a class that is not known.
        """
        folder = Path(folder)
        head = _read_head(folder / MODEL)
        path, known = folder / ARRAYS, head["arrays"]
        if not path.is_file():
            raise DamagedModel(f"{path} is missing: the model is kept in {MODEL} and {ARRAYS} together")
        if os.path.getsize(path) != known["bytes"] or _checksum(path) != known["sha256"]:
            raise DamagedModel(f"{path} is not what was written with {MODEL}: copy both files again")
        try:
            with np.load(path, allow_pickle=False) as arrays:
                found = unpack(head["state"], arrays)
        except (zipfile.BadZipFile, KeyError, OSError, EOFError) as error:
            raise DamagedModel(f"{path} cannot be read ({error}): copy both files again") from error
        names = tuple(head["vocabulary"]), tuple(head["label_names"])
        return cls(found["model"], *names, found["vectorizer"], head["corpus"])


def _read_head(path):
    if not path.is_file():
        raise FileNotFoundError(f"there is no model in {path.parent}: {MODEL} is missing")
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
        checksum, number = head.pop("checksum"), head["format"]
    except (ValueError, KeyError, AttributeError) as error:
        raise DamagedModel(f"{path} is not whole ({error}): copy it again") from error
    if checksum != _digest(head):
        raise DamagedModel(f"{path} was altered: its checksum is of another content; copy it again")
    while number in MIGRATIONS:
        head = MIGRATIONS[number](head)
        number = head["format"]
    if number != FORMAT:
        raise ValueError(
            f"{path} has format {number}, written by polytopic {head['polytopic']}, and polytopic "
            f"{polytopic.__version__} reads {FORMAT}: use the version that wrote it, or train the model again"
        )
    return head


def _digest(head):
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _checksum(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(CHUNK):
            found.update(part)
    return found.hexdigest()
