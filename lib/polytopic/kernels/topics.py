"""Topics over items, be they words or label tokens: what the samplers of LDA share.

All three draw from the same posterior, p(z | items) with theta and phi integrated out (Griffiths & Steyvers 2004;
Rubin et al. 2012, Eq. 5). They differ in the order of the tokens and in how a topic is found:

    lda_dense        document by document, every topic weighed, sixteen at a time
    lda_tree         item by item, the document's own topics weighed and the others kept in a tree of sums
    lda_metropolis   item by item, a topic proposed and accepted or not
"""

from typing import NamedTuple

import numpy as np

from polytopic.kernels import generator
from polytopic.kernels.compiling import compiled

MOST_TOPICS = 2**16


class ByDocument(NamedTuple):
    """Tokens in document order; those of document d are items[ptr[d]:ptr[d + 1]]."""

    ptr: np.ndarray  # (D + 1,)
    items: np.ndarray  # (N,) int32  word (or label) of each token
    n_items: int  # W (or C)


class ByItem(NamedTuple):
    """The same tokens in order of their items; those of item w lie in docs[item_ptr[w]:item_ptr[w + 1]]."""

    item_ptr: np.ndarray  # (W + 1,)
    docs: np.ndarray  # (N,) int32  document of each token, ascending within an item
    doc_ptr: np.ndarray  # (D + 1,)  tokens of the documents before each


@compiled
def start(z, n_topics, random):
    """Put every token on a topic drawn uniformly; z (N,) uint16, random a one-lane generator."""
    for i in range(z.size):
        z[i] = int(generator.uniform(random) * n_topics)
