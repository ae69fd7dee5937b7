"""How many of a token's nanoseconds are memory, random numbers and arithmetic, and what does the machine allow?

Small kernels measure the machine: bandwidth of a triad, latency of dependent loads, independent gathers, additions
that wait for each other, products of vectors, random numbers. Then the samplers: their time per token, and the time
of the same work where all that it touches stays in the cache. For training and topics that is a small corpus with as
many labels and tokens for each document and as many tokens for each word; for the dense sampler, documents of few
distinct words. The difference is put down to memory, a draw at its measured cost to random numbers, and the rest to
arithmetic and branches; rarer draws count among the rest. For the sparse samplers nothing smaller is the same work,
so that their memory is not told apart from the rest. Of them the steps of a sweep are timed one by one instead, on
documents after some sweeps, with what the machine takes for as many independent loads as labels are looked at.
"""

from functools import partial

import _harness as harness
import _memory
import _synthetic as synthetic
import _unseen
import numpy as np
import pandas as pd
from numba import njit
from scipy import sparse

from polytopic.kernels import generator, weighing
from polytopic.kernels.simd import LANES, lane_of
from polytopic.models import chains
from polytopic.streams import stream
from polytopic.study import speed, speed_plots
from polytopic.study.speed import (
    ADD,
    CHASE,
    DOT,
    DRAW,
    HELD,
    MEMORY,
    OTHERS,
    RANDOM,
    REST,
    TOPICS,
    TRIAD,
    WORDS,
)

COLUMNS = 256
SETTLE, AGAIN = 30, 20  # sweeps before the steps of a sweep are timed, and how often each is repeated
FEW_WORDS = 8  # of a document whose rows of phi stay in the cache
GATHER = "independent loads"
UNIFORM, FINE, FILL = "uniform", "fine_uniform", "fill, each of 16"


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "footprints": (1 << 14, 1 << 16), "draws": 1000, "labels": 250, "documents": 60, "length": 40,
            "test_documents": 3, "topics": 10, "small_documents": 20, "sweeps": (2, 6),
        },
        footprints=(1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28), draws=2_000_000,
        labels=4_000, documents=15_000, length=300, test_documents=12, topics=200, small_documents=60,
        sweeps=(5, 25),
    )  # fmt: skip
    machine = pd.concat([_loads(options), _numbers(options)])
    samplers = _samplers(options, machine)
    steps = _steps(options, machine)
    parts = {"machine": machine, "samplers": samplers, "steps": steps}
    table = pd.concat([rows.assign(part=part) for part, rows in parts.items()])
    harness.save("roofline", table, _draw(machine, samplers), options)


# The machine


