"""What does an estimator that reads the conditional distributions cost over plain sampling, with thousands of labels?

The same chains twice, draw for draw: as ``decision_function`` has them by default, and with every sample read for
``estimator="cgs_p"`` and all the others, from the sparse counts. Sixteen chains of the papers' length, a sample every
fifth sweep after fifty, for Flat-LDA, Prior-LDA and Dependency-LDA; the cost of putting the prior in is included.
Then one chain of the samplers that weigh topics one by one, with phi fixed, beside the bounded one of FastLDA, and
beside CVB0 over the same phi: from a random start, and from where that chain ends, the chain's time included.
"""

import _bounded as bounded
import _harness as harness
import _synthetic as synthetic
import numpy as np
import pandas as pd

from polytopic.kernels import cvb0, generator, topic_samples
from polytopic.models import chains, reading, unseen
from polytopic.models.lda import pairs_of
from polytopic.streams import word64
from polytopic.study.papanikolaou import labels

PLAIN, READ = "plain sampling", "with CGS_p"
DENSE, BOUNDED = "all labels weighed", "bounded (FastLDA)"
PASSES, HYBRID = "CVB0", "CGS then CVB0"
CHAINS = 16


def main():
    options = harness.arguments(
        __doc__,
        quick={"labels": 300, "topics": 10, "documents": 4, "length": 30, "burn_in": 5, "samples": 2},
        labels=4000, topics=200, documents=24, length=100, burn_in=50, samples=15,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, seed=options.seed)
    label_words = synthetic.label_word_counts(truth)
    X, _ = synthetic.corpus(truth, options.documents, options.length, purpose="test")
    times = pd.concat([_timed(kind, truth, label_words, X, options) for kind in synthetic.KINDS])
    cost = harness.ratios(times, PLAIN, by=["model"])
    values = [harness.measured("time over plain sampling", _dearest(cost))]
    table = harness.quartiles(times, "cpu", ["model", "name"]).assign(unit="s per call")
    table = table.join(
        cost.set_index(["model", "name"])["median"].rename("times_plain"), on=["model", "name"]
    )
    harness.save("cgs_p", table, _draw(table), options, values)


def _dearest(cost):
    return cost[cost["name"] == READ].sort_values("median").iloc[-1].to_dict()


def _timed(kind, truth, label_words, X, options):
    model = synthetic.model(kind, truth, options.topics, label_words=label_words)
    schedule = unseen.Schedule(options.burn_in, options.samples, 5, CHAINS)
    run = chains.Run(1)
    calls = {
        PLAIN: lambda: list(unseen.predict(X, unseen.sampler(model, schedule), 0, run)),
        READ: lambda: list(reading.sums(X, model, schedule, 0, ["kept"], run)),
    }
    if kind == "Prior-LDA":
        calls |= _one_by_one(model, X, options)
    return harness.interleave(calls, options.repeats, int(X.sum())).assign(model=kind)


def _one_by_one(model, X, options):
    """Return calls of one chain over few documents: the plain loop over all labels, the bounded one, and CVB0."""
    phi = np.ascontiguousarray(model.label_words().T)
    alpha = model.eta * model.topic_labels()[0][0] + model.alpha
    few = X[: min(2, options.documents)]
    (ptr, words), pairs, squares = unseen.tokens(few), pairs_of(few), bounded.norms(phi)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([word64(options.seed, "bounded")], np.uint64), 0)
    cumulative = np.zeros(alpha.size)

    def sampled(sweep):
        states = np.zeros((1, words.size), np.int32)
        for d in range(few.shape[0]):
            n = np.zeros(alpha.size)
            n[0] = ptr[d + 1] - ptr[d]
            order, rank = np.arange(alpha.size), np.arange(alpha.size)
            for _ in range(options.burn_in):
                sweep(ptr[d], ptr[d + 1], states[0], n, order, rank)
        return states

    def plain(first, last, z, n, order, rank):
        topic_samples.sweep(first, last, words, phi, alpha, z, n, cumulative, random)

    def fast(first, last, z, n, order, rank):
        bounded.sweep(first, last, words, phi, squares, alpha, z, n, order, rank, cumulative, random)

    def passes(states, from_samples):
        totals = np.zeros((few.shape[0], alpha.size))
        name = np.array([word64(options.seed, "passes")], np.uint64)
        most = labels.MOST_PASSES, labels.TOLERANCE
        cvb0.predict(pairs, phi, alpha, *most, name, states, from_samples, totals)

    return {
        DENSE: lambda: sampled(plain),
        BOUNDED: lambda: sampled(fast),
        PASSES: lambda: passes(np.zeros((1, 1), np.int32), False),
        HYBRID: lambda: passes(sampled(plain), True),
    }


def _draw(table):
    axes = harness.new_axes(across=2, width=5.4, height=3.2)
    of_chains = table["name"].isin([PLAIN, READ])
    chains_of, one = table[of_chains], table[~of_chains]
    harness.plot_bars(axes[0], chains_of.assign(name=chains_of["model"] + ", " + chains_of["name"]))
    harness.plot_bars(axes[1], one)
    axes[0].set_xlabel("Seconds for all documents, sixteen chains")
    axes[1].set_xlabel("Seconds for two documents, one chain")
    return axes


if __name__ == "__main__":
    main()
