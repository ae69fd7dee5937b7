"""How do the time per token and the memory of prediction grow with the number of labels, and with that of topics?

Every label has as many tokens on average however many labels there are, so the non-zero counts grow with the labels
and a word is on ever more of them. The dense sampler goes along as far as --dense-labels. At every number of labels
memory is timed besides: loads that wait for each other, from as many bytes as the largest model's tables take.
Among the fewest and the most labels also what a sweep takes after so many sweeps: chains settle.
"""

from functools import partial

import _harness as harness
import _synthetic as synthetic
import _unseen
import numpy as np
import pandas as pd
from numba import njit

from polytopic.kernels.simd import CACHE_LINE
from polytopic.streams import stream
from polytopic.study.looks import INK

FEW, MANY = 1_000, 64_000  # the labels that the aims compare
GROWTH, TOPICS, SETTLING = "labels", "topics", "sweeps"
DENSE = ", dense"
LOADS = 1_000_000  # of memory, in a call
CHASE = "dependent loads"
LINE = CACHE_LINE // np.dtype(np.int64).itemsize  # numbers in a cache line


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "labels": (200, 400), "topic_counts": (5, 10), "at_labels": 200, "topics": 10, "documents": 3,
            "length": 50, "sweeps": 3, "dense_labels": 200, "settling": (1, 3, 5),
        },
        labels=(1_000, 4_000, 16_000, 64_000), topic_counts=(25, 50, 100, 200, 400, 800), at_labels=4_000,
        flat_weight=30.0, topics=200, documents=6, length=500, sweeps=120, dense_labels=4_000,
        settling=(1, 3, 10, 30, 60, 120, 240),
    )  # fmt: skip
    times, sizes, settling = _by_labels(options)
    by_topics, topic_sizes = _by_topics(options)
    table = pd.concat(
        [
            harness.quartiles(times, "ns", ["name", "labels", "topics"]).assign(against=GROWTH),
            harness.quartiles(by_topics, "ns", ["name", "labels", "topics"]).assign(against=TOPICS),
            harness.quartiles(settling, "ns", ["name", "labels", "after", "sweeps"]).assign(against=SETTLING),
        ]
    ).merge(
        pd.concat([sizes, topic_sizes]).drop_duplicates(["name", "labels", "topics"]),
        how="left",
        on=["name", "labels", "topics"],
    )
    harness.save("labels_growth", table, _draw(table), options, [*_growth(times), *_density(sizes)])


