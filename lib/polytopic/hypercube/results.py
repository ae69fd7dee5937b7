"""Results of the protocol: computed partition by partition, kept, and stored with the study at the paper's scale.

A stored result is a csv in ``data/results/tai2012`` and a json beside it that says what made it.
"""

import json
import time

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

import polytopic
from polytopic import experiments, paths
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.hypercube import protocol, timing

FOLDER = "tai2012"
PARTITIONS = {"quick": 2, "paper": 20}
DIGITS = 7


def curves(corpus="debtags", regressor="ridge", partitions="quick", seed=0, **how):
    """Return ``protocol.measure_partition`` of the first partitions, put together.

    partitions: how many, or "quick" for 2 and "paper" for 20; ``how`` are further arguments of that function. Each
    partition is computed once and kept in the cache, so that an interrupted call goes on where it stopped.
    """
    how = {"regressor": regressor, "seed": seed, **how}
    return pd.concat(_units(protocol.measure_partition, corpus, partitions, how), ignore_index=True)


def losses_by_dimension(corpus="debtags", partitions="quick", seed=0, most_dimensions=None):
    """Return PLST's Hamming loss at every number of dimensions: columns corpus, partition, n_dimensions,
    hamming_loss, full_loss (BR's on the same partition).
    """
    how = {"seed": seed, "most_dimensions": most_dimensions}
    found = []
    units = _units(protocol.losses_by_dimension, corpus, partitions, how)
    for number, (losses, full) in enumerate(units):
        at = np.arange(1, len(losses) + 1)
        rows = {"corpus": corpus, "partition": number, "n_dimensions": at, "hamming_loss": losses}
        found.append(pd.DataFrame(rows | {"full_loss": full}))
    return pd.concat(found, ignore_index=True)


def draws(corpus, n_dimensions, n_draws=10, number=0, seed=0):
    """Return ``protocol.measure_draws``, kept in the cache."""
    return _kept(protocol.measure_draws, corpus, n_dimensions, n_draws, number, seed)


def label_ranking(corpus, partitions="quick", seed=0, **limits):
    """Return ``protocol.measure_label_ranking`` of the first partitions, put together."""
    return pd.concat(
        _units(protocol.measure_label_ranking, corpus, partitions, {"seed": seed, **limits}),
        ignore_index=True,
    )


def choices(corpus, partitions="quick", seed=0):
    """Return ``protocol.measure_choices`` of the first partitions, put together."""
    return pd.concat(_units(protocol.measure_choices, corpus, partitions, {"seed": seed}), ignore_index=True)


def times(corpus, n_dimensions, seed=0):
    """Return ``timing.measure``; never from the cache."""
    return timing.measure(corpus, n_dimensions, seed)


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


def _units(measure, corpus, partitions, how):
    if isinstance(partitions, str):
        experiments.check_name("scale", partitions, PARTITIONS)
    numbers = range(PARTITIONS.get(partitions, partitions))
    progress = tqdm(numbers, desc=f"{corpus}, {how.get('regressor', measure.__name__)}", unit="partition")
    return [_kept(measure, corpus, number, **how) for number in progress]


def _kept(measure, *arguments, **how):
    """Call a function of the protocol, or read what it returned before for the same corpus and version."""
    digest = load_corpus(arguments[0]).digest
    return _unit(measure.__name__, arguments, how, digest, polytopic.__version__)


def _unit(name, arguments, how, digest, version):
    return experiments.memory().cache(_call)(name, arguments, how, digest, version)


def _call(name, arguments, how, digest, version):
    """The unit that is kept; digest and version belong to its key alone."""
    return getattr(protocol, name)(*arguments, **how)


def _folder():
    return paths.results() / FOLDER
