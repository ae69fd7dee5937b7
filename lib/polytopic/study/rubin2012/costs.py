"""What a sweep costs against tokens, labels and topics (Rubin et al. 2012, table 3), measured on synthetic corpora.

The samplers are timed as they are used, and where there are two also in the way that the paper counts, every label or
topic weighed for every token. CPU time of one thread: what else the machine does hardly counts.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.kernels import generator, labelled
from polytopic.models import chains, topic_chains, unseen
from polytopic.streams import word64
from polytopic.study import synthetic
from polytopic.study.speed import power
from polytopic.validation import check_name

PHI, TOPICS = "training Φ", "training Φ'"
FLAT, PRIOR, DEPENDENCY = synthetic.KINDS
USED, WEIGHED = "as used", "all weighed"
TOKENS, LABELS, N_TOPICS = "word tokens", "labels", "topics"
LABEL_TOKENS, PER_DOCUMENT = "label tokens", "label tokens of a document"

# Table 3. A size is a mapping of the numbers N_W, N_C, D, C and T.
ORDERS = {
    PHI: ("N_W (N_C / D)", lambda size: size["N_W"] * size["N_C"] / size["D"]),
    TOPICS: ("N_C T", lambda size: size["N_C"] * size["T"]),
    FLAT: ("N_W C", lambda size: size["N_W"] * size["C"]),
    PRIOR: ("N_W C", lambda size: size["N_W"] * size["C"]),
    DEPENDENCY: ("N_W (C + T)", lambda size: size["N_W"] * (size["C"] + size["T"])),
}
# Which of Sizes is gone through for each phase, and what it is called
CHANGES = {
    PHI: {TOKENS: "documents", PER_DOCUMENT: "per_document", LABELS: "labels"},
    TOPICS: {LABEL_TOKENS: "documents", N_TOPICS: "topics", LABELS: "labels"},
    FLAT: {TOKENS: "length", LABELS: "labels"},
    PRIOR: {TOKENS: "length", LABELS: "labels"},
    DEPENDENCY: {TOKENS: "length", LABELS: "labels", N_TOPICS: "topics"},
}
NEAR = 0.1  # exponents so far apart are called the same: over a factor of 16 it makes 1.3
CHAINS = labelled.LANES  # as many as go side by side
SETTLED = 10  # sweeps of prediction before those that are timed
WHOLE = 120  # sweeps of prediction in all by the paper's schedule: they say which words' lists are sorted


class Sizes(NamedTuple):
    """The sizes that are gone through one after the other, the others at their value ``at``."""

    labels: tuple
    topics: tuple
    per_document: tuple  # labels of a training document
    documents: tuple  # in training
    length: tuple  # tokens of a test document, which are those of a training document at ``at``
    at: dict  # labels, topics, per_document, documents and length
    n_test: int  # test documents
    seconds: float  # that one timing takes at least, all sweeps together


SCALES = {
    "quick": Sizes(
        labels=(125, 250, 500, 1000), topics=(25, 50, 100, 200), per_document=(4, 8, 16, 32),
        documents=(125, 250, 500, 1000), length=(25, 50, 100, 200),
        at={"labels": 500, "topics": 50, "per_document": 6, "documents": 500, "length": 50},
        n_test=3, seconds=0.002,
    ),
    "full": Sizes(
        labels=(500, 1000, 2000, 4000, 8000), topics=(25, 50, 100, 200, 400), per_document=(4, 8, 16, 32, 64),
        documents=(1000, 2000, 4000, 8000, 16000), length=(25, 50, 100, 200, 400),
        at={"labels": 2000, "topics": 100, "per_document": 6, "documents": 4000, "length": 100},
        n_test=6, seconds=0.1,
    ),
}  # fmt: skip


class Point(NamedTuple):
    """A sampler ready for sweeps at one size."""

    way: str
    size: dict  # N_W, N_C, D, C, T, as far as they matter
    run: Callable  # run(n) sweeps n times, the first sweeps included
    first: int  # sweeps that are not counted
    n_chains: int  # that go in one call


def measure(scale="quick", seed=0, repeats=3):
    """Return what a sweep costs: a row for each phase, way, size and repeat.

    Columns: phase (a key of ORDERS), way (USED or WEIGHED), against, x (the size that changes), order (the paper's,
    for the sizes that there are), repeat, microseconds (of one core, a sweep over the whole corpus and one of the
    chains that go side by side). The points of a curve take turns in every repeat. Raises ValueError for an unknown
    scale.
    """
    check_name("scale", scale, SCALES)
    sizes = SCALES[scale]
    rows = []
    for phase, against, points in _curves(sizes, seed):
        sweeps = [_enough_sweeps(point, sizes.seconds) for point in points]
        for repeat in range(repeats):
            for point, n in zip(points, sweeps, strict=True):
                cost = (_seconds(point, n) - _seconds(point, 0)) / n / point.n_chains
                order = ORDERS[phase][1](point.size)
                rows.append((phase, point.way, against, _x(against, point.size), order, repeat, 1e6 * cost))
    columns = ["phase", "way", "against", "x", "order", "repeat", "microseconds"]
    return pd.DataFrame(rows, columns=columns)


def _enough_sweeps(point, seconds):
    """Compile the point's sampler, and return for how many sweeps it takes about so many seconds."""
    point.run(point.first + 1)
    one = _seconds(point, 1) - _seconds(point, 0)
    return int(np.clip(np.ceil(seconds / max(one, 1e-6)), 2, 100))


