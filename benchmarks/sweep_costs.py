"""How does the cost of a sweep grow with tokens, labels and topics, beside the orders of Rubin et al.'s table 3?

Of every sampler as it is used, and where there are two also of the one that weighs all labels or topics for every
token, as the paper counts. CPU time of one thread: what else the machine does hardly counts.
"""

import functools
import time
from collections.abc import Callable
from typing import NamedTuple

import _harness as harness
import _synthetic as synthetic
import pandas as pd

from polytopic.kernels import labelled
from polytopic.models import chains, topic_chains, unseen
from polytopic.streams import document_names, word64

PHI, TOPICS = "training Φ", "training Φ'"
FLAT, PRIOR, DEPENDENCY = synthetic.KINDS
USED, DENSE = "as it is", "dense"
SAMPLERS = {USED: None, DENSE: "dense"}
TOKENS, LABELS, N_TOPICS = "word tokens", "labels", "topics"
LABEL_TOKENS, PER_DOCUMENT = "label tokens", "label tokens of a document"
ORDERS = {  # N_W N_C / D, N_C T, N_W C and N_W (C + T) of table 3
    PHI: lambda size: size[TOKENS] * size[PER_DOCUMENT],
    TOPICS: lambda size: size[LABEL_TOKENS] * size[N_TOPICS],
    FLAT: lambda size: size[TOKENS] * size[LABELS],
    PRIOR: lambda size: size[TOKENS] * size[LABELS],
    DEPENDENCY: lambda size: size[TOKENS] * (size[LABELS] + size[N_TOPICS]),
}
CHANGES = {  # the sizes that are doubled for each phase, one after the other, and their names in SIZES
    PHI: {TOKENS: "documents", PER_DOCUMENT: "per_document", LABELS: "labels"},
    TOPICS: {LABEL_TOKENS: "documents", N_TOPICS: "topics", LABELS: "labels"},
    FLAT: {TOKENS: "length", LABELS: "labels"},
    PRIOR: {TOKENS: "length", LABELS: "labels"},
    DEPENDENCY: {TOKENS: "length", LABELS: "labels", N_TOPICS: "topics"},
}
CHAINS = labelled.LANES  # as many as go side by side
WARM_UP = 10  # sweeps of topics and of prediction before those that are timed
MOST_SWEEPS = 1 << 14  # in one timing
SCHEDULE = unseen.Schedule(120, 1, 1, CHAINS)  # the paper's sweeps in all: they decide which lists are sorted
# Labels, topics, labels of a document, documents, and tokens of a document: the least value of each, doubled from
# point to point, while the others have their value "at"; test documents, and the least seconds of a timing
SIZES = {
    "quick": {
        "from": {"labels": 125, "topics": 25, "per_document": 4, "documents": 125, "length": 25}, "points": 4,
        "at": {"labels": 500, "topics": 50, "per_document": 6, "documents": 500, "length": 50},
        "n_test": 3, "seconds": 0.002,
    },
    "full": {
        "from": {"labels": 500, "topics": 25, "per_document": 4, "documents": 1000, "length": 25}, "points": 5,
        "at": {"labels": 2000, "topics": 100, "per_document": 6, "documents": 4000, "length": 100},
        "n_test": 6, "seconds": 0.1,
    },
}  # fmt: skip


class Point(NamedTuple):
    """A sampler ready for sweeps at one size."""

    way: str
    size: dict  # by the names of sizes in ORDERS
    run: Callable  # run(n) sweeps n times, the warm-up included
    warm_up: int = WARM_UP
    n_chains: int = CHAINS  # that go in one call

    def seconds(self, n_sweeps):
        """Return the CPU time of the warm-up and n sweeps."""
        start = time.thread_time()
        self.run(self.warm_up + n_sweeps)
        return time.thread_time() - start


def measure(sizes, seed, repeats):
    """Return what a sweep costs: a row for each phase, sampler, size and repeat.

    Columns: phase, way (USED or DENSE), against, x (the size that changes), order (the paper's, at these sizes),
    repeat, microseconds (of one core, a sweep over the whole corpus of one of the chains that go side by side). A
    curve's points take turns.
    """
    rows = []
    for phase, changes in CHANGES.items():
        for against, name in changes.items():
            places = [sizes["at"] | {name: sizes["from"][name] * 2**k} for k in range(sizes["points"])]
            points = [point for at in places for point in samplers(phase, at, sizes["n_test"], seed)]
            sweeps = [_enough_sweeps(point, sizes["seconds"]) for point in points]
            for repeat in range(repeats):
                for point, n in zip(points, sweeps, strict=True):
                    cost = (point.seconds(n) - point.seconds(0)) / n / point.n_chains
                    order = ORDERS[phase](point.size)
                    rows.append((phase, point.way, against, point.size[against], order, repeat, 1e6 * cost))
    return pd.DataFrame(rows, columns=["phase", "way", "against", "x", "order", "repeat", "microseconds"])


