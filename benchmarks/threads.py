"""What do two threads gain over one, and are the bits the same?

Chains of training, of topics over labels and of prediction, shared out over joblib's threads as the estimators do it.
Wall time; the results for every number of threads are compared bit for bit, and the script fails if they differ.
Random numbers alone, drawn by jobs that share nothing, show what the machine itself gives to several threads.
"""

from functools import partial

import _harness as harness
import _synthetic as synthetic
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numba import njit
from scipy import sparse

from polytopic.kernels import generator
from polytopic.models import chains, unseen

ALONE = "random numbers alone"  # jobs on several threads that share nothing
WORK = ("training", "topics", "prediction")


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "labels": 250, "documents": 40, "length": 40, "test_documents": 4, "topics": 10, "train_sweeps": 2,
            "topic_sweeps": 2, "sweeps": 3, "draws": 1000,
        },
        labels=4_000, documents=3_000, length=300, test_documents=200, topics=100, train_sweeps=20,
        topic_sweeps=200, sweeps=30, chains=4, threads=(1, 2), draws=400_000_000,
    )  # fmt: skip
    jobs = _jobs(options)
    times = pd.concat([_timed(work, job, options) for work, job in jobs.items()])
    growth = harness.ratios(
        times.assign(name=times["threads"]), max(options.threads), "wall", by=["work"]
    ).rename(columns={"name": "over_threads"})
    table = harness.quartiles(times, "wall", ["work", "threads"]).assign(unit="s")
    speeds = growth[growth["over_threads"] == 1].set_index("work")["median"]
    table["speed_of_most_threads"] = table["work"].map(speeds)
    values = [
        harness.measured(f"{row['work']}: speed of two threads over one", row)
        for row in growth.to_dict("records")
        if (row["over_threads"], row["over"]) == (1, 2) and row["work"] in WORK
    ]
    harness.save("threads", table, _draw(table), options, values)


def _jobs(options):
    """Return {work: function of the number of threads that gives arrays}."""
    truth = synthetic.truth(options.labels, seed=options.seed)
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    X = sparse.csr_matrix(X)
    seen = np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel())
    Y = sparse.csr_matrix(Y[:, seen])
    model = synthetic.model("Dependency-LDA", truth, options.topics)
    test, _ = synthetic.corpus(truth, options.test_documents, options.length, purpose="test")
    n_chains = options.chains * unseen.LANES  # sixteen chains train as one unit of work
    schedule = unseen.Schedule(options.sweeps, 1, 1, unseen.LANES)

    def training(threads):
        counts = chains.train_label_words(
            X, Y, 50.0, 0.01, n_chains, options.train_sweeps, options.seed, chains.Run(threads)
        )
        return [counts.indptr, counts.indices, counts.data]

    def topics(threads):
        sets = chains.train_topics(
            Y,
            options.topics,
            0.01,
            0.01,
            options.chains,
            options.topic_sweeps,
            options.seed,
            chains.Run(threads),
        )
        return [part for counts in sets for part in (counts.indptr, counts.indices, counts.data)]

    def prediction(threads):
        blocks = unseen.predict(test, model, schedule, options.seed, chains.Run(threads))
        return [part for _, labels, theta in blocks for part in (labels.indices, labels.data, theta)]

    def alone(threads):
        jobs = (
            delayed(_draws)(np.full((4, 1), k + 1, np.uint32), options.draws) for k in range(options.chains)
        )
        return Parallel(threads, prefer="threads")(jobs)

    return dict(zip(WORK, (training, topics, prediction), strict=True)) | {ALONE: alone}


@njit(cache=True, nogil=True)
def _draws(state, n):
    total = 0.0
    for _ in range(n):
        total += generator.uniform(state)
    return total


def _timed(work, job, options):
    first = job(options.threads[0])
    for threads in options.threads[1:]:
        other = job(threads)
        if not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True)):
            raise SystemExit(f"{work}: {threads} threads give other bits than {options.threads[0]}")
    times = harness.interleave({n: partial(job, n) for n in options.threads}, options.repeats)
    return times.rename(columns={"name": "threads"}).assign(work=work)


def _draw(table):
    ax = harness.new_axes()
    speed = table.assign(base=table.groupby("work")["median"].transform("first"))
    curves = [(work, rows["threads"], rows["base"] / rows["median"]) for work, rows in speed.groupby("work")]
    for work, threads, faster in curves:
        ax.plot(threads, faster, "o-", label=work)
    most = table["threads"].max()
    ax.plot([1, most], [1, most], "--", color="#444444", label="as many times as threads")
    ax.set(xlabel="Threads", ylabel="Times as fast as one thread")
    ax.set_xticks(sorted(set(table["threads"])))
    ax.legend()
    return ax


if __name__ == "__main__":
    main()
