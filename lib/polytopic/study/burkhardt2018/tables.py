"""What several pages on Burkhardt & Kramer (2018) do with results: read them, and bring them together."""

import pandas as pd

from polytopic.study import store
from polytopic.study.burkhardt2018.table_5 import classifiers, topic_models


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
