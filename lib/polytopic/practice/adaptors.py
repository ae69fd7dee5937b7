"""Fitted models in the forms that other programs read: pyLDAvis draws them, OCTIS judges them.

Both know topics over words. Here these are the labels of a labelled model, the topics of ``LDA``, or, with
``over="labels"``, the topics over labels of a dependency model, whose documents then consist of their labels.
"""

from html import escape
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from polytopic.metrics import leading_words
from polytopic.models import LDA
from polytopic.models.settings import check_width
from polytopic.validation import check_one_of

OVER = ("words", "labels")
IN_NAME = 3  # leading words that stand for a topic without a name
GAMMA = (
    0.01  # prior of a document's topics over labels, per topic, as in training (Rubin et al. 2012, table 6)
)


class Topics(NamedTuple):
    """What a model has learned, and what it says of some documents."""

    names: list  # (T,) of labels, or of a topic its leading words
    words: list  # (W,)
    topic_words: np.ndarray  # (T, W), rows sum to 1
    document_topics: np.ndarray  # (D, T), rows sum to 1
    counts: sparse.csr_matrix  # (D, W)


def topics_of(model, corpus, over="words", chain=0):
    """Return the Topics of a fitted model and of the documents of a Corpus of the same words and labels.

    Labels without training documents have no words and are left out. Documents have the model's scores, made to sum
    to 1: their own labels play no part. With over="labels", topics are those of one chain, words are labels, and a
    document's topics are what ``LDA.transform`` finds by CVB0 from its labels, evenly many of each where it has
    none. Raises NotFittedError before fit, ValueError for another ``over``, a model that has no such topics, and a
    corpus of other words or labels.
    """
    check_one_of(OVER, over=over)
    check_is_fitted(model)
    words = list(corpus.vocabulary)
    if over == "words" and isinstance(model, LDA):
        phi, theta = model.components_, model.transform(corpus.counts)
        return Topics(_names(phi, words), words, phi, theta, corpus.counts)
    method = {"words": "label_word_distributions", "labels": "topic_label_distributions"}[over]
    if not hasattr(model, method):
        raise ValueError(f"{type(model).__name__} has no distributions over {over}: it has no {method}")
    phi = getattr(model, method)()
    if over == "labels":
        phi = phi[chain] if isinstance(phi, list) else phi
        check_width(corpus.labels, phi.shape[1], "labels", corpus.name)
        seen = np.flatnonzero(phi.any(axis=0))
        phi, counts = _to_one(phi[:, seen]), corpus.labels[:, seen].astype(np.int32)
        folding = LDA(len(phi), method="cvb0", alpha=GAMMA, random_state=0)
        folding.components_, folding.n_features_in_, folding.seed_ = phi, seen.size, 0
        labels = [corpus.label_names[c] for c in seen]
        return Topics(_names(phi, labels), labels, phi, folding.transform(counts), counts)
    check_width(corpus.labels, len(phi), "labels", corpus.name)
    scores, seen = model.decision_function(corpus.counts), np.flatnonzero(phi.any(axis=1))
    if (scores < 0).any():
        raise ValueError(
            f"the scores of {type(model).__name__} are no shares of a document: take another model"
        )
    labels = [corpus.label_names[c] for c in seen]
    return Topics(labels, words, phi[seen], _to_one(scores[:, seen]), corpus.counts)


def _names(phi, words):
    return [", ".join(words[w] for w in row) for row in leading_words(phi, IN_NAME)]


def _to_one(table):
    return table / table.sum(axis=1, keepdims=True)


def to_pyldavis(model, corpus, over="words", chain=0, only=None, **how):
    """Return pyLDAvis's PreparedData of a model, its labels or topics numbered from 1 in their own order.

    The column ``label`` of its ``topic_coordinates`` has their names; ``pyldavis_page`` shows them. model, corpus,
    ``over``, ``chain`` and errors are those of ``topics_of``. ``only``: the places of those to draw, of which there
    should be no more than some hundred. Documents without words are left out. ``how`` goes to ``pyLDAvis.prepare``.

    Raises ImportError without pyLDAvis: pip install pyLDAvis. Sievert & Shirley (2014).
    """
    pyLDAvis = _pyldavis()
    names, words, phi, theta, counts = topics_of(model, corpus, over, chain)
    chosen = np.arange(len(phi)) if only is None else np.asarray(only)
    lengths = counts.sum(axis=1).A1
    theta = _to_one(theta[lengths > 0][:, chosen])
    given = phi[chosen], theta, lengths[lengths > 0], words, counts.sum(axis=0).A1
    prepared = pyLDAvis.prepare(*given, **({"sort_topics": False} | how))
    order = chosen[np.array(prepared.topic_order) - how.get("start_index", 1)]
    places = prepared.topic_coordinates.assign(label=[names[t] for t in order])
    return prepared._replace(topic_coordinates=places)


def pyldavis_page(prepared, **how):
    """Return the picture of ``to_pyldavis`` as HTML with the numbered names below it. how: pyLDAvis's own."""
    pyLDAvis = _pyldavis()
    names = "".join(f"<li>{escape(name)}</li>" for name in prepared.topic_coordinates["label"])
    return f"{pyLDAvis.prepared_data_to_html(prepared, **how)}\n<ol style='columns: 5'>{names}</ol>\n"


def _pyldavis():
    try:
        import pyLDAvis
    except ImportError as error:
        raise ImportError(f"the picture needs pyLDAvis: pip install pyLDAvis ({error})") from None
    return pyLDAvis


def to_octis(model, corpus, test=None, over="words", chain=0, n=10):
    """Return a model as the dictionary that OCTIS's measures take; OCTIS itself is not needed.

    ``topics``: the n leading words of each label or topic, ties in the order of the words; ``topic-word-matrix``
    (T, W); ``topic-document-matrix`` (T, D); and of a Corpus ``test``, where given, ``test-topic-document-matrix``
    (T, D'). The rest, and errors, as for ``topics_of``. Terragni et al. (2021).
    """
    found = topics_of(model, corpus, over, chain)
    leading = leading_words(found.topic_words, n)
    output = {
        "topics": [[found.words[w] for w in words] for words in leading],
        "topic-word-matrix": found.topic_words,
        "topic-document-matrix": found.document_topics.T,
    }
    if test is not None:
        output["test-topic-document-matrix"] = topics_of(model, test, over, chain).document_topics.T
    return output
