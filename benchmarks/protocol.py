"""How long does the full protocol of Rubin et al. (2012) take at the size of their EUR-Lex?

A synthetic twin: 17,400 training documents of 850 tokens, 3,993 labels of power-law frequencies, 5.4 for a document;
48 chains of 100 sweeps for words over labels, 10 chains of 500 sweeps for 200 topics over labels, and 1,930 test
documents by 60 chains of 120 sweeps of Dependency-LDA. Wall time by parts. With --share below 1 a part of the chains,
sweeps and documents runs, and the whole is extrapolated in proportion, fixed costs too.
"""

import time

import _harness as harness
import _synthetic as synthetic
import numpy as np
import pandas as pd
from scipy import sparse

from polytopic.models import chains, unseen


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "share": 0.02, "documents": 200, "length": 30, "labels": 300, "test_documents": 200, "topics": 10,
        },
        share=1.0, documents=17_400, length=850, labels=3_993, test_documents=1_930, topics=200, chains=48,
        sweeps=100, topic_chains=10, topic_sweeps=500, test_chains=60, burn_in=50, samples=15, lag=5, threads=2,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, seed=options.seed)
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    Y = sparse.csr_matrix(Y[:, np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())])
    parts, run = [], chains.Run(options.threads)

    def part(name, function, done, whole):
        start = time.perf_counter()
        result = function()
        seconds = time.perf_counter() - start
        extrapolated = seconds * whole / done
        parts.append({"part": name, "seconds": seconds, "done": done / whole, "whole_seconds": extrapolated})
        print(f"  {name}: {seconds:.1f} s for {done / whole:.1%}", flush=True)
        return result

    n_chains = _some(options.chains, options)
    label_words = part(
        "words over labels",
        lambda: chains.train_label_words(X, Y, 50.0, 0.01, n_chains, options.sweeps, options.seed, run),
        n_chains,
        options.chains,
    )
    topic_chains = _some(options.topic_chains, options)
    topic_sweeps = max(
        2, round(options.topic_sweeps * min(1, options.share * options.topic_chains / topic_chains))
    )
    topics = part(
        "topics over labels",
        lambda: chains.train_topics(
            Y, options.topics, 0.01, 0.01, topic_chains, topic_sweeps, options.seed, run
        ),
        topic_chains * topic_sweeps,
        options.topic_chains * options.topic_sweeps,
    )
    n_labels = Y.shape[1]
    model = unseen.Model(
        label_words.T.tocsr(), n_chains * 0.01, topics, 0.01, 150.0, 30.0 / n_labels, 10.0 / options.topics
    )
    n_test = max(1, round(options.test_documents * options.share))
    test, _ = synthetic.corpus(truth, n_test, options.length, purpose="test")
    schedule = unseen.Schedule(options.burn_in, options.samples, options.lag, options.test_chains)
    part(
        "prediction",
        lambda: [
            rows for rows, *_ in unseen.predict(test, unseen.sampler(model, schedule), options.seed, run)
        ],
        n_test,
        options.test_documents,
    )
    table = pd.DataFrame(parts)
    table["whole_hours"] = table["whole_seconds"] / 3600
    hours = table["whole_hours"].sum()
    print(f"  In all {hours:.2f} hours{'' if options.share >= 1 else ', extrapolated'}.")
    value = harness.measured("hours on two cores", dict.fromkeys(harness.QUARTILES, hours))
    harness.save("protocol", table, _draw(table), options, [value] if options.standard else [])


def _some(n_chains, options):
    """Return the share of the chains, and no fewer than keep all threads busy."""
    return min(n_chains, max(options.threads, round(n_chains * options.share)))


def _draw(table):
    ax = harness.new_axes(height=2.4)
    left = 0.0
    for row, color in zip(table.itertuples(), ("#0072B2", "#56B4E9", "#009E73"), strict=True):
        ax.barh(["whole protocol"], row.whole_hours, left=left, color=color, label=row.part)
        left += row.whole_hours
    ax.set_xlabel("Hours")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.35), ncols=3)
    return ax


if __name__ == "__main__":
    main()
