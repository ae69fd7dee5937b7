"""The default hybrid against each of its parents, on the same documents."""

import numpy as np
import pandas as pd

from polytopic.datasets import catalogue
from polytopic.models import HybridClassifier
from polytopic.study.corpora import halves
from polytopic.study.store import experiment
from polytopic.study.stored import Kept
from polytopic.study.timing import timed
from polytopic.study.today import measured

NAME = "Default hybrid"
CORPORA = (
    *("debtags", "bibtex", "delicious", "eurlex-titles", "yahoo_arts_rubin", "yahoo_health_rubin"),
    *("reuters21578", "corel5k", "yahoo5k_social", "stackex-cooking", "stackex-cs", "stackex-chemistry"),
)
SCALES = {
    "quick": {"split": range(1), "documents": 1000},
    "paper": {"split": range(5), "documents": None},
}
PLACE = ["corpus", "scale", "seed", "split"]


def _fits(corpus, *, split, **others):
    known = catalogue.facts().get(corpus)
    return not known or split < known["splits"]


@experiment("today", SCALES, corpora=CORPORA, fits=_fits)
def hybrid(corpus, *, split, documents, seed):
    """Train the default hybrid on one side of a split, and measure it and its parents on the other.

    Rows: model, pivot, measure, k, value. The table "gains" has how far the hybrid is above each parent: model (the
    parent), and the columns of ``measured.gains``. Only labels with a training document count. The notes have the
    weights of the sum and CPU seconds of one thread.
    """
    train, test = halves(corpus, split, documents, seed)
    model = HybridClassifier(random_state=seed)
    scores, *spent = timed(model, train.counts, train.labels, test.counts)
    seconds = dict(zip(("fit", "predict"), spent, strict=True))
    seen = np.flatnonzero(train.label_frequencies)
    truth, known = test.labels[:, seen], train.labels[:, seen]
    found = {NAME: measured.parts(truth, scores[:, seen], known)}
    for name, parent in zip(model.names_, model.parents_, strict=True):
        found[name] = measured.parts(truth, np.asarray(parent.decision_function(test.counts))[:, seen], known)
    tables = [measured.gains(found[NAME], found[name], seed).assign(model=name) for name in model.names_]
    rows = pd.concat([measured.rows(parts).assign(model=name) for name, parts in found.items()])
    notes = {
        "seconds": {part: round(value, 1) for part, value in seconds.items()},
        "weights": dict(zip([*model.names_, "regression"], map(float, model.weights_), strict=True)),
        "documents": {"train": train.n_documents, "test": test.n_documents},
    }
    return Kept(_first(rows), {"gains": _first(pd.concat(tables))}, notes=notes)


def measures_table(rows):
    """Return the measures of JUDGED, means over splits: a row for each corpus and model."""
    keys = ["corpus", "model"]
    wide = rows.pivot_table("value", keys, ["pivot", "measure", "k"], sort=False)[list(measured.JUDGED)]
    return wide.set_axis(list(measured.JUDGED.values()), axis=1).round(3)


def gains_table(gains):
    """Return the gains over each parent with their intervals, as text: a row for each corpus, split and parent."""
    text = [f"{one.gain:+.3f} ({one.low:+.3f} to {one.high:+.3f})" for one in gains.itertuples()]
    named = gains.assign(text=text, measure=_named(gains))
    wide = named.pivot(index=["corpus", "split", "model"], columns="measure", values="text")
    return wide[list(measured.JUDGED.values())].rename_axis(columns=None)


def weights_table(made):
    """Return the weights of the sum and CPU seconds, means over splits, a row a corpus, from ``attrs["made"]``."""
    rows = [
        {"corpus": one["corpus"], **one["notes"]["weights"]}
        | {f"{part}, CPU s": value for part, value in one["notes"]["seconds"].items()}
        for one in made
    ]
    return pd.DataFrame(rows).groupby("corpus", sort=False).mean() if rows else pd.DataFrame()


def verdicts(best):
    """Return on how many corpora the hybrid is ahead of its best parent, level or behind, a row a measure.

    A corpus is judged by all its splits: ahead or behind where most of their intervals are.
    """
    judged = best.assign(verdict=[verdict(*one) for one in best[["gain", "low", "high"]].to_numpy()])
    most = judged.groupby(["measure", "corpus"], sort=False)["verdict"].agg(lambda of: of.mode().iloc[0])
    counts = most.groupby("measure", sort=False).value_counts().unstack(fill_value=0)
    least = best.groupby("measure", sort=False)["gain"].min().rename("smallest gain of a split").round(4)
    return counts.reindex(columns=["ahead", "level", "behind"], fill_value=0).join(least)


def over_best_parent(gains, rows):
    """Return how far the hybrid is above its best parent, a row for each split of a corpus and measure of JUDGED.

    The best parent is chosen for each measure, by the test documents: nobody could know it. Columns: PLACE, measure
    (its name), parent, hybrid, gain, low, high.
    """
    columns = [*PLACE, "measure", "parent", "hybrid", "gain", "low", "high"]
    if gains.empty:
        return pd.DataFrame(columns=columns)
    keys = [*PLACE, "pivot", "measure", "k"]
    best = gains.loc[gains.groupby(keys, sort=False)["gain"].idxmin()]
    values = rows[rows["model"] == NAME].set_index(keys)["value"]
    named = [
        measured.JUDGED[key] for key in best[["pivot", "measure", "k"]].itertuples(index=False, name=None)
    ]
    values = values.loc[pd.MultiIndex.from_frame(best[keys])].to_numpy()
    table = best.assign(parent=best["model"], hybrid=values, measure=named)
    return table[columns].reset_index(drop=True)


def verdict(gain, low, high):
    """Return "ahead", "level" or "behind": whether the interval lies above 0, holds it, or lies below."""
    return "ahead" if low > 0 else "behind" if high < 0 else "level"


def summary(best):
    """Return a table of ``over_best_parent``: a row a corpus, means over splits, with the verdicts of the splits."""
    judged = best.assign(verdict=[verdict(*one) for one in best[["gain", "low", "high"]].to_numpy()])
    places = ["corpus", "measure"]
    cells = judged.groupby(places, sort=False).agg(hybrid=("hybrid", "mean"), gain=("gain", "mean"))
    counts = judged.groupby(places, sort=False)["verdict"].agg(
        lambda one: ", ".join(f"{n} {word}" for word, n in one.value_counts(sort=False).items())
    )
    cells["splits"] = counts
    wide = cells.unstack("measure").swaplevel(axis=1)
    wide = wide.loc[list(dict.fromkeys(best["corpus"]))]
    return wide[[(name, column) for name in dict.fromkeys(best["measure"]) for column in cells]].round(3)


def _named(frame):
    """Return the names in JUDGED of the measures of each row."""
    return [
        measured.JUDGED[key] for key in frame[["pivot", "measure", "k"]].itertuples(index=False, name=None)
    ]


def _first(frame):
    return frame[["model", *frame.columns.drop("model")]].reset_index(drop=True)
