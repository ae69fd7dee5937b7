"""How fast is LDA trained, over words and over label tokens, beside a textbook loop, tomotopy and MALLET?

Our two samplers, each from the same assignments after some sweeps of ours; ``ours`` is the one that the library
chooses. tomotopy runs one worker, MALLET (SparseLDA) one thread, without optimising the priors, each from its own
state after as many sweeps. MALLET's time per sweep is the difference between a long and a short run of its command.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import _harness as harness
import _synthetic as synthetic
import _textbook_lda as textbook
import numpy as np
import pandas as pd

from polytopic.kernels import generator
from polytopic.models import topic_chains
from polytopic.streams import word64

BETA = 0.01
ALPHA = {100: 0.1, 500: 0.05, 2000: 0.02}
TEXTBOOK, OURS, TOMOTOPY, MALLET = "textbook loop", "ours", "tomotopy", "MALLET"
WORDS, LABELS = "words", "labels"
STYLE = {
    "dense": {"color": "#0072B2", "marker": "o"},
    "tree": {"color": "#009E73", "marker": "D"},
    TEXTBOOK: {"color": "#999999", "marker": "s"},
    TOMOTOPY: {"color": "#CC79A7", "marker": "X", "linestyle": "--"},
    MALLET: {"color": "#000000", "marker": "P", "linestyle": "--"},
}


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "documents": 60, "length": 20, "words": 300, "topics": (5, 20), "burn_in": 2, "label_documents": 100,
            "labels": 50, "label_topics": 5,
        },
        documents=20_000, length=110, words=22_000, topics=(100, 500, 2000), burn_in=20, label_documents=50_000,
        labels=4_000, label_topics=200,
    )  # fmt: skip
    X = _documents(options)
    times = [_timed(WORDS, X, n_topics, ALPHA.get(n_topics, 0.1), options) for n_topics in options.topics]
    Y = _label_sets(options)
    times = pd.concat([*times, _timed(LABELS, Y, options.label_topics, 0.01, options, peers=False)])
    speeds = harness.ratios(times, OURS, by=["items", "topics"])
    values = _values(speeds, "speed over {name} at K = {topics}")
    table = _table(times, speeds)
    harness.save("unsupervised_lda", table, _draw(table), options, values)


def _values(speeds, quantity):
    return [
        harness.measured(quantity.format(**row), row)
        for row in speeds.to_dict("records")
        if row["items"] == WORDS and row["name"] in (TOMOTOPY, MALLET)
    ]


def _documents(options):
    truth = synthetic.truth(100, n_words=options.words, seed=options.seed)
    return synthetic.corpus(truth, options.documents, options.length)[0]


def _label_sets(options):
    truth = synthetic.truth(options.labels, seed=options.seed)
    return synthetic.corpus(truth, options.label_documents, 1, cardinality=6.0)[1]


def _timed(items, X, n_topics, alpha, options, peers=True):
    n_tokens = int(X.sum())
    start = _chain(X, n_topics, alpha, None, None, options).advance(options.burn_in).assignments()
    calls = {TEXTBOOK: _by_the_textbook(X, n_topics, alpha, start, options)}
    for sampler in topic_chains.SAMPLERS:
        chain = _chain(X, n_topics, alpha, sampler, start, options)
        calls[sampler] = lambda chain=chain: chain.advance(1)
    if peers:
        calls |= _tomotopy(X, n_topics, alpha, options)
    times = harness.interleave(calls, options.repeats, n_tokens)
    if peers:
        times = pd.concat([times, _mallet(X, n_topics, alpha, options)])
    own = times[times["name"] == topic_chains.cheapest(X.shape[1], n_topics)].assign(name=OURS)
    return pd.concat([times, own]).assign(items=items, topics=n_topics)


def _chain(X, n_topics, alpha, sampler, start, options):
    name = word64(options.seed, "benchmark", "topics")
    return topic_chains.Chain(X, n_topics, alpha, BETA, name, sampler, start)


def _by_the_textbook(X, n_topics, alpha, start, options):
    tokens = topic_chains.by_document(X)
    state = textbook.init(tokens, start, n_topics)
    random = np.zeros((4, 1), np.uint32)
    generator.seed(random, np.array([word64(options.seed, "benchmark", "textbook")], np.uint64), 0)
    cumulative = np.zeros(n_topics)
    return lambda: textbook.sweep(tokens.ptr, tokens.items, *state, alpha, BETA, random, cumulative)


def _texts(X):
    """Return the documents as lists of words' numbers, as text."""
    tokens = topic_chains.by_document(X)
    return [tokens.items[a:b].astype(str).tolist() for a, b in zip(tokens.ptr, tokens.ptr[1:], strict=False)]


