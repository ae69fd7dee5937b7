"""Results of the protocol: computed partition by partition, kept, and stored with the study at the paper's scale.

A stored result is a csv in ``data/results/tai2012`` and a json beside it that says what made it.
``python -m polytopic.study.tai2012`` computes what is not stored yet.
"""

import json
import time
from typing import NamedTuple

import pandas as pd
from tqdm.auto import tqdm

import polytopic
from polytopic import paths
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.study.store import memory
from polytopic.study.tai2012 import protocol, summaries, timing
from polytopic.validation import check_name

FOLDER = "tai2012"
PARTITIONS = {"quick": 2, "paper": 20}
LIMITS = {"quick": {"most_labels": 200, "most_features": 500}}  # of ``protocol.Data``
DIGITS = 7
DRAWS = {"emotions": 50, "yeast": 50, "corel5k": 20}  # of Hadamard rows that are stored; 10 of other corpora
RIDGE = "ridge, alpha 0.01, penalised intercept"


class Kind(NamedTuple):
    """A kind of stored result: the protocol's function, what it is told, and what the note says of regressors."""

    measure: str
    settings: dict
    regressor: str


KINDS = {
    "ridge": Kind("measure_partition", {"regressor": "ridge"}, RIDGE),
    "ideal": Kind(
        "measure_partition",
        {"regressor": "ideal", "models": protocol.MAIN_MODELS},
        "the test labels' own codes",
    ),
    "plst": Kind("measure_dimensions", {"most_dimensions": 300}, RIDGE),
    "draws": Kind("measure_draws", {}, RIDGE),
    "choices": Kind("measure_choices", {}, RIDGE),
    "label-ranking": Kind("measure_label_ranking", {}, RIDGE),
    "m5p": Kind("measure_partition", {"regressor": "m5p", "models": protocol.MAIN_MODELS}, "M5P, defaults"),
    "trees": Kind("measure_trees", {}, "M5P, defaults"),
}


def curves(corpus="debtags", regressor="ridge", partitions="quick", seed=0, **how):
    """Return ``protocol.measure_partition`` of the first partitions, put together.

    partitions: how many, or "quick" for 2 and "paper" for 20; ``how`` are further arguments of that function. At
    quick scale ``limits_of`` it hold, unless how says otherwise. Each partition is computed once and kept in the
    cache, so that an interrupted call goes on where it stopped.
    """
    how = {**limits_of(partitions), "regressor": regressor, "seed": seed, **how}
    return pd.concat(_units(protocol.measure_partition, corpus, partitions, how), ignore_index=True)


def draws(corpus, n_dimensions, n_draws=10, partitions=1, seed=0):
    """Return ``protocol.measure_draws`` of the first partitions, put together."""
    how = {**limits_of(partitions), "n_dimensions": n_dimensions, "n_draws": n_draws, "seed": seed}
    return pd.concat(_units(protocol.measure_draws, corpus, partitions, how), ignore_index=True)


def label_ranking(corpus, partitions="quick", seed=0, **limits):
    """Return ``protocol.measure_label_ranking`` of the first partitions, put together."""
    return pd.concat(
        _units(
            protocol.measure_label_ranking,
            corpus,
            partitions,
            {**limits_of(partitions), "seed": seed, **limits},
        ),
        ignore_index=True,
    )


def trees(corpus, n_dimensions=10, partitions="quick", seed=0, **limits):
    """Return ``protocol.measure_trees`` of the first partitions, put together."""
    how = {**limits_of(partitions), "n_dimensions": n_dimensions, "seed": seed, **limits}
    return pd.concat(_units(protocol.measure_trees, corpus, partitions, how), ignore_index=True)


def times(corpus, n_dimensions, seed=0, **limits):
    """Return ``timing.measure``; never from the cache."""
    return timing.measure(corpus, n_dimensions, seed, **limits)


def limits_of(scale):
    """Return how a scale bounds a corpus: at quick scale the 200 commonest labels, and the 500 commonest words of a
    corpus that is not one of the paper's. Nothing at others.
    """
    return LIMITS.get(scale, {}) if isinstance(scale, str) else {}


