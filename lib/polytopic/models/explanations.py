"""What is said of a document's scores: what each of its words adds to them, and what comes from elsewhere.

Three kinds of model say three kinds of thing, with the same names where they mean the same: ``words`` (U,), columns
of X, ``counts`` (U,), what X has there, ``parts`` (U, C) CSR, ``base`` (C,) and ``scores`` (C,), those of
``decision_function``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from polytopic.validation import check_count


@dataclass(frozen=True)
class TokenLabels:
    """Which labels a topic model gives the tokens of one document, over the chains and samples that score it.

    A row of ``shares`` is how often the tokens of a word were on each label: their distribution, in which the other
    words of the document have a say. The mean over all tokens is one half of the document's scores, ``prior`` the
    other: what is expected of labels by their frequency and by the labels that go with them.

    It says where the model has put the tokens, and not what the scores would be without a word: then the tokens of
    other words would move too.
    """

    words: np.ndarray  # (U,) int32  columns of X; words that training never saw are left out
    counts: np.ndarray  # (U,) int32  tokens
    shares: sparse.csr_matrix  # (U, C) float64  each row sums to 1, or to less where labels were left out
    prior: np.ndarray  # (C,) float64  sums to 1
    scores: np.ndarray  # (C,) float64

    @property
    def parts(self):
        """What each word adds to the scores, (U, C) CSR: with ``base`` it sums to them, up to rounding."""
        weights = self.counts / max(1, 2 * self.counts.sum())
        return sparse.csr_matrix(self.shares.multiply(weights[:, None]))

    @property
    def base(self):
        """What the prior adds to the scores, (C,): all of it where the document has no known word."""
        return self.prior / 2 if self.words.size else self.prior


@dataclass(frozen=True)
class LinearParts:
    """What each word of one document adds to the scores of a linear model: its weight times its value.

    With ``base``, the intercept, it sums to the scores, up to rounding. A word's value is as the model weighs
    words: where documents are brought to unit length it depends on the other words as well.
    """

    words: np.ndarray  # (U,) int32  columns of X
    counts: np.ndarray  # (U,) float64  what X has there
    parts: sparse.csr_matrix  # (U, C) float64
    base: np.ndarray  # (C,) float64
    scores: np.ndarray  # (C,) float64


@dataclass(frozen=True)
class HybridParts(LinearParts):
    """What each parent of a HybridClassifier adds to the log odds of one document's labels, and what its words said.

    The log odds are a sum over the parents' scores, for given label frequencies: of each directly, with its weight,
    and through the regression. ``of_parents`` and ``base`` sum to them, up to rounding. What a parent adds is counted
    from its mean over the pairs of a document and a label that the regression learned from; the base is what a pair
    has where all parents are at that mean.

    The words are those that a parent explains, the scores the log odds. In words these are not additive: the
    regression knows the distance from the document's highest score, and topic models enter by the logarithm.
    ``parts`` is the nearest additive thing: how fast the log odds grow as what a word adds to the parents' scores
    grows, in proportion to itself. It does not sum to the log odds.
    """

    names: list  # of P parents
    weights: np.ndarray  # (P + 1,)  of the parents' scores, and of the regression's, in the sum
    of_parents: np.ndarray  # (P, C) float64  what each adds to the log odds
    said: np.ndarray  # (P, C) float64  the parents' own scores
    parents: list  # of each its explanation, None for one that gives none


class Keep(NamedTuple):
    """Which parts of a document are kept: all, or those of some labels and the largest of each word."""

    labels: np.ndarray | None  # (D, k) of each document
    top: int | None  # of each word

    def __call__(self, d, parts):
        """Return the rows of parts (u, C) CSR of document d with what is kept of them."""
        if self.labels is None and self.top is None:
            return parts
        keep = np.zeros(parts.nnz, bool) if self.labels is None else np.isin(parts.indices, self.labels[d])
        if self.top is not None:
            rows = np.repeat(np.arange(parts.shape[0]), np.diff(parts.indptr))
            order = np.lexsort((-np.abs(parts.data), rows))
            rank = np.arange(parts.nnz) - parts.indptr[rows]
            keep[order[rank < self.top]] = True
        sizes = np.concatenate([[0], np.cumsum(keep)])[parts.indptr]
        return sparse.csr_matrix((parts.data[keep], parts.indices[keep], sizes), shape=parts.shape)

    def among(self, columns):
        """Return what keeps the same of a table that has these of the labels alone, as its columns; they rise."""
        if self.labels is None:
            return self
        places = np.searchsorted(columns, self.labels)
        places[places == columns.size] = 0
        return self._replace(labels=np.where(columns[places] == self.labels, places, -1))


def keep_of(labels, top, shape):
    """Return the Keep of what a user asks for, of documents and labels (D, C).

    Raises ValueError for labels that are not (D, k) columns, and for a top below 1.
    """
    if top is not None:
        check_count(top=top)
    if labels is None:
        return Keep(None, top)
    labels, (n_documents, n_labels) = np.asarray(labels), shape
    if labels.ndim != 2 or len(labels) != n_documents or labels.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be whole numbers, a row for each of the {n_documents} documents, got {labels.dtype} of "
            f"shape {labels.shape}: the first table that top_labels returns will do"
        )
    if labels.size and not (labels.min() >= 0 and labels.max() < n_labels):
        raise ValueError(f"labels must be columns of Y, from 0 to {n_labels - 1}")
    return Keep(labels, top)