def _tomotopy(X, n_topics, alpha, options):
    tomotopy = harness.peer("tomotopy")
    if tomotopy is None:
        return {}
    model = tomotopy.LDAModel(k=n_topics, alpha=alpha, eta=BETA, seed=options.seed)
    model.optim_interval = 0
    for document in _texts(X):
        model.add_doc(document)
    model.train(options.burn_in, workers=1)
    return {TOMOTOPY: lambda: model.train(1, workers=1)}


def _mallet(X, n_topics, alpha, options):
    """Return MALLET's times, like ``interleave``'s; its processes' CPU time, with that of its runtime."""
    command = harness.mallet()
    if command is None:
        return None
    n_tokens, n_sweeps, rows = int(X.sum()), 10, []
    with tempfile.TemporaryDirectory() as folder:
        text, read = Path(folder) / "documents.txt", Path(folder) / "documents.mallet"
        lines = (f"{d} none {' '.join(document)}" for d, document in enumerate(_texts(X)))
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        _run(command, "import-file", input=text, output=read, keep_sequence="TRUE", token_regex=r"\S+")
        for repeat in range(options.repeats):
            short, long = (
                _run(
                    command, "train-topics", input=read, num_topics=n_topics, alpha=alpha * n_topics,
                    beta=BETA, num_iterations=sweeps, num_threads=1, optimize_interval=0,
                    show_topics_interval=0, random_seed=options.seed + 1,
                )
                for sweeps in (options.burn_in, options.burn_in + n_sweeps)
            )  # fmt: skip
            cpu, wall = (np.array(long) - np.array(short)) / n_sweeps
            rows.append(
                {"name": MALLET, "repeat": repeat, "cpu": cpu, "wall": wall, "ns": cpu / n_tokens * 1e9}
            )
    return pd.DataFrame(rows)


def _run(command, task, **settings):
    """Run MALLET; return its seconds of CPU time and of wall time."""
    options = [
        part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    before, wall = os.times(), time.perf_counter()
    subprocess.run([command, task, *options], check=True, capture_output=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return cpu, time.perf_counter() - wall


def _table(times, speeds):
    by = ["items", "topics", "name"]
    rows = harness.quartiles(times, "ns", by).assign(unit="ns per token, sweep and chain")
    rows["million_tokens_a_second"] = 1e3 / rows["median"]
    return rows.join(speeds.set_index(by)["median"].rename("ours_is_times_faster"), on=by)


def _draw(table):
    axes = harness.new_axes(across=2, width=5.4, height=3.8)
    rows = table[table["name"] != OURS]
    words, labels = (rows[rows["items"] == items] for items in (WORDS, LABELS))
    for name, costs in words.groupby("name", sort=False):
        spread = [costs["median"] - costs["low"], costs["high"] - costs["median"]]
        axes[0].errorbar(costs["topics"], costs["median"], spread, label=name, **STYLE[name])
    axes[0].set(xscale="log", yscale="log", xlabel="Topics over words")
    axes[0].set_ylabel("Nanoseconds per token, sweep and chain")
    axes[0].set_xticks(sorted(set(words["topics"])), minor=False)
    axes[0].xaxis.set_major_formatter("{x:g}")
    axes[0].minorticks_off()
    axes[0].legend()
    harness.plot_bars(axes[1], labels)
    axes[1].set_xscale("linear")
    axes[1].set_xlabel(f"The same over label sets, {labels['topics'].iloc[0]} topics")
    return axes


if __name__ == "__main__":
    main()
