"""What does a stream of a million documents cost SCVB-Dependency, in time and memory, and what a dense update?

The documents have the sizes of AmazonCat-13K. They are made in blocks, of which one is there at a time, and learned
from once; the making is not timed. Then whole updates by a minibatch are timed in turn with what the authors' way of
updating takes on top: multiplying a table of all words by all labels by 1 - rho. Of that table a share of the words
is made, and the time for all follows. It is the least that such an update takes: what it adds up is left out.
Some documents are predicted as well. About five minutes on one core.
"""

import time

import _harness as harness
import _synthetic as synthetic
import numpy as np
import pandas as pd

from polytopic.kernels import online
from polytopic.models import SCVBDependency

OURS, DENSE = "a whole update", "decay of words × labels"
STREAM, UPDATE, PREDICTION = "stream", "update", "prediction"
POINTS = 20  # of the stream, in the table


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "documents": 4_000, "block": 1_000, "labels": 300, "words": 3_000, "topics": 10, "dense_words": 100,
            "test_documents": 20,
        },
        documents=1_000_000, block=10_000, labels=13_330, words=204_000, length=71, cardinality=5.04, topics=100,
        minibatch=100, dense_words=8_000, test_documents=200,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, options.words, seed=options.seed)
    model = SCVBDependency(options.topics, minibatch=options.minibatch, random_state=options.seed)
    stream = _stream(model, truth, options)
    peak = harness.peak_memory() / 1e9
    times = _updates(model, truth, options)
    prediction = _prediction(model, truth, options)
    table = pd.concat([stream, _quartiles(times), prediction])
    (ratio,) = harness.ratios(times, OURS).to_dict("records")
    values = [
        harness.measured("peak memory in GB", dict.fromkeys(harness.QUARTILES, peak)),
        harness.measured("dense decay over our whole update", ratio),
    ]
    harness.save("online", table, _draw(stream, times), options, values)


def _documents(truth, options, n, purpose):
    return synthetic.corpus(truth, n, options.length, options.cardinality, purpose)


def _stream(model, truth, options):
    """Learn from all documents; return a row at every POINTS-th part: documents a second since the last, memory."""
    rows, seconds, since = [], 0.0, 0
    for first in range(0, options.documents, options.block):
        n = min(options.block, options.documents - first)
        X, Y = _documents(truth, options, n, f"stream {first}")
        before = time.process_time()
        model.partial_fit(X, Y)
        seconds, since = seconds + time.process_time() - before, since + n
        done = first + n
        if done * POINTS // options.documents > (done - n) * POINTS // options.documents:
            rows.append(_row(model, done, since / seconds))
            print(
                f"  {done} documents: {since / seconds:.0f} a second, {rows[-1]['peak_gb']:.2f} GB",
                flush=True,
            )
            seconds, since = 0.0, 0
    return pd.DataFrame(rows)


def _row(model, documents, pace):
    return {
        "part": STREAM,
        "name": "training",
        "documents": documents,
        "documents_a_second": pace,
        "peak_gb": harness.peak_memory() / 1e9,
        "pairs": model.state_.seen[online.N_CELLS],
        "cells": model.state_.cells.keys.size,
    }


def _updates(model, truth, options):
    """Time an update of ours and the decay of a table (words, labels); ns is per update of the whole table."""
    X, Y = _documents(truth, options, options.minibatch, "update")
    n_words = min(options.dense_words, options.words)
    table = np.ones((n_words, options.labels))
    calls = {OURS: lambda: model.partial_fit(X, Y), DENSE: lambda: np.multiply(table, 0.99, out=table)}
    return harness.interleave(calls, options.repeats, {OURS: 1, DENSE: n_words / options.words})


def _quartiles(times):
    return harness.quartiles(times).assign(part=UPDATE)


def _prediction(model, truth, options):
    X, _ = _documents(truth, options, options.test_documents, "test")
    times = harness.interleave(
        {PREDICTION: lambda: model.decision_function(X)}, options.repeats, len(X.indptr) - 1
    )
    pace = 1e9 / times["ns"].median()
    return harness.quartiles(times).assign(part=PREDICTION, documents_a_second=pace)


def _draw(stream, times):
    axes = harness.new_axes(across=3, width=4.2, height=3.4)
    axes[0].plot("documents", "documents_a_second", data=stream, color="#0072B2")
    axes[0].set(xlabel="Documents so far", ylabel="Documents a second", ylim=(0, None))
    axes[1].plot("documents", "peak_gb", data=stream, color="#0072B2")
    axes[1].set(xlabel="Documents so far", ylabel="Peak memory in GB", ylim=(0, None))
    harness.plot_bars(axes[2], harness.quartiles(times.assign(ns=times["ns"] / 1e6)))
    axes[2].set_xlabel("Milliseconds per minibatch")
    return axes


if __name__ == "__main__":
    main()
