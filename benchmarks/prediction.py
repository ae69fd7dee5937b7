"""How fast are labels predicted, phi fixed and thousands of labels open, beside a textbook loop and tomotopy?

Three samplers of one distribution: the textbook's loop, the dense one over all labels (sixteen chains side by side)
and the sparse one, each for Flat-LDA, Prior-LDA and Dependency-LDA. Then 100 sweeps end to end beside tomotopy's
PLDAModel, whose topics are given the very words that our labels have; both start from the fitted model.

Sixteen chains of 120 sweeps, as in the papers, so that what the sparse sampler prepares for a document is paid for as
it would be. Flat-LDA's prior weighs 30 in all, as when the aims were set, and once more 180, the paper's weight for
power-law sets: with a heavy flat prior more tokens leave the document's labels in each sweep. Then one chain in place
of sixteen, with the tables that a fitted model keeps; and mean field beside sixteen chains of 27 sweeps, a call each
over more documents, for a call has costs of its own, which long chains hide. Then as many short chains over documents
as long as titles.
"""

from functools import partial

import _harness as harness
import _synthetic as synthetic
import _unseen
import numpy as np
import pandas as pd

from polytopic.kernels import documents
from polytopic.models import chains, unseen
from polytopic.models.mean_field import MeanField
from polytopic.study import plots

TEXTBOOK, DENSE, SPARSE = "textbook loop", "dense, vectorised", "sparse, exact"
OURS = "ours"
HEAVY = "Flat-LDA, heavy prior"
ALONE = "sparse, exact, one chain"
MEAN_FIELD, SIXTEEN = "mean field", "sixteen chains of 27 sweeps"
SHORT, PASSES, POWER = 27, 4, 1.0


def main():
    options = harness.arguments(
        __doc__,
        quick={
            "labels": 300, "topics": 10, "documents": 6, "length": 50, "sweeps": 3, "peer_documents": 2,
            "peer_sweeps": 3, "peer_repeats": 2, "titles": 6, "field_documents": 6,
        },
        labels=4000, topics=200, documents=12, length=500, sweeps=120, peer_documents=10, peer_sweeps=100,
        peer_repeats=5, flat_weight=30.0, heavy_weight=180.0, titles=200, title_length=8, field_documents=96,
    )  # fmt: skip
    truth = synthetic.truth(options.labels, seed=options.seed)
    label_words = synthetic.label_word_counts(truth)
    X, _ = synthetic.corpus(truth, options.documents, options.length, purpose="test")
    models = partial(synthetic.model, truth=truth, n_topics=options.topics, label_words=label_words)
    own = {kind: models(kind, flat_weight=options.flat_weight) for kind in synthetic.KINDS}
    heavy = models("Flat-LDA", flat_weight=options.heavy_weight)
    sampled = [
        _samplers(name, model, X, options.sweeps, options) for name, model in (own | {HEAVY: heavy}).items()
    ]
    titles, _ = synthetic.corpus(truth, options.titles, options.title_length, purpose="test")
    sampled += [
        _samplers(f"{kind}, titles", model, titles, min(options.sweeps, SHORT - documents.WARM_UP), options)
        for kind, model in own.items()
    ]
    times = pd.concat(sampled)
    whole = _against_tomotopy(truth, label_words, X, options)
    many, _ = synthetic.corpus(truth, options.field_documents, options.length, purpose="test")
    fields = pd.concat([_mean_field(model, many, options).assign(model=kind) for kind, model in own.items()])
    over_textbook = harness.ratios(times, SPARSE, by=["model"])
    alone_over_textbook = harness.ratios(times, ALONE, by=["model"])
    over_peers = harness.ratios(whole, OURS, by=["model"])
    over_sampling = harness.ratios(fields, MEAN_FIELD, by=["model"])
    own = harness.quartiles(times[times["name"] == SPARSE], by=["model"])
    values = [
        harness.measured(f"{row.model}: speed over the textbook loop", row._asdict())
        for row in over_textbook[over_textbook["name"] == TEXTBOOK].itertuples()
        if row.model in synthetic.KINDS
    ] + [
        harness.measured(f"100 sweeps: speed over {row.name}", row._asdict())
        for row in over_peers.itertuples()
        if row.name.startswith("tomotopy") and options.peer_sweeps == 100
    ]
    values += [
        harness.measured(f"{row.model}, one chain: over the textbook loop", row._asdict())
        for row in alone_over_textbook[alone_over_textbook["name"] == TEXTBOOK].itertuples()
        if row.model == "Prior-LDA"
    ]
    values += [
        harness.measured(f"{row.model}: ns per token and sweep", row._asdict())
        for row in own.itertuples()
        if row.model == "Dependency-LDA"
    ]
    tables = (times, over_textbook, "ns"), (whole, over_peers, "cpu"), (fields, over_sampling, "ns")
    table = pd.concat([_table(*given) for given in tables[:2]] + [_table(*tables[2], "ns per word token")])
    harness.save("prediction", table, _draw(table), options, values)


