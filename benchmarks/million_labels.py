"""Does a model with a million labels, trained on three million documents, fit into 24 GB, and what does it cost?

The documents are made block by block and put together as sparse counts; of 1.6 million labels a good million is seen
in training. Words over labels are trained for a few sweeps of the sixteen chains that go together, topics over labels
for some of one chain, and some hundred documents are predicted among all labels by each model, with tables that are a
step of their own. Every step is timed, with the peak memory of the process so far. The schedule is short on purpose:
cost is proportional to chains and sweeps. About six minutes on two cores.
"""

import time

import _harness as harness
import _synthetic as synthetic
import _unseen
import numpy as np
import pandas as pd
import psutil
from scipy import sparse

from polytopic.kernels.simd import LANES
from polytopic.models import chains, unseen


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "labels": 2_000, "words": 2_000, "documents": 2_000, "length": 20, "topics": 10, "test_documents": 4,
            "test_length": 50, "sweeps": 2, "topic_sweeps": 2, "test_chains": 2, "burn_in": 3,
        },
        labels=1_600_000, words=200_000, documents=3_000_000, length=40, topics=100, test_documents=200,
        test_length=500, sweeps=3, topic_sweeps=3, test_chains=4, burn_in=28, threads=2,
    )  # fmt: skip
    steps = Steps()
    truth = synthetic.truth(options.labels, options.words, seed=options.seed)
    run = chains.Run(options.threads)

    def documents():
        X, Y = synthetic.corpus(truth, options.documents, options.length)
        seen = np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())
        return X, sparse.csr_matrix(Y[:, seen]), seen

    X, Y, seen = steps.take("making documents", documents, lambda made: made[0].sum())
    print(f"  {seen.size} labels seen, {X.nnz} pairs of a document and a word", flush=True)
    label_words = steps.take(
        "words over labels, a group of chains",
        lambda: chains.train_label_words(
            X, Y, 50.0, 0.01, LANES, options.sweeps, options.seed, run
        ).T.tocsr(),
        lambda _: options.documents * options.length * options.sweeps,
    )
    frequency = sparse.csr_matrix(Y.sum(axis=0), dtype=np.int64)
    topics = steps.take(
        "topics over labels, a chain",
        lambda: chains.train_topics(
            Y, options.topics, 0.01, 0.01, 1, options.topic_sweeps, options.seed, run
        ),
        lambda _: Y.nnz * options.topic_sweeps,
    )
    test, _ = synthetic.corpus(truth, options.test_documents, options.test_length, purpose="test")
    schedule = unseen.Schedule(options.burn_in, 1, 1, options.test_chains)
    n = seen.size
    models = {
        "Flat-LDA": unseen.Model(label_words, 0.01, [frequency], 1.0, 0.0, 180.0 / n, 1.0),
        "Prior-LDA": unseen.Model(label_words, 0.01, [frequency], 1.0, 150.0, 30.0 / n, 1.0),
        "Dependency-LDA": unseen.Model(
            label_words, 0.01, topics, 0.01, 150.0, 30.0 / n, 10.0 / options.topics
        ),
    }
    updates = test.sum() * options.test_chains * (options.burn_in + 2)
    for name, model in models.items():
        sampler = steps.take(
            f"tables of {name}", lambda m=model: unseen.sampler(m, schedule), lambda _: label_words.nnz
        )
        given = test, sampler, options.seed, run
        steps.take(
            f"prediction, {name}",
            lambda given=given: sum(labels.sum() for _, labels, _ in unseen.predict(*given)),
            lambda _: updates,
        )
        del sampler, given
    table = steps.table().assign(
        labels=n,
        label_tokens=Y.nnz,
        words=options.words,
        topics=options.topics,
        documents=options.documents,
        tokens=options.documents * options.length,
        nonzeros=label_words.nnz,
    )
    peak = table["peak_gb"].max()
    value = harness.measured("peak memory in GB", dict.fromkeys(harness.QUARTILES, peak))
    harness.save("million_labels", table, _draw(table), options, [value] if n >= 1_000_000 else [])


class Steps:
    """The steps of the run, each with its seconds, its units of work and the memory after it."""

    def __init__(self):
        self.rows, self.base = [], _resident()

    def take(self, step, function, units):
        """Carry out a step and note it; units gives the number of tokens, or of other things, from its result.

        What the result holds in arrays is noted as its bytes.
        """
        cpu, wall = time.process_time(), time.perf_counter()
        result = function()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        row = {
            "step": step,
            "wall": wall,
            "cpu": cpu,
            "units": int(units(result)),
            "bytes": _unseen.n_bytes(result),
            "rss_gb": _resident(),
            "peak_gb": harness.peak_memory() / 1e9,
        }
        self.rows.append(row)
        print(f"  {step}: {wall:.1f} s, peak {row['peak_gb']:.2f} GB", flush=True)
        return result

    def table(self):
        table = pd.DataFrame(self.rows)
        return table.assign(ns=table["cpu"] / table["units"] * 1e9, base_gb=self.base)


def _resident():
    """Return the resident memory of this process in GB."""
    return psutil.Process().memory_info().rss / 1e9


def _draw(table):
    axes = harness.new_axes(across=2, width=5.2, height=3.2)
    rows = table.iloc[::-1]
    axes[0].barh(rows["step"], rows["wall"], color="#56B4E9")
    axes[0].set_xlabel("Seconds")
    axes[1].barh(rows["step"], rows["peak_gb"], color="#E69F00", label="peak so far")
    axes[1].barh(rows["step"], rows["rss_gb"], color="#0072B2", height=0.4, label="after the step")
    axes[1].set(xlabel="Gigabytes", yticklabels=[])
    axes[1].legend()
    return axes


if __name__ == "__main__":
    main()
