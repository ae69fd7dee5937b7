"""Training with labels as a textbook has it: document by document, one chain, a dense table of words by labels.

The twin that ``kernels.labelled`` is timed against. Both draw from the same conditional distribution (Rubin et al.
2012, Eq. 2), in another order.
"""

import numpy as np
from numba import njit

from polytopic.kernels import generator


def start(X, Y, random):
    """Return (words, doc_ptr, label_ptr, labels, z, n_wc, n_dc, n_c), every token on one of its document's labels.

    X (D, W) and Y (D, C) are CSR; random is a one-lane generator. n_dc is kept beside the label lists.
    """
    words = np.repeat(X.indices, X.data)
    doc_ptr = np.concatenate([[0], np.cumsum(np.asarray(X.sum(axis=1)).ravel())])
    state = (
        np.zeros(words.size, np.int64),
        np.zeros((X.shape[1], Y.shape[1])),
        np.zeros(Y.nnz),
        np.zeros(Y.shape[1]),
    )
    state = (words, doc_ptr, Y.indptr, Y.indices, *state)
    _start(*state, random)
    return state


@njit(cache=True)
def _start(words, doc_ptr, label_ptr, labels, z, n_wc, n_dc, n_c, random):
    for d in range(doc_ptr.size - 1):
        a, b = label_ptr[d], label_ptr[d + 1]
        for i in range(doc_ptr[d], doc_ptr[d + 1]):
            z[i] = int(generator.uniform(random) * (b - a))
            c = labels[a + z[i]]
            n_wc[words[i], c] += 1
            n_dc[a + z[i]] += 1
            n_c[c] += 1


@njit(cache=True)
def sweep(words, doc_ptr, label_ptr, labels, z, n_wc, n_dc, n_c, eta, beta, random, cumulative):
    """Resample every token once; eta is a document's whole prior weight, cumulative (C,) scratch."""
    beta_sum = beta * n_wc.shape[0]
    for d in range(doc_ptr.size - 1):
        a, b = label_ptr[d], label_ptr[d + 1]
        alpha = eta / (b - a)
        for i in range(doc_ptr[d], doc_ptr[d + 1]):
            w, c = words[i], labels[a + z[i]]
            n_wc[w, c] -= 1
            n_dc[a + z[i]] -= 1
            n_c[c] -= 1
            total = 0.0
            for j in range(a, b):
                c = labels[j]
                total += (n_wc[w, c] + beta) / (n_c[c] + beta_sum) * (n_dc[j] + alpha)
                cumulative[j - a] = total
            target = generator.uniform(random) * total
            k = 0
            while k < b - a - 1 and cumulative[k] <= target:
                k += 1
            z[i] = k
            c = labels[a + k]
            n_wc[w, c] += 1
            n_dc[a + k] += 1
            n_c[c] += 1