def _seconds(point, n_sweeps):
    start = time.thread_time()
    point.run(point.first + n_sweeps)
    return time.thread_time() - start


def _curves(sizes, seed):
    """Yield (phase, against, points) one after the other, so that only one curve's samplers are held at a time."""
    at = sizes.at
    for phase, changes in CHANGES.items():
        for against, name in changes.items():
            places = [at | {name: n} for n in getattr(sizes, name)]
            if phase == PHI:
                points = [_phi(place, seed) for place in places]
            elif phase == TOPICS:
                points = [_topics(place, way, seed) for way in (USED, WEIGHED) for place in places]
            else:
                points = _predictions(phase, places, sizes.n_test, seed)
            yield phase, against, points


def _x(against, size):
    if against == PER_DOCUMENT:
        return size["N_C"] / size["D"]
    return size[{TOKENS: "N_W", LABELS: "C", N_TOPICS: "T", LABEL_TOKENS: "N_C"}[against]]


def _phi(at, seed):
    truth = synthetic.truth(at["labels"], seed=seed)
    X, Y = synthetic.corpus(truth, at["documents"], at["length"], cardinality=at["per_document"])
    tokens, random = chains.labelled_tokens(X, Y), np.zeros((4, CHAINS), np.uint32)
    names = np.array([word64(seed, "costs", "chain", k) for k in range(CHAINS)], np.uint64)
    generator.seed(random, names, 0)
    state = labelled.start(tokens, random)

    def run(n_sweeps):
        for _ in range(n_sweeps):
            labelled.sweep(tokens, state, 50.0, 0.01, random)

    size = {"N_W": int(X.sum()), "N_C": Y.nnz, "D": X.shape[0], "C": at["labels"]}
    return Point(USED, size, run, 0, CHAINS)


def _topics(at, way, seed):
    truth = synthetic.truth(at["labels"], seed=seed)
    _, Y = synthetic.corpus(truth, at["documents"], 1, cardinality=at["per_document"])
    name, kind = word64(seed, "costs", "topics"), "dense" if way == WEIGHED else None
    chain = topic_chains.Chain(Y, at["topics"], 0.01, 0.01, name, kind).advance(SETTLED)
    size = {"N_C": Y.nnz, "D": Y.shape[0], "C": at["labels"], "T": at["topics"]}
    return Point(way, size, chain.advance, 0, 1)


