"""How long the scales take: CPU minutes of the paper's own model with the chains of each, corpus by corpus."""

import pandas as pd

from polytopic.study import store
from polytopic.study.corpora import halves
from polytopic.study.looks import displayed
from polytopic.study.rubin2012 import systems
from polytopic.study.store import Result
from polytopic.study.timing import timed

MODEL = "Dependency-LDA"  # the paper's own, and the longest of its topic models
CORPORA = ("debtags", "yahoo_arts_rubin", "yahoo_health_rubin", "bibtex", "delicious", "eurlex-titles")
PARTS = ["training", "prediction"]


@store.experiment(
    "rubin2012",
    {"quick": {"chains": ["quick"]}, "paper": {"chains": list(systems.CHAINS)}},
    corpora=CORPORA,
    timed=True,
)
def durations(corpus, *, chains, seed):
    """Train MODEL on one split with the chains of a scale, predict the test documents, and take the time.

    At quick scale either side has at most as many documents as in the other experiments. Rows: part, seconds of CPU
    time on one core.
    """
    train, test = halves(corpus, 0, systems.MOST.get(chains), seed)
    model = systems.build(MODEL, corpus.name, train, chains, seed, n_jobs=1, memory=None)
    _, *seconds = timed(model, train.counts, train.labels, test.counts)
    notes = {"documents": {"train": train.n_documents, "test": test.n_documents}}
    return Result(pd.DataFrame({"part": PARTS, "seconds": seconds}), notes=notes)


def table(rows):
    """Return CPU minutes of training and prediction together as text: a row a corpus, a column a scale's chains.

    rows are those of ``durations``. A dash stands where nothing was measured.
    """
    found = rows.assign(minutes=rows["seconds"].astype(float) / 60)
    wide = found.pivot_table("minutes", "corpus", "chains", aggfunc="sum", sort=False)
    wide = wide.reindex(columns=[name for name in systems.CHAINS if name in wide])
    return wide.map(spelled).rename(index=displayed).rename_axis(index=None, columns=None)


def spelled(minutes):
    """Return minutes as text, with two decimals below one and none from ten on; a dash where they are missing."""
    if pd.isna(minutes):
        return "–"
    return f"{minutes:.{0 if minutes >= 10 else 1 if minutes >= 1 else 2}f}"