def complete(kind, corpus, partitions="paper", seed=0, again=False, **how):
    """Compute the partitions of a kind in KINDS that are not stored yet, store each once it is done, return them all.

    how: further arguments of the kind's function, such as most_dimensions. Stored partitions are kept if they are of
    the same corpus, seed and arguments, and otherwise given up. With ``again`` those that are kept are computed as
    well, one after the other; what the cache holds is not computed twice.
    """
    check_name("kind", kind, KINDS)
    numbers = range(_n_partitions(partitions))
    measure, settings, regressor = KINDS[kind]
    how = {**_of_draws(kind, corpus), "seed": seed, **how}
    note = {**how, "regressor": regressor}
    frames = _held(kind, corpus, note)
    missing = [number for number in numbers if again or number not in frames]
    for number in tqdm(missing, desc=f"{corpus}, {kind}", unit="partition"):
        frames[number] = _kept(getattr(protocol, measure), corpus, number, **{**settings, **how})
        whole = pd.concat([frames[k] for k in sorted(frames)], ignore_index=True)
        store(kind, whole, partitions=len(frames), **note)
    return pd.concat([frames[k] for k in sorted(frames)], ignore_index=True)


def _of_draws(kind, corpus):
    """Return at which M how many draws of rows are stored: the paper's M*, or a tenth of the labels."""
    if kind != "draws":
        return {}
    n_dimensions = summaries.paper_dimensions().get(corpus)
    if n_dimensions is None:
        n_dimensions = max(1, load_corpus(corpus).n_labels // 10)
    return {"n_dimensions": int(n_dimensions), "n_draws": DRAWS.get(corpus, 10)}


def _held(kind, corpus, note):
    """Return {partition: frame} of what is stored of a corpus under these settings."""
    path = _folder() / f"{corpus}_{kind}.json"
    if not path.exists():
        return {}
    made = json.loads(path.read_text())
    expected = json.loads(json.dumps({"digest": load_corpus(corpus).digest, **note}))
    if not expected.items() <= made.items():
        return {}
    return dict(iter(stored(kind, [corpus]).groupby("partition")))


def store(kind, frame, **settings):
    """Write a frame of one corpus as ``kind`` and return its path: csv, and json with settings and version.

    Numbers keep seven significant digits.
    """
    corpus = frame["corpus"].iloc[0]
    path = _folder() / f"{corpus}_{kind}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, frame.to_csv(index=False, float_format=f"%.{DIGITS}g"))
    note = {
        "corpus": corpus,
        "digest": load_corpus(corpus).digest,
        "kind": kind,
        "version": polytopic.__version__,
        "made": time.strftime("%Y-%m", time.gmtime()),
        **settings,
    }
    write_whole(path.with_suffix(".json"), json.dumps(note, indent=1) + "\n")
    return path


def stored(kind, corpora=None):
    """Return the stored frames of a kind, put together, in the order of the paper's sets; empty if there are none.

    corpora: their names, None for all that are stored.
    """
    found = {path.name.removesuffix(f"_{kind}.csv"): path for path in _folder().glob(f"*_{kind}.csv")}
    order = [name for name in protocol.PAPER_SETS if name in found] + sorted(
        set(found) - set(protocol.PAPER_SETS)
    )
    frames = [pd.read_csv(found[name]) for name in order if corpora is None or name in corpora]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["corpus", "model"])


def _n_partitions(partitions):
    if isinstance(partitions, str):
        check_name("scale", partitions, PARTITIONS)
    return PARTITIONS.get(partitions, partitions)


def _units(measure, corpus, partitions, how):
    numbers = range(_n_partitions(partitions))
    progress = tqdm(numbers, desc=f"{corpus}, {how.get('regressor', measure.__name__)}", unit="partition")
    return [_kept(measure, corpus, number, **how) for number in progress]


def _kept(measure, *arguments, **how):
    """Call a function of the protocol, or read what it returned before for the same corpus and version."""
    digest = load_corpus(arguments[0]).digest
    return _unit(measure.__name__, arguments, how, digest, polytopic.__version__)


def _unit(name, arguments, how, digest, version):
    return memory().cache(_call)(name, arguments, how, digest, version)


def _call(name, arguments, how, digest, version):
    """The unit that is kept; digest and version belong to its key alone."""
    return getattr(protocol, name)(*arguments, **how)


def _folder():
    return paths.results() / FOLDER
