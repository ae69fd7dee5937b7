"""Do the stored results come out to the bit again, with other numbers of processes and threads?

Of what this code made of each experiment and corpus one in ten is drawn, but for times, for what took longer than
--seconds, and for corpora that are not at hand. They are computed in another order, several at once, each with
--threads threads, and compared with what is stored.
"""

import inspect
import os

import _harness as harness
import numba
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from joblib import hash as digest_of

from polytopic.datasets import MissingCorpus
from polytopic.study import store
from polytopic.study.store import Place

ONE_IN = 10


def main():
    options = harness.arguments(__doc__, quick={"seconds": 0.2}, seconds=30.0, jobs=2, threads=2)
    store.load()
    drawn = [one for which in store.EXPERIMENTS.values() if not which.timed for one in _drawn(which, options)]
    order = np.random.default_rng(options.seed).permutation(len(drawn))
    calls = (delayed(_again)(*drawn[i], options.threads) for i in order)
    rows = pd.DataFrame(Parallel(n_jobs=options.jobs, verbose=5)(calls)).dropna()
    table = rows.groupby(["experiment", "corpus"]).agg(
        drawn=("bits", "size"), to_the_bit=("bits", "sum"), six_digits=("digits", "sum")
    )
    share = rows["bits"].mean()
    print(f"{rows['bits'].sum()} of {len(rows)} came out to the bit, {rows['digits'].sum()} to six digits")
    values = [harness.measured("share to the bit", {"median": share, "low": share, "high": share})]
    ax, sums = harness.new_axes(), table.groupby("experiment").sum().iloc[::-1]
    ax.barh(sums.index, sums["drawn"], color="#DDDDDD", label="drawn")
    ax.barh(sums.index, sums["to_the_bit"], height=0.4, color="#56B4E9", label="the same to the bit")
    ax.legend()
    harness.save("second_run", table.reset_index(), ax, options, values)


def _drawn(which, options):
    """Yield (experiment, corpus, scale, seed, unit's key) of those that are drawn."""
    for at in store.places(which):
        own = [
            key
            for key, one in at.keys.items()
            if one["code"] == which.code and (one["seconds"] or 0) <= options.seconds
        ]
        lots = {key: digest_of((which.full_name, *at.place.values(), key, "second run")) for key in own}
        for key in sorted(own, key=lots.get)[: -(-len(own) // ONE_IN)]:
            yield which.full_name, at.corpus, at.scale, at.seed, key


def _again(name, corpus, scale, seed, key, threads):
    """Return whether one unit's rows are those that are stored: to the bit, and to six digits."""
    os.environ["LOKY_MAX_CPU_COUNT"] = str(threads)
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    store.load()
    which = store.EXPERIMENTS[name]
    at, place = Place(which, corpus, scale, seed), {"experiment": name, "corpus": corpus}
    try:
        given = which.reads(corpus)
    except MissingCorpus:
        return place | {"bits": None, "digits": None}
    made = at.keys[key]
    unit = which.scales[scale] | made["unit"]
    rows = which(
        given, **unit, **({"seed": seed} if "seed" in inspect.signature(which.function).parameters else {})
    )
    rows = rows.rows if isinstance(rows, store.Result) else rows
    before = at.units(given.digest)[key].rows
    same = [_equal(before[column], rows[column]) for column in before]
    return place | {"bits": all(same), "digits": store.compared(before, rows)["equal"] == 1}


def _equal(before, after):
    if pd.api.types.is_numeric_dtype(before):
        return np.array_equal(before.to_numpy(float), after.to_numpy(float), equal_nan=True)
    return before.astype(str).tolist() == after.astype(str).tolist()


if __name__ == "__main__":
    main()
