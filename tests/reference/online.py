"""SCVB and SCVB-Dependency token by token and with dense tables, straight from the formulas (Burkhardt & Kramer)."""

import numpy as np


class Dense:
    """Expected counts as tables: N^phi (W, C) and, with topics, N^phi' (C, T) from its start; every update moves all.

    wrong: the name of a fault to build in, by which a test shows that it would see one.
    """

    def __init__(self, shape, steps, start=None, eta_w=0.01, eta_y=0.01, alpha=0.1, burn_in=1, wrong=None):
        self.n_wc, self.n_ct = np.zeros(shape), None if start is None else np.array(start)
        self.steps, self.eta_w, self.eta_y, self.alpha = steps, eta_w, eta_y, alpha
        self.burn_in, self.wrong, self.t, self.n_z = burn_in, wrong, 0, np.zeros(shape[1])

    def rho(self, which, t):
        s, tau, kappa = self.steps[which]
        return s / (tau + t) ** kappa

    def phi(self):
        """Return phi (W, C) (Eq. 14)."""
        return (self.n_wc + self.eta_w) / (self.n_z + len(self.n_wc) * self.eta_w)

    def phi_topics(self):
        """Return phi' (C, T) (Eq. 15)."""
        return (self.n_ct + self.eta_y) / (self.n_ct.sum(axis=0) + len(self.n_ct) * self.eta_y)

    def passes(self, factors, n=None):
        """Return lambda (n, K) of a document's tokens in the last pass; factors (n, K) are theirs but for theta.

        n is C_j, by default the number of these tokens.
        """
        n, theta = len(factors) if n is None else n, np.zeros(factors.shape[1])
        if self.wrong == "theta starts at one token each":
            theta += 1
        for _ in range(self.burn_in + 1):
            shares = np.zeros(factors.shape)
            for i, factor in enumerate(factors):
                shares[i] = factor * (theta + self.alpha)
                shares[i] /= shares[i].sum()
                rho = self.rho(2, i)
                theta = (1 - rho) * theta + rho * n * shares[i]
        return shares

    def learn(self, X, Y, n_documents):
        """Update all tables by one minibatch: Algorithm 2, or without topics the labels in their place."""
        phi, words, topics = self.phi(), np.zeros(self.n_wc.shape), 0
        weight = n_documents / len(X)
        for x, y in zip(X, Y, strict=True):
            tokens, own = np.repeat(np.arange(len(x)), x), np.flatnonzero(y)
            factors = phi[tokens][:, own]
            if self.n_ct is None:
                shares = self.passes(factors)
            else:
                shares = factors / factors.sum(axis=1, keepdims=True)
                topics = topics + weight * self._by_topic(own, x.sum())
            np.add.at(words, (tokens[:, None], own), weight * shares)
        rho_words, rho_topics = self.rho(0, self.t), self.rho(1, self.t)
        self.n_wc = self._moved(self.n_wc, words, rho_words)
        self.n_z = self._moved(self.n_z, words.sum(axis=0), rho_words)
        if self.wrong == "totals take all":
            self.n_z += (1 - rho_words) * words.sum(axis=0)
        if self.n_ct is not None:
            self.n_ct = self._moved(self.n_ct, topics, rho_topics)
        self.t += self.wrong != "steps never fall"

    def _by_topic(self, own, n_words):
        table = np.zeros(self.n_ct.shape)
        n_words = len(own) if self.wrong == "C_j of labels" else n_words
        table[own] = self.passes(self.phi_topics()[own], n_words)
        return table

    def _moved(self, before, estimate, rho):
        decayed = (1 - rho) * before
        if self.wrong == "only what occurs decays":
            decayed = np.where(estimate > 0, decayed, before)
        return decayed + rho * estimate

    def predict(self, X):
        """Return the normalised N^Z of each document (D, C): Algorithm 1, the tables fixed; labels unseen score 0."""
        return np.array([self._scores(np.repeat(np.arange(len(x)), x)) for x in X])

    def _scores(self, tokens):
        phi = self.phi() * (self.n_z > 0)
        if self.n_ct is None:
            return self.passes(phi[tokens]).mean(axis=0)
        joint = phi[tokens][:, :, None] * self.phi_topics()  # (n, C, T)
        by_topic = joint.sum(axis=1)
        of_labels = joint / by_topic[:, None, :]  # lambda is a product: given the topic, theta is no matter
        return (of_labels * self.passes(by_topic)[:, None, :]).sum(axis=2).mean(axis=0)
