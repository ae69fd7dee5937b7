"""How long does a fitted model take for one document, once warm, with its tables kept and with tables made anew?

Models have the settings that they have by default, and learn from a synthetic corpus with labels as frequent as in
real ones. Each document is handed in by itself, a new one each time, so that none is known already.
The naive way is the same ``decision_function`` of a copy that has kept nothing.

Milliseconds are of the processor, all threads together: what a document waits for on an idle core.
"""

import copy

import _harness as harness
import _synthetic as synthetic
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

from polytopic.models import DependencyLDA, FlatLDA, HybridClassifier, PriorLDA

LATENCY_AIMS = {600: 20, 5000: 100}  # milliseconds for one document, by the number of labels
KEPT, NAIVE = "tables kept", "tables made anew"


def main():
    options = harness.arguments(
        __doc__,
        quick={"labels": (40, 60), "documents": 300, "queries": 2, "slow_queries": 1, "hybrid_up_to": 40},
        labels=(600, 5000), documents=4000, length=40, queries=30, slow_queries=4, hybrid_up_to=600,
    )  # fmt: skip
    times = pd.concat([_of_labels(n_labels, options) for n_labels in options.labels])
    table = _table(times)
    harness.save("latency", table, _draw(table), options)


def _of_labels(n_labels, options):
    """Time every model with so many labels."""
    truth = synthetic.truth(n_labels, seed=options.seed)
    X, Y = synthetic.corpus(truth, options.documents, options.length)
    queries, _ = synthetic.corpus(
        truth, max(options.queries, options.slow_queries) + 1, options.length, purpose="test"
    )
    found = []
    for name, model in _models(X, Y, n_labels <= options.hybrid_up_to):
        some = queries[: 1 + (options.slow_queries if "label tokens" in name else options.queries)]
        found.append(_timed(model, some).assign(model=name, labels=n_labels))
        print(f"  {name}, {n_labels} labels", flush=True)
    return pd.concat(found)


def _models(X, Y, with_hybrid):
    """Yield (name, fitted model); the three ways of inference share one training."""
    yield "Flat-LDA, sampling", FlatLDA(random_state=0).fit(X, Y)
    yield "Prior-LDA, sampling", PriorLDA(random_state=0).fit(X, Y)
    dependency = DependencyLDA(random_state=0).fit(X, Y)
    yield "Dependency-LDA, sampling", dependency
    yield "Dependency-LDA, sampling label tokens too", copy.copy(dependency).set_params(inference="proper")
    yield "Dependency-LDA, mean field", copy.copy(dependency).set_params(inference="mean_field")
    if with_hybrid:
        yield "HybridClassifier", HybridClassifier(random_state=0).fit(X, Y)


def _timed(model, queries):
    """Time one document after another, by the model and by copies of it that have kept nothing."""
    own = {name: iter(list(queries)) for name in (KEPT, NAIVE)}
    copies = iter([copy.deepcopy(model) for _ in range(queries.shape[0])])
    calls = {
        KEPT: lambda: model.decision_function(next(own[KEPT])),
        NAIVE: lambda: next(copies).decision_function(next(own[NAIVE])),
    }
    return harness.interleave(calls, queries.shape[0] - 1)


def _table(times):
    groups = times.assign(ms=times["cpu"] * 1e3).groupby(["model", "labels", "name"], sort=False)["ms"]
    rows = pd.DataFrame({"ms": groups.median(), "ms_95": groups.quantile(0.95), "documents": groups.size()})
    rows = rows.reset_index()
    naive = rows[rows["name"] == NAIVE].set_index(["model", "labels"])["ms"].rename("naive_ms")
    rows = rows[rows["name"] == KEPT].drop(columns="name").join(naive, on=["model", "labels"])
    return rows.assign(times_faster=rows["naive_ms"] / rows["ms"], aim_ms=rows["labels"].map(LATENCY_AIMS))


def _draw(table):
    axes = harness.new_axes(width=7.2)
    wide = table.pivot(index="model", columns="labels", values="ms").loc[table["model"].unique()[::-1]]
    for n_labels in wide:
        axes.plot(wide[n_labels], wide.index, "o", label=f"{n_labels:,} labels")
    axes.set(xscale="log", xlabel="Milliseconds for one document, median")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend()
    return axes


if __name__ == "__main__":
    main()