def _predictions(phase, places, n_test, seed):
    points, drawn = [], {}
    for at in places:
        truth = synthetic.truth(at["labels"], seed=seed)
        if at["labels"] not in drawn:
            drawn[at["labels"]] = synthetic.label_word_counts(truth, tokens_per_label=300)
        X, _ = synthetic.corpus(truth, n_test, at["length"], cardinality=at["per_document"], purpose="test")
        model = _weighed(synthetic.model(phase, truth, at["topics"], label_words=drawn[at["labels"]]), at)
        size = {"N_W": int(X.sum()), "C": at["labels"], "T": model.topic_label_counts[0].shape[0]}
        for way, kind in ((USED, None), (WEIGHED, "dense")):
            points.append(Point(way, size, _prediction(model, X, kind, seed), SETTLED, CHAINS))
    return points


def _weighed(model, at):
    """Return the model with the prior's weight as ``systems.prior_settings`` has it for documents so long."""
    weight = at["length"] / 2
    alpha, n_topics = weight / at["labels"], model.topic_label_counts[0].shape[0]
    if model.eta == 0:
        return model._replace(alpha=alpha)
    gamma = weight / 18 / n_topics if n_topics > 1 else model.gamma
    return model._replace(eta=weight * 5 / 6, alpha=alpha / 6, gamma=gamma)


def _prediction(model, X, kind, seed):
    own = unseen.sampler(model, unseen.Schedule(WHOLE, 1, 1, CHAINS), kind)
    tokens = topic_chains.by_document(X)
    (group,) = own.groups

    def run(n_sweeps):
        own.schedule = own.schedule._replace(burn_in=n_sweeps)
        own.run(tokens.ptr, tokens.items, 0, tuple(group), seed)

    return run


def summary(measured):
    """Return the median over the repeats of ``measure``: phase, way, against, x, order, microseconds.

    Not the least: a cost is the difference of two runs, and what disturbs the shorter one makes it too small.
    """
    by = ["phase", "way", "against", "x", "order"]
    return measured.groupby(by, sort=False)["microseconds"].median().reset_index()


def exponents(measured):
    """Return with which power of a size the cost grows, here and by the paper's order: a row for each curve.

    Columns: phase, way, against, points, factor (largest over smallest size), paper (the order's exponent over the
    same sizes), exponent (of the medians), low and high (of the costs of single repeats), verdict ("slower", "as
    the paper" or "faster": more than NEAR apart, for every repeat).
    """
    rows = []
    for (phase, way, against), curve in measured.groupby(["phase", "way", "against"], sort=False):
        middle = summary(curve)
        own = power(middle["x"], middle["microseconds"]).exponent
        paper = power(middle["x"], middle["order"]).exponent
        single = [power(one["x"], one["microseconds"]).exponent for _, one in curve.groupby("repeat")]
        low, high = min(own, *single) - paper, max(own, *single) - paper
        verdict = "slower" if high < -NEAR else "faster" if low > NEAR else "as the paper"
        factor = middle["x"].max() / middle["x"].min()
        rows.append((phase, way, against, len(middle), factor, paper, own, min(single), max(single), verdict))
    columns = ["phase", "way", "against", "points", "factor", "paper", "exponent", "low", "high", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def savings(measured):
    """Return how much the samplers as used save over weighing all, at the largest size: phase, against, x, times."""
    wide = summary(measured).pivot(index=["phase", "against", "x"], columns="way", values="microseconds")
    times = (wide[WEIGHED] / wide[USED]).dropna().rename("times").reset_index()
    return times.loc[times.groupby(["phase", "against"], sort=False)["x"].idxmax()].reset_index(drop=True)


def orders():
    """Return table 3 as printed: the order of a sweep's cost by phase, as text."""
    return pd.DataFrame(
        [(phase, f"O({text})") for phase, (text, _) in ORDERS.items()], columns=["phase", "order"]
    )
