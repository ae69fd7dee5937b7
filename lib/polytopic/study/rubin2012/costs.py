"""What a sweep costs against tokens, labels and topics (Rubin et al. 2012, table 3), measured on synthetic corpora.

The samplers are timed as they are used, and where there are two also in the way that the paper counts, every label or
topic weighed for every token. CPU time of one thread: what else the machine does hardly counts.
"""

import functools
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from polytopic.kernels import labelled
from polytopic.models import chains, topic_chains, unseen
from polytopic.streams import document_names, word64
from polytopic.study import synthetic
from polytopic.study.power_law import power
from polytopic.validation import check_name

PHI, TOPICS = "training Φ", "training Φ'"
FLAT, PRIOR, DEPENDENCY = synthetic.KINDS
USED, WEIGHED = "as it is", "dense"
WAYS = {USED: None, WEIGHED: "dense"}  # and the kinds of sampler
TOKENS, LABELS, N_TOPICS = "word tokens", "labels", "topics"
LABEL_TOKENS, PER_DOCUMENT = "label tokens", "label tokens of a document"

# Table 3: N_W, C, T, N_C and N_C / D in the order of the names above
ORDERS = {
    PHI: ("N_W (N_C / D)", lambda size: size[TOKENS] * size[PER_DOCUMENT]),
    TOPICS: ("N_C T", lambda size: size[LABEL_TOKENS] * size[N_TOPICS]),
    **dict.fromkeys((FLAT, PRIOR), ("N_W C", lambda size: size[TOKENS] * size[LABELS])),
    DEPENDENCY: ("N_W (C + T)", lambda size: size[TOKENS] * (size[LABELS] + size[N_TOPICS])),
}
# Which sizes of a scale are gone through for each phase, and what they change
CHANGES = {
    PHI: {TOKENS: "documents", PER_DOCUMENT: "per_document", LABELS: "labels"},
    TOPICS: {LABEL_TOKENS: "documents", N_TOPICS: "topics", LABELS: "labels"},
    **dict.fromkeys((FLAT, PRIOR), {TOKENS: "length", LABELS: "labels"}),
    DEPENDENCY: {TOKENS: "length", LABELS: "labels", N_TOPICS: "topics"},
}
LESS, AS, MORE = (f"grows {how} the paper's order" for how in ("less than", "as", "more than"))
NEAR = 0.1  # exponents so far apart are called the same: over a factor of 16 it makes 1.3
CHAINS = labelled.LANES  # as many as go side by side
SETTLED = 10  # sweeps of topics and of prediction before those that are timed
MOST_SWEEPS = 1 << 14  # in one timing
WHOLE = 120  # sweeps of prediction in all by the paper's schedule: they say which words' lists are sorted

