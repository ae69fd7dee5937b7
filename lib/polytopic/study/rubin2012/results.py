"""The paper's main results: every system on every split of a corpus, ranked, cut off and measured.

A unit keeps where the positives rank, from which every measure follows, so that a new measure is a matter of reading.
"""

from collections import Counter

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from polytopic.datasets import catalogue
from polytopic.metrics import CUTOFFS, PIVOTS, Ranking, rank_positives
from polytopic.metrics.binary_measures import cutoff_counts, cutoff_measures
from polytopic.metrics.rank_measures import average_measures, kept_measures
from polytopic.metrics.thresholds import proportional_counts
from polytopic.models import BinaryRelevanceRidge, BinaryRelevanceSVM, LearnedDependencyLDA
from polytopic.models.learned_lda import Trial
from polytopic.study import compare, store
from polytopic.study.corpora import halves
from polytopic.study.rubin2012 import systems
from polytopic.study.store import Result, experiment, places, together
from polytopic.validation import check_name

JOBS = -1  # processes for a system's chains
CHANGES_NOTHING = {"n_jobs", "memory", "verbose", "random_state", "estimators"}
OF_INFERENCE = {
    "proper": ["n_label_tokens"],
    "mean_field": ["n_passes", "word_power"],
}  # settings that others ignore
LINEAR = BinaryRelevanceSVM, BinaryRelevanceRidge
OWN = "own threshold"  # of a linear model: 0, which its training puts between positives and others
PUBLISHED_SPLIT = ("eurlex57k", "bills-109")  # so large that the split they come with is enough
CORPORA = (*PUBLISHED_SPLIT, "yahoo_arts_rubin", "yahoo_health_rubin", "debtags", "eurlex-titles")

SPLITS = {"quick": range(1), "small": range(5), "medium": range(1), "paper": range(5)}
SCALES = systems.scales(model=list(systems.PAPER_FIVE), split=SPLITS, most=systems.MOST)


def _fits(corpus, *, model, split, **others):
    """Return whether a corpus has the split, and counts, which the catalogue sums up, for all systems but SVMs."""
    facts = catalogue.facts().get(corpus)
    parts = systems.SYSTEMS[model].parents or (model,)
    linear = all(systems.SYSTEMS[part].estimator in LINEAR for part in parts)
    has_counts = linear or not facts or "tokens" in facts
    return has_counts and (split == 0 or corpus not in PUBLISHED_SPLIT)


@experiment("rubin2012", SCALES, corpora=CORPORA, fits=_fits)
def results(corpus, *, split, model, chains, most, seed):
    """Train one system on a split of a corpus and measure it on the rest.

    Rows are measures: pivot ("document" or "label"), cutoff ("" for rankings, OWN by label for linear models alone),
    measure, value. The table "labels" has
    label (its column), train_frequency, test_frequency (documents) and average_precision of the labels with a
    positive on both sides; "trials" what LearnedDependencyLDA tried. The arrays are those of ``rankings``. Only
    labels with a training document count (appendix A).
    """
    train, test = halves(corpus, split, most, seed)
    estimator = systems.build(model, corpus.name, train, chains, seed, n_jobs=JOBS, verbose=1)
    scores = estimator.fit(train.counts, train.labels).decision_function(test.counts)
    frequency = train.label_frequencies
    seen = np.flatnonzero(frequency)
    arrays = _ranks(test.labels[:, seen], scores[:, seen], train.labels[:, seen])
    if isinstance(estimator, LINEAR):
        arrays["label_own"] = (scores[:, seen] > 0).sum(axis=0, dtype=np.int32)
    tables = {"labels": _by_label(arrays, seen, frequency[seen])}
    notes = {
        "estimator": type(estimator).__name__,
        "settings": _settings(estimator),
        "documents": {"train": train.n_documents, "test": test.n_documents},
    }
    if isinstance(estimator, LearnedDependencyLDA):
        notes["learned"] = estimator.settings_
        if estimator.trials_:
            tables["trials"] = pd.DataFrame(estimator.trials_, columns=Trial._fields)
    return Result(measured(arrays), tables, arrays, notes)


def measured(arrays, cutoffs=CUTOFFS, empty="exclude"):
    """Return every measure of a unit's arrays: columns pivot, cutoff, measure, value, as the unit's rows have them.

    ``cutoffs`` are names or {name: number of predictions, one or one per item}; ``empty`` is that of
    ``metrics.binary``. Any other measure of a Ranking can be had from ``rankings`` in the same way.
    """
    rows = []
    for pivot, (ranked, expected) in rankings(arrays).items():
        rows += [(pivot, "", name, value) for name, value in average_measures(ranked).items()]
        chosen = {name: cutoffs[name] if isinstance(cutoffs, dict) else name for name in cutoffs}
        if "proportional" in chosen:
            chosen["proportional"] = expected
        if f"{pivot}_own" in arrays:
            chosen[OWN] = arrays[f"{pivot}_own"]
        for cutoff, wanted in chosen.items():
            counts = cutoff_counts(ranked, wanted)
            rows += [(pivot, cutoff, *one) for one in cutoff_measures(ranked, counts, empty).items()]
    return pd.DataFrame(rows, columns=["pivot", "cutoff", "measure", "value"])