def _enough_sweeps(point, seconds):
    """Compile the point's sampler, and return how many sweeps, a power of 2, take so many seconds.

    They also take as long as the warm-up and the tables made for it, which are subtracted: a sweep's time is the
    difference of two, and would drown in what they vary by.
    """
    point.seconds(1)
    first, n = point.seconds(0), 2
    while n < MOST_SWEEPS and point.seconds(n) - first < max(seconds, first):
        n *= 2
    return n


def samplers(phase, at, n_test, seed):
    """Return a Point for each sampler of a phase; ``at`` maps the names of SIZES to numbers."""
    truth = synthetic.truth(at["labels"], seed=seed)
    if phase == PHI:
        return [_words_on_labels(truth, at, seed)]
    if phase == TOPICS:
        _, Y = synthetic.corpus(truth, at["documents"], 1, cardinality=at["per_document"])
        size = {LABEL_TOKENS: Y.nnz, LABELS: at["labels"], N_TOPICS: at["topics"]}
        given = Y, at["topics"], 0.01, 0.01, word64(seed, "costs", "topics")
        warm = {way: topic_chains.Chain(*given, kind).advance(WARM_UP) for way, kind in SAMPLERS.items()}
        return [Point(way, size, chain.advance, warm_up=0, n_chains=1) for way, chain in warm.items()]
    X, _ = synthetic.corpus(truth, n_test, at["length"], cardinality=at["per_document"], purpose="test")
    model = synthetic.model(phase, truth, at["topics"], _label_words(at["labels"], seed))
    model = model._replace(**_priors(phase, at))
    size = {TOKENS: int(X.sum()), LABELS: at["labels"], N_TOPICS: at["topics"]}
    return [Point(way, size, _prediction(model, X, kind, seed)) for way, kind in SAMPLERS.items()]


def _words_on_labels(truth, at, seed):
    X, Y = synthetic.corpus(truth, at["documents"], at["length"], cardinality=at["per_document"])
    names = (word64(seed, "costs", "chain", k) for k in range(CHAINS))
    tokens, random = chains.labelled_tokens(X, Y), topic_chains.generators(*names)
    state = labelled.start(tokens, random)

    def run(n_sweeps):
        for _ in range(n_sweeps):
            labelled.sweep(tokens, state, 50.0, 0.01, random)

    size = {TOKENS: int(X.sum()), PER_DOCUMENT: Y.nnz / X.shape[0], LABELS: at["labels"]}
    return Point(USED, size, run, warm_up=0)


@functools.lru_cache(maxsize=1)
def _label_words(n_labels, seed):
    return synthetic.label_word_counts(synthetic.truth(n_labels, seed=seed), tokens_per_label=300)


def _priors(phase, at):
    """Return the weights of the prior as ``systems.prior_settings`` has them for documents so long."""
    weight = at["length"] / 2
    if phase == FLAT:
        return {"alpha": weight / at["labels"]}
    gamma = {"gamma": weight / 18 / at["topics"]} if phase == DEPENDENCY else {}
    return {"eta": weight * 5 / 6, "alpha": weight / 6 / at["labels"]} | gamma


def _prediction(model, X, kind, seed):
    own = unseen.sampler(model, SCHEDULE, kind)
    tokens = topic_chains.by_document(X)
    (group,) = own.groups

    def run(n_sweeps):
        own.schedule = own.schedule._replace(burn_in=n_sweeps)
        own.run(tokens.ptr, tokens.items, document_names(X), tuple(group), seed)

    return run


def main():
    options = harness.arguments(__doc__, quick={"scale": "quick"}, scale="full")
    table = measure(SIZES[options.scale], options.seed, options.repeats)
    harness.save("sweep_costs", table, draw(table), options)


def draw(table):
    axes = harness.new_axes(across=len(CHANGES), width=3.4, height=3.4)
    for ax, (phase, rows) in zip(axes, table.groupby("phase", sort=False), strict=True):
        for (against, way), curve in rows.groupby(["against", "way"], sort=False):
            middle = curve.groupby("x")["microseconds"].median()
            ax.plot(middle.index / middle.index[0], middle, marker="o", label=f"{against}, {way}")
        ax.set(xscale="log", yscale="log", xlabel="size over the smallest", title=phase)
        ax.legend(fontsize=5)
    axes[0].set_ylabel("microseconds a sweep and chain, median")
    return axes


if __name__ == "__main__":
    main()