# Labels, topics, labels of a training document, training documents, and tokens of a document are gone through one
# after the other, each doubled from its value "from" on to so many points, the others at their value "at"; then test
# documents, and the seconds that a timing takes at least.
SCALES = {
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
CURVE = ["phase", "way", "against"]


class Point(NamedTuple):
    """A sampler ready for sweeps at one size."""

    way: str
    size: dict  # what costs are set against
    run: Callable  # run(n) sweeps n times, the first sweeps included
    first: int = SETTLED  # sweeps that are not counted
    n_chains: int = CHAINS  # that go in one call

    def seconds(self, n_sweeps):
        """Return the CPU time of the first sweeps and so many more."""
        start = time.thread_time()
        self.run(self.first + n_sweeps)
        return time.thread_time() - start


def measure(scale="quick", seed=0, repeats=3):
    """Return what a sweep costs: a row for each phase, way, size and repeat.

    Columns: phase (a key of ORDERS), way (USED or WEIGHED), against, x (the size that changes), order (the paper's,
    for the sizes that there are), repeat, microseconds (of one core, a sweep over the whole corpus and one of the
    chains that go side by side). A curve's points take turns. Raises ValueError for an unknown scale.
    """
    check_name("scale", scale, SCALES)
    sizes, rows = SCALES[scale], []
    for phase, changes in CHANGES.items():
        for against, name in changes.items():
            places = [sizes["at"] | {name: sizes["from"][name] * 2**k} for k in range(sizes["points"])]
            points = [point for at in places for point in samplers(phase, at, sizes["n_test"], seed)]
            sweeps = [_enough_sweeps(point, sizes["seconds"]) for point in points]
            for repeat in range(repeats):
                for point, n in zip(points, sweeps, strict=True):
                    cost = (point.seconds(n) - point.seconds(0)) / n / point.n_chains
                    order = ORDERS[phase][1](point.size)
                    rows.append((phase, point.way, against, point.size[against], order, repeat, 1e6 * cost))
    return pd.DataFrame(rows, columns=[*CURVE, "x", "order", "repeat", "microseconds"])


def _enough_sweeps(point, seconds):
    """Compile the point's sampler, and return how many sweeps, a power of 2, take so many seconds.

    They also take as long as what is subtracted, the first sweeps and the tables made for them: a sweep's time is
    the difference of two, and would drown in what they vary by.
    """
    point.seconds(1)
    first, n = point.seconds(0), 2
    while n < MOST_SWEEPS and point.seconds(n) - first < max(seconds, first):
        n *= 2
    return n


def samplers(phase, at, n_test, seed):
    """Return a Point for each way of a phase; ``at`` maps names of a scale's sizes to numbers."""
    truth = synthetic.truth(at["labels"], seed=seed)
    if phase == PHI:
        return [_words_on_labels(truth, at, seed)]
    if phase == TOPICS:
        _, Y = synthetic.corpus(truth, at["documents"], 1, cardinality=at["per_document"])
        size = {LABEL_TOKENS: Y.nnz, LABELS: at["labels"], N_TOPICS: at["topics"]}
        given = Y, at["topics"], 0.01, 0.01, word64(seed, "costs", "topics")
        settled = {way: topic_chains.Chain(*given, kind).advance(SETTLED) for way, kind in WAYS.items()}
        return [Point(way, size, chain.advance, first=0, n_chains=1) for way, chain in settled.items()]
    X, _ = synthetic.corpus(truth, n_test, at["length"], cardinality=at["per_document"], purpose="test")
    model = synthetic.model(phase, truth, at["topics"], _label_words(at["labels"], seed))
    model = model._replace(**_priors(phase, at))
    size = {TOKENS: int(X.sum()), LABELS: at["labels"], N_TOPICS: at["topics"]}
    return [Point(way, size, _prediction(model, X, kind, seed)) for way, kind in WAYS.items()]


def _words_on_labels(truth, at, seed):
    X, Y = synthetic.corpus(truth, at["documents"], at["length"], cardinality=at["per_document"])
    names = (word64(seed, "costs", "chain", k) for k in range(CHAINS))
    tokens, random = chains.labelled_tokens(X, Y), topic_chains.generators(*names)
    state = labelled.start(tokens, random)

    def run(n_sweeps):
        for _ in range(n_sweeps):
            labelled.sweep(tokens, state, 50.0, 0.01, random)

    size = {TOKENS: int(X.sum()), PER_DOCUMENT: Y.nnz / X.shape[0], LABELS: at["labels"]}
    return Point(USED, size, run, first=0)


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
    own = unseen.sampler(model, unseen.Schedule(WHOLE, 1, 1, CHAINS), kind)
    tokens = topic_chains.by_document(X)
    (group,) = own.groups

    def run(n_sweeps):
        own.schedule = own.schedule._replace(burn_in=n_sweeps)
        own.run(tokens.ptr, tokens.items, document_names(X), tuple(group), seed)

    return run


def summary(measured):
    """Return the medians over the repeats of ``measure``: what disturbs a short run makes the least too small."""
    return measured.groupby([*CURVE, "x", "order"], sort=False)["microseconds"].median().reset_index()


def exponents(measured):
    """Return with which power of a size the cost grows, here and by the paper's order: a row for each curve.

    Columns: phase, way, against, points, factor (largest over smallest size), paper (the order's exponent over the
    same sizes), exponent (of the medians), low and high (of the costs of single repeats), verdict (LESS, AS or
    MORE: more than NEAR apart, for every repeat). Where a machine was so busy that a cost came out at zero or below,
    as a difference of two times can, the exponents that it is part of are missing, and the verdict is AS.
    """
    rows = []
    for place, curve in measured.groupby(CURVE, sort=False):
        middle = summary(curve)
        own, paper = (_exponent(middle, name) for name in ("microseconds", "order"))
        single = [_exponent(one, "microseconds") for _, one in curve.groupby("repeat")]
        low, high = np.min([own, *single]) - paper, np.max([own, *single]) - paper
        verdict = LESS if high < -NEAR else MORE if low > NEAR else AS
        factor = middle["x"].max() / middle["x"].min()
        rows.append((*place, len(middle), factor, paper, own, np.min(single), np.max(single), verdict))
    columns = [*CURVE, "points", "factor", "paper", "exponent", "low", "high", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def _exponent(curve, column):
    return power(curve["x"], curve[column])[1] if (curve[column] > 0).all() else np.nan


def savings(measured):
    """Return how much the samplers as used save over weighing all, at the largest size: phase, against, x, times."""
    wide = summary(measured).pivot(index=["phase", "against", "x"], columns="way", values="microseconds")
    times = (wide[WEIGHED] / wide[USED]).dropna().rename("times").reset_index()
    return times.loc[times.groupby(["phase", "against"], sort=False)["x"].idxmax()].reset_index(drop=True)


def orders():
    """Return table 3 as printed: the order of a sweep's cost by phase, as text."""
    return pd.DataFrame({"phase": list(ORDERS), "order": [f"O({text})" for text, _ in ORDERS.values()]})