def rankings(arrays):
    """Return {pivot: (Ranking of the test positives, number of positives to expect of each item)} of a unit."""
    found = {}
    for pivot, others in zip(PIVOTS, reversed(PIVOTS), strict=True):
        parts = (arrays[f"{pivot}_{part}"].astype(np.intp) for part in ("ranks", "entries", "ptr"))
        length = arrays[f"{others}_ptr"].size - 1
        found[pivot] = Ranking(*parts, length, pivot), arrays[f"{pivot}_expected"]
    return found


def measures(corpus="debtags", models=systems.PAPER_FIVE, splits=(0,), scale="quick", seed=0, table=None):
    """Return the measures of some systems on some splits, computing what is not there yet, one value a row.

    Columns: corpus, scale, seed, split, model, pivot, cutoff, measure, value. ``table`` names another table of the
    units. Raises ValueError for an unknown model, scale, split or corpus, naming what there is.
    """
    if not isinstance(splits, list | tuple | range) or not splits:
        raise ValueError(
            f"splits is a list of a corpus's splits, got {splits!r}: papermill takes one by -y 'splits: [0, 1]'"
        )
    models = [models] if isinstance(models, str) else list(models)
    for model in models:
        check_name("model", model, systems.SYSTEMS)
    return store.collect(results, corpus, scale, seed, table=table, split=list(splits), model=models)


def label_scores(*arguments, **options):
    """Return each label's average precision, as ``measures`` does its measures: see ``results`` for the columns."""
    return measures(*arguments, **options, table="labels")


def stored(corpora, models=systems.PAPER_FIVE, table=None, whole=False):
    """Return what is stored of some systems, nothing computed: columns of ``measures``, or of another table.

    corpora None are all of which something is stored. On each corpus it is of the scale at which most of the systems
    are stored, and of several of the largest. With ``whole`` a corpus that lacks one of them there is left out. Only
    splits that all systems stored of a corpus have, so that their means are over the same documents. Rows
    go by corpus, split and system, in the order of ``corpora`` and ``models``. ``attrs["made"]`` is as of
    ``store.read``.
    """
    held = [
        (at.corpus, at.scale, made["unit"]["model"]) for at in places(results) for made in at.keys.values()
    ]
    if corpora is None:
        corpora = dict.fromkeys(corpus for corpus, *_ in held)
    corpora, models = ([one] if isinstance(one, str) else list(one) for one in (corpora, models))
    numbers, found = Counter((corpus, scale) for corpus, scale, model in set(held) if model in models), []
    for corpus in corpora:
        most = max(reversed(systems.CHAINS), key=lambda scale: numbers[corpus, scale])
        rows = store.read(results, [corpus], most, table=table)
        if len(rows):
            rows = rows[rows["model"].isin(models)]
            order = rows.assign(model=pd.Categorical(rows["model"], models))
            rows = rows.loc[order.sort_values(["split", "model", "seed"], kind="stable").index]
        if not whole or len(rows) and set(models) <= set(rows["model"]):
            found.append(_on_common_splits(rows))
    frame = together([one for one in found if len(one)])
    if frame.empty:
        columns = ["label"] if table == "labels" else ["pivot", "cutoff", "measure", "value"]
        frame = pd.DataFrame(columns=[*frame.columns, "split", "model", *columns])
    made = (made for one in found for made in one.attrs["made"] if made["unit"]["model"] in models)
    frame.attrs["made"] = store.Provenance(made)
    return frame


def _on_common_splits(rows):
    kept = compare.common(rows, ["split"]) if len(rows) else rows
    kept.attrs["made"] = rows.attrs["made"]
    return kept


def _ranks(truth, scores, train_labels):
    """Return the arrays from which everything is measured, by document and by label: ``rankings`` reads them."""
    arrays = {}
    for pivot in PIVOTS:
        ranked = rank_positives(truth, scores, pivot)
        expected = np.minimum(proportional_counts(train_labels, truth.shape[0], pivot), ranked.length)
        kept = {"ranks": ranked.ranks, "entries": ranked.entries, "ptr": ranked.ptr, "expected": expected}
        arrays |= {f"{pivot}_{part}": array for part, array in kept.items()}
    return {name: array.astype(np.int32) for name, array in arrays.items()}


def _by_label(arrays, seen, frequency):
    ranked, _ = rankings(arrays)["label"]
    rows = {"label": seen, "train_frequency": frequency.astype(int), "test_frequency": ranked.n_positive}
    kept = pd.DataFrame(rows)[ranked.kept].reset_index(drop=True)
    return kept.assign(average_precision=kept_measures(ranked)["average_precision"])


def _settings(estimator):
    """Return an estimator's settings that change numbers, those of its parents beside its own."""
    settings = {
        name: value
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] not in CHANGES_NOTHING and not isinstance(value, BaseEstimator)
    }
    for inference, names in OF_INFERENCE.items():
        if settings.get("inference", inference) != inference:
            settings = {name: value for name, value in settings.items() if name not in names}
    return settings