def _samplers(name, model, X, n_sweeps, options):
    few = X[: max(1, X.shape[0] // 6)]
    ready = {
        TEXTBOOK: _unseen.by_the_textbook(model, few, n_sweeps),
        DENSE: _unseen.library(model, few, n_sweeps, _unseen.CHAINS, "dense"),
        SPARSE: _unseen.library(model, X, n_sweeps, _unseen.CHAINS, "sparse"),
        ALONE: _unseen.library(model, X, n_sweeps, 1, "sparse"),
    }
    calls, updates = ({name: pair[part] for name, pair in ready.items()} for part in (0, 1))
    return harness.interleave(calls, options.repeats, updates).assign(model=name)


def _mean_field(model, X, options):
    """Time mean field and sixteen short chains over the same documents, each from tables made before."""
    field, run = MeanField(model, POWER, PASSES), chains.Run(1)
    sampled = _unseen.library(model, X, SHORT - documents.WARM_UP, _unseen.CHAINS)[0]
    calls = {MEAN_FIELD: lambda: list(field.blocks(X, 0, run, None)), SIXTEEN: sampled}
    return harness.interleave(calls, options.repeats, int(X.sum()))


def _against_tomotopy(truth, label_words, X, options):
    """Time one chain of peer_sweeps sweeps from the fitted model on: Flat-LDA, the model that both have."""
    model = synthetic.model("Flat-LDA", truth, label_words=label_words, flat_weight=options.flat_weight)
    few = X[: options.peer_documents]
    schedule = unseen.Schedule(options.peer_sweeps - documents.WARM_UP, 1, 1, 1)
    calls = {
        OURS: _unseen.library(model, few, schedule.burn_in, 1)[0],
        "ours, making the tables": lambda: list(
            unseen.predict(few, unseen.sampler(model, schedule), 0, chains.Run(1))
        ),
        **_tomotopy(label_words, model, few, options.peer_sweeps),
    }
    return harness.interleave(calls, options.peer_repeats, few.shape[0]).assign(model="Flat-LDA")


def _tomotopy(label_words, model, X, n_sweeps):
    """Return calls of PLDAModel.infer; its model has a document for each label, of the very words of the label."""
    tomotopy = harness.peer("tomotopy")
    if tomotopy is None:
        return {}
    fitted = tomotopy.PLDAModel(
        latent_topics=0, topics_per_label=1, alpha=model.alpha, eta=model.beta, seed=1
    )
    fitted.optim_interval = 0
    ptr, words = unseen.tokens(label_words)
    for c in range(label_words.shape[0]):
        fitted.add_doc(words[ptr[c] : ptr[c + 1]].astype(str).tolist(), labels=[str(c)])
    fitted.train(1, workers=1)
    ptr, words = unseen.tokens(X)
    documents = [words[a:b].astype(str).tolist() for a, b in zip(ptr, ptr[1:], strict=False)]

    def infer(together):
        unseen_documents = [fitted.make_doc(document) for document in documents]
        fitted.infer(unseen_documents, iterations=n_sweeps, workers=1, together=together)

    return {
        "tomotopy": lambda: infer(together=False),
        "tomotopy with together=True": lambda: infer(together=True),
    }


def _table(times, speeds, column, unit=None):
    rows = harness.quartiles(times, column, ["model", "name"])
    unit = unit or {"ns": "ns per token and sweep", "cpu": "s per call"}[column]
    faster = speeds.set_index(["model", "name"])["median"].rename("ours_is_times_faster")
    return rows.assign(unit=unit).join(faster, on=["model", "name"])


def _draw(table):
    axes = harness.new_axes(across=2, width=5.4, height=3.6)
    sampling, whole, _ = (rows for _, rows in table.groupby("unit", sort=False))
    styles = plots.styles(dict.fromkeys(sampling["model"]))
    names = list(dict.fromkeys(sampling["name"]))[::-1]
    apart = np.linspace(0.25, -0.25, len(styles))  # of the models, so that no mark lies on another
    for shift, (model, rows) in zip(apart, sampling.groupby("model", sort=False), strict=True):
        heights = [names.index(name) + shift for name in rows["name"]]
        axes[0].plot(rows["median"], heights, label=model, linestyle="", **styles[model])
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set(xscale="log", xlabel="Nanoseconds per token and sweep")
    axes[0].legend()
    harness.plot_bars(axes[1], whole)
    axes[1].set_xlabel("Seconds for all documents")
    return axes


if __name__ == "__main__":
    main()
