"""Synthetic corpora and models: the sizes asked for, and labels that prefer words of their own."""

import numpy as np
import pytest

from polytopic.study import synthetic


def test_a_corpus_has_the_sizes_asked_for():
    counts, labels = synthetic.corpus(synthetic.truth(400, n_words=1000), 500, 60)
    assert counts.shape == (500, 1000) and labels.shape == (500, 400)
    assert (counts.sum(axis=1) == 60).all() and (np.diff(labels.indptr) >= 1).all()
    # measured 5.23; 5.06 if a label drawn twice is not drawn again
    assert labels.sum(axis=1).mean() == pytest.approx(synthetic.CARDINALITY, abs=0.2)


def test_labels_have_words_of_their_own():
    counts = synthetic.label_word_counts(synthetic.truth(50, n_words=1000), tokens_per_label=2000)
    both = [synthetic.label_word_counts(synthetic.truth(50, n_words=1000), 2000) for _ in range(2)]
    assert (both[0] != both[1]).nnz == 0
    share = counts.toarray() / counts.toarray().sum(axis=1, keepdims=True)
    alike = 1 - 0.5 * np.abs(share[:25] - share[25:]).sum(axis=1)
    # measured .31; .67 if all words are common, .05 if none is
    assert 0.2 < np.median(alike) < 0.45


def test_a_block_does_not_depend_on_those_before_it(monkeypatch):
    monkeypatch.setattr(synthetic, "BLOCK", 50)
    few = synthetic.truth(100, n_words=500)
    short, long = (synthetic.corpus(few, n, 20) for n in (100, 150))
    for part, whole in zip(short, long, strict=True):
        assert (part != whole[:100]).nnz == 0 and (part[:50] != part[50:]).nnz > 0


@pytest.mark.parametrize("kind", ["Flat-LDA", "Prior-LDA", "Dependency-LDA"])
def test_a_model_is_as_a_fitted_one(kind):
    model = synthetic.model(kind, synthetic.truth(300, n_words=500), n_topics=20)
    assert model.label_words().sum(axis=1) == pytest.approx(1.0)
    (topics,) = model.topic_labels()
    assert topics.shape == (20 if kind == "Dependency-LDA" else 1, 300)
    assert topics.sum(axis=1) == pytest.approx(1.0)
    assert (model.eta == 0) == (kind == "Flat-LDA")