def _by_labels(options):
    calls, sizes, settling = {}, [], {}
    for n_labels in options.labels:
        truth = synthetic.truth(n_labels, seed=options.seed)
        label_words = synthetic.label_word_counts(truth)
        X, _ = synthetic.corpus(truth, options.documents, options.length, purpose="test")
        for kind in synthetic.KINDS:
            model = synthetic.model(
                kind, truth, options.topics, label_words=label_words, flat_weight=options.flat_weight
            )
            n_topics = model.topic_label_counts[0].shape[0]
            sampler = _add(calls, sizes, (kind, n_labels, n_topics), model, X, options)
            if n_labels in (min(options.labels), max(options.labels)):
                for n in options.settling:
                    settling[kind, n_labels, n] = _unseen.longer(sampler, X, n), int(X.sum()) * _unseen.CHAINS
            if n_labels <= options.dense_labels:
                few = X[: max(1, options.documents // 6)]
                _add(calls, sizes, (f"{kind}{DENSE}", n_labels, n_topics), model, few, options, "dense")
        _add_loads(calls, sizes, n_labels, options)
    return _timed(calls, options), pd.DataFrame(sizes), _settling(settling, options)


def _settling(calls, options):
    """Return, repeat by repeat, what each further sweep takes between two of the numbers of sweeps.

    calls are (function, tokens of all chains) by (name, labels, sweeps). The first sweep has with it what is done
    before: a document's lists, and the sweeps of the warm-up.
    """
    times = _timed(calls, options, ["name", "labels", "sweeps"])
    times = times.sort_values(["repeat", "name", "labels", "sweeps"])
    before = times.groupby(["repeat", "name", "labels"])[["sweeps", "ns"]].shift(fill_value=0)
    each = (times["ns"] - before["ns"]) / (times["sweeps"] - before["sweeps"])
    return times.assign(after=before["sweeps"], ns=each).sort_index()


def _by_topics(options):
    truth = synthetic.truth(options.at_labels, seed=options.seed)
    label_words = synthetic.label_word_counts(truth)
    X, _ = synthetic.corpus(truth, options.documents, options.length, purpose="test")
    calls, sizes = {}, []
    for n_topics in options.topic_counts:
        model = synthetic.model("Dependency-LDA", truth, n_topics, label_words=label_words)
        _add(calls, sizes, ("Dependency-LDA", options.at_labels, n_topics), model, X, options)
    return _timed(calls, options), pd.DataFrame(sizes)


def _add(calls, sizes, name, model, X, options, kind="sparse"):
    call, updates, sampler = _unseen.library(model, X, options.sweeps, _unseen.CHAINS, kind)
    calls[name] = call, updates
    topics = model.topic_label_counts[0]
    held, new, its_topics = _unseen.traffic(sampler, X[:2]) if kind == "sparse" else (np.nan,) * 3
    sizes.append(
        {
            **dict(zip(("name", "labels", "topics"), name, strict=True)),
            "held": held,
            "new_per_token": new,
            "topics_of_held": its_topics,
            "bytes": _unseen.n_bytes(sampler),
            "nonzeros": model.label_word_counts.nnz + (topics.nnz if topics.shape[0] > 1 else 0),
            "dense_bytes": 4 * np.prod(model.label_word_counts.shape, dtype=np.int64),
        }
    )
    return sampler


def _add_loads(calls, sizes, n_labels, options):
    """Add loads from as many bytes as the largest model's tables take at that number of labels."""
    size = max(row["bytes"] for row in sizes if row["labels"] == n_labels and row["name"] in synthetic.KINDS)
    calls[CHASE, n_labels, 0] = partial(_chase, _ring(size, options.seed), LOADS), LOADS
    sizes.append({"name": CHASE, "labels": n_labels, "topics": 0, "bytes": size})


def _timed(calls, options, columns=("name", "labels", "topics")):
    """Interleave calls whose names have several parts, and give each part of the name its column."""
    functions, updates = ({name: pair[part] for name, pair in calls.items()} for part in (0, 1))
    times = harness.interleave(functions, options.repeats, updates)
    parts = pd.DataFrame(times["name"].tolist(), columns=list(columns))
    return parts.join(times.drop(columns="name"))


def _growth(times):
    """Return the growth of the time per token from FEW to MANY labels, where both were timed."""
    both = times[times["labels"].isin((FEW, MANY)) & times["name"].isin(synthetic.KINDS)]
    for kind, rows in both.groupby("name"):
        growth = harness.ratios(rows.assign(name=rows["labels"]), FEW)
        for row in growth.to_dict("records"):
            yield harness.measured(f"{kind}: time per token at 64k over 1k labels", row)


def _ring(size, seed=0):
    """Return ``size`` bytes of whole numbers: on each cache line one that says which line comes next, in one ring."""
    order = stream(seed, "loads", size).permutation(size // CACHE_LINE)
    chain = np.zeros(order.size * LINE, np.int64)
    chain[order * LINE] = np.roll(order, -1) * LINE
    return chain


@njit(cache=True)
def _chase(chain, n):
    """Follow a ring for n loads; return where it ends."""
    place = 0
    for _ in range(n):
        place = chain[place]
    return place


def _density(sizes):
    """Return the growth of the bytes per non-zero count from FEW to MANY labels, of the model where it is largest."""
    sparse = sizes[sizes["name"].isin(synthetic.KINDS)]
    per = (sparse["bytes"] / sparse["nonzeros"]).groupby([sparse["labels"], sparse["name"]]).first().unstack()
    if {FEW, MANY} <= set(per.index):
        growth = (per.loc[MANY] / per.loc[FEW]).max()
        quantity = "bytes per non-zero count at 64k over 1k labels"
        yield harness.measured(quantity, dict.fromkeys(("low", "median", "high"), growth))


def _draw(table):
    axes = harness.new_axes(across=4, width=4.2, height=3.6)
    growth, topics, settling = (table[table["against"] == what] for what in (GROWTH, TOPICS, SETTLING))
    own = growth[growth["name"].isin(synthetic.KINDS)]
    dense = growth[growth["name"].str.endswith(DENSE)].assign(
        name=lambda rows: rows["name"].str.removesuffix(DENSE)
    )
    time = "Nanoseconds per token and sweep"
    if len(dense):
        harness.plot_costs(axes[0], dense, "labels", linestyle=":", label=None)
    harness.plot_costs(axes[0], own, "labels").set(xlabel="Labels (dotted: dense sampler)", ylabel=time)
    axes[1].plot("labels", "dense_bytes", "--", color=INK, label="dense words × labels", data=own)
    memory = own.assign(**dict.fromkeys(("low", "median", "high"), own["bytes"]))
    harness.plot_costs(axes[1], memory, "labels").set(xlabel="Labels", ylabel="Bytes of tables")
    harness.plot_costs(axes[2], topics, "topics").set(
        xlabel="Topics", ylabel=time, yscale="linear", ylim=(0, None)
    )
    axes[2].legend(loc="lower right")
    few, many = settling["labels"].min(), settling["labels"].max()
    harness.plot_costs(axes[3], settling[settling["labels"] == few], "sweeps", linestyle=":", label=None)
    harness.plot_costs(axes[3], settling[settling["labels"] == many], "sweeps")
    axes[3].set_xlabel(f"Sweeps up to then ({many:,} labels; dotted: {few:,})")
    axes[3].set_ylabel("Nanoseconds per token, a further sweep")
    return axes


if __name__ == "__main__":
    main()
