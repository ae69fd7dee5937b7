"""What several pages on Burkhardt & Kramer (2018) do with results: read them, and print them as the paper does."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import compare, store
from polytopic.study.burkhardt2018.protocol import (
    BR,
    CHAINED,
    FASTXML,
    FREQUENCIES,
    MEASURED,
    PD_SPARSE,
)
from polytopic.study.burkhardt2018.table_5 import classifiers, topic_models

ORDER = [PD_SPARSE, FASTXML, BR, *CHAINED, FREQUENCIES]
AVERAGE = "average rank"
PLACE = ["corpus", "scale"]


def collected(corpus, scale, seed, table=None):
    """Return the rows of all classifiers on a corpus, or one of their further tables; see ``store.collect``."""
    both = [store.collect(which, corpus, scale, seed, table=table) for which in (topic_models, classifiers)]
    return pd.concat(both, ignore_index=True)


def stored(table=None):
    """Return what is stored of all classifiers on all corpora; see ``store.read``."""
    both = [store.read(which, table=table) for which in (topic_models, classifiers)]
    whole = pd.concat(both, ignore_index=True)
    whole.attrs["made"] = [made for one in both for made in one.attrs["made"]]
    return whole


def stored_or(which, corpus, scale, seed, table=None):
    """Return what is stored of an experiment on a corpus, or else compute it at a scale."""
    found = store.read(which, [corpus], table=table)
    return found if len(found) else store.collect(which, corpus, scale, seed, table=table)


def together(results, others):
    """Return the first of two frames, and what the second has of other corpora."""
    new = others[~others["corpus"].isin(results["corpus"].unique())]
    return pd.concat([results, new], ignore_index=True) if len(new) else results


def ranked(results, over):
    """Return ``compare.means`` for each corpus, scale, measure and model, and the rank among the models' means."""
    table = compare.means(results, [*PLACE, "measure", "model"], over)
    better = table["mean"] * [MEASURES[name].sign for name in table["measure"]]
    ranks = better.groupby([table[name] for name in [*PLACE, "measure"]]).rank(ascending=False)
    return table.assign(rank=ranks)


def as_printed(results, over, marks=()):
    """Return means as the paper prints them, ranks behind: rows measure and corpus, a column for each model.

    The last row of a measure has average ranks. marks maps (corpus, measure, model) to what stands behind a mean.
    """
    table, marks = ranked(results, over), dict(marks)
    text = [
        f"{row.mean:.4f}{marks.get((row.corpus, row.measure, row.model), '')} ({row.rank:g})"
        for row in table.itertuples()
    ]
    average = table.groupby(["measure", "model"])["rank"].mean().map("{:.2f}".format)
    average = average.rename("text").reset_index().assign(corpus=AVERAGE)
    cells = pd.concat([table.assign(text=text), average], ignore_index=True)
    wide = cells.pivot(index=["measure", "corpus"], columns="model", values="text")
    rows = pd.MultiIndex.from_product([MEASURED, cells["corpus"].unique()], names=wide.index.names)
    wide = wide.reindex(rows)[[name for name in ORDER if name in wide]].rename_axis(columns=None)
    return wide.rename(index={name: MEASURES[name].arrow for name in MEASURED}).fillna("–")