def _loads(options):
    tables = []
    for size in options.footprints:
        reads = max(options.draws, size // 64)
        chain = _memory.ring(size, options.seed)
        picks = stream(options.seed, "picks", size).integers(size // 8, size=reads)
        a, b, c = (np.ones(size // 8 // 3) for _ in range(3))
        rounds = max(1, options.draws // a.size)
        flat = np.ones(max(size // 4 // 2 // LANES, 1) * LANES, np.float32)
        again = max(1, 8 * options.draws // flat.size)
        calls = {
            TRIAD: partial(_triad, a, b, c, rounds),
            CHASE: partial(_memory.chase, chain, reads),
            GATHER: partial(_gather, chain, picks),
            DOT: partial(_products, flat, np.ones_like(flat), again),
        }
        units = {TRIAD: a.size * rounds, CHASE: reads, GATHER: reads, DOT: flat.size * again}
        times = harness.interleave(calls, options.repeats, units)
        tables.append(harness.quartiles(times).assign(footprint=size))
    return pd.concat(tables)


def _numbers(options):
    state, wide = np.ones((4, 1), np.uint32), np.ones((4, LANES), np.uint32)
    n = options.draws
    calls = {
        UNIFORM: partial(_uniforms, state, n),
        FINE: partial(_fine_uniforms, state, n),
        FILL: partial(_fills, wide, n),
        ADD: partial(_additions, np.ones(1024), n),
    }
    units = {UNIFORM: n, FINE: n, FILL: n * LANES, ADD: n // 1024 * 1024 or 1024}
    return harness.quartiles(harness.interleave(calls, options.repeats, units))


@njit(cache=True)
def _triad(a, b, c, rounds):
    for _ in range(rounds):
        for i in range(a.size):
            a[i] = b[i] + 0.5 * c[i]


@njit(cache=True)
def _gather(table, picks):
    total = 0
    for i in range(picks.size):
        total += table[picks[i]]
    return total


@njit(cache=True)
def _products(a, b, rounds):
    total = 0.0
    for _ in range(rounds):
        total += weighing.dot(a, b)
    return total


@njit(cache=True)
def _additions(values, n):
    total = 0.0
    for _ in range(max(1, n // values.size)):
        for i in range(values.size):
            total += values[i]
    return total


@njit(cache=True)
def _uniforms(state, n):
    total = 0.0
    for _ in range(n):
        total += generator.uniform(state)
    return total


@njit(cache=True)
def _fine_uniforms(state, n):
    total = 0.0
    for _ in range(n):
        total += generator.fine_uniform(state)
    return total


@njit(cache=True)
def _fills(state, n):
    total = 0.0
    for _ in range(n):
        total += lane_of(generator.uniforms(state), 0)
    return total


# The samplers


def _samplers(options, machine):
    """Return each sampler's ns per token, its three parts, and the operations and bytes that its formula needs."""
    truth = synthetic.truth(options.labels, seed=options.seed)
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    share = options.small_documents / options.documents
    small = synthetic.truth(
        max(12, int(options.labels * share)), max(20, int(share * truth.words.size)), seed=options.seed
    )
    few = synthetic.corpus(small, options.small_documents, options.length)
    cost = machine.set_index("name")["median"]
    each = float(np.diff(Y.indptr).mean())
    rows = [
        _row("training", _training, (X, Y), few, options, cost[UNIFORM], 6 * each, 3 * 8 * each),
        _row(
            "topics", _topics, (X, Y), few, options, cost[UNIFORM], 6 * options.topics, 3 * 8 * options.topics
        ),
    ]
    label_words = synthetic.label_word_counts(truth)
    test, _ = synthetic.corpus(truth, options.test_documents, options.length, purpose="test")
    for kind in synthetic.KINDS:
        model = synthetic.model(kind, truth, options.topics, label_words=label_words)
        for which, draw in (("dense", cost[FILL]), ("sparse", cost[FINE])):
            own = _predicted(model, test, which, options)
            if which == "dense":
                same = _predicted(model, _few_words(test), which, options)
                flops = options.labels * 3
                moved = options.labels * (4 + 3 * 4 * LANES) / LANES
            else:
                same, flops, moved = None, np.nan, np.nan
            rows.append(_parts(f"{kind}, {which}", own, same, draw, flops, moved))
    return pd.DataFrame(rows)


def _row(name, job, whole, few, options, draw, flops, moved):
    own, same = (_marginal(job, corpus, options) for corpus in (whole, few))
    return _parts(name, own, same, draw, flops, moved)


def _parts(name, own, same, draw, flops, moved):
    """Split the time per token: what is more than in the cache, if that is known, the draw, and what remains."""
    more = own["median"] - same["median"] if same is not None else np.nan
    memory = np.clip(more, 0.0, own["median"] - draw)
    return {
        "name": name,
        **{key: own[key] for key in ("low", "median", "high")},
        MEMORY: memory,
        RANDOM: draw,
        REST: own["median"] - np.nan_to_num(memory) - draw,
        "flops": flops,
        "bytes": moved,
    }


def _marginal(job, corpus, options):
    """Return the quartiles of a sweep's ns per token: what more sweeps of the same chain take in addition."""
    calls = {n: partial(job, corpus, n, options) for n in options.sweeps}
    times = harness.interleave(calls, options.repeats)
    cpu = times.pivot(index="repeat", columns="name", values="cpu")
    first, last = options.sweeps
    tokens = (corpus[1] if job is _topics else corpus[0]).sum()
    ns = (cpu[last] - cpu[first]) / (last - first) / tokens * 1e9
    return {name: ns.quantile(level) for name, level in harness.QUARTILES.items()}


def _training(corpus, n_sweeps, options):
    X, Y = corpus
    chains.train_label_words(X, Y, 50.0, 0.01, 1, n_sweeps, options.seed, chains.Run(1))


def _topics(corpus, n_sweeps, options):
    chains.train_topics(
        sparse.csr_matrix(corpus[1]), options.topics, 0.01, 0.01, 1, n_sweeps, options.seed, chains.Run(1)
    )


def _few_words(X):
    """Return documents as long as those of X, with the first few of the words of each only."""
    lengths = np.asarray(X.sum(axis=1)).ravel()
    few = sparse.lil_matrix(X.shape, dtype=np.int32)
    for d in range(X.shape[0]):
        words = X.indices[X.indptr[d] : X.indptr[d + 1]][:FEW_WORDS]
        few[d, words] = -(-lengths[d] // words.size)
    return few.tocsr()


def _predicted(model, X, which, options):
    call, updates, _ = _unseen.library(model, X, options.sweeps[-1], _unseen.CHAINS, which)
    return harness.quartiles(harness.interleave({which: call}, options.repeats, updates)).iloc[0]


def _steps(options, machine):
    """Return the ns per token of each step of a sparse sampler's sweep, and of all of them together.

    ``outside`` is how many of the labels held would lie outside of dense columns, COLUMNS for each document.
    ``looked`` is how many of the labels held a choice looks at, ``loads`` what the step would take if each of these
    were an independent load and nothing else, at the machine's cost for a table as large as the profiles.
    """
    truth = synthetic.truth(options.labels, seed=options.seed)
    label_words = synthetic.label_word_counts(truth)
    X, _ = synthetic.corpus(truth, options.test_documents, options.length, purpose="test")
    gathers = machine[machine["name"] == GATHER].set_index("footprint")["median"].sort_index()
    rows = []
    for kind in synthetic.KINDS:
        model = synthetic.model(kind, truth, options.topics, label_words=label_words)
        sampler = _unseen.library(model, X, 1, 1, "sparse")[2]
        states, outside = _unseen.states(sampler, X, SETTLE), _unseen.outside_columns(sampler, X, COLUMNS)
        share, looked = np.mean([state.choose_active(1) for state in states], axis=0)
        calls = {
            speed.SWEEP: partial(_each, states, _unseen.State.sweep),
            HELD: partial(_each, states, _unseen.State.choose_active),
            DRAW: partial(_each, states, _unseen.State.draw_prior),
        }
        if states[0].model.topics.smooth.size > 0:
            calls[TOPICS] = partial(_each, states, _unseen.State.draw_topics)
            calls[WORDS] = partial(_each, states, _unseen.State.weigh_words)
        times = harness.interleave(calls, options.repeats, int(X.sum()) * AGAIN)
        ns = times.pivot(index="repeat", columns="name", values="ns")
        ns[DRAW] *= share
        ns[OTHERS] = ns[speed.SWEEP] - ns.drop(columns=speed.SWEEP).sum(axis=1)
        held = float(np.mean([state.work.held.size[0] for state in states]))
        size = held * float(np.mean([state.document.n_unique for state in states])) * 4
        each = gathers[gathers.index >= min(size, gathers.index[-1])].iloc[0]
        for step in ns:
            quartiles = {name: ns[step].quantile(level) for name, level in harness.QUARTILES.items()}
            loads = looked * each if step == HELD else np.nan
            own = {"held": held, "outside": outside, "looked": looked, "loads": loads}
            rows.append({"name": f"{kind}, sparse", "step": step, **quartiles, **own})
    return pd.DataFrame(rows)


def _each(states, step):
    for state in states:
        step(state, AGAIN)


def _draw(machine, samplers):
    axes = harness.new_axes(across=3, width=4.8, height=4.2)
    speed_plots.plot_time_shares(samplers, axes[0])
    loads = machine.dropna(subset="footprint")
    speed_plots.plot_costs(loads, "footprint", ax=axes[1])
    axes[1].set(xlabel="Bytes that the loop goes over", ylabel="Nanoseconds per element")
    speed_plots.plot_roofline(machine, samplers, axes[2])
    return axes


if __name__ == "__main__":
    main()
