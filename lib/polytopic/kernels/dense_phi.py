"""phi from the tokens' conditional distributions in training instead of from their topics."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def conditional_word_counts(ptr, words, z, phi, alpha):
    """Return the sum over tokens of word w of their conditional distributions, (W, T) float64.

    Only the document's count leaves the token out, as in the journal version of Papanikolaou et al. (2017). The
    tokens of document d are ptr[d]:ptr[d + 1]; phi (W, T) are the smoothed counts over all tokens, alpha (T,).
    """
    n_topics = alpha.size
    table, n = np.zeros(phi.shape), np.zeros(n_topics)
    for d in range(ptr.size - 1):
        n[:] = 0.0
        for i in range(ptr[d], ptr[d + 1]):
            n[z[i]] += 1
        for i in range(ptr[d], ptr[d + 1]):
            w = words[i]
            total = -phi[w, z[i]]
            for k in range(n_topics):
                total += phi[w, k] * (n[k] + alpha[k])
            for k in range(n_topics):
                table[w, k] += phi[w, k] * (n[k] + alpha[k]) / total
            table[w, z[i]] -= phi[w, z[i]] / total
    return table
